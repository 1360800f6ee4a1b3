/* SPDX-License-Identifier: BSD-3-Clause */
/* flag.c – the users' agreement: on one flag, and on which members have failed (S0-88..93).
 *
 *   and_word[0]   the flag of the group whose first peer is lower, or of the only group
 *   and_word[1]   on an intercommunicator the flag of the other group
 *
 * On an intercommunicator each group has a word of its own, and everybody gets the other group's (S0-92). */
#include "decide/internal.h"

#include "comm/errcode.h"

/* What this process reads of the decision, and where it writes. */
struct vote {
    struct mend_request base; /* nonblocking form */
    int *flag;
    unsigned theirs; /* index of the word */
    bool logical;
};

static void prepare(struct mend_comm *c, bool logical, int *flag, struct vote *v,
                    struct mend_decision *value)
{
    unsigned mine = c->inter && mend_group_peer(c->group, 0) > mend_group_peer(c->remote, 0);

    v->flag = flag;
    v->logical = logical;
    v->theirs = c->inter ? 1 - mine : mine;
    *value = (struct mend_decision){.and_word = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    value->and_word[mine] = logical ? *flag != 0 : (uint64_t)(uint32_t)*flag;
}

static int conclude(struct mend_proc *self, const struct vote *v, const struct mend_decision *value)
{
    uint64_t word = value->and_word[v->theirs];

    *v->flag = v->logical ? (int)(word & 1) : (int)(uint32_t)word;
    if (value->failed)
        mend_failure_told_group(self, value->failed);
    return !v->logical && !value->all_acked ? MEND_CLASS_PROC_FAILED : MPI_SUCCESS;
}

int mend_decide_flag(struct mend_comm *c, bool logical, int *flag)
{
    struct mend_decision value;
    struct vote v;
    int err;

    prepare(c, logical, flag, &v, &value);
    mend_decide(c, &value);
    err = conclude(c->self, &v, &value);
    if (value.failed)
        mend_group_put(c->self, value.failed);
    return err;
}

static void release(struct mend_request *r)
{
    struct mend_comm *c = r->comm;

    r->magic = 0;
    mend_free(c->self, r);
    mend_comm_put(c);
}

static void done(void *arg, struct mend_decision *value)
{
    struct vote *v = arg;

    mend_request_complete(&v->base, conclude(v->base.comm->self, v, value));
}

static const struct mend_request_ops ops = {
    .name = "agreement", .cause = MEND_WAIT_AGREEMENTS, .release = release};

void mend_decide_iflag(struct mend_comm *c, bool logical, int *flag, struct mend_request **r_p)
{
    struct mend_decision value;
    struct vote *v;

    mend_memory_press(c->self); /* it takes part in any case: the others wait for it */
    v = mend_zalloc(c->self, 1, sizeof(*v));
    mend_memory_relax(c->self);
    mend_request_init(&v->base, &ops, c);
    mend_comm_get(c);
    mend_request_begin(&v->base);
    prepare(c, logical, flag, v, &value);
    *r_p = &v->base;
    mend_decide_start(c, &value, done, v);
}
