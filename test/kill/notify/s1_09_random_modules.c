/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_09_random_modules.c – random programs of a module that rolls back and one that knows of nothing, with deaths at random instants.
 *
 * Ranks 0 to 3 have a part in F, ranks 0, 1, 4 and 5 in R, which makes random calls: messages in a ring, of all sizes,
 * collectives, also nonblocking ones, new communicators and requests that are left, memory of all sizes.  Ranks 2 and 3, which have
 * a part in F alone, are killed at random instants.  What R has computed in the end must be what it computes without MPI,
 * from the seed alone: each message and each sum counts once, however often R was rolled back.
 *
 *   S1-6: modules have different processes: the participants of F recover, the others go on
 *   S1-9: a roll-back restores the state of the safe point exactly
 *   S1-11: dummy operations match what was done on one side only: all queues are empty afterwards
 *
 * RUN: -n 6 ; args 1 ; expect "R is right" ; times 4
 * RUN: -n 6 ; args 2 ; expect "R is right" ; times 4
 * RUN: -n 6 ; args 3 ; set MACHINES=2 ; expect "R is right" ; times 3
 * RUN: -n 6 ; args 4 ; set SAFE_POINT=drop ; expect "R is right" ; times 3
 * RUN: -n 6 ; args 5 ; set SAFE_POINT=copy_back ; expect "R is right"
 * RUN: -n 6 ; args 6 ; set SINGLE_COPY=never ; expect "R is right" */
#include "../common.h"

#include <stdlib.h>

enum { PASSES, DEATHS };

#define CALLS   12
#define STEPS   40
#define LARGEST 400000

static MPIX_Module f;
static MPI_Comm r_comm = MPI_COMM_NULL;
static unsigned *blocks[64], in_f;
static uint64_t sum_of_r;

/* The same at all members. */
static unsigned next(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 8;
}

static void fold(uint64_t value)
{
    sum_of_r = (sum_of_r ^ value) * 1099511628211u;
}

/* Memory is taken, written, and given back much later, maybe behind a roll-back. */
static void churn(unsigned x)
{
    unsigned **block = &blocks[x % 64], n = 1 + x % 50000;

    free(*block);
    *block = malloc(n * sizeof(unsigned));
    for (unsigned i = 0; i < n; i += 100)
        (*block)[i] = x;
    (*block)[0] = x;
}

static unsigned value_of(int who, unsigned x)
{
    return x * 31 + (unsigned)who;
}

static void ring(unsigned x, int me, int n)
{
    int bytes = (int)(x % 7 ? x % 5000 : x % LARGEST) / 4 * 4 + 4, left = (me + n - 1) % n;
    unsigned *out = calloc(1, (size_t)bytes), *in = calloc(1, (size_t)bytes);
    MPI_Request r[2];

    out[0] = out[bytes / 4 - 1] = value_of(me, x);
    MPI_Irecv(in, bytes, MPI_CHAR, left, (int)(x % 100), r_comm, &r[0]);
    MPI_Isend(out, bytes, MPI_CHAR, (me + 1) % n, (int)(x % 100), r_comm, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK_EQ(in[0], value_of(left, x));
    CHECK_EQ(in[bytes / 4 - 1], value_of(left, x));
    free(in);
    free(out);
}

static void collective(unsigned x, int me, int n)
{
    unsigned mine = value_of(me, x), all = 0, expected = 0;
    MPI_Request r;
    MPI_Comm made;

    for (int i = 0; i < n; i++)
        expected += value_of(i, x);
    if (x % 3 == 0) {
        MPI_Iallreduce(&mine, &all, 1, MPI_UNSIGNED, MPI_SUM, r_comm, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else if (x % 3 == 1) {
        MPI_Allreduce(&mine, &all, 1, MPI_UNSIGNED, MPI_SUM, r_comm);
    } else {
        MPI_Comm_dup(r_comm, &made);
        MPI_Allreduce(&mine, &all, 1, MPI_UNSIGNED, MPI_SUM, made);
        MPI_Comm_free(&made);
    }
    CHECK_EQ(all, expected);
}

/* R, whose calls are the same each time.  n 0: what it computes without MPI. */
static void work_in_r(unsigned seed, int me, int n)
{
    for (int step = 0; step < STEPS; step++) {
        unsigned x = next(&seed);

        if (n && x % 2)
            ring(x / 2, me, n);
        else if (n)
            collective(x / 2, me, n);
        if (n)
            churn(x);
        fold(x);
    }
}

static int recover(MPI_Comm comm, int inside, void *state)
{
    int one = 1, n = 0, m;

    (void)inside, (void)state;
    MPI_Comm_size(comm, &m);
    if (MPI_Allreduce(&one, &n, 1, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS)
        return MPI_ERR_OTHER;
    CHECK_EQ(n, m);
    return MPI_SUCCESS;
}

static void call_f(void)
{
    int one = 1, n, recovered;
    MPI_Comm comm;

    CHECK_OK(MPIX_Module_enter(f, &comm));
    for (int i = 0; comm != MPI_COMM_NULL && i < 20; i++)
        if (MPI_Allreduce(&one, &n, 1, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS) {
            MPIX_Module_recover(f, &comm);
            CHECK(!"it rolls back");
        }
    in_f++;
    CHECK_OK(MPIX_Module_leave(f, &recovered));
}

int main(int argc, char **argv)
{
    bool in_r;
    unsigned seed;
    uint64_t got;
    int me = 0, n = 0;

    start(&argc, &argv);
    seed = (unsigned)atoi(argv[1]) * 7919u;
    in_r = rank != 2 && rank != 3;
    MPI_Comm_split(MPI_COMM_WORLD, in_r ? 0 : MPI_UNDEFINED, rank, &r_comm);
    if (in_r) {
        MPI_Comm_set_errhandler(r_comm, MPI_ERRORS_ARE_FATAL);
        MPI_Comm_rank(r_comm, &me);
        MPI_Comm_size(r_comm, &n);
    }
    CHECK_OK(MPIX_Module_create(MPI_COMM_WORLD, rank < 4 ? recover : NULL, NULL,
                                MPIX_MODULE_ROLL_BACK, &f));
    if (!in_r) /* at once, or when much has been done */
        die_soon(1 + (long)((unsigned)rand() ^ (unsigned)getpid() * 7919u) % 60000 *
                         (getpid() % 3 ? 1 : 4));
    for (int call = 0; call < CALLS; call++) {
        call_f();
        CHECK_EQ(in_f, (unsigned)call + 1);
        if (in_r)
            work_in_r(seed + (unsigned)call, me, n);
        post(PASSES);
    }
    got = sum_of_r;
    sum_of_r = 0;
    for (int call = 0; call < CALLS; call++)
        work_in_r(seed + (unsigned)call, 0, 0);
    if (in_r)
        CHECK(got == sum_of_r);
    if (!in_r) /* at the latest now: a death that no call can report would be the job's status */
        die_now();
    call_f();
    if (rank == 0)
        printf("R is right, behind %d calls for %d\n", posted(PASSES), CALLS);
    CHECK_OK(MPIX_Module_free(&f));
    MPI_Finalize();
    return 0;
}
