/* SPDX-License-Identifier: BSD-3-Clause */
/* A guest that has waited for long enough goes, and computes: the host does not wait for it, and takes the next one.
 *
 *   R34: a name of the dead is not found, and their ports are refused */
/* RUN: -n 3 */
/* RUN: -n 3 ; set MACHINES=2 */
#include "../common.h"

enum { OPEN, LATE, MET };

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter;
    MPI_Info info;

    start(&argc, &argv);
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "timeout", "0.05"));
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (rank == 0)
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    CHECK_OK(MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD));
    if (rank == 2) {
        CHECK_CLASS(MPI_Comm_connect(port, info, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT);
        post(LATE);
        await(MET, 2);
        return finish();
    }
    await_in_mpi(LATE, 1);
    if (rank == 0)
        CHECK_OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    else
        CHECK_OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    CHECK_OK(MPI_Comm_disconnect(&inter));
    post(MET);
    CHECK_OK(MPI_Info_free(&info));
    return finish();
}
