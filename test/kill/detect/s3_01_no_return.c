/* SPDX-License-Identifier: BSD-3-Clause */
/* A failed process stops for good and never comes back under its identity.  Rank 2 is killed,
 * or replaces itself by another program; what runs after it in its place, with its environment, is
 * refused or ended, and is not a rank: the others still see the rank as dead, and nothing arrives from it.
 *
 *   script   a shell starts the program again in the same place when it has died
 *   exec     the process executes itself again, with the environment that it was started with
 *   late     ... and has ended by itself, as the refused end, before the agent looks: rank 0 stops the agent
 *            until then.  The job's status is that of a job that lost a rank, all the same.
 *
 *   S3-1: a failed process never returns under its identity
 *
 * RUN: -n 2 {prog} stays : -n 1 sh -c "$0 script; $0 again; $0 again" {prog} ; exit 1 ; expect "rank 0 ok" ;
   expect "rank 1 ok" ; expect-no "came back"
 * RUN: -n 2 {prog} stays : -n 1 {prog} exec ; expect "rank 0 ok" ; expect "rank 1 ok" ;
   expect-no "came back"
 * RUN: -n 2 {prog} late : -n 1 {prog} exec ; expect "rank 0 ok" ; expect "rank 1 ok" ;
   expect "rank 2 (" ; expect "killed by signal 9" ; expect-no "came back" */
#include "../common.h"

#define VICTIM   2
#define LOOK_MS  200
#define MESSAGES 3

extern char **environ;

static char *const *environment; /* as it was before MPI_Init */

static char *const *copy_environment(void)
{
    size_t n = 0;
    char **copy;

    while (environ[n])
        n++;
    copy = calloc(n + 1, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = strdup(environ[i]);
    return copy;
}

/* The victim ends while the agent is stopped. */
static void end_unseen(const char *how)
{
    int pid = getpid();

    if (rank == VICTIM) {
        MPI_Send(&pid, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&pid, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 0) {
        MPI_Recv(&pid, 1, MPI_INT, VICTIM, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!strcmp(how, "late"))
            kill(getppid(), SIGSTOP);
        MPI_Send(&pid, 1, MPI_INT, VICTIM, 0, MPI_COMM_WORLD);
    }
    if (rank == 0 && !strcmp(how, "late")) {
        await_state(pid, 'Z');
        kill(getppid(), SIGCONT);
    }
}

static void die(const char *how)
{
    char *again[] = {"/proc/self/exe", "again", NULL};

    for (int i = 0; i < MESSAGES; i++)
        MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    if (!strcmp(how, "script"))
        die_now();
    execve(again[0], again, environment);
    CHECK(!"execve");
}

/* The second life: whether or not it gets through MPI_Init, the others must not notice. */
static int again(int *argc, char ***argv)
{
    int v = -1;

    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1) {
        printf("rank %d came back\n", rank);
        MPI_Send(&v, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    return 0;
}

static void check_dead(void)
{
    int v = 0, flag = 0;

    CHECK(is_known_dead(MPI_COMM_WORLD, VICTIM));
    MPI_Comm_failure_ack(MPI_COMM_WORLD);
    CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_CLASS(MPI_Send(&v, 1, MPI_INT, VICTIM, 0, MPI_COMM_WORLD), MPI_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, VICTIM, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
}

int main(int argc, char **argv)
{
    int v;

    environment = copy_environment();
    if (!strcmp(argv[1], "again"))
        return again(&argc, &argv);
    start(&argc, &argv);
    end_unseen(argv[1]);
    if (rank == VICTIM)
        die(argv[1]);
    for (int i = 0; rank == 0 && i < MESSAGES; i++) {
        CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, VICTIM, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
        CHECK_EQ(v, i);
    }
    wait_until_dead(MPI_COMM_WORLD, VICTIM);
    for (int i = 0; i < LOOK_MS; i++) {
        check_dead();
        usleep(1000);
    }
    return finish();
}
