/* SPDX-License-Identifier: BSD-3-Clause */
/* parted.c – for the simulator: S0-1, and MPI-5.0 11.10.4.  All disconnect a communicator of a session and close the session.
 * One process is outside of MPI from its return on until all others have done so: none of them needs it any more.  Votes go
 * through it (ft/tree.h).
 *
 * Or it revokes the communicator, and is outside before it disconnects.
 *
 * When a process dies the others may need it, as nobody knows whether a member that lives has come to its disconnect.  Then
 * the one that is outside goes on at once.
 *
 *   S0-1: a call that needs a dead process returns in bounded time */
#include "class.h"

#include "sim/job.h"

#include <stdio.h>

/* It has both a parent and a child in the tree of votes, of 8 processes and of 4; with 8 the parent is not the root. */
static int outsider(void)
{
    return sim_job->n < 8 ? 2 : 6;
}

static int wrong(const char *what, int err)
{
    fprintf(stderr, "%s: class %#x\n", what, (unsigned)err);
    return 1;
}

static bool is_away(int r)
{
    return sim_job->rank[r].presence == MEND_PRESENCE_AWAY;
}

static bool one_has_failed(void)
{
    for (int r = 0; r < sim_job->n; r++)
        if (sim_job->rank[r].declared && !is_away(r))
            return true;
    return false;
}

static bool disconnected[1100]; /* each rank */

static bool has_disconnected(int r)
{
    return disconnected[r];
}

/* Until all others are what is asked, or one has failed. */
static void stay_outside(bool (*is)(int r))
{
    for (int r = 0; r < sim_job->n; r++)
        while (r != mend_self->me && !is(r) && !one_has_failed())
            mend_self->yield(mend_self);
}

/* The others hear of it, and do not wait for one that has not disconnected. */
static void revoke_and_stay_outside(MPI_Comm c)
{
    MPIX_Comm_revoke(c);
    stay_outside(has_disconnected);
}

/* So that each may be the last one to disconnect, or to be told of the end. */
static void be_late(void)
{
    for (uint64_t turns = sim_random(sim_job, 100); turns; turns--)
        mend_self->yield(mend_self);
}

/* A class of error. */
static int make(MPI_Session s, MPI_Comm *c_p)
{
    MPI_Group g;
    int err = MPI_Group_from_session_pset(s, "mpi://WORLD", &g);

    if (err)
        return err;
    err = class_of(MPI_Comm_create_from_group(g, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, c_p));
    MPI_Group_free(&g);
    return err;
}

/* It has a communicator of its own.  True: something is wrong. */
static bool make_and_free_window(MPI_Comm c)
{
    MPI_Win w;
    int err = class_of(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, c, &w));

    if (err)
        return !is_failure(err);
    MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN);
    err = class_of(MPI_Win_free(&w));
    return err && !is_failure(err);
}

int main(int argc, char **argv)
{
    MPI_Session s;
    MPI_Comm c;
    bool revokes = mend_self->me == outsider() && sim_random(sim_job, 2);
    int err, sum;

    (void)argc;
    (void)argv;
    sim_job->room =
        0; /* what is still sent to the one that is outside finds room: a ring has 64 places, and few frames come */
    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s))
        return wrong("MPI_Session_init", 0);
    err = make(s, &c);
    if (err && err != MPI_ERR_PROC_FAILED)
        return wrong("MPI_Comm_create_from_group", err);
    if (!err) {
        err = add_up(c, 1, &sum);
        if (err && !is_failure(err))
            return wrong("MPI_Allreduce", err);
        if (make_and_free_window(c))
            return wrong("MPI_Win_create", 0);
        be_late();
        if (revokes)
            revoke_and_stay_outside(c);
        if (MPI_Comm_disconnect(&c))
            return wrong("MPI_Comm_disconnect", 0);
        disconnected[mend_self->me] = true;
        if (mend_self->me == outsider() && !revokes)
            stay_outside(is_away);
    }
    if (MPI_Session_finalize(&s))
        return wrong("MPI_Session_finalize", 0);
    return 0;
}
