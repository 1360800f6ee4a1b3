/* SPDX-License-Identifier: BSD-3-Clause */
/* match.h – the queues of a communicator: receives that wait for messages, and messages that wait for receives.
 *
 * Each channel has a pair of queues for each source, made on first use, and one for wildcards; match.c has the rules
 * by which the two meet. */
#ifndef MEND_P2P_MATCH_H
#define MEND_P2P_MATCH_H

#include "p2p/p2p.h"
#include "p2p/wire.h"

#define MEND_MESSAGE_MAGIC 0x6d657367u
#define SOURCES_PER_PAGE   16

/* Everything known of one sender on one channel of one communicator. */
struct mend_source {
    struct mend_list posted;     /* receives that name it, in order of posting */
    struct mend_list unexpected; /* its messages that no receive wanted yet, in order of arrival */
};

/* One channel of one communicator. */
struct mend_space {
    struct mend_source **pages;    /* rank / 16 -> 16 sources */
    struct mend_list any_posted;   /* wildcard receives */
    struct mend_list any_messages; /* all unexpected messages, in order of arrival */
};

/* The queues of one communicator.
 *
 * Invariants (check.c):
 *   1  every communicator that is in the table of contexts has them;
 *   2  a message that waits is in `unexpected` of its source and in `any_messages`, both in the order of
 *      arrival; its source is a member;
 *   3  a posted receive is active and unmatched, and in the queue of the rank that it names, or of the
 *      wildcards, in the order of posting;
 *   4  no message waits that a posted receive fits;
 *   5  a transfer is active and in no posted queue; the name of a large one leads to it;
 *   6  nothing but wildcards waits for a dead process, and only wildcards are pending (S0-20);
 *   7  nothing waits on a revoked communicator, but what its sender is still writing (S0-60). */
struct mend_match {
    struct mend_space space[2]; /* MEND_CHANNEL_P2P, MEND_CHANNEL_COLL */
    struct mend_list transfers; /* active requests that are in no posted queue */
    uint64_t seq;               /* receives posted */
};

/* A message that arrived before a receive wanted it, or was taken by a matched probe. */
struct mend_message {
    uint32_t magic;
    struct mend_list by_source, by_arrival; /* unlinked once taken */
    struct mend_comm *comm;                 /* a reference is held once taken by a matched probe */
    struct mend_p2p_request *local_sender;  /* a large message of this process to itself */
    enum mend_frame_kind kind;              /* EAGER or RTS */
    bool broken; /* RTS of a process that died: the data will never come */
    bool lost;   /* EAGER for whose data there was no memory, here or (DECLINE) at its sender */
    struct mend_message *next_unused; /* of the records set aside (credit.c) */
    mend_peer peer;
    int source, tag;
    struct mend_rts rts; /* RTS */
    MPI_Count bytes;
    unsigned char payload[]; /* EAGER */
};

static inline struct mend_space *mend_p2p_space(struct mend_comm *c, enum mend_channel channel)
{
    return &c->match->space[channel];
}

struct mend_source *mend_match_make_page(struct mend_comm *c, struct mend_space *space, int rank);

/* The source of a rank; made on first use. */
static inline struct mend_source *mend_match_source(struct mend_comm *c, struct mend_space *space,
                                                    int rank)
{
    struct mend_source *page = space->pages[(unsigned)rank / SOURCES_PER_PAGE];

    return mend_likely(page != NULL) ? &page[(unsigned)rank % SOURCES_PER_PAGE]
                                     : mend_match_make_page(c, space, rank);
}

/* First unexpected message for a receive, or NULL.  source may be MPI_ANY_SOURCE. */
struct mend_message *mend_match_find(struct mend_comm *c, struct mend_space *space, int source,
                                     int tag);
/* Takes it out of the queues. */
void mend_match_take(struct mend_message *m);
void mend_message_free(struct mend_proc *self, struct mend_message *m);

/* A receive goes into its posted queue. */
void mend_match_post(struct mend_p2p_request *r);

struct mend_p2p_request *mend_match_arrived_slow(struct mend_comm *c, struct mend_space *space,
                                                 int source, int tag);

/* The oldest posted receive for a message, out of its queue, or NULL.  Nearly always it is the
 * first one that names the source. */
static inline struct mend_p2p_request *
mend_match_arrived(struct mend_comm *c, struct mend_space *space, int source, int tag)
{
    struct mend_source *s = mend_match_source(c, space, source);
    struct mend_list *l = s ? mend_list_first(&s->posted) : NULL;
    struct mend_p2p_request *r;

    if (mend_unlikely(!l || !mend_list_empty(&space->any_posted)))
        return mend_match_arrived_slow(c, space, source, tag);
    r = mend_list_entry(l, struct mend_p2p_request, queue);
    if (mend_unlikely(r->want_tag != tag))
        return mend_match_arrived_slow(c, space, source, tag);
    mend_list_remove(l);
    return r;
}

/* No receive wanted it: keep it.  len bytes of payload are copied; payload NULL: the caller fills in
 * message->payload.  NULL: no memory. */
struct mend_message *mend_match_keep(struct mend_comm *c, struct mend_space *space,
                                     enum mend_frame_kind kind, mend_peer peer, int source, int tag,
                                     const void *payload, size_t len);

/* The same for a small message of another process.  Without memory for its data it is kept as lost, and
 * if there is no memory for that either this process cannot go on (S4-1). */
void mend_match_keep_eager(struct mend_comm *c, struct mend_space *space, mend_peer peer,
                           int source, int tag, const void *payload, size_t len);

/* The same for a message that its sender declined. */
void mend_match_keep_declined(struct mend_comm *c, struct mend_space *space, mend_peer peer,
                              int source, int tag);

/* True if a member of the source group died and was not acknowledged (S0-20). */
bool mend_match_unacked(struct mend_comm *c);

/* PROC_FAILED is reported for a dead rank: nothing that it had sent succeeds any more (S0-18). */
void mend_match_source_failed(struct mend_comm *c, struct mend_space *space, int rank);

#endif
