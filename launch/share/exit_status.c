/* SPDX-License-Identifier: BSD-3-Clause */
/* exit_status.c – the exit status of a job, in which a death need not be an error (R22).
 *
 *   1  the time ran out                                        124
 *   2  a signal that we forwarded ended a rank                 128 + signal
 *   3  the program aborted the job as a whole                  the abort code
 *   4  --strict-exit and a rank died                           as the first death in time
 *   5  a death that was not handled, or a bad end              the abort code if one of them was an abort,
 *                                                              otherwise as the first of them
 *   6  otherwise                                               0
 *
 * The program asks for an abort, or a fatal error handler does after an error.  If that error is a death or a revocation
 * the abort follows: the ranks that it ends count as the first death in time, and by the code of the error if no death
 * was before.
 *
 * A death is handled if an MPI call had reported it to a rank that finished cleanly.  A bad end is a
 * non-zero exit status, also of a rank that died by it (R23), or a signal after MPI_Finalize.  Deaths come
 * first, in time; of several other bad ends the lowest rank counts, so that the same run gives the same
 * status.  If no rank called MPI_Init, no death can be handled.
 *
 * --lenient-exit replaces 5 by
 *   5a a rank ended badly by itself                            its exit status (1 if that is 0)
 *   5b no rank finished cleanly                                as the first death in time
 * Then an end after MPI_Init without MPI_Finalize is bad, unless it was a kill or an abort, and a death by a
 * signal is bad only in a job in which no rank called MPI_Init.
 *
 * A rank that an abort ended is killed by SIGKILL, or ends itself with the code as its status.  Neither counts: its
 * outcome is ABORTED, and `code` is the abort's. */
#include "share/exit_status.h"

/* What an end means. */
enum meaning {
    GOOD = 0, /* also of a rank that runs */
    BAD,      /* no death, but a bad end */
    LATE,     /* the same by a signal, so it is an abort's matter if an abort named the rank */
    LEFT,     /* a death, and the rank's own doing */
    KILLED,   /* a death by a signal or an abort */
};

/* clang-format off */
static const uint8_t meanings[MEND_OUTCOMES][MEND_REACHES] = {
    /*                          NOTHING INIT    FINALIZE */
    [MEND_OUTCOME_RUNNING]  = { GOOD,   GOOD,   GOOD },
    [MEND_OUTCOME_EXITED]   = { GOOD,   LEFT,   GOOD },
    [MEND_OUTCOME_FAILED]   = { BAD,    LEFT,   BAD  },
    [MEND_OUTCOME_SIGNALED] = { KILLED, KILLED, LATE },
    [MEND_OUTCOME_ABORTED]  = { KILLED, KILLED, GOOD }, /* settle() knows no abort after MPI_Finalize */
};
/* clang-format on */

static enum meaning meaning_of(const struct mend_rank_end *e)
{
    return meanings[e->outcome][e->reach];
}

void mend_rank_end_settle(struct mend_rank_end *e, bool joined, bool signaled, int code,
                          const int *abort_code)
{
    if (e->reach != MEND_REACH_FINALIZE)
        e->reach = joined ? MEND_REACH_INIT : MEND_REACH_NOTHING;
    if (abort_code && e->reach != MEND_REACH_FINALIZE) {
        e->outcome = MEND_OUTCOME_ABORTED;
        e->code = *abort_code;
        return;
    }
    e->outcome = signaled ? MEND_OUTCOME_SIGNALED
                 : code   ? MEND_OUTCOME_FAILED
                          : MEND_OUTCOME_EXITED;
    e->code = code;
}

bool mend_rank_end_is_death(const struct mend_rank_end *e)
{
    return meaning_of(e) != GOOD && e->reach != MEND_REACH_FINALIZE;
}

static const struct mend_rank_end *rank_of(const struct mend_job_end *job, int i)
{
    return (const struct mend_rank_end *)((const char *)job->rank + (size_t)i * job->rank_bytes);
}

/* An abort code as an exit status; a failure never looks like success. */
static int status_of_code(int code)
{
    return code == 0 || (code & 0xff) ? code & 0xff : 1;
}

static bool follows(const struct mend_rank_end *e)
{
    return e->outcome == MEND_OUTCOME_ABORTED && e->follows;
}

static bool is_abort(const struct mend_rank_end *e)
{
    return e->outcome == MEND_OUTCOME_ABORTED && !e->follows;
}

static int status_of(const struct mend_rank_end *e)
{
    return e->outcome == MEND_OUTCOME_SIGNALED ? 128 + e->code : status_of_code(e->code);
}

static bool is_ended_by(const struct mend_rank_end *e, int sig)
{
    return e->outcome == MEND_OUTCOME_SIGNALED && e->code == sig;
}

static bool is_clean(const struct mend_rank_end *e)
{
    return meaning_of(e) == GOOD;
}

/* plain: no rank called MPI_Init. */
static bool is_lenient_bad(const struct mend_rank_end *e, bool plain)
{
    return meaning_of(e) == BAD || meaning_of(e) == LEFT ||
           (plain && e->outcome == MEND_OUTCOME_SIGNALED);
}

/* Handling a death excuses it, but not the exit status that the rank chose. */
static bool is_bad(const struct mend_rank_end *e)
{
    if (is_clean(e) || (meaning_of(e) == LATE && e->named))
        return false;
    return !e->handled || e->outcome == MEND_OUTCOME_FAILED;
}

/* True if a rather than b gives the status: first an abort, then the first death, then the lowest rank. */
static bool goes_before(const struct mend_rank_end *a, const struct mend_rank_end *b)
{
    bool a_aborted = is_abort(a), b_aborted = is_abort(b);
    bool a_died = meaning_of(a) >= LEFT, b_died = meaning_of(b) >= LEFT;

    if (a_aborted != b_aborted)
        return a_aborted;
    if (a_died != b_died)
        return a_died;
    return a_died && a->order < b->order;
}

static const struct mend_rank_end *first_bad(const struct mend_job_end *job)
{
    const struct mend_rank_end *first = NULL;

    for (int i = 0; i < job->n; i++) {
        const struct mend_rank_end *e = rank_of(job, i);

        if (is_bad(e) && (!first || goes_before(e, first)))
            first = e;
    }
    return first;
}

static const struct mend_rank_end *first_death(const struct mend_job_end *job)
{
    const struct mend_rank_end *first = NULL;

    for (int i = 0; i < job->n; i++) {
        const struct mend_rank_end *e = rank_of(job, i);

        if (!is_clean(e) && (!first || e->order < first->order))
            first = e;
    }
    return first;
}

/* What has ended e, itself if that is not known. */
static const struct mend_rank_end *cause_of(const struct mend_job_end *job,
                                            const struct mend_rank_end *e)
{
    const struct mend_rank_end *cause = e;

    for (int i = 0; follows(e) && i < job->n; i++) {
        const struct mend_rank_end *d = rank_of(job, i);

        if (mend_rank_end_is_death(d) && !follows(d) && d->order < cause->order)
            cause = d;
    }
    return cause;
}

/* The first abort, if the job aborted as a whole: every rank was named by an abort or is dead. */
static const struct mend_rank_end *whole_abort(const struct mend_job_end *job)
{
    const struct mend_rank_end *first = NULL;

    for (int i = 0; i < job->n; i++) {
        const struct mend_rank_end *e = rank_of(job, i);

        if (!e->named && !mend_rank_end_is_death(e))
            return NULL;
        if (e->outcome == MEND_OUTCOME_ABORTED && (!first || goes_before(e, first)))
            first = e;
    }
    return first;
}

/* Of a failure: never 0. */
static int failure_of(const struct mend_job_end *job, const struct mend_rank_end *e)
{
    int status = status_of(cause_of(job, e));

    return status ? status : 1;
}

static int lenient_status(const struct mend_job_end *job)
{
    const struct mend_rank_end *first = first_death(job);
    bool plain = true, any_clean = false;

    for (int i = 0; i < job->n; i++) {
        plain &= rank_of(job, i)->reach == MEND_REACH_NOTHING;
        any_clean |= is_clean(rank_of(job, i));
    }
    for (int i = 0; i < job->n; i++)
        if (is_lenient_bad(rank_of(job, i), plain))
            return failure_of(job, rank_of(job, i));
    return !any_clean && first ? failure_of(job, first) : 0;
}

int mend_exit_status(const struct mend_job_end *job)
{
    const struct mend_rank_end *first = whole_abort(job);

    if (job->timed_out)
        return MEND_STATUS_TIMED_OUT;
    for (int i = 0; job->signal && i < job->n; i++)
        if (is_ended_by(rank_of(job, i), job->signal))
            return 128 + job->signal;
    if (first)
        return is_abort(first) ? status_of(first) : failure_of(job, first);
    if (job->rule == MEND_EXIT_LENIENT)
        return lenient_status(job);
    first = job->rule == MEND_EXIT_STRICT ? first_death(job) : NULL;
    first = first ? first : first_bad(job);
    return first ? failure_of(job, first) : 0;
}
