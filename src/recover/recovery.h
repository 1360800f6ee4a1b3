/* SPDX-License-Identifier: BSD-3-Clause */
/* recovery.h – what recovers together: one module, or all those of a process that roll back (S1-5, S1-6).
 *
 *   any participant   an error on a module's communicator ──> mend_recovery_run() ──┐
 *   the others        a notification of it, inside or outside the module ──────────────┴──> RECOVERING ──> as before
 *
 * A recovery: the process notifies all others, revokes the communicator, and in turns shrinks it, calls the
 * recovery function on the result, and agrees with the others whether it has succeeded everywhere.  A turn that fails is repeated if
 * a process has died meanwhile.
 *
 * A module that rolls back has a barrier at its end, and then a safe point.  The recovery decides after the shrink to which safe point
 * who rolls back (roll.h).  Those processes end the calls that they are in, roll back their memory, and go on with the turn in the call that
 * has made the safe point:
 *
 *   turn:  revoke, shrink, decide ──┬── not I ──────────────────────────────────────────┬── cut, recovery functions, agree
 *                                   └── I: unwind ── memory back ── mend_module_resume() ─┘
 *
 * Memory is one, so all modules that roll back are of one recovery: they have the same members, though not the same
 * participants.  A communicator of all members is `whole`.
 *
 * Invariants:
 *   1  all members that live have recovered equally often (`generation`), or are on their way to it: a process
 *      that begins a recovery has notified all others before it waits for one of them;
 *   2  a notification of an earlier generation is old: its recovery is over here.  One of a later generation comes while this
 *      process is about to leave a recovery that the others have left: then the next one follows;
 *   3  while a recovery waits, those that come before it run inside it: those of modules that
 *      were created earlier.  All processes keep to that order, so of recoveries at a time there is always one that goes on
 *      everywhere; and a process that is about to create a module can take part in all that come before it.  A recovery may
 *      begin in a handler only if those before it may;
 *   4  while a module is entered no communicator that is replaced goes, for a call on it may be under way. */
#ifndef MEND_RECOVER_RECOVERY_H
#define MEND_RECOVER_RECOVERY_H

#include "recover/roll.h"

struct mend_recovery {
    struct mend_list link; /* in self->modules */
    struct mend_proc *self;
    struct mend_comm *
        whole; /* of all members that are left; NULL: others have created it, this process is about to */
    struct mend_group *members; /* of the first `whole`: every other process is a stranger */
    struct mend_list modules;   /* struct mend_module.link, in the order of their creation */
    struct mend_list old;       /* struct old_comm.link: invariant 4 */
    uint64_t id;                /* the context of its first communicator: the same at all members */
    uint64_t order;      /* larger than those of its members' earlier ones; equal ones: by id */
    uint64_t generation; /* recoveries so far */
    bool anywhere;       /* it may run in a handler of the signal */
    uint64_t
        begun; /* recoveries that some member is known to have begun; more than generation: pending */
    bool recovering;
    int before; /* members in the last turn */

    /* of modules that roll back */
    bool rolls_back;
    bool leaving;     /* in the barrier behind an outermost leave */
    bool at_point;    /* memory has rolled back, the recovery goes on */
    uint64_t asks;    /* modules that are to recover */
    uint64_t pending; /* modules whose recovery has not succeeded */
    uint64_t first;   /* number of the first safe point */
    bool insists;     /* on a roll-back, though nobody has died */
    uint64_t lost_n;  /* members that it has lost so far */
    uint64_t settled; /* deaths that were known in the last recovery */
    uint64_t done;    /* largest number of a safe point that some process is known to have made */
    struct mend_list
        points;            /* struct mend_point.link: the safe points that are kept, oldest first */
    struct mend_roll roll; /* what the last turn has decided */
    enum mend_undo_why why; /* the last one that was refused */
    int who;                /* rank in members */
};

/* The one of that id, which is made if need be: others depend on it. */
struct mend_recovery *mend_recovery_find(struct mend_proc *self, uint64_t id, bool make);

/* That of the modules that roll back, if there are any. */
struct mend_recovery *mend_recovery_that_rolls(struct mend_proc *self);

/* Collective over the survivors, which it notifies; blocks until the recovery functions have returned at all of them, or they
 * are dead.  MPI_ERR_NO_MEM; MPI_ERR_OTHER: a recovery function has failed although nobody died.  Of modules that roll
 * back: MPI_SUCCESS with self->unwinds, if this process is to roll back; MPI_ERR_UNSUPPORTED_OPERATION, at all: one of those that
 * would have to cannot. */
int mend_recovery_run(struct mend_recovery *r);

/* The second half, behind a roll-back. */
int mend_recovery_resume(struct mend_recovery *r);

/* Those that have been asked for meanwhile, in their order. */
void mend_recovery_run_pending(struct mend_proc *self);

/* Callbacks of notifications.  MPI_ERR_NO_MEM; MPI_ERR_OTHER. */
int mend_recovery_listen(struct mend_proc *self);

/* Frees replaced communicators, if nobody can be in a call on one. */
void mend_recovery_free_old(struct mend_recovery *r);

/* The program enters MPI_Finalize: it is in no other call. */
void mend_recovery_end_all(struct mend_proc *self);

#endif
