/* SPDX-License-Identifier: BSD-3-Clause */
/* exit_status.c – the exit status of a job, in which a death need not be an error (R22).
 *
 *   1  the time ran out                                        124
 *   2  a signal that we forwarded ended a rank                 128 + signal
 *   3  the job aborted as a whole                              the abort code
 *   4  --strict-exit and a rank died                           as the first death in time
 *   5  a death that was not handled, or a bad end              the abort code if one of them was an abort,
 *                                                              otherwise as the first of them
 *   6  otherwise                                               0
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
 * signal is bad only in a job in which no rank called MPI_Init. */
#include "exit_status.h"

static const struct mend_rank_end *rank_of(const struct mend_job_end *job, int i)
{
    return (const struct mend_rank_end *)((const char *)job->rank + (size_t)i * job->rank_bytes);
}

/* An abort code as an exit status; a failure never looks like success. */
static int status_of_code(int code)
{
    return code == 0 || (code & 0xff) ? code & 0xff : 1;
}

static int status_of(const struct mend_rank_end *e)
{
    if (e->signaled && !e->aborted)
        return 128 + e->code;
    return status_of_code(e->code);
}

/* The code of an abort is no signal, although the abort was carried out by one. */
static bool ended_by(const struct mend_rank_end *e, int sig)
{
    return e->signaled && !e->aborted && e->code == sig;
}

static bool clean(const struct mend_rank_end *e)
{
    return !e->signaled && !e->aborted && !e->code && (e->finalized || !e->joined);
}

static bool lenient_bad(const struct mend_rank_end *e, bool plain)
{
    if (e->aborted)
        return false;
    if (e->signaled)
        return plain;
    return !clean(e);
}

/* One that had said good-bye and was killed by an abort is that abort's matter. */
static bool bad(const struct mend_rank_end *e)
{
    if (clean(e) || (e->finalized && e->named && e->signaled))
        return false;
    return !e->handled || (!e->signaled && !e->aborted && e->code);
}

/* Whose end gives the status rather: an abort's, then the first death, then the lowest rank's. */
static bool goes_before(const struct mend_rank_end *a, const struct mend_rank_end *b)
{
    bool a_died = a->failed && (a->joined || a->signaled),
         b_died = b->failed && (b->joined || b->signaled);

    if (a->aborted != b->aborted)
        return a->aborted;
    if (a_died != b_died)
        return a_died;
    return a_died && a->order < b->order;
}

static const struct mend_rank_end *first_bad(const struct mend_job_end *job)
{
    const struct mend_rank_end *first = NULL;

    for (int i = 0; i < job->n; i++) {
        const struct mend_rank_end *e = rank_of(job, i);

        if (bad(e) && (!first || goes_before(e, first)))
            first = e;
    }
    return first;
}

static const struct mend_rank_end *first_death(const struct mend_job_end *job)
{
    const struct mend_rank_end *first = NULL;

    for (int i = 0; i < job->n; i++) {
        const struct mend_rank_end *e = rank_of(job, i);

        if (!clean(e) && (!first || e->order < first->order))
            first = e;
    }
    return first;
}

bool mend_exit_aborted(const struct mend_job_end *job, int *code_p)
{
    const struct mend_rank_end *first = NULL;

    for (int i = 0; i < job->n; i++) {
        const struct mend_rank_end *e = rank_of(job, i);

        if (!e->named && !e->aborted && !e->failed)
            return false;
        if (e->aborted && (!first || e->order < first->order))
            first = e;
    }
    if (first)
        *code_p = first->code;
    return first != NULL;
}

/* Of a failure: never 0. */
static int failure_of(const struct mend_rank_end *e)
{
    return status_of(e) ? status_of(e) : 1;
}

static int lenient_status(const struct mend_job_end *job)
{
    const struct mend_rank_end *first = first_death(job);
    bool plain = true, any_clean = false;

    for (int i = 0; i < job->n; i++) {
        plain &= !rank_of(job, i)->joined;
        any_clean |= clean(rank_of(job, i));
    }
    for (int i = 0; i < job->n; i++)
        if (lenient_bad(rank_of(job, i), plain))
            return failure_of(rank_of(job, i));
    return !any_clean && first ? failure_of(first) : 0;
}

int mend_exit_status(const struct mend_job_end *job)
{
    const struct mend_rank_end *first;
    int code;

    if (job->timed_out)
        return MEND_STATUS_TIMED_OUT;
    for (int i = 0; job->signal && i < job->n; i++)
        if (ended_by(rank_of(job, i), job->signal))
            return 128 + job->signal;
    if (mend_exit_aborted(job, &code))
        return status_of_code(code);
    if (job->rule == MEND_EXIT_LENIENT)
        return lenient_status(job);
    first = job->rule == MEND_EXIT_STRICT ? first_death(job) : NULL;
    first = first ? first : first_bad(job);
    return first ? failure_of(first) : 0;
}
