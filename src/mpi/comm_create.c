/* SPDX-License-Identifier: BSD-3-Clause */
/* comm_create.c – communicators come and go (MPI-5.0 7.4.2, 7.4.3, 7.6.2, 11.10.4).
 *
 * Creation is collective, blocks until it is decided, and is uniform (Hursey's text): all living members
 * get the communicator or all get the error.  What a death does: with a member dead before, or
 * dying before the decision, MPI_ERR_PROC_FAILED at all survivors (S2-1, S2-6, S2-9); on a
 * revoked communicator MPI_ERR_INVALIDATED.  What the user's callbacks do to one process alone
 * (attributes) is not part of that.
 *
 * Freeing is local, whichever processes are dead (S0-69). */
#include "mpi/check.h"

#include "create/create.h"

static int dup_with(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, const char *fn)
{
    struct mend_comm *c = NULL, *made = NULL;
    struct mend_info *i = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_info_or_null(info, &i);
    if (!err)
        err = mend_check_pointer(newcomm);
    if (!err)
        err = mend_create_dup_with(c, i, &made);
    if (!err)
        *newcomm = mend_comm_handle(made);
    return mend_report_comm(c, err, fn);
}

MEND_API(MPI_Comm_dup);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    return dup_with(comm, MPI_INFO_NULL, newcomm, __func__);
}

MEND_API(MPI_Comm_dup_with_info);
int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    return dup_with(comm, info, newcomm, __func__);
}

/* Collective, does not block.  Deaths and invalidation are reported by the completion call (S0-15, R1), and so is
 * what a copy callback says. */
static int idup(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request,
                const char *fn)
{
    struct mend_comm *c = NULL;
    struct mend_info *i = NULL;
    struct mend_request *r = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_info_or_null(info, &i);
    if (!err && !(newcomm && request))
        err = MPI_ERR_ARG;
    if (!err)
        mend_create_idup_with(c, i, newcomm, &r);
    if (!err)
        *request = mend_mpi_request_handle(r);
    return mend_report_comm(c, err, fn);
}

MEND_API(MPI_Comm_idup);
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    return idup(comm, MPI_INFO_NULL, newcomm, request, __func__);
}

MEND_API(MPI_Comm_idup_with_info);
int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request)
{
    return idup(comm, info, newcomm, request, __func__);
}

/* Collective over comm; members of the group get the new communicator, the others MPI_COMM_NULL.  On an
 * intercommunicator each side gives a part of its own group, and the result is one, too. */
MEND_API(MPI_Comm_create);
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
    struct mend_comm *c = NULL, *made = NULL;
    struct mend_group *g = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_group(group, &g);
    if (!err)
        err = mend_check_pointer(newcomm);
    if (!err && !mend_group_contains(mend_self, c->group, g))
        err = MPI_ERR_GROUP;
    if (!err)
        err = mend_create_from_subset(c, g, &made);
    if (!err)
        *newcomm = mend_comm_handle(made);
    return mend_report_comm(c, err, __func__);
}

/* Collective over the group alone.  MPI_COMM_NULL, at once, with the empty group. */
MEND_API(MPI_Comm_create_group);
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
    struct mend_comm *c = NULL, *made = NULL;
    struct mend_group *g = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_intra(comm, &c);
    if (!err)
        err = mend_check_group(group, &g);
    if (!err)
        err = mend_check_send_tag(tag);
    if (!err)
        err = mend_check_pointer(newcomm);
    if (!err && !mend_group_contains(mend_self, c->group, g))
        err = MPI_ERR_GROUP;
    if (!err && g->size > 0 && mend_group_rank(mend_self, g, mend_self->me) == MPI_UNDEFINED)
        err = MPI_ERR_GROUP;
    if (!err && g->size > 0)
        err = mend_create_group(c, g, tag, &made);
    if (!err)
        *newcomm = mend_comm_handle(made);
    return mend_report_comm(c, err, __func__);
}

/* Collective.  On an intercommunicator the processes of a color from both groups get one, or
 * MPI_COMM_NULL if there are none on the other side. */
MEND_API(MPI_Comm_split);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
    struct mend_comm *c = NULL, *made = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(newcomm);
    if (!err && color < 0 && color != MPI_UNDEFINED)
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_create_split(c, color, key, &made);
    if (!err)
        *newcomm = mend_comm_handle(made);
    return mend_report_comm(c, err, __func__);
}

static bool is_split_type(int type)
{
    return type == MPI_COMM_TYPE_SHARED || type == MPI_COMM_TYPE_HW_GUIDED ||
           type == MPI_COMM_TYPE_HW_UNGUIDED || type == MPI_COMM_TYPE_RESOURCE_GUIDED ||
           type == MPI_UNDEFINED;
}

MEND_API(MPI_Comm_split_type);
int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)
{
    struct mend_comm *c = NULL, *made = NULL;
    struct mend_info *i = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_info_or_null(info, &i);
    if (!err)
        err = mend_check_pointer(newcomm);
    if (!err && !is_split_type(split_type))
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_create_split_type(c, split_type, key, i, info == MPI_INFO_ENV ? NULL : i, &made);
    if (!err)
        *newcomm = mend_comm_handle(made);
    return mend_report_comm(c, err, __func__);
}

/* Collective over both local communicators.  peer_comm, remote_leader and what they mean are looked
 * at in the local leader alone (7.6.2); if they are wrong its whole group gets the error. */
MEND_API(MPI_Intercomm_create);
int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                         int remote_leader, int tag, MPI_Comm *newintercomm)
{
    struct mend_comm *local = NULL, *peer = NULL, *made = NULL;
    int err = mend_enter(__func__), peer_error = MPI_SUCCESS;

    if (!err)
        err = mend_check_intra(local_comm, &local);
    if (!err)
        err = mend_check_rank(local, local_leader);
    if (!err)
        err = mend_check_send_tag(tag);
    if (!err)
        err = mend_check_pointer(newintercomm);
    if (!err && local->rank == local_leader) {
        peer_error = mend_check_comm(peer_comm, &peer);
        if (!peer_error)
            peer_error = mend_check_rank(peer, remote_leader);
    }
    if (!err)
        err =
            mend_create_intercomm(local, local_leader, peer, remote_leader, tag, peer_error, &made);
    if (!err)
        *newintercomm = mend_comm_handle(made);
    return mend_report_comm(local, err, __func__);
}

/* Collective over both groups. */
MEND_API(MPI_Intercomm_merge);
int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintracomm)
{
    struct mend_comm *c = NULL, *made = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_inter(intercomm, &c);
    if (!err)
        err = mend_check_pointer(newintracomm);
    if (!err)
        err = mend_create_merge(c, high, &made);
    if (!err)
        *newintracomm = mend_comm_handle(made);
    return mend_report_comm(c, err, __func__);
}

static int check_freeable(MPI_Comm *comm, struct mend_comm **c_p)
{
    int err = mend_check_pointer(comm);

    if (!err)
        err = mend_check_comm(*comm, c_p);
    return !err && (*c_p)->predefined ? MPI_ERR_COMM : err;
}

static void free_comm(struct mend_proc *self, void *c)
{
    (void)self;
    mend_create_free(c);
}

/* One that is older than a module's safe point stays until the next one: the program may roll back to where it had it. */
static int free_now_or_later(struct mend_comm *c)
{
    return mend_undo_later(mend_self, free_comm, c, mend_undo_is_new(c)) ? MPI_SUCCESS
                                                                         : mend_create_free(c);
}

/* Collective by the standard, local here: returns at once, also on a revoked communicator and
 * with dead members (S0-69).  Pending operations complete; their errors are fatal (S0-71).  A delete
 * callback that refuses: its error, and the communicator stays. */
MEND_API(MPI_Comm_free);
int MPI_Comm_free(MPI_Comm *comm)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_freeable(comm, &c);
    if (!err)
        err = free_now_or_later(c);
    if (!err)
        *comm = MPI_COMM_NULL;
    return mend_report_comm(c, err, __func__);
}

/* Collective.  Blocks until this process's operations on the communicator are complete (11.10.4), or a member is dead;
 * then, if others could still ask this process about it, until all members have freed it.  That ends as well when a member
 * dies, calls MPI_Finalize or has revoked the communicator.  Afterwards no member needs this process any more.  Members of
 * several communicators disconnect them in the same order, as with all collective calls. */
MEND_API(MPI_Comm_disconnect);
int MPI_Comm_disconnect(MPI_Comm *comm)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_freeable(comm, &c);
    if (!err)
        err = mend_self->undo && !mend_undo_is_new(c) ? free_now_or_later(c)
                                                      : mend_create_disconnect(c);
    if (!err)
        *comm = MPI_COMM_NULL;
    return mend_report_comm(c, err, __func__);
}
