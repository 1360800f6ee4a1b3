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
 * starts no processes has no work with those that have left.  With several nodes that is a fact of the log (facts.h).
 *
 * What is asked of a rank that has no place any more is answered by a stub, which says that it is dead.  Then its
 * child is reaped, and the number of its process may be another's: nothing here knows it any more. */
#include "agent/agent.h"

#include "node/log.h"
#include "agent/facts.h"
#include "agent/links.h"
#include "agent/rouse.h"
#include "agent/segment.h"
#include "agent/verdict.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void mend_vacancy_init(struct mend_ranks *ranks)
{
    ranks->vacant = mend_xalloc((size_t)ranks->places_n, sizeof(*ranks->vacant));
    mend_store_relaxed(&ranks->stub.fate, MEND_PEER_DEAD);
}

int mend_places_taken(const struct mend_ranks *ranks)
{
    return (int)ranks->shm->places_used - ranks->vacant_n;
}

int mend_vacancies(const struct mend_ranks *ranks)
{
    int names = (int)MEND_NODE_NAMES - ranks->n;
    int places = ranks->places_n - mend_places_taken(ranks);

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

static void close_control(const struct mend_sources *sources, struct rank *r)
{
    if (r->ctl_fd < 0)
        return;
    mend_sources_drop(sources, r->ctl_fd);
    close(r->ctl_fd);
    r->ctl_fd = -1;
}

/* A watcher that still sleeps on its life word looks, and finds that there is none. */
static void leave_place(struct mend_ranks *ranks, struct rank *r)
{
    mend_atomic_u32 *life = mend_node_life_word(r->shared);

    mend_vacancy_give(ranks, r);
    syscall(SYS_futex, life, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* A guest has no child. */
static void reap(struct mend_ranks *ranks, struct rank *r)
{
    if (r->guest_of) {
        mend_guest_left(r->guest_of);
        return;
    }
    waitpid(r->child, NULL, 0);
    ranks->shm->ranks_here_n--;
}

static bool retire(struct agent *agent, struct rank *r)
{
    bool over;

    if (r->far && r->guest_of)
        mend_guest_left(r->guest_of);
    if (r->far)
        return true;
    pthread_mutex_lock(&agent->ranks.lock);
    over = is_over(r) && !mend_links_hold(agent->links, r->index);
    if (over)
        leave_place(&agent->ranks, r);
    pthread_mutex_unlock(&agent->ranks.lock);
    if (!over)
        return false;
    close_control(&agent->sources, r);
    mend_rouse_drop(&agent->sources, r);
    reap(&agent->ranks, r);
    r->child = 0;
    r->own_group = false;
    free(r->complained);
    r->complained = NULL;
    return true;
}

/* In the order of the verdicts: one that cannot be retired holds up those behind it, for a moment. */
bool mend_vacancy_collect(struct agent *agent)
{
    mend_segment_give_back(&agent->ranks, agent->papers, MEND_TIME_NEVER);
    while (
        agent->ranks.retired_n < agent->ranks.cleared_n &&
        retire(
            agent,
            &agent->ranks.rank[mend_node_death_of(agent->ranks.shm, agent->ranks.retired_n)->name]))
        agent->ranks.retired_n++;
    return agent->ranks.retired_n < mend_load_acquire(&agent->ranks.shm->deaths_n);
}

static bool has_finalized(const struct mend_ranks *ranks, const struct rank *r)
{
    return mend_rank_presence(ranks, r->index) == MEND_PRESENCE_LEFT;
}

/* Nobody has been told of its end yet. */
static bool is_known(const struct mend_ranks *ranks, const struct rank *r)
{
    return mend_rank_is_ours(r) && !mend_rank_is_retired(ranks, r) && !r->has_left &&
           !mend_rank_is_dead(ranks, r->index);
}

static bool has_left(const struct mend_ranks *ranks, const struct rank *r)
{
    return mend_rank_has_ended(r) && has_finalized(ranks, r) && !mend_rank_in_script(&r->state);
}

void mend_vacancy_tell_left(struct agent *agent)
{
    struct rank **left = mend_xalloc((size_t)agent->ranks.n, sizeof(struct rank *));
    int n = 0;

    for (int i = 0; i < agent->ranks.n; i++)
        if (is_known(&agent->ranks, &agent->ranks.rank[i]) &&
            has_left(&agent->ranks, &agent->ranks.rank[i]) && !agent->ranks.rank[i].told_ended)
            left[n++] = &agent->ranks.rank[i];
    if (n && agent->ranks.nodes.n)
        mend_facts_end(agent->facts, left, n);
    else if (n)
        mend_verdict_left(&agent->verdicts, left, n);
    free(left);
}

void mend_vacancy_mind_left(struct agent *agent)
{
    agent->ranks.minds_left = true;
    mend_vacancy_tell_left(agent);
}

/* One that was started later may have parted from the others, and be about to leave. */
bool mend_vacancy_clear_out(struct agent *agent)
{
    bool hopeful = false;

    for (int i = 0; i < agent->ranks.n && !hopeful; i++)
        hopeful = is_known(&agent->ranks, &agent->ranks.rank[i]) &&
                  (has_finalized(&agent->ranks, &agent->ranks.rank[i]) || i >= agent->o->ranks_n);
    if (hopeful)
        mend_vacancy_tell_left(agent);
    return hopeful;
}

uint64_t mend_vacancy_progress(const struct mend_ranks *ranks)
{
    uint64_t sum = ranks->retired_n;

    for (int i = 0; i < ranks->n; i++)
        sum += (uint64_t)mend_rank_has_ended(&ranks->rank[i]) + mend_rank_is_dead(ranks, i);
    return sum;
}

bool mend_vacancy_ending(const struct mend_ranks *ranks)
{
    for (int i = 0; i < ranks->n; i++) {
        const struct rank *r = &ranks->rank[i];
        enum mend_presence presence = mend_rank_presence(ranks, i);

        if (mend_rank_is_ours(r) && !mend_rank_has_ended(r) &&
            (presence == MEND_PRESENCE_LEAVING || presence == MEND_PRESENCE_LEFT ||
             mend_rank_is_dead(ranks, i)))
            return true;
    }
    return false;
}

void mend_vacancy_take(struct mend_ranks *ranks, const struct mend_tell *tell, struct rank *r)
{
    bool again = ranks->vacant_n > 0;

    r->place = again ? ranks->vacant[--ranks->vacant_n] : mend_place_at(ranks->shm->places_used++);
    r->shared = mend_node_rank_of(ranks->shm, r->place);
    if (again)
        mend_segment_clear(ranks, tell, r->place);
}

void mend_vacancy_give(struct mend_ranks *ranks, struct rank *r)
{
    ranks->vacant[ranks->vacant_n++] = r->place;
    r->place = MEND_PLACE_NONE;
    r->shared = &ranks->stub;
}
