/* SPDX-License-Identifier: BSD-3-Clause */
/* Long vectors by messages, with more ranks than cores (on two): an iallreduce, whose messages go in fragments, and a scan, which
 * goes from rank to rank in segments; a process dies between two fragments, or in a round.  Each call gives success and the right
 * result, or MPI_ERR_PROC_FAILED, and then the survivors always get that.
 *
 * Where messages are pulled no fragment is ever sent, and by doubling a scan has few rounds: then the victim does not die, which
 * mpiexec reports.
 *
 *   R7: scan and exscan count as collectives without a root
 *   S0-27: a collective that a death prevents ends with PROC_FAILED
 *   S0-29: some members of a collective may succeed while others fail
 *
 * RUN: -n 5 ; args iallreduce ; expect "rank 0 ok" ; expect "rank 4 ok" ; time 60
 * RUN: -n 5 ; args iallreduce ; kill 2 at p2p.data.sent#3 ; expect "rank 0 ok" ; expect "rank 4 ok" ; time 60
 * RUN: -n 4 ; args iallreduce ; kill 3 at p2p.data.sent#40 ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 60
 * RUN: -n 4 ; args iallreduce ; kill 0 at p2p.data.sent ; set MACHINES=2 ; expect "rank 1 ok" ; expect "rank 3 ok" ; time 60
 * RUN: -n 5 ; args scan ; expect "rank 0 ok" ; expect "rank 4 ok" ; time 60
 * RUN: -n 5 ; args scan once ; kill 0 at coll.round#9 ; expect "rank 1 ok" ; expect "rank 4 ok" ; time 60
 * RUN: -n 5 ; args scan once ; kill 2 at coll.round#12 ; expect "rank 0 ok" ; expect "rank 4 ok" ; time 60
 * RUN: -n 5 ; args scan once ; kill 4 at coll.round#15 ; expect "rank 0 ok" ; expect "rank 3 ok" ; time 60
 * RUN: -n 4 ; args scan once ; kill 3 at coll.round#15 ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 60 */
#include "kill/common.h"

#include <string.h>

#define LONGS  (1 << 17) /* 1 MiB: 16 segments */
#define ROUNDS 20

static long long in[LONGS], out[LONGS];

/* Of what ranks 0 to last have given. */
static void check_sums(int last)
{
    for (long long i = 0; i < LONGS; i++)
        if (out[i] != last * (last + 1) / 2 + i * (last + 1)) {
            CHECK_EQ(out[i], last * (last + 1) / 2 + i * (last + 1));
            break;
        }
}

static int iallreduce(void)
{
    MPI_Request r;
    int err = MPI_Iallreduce(in, out, LONGS, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD, &r);

    if (err == MPI_SUCCESS)
        err = MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (err == MPI_SUCCESS)
        check_sums(size - 1);
    return err;
}

static int scan(void)
{
    int err = MPI_Scan(in, out, LONGS, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);

    if (err == MPI_SUCCESS)
        check_sums(rank);
    return err;
}

int main(int argc, char **argv)
{
    int (*call)(void), err = MPI_SUCCESS;

    start(&argc, &argv);
    call = !strcmp(argv[1], "scan") ? scan : iallreduce;
    for (int i = 0; i < LONGS; i++)
        in[i] = rank + i;
    for (int i = 0; i < (argc > 2 ? 1 : ROUNDS) && err == MPI_SUCCESS; i++)
        err = call();
    if (err != MPI_SUCCESS) {
        CHECK_CLASS(err, MPI_ERR_PROC_FAILED);
        for (int i = 0; i < 3; i++)
            CHECK_CLASS(call(), MPI_ERR_PROC_FAILED);
    }
    return finish();
}
