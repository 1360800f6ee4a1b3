/* SPDX-License-Identifier: BSD-3-Clause */
/* snap_test.c – after a roll-back every byte is as it was: random programs, in each way of recording.
 *
 * An oracle of its own, in a shared mapping that no roll-back touches, copies all private writable memory right
 * after a safe point and compares it, byte by byte, after each roll-back to it.
 *
 *   S1-8: changes to memory are recorded page by page from a safe point on
 *   S1-9: a roll-back restores the state of the safe point exactly
 *   S1-14: visible actions since the safe point are told */
#include "snap/snap.h"

#include "base/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define ORACLE_BYTES ((size_t)1 << 31)
#define LEVELS       4
#define BLOCKS       256
#define PAGE         4096

/* --- the oracle --- */

struct kept {
    uintptr_t start, end;
    size_t at;
    int prot;
};

struct oracle {
    size_t top;
    unsigned depth, rolled_back, rounds;
    uint64_t random;
    struct level {
        size_t mark, maps_n;
        struct kept maps[1024];
    } levels[LEVELS + 1];
    char text[1 << 20]; /* of /proc/self/maps */
    char bytes[];
};

static struct oracle *oracle;

static const char *read_maps(void)
{
    int fd = open("/proc/self/maps", O_RDONLY);
    ssize_t n;
    size_t have = 0;

    while ((n = read(fd, oracle->text + have, 65536)) > 0)
        have += (size_t)n;
    oracle->text[have] = 0;
    close(fd);
    return oracle->text;
}

/* The private writable mappings but the stack; neighbours that differ only in what the kernel calls them are one. */
static size_t list_maps(struct kept *maps)
{
    size_t n = 0;

    for (const char *at = read_maps(); *at; at = strchr(at, '\n') + 1) {
        char *end;
        struct kept m = {.start = strtoul(at, &end, 16)};

        m.end = strtoul(end + 1, &end, 16);
        if (end[2] != 'w' || end[4] != 'p')
            continue;
        if (memmem(at, strcspn(at, "\n"), "[stack]", 7))
            continue;
        if (n && maps[n - 1].end == m.start)
            maps[n - 1].end = m.end;
        else if (n < 1024)
            maps[n++] = m;
    }
    return n;
}

static bool is_kernels(uintptr_t at)
{
    uintptr_t rseq = (uintptr_t)__builtin_thread_pointer() + (uintptr_t)__rseq_offset;

    return at >= rseq && at < rseq + 32; /* the processor that the thread runs on */
}

/* Neither may touch memory that is compared. */
static void remember(void)
{
    struct level *l = &oracle->levels[oracle->depth];

    l->mark = oracle->top;
    l->maps_n = list_maps(l->maps);
    for (size_t i = 0; i < l->maps_n; i++) {
        struct kept *m = &l->maps[i];

        m->at = oracle->top;
        oracle->top += m->end - m->start;
        memcpy(oracle->bytes + m->at, (void *)m->start, m->end - m->start);
    }
}

static const char *difference(void)
{
    static char text[100];
    struct level *l = &oracle->levels[oracle->depth];
    struct kept *now = oracle->levels[LEVELS].maps;
    size_t n = list_maps(now);

    for (size_t i = 0; i < n && i < l->maps_n; i++) {
        struct kept *m = &l->maps[i];

        if (m->start != now[i].start || m->end != now[i].end)
            return "a mapping differs";
        if (memcmp(oracle->bytes + m->at, (void *)m->start, m->end - m->start) == 0)
            continue;
        for (size_t k = 0; k < m->end - m->start; k++)
            if (oracle->bytes[m->at + k] != ((char *)m->start)[k] && !is_kernels(m->start + k)) {
                snprintf(text, sizeof(text), "a byte at %lx differs", (unsigned long)m->start + k);
                return text;
            }
    }
    return n == l->maps_n ? NULL : "the number of mappings differs";
}

/* --- a random program --- */

static uint64_t next_random(void)
{
    oracle->random ^= oracle->random << 13;
    oracle->random ^= oracle->random >> 7;
    oracle->random ^= oracle->random << 17;
    return oracle->random;
}

static size_t below(size_t n)
{
    return next_random() % n;
}

static struct block {
    char *p;
    size_t bytes;
    bool mapped;
} blocks[BLOCKS];
static char globals[1 << 20] = {1};
static char zeros[1 << 20];
static FILE *file;

static size_t some_size(void)
{
    return (size_t)1 << below(8) << below(8) << below(8);
}

static void scribble(char *p, size_t n)
{
    for (int i = 0; i < 20; i++)
        p[below(n)] = (char)next_random();
}

static void change_block(struct block *b)
{
    size_t bytes = some_size();

    if (!b->p) {
        b->mapped = below(4) == 0;
        b->bytes = b->mapped ? (bytes + PAGE - 1) / PAGE * PAGE : bytes;
        b->p = b->mapped ? mmap(NULL, b->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                                -1, 0)
                         : malloc(bytes);
    } else if (below(3) == 0) {
        if (b->mapped)
            munmap(b->p, b->bytes);
        else
            free(b->p);
        b->p = NULL;
        return;
    } else if (b->mapped) {
        bytes = (bytes + PAGE - 1) / PAGE * PAGE;
        b->p = mremap(b->p, b->bytes, bytes, MREMAP_MAYMOVE);
        b->bytes = bytes;
    } else {
        b->p = realloc(b->p, bytes);
        b->bytes = bytes;
    }
    CHECK(b->p && b->p != MAP_FAILED);
    scribble(b->p, b->bytes);
}

static int dive(int depth)
{
    volatile char frame[3000];

    for (size_t i = 0; i < sizeof(frame); i += 100)
        frame[i] = (char)next_random();
    return depth ? dive(depth - 1) + frame[below(sizeof(frame))] : 0;
}

/* The kernel writes into the program's memory. */
static void let_kernel_write(void)
{
    struct block *b = &blocks[below(BLOCKS)];
    int fd = open("/proc/self/exe", O_RDONLY);

    if (b->p)
        CHECK(read(fd, b->p, b->bytes < 10000 ? b->bytes : 10000) > 0);
    close(fd);
}

static void move_brk(void)
{
    size_t bytes = PAGE * (1 + below(50));
    char *p = sbrk((intptr_t)bytes);

    CHECK(p != (void *)-1);
    scribble(p, bytes);
    if (below(2) && sbrk(0) == p + bytes)
        sbrk(-(intptr_t)bytes);
}

static void do_something(void)
{
    char name[32];

    switch (below(8)) {
    case 0:
        scribble(globals, sizeof(globals));
        break;
    case 1:
        scribble(zeros, sizeof(zeros));
        break;
    case 2:
        fprintf(file, "%d %g\n", (int)below(1000), 1.0 / (double)(1 + below(1000)));
        break;
    case 3:
        snprintf(name, sizeof(name), "V%zu", below(50));
        setenv(name, name, 1);
        break;
    case 4:
        dive((int)below(200));
        break;
    case 5:
        let_kernel_write();
        break;
    case 6:
        move_brk();
        break;
    default:
        change_block(&blocks[below(BLOCKS)]);
    }
}

static void run_for_a_while(void)
{
    for (size_t n = below(100); n; n--)
        do_something();
}

/* --- tests --- */

static struct mend_snap *snap;

static void begin(enum mend_snap_way way)
{
    struct mend_snap_setup setup = {.way = way};

    CHECK(mend_snap_create(&setup, &snap) == MEND_OK);
    oracle->depth = 0;
    oracle->top = 0;
    oracle->random = 88172645463325252u;
}

/* A safe point, and the check of each roll-back to it. */
static __attribute__((noinline)) void enter(void)
{
    volatile unsigned on_stack[16];
    int value = -1;

    for (unsigned i = 0; i < 16; i++)
        on_stack[i] = i + oracle->depth;
    CHECK(mend_snap_enter(snap, &value) == MEND_OK);
    if (value == 0) {
        remember();
        oracle->depth++;
    } else {
        const char *what;

        oracle->depth = mend_snap_depth(snap) - 1;
        what = difference();
        oracle->depth++;
        if (what)
            mend_test_tell(what);
        CHECK(!what);
        CHECK(value == 7);
        oracle->rolled_back++;
    }
    for (unsigned i = 0; i < 16; i++)
        CHECK(on_stack[i] == i + oracle->depth - 1);
}

static void leave_inner(void)
{
    mend_snap_commit(snap);
    oracle->depth--;
    oracle->top = oracle->levels[oracle->depth].mark;
}

static void random_program(enum mend_snap_way way, unsigned rounds, unsigned seed)
{
    begin(way);
    oracle->random += seed * 7919;
    file = fopen("/dev/null", "w");
    run_for_a_while();
    oracle->rounds = 0;
    oracle->rolled_back = 0;
    while (oracle->rounds++ < rounds) {
        unsigned depth = oracle->depth;

        run_for_a_while();
        if (depth < LEVELS && (depth == 0 || below(3) == 0)) {
            enter();
        } else if (below(2)) {
            CHECK(mend_snap_roll_back(snap, 7) == MEND_OK);
        } else {
            leave_inner();
        }
    }
    CHECK(oracle->rolled_back > rounds / 10);
    while (oracle->depth)
        leave_inner();
    mend_snap_destroy(snap);
}

/* Each in a process of its own. */
static void random_programs(enum mend_snap_way way, unsigned rounds, unsigned programs)
{
    for (unsigned seed = 0; seed < programs; seed++) {
        int status;
        pid_t child = fork();

        if (!child) {
            random_program(way, rounds, seed);
            _exit(0);
        }
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
}

/* Refused only if the kernel cannot; then another way is the best. */
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

MEND_TEST(random_program_track)
{
    if (can_track())
        random_programs(MEND_SNAP_WAY_TRACK, 200, 4);
}

MEND_TEST(random_program_drop)
{
    random_programs(MEND_SNAP_WAY_DROP, 200, 5);
}

MEND_TEST(random_program_copy_back)
{
    random_programs(MEND_SNAP_WAY_COPY_BACK, 200, 2);
}

MEND_TEST(random_program_full)
{
    random_programs(MEND_SNAP_WAY_FULL, 100, 1);
}

/* As many pages are saved as were touched, but for those that the test itself runs on. */
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
    oracle = mmap(NULL, ORACLE_BYTES, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (oracle == MAP_FAILED)
        return 1;
    return mend_test_main();
}
