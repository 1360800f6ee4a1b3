/* SPDX-License-Identifier: BSD-3-Clause */
/* internal.h – what the files of the transport by sockets share: connect.c, bound.c, silent.c, send.c, receive.c and tcp.c. */
#ifndef MEND_NET_TCP_INTERNAL_H
#define MEND_NET_TCP_INTERNAL_H

#include "base/list.h"
#include "net/net.h"
#include "net/tcp/stream.h"
#include "node/bell.h"
#include "node/greeting.h"
#include "node/node.h"

/* Tags of frames of kind SKIP. */
enum mend_tcp_word {
    MEND_TCP_TELLS = 0, /* says only what has come */
    MEND_TCP_ASKS,      /* and asks for the same */
};

/* What this process has with another one, made when the first byte goes or comes. */
struct mend_tcp_pair {
    mend_peer peer;

    /* the connection */
    int fd;              /* -1: none */
    uint64_t call;       /* its number, or the last one's: connect.c */
    bool mine;           /* this process has called */
    bool wants_room;     /* the kernel takes no more now */
    uint8_t challenge_n; /* bytes of what the agent says that have come */
    uint8_t hello_n;     /* bytes of our greeting that the kernel has taken */
    uint8_t answer_n;    /* bytes of the peer's greeting that have come */
    struct mend_challenge challenge;
    struct mend_greeting hello, answer;
    mend_time_ns call_at, pause_ns; /* not called again sooner; the next pause */
    bool cut;                       /* a connection is wanted, and could not be made yet */
    bool missed; /* so it is although there is nothing to write: the last one was silent */
    mend_time_ns
        unanswered_at; /* silent.c: nothing has come since then; 0: not looked, or something has */
    mend_time_ns cut_look,
        cut_ns;              /* when that was seen last; for how long, as far as that counts */
    struct mend_list open;   /* tcp.open: it has one */
    bool reserved;           /* a frame is being written into its ring */
    uint64_t asked_for;      /* what of out.needed the peer was asked for */
    uint32_t unasked;        /* bytes put since then, as send.c counts them */
    uint32_t waited_n;       /* polls in which the receiver could have had all loans */
    struct mend_list lender; /* tcp.lenders: it has loans in memory of the program's */

    struct mend_tcp_out out;
    struct mend_list due; /* tcp.due: there is something to write, or to call for */

    struct mend_tcp_in in;
    uint64_t skip;            /* bytes of this connection that an older one has brought */
    bool damaged;             /* nothing more is read */
    bool asked;               /* the peer waits to be told what has come */
    int refused;              /* a call of the peer's that does not count; -1: none */
    struct mend_list refusal; /* tcp.refusals: there is one */
    uint64_t refused_at;      /* position of its next byte */
    uint32_t part_n; /* bytes of a frame that has not come completely: header, then payload */
    struct mend_frame part;
    char *payload; /* NULL until there was such a frame */
    char
        *place; /* where its payload goes instead, in memory of the program's; NULL: nowhere else */
};

struct mend_tcp {
    struct mend_tcp_pair **pair; /* by peer; NULL: there was nothing yet */
    uint8_t *severed;            /* by peer */
    int set;                     /* epoll: all connections, and the timer */
    int timer;                   /* wakes this process when a call or bound.c is due; -1: none */
    mend_time_ns wake_at;        /* it is set to; 0: it is not set */
    struct mend_list due;
    struct mend_list open; /* pairs with a connection, that which was used last at the end */
    struct mend_list refusals;
    uint32_t open_n, refusals_n;
    uint32_t most;          /* of both together, as the limit on descriptors was last */
    mend_time_ns full_at;   /* bound.c: no connection could end since then; 0: one could */
    bool asked;             /* bound.c: all peers, and nothing has come since */
    mend_time_ns silent_at; /* silent.c looks at all connections then; 0: there was none */
    bool polling;           /* what is sent now is written at the end of the poll, together */
    bool gathering;         /* the same, until MEND_GATHER_END */
    bool lends;             /* long payloads stay where they are */
    struct mend_list lenders;
    uint32_t turns_n;     /* polls with a hint */
    unsigned delivered_n; /* in this poll */
    struct mend_look look;

    /* what was read last and is not delivered yet, and its pair */
    struct mend_tcp_pair *from;
    char *at, *end, *buffer;
};

#define MEND_TCP_READ_BYTES (64u * 1024)

static inline struct mend_tcp_pair *mend_tcp_of(const struct mend_proc *self, mend_peer peer)
{
    return self->tcp->pair[peer];
}

/* The same, made if there is none; NULL: no memory. */
struct mend_tcp_pair *mend_tcp_pair_to(struct mend_proc *self, mend_peer peer);

static inline void mend_tcp_use(struct mend_tcp *t, struct mend_tcp_pair *p)
{
    if (p->fd < 0 || p->open.next == &t->open)
        return;
    mend_list_remove(&p->open);
    mend_list_append(&t->open, &p->open);
}

/* Is what is sent now written later, together? */
static inline bool mend_tcp_gathers(const struct mend_tcp *t)
{
    return t->polling || t->gathering;
}

/* The pair has something to write: the next poll looks after it. */
static inline void mend_tcp_make_due(struct mend_proc *self, struct mend_tcp_pair *p)
{
    if (!mend_list_linked(&p->due))
        mend_list_append(&self->tcp->due, &p->due);
}

/* bound.c: how many connections there may be by the limit on descriptors; ends some until there are fewer than so many, or
 * one: false: none can end now, and the timer will say when to try again. */
uint32_t mend_tcp_most(void);
bool mend_tcp_make_room(struct mend_proc *self, uint32_t most);
bool mend_tcp_end_one(struct mend_proc *self);

/* bound.c: the kernel has bytes, or the end, of it. */
bool mend_tcp_has_unread(int fd);

/* silent.c: after how long without a connection the agent is told, 0: never; has the kernel ask the other end of the pair's connection
 * whether it is there; the timer has rung: ends connections whose other end is silent, and calls again. */
mend_time_ns mend_tcp_reach_timeout(const struct mend_proc *self);
void mend_tcp_probe(struct mend_proc *self, struct mend_tcp_pair *p);
void mend_tcp_look_for_silence(struct mend_proc *self);

/* connect.c: begins a connection if none is there and it is time to; takes those that others have begun; this one has
 * ended; what the peer's greeting says. */
void mend_tcp_call(struct mend_proc *self, struct mend_tcp_pair *p);
void mend_tcp_take_callers(struct mend_proc *self);
void mend_tcp_broken(struct mend_proc *self, struct mend_tcp_pair *p);
bool mend_tcp_on_greeting(struct mend_proc *self, struct mend_tcp_pair *p);

/* connect.c: so does what the agent of the peer says first; false: this is not an agent of ours. */
bool mend_tcp_on_challenge(struct mend_proc *self, struct mend_tcp_pair *p);

/* connect.c: the pair's connection ends, if it has one; nothing else follows.  A process that sleeps looks again at that time, or
 * sooner; the timer has rung. */
void mend_tcp_drop(struct mend_proc *self, struct mend_tcp_pair *p);
void mend_tcp_wake_at(struct mend_proc *self, mend_time_ns at);
void mend_tcp_on_timer(struct mend_proc *self);

/* connect.c: reads on from a call that was refused; it ends. */
void mend_tcp_read_refused(struct mend_proc *self, struct mend_tcp_pair *p);
void mend_tcp_end_refused(struct mend_proc *self, struct mend_tcp_pair *p);

/* connect.c: no connection with the pair's peer can be made: after some time the agent is told. */
void mend_tcp_complain(struct mend_proc *self, struct mend_tcp_pair *p);

/* connect.c: the peer is called, whether or not there is something to write; it was not heard of for so long already. */
void mend_tcp_miss(struct mend_proc *self, struct mend_tcp_pair *p, mend_time_ns already);

/* connect.c: whether room in the kernel is waited for, too. */
void mend_tcp_listen(struct mend_proc *self, struct mend_tcp_pair *p, bool for_room);

/* send.c: the program has its memory back, when there were loans for long, or now. */
void mend_tcp_look_at_loans(struct mend_proc *self);
void mend_tcp_end_loans(struct mend_tcp_pair *p);

/* send.c: writes what the kernel takes; of all pairs that are due; says what has come, if the peer asks;
 * asks the peer what has come there, if that is not known and was not asked. */
void mend_tcp_flush(struct mend_proc *self, struct mend_tcp_pair *p);
void mend_tcp_flush_due(struct mend_proc *self);
void mend_tcp_tell(struct mend_proc *self, struct mend_tcp_pair *p);
void mend_tcp_ask(struct mend_proc *self, struct mend_tcp_pair *p);

/* send.c: the kernel has met memory in these pieces that this process may not use; it gets the signal that it would have got itself. */
void mend_tcp_meet_fault(const struct iovec *piece, int n, bool writes);

/* send.c: everything was given to the kernel, or nothing is to be. */
bool mend_tcp_is_done(const struct mend_tcp_pair *p);

enum mend_status mend_tcp_send(struct mend_proc *self, mend_peer to, const struct mend_frame *f,
                               const void *payload);
void *mend_tcp_reserve(struct mend_proc *self, mend_peer to, uint32_t len);
void mend_tcp_commit(struct mend_proc *self, mend_peer to, const struct mend_frame *f);
bool mend_tcp_has_left(struct mend_proc *self, mend_peer to, uint64_t *end);
void mend_tcp_gather(struct mend_proc *self, enum mend_gather how);
int32_t mend_tcp_memory_for(struct mend_proc *self, mend_peer to, uint32_t len);

/* receive.c: delivers what was read before, of whomever.  Drain: all that has reached this process's kernel by a connection of
 * the pair; true: it has ended. */
void mend_tcp_deliver_rest(struct mend_proc *self);
bool mend_tcp_drain(struct mend_proc *self, struct mend_tcp_pair *p, int fd);
void mend_tcp_displace(struct mend_proc *self, mend_peer peer);
unsigned mend_tcp_poll(struct mend_proc *self, mend_peer hint);

#endif
