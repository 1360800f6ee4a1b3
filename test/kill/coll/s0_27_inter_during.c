/* SPDX-License-Identifier: BSD-3-Clause */
/* S0-27, S0-7, S0-28, S0-84, S0-10: a process of one group dies inside collectives on an intercommunicator, on
 * entering, between two messages, on leaving, or at a random time.  Every survivor of both groups gets
 * out; each call gives success or MPI_ERR_PROC_FAILED; the first failure is final on this communicator,
 * nothing around the buffers is touched; the group without the dead goes on working by itself.
 *
 * RUN: -n 2 ; kill 1 at coll.enter#60 ; expect "rank 0 ok"
 * RUN: -n 5 ; kill 0 at coll.enter#30 ; expect "rank 1 ok"
 * RUN: -n 5 ; kill 4 at coll.enter#90 ; expect "rank 0 ok"
 * RUN: -n 5 ; kill 2 at coll.done#91 ; expect "rank 0 ok"
 * RUN: -n 5 ; kill 1 at coll.round#100 ; expect "rank 0 ok"
 * RUN: -n 7 ; kill 0 at coll.round#55 ; expect "rank 2 ok"
 * RUN: -n 6 ; kill 5 at p2p.data.sent#20 ; expect "rank 0 ok"
 * RUN: -n 6 ; kill 1 at p2p.recv.matched#300 ; expect "rank 0 ok"
 * RUN: -n 6 ; kill 0 at p2p.send.rts#10 ; expect "rank 1 ok"
 * RUN: -n 8 ; kill 0,7 at coll.round#120 ; expect "rank 1 ok"
 * RUN: -n 5 ; args 3 ; expect "rank 0 ok" ; times 5
 * RUN: -n 5 ; args 0 ; expect "rank 1 ok" ; times 5 */
#include "kill/coll/inter.h"

/* Collectives of all kinds and lengths until one fails. */
static int until_failure(void)
{
    static const int lengths[] = {1, 5, 100, N};
    int err = MPI_SUCCESS;

    for (int i = 0; err == MPI_SUCCESS; i++) {
        MPI_Request q = MPI_REQUEST_NULL;
        int n = lengths[i / KINDS % 4], kind = i % KINDS, root = i / 7 % size;

        if (i % 5 == 4) {
            CHECK_EQ(begin(kind, n, root, inter, &q), MPI_SUCCESS); /* S0-15 */
            err = MPI_Wait(&q, MPI_STATUS_IGNORE);
            CHECK(q == MPI_REQUEST_NULL);
        } else {
            err = begin(kind, n, root, inter, NULL);
        }
        check_guards(in, bytes);
        check_guards(out, bytes);
    }
    return err;
}

/* The failure is final, for all kinds and forms, without waiting for anybody. */
static void stays_failed(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        MPI_Request q;

        CHECK_CLASS(begin(kind, 10, 0, inter, NULL), MPI_ERR_PROC_FAILED);
        CHECK_EQ(begin(kind, 10, 0, inter, &q), MPI_SUCCESS);
        CHECK_CLASS(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
    }
}

int main(int argc, char **argv)
{
    int one = 1, sum = 0, lost = 0;

    start(&argc, &argv);
    make_inter();
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    if (argc > 1 && rank == atoi(argv[1])) /* at some time, inside */
        die_soon(1 + getpid() * 7919L % 8000);
    CHECK_CLASS(until_failure(), MPI_ERR_PROC_FAILED);
    stays_failed();
    if (MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, local) == MPI_SUCCESS) { /* S0-10 */
        CHECK_EQ(sum, here);
    } else {
        for (int r = 0; r < here; r++)
            lost += is_known_dead(local, r);
        CHECK(lost > 0);
    }
    return finish();
}
