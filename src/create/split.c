/* SPDX-License-Identifier: BSD-3-Clause */
/* split.c – MPI_Comm_split and MPI_Comm_create: the members of each part, then one agreement for all parts.
 *
 *   intracommunicator    allgather { color, key }                                ──> agreement
 *   intercommunicator    allgather: theirs │ each rank 0 tells the other group
 *                                          │ what it has heard of it: ours       ──> agreement
 *
 *        A 0r 1b 2r │ 0g 1r B        red: A {0, 2} and B {1}     blue, green: MPI_COMM_NULL
 *
 * A part of an intercommunicator has the processes of its color from both groups; a color that only
 * one side has makes no communicator (MPI-5.0 7.4.2).  MPI_Comm_create on an intercommunicator is the same with
 * the place in the given group as the key: all members of a side give the same group, so the other side's
 * answer about itself suffices.
 *
 * All parts get the same context id and cell: they have no member in common, so a frame cannot be
 * confused with one of another part. */
#include "create/split.h"

#include <stdlib.h>

static int by_key(const void *a, const void *b)
{
    const struct mend_split_entry *x = a, *y = b;

    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : x->rank - y->rank;
}

static struct mend_coll_buf buffer(const int *values, int each, int n)
{
    return (struct mend_coll_buf){(void *)values, (MPI_Count)each * n,
                                  mend_type_predefined((uintptr_t)MPI_INT), MPI_INT};
}

/* On an intercommunicator: one group after the other hears about itself. */
static int hear_back(struct mend_comm *c, int each, int *ours, int *theirs)
{
    struct mend_coll_how now = {.kind = MEND_COLL_NOW};
    int err = MPI_SUCCESS;

    for (int turn = 0; turn < 2 && !err; turn++) {
        bool tell = (turn == 0) == (c->decide->first == c->group);
        struct mend_coll_buf b =
            tell ? buffer(theirs, each, c->peers_n) : buffer(ours, each, c->size);
        int root = !tell ? 0 : c->rank == 0 ? MPI_ROOT : MPI_PROC_NULL;

        err = mend_coll_bcast(c, &b, root, &now);
    }
    return err;
}

int mend_split_exchange(struct mend_comm *c, const int *mine, int each, int *ours, int *theirs)
{
    struct mend_coll_buf in = buffer(mine, each, 1),
                         out = buffer(c->inter ? theirs : ours, each, 1);
    struct mend_coll_how now = {.kind = MEND_COLL_NOW};
    int err = mend_coll_allgather(c, &in, &out, NULL, &now);

    return !err && c->inter && ours ? hear_back(c, each, ours, theirs) : err;
}

/* The members of g with the color, in order of key and rank.  NULL: no memory. */
static struct mend_group *part_of(struct mend_comm *c, struct mend_group *g,
                                  struct mend_split_entry *all, int color)
{
    mend_peer *peers = mend_alloc(c->self, (size_t)g->size * sizeof(*peers));
    struct mend_group *part;
    int n = 0;

    if (!peers)
        return NULL;
    qsort(all, (size_t)g->size, sizeof(*all), by_key);
    for (int i = 0; i < g->size; i++)
        if (all[i].color == color)
            peers[n++] = mend_group_peer(g, all[i].rank);
    part = mend_group_create(c->self, peers, n);
    mend_free(c->self, peers);
    return part;
}

/* The groups of a part, references for the caller; NULL where there is none. */
struct part {
    struct mend_group *group, *remote;
};

static void put_part(struct mend_comm *c, struct part *p)
{
    if (p->group)
        mend_group_put(c->self, p->group);
    if (p->remote)
        mend_group_put(c->self, p->remote);
}

/* Exchanges colors and keys; *p is my part, empty for MPI_UNDEFINED. */
static int find_part(struct mend_comm *c, const struct mend_split *how, struct part *p)
{
    struct mend_proc *self = c->self;
    struct mend_split_entry mine = {how->color, how->key, c->rank}, *ours, *theirs;
    int err, color = how->color;

    mend_memory_press(self); /* the others wait for what it tells them */
    ours = mend_alloc(self, ((size_t)c->size + (size_t)c->peers_n) * sizeof(*ours));
    mend_memory_relax(self);
    theirs = ours + c->size;
    err = mend_split_exchange(c, (const int *)&mine, MEND_SPLIT_INTS,
                              how->group ? NULL : (int *)ours, (int *)theirs);
    if (!err && how->settle) {
        err = how->settle(c, ours, theirs, how->found_p);
        color = ours[c->rank].color;
    }
    if (!err && color != MPI_UNDEFINED) {
        if (how->group)
            mend_group_get(how->group);
        p->group = how->group ? how->group : part_of(c, c->group, ours, color);
        p->remote = c->inter ? part_of(c, c->remote, theirs, color) : NULL;
        err = p->group && (p->remote || !c->inter) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    mend_free(self, ours);
    return err;
}

/* A member that failed in the exchange vetoes, but a collective that ended for a death or a revocation has done so
 * already. */
int mend_split_create(struct mend_comm *c, const struct mend_split *how, struct mend_comm **new_p)
{
    struct part p = {NULL, NULL};
    int err = find_part(c, how, &p);

    *new_p = NULL;
    if (!err || !(c->inactive || c->revoked))
        err = mend_creation_now(c, p.group, p.remote, err ? err : how->own_error, new_p);
    put_part(c, &p);
    return err;
}

/* Among the survivors: a process that the last cut left out acts as if its color were MPI_UNDEFINED. */
int mend_create_split(struct mend_comm *c, int color, int key, struct mend_comm **new_p)
{
    struct mend_comm *carrier = mend_comm_carrier(c);
    struct mend_split how = {.color = color, .key = key};
    int err = mend_creation_check(carrier);

    return err ? err : mend_split_create(carrier, &how, new_p);
}

/* Others may give other groups, so a member that asks for a hole takes part, too. */
int mend_create_from_subset(struct mend_comm *c, struct mend_group *g, struct mend_comm **new_p)
{
    struct mend_comm *carrier = mend_comm_carrier(c);
    struct mend_split how = {.group = g};
    int err = mend_creation_check(carrier);

    if (err)
        return err;
    how.own_error = mend_group_contains(c->self, carrier->group, g) ? 0 : MEND_CREATION_HOLE;
    if (!c->inter)
        return mend_creation_now(carrier, g, NULL, how.own_error, new_p);
    how.key = mend_group_rank(c->self, g, c->self->me);
    how.color = how.key == MPI_UNDEFINED ? MPI_UNDEFINED : 0;
    return mend_split_create(carrier, &how, new_p);
}
