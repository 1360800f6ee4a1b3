/* SPDX-License-Identifier: BSD-3-Clause */
/* Every survivor learns of every failure by queries alone: no rank communicates.  Victims die one after the other, and
 * each survivor asks for the failed members of three communicators: MPI_COMM_WORLD, one with half of the victims, and
 * one with none.  The set that a query returns never loses a member and never has a process that runs (S3-10); in the
 * end it is the set of all victims in the group.  Until then the sets of two survivors may differ (S3-13).
 *
 *   S0-55: a failure need not be known everywhere
 *   S3-3: every survivor can learn of every failure
 *   S3-4: a query returns the failed processes of a communicator
 *   S3-8: every dead process is suspected for ever by every survivor
 *   S3-10: a running process is not suspected
 *   S3-13: for a while some survivors know of a death and others do not
 *
 * RUN: -n 2 ; args 1 ; expect "rank 0 ok"
 * RUN: -n 5 ; args 0,3 ; expect "rank 1 ok" ; expect "rank 4 ok"
 * RUN: -n 9 ; args 0,1,4,7,8 ; expect "rank 2 ok" ; expect "rank 6 ok" */
#include "../common.h"

#define BEGUN 0
#define DYING 1 /* slots of the board */

/* Failed members as a set of ranks of MPI_COMM_WORLD. */
static unsigned failed_set(MPI_Comm c)
{
    MPI_Group failed, world;
    int n, r;
    unsigned set = 0;

    CHECK_EQ(MPI_Comm_get_failed(c, &failed), MPI_SUCCESS);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(failed, &n);
    for (int i = 0; i < n; i++) {
        MPI_Group_translate_ranks(failed, 1, &i, world, &r);
        CHECK(r != MPI_UNDEFINED && !(set >> r & 1));
        set |= 1u << r;
    }
    MPI_Group_free(&world);
    if (failed != MPI_GROUP_EMPTY)
        MPI_Group_free(&failed);
    return set;
}

static unsigned ranks_of(MPI_Comm c)
{
    MPI_Group all, world;
    int n, r;
    unsigned set = 0;

    MPI_Comm_group(c, &all);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(all, &n);
    for (int i = 0; i < n; i++) {
        MPI_Group_translate_ranks(all, 1, &i, world, &r);
        set |= 1u << r;
    }
    MPI_Group_free(&all);
    MPI_Group_free(&world);
    return set;
}

/* Asks until all is known; everything on the way must be true. */
static void watch(MPI_Comm c, unsigned all_victims)
{
    unsigned before = 0, now, expected = ranks_of(c) & all_victims;

    do {
        now = failed_set(c);
        CHECK_EQ(before & ~now, 0);   /* S3-8: permanently */
        CHECK_EQ(now & ~expected, 0); /* members only, and no living one (S3-10) */
        before = now;
        sched_yield();
    } while (now != expected);
    CHECK_EQ(failed_set(c), expected);
}

/* The ranks of a list such as 1,4. */
static unsigned set_of(const char *list)
{
    unsigned set = 0;

    for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        set |= 1u << atoi(p);
    return set;
}

int main(int argc, char **argv)
{
    MPI_Comm odd, rest;
    unsigned victims = set_of(argv[1]), lower;
    bool doomed;

    start(&argc, &argv);
    doomed = victims >> rank & 1;
    lower = victims & ((1u << rank) - 1);
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &odd), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, doomed, 0, &rest), MPI_SUCCESS);
    CHECK_EQ(failed_set(MPI_COMM_WORLD) & ~victims, 0);
    if (doomed) {
        await(BEGUN, size - __builtin_popcount(victims)); /* the survivors ask already */
        await(DYING, __builtin_popcount(lower));          /* one after the other */
        post(DYING);
        die_now();
    }
    post(BEGUN);
    watch(MPI_COMM_WORLD, victims);
    watch(odd, victims);
    watch(rest, victims); /* none of its members has failed */
    watch(MPI_COMM_SELF, victims);
    return finish();
}
