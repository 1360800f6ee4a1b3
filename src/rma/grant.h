/* SPDX-License-Identifier: BSD-3-Clause */
/* grant.h – the lock of this member's part where origins ask for it by messages.
 *
 *   origin                    this member
 *   LOCK    ───────────────>  waits ──> given
 *           <─────── LOCKED
 *   TAKEN   ───────────────>  has                  from now on the origin's death poisons the lock
 *   UNLOCK  ───────────────>  nothing
 *           <───── UNLOCKED
 *
 * An origin that knows of deaths says so first (DEAD).  If this member has not heard of one of those yet, it answers when it has:
 * what the dead one had sent, perhaps the end of its lock, is read then, and whether the lock is poisoned is the same for
 * all.  The verdict comes to each process, so the answer does not wait for long; others that do not know of the death
 * may have the lock meanwhile.  The other way round, a LOCKED or UNLOCKED that reports a death says how many deaths this member knows of, and
 * an origin that has not heard of as many takes it when it has (link.c). */
#ifndef MEND_RMA_GRANT_H
#define MEND_RMA_GRANT_H

#include "rma/win.h"

/* MPI_ERR_NO_MEM. */
int mend_grant_make(struct mend_win *w);
void mend_grant_drop(struct mend_win *w);
struct mend_winlock_words mend_grant_words(struct mend_win *w, int origin);

/* An origin has sent DEAD, with `len` bytes of ranks, LOCK, TAKEN or UNLOCK.  False: no correct process sends this. */
bool mend_grant_lock(struct mend_win *w, int from, uint64_t kind);
bool mend_grant_taken(struct mend_win *w, int from);
bool mend_grant_unlock(struct mend_win *w, int from);
bool mend_grant_dead(struct mend_win *w, int from, const void *ranks, size_t len);

/* A member died: what it held is poisoned.  When all that died together are buried others may go on. */
void mend_grant_bury(struct mend_win *w, int dead);
void mend_grant_go_on(struct mend_win *w);

#endif
