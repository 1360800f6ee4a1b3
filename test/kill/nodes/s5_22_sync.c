/* SPDX-License-Identifier: BSD-3-Clause */
/* The node of a file's rank 0 is lost while all write and sync: each sync has one result at all survivors, and what a successful one
 * covered is in the file, also what the dead had written.  An error of writing that a member of that node had, and of which a sync has told all,
 * outlives the node: all survivors have it from MPI_File_close.
 *
 *   lost    at an instant drawn by lot, inside of a sync or beside it
 *   error   after a sync that told of an error
 *
 *   R33: an error of writing is one class at all at sync, and stays until the file is closed
 *   S0-52: sync returns the same at all survivors
 *   S5-22: a file's shared position and what sync reports survive the loss of a node */
/* RUN: -n 6 ; set MACHINES=3 ; args lost {n} ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 24 */
/* RUN: -n 4 ; set MACHINES=4 ; args lost {n} ; expect "rank 0 ok" ; expect "rank 2 ok" ; times 12 */
/* RUN: -n 4 ; set MACHINES=2 ; args lost {n} ; expect "rank 0 ok" ; expect "rank 1 ok" ; times 12 */
/* RUN: -n 6 ; set MACHINES=3 ; args error ; expect "rank 0 ok" ; expect "rank 3 ok" */
#include "../../agent.h"
#include "../file/common.h"

#include <sys/resource.h>

#define ROUNDS 3000

enum { TOLD, CLOSED = 32, FIRST = 64 };

static MPI_File f;
static bool is_of_lost_node;

static void find_node(void)
{
    int parent = (int)getppid();
    int *all = malloc((size_t)size * sizeof(*all));

    CHECK_EQ(MPI_Allgather(&parent, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    is_of_lost_node = parent == all[size - 1];
    free(all);
}

static void open_reversed(void)
{
    MPI_Comm reversed;

    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed), MPI_SUCCESS);
    f = open_file(reversed, "synced");
    MPI_Comm_free(&reversed);
}

static void *kill_agent(void *delay_us)
{
    usleep((useconds_t)(intptr_t)delay_us);
    signal_own_agent(SIGKILL);
    return NULL;
}

static void check_written(int round)
{
    int fd = open(file_name("synced"), O_RDONLY), got;

    for (int r = 0; r < size; r++) {
        CHECK_EQ(pread(fd, &got, sizeof(got), (off_t)sizeof(got) * r), sizeof(got));
        CHECK(got >= round);
    }
    close(fd);
}

static int write_and_sync(int round)
{
    CHECK_EQ(MPI_File_write_at(f, (MPI_Offset)sizeof(round) * rank, &round, 1, MPI_INT,
                               MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    return MPI_File_sync(f);
}

static void lose_inside(int seed)
{
    pthread_t thread;
    int class = MPI_SUCCESS;

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1)
        CHECK(pthread_create(&thread, NULL, kill_agent, (void *)(intptr_t)(seed * 7919 % 9000)) ==
              0);
    for (int i = 0; !class && i < ROUNDS; i++) {
        class = write_and_sync(i);
        if (!is_of_lost_node) /* these may have had a result that dies with them */
            same_everywhere(FIRST + i, class);
        if (!class)
            check_written(i);
    }
    CHECK_EQ(class, MPI_ERR_PROC_FAILED);
    CHECK_EQ(write_and_sync(ROUNDS), MPI_ERR_PROC_FAILED);
    CHECK_EQ(MPI_File_close(&f), MPI_SUCCESS);
}

/* Its device is full, as it seems to this process. */
static void write_too_far(void)
{
    struct rlimit limit = {1 << 20, RLIM_INFINITY};
    int word = 0;

    setrlimit(RLIMIT_FSIZE, &limit);
    MPI_File_write_at(f, 1 << 21, &word, 1, MPI_INT, MPI_STATUS_IGNORE);
}

static void lose_behind_error(void)
{
    int told;

    if (rank == size - 1)
        write_too_far();
    told = MPI_File_sync(f);
    CHECK(told && told != MPI_ERR_PROC_FAILED);
    post(TOLD);
    if (is_of_lost_node) {
        await(TOLD, size);
        signal_own_agent(SIGKILL);
        await_kill();
    }
    wait_until_dead(MPI_COMM_WORLD, size - 1);
    CHECK_EQ(MPI_File_sync(f), MPI_ERR_PROC_FAILED);
    CHECK_EQ(MPI_File_close(&f), told);
    same_everywhere(CLOSED, told);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    find_node();
    open_reversed();
    if (!strcmp(argv[1], "error"))
        lose_behind_error();
    else
        lose_inside(atoi(argv[2]));
    return finish();
}
