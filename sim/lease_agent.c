/* SPDX-License-Identifier: BSD-3-Clause */
/* lease_agent.c – the driver of leases in the simulator, and its known mistakes; see lease.h. */
#include "lease.h"

#include "ft/lease_wire.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct mend_sim_lease_world world;

void mend_sim_lease_begin(world *w, int32_t agent, uint32_t incarnation)
{
    int32_t parent = mend_lineage_parent(w->radix, agent);
    struct mend_sim_lease_state *s = w->state(w, agent);

    *s = (struct mend_sim_lease_state){.wake_at = MEND_TIME_NEVER, .seek = agent > 0};
    mend_lineage_begin(&s->search, w->radix, agent, parent);
    if (agent)
        mend_lease_init(w->machine(w, agent), &w->lease, agent, incarnation, parent,
                        w->clock(w, agent));
    else
        mend_lineage_init(w->lineage(w), &w->lease, w->conf->ranks, w->radix, w->clock(w, 0));
}

void mend_sim_lease_enter(world *w, int32_t agent, int32_t node, uint32_t incarnation)
{
    mend_lease_child_init(w->child(w, agent, node), &w->lease, node, incarnation,
                          incarnation > 1 || mend_lineage_parent(w->radix, node) == agent,
                          w->clock(w, agent));
}

/* Of a layout that lacks something. */
static void spoil_layout(const world *w, struct mend_lease_msg *m)
{
    bool beat = m->word == MEND_LEASE_BEAT;

    if (w->conf->broken == MEND_SIM_MIX)
        m->number = 1 + m->number % 31;
    if (w->conf->broken == MEND_SIM_PHANTOM && beat)
        m->heard = m->number - 1;
    if (w->conf->broken == MEND_SIM_OMIT && beat)
        m->heard = 0;
    if (w->conf->broken == MEND_SIM_INVENT && !beat)
        m->d_ns += w->lease.lease_ns / 3;
    if (w->conf->broken == MEND_SIM_CHANGE)
        m->turn.turn = 1;
    if (w->conf->broken == MEND_SIM_DETOUR)
        m->turn.incarnation = 1;
}

/* As it arrives at the other end. */
static struct mend_lease_msg through_the_wire(world *w, const struct mend_lease_msg *m)
{
    uint8_t bytes[MEND_LEASE_WIRE_BYTES];
    struct mend_lease_msg there;

    mend_lease_wire_encode(m, bytes);
    MEND_ASSERT(mend_lease_wire_decode(bytes, w->conf->ranks, &there) == MEND_OK);
    spoil_layout(w, &there);
    return there;
}

static void trace(world *w, int32_t agent, const struct mend_lease_msg *m)
{
    char text[200];

    if (!w->conf->trace)
        return;
    mend_lease_msg_print(m, text, sizeof(text));
    printf("          %d reads %s\n", (int)agent, text);
}

/* ---- the child's end ---- */

static void step(world *w, int32_t agent, struct mend_lease_event ev)
{
    struct mend_sim_lease_state *s = w->state(w, agent);
    struct mend_lease_out out;

    ev.now = w->clock(w, agent);
    mend_lease_step(w->machine(w, agent), &ev, &out);
    mend_lease_check(w->machine(w, agent));
    s->fence = out.fence;
    s->seek = out.seek;
    s->wake_at = out.wake_at;
    if (out.over) {
        w->over(w, agent);
        return;
    }
    w->watch(w, agent, out.wake_at);
    if (out.beat) {
        struct mend_lease_msg m = through_the_wire(w, &out.msg);

        w->beat(w, agent, &m);
    }
}

void mend_sim_lease_tick(world *w, int32_t agent)
{
    step(w, agent, (struct mend_lease_event){.kind = MEND_LEASE_EV_TICK});
}

void mend_sim_lease_linked(world *w, int32_t agent, int32_t parent)
{
    if (w->conf->broken == MEND_SIM_FORGET && parent == mend_lineage_parent(w->radix, agent)) {
        w->machine(w, agent)->parent = parent;
        w->machine(w, agent)->turn.turn = 1;
    }
    step(w, agent, (struct mend_lease_event){.kind = MEND_LEASE_EV_LINKED, .parent = parent});
}

void mend_sim_lease_unlinked(world *w, int32_t agent)
{
    step(w, agent, (struct mend_lease_event){.kind = MEND_LEASE_EV_UNLINKED});
}

void mend_sim_lease_heard(world *w, int32_t agent, struct mend_lease_msg m)
{
    struct mend_lease *x = w->machine(w, agent);

    trace(w, agent, &m);
    if (w->conf->broken == MEND_SIM_LATE_LOOK)
        x->sent[m.number % x->sent_n] = w->clock(w, agent);
    if (w->conf->broken == MEND_SIM_STALE)
        m.turn.incarnation = x->turn.incarnation;
    if (m.word == MEND_LEASE_REFUSE && m.turn.incarnation == x->turn.incarnation)
        w->state(w, agent)->refused = true;
    if (m.word == MEND_LEASE_GRANT)
        mend_lineage_begin(&w->state(w, agent)->search, w->radix, agent, x->parent);
    step(w, agent, (struct mend_lease_event){.kind = MEND_LEASE_EV_HEARD, .msg = &m});
}

/* ---- the parent's end ---- */

/* Of the step that has just granted d. */
static void spoil_deadline(world *w, struct mend_lease_child *c, mend_time_ns d)
{
    bool counts = c->lost_at == c->now + mend_lease_stretch(d, w->lease.drift_ppm);

    if (counts && w->conf->broken == MEND_SIM_IMPATIENT)
        c->lost_at = c->now + d;
    if (counts && w->conf->broken == MEND_SIM_NARROW)
        c->lost_at = c->now + d + 2 * d * w->lease.drift_ppm / 1000000;
    if (w->conf->broken == MEND_SIM_HASTY)
        c->lost_at -= w->lease.lease_ns; /* the time was read long before the beat */
    if (w->conf->broken == MEND_SIM_CURT)
        c->lost_at = c->now + mend_lease_stretch(d, w->lease.drift_ppm);
}

static void report(world *w, int32_t agent, enum mend_sim_lease_what what, int32_t node,
                   struct mend_lease_turn turn)
{
    w->tell_root(w, agent, (struct mend_sim_lease_word){(uint8_t)what, node, turn});
}

static void step_child(world *w, int32_t agent, int32_t node, struct mend_lease_child_event ev)
{
    struct mend_lease_child *c = w->child(w, agent, node);
    struct mend_lease_child_out out;

    ev.now = w->clock(w, agent);
    ev.left = agent ? mend_lease_left(w->machine(w, agent), w->clock(w, agent)) : MEND_TIME_NEVER;
    if (w->conf->broken == MEND_SIM_BOAST)
        ev.left = MEND_TIME_NEVER;
    mend_lease_child_step(c, &ev, &out);
    mend_lease_child_check(c);
    if (out.lost.turn)
        report(w, agent, MEND_SIM_LEASE_LOST, node, out.lost);
    if (out.ask.turn)
        report(w, agent, MEND_SIM_LEASE_ASK, node, out.ask);
    if (out.ask.turn && w->conf->broken == MEND_SIM_RASH)
        step_child(
            w, agent, node,
            (struct mend_lease_child_event){.kind = MEND_LEASE_CHILD_EV_ADOPTED, .turn = out.ask});
    if (out.say) {
        struct mend_lease_msg m = through_the_wire(w, &out.msg);

        if (m.word == MEND_LEASE_GRANT)
            spoil_deadline(w, c, m.d_ns);
        w->answer(w, agent, node, &m);
    }
    w->watch(w, agent, c->state == MEND_LEASE_CHILD_HELD ? c->lost_at : MEND_TIME_NEVER);
}

void mend_sim_lease_tick_child(world *w, int32_t agent, int32_t node)
{
    step_child(w, agent, node, (struct mend_lease_child_event){.kind = MEND_LEASE_CHILD_EV_TICK});
}

void mend_sim_lease_beaten(world *w, int32_t agent, struct mend_lease_msg m)
{
    trace(w, agent, &m);
    step_child(w, agent, m.node,
               (struct mend_lease_child_event){.kind = MEND_LEASE_CHILD_EV_BEAT, .msg = &m});
}

void mend_sim_lease_told(world *w, int32_t agent, struct mend_sim_lease_word word)
{
    struct mend_lease_child_event ev = {.turn = word.turn};

    ev.kind = word.what == MEND_SIM_LEASE_ADOPTED ? MEND_LEASE_CHILD_EV_ADOPTED
                                                  : MEND_LEASE_CHILD_EV_DECLARED;
    if (w->child(w, agent, word.node))
        step_child(w, agent, word.node, ev);
}

/* ---- the root ---- */

/* First the whole verdict, because an agent that hears of it may say something to the root. */
static void tell_all(world *w, int32_t lost_n)
{
    int32_t *lost = calloc((size_t)lost_n, sizeof(*lost));

    MEND_ASSERT(lost);
    for (int32_t i = 0; i < lost_n; i++)
        MEND_ASSERT(mend_lineage_lost(w->lineage(w), &lost[i]));
    for (int32_t i = 0; i < lost_n; i++)
        if (i == 0 || w->conf->broken != MEND_SIM_PIECEMEAL)
            w->declared(w, lost[i]);
    free(lost);
}

/* Before a step, and after it. */
static void spoil_question(const world *w, const struct mend_lineage *x,
                           struct mend_lineage_event *ev)
{
    if (w->conf->broken == MEND_SIM_SWAP && ev->kind == MEND_LINEAGE_EV_ADOPT)
        ev->turn.turn = x->node[ev->node].turn.turn + 1;
}

static void spoil_verdict(const world *w, struct mend_lineage *x,
                          const struct mend_lineage_event *ev, struct mend_lineage_out *out)
{
    if (w->conf->broken == MEND_SIM_NO_REPAIR)
        for (int32_t i = 1; i < x->n; i++)
            if (x->node[i].orphan_end)
                x->node[i].orphan_end = MEND_TIME_NEVER;
    if (out->answer == MEND_LINEAGE_ADOPTED && w->conf->broken == MEND_SIM_SHY)
        x->node[ev->node].free_at = 0;
    if (out->answer == MEND_LINEAGE_ADOPTED && w->conf->broken == MEND_SIM_SILENT)
        out->answer = MEND_LINEAGE_NO_ANSWER;
    if (out->answer == MEND_LINEAGE_ADOPTED && w->conf->broken == MEND_SIM_LIE)
        out->answer = MEND_LINEAGE_DECLARED;
}

static void step_root(world *w, struct mend_lineage_event ev)
{
    struct mend_lineage *x = w->lineage(w);
    struct mend_lineage_out out;

    ev.now = w->clock(w, 0);
    spoil_question(w, x, &ev);
    mend_lineage_step(x, &ev, &out);
    mend_lineage_check(x);
    w->watch(w, 0, out.wake_at);
    if (out.lost_n)
        tell_all(w, out.lost_n);
    spoil_verdict(w, x, &ev, &out);
    if (out.answer)
        w->tell_agent(w, ev.by,
                      (struct mend_sim_lease_word){out.answer == MEND_LINEAGE_ADOPTED
                                                       ? MEND_SIM_LEASE_ADOPTED
                                                       : MEND_SIM_LEASE_DECLARED,
                                                   ev.node, ev.turn});
}

void mend_sim_lease_tick_root(world *w)
{
    step_root(w, (struct mend_lineage_event){.kind = MEND_LINEAGE_EV_TICK});
}

void mend_sim_lease_root_told(world *w, int32_t by, struct mend_sim_lease_word word)
{
    struct mend_lineage_event ev = {.node = word.node, .by = by, .turn = word.turn};

    ev.kind = word.what == MEND_SIM_LEASE_ASK ? MEND_LINEAGE_EV_ADOPT : MEND_LINEAGE_EV_LOST;
    if (ev.kind == MEND_LINEAGE_EV_LOST && w->conf->broken == MEND_SIM_ACCUSE) {
        ev.by = w->lineage(w)->node[ev.node].parent;
        ev.turn = w->lineage(w)->node[ev.node].turn;
    }
    step_root(w, ev);
}

void mend_sim_lease_gone(world *w, int32_t node, uint32_t incarnation)
{
    const struct mend_lineage_node *q = &w->lineage(w)->node[node];
    struct mend_lineage_event ev = {
        .kind = MEND_LINEAGE_EV_GONE, .node = node, .turn = {.incarnation = incarnation}};

    if (w->conf->broken == MEND_SIM_SLIP) {
        ev.kind = MEND_LINEAGE_EV_LOST;
        ev.by = q->parent;
        ev.turn = q->turn;
    }
    step_root(w, ev);
}

void mend_sim_lease_start_again(world *w, int32_t node, int32_t by)
{
    uint32_t incarnation = w->lineage(w)->node[node].turn.incarnation + 1;

    step_root(w, (struct mend_lineage_event){.kind = MEND_LINEAGE_EV_STARTED,
                                             .node = node,
                                             .by = by,
                                             .turn = {.incarnation = incarnation}});
    mend_sim_lease_begin(w, node, incarnation - (w->conf->broken == MEND_SIM_RUSH));
    mend_lineage_begin(&w->state(w, node)->search, w->radix, node, by);
    w->machine(w, node)->parent = by;
    mend_sim_lease_enter(w, by, node, incarnation);
}
