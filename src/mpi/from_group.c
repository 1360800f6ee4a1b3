/* SPDX-License-Identifier: BSD-3-Clause */
/* from_group.c – communicators that have no parent (MPI-5.0 7.4.2, 7.6.2).
 *
 * Collective over the groups alone; block until all their living members have called, or one is known
 * to be dead: MPI_ERR_PROC_FAILED, at all or at none (S2-5).  Errors go to the error handler given in
 * the call; a function of the user's gets MPI_COMM_SELF, because there is no communicator yet.
 * With an empty group the result is MPI_COMM_NULL, at once.
 *
 * Groups may come from any communicator, or from a session. */
#include "mpi/check.h"

#include "comm/errcode.h"
#include "comm/errhandler.h"
#include "create/create.h"

#include <string.h>

struct call {
    const char *fn;
    uint32_t session;                   /* that the group comes from, 0: none */
    struct mend_errhandler *errhandler; /* NULL: the argument was wrong */
};

static int enter(struct call *call, const char *stringtag, MPI_Info info, MPI_Errhandler errhandler)
{
    struct mend_info *i = NULL;
    int err = mend_enter(call->fn);

    if (!err)
        err = mend_check_errhandler(errhandler, &call->errhandler);
    if (!err && call->errhandler->object != MEND_ERRH_OF_COMM &&
        call->errhandler->object != MEND_ERRH_OF_ANY) {
        call->errhandler = NULL;
        err = MPI_ERR_ERRHANDLER;
    }
    if (!err)
        err = mend_check_info_or_null(info, &i);
    if (!err)
        err = mend_check_pointer(stringtag);
    if (!err && strlen(stringtag) >= MPI_MAX_STRINGTAG_LEN)
        err = MPI_ERR_ARG;
    return err;
}

static int leave(const struct call *call, int err, struct mend_comm *made, MPI_Comm *comm)
{
    if (!err && made) {
        mend_comm_set_errhandler(made, call->errhandler);
        made->session = call->session;
        if (made->group->size > 0 && !made->group->session)
            made->group->session = call->session;
    }
    if (!err)
        *comm = made ? mend_comm_handle(made) : MPI_COMM_NULL;
    if (err == MEND_CLASS_PROC_FAILED) /* of members of groups, of which not all know both */
        mend_failure_told(mend_self->world, mend_self->deaths_n);
    if (!err || !call->errhandler)
        return mend_report(err, call->fn);
    return mend_raise_with(mend_self, call->errhandler, err, call->fn);
}

/* A group that this process is in; the empty one if it may be. */
static int check_own_group(MPI_Group group, bool may_be_empty, struct mend_group **g_p)
{
    int err = mend_check_group(group, g_p);

    if (!err && !(may_be_empty && (*g_p)->size == 0) &&
        mend_group_rank(mend_self, *g_p, mend_self->me) == MPI_UNDEFINED)
        err = MPI_ERR_GROUP;
    return err;
}

/* MPI_COMM_NULL, at once, with the empty group. */
MEND_API(MPI_Comm_create_from_group);
int MPI_Comm_create_from_group(MPI_Group group, const char *stringtag, MPI_Info info,
                               MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
    struct call call = {.fn = __func__};
    struct mend_group *g = NULL;
    struct mend_comm *made = NULL;
    int err = enter(&call, stringtag, info, errhandler);

    if (!err)
        err = check_own_group(group, true, &g);
    if (!err)
        err = mend_check_pointer(newcomm);
    if (!err)
        call.session = g->session;
    if (!err && g->size > 0)
        err = mend_create_from_group(mend_self, g, stringtag, &made);
    return leave(&call, err, made, newcomm);
}

/* The other group's leader, if this process is a leader: the arguments are significant there only. */
static int check_other(struct mend_group *g, int leader, MPI_Group remote, int remote_leader,
                       mend_peer *other_p)
{
    struct mend_group *r = NULL;
    int err = MPI_SUCCESS;

    *other_p = mend_self->me;
    if (mend_group_peer(g, leader) != mend_self->me)
        return MPI_SUCCESS;
    err = mend_check_group(remote, &r);
    if (!err && (remote_leader < 0 || remote_leader >= r->size))
        err = MPI_ERR_RANK;
    if (!err)
        *other_p = mend_group_peer(r, remote_leader);
    return err;
}

/* What is wrong with the other group's arguments its leader's whole group gets.  With an empty group MPI_COMM_NULL, at once, at
 * each process that names one, leader or not. */
MEND_API(MPI_Intercomm_create_from_groups);
int MPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader,
                                     MPI_Group remote_group, int remote_leader,
                                     const char *stringtag, MPI_Info info,
                                     MPI_Errhandler errhandler, MPI_Comm *newintercomm)
{
    struct call call = {.fn = __func__};
    struct mend_group *g = NULL;
    struct mend_comm *made = NULL;
    mend_peer other;
    int other_error, err = enter(&call, stringtag, info, errhandler);

    if (!err)
        err = check_own_group(local_group, true, &g);
    if (!err && g->size > 0 && (local_leader < 0 || local_leader >= g->size))
        err = MPI_ERR_RANK;
    if (!err)
        err = mend_check_pointer(newintercomm);
    if (!err && g->size > 0 && remote_group != MPI_GROUP_EMPTY) {
        call.session = g->session;
        other_error = check_other(g, local_leader, remote_group, remote_leader, &other);
        err = mend_create_from_groups(mend_self, g, local_leader, other, stringtag, other_error,
                                      &made);
    }
    return leave(&call, err, made, newintercomm);
}
