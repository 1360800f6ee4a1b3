/* SPDX-License-Identifier: BSD-3-Clause */
/* exit_status_test.c – one line per rule of exit_status.c. */
#include "base/test.h"
#include "exit_status.h"

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

static struct mend_rank_end handled(struct mend_rank_end e)
{
    e.handled = true;
    return e;
}

static int status_by(enum mend_exit_rule rule, struct mend_rank_end a, struct mend_rank_end b)
{
    struct mend_rank_end r[] = {a, b};
    struct mend_job_end j = {.rank = r, .rank_bytes = sizeof(r[0]), .n = 2, .rule = rule};

    r[1].order = 1;
    return mend_exit_status(&j);
}

static int status(struct mend_rank_end a, struct mend_rank_end b)
{
    return status_by(MEND_EXIT_HANDLED, a, b);
}

static int lenient(struct mend_rank_end a, struct mend_rank_end b)
{
    return status_by(MEND_EXIT_LENIENT, a, b);
}

static int strict(struct mend_rank_end a, struct mend_rank_end b)
{
    return status_by(MEND_EXIT_STRICT, a, b);
}

MEND_TEST(all_fine_is_0)
{
    CHECK_EQ(status(fine, fine), 0);
    CHECK_EQ(status(plain_fine, plain_fine), 0);
    CHECK_EQ(lenient(fine, plain_fine), 0);
    CHECK_EQ(strict(fine, plain_fine), 0);
}

MEND_TEST(a_death_counts_unless_it_was_handled)
{
    CHECK_EQ(status(fine, by_signal(9)), 137);
    CHECK_EQ(status(by_signal(11), fine), 139);
    CHECK_EQ(status(fine, handled(by_signal(9))), 0);
    CHECK_EQ(status(handled(by_signal(9)), by_signal(11)), 139);
    CHECK_EQ(lenient(fine, by_signal(9)), 0);
    CHECK_EQ(strict(fine, handled(by_signal(9))), 137);
}

MEND_TEST(a_job_without_survivors_failed)
{
    CHECK_EQ(status(by_signal(9), by_signal(11)), 137);
    CHECK_EQ(lenient(by_signal(9), by_signal(11)), 137);
}

MEND_TEST(the_first_death_in_time_gives_the_status)
{
    struct mend_rank_end r[] = {by_signal(9), by_signal(11), fine};
    struct mend_job_end j = {.rank = r, .rank_bytes = sizeof(r[0]), .n = 3};

    r[0].order = 2;
    r[1].order = 1;
    r[2].code = 4; /* a survivor gave up because of that */
    CHECK_EQ(mend_exit_status(&j), 139);
    r[0].handled = r[1].handled = true;
    CHECK_EQ(mend_exit_status(&j), 4);
}

MEND_TEST(whole_abort_gives_the_code)
{
    CHECK_EQ(status(by_abort(7), by_abort(7)), 7);
    CHECK_EQ(status(by_abort(0), by_abort(0)), 0);
    CHECK_EQ(status(by_abort(256), by_abort(256)), 1);
    CHECK_EQ(status(by_signal(9), by_abort(5)), 5);
}

MEND_TEST(partial_abort_counts_unless_it_was_handled)
{
    struct mend_rank_end left = fine;

    CHECK_EQ(status(fine, by_abort(7)), 7);
    CHECK_EQ(status(fine, by_abort(0)), 1);
    CHECK_EQ(status(fine, handled(by_abort(7))), 0);
    CHECK_EQ(lenient(fine, by_abort(7)), 0);
    CHECK_EQ(strict(fine, handled(by_abort(7))), 7);
    left.named = left.signaled = true; /* it was killed after its good-bye, by that abort */
    left.code = 9;
    CHECK_EQ(status(left, by_abort(7)), 7);
}

MEND_TEST(an_abort_code_goes_before_signals)
{
    struct mend_rank_end r[] = {by_signal(9), by_abort(7), fine};
    struct mend_job_end j = {.rank = r, .rank_bytes = sizeof(r[0]), .n = 3};

    r[1].order = 1;
    CHECK_EQ(mend_exit_status(&j), 7);
    r[1].handled = true;
    CHECK_EQ(mend_exit_status(&j), 137);
}

MEND_TEST(bad_exits_count)
{
    struct mend_rank_end late = fine, silent = {.joined = true, .failed = true};

    late.code = 3;
    CHECK_EQ(status(fine, late), 3);
    CHECK_EQ(lenient(fine, late), 3);
    CHECK_EQ(status(fine, silent), 1); /* exit(0) without MPI_Finalize */
    CHECK_EQ(lenient(fine, silent), 1);
    CHECK_EQ(status(fine, handled(silent)), 0);
    silent.code = 4;
    CHECK_EQ(status(fine, silent), 4);
    CHECK_EQ(status(fine, handled(silent)), 4);
    late.code = 11;
    late.signaled = true; /* after MPI_Finalize */
    CHECK_EQ(status(fine, late), 139);
    CHECK_EQ(lenient(fine, late), 0);
}

MEND_TEST(plain_programs)
{
    struct mend_rank_end killed = {.failed = true, .signaled = true, .code = 9},
                         three = {.failed = true, .code = 3}, five = {.failed = true, .code = 5};

    CHECK_EQ(status(plain_fine, killed), 137);
    CHECK_EQ(lenient(plain_fine, killed), 137);
    CHECK_EQ(status(plain_fine, three), 3);
    three.order = 2;
    CHECK_EQ(status(three, five), 3); /* the lowest rank, not the first in time */
    CHECK_EQ(status(fine, killed), 137);
    CHECK_EQ(lenient(fine, killed), 0); /* killed before MPI_Init: killed all the same */
    CHECK_EQ(status(fine, handled(killed)), 0);
}

MEND_TEST(timeout_and_signal_come_first)
{
    struct mend_rank_end r[] = {by_signal(2), by_signal(9)};
    struct mend_job_end j = {.rank = r, .rank_bytes = sizeof(r[0]), .n = 2, .signal = 2};

    CHECK_EQ(mend_exit_status(&j), 130);
    j.timed_out = true;
    CHECK_EQ(mend_exit_status(&j), 124);
    r[0] = r[1] = fine;
    j.timed_out = false; /* they handled it and finished */
    CHECK_EQ(mend_exit_status(&j), 0);
}

MEND_TEST(an_abort_code_is_no_signal)
{
    struct mend_rank_end r[] = {fine, by_abort(2)};
    struct mend_job_end j = {.rank = r, .rank_bytes = sizeof(r[0]), .n = 2, .signal = 2};

    r[1].signaled = true; /* SIGKILL, by which the abort was carried out */
    CHECK_EQ(mend_exit_status(&j), 2);
    r[1].handled = true;
    CHECK_EQ(mend_exit_status(&j), 0);
}

MEND_TEST_MAIN()
