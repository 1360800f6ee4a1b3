/* SPDX-License-Identifier: BSD-3-Clause */
/* peer.h – the table of peers: what this process knows of each process.
 *
 * A peer is the name of a process in this process, an index in `peers` and never used again for another one.  A
 * place is an index in the segment of the node, which a later process may get.  The table grows when processes
 * become known; nothing is taken out of it, and a fate that is dead stays so. */
#ifndef MEND_PROC_PEER_H
#define MEND_PROC_PEER_H

#include "proc/proc.h"

enum mend_peer_fate {
    MEND_PEER_ALIVE = 0,
    MEND_PEER_DEAD, /* final: the agent's verdict */
};

/* What this process knows of each process whose name is below peers_n, itself included.  Names are never used
 * again. */
struct mend_peer_entry {
    const struct mend_net *net; /* reaches it */
    mend_place
        place;      /* in the segment of this process's node, MEND_PLACE_NONE: it has none there */
    uint8_t fate;   /* enum mend_peer_fate */
    bool told;      /* an MPI call told the program of its death */
    bool apart;     /* only frames reach it, although it has a place (MEND_NODES) */
    bool connected; /* MPI_Finalize waits for it, although there may be no communicator with it */
    bool had_left;  /* dead, and had left MPI or was without a session before */
    bool gone;      /* dead, and its place may be another process's: life/let_go.c */
    mend_place there;           /* abroad: where it is in the segment of its job */
    struct mend_abroad *abroad; /* of another job (node/abroad.h); NULL: of this one */
};

static inline struct mend_peer_entry *mend_peer_entry(const struct mend_proc *self, mend_peer p)
{
    return MEND_TABLE_AT(&self->peers, struct mend_peer_entry, (uint32_t)p);
}

/* MEND_PLACE_NONE: it shares no memory with this process. */
static inline mend_place mend_peer_place(const struct mend_proc *self, mend_peer p)
{
    const struct mend_peer_entry *e = mend_peer_entry(self, p);

    return mend_unlikely(e->apart) ? MEND_PLACE_NONE : e->place;
}

static inline bool mend_peer_shares_memory(const struct mend_proc *self, mend_peer p)
{
    return mend_peer_place(self, p).at != MEND_PLACE_NONE.at;
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

/* Gives names to n more processes, which live as far as is known: peers_n and up.  The first call says how many
 * there may ever be unless that was said before.  False: no memory or more than those, and nobody has got a name. */
static inline bool mend_peers_add(struct mend_proc *self, mend_peer n)
{
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
        *e = (struct mend_peer_entry){.place = MEND_PLACE_NONE};
    }
    self->peers_n = sum;
    if (!self->peers_max)
        self->peers_max = sum;
    return true;
}

#endif
