/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_06_nested.c – three modules that roll back in one program, over different and overlapping processes, one called by another.
 *
 *     F   ranks 0 to 3         each round:   F ──> R ──> G [ work ──> H ──> work ] ──> R
 *     G   ranks 2 to 5
 *     H   ranks 3 and 4, called by G
 *     R   pairs (0, 5), (1, 4), (2, 3), which know of nothing
 *
 * A rank dies in round 2 in the place that the arguments name, or wherever a recipe kills it.  Each rank compares all that it has registered
 * behind every call of every module with what it was there the first time: so it is exactly there that it goes on, whichever module has failed.
 * Only participants run a recovery function, and there they are behind the same call.
 *
 *   S1-5: wherever they learn of a failure, in F or behind it, all get to F's recovery
 *   S1-6: modules have different processes: the participants of F recover, the others go on
 *   S1-9: a roll-back restores the state of the safe point exactly
 *
 * RUN: -n 6 ; args F 1 ; expect "F has 3" ; expect "G has 4" ; expect "H has 2"
 * RUN: -n 6 ; args F 2 ; expect "F has 3" ; expect "G has 3" ; expect "H has 2"
 * RUN: -n 6 ; args G 5 ; expect "F has 4" ; expect "G has 3" ; expect "H has 2"
 * RUN: -n 6 ; args G 2 ; expect "F has 3" ; expect "G has 3" ; expect "H has 2"
 * RUN: -n 6 ; args H 3 ; expect "F has 3" ; expect "G has 3" ; expect "H has 1"
 * RUN: -n 6 ; args H 4 ; expect "F has 4" ; expect "G has 3" ; expect "H has 1"
 * RUN: -n 6 ; args R 1 ; expect "F has 3" ; expect "G has 4" ; expect "H has 2"
 * RUN: -n 6 ; args R 4 ; expect "F has 4" ; expect "G has 3" ; expect "H has 1"
 * RUN: -n 6 ; args F 1 ; set MACHINES=2 ; expect "F has 3" ; expect "G has 4" ; expect "H has 2"
 * RUN: -n 6 ; args G 2 ; set MACHINES=2 ; expect "F has 3" ; expect "G has 3" ; expect "H has 2"
 * RUN: -n 6 ; args H 4 ; set MACHINES=2 ; expect "F has 4" ; expect "G has 3" ; expect "H has 1"
 * RUN: -n 6 ; args H 3 ; set AGREE_SHM=0 ; expect "F has 3" ; expect "G has 3" ; expect "H has 1"
 * RUN: -n 6 ; args G 2 ; set SAFE_POINT=drop ; expect "F has 3" ; expect "G has 3" ; expect "H has 2"
 * RUN: -n 6 ; args H 3 ; set SAFE_POINT=copy_back ; expect "F has 3" ; expect "G has 3" ; expect "H has 1"
 * RUN: -n 6 ; args F 2 ; set SAFE_POINT=full ; expect "F has 3" ; expect "G has 3" ; expect "H has 2"
 * RUN: -n 6 ; args G 5 ; set SAFE_POINT=fork ; expect "F has 4" ; expect "G has 3" ; expect "H has 2"
 * RUN: -n 6 ; args F 1 ; kill 3 at module.recover ; expect "F has 2" ; expect "G has 3" ; expect "H has 1"
 * RUN: -n 6 ; args F 1 ; kill 4 at module.decided ; expect "F has 3" ; expect "G has 3" ; expect "H has 1"
 * RUN: -n 6 ; args F 1 ; kill 3 at module.unwound ; expect "F has 2" ; expect "G has 3" ; expect "H has 1"
 * RUN: -n 6 ; args G 5 ; kill 4 at module.back ; expect "F has 4" ; expect "G has 2" ; expect "H has 1"
 * RUN: -n 6 ; args H 4 ; kill 2 at module.back ; expect "F has 3" ; expect "G has 2" ; expect "H has 1"
 * RUN: -n 6 ; args H 3 ; kill 0 at module.renewed? ; expect "F has"
 * RUN: -n 6 ; args G 2 ; kill 3 at module.agree ; expect "F has 2" ; expect "G has 2" ; expect "H has 1"
 * RUN: -n 6 ; args G 5 ; kill 3 at module.agree ; expect "F has 3" ; expect "G has 2" ; expect "H has 1"
 * RUN: -n 6 ; args H 4 ; kill 5 at module.agree ; kill 2 at module.recover#2 ; expect "F has 3" ; expect "G has 1" ; expect "H has 1"
 * RUN: -n 6 ; args - 0 ; kill 4 at module.point#5 ; expect "F has 4" ; expect "G has 3" ; expect "H has 1"
 * RUN: -n 6 ; args - 0 ; kill 3 at module.point#6 ; expect "F has 3" ; expect "G has 3" ; expect "H has 1"
 * RUN: -n 6 ; args - 0 ; kill 1 at module.point#7 ; expect "F has 3" ; expect "G has 4" ; expect "H has 2"
 * RUN: -n 6 ; args - 0 ; kill 0 at module.point#8 ; expect "F has 3" ; expect "G has 4" ; expect "H has 2" */
#include "../common.h"

#include <stdlib.h>
#include <string.h>

enum { F, G, H, MODULES };
enum { ROUNDS = 3, BYTES = 200000, SEEN = 100, HASHES = 400 }; /* places on the board */

static struct module {
    MPIX_Module handle;
    int first, last; /* rank with a part */
    int calls;
} modules[MODULES] = {{.first = 0, .last = 3}, {.first = 2, .last = 5}, {.first = 3, .last = 4}};
static MPI_Comm pair;
static char *heap, statics[50000];
static int place, sizes[MODULES];
static const char *where;
static int victim;

static unsigned hash_of(const char *at, size_t n, unsigned h)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)at[i]) * 16777619u;
    return h;
}

static unsigned state(void)
{
    unsigned h = hash_of(heap, BYTES, hash_of(statics, sizeof statics, 2166136261u));

    for (int i = 0; i < MODULES; i++)
        h = hash_of((char *)&modules[i].calls, sizeof modules[i].calls, h);
    return hash_of((char *)&heap, sizeof heap, hash_of((char *)&place, sizeof place, h));
}

/* The same as whenever this rank was here before. */
static void compare(void)
{
    int at = rank * 32 + place, now = (int)state();

    CHECK(place < 32);
    if (!board[SEEN + at])
        board[HASHES + at] = now;
    board[SEEN + at] = 1;
    CHECK_EQ(board[HASHES + at], now);
    place++;
}

static void change_memory(void)
{
    free(heap);
    heap = malloc(BYTES);
    memset(heap, 'a' + place, BYTES);
    memset(statics + 1000 * place, 1 + place, 3000);
}

static int has_part(const struct module *m)
{
    return rank >= m->first && rank <= m->last;
}

static int recover(MPI_Comm comm, int inside, void *arg)
{
    struct module *m = arg;
    int most[2], mine[2] = {m->calls, -m->calls};

    (void)inside;
    CHECK(has_part(m));
    if (MPI_Allreduce(mine, most, 2, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS)
        return MPI_ERR_OTHER; /* one more has died */
    CHECK_EQ(most[0], -most[1]);
    return MPI_SUCCESS;
}

static void die_here(const char *here, int round)
{
    if (round == 2 && !strcmp(where, here) && rank == victim)
        die_now();
}

static void work(struct module *m, MPI_Comm comm)
{
    int one = 1, n;

    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_size(comm, &sizes[m - modules]);
    if (MPI_Allreduce(&one, &n, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS) {
        CHECK_EQ(n, sizes[m - modules]);
        return;
    }
    MPIX_Module_recover(m->handle, &comm);
    CHECK(!"this call rolls back");
}

static void leave(struct module *m)
{
    int recovered;

    m->calls++;
    change_memory();
    CHECK_OK(MPIX_Module_leave(m->handle, &recovered));
    compare();
}

static MPI_Comm enter(struct module *m)
{
    MPI_Comm comm;

    CHECK_OK(MPIX_Module_enter(m->handle, &comm));
    CHECK((comm != MPI_COMM_NULL) == has_part(m));
    return comm;
}

static void call_simple(struct module *m, const char *name, int round)
{
    MPI_Comm comm = enter(m);

    die_here(name, round);
    work(m, comm);
    leave(m);
}

static void call_g(int round)
{
    MPI_Comm comm = enter(&modules[G]);

    work(&modules[G], comm);
    change_memory();
    call_simple(&modules[H], "H", round);
    change_memory();
    die_here("G", round);
    work(&modules[G], comm);
    leave(&modules[G]);
}

/* The other one may be dead. */
static void call_r(int round)
{
    int other, got = place, err;

    MPI_Comm_rank(pair, &other);
    die_here("R", round);
    err = MPI_Sendrecv(&place, 1, MPI_INT, 1 - other, 3, &got, 1, MPI_INT, 1 - other, 3, pair,
                       MPI_STATUS_IGNORE);
    CHECK(err == MPI_SUCCESS || class_of(err) == MPI_ERR_PROC_FAILED);
    CHECK_EQ(got, place);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    where = argv[1];
    victim = atoi(argv[2]);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 3 ? rank : 5 - rank, rank, &pair);
    MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
    heap = malloc(BYTES);
    memset(heap, 'h', BYTES);
    for (int i = 0; i < MODULES; i++)
        CHECK_OK(MPIX_Module_create(MPI_COMM_WORLD, has_part(&modules[i]) ? recover : NULL,
                                    &modules[i], MPIX_MODULE_ROLL_BACK, &modules[i].handle));
    for (int round = 1; round <= ROUNDS; round++) {
        call_simple(&modules[F], "F", round);
        call_r(round);
        call_g(round);
        call_r(round);
    }
    for (int i = 0; i < MODULES; i++)
        if (has_part(&modules[i]))
            printf("%c has %d\n", "FGH"[i], sizes[i]);
    return finish();
}
