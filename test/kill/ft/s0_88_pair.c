/* SPDX-License-Identifier: BSD-3-Clause */
/* Agreements of two members, which say a flag in a word each where they can: one after the other and several under way, with
 * flags of all bits, and with the death of a third process in between, which a word has no room for.  In the end one of the two
 * dies, before it votes or behind its vote.  The third one is spawned, so that the two have a core each and spin.
 *
 *   S0-88: an agreement gives all survivors the AND of their values
 *   S0-90: an agreement never fails and is uniform under deaths
 *   S0-91: dead processes do not contribute to an agreement
 *
 * RUN: -n 2 --universe 3 ; args 0 ; expect "rank 0 ok"
 * RUN: -n 2 --universe 3 ; args 1 ; expect "rank 0 ok"
 * RUN: -n 2 --universe 3 ; args 1 ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok"
 * RUN: -n 2 --universe 3 ; args 1 ; set MACHINES=2 ; expect "rank 0 ok"
 * RUN: -n 2 --universe 3 ; args 1 ; set AGREE_SHM=0 ; expect "rank 0 ok"
 * RUN: -n 2 --universe 3 ; args 1 ; set COLL_SHM=0 ; expect "rank 0 ok"
 * RUN: -n 3 --universe 4 ; args 1 ; expect "rank 0 ok" */
#include "../common.h"

#define ROUNDS  5000
#define FLIGHTS 3

enum { VOTED, CALLS, MAY_DIE };

static MPI_Comm pair, third;
static unsigned dice[2] = {1, 2}, mine; /* of the two members; of this process */

static unsigned roll(unsigned *of)
{
    *of = *of * 1103515245u + 12345u;
    return *of >> 8;
}

static void compute(void)
{
    for (volatile unsigned i = roll(&mine) % 8 ? 0 : roll(&mine) % 3000; i; i--)
        ;
}

/* Both know what each says. */
static int next_flag(int *expected_p)
{
    int flags[2];

    for (int r = 0; r < 2; r++)
        flags[r] = (int)(roll(&dice[r]) << 12 | roll(&dice[r]) | 1u << 31);
    *expected_p = flags[0] & flags[1];
    return flags[rank];
}

static void one(void)
{
    int expected, flag = next_flag(&expected);

    compute();
    CHECK_OK(MPIX_Comm_agree(pair, &flag));
    CHECK_EQ(flag, expected);
}

static void several(void)
{
    int expected[FLIGHTS], flag[FLIGHTS];
    MPI_Request r[FLIGHTS];

    for (int i = 0; i < FLIGHTS; i++) {
        flag[i] = next_flag(&expected[i]);
        compute();
        CHECK_OK(MPIX_Comm_iagree(pair, &flag[i], &r[i]));
    }
    CHECK_OK(MPI_Waitall(FLIGHTS, r, MPI_STATUSES_IGNORE));
    for (int i = 0; i < FLIGHTS; i++)
        CHECK_EQ(flag[i], expected[i]);
}

static void agree_often(void)
{
    static unsigned both = 7; /* the same at both */

    for (int i = 0; i < ROUNDS; i++)
        if (roll(&both) % 5)
            one();
        else
            several();
}

/* One of the two has voted and waits when the other one is told of a death, and votes. */
static void one_is_told(void)
{
    if (rank == 0) {
        post(CALLS);
    } else {
        await(CALLS, 1);
        post(MAY_DIE);
        wait_until_dead(third, 0);
    }
    one();
}

/* A process that has voted counts, even if it dies at once; whether its death is known by then is open. */
static void dies(bool votes)
{
    int flag = rank == 0 ? 7 : 5, err;
    MPI_Request r;

    if (rank == 1) {
        if (votes)
            CHECK_OK(MPIX_Comm_iagree(pair, &flag, &r));
        post(VOTED);
        die_now();
    }
    await(VOTED, 1);
    err = MPIX_Comm_agree(pair, &flag);
    if (!votes || err != MPI_SUCCESS)
        CHECK_CLASS(err, MPIX_ERR_PROC_FAILED);
    CHECK_EQ(flag, votes ? 5 : 7);
    wait_until_dead(pair, 1);
}

/* The third process. */
static _Noreturn void child(void)
{
    await(MAY_DIE, 1);
    die_now();
}

/* Of three ranks the last one has no part, but they share cores. */
static void make_pair(char *program)
{
    char *args[] = {"child", NULL};

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &pair));
    MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
    if (rank < 2)
        CHECK_OK(
            MPI_Comm_spawn(program, args, 1, MPI_INFO_NULL, 0, pair, &third, MPI_ERRCODES_IGNORE));
}

int main(int argc, char **argv)
{
    MPI_Comm parent;

    start(&argc, &argv);
    mine = (unsigned)rank;
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        child();
    make_pair(argv[0]);
    if (rank == 2)
        return finish();
    agree_often();
    one_is_told();
    agree_often();
    wait_until_dead(third, 0);
    dies(atoi(argv[1]));
    return finish();
}
