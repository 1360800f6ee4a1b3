/* SPDX-License-Identifier: BSD-3-Clause */
/* lease_sm.c – the rules of leases; see lease_sm.h. */
#include "ft/lease_sm.h"

#include <string.h>

#define LEASE_MAX_NS UINT64_C(1000000000000) /* the arithmetic has room for more */

static mend_time_ns earlier(mend_time_ns a, mend_time_ns b)
{
    return a < b ? a : b;
}

static mend_time_ns later(mend_time_ns a, mend_time_ns b)
{
    return a > b ? a : b;
}

/* ---- the child's end ---- */

static uint32_t beats_of_a_lease(const struct mend_lease_config *config)
{
    return (uint32_t)(config->lease_ns / config->beat_ns) + 2;
}

size_t mend_lease_size(const struct mend_lease_config *config)
{
    return sizeof(struct mend_lease) + beats_of_a_lease(config) * sizeof(mend_time_ns);
}

void mend_lease_init(struct mend_lease *x, const struct mend_lease_config *config, int32_t node,
                     uint32_t incarnation, int32_t parent, mend_time_ns now)
{
    MEND_ASSERT(config->beat_ns > 0 && config->lease_ns <= LEASE_MAX_NS && config->start_ns > 0 &&
                config->fence_ns < config->lease_ns && config->silence_ns <= config->lease_ns &&
                config->drift_ppm < 1000000);
    memset(x, 0, mend_lease_size(config));
    x->config = *config;
    x->node = node;
    x->turn = (struct mend_lease_turn){incarnation, 1};
    x->parent = parent;
    x->sent_n = beats_of_a_lease(config);
    x->now = x->began = now;
}

/* The only writer of a state; refuses what the picture does not have. */
static void become(struct mend_lease *x, enum mend_lease_state to)
{
    MEND_ASSERT(x->state != MEND_LEASE_OVER && to > x->state);
    x->state = (uint8_t)to;
}

static mend_time_ns fence(const struct mend_lease *x)
{
    return x->until - x->config.fence_ns;
}

/* When all is to end, as things are. */
static mend_time_ns limit(const struct mend_lease *x)
{
    return x->state == MEND_LEASE_NONE ? x->began + x->config.start_ns : fence(x);
}

/* When another parent is to be looked for: a lease that is well renewed has more left than that, and each connection gets
 * some time. */
static mend_time_ns seek_at(const struct mend_lease *x)
{
    const struct mend_lease_config *c = &x->config;

    if (!x->linked)
        return x->now;
    if (x->state == MEND_LEASE_NONE)
        return x->linked_at + c->silence_ns;
    return later(x->until - (c->lease_ns - c->silence_ns), x->linked_at + c->try_ns);
}

static bool is_mine(const struct mend_lease *x, const struct mend_lease_msg *m)
{
    return m->node == x->node && m->turn.incarnation == x->turn.incarnation &&
           m->turn.turn <= x->turn.turn && m->number > 0 && m->number <= x->number;
}

/* Counted from the sending of that beat; an answer that is too late, or to a beat of long ago, changes nothing. */
static void on_grant(struct mend_lease *x, const struct mend_lease_msg *m)
{
    mend_time_ns end;

    if (x->number - m->number >= x->sent_n)
        return;
    end = x->sent[m->number % x->sent_n] + earlier(m->d_ns, x->config.lease_ns);
    if (end <= x->until || end - x->now <= x->config.fence_ns || end <= x->now)
        return;
    x->until = end;
    if (x->state == MEND_LEASE_NONE)
        become(x, MEND_LEASE_HELD);
}

static void on_heard(struct mend_lease *x, const struct mend_lease_msg *m)
{
    if (!is_mine(x, m))
        return;
    if (m->word == MEND_LEASE_GRANT) {
        x->heard = m->number > x->heard ? m->number : x->heard;
        on_grant(x, m);
    }
    if (m->word == MEND_LEASE_REFUSE)
        become(x, MEND_LEASE_OVER);
}

/* The first beat is sent at once. */
static void on_linked(struct mend_lease *x, int32_t parent)
{
    x->turn.turn += parent != x->parent;
    x->parent = parent;
    x->linked = true;
    x->linked_at = x->beat_at = x->now;
}

static void beat(struct mend_lease *x, struct mend_lease_out *out)
{
    x->number++;
    x->sent[x->number % x->sent_n] = x->now;
    x->beat_at = x->now + x->config.beat_ns;
    out->beat = true;
    out->msg = (struct mend_lease_msg){.word = MEND_LEASE_BEAT,
                                       .node = x->node,
                                       .turn = x->turn,
                                       .number = x->number,
                                       .heard = x->heard};
}

static void take(struct mend_lease *x, const struct mend_lease_event *ev)
{
    switch (ev->kind) {
    case MEND_LEASE_EV_TICK:
        break;
    case MEND_LEASE_EV_LINKED:
        on_linked(x, ev->parent);
        break;
    case MEND_LEASE_EV_UNLINKED:
        x->linked = false;
        break;
    case MEND_LEASE_EV_HEARD:
        on_heard(x, ev->msg);
        break;
    }
}

void mend_lease_step(struct mend_lease *x, const struct mend_lease_event *ev,
                     struct mend_lease_out *out_p)
{
    *out_p = (struct mend_lease_out){.wake_at = MEND_TIME_NEVER};
    MEND_ASSERT(ev->now >= x->now);
    x->now = ev->now;
    if (x->state != MEND_LEASE_OVER && x->now >= limit(x))
        become(x, MEND_LEASE_OVER);
    if (x->state != MEND_LEASE_OVER)
        take(x, ev);
    out_p->fence = x->until ? fence(x) : 0;
    out_p->over = x->state == MEND_LEASE_OVER;
    if (out_p->over)
        return;
    if (x->linked && x->now >= x->beat_at)
        beat(x, out_p);
    out_p->seek = x->now >= seek_at(x);
    out_p->wake_at = earlier(limit(x), out_p->seek ? MEND_TIME_NEVER : seek_at(x));
    if (x->linked)
        out_p->wake_at = earlier(out_p->wake_at, x->beat_at);
}

mend_time_ns mend_lease_left(const struct mend_lease *x, mend_time_ns now)
{
    return x->state == MEND_LEASE_HELD && now < x->until ? x->until - now : 0;
}

void mend_lease_check(const struct mend_lease *x)
{
    const struct mend_lease_config *c = &x->config;
    mend_time_ns last = x->number ? x->sent[x->number % x->sent_n] : 0;

    MEND_ASSERT(x->state <= MEND_LEASE_OVER && x->turn.turn > 0);
    MEND_ASSERT(x->until <= last + c->lease_ns);
    MEND_ASSERT((x->until > 0) >= (x->state == MEND_LEASE_HELD));
    MEND_ASSERT(x->state != MEND_LEASE_NONE || x->until == 0);
    MEND_ASSERT(last <= x->now && x->linked_at <= x->now);
}

/* ---- the parent's end ---- */

/* Whether the first is of a later life, or a later one of the same. */
static bool is_later(struct mend_lease_turn a, struct mend_lease_turn b)
{
    return a.incarnation > b.incarnation || (a.incarnation == b.incarnation && a.turn > b.turn);
}

static bool is_same(struct mend_lease_turn a, struct mend_lease_turn b)
{
    return a.incarnation == b.incarnation && a.turn == b.turn;
}

void mend_lease_child_init(struct mend_lease_child *x, const struct mend_lease_config *config,
                           int32_t node, uint32_t incarnation, bool expected, mend_time_ns now)
{
    *x = (struct mend_lease_child){.lease_ns = config->lease_ns,
                                   .drift_ppm = config->drift_ppm,
                                   .slack_ns = config->slack_ns,
                                   .node = node,
                                   .turn = {incarnation, expected},
                                   .state = expected ? MEND_LEASE_CHILD_EXPECTED
                                                     : MEND_LEASE_CHILD_ABSENT,
                                   .now = now};
}

static void child_become(struct mend_lease_child *x, enum mend_lease_child_state to)
{
    enum {
        A = 1 << MEND_LEASE_CHILD_ABSENT,
        E = 1 << MEND_LEASE_CHILD_EXPECTED,
        H = 1 << MEND_LEASE_CHILD_HELD,
        R = 1 << MEND_LEASE_CHILD_REPORTED,
        D = 1 << MEND_LEASE_CHILD_DECLARED
    };
    static const uint8_t from[] = {
        [MEND_LEASE_CHILD_HELD] = A | E | H | R | D, /* D: a new incarnation */
        [MEND_LEASE_CHILD_REPORTED] = H,
        [MEND_LEASE_CHILD_DECLARED] = A | E | H | R | D,
    };

    MEND_ASSERT(from[to] >> x->state & 1);
    x->state = (uint8_t)to;
}

static void say(struct mend_lease_child *x, enum mend_lease_word word, struct mend_lease_turn turn,
                uint64_t number, struct mend_lease_child_out *out)
{
    out->say = true;
    out->msg = (struct mend_lease_msg){
        .word = (uint8_t)word, .node = x->node, .turn = turn, .number = number};
}

/* How long a lease may be of which the child may hear nothing. */
static mend_time_ns unheard(const struct mend_lease_child *x)
{
    mend_time_ns end = x->heard_at + x->lease_ns + x->slack_ns;

    return end > x->now ? end - x->now : 0;
}

/* Grants what can be granted; without a lease of its own a parent says nothing. */
static void answer(struct mend_lease_child *x, uint64_t number, mend_time_ns left,
                   struct mend_lease_child_out *out)
{
    mend_time_ns d = earlier(earlier(x->lease_ns, left), unheard(x));

    if (d == 0)
        return;
    if (x->state == MEND_LEASE_CHILD_EXPECTED)
        child_become(x, MEND_LEASE_CHILD_HELD);
    x->lost_at = later(x->lost_at, x->now + mend_lease_stretch(d, x->drift_ppm));
    say(x, MEND_LEASE_GRANT, x->turn, number, out);
    out->msg.d_ns = d;
}

static void ask(struct mend_lease_child *x, const struct mend_lease_msg *m,
                struct mend_lease_child_out *out)
{
    x->asked = out->ask = m->turn;
    x->asked_at = x->now;
    x->number = m->number;
    x->heard = m->heard;
}

/* The first beat shows nothing, and is answered all the same. */
static void hear(struct mend_lease_child *x, const struct mend_lease_msg *m)
{
    if (m->heard <= x->heard && x->state != MEND_LEASE_CHILD_EXPECTED)
        return;
    x->heard = m->heard;
    x->heard_at = x->now;
}

static bool is_refused(const struct mend_lease_child *x, struct mend_lease_turn turn)
{
    return turn.incarnation < x->turn.incarnation ||
           (turn.incarnation == x->turn.incarnation && x->state == MEND_LEASE_CHILD_DECLARED);
}

static void on_beat(struct mend_lease_child *x, const struct mend_lease_child_event *ev,
                    struct mend_lease_child_out *out)
{
    const struct mend_lease_msg *m = ev->msg;

    if (m->word != MEND_LEASE_BEAT || m->node != x->node)
        return;
    if (is_refused(x, m->turn)) {
        say(x, MEND_LEASE_REFUSE, m->turn, m->number, out);
    } else if (is_same(m->turn, x->turn)) {
        hear(x, m);
        if (x->state != MEND_LEASE_CHILD_REPORTED)
            answer(x, m->number, ev->left, out);
    } else if (is_same(m->turn, x->asked)) {
        x->number = later(x->number, m->number);
    } else if (is_later(m->turn, x->turn) && is_later(m->turn, x->asked)) {
        ask(x, m, out);
    }
}

/* It may have a lease of its former parent, by a beat from before it turned here. */
static void on_adopted(struct mend_lease_child *x, const struct mend_lease_child_event *ev,
                       struct mend_lease_child_out *out)
{
    if (!x->asked.turn || !is_same(ev->turn, x->asked))
        return;
    x->turn = x->asked;
    x->asked = (struct mend_lease_turn){0};
    child_become(x, MEND_LEASE_CHILD_HELD);
    x->heard_at = x->now;
    x->lost_at = later(x->lost_at, x->asked_at + mend_lease_stretch(x->lease_ns, x->drift_ppm));
    answer(x, x->number, ev->left, out);
}

static void on_declared(struct mend_lease_child *x, uint32_t incarnation)
{
    if (incarnation < x->turn.incarnation)
        return;
    child_become(x, MEND_LEASE_CHILD_DECLARED);
    x->turn.incarnation = incarnation;
    x->lost_at = 0;
    if (x->asked.incarnation <= incarnation)
        x->asked = (struct mend_lease_turn){0};
}

/* That process may have granted as much as this one could. */
static void on_resumed(struct mend_lease_child *x)
{
    if (x->state == MEND_LEASE_CHILD_HELD)
        x->lost_at = later(x->lost_at, x->now + mend_lease_stretch(x->lease_ns, x->drift_ppm));
}

static void look_at_time(struct mend_lease_child *x, struct mend_lease_child_out *out)
{
    if (x->state != MEND_LEASE_CHILD_HELD || x->now < x->lost_at)
        return;
    child_become(x, MEND_LEASE_CHILD_REPORTED);
    out->lost = x->turn;
}

void mend_lease_child_step(struct mend_lease_child *x, const struct mend_lease_child_event *ev,
                           struct mend_lease_child_out *out_p)
{
    *out_p = (struct mend_lease_child_out){0};
    MEND_ASSERT(ev->now >= x->now);
    x->now = ev->now;
    if (ev->kind == MEND_LEASE_CHILD_EV_RESUMED)
        on_resumed(x);
    look_at_time(x, out_p);
    switch (ev->kind) {
    case MEND_LEASE_CHILD_EV_TICK:
    case MEND_LEASE_CHILD_EV_RESUMED:
        break;
    case MEND_LEASE_CHILD_EV_BEAT:
        on_beat(x, ev, out_p);
        break;
    case MEND_LEASE_CHILD_EV_ADOPTED:
        on_adopted(x, ev, out_p);
        break;
    case MEND_LEASE_CHILD_EV_DECLARED:
        on_declared(x, ev->turn.incarnation);
        break;
    }
    out_p->wake_at = x->state == MEND_LEASE_CHILD_HELD ? x->lost_at : MEND_TIME_NEVER;
}

void mend_lease_child_check(const struct mend_lease_child *x)
{
    MEND_ASSERT(x->state <= MEND_LEASE_CHILD_DECLARED);
    MEND_ASSERT((x->lost_at > 0) ==
                (x->state == MEND_LEASE_CHILD_HELD || x->state == MEND_LEASE_CHILD_REPORTED));
    MEND_ASSERT(!x->asked.turn || is_later(x->asked, x->turn));
}
