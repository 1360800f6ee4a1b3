/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c – shows the board of a job until each of its ranks is done or dead.  It is not an MPI program.
 *
 * Usage: watch FILE CALLS [lines]      lines: only what changes, one line each, not a picture that stays in place
 *
 *     rank 0  ##########x                               killed in call 10
 *     rank 3  ########<<<<                              solver, call 8       back from call 11
 *     rank 5  ###########                               statistics, call 11  has rolled back 2 times                  */
#include "board.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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

/* One that is dead stays a zombie until its parent has heard of it. */
static int is_gone(int pid)
{
    char path[64], state = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    f = fopen(path, "r");
    if (!f)
        return 1;
    if (fscanf(f, "%*d %*s %c", &state) != 1)
        state = 'Z';
    fclose(f);
    return state == 'Z' || state == 'X';
}

static int is_done(const struct board_line *b)
{
    return !strcmp(b->doing, "done");
}

static int is_dead(const struct board_line *b)
{
    return b->pid && !is_done(b) && is_gone(b->pid);
}

/* What is seen of a roll-back for a while. */
struct seen {
    int back, furthest, turns;
};

#define TURNS 20 /* that a roll-back stays to be seen */
#define WIDTH 40

static void look_for_back(const struct board_line *b, struct seen *s)
{
    if (b->back != s->back)
        s->turns = TURNS;
    else if (s->turns && --s->turns == 0)
        s->furthest = b->call;
    s->back = b->back;
    if (b->call > s->furthest)
        s->furthest = b->call;
}

static void bar(const struct board_line *b, const struct seen *s, int calls)
{
    int here = b->call * WIDTH / calls, far = s->turns ? s->furthest * WIDTH / calls : here;
    const char *colour = is_dead(b)                                 ? "\033[31m"
                         : is_done(b)                               ? "\033[32m"
                         : b->doing[0] == 's' && b->doing[1] == 't' ? "\033[36m"
                                                                    : "\033[34m";

    fputs(colour, stdout);
    for (int i = 0; i < here; i++)
        putchar('#');
    fputs("\033[33m", stdout);
    for (int i = here; i < far; i++)
        putchar('<');
    printf("\033[31m%c\033[0m%*s", is_dead(b) ? 'x' : ' ', WIDTH - (far > here ? far : here), "");
}

static void show(int rank, const struct board_line *b, struct seen *s, int calls)
{
    look_for_back(b, s);
    printf("rank %d  ", rank);
    bar(b, s, calls);
    if (is_dead(b))
        printf("  \033[31mkilled in call %d\033[0m", b->call);
    else if (is_done(b))
        printf("  \033[32mdone\033[0m");
    else
        printf("  %s, call %d", b->doing, b->call);
    if (s->turns && !is_dead(b))
        printf("  \033[33mback at call %d\033[0m", b->back_to);
    else if (b->back)
        printf("  has rolled back %d time%s", b->back, b->back > 1 ? "s" : "");
    fputs("\033[K\n", stdout);
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
    struct board_line *all = argc > 2 ? open_board(argv[1]) : NULL, before[BOARD_RANKS] = {0};
    struct seen seen[BOARD_RANKS] = {{0}};
    int calls = all && atoi(argv[2]) > 0 ? atoi(argv[2]) : 1;
    int in_lines = argc > 3, over = 0, dead[BOARD_RANKS] = {0};

    while (all && over < BOARD_RANKS) {
        over = 0;
        for (int r = 0; r < BOARD_RANKS; r++) {
            over += is_dead(&all[r]) || is_done(&all[r]);
            if (in_lines)
                tell(r, &all[r], &before[r], &dead[r]);
            else
                show(r, &all[r], &seen[r], calls);
        }
        if (!in_lines && over < BOARD_RANKS)
            printf("\033[%dA", BOARD_RANKS);
        fflush(stdout);
        nap();
    }
    return all ? 0 : 1;
}
