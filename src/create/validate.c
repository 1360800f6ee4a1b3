/* SPDX-License-Identifier: BSD-3-Clause */
/* validate.c – MPI_Comm_validate: collectives on a communicator with holes (S2-10..13, S2-18).
 *
 *   { failures I know, context id proposal, free cells } ── one agreement ──> the same failed at all
 *
 *   no failure since the last cut:   nothing else
 *   a failure since the last cut:    the cut
 *
 *        whole   0  1  X  3  X  5         what users know: groups, ranks, messages, attributes
 *                │  │     │     │
 *        living  0  1     2     3         carries collectives and creation from now on
 *
 * The cut makes an object of the survivors, with its own context id and cell, and attaches it
 * to the communicator in place of the previous one.  So an operation from before the cut cannot match one from
 * after it: it runs under another id, and ends with MPI_ERR_PROC_FAILED when this process learns of
 * the death that caused the cut, if it has not yet.  The object behaves like any communicator;
 * a new death makes it inactive, and the next cut makes another one.
 * coll/living.c maps ranks to places in buffers.
 *
 * The agreement belongs to a separate sequence, VALIDATION: unlike the agreements of EXPLICIT it ends, with
 * MPI_ERR_INVALIDATED, when the communicator is revoked (S0-60), and a member at which the communicator was revoked
 * before it called has vetoed in advance. */
#include "create/creation.h"

#include "proc/report.h"

void mend_cut_drop(struct mend_comm *c)
{
    struct mend_comm *living = c->living;

    if (!living)
        return;
    c->living = NULL;
    mend_coll_choose_table(c);
    living->whole = NULL;
    mend_decide_free(living);
}

int mend_cut_give(struct mend_comm *c, struct mend_group *group, struct mend_group *remote,
                  const struct mend_decision *value)
{
    int err = mend_creation_object(c, group, remote, value, &c->living);

    mend_coll_choose_table(c);
    if (!err && c->living) {
        c->living->whole = c;
        if (c->revoked) /* before there was this object to vote on */
            mend_cut_on_revoke(c);
    }
    return err;
}

int mend_cut_inherit(struct mend_comm *carrier, const struct mend_decision *value,
                     struct mend_comm *made)
{
    struct mend_decision second = *value;

    second.max_word[0] = mend_creation_ctx_next(value->max_word[0]);
    made->holes_n = made->decide->members_n - carrier->decide->members_n;
    return mend_cut_give(made, carrier->group, carrier->inter ? carrier->remote : NULL, &second);
}

void mend_cut_on_revoke(struct mend_comm *c)
{
    if (c->living)
        mend_revoke_along(c->living);
}

/* The failed of the agreement are the holes. */
static int cut(struct mend_comm *c, const struct mend_decision *value)
{
    struct mend_proc *self = c->self;
    struct mend_group *group = mend_create_survivors(self, c->group, value->failed);
    struct mend_group *remote =
        c->inter ? mend_create_survivors(self, c->remote, value->failed) : NULL;
    int err;

    mend_cut_drop(c);
    err = mend_cut_give(c, group, remote, value);
    c->holes_n = value->failed_n;
    mend_group_put(self, group);
    if (remote)
        mend_group_put(self, remote);
    mend_record_event(self, cut, .ctx = c->ctx, .holes = c->holes_n);
    mend_event(self, MEND_EV_VALIDATE_CUT);
    return err;
}

/* Members veto it only after a revocation; and a dead process has not contributed, so a process that was
 * left out before is among the failed again. */
static int conclude(struct mend_comm *c, const struct mend_decision *value)
{
    mend_event(c->self, MEND_EV_VALIDATE_DECIDED);
    if (value->and_word[0] != UINT64_MAX) {
        mend_revoke_heard(c); /* S0-63 */
        return MEND_CLASS_INVALIDATED;
    }
    if (value->failed_n == c->holes_n)
        return MPI_SUCCESS;
    return cut(c, value);
}

int mend_create_validate(struct mend_comm *c, struct mend_group **failed_p)
{
    struct mend_proc *self = c->self;
    struct mend_decision value;
    int err;

    mend_event(self, MEND_EV_VALIDATE_ENTER);
    mend_creation_propose(c, true, false, &value);
    mend_decide_wait(c, MEND_DECIDE_VALIDATION, &value);
    mend_creation_settle(c, &value);
    mend_memory_press(self); /* what is decided holds for all */
    err = conclude(c, &value);
    if (!err)
        *failed_p = mend_decide_in_order(c, value.failed);
    mend_memory_relax(self);
    if (value.failed)
        mend_group_put(self, value.failed);
    return err;
}
