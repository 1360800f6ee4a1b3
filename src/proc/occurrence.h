/* SPDX-License-Identifier: BSD-3-Clause */
/* occurrence.h – what happens to a process that tools may hear of (tool/event.c).
 *
 * The place where it happens calls mend_occurred(), which costs a branch and is on no path of a message.  That only
 * takes note: the place may be in the middle of a verdict or of a frame.  The tools are told where the process may
 * be interrupted, by mend_tell():
 *
 *   restricted   between frames, in a wait or a call: a callback may call MPI_T functions (req/progress.c,
 *                decide/decide.c)
 *   free         at the begin of a call, and before it returns an error: a callback may call MPI (mpi/check.c) */
#ifndef MEND_PROC_OCCURRENCE_H
#define MEND_PROC_OCCURRENCE_H

#include "proc/proc.h"

enum mend_occurrence_kind {
    MEND_OCCURRED_DEATH,      /* a verdict has been carried out here: death */
    MEND_OCCURRED_TOLD,       /* an MPI call tells the program of the death of peer */
    MEND_OCCURRED_REVOCATION, /* comm is revoked here */
    MEND_OCCURRED_AGREEMENT,  /* an agreement on comm is decided: which, failed_n */
};

struct mend_occurrence {
    enum mend_occurrence_kind kind;
    const struct mend_death *death;
    mend_peer peer;
    struct mend_comm *comm;
    int which;    /* enum mend_decide_kind */
    int failed_n; /* members that the decision says are dead */
};

/* mend_occurred(self, .kind = MEND_OCCURRED_TOLD, .peer = 3) */
#define mend_occurred(self_, ...)                                                                  \
    do {                                                                                           \
        if (mend_unlikely((self_)->on_occurrence != NULL))                                         \
            (self_)->on_occurrence((self_), &(const struct mend_occurrence){__VA_ARGS__});         \
    } while (0)

/* Calls the callbacks for what was noted; `free`: they may call MPI.  The lock is held, and if `free` given back
 * meanwhile.  Does nothing from within a frame, a reduction or another callback. */
static inline void mend_tell(struct mend_proc *self, bool free)
{
    if (mend_unlikely(self->untold_n != 0))
        self->tell(self, free);
}

#endif
