/* SPDX-License-Identifier: BSD-3-Clause */
/* spawn.c – processes that a rank asks for while the job runs: new ones (MPI_Comm_spawn), or to replace another
 * (MPIX_Comm_refill).
 *
 *   rank ── a file (rt/spawn.h) ──> agent ── its bytes ──> root ── one act after the other ──> the agents of all nodes
 *   rank <── answer, and is woken ── agent <── answer ── root <── how each act ended ──┘
 *
 * The root chooses the nodes (root/place.c); request.c has the acts.  An answer comes in any case; that the rank that asked is dead
 * by then is for the children to find, which meet it before their MPI_Init returns (src/create/spawn.c). */
#include "agent/request.h"

#include "agent/agent.h"
#include "agent/bind.h"
#include "agent/facts.h"
#include "agent/retire.h"
#include "agent/vacancy.h"
#include "agent/start.h"
#include "agent/tell.h"
#include "agent/verdict.h"
#include "ft/starter_sm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the agent of the rank that asks ---- */

struct asked {
    struct mend_list link; /* in requests.asked */
    struct rank *r;
    int64_t number;
    int fd;
};

static void say_damaged(const struct mend_tell *tell, const struct rank *r)
{
    mend_say(tell, "mend: a damaged message from rank %d was ignored", r->index);
}

void mend_spawn_asked(struct mend_requests *requests, const struct mend_tell *tell, struct rank *r,
                      int fd)
{
    struct mend_spawn_file f;
    struct asked *a;

    if (fd < 0 || !mend_spawn_map(&f, fd, false)) {
        say_damaged(tell, r);
        if (fd >= 0)
            close(fd);
        return;
    }
    a = mend_xalloc(1, sizeof(*a));
    *a = (struct asked){.r = r, .number = ++requests->asked_n, .fd = fd};
    mend_list_append(&requests->asked, &a->link);
    mend_post(&tell->root, &(struct mend_message){.kind = MEND_UP_SPAWN,
                                                  .rank = r->index,
                                                  .arg = {a->number, f.h->parted},
                                                  .data = (const char *)f.h,
                                                  .len = (uint32_t)f.bytes});
    mend_spawn_unmap(&f);
}

/* Nothing that the rank writes says how much is written.  Behind the errors is why none was started. */
static void write_answer(const struct asked *a, const struct mend_message *m)
{
    size_t errors = (size_t)m->arg[MEND_SPAWNED_ASKED] * sizeof(int32_t), room;
    struct mend_spawn_file f;

    if (errors > m->len)
        errors = m->len;
    if (!mend_spawn_map(&f, a->fd, true))
        return;
    room = f.bytes - sizeof(*f.h);
    memcpy(mend_spawn_errors(f.h), m->data, errors < room ? errors : room);
    snprintf(f.h->why, sizeof(f.h->why), "%.*s", (int)(m->len - errors), m->data + errors);
    f.h->first = (int32_t)m->arg[MEND_SPAWNED_FIRST];
    f.h->started_n = (uint32_t)m->arg[MEND_SPAWNED_N];
    f.h->room = (uint32_t)m->arg[MEND_SPAWNED_ROOM];
    /* release: pairs with the acquire in is_answered() */
    mend_store_release(&f.h->answer, (uint32_t)m->arg[MEND_SPAWNED_ANSWER]);
    mend_spawn_unmap(&f);
}

static void answer(struct mend_requests *requests, struct mend_ranks *ranks,
                   const struct mend_message *m)
{
    mend_list_foreach (l, next, &requests->asked) {
        struct asked *a = mend_list_entry(l, struct asked, link);

        if (a->number != m->arg[MEND_SPAWNED_NUMBER])
            continue;
        write_answer(a, m);
        mend_rank_call(ranks, a->r);
        mend_list_remove(&a->link);
        close(a->fd);
        free(a);
    }
}

/* ---- every agent: the acts ---- */

/* True: places are being taken from ranks that have died or left. */
static bool make_room(struct agent *agent, bool is_short)
{
    bool hopeful = mend_retire_dead(&agent->ranks, agent->papers, agent->links, &agent->sources);

    if (is_short)
        hopeful |= mend_retire_left(&agent->verdicts, agent->facts, agent->o->ranks_n);
    return hopeful;
}

static void count(struct agent *agent, bool is_short, struct mend_message *m)
{
    m->arg[MEND_ACTED_GOOD] = make_room(agent, is_short);
    m->arg[MEND_ACTED_TAKEN] = mend_places_taken(&agent->ranks);
    m->arg[MEND_ACTED_NAMES] = agent->ranks.n;
    m->arg[MEND_ACTED_SPARES] = mend_spares_waiting(&agent->spares);
    m->arg[MEND_ACTED_PROGRESS] = (int64_t)mend_vacancy_progress(&agent->ranks);
    m->arg[MEND_ACTED_ENDING] = mend_vacancy_ending(&agent->ranks);
}

/* data: how many there are of each block, on which node each is, and then the request. */
static bool find(struct agent *agent, const struct mend_message *m)
{
    int blocks_n = (int)m->arg[MEND_ACT_BLOCKS], total_n = (int)m->arg[MEND_ACT_TOTAL];
    size_t head = ((size_t)blocks_n + (size_t)total_n) * sizeof(int32_t);
    struct spawn_request *q = NULL;

    if (blocks_n > 0 && total_n > 0 && head <= m->len)
        q = mend_request_open(&agent->ranks, m->data + head, m->len - head);
    agent->requests.request = q;
    if (!q || q->blocks_n != blocks_n)
        return false;
    q->first = (int)m->arg[MEND_ACT_FIRST];
    mend_request_divide(q, m->data, total_n);
    return mend_request_find(q);
}

/* The counter of the world's context is known where its first process is. */
static bool admit(struct agent *agent, struct mend_message *m)
{
    const struct mend_ranks *ranks = &agent->ranks;
    struct spawn_request *q = agent->requests.request;
    bool good = mend_request_admit(q, &agent->verdicts, &agent->sources, &agent->tell);

    if (good && q->blocks[0].again && ranks->nodes.n)
        mend_bind_again(&agent->ranks, agent->o, q->first, q->total_n);
    if (good && !ranks->rank[q->first].far)
        m->arg[MEND_ACTED_COUNTER] = (int64_t)mend_node_process_of(ranks->shm, q->first)->counter;
    return good;
}

/* When the user ends the job nothing begins any more. */
static bool start(struct agent *agent, const struct mend_message *m)
{
    struct spawn_request *q = agent->requests.request;

    agent->course.told_done = false;
    q->begun = true;
    mend_node_process_of(agent->ranks.shm, q->first)->counter = (uint64_t)m->arg[MEND_ACT_COUNTER];
    return !(agent->course.killing && agent->ranks.nodes.n) &&
           mend_request_start(q, &agent->start, &agent->sources);
}

/* What was never to begin, because another agent could not admit it, gives its places back. */
static void end(struct mend_requests *requests)
{
    if (!requests->request)
        return;
    if (!requests->request->begun)
        mend_request_withdraw(requests->request);
    mend_request_close(requests->request);
    requests->request = NULL;
}

static void act(struct agent *agent, const struct mend_message *m)
{
    struct mend_message done = {.kind = MEND_UP_ACTED, .rank = -1};

    done.arg[MEND_ACTED_ACT] = m->arg[MEND_ACT_ACT];
    switch ((enum mend_starter_act)m->arg[MEND_ACT_ACT]) {
    case MEND_STARTER_COUNT:
        count(agent, m->arg[MEND_ACT_SHORT], &done);
        break;
    case MEND_STARTER_FIND:
        done.arg[MEND_ACTED_GOOD] = find(agent, m);
        break;
    case MEND_STARTER_ADMIT:
        done.arg[MEND_ACTED_GOOD] = admit(agent, &done);
        break;
    case MEND_STARTER_START:
        done.arg[MEND_ACTED_GOOD] = start(agent, m);
        break;
    case MEND_STARTER_WITHDRAW:
        if (agent->requests.request)
            mend_request_withdraw(agent->requests.request);
        return;
    default:
        end(&agent->requests);
        return;
    }
    if (agent->requests.request) {
        done.data = (const char *)mend_spawn_errors(agent->requests.request->file.h);
        done.len = (uint32_t)(agent->requests.request->asked_n * sizeof(int32_t));
    }
    mend_post(&agent->tell.root, &done);
}

void mend_spawn_hear(struct agent *agent, const struct mend_message *m)
{
    switch (m->kind) {
    case MEND_DOWN_ACT:
        act(agent, m);
        break;
    case MEND_DOWN_BIRTH:
        mend_facts_name(agent->facts, (int32_t)m->arg[0], (int32_t)m->arg[1], (int32_t)m->arg[2]);
        break;
    case MEND_DOWN_SPAWNED:
        answer(&agent->requests, &agent->ranks, m);
        break;
    default:
        break;
    }
}
