/* SPDX-License-Identifier: BSD-3-Clause */
/* graves.c – for the simulator: S0-1, S2-5, S2-7.  Who is told of a decision first may free the communicator that
 * it was about, and many of its own, while others have not been told yet and their informant dies.  It is
 * asked then, and must know. */
#include "uniform.h"

#define OWN 40 /* more than there are graves (member/internal.h) */

int main(int argc, char **argv)
{
    MPI_Comm c = MPI_COMM_WORLD, next, mine;
    int done = 0, err = MPI_SUCCESS;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    for (; done < 5 && !err; done += !err) {
        err = MPI_Comm_dup(c, &next);
        if (err)
            break;
        if (c != MPI_COMM_WORLD)
            MPI_Comm_free(&c);
        c = next;
        for (int i = 0; i < OWN; i++) {
            if (MPI_Comm_dup(MPI_COMM_SELF, &mine) != MPI_SUCCESS)
                return 1;
            MPI_Comm_free(&mine);
        }
    }
    if (err && err != MPIX_ERR_PROC_FAILED)
        return 2;
    if (!uniform(MPI_COMM_WORLD, done))
        return 3;
    MPI_Finalize();
    return 0;
}
