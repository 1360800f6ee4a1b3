/* SPDX-License-Identifier: BSD-3-Clause */
/* With more ranks than cores a rank that waits for a member that is late sleeps, whatever it waits in: the member that is late
 * has a core for itself, and wakes them all when it comes.  With `die` it never comes, and its death wakes them.
 *
 *   S0-2: a call that needs no dead process completes normally
 *   S0-94: the nonblocking agreement has the same meaning
 *
 * RUN: -n 4 ; cores 2 ; args come ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; cores 2 ; args die ; expect "rank 1 ok" ; expect "rank 3 ok"
 * RUN: -n 16 ; cores 2 ; args come ; expect "rank 15 ok"
 * RUN: -n 4 ; cores 2 ; args come ; set COLL_SHM=0 ; expect "rank 3 ok" */
#include "../common.h"

enum { CALLS, PIDS = 16 };

static MPI_Comm comm;
static MPI_File file;

static int wait_for(MPI_Request r)
{
    return MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static int barrier(void)
{
    return MPI_Barrier(comm);
}

static int ibarrier(void)
{
    MPI_Request r;
    int err = MPI_Ibarrier(comm, &r);

    return err ? err : wait_for(r);
}

static int agree(void)
{
    int flag = 1;

    return MPIX_Comm_agree(comm, &flag);
}

static int iagree(void)
{
    MPI_Request r;
    int flag = 1, err = MPIX_Comm_iagree(comm, &flag, &r);

    return err ? err : wait_for(r);
}

static int dup_comm(void)
{
    MPI_Comm made;
    int err = MPI_Comm_dup(comm, &made);

    return err ? err : MPI_Comm_free(&made);
}

static int idup(void)
{
    MPI_Comm made;
    MPI_Request r;
    int err = MPI_Comm_idup(comm, &made, &r);

    err = err ? err : wait_for(r);
    return err ? err : MPI_Comm_free(&made);
}

static int idup_with_info(void)
{
    MPI_Comm made;
    MPI_Request r;
    int err = MPI_Comm_idup_with_info(comm, MPI_INFO_NULL, &made, &r);

    err = err ? err : wait_for(r);
    return err ? err : MPI_Comm_free(&made);
}

static int sync_file(void)
{
    return MPI_File_sync(file);
}

static int write_together(void)
{
    return MPI_File_write_at_all(file, rank, "x", 1, MPI_CHAR, MPI_STATUS_IGNORE);
}

static int (*const call[])(void) = {barrier, ibarrier,       agree,     iagree,        dup_comm,
                                    idup,    idup_with_info, sync_file, write_together};

static void open_file(void)
{
    char name[4096];
    MPI_Info info;

    snprintf(name, sizeof(name), "%s/file", getenv("MEND_TEST_TMP"));
    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_write", "enable");
    CHECK_OK(MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
    MPI_Info_free(&info);
}

/* Comes to the nth call when all others sleep in it. */
static void be_late(int n)
{
    await(CALLS, n * (size - 1));
    for (int r = 1; r < size && sysconf(_SC_NPROCESSORS_ONLN) < size; r++)
        await_state(board[PIDS + r], 'S');
}

static void all_come(void)
{
    open_file();
    for (int i = 0; i < (int)(sizeof(call) / sizeof(*call)); i++) {
        if (rank == 0)
            be_late(i + 1);
        else
            post(CALLS);
        CHECK_OK(call[i]());
    }
    CHECK_OK(MPI_File_close(&file));
}

/* Rank 0 dies while the others sleep in a creation. */
static void one_dies(void)
{
    if (rank == 0) {
        be_late(1);
        die_now();
    }
    post(CALLS);
    CHECK_CLASS(dup_comm(), MPI_ERR_PROC_FAILED);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    board[PIDS + rank] = (int)getpid();
    CHECK_OK(MPI_Barrier(comm));
    if (!strcmp(argv[1], "die"))
        one_dies();
    else
        all_come();
    return finish();
}
