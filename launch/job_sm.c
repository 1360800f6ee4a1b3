/* SPDX-License-Identifier: BSD-3-Clause */
/* job_sm.c – the exit status of a job in which dying is not failing (R22).
 *
 *   1  the time ran out                                      124
 *   2  a signal that we forwarded ended a rank               128 + signal
 *   3  the job aborted as a whole                            the abort code
 *   4  --strict-exit and somebody died                       as the first death in time
 *   5  somebody ended by itself and badly                    its exit status (1 if that is 0)
 *   6  nobody finished cleanly                               as the first death in time
 *   7  otherwise                                             0
 *
 * "Badly" (5): a non-zero exit status, or an end after MPI_Init without MPI_Finalize (R23) that was
 * no kill and no abort.  In a job in which nobody called MPI_Init a death by a signal is bad too:
 * those are plain programs, and there is nobody who could have gone on without it.  Of several bad
 * ones the lowest rank counts, so that the same run gives the same status. */
#include "job_sm.h"

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

static bool clean(const struct mend_rank_end *e)
{
    return !e->signaled && !e->aborted && !e->code && (e->finalized || !e->joined);
}

static bool bad(const struct mend_rank_end *e, bool plain)
{
    if (e->aborted)
        return false;
    if (e->signaled)
        return plain;
    return !clean(e);
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

bool mend_job_aborted(const struct mend_job_end *job, int *code_p)
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

int mend_job_status(const struct mend_job_end *job)
{
    bool plain = true, any_clean = false;
    const struct mend_rank_end *first = first_death(job);
    int code;

    for (int i = 0; i < job->n; i++) {
        plain &= !rank_of(job, i)->joined;
        any_clean |= clean(rank_of(job, i));
    }
    if (job->timed_out)
        return MEND_STATUS_TIMED_OUT;
    for (int i = 0; job->signal && i < job->n; i++)
        if (rank_of(job, i)->signaled && rank_of(job, i)->code == job->signal)
            return 128 + job->signal;
    if (mend_job_aborted(job, &code))
        return status_of_code(code);
    if (job->strict && first)
        return status_of(first) ? status_of(first) : 1;
    for (int i = 0; i < job->n; i++)
        if (bad(rank_of(job, i), plain))
            return status_of(rank_of(job, i)) ? status_of(rank_of(job, i)) : 1;
    if (!any_clean && first)
        return status_of(first) ? status_of(first) : 1;
    return 0;
}
