/* SPDX-License-Identifier: BSD-3-Clause */
/* internal.h – what the files of notify/ share. */
#ifndef MEND_NOTIFY_INTERNAL_H
#define MEND_NOTIFY_INTERNAL_H

#include "notify/notify.h"

struct mend_notify {
    struct mend_list callbacks; /* struct callback.link */
    struct mend_list waiting;   /* struct notice.link, in order of arrival */
    uint32_t held;
    bool running;    /* a callback */
    bool in_handler; /* of the signal */
};

/* A notification has come; the data is copied. */
void mend_notify_take(struct mend_proc *self, mend_peer from, int key, const void *data,
                      uint32_t bytes);

/* self->on_due: runs the callbacks that may run now. */
void mend_notify_run(struct mend_proc *self);

/* self->on_leave: an MPI call is about to return.  Runs what is due unless the call is one of a callback's, gives the lock back, and
 * counts the call. */
void mend_notify_leave(struct mend_proc *self);

/* The same in the handler of the signal, in the place of a call. */
void mend_notify_handle(struct mend_proc *self);

/* Catches the signal, and tells others that they may send it.  False: the program handles it itself. */
bool mend_notify_catch(struct mend_proc *self);
void mend_notify_uncatch(struct mend_proc *self);

#endif
