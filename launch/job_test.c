/* SPDX-License-Identifier: BSD-3-Clause */
/* job_test.c – one line per rule of job_sm.c. */
#include "base/test.h"
#include "job_sm.h"

static const struct mend_rank_end fine = {.joined = true, .finalized = true},
                                  plain_fine = {.joined = false};

static struct mend_rank_end by_signal(int sig)
{
    return (struct mend_rank_end){.joined = true, .failed = true, .signaled = true, .code = sig};
}

static struct mend_rank_end by_abort(int code)
{
    return (struct mend_rank_end){
        .joined = true, .failed = true, .aborted = true, .named = true, .code = code};
}

static int status(struct mend_rank_end a, struct mend_rank_end b)
{
    struct mend_rank_end r[] = {a, b};
    struct mend_job_end j = {.rank = r, .rank_bytes = sizeof(r[0]), .n = 2};

    r[1].order = 1;
    return mend_job_status(&j);
}

MEND_TEST(all_fine_is_0)
{
    CHECK_EQ(status(fine, fine), 0);
    CHECK_EQ(status(plain_fine, plain_fine), 0);
}

MEND_TEST(a_killed_rank_does_not_count)
{
    CHECK_EQ(status(fine, by_signal(9)), 0);
    CHECK_EQ(status(by_signal(11), fine), 0);
}

MEND_TEST(a_job_without_survivors_failed)
{
    CHECK_EQ(status(by_signal(9), by_signal(11)), 137);
}

MEND_TEST(strict_exit_counts_every_death)
{
    struct mend_rank_end r[] = {fine, by_signal(9)};
    struct mend_job_end j = {.rank = r, .rank_bytes = sizeof(r[0]), .n = 2, .strict = true};

    CHECK_EQ(mend_job_status(&j), 137);
    r[1] = fine;
    CHECK_EQ(mend_job_status(&j), 0);
}

MEND_TEST(whole_abort_gives_the_code)
{
    CHECK_EQ(status(by_abort(7), by_abort(7)), 7);
    CHECK_EQ(status(by_abort(0), by_abort(0)), 0);
    CHECK_EQ(status(by_abort(256), by_abort(256)), 1);
    CHECK_EQ(status(by_signal(9), by_abort(5)), 5);
}

MEND_TEST(partial_abort_does_not_count)
{
    CHECK_EQ(status(fine, by_abort(7)), 0);
}

MEND_TEST(bad_exits_count)
{
    struct mend_rank_end late = fine, silent = {.joined = true, .failed = true};

    late.code = 3;
    CHECK_EQ(status(fine, late), 3);
    CHECK_EQ(status(fine, silent), 1); /* exit(0) without MPI_Finalize */
    silent.code = 4;
    CHECK_EQ(status(fine, silent), 4);
}

MEND_TEST(plain_programs)
{
    struct mend_rank_end killed = {.failed = true, .signaled = true, .code = 9},
                         three = {.failed = true, .code = 3};

    CHECK_EQ(status(plain_fine, killed), 137);
    CHECK_EQ(status(plain_fine, three), 3);
    CHECK_EQ(status(fine, killed), 0); /* killed before MPI_Init: killed all the same */
}

MEND_TEST(timeout_and_signal_come_first)
{
    struct mend_rank_end r[] = {by_signal(2), by_signal(9)};
    struct mend_job_end j = {.rank = r, .rank_bytes = sizeof(r[0]), .n = 2, .signal = 2};

    CHECK_EQ(mend_job_status(&j), 130);
    j.timed_out = true;
    CHECK_EQ(mend_job_status(&j), 124);
    r[0] = r[1] = fine;
    j.timed_out = false; /* they handled it and finished */
    CHECK_EQ(mend_job_status(&j), 0);
}

MEND_TEST_MAIN()
