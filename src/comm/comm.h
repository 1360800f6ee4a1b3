/* SPDX-License-Identifier: BSD-3-Clause */
/* comm.h – communicators as objects: no messages here.
 *
 * A communicator is a group (two for an intercommunicator), a context id that is never used again, and the state that
 * failures leave behind.
 *
 *   open ── revoked by a member ──> revoked            (for ever; a roll-back renews it with another context)
 *   open ── a member died ──> collectives fail         (until MPI_Comm_validate: see `living`)
 *   any  ── MPI_Comm_free ──> closing ── last request done ──> gone (a tombstone answers)
 *
 * Invariants of a communicator (check.c):
 *   1  it is alive, and its context leads to it;
 *   2  its rank is this process's in its group, its sizes are those of its groups;
 *   3  an intracommunicator has one group, the groups of an intercommunicator have no member in common;
 *   4  with a dead member its collectives fail;
 *   5  after a cut all members but the holes are in the object that carries its collectives, and the two
 *      know each other;
 *   6  the deaths that were told or acknowledged are a prefix of those that are known;
 *   7  without a handle it has no attributes, and its errors are fatal (S0-71);
 *   8  it is in the segment exactly if all its members share memory with this process; else it has no cell. */
#ifndef MEND_COMM_COMM_H
#define MEND_COMM_COMM_H

#include "comm/group.h"
#include "datatype/datatype.h"
#include "net/frame.h"

#define MEND_COMM_MAGIC 0x636f6d6du

struct mend_match;
struct mend_topo;
struct mend_info;
struct mend_attrs;
struct mend_errhandler;
struct mend_decide_comm;
struct mend_coll_comm;
struct mend_coll_table;
struct mend_p2p_buffer;
struct mend_win;
struct mend_part_comm;

struct mend_comm {
    uint32_t magic;
    int refs; /* the handle, and every operation in progress */
    struct mend_proc *self;
    mend_ctx ctx; /* channel 0 */
    mend_ctx
        id; /* names it: the same at all members, at no other communicator, and for ever (mend_comm_renew()) */
    int rank;    /* in the local group */
    int size;    /* of the local group */
    int peers_n; /* of the group that point-to-point ranks mean: remote for an intercommunicator */
    bool inter;
    bool in_segment; /* all members, of both groups, share memory with this process: const */
    bool spans;      /* a member is of another job: const */
    /* What became of it, for good: const to all but comm/fate.c. */
    const bool revoked;  /* MPI_ERR_INVALIDATED was raised, or the call was made here */
    const bool inactive; /* a member is dead: collectives and creation on this object fail */
    const bool closing;  /* no handle leads to it any more */
    bool undone;         /* what is under way on it: a roll-back; nobody hears how it ends */
    bool predefined;     /* MPI_COMM_WORLD, MPI_COMM_SELF: not to be freed by the user */
    uint64_t used_at;    /* number of the last safe point before its last use (recover/undo.h) */
    uint64_t made_at;    /* of the one before it was made */
    struct mend_group *group, *remote; /* remote == group on an intracommunicator */
    /* create/validate.c.  After a cut another object carries collectives and creation: that of the
     * members that were living then.  Users never see it. */
    struct mend_comm *living; /* NULL: there was no cut */
    struct mend_comm *whole;  /* of such an object: the communicator it belongs to, which owns it */
    int holes_n;              /* members that the last cut left out */
    struct mend_comm *next_visited; /* mend_comm_each(); the last one leads to itself */

    struct mend_match *match;                  /* p2p/ */
    struct mend_part_comm *part;               /* part/, from the first use on */
    struct mend_coll_comm *coll;               /* coll/ */
    const struct mend_coll_table *collectives; /* how coll/ carries them out */
    struct mend_decide_comm *decide;           /* decide/: agreements and revocation */
    uint32_t session; /* number of the session that it comes from, 0: none */
    bool of_groups;   /* made of groups alone, or of such a communicator: the same at all members */
    uint32_t coll_seq;       /* collectives begun: tag of their traffic */
    int cell;                /* shared-memory cell of all members, -1: none */
    uint32_t told_deaths_n;  /* prefix of self->deaths: the program was told of those of members */
    uint32_t acked_deaths_n; /* prefix of self->deaths acknowledged by FAILURE_ACK */

    struct mend_win *win; /* rma/: the window that it belongs to; NULL: none */
    struct mend_file
        *file; /* io/: the file that it belongs to; it may have a window, too; NULL: none */

    struct mend_errhandler *errhandler;
    struct mend_attrs *attrs;
    struct mend_topo *topo;
    struct mend_info *info;
    const char *made_by;            /* the MPI function that made it; for reports, with: */
    uint64_t calls_n;               /* collective calls and agreements begun on it here */
    char *name;                     /* NULL: the empty name */
    struct mend_p2p_buffer *buffer; /* MPI_Comm_attach_buffer */
};

/* Peer that rank means in point-to-point calls on c. */
static inline mend_peer mend_comm_peer(const struct mend_comm *c, int rank)
{
    return mend_group_peer(c->remote, rank);
}

/* The communicator that carries c's collectives and creation: c, or `living`. */
static inline struct mend_comm *mend_comm_carrier(struct mend_comm *c)
{
    return c->living ? c->living : c;
}

/* The communicator that users know. */
static inline struct mend_comm *mend_comm_known(struct mend_comm *c)
{
    return c->whole ? c->whole : c;
}

/* What the layers above attach to a communicator, in this order, and detach in reverse order:
 * message queues, partitioned messages, state of collectives, of agreements, of creation.  life/init.c fills the table and sets
 * self->comm_hooks before it creates MPI_COMM_WORLD; entries may be NULL. */
#define MEND_COMM_HOOKS 5
struct mend_comm_hooks {
    int (*attach[MEND_COMM_HOOKS])(struct mend_comm *c);  /* MPI error class */
    void (*detach[MEND_COMM_HOOKS])(struct mend_comm *c); /* also after attach has failed */
    const char *(*check[MEND_COMM_HOOKS])(const struct mend_comm *c); /* base/check.h */
    void (*revoked)(struct mend_comm *c);                             /* by any member */
    bool (*keep)(struct mend_comm *c); /* the last reference is gone; true: there is a new one */
};

/* A communicator object with the given groups (references are taken) and context id; enters the
 * table of contexts.  remote NULL: intracommunicator.  Reference count 1.  NULL: no memory.
 * When it is complete, its creator opens it for frames that came early, with mend_unpark().
 * The error handler is that of `parent`, or MPI_ERRORS_ARE_FATAL if parent is NULL.
 * A member that is dead already makes it `inactive`. */
struct mend_comm *mend_comm_create(struct mend_proc *self, struct mend_group *group,
                                   struct mend_group *remote, mend_ctx ctx,
                                   struct mend_comm *parent);

/* What in_segment says, by the members one by one.  O(members). */
bool mend_comm_shares_memory(const struct mend_comm *c);

/* MPI_IDENT, MPI_CONGRUENT, MPI_SIMILAR or MPI_UNEQUAL (MPI-5.0 7.4.1). */
int mend_comm_compare(struct mend_comm *a, struct mend_comm *b);

/* The name, cut if it is longer than MPI_MAX_OBJECT_NAME; the name that users see (MPI-5.0 7.8): predefined communicators
 * have one from the beginning, others the empty one.  The hints of `info` are added to c's.  MPI_ERR_NO_MEM. */
int mend_comm_set_name(struct mend_comm *c, const char *name);
const char *mend_comm_name(const struct mend_comm *c);
int mend_comm_add_info(struct mend_comm *c, const struct mend_info *info);

/* Takes a reference of the handler and drops that of the one before. */
void mend_comm_set_errhandler(struct mend_comm *c, struct mend_errhandler *e);

/* The members of both groups among the first n deaths, as mend_group_dead().  The caller's; NULL: no memory. */
struct mend_group *mend_comm_dead(struct mend_comm *c, uint32_t deaths_n);

/* An invariant of c, or of what is attached to it, that does not hold; NULL: all hold (base/check.h).
 * O(members). */
const char *mend_comm_check(const struct mend_comm *c);

static inline void mend_comm_get(struct mend_comm *c)
{
    c->refs++;
}

/* Drops a reference; the last one closes the object: topology, match state, context.  Attributes
 * are deleted by mend_comm_close(): their callbacks may fail, and may call MPI. */
void mend_comm_destroy(struct mend_comm *c); /* only for mend_comm_put() */

static inline void mend_comm_put(struct mend_comm *c)
{
    MEND_ASSERT(c->refs > 0);
    if (mend_unlikely(--c->refs == 0))
        mend_comm_destroy(c);
}

/* The user's handle goes away (MPI_Comm_free): deletes the attributes and lets no call in any more;
 * the handle's reference is dropped by mend_decide_free() next.  Pending operations go on, their
 * errors are fatal from now on (S0-71).  The error of a callback that refused leaves the
 * communicator as it is. */
int mend_comm_close(struct mend_comm *c);

/* Name for messages: the user's, that of a predefined communicator, or a description. */
const char *mend_comm_label(const struct mend_comm *c);

/* The same for reports, of which all ranks see the lines: one without a name is named by its members, as ranks of
 * MPI_COMM_WORLD, and by what made it.  Allocates nothing. */
void mend_comm_describe(const struct mend_comm *c, char *text, size_t max);

#define MEND_COMM_TEXT 160 /* room for it */

/* "rank 1", or "rank 1 (of the job: 3)" where the two differ: the rank that point-to-point calls on c mean. */
void mend_comm_describe_rank(const struct mend_comm *c, int rank, char *text, size_t max);

/* Adds the peers of a group to a set of MEND_PEERS_IN_REPORTS; higher ones are left out. */
#define MEND_PEERS_IN_REPORTS 1024
#define MEND_REPORT_WORDS     (MEND_PEERS_IN_REPORTS / 64)
static inline void mend_missing_add(uint64_t *peers, mend_peer p)
{
    if (p >= 0 && p < MEND_PEERS_IN_REPORTS)
        peers[p / 64] |= UINT64_C(1) << p % 64;
}

/* Collectives and creation on c fail from here on, for good: a member is dead, as this process or another one has
 * heard.  This also ends the collectives that wait in a cell (coll/cell.c), which have no request. */
void mend_comm_deactivate(struct mend_comm *c);

/* The same for each communicator that has `dead` as a member. */
void mend_comm_on_deaths(struct mend_proc *self, const struct mend_death *death, int n);

/* One of them is a member. */
bool mend_comm_has_one_of(const struct mend_comm *c, const struct mend_death *death, int n);

/* c is revoked in this process.  For decide/revoke.c, where stands what else that means. */
void mend_comm_mark_revoked(struct mend_comm *c);

/* Gives c another context, with queues and protocols as of a new communicator: what was under way in the old one is over,
 * and c is not revoked.  Members, rank and handle, name, attributes, topology, hints, error handler persistent requests and
 * the count of collectives stay; its cell goes.  Local; to be done at all members that live, each with nothing under way on c.  Opened with mend_unpark(), as
 * a new one. */
void mend_comm_renew(struct mend_comm *c, mend_ctx ctx);

/* c is as if it had never been revoked here.  For mend_comm_renew(). */
void mend_comm_mark_renewed(struct mend_comm *c);

/* c has no handle any more.  For mend_comm_close(). */
void mend_comm_mark_closing(struct mend_comm *c);

/* Visits each communicator there is at this moment, with a reference: the visit may close it or others, and make new
 * ones, but begin no visits. */
void mend_comm_each(struct mend_proc *self, void (*visit)(struct mend_comm *c, void *arg),
                    void *arg);

/* True if a member (either group) is dead. */
bool mend_comm_has_dead(const struct mend_comm *c);

/* What serves c now is inactive (S2): collectives and creation fail until the next cut, which makes another
 * object. */
static inline bool mend_comm_is_inactive(const struct mend_comm *c)
{
    return (c->living ? c->living : c)->inactive;
}

#define MEND_CLASS_PROC_FAILED 0x4001
#define MEND_CLASS_INVALIDATED 0x4002

#endif
