/* SPDX-License-Identifier: BSD-3-Clause */
/* apart.c – see apart.h.
 *
 * The agent reads the same command line as the root, so what the root has to tell it is its number only.  If the
 * connection ends the root is gone, and every process of the node is killed. */
#include "agent/apart.h"

#include "agent/agent.h"
#include "agent/far.h"
#include "output/iof.h"
#include "share/wire.h"

#include <poll.h>
#include <string.h>

#define TURN_MS 20 /* between two looks whether all output has left */

struct apart {
    struct agent agent;
    struct mend_loop loop;
    struct mend_wire wire;
    struct mend_post own; /* the agent's */
    uint32_t member;      /* of the loop */
    bool begun, over;     /* over: before it begins */
};

static void hear_begin(void *to, const struct mend_message *m)
{
    struct apart *a = to;

    a->over |= m->kind == MEND_DOWN_END;
    if (m->kind != MEND_DOWN_BEGIN || m->len != sizeof(a->agent.ranks.nodes.key))
        return;
    a->agent.ranks.nodes.me = (uint32_t)m->arg[0];
    a->agent.ranks.nodes.n = (uint32_t)m->arg[1];
    a->agent.ranks.nodes.job = (uint64_t)m->arg[2];
    memcpy(a->agent.ranks.nodes.key, m->data, m->len);
    a->begun = true;
}

/* The root says it at once, or is gone.  What it says behind that may have come with it: that another agent was lost meanwhile, so the
 * job does not begin. */
static bool await_begin(struct apart *a)
{
    const struct mend_post post = {hear_begin, a};
    struct pollfd p = {.fd = a->wire.fd, .events = POLLIN};

    while (!a->begun && poll(&p, 1, -1) > 0)
        if (!mend_wire_read(&a->wire, &post))
            return false;
    return a->begun && !a->over;
}

static void on_event(void *self, uint32_t from, uint32_t of)
{
    struct apart *a = self;

    (void)from, (void)of;
    if (mend_wire_read(&a->wire, &a->own))
        return;
    mend_loop_drop(&a->loop, a->wire.fd);
    mend_post(&a->own, &(struct mend_message){.kind = MEND_DOWN_KILL, .rank = -1});
    mend_post(&a->own, &(struct mend_message){.kind = MEND_DOWN_END, .rank = -1});
}

static mend_time_ns look(void *self, mend_time_ns now)
{
    struct apart *a = self;

    (void)now;
    mend_wire_flush(&a->wire);
    return MEND_TIME_NEVER;
}

static bool is_done(void *self)
{
    (void)self;
    return true;
}

/* The root takes the rest of the output, or is gone. */
static void await_written(struct apart *a)
{
    struct pollfd p = {.fd = a->wire.fd, .events = POLLIN};

    while (!mend_iof_is_empty(a->agent.tell.iof)) {
        mend_wire_flush(&a->wire);
        if (poll(&p, 1, TURN_MS) > 0 && !mend_wire_read(&a->wire, &a->own))
            return;
    }
}

int mend_agent_apart(struct mend_options *o)
{
    struct apart *a = mend_xalloc(1, sizeof(*a));

    mend_process_prepare(&a->agent.before);
    mend_wire_open(&a->wire, o->agent_fd);
    if (!mend_loop_open(&a->loop) || !await_begin(a))
        return 1;
    a->own = mend_agent_post(&a->agent);
    a->agent.tell.root = mend_wire_post(&a->wire);
    mend_agent_join(&a->agent, &a->loop);
    a->member = mend_loop_join(
        &a->loop,
        (struct mend_loop_member){.self = a, .event = on_event, .look = look, .is_done = is_done});
    mend_agent_open(&a->agent, o);
    a->agent.tell.iof = mend_iof_create(o, (int)MEND_NODE_NAMES);
    if (a->agent.tell.iof)
        mend_iof_relay(a->agent.tell.iof, &a->agent.tell.root);
    if (!a->agent.tell.iof || !mend_wire_listen(&a->wire, &a->loop, a->member, 0, 0))
        return 1;
    mend_far_ready(&a->agent.ranks, &a->agent.tell);
    mend_loop_run(&a->loop);
    mend_agent_close(&a->agent);
    mend_process_restore(&a->agent.before);
    await_written(a);
    return mend_iof_finish(a->agent.tell.iof) ? 0 : 1;
}
