/* SPDX-License-Identifier: BSD-3-Clause */
/* Any process dies while two groups connect: both sides get an error, or both get the intercommunicator, and every call
 * ends.
 *
 * Ranks 0 to 2 accept, ranks 3 to 5 connect; roots are 0 and 3.  What a process says in a poll leaves it at the end of the poll
 * where it goes over sockets.  So a root that dies at port.coming on another node has not come, and accept waits for the next one.
 *
 *   S0-35: the roots of connect and accept both report a process failure or neither does
 *   S0-36: an invalidated communicator is reported as such, not as a process failure
 *   S0-37: the other root of a connection returns when a root dies
 *   S0-39: every process of both groups gets the same result of accept and connect
 *   S2-5: creation is uniform: at all survivors or at none */
/* RUN: -n 6 ; kill 1 at call:MPI_Comm_accept ; args no */
/* RUN: -n 6 ; kill 4 at call:MPI_Comm_connect ; args no */
/* RUN: -n 6 ; kill 0 at call:MPI_Comm_accept ; args no */
/* RUN: -n 6 ; kill 0 at call:MPI_Comm_accept>member.invite ; args no */
/* RUN: -n 6 ; kill 3 at call:MPI_Comm_connect>member.invited ; args no */
/* RUN: -n 6 ; kill 0 at call:MPI_Comm_accept>member.hello ; args no */
/* RUN: -n 6 ; kill 3 at call:MPI_Comm_connect>member.hello ; args no */
/* RUN: -n 6 --lenient-exit ; kill 1 at call:MPI_Comm_accept>agree.enter ; args any */
/* RUN: -n 6 --lenient-exit ; kill 5 at call:MPI_Comm_connect>agree.enter ; args any */
/* RUN: -n 6 ; kill 0 at port.welcome ; args no */
/* RUN: -n 6 ; kill 3 at port.coming ; args no */
/* RUN: -n 6 ; kill 0 at port.meet ; args no */
/* RUN: -n 6 ; kill 3 at port.meet ; args no */
/* RUN: -n 6 ; kill 1 at port.meet ; args no */
/* RUN: -n 6 ; kill 5 at port.meet ; args no */
/* RUN: -n 6 ; kill 2 at port.meet ; kill 4 at port.meet ; args no */
/* RUN: -n 6 ; kill 0 at port.welcome ; kill 3 at port.coming ; args no */
/* RUN: -n 6 ; kill 3 at port.meet ; args no ; set MACHINES=2 */
/* RUN: -n 6 ; args revoke 4 ; times 5 */
/* RUN: -n 6 ; args revoke 1 ; times 5 */
/* RUN: -n 6 ; args revoke 4 ; set MACHINES=2 */
/* RUN: -n 6 ; args revoke 4 ; set REVOKE_SHM=0 ; set AGREE_SHM=0 */
/* RUN: -n 6 ; kill 4 at call:MPI_Comm_connect ; args no ; set MACHINES=2 */
/* RUN: -n 6 ; kill 0 at call:MPI_Comm_accept>member.hello ; args no ; set AGREE_SHM=0 ; set COLL_SHM=0 */
#include "../common.h"

enum { GOT, REFUSED, NAMED };

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm half, inter;
    int err;

    start(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 3, rank, &half);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    CHECK_EQ(MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    post(NAMED);
    await(NAMED, size);
    if (argc > 2 && rank == atoi(argv[2])) {
        CHECK_EQ(MPIX_Comm_revoke(half), MPI_SUCCESS);
        return finish();
    }
    err = rank < 3 ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter)
                   : MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
    if (err && rank == 0)
        MPI_Close_port(port); /* else a guest goes on waiting for another accept */
    post(err ? REFUSED : GOT);
    CHECK(!posted(GOT) || !posted(REFUSED));
    if (argc > 2 && rank / 3 == atoi(argv[2]) / 3)
        CHECK_CLASS(err, MPI_ERR_INVALIDATED);
    else if (argc > 2) /* the port may have been closed before this side had come */
        CHECK(class_of(err) == MPI_ERR_INVALIDATED || class_of(err) == MPI_ERR_PORT);
    if (strcmp(argv[1], "any") != 0)
        CHECK(!posted(GOT));
    return finish();
}
