/* SPDX-License-Identifier: BSD-3-Clause */
/* wire_test.c – every message there and back, and damaged ones refused. */
#include "ft/wire.h"
#include "base/test.h"

#define ROUNDS 300000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t seed = 1;

static uint32_t chance(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

static void fill(int32_t n, uint32_t density, uint64_t *set)
{
    memset(set, 0, mend_bits_words(n) * sizeof *set);
    for (int32_t r = 0; density && r < n; r++)
        if (density == 3 ? r >= n / 2 : chance(density == 1 ? 50 : 2) == 0)
            mend_bits_set(set, r);
}

/* A message as the machine makes them, with sets of some density. */
static struct mend_agree_msg make(int32_t n, uint64_t *sets)
{
    struct mend_agree_msg m = {.kind = (enum mend_agree_msg_kind)(1 + chance(4)), .accepted = -1};
    size_t words = mend_bits_words(n);

    fill(n, chance(4) * (m.kind == MEND_AGREE_UP || m.kind == MEND_AGREE_DOWN), sets);
    fill(n, chance(4) * (m.kind != MEND_AGREE_GONE), sets + words);
    mend_agree_value_init(&m.value);
    m.seq = (uint64_t)chance(1000) << chance(40);
    m.ballot = (int32_t)chance((uint32_t)n);
    if (m.kind == MEND_AGREE_UP)
        m.accepted = (int32_t)chance((uint32_t)m.ballot + 2) - 1;
    if (m.kind == MEND_AGREE_UP || m.kind == MEND_AGREE_DOWN) {
        for (int w = 0; w < MEND_AGREE_WORDS; w++) {
            if (chance(2))
                m.value.and_word[w] = chance(1000);
            if (chance(2))
                m.value.max_word[w] = chance(1000);
        }
    }
    m.value.failed = sets;
    m.value.nfailed = mend_bits_count(sets, words);
    m.dead = sets + words;
    m.ndead = mend_bits_count(m.dead, words);
    return m;
}

static void check_same(const struct mend_agree_msg *a, const struct mend_agree_msg *b, int32_t n)
{
    CHECK_EQ(a->kind, b->kind);
    CHECK_EQ(a->seq, b->seq);
    CHECK_EQ(a->ballot, b->ballot);
    CHECK_EQ(a->accepted, b->accepted);
    CHECK(!memcmp(a->value.and_word, b->value.and_word, sizeof a->value.and_word));
    CHECK(!memcmp(a->value.max_word, b->value.max_word, sizeof a->value.max_word));
    CHECK_EQ(a->value.nfailed, b->value.nfailed);
    CHECK(!memcmp(a->value.failed, b->value.failed, mend_bits_words(n) * sizeof(uint64_t)));
    CHECK_EQ(a->ndead, b->ndead);
    CHECK(!memcmp(a->dead, b->dead, mend_bits_words(n) * sizeof(uint64_t)));
}

MEND_TEST(every_message_comes_back_as_it_was)
{
    static const int32_t sizes[] = {1, 2, 63, 64, 65, 500, 1000};
    uint64_t sets[32], again[32];
    uint8_t buf[600];

    for (int i = 0; i < 20000; i++) {
        int32_t n = sizes[i % (int)MEND_COUNT_OF(sizes)];
        struct mend_agree_msg a = make(n, sets), b;
        size_t len = mend_ft_agree_encode(&a, n, buf, sizeof buf);

        CHECK(len > 0 && len <= mend_ft_agree_max_bytes(n));
        CHECK_EQ(mend_ft_agree_encode(&a, n, buf, len - 1), 0);
        CHECK_EQ(mend_ft_agree_decode(buf, len, n, 7, again, &b), MEND_OK);
        CHECK_EQ(b.peer, 7);
        check_same(&a, &b, n);
        for (size_t cut = 0; cut < len; cut++)
            CHECK_EQ(mend_ft_agree_decode(buf, cut, n, 7, again, &b), MEND_ERR_BAD);
        buf[len] = 0;
        CHECK_EQ(mend_ft_agree_decode(buf, len + 1, n, 7, again, &b), MEND_ERR_BAD);
    }
}

/* What a healthy job sends for MPIX_Comm_agree. */
MEND_TEST(what_is_neutral_costs_nothing)
{
    struct mend_agree_msg m = {.kind = MEND_AGREE_UP, .accepted = -1};
    uint64_t failed[16] = {0};
    uint8_t buf[400];

    mend_agree_value_init(&m.value);
    m.value.failed = failed;
    CHECK_EQ(mend_ft_agree_encode(&m, 1000, buf, sizeof buf), MEND_FT_AGREE_HEAD_BYTES);
    m.value.and_word[0] = 1;
    CHECK_EQ(mend_ft_agree_encode(&m, 1000, buf, sizeof buf), MEND_FT_AGREE_HEAD_BYTES + 8);
    for (int r = 500; r < 516; r++) /* a node is lost: one run */
        mend_bits_set(failed, r);
    m.value.nfailed = 16;
    CHECK_EQ(mend_ft_agree_encode(&m, 1000, buf, sizeof buf), MEND_FT_AGREE_HEAD_BYTES + 20);
}

/* Good messages with a few bytes changed, cut or lengthened, and pure noise; see wire_fuzz.c. */
MEND_TEST(damage_is_refused_or_harmless)
{
    uint64_t sets[32];
    uint8_t buf[700];

    for (int i = 0; i < ROUNDS; i++) {
        size_t len = chance(80);

        buf[0] = (uint8_t)chance(20);
        buf[1] = (uint8_t)chance(60);
        if (chance(8)) {
            int32_t n = 1 + buf[0] * 3;
            struct mend_agree_msg m = make(n, sets);

            len = mend_ft_agree_encode(&m, n, buf + 2, sizeof buf - 2);
            for (uint32_t k = chance(4); k > 0; k--)
                buf[2 + chance((uint32_t)len)] ^= (uint8_t)(1 << chance(8));
            if (chance(8) == 0)
                len = chance((uint32_t)len + 4);
        } else {
            for (size_t k = 0; k < len; k++)
                buf[2 + k] = (uint8_t)chance(256);
        }
        LLVMFuzzerTestOneInput(buf, len + 2);
    }
}

MEND_TEST_MAIN()
