/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of so many MiB at each member, allocated and shared: all members get MPI_ERR_NO_MEM, or all can use each byte.
 *
 *     container given|refused MIB
 *
 * RUN: none */
#include "common.h"

static int allocate(enum kind kind, MPI_Aint bytes, char **base, MPI_Win *win)
{
    return kind == ALLOCATED ? MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, W, base, win)
                             : MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, W, base, win);
}

int main(int argc, char **argv)
{
    bool given;
    MPI_Aint bytes;

    MPI_Init(&argc, &argv);
    know_rank();
    return_errors();
    given = !strcmp(argv[1], "given");
    bytes = (MPI_Aint)atoi(argv[2]) << 20;
    for (enum kind kind = ALLOCATED; kind <= SHARED; kind++) {
        MPI_Win win = MPI_WIN_NULL;
        char *base = NULL;
        int class = class_of(allocate(kind_on(W, kind), bytes, &base, &win));

        CHECK_EQ(class, given ? MPI_SUCCESS : MPI_ERR_NO_MEM);
        CHECK((win == MPI_WIN_NULL) == !given);
        if (given) {
            memset(base, rank, (size_t)bytes);
            CHECK_OK(MPI_Win_free(&win));
        }
    }
    if (rank == 0)
        printf("%s %s MiB\n", argv[1], argv[2]);
    MPI_Finalize();
    return 0;
}
