/* SPDX-License-Identifier: BSD-3-Clause */
/* death.c – from SIGKILL to the return of every survivor's blocked call; then agree and shrink.
 *
 *   victim       holds MIB of memory │ waits DELAY ms │ writes the time │ SIGKILL for itself
 *   survivors    MPI_Recv from it ────────────────────────────────────────X │ write the time
 *                (or another CALL)
 *                then  MPIX_Comm_shrink, the first; and MPIX_Comm_agree and MPIX_Comm_shrink of the
 *                communicator with the dead member, ROUNDS times, in turn
 *
 * All times are CLOCK_MONOTONIC, which is one clock on one machine.  Output, by the lowest survivor:
 *
 *   death US        last survivor's return - SIGKILL
 *   first US        first shrink: last return - last call
 *   agree US...     one per batch of rounds, slowest survivor
 *   shrink US...    the same
 *   allreduce:8 US...  the same, of the survivors
 *
 * CALL, on a window of all ranks: fence, start, wait and free, for which the victim does nothing; lock, of the victim's
 * window, which it holds itself; flush, of puts to the victim, again and again; unlock, of its window, which is memory of
 * its own, with a put that it must carry out.  creation is that of a window.  On a file of all ranks, in memory: sync, view, which sets the view;
 * ordered, which writes in the order of ranks; size, seek (at the shared pointer) and close; gather and look, a collective write and a
 * read of small pieces in turn, which the survivors end by moving their own; and open.  The victim does not enter these.
 *
 * usage: death BOARD VICTIM MIB DELAY_MS ROUNDS [CALL] */
#include "bench.h"

#include <signal.h>

#define BATCH  8
#define PIECES 256 /* of one byte, of each rank */

enum { KILLED_NS, GONE, SHRUNK, FIRST = 8, WORDS = 8 };
enum { RETURNED_NS, CALLED_NS, LEFT_NS }; /* a survivor's words */

static struct bench b;
static MPI_Win win = MPI_WIN_NULL;
static MPI_File file = MPI_FILE_NULL;

static volatile uint64_t *words_of(int rank)
{
    return b.board + FIRST + rank * WORDS;
}

static void check(bool good, const char *what)
{
    if (!good)
        bench_wrong(&b, what);
}

static _Noreturn void be_victim(long mib, long delay_ms)
{
    void *p = mmap(NULL, (size_t)mib << 20, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    check(p != MAP_FAILED, "no memory for the victim");
    MPI_Barrier(MPI_COMM_WORLD);
    usleep((useconds_t)delay_ms * 1000);
    b.board[KILLED_NS] = 0; /* the kernel's time for the page is not the agent's */
    b.board[KILLED_NS] = bench_now_ns();
    raise(SIGKILL);
    abort();
}

/* Survivors meet without MPI. */
static void meet(int counter)
{
    __atomic_fetch_add(&b.board[counter], 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&b.board[counter], __ATOMIC_SEQ_CST) < (uint64_t)b.size - 1)
        sched_yield();
}

static uint64_t latest_ns(int victim, int word)
{
    uint64_t latest = 0;

    for (int r = 0; r < b.size; r++)
        if (r != victim && words_of(r)[word] > latest)
            latest = words_of(r)[word];
    return latest;
}

static int receive(int victim)
{
    int word = 0;

    return MPI_Recv(&word, 1, MPI_INT, victim, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int fence(int victim)
{
    (void)victim;
    return MPI_Win_fence(0, win);
}

static int lock(int victim)
{
    return MPI_Win_lock(MPI_LOCK_EXCLUSIVE, victim, 0, win);
}

static int flush(int victim)
{
    int word = 0, err = MPI_Win_lock_all(0, win);

    while (!err) {
        err = MPI_Put(&word, 1, MPI_INT, victim, 0, 1, MPI_INT, win);
        err = err ? err : MPI_Win_flush(victim, win);
    }
    return err;
}

static MPI_Group group_of(int rank)
{
    MPI_Group all, one;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &rank, &one);
    MPI_Group_free(&all);
    return one;
}

/* The victim does not post. */
static int start_access(int victim)
{
    MPI_Group g = group_of(victim);
    int err = MPI_Win_start(g, 0, win), end = MPI_Win_complete(win);

    MPI_Group_free(&g);
    return err ? err : end;
}

/* Nor complete. */
static int wait_posted(int victim)
{
    MPI_Group g = group_of(victim);
    int err = MPI_Win_post(g, 0, win), end = MPI_Win_wait(win);

    MPI_Group_free(&g);
    return err ? err : end;
}

/* The put goes by a message. */
static int unlock(int victim)
{
    static char bytes[PIECES];
    int err = MPI_Win_lock(MPI_LOCK_SHARED, victim, 0, win), end;

    MPI_Put(bytes, PIECES, MPI_BYTE, victim, 0, PIECES, MPI_BYTE, win);
    end = MPI_Win_unlock(victim, win);
    return err ? err : end;
}

/* Succeeds, and so may a window's end before the death. */
static int free_window(int victim)
{
    (void)victim;
    return MPI_Win_free(&win);
}

static int create_window(int victim)
{
    void *base;

    (void)victim;
    return MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
}

static int sync_file(int victim)
{
    (void)victim;
    return MPI_File_sync(file);
}

static int set_view(int victim)
{
    (void)victim;
    return MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
}

static int write_ordered(int victim)
{
    return MPI_File_write_ordered(file, &victim, 1, MPI_INT, MPI_STATUS_IGNORE);
}

/* A view with holes is set. */
static int write_gathered(int victim)
{
    char bytes[PIECES] = {0};

    (void)victim;
    return MPI_File_write_at_all(file, 0, bytes, PIECES, MPI_BYTE, MPI_STATUS_IGNORE);
}

/* The same: where all share memory they read it for each other. */
static int read_gathered(int victim)
{
    static char bytes[PIECES];

    (void)victim;
    return MPI_File_read_at_all(file, 0, bytes, PIECES, MPI_BYTE, MPI_STATUS_IGNORE);
}

static int set_size(int victim)
{
    (void)victim;
    return MPI_File_set_size(file, 4096);
}

static int seek_shared(int victim)
{
    (void)victim;
    return MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
}

static int close_file(int victim)
{
    (void)victim;
    return MPI_File_close(&file);
}

static int open_one(int victim)
{
    (void)victim;
    return MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
}

static const struct call {
    const char *name;
    int (*call)(int victim);
    enum { NOTHING, WINDOW, OWN_MEMORY, FILE_OF_ALL } needs;
    bool held;     /* the victim holds its own lock */
    bool succeeds; /* without the dead */
} calls[] = {{"receive", receive, NOTHING, false, false},
             {"fence", fence, WINDOW, false, false},
             {"lock", lock, WINDOW, true, false},
             {"flush", flush, WINDOW, false, false},
             {"start", start_access, WINDOW, false, false},
             {"wait", wait_posted, WINDOW, false, false},
             {"unlock", unlock, OWN_MEMORY, false, false},
             {"free", free_window, WINDOW, false, true},
             {"creation", create_window, NOTHING, false, false},
             {"sync", sync_file, FILE_OF_ALL, false, false},
             {"view", set_view, FILE_OF_ALL, false, false},
             {"ordered", write_ordered, FILE_OF_ALL, false, false},
             {"size", set_size, FILE_OF_ALL, false, false},
             {"seek", seek_shared, FILE_OF_ALL, false, false},
             {"close", close_file, FILE_OF_ALL, false, false},
             {"open", open_one, NOTHING, false, false},
             {"gather", write_gathered, FILE_OF_ALL, false, true},
             {"look", read_gathered, FILE_OF_ALL, false, true}};

static const struct call *call_of(const char *name)
{
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (!strcmp(calls[i].name, name))
            return &calls[i];
    check(false, "no such call");
    return NULL;
}

static void open_file(void)
{
    char name[64];

    snprintf(name, sizeof(name), "/dev/shm/mend-bench-%d", (int)getppid());
    check(MPI_File_open(MPI_COMM_WORLD, name,
                        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                        &file) == MPI_SUCCESS,
          "no file");
}

/* The bytes of the ranks take turns. */
static void take_turns(void)
{
    MPI_Datatype mine;

    MPI_Type_create_resized(MPI_BYTE, 0, b.size, &mine);
    MPI_Type_commit(&mine);
    check(MPI_File_set_view(file, b.rank, MPI_BYTE, mine, "native", MPI_INFO_NULL) == MPI_SUCCESS,
          "no view");
    MPI_Type_free(&mine);
}

/* A window, if the call needs one, in the state that it needs; or a file. */
static void prepare(const struct call *x, int victim)
{
    static char own[PIECES];
    void *base;

    if (x->needs == FILE_OF_ALL)
        open_file();
    if (x->call == write_gathered || x->call == read_gathered)
        take_turns();
    if (x->needs != WINDOW && x->needs != OWN_MEMORY)
        return;
    check((x->needs == WINDOW ? MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win)
                              : MPI_Win_create(own, PIECES, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                                               &win)) == MPI_SUCCESS,
          "no window");
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (x->call == fence)
        MPI_Win_fence(0, win);
    if (x->held && b.rank == victim)
        check(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, victim, 0, win) == MPI_SUCCESS, "lock failed");
}

static void wait_for_death(const struct call *x, int victim)
{
    int err = x->call(victim);

    words_of(b.rank)[RETURNED_NS] = bench_now_ns();
    check(err == (x->succeeds ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED), "another error");
}

static MPI_Comm shrink(void)
{
    MPI_Comm c = MPI_COMM_NULL;
    int size = 0;

    check(MPIX_Comm_shrink(MPI_COMM_WORLD, &c) == MPI_SUCCESS, "shrink failed");
    MPI_Comm_size(c, &size);
    check(size == b.size - 1, "shrink: another size");
    return c;
}

static MPI_Comm first_shrink(void)
{
    MPI_Comm c;

    words_of(b.rank)[CALLED_NS] = bench_now_ns();
    c = shrink();
    words_of(b.rank)[LEFT_NS] = bench_now_ns();
    return c;
}

static double agree_batch_us(void)
{
    double start = bench_now_us();

    for (int i = 0; i < BATCH; i++) {
        int flag = b.rank + 0x100;

        check(MPIX_Comm_agree(MPI_COMM_WORLD, &flag) == MPI_SUCCESS, "agree failed");
        check(flag & 0x100, "agree: another result");
    }
    return (bench_now_us() - start) / BATCH;
}

static double shrink_batch_us(void)
{
    MPI_Comm c[BATCH];
    double start = bench_now_us(), us;

    for (int i = 0; i < BATCH; i++)
        c[i] = shrink();
    us = (bench_now_us() - start) / BATCH;
    for (int i = 0; i < BATCH; i++)
        MPI_Comm_free(&c[i]);
    return us;
}

static double allreduce_batch_us(MPI_Comm living)
{
    double start = bench_now_us();

    for (int i = 0; i < BATCH; i++) {
        double one = 1, sum = 0;
        int size;

        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, living);
        MPI_Comm_size(living, &size);
        check(sum == size, "allreduce: another sum");
    }
    return (bench_now_us() - start) / BATCH;
}

static void compare(MPI_Comm living, bool speaks, long rounds)
{
    static double agree_us[1000], shrink_us[1000], allreduce_us[1000];
    double mine;

    for (long i = 0; i < rounds && i < 1000; i++) {
        MPI_Barrier(living);
        mine = agree_batch_us();
        MPI_Reduce(&mine, &agree_us[i], 1, MPI_DOUBLE, MPI_MAX, 0, living);
        MPI_Barrier(living);
        mine = shrink_batch_us();
        MPI_Reduce(&mine, &shrink_us[i], 1, MPI_DOUBLE, MPI_MAX, 0, living);
        MPI_Barrier(living);
        mine = allreduce_batch_us(living);
        MPI_Reduce(&mine, &allreduce_us[i], 1, MPI_DOUBLE, MPI_MAX, 0, living);
    }
    if (!speaks)
        return;
    for (long i = 0; i < rounds && i < 1000; i++)
        printf("agree %.3f\nshrink %.3f\nallreduce:8 %.3f\n", agree_us[i], shrink_us[i],
               allreduce_us[i]);
}

int main(int argc, char **argv)
{
    const struct call *x;
    MPI_Comm living;
    int victim;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b.size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check((argc == 6 || argc == 7) && b.size > 1 && b.size <= 256, "wrong usage");
    b.board = bench_open_board(argv[1]);
    victim = atoi(argv[2]);
    x = call_of(argc == 7 ? argv[6] : "receive");
    prepare(x, victim);
    if (b.rank == victim)
        be_victim(atol(argv[3]), atol(argv[4]));
    MPI_Barrier(MPI_COMM_WORLD);
    wait_for_death(x, victim);
    meet(GONE);
    check(MPIX_Comm_failure_ack(MPI_COMM_WORLD) == MPI_SUCCESS, "failure_ack failed");
    living = first_shrink();
    meet(SHRUNK);
    if (b.rank == (victim == 0)) {
        printf("death %.3f\n",
               (double)(latest_ns(victim, RETURNED_NS) - b.board[KILLED_NS]) * 1e-3);
        printf("first %.3f\n",
               (double)(latest_ns(victim, LEFT_NS) - latest_ns(victim, CALLED_NS)) * 1e-3);
    }
    compare(living, b.rank == (victim == 0), atol(argv[5]));
    if (file != MPI_FILE_NULL)
        MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
