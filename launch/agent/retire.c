/* SPDX-License-Identifier: BSD-3-Clause */
/* retire.c – see retire.h.
 *
 * What is asked of a rank that has no place any more is answered by a stub, which says that it is dead.  Then its
 * child is reaped, and the number of its process may be another's: nothing here knows it any more. */
#include "agent/retire.h"

#include "agent/facts.h"
#include "agent/links.h"
#include "agent/rouse.h"
#include "agent/segment.h"
#include "agent/sources.h"
#include "agent/vacancy.h"
#include "agent/verdict.h"
#include "node/log.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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

static bool retire(struct mend_ranks *ranks, struct mend_links *links,
                   const struct mend_sources *sources, struct rank *r)
{
    bool over;

    if (r->far && r->guest_of)
        mend_guest_left(r->guest_of);
    if (r->far)
        return true;
    pthread_mutex_lock(&ranks->lock);
    over = is_over(r) && !mend_links_hold(links, r->index);
    if (over)
        leave_place(ranks, r);
    pthread_mutex_unlock(&ranks->lock);
    if (!over)
        return false;
    close_control(sources, r);
    mend_rouse_drop(sources, r);
    reap(ranks, r);
    r->child = 0;
    r->own_group = false;
    free(r->complained);
    r->complained = NULL;
    return true;
}

/* In the order of the verdicts: one that cannot be retired holds up those behind it, for a moment. */
bool mend_retire_dead(struct mend_ranks *ranks, struct mend_papers *papers,
                      struct mend_links *links, const struct mend_sources *sources)
{
    mend_segment_give_back(ranks, papers, MEND_TIME_NEVER);
    while (ranks->retired_n < ranks->cleared_n) {
        uint32_t name = mend_node_death_of(ranks->shm, ranks->retired_n)->name;

        if (!retire(ranks, links, sources, &ranks->rank[name]))
            break;
        ranks->retired_n++;
    }
    return ranks->retired_n < mend_load_acquire(&ranks->shm->deaths_n);
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

void mend_retire_tell_left(struct mend_verdicts *verdicts, struct mend_facts *facts)
{
    struct mend_ranks *ranks = verdicts->ranks;
    struct rank **left = mend_xalloc((size_t)ranks->n, sizeof(struct rank *));
    int n = 0;

    for (int i = 0; i < ranks->n; i++)
        if (is_known(ranks, &ranks->rank[i]) && has_left(ranks, &ranks->rank[i]) &&
            !ranks->rank[i].told_ended)
            left[n++] = &ranks->rank[i];
    if (n && facts)
        mend_facts_end(facts, left, n);
    else if (n)
        mend_verdict_left(verdicts, left, n);
    free(left);
}

void mend_retire_mind_left(struct mend_verdicts *verdicts, struct mend_facts *facts)
{
    verdicts->ranks->minds_left = true;
    mend_retire_tell_left(verdicts, facts);
}

/* One that was started later may have parted from the others, and be about to leave. */
bool mend_retire_left(struct mend_verdicts *verdicts, struct mend_facts *facts, int started_n)
{
    const struct mend_ranks *ranks = verdicts->ranks;
    bool hopeful = false;

    for (int i = 0; i < ranks->n && !hopeful; i++)
        hopeful = is_known(ranks, &ranks->rank[i]) &&
                  (has_finalized(ranks, &ranks->rank[i]) || i >= started_n);
    if (hopeful)
        mend_retire_tell_left(verdicts, facts);
    return hopeful;
}
