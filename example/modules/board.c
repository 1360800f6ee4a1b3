/* SPDX-License-Identifier: BSD-3-Clause */
/* board.c – see board.h. */
#include "board.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static struct board_line *mine;

void board_open(const char *path, int rank)
{
    int fd = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
    struct board_line *all = MAP_FAILED;

    if (fd < 0)
        return;
    if (rank < BOARD_RANKS && ftruncate(fd, BOARD_RANKS * sizeof(*all)) == 0)
        all = mmap(NULL, BOARD_RANKS * sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (all == MAP_FAILED)
        return;
    mine = &all[rank];
    mine->pid = getpid();
}

void board_show(const char *doing, int call)
{
    if (!mine)
        return;
    snprintf(mine->doing, sizeof(mine->doing), "%s", doing);
    mine->call = call;
}

void board_left(int call)
{
    if (!mine)
        return;
    if (mine->left >= call) {
        mine->back_to = call;
        mine->back++;
    }
    mine->left = call;
}
