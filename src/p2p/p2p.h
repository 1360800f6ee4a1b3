/* SPDX-License-Identifier: BSD-3-Clause */
/* p2p.h – point-to-point messages: what the API, the collectives and creation call.
 *
 * Failure semantics of every call here:
 *   - destination or source dead: MPI_ERR_PROC_FAILED, at the completion call for nonblocking ones
 *     (S0-15); messages that had arrived before the death are still received (R12), until the first
 *     PROC_FAILED for that rank on that communicator, after which no call with it succeeds (S0-18);
 *   - unmatched wildcard receive and an unacknowledged death in the source group: blocking calls
 *     return PROC_FAILED, a request reports MPI_ERR_PENDING and stays (S0-20, S0-21);
 *   - communicator revoked: MPI_ERR_INVALIDATED (S0-60, S0-65), channel P2P and COLL alike. */
#ifndef MEND_P2P_P2P_H
#define MEND_P2P_P2P_H

#include "proc/post.h"
#include "req/request.h"

enum mend_send_mode { MEND_SEND_STANDARD, MEND_SEND_SYNC, MEND_SEND_BUFFERED, MEND_SEND_READY };

/* The way of a large message (single_copy.c). */
enum mend_way { MEND_WAY_FRAGMENTS, MEND_WAY_COPY, MEND_WAYS };

/* How far a message has come that takes more than one step.  A send is CANCELLING while the other side has not
 * answered; an answer too late finds it MATCHED.
 *
 *      send     ALONE ⇄ CANCELLING        both ──the receiver asks for it, or has it──> MATCHED
 *      receive  ALONE ──a message──> MATCHED ⇄ COMING (a large one, counted in p2p.receiving_n) */
enum mend_stage {
    MEND_STAGE_ALONE = 0,
    MEND_STAGE_CANCELLING,
    MEND_STAGE_MATCHED,
    MEND_STAGE_COMING,
};

struct mend_message; /* matched probe: a message taken out of the queue; MPI_Message's object */

struct mend_p2p_request {
    struct mend_request base;
    enum mend_channel channel;
    enum mend_send_mode mode;
    bool is_send;
    bool is_helped; /* receive: its sender copies, too */
    bool waits;     /* send: in the outbox, for others that leave with it (burst.c) */
    bool embedded; /* the caller owns the memory, release() keeps it; he says so before isend, irecv
                      (for channel COLL it goes without saying) */
    uint8_t stage; /* enum mend_stage */
    int rank, want_tag;
    union {
        void *buf;
        const void *send_buf;
    };
    struct mend_p2p_request *next_spare; /* while it serves nobody */
    MPI_Count count, total_bytes, moved_bytes;
    union {
        uint64_t announced_bytes; /* receive: what the sender announced */
        uint64_t
            end; /* send: of what has to leave (net.h: has_left); 0, or MEND_NET_LENT: not known yet */
    };
    enum mend_way way;           /* of a large message */
    enum mend_status unpullable; /* why it cannot be copied (share.c) */
    int over; /* receive that has ended with this error, except for what the sender is writing */
    uint64_t pull_at;    /* receive by single copy: where the data is in the sender's memory, */
    uint32_t pull_stamp; /* and the stamp of its RTS */
    const struct mend_type *type;
    union {
        uint64_t seq;          /* receive: posting order among those of one communicator */
        uint64_t cancelled_at; /* send, CANCELLING: mend_news_now() then */
    };
    mend_peer peer;
    uint32_t id, remote_id; /* names on the wire of a large message */
    struct mend_list queue; /* posted queue, or the communicator's transfers */
    struct mend_out out;    /* send: waits for room */
    void *staging;          /* buffered sends: the copy */
};

/* Sets up handlers and queues.  MPI_SUCCESS or MPI_ERR_NO_MEM. */
int mend_p2p_init(struct mend_proc *self);

/* The request of every send that went at once: done, shared, never released. */
struct mend_request *mend_p2p_sent(struct mend_proc *self);

/* Blocking calls.  rank and tag have been checked; MPI_PROC_NULL is allowed. */
int mend_p2p_send(struct mend_comm *c, enum mend_send_mode mode, const void *buf, MPI_Count count,
                  const struct mend_type *t, int dest, int tag);
int mend_p2p_recv(struct mend_comm *c, void *buf, MPI_Count count, const struct mend_type *t,
                  int source, int tag, MPI_Status *status);

/* Nonblocking: *r is initialised by the call in memory of the caller (collectives embed it) or,
 * with mend_p2p_request_create, of the library.  Errors are delivered by the request; the call
 * itself fails only for lack of memory. */
struct mend_p2p_request *mend_p2p_request_create(struct mend_proc *self);
void mend_p2p_request_destroy(struct mend_proc *self, struct mend_p2p_request *r);
int mend_p2p_isend(struct mend_p2p_request *r, struct mend_comm *c, enum mend_channel channel,
                   enum mend_send_mode mode, const void *buf, MPI_Count count,
                   const struct mend_type *t, int dest, int tag);
int mend_p2p_irecv(struct mend_p2p_request *r, struct mend_comm *c, enum mend_channel channel,
                   void *buf, MPI_Count count, const struct mend_type *t, int source, int tag);

/* The same in memory of the library, for the program: *r_p is its request, the shared one of all sends that went at once
 * if the send did.  MPI_ERR_NO_MEM. */
int mend_p2p_isend_new(struct mend_comm *c, enum mend_send_mode mode, const void *buf,
                       MPI_Count count, const struct mend_type *t, int dest, int tag,
                       struct mend_request **r_p);
int mend_p2p_irecv_new(struct mend_comm *c, void *buf, MPI_Count count, const struct mend_type *t,
                       int source, int tag, struct mend_request **r_p);

/* Takes an active request of a collective back when the collective ends early: afterwards the
 * library does not touch its buffer.  Completes it (cancelled) unless it is done already. */
void mend_p2p_abandon(struct mend_p2p_request *r);

/* A member of a collective that has no memory to carry it out takes its part without data, and
 * needs neither requests nor buffers.  decline: takes the place of one send; the receive that matches it ends with
 * MPI_ERR_NO_MEM.  discard: takes the place of one receive, from any member; false: no message has come
 * yet.  Neither blocks. */
void mend_p2p_decline(struct mend_comm *c, int dest, int tag);
bool mend_p2p_discard(struct mend_comm *c, int tag);

/* Persistent: sets up an inactive request; ops->start begins it. */
int mend_p2p_send_init(struct mend_p2p_request *r, struct mend_comm *c, enum mend_send_mode mode,
                       const void *buf, MPI_Count count, const struct mend_type *t, int dest,
                       int tag);
int mend_p2p_recv_init(struct mend_p2p_request *r, struct mend_comm *c, void *buf, MPI_Count count,
                       const struct mend_type *t, int source, int tag);

/* One half of a send and receive; buf of the receiving half: cast away const. */
struct mend_p2p_side {
    const void *buf;
    MPI_Count count;
    const struct mend_type *t;
    int rank, tag;
};

/* sendrecv.c: both halves as one operation, in any order.  replace: both have one buffer, whose data is packed
 * first.  The blocking form ends when both halves have; the nonblocking one gives a request that is complete when
 * both are.  Error: that of the receive, else that of the send; MPI_ERR_NO_MEM.  A death ends the half that needs
 * the dead process, and no other. */
int mend_p2p_sendrecv(struct mend_comm *c, const struct mend_p2p_side *out,
                      const struct mend_p2p_side *in, bool replace, MPI_Status *status);
int mend_p2p_isendrecv(struct mend_comm *c, const struct mend_p2p_side *out,
                       const struct mend_p2p_side *in, bool replace, struct mend_request **r_p);

/* Probes: *found_p tells whether there is a message (iprobe) – the blocking forms wait.  Errors by
 * S0-12: a failure is an answer.  The matched forms take it out of the queue. */
int mend_p2p_iprobe(struct mend_comm *c, int source, int tag, bool *found_p, MPI_Status *status);
int mend_p2p_probe(struct mend_comm *c, int source, int tag, MPI_Status *status);
int mend_p2p_improbe(struct mend_comm *c, int source, int tag, bool *found_p,
                     struct mend_message **message_p, MPI_Status *status);
int mend_p2p_mprobe(struct mend_comm *c, int source, int tag, struct mend_message **message_p,
                    MPI_Status *status);
struct mend_comm *mend_message_comm(const struct mend_message *m);
bool mend_message_check(const struct mend_message *m);
int mend_p2p_imrecv(struct mend_p2p_request *r, struct mend_message *m, void *buf, MPI_Count count,
                    const struct mend_type *t);
int mend_p2p_mrecv(struct mend_message *m, void *buf, MPI_Count count, const struct mend_type *t,
                   MPI_Status *status);

/* MPI_Buffer_attach and friends.  slot: where the buffer of the process, a communicator or a session stands
 * (mend_p2p_buffer_slot()); buffer NULL: MPI_BUFFER_AUTOMATIC, which detach gives back as NULL.
 * Nothing attached: MPI_ERR_BUFFER. */
struct mend_p2p_buffer **mend_p2p_buffer_slot(struct mend_proc *self);
int mend_p2p_buffer_attach(struct mend_proc *self, struct mend_p2p_buffer **slot, void *buffer,
                           MPI_Count size);
int mend_p2p_buffer_detach(struct mend_proc *self, struct mend_p2p_buffer **slot, void **buffer_p,
                           MPI_Count *size_p); /* waits for the messages in it */
/* True if no buffered message waits for delivery. */
bool mend_p2p_buffer_idle(struct mend_proc *self, struct mend_p2p_buffer **slot);
int mend_p2p_buffer_flush(struct mend_proc *self, struct mend_p2p_buffer **slot);
/* A request that is complete when no message of the communicator's buffer waits, or of the session's with this number,
 * or (NULL, 0) of the process's, also if nothing is attached.  MPI_ERR_NO_MEM. */
int mend_p2p_buffer_iflush(struct mend_proc *self, struct mend_comm *c_or_null, uint32_t session,
                           struct mend_request **r_p);

/* Consequences of deaths and of a revocation (life/death.c, decide/revoke.c). */
void mend_p2p_on_deaths(struct mend_proc *self, const struct mend_death *death, int n);
void mend_p2p_on_revoke(struct mend_comm *c);

/* Tells the program which members of c, of both groups, have failed, in the order of the deaths; acked: those that it has
 * acknowledged.  Otherwise it looks for news first, so that a program may wait by asking, and answers meanwhile what
 * others ask it.  Local.  The caller owns the group.  MPI_ERR_NO_MEM. */
int mend_p2p_get_failed(struct mend_comm *c, bool acked, struct mend_group **g_p);

/* The program acknowledges the deaths of the first n members of c that failed, of both groups, in the order of the
 * deaths; what is acknowledged stays so.  If none is left, wildcard receives match and wait again (S0-25).  Local.
 * Returns how many members are acknowledged now. */
int mend_p2p_ack(struct mend_comm *c, int members_n);

/* True if no operation of this process is under way on c.  O(sources that ever sent or were named). */
bool mend_p2p_idle(struct mend_comm *c);

/* How much has been sent, and has arrived, on one channel since MPI began: for tools.  A message counts when its send
 * begins to a living process, and when it is here, or announced if it is large. */
struct mend_p2p_traffic {
    uint64_t sent_n, sent_bytes, came_n, came_bytes;
};
struct mend_p2p_traffic mend_p2p_traffic(const struct mend_proc *self, enum mend_channel channel);

/* Messages that no receive has wanted yet, in all and on one communicator, and receives that wait for a message;
 * of both channels.  The latter two are O(what they count) and O(sources). */
uint64_t mend_p2p_unexpected(const struct mend_proc *self);
uint64_t mend_p2p_unexpected_on(const struct mend_comm *c);
uint64_t mend_p2p_posted_on(const struct mend_comm *c);

/* The most of the first since the last call, which begins it anew. */
uint64_t mend_p2p_take_unexpected_peak(struct mend_proc *self);

/* Match state of one communicator. */
int mend_match_create(struct mend_comm *c);
void mend_match_destroy(struct mend_comm *c);

/* An invariant of it that does not hold (match.h); NULL: all hold (base/check.h).  O(sources, and
 * messages that wait for each posted receive). */
const char *mend_match_check(const struct mend_comm *c);

#endif
