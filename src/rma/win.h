/* SPDX-License-Identifier: BSD-3-Clause */
/* win.h – windows: memory that the members of a group offer each other (MPI-5.0 chapter 12).
 *
 * A window has a communicator of its own: it says who the members are, carries the fence, and a window is revoked,
 * loses members and is agreed on as that communicator is.  So failures have one meaning for both.
 *
 *   way of an operation         when                                       carried out by
 *   ─────────────────────       ────────────────────────────────────       ────────────────────────────────────
 *   loads and stores            the part lies in the node's segment        the origin, at once         (direct.c)
 *   single copy (put, get)      the program's own memory of a process of the    the origin, at once         (direct.c)
 *                               node, one piece on both sides, where that is
 *                               faster (way.h)
 *   messages                    everything else                            the target, in its next call (serve.c)
 *
 * If all members share memory the window is `shared`: its control words lie in the segment, too.  In any other window locks and accumulates
 * go by messages at all members, also at those of one node, so the target alone decides who has its lock and
 * changes elements; puts and gets still go by loads and stores, or single copy, where origin and target share memory, once the origin has
 * the target's lock in an epoch of locks.  What an origin has stored is seen by all that hear of it: a frame, through a ring or a socket,
 * is sent after the stores and read before the loads of its receiver.
 *
 * Accumulates follow one rule more.  Where the window is shared and a part lies in the segment the origin changes its elements, aligned integers
 * by one atomic instruction each (element.h), all others under the part's lock of elements (acclock_sm.h); where it
 * does not, the target changes them, alone.  So any two accumulates that meet at an element exclude each other.
 *
 * Synchronization is the same for both ways: first what was sent to a target is executed there (link.c), then
 * words change, in shared memory or by a message (control.h).
 *
 * What a death does: calls of operations never fail for it (S0-40); whatever waits for the dead member ends, and the
 * synchronization says MPI_ERR_PROC_FAILED (S0-41) and has its effect on the epoch (S0-42).  A revocation ends every
 * wait with MPI_ERR_INVALIDATED (S0-96).
 *
 * Rules: an operation is begun only in an epoch that allows it (epoch.c); what was begun towards a living member is
 * executed there before the epoch's end returns MPI_SUCCESS; what is mapped stays so until the window is freed.
 *
 * Invariants (check.c), of which only the first holds while the window is made:
 *   1  it is alive; its communicator leads to it and has the same members;
 *   2  its own part is what it has offered; it reaches other parts only where they lie in the segment, and there are
 *      control words if it is `shared`;
 *   3  locks of targets are held in an epoch LOCK and in no other, and counted; if it is shared their machines own them;
 *   4  if it is shared, lock_all is owned in an epoch LOCK_ALL and in no other;
 *   5  `started` is there in an epoch START and in no other;
 *   6  `posted` is there while it is exposed; as many of its members as have not told are left, or more;
 *   7  a link leads to its target; its operations are counted, and at most MEND_RMA_LINK_OPERATIONS; at most MEND_RMA_LINK_REPLIES of
 *      its replies are under way;
 *   8  nothing is under way to a dead member, nor on a revoked window;
 *   9  pieces that are attached do not overlap; only a dynamic window has some;
 *  10  of a revoked window, and of one without memory in common, operations and flushes are looked at one by one; of one with
 *      a dead member flushes are. */
#ifndef MEND_RMA_WIN_H
#define MEND_RMA_WIN_H

#include "create/create.h"
#include "rma/pieces.h"
#include "rma/trial.h"
#include "rma/winlock_sm.h"

#define MEND_WIN_MAGIC 0x77696e64u

struct mend_heap_piece;
struct mend_rma_link;

/* What a member offers: told to all when the window is made. */
struct mend_win_offer {
    MPI_Aint size, disp_unit;
    uint64_t at;         /* where the segment holds its first byte; 0: in no shared memory */
    uint64_t address;    /* of its first byte in the member's memory */
    uint64_t control_at; /* of rank 0: where the segment holds the control words; 0: nowhere */
    int32_t error;       /* why this member cannot; MPI_SUCCESS: it can */
    int32_t unused;
};

/* A member's part as this process sees it. */
struct mend_win_part {
    MPI_Aint size, disp_unit;
    uint64_t at, address;
    char *here; /* its first byte, as far as this process can reach it; else NULL */
};

/* Which operations are allowed (epoch.c).  FENCED: a fence was called and nothing has followed it, so it may be the
 * last one. */
enum mend_access {
    MEND_ACCESS_NONE,
    MEND_ACCESS_FENCED,
    MEND_ACCESS_FENCE,
    MEND_ACCESS_START,
    MEND_ACCESS_LOCK,
    MEND_ACCESS_LOCK_ALL
};

/* The lock of a target, for this process.  open: between lock and unlock.  failed: MPI_Win_lock said
 * MPI_ERR_PROC_FAILED; the epoch is open all the same (S0-42), but operations in it have no effect, and any other epoch
 * may begin, which ends it. */
struct mend_win_lock {
    struct mend_winlock lock;
    bool open, failed;
};

struct mend_win {
    uint32_t magic;
    int flavor; /* MPI_WIN_FLAVOR_... */
    struct mend_proc *self;
    struct mend_comm *comm; /* the window's own; has the error handler, the name, and the hints */
    struct mend_list link;  /* in self->windows */
    struct mend_attrs *attrs;
    int n, me;
    int direct_n; /* n, if operations in an open epoch may go by loads and stores; else 0 */
    int calm_n;   /* n, if a flush has nothing to wait for and nothing to report; else 0 */
    bool
        shared; /* the control words lie in the segment; else members tell each other by messages */
    bool no_locks;
    bool apart; /* MPI_WIN_FLAVOR_SHARED: the parts do not follow each other */
    char align_text
        [24]; /* of its memory, if the program has asked for one and the library has taken it */
    uint32_t calls_n;           /* synchronizations that found nothing to wait for */
    struct mend_win_part *part; /* by rank */
    char *base;                 /* this member's first byte */
    MPI_Aint disp_unit, size;   /* this member's, where attributes point to */
    int disp_unit_int, model;   /* the same as int: MPI_WIN_DISP_UNIT, MPI_WIN_MODEL */
    struct mend_heap_piece *own, *control_own;
    uint64_t control_at; /* where the segment holds the control words; 0: nowhere */
    char *whole;         /* contiguous: all parts, as this process has mapped them */
    size_t whole_len;
    struct mend_list attached;    /* dynamic: struct mend_attached */
    struct mend_attached *pieces; /* the same as a tree (pieces.h) */
    uint64_t attached_n;          /* so far */

    /* epochs */
    enum mend_access access;
    bool exposed;               /* between post and wait */
    struct mend_group *started; /* between start and complete */
    struct mend_group *posted;  /* between post and wait */
    uint8_t *posted_here;       /* by rank in it: has completed, or died */
    int posted_left;            /* members of it that have done neither */
    struct mend_win_lock *lock; /* by target */
    int locks_n;                /* that are held */
    bool any_refused;           /* of them some may have failed */
    struct mend_winlock lock_all;

    struct mend_rma_ways **ways; /* by target, made on first need */
    struct mend_rma_trial trial; /* the put or get that is measured now */
    struct mend_win_control *control;
    struct mend_rma_link *
        *links; /* by target, made on first need; NULL: no message was needed yet */
};

/* Collective over c; blocks.  What ends it when a member dies: the exchange fails at the members that depend on it, and
 * the agreement that follows says so to all: the window exists at all survivors, or at none of them (S2-8).  Errors:
 * MPI_ERR_NO_MEM of any member, MPI_ERR_PROC_FAILED, MPI_ERR_INVALIDATED.  base is the program's memory for
 * MPI_WIN_FLAVOR_CREATE, else NULL. */
struct mend_win_wish {
    int flavor;
    void *base;
    MPI_Aint size, disp_unit;
    size_t
        align; /* of this member's memory, or of the first byte of a contiguous window; 0: a page */
    bool contiguous; /* MPI_WIN_FLAVOR_SHARED */
    bool no_locks;
    int error; /* why the caller's arguments make its member veto; MPI_SUCCESS: they do not */
};
int mend_win_create(struct mend_comm *c, const struct mend_win_wish *wish, struct mend_win **w_p);

/* Collective; returns when all survivors have called it, or at once if the window is revoked (R30).  MPI_SUCCESS.
 * Ends the epochs of the caller.  Memory that others may still be storing into is not used again. */
int mend_win_free(struct mend_win *w);

/* The part of a member, mapped if that is possible. */
struct mend_win_part *mend_win_reach(struct mend_win *w, int rank);

/* query.c.  A member's part, or that of the first member with memory for MPI_PROC_NULL, with size 0 where this process
 * cannot reach it (MPI-5.0 12.2.3).  Local. */
struct mend_win_part mend_win_shared_part(struct mend_win *w, int rank);

/* The hints of the window, with those that hold if nothing else was asked for.  The caller's.  MPI_ERR_NO_MEM. */
int mend_win_info(const struct mend_win *w, struct mend_info **info_p);

/* Dynamic windows.  Local.  MPI_ERR_RMA_ATTACH, MPI_ERR_NO_MEM. */
int mend_win_attach(struct mend_win *w, void *base, MPI_Aint size);
int mend_win_detach(struct mend_win *w, const void *base);

/* The memory that len bytes at disp (in bytes; dynamic: an address) of this member's part are; NULL: they are not all
 * in it. */
char *mend_win_own_bytes(struct mend_win *w, int64_t disp, uint64_t len);

/* MPI_SUCCESS, or why every call on the window that is not local fails: MPI_ERR_INVALIDATED (S0-97). */
static inline int mend_win_check_valid(const struct mend_win *w)
{
    return mend_likely(!w->comm->revoked) ? MPI_SUCCESS : MPI_ERR_INVALIDATED;
}

/* True if every part lies in the segment, so that no put, get or accumulate is ever under way. */
static inline bool mend_win_is_in_segment(const struct mend_win *w)
{
    return w->shared &&
           (w->flavor == MPI_WIN_FLAVOR_ALLOCATE || w->flavor == MPI_WIN_FLAVOR_SHARED);
}

static inline bool mend_win_is_dead(const struct mend_win *w, int rank)
{
    return mend_peer_is_dead(w->self, mend_comm_peer(w->comm, rank));
}

/* How many members are known here to be dead. */
static inline uint32_t mend_win_dead_n(const struct mend_win *w)
{
    uint32_t n = 0;

    for (int r = 0; r < w->n; r++)
        n += mend_win_is_dead(w, r);
    return n;
}

/* Puts and gets may reach the memory of a member that lies in the segment. */
static inline bool mend_win_is_near(const struct mend_win *w, int rank)
{
    return w->self->params.rma_shm &&
           mend_peer_shares_memory(w->self, mend_comm_peer(w->comm, rank));
}

/* An invariant that does not hold; NULL: all hold (base/check.h).  O(members + attached pieces squared). */
const char *mend_win_check(const struct mend_win *w);

/* Members died; the window was revoked (life/death.c, decide/revoke.c). */
void mend_win_on_deaths(struct mend_proc *self, const struct mend_death *death, int n);
void mend_win_on_revoke(struct mend_comm *c);
int mend_win_init(struct mend_proc *self);

#endif
