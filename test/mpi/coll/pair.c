/* SPDX-License-Identifier: BSD-3-Clause */
/* Two members whose calls go by the line that both write, and by lines of each, in any order: a root runs ahead, and a
 * member computes now and then.
 *
 * RUN: -n 2 ; time 60
 * RUN: -n 2 ; set SPIN=0 ; set YIELD=0
 * RUN: -n 2 ; set MACHINES=2 ; time 60
 * RUN: -n 4 */
#include "mpi/coll/common.h"

#define ROUNDS 20000

static MPI_Comm pair;
static unsigned dice = 1, mine; /* the same at both; of one */

static unsigned roll(unsigned *of, unsigned n)
{
    *of = *of * 1103515245u + 12345u;
    return (*of >> 16) % n;
}

static void compute(void)
{
    for (volatile unsigned i = roll(&mine, 8) ? 0 : roll(&mine, 3000); i; i--)
        ;
}

static void sums(int me, int round, int n)
{
    int in[12], out[12];

    for (int i = 0; i < n; i++)
        in[i] = round * 2 + me + i;
    CHECK_OK(MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, pair));
    for (int i = 0; i < n; i++)
        CHECK_EQ(out[i], 4 * round + 1 + 2 * i);
}

/* The operator keeps the order of the ranks. */
static void pairs_of_values(int me, int round)
{
    struct {
        int value, at;
    } in = {round, me}, out;

    CHECK_OK(MPI_Allreduce(&in, &out, 1, MPI_2INT, MPI_MINLOC, pair));
    CHECK_EQ(out.value, round);
    CHECK_EQ(out.at, 0);
}

static void from_root(int me, int round, int root, int n)
{
    int v[40];

    for (int i = 0; i < n; i++)
        v[i] = me == root ? round + i : -1;
    CHECK_OK(MPI_Bcast(v, n, MPI_INT, root, pair));
    for (int i = 0; i < n; i++)
        CHECK_EQ(v[i], round + i);
}

static void to_root(int me, int round, int root)
{
    int out = -1, in = round + me;

    CHECK_OK(MPI_Reduce(&in, &out, 1, MPI_INT, MPI_SUM, root, pair));
    if (me == root)
        CHECK_EQ(out, 2 * round + 1);
}

static void one_call(int me, int round)
{
    int root = (int)roll(&dice, 2);

    compute();
    switch (roll(&dice, 6)) {
    case 0:
        CHECK_OK(MPI_Barrier(pair));
        break;
    case 1:
        sums(me, round, 1 + (int)roll(&dice, 2));
        break;
    case 2:
        sums(me, round, 3 + (int)roll(&dice, 9));
        break;
    case 3:
        pairs_of_values(me, round);
        break;
    case 4:
        from_root(me, round, root, 1 + (int)roll(&dice, 40));
        break;
    case 5:
        to_root(me, round, root);
        break;
    }
}

int main(int argc, char **argv)
{
    int me;

    start(&argc, &argv);
    mine = (unsigned)rank + 1;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &pair));
    MPI_Comm_rank(pair, &me);
    for (int round = 0; round < ROUNDS; round++)
        one_call(me, round);
    MPI_Comm_free(&pair);
    return finish();
}
