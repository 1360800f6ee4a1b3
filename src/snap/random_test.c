/* SPDX-License-Identifier: BSD-3-Clause */
/* random_test.c – after a roll-back every byte is as it was: random programs with nested safe points, in each way of
 * recording (oracle.h compares).
 *
 * usage: random_test [WAY ROUNDS FIRST LAST]     the programs FIRST to LAST, for a search; WAY as in MEND_SAFE_POINT
 *
 * With MEND_TEST_TURN, 0 to 2, which test/check sets by the day, two of the ways in turn have all their rounds and the others a fifth.
 *
 *   S1-8: changes to memory are recorded page by page from a safe point on
 *   S1-9: a roll-back restores the state of the safe point exactly */
#include "snap/oracle.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/uio.h>
#include <sys/wait.h>

#define BLOCKS 256

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
    bool mapped, closed;
} blocks[BLOCKS];
static char globals[(1 << 20) + 20000] = {1};
static char zeros[(1 << 20) + 20000];
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

static void open_block(struct block *b)
{
    if (b->p && b->closed)
        CHECK(mprotect(b->p, b->bytes, PROT_READ | PROT_WRITE) == 0);
    b->closed = false;
}

/* The tail of a mapping goes, or it cannot be written to for a while. */
static void cut_or_close(struct block *b)
{
    size_t keep = b->bytes / 2 / PAGE * PAGE;

    if (!b->p || !b->mapped)
        return;
    if (below(2) && keep) {
        CHECK(munmap(b->p + keep, b->bytes - keep) == 0);
        b->bytes = keep;
    } else {
        CHECK(mprotect(b->p, b->bytes, PROT_READ) == 0);
        b->closed = true;
    }
}

static void change_block(struct block *b)
{
    size_t bytes = some_size();

    open_block(b);
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
    struct iovec parts[] = {{globals + below(1000000), 20000}, {zeros + below(1000000), 20000}};
    int fd = open("/proc/self/exe", O_RDONLY);

    open_block(b);
    if (b->p)
        CHECK(pread(fd, b->p, b->bytes, 0) > 0);
    CHECK(readv(fd, parts, 2) > 0);
    close(fd);
}

/* Its memory shares pages with that of the program until one of both writes to them. */
static void have_child(void)
{
    int status;
    pid_t child = fork();

    if (!child) {
        scribble(globals, sizeof(globals));
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

/* Loads a library, whose mappings a roll-back removes. */
static void load(void)
{
    static const char *const names[] = {"libutil.so.1", "libanl.so.1", "libBrokenLocale.so.1"};

    dlopen(names[below(3)], RTLD_NOW);
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

    switch (below(12)) {
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
    case 7:
        cut_or_close(&blocks[below(BLOCKS)]);
        break;
    case 8:
        if (below(20) == 0)
            have_child();
        break;
    case 9:
        if (below(20) == 0)
            load();
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
        on_stack[i] = i + oracle->entered;
    oracle->levels[oracle->depth].number = oracle->entered++;
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
        CHECK(on_stack[i] == i + oracle->levels[oracle->depth - 1].number);
}

static void leave_inner(void)
{
    mend_snap_commit(snap);
    oracle->depth--;
    oracle->top = oracle->levels[oracle->depth].mark;
}

/* One of those around others: they stay as they are. */
static void leave_outer(void)
{
    size_t gone = below(oracle->depth - 1);

    mend_snap_drop(snap, (unsigned)gone + 1);
    oracle->depth--;
    memmove(&oracle->levels[gone], &oracle->levels[gone + 1],
            (oracle->depth - gone) * sizeof(oracle->levels[0]));
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
        } else if (depth > 1 && below(4) == 0) {
            leave_outer();
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
static bool runs(enum mend_snap_way way, unsigned rounds, unsigned seed)
{
    int status;
    pid_t child = fork();

    if (!child) {
        random_program(way, rounds, seed);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    if (status)
        printf("# seed %u: status %x\n", seed, (unsigned)status);
    return status == 0;
}

static const struct {
    const char *name;
    enum mend_snap_way way;
    unsigned rounds, programs;
} ways[] = {{"track", MEND_SNAP_WAY_TRACK, 150, 2}, {"protect", MEND_SNAP_WAY_PROTECT, 150, 2},
            {"drop", MEND_SNAP_WAY_DROP, 150, 2},   {"copy_back", MEND_SNAP_WAY_COPY_BACK, 150, 1},
            {"fork", MEND_SNAP_WAY_FORK, 150, 1},   {"full", MEND_SNAP_WAY_FULL, 60, 1}};

static unsigned rounds_of(size_t i)
{
    const char *turn = getenv("MEND_TEST_TURN");

    return !turn || i % 3 == (size_t)atoi(turn) ? ways[i].rounds : ways[i].rounds / 5;
}

/* Some kernels do not have all ways. */
static bool exists(enum mend_snap_way way)
{
    struct mend_snap_setup setup = {.way = way};
    enum mend_status st = mend_snap_create(&setup, &snap);

    CHECK(st == MEND_OK || st == MEND_ERR_UNSUPPORTED);
    if (!st)
        mend_snap_destroy(snap);
    return !st;
}

static void random_programs(size_t i)
{
    if (exists(ways[i].way))
        for (unsigned seed = 0; seed < ways[i].programs; seed++)
            CHECK(runs(ways[i].way, rounds_of(i), seed));
}

MEND_TEST(track)
{
    random_programs(0);
}

MEND_TEST(protect)
{
    random_programs(1);
}

MEND_TEST(drop)
{
    random_programs(2);
}

MEND_TEST(copy_back)
{
    random_programs(3);
}

MEND_TEST(forked)
{
    random_programs(4);
}

MEND_TEST(full)
{
    random_programs(5);
}

static int search(char **argv)
{
    unsigned bad = 0;

    mend_test_now = mend_test_first;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        for (unsigned seed = (unsigned)atoi(argv[3]);
             strcmp(argv[1], ways[i].name) == 0 && seed <= (unsigned)atoi(argv[4]); seed++)
            bad += !runs(ways[i].way, (unsigned)atoi(argv[2]), seed);
    printf("%u programs went wrong\n", bad);
    return bad != 0;
}

int main(int argc, char **argv)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    puts("1..0 # SKIP a sanitizer's memory is larger than what can be recorded");
    return 0;
#endif
    if (!open_oracle())
        return 1;
    return argc == 5 ? search(argv) : mend_test_main();
}
