/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c – shows the board of a job until each of its ranks is done or dead.  It is not an MPI program.
 *
 * Usage: watch FILE [lines]      lines: only what changes, one line each, not a table that stays in place */
#include "board.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TURN_NS 40000000

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = TURN_NS}, NULL);
}

static struct board_line *open_board(const char *path)
{
    struct stat st;
    int fd;
    void *all;

    while ((fd = open(path, O_RDONLY)) < 0 || fstat(fd, &st) != 0 ||
           st.st_size < (off_t)(BOARD_RANKS * sizeof(struct board_line))) {
        if (fd >= 0)
            close(fd);
        nap();
    }
    all = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    return all == MAP_FAILED ? NULL : all;
}

static int is_dead(const struct board_line *b)
{
    return b->pid && strcmp(b->doing, "done") != 0 && kill(b->pid, 0) != 0;
}

static void show(int rank, const struct board_line *b)
{
    printf("rank %d  %s%-24s  call %3d  rolled back %d times\033[K\n", rank,
           is_dead(b) ? "\033[31m" : "", is_dead(b) ? "killed" : b->doing, b->call, b->back);
    printf("\033[0m");
}

static void tell(int rank, const struct board_line *b, struct board_line *before, int *dead)
{
    if (is_dead(b) && !*dead)
        printf("rank %d is killed in call %d\n", rank, b->call);
    *dead = is_dead(b);
    if (b->back != before->back)
        printf("rank %d is back at the end of call %d of the solver\n", rank, b->back_to);
    *before = *b;
}

int main(int argc, char **argv)
{
    struct board_line *all = argc > 1 ? open_board(argv[1]) : NULL, before[BOARD_RANKS] = {0};
    int in_lines = argc > 2, over = 0, dead[BOARD_RANKS] = {0};

    while (all && over < BOARD_RANKS) {
        over = 0;
        for (int r = 0; r < BOARD_RANKS; r++) {
            over += is_dead(&all[r]) || !strcmp(all[r].doing, "done");
            if (in_lines)
                tell(r, &all[r], &before[r], &dead[r]);
            else
                show(r, &all[r]);
        }
        if (!in_lines && over < BOARD_RANKS)
            printf("\033[%dA", BOARD_RANKS);
        fflush(stdout);
        nap();
    }
    return all ? 0 : 1;
}
