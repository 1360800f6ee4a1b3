/* SPDX-License-Identifier: BSD-3-Clause */
/* internal.h – what the two sides of the rings share: send.c, receive.c and shm.c. */
#ifndef MEND_NET_SHM_INTERNAL_H
#define MEND_NET_SHM_INTERNAL_H

#include "net/shm/reach.h"
#include "net/shm/ring.h"
#include "net/net.h"
#include "node/abroad.h"
#include "node/node.h"

#define MEND_SHM_SLOT_MASK   (MEND_SHM_SLOTS - 1)
#define MEND_SHM_PAYLOAD_MAX (MEND_SHM_AREA_BYTES / 4)

/* Sender's side of one ring, private. */
struct mend_shm_out {
    struct mend_shm_slot *slots;
    char *area;
    struct mend_shm_slot *fbox; /* of the pair; NULL: nothing is sent there */
    uint32_t fbox_adds;         /* seq - tail */
    const mend_atomic_u32 *consumed;
    mend_atomic_u8 *bell;
    struct mend_node_rank *to;
    mend_place place;                 /* of the receiver */
    const struct mend_abroad *abroad; /* the receiver's job; NULL: this one */
    uint32_t tail, head_seen;
    uint64_t area_tail,
        area_head;        /* positions that only grow; position % area_bytes is the offset */
    bool took_line;       /* the last message */
    uint64_t area_looked; /* area_tail at the last look at the receiver's head */
    uint32_t area_touched, walk_bytes, area_bytes;
    char *trays; /* of the pair; NULL: nothing is laid there */
    struct {
        uint32_t tray; /* MEND_SHM_TRAYS: there is none */
        uint32_t used; /* bytes */
        uint32_t last; /* bytes of the fragment that was laid there last */
    } open;            /* for fragments; not among in.trays_had */
    uint32_t reserved_at, reserved_len;
    uint64_t area_end[MEND_SHM_SLOTS]; /* area_tail after slot k was sent */
};

/* Receiver's side, private. */
struct mend_shm_in {
    struct mend_shm_slot *slots; /* NULL until first looked at */
    struct mend_shm_slot *fbox;  /* of the pair; NULL: nothing comes there */
    struct mend_shm_slot *found; /* by peek() */
    const char *trays;           /* of the pair */
    mend_atomic_u32 *consumed;
    uint8_t *seen;                         /* of the bell */
    uint32_t head, published, fbox_adds;   /* seq in the fast box - head */
    bool severed, turn;                    /* ours: to write to the fast box */
    uint8_t trays_had, tray_last;          /* a bit for each that is ours; which one came last */
    uint32_t tray_touched[MEND_SHM_TRAYS]; /* bytes that have pages, as far as this process knows */
    mend_peer next_gone;                   /* of the list state.gone */
    struct mend_reach reach;
};

struct mend_shm {
    struct mend_node *node;
    struct mend_node_header *header;
    struct mend_node_rank *me;
    struct mend_shm_out **out; /* by peer */
    struct mend_shm_in *in;    /* by peer */
    mend_atomic_u8 *bells;
    uint8_t *seen; /* low bytes of heads, same shape as the row of bells */
    uint32_t polls;
    mend_peer gone;  /* list of severed peers, whose rings may not have been given back yet */
    uint64_t cookie; /* by which others see whose memory they read */
};

/* The index of the first slot of a ring of this job, a multiple of the slots: the first byte of the bell is 0. */
static inline uint32_t mend_shm_first(const struct mend_proc *self,
                                      const struct mend_abroad *abroad)
{
    return abroad || !self->params.counters_left
               ? 0
               : mend_params_first(&self->params, MEND_SHM_SLOTS) - MEND_SHM_SLOTS;
}

/* Reserves the slots and the head of the ring from -> to, one of which is this process, in its segment. */
bool mend_shm_touch_ring(struct mend_proc *self, mend_peer to, mend_peer from);

/* The same of room in the segment in which o lies. */
static inline bool mend_shm_touch(struct mend_proc *self, const struct mend_shm_out *o,
                                  const void *at, size_t len)
{
    return o->abroad ? mend_abroad_touch(o->abroad, at, len) : mend_node_touch(self, at, len);
}

/* Gives back the rings between this process and those that are dead. */
void mend_shm_give_back_gone(struct mend_proc *self);

/* net.h says what each does. */
enum mend_status mend_shm_send(struct mend_proc *self, mend_peer to, const struct mend_frame *f,
                               const void *payload);
void *mend_shm_reserve(struct mend_proc *self, mend_peer to, uint32_t len);
bool mend_shm_is_handy(struct mend_proc *self, mend_peer to, uint32_t len);
int32_t mend_shm_memory_for(struct mend_proc *self, mend_peer to, uint32_t len);
void mend_shm_commit(struct mend_proc *self, mend_peer to, const struct mend_frame *f);
unsigned mend_shm_poll(struct mend_proc *self, mend_peer hint);
const struct mend_frame *mend_shm_peek(struct mend_proc *self, mend_peer from,
                                       const void **payload_p);
void mend_shm_take(struct mend_proc *self, mend_peer from);
void mend_shm_sever(struct mend_proc *self, mend_peer dead);

#endif
