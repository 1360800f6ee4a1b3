/* SPDX-License-Identifier: BSD-3-Clause */
/* What follows from results of the kernel: short ones are continued where they ended, errors stay, reads end at the end of the file;
 * and what the kernel refuses in this way a plain call does. */
#include "base/test.h"
#include "io/later.h"
#include "io/uring.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static char memory[100];

static struct mend_file_piece piece_of(struct iovec *v)
{
    v[0] = (struct iovec){memory, 10};
    v[1] = (struct iovec){memory + 20, 30};
    v[2] = (struct iovec){memory + 60, 5};
    return (struct mend_file_piece){.next = v, .n = 3, .offset = 1000, .asked = 45};
}

MEND_TEST(a_short_result_is_continued)
{
    struct iovec v[3];
    struct mend_file_piece p = piece_of(v);

    CHECK_EQ(mend_file_piece_take(&p, true, 7), MEND_PIECE_AGAIN);
    CHECK_EQ(p.n, 3);
    CHECK(p.next->iov_base == memory + 7 && p.next->iov_len == 3);
    CHECK_EQ(mend_file_piece_take(&p, true, 3), MEND_PIECE_AGAIN);
    CHECK_EQ(p.n, 2);
    CHECK(p.next->iov_base == memory + 20 && p.next->iov_len == 30);
    CHECK_EQ(mend_file_piece_take(&p, true, 34), MEND_PIECE_AGAIN);
    CHECK(p.n == 1 && p.next->iov_base == memory + 64 && p.next->iov_len == 1);
    CHECK_EQ(p.done, 44);
    CHECK_EQ(mend_file_piece_take(&p, true, 1), MEND_PIECE_OVER);
    CHECK(p.done == p.asked && p.error == 0);
}

MEND_TEST(an_error_or_the_end_is_the_end)
{
    struct iovec v[3];
    struct mend_file_piece p = piece_of(v);

    CHECK_EQ(mend_file_piece_take(&p, true, 7), MEND_PIECE_AGAIN);
    CHECK_EQ(mend_file_piece_take(&p, true, -ENOSPC), MEND_PIECE_OVER);
    CHECK(p.done == 7 && p.error == ENOSPC);
    p = piece_of(v);
    CHECK_EQ(mend_file_piece_take(&p, true, 0), MEND_PIECE_OVER);
    CHECK_EQ(p.error, EIO);
    p = piece_of(v);
    CHECK_EQ(mend_file_piece_take(&p, false, 11), MEND_PIECE_AGAIN);
    CHECK_EQ(mend_file_piece_take(&p, false, 0), MEND_PIECE_OVER);
    CHECK(p.done == 11 && p.error == 0);
}

MEND_TEST(what_is_refused_is_done_by_a_plain_call)
{
    struct iovec v[3];
    struct mend_file_piece p = piece_of(v);

    CHECK_EQ(mend_file_piece_take(&p, true, 12), MEND_PIECE_AGAIN);
    CHECK_EQ(mend_file_piece_take(&p, true, -EOPNOTSUPP), MEND_PIECE_PLAIN);
    CHECK_EQ(mend_file_piece_take(&p, true, -EINTR), MEND_PIECE_PLAIN);
    CHECK_EQ(mend_file_piece_take(&p, true, -EAGAIN), MEND_PIECE_PLAIN);
    CHECK_EQ(mend_file_piece_take(&p, true, -ECANCELED), MEND_PIECE_PLAIN);
    CHECK(p.done == 12 && p.error == 0 && p.n == 2);
}

/* What the kernel does, where it permits it; elsewhere that it says so, once and for all. */
MEND_TEST(a_ring_moves_bytes)
{
    struct mend_proc *self = mend_proc_create_bare();
    char text[16] = "";
    struct iovec to = {text, 10}, from = {"helloworld", 10};
    int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600), result = 0, a, b;
    struct mend_uring_order o = {.fd = fd, .write = true, .piece = &from, .n = 1, .offset = 5};
    void *tag = NULL;

    CHECK(fd >= 0);
    if (!mend_uring_get(self)) {
        CHECK(!mend_uring_get(self) && !self->uring);
        return;
    }
    CHECK(mend_uring_get(self)); /* a second file */
    CHECK(mend_uring_begin(self, &o, &a));
    while (!tag)
        tag = mend_uring_take(self, &result);
    CHECK(tag == &a && result == 10);
    o = (struct mend_uring_order){.fd = fd, .piece = &to, .n = 1, .offset = 10};
    CHECK(mend_uring_begin(self, &o, &b));
    while ((tag = mend_uring_take(self, &result)) == NULL)
        ;
    CHECK(tag == &b && result == 5 && !strcmp(text, "world"));
    mend_uring_put(self);
    CHECK(self->uring != NULL);
    mend_uring_put(self);
    CHECK(!self->uring && !mend_uring_take(self, &result));
    close(fd);
}

MEND_TEST_MAIN()
