/* SPDX-License-Identifier: BSD-3-Clause */
/* revoke.h – one member makes a communicator unusable at all members.  The head of revoke.c explains the
 * protocol. */
#ifndef MEND_DECIDE_REVOKE_H
#define MEND_DECIDE_REVOKE_H

#include "decide/decide.h"

/* Marks c revoked here and tells all members.  Not collective, does not block. */
void mend_revoke(struct mend_comm *c);

/* Carries out the revocations of others that this process has not learned of yet; a process that died may not have
 * announced its revocation. */
void mend_revoke_on_interrupt(struct mend_proc *self);

/* c is revoked somewhere, as a call that failed for it says: from now on it is here, too. */
void mend_revoke_heard(struct mend_comm *c);

/* c, which users do not know, ends with a communicator that is revoked: told and reported is that one. */
void mend_revoke_along(struct mend_comm *c);

/* c is as if revoked, in this process alone and without a report: what goes on on it here ends.  It is renewed next
 * (mend_comm_renew()), or freed. */
void mend_revoke_here(struct mend_comm *c);

/* What c is called where it has no bit, in jobs of several nodes: parts of one context differ. */
uint64_t mend_revoke_name(const struct mend_comm *c);

/* A new object: a member may have revoked it already. */
void mend_revoke_look(struct mend_comm *c);

/* Reserves what revocations need of the communicators of a context that this process proposes; counters from
 * counter to counter + n are theirs.  Returns the counter to propose: the given one, or where there is no
 * memory one whose revocations the runtime tells. */
uint64_t mend_revoke_reserve(struct mend_proc *self, uint64_t counter, uint64_t n);

#endif
