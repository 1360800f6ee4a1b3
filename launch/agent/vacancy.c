/* SPDX-License-Identifier: BSD-3-Clause */
/* vacancy.c – see vacancy.h. */
#include "agent/vacancy.h"

#include "agent/segment.h"
#include "node/log.h"
#include "proc/death.h"

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

void mend_vacancy_begin_far(struct mend_ranks *ranks, struct rank *r)
{
    r->far = true;
    r->place = MEND_PLACE_NONE;
    r->shared = &ranks->far;
    r->own_group = false;
    r->spawn_fd = -1;
    r->state = (struct mend_rank_state){
        .child = MEND_CHILD_ENDED, .ending = MEND_ENDING_TOLD, .news = MEND_NEWS_PRINTED};
}

void mend_vacancy_skip(struct mend_ranks *ranks, int i)
{
    struct rank *r = &ranks->rank[i];

    *r = (struct rank){.index = i, .wrapped_pidfd = -1, .ctl_fd = -1, .watch_fd = -1};
    mend_vacancy_begin_far(ranks, r);
    r->shared = &ranks->stub;
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
