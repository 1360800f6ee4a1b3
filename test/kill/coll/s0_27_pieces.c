/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions of vectors that go through shared memory in one piece, and in several;
 * a process dies between two pieces.  Each call gives success and the right result, or MPI_ERR_PROC_FAILED, and then the survivors
 * always get that.
 *
 *     args ROUNDS      so many reductions of each length, if nobody dies
 *
 *   S0-7: every member of every group is involved in a collective
 *   S0-27: a collective that a death prevents ends with PROC_FAILED
 *   S0-28: a failed collective touches nothing but its output buffers
 *   S0-29: some members of a collective may succeed while others fail
 *   S0-84: an acknowledgement does not repair collectives
 *
 * RUN: -n 2 ; args 40 ; expect "rank 0 ok" ; expect "rank 1 ok" ; time 60
 * RUN: -n 3 ; args 25 ; expect "rank 2 ok" ; time 60
 * RUN: -n 2 ; args 40 ; kill 1 at coll.shm.arrived#40 ; expect "rank 0 ok" ; time 60
 * RUN: -n 2 ; args 40 ; kill 0 at coll.shm.arrived#41 ; expect "rank 1 ok" ; time 60
 * RUN: -n 2 ; args 40 ; kill 1 at coll.shm.arrived#300 ; expect "rank 0 ok" ; time 60
 * RUN: -n 2 ; args 40 ; kill 0 at coll.shm.arrived#1003 ; expect "rank 1 ok" ; time 60
 * RUN: -n 2 ; args 40 ; kill 1 at coll.shm.arrived#1002 ; expect "rank 0 ok" ; time 60
 * RUN: -n 3 ; args 25 ; kill 1 at coll.shm.arrived#500 ; expect "rank 0 ok" ; time 60 */
#include "kill/common.h"

#include <string.h>

struct pair {
    double value;
    int index;
};

/* Bytes: below and at a piece, with a last piece that fits into a line, several pieces. */
static const int lengths[] = {2048,           8192,         65536,           128 * 1024,
                              128 * 1024 + 8, 250 * 1024,   256 * 1024 + 32, 640 * 1024 - 8,
                              1 << 20,        (1 << 20) + 8};

#define LENGTHS    ((int)(sizeof(lengths) / sizeof(lengths[0])))
#define MOST_BYTES ((1 << 20) + 64)

static union {
    long long sum[MOST_BYTES / 8];
    struct pair pair[MOST_BYTES / sizeof(struct pair)];
} in, out;

static int round_n;

static long long summand(int r, int i)
{
    return (long long)r * 1000003 + i % 4099 + round_n;
}

static int check_sums(int err, int n)
{
    for (int i = 0; err == MPI_SUCCESS && i < n; i++) {
        long long want = 0;

        for (int r = 0; r < size; r++)
            want += summand(r, i);
        if (out.sum[i] != want) {
            CHECK_EQ(out.sum[i], want);
            break;
        }
    }
    CHECK_EQ(out.sum[n], -1);
    return err;
}

static int sum(int bytes, bool in_place, int root)
{
    int n = bytes / 8, err;
    long long *from = in_place ? out.sum : in.sum;

    for (int i = 0; i < n; i++)
        from[i] = summand(rank, i);
    out.sum[n] = -1;
    if (root < 0)
        return check_sums(MPI_Allreduce(in_place ? MPI_IN_PLACE : in.sum, out.sum, n, MPI_LONG_LONG,
                                        MPI_SUM, MPI_COMM_WORLD),
                          n);
    err = MPI_Reduce(in.sum, out.sum, n, MPI_LONG_LONG, MPI_SUM, root, MPI_COMM_WORLD);
    return rank == root ? check_sums(err, n) : err;
}

/* Of equal values the lower index, which every second time is the second rank's. */
static int minloc(int bytes, bool in_place)
{
    int n = bytes / (int)sizeof(struct pair), err;
    struct pair *from = in_place ? out.pair : in.pair;

    for (int i = 0; i < n; i++)
        from[i] = (struct pair){(double)(i % 7), i % 2 ? rank : size - rank};
    out.pair[n].index = -1;
    err = MPI_Allreduce(in_place ? MPI_IN_PLACE : in.pair, out.pair, n, MPI_DOUBLE_INT, MPI_MINLOC,
                        MPI_COMM_WORLD);
    for (int i = 0; err == MPI_SUCCESS && i < n; i++)
        if (out.pair[i].value != i % 7 || out.pair[i].index != (i % 2 ? 0 : 1)) {
            CHECK_EQ(out.pair[i].index, i % 2 ? 0 : 1);
            break;
        }
    CHECK_EQ(out.pair[n].index, -1);
    return err;
}

static int one_round(int bytes)
{
    int err = sum(bytes, round_n % 2, -1);

    if (err == MPI_SUCCESS)
        err = minloc(bytes, round_n / 2 % 2);
    if (err == MPI_SUCCESS && round_n % 8 == 0)
        err = sum(bytes, false, round_n / 8 % size);
    return err;
}

int main(int argc, char **argv)
{
    int err = MPI_SUCCESS, rounds;

    start(&argc, &argv);
    rounds = atoi(argv[1]);
    for (int l = 0; l < LENGTHS; l++)
        for (int i = 0; i < rounds && err == MPI_SUCCESS; i++, round_n++)
            err = one_round(lengths[l]);
    if (err != MPI_SUCCESS) {
        CHECK_CLASS(err, MPI_ERR_PROC_FAILED);
        for (int l = 0; l < LENGTHS; l++)
            CHECK_CLASS(sum(lengths[l], false, -1), MPI_ERR_PROC_FAILED);
    }
    return finish();
}
