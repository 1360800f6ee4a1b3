/* SPDX-License-Identifier: BSD-3-Clause */
/* creation.c – new communicators from one parent: the common code of all creation.
 *
 * After MPI_Comm_validate has made a cut, creation involves only the parent's survivors (validate.c).
 *
 *   every member: { ok?, context id proposal, free cells } ── one agreement over the parent ──>
 *   all ok and no member dead: the object, with the highest proposal and the lowest common cell
 *
 * The agreement belongs to the parent's CREATION sequence.  A member that gave up on the parent (it
 * learned of a death, or of a revocation) has vetoed it in advance; so the agreement ends in bounded
 * time, and its one result makes creation uniform (S2-5..7).
 *
 * Words: and_word[0] all ones: ok; and_word[1] free cells; max_word[0] context id;
 *        max_word[1] the error class of a member that is not ok, or MEND_CREATION_HOLE. */
#include "create/creation.h"

#include "node/abroad.h"
#include "node/cells.h"
#include "node/node.h"
#include "node/vote_blocks.h"
#include "proc/detour.h"

#define ROOM_BYTES 4096

_Static_assert(MEND_CTX_SPANS == MEND_ABROAD_CTX, "the agents know them by it");

/* No bit revokes what several jobs share: the parts of a split need none, but there is no harm in them. */
static mend_ctx propose_span(struct mend_proc *self, uint64_t n)
{
    uint64_t counter = MEND_CTX_FIRST + self->span_counter;

    MEND_ASSERT(counter + n < MEND_CTX_SPAN_MAX); /* ids are never used again */
    self->span_counter += n;
    return MEND_CTX_SPAN(mend_abroad_name(self, self->me), counter);
}

/* With n counters: those above the first name no context, but the bits of parts (decide/revoke.c). */
static mend_ctx propose_ctx(struct mend_proc *self, bool spans, uint64_t n)
{
    uint64_t counter;

    if (spans)
        return propose_span(self, n);
    counter = mend_revoke_reserve(self, self->ctx_counter, n);
    MEND_ASSERT(self->me < 1 << 19);              /* invite.c has the other half of the indices */
    MEND_ASSERT(counter + n < UINT64_C(1) << 40); /* ids are never used again */
    self->ctx_counter = counter + n;
    if (self->node)
        mend_node_count_contexts(self, self->ctx_counter);
    return MEND_CTX_MAKE(self->me, counter);
}

mend_ctx mend_creation_ctx(struct mend_proc *self, bool spans)
{
    return propose_ctx(self, spans, 2);
}

mend_ctx mend_creation_ctxs(struct mend_proc *self, bool spans, uint64_t n)
{
    return propose_ctx(self, spans, 2 * n);
}

int mend_creation_check(struct mend_comm *parent)
{
    mend_interrupt_check(parent->self);
    if (parent->revoked)
        return MEND_CLASS_INVALIDATED;
    if (parent->inactive)
        return MEND_CLASS_PROC_FAILED;
    mend_event(parent->self, MEND_EV_MEMBER_CREATE_ENTER);
    return MPI_SUCCESS;
}

/* Also the threads of a program may begin creations that overlap. */
static void propose(struct mend_comm *parent, bool ok, bool later, bool parts,
                    struct mend_decision *value)
{
    struct mend_proc *self = parent->self;
    uint64_t cells =
        mend_cells_offer(self, later || mend_proc_has_threads(self), parent->decide->proposals_n++);
    uint64_t counters_n =
        parts && parent->decide->members_n > 2 ? (uint64_t)parent->decide->members_n : 2;

    self->creating_n++;
    *value = (struct mend_decision){
        .and_word = {ok ? UINT64_MAX : 0, cells, UINT64_MAX, UINT64_MAX},
        .max_word = {propose_ctx(self, parent->spans, counters_n)},
        .cells = cells,
        .parts = parts,
    };
}

int mend_creation_tell(struct mend_comm *c, void *buf, size_t n, int root)
{
    struct mend_coll_buf b = {buf, (MPI_Count)n, mend_type_predefined((uintptr_t)MPI_BYTE),
                              MPI_BYTE};
    struct mend_coll_how now = {.kind = MEND_COLL_NOW};

    return mend_coll_bcast(c, &b, root, &now);
}

void mend_creation_propose(struct mend_comm *parent, bool ok, bool later,
                           struct mend_decision *value)
{
    propose(parent, ok, later, false, value);
}

void mend_creation_settle(struct mend_comm *parent, const struct mend_decision *value)
{
    parent->self->creating_n--;
    mend_cells_settle(parent->self, value->cells);
    if (value->cells && !value->and_word[1] && value->and_word[0] == UINT64_MAX && !value->failed_n)
        mend_cells_reserve_all(parent->self);
}

void mend_creation_decide(struct mend_comm *parent, struct mend_decision *value)
{
    mend_decide_wait(parent, MEND_DECIDE_CREATION, value);
    mend_creation_settle(parent, value);
}

/* Objects take less for each member, and the reserve is for those that find no more.  On what is created this process
 * may have to vote in a vote block. */
int mend_creation_room(struct mend_comm *parent, int own_error)
{
    struct mend_proc *self = parent->self;
    void *room;

    if (own_error)
        return own_error;
    if (self->node && self->params.agree_shm && !mend_voteblocks_room(self))
        return MPI_ERR_NO_MEM;
    room = mend_alloc(self, ROOM_BYTES + (size_t)parent->decide->members_n * sizeof(uint64_t));
    mend_free(self, room);
    return room ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

void mend_creation_end(struct mend_comm *c)
{
    mend_comm_deactivate(c);
    mend_decide_say_no(c, MEND_DECIDE_CREATION);
}

int mend_creation_result(struct mend_comm *parent, const struct mend_decision *value, int own_error)
{
    bool death = value->failed_n || value->max_word[1] == MEND_CLASS_PROC_FAILED;

    mend_event(parent->self, MEND_EV_MEMBER_CREATE_DECIDED);
    if (value->and_word[0] == UINT64_MAX && !value->failed_n)
        return MPI_SUCCESS;
    if (death)
        mend_creation_end(parent); /* somebody has heard of a death before us */
    if (value->max_word[1] == MEND_CLASS_INVALIDATED) {
        mend_revoke_heard(mend_comm_known(parent)); /* S0-63: revoked here once this is raised */
        return MEND_CLASS_INVALIDATED;
    }
    if (death) /* all say so, for some may have known before they could look at their arguments */
        return MEND_CLASS_PROC_FAILED;
    if (own_error)
        return own_error == MEND_CREATION_HOLE ? MEND_CLASS_PROC_FAILED : own_error;
    if (!value->max_word[1] || value->max_word[1] == MEND_CREATION_HOLE)
        return MEND_CLASS_PROC_FAILED;
    return (int)value->max_word[1];
}

int mend_creation_object(struct mend_comm *parent, struct mend_group *group,
                         struct mend_group *remote, const struct mend_decision *value,
                         struct mend_comm **new_p)
{
    struct mend_proc *self = parent->self;
    struct mend_comm *c;

    *new_p = NULL;
    if (!group || mend_group_rank(self, group, self->me) == MPI_UNDEFINED)
        return MPI_SUCCESS;
    if (remote && remote->size == 0) /* MPI-5.0 7.4.2, R4: nobody is on the other side */
        return MPI_SUCCESS;
    mend_memory_press(self); /* it is decided: all have it, or nobody */
    c = mend_comm_create(self, group, remote, value->max_word[0], parent);
    mend_memory_relax(self);
    if (value->parts) { /* no two have a member in common */
        c->decide->part = mend_decide_rank(self, parent->decide, mend_decide_peer(c->decide, 0));
        c->id += MEND_CTX_MAKE(0, c->decide->part);
    }
    if (!remote && c->in_segment && value->and_word[1] && group->size > 1) {
        c->cell = __builtin_ctzll(value->and_word[1]);
        mend_cells_take(self, c->cell);
    }
    mend_creation_open(c);
    *new_p = c;
    return MPI_SUCCESS;
}

/* A member may have died since the decision.  A process that learns of it before there is an object vetoes creation on
 * the object like one that learns of it later (comm_on_deaths() in decide/decide.c). */
void mend_creation_open(struct mend_comm *c)
{
    mend_revoke_look(c);
    if (c->inactive)
        mend_decide_say_no(c, MEND_DECIDE_CREATION);
    mend_unpark(c->self, c->ctx);
}

int mend_creation_now(struct mend_comm *parent, struct mend_group *group, struct mend_group *remote,
                      int own_error, struct mend_comm **new_p)
{
    struct mend_decision value;
    int err;

    own_error = mend_creation_room(parent, own_error);
    propose(parent, !own_error, false, true, &value);
    value.max_word[1] = (uint64_t)own_error;
    mend_creation_decide(parent, &value);
    err = mend_creation_result(parent, &value, own_error);
    if (!err)
        err = mend_creation_object(parent, group, remote, &value, new_p);
    if (value.failed)
        mend_group_put(parent->self, value.failed);
    return err;
}
