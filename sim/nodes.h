/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.h – agents and processes on several nodes, as the play (nodes.c) and its checkers see them.
 *
 *   0 .. nodes - 1       the agents; 0 is the root of the log
 *   nodes .. ranks - 1   the processes, node by node; each is a process of the play of agreement
 *
 * A *member* is a process counted without the agents; it is its name in the log, too. */
#ifndef MEND_SIM_NODES_H
#define MEND_SIM_NODES_H

#include "ft/log_sm.h"
#include "play.h"

#define MEND_SIM_HELD_BYTES 40

/* First byte of a message. */
enum mend_sim_nodes_kind {
    MEND_SIM_NODES_FRAME,  /* between processes; the rest is of the play of agreement */
    MEND_SIM_NODES_FACTS,  /* between agents; the rest is ft/log_wire.h's */
    MEND_SIM_NODES_PAPERS, /* the rest is of papers.c */
    MEND_SIM_NODES_OTHER,  /* first of those of nodes.c */
};

/* Broken rules that a process notices itself; nodes_checks.c has the others. */
enum mend_sim_nodes_wrong {
    MEND_SIM_NODES_ORDER = 1,  /* N1 */
    MEND_SIM_NODES_DIVIDED,    /* N4 */
    MEND_SIM_NODES_TWICE,      /* N5 */
    MEND_SIM_NODES_AFTERWARDS, /* N6 */
};

/* Of the log a process sees the entries that deaths and revocations are: those are *visible*, and have numbers of their own. */
struct mend_sim_nodes_agent {
    int32_t rank;         /* as of a process: first */
    uint8_t wrong;        /* enum mend_sim_nodes_wrong */
    uint8_t revoked_due;  /* a process of the node has said so, and the log is to be told */
    uint8_t revoked_said; /* and was */
    uint8_t held_bytes;   /* --break swap: an entry that is written after the next one */
    uint8_t held[MEND_SIM_HELD_BYTES];
    uint8_t papers_wanted;
    uint32_t searches_n;
    uint64_t nodes_lost; /* as the log says */
    uint32_t written;    /* visible entries in the memory of the node */
    uint32_t revoked;    /* by which of them the context is; 0: it is not */
    uint64_t chain;      /* hash of all that was written */
    uint64_t store[];    /* sets; at the root what the log has said; the machine of the log */
};

struct mend_sim_nodes_rank {
    int32_t rank;
    uint8_t wrong;
    uint8_t revoked;  /* it knows that the context is */
    uint8_t aborting; /* it has called MPI_Abort, and does nothing more */
    uint8_t outside;  /* all is decided for it, and it hears nothing any more */
    uint32_t seen;    /* visible entries */
    uint64_t chain;
    uint64_t store[]; /* papers; the process of the play of agreement */
};

/* Sets of an agent; of members, the last two of agents. */
enum mend_sim_nodes_set {
    MEND_SIM_NODES_HEARD,  /* those of its node that are dead */
    MEND_SIM_NODES_DUE,    /* of them: the log is to be told */
    MEND_SIM_NODES_ENDED,  /* those that it has killed; they are reported together */
    MEND_SIM_NODES_ABORT,  /* the log is to be told that these shall end; over several nodes */
    MEND_SIM_NODES_SPOKE,  /* those that have told it of a revocation */
    MEND_SIM_NODES_LOST,   /* root: agents that are dead */
    MEND_SIM_NODES_UNSAID, /* root: the log is to be told of their loss */
    MEND_SIM_NODES_SETS
};

static inline size_t mend_sim_nodes_words(const struct mend_sim_conf *c)
{
    return mend_bits_words(c->ranks);
}

static inline uint64_t *mend_sim_nodes_set(const struct mend_sim_nodes_agent *a,
                                           enum mend_sim_nodes_set which,
                                           const struct mend_sim_conf *c)
{
    return (uint64_t *)(uintptr_t)a->store + (size_t)which * mend_sim_nodes_words(c);
}

/* What the root has seen in the log: the hash of the first k visible entries, of each member the entry by which it is dead
 * (-1: it is not), and the number of the abort that ends it (0: none). */
static inline size_t mend_sim_nodes_entries_max(const struct mend_sim_conf *c)
{
    return (size_t)c->ranks + 2;
}

static inline uint64_t *mend_sim_nodes_chain(const struct mend_sim_nodes_agent *root,
                                             const struct mend_sim_conf *c)
{
    return mend_sim_nodes_set(root, MEND_SIM_NODES_SETS, c);
}

static inline int16_t *mend_sim_nodes_died(const struct mend_sim_nodes_agent *root,
                                           const struct mend_sim_conf *c)
{
    return (int16_t *)(void *)(mend_sim_nodes_chain(root, c) + mend_sim_nodes_entries_max(c));
}

static inline int16_t *mend_sim_nodes_aborted(const struct mend_sim_nodes_agent *root,
                                              const struct mend_sim_conf *c)
{
    return mend_sim_nodes_died(root, c) + c->ranks;
}

static inline void *mend_sim_nodes_questions(const struct mend_sim_nodes_agent *a,
                                             const struct mend_sim_conf *c)
{
    size_t halves = (2 * (size_t)c->ranks * sizeof(int16_t) + 7) / 8;

    return mend_sim_nodes_chain(a, c) + (a->rank ? 0 : mend_sim_nodes_entries_max(c) + halves);
}

size_t mend_sim_questions_bytes(const struct mend_sim_conf *c);

static inline struct mend_log *mend_sim_nodes_log(const struct mend_sim_nodes_agent *a,
                                                  const struct mend_sim_conf *c)
{
    return (void *)((char *)mend_sim_nodes_questions(a, c) + mend_sim_questions_bytes(c));
}

/* ---- papers.c ---- */

struct mend_sim_paper {
    uint64_t number; /* 1 + the agreement's; 0: nothing is written */
    uint64_t asked;  /* 1 + that of which its process has asked the agent; 0: none */
    uint64_t print;  /* hash of the value */
    uint64_t len;
    uint8_t bytes[];
};

/* In the block of a process, and of an agent. */
size_t mend_sim_papers_bytes(const struct mend_sim_conf *c);

struct mend_sim_paper *mend_sim_paper(const struct mend_sim_nodes_rank *p, int k, uint64_t seq,
                                      const struct mend_sim_conf *c);

/* A process writes, asks, and is told. */
void mend_sim_papers_write(struct mend_sim_nodes_rank *p, int k, uint64_t seq,
                           const struct mend_agree_msg *msg, const struct mend_sim_conf *c,
                           struct mend_sim_io *io);
void mend_sim_papers_ask(struct mend_sim_nodes_rank *p, int k, uint64_t seq, uint32_t round,
                         const struct mend_sim_conf *c, struct mend_sim_io *io);
void mend_sim_papers_told(struct mend_sim_nodes_rank *p, const uint8_t *bytes, size_t len,
                          const struct mend_sim_conf *inner, const struct mend_sim_conf *c,
                          struct mend_sim_io *io);

/* An agent hears a process of its node, or another agent; a process of its node is dead, or the log says that a node is lost. */
void mend_sim_papers_hear(struct mend_sim_nodes_agent *a, int from, const uint8_t *bytes,
                          size_t len, const struct mend_sim_conf *c, struct mend_sim_io *io);
void mend_sim_papers_died(struct mend_sim_nodes_agent *a, int member, const struct mend_sim_conf *c,
                          struct mend_sim_io *io);
void mend_sim_papers_lost(struct mend_sim_nodes_agent *a, int node, const struct mend_sim_conf *c,
                          struct mend_sim_io *io);

/* ---- the rest ---- */

static inline void *mend_sim_nodes_inner_proc(const struct mend_sim_nodes_rank *p,
                                              const struct mend_sim_conf *c)
{
    return (char *)(uintptr_t)p->store + mend_sim_papers_bytes(c);
}

/* The play of agreement sees the processes only. */
static inline struct mend_sim_conf mend_sim_nodes_inner(const struct mend_sim_conf *c)
{
    struct mend_sim_conf inner = *c;

    inner.ranks = mend_sim_members(c);
    inner.nodes = inner.agent_crashes = 0;
    inner.hears_first = true;
    return inner;
}

/* The members that an abort by this one ends, itself among them. */
void mend_sim_nodes_victims(int member, const struct mend_sim_conf *c, uint64_t *set);

/* The root has a new entry. */
void mend_sim_nodes_note(struct mend_sim_nodes_agent *root, const struct mend_fact *f,
                         const struct mend_sim_conf *c);

const char *mend_sim_check_nodes(const struct mend_sim_view *v, int rank);
const char *mend_sim_check_nodes_end(const struct mend_sim_view *v);

#endif
