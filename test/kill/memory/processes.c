/* SPDX-License-Identifier: BSD-3-Clause */
/* Each allocation fails in turn (scarce.h), in the calls that start processes, join with others, tell them something
 * or register a module with them: all callers get what they asked for, or all get MPI_ERR_NO_MEM, and no child stays behind.
 *
 * Between nodes processes are not started here: a process that has no memory for the first frame to a new one ends, because the ring
 * of a stream is larger than what the reserve has (doc/gaps.md).
 *
 *   S0-38: no new process can use the intercommunicator if the root of a spawn reports a failure
 *
 * RUN: -n 3 --universe 2000 ; set MEMORY_FAULTS=1 ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 60
 * RUN: -n 3 ; args MPI_Comm_connect ; set MEMORY_FAULTS=1 ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 60
 * RUN: -n 3 ; args MPIX_Notify ; set MEMORY_FAULTS=1 ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 60
 * RUN: -n 3 ; args MPIX_Module_create ; set MEMORY_FAULTS=1 ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 60
 * RUN: -n 3 ; args MPIX_Safe_point_enter ; set MEMORY_FAULTS=1 ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 60 */
#include "scarce.h"

#include <mend.h>
#include <unistd.h>

enum { KEY = 5 };

static MPI_Comm half, made;
static MPI_Group world;
static MPIX_Module module;
static char port[MPI_MAX_PORT_NAME];
static volatile int told;
static const char *self_path;

/* The child is disconnected and has gone before the next one comes. */
static void part(void)
{
    CHECK_EQ(MPI_Comm_disconnect(&made), MPI_SUCCESS);
}

static int spawn(void)
{
    char *args[] = {(char *)"child", NULL};

    return MPI_Comm_spawn(self_path, args, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made,
                          MPI_ERRCODES_IGNORE);
}

/* Rank 0 accepts, the others connect. */
static int meet(void)
{
    return rank == 0 ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &made)
                     : MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &made);
}

static int notify(void)
{
    int sent, data = rank;

    return MPIX_Notify(world, (rank + 1) % size, KEY, &data, sizeof data, &sent);
}

static void on_notify(MPI_Group sender, int key, const void *data, int bytes, void *state)
{
    (void)sender;
    (void)key;
    (void)data;
    (void)bytes;
    (void)state;
    told++;
}

static int on_recover(MPI_Comm comm, int inside, void *state)
{
    (void)comm;
    (void)inside;
    (void)state;
    return MPI_SUCCESS;
}

static int create_module(void)
{
    return MPIX_Module_create(MPI_COMM_WORLD, on_recover, NULL, MPIX_MODULE_IN_CALLS, &module);
}

static void free_module(void)
{
    CHECK_EQ(MPIX_Module_free(&module), MPI_SUCCESS);
}

static int enter_safe_point(void)
{
    int value, err = MPIX_Safe_point_enter(&value);

    return err;
}

static void commit(void)
{
    CHECK_EQ(MPIX_Safe_point_commit(), MPI_SUCCESS);
}

/* The last two make a safe point, which is refused where a sanitizer is (test/mpi/safe_point/sanitizer.c). */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LEFT_OUT 2
#else
#define LEFT_OUT 0
#endif

static const struct scarce calls[] = {
    {"MPI_Comm_spawn", spawn, part, GROWS},
    {"MPI_Comm_connect", meet, part},
    {"MPIX_Notify", notify, NULL, LOCAL | SPARE},
    {"MPIX_Module_create", create_module, free_module},
    {"MPIX_Safe_point_enter", enter_safe_point, commit, LOCAL | SPARE},
};

static int child(void)
{
    MPI_Comm parent;

    CHECK_EQ(MPI_Init(NULL, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_get_parent(&parent), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_disconnect(&parent), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "child"))
        return child();
    self_path = argv[0];
    start(&argc, &argv);
    fill_tombs();
    meet_all();
    CHECK_EQ(MPI_Comm_group(MPI_COMM_WORLD, &world), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half), MPI_SUCCESS);
    if (rank == 0)
        CHECK_EQ(MPI_Open_port(MPI_INFO_NULL, port), MPI_SUCCESS);
    CHECK_EQ(MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPIX_Notify_register(KEY, on_notify, NULL), MPI_SUCCESS);
    for (size_t i = 0; i < sizeof calls / sizeof *calls - LEFT_OUT; i++)
        if (argc < 2 || !strcmp(argv[1], calls[i].name))
            sweep(&calls[i]);
    CHECK_EQ(MPIX_Notify_unregister(KEY), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&half), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&world), MPI_SUCCESS);
    return finish();
}
