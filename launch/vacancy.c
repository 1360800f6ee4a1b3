/* SPDX-License-Identifier: BSD-3-Clause */
/* vacancy.c – which places of the segment the ranks have.
 *
 * A rank has a name, which no other ever has, and a place, as many as the job may have ranks at a time.
 *
 *   never used ──> a rank's ──it dies, every living rank has let go of it, and we have told of it──> vacant
 *                     ^                                                                               │
 *                     └──────────────────────────── cleared, with a new name <────────────────────────┘
 *
 * A rank that leaves with MPI_Finalize keeps its place, until a request needs more places than there are.  Then it is
 * entered in the log of deaths with a cause that is none, and the others let go of it as of a dead one; so a job that
 * starts no processes has no work with those that have left.
 *
 * What is asked of a rank that has no place any more is answered by a stub, which says that it is dead.  Then its
 * child is reaped, and the number of its process may be another's: nothing here knows it any more. */
#include "job.h"

#include "node/log.h"
#include "rouse.h"
#include "segment.h"
#include "verdict.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void mend_vacancy_init(struct job *job)
{
    job->vacant = mend_xalloc((size_t)job->places_n, sizeof(*job->vacant));
    mend_store_relaxed(&job->stub.fate, MEND_PEER_DEAD);
}

int mend_vacancies(const struct job *job)
{
    int names = (int)MEND_NODE_NAMES - job->n;
    int places = job->places_n - (int)job->shm->places_used + job->vacant_n;

    return places < names ? places : names;
}

/* The agent has nothing to do with its process any more.  With the lock. */
static bool is_over(const struct rank *r)
{
    return mend_rank_has_ended(r) && r->state.ending == MEND_ENDING_TOLD &&
           (r->has_left || r->state.news == MEND_NEWS_PRINTED) && !r->looked_at && !r->unproven &&
           !mend_rank_in_script(&r->state) &&
           (r->state.mark == MEND_MARK_NONE || r->state.mark > MEND_MARK_CERTAIN);
}

static void close_control(struct job *job, struct rank *r)
{
    if (r->ctl_fd < 0)
        return;
    epoll_ctl(job->epoll_fd, EPOLL_CTL_DEL, r->ctl_fd, NULL);
    close(r->ctl_fd);
    r->ctl_fd = -1;
}

/* A watcher that still sleeps on its life word looks, and finds that there is none. */
static void leave_place(struct job *job, struct rank *r)
{
    mend_atomic_u32 *life = mend_node_life_word(r->shared);

    mend_vacancy_give(job, r);
    syscall(SYS_futex, life, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* A guest has no child. */
static void reap(struct job *job, struct rank *r)
{
    if (r->guest_of) {
        mend_guest_left(r->guest_of);
        return;
    }
    waitpid(r->child, NULL, 0);
    job->shm->ranks_here_n--;
}

static bool retire(struct job *job, struct rank *r)
{
    bool over;

    pthread_mutex_lock(&job->lock);
    over = is_over(r) && !mend_links_hold(job, r->index);
    if (over)
        leave_place(job, r);
    pthread_mutex_unlock(&job->lock);
    if (!over)
        return false;
    close_control(job, r);
    mend_rouse_drop(job, r);
    reap(job, r);
    r->child = 0;
    r->own_group = false;
    free(r->complained);
    r->complained = NULL;
    return true;
}

/* In the order of the verdicts: one that cannot be retired holds up those behind it, for a moment. */
bool mend_vacancy_collect(struct job *job)
{
    mend_segment_give_back(job, MEND_TIME_NEVER);
    while (job->retired_n < job->cleared_n &&
           retire(job, &job->rank[mend_node_death_of(job->shm, job->retired_n)->name]))
        job->retired_n++;
    return job->retired_n < mend_load_acquire(&job->shm->deaths_n);
}

static bool has_finalized(const struct job *job, const struct rank *r)
{
    return mend_rank_presence(job, r->index) == MEND_PRESENCE_LEFT;
}

/* Nobody has been told of its end yet. */
static bool is_known(const struct job *job, const struct rank *r)
{
    return !r->guest_of && !mend_rank_is_retired(job, r) && !r->has_left &&
           !mend_rank_is_dead(job, r->index);
}

static bool has_left(const struct job *job, const struct rank *r)
{
    return mend_rank_has_ended(r) && has_finalized(job, r) && !mend_rank_in_script(&r->state);
}

void mend_vacancy_tell_left(struct job *job)
{
    struct rank **left = mend_xalloc((size_t)job->n, sizeof(struct rank *));
    int n = 0;

    for (int i = 0; i < job->n; i++)
        if (is_known(job, &job->rank[i]) && has_left(job, &job->rank[i]))
            left[n++] = &job->rank[i];
    if (n)
        mend_verdict_left(job, left, n);
    free(left);
}

/* One that was started later may have parted from the others, and be about to leave. */
bool mend_vacancy_clear_out(struct job *job)
{
    bool hopeful = false;

    for (int i = 0; i < job->n && !hopeful; i++)
        hopeful = is_known(job, &job->rank[i]) &&
                  (has_finalized(job, &job->rank[i]) || i >= job->o.ranks_n);
    if (hopeful)
        mend_vacancy_tell_left(job);
    return hopeful;
}

uint64_t mend_vacancy_progress(const struct job *job)
{
    uint64_t sum = job->retired_n;

    for (int i = 0; i < job->n; i++)
        sum += (uint64_t)mend_rank_has_ended(&job->rank[i]) + mend_rank_is_dead(job, i);
    return sum;
}

bool mend_vacancy_ending(const struct job *job)
{
    for (int i = 0; i < job->n; i++) {
        const struct rank *r = &job->rank[i];
        enum mend_presence presence = mend_rank_presence(job, i);

        if (!r->guest_of && !mend_rank_has_ended(r) &&
            (presence == MEND_PRESENCE_LEAVING || presence == MEND_PRESENCE_LEFT ||
             mend_rank_is_dead(job, i)))
            return true;
    }
    return false;
}

void mend_vacancy_take(struct job *job, struct rank *r)
{
    bool again = job->vacant_n > 0;

    r->place = again ? job->vacant[--job->vacant_n] : mend_place_at(job->shm->places_used++);
    r->shared = mend_node_rank_of(job->shm, r->place);
    if (again)
        mend_segment_clear(job, r->place);
}

void mend_vacancy_give(struct job *job, struct rank *r)
{
    job->vacant[job->vacant_n++] = r->place;
    r->place = MEND_PLACE_NONE;
    r->shared = &job->stub;
}
