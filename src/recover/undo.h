/* SPDX-License-Identifier: BSD-3-Clause */
/* undo.h – what a roll-back of the program's memory means for the objects that the program has handles of (R38).
 *
 *   object                       made since the safe point   older
 *   request                      freed                       there is none but inactive persistent ones, which stay
 *   communicator                 freed                       stays; its use since makes it part of the cut (roll.h)
 *   other, freed since           gone                        stays: it is freed when no safe point is kept that is older than its end
 *   window, file                 the roll-back is refused    no safe point is made
 *
 * The library's own memory does not roll back, so it must know what the program will have forgotten.
 *
 *     safe point ──── the program works ────> unwind ───────> memory rolls back ───> back ──> renew ──> as at the safe point
 *                                             its calls end                         objects   communicators
 *
 * Several safe points may be kept.  Each has what the program has done to its objects behind it, up to the next one:
 *
 *     before ──> point 3 ──────> point 5 ──────> point 6        5 is dropped: 3 gets what 5 has
 *                requests made   requests made   ...
 *                frees that wait frees that wait
 *
 * Invariants:
 *   1  `used_at` of a communicator is the number of the last safe point before the last call that names it and is not a mere question
 *      (mend_check_comm()), or that starts a persistent request of it;
 *   2  while the program's calls end nothing is raised: no handler of errors runs, and the process does not end;
 *   3  a communicator that the program has no handle of is apart: neither used nor made since. */
#ifndef MEND_RECOVER_UNDO_H
#define MEND_RECOVER_UNDO_H

#include "req/request.h"

#define MEND_UNDO_APART UINT64_MAX /* made_at */

/* Behind a safe point, up to the next one. */
struct mend_undo_point {
    struct mend_list link;     /* in mend_undo.points */
    uint64_t number;           /* of the safe point: self->points_n then */
    struct mend_list requests; /* struct mend_request.held: made since */
    struct mend_list later;    /* frees that wait */
};

struct mend_undo {
    struct mend_list points; /* oldest first; the first one is `before` */
    struct mend_undo_point before;
};

/* Why a process cannot roll back. */
enum mend_undo_why {
    MEND_UNDO_WHY_NOTHING, /* it can */
    MEND_UNDO_WHY_REQUEST,
    MEND_UNDO_WHY_WINDOW,
    MEND_UNDO_WHY_FILE,
    MEND_UNDO_WHY_NO_POINT,
    MEND_UNDO_WHY_STRANGERS,
    MEND_UNDO_WHY_NO_DEATH, /* of all members: it would do the same once more */
};

/* In words; NULL: it can.  Another process may have said why, so any number is one. */
const char *mend_undo_say(enum mend_undo_why why);

/* From now on the objects of this process are followed.  MPI_ERR_NO_MEM.  Local. */
int mend_undo_open(struct mend_proc *self);

/* Frees what waits, and follows nothing any more. */
void mend_undo_close(struct mend_proc *self);

/* Why no safe point can be made here, or a roll-back not undo what is there now.  at_point: a safe
 * point is about to be made. */
enum mend_undo_why mend_undo_obstacle(struct mend_proc *self, bool at_point);

/* A safe point is about to be made, with the next number; p, which the caller owns, is its. */
void mend_undo_point(struct mend_proc *self, struct mend_undo_point *p);

/* It is no longer kept. */
void mend_undo_drop(struct mend_proc *self, struct mend_undo_point *p);

/* The program has got a handle of the request. */
void mend_undo_hold(struct mend_proc *self, struct mend_request *r);

/* The program frees an object.  True: free_it(self, object) runs at the next safe point, if no roll-back comes before.  since:
 * it is known to be made since the last one, and is to be freed now. */
bool mend_undo_later(struct mend_proc *self, void (*free_it)(struct mend_proc *self, void *object),
                     void *object, bool since);

/* The same, and frees it now if that is right. */
static inline void mend_undo_free(struct mend_proc *self,
                                  void (*free_it)(struct mend_proc *self, void *object),
                                  void *object, bool since)
{
    if (mend_likely(!self->undo) || !mend_undo_later(self, free_it, object, since))
        free_it(self, object);
}

/* A persistent request that is older than the safe point? */
bool mend_undo_is_old(const struct mend_proc *self, const struct mend_request *r);

/* Made since the last safe point? */
static inline bool mend_undo_is_new(const struct mend_comm *c)
{
    return c->self->undo && c->made_at == c->self->points_n;
}

/* The calls that the program is in, and all that it has begun since safe point `number`, end from now on. */
void mend_undo_unwind(struct mend_proc *self, uint64_t number);

/* The program's memory has rolled back to p, and its calls with it.  What later ones have goes; they are no longer kept. */
void mend_undo_back(struct mend_proc *self, struct mend_undo_point *p);

/* The communicator of that id goes on in a context of its own; ctx names it, and the one after it
 * what carries its collectives.  Waits until a message that its sender is writing into this process's memory is there, or the sender is
 * dead.  Its use since safe point `number` is undone at all.  Nothing if there is no such communicator. */
void mend_undo_renew(struct mend_proc *self, mend_ctx id, mend_ctx ctx, uint64_t number);

#endif
