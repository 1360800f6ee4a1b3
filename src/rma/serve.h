/* SPDX-License-Identifier: BSD-3-Clause */
/* serve.h – the target's side of messages: operations and locks that others ask for. */
#ifndef MEND_RMA_SERVE_H
#define MEND_RMA_SERVE_H

#include "net/frame.h"
#include "rma/win.h"
#include "rma/wire.h"

/* A frame for a window. */
void mend_serve_on_frame(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                         const void *payload);

/* Carries out what a member asks for, or takes its answer.  False: no correct process sends this. */
bool mend_serve(struct mend_win *w, int from, enum mend_rma_kind kind, const void *payload,
                size_t len);

/* The locks of this member's part that are given by messages. */
int mend_serve_make(struct mend_win *w);
void mend_serve_drop(struct mend_win *w);
struct mend_winlock_words mend_serve_lock_words(struct mend_win *w, int origin);

/* A member died: what it held is poisoned, and others may go on. */
void mend_serve_on_death(struct mend_win *w, int dead);

#endif
