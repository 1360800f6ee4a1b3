/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c – what a rank costs after MPI_Init, before it has called anything else.
 *
 *   own       private pages and its share of files: Pss - Pss_Shmem of /proc/self/smaps_rollup
 *   shared    the larger of: sum over the ranks of Pss_Shmem (pages that ranks have touched), and what
 *             is allocated for the shared-memory objects that ranks have mapped (touched or not)
 *
 * The first rank prints (sum of own + shared) / ranks in KiB.  Ranks wait for each other through the
 * board, without MPI, so that nothing is allocated on first use.
 *
 * usage: memory BOARD */
#include "bench.h"

#include <sys/stat.h>

#define OBJECTS_MAX 64

enum { ARRIVED, READ, FIRST = 8, WORDS = 8 }; /* counters; then WORDS words per rank */
enum { OWN_KIB, SHMEM_KIB };                  /* a rank's words */

static long field_kib(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    return at ? atol(at + strlen(name)) : 0;
}

static void read_own(struct bench *b)
{
    static char text[8192];
    volatile uint64_t *mine = b->board + FIRST + b->rank * WORDS;
    int fd = open("/proc/self/smaps_rollup", O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    if (n <= 0) {
        perror("/proc/self/smaps_rollup");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    close(fd);
    mine[SHMEM_KIB] = (uint64_t)field_kib(text, "\nPss_Shmem:");
    mine[OWN_KIB] = (uint64_t)field_kib(text, "\nPss:") - mine[SHMEM_KIB];
}

/* KiB allocated for one shared-memory object; 0 if it was counted before. */
static uint64_t object_kib(const char *range, ino_t *seen, int *seen_n)
{
    char path[128];
    struct stat st;

    snprintf(path, sizeof(path), "/proc/self/map_files/%s", range);
    if (stat(path, &st) != 0 || *seen_n == OBJECTS_MAX)
        return 0;
    for (int i = 0; i < *seen_n; i++)
        if (seen[i] == st.st_ino)
            return 0;
    seen[(*seen_n)++] = st.st_ino;
    return (uint64_t)st.st_blocks / 2;
}

/* Mapped shared-memory objects: memfd, /dev/shm, shared anonymous, System V. */
static uint64_t allocated_kib(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    ino_t seen[OBJECTS_MAX];
    int seen_n = 0;
    uint64_t kib = 0;
    char line[4400], range[64], rights[8];

    while (maps && fgets(line, sizeof(line), maps)) {
        const char *name = strchr(line, '/');

        if (!name || sscanf(line, "%63s %7s", range, rights) != 2 || rights[3] != 's')
            continue;
        if (!strncmp(name, "/memfd:", 7) || !strncmp(name, "/dev/", 5) ||
            !strncmp(name, "/SYSV", 5))
            kib += object_kib(range, seen, &seen_n);
    }
    if (maps)
        fclose(maps);
    return kib;
}

static void meet(struct bench *b, int counter)
{
    __atomic_fetch_add(&b->board[counter], 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&b->board[counter], __ATOMIC_SEQ_CST) < (uint64_t)b->size)
        usleep(1000);
}

int main(int argc, char **argv)
{
    struct bench b = {0};
    uint64_t own = 0, touched = 0, allocated;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b.size);
    if (argc != 2 || b.size > 256)
        MPI_Abort(MPI_COMM_WORLD, 2);
    b.board = bench_open_board(argv[1]);
    meet(&b, ARRIVED);
    read_own(&b);
    meet(&b, READ);
    if (b.rank == 0) {
        for (int r = 0; r < b.size; r++) {
            own += b.board[FIRST + r * WORDS + OWN_KIB];
            touched += b.board[FIRST + r * WORDS + SHMEM_KIB];
        }
        allocated = allocated_kib();
        printf("memory %.1f own %.1f touched %.1f allocated %.1f\n",
               (double)(own + (allocated > touched ? allocated : touched)) / b.size,
               (double)own / b.size, (double)touched / b.size, (double)allocated / b.size);
    }
    MPI_Finalize();
    return 0;
}
