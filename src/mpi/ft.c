/* SPDX-License-Identifier: BSD-3-Clause */
/* ft.c – fault tolerance on communicators: the names of 2012, of today, and MPI_ERRors between.
 *
 * Docstrings for users are in include/mpi_ft.h.  Two vocabularies, one core (create/create.h):
 *   MPI_Comm_invalidate = MPIX_Comm_revoke       MPI_Comm_agreement: boolean, never fails (R16)
 *   MPI_Comm_shrink: invalid input only (R17)    MPIX_Comm_agree: bitwise, tells unacknowledged deaths
 *   MPIX_Comm_shrink: any communicator */
#include "comm/errcode.h"
#include "mpi/check.h"

#include "comm/errcode.h"
#include "create/create.h"

MEND_API(MPI_Comm_invalidate);
MEND_API_SAME(MPI_Comm_revoke, MPI_Comm_invalidate);
MEND_API_SAME(MPIX_Comm_revoke, MPI_Comm_invalidate);
int MPI_Comm_invalidate(MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        mend_revoke(c);
    return mend_report_comm(c, err, __func__);
}

/* What has happened meanwhile is carried out, so that a program may wait by asking, and answers meanwhile
 * what others ask it. */
static void look_around(void)
{
    mend_progress(mend_self, MEND_PEER_NONE);
    mend_interrupt_check(mend_self);
}

MEND_API(MPI_Comm_is_revoked);
MEND_API_SAME(MPIX_Comm_is_revoked, MPI_Comm_is_revoked);
int MPI_Comm_is_revoked(MPI_Comm comm, int *flag)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(flag);
    if (!err) {
        look_around();
        *flag = c->revoked;
    }
    return mend_report_comm(c, err, __func__);
}

static int shrink(MPI_Comm comm, MPI_Comm *newcomm, bool strict, const char *fn)
{
    struct mend_comm *c = NULL, *made = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(newcomm);
    if (!err) {
        err = mend_create_shrink(c, strict, &made);
        if (err == MPI_ERR_ARG)
            mend_error_detail(mend_self, err, 0, "%s is not revoked; MPIX_Comm_shrink takes it",
                              mend_comm_label(c));
    }
    if (!err)
        *newcomm = made ? mend_comm_handle(made) : MPI_COMM_NULL;
    return mend_report_comm(c, err, fn);
}

MEND_API(MPI_Comm_shrink);
int MPI_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm)
{
    return shrink(comm, newcomm, true, __func__);
}

MEND_API(MPIX_Comm_shrink);
int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm)
{
    return shrink(comm, newcomm, false, __func__);
}

MEND_API(MPI_Comm_ishrink);
MEND_API_SAME(MPIX_Comm_ishrink, MPI_Comm_ishrink);
int MPI_Comm_ishrink(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    struct mend_comm *c = NULL;
    struct mend_request *r = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(newcomm);
    if (!err)
        err = mend_check_pointer(request);
    if (!err)
        err = mend_create_ishrink(c, (struct mend_comm **)newcomm, &r);
    if (!err)
        *request = mend_mpi_request_handle(r);
    return mend_report_comm(c, err, __func__);
}

/* An agreement on a flag.  On an intercommunicator each group has a word of its own, and everybody
 * gets the other group's (S0-92). */
struct vote {
    struct mend_request base; /* nonblocking form */
    int *flag;
    unsigned theirs;
    bool logical; /* MPI_Comm_agreement: boolean; else bitwise, with errors */
};

static void vote_prepare(struct mend_comm *c, int flag, bool logical, struct vote *v,
                         struct mend_decision *value)
{
    unsigned mine = c->inter && mend_group_peer(c->group, 0) > mend_group_peer(c->remote, 0);

    v->logical = logical;
    v->theirs = c->inter ? 1 - mine : mine;
    *value = (struct mend_decision){.and_word = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    value->and_word[mine] = logical ? flag != 0 : (uint64_t)(uint32_t)flag;
}

static int vote_result(const struct vote *v, const struct mend_decision *value)
{
    uint64_t word = value->and_word[v->theirs];

    *v->flag = v->logical ? (int)(word & 1) : (int)(uint32_t)word;
    if (value->failed)
        mend_failure_told_group(mend_self, value->failed);
    return !v->logical && !value->all_acked ? MEND_CLASS_PROC_FAILED : MPI_SUCCESS;
}

static int agree(MPI_Comm comm, int *flag, bool logical, const char *fn)
{
    struct mend_comm *c = NULL;
    struct mend_decision value;
    struct vote v;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(flag);
    if (!err) {
        v.flag = flag;
        vote_prepare(c, *flag, logical, &v, &value);
        mend_decide(c, &value);
        err = vote_result(&v, &value);
        if (value.failed)
            mend_group_put(mend_self, value.failed);
    }
    return mend_report_comm(c, err, fn);
}

MEND_API(MPI_Comm_agreement);
int MPI_Comm_agreement(MPI_Comm comm, int *flag)
{
    return agree(comm, flag, true, __func__);
}

MEND_API(MPI_Comm_agree);
MEND_API_SAME(MPIX_Comm_agree, MPI_Comm_agree);
int MPI_Comm_agree(MPI_Comm comm, int *flag)
{
    return agree(comm, flag, false, __func__);
}

static void vote_release(struct mend_request *r)
{
    struct mend_comm *c = r->comm;

    r->magic = 0;
    mend_free(c->self, r);
    mend_comm_put(c);
}

static void vote_done(void *arg, struct mend_decision *value)
{
    struct vote *v = arg;

    mend_request_complete(&v->base, vote_result(v, value));
}

static const struct mend_request_ops vote_ops = {.name = "agreement", .release = vote_release};

static int iagree_start(struct mend_comm *c, int *flag, bool logical, struct mend_request **r_p)
{
    struct mend_decision value;
    struct vote *v;

    mend_memory_press(c->self); /* it takes part in any case: the others wait for it */
    v = mend_zalloc(c->self, 1, sizeof(*v));
    mend_memory_relax(c->self);
    mend_request_init(&v->base, &vote_ops, c);
    mend_comm_get(c);
    mend_request_begin(&v->base);
    v->flag = flag;
    vote_prepare(c, *flag, logical, v, &value);
    *r_p = &v->base;
    mend_decide_start(c, &value, vote_done, v);
    return MPI_SUCCESS;
}

static int iagree(MPI_Comm comm, int *flag, MPI_Request *request, bool logical, const char *fn)
{
    struct mend_comm *c = NULL;
    struct mend_request *r = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(flag);
    if (!err)
        err = mend_check_pointer(request);
    if (!err)
        err = iagree_start(c, flag, logical, &r);
    if (!err)
        *request = mend_mpi_request_handle(r);
    return mend_report_comm(c, err, fn);
}

MEND_API(MPI_Icomm_agreement);
int MPI_Icomm_agreement(MPI_Comm comm, int *flag, MPI_Request *req)
{
    return iagree(comm, flag, req, true, __func__);
}

MEND_API(MPI_Comm_iagree);
MEND_API_SAME(MPIX_Comm_iagree, MPI_Comm_iagree);
int MPI_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request)
{
    return iagree(comm, flag, request, false, __func__);
}

MEND_API(MPI_Comm_failure_ack);
MEND_API_SAME(MPIX_Comm_failure_ack, MPI_Comm_failure_ack);
int MPI_Comm_failure_ack(MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err) {
        c->acked_deaths_n = mend_self->deaths_n;
        mend_failure_told(c, c->acked_deaths_n);
        mend_p2p_on_ack(c);
    }
    return mend_report_comm(c, err, __func__);
}

/* The failed members of both groups among the first n deaths, in the order of the deaths. */
static struct mend_group *failed_members(struct mend_comm *c, uint32_t deaths_n)
{
    struct mend_proc *self = c->self;
    struct mend_group *all = c->inter ? mend_group_union(self, c->group, c->remote) : c->group;
    struct mend_group *failed = all ? mend_group_dead(self, all, deaths_n) : NULL;

    if (all && c->inter)
        mend_group_put(self, all);
    return failed;
}

static int get_members(MPI_Comm comm, MPI_Group *group, bool acked, const char *fn)
{
    struct mend_comm *c = NULL;
    struct mend_group *g;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(group);
    if (!err) {
        if (!acked)
            look_around();
        g = failed_members(c, acked ? c->acked_deaths_n : mend_self->deaths_n);
        err = g ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (!err) {
        mend_failure_told_group(mend_self, g);
        *group = mend_group_handle(g);
    }
    return mend_report_comm(c, err, fn);
}

MEND_API(MPI_Comm_failure_get_acked);
MEND_API_SAME(MPIX_Comm_failure_get_acked, MPI_Comm_failure_get_acked);
int MPI_Comm_failure_get_acked(MPI_Comm comm, MPI_Group *failedgroup)
{
    return get_members(comm, failedgroup, true, __func__);
}

MEND_API(MPI_Comm_get_failed);
MEND_API_SAME(MPIX_Comm_get_failed, MPI_Comm_get_failed);
int MPI_Comm_get_failed(MPI_Comm comm, MPI_Group *failedgroup)
{
    return get_members(comm, failedgroup, false, __func__);
}

/* Acknowledges up to the given number of failed members, oldest first; never takes back.  Returns how
 * many are acknowledged now. */
static int ack_members(struct mend_comm *c, int num_to_ack)
{
    struct mend_proc *self = c->self;
    int members = 0, acked = 0;

    for (uint32_t i = 0; i < self->deaths_n; i++) {
        mend_peer dead = self->deaths[i].peer;

        if (mend_group_rank(self, c->group, dead) == MPI_UNDEFINED &&
            mend_group_rank(self, c->remote, dead) == MPI_UNDEFINED)
            continue;
        members++;
        if (members <= num_to_ack && c->acked_deaths_n < i + 1)
            c->acked_deaths_n = i + 1;
        acked += c->acked_deaths_n > i;
    }
    mend_failure_told(c, c->acked_deaths_n);
    mend_p2p_on_ack(c);
    return acked;
}

MEND_API(MPI_Comm_ack_failed);
MEND_API_SAME(MPIX_Comm_ack_failed, MPI_Comm_ack_failed);
int MPI_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int *num_acked)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(num_acked);
    if (!err && num_to_ack < 0)
        err = MPI_ERR_ARG;
    if (!err)
        *num_acked = ack_members(c, num_to_ack);
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Comm_validate);
int MPI_Comm_validate(MPI_Comm comm, MPI_Group *failed_grp)
{
    struct mend_comm *c = NULL;
    struct mend_group *failed = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(failed_grp);
    if (!err)
        err = mend_create_validate(c, &failed);
    if (!err) {
        mend_failure_told_group(mend_self, failed);
        *failed_grp = mend_group_handle(failed);
    }
    return mend_report_comm(c, err, __func__);
}
