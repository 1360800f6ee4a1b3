/* SPDX-License-Identifier: BSD-3-Clause */
/* serve.h – the target's side of messages: what others ask for is carried out. */
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

#endif
