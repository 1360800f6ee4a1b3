/* SPDX-License-Identifier: BSD-3-Clause */
/* contract_procs_test.h – for the tests of the contract of net.h: processes that one transport connects, and frames of which
 * all follows from the sender, the receiver and a number.
 *
 * A frame may need several polls of both ends until it arrives, so a test waits for what must come in a loop that ends
 * (settle()); for what must not come it polls often (look_often()). */
#ifndef MEND_NET_CONTRACT_PROCS_TEST_H
#define MEND_NET_CONTRACT_PROCS_TEST_H

#include "net/contract_test.h"

#include "node/bell.h"

#include "base/test.h"

#define PROCS        MEND_NET_SUBJECT_PROCS
#define PAYLOAD_MOST (1u << 20)
#define PATTERNS     4096u
#define OFTEN        (4 * MEND_LOOK_TURNS)
#define ROOM_MOST                                                                                  \
    ((size_t)256 << 20) /* bytes: a transport that takes more never says that it is full */
#define A_MOMENT (2 * (mend_time_ns)1000000)
#define FOR_LONG (20 * (mend_time_ns)1000000000)

#define NET (mend_net_subject.net)

static struct mend_proc procs[PROCS];
static mend_peer procs_n;
static int sent_n[PROCS][PROCS], came_n[PROCS][PROCS]; /* from, to */
static mend_peer first_from; /* of the frame that came first since this was MEND_PEER_NONE */
static int damaged_n;
static mend_peer damaged_from;
static void (*on_arrival)(struct mend_proc *self, mend_peer from, int number); /* NULL: nothing */

static inline uint32_t random_below(uint32_t n)
{
    static uint64_t x = 88172645463325252u;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (uint32_t)(x >> 33) % n;
}

static inline const unsigned char *payload_of(mend_peer from, mend_peer to, int number)
{
    static unsigned char bytes[PAYLOAD_MOST + PATTERNS];

    for (size_t i = sizeof(bytes); !bytes[0] && i > 0; i--) /* the first one comes last */
        bytes[i - 1] = (unsigned char)(1 + random_below(255));
    return bytes + ((uint32_t)number * 31 + (uint32_t)from * 7 + (uint32_t)to) % PATTERNS;
}

static inline struct mend_frame frame_of(mend_peer from, int number, uint32_t len)
{
    enum mend_frame_kind kind =
        (enum mend_frame_kind)(MEND_FRAME_EAGER + number % (MEND_FRAME_KINDS_USED - 1));

    return mend_frame_make(kind, ~(mend_ctx)number, -number, from, len);
}

static inline void on_frame(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                            const void *payload)
{
    int number = came_n[from][self->me]++;
    uint32_t len = mend_frame_len(f);
    struct mend_frame expected = frame_of(from, number, len);

    CHECK(number < sent_n[from][self->me]);
    CHECK_EQ(f->kind_len, expected.kind_len);
    CHECK_EQ(f->ctx, expected.ctx);
    CHECK_EQ(f->tag, expected.tag);
    CHECK_EQ(f->src, expected.src);
    CHECK(len == 0 || !memcmp(payload, payload_of(from, self->me, number), len));
    if (first_from == MEND_PEER_NONE)
        first_from = from;
    if (on_arrival)
        on_arrival(self, from, number);
    CHECK(len == 0 || !memcmp(payload, payload_of(from, self->me, number), len));
}

static inline void on_damage(struct mend_proc *self, mend_peer from)
{
    damaged_from = from;
    damaged_n++;
}

/* Where both ends see that the other one has severed, a transport may suspect what it likes. */
static inline void on_trouble(struct mend_proc *self, mend_peer peer)
{
}

static inline const struct mend_net *transport_to(struct mend_proc *self, mend_peer p)
{
    static const struct mend_net *const transports[] = {
#define MEND_NET_DEF(name_, what_) &mend_net_##name_,
#include "net/net.def"
#undef MEND_NET_DEF
    };

    for (unsigned i = 0; i < MEND_COUNT_OF(transports); i++)
        if (transports[i]->reach(self, p))
            return transports[i];
    return NULL;
}

/* As life/init.c does. */
static inline void connect_all(struct mend_proc *self)
{
    for (mend_peer p = 0; p < procs_n; p++) {
        const struct mend_net *net = transport_to(self, p);

        CHECK(net == (p == self->me ? &mend_net_self : NET));
        mend_net_connect(self, p, net);
    }
}

static inline void finish(void)
{
    mend_net_subject.end(procs, procs_n);
    for (mend_peer p = 0; p < procs_n; p++)
        mend_arena_destroy(procs[p].arena);
    procs_n = 0;
}

static inline void begin(mend_peer n)
{
    CHECK(NET->payload_max_bytes <= PAYLOAD_MOST);
    procs_n = n;
    for (mend_peer p = 0; p < n; p++) {
        procs[p] = (struct mend_proc){.me = p,
                                      .arena = mend_arena_create(),
                                      .on_damage = on_damage,
                                      .on_trouble = on_trouble};
        for (unsigned kind = 0; kind < MEND_FRAME_KINDS; kind++)
            procs[p].on_frame[kind] = on_frame;
        CHECK(mend_peers_add(&procs[p], n));
    }
    memset(sent_n, 0, sizeof(sent_n));
    memset(came_n, 0, sizeof(came_n));
    damaged_n = 0;
    first_from = damaged_from = MEND_PEER_NONE;
    on_arrival = NULL;
    mend_net_subject.begin(procs, n);
    for (mend_peer p = 0; p < n; p++)
        connect_all(&procs[p]);
}

static inline int came_to(mend_peer to)
{
    int n = 0;

    for (mend_peer from = 0; from < procs_n; from++)
        n += came_n[from][to];
    return n;
}

/* As mend_progress() does. */
static inline unsigned poll_at(mend_peer who, mend_peer hint)
{
    int before = came_to(who);
    unsigned n;

    procs[who].sated = false;
    n = NET->poll(&procs[who], hint);
    CHECK_EQ(n, came_to(who) - before);
    return n;
}

static inline void poll_each(void)
{
    for (mend_peer p = 0; p < procs_n; p++)
        poll_at(p, MEND_PEER_NONE);
}

static inline void look_often(void)
{
    for (unsigned i = 0; i < OFTEN; i++)
        poll_each();
}

/* For a loop that waits: fails when it lasts too long. */
static inline void poll_until(mend_time_ns end)
{
    CHECK(mend_time_monotonic_ns() < end);
    poll_each();
}

static inline mend_time_ns soon(void)
{
    return mend_time_monotonic_ns() + FOR_LONG;
}

static inline bool has_all_come(void)
{
    return !memcmp(sent_n, came_n, sizeof(sent_n));
}

static inline void settle(void)
{
    mend_time_ns end = soon();

    while (!has_all_come())
        poll_until(end);
}

static inline void deliver(mend_peer from, mend_peer to)
{
    if (mend_net_subject.deliver)
        mend_net_subject.deliver(&procs[from], &procs[to]);
}

/* False: there is no room now. */
static inline bool try_send(mend_peer from, mend_peer to, uint32_t len)
{
    int number = sent_n[from][to];
    struct mend_frame f = frame_of(from, number, len);
    enum mend_status st = NET->send(&procs[from], to, &f, payload_of(from, to, number));

    CHECK(st == MEND_OK || st == MEND_AGAIN);
    sent_n[from][to] += st == MEND_OK;
    return st == MEND_OK;
}

/* The same with a payload that is written in place, of which the frame takes len bytes. */
static inline bool try_put(mend_peer from, mend_peer to, uint32_t len, uint32_t reserved)
{
    int number = sent_n[from][to];
    struct mend_frame f = frame_of(from, number, len);
    void *room = NET->reserve(&procs[from], to, reserved);

    if (!room)
        return false;
    memset(room, 0, reserved);
    memcpy(room, payload_of(from, to, number), len);
    sent_n[from][to]++;
    NET->commit(&procs[from], to, &f);
    return true;
}

static inline void send_one(mend_peer from, mend_peer to, uint32_t len)
{
    mend_time_ns end = soon();

    while (!try_send(from, to, len))
        poll_until(end);
}

static inline void put_one(mend_peer from, mend_peer to, uint32_t len, uint32_t reserved)
{
    mend_time_ns end = soon();

    while (!try_put(from, to, len, reserved))
        poll_until(end);
}

/* Until there is no room. */
static inline void send_all(mend_peer from, mend_peer to, uint32_t len)
{
    size_t bytes = 0;

    for (; try_send(from, to, len); bytes += sizeof(struct mend_frame) + len)
        CHECK(bytes < ROOM_MOST);
}

static inline uint32_t random_len(void)
{
    return random_below(4)   ? random_below(3000)
           : random_below(2) ? random_below(65)
                             : random_below(NET->payload_max_bytes + 1);
}

static inline uint32_t at_most_max(uint32_t len)
{
    return len < NET->payload_max_bytes ? len : NET->payload_max_bytes;
}

#endif
