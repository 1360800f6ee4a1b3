/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that has had no session before MPI_Finalize opens one after it (MPI-5.0 11.3), and again, and with threads.
 *
 *   R36: while no session is open no death is a failure, and a process that opens one again is the same peer */
/* RUN: alone */
/* RUN: -n 1 */
/* RUN: -n 4 */
/* RUN: -n 5 ; set AGREE_SHM=0 */
/* RUN: -n 4 ; set MACHINES=2 */
/* RUN: -n 3 ; set COLL_SHM=0 ; args threads */
#include "common.h"

static void use_session(const char *tag)
{
    MPI_Session s = open_session();
    MPI_Comm c = world_of(s, tag);

    use(c);
    CHECK_OK(MPI_Comm_free(&c));
    close_session(&s);
}

int main(int argc, char **argv)
{
    int provided, me, n, flag;
    MPI_Comm freed, kept;

    if (argc > 1)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &freed));
    CHECK_OK(MPI_Comm_dup(freed, &kept));
    use(kept);
    CHECK_OK(MPI_Comm_free(&freed));
    MPI_Finalize();
    for (int i = 0; i < 3; i++) {
        use_session("one");
        use_session("two");
        CHECK_EQ(rank, me);
        CHECK_EQ(size, n);
    }
    MPI_Finalized(&flag);
    CHECK(flag);
    return 0;
}
