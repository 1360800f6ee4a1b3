/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 1 has no session open when it is killed, between two sessions.  The communicators of the others, in which it is not, go on
 * undisturbed with fatal error handlers; a communicator of the whole world cannot be made, and says so; those that open
 * a session later find it missing in mend://alive, and are the same ranks as before.
 *
 *   R36: while no session is open no death is a failure, and a process that opens one again is the same peer
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-2: a call that needs no dead process completes normally
 *
 * RUN: -n 3 --lenient-exit ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 2 ok" */
#include "../common.h"

#include "../../mpi/session/common.h"

#define VICTIM 1

int main(void)
{
    int range[1][3] = {{0, 2, 2}}, before, n = 0;
    MPI_Group all, two;
    MPI_Session s;
    MPI_Comm c, d;

    open_board();
    s = open_session();
    c = world_of(s, "first");
    use(c);
    CHECK_OK(MPI_Comm_disconnect(&c));
    before = rank;
    all = pset(s, "mpi://WORLD");
    MPI_Group_range_incl(all, 1, range, &two);
    MPI_Group_free(&all);
    if (rank == VICTIM) {
        close_session(&s);
        post(0);
        await(1, 1);
        die_now();
    }
    CHECK_OK(MPI_Comm_create_from_group(two, "two", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &d));
    MPI_Group_free(&two);
    while (!posted(0)) { /* the victim's last close may need an answer from here */
        int flag;

        CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, 0, d, &flag, MPI_STATUS_IGNORE));
    }
    post(1);
    for (int i = 0; i < 1000; i++)
        use(d);
    while (n != 2) { /* until the death is known */
        all = pset(s, "mend://alive");
        MPI_Group_size(all, &n);
        MPI_Group_free(&all);
    }
    use(d);
    CHECK_OK(MPI_Comm_disconnect(&d));
    close_session(&s);
    s = open_session();
    all = pset(s, "mpi://WORLD");
    MPI_Group_rank(all, &rank);
    CHECK_EQ(rank, before);
    CHECK_CLASS(MPI_Comm_create_from_group(all, "third", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c),
                MPI_ERR_PROC_FAILED);
    MPI_Group_free(&all);
    c = comm_of(s, "mend://alive", "fourth");
    use(c);
    MPI_Comm_size(c, &n);
    CHECK_EQ(n, 2);
    CHECK_OK(MPI_Comm_free(&c));
    close_session(&s);
    printf("rank %d ok\n", before);
    return 0;
}
