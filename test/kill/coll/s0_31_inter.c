/* SPDX-License-Identifier: BSD-3-Clause */
/* S0-31, S0-7, S0-27, S0-28, S0-84, S0-15, S0-16: a process dies before it enters a collective on an
 * intercommunicator, and the others are in it already.  Everybody in both groups gets out; all survivors of the other
 * group get MPI_ERR_PROC_FAILED where all exchange with all, and where there is a root, who was to get
 * something from the dead; anybody else gets that or success.  Later collectives fail everywhere.
 *
 * RUN: -n 2 ; args 1 ; expect "rank 0 ok"
 * RUN: -n 2 ; args 0 ; expect "rank 1 ok"
 * RUN: -n 6 ; args 0 ; expect "rank 1 ok"
 * RUN: -n 6 ; args 1 ; expect "rank 0 ok"
 * RUN: -n 6 ; args 2 ; expect "rank 0 ok"
 * RUN: -n 6 ; args 5 ; expect "rank 0 ok"
 * RUN: -n 9 ; args 7 ; expect "rank 0 ok" ; times 3 */
#include "kill/coll/inter.h"

static void judge(int victim, int kind, int root, int err)
{
    if (depends_on(victim, kind, root))
        CHECK_EQ(class_of(err), MPI_ERR_PROC_FAILED);
    else
        CHECK(err == MPI_SUCCESS || class_of(err) == MPI_ERR_PROC_FAILED);
    check_guards(in, bytes);
    check_guards(out, bytes);
}

int main(int argc, char **argv)
{
    static MPI_Comm c[KINDS][4];
    MPI_Request q;
    int victim;

    start(&argc, &argv);
    victim = atoi(argv[1]);
    make_inter();
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < 4; i++)
            CHECK_EQ(MPI_Comm_dup(inter, &c[kind][i]), MPI_SUCCESS);
    if (rank == victim) {
        await(0, size - 1);
        usleep(1000); /* they are in the first one, mostly */
        die_now();
    }
    post(0);
    for (int kind = 0; kind < KINDS; kind++) {
        int roots[2] = {victim, (victim + 1) % size};

        for (int i = 0; i < 4; i++) {
            MPI_Comm on = c[kind][i];
            int root = roots[i / 2], err;

            if (i % 2) {
                CHECK_EQ(begin(kind, N, root, on, &q), MPI_SUCCESS); /* S0-15 */
                err = MPI_Wait(&q, MPI_STATUS_IGNORE);
                CHECK(q == MPI_REQUEST_NULL);
            } else {
                err = begin(kind, N, root, on, NULL);
            }
            judge(victim, kind, root, err);
            if (err) /* S0-84 */
                CHECK_CLASS(MPI_Barrier(on), MPI_ERR_PROC_FAILED);
        }
    }
    wait_until_dead(MPI_COMM_WORLD, victim);
    CHECK_CLASS(MPI_Barrier(inter), MPI_ERR_PROC_FAILED);
    return finish();
}
