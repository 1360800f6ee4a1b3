/* SPDX-License-Identifier: BSD-3-Clause */
/* shm.c – the transport within a node: one single-producer ring per ordered pair of ranks.
 *
 *   sender j                                           receiver i
 *   ring j->i  | slot | slot | slot | ... 256 x 32 B    head of i for j: slots consumed
 *              | payload area 256 KiB: > 40 B           bell[j]: low byte of j's slot counter
 *
 *   send:  write payload, write header, release slot.seq = index + 1, store bell, wake if asleep
 *   poll:  slot[head].seq == head + 1 ?  deliver in place, head += slots of the message, release head
 *
 * A sender that is killed leaves at most one slot unpublished, which is never read.  A receiver that is
 * killed leaves a ring that fills up; the sender then learns of the death where it waits.
 *
 * Invariants:
 *   1  slot k of a ring is written only while tail - consumed < SLOTS, and never are all of them in use;
 *   2  a range of the payload area is written only after the slot that last named it was consumed;
 *   3  bell[j] == low byte of heads[j] in receiver i exactly if nothing is waiting (fewer than 256 slots);
 *   4  after sever(j) neither ring j->i nor i->j is touched again.  Their memory is given back when
 *      new memory is requested: not at once, because a death must be reported fast;
 *   5  the second slot of a line holds a header only if the first one does; before the first is published as a
 *      slot alone, the second is marked as not published, for payload of an older message may lie there;
 *   6  a fast box is written only in one's turn: the message that was there is taken, and all that
 *      went the other way before it;
 *   7  a tray is written only by the rank that has it: first its own two, then what came with a message that it has taken;
 *   8  a receiver that has nothing left to read has said so of all payloads: any one has room in a ring that is read.
 *
 * The ring to a process of another job lies in the segment of that (node/abroad.h).
 *
 * Cost of a small message: one cache line from core to core, of up to 8 bytes half a line where messages queue up;
 * no lock, no allocation, no system call. */
#include "net/shm/internal.h"

#include <string.h>

static void give_back_ring(struct mend_proc *self, mend_peer to, mend_peer from)
{
    mend_node_give_back(self,
                        mend_node_ring_of(self->node->header, mend_node_place_of(self, to),
                                          mend_node_place_of(self, from)),
                        self->node->header->ring_bytes);
}

/* Nobody but we could look at the rings between us and a dead process. */
static void give_back_rings(struct mend_proc *self, mend_peer dead)
{
    struct mend_shm *s = self->shm;

    if (s->out[dead] && !s->out[dead]->abroad) /* else its agent does */
        give_back_ring(self, dead, self->me);
    if (s->in[dead].slots)
        give_back_ring(self, self->me, dead);
    mend_free(self, s->out[dead]);
    s->out[dead] = NULL;
    s->in[dead].slots = NULL;
}

void mend_shm_give_back_gone(struct mend_proc *self)
{
    struct mend_shm *s = self->shm;

    while (s->gone != MEND_PEER_NONE) {
        mend_peer dead = s->gone;

        s->gone = s->in[dead].next_gone;
        give_back_rings(self, dead);
    }
}

/* Its bell begins at 0, whatever a process that had its place before has rung. */
static bool reach(struct mend_proc *self, mend_peer peer, enum mend_where_kind kind)
{
    if (!self->shm || peer == self->me || mend_peer_entry(self, peer)->where.kind != kind ||
        mend_node_place_of(self, peer).at == MEND_PLACE_NONE.at)
        return false;
    self->shm->seen[mend_node_place_of(self, peer).at] = 0;
    return true;
}

static bool shm_reach(struct mend_proc *self, mend_peer peer)
{
    return reach(self, peer, MEND_WHERE_HERE);
}

static bool rings_reach(struct mend_proc *self, mend_peer peer)
{
    return reach(self, peer, MEND_WHERE_JOB);
}

static void shm_forget(struct mend_proc *self, mend_peer dead)
{
    self->shm->in[dead].severed = true;
    give_back_rings(self, dead);
}

/* Reserves the slots and the head of the ring from -> to. */
bool mend_shm_touch_ring(struct mend_proc *self, mend_peer to, mend_peer from)
{
    struct mend_node_header *h = self->shm->header;

    mend_shm_give_back_gone(self);
    return mend_node_touch(
               self,
               mend_node_ring_of(h, mend_node_place_of(self, to), mend_node_place_of(self, from)),
               MEND_SHM_SLOTS * MEND_SHM_SLOT_BYTES) &&
           mend_node_touch(
               self,
               mend_node_head_of(h, mend_node_place_of(self, to), mend_node_place_of(self, from)),
               sizeof(struct mend_node_head));
}

static struct mend_node_rank *rank_of(struct mend_proc *self, mend_peer peer)
{
    struct mend_shm *s = self->shm;

    return mend_node_rank_of(s->header, mend_node_place_of(self, peer));
}

/* Copy first, look at the stamp then: it tells of the whole time of the copy. */
static enum mend_status shm_pull(struct mend_proc *self, mend_peer from, void *dst, uint64_t remote,
                                 size_t len, uint64_t stamp)
{
    struct mend_node_rank *peer = rank_of(self, from);
    struct mend_shm *s = self->shm;
    enum mend_status st = mend_reach_read(peer, &s->in[from].reach, dst, remote, len);

    if (stamp == MEND_STAMP_STAYS)
        return st;
    atomic_thread_fence(memory_order_acquire); /* pairs with the fence in shm_withdraw() */
    return mend_load_relaxed(&peer->withdrawn) == stamp ? st : MEND_AGAIN;
}

static enum mend_status shm_push(struct mend_proc *self, mend_peer to, const void *src,
                                 uint64_t remote, size_t len)
{
    return mend_reach_write(rank_of(self, to), &self->shm->in[to].reach, src, remote, len);
}

_Static_assert(sizeof(struct mend_copypage) <= MEND_NODE_COPYPAGE_BYTES, "a copy page is a page");

static struct mend_copypage *shm_copypage(struct mend_proc *self, mend_peer owner)
{
    struct mend_copypage *page =
        mend_node_copypage_of(self->node->header, mend_node_place_of(self, owner));

    return owner != self->me || mend_node_touch(self, page, sizeof(*page)) ? page : NULL;
}

static bool shm_attends(struct mend_proc *self, mend_peer peer)
{
    return mend_load_relaxed(&rank_of(self, peer)->attends);
}

static uint32_t shm_rts_stamp(struct mend_proc *self)
{
    return mend_load_relaxed(&rank_of(self, self->me)->withdrawn);
}

static void shm_withdraw(struct mend_proc *self)
{
    struct mend_node_rank *me = rank_of(self, self->me);

    mend_store_relaxed(&me->withdrawn, mend_load_relaxed(&me->withdrawn) + 1);
    /* the memory is written to after this; pairs with the fence in shm_pull() */
    atomic_thread_fence(memory_order_seq_cst);
}

static enum mend_status shm_open_node(struct mend_proc *self)
{
    struct mend_node_header *h = self->node ? self->node->header : NULL;
    struct mend_shm *s = h ? mend_zalloc(self, 1, sizeof(*s)) : NULL;

    if (!s)
        return h ? MEND_ERR_MEM : MEND_ERR_UNSUPPORTED;
    s->node = self->node;
    s->header = h;
    s->me = mend_node_rank_of(h, mend_node_place_of(self, self->me));
    s->bells = mend_node_bells(h, mend_node_place_of(self, self->me));
    s->out = mend_zalloc(self, (size_t)self->peers_max, sizeof(*s->out));
    s->in = mend_zalloc(self, (size_t)self->peers_max, sizeof(*s->in));
    s->seen = mend_zalloc(self, (h->places_n + 7) & ~7u, 1);
    if (!s->out || !s->in || !s->seen)
        return MEND_ERR_MEM;
    s->gone = MEND_PEER_NONE;
    mend_reach_show(s->me, &s->cookie, s->header->job);
    self->shm = s;
    return MEND_OK;
}

static const struct mend_near near_shm = {
    .pull = shm_pull,
    .push = shm_push,
    .rts_stamp = shm_rts_stamp,
    .withdraw = shm_withdraw,
    .copypage = shm_copypage,
    .attends = shm_attends,
    .is_handy = mend_shm_is_handy,
    .peek = mend_shm_peek,
    .take = mend_shm_take,
};

const struct mend_net mend_net_shm = {
    .name = "shm",
    .payload_max_bytes = MEND_SHM_PAYLOAD_MAX,
    .near = &near_shm,
    .open = shm_open_node,
    .reach = shm_reach,
    .send = mend_shm_send,
    .reserve = mend_shm_reserve,
    .commit = mend_shm_commit,
    .memory_for = mend_shm_memory_for,
    .poll = mend_shm_poll,
    .sever = mend_shm_sever,
    .forget = shm_forget,
};

static const struct mend_near near_rings = {
    .is_handy = mend_shm_is_handy,
    .peek = mend_shm_peek,
    .take = mend_shm_take,
};

/* Opened with the other one: both use the same rings.  Of the segment of another job nothing else is used. */
const struct mend_net mend_net_rings = {
    .name = "rings",
    .payload_max_bytes = MEND_SHM_PAYLOAD_MAX,
    .near = &near_rings,
    .reach = rings_reach,
    .send = mend_shm_send,
    .reserve = mend_shm_reserve,
    .commit = mend_shm_commit,
    .memory_for = mend_shm_memory_for,
    .poll = mend_shm_poll,
    .sever = mend_shm_sever,
    .forget = shm_forget,
};
