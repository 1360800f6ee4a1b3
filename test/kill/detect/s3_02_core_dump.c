/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that dumps core is dead for the others before the core is written, which takes a
 * second per GiB, and the core is complete all the same, without the job's shared segment.  Rank 0 is blocked in a receive from it, the others
 * in a barrier.  At the error the victim is seen dumping, or, if rank 0 has got a core too late for that, its core was written
 * to after the death that the error tells of; and its reason is known (R14).
 *
 *   fault    a store to address 0                 abort    abort()
 *   quit     SIGQUIT from outside while it computes
 *   thread   a fault in another thread while the first computes
 *   sent     the signal of a fault, but sent     trap     a breakpoint; neither comes again by itself
 *
 * A process that only seems to crash survives (S3-10), and a program's own handlers stay in place:
 *
 *   own      its handler jumps out of the fault   ignored  it ignores the signal
 *   child    a child of the rank crashes
 *
 *   R14: the error text says which rank died, where, why and when
 *   S3-2: process failures are detected
 *   S3-9: no survivor waits for ever for a dead process
 *   S3-10: a running process is not suspected
 *
 * RUN: -n 2 ; plain ; args fault 128 ; expect "rank 0 ok" ; expect "killed by signal 11"
 * RUN: -n 4 ; plain ; args abort 64 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "killed by signal 6"
 * RUN: -n 16 ; plain ; args quit 24 ; expect "rank 0 ok" ; expect "rank 14 ok" ; expect "killed by signal 3"
 * RUN: -n 3 ; plain ; args thread 64 ; expect "rank 0 ok" ; expect "killed by signal 11"
 * RUN: -n 3 ; plain ; args sent 64 ; expect "rank 0 ok" ; expect "killed by signal 11"
 * RUN: -n 3 ; plain ; args trap 64 ; expect "rank 0 ok" ; expect "killed by signal 5"
 * RUN: -n 3 ; plain ; args fault 16 ; set CRASH_NOTICE=0 ; expect "rank 0 ok" ; expect "killed by signal 11"
 * RUN: -n 3 ; plain ; args own 1 ; expect "rank 2 ok" ; expect-no "mend:"
 * RUN: -n 3 ; plain ; args ignored 1 ; expect "rank 2 ok" ; expect-no "mend:"
 * RUN: -n 3 ; plain ; args child 1 ; expect "rank 2 ok" ; expect-no "mend:" */
#include "../common.h"

#include <pthread.h>
#include <setjmp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define PID      1 /* slots of the board */
#define READY    2
#define DUMPS    (!getenv("MEND_CRASH_NOTICE")) /* the recipe wants to hear of it before its end */
#define REST_MIB 60                             /* what else a core of such a program holds */
#define W        MPI_COMM_WORLD

static volatile int *volatile nowhere;
static char *volatile weight;
static sigjmp_buf out;
static const char *how;
static int mib, dead;

static void fault(void)
{
    *nowhere = 1;
}

static void trap(void)
{
#ifdef __x86_64__
    __asm__ volatile("int3");
#else
    raise(SIGTRAP);
#endif
}

static void *fault_in_thread(void *arg)
{
    fault();
    return arg;
}

static void jump(int sig)
{
    siglongjmp(out, 1);
}

static void live_on(void)
{
    pid_t pid;
    int status;

    if (!strcmp(how, "own") && !sigsetjmp(out, 1))
        fault();
    if (!strcmp(how, "ignored"))
        raise(SIGQUIT);
    if (!strcmp(how, "child")) {
        pid = fork();
        if (pid == 0)
            fault();
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    }
}

static _Noreturn void crash(void)
{
    pthread_t t;

    weight = malloc((size_t)mib << 20);
    memset(weight, 1, (size_t)mib << 20);
    board[PID] = (int)getpid();
    post(READY);
    await(READY, 2);
    if (!strcmp(how, "fault"))
        fault();
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "sent"))
        raise(SIGSEGV);
    if (!strcmp(how, "trap"))
        trap();
    if (!strcmp(how, "thread"))
        pthread_create(&t, NULL, fault_in_thread, NULL);
    for (;;) /* computes until the signal */
        ;
}

/* A word of the victim's /proc/PID/status. */
static bool status_has(const char *word)
{
    char path[64], text[4096];
    size_t n = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/status", board[PID]);
    f = fopen(path, "r");
    if (f) {
        n = fread(text, 1, sizeof text - 1, f);
        fclose(f);
    }
    text[n] = '\0';
    return strstr(text, word) != NULL;
}

/* Seconds since the death when the text was made: its words before "ago". */
static double age_of(const char *text)
{
    double n = 0;
    char unit[8] = "";
    const char *at = strstr(text, " ago");

    for (int words = 0; at && at > text && words < 2;)
        words += *--at == ' ';
    CHECK(at && sscanf(at, "%lf %7s", &n, unit) == 2);
    return !strcmp(unit, "us") ? n / 1e6 : !strcmp(unit, "ms") ? n / 1e3 : n;
}

static double seconds(const struct timespec *t)
{
    return (double)t->tv_sec + (double)t->tv_nsec / 1e9;
}

/* The core is written in the end as if nobody had looked; died: when, 0: it was seen dumping. */
static void check_core(double died)
{
    char name[64] = "", magic[4] = "";
    struct stat st;
    FILE *f = fopen("/proc/sys/kernel/core_pattern", "r");

    CHECK(f && fscanf(f, "%63s", name) == 1);
    fclose(f);
    while (!status_has("State:\tZ"))
        usleep(1000);
    if (strcmp(name, "core") != 0 || stat("core", &st) != 0) {
        printf("cores of this machine do not come here\n");
        CHECK(!died);
        return;
    }
    CHECK(!died || died < seconds(&st.st_mtim));
    CHECK(st.st_size >= (off_t)mib << 20);
    CHECK(st.st_size < (off_t)(mib + REST_MIB) << 20);
    f = fopen("core", "r");
    CHECK(f && fread(magic, 1, 4, f) == 4 && !memcmp(magic, "\177ELF", 4));
    fclose(f);
    unlink("core");
}

static void hear(void)
{
    struct rlimit core;
    char text[MPI_MAX_ERROR_STRING];
    bool dumps = true;
    struct timespec now;
    int v, n;

    await(READY, 1);
    post(READY);
    if (!strcmp(how, "quit"))
        CHECK_EQ(kill(board[PID], SIGQUIT), 0);
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, dead, 1, W, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
    getrlimit(RLIMIT_CORE, &core);
    if (core.rlim_cur == RLIM_INFINITY && DUMPS)
        dumps = status_has("CoreDumping:\t1");
    clock_gettime(CLOCK_REALTIME, &now);
    MPI_Error_string(MPI_ERR_PROC_FAILED, text, &n);
    printf("dead: %s\n", text);
    check_core(dumps ? 0 : seconds(&now) - age_of(text));
}

int main(int argc, char **argv)
{
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY}, none = {0, 0};
    bool survives;

    how = argv[1];
    mib = atoi(argv[2]);
    survives = !strcmp(how, "own") || !strcmp(how, "ignored") || !strcmp(how, "child");
    setrlimit(RLIMIT_CORE, survives ? &none : &all);
    if (!strcmp(how, "quit")) /* a shell ignores it for what it starts in the background */
        signal(SIGQUIT, SIG_DFL);
    if (!strcmp(how, "own"))
        signal(SIGSEGV, jump);
    if (!strcmp(how, "ignored"))
        signal(SIGQUIT, SIG_IGN);
    start(&argc, &argv);
    CHECK_EQ(chdir(getenv("MEND_TEST_TMP")), 0);
    dead = size - 1;
    if (survives) {
        live_on();
        CHECK_EQ(MPI_Barrier(W), MPI_SUCCESS);
        return finish();
    }
    if (rank == dead)
        crash();
    if (rank == 0)
        hear();
    CHECK_CLASS(MPI_Barrier(W), MPI_ERR_PROC_FAILED);
    return finish();
}
