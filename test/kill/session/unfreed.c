/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 frees a duplicate of MPI_COMM_WORLD that the others never free.  After MPI_Finalize nobody can use it, so the end of
 * the last session does not wait for them, before and after they have one themselves.
 *
 *   early   all had a session before MPI_Finalize
 *
 * RUN: -n 3 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args early ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args early ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 2 ok" */
#include "../common.h"

#include "../../mpi/session/common.h"

enum { CLOSED };

static void use_session(void)
{
    MPI_Session s = open_session();
    MPI_Comm c = world_of(s, "all");

    use(c);
    CHECK_OK(MPI_Comm_free(&c));
    close_session(&s);
}

int main(int argc, char **argv)
{
    int me;
    MPI_Comm c;

    set_watchdog();
    open_board();
    if (argc > 1)
        use_session();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    use(c);
    if (me == 0)
        CHECK_OK(MPI_Comm_free(&c));
    MPI_Finalize();
    for (int i = 1; i <= 2; i++) {
        if (me == 0)
            post(CLOSED);
        await(CLOSED, i); /* nobody ends before */
        use_session();
    }
    if (me == 0)
        post(CLOSED);
    await(CLOSED, 3);
    printf("rank %d ok\n", me);
    return 0;
}
