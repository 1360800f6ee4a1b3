/* SPDX-License-Identifier: BSD-3-Clause */
/* leaders.c – the leaders of two groups exchange what MPI_Intercomm_create needs.
 *
 *   leader A                                    leader B
 *      ── HELLO { id proposal, group } ─────────>  │
 *      │  <───────── HELLO { id proposal, group } ──
 *      both know both groups and both proposals
 *      │                                            │
 *      ── BACK { that proposal, error } ────────> "A will not come after all"
 *
 * Between two processes, on one peer communicator with one tag, the n-th call of one matches the n-th of the
 * other.  Each call sends HELLO once, in order, and uses up one HELLO of the other; so only the number of calls by
 * which one of the two is ahead must be remembered:
 *
 *   the other is ahead   its HELLOs, until the calls here are made
 *   this one is ahead    for each of its calls that did not wait (a `missed` one): that the next HELLO belongs
 *                        to it, and goes unread
 *   they are even        nothing, however many tags there are
 *
 * A leader that cannot or will not come (its group has a dead member, a communicator was revoked) does not wait
 * (S2-9).  It refuses in its HELLO or, if it has already sent that, with BACK, which names the HELLO
 * by its proposal.  The effect of a BACK depends on the state of the other leader:
 *
 *   it has not called yet    its call finds the HELLO changed into a refusal, and fails
 *   it has used the HELLO    it calls the meeting off, so that all processes in it are refused (meet.c)
 *   its call is over         the BACK is ignored
 *
 * What ends the wait for the other leader: its HELLO; its death; any reason that would end the meeting
 * (meet.c).  So a leader whose group has no failure waits even for a leader that never calls, as in any
 * collective.
 *
 * Messages are control frames and not point-to-point messages, so that no receive of the user's on the
 * peer communicator can take one.
 *
 * Invariants:
 *   1  of one peer communicator, process and tag there are HELLOs or missed calls, not both;
 *   2  both go with the peer communicator, and none comes once that is revoked or the other is dead: every
 *      call is refused then. */
#include "create/meet.h"

#include "create/wire.h"
#include "node/abroad.h"

#include <string.h>

/* A call of the other leader that was not made here yet; or the other way round. */
struct mend_hello {
    struct mend_list link; /* in self->create->hellos, the oldest first */
    mend_ctx peer_ctx;
    mend_peer from;
    int tag;
    bool missed; /* a call of this process that does not wait for the other's HELLO */
    struct mend_create_wire w;
    int32_t names[]; /* of its group */
};

static struct mend_hello *find(struct mend_proc *self, mend_ctx peer_ctx, mend_peer from, int tag,
                               bool missed)
{
    mend_list_foreach (l, next, &self->create->hellos) {
        struct mend_hello *h = mend_list_entry(l, struct mend_hello, link);

        if (h->peer_ctx == peer_ctx && h->from == from && h->tag == tag && h->missed == missed)
            return h;
    }
    return NULL;
}

static void drop(struct mend_proc *self, struct mend_hello *h)
{
    mend_list_remove(&h->link);
    mend_free(self, h);
}

void mend_leaders_forget(struct mend_comm *peer_c)
{
    struct mend_proc *self = peer_c->self;

    mend_list_foreach (l, next, &self->create->hellos) {
        struct mend_hello *h = mend_list_entry(l, struct mend_hello, link);

        if (h->peer_ctx == peer_c->ctx)
            drop(self, h);
    }
}

/* What it said is still an answer to a call here. */
void mend_leaders_on_deaths(struct mend_proc *self, const struct mend_death *death, int n)
{
    mend_list_foreach (l, next, &self->create->hellos) {
        struct mend_hello *h = mend_list_entry(l, struct mend_hello, link);

        if (h->missed && mend_is_among(death, n, h->from))
            drop(self, h);
    }
}

static struct mend_hello *add(struct mend_proc *self, mend_ctx peer_ctx, mend_peer from, int tag,
                              int peers_n)
{
    struct mend_hello *h;

    mend_memory_press(self); /* the other leader counts on it */
    h = mend_zalloc(self, 1, sizeof(*h) + (size_t)peers_n * sizeof(*h->names));
    mend_memory_relax(self);
    h->peer_ctx = peer_ctx;
    h->from = from;
    h->tag = tag;
    mend_list_append(&self->create->hellos, &h->link);
    return h;
}

static void on_hello(struct mend_comm *peer_c, mend_peer from, int tag,
                     const struct mend_create_wire *w, const int32_t *names)
{
    struct mend_proc *self = peer_c->self;
    struct mend_hello *h = find(self, peer_c->ctx, from, tag, true);

    if (h) {
        drop(self, h);
    } else if (!peer_c->revoked) {
        h = add(self, peer_c->ctx, from, tag, w->first_n);
        h->w = *w;
        memcpy(h->names, names, (size_t)w->first_n * sizeof(*names));
    }
}

static void on_back(struct mend_comm *peer_c, mend_peer from, const struct mend_create_wire *w)
{
    struct mend_proc *self = peer_c->self;

    mend_list_foreach (l, next, &self->create->hellos) {
        struct mend_hello *h = mend_list_entry(l, struct mend_hello, link);

        if (!h->missed && h->from == from && h->w.ctx == w->ctx)
            h->w.error = w->error;
    }
    mend_list_foreach (l, next, &self->create->meetings) {
        struct mend_meeting *m = mend_list_entry(l, struct mend_meeting, link);

        if (m->peer_c == peer_c && m->other == from && m->heard == w->ctx)
            m->error = w->error;
    }
    mend_meet_look(self);
}

bool mend_leaders_on_frame(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                           const struct mend_create_wire *w, const void *payload)
{
    const int32_t *names = (const int32_t *)((const char *)payload + sizeof(*w));
    struct mend_comm *peer_c = mend_hash_get(&self->comms, f->ctx & ~MEND_CTX_CHANNEL_MASK);

    if (w->kind != MEND_CREATE_HELLO && w->kind != MEND_CREATE_BACK)
        return false;
    if (!peer_c) {
        mend_park(self, from, f, payload);
        return true;
    }
    if (mend_group_rank(self, peer_c->remote, from) == MPI_UNDEFINED || !w->ctx ||
        (w->first_n == 0) != (w->kind == MEND_CREATE_BACK))
        return false;
    if (w->kind == MEND_CREATE_BACK)
        on_back(peer_c, from, w);
    else
        on_hello(peer_c, from, f->tag, w, names);
    return true;
}

static void send_to_other(struct mend_meeting *m, const struct mend_create_wire *w, size_t len)
{
    struct mend_proc *self = m->peer_c->self;
    struct mend_frame f = mend_frame_make(MEND_FRAME_CREATE, m->peer_c->ctx | MEND_CHANNEL_FT,
                                          m->tag, m->peer_c->rank, (uint32_t)len);

    MEND_ASSERT(len <= mend_net_of(self, m->other)->payload_max_bytes);
    mend_post(self, m->other, &f, w);
    mend_event(self, MEND_EV_MEMBER_HELLO);
}

static void say_hello(struct mend_meeting *m, struct mend_comm *local, int error)
{
    struct mend_proc *self = local->self;
    size_t len = sizeof(struct mend_create_wire) + (size_t)local->size * sizeof(mend_peer);
    struct mend_create_wire *w;

    mend_memory_press(self);
    w = mend_alloc(self, len);
    mend_memory_relax(self);
    *w = (struct mend_create_wire){
        .kind = MEND_CREATE_HELLO, .error = error, .ctx = m->said, .first_n = local->size};
    for (int i = 0; i < local->size; i++)
        ((int32_t *)(w + 1))[i] = mend_abroad_name(self, mend_group_peer(local->group, i));
    send_to_other(m, w, len);
    mend_free(self, w);
}

void mend_leaders_take_back(struct mend_meeting *m, int error)
{
    struct mend_create_wire w = {.kind = MEND_CREATE_BACK, .error = error, .ctx = m->said};

    if (!m->error) /* else it said so itself, and is not waiting for us */
        send_to_other(m, &w, sizeof(w));
}

static struct mend_hello *heard(struct mend_meeting *m)
{
    return find(m->peer_c->self, m->peer_c->ctx, m->other, m->tag, false);
}

/* This call waits for nobody: the other's, if it comes, must not meet a later one. */
static void miss(struct mend_meeting *m)
{
    struct mend_proc *self = m->peer_c->self;
    struct mend_hello *h = heard(m);

    if (h)
        drop(self, h);
    else if (!m->peer_c->revoked && !mend_peer_is_dead(self, m->other))
        add(self, m->peer_c->ctx, m->other, m->tag, 0)->missed = true;
}

struct waiting {
    struct mend_meeting *m;
    struct mend_hello *hello;
    int error;
};

static bool heard_or_over(struct mend_proc *self, void *arg)
{
    struct waiting *w = arg;
    struct mend_meeting *m = w->m;

    w->hello = heard(m);
    if (!w->hello)
        w->error = mend_meet_reason(m);
    if (!w->hello && !w->error && mend_peer_is_dead(self, m->other))
        w->error = MEND_CLASS_PROC_FAILED;
    return w->hello || w->error;
}

/* Waits for the other's HELLO.  *peers_p is the caller's. */
static int hear(struct mend_meeting *m, mend_peer **peers_p, int *n_p)
{
    struct mend_proc *self = m->peer_c->self;
    struct waiting waiting = {.m = m};
    struct mend_wait w = {.cause = MEND_WAIT_CREATION,
                          .until = heard_or_over,
                          .arg = &waiting,
                          .hint = m->other,
                          .rings = true,
                          .what = "the leader of the other group"};
    struct mend_hello *h;
    int err = MPI_SUCCESS;

    mend_wait_until(self, &w);
    h = waiting.hello;
    if (!h) {
        miss(m);
        return waiting.error;
    }
    m->error = h->w.error;
    m->heard = h->w.ctx;
    *n_p = h->w.first_n;
    mend_memory_press(self); /* its group waits for it */
    *peers_p = mend_alloc(self, (size_t)h->w.first_n * sizeof(**peers_p));
    mend_memory_relax(self);
    if (!mend_meet_read_peers(self, h->names, h->w.first_n, *peers_p) && !m->error)
        err = MPI_ERR_UNSUPPORTED_OPERATION; /* a job that is not connected with this one */
    drop(self, h);
    return m->error ? m->error : err;
}

int mend_leaders_meet(struct mend_meeting *m, struct mend_comm *local, int own_error,
                      mend_ctx *ctx_p, mend_peer **peers_p, int *n_p)
{
    int err;

    m->said =
        mend_creation_ctx(local->self, local->spans || mend_abroad_has(local->self, m->other));
    say_hello(m, local, own_error);
    if (own_error) {
        miss(m);
        return own_error;
    }
    err = hear(m, peers_p, n_p);
    if (err)
        mend_leaders_take_back(m, err);
    else
        *ctx_p = m->said > m->heard ? m->said : m->heard;
    return err;
}
