/* SPDX-License-Identifier: BSD-3-Clause */
/* far.c – see far.h. */
#include "agent/far.h"

#include "agent/agent.h"
#include "agent/facts.h"
#include "agent/links.h"
#include "agent/names.h"
#include "agent/papers.h"
#include "agent/retire.h"
#include "agent/start.h"
#include "agent/tally.h"
#include "agent/tell.h"
#include "base/time.h"
#include "output/iof.h"

#include <string.h>

void mend_far_ready(struct mend_ranks *ranks, const struct mend_tell *tell)
{
    struct mend_node_of_job me = {.door = ranks->shm->door};

    memcpy(me.host, ranks->shm->host, sizeof(me.host));
    mend_post(&tell->root,
              &(struct mend_message){.kind = MEND_UP_READY,
                                     .rank = -1,
                                     .arg = {(int64_t)(mend_time_monotonic_ns() - tell->start_ns),
                                             (int64_t)tell->start_ns},
                                     .data = (const char *)&me,
                                     .len = sizeof(me)});
}

static void on_nodes(struct agent *agent, const struct mend_message *m)
{
    if (m->len != agent->ranks.nodes.n * sizeof(struct mend_node_of_job))
        return;
    memcpy(mend_node_of_job(agent->ranks.shm, 0), m->data, m->len);
    mend_facts_join(agent->facts);
    mend_agent_start(agent);
}

static void on_presence(struct agent *agent, const struct mend_message *m)
{
    if (m->rank < 0 || m->rank >= agent->ranks.n || !agent->ranks.rank[m->rank].far)
        return;
    mend_rank_hear(&agent->ranks, m->rank, (enum mend_presence)m->arg[0]);
    if (!agent->ranks.rank[m->rank].guest_of)
        mend_links_presence(agent->links, m->rank);
}

/* What processes of this node have said of themselves, and nobody has been told yet, comes before the answer (src/proc/news.h). */
static void tell_presence(struct agent *agent)
{
    struct mend_ranks *ranks = &agent->ranks;

    for (int i = 0; i < ranks->n; i++) {
        struct rank *r = &ranks->rank[i];
        enum mend_presence presence = mend_rank_presence(ranks, i);

        if (mend_rank_is_ours(r) && presence != r->told)
            mend_facts_presence(agent->facts, r, presence);
    }
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
        mend_retire_mind_left(&agent->verdicts, agent->facts);
        break;
    case MEND_DOWN_LOG:
        mend_facts_hear(agent->facts, (int32_t)m->arg[0], m->data, m->len);
        break;
    case MEND_DOWN_SEARCH:
        tell_presence(agent);
        mend_papers_hear(agent->papers, m);
        break;
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
    case MEND_DOWN_NAME:
    case MEND_DOWN_PORT:
        mend_names_hear(agent->names, m);
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
