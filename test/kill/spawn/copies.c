/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies: lost ranks are replaced by copies that a process in MPI_Init makes of itself.  Where that process, the one
 * between, or the copy dies or stops, a process is started, and the communicator gets its size all the same.  A copy has its
 * own place in the files that were open; what several copies would have in common is an obstacle, and mpiexec names it.
 *
 * Arguments: what happens; how many of the two replacements are copies.  A handler of pthread_atfork makes it happen: in
 * the original before its first fork (original) or behind it (parent), in the process between before its fork (child) or
 * behind it (between), in the copy (copy).
 *
 *   R35: a replacement is a new process with an old rank; its MPI_COMM_WORLD holds those replaced together */
/* RUN: -n 4 --copies ; args none 2 ; expect-no "started anew" ; plain */
/* RUN: -n 4 --copies ; args none 2 ; set MACHINES=2 ; plain */
/* RUN: -n 4 --copies --bind-to core ; args none 2 ; plain */
/* RUN: -n 4 --copies --spares 1 ; args none 1 ; plain */
/* RUN: -n 4 --copies --spares 2 ; args none 0 ; plain */
/* RUN: -n 4 --copies ; args killed 0 ; plain */
/* RUN: -n 4 --copies ; args stopped 0 ; plain */
/* RUN: -n 4 --copies ; args kill-original 0 ; plain */
/* RUN: -n 4 --copies ; args kill-parent 1 ; plain */
/* RUN: -n 4 --copies ; args kill-child 1 ; plain */
/* RUN: -n 4 --copies ; args kill-between 2 ; plain */
/* RUN: -n 4 --copies ; args kill-copy 1 ; plain */
/* RUN: -n 4 --copies ; args stop-original 0 ; expect "not copied: it did not answer" ; plain */
/* RUN: -n 4 --copies ; args stop-between 0 ; expect "not copied: it did not answer" ; plain */
/* RUN: -n 4 --copies ; args stop-copy 0 ; expect "not copied: it did not answer" ; plain */
/* RUN: -n 4 --copies --universe 9 --lenient-exit ; args none 2 ; kill 4 at spawn.join ; plain */
/* RUN: -n 4 --copies --universe 9 --lenient-exit ; args none 2 ; kill 5 at replace.meet ; plain */
/* RUN: -n 4 --copies ; args ignore 2 ; plain */
/* RUN: -n 4 --copies ; args reap 2 ; plain */
/* RUN: -n 4 --copies ; args file 2 ; plain */
/* RUN: -n 4 --copies --universe 9 ; args closed 2 ; reach 4 at spawn.join ; reach 5 at spawn.join ; plain */
/* RUN: -n 4 --copies ; args late 0 ; expect-no "not copied" ; plain */
/* RUN: -n 4 --copies ; args thread 0 ; expect "not copied: it has threads before MPI_Init" ; plain */
/* RUN: -n 4 --copies -q ; args thread 0 ; expect-no "not copied" ; plain */
/* RUN: -n 4 --copies ; args fork 0 ; expect "not copied: it has children before MPI_Init" ; plain */
/* RUN: -n 4 --copies ; args pipe 0 ; expect "not copied: it has descriptors before MPI_Init that are not of files" ; plain */
/* RUN: -n 4 --copies ; args shared 0 ; expect "not copied: it has shared memory before MPI_Init" ; plain */
#include "waiting.h"

#include <pthread.h>
#include <sys/wait.h>

enum { COPIED, DONE, ORIGINAL };

static const char *how;
static int begun_as, file = -1;
static int forks_n, depth; /* of the original; 1: the process between, 2: a copy */

/* ---- what happens while a copy is made ---- */

static void happen(const char *place)
{
    const char *where = strchr(how, '-');

    if (where && !strcmp(where + 1, place) && forks_n == 1)
        raise(strncmp(how, "kill", 4) == 0 ? SIGKILL : SIGSTOP);
}

static void before_fork(void)
{
    forks_n += depth == 0;
    happen(depth == 0 ? "original" : "");
    happen(depth == 1 ? "child" : "");
}

static void behind_fork(void)
{
    happen(depth == 0 ? "parent" : "between");
}

static void in_child(void)
{
    if (++depth == 2)
        happen("copy");
}

/* ---- what the program has done before MPI_Init ---- */

static void reap_all(int sig)
{
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

static void *doze(void *nothing)
{
    pause();
    return nothing;
}

/* It ends with its parent. */
static void leave_child(void)
{
    int fd[2];
    char nothing;

    CHECK_EQ(pipe(fd), 0);
    if (fork() == 0) {
        close(fd[1]);
        _exit(read(fd[0], &nothing, 1) != 0);
    }
}

static void open_file(void)
{
    char text[4];

    file = open("/proc/self/exe", O_RDONLY);
    CHECK(file >= 0 && read(file, text, 4) == 4);
}

/* Each copy reads on where the original was. */
static void read_on(void)
{
    char mine[4], real[4];

    if (file < 0)
        return;
    CHECK(read(file, mine, 4) == 4 && lseek(file, 0, SEEK_CUR) == 8);
    CHECK(pread(file, real, 4, 4) == 4 && memcmp(mine, real, 4) == 0);
}

static void prepare(void)
{
    const char *spare = getenv("MEND_SPARE");
    pthread_t thread;
    int fd[2];

    if (!strcmp(how, "ignore"))
        signal(SIGCHLD, SIG_IGN);
    if (!strcmp(how, "reap"))
        signal(SIGCHLD, reap_all);
    if (!strcmp(how, "file"))
        open_file();
    if (!strcmp(how, "closed"))
        close(0);
    if (!strcmp(how, "late") && spare)
        await(DONE, 2);
    if (!strcmp(how, "thread"))
        CHECK_EQ(pthread_create(&thread, NULL, doze, NULL), 0);
    if (!strcmp(how, "fork") && spare)
        leave_child();
    if (!strcmp(how, "pipe"))
        CHECK_EQ(pipe(fd), 0);
    if (!strcmp(how, "shared"))
        CHECK(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) !=
              MAP_FAILED);
}

/* ---- the job ---- */

/* From where it says its number on it does nothing that lets it sleep, but wait in MPI_Init. */
static void await_original(void)
{
    if (!strcmp(how, "late"))
        return;
    await(ORIGINAL, 1);
    await_state(board[ORIGINAL], 'S');
}

static void lose(void)
{
    if (rank == 0)
        await_original();
    if (!strcmp(how, "killed"))
        treat_waiting(SIGKILL);
    if (!strcmp(how, "stopped"))
        treat_waiting(SIGSTOP);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 || rank == 2)
        die_now();
    wait_until_dead(MPI_COMM_WORLD, 1);
    wait_until_dead(MPI_COMM_WORLD, 2);
}

int main(int argc, char **argv)
{
    int err, provided;
    MPI_Comm full;

    alarm(60);
    how = argv[1];
    begun_as = (int)getpid();
    pthread_atfork(before_fork, behind_fork, in_child);
    open_board();
    prepare();
    if (getenv("MEND_SPARE") && !strcmp(getenv("MEND_SPARE"), "original"))
        __atomic_store_n(&board[ORIGINAL], begun_as, __ATOMIC_SEQ_CST);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    know_rank();
    return_errors();
    read_on();
    MPIX_Comm_refilled(&full);
    if (full == MPI_COMM_NULL) {
        lose();
        while ((err = MPIX_Comm_refill(MPI_COMM_WORLD, MPI_INFO_NULL, &full)) != MPI_SUCCESS)
            CHECK_EQ(err, MPI_ERR_PROC_FAILED);
    } else {
        if (begun_as != (int)getpid())
            post(COPIED);
        CHECK_EQ(getpgrp(), getpid());
        CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
        CHECK_EQ(size, 2);
    }
    MPI_Comm_rank(full, &rank);
    CHECK_EQ(MPI_Barrier(full), MPI_SUCCESS);
    CHECK_EQ(posted(COPIED), atoi(argv[2]));
    post(DONE);
    MPI_Comm_free(&full);
    return finish();
}
