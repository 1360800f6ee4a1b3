/* SPDX-License-Identifier: BSD-3-Clause */
/* A process is killed in a stream of collectives of all kinds
 * and lengths, blocking and nonblocking, without a pause between them, on an intracommunicator or an
 * intercommunicator.  Every survivor returns: each call gives success and the right result, or
 * MPI_ERR_PROC_FAILED; the first failure is final for the communicator, only places for
 * results are written, and communicators without the dead process still work.
 *
 *     args intra|inter [RANK]      RANK dies at a random time, which is printed
 *
 *   S0-7: every member of every group is involved in a collective
 *   S0-10: an operation without a dead process never reports a failure
 *   S0-27: a collective that a death prevents ends with PROC_FAILED
 *   S0-28: a failed collective touches nothing but its output buffers
 *   S0-29: some members of a collective may succeed while others fail
 *   S0-84: an acknowledgement does not repair collectives
 *
 * RUN: -n 4 --lenient-exit ; args intra ; kill 2 at coll.shm.arrived#1 ; expect "rank 0 ok"
 * RUN: -n 4 --lenient-exit ; args intra ; kill 0 at coll.shm.arrived#57 ; expect "rank 1 ok"
 * RUN: -n 4 --lenient-exit ; args intra ; kill 3 at coll.shm.arrived#311 ; expect "rank 1 ok"
 * RUN: -n 2 --lenient-exit ; args intra ; kill 1 at coll.shm.arrived#400 ; expect "rank 0 ok"
 * RUN: -n 5 --lenient-exit ; args intra ; kill 1 at coll.enter#90 ; expect "rank 0 ok"
 * RUN: -n 5 --lenient-exit ; args intra ; kill 4 at coll.done#91 ; expect "rank 0 ok"
 * RUN: -n 5 --lenient-exit ; args intra ; kill 2 at coll.round#200 ; expect "rank 0 ok"
 * RUN: -n 5 --lenient-exit ; args intra ; set COLL_SHM=0 ; kill 2 at coll.round#1 ; expect "rank 0 ok"
 * RUN: -n 5 --lenient-exit ; args intra ; set COLL_SHM=0 ; kill 0 at coll.round#77 ; expect "rank 1 ok"
 * RUN: -n 8 --lenient-exit ; args intra ; set COLL_SHM=0 ; kill 5 at coll.round#300 ; expect "rank 0 ok"
 * RUN: -n 4 --lenient-exit ; args intra ; set COLL_SHM=0 ; kill 1 at p2p.data.sent#20 ; set SINGLE_COPY=never ; set EAGER_MAX=1k ; set FRAGMENT=4k ; expect "rank 0 ok"
 * RUN: -n 8 --lenient-exit ; args intra ; kill 3,5 at coll.shm.arrived#100 ; expect "rank 0 ok"
 * RUN: -n 4 --lenient-exit ; args intra 1 ; expect "rank 0 ok" ; times 5
 * RUN: -n 4 --lenient-exit ; args intra 2 ; set COLL_SHM=0 ; expect "rank 0 ok" ; times 5
 * RUN: -n 2 --lenient-exit ; args inter ; kill 1 at coll.enter#60 ; expect "rank 0 ok"
 * RUN: -n 5 --lenient-exit ; args inter ; kill 0 at coll.enter#30 ; expect "rank 1 ok"
 * RUN: -n 5 --lenient-exit ; args inter ; kill 4 at coll.enter#90 ; expect "rank 0 ok"
 * RUN: -n 5 --lenient-exit ; args inter ; kill 2 at coll.done#91 ; expect "rank 0 ok"
 * RUN: -n 5 --lenient-exit ; args inter ; kill 1 at coll.round#100 ; expect "rank 0 ok"
 * RUN: -n 7 --lenient-exit ; args inter ; kill 0 at coll.round#55 ; expect "rank 2 ok"
 * RUN: -n 6 --lenient-exit ; args inter ; kill 5 at p2p.data.sent#20 ; set SINGLE_COPY=never ; set EAGER_MAX=1k ; set FRAGMENT=4k ; expect "rank 0 ok"
 * RUN: -n 6 --lenient-exit ; args inter ; kill 1 at p2p.recv.matched#200 ; expect "rank 0 ok"
 * RUN: -n 6 --lenient-exit ; args inter ; kill 0 at p2p.send.rts#10 ; set EAGER_MAX=1k ; expect "rank 1 ok"
 * RUN: -n 8 --lenient-exit ; args inter ; kill 0 at coll.round#120 ; kill 7 at death.done ; expect "rank 1 ok"
 * RUN: -n 5 --lenient-exit ; args inter 3 ; expect "rank 0 ok" ; times 5
 * RUN: -n 5 --lenient-exit ; args inter 0 ; expect "rank 1 ok" ; times 5 */
#include "kill/coll/kinds.h"

#define LENGTHS 4

static struct scene scenes[KINDS][LENGTHS];

/* The scenes of all kinds on one communicator. */
static void open_scenes(const struct scene *like)
{
    static const int lengths[LENGTHS] = {1, 5, 100, 3000};

    for (int k = 0; k < KINDS; k++)
        for (int l = 0; l < LENGTHS; l++) {
            struct scene *s = &scenes[k][l];

            *s = *like;
            s->kind = &kinds[k];
            s->n = lengths[l];
            s->completion = (k + l) % COMPLETIONS;
            scene_open(s);
        }
}

/* Until one fails. */
static int until_failure(bool inter)
{
    int err = MPI_SUCCESS;

    for (int i = 0; err == MPI_SUCCESS; i++) {
        struct scene *s = &scenes[i % KINDS][i / KINDS % LENGTHS];

        if (inter && has(s, INTRA_ONLY))
            continue;
        s->form = i % 5 == 4 ? NONBLOCKING : BLOCKING;
        s->root = i / 7 % size;
        make_arguments(s);
        scene_begin(s);
        err = scene_end(s, scene_call(s));
        scene_check(s, err);
    }
    return err;
}

/* The failure is final, for all kinds and forms, without waiting for anybody. */
static void check_final(bool inter)
{
    for (int k = 0; k < KINDS; k++)
        for (int form = 0; form < FORMS; form++) {
            struct scene *s = &scenes[k][k % LENGTHS];

            if (inter && has(s, INTRA_ONLY))
                continue;
            s->form = (enum form)form;
            CHECK_CLASS(scene_end(s, scene_call(s)), MPI_ERR_PROC_FAILED);
        }
}

/* S0-10: only a rank that shares a communicator with the dead one gets an error from it. */
static void check_others(MPI_Comm c)
{
    int one = 1, sum = 0, n, lost = 0;

    MPI_Comm_size(c, &n);
    if (MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c) == MPI_SUCCESS) {
        CHECK_EQ(sum, n);
        return;
    }
    for (int r = 0; r < n; r++)
        lost += is_known_dead(c, r);
    CHECK(lost > 0);
}

int main(int argc, char **argv)
{
    struct scene like = {0};
    MPI_Comm alone, few;
    bool inter = !strcmp(argv[1], "inter");

    start(&argc, &argv);
    like.me = rank;
    like.beneath = size;
    /* some of these hold the victim, others do not */
    if (MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &few) != MPI_SUCCESS)
        MPI_Comm_dup(MPI_COMM_SELF, &few); /* the victim died in here already */
    MPI_Comm_dup(MPI_COMM_SELF, &alone);
    if (!scene_comm(&like, MPI_COMM_WORLD, inter))
        return finish(); /* or in here */
    open_scenes(&like);
    if (argc > 2 && rank == atoi(argv[2])) {
        long us = 1 + getpid() * 7919L % 8000;

        fprintf(stderr, "dies after %ld us\n", us);
        die_soon(us);
    }
    CHECK_CLASS(until_failure(inter), MPI_ERR_PROC_FAILED);
    check_final(inter);
    check_others(alone);
    check_others(few);
    return finish();
}
