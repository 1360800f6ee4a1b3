/* SPDX-License-Identifier: BSD-3-Clause */
/* module.h – a module of a program: its participants recover it together, wherever each of them is (recovery.h).
 *
 * The safe points of modules that roll back (points.c).  Each process keeps, oldest first,
 *
 *   - the one behind the last call of each module, or the first one behind a call that a roll-back has made the last one;
 *   - for each that is kept and each module that is entered there, the newest older one at which it is not.
 *
 * Modules are entered and left like brackets, and each outermost leave makes a safe point, so the second rule adds at most one for each module
 * around the call: what is kept is bounded by the depth of calls, not by their number. */
#ifndef MEND_RECOVER_MODULE_H
#define MEND_RECOVER_MODULE_H

#include "recover/recovery.h"

#define MEND_MODULE_MAGIC 0x6d6f6475u
#define MEND_MODULES      64 /* that roll back, in a process */

struct mend_module {
    uint32_t magic;
    struct mend_list link; /* in recovery->modules */
    struct mend_recovery *recovery;
    struct mend_comm *comm; /* of the participants that are left; NULL: it has no part */
    MPIX_Module_recover_function *recover;
    void *state;
    uint32_t depth; /* enters without a leave */
    bool recovered; /* since the outermost enter */

    /* one that rolls back */
    unsigned number; /* of its bit in sets of modules */
    uint64_t made;   /* number of the safe point of its creation; 0: that is not over */
    uint64_t last;   /* of the one behind its last call */
    bool freed;      /* by the program, which may roll back to where it was not */
};

/* A safe point that is kept. */
struct mend_point {
    struct mend_list link;
    struct mend_undo_point objects;
    uint64_t entered, exists, redo; /* as in struct mend_roll_kept */
    uint32_t held;                  /* notifications */
    uint64_t deaths;                /* known then: mend_points_deaths() */
    bool needed;                    /* while that is looked at */
    struct {
        uint32_t depth;
        uint64_t last;
    } of[MEND_MODULES];
};

/* Collective over c; blocks as mend_create_dup() does, whose errors it has, and the largest of those of
 * mend_notify_register() at the members; MPI_ERR_ARG: they differ in `how`; MPI_ERR_UNSUPPORTED_OPERATION, at all and with a detail:
 * it cannot be beside other modules of some member.  At all of them or at none.  how: MPIX_MODULE_xxx. */
int mend_module_create(struct mend_comm *c, MPIX_Module_recover_function *recover, void *state,
                       int how, struct mend_module **m_p);

/* Local. */
void mend_module_enter(struct mend_module *m);

/* Ends the innermost enter.  True: the module has recovered since the outermost one. */
bool mend_module_leave(struct mend_module *m);

/* Of a module that rolls back, when only the outermost enter is left, or that was created beside others: waits until all members do the same,
 * as a barrier, whose death ends the wait and begins a recovery.  True in *point_p: a safe point is to be made.  Else the
 * process rolls back as soon as the call ends.  The errors of mend_module_recover(). */
int mend_module_wait_to_leave(struct mend_module *m, bool *point_p);

/* A safe point of m is about to be made.  No longer needed: which one of those that are kept, from 1 on, 0: none; then it goes. */
void mend_module_left(struct mend_module *m);
unsigned mend_module_spare_point(const struct mend_module *m);
void mend_module_drop_point(struct mend_module *m, unsigned nth);

/* It is there; or the memory could not be kept. */
void mend_module_keep_point(struct mend_module *m);
void mend_module_lose_point(struct mend_module *m);

/* The process is to roll back: to which one of those that are kept. */
unsigned mend_module_target(struct mend_proc *self);

/* Memory has rolled back there, and the process is in the call of m that has made it: goes on with the recovery.
 * The errors of mend_module_recover(). */
int mend_module_resume(struct mend_module *m);

/* No safe point is there any more. */
void mend_module_lose_all_points(struct mend_proc *self);

/* Recovers it: mend_recovery_run().  insists: one that rolls back does so although nobody has died since; else MPI_ERR_OTHER, at all that
 * ask, with a detail. */
int mend_module_recover(struct mend_module *m, bool insists);

/* Local: notifications for it are dropped from now on.  One that rolls back waits for the last of the safe points at which it was there,
 * if others are left.  True: no module that rolls back is left. */
bool mend_module_free(struct mend_module *m);

/* --- between the files of this folder --- */

/* What this process keeps, for the decision; the caller frees it. */
struct mend_roll_kept *mend_points_list(struct mend_recovery *r, uint64_t *n_p);

/* Deaths that this process knows of and a recovery can be about: of members, and of processes that are none. */
uint64_t mend_points_deaths(struct mend_recovery *r);

/* The first safe point that is kept behind which it knows of no death since the last recovery; 0: there is none. */
uint64_t mend_points_quiet(struct mend_recovery *r);

/* Recovered: modules that have. */
void mend_points_note(struct mend_recovery *r, uint64_t recovered);

/* Modules and objects are as at the target. */
void mend_points_back(struct mend_recovery *r);

/* Frees all that there is of it, but not the module's place in the program. */
void mend_module_end(struct mend_module *m);

static inline uint64_t mend_module_bit(const struct mend_module *m)
{
    return UINT64_C(1) << m->number;
}

#endif
