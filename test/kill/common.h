/* SPDX-License-Identifier: BSD-3-Clause */
/* common.h – common code of tests of failure semantics.
 *
 * Ranks synchronise without MPI: through counters in a shared file (the board), so that a test determines
 * which rank dies when, and nothing depends on the length of a sleep.
 *
 *     post(k)        counter k goes up by one
 *     await(k, n)    until counter k is at least n; calls no MPI function
 *     await_in_mpi(k, n)   the same, but calls MPI all the time: others may ask a rank that has the decision
 *                    of an agreement for it when a process has died
 *     lot()          the seed of a random run
 *     die_now()      sends SIGKILL to this process
 *     await_kill()   outside MPI until the launcher kills it: `kill 2 at in:MPI_Recv:0,1`
 *     await_cont()   outside MPI until the launcher says that others wait: `cont 2 at in:MPI_Recv:0,1`; hold_cont()
 *                    comes first, before MPI_Init
 *     die_soon(us)   the same from a timer, wherever this process is then
 *     wait_until_dead(c, r)   until this process has been told that rank r of c is dead
 *     connect_halves(...)     an intercommunicator of the lower and the upper ranks
 *
 * A test ends with `return finish();`.  A rank that gets there prints "rank N ok", which the recipe expects,
 * and a failed check aborts the job with status 1.  CHECK_CLASS also checks the code: for failures it
 * is the class (R15).
 *
 *   R15: for failures the error code is the class, under both sets of names */
#ifndef TEST_KILL_COMMON_H
#define TEST_KILL_COMMON_H

#include "../pattern.h"
#include "../program.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define BOARD_SLOTS 4096

static int *board;

static inline void open_board(void)
{
    const char *dir = getenv("MEND_TEST_TMP");
    char path[4096];
    int fd;

    if (dir)
        snprintf(path, sizeof path, "%s/board", dir);
    else
        snprintf(path, sizeof path, "/tmp/mend-board-%d", (int)getppid());
    fd = open(path, O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && ftruncate(fd, BOARD_SLOTS * sizeof(int)) == 0);
    board = mmap(NULL, BOARD_SLOTS * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(board != MAP_FAILED);
    close(fd);
}

/* A number that all ranks of a run have, and few other runs: they may have different parents. */
static inline unsigned lot(void)
{
    const char *dir = getenv("MEND_TEST_TMP");
    unsigned n = 2166136261u;

    if (!dir)
        return (unsigned)getppid();
    for (; *dir; dir++)
        n = (n ^ (unsigned char)*dir) * 16777619u;
    return n % 1000000;
}

static inline void post(int slot)
{
    __atomic_fetch_add(&board[slot], 1, __ATOMIC_SEQ_CST);
}

static inline int posted(int slot)
{
    return __atomic_load_n(&board[slot], __ATOMIC_SEQ_CST);
}

static inline void await(int slot, int n)
{
    while (posted(slot) < n)
        sched_yield();
}

static inline void await_in_mpi(int slot, int n)
{
    int flag;

    for (; posted(slot) < n; sched_yield())
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

/* Is a process in that state: 'S' asleep, 'T' stopped, 'Z' dead? */
static inline bool is_in_state(int pid, char wanted)
{
    char path[64], state = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    f = fopen(path, "r");
    CHECK(f && fscanf(f, "%*d %*s %c", &state) == 1);
    fclose(f);
    return state == wanted;
}

static inline void await_state(int pid, char wanted)
{
    while (!is_in_state(pid, wanted))
        sched_yield();
}

/* What start() does behind MPI_Init. */
static inline void after_init(void)
{
    know_rank();
    return_errors();
    open_board();
}

/* Ends this process by SIGALRM when test/run would end it; after a minute if the test was started by hand. */
static inline void set_watchdog(void)
{
    const char *seconds = getenv("MEND_TEST_ENDS_S");

    alarm(seconds ? (unsigned)atoi(seconds) : 60);
}

/* Starts the test: MPI_ERRORS_RETURN everywhere, a watchdog, and the board. */
static inline void start(int *argc, char ***argv)
{
    set_watchdog();
    MPI_Init(argc, argv);
    after_init();
}

/* An intercommunicator of the ranks below *low_p and of the others, which are `upper`; *local_p is of one's own half. */
static inline MPI_Comm connect_halves(MPI_Comm *local_p, int *low_p, int *upper_p)
{
    MPI_Comm inter;

    *low_p = size / 2;
    *upper_p = rank >= *low_p;
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, *upper_p, rank, local_p), MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_create(*local_p, 0, MPI_COMM_WORLD, *upper_p ? 0 : *low_p, 1, &inter),
             MPI_SUCCESS);
    return inter;
}

static inline int finish(void)
{
    MPI_Finalize();
    printf("rank %d ok\n", rank);
    return 0;
}

static inline _Noreturn void await_kill(void)
{
    for (;;)
        pause();
}

static inline void hold_cont(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCONT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static inline void await_cont(void)
{
    sigset_t set;
    int got;

    sigemptyset(&set);
    sigaddset(&set, SIGCONT);
    CHECK_EQ(sigwait(&set, &got), 0);
}

static inline _Noreturn void die_now(void)
{
    raise(SIGKILL);
    abort();
}

static inline void die_soon(long us)
{
    struct sigevent kill_me = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec when = {.it_value = {us / 1000000, us % 1000000 * 1000}};
    timer_t t;

    CHECK(timer_create(CLOCK_MONOTONIC, &kill_me, &t) == 0 &&
          timer_settime(t, 0, &when, NULL) == 0);
}

/* True if this process knows that rank r of c is dead.  Local; lets the library look. */
static inline bool is_known_dead(MPI_Comm c, int r)
{
    MPI_Group all, dead;
    int flag, n, *ranks, *in_all;
    bool found = false;

    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    MPI_Comm_get_failed(c, &dead);
    MPI_Group_size(dead, &n);
    ranks = malloc(((size_t)n + 1) * sizeof *ranks);
    in_all = malloc(((size_t)n + 1) * sizeof *in_all);
    for (int i = 0; i < n; i++)
        ranks[i] = i;
    MPI_Comm_test_inter(c, &flag);
    if (flag)
        MPI_Comm_remote_group(c, &all);
    else
        MPI_Comm_group(c, &all);
    MPI_Group_translate_ranks(dead, n, ranks, all, in_all);
    for (int i = 0; i < n; i++)
        found |= in_all[i] == r;
    MPI_Group_free(&all);
    if (dead != MPI_GROUP_EMPTY)
        MPI_Group_free(&dead);
    free(ranks);
    free(in_all);
    return found;
}

/* r is a rank of the remote group if c is an intercommunicator. */
static inline void wait_until_dead(MPI_Comm c, int r)
{
    while (!is_known_dead(c, r))
        sched_yield();
}

/* A buffer of n bytes with EDGE guard bytes on both sides. */
#define EDGE 256

static inline unsigned char *guarded(size_t n)
{
    unsigned char *p = malloc(n + 2 * EDGE);

    memset(p, GUARD, n + 2 * EDGE);
    return p + EDGE;
}

static inline void check_guards(const unsigned char *p, size_t n)
{
    CHECK_EQ(touched(p - EDGE, EDGE), -1);
    CHECK_EQ(touched(p + n, EDGE), -1);
}

#endif
