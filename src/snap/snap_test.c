/* SPDX-License-Identifier: BSD-3-Clause */
/* snap_test.c – safe points, one property after the other (random_test.c has random programs).
 *
 *   S1-8: changes to memory are recorded page by page from a safe point on
 *   S1-14: visible actions since the safe point are told */
#include "snap/snap.h"

#include "base/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

static struct mend_snap *snap;
static char globals[1 << 20] = {1};

static void begin(enum mend_snap_way way)
{
    struct mend_snap_setup setup = {.way = way};

    CHECK(mend_snap_create(&setup, &snap) == MEND_OK);
}

static bool can_track(void)
{
    struct mend_snap_setup setup = {.way = MEND_SNAP_WAY_TRACK};
    enum mend_status st = mend_snap_create(&setup, &snap);

    CHECK(st == MEND_OK || st == MEND_ERR_UNSUPPORTED);
    if (!st)
        mend_snap_destroy(snap);
    begin(MEND_SNAP_WAY_BEST);
    CHECK(mend_snap_way(snap) == (st ? MEND_SNAP_WAY_DROP : MEND_SNAP_WAY_TRACK));
    mend_snap_destroy(snap);
    return !st;
}

/* The kernel's best way. */
MEND_TEST(best_way)
{
    can_track();
}

MEND_TEST(saved_pages_are_touched_pages)
{
    enum { TOUCHED = 1000, OTHERS = 30 };
    char *p =
        mmap(NULL, TOUCHED * 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int value;

    memset(p, 1, (size_t)TOUCHED * 4 * PAGE);
    begin(MEND_SNAP_WAY_DROP);
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    CHECK(mend_snap_counts(snap).saved_pages >= TOUCHED * 4);
    mend_snap_commit(snap);
    for (size_t i = 0; i < TOUCHED; i++)
        p[i * 4 * PAGE] = 2;
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    CHECK(mend_snap_counts(snap).saved_pages >= TOUCHED);
    CHECK(mend_snap_counts(snap).saved_pages < TOUCHED + OTHERS);
    mend_snap_commit(snap);
    mend_snap_destroy(snap);
    munmap(p, (size_t)TOUCHED * 4 * PAGE);
}

static const enum mend_snap_way all_ways[] = {MEND_SNAP_WAY_TRACK, MEND_SNAP_WAY_PROTECT,
                                              MEND_SNAP_WAY_DROP,  MEND_SNAP_WAY_COPY_BACK,
                                              MEND_SNAP_WAY_FORK,  MEND_SNAP_WAY_FULL};

/* Pages here and there in a large array, in each way: only they take memory. */
static void use_large_array(enum mend_snap_way way)
{
    const size_t bytes = (size_t)1 << 30, stride = 1 << 20;
    struct mend_snap_setup setup = {.way = way};
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int value;

    if (mend_snap_create(&setup, &snap)) /* the kernel does not have the way */
        return;
    for (size_t i = 0; i < bytes; i += stride)
        p[i] = 1;
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    if (!value) {
        for (size_t i = 0; i < bytes; i += stride / 2)
            p[i] = 2;
        CHECK(munmap(p + bytes / 2, bytes / 4) == 0);
        CHECK(mend_snap_roll_back(snap, 1) == MEND_OK);
    }
    for (size_t i = 0; i < bytes; i += stride / 2)
        CHECK(p[i] == (i % stride == 0));
    mend_snap_commit(snap);
    mend_snap_destroy(snap);
    munmap(p, bytes);
}

MEND_TEST(large_array)
{
    for (size_t i = 0; i < MEND_COUNT_OF(all_ways); i++)
        use_large_array(all_ways[i]);
}

/* Memory that is given back is zero, at a safe point and after it; drop and copy back say that they differ. */
static void give_memory_back(enum mend_snap_way way)
{
    struct mend_snap_setup setup = {.way = way};
    char *p = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int value;

    if (mend_snap_create(&setup, &snap))
        return;
    memset(p, 1, (size_t)8 * PAGE);
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    if (!value) {
        CHECK(madvise(p, 2 * PAGE, MADV_DONTNEED) == 0 && p[0] == 0);
        CHECK(madvise(p + 4 * PAGE, 2 * PAGE, MADV_DONTNEED) == 0);
        CHECK(mend_snap_enter(snap, &value) == MEND_OK);
        if (!value) {
            memset(p, 2, (size_t)8 * PAGE);
            CHECK(mend_snap_roll_back(snap, 1) == MEND_OK);
        }
        CHECK(p[0] == 0 && p[2 * PAGE] == 1 && p[4 * PAGE] == 0 && p[6 * PAGE] == 1);
        mend_snap_commit(snap);
        CHECK(madvise(p + 6 * PAGE, 2 * PAGE, MADV_DONTNEED) == 0);
        CHECK(mend_snap_roll_back(snap, 1) == MEND_OK);
    }
    for (int i = 0; i < 8; i++)
        CHECK(p[i * PAGE] == 1);
    mend_snap_commit(snap);
    mend_snap_destroy(snap);
    munmap(p, 8 * PAGE);
}

MEND_TEST(memory_given_back)
{
    give_memory_back(MEND_SNAP_WAY_TRACK);
    give_memory_back(MEND_SNAP_WAY_PROTECT);
    give_memory_back(MEND_SNAP_WAY_FORK);
    give_memory_back(MEND_SNAP_WAY_FULL);
}

/* Without address space for a mapping of the image its bytes go by system calls. */
MEND_TEST(little_address_space)
{
    int status;
    pid_t child = fork();

    if (!child) {
        struct rlimit limit = {(rlim_t)1 << 40, (rlim_t)1 << 40};

        CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
        for (size_t i = 0; i < MEND_COUNT_OF(all_ways); i++)
            use_large_array(all_ways[i]);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* What no roll-back undoes is told by name, and nothing else is. */
MEND_TEST(differences)
{
    static char text[4096];
    struct itimerval timer = {.it_value.tv_sec = 1000};
    char path[] = "/tmp/mend-snap-XXXXXX";
    int fd = mkstemp(path), value, status;
    pid_t child;

    begin(MEND_SNAP_WAY_DROP);
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    CHECK(mend_snap_differences(snap, text, sizeof(text)) == 0);
    CHECK(write(fd, "123", 3) == 3);
    CHECK(dup2(fd, 77) == 77);
    signal(SIGUSR1, SIG_IGN);
    setitimer(ITIMER_REAL, &timer, NULL);
    child = fork();
    if (!child) {
        pause();
        _exit(0);
    }
    CHECK(mend_snap_differences(snap, text, sizeof(text)) == 5);
    CHECK(strstr(text, path) && strstr(text, "offset 0,") && strstr(text, "now offset 3,"));
    CHECK(strstr(text, "descriptor 77 ") && strstr(text, "not there, now offset 3"));
    CHECK(strstr(text, "handler of signal 10: not there, now 0x1"));
    CHECK(strstr(text, "timer real: not there, now set") && strstr(text, "child "));
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    timer.it_value.tv_sec = 0;
    setitimer(ITIMER_REAL, &timer, NULL);
    signal(SIGUSR1, SIG_DFL);
    close(77);
    lseek(fd, 0, SEEK_SET);
    CHECK(mend_snap_differences(snap, text, sizeof(text)) == 0);
    mend_snap_commit(snap);
    mend_snap_destroy(snap);
    unlink(path);
    close(fd);
}

static unsigned told; /* of the last comparison */

/* One thing has changed, and one line has its name. */
static void expect(const char *name)
{
    static char text[4096];

    told = mend_snap_differences(snap, text, sizeof(text));
    if (told != 1 || !strstr(text, name))
        mend_test_tell(text);
    CHECK(told == 1 && strstr(text, name));
}

static void expect_nothing(void)
{
    static char text[4096];

    told = mend_snap_differences(snap, text, sizeof(text));
    if (told)
        mend_test_tell(text);
    CHECK(told == 0);
}

/* Signals: handlers, what is pending, the stack of handlers. */
static void change_signals(void)
{
    static char room[1 << 16];
    stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)}, none = {.ss_flags = SS_DISABLE};
    struct sigaction act = {.sa_handler = SIG_IGN}, old;
    sigset_t set, before;

    CHECK(sigaction(SIGUSR2, &act, &old) == 0);
    expect("handler of signal 12: not there, now ");
    sigaction(SIGUSR2, &old, NULL);
    CHECK(sigaltstack(&stack, NULL) == 0);
    expect("stack of signal handlers: not there, now ");
    sigaltstack(&none, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, &before);
    kill(getpid(), SIGUSR1);
    expect("pending signals: 0000000000000000, now 0000000000000200");
    sigwaitinfo(&set, NULL);
    raise(SIGUSR1);
    expect("pending signals of the thread: ");
    sigwaitinfo(&set, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    expect_nothing();
}

static void change_timers(void)
{
    struct sigevent none = {.sigev_notify = SIGEV_NONE};
    struct itimerval timer = {.it_value.tv_sec = 1000};
    timer_t id;

    CHECK(timer_create(CLOCK_MONOTONIC, &none, &id) == 0);
    expect(": not there, now there");
    timer_delete(id);
    for (int i = ITIMER_REAL; i <= ITIMER_PROF; i++) {
        timer.it_value.tv_sec = 1000;
        CHECK(setitimer((__itimer_which_t)i, &timer, NULL) == 0);
        expect(i == ITIMER_REAL   ? "timer real: "
               : i == ITIMER_PROF ? "timer profiling: "
                                  : "timer virtual: ");
        timer.it_value.tv_sec = 0;
        setitimer((__itimer_which_t)i, &timer, NULL);
    }
    expect_nothing();
}

static void change_descriptors(int fd)
{
    char *p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int copy, end[2];

    expect("shared mapping ");
    munmap(p, PAGE);
    copy = dup(fd);
    close(fd);
    CHECK(mend_snap_differences(snap, NULL, 0) == 2);
    CHECK(dup2(copy, fd) == fd);
    close(copy);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    expect("descriptor ");
    fcntl(fd, F_SETFL, 0);
    CHECK(pipe(end) == 0);
    CHECK(mend_snap_differences(snap, NULL, 0) == 2);
    close(end[0]);
    close(end[1]);
    expect_nothing();
}

static void *sleep_long(void *arg)
{
    pause();
    return arg;
}

/* A thread is told by name, and keeps roll-backs away. */
static void have_thread(void)
{
    pthread_t thread;

    CHECK(pthread_create(&thread, NULL, sleep_long, NULL) == 0);
    pthread_setname_np(thread, "helper");
    expect("thread ");
    CHECK(mend_snap_roll_back(snap, 1) == MEND_ERR_UNSUPPORTED);
    CHECK(strstr(mend_snap_reason(snap), "there is another thread, thread ") &&
          strstr(mend_snap_reason(snap), "helper"));
    pthread_cancel(thread);
    pthread_join(thread, NULL);
}

static void *end_at_once(void *arg)
{
    return arg;
}

static void *start_threads(void *stop)
{
    pthread_t thread;

    while (!atomic_load((atomic_bool *)stop))
        if (pthread_create(&thread, NULL, end_at_once, NULL) == 0)
            pthread_join(thread, NULL);
    return NULL;
}

/* Threads that end while they are looked at: those that are told have a name. */
static void have_threads_that_end(void)
{
    pthread_t thread;
    atomic_bool stop = false;
    char text[4096];

    CHECK(pthread_create(&thread, NULL, start_threads, &stop) == 0);
    for (int i = 0; i < 2000; i++) {
        mend_snap_differences(snap, text, sizeof(text));
        CHECK(!strstr(text, "now \n"));
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
}

/* Each thing that the kernel keeps is told by its name when it changes, in each way. */
static void tell_each_thing(enum mend_snap_way way)
{
    struct mend_snap_setup setup = {.way = way};
    int value, fd = open("/dev/null", O_RDWR);
    char before[4096];

    if (mend_snap_create(&setup, &snap))
        return;
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    expect_nothing();
    change_signals();
    change_timers();
    change_descriptors(fd);
    CHECK(getcwd(before, sizeof(before)) && chdir("/proc") == 0);
    expect("working directory: ");
    CHECK(chdir(before) == 0);
    umask(umask(0) ^ 7);
    CHECK(mend_snap_differences(snap, NULL, 0) == 1);
    umask(umask(0) ^ 7);
    have_thread();
    have_threads_that_end();
    expect_nothing();
    mend_snap_commit(snap);
    mend_snap_destroy(snap);
    close(fd);
}

MEND_TEST(each_thing_by_name)
{
    tell_each_thing(MEND_SNAP_WAY_DROP);
    tell_each_thing(MEND_SNAP_WAY_FORK);
    tell_each_thing(MEND_SNAP_WAY_PROTECT);
    tell_each_thing(MEND_SNAP_WAY_BEST);
}

/* A library that a roll-back would tear from its device is refused by name. */
MEND_TEST(libraries)
{
    char folder[] = "/tmp/mend-snap-XXXXXX", path[64];
    int fd, value;
    void *p;

    CHECK(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/libcuda.so.1", folder);
    fd = open(path, O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && ftruncate(fd, PAGE) == 0);
    p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
    begin(MEND_SNAP_WAY_BEST);
    CHECK(mend_snap_enter(snap, &value) == MEND_ERR_UNSUPPORTED);
    CHECK(strstr(mend_snap_reason(snap), "what cannot be rolled back is in the process: ") &&
          strstr(mend_snap_reason(snap), path));
    munmap(p, PAGE);
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    mend_snap_commit(snap);
    mend_snap_destroy(snap);
    close(fd);
    unlink(path);
    rmdir(folder);
}

/* The signal mask is part of what the registers are restored with. */
MEND_TEST(signal_mask)
{
    sigset_t set;
    int value;

    begin(MEND_SNAP_WAY_DROP);
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    sigprocmask(SIG_SETMASK, NULL, &set);
    CHECK(!sigismember(&set, SIGUSR2));
    if (!value) {
        sigaddset(&set, SIGUSR2);
        sigprocmask(SIG_SETMASK, &set, NULL);
        mend_snap_roll_back(snap, 1);
    }
    CHECK(value == 1);
    mend_snap_commit(snap);
    mend_snap_destroy(snap);
}

static char *excluded;

static void exclude(struct mend_snap *s, void *of)
{
    mend_snap_exclude(s, excluded, 2 * PAGE);
}

/* Excluded ranges keep what was written to them, their neighbours do not. */
MEND_TEST(excluded_ranges)
{
    struct mend_snap_setup setup = {.exclude = exclude};
    char *p = mmap(NULL, 6 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int value;

    excluded = p + 2 * PAGE;
    CHECK(mend_snap_create(&setup, &snap) == MEND_OK);
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    if (!value) {
        memset(p, 5, 6 * PAGE);
        mend_snap_roll_back(snap, 1);
    }
    CHECK(p[0] == 0 && p[2 * PAGE - 1] == 0 && p[4 * PAGE] == 0);
    CHECK(p[2 * PAGE] == 5 && p[4 * PAGE - 1] == 5);
    mend_snap_commit(snap);
    mend_snap_destroy(snap);
    munmap(p, 6 * PAGE);
}

/* A mapping that cannot be brought back: the roll-back says so and changes nothing. */
MEND_TEST(refusal)
{
    volatile char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int value;

    begin(MEND_SNAP_WAY_DROP);
    CHECK(mend_snap_roll_back(snap, 1) == MEND_ERR_BAD);
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    CHECK(mmap((void *)p, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1,
               0) == p);
    globals[9] = 9;
    CHECK(mend_snap_roll_back(snap, 1) == MEND_ERR_UNSUPPORTED);
    CHECK(strstr(mend_snap_reason(snap), "where memory of the program was there is now "));
    CHECK(globals[9] == 9);
    mend_snap_commit(snap);
    mend_snap_destroy(snap);
    munmap((void *)p, PAGE);
}

/* A child keeps what it was forked with, whatever the safe points of its parent write afterwards. */
MEND_TEST(child_keeps_its_memory)
{
    int value, status, pipes[2];
    char c;
    pid_t child;

    begin(MEND_SNAP_WAY_DROP);
    globals[100] = 1;
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    mend_snap_commit(snap);
    CHECK(pipe(pipes) == 0);
    child = fork();
    if (!child)
        _exit(read(pipes[0], &c, 1) == 1 && globals[100] == 1 ? 0 : 1);
    globals[100] = 2;
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    mend_snap_commit(snap);
    CHECK(write(pipes[1], "", 1) == 1);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    mend_snap_destroy(snap);
}

int main(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    puts("1..0 # SKIP a sanitizer's memory is larger than what can be recorded");
    return 0;
#endif
    return mend_test_main();
}
