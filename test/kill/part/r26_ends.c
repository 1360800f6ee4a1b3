/* SPDX-License-Identifier: BSD-3-Clause */
/* Either end of partitioned messages dies at each step: every call of the survivors returns in bounded time; what had
 * arrived is valid; MPI_Parrived of what cannot arrive any more answers true with the class; the requests
 * fail when they complete, now and when they are started again, and the other messages of the communicator go on.
 * Rank 0 sends to rank 1, rank 1 to rank 2, rank 2 to rank 0; rank 1 dies.
 *
 *   R26: a partition that cannot arrive any more is reported as arrived, with the failure
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-2: a call that needs no dead process completes normally
 *   S0-15: a nonblocking call never reports a failure when it starts
 *   S0-16: the completion call reports the failure
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S0-18: after the first error all point-to-point with that process fails
 *
 * RUN: -n 3 --lenient-exit ; args 64 ; kill 1 at part.matched ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 64 ; kill 1 at part.started#1 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 64 ; kill 1 at part.started#3 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 64 ; kill 1 at part.marked#1 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 64 ; kill 1 at part.marked#21 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 64 ; kill 1 at part.sent#1 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 64 ; kill 1 at part.sent#9 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 64 ; kill 1 at part.arrived#1 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 64 ; kill 1 at part.arrived#11 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 64 ; kill 1 at call:MPI_Psend_init ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 64 ; kill 1 at call:MPI_Precv_init ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 64 ; kill 1 at call:MPI_Wait#2 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 250000 ; kill 1 at part.sent#1 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 250000 ; kill 1 at part.sent#9 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 250000 ; kill 1 at part.marked#5 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 250000 ; kill 1 at part.arrived#2 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 250000 ; kill 1 at p2p.send.rts#2 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 250000 ; kill 1 at p2p.recv.cts#2 ; set SINGLE_COPY=never ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 250000 ; kill 1 at p2p.data.sent#9 ; set SINGLE_COPY=never ; set FRAGMENT=4k ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args 250000 ; kill 1 at p2p.data.pulled#2 ; set SINGLE_COPY=always ; expect "rank 0 ok" ; expect "rank 2 ok" */
#include "../common.h"

#include "../../mpi/part/common.h"

#define PARTITIONS 4
#define ROUNDS     12
#define VICTIM     1
#define FAILED     MPI_ERR_PROC_FAILED

static int each;
static unsigned char *out, *in;
static bool to_dead, from_dead; /* an operation with that process has failed */

/* Success, or the class where the other end may be dead; nothing succeeds after that. */
static bool outcome(int err, int other, bool *failed)
{
    int class = class_of(err);

    CHECK(class == MPI_SUCCESS || (class == FAILED && other == VICTIM));
    CHECK(class == FAILED || !*failed);
    *failed |= class == FAILED;
    return class == MPI_SUCCESS;
}

static void look_at_partitions(MPI_Request r, int round, int from)
{
    bool all_there = true;
    int flag, class;

    for (int i = 0; i < PARTITIONS; i++) {
        do
            class = class_of(MPI_Parrived(r, i, &flag));
        while (!flag && class == MPI_SUCCESS);
        CHECK(flag);
        CHECK(class == MPI_SUCCESS || (class == FAILED && from == VICTIM));
        all_there &= class == MPI_SUCCESS;
        if (class == MPI_SUCCESS)
            for (int b = i * each; b < (i + 1) * each; b += each / 8)
                CHECK(in[b] == pattern((unsigned)(round * 3 + from), (size_t)b));
    }
    CHECK(all_there || class_of(MPI_Parrived(r, 0, &flag)) == MPI_SUCCESS || flag);
}

/* One message each way. */
static void one(MPI_Request *s, MPI_Request *r, int round, int to, int from)
{
    bool good;

    fill(out, (size_t)(PARTITIONS * each), (unsigned)(round * 3 + rank));
    CHECK_OK(MPI_Start(r));
    CHECK_OK(MPI_Start(s));
    for (int i = 0; i < PARTITIONS; i++)
        CHECK_OK(MPI_Pready((i * 3 + round) % PARTITIONS, *s));
    if (round % 2 && !from_dead)
        look_at_partitions(*r, round, from);
    good = outcome(MPI_Wait(r, MPI_STATUS_IGNORE), from, &from_dead);
    if (good)
        CHECK_EQ(wrong(in, (size_t)(PARTITIONS * each), (unsigned)(round * 3 + from)), -1);
    outcome(MPI_Wait(s, MPI_STATUS_IGNORE), to, &to_dead);
}

int main(int argc, char **argv)
{
    int to, from;
    MPI_Request s, r;

    each = atoi(argv[1]);
    start(&argc, &argv);
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    out = malloc((size_t)(PARTITIONS * each));
    in = guarded((size_t)(PARTITIONS * each));
    s = psend(out, PARTITIONS, each, MPI_BYTE, to, 1, W);
    r = precv(in, PARTITIONS, each, MPI_BYTE, from, 1, W);
    for (int round = 0; round < ROUNDS; round++)
        one(&s, &r, round, to, from);
    if (rank != VICTIM) {
        wait_until_dead(W, VICTIM);
        for (int round = ROUNDS; round < ROUNDS + 2; round++)
            one(&s, &r, round, to, from);
        CHECK(to == VICTIM ? to_dead : from_dead);
    }
    check_guards(in, (size_t)(PARTITIONS * each));
    CHECK_OK(MPI_Request_free(&s));
    CHECK_OK(MPI_Request_free(&r));
    return finish();
}
