/* SPDX-License-Identifier: BSD-3-Clause */
/* far.c – see far.h.
 *
 * A far rank counts as one whose child has ended and of which all is told, so nothing here waits for it, signals it or prints
 * it.  While it lives a word of the agent's own stands for the line that it has in the segment of its node; when it is dead the stub
 * of vacancy.c does. */
#include "agent/far.h"

#include "agent/entry.h"
#include "agent/facts.h"
#include "agent/links.h"
#include "agent/papers.h"
#include "agent/segment.h"
#include "agent/start.h"
#include "agent/tally.h"
#include "agent/tell.h"
#include "base/time.h"
#include "output/iof.h"

#include <string.h>

void mend_far_begin(struct mend_ranks *ranks, struct rank *r)
{
    r->far = true;
    r->place = MEND_PLACE_NONE;
    r->shared = &ranks->far;
    r->own_group = false;
    r->spawn_fd = -1;
    r->state = (struct mend_rank_state){
        .child = MEND_CHILD_ENDED, .ending = MEND_ENDING_TOLD, .news = MEND_NEWS_PRINTED};
}

void mend_far_skip(struct mend_ranks *ranks, int i)
{
    struct rank *r = &ranks->rank[i];

    *r = (struct rank){.index = i, .wrapped_pidfd = -1, .ctl_fd = -1, .watch_fd = -1};
    mend_far_begin(ranks, r);
    r->shared = &ranks->stub;
}

static void on_deaths(void *facts, const struct mend_verdict *v, int n)
{
    mend_facts_die(facts, v, n);
}

static void on_cause(void *facts, const struct rank *r)
{
    mend_facts_explain(facts, r);
}

static void apply(void *agent, const struct mend_fact *entry)
{
    mend_entry_apply(agent, entry);
}

static void read_rank(void *agent, struct rank *r)
{
    mend_control_read(agent, r);
}

static void open_facts(struct agent *agent)
{
    agent->facts = mend_facts_open(&(struct mend_facts_needs){.ranks = &agent->ranks,
                                                              .tell = &agent->tell,
                                                              .sources = &agent->sources,
                                                              .self = agent,
                                                              .apply = apply,
                                                              .read = read_rank});
    agent->verdicts.facts = (struct mend_verdict_facts){agent->facts, on_deaths, on_cause};
}

void mend_far_open(struct agent *agent)
{
    agent->ranks.ours = mend_xalloc((size_t)agent->ranks.n, sizeof(*agent->ranks.ours));
    for (int i = 0; i < agent->ranks.n; i++) {
        struct rank *r = &agent->ranks.rank[i];

        r->node = (uint32_t)agent->o->node_of[i];
        if (r->node == agent->ranks.nodes.me)
            agent->ranks.ours[agent->ranks.ours_n++] = i;
        else
            mend_far_begin(&agent->ranks, r);
    }
    if (agent->ranks.nodes.n)
        open_facts(agent);
}

void mend_far_ready(struct mend_ranks *ranks, const struct mend_tell *tell)
{
    struct mend_node_of_job me = {.door = ranks->shm->door};

    memcpy(me.host, ranks->shm->host, sizeof(me.host));
    mend_post(&tell->root,
              &(struct mend_message){
                  .kind = MEND_UP_READY, .rank = -1, .data = (const char *)&me, .len = sizeof(me)});
}

void mend_far_tell_presence(struct agent *agent, struct rank *r)
{
    if (!r->guest_of)
        mend_links_presence(agent->links, r->index);
    if (agent->facts)
        mend_facts_presence(agent->facts, r, mend_rank_presence(&agent->ranks, r->index));
}

static void on_nodes(struct agent *agent, const struct mend_message *m)
{
    if (m->len != agent->ranks.nodes.n * sizeof(struct mend_node_of_job))
        return;
    memcpy(mend_node_of_job(agent->ranks.shm, 0), m->data, m->len);
    mend_facts_join(agent->facts);
    mend_agent_start(agent);
}

/* Those of this node that wait for it in MPI_Finalize do not sleep (life/finalize.c). */
static void on_presence(struct agent *agent, const struct mend_message *m)
{
    if (m->rank < 0 || m->rank >= agent->ranks.n || !agent->ranks.rank[m->rank].far)
        return;
    mend_store_release(&mend_node_process_of(agent->ranks.shm, m->rank)->presence,
                       (uint32_t)m->arg[0]);
    if (!agent->ranks.rank[m->rank].guest_of)
        mend_links_presence(agent->links, m->rank);
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
        mend_facts_hear(agent->facts, (int32_t)m->arg[0], m->data, m->len);
        break;
    case MEND_DOWN_SEARCH:
    case MEND_DOWN_SEARCHED:
    case MEND_DOWN_PAPER:
        mend_papers_hear(agent->papers, m);
        break;
    case MEND_DOWN_LOST:
        mend_facts_lost(agent->facts, (int32_t)m->arg[0]);
        break;
    case MEND_DOWN_WRITTEN:
        mend_iof_written(agent->tell.iof, m);
        break;
    case MEND_DOWN_INPUT:
        mend_iof_input(agent->tell.iof, m);
        break;
    case MEND_DOWN_TALLIED:
        mend_tally_answer(&agent->ranks, m);
        break;
    case MEND_DOWN_END:
        agent->course.ended = true;
        break;
    case MEND_DOWN_CONNECT:
    case MEND_DOWN_CONNECTED:
    case MEND_DOWN_GUESTS:
    case MEND_DOWN_ADMITTED:
    case MEND_DOWN_PARTED:
        mend_mirror_hear(agent->links, m);
        break;
    default:
        mend_spawn_hear(agent, m);
    }
}

mend_time_ns mend_far_look(struct agent *agent, mend_time_ns now)
{
    mend_time_ns next;

    if (!agent->ranks.nodes.n)
        return MEND_TIME_NEVER;
    next = mend_facts_look(agent->facts, now);
    if (agent->course.running && !agent->ranks.alive_n && !mend_rank_is_any_held(&agent->ranks) &&
        !mend_facts_pending(agent->facts)) {
        mend_tell_deaths(&agent->tell, &agent->verdicts, &agent->course);
        mend_tell_ends(&agent->tell, &agent->ranks, &agent->course);
    }
    return next;
}
