/* SPDX-License-Identifier: BSD-3-Clause */
/* rank.h – what the segment holds of each rank: its life word, how it sleeps, what it waits for.
 *
 * A rank writes down here what others may need when it cannot answer any more: how it is called by the kernel, which
 * signal it dies of, how far it has let go of the dead.  The agent writes the verdict on it.  Each line has one
 * writer; layout.h names the words with several. */
#ifndef MEND_NODE_RANK_H
#define MEND_NODE_RANK_H

#include "base/atomic.h"
#include "node/layout.h"

#include <pthread.h>
#include <stddef.h>

#define MEND_NODE_WAIT_BYTES  1024u
#define MEND_NODE_CALL_BYTES  64u
#define MEND_NODE_COMM_BYTES  160u
#define MEND_NODE_PEERS_WORDS 16u /* of a set of ranks in a report: the first 1024 */
#define MEND_NODE_SLEEPERS    32u /* ranks that sleep on one futex: the bits of its mask */

enum {
    MEND_NODE_ABORTS = 1,
    MEND_NODE_ABORTS_OTHERS
}; /* itself; and those of the datagram with it */

enum {
    MEND_NODE_ARMED = 1,
    MEND_NODE_ARMED_NUDGED
}; /* woken by frames; also by mend_node_nudge() */

/* The collective call that a rank waits in.  Those of one communicator are numbered alike at all its members. */
struct mend_node_call {
    uint64_t ctx; /* 0: none */
    uint64_t nth;
    char name[MEND_NODE_CALL_BYTES], comm[MEND_NODE_COMM_BYTES];
    uint64_t peers[MEND_NODE_PEERS_WORDS]; /* the ranks that it waits for */
};

struct mend_node_rank {
    /* written by the rank, except for the bit that the kernel sets */
    _Alignas(MEND_CACHE_LINE) pthread_mutex_t life; /* robust, shared; held by the main thread */
    mend_atomic_u32 life_valid;                     /* 1: `life` is held, its mark means death */
    mend_atomic_u32 abort_code;                     /* valid if abort_asked */
    mend_atomic_u32 abort_follows;                  /* too: 1: as in struct mend_abort */
    mend_atomic_u32 abort_asked; /* MEND_NODE_ABORTS...: this rank is ending itself, by MPI_Abort or
                                     a fatal error */
    mend_atomic_u32 pid;         /* the process that is this rank, as it is called in its own pid
                                     namespace; 0: it has not called MPI_Init.  Others try it, and
                                     believe it if they find the cookie there */
    mend_atomic_u32 withdrawn;   /* stamp of offers: how often some of them were withdrawn */
    mend_atomic_u32 crash_signal; /* not 0: a signal of which the process will dump core */
    mend_atomic_u32 crash_thread; /* the thread that got it, which dumps */
    mend_atomic_u64 handlers;  /* bit n - 1: the library handles signal n; execve ends that, and the
                                     end of a process does not (launch/agent/procfs.c) */
    mend_atomic_u32 in_script; /* 1: by the kernel's word not the process that the agent started */
    mend_atomic_u32 poke_thread; /* the thread that SIGURG interrupts for a notification; 0: none */
    mend_atomic_u64 cookie_at;   /* where in its private memory it keeps ... */
    mend_atomic_u64 cookie; /* ... this number, drawn by lot, which no other process has there */

    _Alignas(MEND_CACHE_LINE) mend_atomic_u32 armed; /* asleep, or about to sleep */

    _Alignas(MEND_CACHE_LINE)
        mend_atomic_u32 attends; /* 1: it waits in MPI; with more ranks than cores only */
    mend_atomic_u32
        awaits; /* 1 + the name of the process that it waits for in MPI_Finalize; 0: none; or: */
#define MEND_NODE_AWAITS_ANY UINT32_MAX /* all that others say of how far they are in MPI */

    /* written by the agent, except fetch-adds by ranks that call this one */
    _Alignas(MEND_CACHE_LINE)
        mend_atomic_u32 interrupt; /* bumped with each verdict and each call */
    mend_atomic_u32 fate;          /* enum mend_peer_fate */
    mend_atomic_u32 inner_pid;     /* the rank in a script, as the kernel calls it; 0: none known */
    mend_atomic_u32 group;         /* the process group that it leads; 0: none */
    uint32_t born_n;               /* verdicts that were given before it was started */
    mend_atomic_u32 readable_n;    /* events of its descriptors that the agent has taken: watch.h */
    mend_atomic_u32 deaf;          /* 1: the agent cannot watch them */
    mend_atomic_u32 callers_n;     /* connections that the agent has passed on to it: greeting.h */
    mend_atomic_u64
        tally_was; /* the answer to its last question for a number that the job keeps (rt.h), and ... */
    mend_atomic_u64 tallied_n; /* ... the number of that; released last */

    /* written by the rank, for the time when it or others are dead (launch/agent/segment.c) */
    _Alignas(MEND_CACHE_LINE) mend_atomic_u32
        let_go_n; /* it looks at nothing of the first so many dead of the log (life/let_go.c) */
    mend_atomic_u32
        vote_blocks_n; /* its vote blocks from here on were never used: they have no pages */
    mend_atomic_u64
        contexts_n; /* bits of its row that were used, also by ranks that had its place before */
    mend_atomic_u64
        vote_blocks_made; /* how often it has taken a vote block; released when the label is there */
    mend_atomic_u32 sent_early;  /* 1: it has sent to a rank that had not come to MPI_Init yet */
    mend_atomic_u32 overslept_n; /* sleeps that were too long: net.h, overslept() */

    /* written by the rank: what it waits for, as text, when asked by SIGUSR1; then wait_seq is
     * bumped (release), by which the agent knows that the text is an answer */
    _Alignas(MEND_CACHE_LINE) mend_atomic_u32 wait_seq;
    uint32_t wait_busy; /* 1: a thread was inside the library, so it may be worth asking again */
    char wait_text[MEND_NODE_WAIT_BYTES];
    struct mend_node_call wait_call;
};

struct mend_node_sleep {
    _Alignas(MEND_CACHE_LINE) mend_atomic_u32 wake; /* futex */
};

static inline struct mend_node_rank *mend_node_rank_of(struct mend_node_header *h, mend_place p)
{
    return (struct mend_node_rank *)((char *)h + h->at[MEND_NODE_PART_RANK]) + p.at;
}

/* The futex word within rank.life: the owner's thread id; the kernel sets FUTEX_OWNER_DIED when
 * that thread ends.  glibc keeps it first. */
static inline mend_atomic_u32 *mend_node_life_word(struct mend_node_rank *r)
{
    _Static_assert(offsetof(pthread_mutex_t, __data.__lock) == 0, "the lock word comes first");
    return (mend_atomic_u32 *)&r->life;
}

static inline struct mend_node_sleep *mend_node_sleep_of(struct mend_node_header *h, mend_place p)
{
    return (struct mend_node_sleep *)((char *)h + h->at[MEND_NODE_PART_SLEEP]) +
           p.at / MEND_NODE_SLEEPERS;
}

#endif
