/* SPDX-License-Identifier: BSD-3-Clause */
/* board.h – what each rank does, in a file that all map.  Shared memory does not roll back, so it shows roll-backs. */
#ifndef BOARD_H
#define BOARD_H

#define BOARD_RANKS 7

struct board_line {
    char doing[24];
    int call;
    int left;    /* the last call of the solver that has ended */
    int back;    /* how often one has ended once more, and */
    int back_to; /* which it was last */
    int pid;
};

/* path NULL: nothing is shown. */
void board_open(const char *path, int rank);
void board_show(const char *doing, int call);

/* Call number `call` of the solver has ended here. */
void board_left(int call);

#endif
