/* SPDX-License-Identifier: BSD-3-Clause */
/* meetings.c – for the simulator: S0-1, S0-60, S2-2, S2-5, S2-6, S2-14 for MPI_Comm_create_group and
 * MPI_Intercomm_create, whose callers have no communicator in common that could fail.  Between the
 * calls there are barriers; a rank that sees a failure there does not make the next call.
 *
 *   1  the dead process is in the group: one that stays away leaves no other waiting
 *   2  it is not: one that stays away says so by revoking what the others name
 *   3, 4  the same with two groups; 4 with leaders that meet on a communicator that holds everybody
 *
 * Killed at every yield: every call returns, with the right class, and among the surviving members of
 * the new communicator all have it or none.
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-60: a revocation ends calls in progress
 *   S2-2: all communicators that take part in a creation must be active
 *   S2-5: creation is uniform: at all survivors or at none
 *   S2-6: a death before the decision makes creation fail everywhere
 *   S2-14: a creation ends although another member gave up before it */
#include "uniform.h"

struct state {
    int rank, size, even, upper; /* upper: of the even ranks */
    MPI_Comm c, pair, local, evens;
};

static int is_class(int err)
{
    return err == MPI_SUCCESS || err == MPIX_ERR_PROC_FAILED || err == MPIX_ERR_REVOKED;
}

/* All participants have it, or none. */
static int uniform_among(int takes_part, int have)
{
    int all = !takes_part || have, none = !takes_part || !have;

    leave_the_dead_behind(MPI_COMM_WORLD);
    if (MPI_Comm_agreement(MPI_COMM_WORLD, &all) != MPI_SUCCESS ||
        MPI_Comm_agreement(MPI_COMM_WORLD, &none) != MPI_SUCCESS)
        return 0;
    return all || none;
}

/* The new communicator works, as far as its members live. */
static int works(MPI_Comm made, int expected)
{
    int one = 1, sum = 0, err;

    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    err = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made);
    return err == MPIX_ERR_PROC_FAILED || (!err && sum == expected);
}

static int dead_inside(struct state *s)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group g;
    int err = MPI_Barrier(s->c);

    MPI_Comm_group(s->c, &g);
    if (!err)
        err = MPI_Comm_create_group(s->c, g, 0, &made);
    MPI_Group_free(&g);
    if (!is_class(err) || err == MPIX_ERR_REVOKED || (made == MPI_COMM_NULL) != (err != 0))
        return 0;
    if (!uniform_among(1, !err))
        return 0;
    return err || works(made, s->size);
}

static int dead_outside(struct state *s)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group g;
    int err = MPI_Barrier(s->pair);

    MPI_Comm_group(s->evens, &g);
    if (s->even && err)
        MPIX_Comm_revoke(s->c);
    else if (s->even)
        err = MPI_Comm_create_group(s->c, g, 3, &made);
    MPI_Group_free(&g);
    if (!is_class(err) || !uniform_among(s->even, made != MPI_COMM_NULL))
        return 0;
    return made == MPI_COMM_NULL || works(made, (s->size + 1) / 2);
}

static int two_groups(struct state *s, MPI_Comm peer, int scale)
{
    MPI_Comm made = MPI_COMM_NULL;
    int err = MPI_Barrier(s->pair), evens = (s->size + 1) / 2, low = evens / 2, n = 0;
    int leads = s->rank == 0 || s->rank == 2 * low;

    if (s->even && err) {
        MPIX_Comm_revoke(s->local);
        if (leads) /* the other leader has named nothing else */
            MPIX_Comm_revoke(peer);
    } else if (s->even) {
        err = MPI_Intercomm_create(s->local, 0, peer, s->upper ? 0 : low * scale, 7, &made);
    }
    if (!is_class(err) || !uniform_among(s->even, made != MPI_COMM_NULL))
        return 0;
    if (made == MPI_COMM_NULL)
        return 1;
    MPI_Comm_remote_size(made, &n);
    return n == (s->upper ? low : evens - low) && works(made, n);
}

/* MPI_COMM_SELF stands in where a process has no part, so that all make the same calls. */
static int prepare(struct state *s)
{
    int evens, color;

    MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s->size);
    evens = (s->size + 1) / 2;
    s->even = s->rank % 2 == 0;
    s->upper = s->rank / 2 >= evens / 2;
    color = s->even ? s->upper : 2;
    return !MPI_Comm_dup(MPI_COMM_WORLD, &s->c) &&
           !MPI_Comm_split(MPI_COMM_WORLD, s->rank / 2, 0, &s->pair) &&
           !MPI_Comm_split(MPI_COMM_WORLD, color, 0, &s->local) &&
           !MPI_Comm_split(MPI_COMM_WORLD, s->even, 0, &s->evens);
}

int main(int argc, char **argv)
{
    struct state s;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (prepare(&s)) { /* uniform */
        if (!dead_inside(&s))
            return 1;
        if (!dead_outside(&s))
            return 2;
        if (!two_groups(&s, s.evens, 1))
            return 3;
        if (!two_groups(&s, MPI_COMM_WORLD, 2))
            return 4;
    }
    MPI_Finalize();
    return 0;
}
