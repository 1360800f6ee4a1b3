/* SPDX-License-Identifier: BSD-3-Clause */
/* A failure is detected in whatever way the process fails, and in bounded time.
 * Rank 0 is blocked in a receive from the victim, rank 1 is outside MPI all the time; no rank
 * communicates.  The victim leaves the time of its last act on the board; from then to the error it
 * takes less than LIMIT_MS, also if a child of the victim lives on with all its descriptors, and if the victim
 * had called MPI_Init in a thread that has ended since (until then it is not suspected, S3-10); for a process that only stands still that much more than
 * --stop-timeout.  The text of the error says what it died of (R14); the launcher says so in other words.
 *
 *   R14: the error text says which rank died, where, why and when
 *   S0-56: a process that communicates with a dead one learns of the death
 *   S3-2: process failures are detected
 *   S3-9: no survivor waits for ever for a dead process
 *   S3-10: a running process is not suspected
 *
 * RUN: -n 3 ; args kill ; cont 2 at in:MPI_Recv:0 ; expect "rank 0 ok" ; expect ", killed by signal 9 (SIGKILL), "
 * RUN: -n 3 ; args segv ; cont 2 at in:MPI_Recv:0 ; expect "rank 0 ok" ; expect ", killed by signal 11 (SIGSEGV), "
 * RUN: -n 3 ; args exit ; cont 2 at in:MPI_Recv:0 ; exit 3 ; expect "rank 0 ok" ; expect ", ended with status 3 without MPI_Finalize, "
 * RUN: -n 3 ; args _exit ; cont 2 at in:MPI_Recv:0 ; expect "rank 0 ok" ; expect ", ended with status 0 without MPI_Finalize, "
 * RUN: -n 3 ; args exec ; cont 2 at in:MPI_Recv:0 ; expect "rank 0 ok" ; expect "dead: rank 2"
 * RUN: -n 3 ; args thread ; cont 2 at in:MPI_Recv:0 ; expect "rank 0 ok" ; expect "dead: rank 2"
 * RUN: -n 3 ; args child ; cont 2 at in:MPI_Recv:0 ; expect "rank 0 ok" ; expect ", killed by signal 9 (SIGKILL), "
 * RUN: -n 16 ; args child ; cont 15 at in:MPI_Recv:0 ; expect "rank 0 ok" ; expect "rank 14 ok"
 * RUN: -n 3 ; args second ; cont 2 at in:MPI_Recv:0 ; expect "rank 0 ok" ; expect ", killed by signal 9 (SIGKILL), "
 * RUN: -n 3 ; args abort ; cont 2 at in:MPI_Recv:0 ; expect "rank 0 ok" ; expect ", aborted with code 5, "
 * RUN: -n 3 --stop-timeout 0.3 ; args stop ; cont 2 at in:MPI_Recv:0 ; expect "rank 0 ok" ; expect ", did not run for too long and was killed, "
 * RUN: -n 3 --stop-timeout 0.3 ; args stop ; cont 2 at in:MPI_Recv:0 ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok"
 * RUN: -n 3 ; args kill ; cont 2 at in:MPI_Recv:0 ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok"
 * RUN: -n 9 ; args kill ; cont 8 at in:MPI_Recv:0 ; expect "rank 0 ok" */
#include "../common.h"

#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

#define DONE     1 /* slots of the board */
#define LAST_ACT 2
#define LIMIT_MS 3000
#define STOP_MS  300

static int now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int)(t.tv_sec % 1000000 * 1000 + t.tv_nsec / 1000000);
}

static void *last_one(void *arg)
{
    pause();
    return NULL;
}

/* A child that nobody kills before the job ends: it has left the group, and ignores its parent's end. */
static void leave_child(void)
{
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid > 0)
        return;
    setsid();
    for (;;)
        pause();
}

static void fail(const char *how)
{
    struct rlimit none = {0, 0};
    pthread_t t;

    setrlimit(RLIMIT_CORE, &none);
    board[LAST_ACT] = now_ms();
    if (!strcmp(how, "child"))
        leave_child();
    if (!strcmp(how, "kill") || !strcmp(how, "child") || !strcmp(how, "second"))
        raise(SIGKILL);
    if (!strcmp(how, "segv")) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    if (!strcmp(how, "exit"))
        exit(3);
    if (!strcmp(how, "_exit"))
        _exit(0);
    if (!strcmp(how, "exec"))
        execlp("sleep", "sleep", "30", NULL);
    if (!strcmp(how, "thread")) { /* of the process only a thread is left that does nothing */
        pthread_create(&t, NULL, last_one, NULL);
        pthread_exit(NULL);
    }
    if (!strcmp(how, "abort"))
        MPI_Abort(MPI_COMM_SELF, 5);
    if (!strcmp(how, "stop"))
        raise(SIGSTOP);
    CHECK(!"still alive");
}

static void explain(int dead)
{
    char text[MPI_MAX_ERROR_STRING];
    int n;

    for (int i = 0; i < 1000; i++) { /* the reason comes a little after the verdict */
        CHECK_EQ(MPI_Error_string(MPI_ERR_PROC_FAILED, text, &n), MPI_SUCCESS);
        if (!strstr(text, "not known yet"))
            break;
        usleep(1000);
    }
    printf("dead: rank %d: %s\n", dead, text);
}

static void *start_and_end(void *arg)
{
    int provided;

    CHECK_EQ(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided), MPI_SUCCESS);
    return arg;
}

/* MPI_Init in a thread that ends, and then some time in which nobody must take that for a death. */
static void start_in_thread(void)
{
    pthread_t t;

    CHECK_EQ(pthread_create(&t, NULL, start_and_end, NULL), 0);
    CHECK_EQ(pthread_join(t, NULL), 0);
    usleep(50000);
    set_watchdog();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    open_board();
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    int v, dead, took, least;

    hold_cont();
    if (!strcmp(argv[1], "second"))
        start_in_thread();
    else
        start(&argc, &argv);
    dead = size - 1;
    if (rank == dead) {
        await_cont(); /* until rank 0 is in its receive */
        fail(argv[1]);
    }
    if (rank == 0) {
        CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, dead, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                    MPI_ERR_PROC_FAILED);
        took = now_ms() - board[LAST_ACT];
        least = strcmp(argv[1], "stop") ? 0 : STOP_MS * 3 / 4; /* time is counted in slices */
        CHECK(took >= least && took < least + LIMIT_MS);
        explain(dead);
        post(DONE);
    }
    await(DONE, 1); /* no MPI call before that */
    return finish();
}
