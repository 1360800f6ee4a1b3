/* SPDX-License-Identifier: BSD-3-Clause */
/* S3-2, S3-9, S0-56: a failure is detected in whatever way the process fails, and in bounded time.
 * Rank 0 is blocked in a receive from the victim, rank 1 is outside MPI all the time; nobody
 * communicates. The victim leaves the time of its last act on the board; from then to the error it
 * takes less than LIMIT_MS, for a process that only stands still that much more than
 * --stop-timeout.  The text of the error says what it died of (R14).
 *
 * RUN: -n 3 ; args kill ; expect "rank 0 ok" ; expect "killed by signal 9"
 * RUN: -n 3 ; args segv ; expect "rank 0 ok" ; expect "killed by signal 11"
 * RUN: -n 3 ; args exit ; exit 3 ; expect "rank 0 ok" ; expect "ended with status 3 without MPI_Finalize"
 * RUN: -n 3 ; args _exit ; exit 1 ; expect "rank 0 ok" ; expect "ended with status 0 without MPI_Finalize"
 * RUN: -n 3 ; args exec ; expect "rank 0 ok" ; expect "dead: rank 2"
 * RUN: -n 3 ; args thread ; expect "rank 0 ok" ; expect "dead: rank 2"
 * RUN: -n 3 ; args abort ; expect "rank 0 ok" ; expect "aborted with code 5"
 * RUN: -n 3 --stop-timeout 0.3 ; args stop ; expect "rank 0 ok" ; expect "did not run for too long"
 * RUN: -n 3 --stop-timeout 0.3 ; args stop ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok"
 * RUN: -n 3 ; args kill ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok"
 * RUN: -n 9 ; args kill ; expect "rank 0 ok" */
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

static void fail(const char *how)
{
    struct rlimit none = {0, 0};
    pthread_t t;

    setrlimit(RLIMIT_CORE, &none);
    board[LAST_ACT] = now_ms();
    if (!strcmp(how, "kill"))
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

int main(int argc, char **argv)
{
    int v, dead, took, least;

    start(&argc, &argv);
    dead = size - 1;
    if (rank == dead) {
        await(0, 1);
        usleep(20000); /* rank 0 is in its receive by now; if not, that does not matter */
        fail(argv[1]);
    }
    if (rank == 0) {
        post(0);
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
