/* SPDX-License-Identifier: BSD-3-Clause */
/* creation.h – the common part of all ways to create a communicator. */
#ifndef MEND_CREATE_CREATION_H
#define MEND_CREATE_CREATION_H

#include "create/create.h"
#include "proc/post.h"

/* A proposal for a context id that this process never makes again, and neither the one after it; spans: for members of
 * several jobs. */
mend_ctx mend_creation_ctx(struct mend_proc *self, bool spans);
/* n such pairs, one after the other. */
mend_ctx mend_creation_ctxs(struct mend_proc *self, bool spans, uint64_t n);
static inline mend_ctx mend_creation_ctx_next(mend_ctx ctx)
{
    return ctx + MEND_CTX_MAKE(0, 1);
}

/* A member is dead, as we hear from another one or from the agent: what follows for c here. */
void mend_creation_end(struct mend_comm *c);

/* What every creation agrees on, and the object that follows from it.  later: the caller goes on and
 * may begin other creations before this one is decided.  What was offered is held back until
 * mend_creation_settle(), which follows exactly once. */
void mend_creation_propose(struct mend_comm *parent, bool ok, bool later,
                           struct mend_decision *value);
void mend_creation_settle(struct mend_comm *parent, const struct mend_decision *value);

/* The agreement on what was proposed, with the settling. */
void mend_creation_decide(struct mend_comm *parent, struct mend_decision *value);

/* The own error to vote with: MPI_ERR_NO_MEM if there is no memory for an object, else the given one.  What
 * follows from the decision takes from the reserve (base/arena.h), so that it follows everywhere. */
int mend_creation_room(struct mend_comm *parent, int own_error);

/* An own error: a member of the group asked for is a hole (S2-3).  It becomes PROC_FAILED at all, but nobody
 * learns of a death by it: the parent stays active. */
#define MEND_CREATION_HOLE (MPI_ERR_LASTCODE + 1)
_Static_assert(
    MEND_CREATION_HOLE < MEND_CLASS_PROC_FAILED && MEND_CLASS_PROC_FAILED < MEND_CLASS_INVALIDATED,
    "a member that has given up is heard whatever errors others have: node/slots.h, invariant 4");

/* MPI_SUCCESS, or why nothing was created: INVALIDATED, PROC_FAILED, or the members' own error, if none of them knows
 * of a death. */
int mend_creation_result(struct mend_comm *parent, const struct mend_decision *value,
                         int own_error);

/* The object; opens it for frames that came early.  *new_p NULL with MPI_SUCCESS: this process is not a
 * member (group may be NULL then), or the other group would be empty. */
int mend_creation_object(struct mend_comm *parent, struct mend_group *group,
                         struct mend_group *remote, const struct mend_decision *value,
                         struct mend_comm **new_p);

/* All of it, blocking: one agreement over the parent, then the object.  own_error: why this process
 * vetoes.  The outcome is the same at all survivors, whichever processes die (S2-5..7). */
int mend_creation_now(struct mend_comm *parent, struct mend_group *group, struct mend_group *remote,
                      int own_error, struct mend_comm **new_p);

/* All members know the root's n bytes.  Collective; blocks until they have come.  PROC_FAILED, INVALIDATED: this process may
 * not have got them, and others have. */
int mend_creation_tell(struct mend_comm *c, void *buf, size_t n, int root);

/* The last step of an object's creation, when all of it is in place: lets frames in that came early.
 * If a member is dead already it vetoes all creation on it. */
void mend_creation_open(struct mend_comm *c);

/* MPI_SUCCESS if creation may begin on the communicator, else the error that it fails with. */
int mend_creation_check(struct mend_comm *parent);

/* validate.c */

/* Makes the object that carries c's collectives from now on: one of these groups, with what was agreed on in
 * value.  On error c has none.  An intercommunicator with an empty side gets none and stays
 * inactive. */
int mend_cut_give(struct mend_comm *c, struct mend_group *group, struct mend_group *remote,
                  const struct mend_decision *value);

/* made is a duplicate of the communicator that `carrier` carries: it gets the same holes. */
int mend_cut_inherit(struct mend_comm *carrier, const struct mend_decision *value,
                     struct mend_comm *made);

/* c is revoked, or freed: its carrier is, too. */
void mend_cut_on_revoke(struct mend_comm *c);
void mend_cut_drop(struct mend_comm *c);

/* shrink.c: g without the failed (NULL: nobody).  NULL: no memory. */
struct mend_group *mend_create_survivors(struct mend_proc *self, struct mend_group *g,
                                         struct mend_group *failed);

#endif
