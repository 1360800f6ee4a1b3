/* SPDX-License-Identifier: BSD-3-Clause */
/* decide.h – joint decisions of the members of a communicator.  Revocation is in revoke.h.
 *
 * A communicator has sequences of agreements.  Each agreement is the next in its sequence at all members, so a
 * vote is never counted in another agreement. */
#ifndef MEND_DECIDE_DECIDE_H
#define MEND_DECIDE_DECIDE_H

#include "base/hash.h"
#include "coll/coll.h"
#include "ft/agree_sm.h"

/* A communicator has three sequences of agreements.  EXPLICIT ones are called for by the user (agree,
 * shrink) and wait for every living member.  Those of CREATION need no call once the communicator
 * has a failure or is revoked: every member then vetoes in advance, so no other one waits for it.
 * Those of VALIDATION need no call once it is revoked. */
enum mend_decide_kind {
    MEND_DECIDE_EXPLICIT,
    MEND_DECIDE_CREATION,
    MEND_DECIDE_VALIDATION,
    MEND_DECIDE_KINDS
};

/* Agreement among the survivors of c.  Collective over the survivors; blocks until decided; never
 * fails because of deaths or revocation (S0-88..93).  and_words and max_words are in-out. */
struct mend_decision {
    uint64_t and_word[MEND_AGREE_WORDS], max_word[MEND_AGREE_WORDS]; /* max_word[3] is ours */
    struct mend_group *failed; /* out: members agreed to be failed, caller drops it; may be NULL */
    int failed_n;              /* out: how many */
    bool all_acked;            /* out: everybody had acknowledged all of them (R16) */
    uint64_t cells;            /* creation: what this process offers (node/cells.h) */
    bool parts; /* creation: disjoint communicators with one context (create/split.c) */
};
void mend_decide(struct mend_comm *c, struct mend_decision *value);

/* Nonblocking: done(arg, value) runs from progress; value is valid during the call. */
typedef void mend_decide_done(void *arg, struct mend_decision *value);
void mend_decide_start(struct mend_comm *c, const struct mend_decision *value,
                       mend_decide_done *done, void *arg);

/* flag.c: the users' agreement.  Collective over the survivors of c; *flag is in-out.  logical: true or false at all
 * (MPI_Comm_agreement), never fails; else bitwise (MPIX_Comm_agree), and MPI_ERR_PROC_FAILED if a member has not
 * acknowledged all failures that are agreed on (R16).  The blocking form ends when it is decided: a dead member is
 * not waited for.  The other one takes part at once, whatever memory there is, and writes *flag when its request
 * completes. */
int mend_decide_flag(struct mend_comm *c, bool logical, int *flag);
void mend_decide_iflag(struct mend_comm *c, bool logical, int *flag, struct mend_request **r_p);

/* failed.c: members that were agreed to be failed (NULL: none), in the order of the ranks, which all members know alike. */
struct mend_group *mend_decide_in_order(struct mend_comm *c, struct mend_group *failed);

/* failed.c: the users' agreement on failures (R45): the union of what the survivors of c know, in that order.  Collective over
 * the survivors of c; acknowledges nothing, and fails neither for deaths nor for a revocation, but where
 * mend_decide_abandon() ends it.  The blocking form ends when it is decided, as mend_decide_flag(), and the deaths have
 * become known here, as they have at another member; the caller drops the group.  The other one takes part at once,
 * whatever memory there is, and writes *answer when its request completes. */
int mend_decide_failed(struct mend_comm *c, struct mend_group **failed_p);
void mend_decide_ifailed(struct mend_comm *c, MPI_Group *answer, struct mend_request **r_p);

struct mend_voteblocks;

/* A sequence of agreements, with its machine made on first use. */
struct mend_decide_sequence {
    struct mend_agree *sm;
    struct mend_list waiting, running;
    struct mend_list unheard; /* tree.c: decided, and this process has not heard of all dead ones */
    struct mend_voteblocks *papers; /* papers.c; NULL: none yet */
    bool said_no;  /* negative votes are given beforehand; of EXPLICIT only where it is abandoned */
    int noes_left; /* tree.c: how many more of them others may wait for */
    uint64_t begun, decided; /* memory.c: how many; or from where they count in tests */
    uint64_t *out;           /* memory.c: bits of members that are absent; NULL: none is */
};

/* Ranks in protocols: an intracommunicator's own; on an intercommunicator both groups one after the
 * other, the one whose first peer is lower comes first. */
struct mend_decide_comm {
    struct mend_comm *comm;            /* whose this is */
    struct mend_group *first, *second; /* second NULL on an intracommunicator; no references */
    int members_n, me;
    struct mend_decide_sequence agreements[MEND_DECIDE_KINDS];
    unsigned proposals_n; /* creations proposed here so far */
    int32_t part;         /* of several communicators of one context: which (revoke.c) */
    bool opened;          /* memory.c: this process may write its votes */
    struct mend_voteblocks
        *vote_blocks; /* memory.c: where the members vote without a cell; NULL: not yet */
    struct mend_brief
        *brief; /* memory.c: words of two members with a cell; NULL: none, or not yet */
    struct mend_hash
        last_words;   /* memory.c: of members, by rank, whose places may be others' by now */
    uint64_t done_at; /* mend_news_now() when all that members do on c for this process was done */
    bool freed_alone; /* by MPI_Comm_free: other members do so when they like */
    bool parts;       /* disconnected: each member had it, so one that has left has seen its end */
    bool
        passes_over_left; /* those that have left MPI count as dead (mend_decide_pass_over_left()) */
    bool is_freed;        /* linger.c: calls on it are in progress, and then it lingers */
    struct mend_list linger; /* linger.c: when it is freed */
};

/* Peer of a protocol rank, and back (-1: no member). */
mend_peer mend_decide_peer(const struct mend_decide_comm *d, int32_t rank);
int32_t mend_decide_rank(struct mend_proc *self, const struct mend_decide_comm *d, mend_peer peer);

/* Starts an agreement; done(arg, value) is called when it is decided, perhaps before this returns. */
void mend_decide_call(struct mend_comm *c, enum mend_decide_kind which,
                      const struct mend_decision *value, mend_decide_done *done, void *arg);

/* The same, and waits.  What ends the wait when a process dies: the agreement goes on without it. */
void mend_decide_wait(struct mend_comm *c, enum mend_decide_kind which,
                      struct mend_decision *value);

/* What c was made for has failed, and members that had an error before may have left MPI, or have closed their last session,
 * without a vote: from now on agreements on c go on without those. */
void mend_decide_pass_over_left(struct mend_comm *c);

/* One more EXPLICIT agreement on a communicator on which nothing goes on any more; it says nothing. */
void mend_decide_last(struct mend_comm *c, mend_decide_done *done);

/* The communicator became failed or revoked: what this sequence decides on it from now on is no. */
void mend_decide_say_no(struct mend_comm *c, enum mend_decide_kind which);

/* The last reference of c is gone.  True: others may still ask about it, so it has a new one. */
bool mend_linger_keep(struct mend_comm *c);

/* To be called before each look at what this process has freed, by a wait that sleeps meanwhile: it is woken for all that may end it, until
 * mend_node_await() says otherwise.  False: not for all, and it must not sleep. */
bool mend_linger_rings(struct mend_proc *self);

/* Goes on without members that have left MPI where this process waits for all to free what it has freed (linger.c). */
void mend_linger_look(struct mend_proc *self);

/* All survivors have freed the communicators that this process has freed and whose members are all members of c, which is
 * disconnected.  What MPI_Comm_free has freed does not count, as others may call it at any time; nor does one that is revoked,
 * or has a member in MPI_Finalize, since some may never free it.  Nothing counts once c is revoked or has a dead member: some
 * may never disconnect it, and are in no call that would end the others. */
bool mend_linger_are_over(struct mend_comm *c);

/* Ends all agreements on c in this process alone, those of the future as well, as refused: no member will use this context of c
 * any more (mend_comm_renew()). */
void mend_decide_abandon(struct mend_comm *c);

/* No communicator that this process has freed is still waiting for others to free it (linger.c). */
bool mend_decide_is_quiet(const struct mend_proc *self);

/* c is one of these. */
bool mend_decide_is_freed(const struct mend_comm *c);

/* Drops the last handle's reference of c, now or a little later (linger.c says why): in a call in which all members do so;
 * alone, as MPI_Comm_free does. */
void mend_decide_free(struct mend_comm *c);
void mend_decide_free_alone(struct mend_comm *c);

/* The same with a communicator that each member had, when nothing is under way on it: requests that are complete and still
 * refer to it do not keep the others from its end. */
void mend_decide_part(struct mend_comm *c);

/* What a creation needed for a while.  made: it has succeeded, so each member had c. */
void mend_decide_free_temporary(struct mend_comm *c, bool made);

int mend_decide_init(struct mend_proc *self);
void mend_decide_on_deaths(struct mend_proc *self, const struct mend_death *death, int n);

/* Keeps what the dead one has said in agreements of communicators, for the memory in which it stands may become another
 * process's.  False: not yet, because there is no memory for it, or a window has the dead one's. */
bool mend_decide_let_go(struct mend_proc *self, mend_peer dead);
int mend_decide_attach(struct mend_comm *c); /* per-communicator state; called at creation */
void mend_decide_detach(struct mend_comm *c);

#endif
