/* SPDX-License-Identifier: BSD-3-Clause */
/* relay.c – see relay.h.
 *
 *   child  ── greeting ──> relay ── CHILD_CALLS ──> root
 *   child  <── answer ──── relay <── CHILD_CALLED ─ root
 *   child  <── bytes ────> relay <── CHILD ───────> root         of the stream of messages between the two (share/wire.h)
 *
 * The relay looks at no byte of it.  A child's stream, like this agent's own, outlives connections: if this agent is lost, the child calls
 * another, and nothing is missing.  Each call has a number, so what is said of an old connection changes no new one.
 *
 * Nothing is held back: what the root and an agent send each other is bounded by what they have said to have taken. */
#include "agent/relay.h"

#include "command/options.h"
#include "start/brood.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define AT_A_TIME 65536u

/* A connection of an agent below. */
struct call {
    struct mend_list link;
    int fd, node;
    uint64_t number;
    bool counts; /* the root has said so */
    struct mend_greeting greeting;
    unsigned char *out; /* for it, as there was no room */
    size_t out_n;
};

static struct call *call_of(struct mend_relay *r, uint64_t number)
{
    mend_list_foreach (l, next, &r->calls)
        if (mend_list_entry(l, struct call, link)->number == number)
            return mend_list_entry(l, struct call, link);
    return NULL;
}

static void tell(const struct mend_relay *r, enum mend_message_kind kind, const struct call *c,
                 const void *data, size_t len)
{
    mend_post(r->root, &(struct mend_message){.kind = kind,
                                              .rank = -1,
                                              .arg = {c->node, (int64_t)c->number},
                                              .data = data,
                                              .len = (uint32_t)len});
}

static void hang_up(struct mend_relay *r, struct call *c)
{
    if (c->counts)
        mend_loop_drop(r->loop, c->fd);
    close(c->fd);
    mend_list_remove(&c->link);
    free(c->out);
    free(c);
}

/* The number of a call may be longer than what an event carries; so many calls are not open at a time. */
static void wait_for(struct mend_relay *r, const struct call *c)
{
    mend_loop_set(r->loop, r->member, c->fd, 0, (uint32_t)c->number, true, c->out_n > 0);
}

void mend_relay_take(void *self, int fd, const struct mend_greeting *g)
{
    struct mend_relay *r = self;
    struct call *c;

    if (g->kind == MEND_GREETING_GONE) {
        mend_post(r->root,
                  &(struct mend_message){.kind = MEND_UP_CHILD_GONE, .rank = -1, .arg = {g->from}});
        close(fd);
        return;
    }
    c = mend_xalloc(1, sizeof(*c));
    *c = (struct call){.fd = fd, .node = g->from, .number = ++r->calls_n, .greeting = *g};
    mend_list_append(&r->calls, &c->link);
    mend_post(r->root,
              &(struct mend_message){.kind = MEND_UP_CHILD_CALLS,
                                     .rank = -1,
                                     .arg = {g->from, (int64_t)c->number, (int64_t)g->received}});
}

bool mend_relay_has_child(const void *self, pid_t pid)
{
    const struct mend_relay *r = self;

    return mend_brood_has_child(r->brood, pid);
}

/* ---- what the root says ---- */

/* For it, and in its name: it was told what the caller's proof is worth. */
static bool answer(const struct mend_relay *r, const struct call *c, uint64_t taken)
{
    struct mend_greeting a = c->greeting;

    a.kind = MEND_GREETING_ANSWER;
    a.from = c->greeting.to;
    a.to = c->greeting.from;
    a.received = taken;
    mend_greeting_sign(&a, r->key);
    return send(c->fd, &a, sizeof(a), MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(a);
}

static void hang_up_all(struct mend_relay *r, int node, const struct call *but)
{
    mend_list_foreach (l, next, &r->calls) {
        struct call *c = mend_list_entry(l, struct call, link);

        if (c != but && c->node == node && (c->counts || !but))
            hang_up(r, c);
    }
}

void mend_relay_forget(struct mend_relay *r, int node)
{
    hang_up_all(r, node, NULL);
}

static void on_called(struct mend_relay *r, struct call *c, const struct mend_message *m)
{
    if (!m->arg[2] || !answer(r, c, (uint64_t)m->arg[3])) {
        if (m->arg[2])
            tell(r, MEND_UP_CHILD_ENDS, c, NULL, 0);
        hang_up(r, c);
        return;
    }
    c->counts = true;
    hang_up_all(r, c->node, c);
    mend_brood_called(r->brood, c->node);
    wait_for(r, c);
}

/* As much as there is room for.  The end of the connection is found by the next read. */
static size_t write_some(const struct call *c, const void *bytes, size_t n)
{
    ssize_t done;

    do
        done = send(c->fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (done < 0 && errno == EINTR);
    return done > 0 ? (size_t)done : 0;
}

static void on_bytes(struct mend_relay *r, struct call *c, const struct mend_message *m)
{
    size_t done = c->out_n ? 0 : write_some(c, m->data, m->len), left = m->len - done;
    unsigned char *out = left ? realloc(c->out, c->out_n + left) : c->out;

    if (left && !out) { /* it calls again, and has not taken them */
        tell(r, MEND_UP_CHILD_ENDS, c, NULL, 0);
        hang_up(r, c);
        return;
    }
    c->out = out;
    if (left)
        memcpy(c->out + c->out_n, m->data + done, left);
    c->out_n += left;
    if (left)
        wait_for(r, c);
}

static void flush(struct mend_relay *r, struct call *c)
{
    size_t done = write_some(c, c->out, c->out_n);

    c->out_n -= done;
    memmove(c->out, c->out + done, c->out_n);
    if (!c->out_n)
        wait_for(r, c);
}

void mend_relay_hear(struct mend_relay *r, const struct mend_message *m)
{
    struct call *c = call_of(r, (uint64_t)m->arg[1]);

    if (!c)
        return; /* it has ended */
    if (m->kind == MEND_DOWN_CHILD_CALLED)
        on_called(r, c, m);
    else if (m->kind == MEND_DOWN_CHILD)
        on_bytes(r, c, m);
    else
        hang_up(r, c);
}

/* ---- what they say ---- */

static struct call *call_at(struct mend_relay *r, uint32_t of)
{
    mend_list_foreach (l, next, &r->calls)
        if ((uint32_t)mend_list_entry(l, struct call, link)->number == of)
            return mend_list_entry(l, struct call, link);
    return NULL;
}

static void on_event(void *self, uint32_t from, uint32_t of)
{
    struct mend_relay *r = self;
    struct call *c = call_at(r, of);
    char bytes[AT_A_TIME];
    ssize_t n;

    (void)from;
    if (!c)
        return;
    if (c->out_n)
        flush(r, c);
    n = recv(c->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    if (n > 0) {
        tell(r, MEND_UP_CHILD, c, bytes, (size_t)n);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        tell(r, MEND_UP_CHILD_ENDS, c, NULL, 0);
        mend_brood_await_excuse(r->brood, c->node);
        hang_up(r, c);
    }
}

static mend_time_ns look(void *self, mend_time_ns now)
{
    (void)self;
    (void)now;
    return MEND_TIME_NEVER;
}

static bool is_done(void *self)
{
    struct mend_relay *r = self;

    mend_list_foreach (l, next, &r->calls)
        if (mend_list_entry(l, struct call, link)->counts)
            return false;
    return true;
}

void mend_relay_join(struct mend_relay *r, struct mend_loop *l, const struct mend_post *root,
                     const unsigned char *key, struct mend_brood *brood)
{
    *r = (struct mend_relay){.loop = l, .root = root, .key = key, .brood = brood};
    mend_list_init(&r->calls);
    r->member = mend_loop_join(
        l,
        (struct mend_loop_member){.self = r, .event = on_event, .look = look, .is_done = is_done});
}
