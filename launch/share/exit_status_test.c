/* SPDX-License-Identifier: BSD-3-Clause */
/* exit_status_test.c – one line per rule of exit_status.c, and all jobs of up to three ranks against the rules as the
 * manual page states them. */
#include "base/test.h"
#include "share/exit_status.h"

static const struct mend_rank_end fine = {.reach = MEND_REACH_FINALIZE,
                                          .outcome = MEND_OUTCOME_EXITED},
                                  plain_fine = {.outcome = MEND_OUTCOME_EXITED};

/* As verdict.c makes them. */
static struct mend_rank_end ended(enum mend_rank_reach reach, bool signaled, int code)
{
    struct mend_rank_end e = {
        .reach = reach == MEND_REACH_FINALIZE ? reach : MEND_REACH_NOTHING,
    };

    mend_rank_end_settle(&e, reach != MEND_REACH_NOTHING, signaled, code, NULL);
    return e;
}

static struct mend_rank_end by_signal(int sig)
{
    return ended(MEND_REACH_INIT, true, sig);
}

static struct mend_rank_end by_abort(int code)
{
    struct mend_rank_end e = {.named = true};

    mend_rank_end_settle(&e, true, true, 9, &code);
    return e;
}

static struct mend_rank_end by_follower(int code)
{
    struct mend_rank_end e = by_abort(code);

    e.follows = true;
    return e;
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
    r[2] = ended(MEND_REACH_FINALIZE, false, 4); /* a survivor gave up because of that */
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
    struct mend_rank_end left = ended(MEND_REACH_FINALIZE, true, 9);

    CHECK_EQ(status(fine, by_abort(7)), 7);
    CHECK_EQ(status(fine, by_abort(0)), 1);
    CHECK_EQ(status(fine, handled(by_abort(7))), 0);
    CHECK_EQ(lenient(fine, by_abort(7)), 0);
    CHECK_EQ(strict(fine, handled(by_abort(7))), 7);
    CHECK_EQ(status(left, handled(by_abort(7))), 137);
    left.named = true; /* it was killed after its good-bye, by that abort */
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

MEND_TEST(what_follows_a_death_counts_as_that)
{
    CHECK_EQ(status(by_signal(9), by_follower(1)), 137);
    CHECK_EQ(lenient(by_signal(9), by_follower(1)), 137);
    CHECK_EQ(strict(by_signal(11), by_follower(1)), 139);
    CHECK_EQ(status(ended(MEND_REACH_INIT, false, 3), by_follower(1)), 3);
    CHECK_EQ(status(ended(MEND_REACH_INIT, false, 0), by_follower(7)), 1);
    CHECK_EQ(status(by_follower(2), by_signal(9)), 2); /* it was revoked, and nobody was dead */
    CHECK_EQ(status(by_follower(2), by_follower(2)), 2);
    CHECK_EQ(status(fine, by_follower(2)), 2);
    CHECK_EQ(status(by_abort(7), by_follower(1)), 7);
    CHECK_EQ(status(by_follower(1), by_abort(7)), 7);
}

MEND_TEST(what_follows_a_handled_death_counts_as_that)
{
    struct mend_rank_end r[] = {handled(by_signal(9)), by_follower(1), fine};
    struct mend_job_end j = {.rank = r, .rank_bytes = sizeof(r[0]), .n = 3};

    r[1].order = 1;
    CHECK_EQ(mend_exit_status(&j), 137);
    r[1].handled = true;
    CHECK_EQ(mend_exit_status(&j), 0);
}

MEND_TEST(one_that_was_named_and_killed_before_is_a_cause)
{
    struct mend_rank_end killed = by_signal(9);

    killed.named = killed.follows = true;
    CHECK_EQ(status(killed, by_follower(1)), 137);
}

MEND_TEST(bad_exits_count)
{
    struct mend_rank_end late = ended(MEND_REACH_FINALIZE, false, 3),
                         silent = ended(MEND_REACH_INIT, false, 0);

    CHECK_EQ(status(fine, late), 3);
    CHECK_EQ(lenient(fine, late), 3);
    CHECK_EQ(status(fine, silent), 1); /* exit(0) without MPI_Finalize */
    CHECK_EQ(lenient(fine, silent), 1);
    CHECK_EQ(status(fine, handled(silent)), 0);
    silent = ended(MEND_REACH_INIT, false, 4);
    CHECK_EQ(status(fine, silent), 4);
    CHECK_EQ(status(fine, handled(silent)), 4);
    late = ended(MEND_REACH_FINALIZE, true, 11);
    CHECK_EQ(status(fine, late), 139);
    CHECK_EQ(lenient(fine, late), 0);
}

MEND_TEST(plain_programs)
{
    struct mend_rank_end killed = ended(MEND_REACH_NOTHING, true, 9),
                         three = ended(MEND_REACH_NOTHING, false, 3),
                         five = ended(MEND_REACH_NOTHING, false, 5);

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

    CHECK_EQ(mend_exit_status(&j), 2);
    r[1].handled = true;
    CHECK_EQ(mend_exit_status(&j), 0);
}

MEND_TEST(settling_again_keeps_what_others_said)
{
    struct mend_rank_end e = {.named = true, .handled = true, .order = 5};
    const int seven = 7;

    mend_rank_end_settle(&e, true, true, 9, NULL);
    CHECK_EQ(e.outcome, MEND_OUTCOME_SIGNALED);
    mend_rank_end_settle(&e, true, true, 9, &seven); /* the others of its abort are dead, too */
    CHECK_EQ(e.outcome, MEND_OUTCOME_ABORTED);
    CHECK_EQ(e.code, 7);
    CHECK(e.named && e.handled && e.order == 5);
    e.reach =
        MEND_REACH_FINALIZE; /* after which no abort ends a rank, though it may kill its process */
    mend_rank_end_settle(&e, true, true, 9, &seven);
    CHECK_EQ(e.reach, MEND_REACH_FINALIZE);
    CHECK_EQ(e.outcome, MEND_OUTCOME_SIGNALED);
    CHECK_EQ(e.code, 9);
}

/* ---- all jobs of up to three ranks, against the rules as mpiexec(1) states them ---- */

static bool chose_status(const struct mend_rank_end *e) /* other than 0 */
{
    return e->outcome == MEND_OUTCOME_FAILED;
}

static bool finished(const struct mend_rank_end *e)
{
    return e->outcome == MEND_OUTCOME_EXITED && e->reach != MEND_REACH_INIT;
}

static bool died(const struct mend_rank_end *e)
{
    return !finished(e) && e->reach != MEND_REACH_FINALIZE;
}

static bool counts(const struct mend_rank_end *e)
{
    bool by_abort_after_finalize =
        e->reach == MEND_REACH_FINALIZE && e->outcome == MEND_OUTCOME_SIGNALED && e->named;

    return chose_status(e) || !(finished(e) || e->handled || by_abort_after_finalize);
}

static int own_status(const struct mend_rank_end *e)
{
    if (e->outcome == MEND_OUTCOME_SIGNALED)
        return 128 + e->code;
    return e->code % 256 ? e->code % 256 : 1;
}

/* Of the ranks in `of` (a set of bits) the first in time, -1: none. */
static int first_of(const struct mend_rank_end *r, int n, unsigned of)
{
    int first = -1;

    for (int i = 0; i < n; i++)
        if (of >> i & 1 && (first < 0 || r[i].order < r[first].order))
            first = i;
    return first;
}

struct sets { /* of ranks */
    unsigned finished, counting, aborted, follow, died, deaths, named_or_dead, signaled, own_fault,
        with_mpi;
};

static struct sets sets_of(const struct mend_rank_end *r, int n)
{
    struct sets s = {0};

    for (int i = 0; i < n; i++) {
        bool own = chose_status(&r[i]) ||
                   (r[i].outcome == MEND_OUTCOME_EXITED && r[i].reach == MEND_REACH_INIT);

        s.finished |= (unsigned)finished(&r[i]) << i;
        s.counting |= (unsigned)counts(&r[i]) << i;
        s.aborted |= (unsigned)(r[i].outcome == MEND_OUTCOME_ABORTED && !r[i].follows) << i;
        s.follow |= (unsigned)(r[i].outcome == MEND_OUTCOME_ABORTED && r[i].follows) << i;
        s.died |= (unsigned)died(&r[i]) << i;
        s.deaths |= (unsigned)(died(&r[i]) && !(chose_status(&r[i]) && !r[i].reach)) << i;
        s.named_or_dead |= (unsigned)(r[i].named || died(&r[i])) << i;
        s.signaled |= (unsigned)(r[i].outcome == MEND_OUTCOME_SIGNALED) << i;
        s.own_fault |= (unsigned)own << i;
        s.with_mpi |= (unsigned)(r[i].reach != MEND_REACH_NOTHING) << i;
    }
    return s;
}

/* An error handler that reports a death counts as the first death, if that was before. */
static int told_status(const struct mend_rank_end *r, int n, const struct sets *s, int i)
{
    int first = first_of(r, n, s->died & ~s->follow);

    return own_status(
        &r[s->follow >> i & 1 && first >= 0 && r[first].order < r[i].order ? first : i]);
}

static int documented_lenient(const struct mend_rank_end *r, int n, const struct sets *s)
{
    unsigned bad = s->own_fault | (s->with_mpi ? 0 : s->signaled);

    if (bad)
        return own_status(&r[__builtin_ctz(bad)]);
    return s->finished ? 0 : told_status(r, n, s, first_of(r, n, (1u << n) - 1));
}

static int documented(const struct mend_rank_end *r, int n, enum mend_exit_rule rule, int sig)
{
    struct sets s = sets_of(r, n);
    unsigned all = (1u << n) - 1;

    for (int i = 0; i < n; i++)
        if (sig && s.signaled >> i & 1 && r[i].code == sig)
            return 128 + sig;
    if (s.aborted && s.named_or_dead == all)
        return own_status(&r[first_of(r, n, s.aborted)]);
    if (s.follow && s.named_or_dead == all)
        return told_status(r, n, &s, first_of(r, n, s.follow));
    if (rule == MEND_EXIT_LENIENT)
        return documented_lenient(r, n, &s);
    if (rule == MEND_EXIT_STRICT && s.finished != all)
        return told_status(r, n, &s, first_of(r, n, all & ~s.finished));
    if (s.counting & s.aborted)
        return own_status(&r[first_of(r, n, s.counting & s.aborted)]);
    if (s.counting & s.deaths)
        return told_status(r, n, &s, first_of(r, n, s.counting & s.deaths));
    return s.counting ? own_status(&r[__builtin_ctz(s.counting)]) : 0;
}

/* The ways to end that there are: how far, how, named or not, handled or not.  The codes tell the ranks apart, and
 * that of an abort is a signal's number. */
static int all_ends(struct mend_rank_end *ends_p, int rank)
{
    int n = 0;

    for (unsigned k = 0; k < 3 * 2 * 2; k++)
        for (int how = 0; how < 6; how++) {
            struct mend_rank_end e = ended(k / 4, how % 2,
                                           how % 2 ? 10 + rank
                                           : how   ? 3 + rank
                                                   : 0);
            const int code = 10 + rank;

            if (how >= 3 && k / 4 == MEND_REACH_FINALIZE)
                continue;
            if (how >= 3) /* both ways in which an abort is carried out */
                mend_rank_end_settle(&e, k / 4 == MEND_REACH_INIT, how % 2, 9, &code);
            e.follows = how == 5;
            e.named = k & 1;
            e.handled = k & 2;
            ends_p[n++] = e;
        }
    return n;
}

static long compare(struct mend_rank_end *r, int n)
{
    struct mend_job_end j = {.rank = r, .rank_bytes = sizeof(r[0]), .n = n};
    long jobs_n = 0;

    for (int rule = MEND_EXIT_HANDLED; rule <= MEND_EXIT_LENIENT; rule++)
        for (j.signal = 0; j.signal <= 11; j.signal += j.signal ? 1 : 10) {
            j.rule = (enum mend_exit_rule)rule;
            CHECK_EQ(mend_exit_status(&j), documented(r, n, j.rule, j.signal));
            jobs_n++;
        }
    return jobs_n;
}

MEND_TEST(all_small_jobs_follow_the_documented_rules)
{
    static const uint32_t orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    struct mend_rank_end ends[3][72], r[3];
    long jobs_n = 0;
    int n = 0;

    for (int i = 0; i < 3; i++)
        n = all_ends(ends[i], i);
    for (int k = 0; k < n * n * n; k++)
        for (int o = 0; o < 6; o++) {
            for (int i = 0, at = k; i < 3; i++, at /= n) {
                r[i] = ends[i][at % n];
                r[i].order = orders[o][i];
            }
            jobs_n += compare(r, 3);
            jobs_n += k < n * n ? compare(r, 2) : 0;
            jobs_n += k < n ? compare(r, 1) : 0;
        }
    CHECK(jobs_n > 1000000);
}

MEND_TEST_MAIN()
