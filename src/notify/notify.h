/* SPDX-License-Identifier: BSD-3-Clause */
/* notify.h – a callback that one process makes run on another one (S1-1 to S1-4, S1-7).
 *
 *   caller  frame to the target, then rt->poke(): a signal, if the target has registered a callback
 *   target  in a wait        the frame wakes it; the callback runs in the wait, which then goes on
 *           in another call  the callback runs when the call is about to return
 *           outside MPI      the callback runs in the handler of the signal
 *           not registered   the notification is kept; the callback runs when it is registered
 *
 * What decides where it runs is self->inside, the number of MPI calls that the interruptible thread is in:
 *
 *   handler:  poked = 1; inside == 0 ? take the place of an MPI call : return
 *   leaving:  inside == 1 ? look and run while poked; inside--; poked && inside == 0 ? once more
 *
 * so a signal between any two instructions is either seen by the call that it has interrupted, or finds that there is none.
 *
 * Invariants:
 *   1  a notification is published before its signal is sent, and the signal is sent before the call returns;
 *   2  the notifications of one process, of keys that are registered, run in the order in which they were sent;
 *   3  one callback of the program runs at a time: others are queued until it returns;
 *   4  no callback runs inside a poll, a reduction function, or between hold and release;
 *   5  the outermost call of a process whose memory rolls back does not return: nothing of it is left (self->on_unwound);
 *   6  without a registration no call is counted, and calls take the short way in and out (mpi/check.h). */
#ifndef MEND_NOTIFY_NOTIFY_H
#define MEND_NOTIFY_NOTIFY_H

#include "comm/comm.h"

#include <limits.h>

#define MEND_NOTIFY_BYTES 4096 /* MPIX_NOTIFY_MAX */

/* MPI error class.  Local. */
int mend_notify_init(struct mend_proc *self);

/* Keys of the library's own. */
enum {
    MEND_NOTIFY_MODULE = INT_MIN,
    MEND_NOTIFY_MODULE_IN_CALLS,
    MEND_NOTIFY_KEYS /* the program's begin here */
};

enum mend_notify_how {
    MEND_NOTIFY_NESTS = 1,    /* the callback also runs while another one waits in MPI */
    MEND_NOTIFY_IN_CALLS = 2, /* it runs inside MPI calls only */
};

/* Registers a callback for a key, in place of the one before.  MPI_ERR_NO_MEM; MPI_ERR_OTHER: the program handles the
 * signal itself, or another thread than the main one calls.  Local; callbacks run as the caller leaves the library. */
int mend_notify_register(struct mend_proc *self, int key, MPIX_Notify_function *fn, void *state,
                         unsigned how);

/* The key's callback runs no more.  MPI_ERR_ARG: it has none; MPI_ERR_OTHER as above. */
int mend_notify_unregister(struct mend_proc *self, int key);

/* Between the two callbacks wait.  release(): MPI_ERR_OTHER: there was no hold. */
void mend_notify_hold(struct mend_proc *self);
int mend_notify_release(struct mend_proc *self);

/* Makes the callback of the key run at a peer, this process included.  Waits only if there is no room on the way to
 * a peer that takes signals, until there is room or the peer is dead: MPI_ERR_PROC_FAILED.  MPI_ERR_NO_MEM.  The data is copied. */
int mend_notify_send(struct mend_proc *self, mend_peer to, int key, const void *data, int bytes);

/* A process that has said good-bye, and lives, runs nothing (R37).  Asks the agents whether one of another node that seems to have left is
 * back, and waits for the answer; the loss of an agent is one. */
bool mend_notify_has_left(struct mend_proc *self, mend_peer to);

/* Is a callback running? */
bool mend_notify_runs(const struct mend_proc *self);

/* May a roll-back leave all that goes on?  Not if a callback runs in an MPI call. */
bool mend_notify_may_unwind(const struct mend_proc *self);

/* How many holds there are; as many as there were at a safe point. */
uint32_t mend_notify_held(const struct mend_proc *self);
void mend_notify_restore(struct mend_proc *self, uint32_t held);

/* A roll-back has left the callback that was running, if any, and returned into the call that has made the safe point. */
void mend_notify_unwound(struct mend_proc *self);

/* Nobody notifies this process any more: runs what has come, and drops all registrations. */
void mend_notify_end(struct mend_proc *self);

#endif
