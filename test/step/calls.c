/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.c – the MPI program that is stepped through: calls NAME, under mpiexec, under the stepper.
 *
 * All ranks warm up.  The victim makes the call between two marks and never comes back; each survivor
 * makes its side of it and notes what it got.  Then the survivors recover: they learn of the death, a
 * send to the dead rank fails, they revoke, shrink, agree and use what they have shrunken to.
 *
 * Nothing here decides whether a result is good, except what must hold for every call; the stepper
 * does.  Shows S0-1 (each call returns in bounded time), S1-5, R12, R16, S0-17, S0-27, S2-5.
 *
 *   R12: messages that arrived before a death are delivered before it is reported, none after it
 *   R16: MPI_Comm_agreement takes a truth value, MPIX_Comm_agree a word
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S0-27: a collective that a death prevents ends with PROC_FAILED
 *   S0-48: a lock whose holder died is never acquired again
 *   S1-5: wherever they learn of a failure, in F or behind it, all get to F's recovery
 *   S2-5: creation is uniform: at all survivors or at none */
#include "board.h"

#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define W     MPI_COMM_WORLD
#define WARM  3
#define LARGE 2000

static struct step_board *board;
static int rank, size, victim, rules;
static unsigned char buffer[4096];

#define MUST(cond_)                                                                                \
    do {                                                                                           \
        if (!(cond_))                                                                              \
            wrong(#cond_, __LINE__);                                                               \
    } while (0)

static _Noreturn void wrong(const char *what, int line)
{
    snprintf(board->rank[rank].wrong, STEP_TEXT_MAX, "rank %d: calls.c:%d: not true: %s", rank,
             line, what);
    MPI_Abort(MPI_COMM_SELF, 1);
    abort();
}

static int class_of(int err)
{
    int class = MPI_SUCCESS;

    if (err != MPI_SUCCESS)
        MPI_Error_class(err, &class);
    return class;
}

/* ---- the calls: made by the victim, and the other side of them by the survivors ---- */

static void fill(int n)
{
    for (int i = 0; i < n; i++)
        buffer[i] = (unsigned char)(i * 7 + 1);
}

static void check(int n)
{
    for (int i = 0; i < n; i++)
        MUST(buffer[i] == (unsigned char)(i * 7 + 1));
}

/* n bytes from rank 0 to rank 1. */
static int transfer(int n)
{
    int err;

    if (rank == 0)
        return MPI_Send(buffer, n, MPI_BYTE, 1, 7, W);
    err = MPI_Recv(buffer, n, MPI_BYTE, 0, 7, W, MPI_STATUS_IGNORE);
    if (rank != victim && err == MPI_SUCCESS)
        check(n);
    return err;
}

static int send_8(void)
{
    return transfer(8);
}

static int send_4k(void)
{
    return transfer(4096);
}

static int large_send(void)
{
    return transfer(LARGE);
}

static int large_recv(void)
{
    return transfer(LARGE);
}

static int barrier(void)
{
    return MPI_Barrier(W);
}

static int allreduce(void)
{
    int one = 1, sum = 0, err = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, W);

    if (rank != victim && err == MPI_SUCCESS)
        MUST(sum == size);
    return err;
}

/* The value is that of all, or that of all but the victim. */
static int agree(void)
{
    int with = 0xf0, without = 0xff, flag = rank == victim ? with : without;
    int err = MPIX_Comm_agree(W, &flag);

    if (rank != victim) {
        board->rank[rank].value = flag;
        MUST(flag == with || flag == without);
        MUST(err != MPI_SUCCESS || flag == with);
    }
    return err;
}

static int note_size(int err, MPI_Comm made)
{
    int n = 0;

    if (rank == victim)
        return err;
    if (err == MPI_SUCCESS)
        MPI_Comm_size(made, &n);
    board->rank[rank].value = n;
    return err;
}

static int comm_dup(void)
{
    MPI_Comm made = MPI_COMM_NULL;

    return note_size(MPI_Comm_dup(W, &made), made);
}

static int comm_shrink(void)
{
    MPI_Comm made = MPI_COMM_NULL;

    return note_size(MPIX_Comm_shrink(W, &made), made);
}

static int comm_from_group(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group all;
    int err;

    MPI_Comm_group(W, &all);
    err = MPI_Comm_create_from_group(all, "step", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
    MPI_Group_free(&all);
    return note_size(err, made);
}

/* The victim is among the failed or not, and collectives agree with that. */
static int comm_validate(void)
{
    MPI_Group failed = MPI_GROUP_NULL;
    int n = 0, v = 1, err = MPI_Comm_validate(W, &failed);

    if (rank == victim)
        return err;
    MUST(err == MPI_SUCCESS);
    MPI_Group_size(failed, &n);
    MPI_Group_free(&failed);
    MUST(n <= 1);
    board->rank[rank].value = n;
    if (n == 1) {
        MUST(MPI_Allreduce(MPI_IN_PLACE, &v, 1, MPI_INT, MPI_SUM, W) == MPI_SUCCESS);
        MUST(v == size - 1);
    }
    return err;
}

/* The survivors wait for a message of the victim. */
static int comm_revoke(void)
{
    if (rank == victim)
        return MPIX_Comm_revoke(W);
    return MPI_Recv(buffer, 1, MPI_BYTE, victim, 9, W, MPI_STATUS_IGNORE);
}

/* ---- windows ---- */

#define DOUBLES 20
#define PIECE   10

static MPI_Win win = MPI_WIN_NULL;
static double *part;
static bool warm; /* it counts now */

static bool knows_of_death(void);

static int first_of(int err, int other)
{
    return err != MPI_SUCCESS ? err : other;
}

static void add(void)
{
    static const double ones[DOUBLES] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                         1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static int one = 1, old; /* as long as the epoch */

    MUST(MPI_Accumulate(ones, DOUBLES, MPI_DOUBLE, 0, 0, DOUBLES, MPI_DOUBLE, MPI_SUM, win) ==
         MPI_SUCCESS);
    MUST(MPI_Fetch_and_op(&one, &old, MPI_INT, 0, DOUBLES, MPI_SUM, win) == MPI_SUCCESS);
}

/* No element is torn, whichever rank died over it. */
static void check_sums(void)
{
    for (int i = 0; rank == 0 && i < DOUBLES; i++)
        MUST(part[i] >= 0 && part[i] < 100 && part[i] == (double)(int)part[i]);
}

static int lock_and_add(int type)
{
    int err = MPI_Win_lock(type, 0, 0, win);

    add();
    return first_of(err, MPI_Win_unlock(0, win));
}

static int lock_all_and_add(int unused)
{
    int err = MPI_Win_lock_all(0, win);

    (void)unused;
    add();
    err = first_of(err, MPI_Win_flush(0, win));
    return first_of(err, MPI_Win_unlock_all(win));
}

/* Once as it comes, and again when the death is known: then all survivors get the same. */
static int twice(int (*call)(int), int type)
{
    int class = class_of(call(type));

    if (rank == victim || !warm)
        return class;
    MUST(class == MPI_SUCCESS || class == MPI_ERR_PROC_FAILED);
    while (!knows_of_death())
        usleep(200);
    class = class_of(call(type));
    check_sums();
    board->rank[rank].value = class;
    return class;
}

static int win_exclusive(void)
{
    return twice(lock_and_add, MPI_LOCK_EXCLUSIVE);
}

static int win_shared(void)
{
    return twice(lock_and_add, MPI_LOCK_SHARED);
}

static int win_lock_all(void)
{
    return twice(lock_all_and_add, 0);
}

static int win_fence(void)
{
    int err = MPI_Win_fence(0, win);

    add();
    err = first_of(err, MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    check_sums();
    return err;
}

/* Each puts into the next one's memory, by messages, and gets it back: every process is origin and target. */
static int win_created(void)
{
    double out[PIECE], in[PIECE];
    int next = (rank + 1) % size, before = (rank + size - 1) % size, err;

    for (int i = 0; i < PIECE; i++)
        out[i] = rank + 1;
    err = MPI_Win_fence(0, win);
    MUST(MPI_Put(out, PIECE, MPI_DOUBLE, next, 0, PIECE, MPI_DOUBLE, win) == MPI_SUCCESS);
    err = first_of(err, MPI_Win_fence(0, win));
    for (int i = 0; !err && i < PIECE; i++)
        MUST(part[i] == before + 1);
    MUST(MPI_Get(in, PIECE, MPI_DOUBLE, next, 0, PIECE, MPI_DOUBLE, win) == MPI_SUCCESS);
    err = first_of(err, MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    for (int i = 0; !err && i < PIECE; i++)
        MUST(in[i] == rank + 1);
    return err;
}

static int win_groups(void)
{
    MPI_Group all;
    int err;

    MPI_Comm_group(W, &all);
    err = MPI_Win_post(all, 0, win);
    err = first_of(err, MPI_Win_start(all, 0, win));
    add();
    err = first_of(err, MPI_Win_complete(win));
    err = first_of(err, MPI_Win_wait(win));
    MPI_Group_free(&all);
    check_sums();
    return err;
}

/* One message in eight partitions, from its initialization to its end. */
static int partitioned(void)
{
    MPI_Request r;
    int flag, err;

    if (rank == 0)
        MPI_Psend_init(buffer, 8, 64, MPI_BYTE, 1, 7, W, MPI_INFO_NULL, &r);
    else
        MPI_Precv_init(buffer, 4, 128, MPI_BYTE, 0, 7, W, MPI_INFO_NULL, &r);
    MPI_Start(&r);
    if (rank == 0)
        err = MPI_Pready_range(0, 7, r);
    else
        err = MPI_Parrived(r, 2, &flag);
    err = first_of(err, MPI_Wait(&r, MPI_STATUS_IGNORE));
    MPI_Request_free(&r);
    if (rank == 1 && rank != victim && err == MPI_SUCCESS)
        check(512);
    return err;
}

static int session(void)
{
    MPI_Session s;
    MPI_Group all;
    MPI_Comm c;
    int err;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);
    MPI_Group_from_session_pset(s, "mpi://WORLD", &all);
    err = MPI_Comm_create_from_group(all, "step", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c);
    MPI_Group_free(&all);
    if (err == MPI_SUCCESS)
        MPI_Comm_free(&c);
    MPI_Session_finalize(&s);
    return err;
}

/* ---- modules that roll back ---- */

static MPIX_Module module;

static int bring_into_order(MPI_Comm comm, int inside, void *state)
{
    int one = 1, sum, n;

    (void)inside, (void)state;
    MPI_Comm_size(comm, &n);
    if (MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS)
        return MPI_ERR_OTHER;
    MUST(sum == n);
    return MPI_SUCCESS;
}

/* A barrier and a safe point; a rank that has to wait for the victim rolls back to the one before. */
static int module_leave(void)
{
    MPI_Comm comm;
    int recovered;

    MUST(MPIX_Module_enter(module, &comm) == MPI_SUCCESS);
    return MPIX_Module_leave(module, &recovered);
}

/* The victim makes all go back to the safe point behind the first call, once: memory does not know of it, the board does. */
static int module_roll_back(void)
{
    volatile int pass = 0;
    MPI_Comm comm;
    int err = module_leave();

    MUST(err != MPI_SUCCESS || pass == 0);
    pass = 1;
    if (rank == victim && board->rank[rank].value++ == 0) {
        MUST(MPIX_Module_enter(module, &comm) == MPI_SUCCESS);
        comm = MPI_COMM_NULL; /* nobody has died */
        MPIX_Module_recover(module, &comm);
        MUST(!"this call rolls back");
    }
    return err == MPI_SUCCESS ? module_leave() : err;
}

/* ---- calls that are wrong on purpose: the stepper must notice ---- */

static int self_hang(void)
{
    if (rank != victim)
        for (;;)
            pause();
    return MPI_SUCCESS;
}

static int self_class(void)
{
    return rank == victim ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int self_split(void)
{
    board->rank[rank].value = rank;
    return MPI_SUCCESS;
}

static int self_lost(void)
{
    return rank == victim ? MPI_SUCCESS : MPI_ERR_PROC_FAILED;
}

static int self_data(void)
{
    if (rank != victim)
        check(8);
    return MPI_SUCCESS;
}

static int self_crash(void)
{
    if (rank == 2)
        raise(SIGSEGV);
    return MPI_SUCCESS;
}

static int self_file(void)
{
    char path[4096];

    if (rank == victim)
        return MPI_SUCCESS;
    snprintf(path, sizeof path, "%s/forgotten", getenv("TMPDIR"));
    close(open(path, O_CREAT | O_WRONLY, 0600));
    return MPI_SUCCESS;
}

/* Somebody else traces the victim already: as if tracing were forbidden. */
static int self_traced(void)
{
    return MPI_SUCCESS;
}

static void be_traced_already(void)
{
    int fd[2], status;
    char c;
    pid_t parent = getpid();

    MUST(pipe(fd) == 0);
    if (fork() == 0) {
        if (ptrace(PTRACE_SEIZE, parent, NULL, NULL) != 0 || write(fd[1], "", 1) != 1)
            _exit(1);
        waitpid(parent, &status, __WALL);
        _exit(0);
    }
    MUST(read(fd[0], &c, 1) == 1);
}

static const struct call {
    const char *name;
    int ranks, victim, when, rules;
    int (*run)(void);
} calls[] = {
#define STEP_CALL(run_, name_, ranks_, victim_, when_, rules_, settings_)                          \
    {.name = name_,                                                                                \
     .ranks = ranks_,                                                                              \
     .victim = victim_,                                                                            \
     .when = when_,                                                                                \
     .rules = rules_,                                                                              \
     .run = run_},
#include "calls.def"
#undef STEP_CALL
};

/* ---- the two roles ---- */

static _Noreturn void be_stepped(const struct call *call)
{
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* where Yama restricts tracing */
    if (call->run == self_traced)
        be_traced_already();
    board->rank[rank].pid = getpid();
    while (!board->attached)
        usleep(200);
    raise(SIGTRAP);
    board->inside = STEP_INSIDE;
    call->run();
    board->inside = STEP_RETURNED;
    for (;;)
        pause();
}

static bool knows_of_death(void)
{
    MPI_Group dead;
    int n, flag;

    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    MPI_Comm_get_failed(W, &dead);
    MPI_Group_size(dead, &n);
    if (dead != MPI_GROUP_EMPTY)
        MPI_Group_free(&dead);
    return n > 0;
}

/* What is left must be as good as new. */
static void use(MPI_Comm c)
{
    int me, n, flag, sum = 0, one = 1, in = -1, left, right;
    static char out_4k[4096], in_4k[4096];

    MPI_Comm_rank(c, &me);
    MPI_Comm_size(c, &n);
    MUST(n == size - 1);
    flag = ~(1 << me);
    MUST(MPIX_Comm_agree(c, &flag) == MPI_SUCCESS);
    MUST(flag == ~((1 << n) - 1));
    MUST(MPI_Barrier(c) == MPI_SUCCESS);
    MUST(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c) == MPI_SUCCESS);
    MUST(sum == n);
    left = (me + n - 1) % n;
    right = (me + 1) % n;
    MUST(MPI_Sendrecv(&me, 1, MPI_INT, right, 1, &in, 1, MPI_INT, left, 1, c, MPI_STATUS_IGNORE) ==
         MPI_SUCCESS);
    MUST(in == left);
    memset(out_4k, me + 1, sizeof out_4k);
    MUST(MPI_Sendrecv(out_4k, sizeof out_4k, MPI_CHAR, right, 2, in_4k, sizeof in_4k, MPI_CHAR,
                      left, 2, c, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MUST(in_4k[0] == left + 1 && in_4k[sizeof in_4k - 1] == left + 1);
}

/* No rank needs a revocation to get out of the call.  But one that is still in it may ask us what was decided:
 * MPI makes progress only where it is called. */
static void wait_for_all(void)
{
    for (int i = 0; i < size; i++)
        for (; i != victim && !board->rank[i].got; usleep(100))
            knows_of_death();
}

static void recover(void)
{
    MPI_Comm c = MPI_COMM_NULL;
    int class;

    wait_for_all();
    while (!knows_of_death())
        usleep(200);
    class = class_of(MPI_Send(&rank, 1, MPI_INT, victim, 8, W));
    /* The victim or another survivor may have revoked by now. */
    MUST(class == MPI_ERR_PROC_FAILED ||
         ((rules & STEP_REVOKES || size > 2) && class == MPI_ERR_REVOKED));
    MUST(MPIX_Comm_revoke(W) == MPI_SUCCESS);
    MUST(class_of(MPI_Barrier(W)) == MPI_ERR_REVOKED);
    MUST(MPIX_Comm_shrink(W, &c) == MPI_SUCCESS);
    use(c);
    MUST(MPI_Comm_free(&c) == MPI_SUCCESS);
}

static int got(int err)
{
    int class = class_of(err);

    if (class == MPI_SUCCESS)
        return STEP_GOT_SUCCESS;
    if (class == MPI_ERR_PROC_FAILED)
        return STEP_GOT_FAILED;
    return class == MPI_ERR_REVOKED ? STEP_GOT_REVOKED : STEP_GOT_OTHER;
}

static void be_survivor(const struct call *call)
{
    struct step_rank *me = &board->rank[rank];

    me->pid = getpid();
    if (call->when >= 0)
        while (!board->go)
            usleep(200);
    me->ready = 1;
    warm = true;
    me->got = got(call->run());
    recover();
    me->done = 1;
}

static void open_window(bool on_own_memory)
{
    static double own[DOUBLES + 1];

    part = own;
    MUST((on_own_memory
              ? MPI_Win_create(own, sizeof own, 8, MPI_INFO_NULL, W, &win)
              : MPI_Win_allocate(sizeof own, 8, MPI_INFO_NULL, W, &part, &win)) == MPI_SUCCESS);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
}

static void open_board(void)
{
    int fd = open(getenv("MEND_STEP_BOARD"), O_RDWR);

    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd < 0 || board == MAP_FAILED) {
        perror("MEND_STEP_BOARD");
        exit(2);
    }
    close(fd);
}

int main(int argc, char **argv)
{
    const struct call *call = calls;

    while (strcmp(call->name, argv[1]))
        call++;
    open_board();
    MPI_Init(&argc, &argv);
    alarm(300);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    victim = call->victim;
    rules = call->rules;
    MUST(size == call->ranks);
    if (!strncmp(call->name, "win-", 4))
        open_window(call->run == win_created);
    if (!strncmp(call->name, "module-", 7))
        MUST(MPIX_Module_create(W, bring_into_order, NULL, MPIX_MODULE_ROLL_BACK, &module) ==
             MPI_SUCCESS);
    if (rank == 0)
        fill(sizeof buffer);
    if (!(rules & (STEP_COLD | STEP_SELF)) && call->run != comm_shrink && call->run != comm_revoke)
        for (int i = 0; i < WARM; i++)
            call->run();
    board->rank[rank].value = 0;
    if (rank != 0)
        memset(buffer, 0, sizeof buffer);
    if (rank == victim)
        be_stepped(call);
    be_survivor(call);
    if (win != MPI_WIN_NULL)
        MUST(MPI_Win_free(&win) == MPI_SUCCESS);
    MPI_Finalize();
    return 0;
}
