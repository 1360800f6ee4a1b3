/* SPDX-License-Identifier: BSD-3-Clause */
/* vacancy.c – which places of the segment the ranks have.
 *
 * A rank has a name, which no other ever has, and a place, as many as the job may have ranks at a time.  What is asked
 * of a rank that has no place any more is answered by the grave, which says that it is dead. */
#include "job.h"

#include "proc/proc.h"

void mend_vacancy_init(struct job *job)
{
    job->vacant = mend_xalloc((size_t)job->places_n, sizeof(*job->vacant));
    mend_store_relaxed(&job->grave.state, MEND_NODE_RANK_FINALIZED);
    mend_store_relaxed(&job->grave.fate, MEND_PEER_DEAD);
}

int mend_vacancies(const struct job *job)
{
    int names = (int)MEND_NODE_NAMES - job->n,
        places = job->places_n - job->places_used + job->vacant_n;

    return places < names ? places : names;
}

void mend_vacancy_take(struct job *job, struct rank *r)
{
    r->place =
        job->vacant_n ? job->vacant[--job->vacant_n] : mend_place_at((uint32_t)job->places_used++);
    r->shared = mend_node_rank_of(job->shm, r->place);
}

void mend_vacancy_give(struct job *job, struct rank *r)
{
    job->vacant[job->vacant_n++] = r->place;
    r->place = MEND_PLACE_NONE;
    r->shared = &job->grave;
}
