/* SPDX-License-Identifier: BSD-3-Clause */
/* far.c – see far.h.
 *
 * A far rank counts as one whose child has ended and of which all is told, so nothing here waits for it, signals it or prints
 * it.  While it lives a word of the agent's own stands for the line that it has in the segment of its node; when it is dead the stub
 * of vacancy.c does. */
#include "agent/far.h"

#include "agent/facts.h"
#include "agent/papers.h"
#include "agent/segment.h"
#include "agent/start.h"
#include "agent/tally.h"
#include "agent/tell.h"
#include "base/time.h"
#include "output/iof.h"

#include <string.h>

void mend_far_begin(struct agent *agent, struct rank *r)
{
    r->far = true;
    r->place = MEND_PLACE_NONE;
    r->shared = &agent->far;
    r->own_group = false;
    r->spawn_fd = -1;
    r->state = (struct mend_rank_state){
        .child = MEND_CHILD_ENDED, .ending = MEND_ENDING_TOLD, .news = MEND_NEWS_PRINTED};
}

void mend_far_skip(struct agent *agent, int i)
{
    struct rank *r = &agent->rank[i];

    *r = (struct rank){.index = i, .wrapped_pidfd = -1, .ctl_fd = -1, .watch_fd = -1};
    mend_far_begin(agent, r);
    r->shared = &agent->stub;
}

void mend_far_open(struct agent *agent)
{
    agent->ours = mend_xalloc((size_t)agent->n, sizeof(*agent->ours));
    for (int i = 0; i < agent->n; i++) {
        struct rank *r = &agent->rank[i];

        r->node = (uint32_t)agent->o->node_of[i];
        if (r->node == agent->nodes.me)
            agent->ours[agent->ours_n++] = i;
        else
            mend_far_begin(agent, r);
    }
    if (agent->nodes.n)
        mend_facts_open(agent);
}

void mend_far_ready(struct agent *agent)
{
    struct mend_node_of_job me = {.door = agent->shm->door};

    memcpy(me.host, agent->shm->host, sizeof(me.host));
    mend_post(&agent->root,
              &(struct mend_message){
                  .kind = MEND_UP_READY, .rank = -1, .data = (const char *)&me, .len = sizeof(me)});
}

void mend_far_tell_presence(struct agent *agent, struct rank *r)
{
    enum mend_presence presence = mend_rank_presence(agent, r->index);

    if (!r->guest_of)
        mend_links_presence(agent, r->index);
    if (!agent->nodes.n)
        return;
    mend_post(&agent->root, &(struct mend_message){
                                .kind = MEND_UP_PRESENCE, .rank = r->index, .arg = {presence}});
    mend_facts_presence(agent, r, presence);
}

static void on_nodes(struct agent *agent, const struct mend_message *m)
{
    if (m->len != agent->nodes.n * sizeof(struct mend_node_of_job))
        return;
    memcpy(mend_node_of_job(agent->shm, 0), m->data, m->len);
    mend_facts_join(agent);
    mend_agent_start(agent);
}

/* Those of this node that wait for it in MPI_Finalize do not sleep (life/finalize.c). */
static void on_presence(struct agent *agent, const struct mend_message *m)
{
    if (m->rank < 0 || m->rank >= agent->n || !agent->rank[m->rank].far)
        return;
    mend_store_release(&mend_node_process_of(agent->shm, m->rank)->presence, (uint32_t)m->arg[0]);
    if (!agent->rank[m->rank].guest_of)
        mend_links_presence(agent, m->rank);
}

void mend_far_hear(struct agent *agent, const struct mend_message *m)
{
    switch (m->kind) {
    case MEND_DOWN_NODES:
        on_nodes(agent, m);
        break;
    case MEND_DOWN_PRESENCE:
        on_presence(agent, m);
        break;
    case MEND_DOWN_SESSION:
        mend_vacancy_mind_left(agent);
        break;
    case MEND_DOWN_LOG:
        mend_facts_hear(agent, (int32_t)m->arg[0], m->data, m->len);
        break;
    case MEND_DOWN_SEARCH:
    case MEND_DOWN_SEARCHED:
    case MEND_DOWN_PAPER:
        mend_papers_hear(agent, m);
        break;
    case MEND_DOWN_LOST:
        mend_facts_lost(agent, (int32_t)m->arg[0]);
        break;
    case MEND_DOWN_WRITTEN:
        mend_iof_written(agent->iof, m);
        break;
    case MEND_DOWN_INPUT:
        mend_iof_input(agent->iof, m);
        break;
    case MEND_DOWN_TALLIED:
        mend_tally_answer(agent, m);
        break;
    case MEND_DOWN_END:
        agent->nodes.ended = true;
        break;
    case MEND_DOWN_CONNECT:
    case MEND_DOWN_CONNECTED:
    case MEND_DOWN_GUESTS:
    case MEND_DOWN_ADMITTED:
    case MEND_DOWN_PARTED:
        mend_mirror_hear(agent, m);
        break;
    default:
        mend_spawn_hear(agent, m);
    }
}

mend_time_ns mend_far_look(struct agent *agent, mend_time_ns now)
{
    mend_time_ns next;

    if (!agent->nodes.n)
        return MEND_TIME_NEVER;
    next = mend_facts_look(agent, now);
    if (agent->nodes.running && !agent->alive_n && !mend_agent_holds(agent) &&
        !mend_facts_pending(agent)) {
        mend_tell_deaths(agent);
        mend_tell_ends(agent);
    }
    return next;
}
