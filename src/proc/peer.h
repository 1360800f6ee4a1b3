/* SPDX-License-Identifier: BSD-3-Clause */
/* peer.h – the table of peers: what this process knows of each process.
 *
 * A peer is the name of a process in this process, an index in `peers` and never used again for another one.  A
 * place is an index in the segment of the node, which a later process may get.  The table grows when processes
 * become known; nothing is taken out of it, and a fate that is dead stays so. */
#ifndef MEND_PROC_PEER_H
#define MEND_PROC_PEER_H

#include "proc/presence.h"
#include "proc/proc.h"

enum mend_peer_fate {
    MEND_PEER_ALIVE = 0,
    MEND_PEER_DEAD, /* final: the agent's verdict */
};

enum mend_where_kind {
    MEND_WHERE_NODE = 0, /* on another node of this job: only frames reach it */
    MEND_WHERE_HERE,     /* on this node: its memory and this process's are the same segment */
    MEND_WHERE_JOB,      /* in another job, which has a segment of its own: only frames reach it */
    MEND_WHERE_NOWHERE, /* of another job, which had ended before this process began: nothing reaches it */
};

/* Where a process is, as seen from this one. */
struct mend_where {
    enum mend_where_kind kind;
    int32_t node;     /* NODE: its number */
    mend_place place; /* in the segment in which it receives; JOB: that of its job */
    mend_place
        sends; /* in the segment in which this process receives: the place from which it sends */
    struct mend_abroad *job; /* JOB: node/abroad.h; else NULL */
};

/* What this process knows of each process whose name is below peers_n, itself included.  Names are never used
 * again. */
struct mend_peer_entry {
    const struct mend_net *net; /* reaches it */
    struct mend_where where;
    const mend_atomic_u32 *presence; /* enum mend_presence, which it writes itself */
    uint8_t fate;                    /* enum mend_peer_fate */
    bool told;                       /* an MPI call told the program of its death */
    bool connected; /* MPI_Finalize waits for it, although there may be no communicator with it */
    bool had_left;  /* dead, and had left MPI or was without a session before */
    bool gone;      /* dead, and its place may be another process's: life/let_go.c */
};

static inline struct mend_peer_entry *mend_peer_entry(const struct mend_proc *self, mend_peer p)
{
    return MEND_TABLE_AT(&self->peers, struct mend_peer_entry, (uint32_t)p);
}

static inline bool mend_peer_shares_memory(const struct mend_proc *self, mend_peer p)
{
    return mend_peer_entry(self, p)->where.kind == MEND_WHERE_HERE;
}

/* MEND_PLACE_NONE: it shares no memory with this process. */
static inline mend_place mend_peer_place(const struct mend_proc *self, mend_peer p)
{
    const struct mend_where *where = &mend_peer_entry(self, p)->where;

    return mend_likely(where->kind == MEND_WHERE_HERE) ? where->place : MEND_PLACE_NONE;
}

/* The other job that it belongs to; NULL: it is of this one. */
static inline struct mend_abroad *mend_peer_job(const struct mend_proc *self, mend_peer p)
{
    return mend_peer_entry(self, p)->where.job;
}

/* How far the peer is in MPI. */
static inline enum mend_presence mend_presence_of(const struct mend_proc *self, mend_peer p)
{
    const struct mend_peer_entry *e = mend_peer_entry(self, p);

    /* acquire: pairs with the release in leave() */
    return e->fate == MEND_PEER_DEAD ? MEND_PRESENCE_DEAD
                                     : (enum mend_presence)mend_load_acquire(e->presence);
}

/* The peer lives, and has left MPI or has no session open. */
static inline bool mend_is_outside(const struct mend_proc *self, mend_peer p)
{
    enum mend_presence presence = mend_presence_of(self, p);

    return presence == MEND_PRESENCE_LEFT || presence == MEND_PRESENCE_AWAY;
}

/* Nobody waits for the peer in MPI_Finalize: it is there or has been there, or is away or dead. */
static inline bool mend_is_leaving(const struct mend_proc *self, mend_peer p)
{
    return mend_presence_of(self, p) >= MEND_PRESENCE_LEAVING;
}

static inline bool mend_peer_is_dead(const struct mend_proc *self, mend_peer p)
{
    return mend_peer_entry(self, p)->fate == MEND_PEER_DEAD;
}

/* All names below `end` are known from now on; the runtime has given them.  A process without memory for them ends, so
 * that nobody waits for it. */
void mend_peers_meet(struct mend_proc *self, mend_peer end);

/* Another process has named this one: it becomes known if it is not yet.  False: there is no such process, or no
 * memory. */
static inline bool mend_peer_learn(struct mend_proc *self, mend_peer p)
{
    return p >= 0 && (p < self->peers_n || (self->on_newcomers && self->on_newcomers(self, p + 1)));
}

/* These processes may need this one until they are disconnected, or leave (MPI-5.0 11.10.4). */
static inline void mend_peers_connect(struct mend_proc *self, mend_peer first, mend_peer n)
{
    for (mend_peer p = first; p < first + n; p++)
        mend_peer_entry(self, p)->connected = true;
}

/* Gives names to n more processes, which live as far as is known: peers_n and up.  Until the runtime says
 * where a process is and what it says of itself, it counts as a node of its own and as in MPI.  The first call says how many there may ever be unless that was said before.  False: no memory or
 * more than those, and nobody has got a name. */
static inline bool mend_peers_add(struct mend_proc *self, mend_peer n)
{
    static const mend_atomic_u32 in_mpi = MEND_PRESENCE_IN_MPI;
    mend_peer sum;

    if (__builtin_add_overflow(self->peers_n, n, &sum) ||
        (self->peers_max && sum > self->peers_max))
        return false;
    if (!self->peers.arena)
        mend_table_init(&self->peers, self->arena, sizeof(struct mend_peer_entry));
    for (mend_peer p = self->peers_n; p < sum; p++) {
        struct mend_peer_entry *e = mend_table_make(&self->peers, (uint32_t)p);

        if (!e)
            return false;
        *e = (struct mend_peer_entry){
            .where = {.node = p, .place = MEND_PLACE_NONE, .sends = MEND_PLACE_NONE},
            .presence = &in_mpi};
    }
    self->peers_n = sum;
    if (!self->peers_max)
        self->peers_max = sum;
    return true;
}

#endif
