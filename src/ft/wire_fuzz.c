/* SPDX-License-Identifier: BSD-3-Clause */
/* wire_fuzz.c – the property of every decoder: it refuses, or the message encodes to the same bytes,
 * and what it gave may be fed to the machine.
 *
 * LLVMFuzzerTestOneInput is the interface of libFuzzer (clang -fsanitize=fuzzer wire_fuzz.c ...) and
 * of others that understand it; wire_test.c calls it with damaged messages of its own making. */
#include "ft/wire.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A machine that is in the middle of an agreement. */
static void feed(const struct mend_agree_msg *msg, int32_t n)
{
    struct mend_agree *m = malloc(mend_agree_size(n, 1));
    struct mend_agree_value v;
    struct mend_agree_event start = {.kind = MEND_AGREE_START, .value = &v};
    struct mend_agree_event recv = {.kind = MEND_AGREE_RECV, .msg = msg};
    struct mend_agree_out out;
    struct mend_agree_msg sent;

    mend_agree_value_init(&v);
    mend_agree_init(m, n, n / 2, 1, 1);
    mend_agree_step(m, &start, &out);
    while (mend_agree_next(m, &sent))
        ;
    mend_agree_step(m, &recv, &out);
    while (mend_agree_next(m, &sent))
        MEND_ASSERT(sent.peer >= 0 && sent.peer < n);
    mend_agree_check(m);
    free(m);
}

static void check_agree(const uint8_t *data, size_t size, int32_t n, int32_t from)
{
    uint64_t sets[64];
    uint8_t again[1024];
    struct mend_agree_msg msg;

    if (mend_ft_agree_decode(data, size, n, from, sets, &msg))
        return;
    MEND_ASSERT(mend_ft_agree_encode(&msg, n, again, sizeof again) == size);
    MEND_ASSERT(!memcmp(data, again, size));
    feed(&msg, n);
}

/* Two bytes choose the number of members and the sender; the rest is the message. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int32_t n;

    if (size < 2)
        return 0;
    n = 1 + data[0] * 3;
    check_agree(data + 2, size - 2, n, data[1] % n);
    return 0;
}
