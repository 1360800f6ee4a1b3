/* SPDX-License-Identifier: BSD-3-Clause */
/* share.c – the copy of large messages out of their sender's memory: the receiver copies fragment after fragment, and a sender
 * that waits in MPI helps.
 *
 *   receiver                                         sender
 *   messages of one sender become fragments on its copy page
 *   SHARE, the number of the turn ──────────────────> frame
 *   takes a fragment, pulls it, and so on            takes a fragment, pushes it, says so, and so on
 *   none is left: waits for those that the sender took
 *   next turn, until a message is complete: CTS(done)
 *
 * The receiver owns the copy page (net/copypage.h) and copies the messages of one sender at a time.  A sender that computes, or is
 * not asked for help, takes no fragment, and the receiver pulls all.  Fragments of one message are taken in order, so after each
 * turn the data that has arrived is the beginning of a message; and one message is completed after the other: fragments
 * of all in turn would delay the first of a window as long as the last.
 *
 * A receive must not end while the sender may still write into its buffer.  So a receive that ends early stops the turn,
 * and ends when the fragments that the sender has taken are done.  What ends that wait: the sender writes
 * FRAGMENT_MOST at most and then marks the fragment done; or it dies.  A sender that is stopped in the middle of a fragment
 * delays the receive, and other copies to this process, until it continues.
 *
 * Other processes can damage a copy page: the receiver reads no fragment back, and the sender checks a copy of the fragment.
 *
 * Cost: a few lines of the copy page for each turn, and a frame if the sender helps; a page for each receiver that copies. */
#include "p2p/internal.h"

#include <stdlib.h>
#include <string.h>

#define FRAGMENT_MOST  (UINT64_C(128) * 1024)
#define FRAGMENT_LEAST (UINT64_C(16) * 1024)
#define PAGE           UINT64_C(4096)
#define ALONE_BYTES    (UINT64_C(1) << 20) /* a tenth of a millisecond, while system calls are few */

struct mend_share {
    struct mend_copypage *page;
    mend_peer with;                                       /* whose messages they are */
    uint64_t number;                                      /* of the turn */
    unsigned fragments_n;                                 /* 0: no turn is under way */
    uint32_t here;                                        /* bits: fragments that have come */
    struct mend_p2p_request *of[MEND_COPYPAGE_FRAGMENTS]; /* NULL: over */
    /* As written into the copy page. */
    struct mend_copypage_fragment fragment[MEND_COPYPAGE_FRAGMENTS];
};

/* Tools that follow each store of a program do not see those of another process. */
extern void __msan_init(void) __attribute__((weak));

bool mend_share_possible(const struct mend_proc *self)
{
    const char *preloaded = getenv("LD_PRELOAD");

    return !__msan_init && !(preloaded && strstr(preloaded, "vgpreload"));
}

/* ---- the receiver ---- */

static struct mend_share *share_of(struct mend_proc *self, mend_peer with)
{
    struct mend_p2p *p = self->p2p;

    if (!p->share)
        p->share = mend_zalloc(self, 1, sizeof(*p->share));
    if (p->share && !p->share->page)
        p->share->page = mend_near_of(self, with)->copypage(self, self->me);
    return p->share && p->share->page ? p->share : NULL;
}

static uint64_t left_of(const struct mend_p2p_request *r)
{
    return (uint64_t)(r->base.bytes - r->moved_bytes);
}

/* Can the request at this link of self->active be part of a turn with that one?  NULL: no. */
static struct mend_p2p_request *partner(struct mend_list *l, const struct mend_p2p_request *first)
{
    struct mend_request *base = mend_list_entry(l, struct mend_request, link);
    struct mend_p2p_request *r = mend_p2p_of(base);

    return base->ops == &mend_recv_ops && r->peer == first->peer &&
                   r->is_helped == first->is_helped && !r->over
               ? r
               : NULL;
}

/* Bytes that a turn with that one can be about. */
static uint64_t bytes_waiting(struct mend_proc *self, const struct mend_p2p_request *first)
{
    struct mend_p2p_request *r;
    uint64_t bytes = 0;

    mend_list_foreach (l, next, &self->active) {
        if ((r = partner(l, first)))
            bytes += left_of(r);
        if (bytes >= 2 * FRAGMENT_MOST)
            break;
    }
    return bytes;
}

/* Half of little, for each end one, by whole pages. */
static uint64_t fragment_len(struct mend_proc *self, const struct mend_p2p_request *first)
{
    uint64_t half;

    if (!first->is_helped)
        return ALONE_BYTES;
    half = (bytes_waiting(self, first) / 2 + PAGE - 1) & ~(PAGE - 1);
    return half < FRAGMENT_LEAST ? FRAGMENT_LEAST : half > FRAGMENT_MOST ? FRAGMENT_MOST : half;
}

static void add_fragments(struct mend_share *s, struct mend_p2p_request *r, uint64_t most)
{
    uint64_t at = (uint64_t)r->moved_bytes, left = left_of(r);

    while (left && s->fragments_n < MEND_COPYPAGE_FRAGMENTS) {
        uint32_t len = (uint32_t)(left < most ? left : most);

        s->fragment[s->fragments_n] = (struct mend_copypage_fragment){
            .at = at,
            .to = (uintptr_t)mend_recv_dense_at(r, (MPI_Count)at),
            .id = r->remote_id,
            .len = len,
        };
        s->page->fragment[s->fragments_n] = s->fragment[s->fragments_n];
        s->of[s->fragments_n++] = r;
        at += len;
        left -= len;
    }
}

/* Help that there is no room to ask for is not needed. */
static void ask_for_help(struct mend_proc *self, struct mend_share *s, struct mend_p2p_request *r)
{
    struct mend_frame f = mend_frame_make(MEND_FRAME_SHARE, r->base.comm->ctx | r->channel,
                                          (int32_t)s->number, r->base.comm->rank, 0);

    if (mend_out_empty(self, s->with))
        mend_net_of(self, s->with)->send(self, s->with, &f, NULL);
}

static void open_turn(struct mend_proc *self, struct mend_share *s, struct mend_p2p_request *first)
{
    uint64_t most = fragment_len(self, first);
    struct mend_p2p_request *r;

    s->with = first->peer;
    s->here = 0;
    add_fragments(s, first, most);
    mend_list_foreach (l, next, &self->active) {
        if ((r = partner(l, first)) && r != first)
            add_fragments(s, r, most);
        if (s->fragments_n == MEND_COPYPAGE_FRAGMENTS)
            break;
    }
    s->number = mend_copypage_open(s->page, s->fragments_n);
    if (first->is_helped)
        ask_for_help(self, s, first);
}

static bool is_here(const struct mend_share *s, unsigned k)
{
    return s->here >> k & 1;
}

/* Is something of it still to come in this turn? */
static bool is_outstanding(const struct mend_share *s, const struct mend_p2p_request *r)
{
    for (unsigned k = 0; k < s->fragments_n; k++)
        if (s->of[k] == r && !is_here(s, k))
            return true;
    return false;
}

static void forget(struct mend_share *s, const struct mend_p2p_request *r)
{
    for (unsigned k = 0; k < s->fragments_n; k++)
        if (s->of[k] == r)
            s->of[k] = NULL;
}

/* The sender takes nothing more.  What was not taken is for a later turn. */
static void stop_turn(struct mend_share *s)
{
    unsigned taken_n = mend_copypage_stop(s->page);

    s->fragments_n = taken_n < s->fragments_n ? taken_n : s->fragments_n;
}

/* A fragment is over: if it was the last of its message in this turn, what is to happen happens. */
static void over(struct mend_proc *self, struct mend_share *s, unsigned k)
{
    struct mend_p2p_request *r = s->of[k];

    s->here |= UINT32_C(1) << k;
    if (!r || is_outstanding(s, r))
        return;
    forget(s, r);
    if (r->over)
        mend_transfer_end(r, r->over);
    else if (r->unpullable != MEND_OK)
        mend_recv_unpullable(self, r, r->unpullable);
    else if (r->moved_bytes == r->base.bytes)
        mend_recv_copied(self, r);
}

static void count(struct mend_proc *self, struct mend_share *s, unsigned k)
{
    s->of[k]->moved_bytes += s->fragment[k].len;
    self->p2p->moved_bytes += s->fragment[k].len;
}

/* Copies a fragment here.  If that cannot be done the message goes in fragments, when the sender has let go of it. */
static void copy_here(struct mend_proc *self, struct mend_share *s, unsigned k)
{
    const struct mend_copypage_fragment *fragment = &s->fragment[k];
    struct mend_p2p_request *r = s->of[k];
    enum mend_status st = mend_near_of(self, r->peer)
                              ->pull(self, r->peer, mend_recv_dense_at(r, (MPI_Count)fragment->at),
                                     r->pull_at + fragment->at, fragment->len, r->pull_stamp);

    if (st == MEND_OK) {
        count(self, s, k);
        mend_event(self, MEND_EV_P2P_DATA_PULLED);
    } else {
        r->unpullable = st;
        stop_turn(s);
    }
    over(self, s, k);
}

/* Looks what came of the fragments that the sender took. */
static void collect(struct mend_proc *self, struct mend_share *s)
{
    for (unsigned k = 0; k < s->fragments_n; k++) {
        enum mend_copypage_done done = mend_copypage_look(s->page, s->number, k);

        if (is_here(s, k) || done == MEND_COPYPAGE_UNDER_WAY)
            continue;
        if (done == MEND_COPYPAGE_HERE) {
            count(self, s, k);
            over(self, s, k);
        } else if (s->of[k]->over || s->of[k]->unpullable != MEND_OK) {
            over(self, s, k);
        } else {
            copy_here(self, s, k);
        }
    }
    if (s->here == (s->fragments_n < 32 ? (UINT32_C(1) << s->fragments_n) - 1 : UINT32_MAX))
        s->fragments_n = 0;
}

/* No fragment is taken while there is news: a death or a revocation may end the receive, and is handled between two fragments. */
void mend_share_turn(struct mend_request *base)
{
    struct mend_p2p_request *r = mend_p2p_of(base);
    struct mend_proc *self = base->comm->self;
    struct mend_share *s = share_of(self, r->peer);
    uint64_t number;
    int k;

    if (mend_unlikely(!s)) {
        mend_recv_unpullable(self, r, MEND_AGAIN);
        return;
    }
    if (!s->fragments_n)
        open_turn(self, s, r);
    if (mend_has_news(self))
        return;
    k = mend_copypage_take(s->page, (uint32_t)s->number, &number);
    if (k >= 0 && (unsigned)k < s->fragments_n && !is_here(s, (unsigned)k))
        copy_here(self, s, (unsigned)k);
    collect(self, s);
}

bool mend_share_holds(struct mend_proc *self, struct mend_p2p_request *r)
{
    struct mend_share *s = self->p2p->share;

    if (!s || !s->fragments_n || !is_outstanding(s, r))
        return false;
    if (mend_peer_is_dead(self, s->with)) {
        s->fragments_n = 0;
        return false;
    }
    stop_turn(s);
    if (is_outstanding(s, r))
        return true;
    forget(s, r);
    return false;
}

/* ---- the sender ---- */

/* The message of a fragment, if it is ours to give. */
static const char *source_of(struct mend_proc *self, mend_peer to,
                             const struct mend_copypage_fragment *fragment)
{
    struct mend_p2p_request *r = mend_hash_get(&self->p2p->large, fragment->id);

    if (!r || !r->is_send || r->peer != to || !r->type->dense ||
        fragment->at > (uint64_t)r->total_bytes ||
        fragment->len > (uint64_t)r->total_bytes - fragment->at)
        return NULL;
    mend_send_answered(r, MEND_STAGE_MATCHED);
    return mend_type_dense_at(r->type, r->send_buf, (MPI_Count)fragment->at);
}

static enum mend_copypage_done push(struct mend_proc *self, mend_peer to,
                                    const struct mend_copypage_fragment *fragment)
{
    const char *from = source_of(self, to, fragment);

    if (!from || mend_near_of(self, to)->push(self, to, from, fragment->to, fragment->len))
        return MEND_COPYPAGE_REFUSED;
    return MEND_COPYPAGE_HERE;
}

void mend_p2p_on_share(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                       const void *payload)
{
    const struct mend_near *near = mend_near_of(self, from);
    struct mend_copypage *page = near->copypage ? near->copypage(self, from) : NULL;
    uint64_t number;
    int k;

    (void)payload;
    if (!page || !near->push || mend_peer_is_dead(self, from))
        return;
    while (!mend_has_news(self) && (k = mend_copypage_take(page, (uint32_t)f->tag, &number)) >= 0) {
        struct mend_copypage_fragment fragment = page->fragment[k];
        enum mend_copypage_done done;

        mend_event(self, MEND_EV_P2P_DATA_TAKEN);
        done = push(self, from, &fragment);
        mend_event(self, MEND_EV_P2P_DATA_PUSHED);
        mend_copypage_tell(page, number, (unsigned)k, done);
    }
}
