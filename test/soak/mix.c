/* SPDX-License-Identifier: BSD-3-Clause */
/* mix.c – a program that survives any death at any time: the subject of test/soak/run.
 *
 * ROUNDS rounds of a bit of everything: messages small and large, wildcards, nonblocking ones,
 * collectives, communicators created and freed.  A round counts if all survivors agree that it succeeded; otherwise
 * they revoke, shrink, and repeat it.  The survivors share the work of a round, so
 * its result does not depend on the deaths, and is checked at the end.
 *
 *   mix ROUNDS     each survivor prints "rank N ok" with its number in MPI_COMM_WORLD
 *
 * Shows S0-1 and R19: every call comes back, MPI_Finalize too.
 *
 *   R19: MPI_Finalize succeeds in bounded time at every survivor
 *   S0-1: a call that needs a dead process returns in bounded time */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS 64
#define LARGE 60000
#define WRONG (-1) /* a result, not an error: never acceptable */

static int me; /* in MPI_COMM_WORLD */
static unsigned char out[LARGE], in[LARGE];

static uint64_t item(int round, int i)
{
    uint64_t x = (uint64_t)round * ITEMS + (uint64_t)i + 1;

    x *= UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

/* ---- parts of a round: an error code, or WRONG ---- */

static int ring(MPI_Comm c, int rank, int size, int n)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, err;

    memset(out, rank + 1, (size_t)n);
    err = MPI_Sendrecv(out, n, MPI_BYTE, right, 1, in, n, MPI_BYTE, left, 1, c, MPI_STATUS_IGNORE);
    if (err != MPI_SUCCESS)
        return err;
    return in[0] == left + 1 && in[n - 1] == left + 1 ? MPI_SUCCESS : WRONG;
}

/* Rank 0 hears from everybody in any order and answers. */
static int collect(MPI_Comm c, int rank, int size)
{
    int err = MPI_SUCCESS, v, sum = 0;
    MPI_Status s;

    if (rank) {
        err = MPI_Send(&rank, 1, MPI_INT, 0, 2, c);
        return err ? err : MPI_Recv(&v, 1, MPI_INT, 0, 3, c, MPI_STATUS_IGNORE);
    }
    for (int i = 1; i < size && !err; i++) {
        err = MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 2, c, &s);
        if (!err && v != s.MPI_SOURCE)
            return WRONG;
        sum += err ? 0 : v;
    }
    for (int i = 1; i < size && !err; i++)
        err = MPI_Send(&sum, 1, MPI_INT, i, 3, c);
    return !err && sum != size * (size - 1) / 2 ? WRONG : err;
}

/* Everything at once, and a barrier beside it. */
static int overlapped(MPI_Comm c, int rank, int size)
{
    MPI_Request q[5];
    int right = (rank + 1) % size, left = (rank + size - 1) % size, a = -1, b = -1, err, one;

    MPI_Irecv(&a, 1, MPI_INT, left, 4, c, &q[0]);
    MPI_Irecv(&b, 1, MPI_INT, right, 5, c, &q[1]);
    MPI_Isend(&rank, 1, MPI_INT, right, 4, c, &q[2]);
    MPI_Isend(&rank, 1, MPI_INT, left, 5, c, &q[3]);
    err = MPI_Ibarrier(c, &q[4]);
    if (err) /* already known to be impossible: nothing was started */
        q[4] = MPI_REQUEST_NULL;
    for (int i = 0; i < 5; i++) {
        one = MPI_Wait(&q[i], MPI_STATUS_IGNORE);
        if (one && !err) {
            err = one;
            MPIX_Comm_revoke(c); /* so that a neighbour that lives and has left does not keep us */
        }
    }
    return !err && (a != left || b != right) ? WRONG : err;
}

static int together(MPI_Comm c, int rank, int size, int round, uint64_t *total_p)
{
    int root = round % size, from_root[16], every[16], got[16], err;
    uint64_t mine = 0;

    for (int i = rank; i < ITEMS; i += size)
        mine += item(round, i);
    for (int i = 0; i < 16; i++)
        from_root[i] = rank == root ? round + i : -1, every[i] = rank * 16 + i;
    err = MPI_Allreduce(&mine, total_p, 1, MPI_UINT64_T, MPI_SUM, c);
    if (!err)
        err = MPI_Bcast(from_root, 16, MPI_INT, root, c);
    if (!err && from_root[15] != round + 15)
        return WRONG;
    if (!err)
        err = MPI_Alltoall(every, 1, MPI_INT, got, 1, MPI_INT, c);
    for (int i = 0; i < size && !err; i++)
        if (got[i] != i * 16 + rank)
            return WRONG;
    return err ? err : MPI_Barrier(c);
}

/* A communicator that is used once; if that fails, no rank in it may wait for this one. */
static int use_and_free(MPI_Comm *made, int members)
{
    int one = 1, sum = 0, err = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, *made);

    if (err)
        MPIX_Comm_revoke(*made);
    MPI_Comm_free(made);
    return !err && sum != members ? WRONG : err;
}

static int come_and_go(MPI_Comm c, int rank, int size)
{
    MPI_Comm made = MPI_COMM_NULL;
    int err = MPI_Comm_dup(c, &made);

    if (!err)
        err = use_and_free(&made, size);
    if (!err)
        err = MPI_Comm_split(c, rank % 2, -rank, &made);
    return err ? err : use_and_free(&made, (size + 1 - rank % 2) / 2);
}

static int one_round(MPI_Comm c, int round, uint64_t *total_p)
{
    int rank, size, err;

    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    err = ring(c, rank, size, 8);
    if (!err)
        err = ring(c, rank, size, LARGE);
    if (!err)
        err = collect(c, rank, size);
    if (!err)
        err = overlapped(c, rank, size);
    if (!err)
        err = come_and_go(c, rank, size);
    return err ? err : together(c, rank, size, round, total_p);
}

/* ---- rounds ---- */

static _Noreturn void fail(const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len;

    if (code > 0)
        MPI_Error_string(code, text, &len);
    fprintf(stderr, "rank %d: %s %s\n", me, what, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

/* True if the round worked at all that live. */
static bool agreed(MPI_Comm c, int err)
{
    int class = MPI_SUCCESS, ok = !err;

    if (err == WRONG)
        fail("a wrong result", 0);
    if (err)
        MPI_Error_class(err, &class);
    if (err && class != MPI_ERR_PROC_FAILED && class != MPI_ERR_REVOKED)
        fail("an error that nobody made:", err);
    if (err)
        MPIX_Comm_revoke(c);
    err = MPI_Comm_agreement(c, &ok);
    if (err)
        fail("an agreement failed:", err);
    return ok;
}

static void shrink(MPI_Comm *c)
{
    MPI_Comm smaller;
    int err = MPIX_Comm_shrink(*c, &smaller);

    if (err)
        fail("a shrink failed:", err);
    if (*c != MPI_COMM_WORLD)
        MPI_Comm_free(c);
    MPI_Comm_set_errhandler(smaller, MPI_ERRORS_RETURN);
    *c = smaller;
}

int main(int argc, char **argv)
{
    MPI_Comm c = MPI_COMM_WORLD;
    uint64_t sum = 0, expected = 0, total;
    int rounds = argc > 1 ? atoi(argv[1]) : 10;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int round = 0; round < rounds;) {
        if (!agreed(c, one_round(c, round, &total))) {
            shrink(&c);
            continue;
        }
        sum = sum * 31 + total;
        round++;
    }
    for (int round = 0; round < rounds; round++) {
        total = 0;
        for (int i = 0; i < ITEMS; i++)
            total += item(round, i);
        expected = expected * 31 + total;
    }
    if (sum != expected)
        fail("the sum is wrong", 0);
    MPI_Finalize();
    printf("rank %d ok\n", me);
    return 0;
}
