/* SPDX-License-Identifier: BSD-3-Clause */
/* The exit status is 0 only if every death was handled: some process that finished cleanly had been told
 * of it by an MPI call.  Rank 2 dies, and rank 0, or 0 and 1, do one thing.
 *
 * Told by an error:
 *
 *   R22: the job's status is 0 only if all deaths were handled
 *   R23: a process that ends without MPI_Finalize has failed
 *
 * RUN: -n 3 ; args recv
 * RUN: -n 3 ; args handler
 * RUN: -n 3 ; args wait
 * RUN: -n 3 ; args waitall
 * RUN: -n 3 ; args waitany
 * RUN: -n 3 ; args pending
 * RUN: -n 3 ; args pending-all
 * RUN: -n 3 ; args barrier
 * RUN: -n 3 ; args from-group
 * By asking, or by saying that it knows:
 * RUN: -n 3 ; args get-failed
 * RUN: -n 3 ; args win-get-failed
 * RUN: -n 3 ; args ack
 * RUN: -n 3 ; args ack-failed
 * By a joint decision of the survivors:
 * RUN: -n 3 ; args shrink
 * RUN: -n 3 ; args ishrink
 * RUN: -n 3 ; args validate
 * RUN: -n 3 ; args agree
 * RUN: -n 3 ; args agreement
 * RUN: -n 3 ; args iagree
 * RUN: -n 3 ; args iagreement
 * RUN: -n 3 ; args failed
 * RUN: -n 3 ; args ifailed
 * Not told: nothing was called, or only what tells nothing of it.  The launcher says so.
 * RUN: -n 3 ; args nothing ; exit 137 ; expect "no process that finished was told of the death of rank 2"
 * RUN: -n 3 ; args other-comm ; exit 137
 * RUN: -n 3 ; args none-acked ; exit 137
 * RUN: -n 3 ; args revoked ; exit 137
 * RUN: -n 3 --lenient-exit ; args nothing ; expect-no "was told"
 * RUN: -n 3 --strict-exit ; args recv ; exit 137 ; expect-no "was told"
 * Told, but did not finish cleanly: rank 1 was told of rank 2, and rank 0 of rank 1.
 * RUN: -n 3 ; args teller-dies ; exit 137 ; expect "of the death of rank 2"
 * RUN: -n 3 ; args teller-fails ; exit 3 ; expect-no "was told"
 * The victim ends without MPI_Finalize (R23): with 0 it is a death like another; a bad status counts.
 * RUN: -n 3 ; args recv 0
 * RUN: -n 3 ; args nothing 0 ; exit 1
 * RUN: -n 3 ; args recv 5 ; exit 5
 * An abort of one: its code if nobody handled it.
 * RUN: -n 3 ; args recv abort
 * RUN: -n 3 ; args nothing abort ; exit 7 */
#include "../common.h"

#define VICTIM 2

static void die(const char *how)
{
    if (!how)
        die_now();
    if (!strcmp(how, "abort"))
        MPI_Abort(MPI_COMM_SELF, 7);
    _exit(atoi(how));
}

static void recv_from(int peer)
{
    int v;

    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
}

/* ---- errors ---- */

static void note_error(MPI_Comm *comm, int *code, ...)
{
    CHECK_CLASS(*code, MPI_ERR_PROC_FAILED);
}

static void by_handler(void)
{
    MPI_Errhandler handler;

    MPI_Comm_create_errhandler(note_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    recv_from(VICTIM);
    MPI_Errhandler_free(&handler);
}

static void by_request(const char *how)
{
    bool any_source = !strncmp(how, "pending", 7);
    MPI_Request r[2];
    int v, at;

    MPI_Irecv(&v, 1, MPI_INT, any_source ? MPI_ANY_SOURCE : VICTIM, 0, MPI_COMM_WORLD, &r[0]);
    r[1] = MPI_REQUEST_NULL;
    if (!strcmp(how, "waitall") || !strcmp(how, "pending-all"))
        CHECK_CLASS(MPI_Waitall(2, r, MPI_STATUSES_IGNORE), MPI_ERR_IN_STATUS);
    else if (!strcmp(how, "waitany"))
        CHECK_CLASS(MPI_Waitany(2, r, &at, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
    else
        CHECK_CLASS(MPI_Wait(r, MPI_STATUS_IGNORE),
                    any_source ? MPI_ERR_PENDING : MPI_ERR_PROC_FAILED);
    if (any_source) {
        MPI_Cancel(r);
        MPI_Wait(r, MPI_STATUS_IGNORE);
    }
}

static void by_creation(void)
{
    MPI_Group world;
    MPI_Comm made;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    CHECK_CLASS(MPI_Comm_create_from_group(world, "r22", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made),
                MPI_ERR_PROC_FAILED);
    MPI_Group_free(&world);
}

/* ---- asking ---- */

static void by_asking(void)
{
    wait_until_dead(MPI_COMM_WORLD, VICTIM);
}

static void by_asking_for(MPI_Win win)
{
    MPI_Group failed;
    int n;

    do {
        CHECK_EQ(MPI_Win_get_failed(win, &failed), MPI_SUCCESS);
        MPI_Group_size(failed, &n);
        MPI_Group_free(&failed);
    } while (!n);
}

/* MPI_Comm_is_revoked looks for news, but reports no death. */
static void by_acknowledging(const char *how)
{
    int n = 0, flag;

    do {
        MPI_Comm_is_revoked(MPI_COMM_WORLD, &flag);
        if (!strcmp(how, "ack")) {
            MPI_Group acked;

            MPIX_Comm_failure_ack(MPI_COMM_WORLD);
            MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, &acked);
            MPI_Group_size(acked, &n);
            MPI_Group_free(&acked);
        } else {
            MPIX_Comm_ack_failed(MPI_COMM_WORLD, size, &n);
        }
    } while (!n);
}

/* ---- joint decisions of the survivors ---- */

static void by_shrink(bool nonblocking)
{
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Comm living;

    if (nonblocking)
        CHECK_EQ(MPIX_Comm_ishrink(MPI_COMM_WORLD, &living, &r), MPI_SUCCESS);
    else
        CHECK_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &living), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_Comm_free(&living);
}

static void by_agreement(const char *how)
{
    bool logical = strstr(how, "agreement");
    MPI_Request r = MPI_REQUEST_NULL;
    int flag = 1, err;

    if (*how == 'i')
        err = logical ? MPI_Icomm_agreement(MPI_COMM_WORLD, &flag, &r)
                      : MPIX_Comm_iagree(MPI_COMM_WORLD, &flag, &r);
    else
        err = logical ? MPI_Comm_agreement(MPI_COMM_WORLD, &flag)
                      : MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
    if (r != MPI_REQUEST_NULL)
        err = MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK_EQ(class_of(err), logical ? MPI_SUCCESS : MPI_ERR_PROC_FAILED);
}

static void by_agreement_on_failures(bool nonblocking)
{
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Group failed;

    if (nonblocking)
        CHECK_OK(MPIX_Comm_iagree_failed(MPI_COMM_WORLD, &failed, &r));
    else
        CHECK_OK(MPIX_Comm_agree_failed(MPI_COMM_WORLD, &failed));
    CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    MPI_Group_free(&failed);
}

static void by_validation(void)
{
    MPI_Group failed;

    CHECK_EQ(MPI_Comm_validate(MPI_COMM_WORLD, &failed), MPI_SUCCESS);
    MPI_Group_free(&failed);
}

/* ---- not told ---- */

/* A communicator without the dead.  It was made while everybody lived. */
static void on_other_comm(MPI_Comm pair)
{
    MPI_Group failed;
    int n;

    MPIX_Comm_get_failed(pair, &failed);
    MPI_Group_size(failed, &n);
    CHECK_EQ(n, 0);
    MPI_Group_free(&failed);
    MPIX_Comm_failure_ack(pair);
    MPI_Barrier(pair);
}

static void acknowledge_none(void)
{
    int n;

    MPIX_Comm_ack_failed(MPI_COMM_WORLD, 0, &n);
    CHECK_EQ(n, 0);
}

static void on_revoked(void)
{
    MPIX_Comm_revoke(MPI_COMM_WORLD);
    CHECK_CLASS(MPI_Barrier(MPI_COMM_WORLD), MPI_ERR_REVOKED);
}

static void both(const char *how, MPI_Comm pair)
{
    if (!strcmp(how, "barrier"))
        CHECK_CLASS(MPI_Barrier(MPI_COMM_WORLD), MPI_ERR_PROC_FAILED);
    else if (!strcmp(how, "from-group"))
        by_creation();
    else if (strstr(how, "shrink"))
        by_shrink(*how == 'i');
    else if (strstr(how, "agree"))
        by_agreement(how);
    else if (strstr(how, "failed"))
        by_agreement_on_failures(*how == 'i');
    else if (!strcmp(how, "validate"))
        by_validation();
    else if (!strcmp(how, "other-comm"))
        on_other_comm(pair);
    else if (!strcmp(how, "revoked"))
        on_revoked();
}

static void alone(const char *how, MPI_Win win)
{
    if (!strcmp(how, "recv"))
        recv_from(VICTIM);
    else if (!strcmp(how, "handler"))
        by_handler();
    else if (strstr(how, "wait") || strstr(how, "pending"))
        by_request(how);
    else if (!strcmp(how, "get-failed"))
        by_asking();
    else if (!strcmp(how, "win-get-failed"))
        by_asking_for(win);
    else if (strncmp(how, "ack", 3) == 0)
        by_acknowledging(how);
    else if (!strcmp(how, "none-acked"))
        acknowledge_none();
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    MPI_Comm pair;
    MPI_Win win;
    bool dies = !strcmp(how, "teller-dies"), fails = !strcmp(how, "teller-fails");

    start(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, rank == VICTIM, 0, &pair);
    CHECK_EQ(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_SUCCESS);
    if (rank == VICTIM)
        die(argv[2]);
    both(how, pair);
    if (rank == 0)
        alone(how, win);
    if (rank == 1 && (dies || fails))
        recv_from(VICTIM);
    if (rank == 1 && dies)
        die_now();
    if (rank == 0 && dies) { /* an error of pair tells of rank 1 only */
        int v;

        CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, 1, 0, pair, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
    }
    finish();
    return rank == 1 && fails ? 3 : 0;
}
