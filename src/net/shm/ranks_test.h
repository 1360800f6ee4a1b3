/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks_test.h – for unit tests: three ranks in one address space, each a process value on the same segment. */
#ifndef MEND_NET_SHM_RANKS_TEST_H
#define MEND_NET_SHM_RANKS_TEST_H

#include "net/shm/internal.h"
#include "net/shm/segment_test.h"

#define RANKS 3

static struct mend_proc procs[RANKS];

/* What came, by sender: each frame says in `tag` which one it is, and its bytes follow from that. */
static int came_n[RANKS], damaged_n;
static mend_peer last_from;

static inline unsigned char byte_of(int number, uint32_t i)
{
    return (unsigned char)((uint32_t)number * 31 + i * 7 + (i >> 8));
}

static inline void check_payload(int number, const void *payload, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        CHECK_EQ(((const unsigned char *)payload)[i], byte_of(number, i));
}

static inline void on_frame(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                            const void *payload)
{
    CHECK_EQ(f->src, from);
    CHECK_EQ(f->ctx, MEND_CTX_WORLD);
    CHECK_EQ(f->tag, came_n[from]);
    check_payload(f->tag, payload, mend_frame_len(f));
    came_n[from]++;
    last_from = from;
}

static inline void on_any_frame(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                                const void *payload)
{
    came_n[from]++;
}

static inline void on_damage(struct mend_proc *self, mend_peer from)
{
    CHECK_EQ(from, 1);
    damaged_n++;
}

static inline void begin_in_jobs(mend_peer jobs_n)
{
    if (segment)
        end_segment();
    make_segment(RANKS);
    memset(came_n, 0, sizeof(came_n));
    damaged_n = 0;
    for (mend_peer p = 0; p < RANKS; p++) {
        if (procs[p].arena)
            mend_arena_destroy(procs[p].arena);
        procs[p] =
            (struct mend_proc){.me = p, .arena = mend_arena_create(), .on_damage = on_damage};
        procs[p].on_frame[MEND_FRAME_EAGER] = procs[p].on_frame[MEND_FRAME_DATA] = on_frame;
        CHECK(mend_peers_add(&procs[p], RANKS));
        open_rank(&procs[p], jobs_n);
    }
}

static inline void begin(void)
{
    begin_in_jobs(1);
}

static inline struct mend_frame frame_of(mend_peer from, int number, uint32_t len)
{
    return mend_frame_make(MEND_FRAME_EAGER, MEND_CTX_WORLD, number, from, len);
}

static inline void fill(unsigned char *payload, int number, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        payload[i] = byte_of(number, i);
}

static inline enum mend_status send_as(enum mend_frame_kind kind, mend_peer from, mend_peer to,
                                       int number, uint32_t len)
{
    static unsigned char payload[1 << 20];
    struct mend_frame f = mend_frame_make(kind, MEND_CTX_WORLD, number, from, len);

    CHECK(len <= mend_net_shm.payload_max_bytes && len <= sizeof(payload));
    fill(payload, number, len);
    return mend_net_shm.send(&procs[from], to, &f, payload);
}

static inline enum mend_status send_some(mend_peer from, mend_peer to, int number, uint32_t len)
{
    return send_as(MEND_FRAME_EAGER, from, to, number, len);
}

/* Sends until there is no room; returns the number of the next one. */
static inline int send_all(mend_peer from, mend_peer to, int number, uint32_t len)
{
    enum mend_status st;

    while ((st = send_some(from, to, number, len)) == MEND_OK)
        number++;
    CHECK_EQ(st, MEND_AGAIN);
    return number;
}

static inline unsigned poll_at(mend_peer who, mend_peer hint)
{
    return mend_net_shm.poll(&procs[who], hint);
}

static inline void poll_all(mend_peer who)
{
    while (poll_at(who, MEND_PEER_NONE))
        ;
}

/* The kernel has no pages for rank 1 from here on. */
static inline void run_out_of_pages(void)
{
    procs[1].node->fd = -1;
}

static inline uint32_t random_below(uint32_t n)
{
    static uint64_t x = 88172645463325252u;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (uint32_t)(x >> 33) % n;
}

/* Slot k of the ring 1 -> 0. */
static inline struct mend_shm_slot *slot_at(unsigned k)
{
    return (struct mend_shm_slot *)mend_node_ring_of(segment, mend_place_at(0), mend_place_at(1)) +
           k;
}

#endif
