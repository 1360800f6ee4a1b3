/* SPDX-License-Identifier: BSD-3-Clause */
/* A job in which ranks die and are replaced more often than it has places: each cycle kills one rank, replaces it, and
 * uses what the newcomer's place had for the one before it: rings, cells, vote blocks, windows, marks of revocation.
 *
 * Arguments: how many cycles; every how many of them an old communicator is kept, which has its dead for ever (0:
 * never).
 *
 *   R35: a replacement is a new process with an old rank; its MPI_COMM_WORLD holds those replaced together
 *   S3-1: a failed process never returns under its identity */
/* RUN: -n 2 --universe 3 ; args 40 0 */
/* RUN: -n 4 --universe 5 ; args 60 0 */
/* RUN: -n 4 --universe 6 ; args 60 7 */
/* RUN: -n 4 --universe 5 ; args 40 0 ; set AGREE_SHM=0 ; set REVOKE_SHM=0 */
/* RUN: -n 4 --universe 5 ; args 40 0 ; set COLL_SHM=0 */
/* RUN: -n 4 --universe 5 ; args 40 0 ; set MACHINES=2 */
/* RUN: -n 4 --universe 5 ; args 40 0 ; set RMA_SHM=0 */
/* RUN: -n 3 --universe 5 --spares 2 ; args 20 5 */
/* RUN: -n 8 --universe 9 ; args 30 0 */
#include "../common.h"

#define BYTES 20000

enum { RETURNED, DIED };

static MPI_Comm full;
static int number; /* the rank of this process in full, for ever */
static int full_n, cycle;

static int right(void)
{
    return (number + 1) % full_n;
}

static int left(void)
{
    return (number + full_n - 1) % full_n;
}

/* Through the rings, and past them. */
static void exchange(void)
{
    static unsigned char out[BYTES], in[BYTES];
    int lengths[] = {1, 300, BYTES};

    for (int i = 0; i < 3; i++) {
        memset(out, cycle + number, sizeof(out));
        memset(in, 0xff, sizeof(in));
        CHECK_OK(MPI_Sendrecv(out, lengths[i], MPI_BYTE, right(), i, in, lengths[i], MPI_BYTE,
                              left(), i, full, MPI_STATUS_IGNORE));
        CHECK_EQ(in[0], (cycle + left()) % 256);
        CHECK_EQ(in[lengths[i] - 1], (cycle + left()) % 256);
    }
}

/* On a communicator that is new, and on one whose members vote in a vote block. */
static void agree(void)
{
    MPI_Comm dup, odd, inter;
    int flag = ~(1 << number), sum, one = 1;

    CHECK_OK(MPI_Comm_dup(full, &dup));
    CHECK_OK(MPIX_Comm_agree(dup, &flag));
    CHECK_EQ(flag, ~((1 << full_n) - 1));
    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, dup));
    CHECK_EQ(sum, full_n);
    CHECK_OK(MPI_Comm_split(dup, number % 2, 0, &odd));
    CHECK_OK(MPI_Intercomm_create(odd, 0, dup, 1 - number % 2, 7, &inter));
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    flag = ~(1 << number);
    CHECK_OK(MPIX_Comm_agree(inter, &flag));
    for (int r = 1 - number % 2; r < full_n; r += 2) /* the other group's */
        CHECK(!(flag >> r & 1));
    CHECK_OK(MPI_Comm_free(&inter));
    CHECK_OK(MPI_Comm_free(&odd));
    CHECK_OK(MPIX_Comm_revoke(dup));
    CHECK_CLASS(MPI_Barrier(dup), MPIX_ERR_REVOKED);
    CHECK_OK(MPI_Comm_free(&dup));
}

static void share(void)
{
    MPI_Win win;
    int *base, v = -1;

    CHECK_OK(MPI_Win_allocate(4096, 1, MPI_INFO_NULL, full, &base, &win));
    CHECK_EQ(base[17], 0); /* pages of a window are new */
    base[17] = cycle * 100 + number;
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Get(&v, 1, MPI_INT, right(), 17 * sizeof(int), 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQ(v, cycle * 100 + right());
    CHECK_OK(MPI_Win_free(&win));
}

static void use(void)
{
    int latest;

    MPI_Comm_set_errhandler(full, MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Allreduce(&cycle, &latest, 1, MPI_INT, MPI_MAX, full));
    cycle = latest;
    exchange();
    agree();
    share();
    CHECK_OK(MPI_Barrier(full));
}

/* Each rank in turn, when all have left the last call; those of an odd cycle while the others are in a call. */
static void one_dies(MPI_Comm old)
{
    int victim = cycle % full_n, flag = ~(1 << number);
    MPI_Request r;

    if (number == victim) {
        if (old != MPI_COMM_NULL)
            CHECK_OK(MPIX_Comm_iagree(old, &flag, &r));
        await(RETURNED, (cycle + 1) * full_n);
        post(DIED);
        die_now();
    }
    if (cycle % 2)
        MPI_Barrier(full);
    else
        await(DIED, cycle + 1);
}

/* What the victim had voted on the old communicator counts when its place is another's already: its flag, and that it
 * had acknowledged nothing. */
static void agree_on_old(MPI_Comm old)
{
    int flag = ~(1 << number), n;

    CHECK_OK(MPIX_Comm_ack_failed(old, full_n, &n));
    CHECK_EQ(n, 1);
    CHECK_CLASS(MPIX_Comm_agree(old, &flag), MPI_ERR_PROC_FAILED);
    CHECK_EQ(flag, ~((1 << full_n) - 1));
}

static void next_cycle(int keep)
{
    bool kept = keep && cycle % keep == 0;
    MPI_Comm next, old = MPI_COMM_NULL;

    if (kept)
        CHECK_OK(MPI_Comm_dup(full, &old));
    post(RETURNED);
    one_dies(old);
    while (MPIX_Comm_refill(full, MPI_INFO_NULL, &next) != MPI_SUCCESS)
        CHECK(next == MPI_COMM_NULL);
    if (full != MPI_COMM_WORLD)
        CHECK_OK(MPI_Comm_free(&full));
    full = next;
    cycle++;
    use();
    if (kept)
        agree_on_old(old);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    open_board();
    know_rank();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_OK(MPIX_Comm_refilled(&full));
    if (full == MPI_COMM_NULL)
        full = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(full, MPI_ERRORS_RETURN);
    MPI_Comm_rank(full, &number);
    MPI_Comm_size(full, &full_n);
    use();
    while (cycle < atoi(argv[1]))
        next_cycle(atoi(argv[2]));
    if (full != MPI_COMM_WORLD)
        MPI_Comm_free(&full);
    MPI_Finalize();
    return 0;
}
