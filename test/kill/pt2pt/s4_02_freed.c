/* SPDX-License-Identifier: BSD-3-Clause */
/* The error of a request that was freed is fatal for this process alone (the scope of
 * MPI_COMM_SELF), whatever handlers are set; the others see it as one more death and go on.  A freed
 * request that fails in nobody's way does no harm, nor does a freed one that completes.  The same holds for
 * what is still pending on a communicator that was freed.
 *
 *   S0-71: communication that is pending when its communicator is freed fails fatally
 *   S4-2: an error on a freed request is fatal with the same scope */
/* RUN: -n 3 ; args recv ; expect "rank 0 ok" ; expect-no "rank 1 ok" */
/* RUN: -n 3 ; args send ; expect "rank 0 ok" ; expect-no "rank 1 ok" */
/* RUN: -n 3 ; args closed ; expect "rank 0 ok" ; expect-no "rank 1 ok" */
/* RUN: -n 16 ; args recv ; expect "rank 0 ok" ; expect-no "rank 1 ok" ; expect "rank 15 ok" */
/* RUN: -n 8 ; args send ; expect "rank 0 ok" ; expect-no "rank 1 ok" ; expect "rank 7 ok" */
/* RUN: -n 3 ; args good ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include "../common.h"

#define W MPI_COMM_WORLD
#define N 500000

int main(int argc, char **argv)
{
    static unsigned char buf[N];
    const char *how = argc > 1 ? argv[1] : "good";
    MPI_Request r;
    MPI_Comm dup;
    int v = 5;

    start(&argc, &argv);
    MPI_Comm_dup(W, &dup);
    MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN);
    if (rank == 2) {
        await(0, 1);
        if (!strcmp(how, "good"))
            MPI_Recv(buf, N, MPI_BYTE, 1, 1, W, MPI_STATUS_IGNORE);
        if (!strcmp(how, "good"))
            post(1);
        die_now();
    }
    if (rank == 1) {
        if (!strcmp(how, "closed"))
            MPI_Irecv(buf, N, MPI_BYTE, 2, 1, dup, &r);
        else if (!strcmp(how, "recv"))
            MPI_Irecv(buf, N, MPI_BYTE, 2, 1, W, &r);
        else
            MPI_Isend(buf, N, MPI_BYTE, 2, 1, W, &r);
        if (!strcmp(how, "closed"))
            MPI_Comm_free(&dup);
        else
            MPI_Request_free(&r);
        post(0);
        if (!strcmp(how, "good"))
            while (posted(1) == 0)
                MPI_Iprobe(0, 0, MPI_COMM_SELF, &v, MPI_STATUS_IGNORE); /* let it go on */
        wait_until_dead(W, 2); /* ends this process, or comes back if all was well */
        v = 5;
        CHECK_EQ(MPI_Send(&v, 1, MPI_INT, 0, 3, W), MPI_SUCCESS);
    }
    if (rank == 0) {
        CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, 1, 3, W, MPI_STATUS_IGNORE),
                    strcmp(how, "good") ? MPI_ERR_PROC_FAILED : MPI_SUCCESS);
        CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, 2, 3, W, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
    }
    return finish();
}
