/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes open a session again, and the agent of another node stands still and tells its processes late: these do not take the
 * others for processes without a session, which have freed everything, and all learn of the end of a communicator.
 *
 * Rank 2 frees it and waits, while its agent has last said that ranks 0 and 1 are away; rank 3, below it in the tree of votes, frees it
 * last.  Then all go on at once, so nobody learns of the end because the others have gone.
 *
 *   R36: while no session is open no death is a failure, and a process that opens one again is the same peer */
/* RUN: -n 4 ; set MACHINES=2 ; set AGREE_SHM=0 ; set COLL_SHM=0 ; set LEASE=10 */
/* RUN: -n 5 ; set MACHINES=3 ; set AGREE_SHM=0 ; set COLL_SHM=0 ; set LEASE=10 */
#include "late.h"

static void use_session(useconds_t before_free_us)
{
    MPI_Session s = open_session();
    MPI_Comm c = world_of(s, "late news");

    use(c);
    if (rank == 3)
        await(before_free_us);
    CHECK_OK(MPI_Comm_free(&c));
    close_session(&s);
}

int main(void)
{
    look_often();
    use_session(0);
    await(HEARD_US);
    if (rank == 3)
        stop_agent();
    else if (rank != 2)
        await(HEARD_US);
    use_session(HEARD_US);
    use_session(0);
    return 0;
}
