/* SPDX-License-Identifier: BSD-3-Clause */
/* internal.h – the state of p2p/ in a process, and what its files share: ways of large messages, credit, sends and
 * receives.  The queues are in match.h. */
#ifndef MEND_P2P_INTERNAL_H
#define MEND_P2P_INTERNAL_H

#include "base/choice.h"
#include "base/copy.h"
#include "net/net.h"
#include "p2p/p2p.h"
#include "p2p/wire.h"
#include "proc/post.h"

/* What this process and another have told each other about small messages (credit.c). */
struct mend_credit {
    uint64_t kept_bytes; /* of small messages from there that no receive wanted yet */
    uint32_t lost_n;     /* records in use of messages from there whose data is lost */
    bool told_hold;      /* its small messages have to wait */
    bool holds_us;       /* ours have to wait there */
    bool counted;        /* in mend_p2p.credit_n */
};

#define MEND_LONG_BYTES (1 << 20) /* a long message: it goes in long fragments */

/* What the parameter SINGLE_COPY says, or how many ranks share a core (single_copy.c). */
enum mend_single_copy {
    MEND_SINGLE_COPY_NEVER,
    MEND_SINGLE_COPY_ALWAYS,
    MEND_SINGLE_COPY_AUTO, /* measured */
    MEND_SINGLE_COPY_OVERSUBSCRIBED
};

enum mend_way_kind { MEND_WAY_ALONE, MEND_WAY_WINDOW, MEND_WAY_CROSSING, MEND_WAY_KINDS };
#define MEND_WAY_SIZES 2

/* What is known of a sender (single_copy.c). */
struct mend_ways {
    struct mend_choice of[MEND_WAY_KINDS][MEND_WAY_SIZES];
    bool last_in_window,
        in_window;              /* its last message came while another one did; or the one before */
    bool last_crossed, crosses; /* the same, while one of ours was under way to it */
};

/* What is being timed (single_copy.c). */
struct mend_timed {
    struct mend_choice *choice;
    mend_peer from;
    enum mend_way_kind kind;
    unsigned way;
    mend_time_ns since; /* 0: nothing is */
    uint64_t moved_then;
    uint32_t messages_n;
};

struct mend_message;

struct mend_p2p {
    MPI_Count eager_max;     /* largest message that is sent without asking the receiver */
    MPI_Count eager_far_max; /* the same, to another node */
    MPI_Count at_once_max; /* largest message that goes without a request; -1: somebody holds us */
    uint32_t sent_n;       /* messages that went so */
    uint32_t held_n;       /* processes that hold us */
    struct mend_p2p_traffic traffic[2]; /* by channel */
    struct mend_hash large;             /* id -> request of a large message, both sides */
    uint32_t last_name;                 /* that was given */
    uint32_t last_rts;                  /* id of the last message that an RTS announced */
    struct mend_comm *last_comm;        /* the context of the last frame */
    struct mend_p2p_buffer *buffer;
    _Alignas(max_align_t) struct mend_request
        sent;                 /* mend_p2p_sent(); aligned as what programs have handles of */
    struct mend_table credit; /* struct mend_credit by peer, from the first message that was kept */
    struct mend_table burst;  /* struct mend_burst by peer (burst.c) */
    uint32_t burst_trust;     /* burst.c */
    uint64_t kept_n, kept_peak;   /* messages that no receive has wanted yet */
    struct mend_set_aside *aside; /* records for messages whose data is lost (credit.c) */
    struct mend_message *unused;  /* those that were given back, linked by next_unused */
    uint32_t aside_n;             /* of all */
    uint32_t credit_n;            /* processes whose small messages were kept here */
    uint32_t told_n;              /* processes whose small messages have to wait here */
    uint32_t taken_n;             /* messages that went from the transport to a receive directly */
    uint64_t moved_bytes;         /* of large messages that came, either way */
    uint32_t receiving_n;         /* large messages on their way to here */
    mend_peer last_from;          /* the sender of the last one */
    uint32_t mixed_n;             /* not 0: the last ones were of several senders */
    struct mend_timed timed;
    bool may_share;                 /* a sender may help */
    struct mend_share *share;       /* from the first message on that is copied (share.c) */
    struct mend_p2p_request *spare; /* released requests, for the next ones */
    enum mend_single_copy single_copy;
    struct mend_ways *ways; /* by peer, from the first timed one (single_copy.c) */
};

static inline void mend_traffic_sent(struct mend_p2p *p, unsigned channel, uint64_t bytes)
{
    p->traffic[channel].sent_n++;
    p->traffic[channel].sent_bytes += bytes;
}

static inline void mend_traffic_came(struct mend_p2p *p, unsigned channel, uint64_t bytes)
{
    p->traffic[channel].came_n++;
    p->traffic[channel].came_bytes += bytes;
}

/* single_copy.c: mend_p2p.single_copy at the start, by the parameter's word. */
enum mend_single_copy mend_single_copy_at_first(const struct mend_proc *self, const char *how);
/* A large message begins to come; the way that it goes; one has come, and is not counted as under way any more. */
void mend_single_copy_begin(struct mend_proc *self, mend_peer from, enum mend_channel channel,
                            uint64_t bytes);
enum mend_way mend_single_copy_way(const struct mend_p2p *p, mend_peer from,
                                   enum mend_channel channel, uint64_t bytes);
void mend_single_copy_end(struct mend_p2p *p);
/* Does its sender copy, too, if it is in MPI? */
bool mend_single_copy_is_helped(const struct mend_p2p *p, mend_peer from,
                                enum mend_channel channel);
/* Messages to and from that process crossed one another last. */
bool mend_single_copy_crosses(const struct mend_p2p *p, mend_peer peer);
/* More ranks than cores, and several of them send large messages to this one. */
bool mend_single_copy_exchanges(const struct mend_proc *self, enum mend_channel channel);
/* An RTS was sent: a message that comes from there meanwhile crosses its message. */
void mend_single_copy_rts_sent(struct mend_p2p *p, mend_peer to);
/* A message could not be copied and goes in fragments: counts as one that took for ever. */
void mend_single_copy_failed(struct mend_p2p *p, mend_peer from, enum mend_channel channel,
                             uint64_t bytes);

/* share.c.  turn: copies a fragment of the receive, or of another one whose turn it is; polled. */
bool mend_share_possible(const struct mend_proc *self);
void mend_share_turn(struct mend_request *base);
/* True: the sender may be writing into the buffer of the receive, which must not end now; when that is over, it ends
 * with r->over. */
bool mend_share_holds(struct mend_proc *self, struct mend_p2p_request *r);

/* credit.c.  kept, let_go: a small message of another process was kept for a later receive; is not any more. */
void mend_credit_kept(struct mend_proc *self, mend_peer peer, size_t bytes);
void mend_credit_let_go(struct mend_proc *self, mend_peer peer, size_t bytes);
void mend_credit_on_death(struct mend_proc *self, mend_peer dead);
/* The peer is to send an RTS for small messages. */
void mend_credit_hold(struct mend_proc *self, mend_peer peer);
/* True if small messages to the peer need an RTS. */
bool mend_credit_holds(const struct mend_proc *self, mend_peer peer);
/* Memory for the records of messages whose data is lost; at the start. */
bool mend_credit_set_aside(struct mend_proc *self);
/* A record of a message of the peer, which has to wait from now on; NULL: none is left of those set aside. */
struct mend_message *mend_credit_take_record(struct mend_proc *self, mend_peer peer);
bool mend_credit_give_back(struct mend_proc *self, struct mend_message *m); /* false: it is none */
/* A peer that has to wait has sent an RTS: may it go on? */
void mend_credit_look(struct mend_proc *self, mend_peer peer);

static inline struct mend_p2p_request *mend_p2p_of(struct mend_request *r)
{
    return (struct mend_p2p_request *)r;
}

/* burst.c: of a send to the process that is about to begin and does not block: should it wait in the outbox, for others that
 * leave with it?  over: those that have waited for that leave now. */
void mend_burst_init(struct mend_proc *self);
bool mend_burst_waits(const struct mend_p2p_request *r, mend_peer to);
void mend_burst_over(struct mend_proc *self, mend_peer to);

/* send.c: the message of the last RTS is under way, to that process. */
bool mend_send_is_under_way(const struct mend_p2p *p, mend_peer to);

/* Receives.  begin: matches or posts; the request completes now or later. */
void mend_recv_begin(struct mend_p2p_request *r);
/* A message (taken out of the queues) meets its receive; frees the message. */
void mend_recv_meet(struct mend_p2p_request *r, struct mend_message *m);
void mend_recv_rts(struct mend_p2p_request *r, mend_peer peer, int source, int tag,
                   const struct mend_rts *rts);
/* A large message is not on its way to this receive any more. */
static inline void mend_recv_leaves(struct mend_proc *self, struct mend_p2p_request *r)
{
    if (mend_likely(r->stage != MEND_STAGE_COMING))
        return;
    r->stage = MEND_STAGE_MATCHED;
    self->p2p->receiving_n--;
}

/* All that there is room for has been copied; it could not be copied. */
void mend_recv_copied(struct mend_proc *self, struct mend_p2p_request *r);
void mend_recv_unpullable(struct mend_proc *self, struct mend_p2p_request *r, enum mend_status st);
void mend_recv_local(struct mend_p2p_request *r, struct mend_p2p_request *sender);

/* Bytes that a receive has room for, and where they begin if its type is dense. */
static inline MPI_Count mend_recv_capacity(const struct mend_p2p_request *r)
{
    return r->total_bytes;
}

static inline void *mend_recv_dense_at(const struct mend_p2p_request *r, MPI_Count at)
{
    return mend_type_dense_at(r->type, r->buf, at);
}

/* The message of a receive is known. */
static inline void mend_recv_matched(struct mend_p2p_request *r, int source, int tag)
{
    r->stage = MEND_STAGE_MATCHED;
    r->base.pending = 0;
    r->base.source = source;
    r->base.tag = tag;
    mend_event(r->base.comm->self, MEND_EV_P2P_RECV_MATCHED);
}

/* A whole message meets its receive. */
static inline void mend_recv_eager(struct mend_p2p_request *r, int source, int tag,
                                   const void *payload, size_t len)
{
    size_t room = (size_t)mend_recv_capacity(r), n = len < room ? len : room;

    mend_recv_matched(r, source, tag);
    r->base.bytes = (MPI_Count)n;
    if (mend_likely(r->type->dense))
        mend_copy(mend_recv_dense_at(r, 0), payload, n);
    else
        mend_type_unpack(r->type, r->buf, r->count, 0, payload, n);
    mend_request_complete(&r->base, mend_likely(len <= room) ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
}

/* Sends. */
void mend_send_begin(struct mend_p2p_request *r);

/* The transport has taken all of its bytes: the send is complete when they have left this process. */
void mend_send_taken(struct mend_p2p_request *r);

/* A send ends although its receiver may still pull: whatever is pulled from now on is refused there. */
void mend_send_withdraw(struct mend_p2p_request *r);

/* Its receiver has said how far it has come.  A send is polled while it is CANCELLING. */
static inline void mend_send_answered(struct mend_p2p_request *r, enum mend_stage stage)
{
    if (r->stage == MEND_STAGE_CANCELLING)
        mend_list_remove(&r->base.link);
    r->stage = stage;
}

/* Takes an unmatched send back that never left this process. */
void mend_send_cancel_local(struct mend_p2p_request *r);

/* ops->start and ops->release of both kinds. */
int mend_p2p_start(struct mend_request *r);
void mend_p2p_release(struct mend_request *r);

/* Gives a large message a name on the wire, which leads to its request here: never 0, which a message without a name has,
 * nor one that another has still.  To be called under pressure: the other end is to know it. */
uint32_t mend_p2p_name(struct mend_p2p *p, struct mend_p2p_request *r);

/* Ends a transfer (in no posted queue): takes it out of every list and completes it. */
void mend_transfer_end(struct mend_p2p_request *r, int error);
void mend_transfer_add(struct mend_p2p_request *r);

/* The communicator of a context, or NULL. */
struct mend_comm *mend_p2p_comm(struct mend_proc *self, mend_ctx ctx);

/* Frame handlers. */
mend_frame_handler mend_p2p_on_eager, mend_p2p_on_decline, mend_p2p_on_rts, mend_p2p_on_cts,
    mend_p2p_on_data, mend_p2p_on_cancel, mend_p2p_on_cancel_reply, mend_p2p_on_credit,
    mend_p2p_on_share;

/* Where the fragment of a large message belongs (net.h: displace); NULL: nowhere as a whole. */
void *mend_p2p_place(struct mend_proc *self, mend_peer from, const struct mend_frame *f);

mend_homeless_handler mend_p2p_on_homeless_cancel;

extern const struct mend_request_ops mend_send_ops, mend_recv_ops;

/* Copy for a buffered send: room of n bytes in the attached buffer, or MPI_ERR_BUFFER. */
int mend_buffer_take(struct mend_comm *c, size_t n, void **room_p);
void mend_buffer_give_back(struct mend_proc *self, void *room);

#endif
