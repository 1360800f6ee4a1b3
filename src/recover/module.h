/* SPDX-License-Identifier: BSD-3-Clause */
/* module.h – a module of a program: its participants recover it together, wherever each of them is (S1-5, S1-6).
 *
 *   any participant   an error on the module's communicator ──> MPIX_Module_recover() ──┐
 *   the others        a notification of it, inside or outside the module ──────────────────┴──> RECOVERING ──> as before
 *
 * A recovery: the process notifies all others, revokes the communicator, and in turns shrinks it, calls the module's
 * recovery function on the result, and agrees with the others whether it has succeeded everywhere.  A turn that fails is repeated if
 * a process has died meanwhile.
 *
 * A module that rolls back has a barrier at its end, and then a safe point.  Its recovery decides after the shrink which processes roll
 * back (roll.h).  Those end the calls that they are in, roll back their memory, and go on with the turn in the call that
 * has made the safe point:
 *
 *   turn:  revoke, shrink, decide ──┬── not I ──────────────────────────────────────────┬── cut, recovery function, agree
 *                                   └── I: unwind ── memory back ── mend_module_resume() ─┘
 *
 * Invariants:
 *   1  all participants that live have recovered equally often (`generation`), or are on their way to it: a process
 *      that begins a recovery has notified all others before it waits for one of them;
 *   2  a notification of an earlier generation is old: its recovery is over here.  One of a later generation comes while this
 *      process is about to leave a recovery that the others have left: then the next one follows;
 *   3  while a recovery waits, those that come before it run inside it: those of modules that
 *      were created earlier.  All processes keep to that order, so of recoveries at a time there is always one that goes on
 *      everywhere; and a process that is about to create a module can take part in all that come before it.  A recovery may
 *      begin in a handler only if those before it may;
 *   4  while the module is entered no communicator of it goes, for a call on it may be under way. */
#ifndef MEND_RECOVER_MODULE_H
#define MEND_RECOVER_MODULE_H

#include "recover/roll.h"

#define MEND_MODULE_MAGIC 0x6d6f6475u

struct mend_module {
    uint32_t magic;
    struct mend_list link; /* in self->modules */
    struct mend_proc *self;
    struct mend_comm *
        comm; /* of the participants that are left; NULL: others have created it, this process is about to; or
                 it has no part */
    struct mend_comm *whole;    /* of all members that are left; `comm` unless it rolls back */
    struct mend_group *members; /* of the first `whole`: every other process is a stranger */
    struct mend_list old;       /* struct old_comm.link: invariant 4 */
    uint64_t id;    /* the context of its first communicator: the same at all participants */
    uint64_t order; /* larger than those of its participants' earlier modules; equal ones: by id */
    uint64_t generation; /* recoveries so far */
    MPIX_Module_recover_function *recover;
    void *state;
    bool anywhere; /* the recovery may run in a handler of the signal */
    uint64_t
        begun; /* recoveries that some participant is known to have begun; more than generation: pending */
    bool recovering;
    uint32_t depth; /* enters without a leave */
    bool recovered; /* since the outermost enter */

    /* one that rolls back */
    bool rolls_back;
    bool leaving;   /* in the barrier behind the outermost leave */
    bool at_point;  /* memory has rolled back, the recovery goes on */
    bool has_point; /* the last safe point could be made */
    uint64_t left;  /* safe points; the first one is that of the creation, number 0 */
    uint64_t done;  /* largest number of a safe point that some process is known to have made */
    uint32_t depth_then, held_then; /* at the safe point */
    int before;                     /* members in the last turn */
    struct mend_roll roll;          /* what the last turn has decided */
};

/* Collective over c; blocks as mend_create_dup() does, whose errors it has, and the largest of those of
 * mend_notify_register() at the members; MPI_ERR_ARG: they differ in `how`; MPI_ERR_UNSUPPORTED_OPERATION: one that rolls back
 * is not the only one at some member.  At all of them or at none.  how: MPIX_MODULE_xxx. */
int mend_module_create(struct mend_comm *c, MPIX_Module_recover_function *recover, void *state,
                       int how, struct mend_module **m_p);

/* Local. */
void mend_module_enter(struct mend_module *m);

/* Ends the innermost enter.  True: the module has recovered since the outermost one. */
bool mend_module_leave(struct mend_module *m);

/* Of a module that rolls back, when only the outermost enter is left: waits until all members leave it, as a barrier, whose death ends the
 * wait and begins a recovery.  True in *point_p: a safe point is to be made.  Else the
 * process rolls back as soon as the call ends.  The errors of mend_module_recover(). */
int mend_module_wait_to_leave(struct mend_module *m, bool *point_p);

/* A safe point of m is about to be made. */
void mend_module_left(struct mend_module *m);

/* Memory has rolled back to m's safe point, and the process is in the call that has made it: goes on with the recovery.
 * The errors of mend_module_recover(). */
int mend_module_resume(struct mend_module *m);

/* The module that rolls back, if there is one. */
struct mend_module *mend_module_that_rolls(struct mend_proc *self);

/* Collective over the survivors, which it notifies; blocks until the recovery function has returned at all of them, or they
 * are dead.  MPI_ERR_NO_MEM; MPI_ERR_OTHER: the recovery function has failed although nobody died.  Of a module that rolls
 * back: MPI_SUCCESS with self->unwinds, if this process is to roll back; MPI_ERR_UNSUPPORTED_OPERATION, at all: one of those that
 * would have to cannot. */
int mend_module_recover(struct mend_module *m);

/* Local: notifications for it are dropped from now on. */
void mend_module_free(struct mend_module *m);

#endif
