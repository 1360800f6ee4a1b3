/* SPDX-License-Identifier: BSD-3-Clause */
/* Something happens to a machine while one rank is at a certain place of a call, where the launcher stops it: `matrix` has the places and what
 * happens.  Each call is repeated, with a barrier behind it, until a rank was lost; or three times, if none is lost.
 *
 * Then all that live say when they learned it.  They know the ranks of what was lost, and no others; calls whose result is uniform have had the
 * same results everywhere; nothing of the lost machines runs any more, also when they are back; and what is left goes on.
 *
 * Arguments: the call; the first lost rank, or 0 if none is lost; "watch" if what was lost may come back.
 *
 *   S5-2: the loss of a node is one verdict over all its processes
 *   S5-3: a node that falls silent is lost in bounded time
 *   S5-4: a lost node runs no code of the program, and no byte of it is accepted
 *   S5-5: no node is lost because its agent runs late
 *   S5-6: of two parts of a network the one without the root ends, and the other one goes on
 *   S5-8: the death of an agent is the loss of its node
 *   S5-9: decisions are uniform across nodes, in whatever order these learn of deaths */
/* RUN: none */
#include "lost.h"

#define ROUNDS    3
#define LEAST_S   1.2 /* for a machine that is not lost: longer than a lease */
#define MUCH      100000
#define WATCH_S   0.3
#define REPLACED  1 /* the rank that dies by itself */
#define CHILDREN  2
#define MAGIC     4711
#define UNIFORM_N 4096

static char out[MUCH], in[MUCH];
static MPI_Comm inter = MPI_COMM_NULL, full = MPI_COMM_NULL;
static MPI_Win win;
static MPI_File file;
static int *part;
static const char *program;
static int more = 1;                      /* rounds */
static int results[UNIFORM_N], results_n; /* of calls that have the same one everywhere */

/* The result of such a call. */
static int same(int rc)
{
    CHECK(rc == MPI_SUCCESS || class_of(rc) == MPI_ERR_PROC_FAILED);
    if (results_n < UNIFORM_N)
        results[results_n++] = rc;
    return rc;
}

static int made(int rc, MPI_Comm *c)
{
    CHECK((rc == MPI_SUCCESS) == (*c != MPI_COMM_NULL));
    if (*c != MPI_COMM_NULL)
        MPI_Comm_free(c);
    return same(rc);
}

/* Barrier, and whether there is another one, which a rank of the old ones says. */
static int meet(MPI_Comm c, int root)
{
    int rc = MPI_Barrier(c);

    return rc ? rc : MPI_Bcast(&more, 1, MPI_INT, root, c);
}

/* ---- the calls ---- */

static int contact(void)
{
    int to = (rank + 2) % size, from = (rank + size - 2) % size;

    memset(out, rank, sizeof(out));
    memset(in, -1, sizeof(in));
    int rc = MPI_Sendrecv(out, MUCH, MPI_CHAR, to, 1, in, MUCH, MPI_CHAR, from, 1, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE);

    if (!rc)
        CHECK(in[0] == from && in[MUCH - 1] == from);
    return rc;
}

static int allreduce(void)
{
    int one = 1, sum = 0, rc = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

    if (!rc)
        CHECK_EQ(sum, size);
    return rc;
}

static int agree(void)
{
    int flag = 3, rc = MPIX_Comm_agree(MPI_COMM_WORLD, &flag);

    CHECK_EQ(flag, 3);
    return same(rc);
}

static int dup_(void)
{
    MPI_Comm c = MPI_COMM_NULL;
    int rc = MPI_Comm_dup(MPI_COMM_WORLD, &c);

    return made(rc, &c);
}

static int split(void)
{
    MPI_Comm c = MPI_COMM_NULL;
    int rc = MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &c);

    return made(rc, &c);
}

static int create(void)
{
    MPI_Comm c = MPI_COMM_NULL;
    MPI_Group all;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    int rc = MPI_Comm_create(MPI_COMM_WORLD, all, &c);

    MPI_Group_free(&all);
    return made(rc, &c);
}

static int shrink(void)
{
    MPI_Comm c = MPI_COMM_NULL;
    int n, rc = MPIX_Comm_shrink(MPI_COMM_WORLD, &c);

    CHECK_EQ(rc, MPI_SUCCESS);
    MPI_Comm_size(c, &n);
    MPI_Comm_free(&c);
    return same(n < size ? MPI_ERR_PROC_FAILED : MPI_SUCCESS);
}

static int spawn(void)
{
    if (inter != MPI_COMM_NULL)
        return meet(inter, rank == 0 ? MPI_ROOT : MPI_PROC_NULL);

    char *const words[] = {"child", NULL};
    int codes[CHILDREN], rc = MPI_Comm_spawn(program, (char **)words, CHILDREN, MPI_INFO_NULL, 0,
                                             MPI_COMM_WORLD, &inter, codes);

    CHECK((rc == MPI_SUCCESS) == (inter != MPI_COMM_NULL));
    if (!rc)
        MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    return rc ? same(MPI_ERR_PROC_FAILED) : same(MPI_SUCCESS);
}

static int replace(void)
{
    int n, rc;

    if (full != MPI_COMM_NULL)
        return meet(full, 0);
    if (rank == REPLACED)
        die_now();
    wait_until_dead(MPI_COMM_WORLD, REPLACED);
    rc = MPIX_Comm_refill(MPI_COMM_WORLD, MPI_INFO_NULL, &full);
    CHECK((rc == MPI_SUCCESS) == (full != MPI_COMM_NULL));
    if (!rc) {
        MPI_Comm_set_errhandler(full, MPI_ERRORS_RETURN);
        MPI_Comm_size(full, &n);
        CHECK_EQ(n, size);
    }
    return same(rc);
}

static int sync_(void)
{
    int rc = MPI_File_write_at(file, 4 * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);

    return rc ? rc : same(MPI_File_sync(file));
}

static int fence(void)
{
    int rc = MPI_Put(&rank, 1, MPI_INT, (rank + 2) % size, 0, 1, MPI_INT, win);

    CHECK_EQ(rc, MPI_SUCCESS);
    return MPI_Win_fence(0, win);
}

static int lock(void)
{
    int one = 1, rc = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win), rc2;

    if (!rc)
        MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    rc2 = MPI_Win_unlock(0, win);
    return rc ? rc : rc2;
}

static const struct {
    const char *name;
    int (*of)(void);
} calls[] = {{"contact", contact}, {"allreduce", allreduce}, {"agree", agree},   {"dup", dup_},
             {"split", split},     {"create", create},       {"shrink", shrink}, {"spawn", spawn},
             {"replace", replace}, {"sync", sync_},          {"fence", fence},   {"lock", lock}};

static int (*call_of(const char *name))(void)
{
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (!strcmp(calls[i].name, name))
            return calls[i].of;
    return NULL; /* init, finalize */
}

/* ---- what they need ---- */

static void prepare(const char *what)
{
    char name[4096];

    snprintf(name, sizeof(name), "%s/file", getenv("MEND_TEST_TMP"));
    if (!strcmp(what, "sync"))
        CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL,
                               &file));
    if (strcmp(what, "fence") && strcmp(what, "lock"))
        return;
    CHECK_OK(
        MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &part, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (!strcmp(what, "fence"))
        CHECK_OK(MPI_Win_fence(0, win));
}

static void end_with(const char *what)
{
    if (!strcmp(what, "sync"))
        MPI_File_close(&file);
    if (!strcmp(what, "fence") || !strcmp(what, "lock"))
        MPI_Win_free(&win);
    if (full != MPI_COMM_NULL)
        MPI_Comm_free(&full);
    if (inter != MPI_COMM_NULL)
        MPI_Comm_free(&inter);
}

/* A process of MPI_Comm_spawn or MPIX_Comm_refill: meets the others until one of them is lost, or has left. */
static int be_new(MPI_Comm c)
{
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    while (more && !meet(c, 0))
        ;
    MPI_Comm_free(&c);
    MPI_Finalize();
    return 0;
}

/* ---- a lost machine does nothing more ---- */

static void *leave_traces(void *none)
{
    for (;;) {
        post(TRACE + rank);
        usleep(5000);
    }
    return none;
}

static void watch(bool is_back)
{
    int before[64];
    double until = seconds() + WATCH_S;

    for (int r = first_lost; r < size; r++)
        before[r - first_lost] = posted(TRACE + r);
    if (is_back && rank == 0)
        say("watching");
    while (seconds() < until) {
        for (int r = first_lost; r < size; r++)
            CHECK_EQ(posted(TRACE + r), before[r - first_lost]);
        usleep(5000);
    }
}

/* ---- what is left ---- */

/* Those that are lost, and the one that has died by itself. */
static void check_all_failed(bool replaced)
{
    MPI_Group failed, all;
    int n, at;

    CHECK_EQ(MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed), MPI_SUCCESS);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_size(failed, &n);
    CHECK_EQ(n, size - first_lost + (replaced && REPLACED < first_lost));
    for (int i = 0; i < n; i++) {
        MPI_Group_translate_ranks(failed, 1, &i, all, &at);
        CHECK(at >= first_lost || (replaced && at == REPLACED));
    }
    MPI_Group_free(&failed);
    MPI_Group_free(&all);
}

static void check_uniform(MPI_Comm c)
{
    static int least[UNIFORM_N], most[UNIFORM_N];

    results[UNIFORM_N - 1] = results_n;
    CHECK_OK(MPI_Allreduce(results, least, UNIFORM_N, MPI_INT, MPI_MIN, c));
    CHECK_OK(MPI_Allreduce(results, most, UNIFORM_N, MPI_INT, MPI_MAX, c));
    for (int i = 0; i < UNIFORM_N; i++)
        CHECK_EQ(least[i], most[i]);
}

static void go_on_without(void)
{
    MPI_Comm rest;

    CHECK_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &rest), MPI_SUCCESS);
    check_uniform(rest);
    MPI_Comm_free(&rest);
}

/* ---- in each phase ---- */

/* A barrier may fail at some ranks only, so agreements behind it would not match.  Calls that agree fail at all of them. */
static bool agrees(const char *what)
{
    static const char *const names[] = {"agree", "dup", "split", "create", "shrink", "sync"};
    bool found = false;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        found |= !strcmp(what, names[i]);
    return found;
}

static void learn(const char *what)
{
    int (*call)(void) = call_of(what);
    int rc = MPI_SUCCESS;

    while (!rc) {
        rc = call ? call() : allreduce();
        if (!rc && !agrees(what))
            rc = MPI_Barrier(MPI_COMM_WORLD);
    }
    if (class_of(rc) != MPI_ERR_PROC_FAILED) {
        printf("rank %d: class %d\n", rank, class_of(rc));
        CHECK_CLASS(rc, MPI_ERR_PROC_FAILED);
    }
}

/* One that has died by itself belongs to no machine that is lost. */
static void learn_of_machines(const char *what)
{
    if (strcmp(what, "replace"))
        learn(what);
    else
        while (replace() == MPI_SUCCESS)
            ;
    for (int r = first_lost; r < size; r++)
        wait_until_dead(MPI_COMM_WORLD, r);
}

/* With a dead member a broadcast in MPI_COMM_WORLD fails: meet() says the same. */
static void keep(const char *what)
{
    double until = seconds() + LEAST_S;

    for (int i = 0; more; i++) {
        more = i < ROUNDS || seconds() < until;
        if (strcmp(what, "replace"))
            CHECK_OK(MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD));
        CHECK_OK(call_of(what)());
    }
}

/* New processes need not wait for a rank that is lost; and this one has handled the death of some of them. */
static void release(MPI_Comm c)
{
    MPI_Group failed;

    if (c == MPI_COMM_NULL)
        return;
    MPIX_Comm_revoke(c);
    CHECK_EQ(MPIX_Comm_get_failed(c, &failed), MPI_SUCCESS);
    MPI_Group_free(&failed);
}

static int lose(const char *what, bool is_back)
{
    learn_of_machines(what);
    say_learned();
    release(inter);
    release(full);
    check_all_failed(!strcmp(what, "replace"));
    watch(is_back);
    go_on_without();
    end_with(what);
    return finish();
}

int main(int argc, char **argv)
{
    const char *what = argv[1];
    pthread_t tracer;
    MPI_Comm c;

    program = argv[0];
    if (!strcmp(what, "init") && atoi(getenv("MEND_RANK")) == 4)
        raise(SIGSTOP);
    start(&argc, &argv);
    MPI_Comm_get_parent(&c);
    if (c == MPI_COMM_NULL)
        MPIX_Comm_refilled(&c);
    if (c != MPI_COMM_NULL)
        return be_new(c);
    first_lost = atoi(argv[2]);
    pthread_create(&tracer, NULL, leave_traces, NULL);
    prepare(what);
    if (strcmp(what, "finalize")) {
        if (first_lost)
            return lose(what, !strcmp(argv[3], "watch"));
        if (strcmp(what, "init"))
            keep(what);
    } else
        MPI_Barrier(MPI_COMM_WORLD);
    end_with(what);
    MPI_Finalize();
    say_learned();
    printf("rank %d ok\n", rank);
    return 0;
}
