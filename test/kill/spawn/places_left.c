/* SPDX-License-Identifier: BSD-3-Clause */
/* A job that starts more processes than it has places: those that have left with MPI_Finalize make room.
 *
 * Each cycle starts a pair, talks with it through all that a place has (rings, cells, vote blocks, windows), and parts from it.
 * With "chain" the second of each pair starts a third process and never parts from it, so it waits in MPI_Finalize, with
 * a communicator of its pair, while the place of the first one, which has left, becomes another's.
 *
 * With "late" the pair takes its time before MPI_Finalize and behind it, longer than a request waits without a reason.
 *
 * Arguments: how many cycles; "chain", "late" or "plain".
 *
 *   R23: a process that ends without MPI_Finalize has failed
 *   S3-1: a failed process never returns under its identity */
/* RUN: -n 1 --universe 3 ; args 40 plain */
/* RUN: -n 1 --universe 3 ; args 2 late ; time 40 */
/* RUN: -n 2 --universe 5 ; args 40 plain */
/* RUN: -n 4 --universe 7 ; args 30 plain */
/* RUN: -n 2 --universe 5 ; args 25 plain ; set MACHINES=2 */
/* RUN: -n 2 --universe 5 ; args 25 plain ; set AGREE_SHM=0 ; set REVOKE_SHM=0 ; set COLL_SHM=0 */
/* RUN: -n 2 --universe 5 ; args 25 plain ; set RMA_SHM=0 */
/* RUN: -n 2 --universe 7 ; args 12 chain */
/* RUN: -n 1 --universe 6 ; args 12 chain ; set MACHINES=2 */
#include "../common.h"

#define DELAY_US 2500000

enum { LAST, THIRDS, THIRDS_MAY_END };

static void exchange(MPI_Comm all, int n, int me)
{
    static unsigned char out[20000], in[20000];

    for (int bytes = 1; bytes <= (int)sizeof(out); bytes *= 141) {
        memset(out, me + bytes, sizeof(out));
        CHECK_OK(MPI_Sendrecv(out, bytes, MPI_BYTE, (me + 1) % n, bytes, in, bytes, MPI_BYTE,
                              (me + n - 1) % n, bytes, all, MPI_STATUS_IGNORE));
        CHECK_EQ(in[bytes - 1], ((me + n - 1) % n + bytes) % 256);
    }
}

static void share(MPI_Comm all, int n, int me)
{
    int *base, v = -1;
    MPI_Win win;

    CHECK_OK(MPI_Win_allocate(4096, 1, MPI_INFO_NULL, all, &base, &win));
    CHECK_EQ(base[17], 0); /* pages of a window are new */
    base[17] = 100 + me;
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Get(&v, 1, MPI_INT, (me + 1) % n, 17 * sizeof(int), 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQ(v, 100 + (me + 1) % n);
    CHECK_OK(MPI_Win_free(&win));
}

static void use(MPI_Comm inter, bool high)
{
    int flag, n, me, sum, one = 1;
    MPI_Comm all;

    CHECK_OK(MPI_Intercomm_merge(inter, high, &all));
    CHECK_OK(MPI_Comm_size(all, &n));
    CHECK_OK(MPI_Comm_rank(all, &me));
    exchange(all, n, me);
    share(all, n, me);
    flag = ~(1 << me);
    CHECK_OK(MPIX_Comm_agree(all, &flag));
    CHECK_EQ(flag, ~((1 << n) - 1));
    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all));
    CHECK_EQ(sum, n);
    CHECK_OK(MPI_Comm_disconnect(&all));
}

static MPI_Comm start_some(char *program, char **argv, int n, MPI_Comm comm)
{
    MPI_Comm inter;

    CHECK_OK(MPI_Comm_spawn(program, argv, n, MPI_INFO_NULL, 0, comm, &inter, MPI_ERRCODES_IGNORE));
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    return inter;
}

static void cycle(char **argv, int number, bool chain)
{
    char *child[] = {argv[1], argv[2], NULL};
    MPI_Comm inter = start_some(argv[0], child, 2, MPI_COMM_WORLD);

    use(inter, false);
    if (chain && rank == 0)
        post(THIRDS_MAY_END); /* that of the pair before, whose places are others' */
    CHECK_OK(MPI_Comm_disconnect(&inter));
    if (chain)
        await_in_mpi(THIRDS, number); /* then the first of the pair leaves */
}

/* Behind MPI_Finalize. */
static void linger(void)
{
    usleep(DELAY_US);
}

/* The process that ends a chain. */
static void be_third(int number)
{
    post(THIRDS);
    await_in_mpi(THIRDS_MAY_END, number); /* it lets go of those that have left */
}

int main(int argc, char **argv)
{
    char number[12], *third[] = {"third", number, NULL};
    MPI_Comm up;

    start(&argc, &argv);
    CHECK_OK(MPI_Comm_get_parent(&up));
    if (!strcmp(argv[1], "third")) {
        be_third(atoi(argv[2]));
    } else if (up == MPI_COMM_NULL) {
        for (int i = 0; i < atoi(argv[1]); i++)
            cycle(argv, i + 1, !strcmp(argv[2], "chain"));
        if (rank == 0)
            post(THIRDS_MAY_END);
    } else {
        MPI_Comm_set_errhandler(up, MPI_ERRORS_RETURN);
        use(up, true);
        CHECK_OK(MPI_Comm_disconnect(&up));
        if (!strcmp(argv[2], "late")) {
            usleep(DELAY_US); /* it has parted */
            atexit(linger);
        }
        if (!strcmp(argv[2], "chain") && rank == 1) {
            post(LAST);
            snprintf(number, sizeof(number), "%d", posted(LAST) + 1);
            start_some(argv[0], third, 1, MPI_COMM_SELF);
        }
    }
    return finish();
}
