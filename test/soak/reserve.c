/* SPDX-License-Identifier: BSD-3-Clause */
/* reserve.c – a rank that has not been called up yet: as small as a process can be.
 *
 *   reserve BOARD OUTPUT PROGRAM ARGUMENTS...
 *
 * It gives its pipes to mpiexec back, so that it costs one descriptor there, sleeps until its word on the
 * board is written, and becomes PROGRAM, which then calls MPI_Init. */
#include "reserve.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    const char *rank = getenv("MEND_RANK");
    int out = argc > 3 ? open(argv[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    _Atomic uint32_t *board = out >= 0 && rank ? reserve_board(argv[1]) : NULL;

    if (!board || dup2(out, 1) < 0 || dup2(out, 2) < 0)
        return 1;
    reserve_sleep(&board[atoi(rank)]);
    execv(argv[3], argv + 3);
    return 1;
}
