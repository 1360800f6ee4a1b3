/* SPDX-License-Identifier: BSD-3-Clause */
/* All append records at the shared pointer of a file whose rank 0 is on the last node, and that node is lost: the survivors go on with
 * appending to the same file.  Each record that was written is there once, also those of the dead, and no member finds the pointer
 * before the last of them.
 *
 *   between   all wait when the node is lost
 *   during    it is lost at an instant drawn by lot, while all append; a record that was begun then may be missing
 *   outside   rank 0 computes while the others append, for ever
 *
 *   S0-54: the file's positions can be read after a failure
 *   S5-22: a file's shared position and what sync reports survive the loss of a node */
/* RUN: -n 6 ; set MACHINES=2 ; args between ; expect "rank 0 ok" ; expect "rank 2 ok" */
/* RUN: -n 6 ; set MACHINES=3 ; args between ; expect "rank 0 ok" ; expect "rank 3 ok" */
/* RUN: -n 6 ; set MACHINES=3 ; args during {n} ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 12 */
/* RUN: -n 4 ; set MACHINES=4 ; args during {n} ; expect "rank 0 ok" ; expect "rank 2 ok" ; times 12 */
/* RUN: -n 4 ; set MACHINES=2 ; args outside ; expect "rank 0 ok" ; expect "rank 3 ok" */
/* RUN: -n 4 ; set RMA_SHM=0 ; args outside ; expect "rank 0 ok" ; expect "rank 3 ok" */
#include "../../agent.h"
#include "../file/common.h"

#define ROUNDS 200

enum { HALF, LOST, DONE, WRITTEN = 64 }; /* WRITTEN + rank: how many records it has appended */

struct record {
    int rank, number;
};

static MPI_File f;
static bool is_of_lost_node;
static int lost_n;

static void find_node(void)
{
    int parent = (int)getppid();
    int *all = malloc((size_t)size * sizeof(*all));

    CHECK_EQ(MPI_Allgather(&parent, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    is_of_lost_node = parent == all[size - 1];
    for (int r = 0; r < size; r++)
        lost_n += all[r] == all[size - 1];
    free(all);
}

/* The last rank is rank 0 of the file. */
static void open_reversed(void)
{
    MPI_Comm reversed;

    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed), MPI_SUCCESS);
    f = open_file(reversed, "appended");
    CHECK_EQ(MPI_File_set_view(f, 0, MPI_2INT, MPI_2INT, "native", MPI_INFO_NULL), MPI_SUCCESS);
    MPI_Comm_free(&reversed);
}

static void append(int n)
{
    for (int i = 0; i < n; i++) {
        struct record r = {rank, posted(WRITTEN + rank)};

        CHECK_EQ(MPI_File_write_shared(f, &r, 1, MPI_2INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
        post(WRITTEN + rank);
    }
}

/* Records beyond those that were said to be written are ones that a dead rank had begun; as many may be missing. */
static void check_file(void)
{
    int *seen = calloc((size_t)size * 2 * ROUNDS, sizeof(*seen)), begun = 0, all = 0;
    struct record r;
    MPI_Offset at;
    FILE *file = fopen(file_name("appended"), "rb");

    CHECK_EQ(MPI_File_get_position_shared(f, &at), MPI_SUCCESS);
    CHECK(file);
    for (; fread(&r, sizeof(r), 1, file) == 1; all++) {
        CHECK(r.rank >= 0 && r.rank < size && r.number >= 0 && r.number < 2 * ROUNDS);
        if (!r.number && !r.rank && seen[0]) /* one that was never written */
            begun++;
        else
            CHECK_EQ(seen[r.rank * 2 * ROUNDS + r.number]++, 0);
    }
    fclose(file);
    for (int k = 0; k < size; k++)
        for (int i = 0; i < posted(WRITTEN + k); i++)
            CHECK_EQ(seen[k * 2 * ROUNDS + i], 1);
    CHECK(begun <= lost_n);
    CHECK(at >= all);
    free(seen);
}

static void *kill_agent(void *delay_us)
{
    usleep((useconds_t)(intptr_t)delay_us);
    signal_own_agent(SIGKILL);
    return NULL;
}

/* The ranks of that node do not return. */
static void lose_node(const char *how, int seed)
{
    pthread_t thread;
    intptr_t delay_us = seed * 7919 % 5000;

    post(HALF);
    if (is_of_lost_node) {
        if (!strcmp(how, "between")) {
            await(HALF, size);
            signal_own_agent(SIGKILL);
            await_kill();
        }
        if (rank == size - 1)
            CHECK(pthread_create(&thread, NULL, kill_agent, (void *)delay_us) == 0);
        append(ROUNDS);
        await_kill();
    }
    if (!strcmp(how, "between"))
        wait_until_dead(MPI_COMM_WORLD, size - 1);
    append(ROUNDS);
    wait_until_dead(MPI_COMM_WORLD, size - 1);
}

static void be_outside(void)
{
    if (rank == size - 1)
        await(DONE, size - 1);
    else
        append(ROUNDS);
    post(DONE);
    await(DONE, size);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    find_node();
    open_reversed();
    append(ROUNDS / 2);
    if (!strcmp(argv[1], "outside"))
        be_outside();
    else
        lose_node(argv[1], argc > 2 ? atoi(argv[2]) : 0);
    if (strcmp(argv[1], "outside") != 0) {
        post(LOST);
        await_in_mpi(LOST, size - lost_n);
    }
    check_file();
    MPI_File_close(&f);
    return finish();
}
