/* SPDX-License-Identifier: BSD-3-Clause */
/* leaders.c – the leaders of two groups exchange what MPI_Intercomm_create needs.
 *
 *   leader A                                    leader B
 *      ── HELLO { number, id proposal, group } ──>  │
 *      │  <── HELLO { number, id proposal, group } ──
 *      both know both groups and both proposals
 *      │                                            │
 *      ── HELLO { number, error } ──────────────> "A will not come": before, instead or afterwards
 *
 * Between two processes, on one peer communicator with one tag, calls are numbered in the order in which
 * they are made, and the n-th call of one matches the n-th of the other.  A leader that cannot or will
 * not come (its group has a dead member, a communicator was revoked) waits for nobody (S2-9) and says so
 * once; what comes of that depends on where the other one is:
 *
 *   it has not called yet    its call finds the message, and fails
 *   it waits for our HELLO   it fails
 *   it is past that          it calls the meeting off, so that whoever is there is refused (meet.c)
 *   its call is over         nobody needs it
 *
 * What ends the wait for the other leader: its HELLO; its death; anything that would end the meeting
 * (meet.c).  So a leader whose group is whole waits for one that never calls; only who has called takes
 * part in anything.
 *
 * Messages are control frames and not point-to-point messages, so that no receive of the user's on the
 * peer communicator can take one. */
#include "member/internal.h"

#include "member/wire.h"

#include <string.h>

/* What another leader said about a call that was not made here yet, or is waiting for it. */
struct mend_hello {
    struct mend_list link; /* in self->member->hellos */
    mend_ctx peer_ctx;
    mend_peer from;
    int tag;
    struct mend_member_wire w;
    mend_peer peers[];
};

static uint64_t *count_of(struct mend_comm *peer_c, mend_peer other, int tag)
{
    return mend_meet_count(peer_c, (uint64_t)other | UINT64_C(1) << 32, (uint64_t)(unsigned)tag);
}

static struct mend_hello *find(struct mend_proc *self, mend_ctx peer_ctx, mend_peer from, int tag,
                               uint64_t number)
{
    mend_list_foreach (l, next, &self->member->hellos) {
        struct mend_hello *h = mend_list_entry(l, struct mend_hello, link);

        if (h->peer_ctx == peer_ctx && h->from == from && h->tag == tag && h->w.number == number)
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

    mend_list_foreach (l, next, &self->member->hellos) {
        struct mend_hello *h = mend_list_entry(l, struct mend_hello, link);

        if (h->peer_ctx == peer_c->ctx)
            drop(self, h);
    }
}

/* The call of this process that it is about, while it goes on. */
static struct mend_meeting *call_of(struct mend_proc *self, struct mend_comm *peer_c,
                                    mend_peer from, int tag, uint64_t number)
{
    mend_list_foreach (l, next, &self->member->meetings) {
        struct mend_meeting *m = mend_list_entry(l, struct mend_meeting, link);

        if (m->peer_c == peer_c && m->other == from && m->tag == tag && m->number == number)
            return m;
    }
    return NULL;
}

static void keep(struct mend_proc *self, mend_ctx peer_ctx, mend_peer from, int tag,
                 const struct mend_member_wire *w, const mend_peer *peers)
{
    struct mend_hello *h = find(self, peer_ctx, from, tag, w->number);
    size_t bytes = (size_t)w->first_n * sizeof(*peers);

    if (h) /* it takes back what it said */
        drop(self, h);
    h = mend_alloc(self, sizeof(*h) + bytes);
    MEND_ASSERT(h);
    h->peer_ctx = peer_ctx;
    h->from = from;
    h->tag = tag;
    h->w = *w;
    memcpy(h->peers, peers, bytes);
    mend_list_append(&self->member->hellos, &h->link);
}

bool mend_leaders_on_hello(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                           const struct mend_member_wire *w, const void *payload)
{
    const mend_peer *peers = (const mend_peer *)((const char *)payload + sizeof(*w));
    mend_ctx ctx = f->ctx & ~MEND_CTX_CHANNEL_MASK;
    struct mend_comm *peer_c = mend_hash_get(&self->comms, ctx);
    struct mend_meeting *m;

    if (!peer_c) {
        mend_park(self, from, f, payload);
        return true;
    }
    if (mend_group_rank(self, peer_c->remote, from) == MPI_UNDEFINED)
        return false;
    for (int i = 0; i < w->first_n; i++)
        if (peers[i] < 0 || peers[i] >= self->peers_n)
            return false;
    m = call_of(self, peer_c, from, f->tag, w->number);
    if (!m && w->number < *count_of(peer_c, from, f->tag))
        return true;
    if (m && m->over) {
        m->error = w->error;
        mend_meet_look(self);
    } else {
        keep(self, ctx, from, f->tag, w, peers);
    }
    return true;
}

static void say(struct mend_meeting *m, struct mend_comm *local, mend_ctx proposal, int error)
{
    struct mend_proc *self = local->self;
    size_t len = sizeof(struct mend_member_wire) + (size_t)local->size * sizeof(mend_peer);
    struct mend_member_wire *w = mend_alloc(self, len);
    struct mend_frame f = mend_frame_make(MEND_FRAME_MEMBER, m->peer_c->ctx | MEND_CHANNEL_FT,
                                          m->tag, m->peer_c->rank, (uint32_t)len);

    MEND_ASSERT(w && len <= self->net->payload_max_bytes);
    *w = (struct mend_member_wire){.kind = MEND_MEMBER_HELLO,
                                   .error = error,
                                   .ctx = proposal,
                                   .number = m->number,
                                   .first_n = local->size};
    for (int i = 0; i < local->size; i++)
        ((mend_peer *)(w + 1))[i] = mend_group_peer(local->group, i);
    MEND_ASSERT(mend_post(self, m->other, &f, w));
    mend_event(self, MEND_EV_MEMBER_HELLO);
    mend_free(self, w);
}

void mend_leaders_take_back(struct mend_meeting *m, struct mend_comm *local, int error)
{
    if (!m->error) /* else it said so itself, and is not waiting for us */
        say(m, local, 0, error);
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

    w->hello = find(self, m->peer_c->ctx, m->other, m->tag, m->number);
    if (!w->hello)
        w->error = mend_meet_reason(m);
    if (!w->hello && !w->error && mend_peer_is_dead(self, m->other))
        w->error = MEND_CLASS_PROC_FAILED;
    return w->hello || w->error;
}

/* Waits for the other's HELLO.  *peers_p is the caller's. */
static int hear(struct mend_meeting *m, mend_ctx *ctx_p, mend_peer **peers_p, int *n_p)
{
    struct mend_proc *self = m->peer_c->self;
    struct waiting waiting = {.m = m};
    struct mend_wait w = {.until = heard_or_over,
                          .arg = &waiting,
                          .hint = m->other,
                          .rings = true,
                          .what = "the leader of the other group"};
    struct mend_hello *h;

    mend_wait_until(self, &w);
    h = waiting.hello;
    m->over = true;
    if (!h)
        return waiting.error;
    m->error = h->w.error;
    *ctx_p = h->w.ctx;
    *n_p = h->w.first_n;
    *peers_p = mend_alloc(self, (size_t)h->w.first_n * sizeof(**peers_p));
    MEND_ASSERT(*peers_p);
    memcpy(*peers_p, h->peers, (size_t)h->w.first_n * sizeof(**peers_p));
    drop(self, h);
    return m->error;
}

int mend_leaders_meet(struct mend_meeting *m, struct mend_comm *local, int own_error,
                      mend_ctx *ctx_p, mend_peer **peers_p, int *n_p)
{
    mend_ctx mine = mend_ctx_propose(local->self), theirs = 0;
    int err;

    m->number = (*count_of(m->peer_c, m->other, m->tag))++;
    say(m, local, mine, own_error);
    if (own_error)
        return own_error;
    err = hear(m, &theirs, peers_p, n_p);
    if (err)
        mend_leaders_take_back(m, local, err);
    else
        *ctx_p = mine > theirs ? mine : theirs;
    return err;
}
