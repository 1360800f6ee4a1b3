/* SPDX-License-Identifier: BSD-3-Clause */
/* A revocation needs no process between the caller and those that wait.  Every rank that
 * could pass it on (the ranks 1, 2, 4, ... away from the caller) computes outside of MPI, or has freed
 * the communicator and many others since; all others wait for each other and come back all the same,
 * also if the caller is killed before it told anybody, or after it told a few.
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-4: a revocation makes a failure known to every survivor
 *   S0-57: a revocation reaches all members, in both groups
 *   S0-59: a revocation reaches all survivors even if its caller dies
 *   S5-11: a revocation reaches every survivor on every node, and no rank relays it
 *
 * RUN: -n 8 --lenient-exit ; args outside ; expect "rank 3 ok"
 * RUN: -n 16 --lenient-exit ; args outside ; expect "rank 3 ok" ; expect "rank 13 ok"
 * RUN: -n 8 --lenient-exit ; args outside dies ; kill 0 at revoke.local ; expect "rank 3 ok" ; times 2
 * RUN: -n 8 --lenient-exit ; args outside dies ; kill 0 at revoke.sent.one ; expect "rank 3 ok" ; times 2
 * RUN: -n 8 --lenient-exit ; args outside dies ; kill 0 at revoke.sent.one#3 ; expect "rank 5 ok" ; times 2
 * RUN: -n 8 --lenient-exit ; args freed ; expect "rank 5 ok"
 * RUN: -n 8 --lenient-exit ; args freed dies ; kill 0 at revoke.sent.one ; expect "rank 5 ok" ; times 2
 * RUN: -n 16 --lenient-exit ; args freed dies ; kill 0 at revoke.local ; expect "rank 13 ok" ; times 2
 * RUN: -n 16 --lenient-exit ; args inter ; expect "rank 3 ok" ; expect "rank 13 ok"
 * RUN: -n 16 --lenient-exit ; args inter dies ; kill 0 at revoke.sent.one#2 ; expect "rank 3 ok" ; expect "rank 13 ok"
 * RUN: -n 16 --lenient-exit ; set REVOKE_SHM=0 ; args outside ; expect "rank 3 ok" ; expect "rank 13 ok"
 * RUN: -n 8 --lenient-exit ; set REVOKE_SHM=0 ; args freed dies ; kill 0 at revoke.local ; expect "rank 5 ok" ; times 2
 * RUN: -n 8 --lenient-exit ; set MACHINES=2 ; args outside ; expect "rank 3 ok" ; expect "rank 5 ok" ; times 2
 * RUN: -n 9 --lenient-exit ; set MACHINES=3 ; args outside dies ; kill 0 at revoke.local ; expect "rank 3 ok" ; expect "rank 6 ok" ; times 2
 * RUN: -n 9 --lenient-exit ; set MACHINES=3 ; args freed dies ; kill 0 at revoke.sent.one ; expect "rank 3 ok" ; expect "rank 6 ok" ; times 2
 * RUN: -n 16 --lenient-exit ; set MACHINES=3 ; args inter ; expect "rank 3 ok" ; expect "rank 13 ok" */
#include "../common.h"

#define MANY 40

static bool is_power_of_two(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static bool could_relay(int r)
{
    return r != 0 && (is_power_of_two(r) || is_power_of_two(size - r));
}

/* A rank that neither relays nor sends. */
static int another(void)
{
    int r = rank;

    do
        r = (r + 1) % size;
    while (r == 0 || r == rank || could_relay(r));
    return r;
}

static void create_and_free(MPI_Comm *c)
{
    MPI_Comm other;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, c), MPI_SUCCESS);
    for (int i = 0; i < MANY; i++) {
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &other), MPI_SUCCESS);
        if (could_relay(rank)) {
            if (*c != MPI_COMM_NULL)
                CHECK_EQ(MPI_Comm_free(c), MPI_SUCCESS);
            CHECK_EQ(MPI_Comm_free(&other), MPI_SUCCESS);
        }
    }
}

static void create_inter(MPI_Comm *c)
{
    int upper = rank >= size / 2;
    MPI_Comm local;

    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &local), MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, upper ? 0 : size / 2, 1, c),
             MPI_SUCCESS);
}

/* In the other group of an intercommunicator there are as many like this one. */
static void wait_for_nobody(MPI_Comm c, bool inter)
{
    int v;

    CHECK_CLASS(
        MPI_Recv(&v, 1, MPI_INT, inter ? rank % (size / 2) : another(), 77, c, MPI_STATUS_IGNORE),
        MPI_ERR_INVALIDATED);
    CHECK_CLASS(MPI_Barrier(c), MPI_ERR_INVALIDATED);
}

int main(int argc, char **argv)
{
    MPI_Comm c = MPI_COMM_WORLD;
    int relays = 0;
    bool inter;

    start(&argc, &argv);
    inter = !strcmp(argv[1], "inter");
    if (inter)
        create_inter(&c);
    else if (!strcmp(argv[1], "freed"))
        create_and_free(&c);
    for (int r = 1; r < size; r++)
        relays += could_relay(r);
    if (rank == 0) {
        await(0, size - 1);
        CHECK_EQ(MPI_Comm_invalidate(c), MPI_SUCCESS);
        CHECK(argc == 2); /* else killed inside */
    } else {
        post(0);
        if (!could_relay(rank)) {
            wait_for_nobody(c, inter);
            post(1);
        }
    }
    await(1, size - 1 - relays); /* all waiting ranks have returned */
    return finish();
}
