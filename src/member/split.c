/* SPDX-License-Identifier: BSD-3-Clause */
/* split.c – MPI_Comm_split: who is in which part, then one agreement for all parts.
 *
 * All parts get the same context id and cell: they have no member in common, so no frame can be
 * taken for another part's. */
#include "member/internal.h"

#include <stdlib.h>

struct entry {
    int color, key, rank;
};

static int by_key(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : x->rank - y->rank;
}

/* Everybody's color and key.  Blocks; PROC_FAILED or INVALIDATED by the rules of collectives. */
static int exchange(struct mend_comm *c, struct entry mine, struct entry *all)
{
    const struct mend_type *t = mend_type_predefined((uintptr_t)MPI_INT);
    struct mend_coll_buf in = {&mine, 3, t, MPI_INT}, out = {all, 3, t, MPI_INT};
    struct mend_coll_how now = {.kind = MEND_COLL_NOW};

    return mend_coll_allgather(c, in, out, &now);
}

/* The group of my color, in order of key and rank. */
static struct mend_group *my_part(struct mend_comm *c, struct entry *all, int color)
{
    mend_peer *peers = mend_alloc(c->self, (size_t)c->size * sizeof(*peers));
    struct mend_group *g;
    int n = 0;

    if (!peers)
        return NULL;
    qsort(all, (size_t)c->size, sizeof(*all), by_key);
    for (int i = 0; i < c->size; i++)
        if (all[i].color == color)
            peers[n++] = mend_group_peer(c->group, all[i].rank);
    g = mend_group_create(c->self, peers, n);
    mend_free(c->self, peers);
    return g;
}

/* One agreement, whatever came of the exchange here: a member that failed says no. */
static int agree_on_parts(struct mend_comm *c, struct mend_group *part, int own_error,
                          struct mend_comm **new_p)
{
    struct mend_agreed value;
    int err;

    mend_creation_propose(c, !own_error, &value);
    value.max_word[1] = (uint64_t)own_error;
    err = mend_agree_wait(c, MEND_MACHINE_CREATION, &value);
    if (err)
        return err;
    err = mend_creation_result(c, &value, own_error);
    if (!err)
        err = mend_creation_object(c, part, NULL, &value, new_p);
    if (value.failed)
        mend_group_put(c->self, value.failed);
    return err;
}

int mend_member_split(struct mend_comm *c, int color, int key, struct mend_comm **new_p)
{
    struct mend_proc *self = c->self;
    struct entry mine = {color, key, c->rank}, *all;
    struct mend_group *part = NULL;
    int err = mend_creation_check(c);

    if (err)
        return err;
    if (c->inter)
        return MPI_ERR_UNSUPPORTED_OPERATION;
    *new_p = NULL;
    all = mend_alloc(self, (size_t)c->size * sizeof(*all));
    err = all ? exchange(c, mine, all) : MPI_ERR_NO_MEM;
    if (!err && color != MPI_UNDEFINED) {
        part = my_part(c, all, color);
        err = part ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    mend_free(self, all);
    /* A collective that failed here has made the communicator failed here, which has said no. */
    if (!err || !(c->coll_failed || c->revoked))
        err = agree_on_parts(c, part, err, new_p);
    if (part)
        mend_group_put(self, part);
    return err;
}

/* All processes of a job share a node today, so SHARED keeps everybody together; the hardware types
 * are not known and give MPI_COMM_NULL, as the standard allows (MPI-5.0 7.4.2). */
int mend_member_split_type(struct mend_comm *c, int type, int key, struct mend_info *info,
                           struct mend_comm **new_p)
{
    (void)info;
    return mend_member_split(c, type == MPI_COMM_TYPE_SHARED ? 0 : MPI_UNDEFINED, key, new_p);
}
