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
#include "base/hardware.h"
#include "comm/info.h"
#include "create/creation.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    int color, key, rank;
};

static int by_key(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : x->rank - y->rank;
}

static struct mend_coll_buf buffer(struct entry *e, int n)
{
    return (struct mend_coll_buf){e, (MPI_Count)3 * n, mend_type_predefined((uintptr_t)MPI_INT),
                                  MPI_INT};
}

/* What the others of my communicator, or of the other group, say.  Blocks; PROC_FAILED or INVALIDATED by
 * the rules of collectives. */
static int ask(struct mend_comm *c, struct entry mine, struct entry *theirs)
{
    struct mend_coll_buf in = buffer(&mine, 1), out = buffer(theirs, 1);
    struct mend_coll_how now = {.kind = MEND_COLL_NOW};

    return mend_coll_allgather(c, &in, &out, NULL, &now);
}

/* On an intercommunicator: one group after the other hears about itself. */
static int ask_back(struct mend_comm *c, struct entry *ours, struct entry *theirs)
{
    struct mend_coll_how now = {.kind = MEND_COLL_NOW};
    int err = MPI_SUCCESS;

    for (int turn = 0; turn < 2 && !err; turn++) {
        bool tell = (turn == 0) == (c->decide->first == c->group);
        struct mend_coll_buf b = tell ? buffer(theirs, c->peers_n) : buffer(ours, c->size);
        int root = !tell ? 0 : c->rank == 0 ? MPI_ROOT : MPI_PROC_NULL;

        err = mend_coll_bcast(c, &b, root, &now);
    }
    return err;
}

/* The members of g with the color, in order of key and rank.  NULL: no memory. */
static struct mend_group *part_of(struct mend_comm *c, struct mend_group *g, struct entry *all,
                                  int color)
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

/* Exchanges colors and keys; *p is my part, empty for MPI_UNDEFINED.  g: my group of it, if it is known
 * already. */
static int find_part(struct mend_comm *c, int color, int key, struct mend_group *g, struct part *p)
{
    struct mend_proc *self = c->self;
    struct entry mine = {color, key, c->rank}, *ours, *theirs;
    int err;

    mend_memory_press(self); /* the others wait for what it tells them */
    ours = mend_alloc(self, ((size_t)c->size + (size_t)c->peers_n) * sizeof(*ours));
    mend_memory_relax(self);
    theirs = c->inter ? ours + c->size : ours;
    err = ask(c, mine, theirs);
    if (!err && c->inter && !g)
        err = ask_back(c, ours, theirs);
    if (!err && color != MPI_UNDEFINED) {
        if (g)
            mend_group_get(g);
        p->group = g ? g : part_of(c, c->group, ours, color);
        p->remote = c->inter ? part_of(c, c->remote, theirs, color) : NULL;
        err = p->group && (p->remote || !c->inter) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    mend_free(self, ours);
    return err;
}

/* One agreement, whatever came of the exchange here: a member that failed vetoes, also for its
 * own_error.  But a collective that ended for a death or a revocation has done so already. */
static int create_part(struct mend_comm *c, int color, int key, struct mend_group *g, int own_error,
                       struct mend_comm **new_p)
{
    struct part p = {NULL, NULL};
    int err = find_part(c, color, key, g, &p);

    *new_p = NULL;
    if (!err || !(c->inactive || c->revoked))
        err = mend_creation_now(c, p.group, p.remote, err ? err : own_error, new_p);
    put_part(c, &p);
    return err;
}

/* Among the survivors: a process that the last cut left out acts as if its color were MPI_UNDEFINED. */
int mend_create_split(struct mend_comm *c, int color, int key, struct mend_comm **new_p)
{
    struct mend_comm *carrier = mend_comm_carrier(c);
    int err = mend_creation_check(carrier);

    return err ? err : create_part(carrier, color, key, NULL, 0, new_p);
}

/* Others may give other groups, so a member that asks for a hole takes part, too. */
int mend_create_from_subset(struct mend_comm *c, struct mend_group *g, struct mend_comm **new_p)
{
    struct mend_comm *carrier = mend_comm_carrier(c);
    int err = mend_creation_check(carrier), place, own_error;

    if (err)
        return err;
    own_error = mend_group_contains(c->self, carrier->group, g) ? 0 : MEND_CREATION_HOLE;
    if (!c->inter)
        return mend_creation_now(carrier, g, NULL, own_error, new_p);
    place = mend_group_rank(c->self, g, c->self->me);
    return create_part(carrier, place == MPI_UNDEFINED ? MPI_UNDEFINED : 0, place, g, own_error,
                       new_p);
}

static bool is_text(const char *a, const char *b)
{
    return a && !strcmp(a, b);
}

/* The lowest rank that shares memory with this process: all that share it find the same. */
static int first_here(const struct mend_comm *c)
{
    int r = 0;

    while (r != c->rank && !mend_peer_shares_memory(c->self, mend_group_peer(c->group, r)))
        r++;
    return r;
}

/* Processors have the same numbers on all nodes. */
static int color_of_hardware(const struct mend_comm *c, enum mend_hardware kind)
{
    int part = mend_hardware_here(kind);

    return part < 0 ? MPI_UNDEFINED : first_here(c) * CPU_SETSIZE + part;
}

/* Kinds of parts for MPI_COMM_TYPE_HW_UNGUIDED, from the largest to the smallest: nodes, and those of the hardware. */
#define KINDS (1 + MEND_HARDWARE_KINDS)

static int color_of_kind(const struct mend_comm *c, int kind)
{
    return kind ? color_of_hardware(c, (enum mend_hardware)(kind - 1)) : first_here(c);
}

/* The lowest color, and the lowest negated one, of each kind.  INT_MAX: of one that does not ask. */
static void list_colors(const struct mend_comm *c, bool asks, int *low)
{
    for (int k = 0; k < KINDS; k++) {
        int color = asks ? color_of_kind(c, k) : INT_MAX;

        low[k] = color == MPI_UNDEFINED ? -1 : color;
        low[KINDS + k] = asks && color != MPI_UNDEFINED ? -color : INT_MAX;
    }
}

/* The largest parts of which there are several, and to one of which each process that asks belongs; for those that do
 * not ask, too, which do not know that others do.  Blocks; PROC_FAILED or INVALIDATED by the rules of collectives. */
static int find_unguided(struct mend_comm *c, struct mend_comm *carrier, bool asks, int *color_p)
{
    int low[2 * KINDS];
    struct mend_coll_buf out = {low, 2 * KINDS, mend_type_predefined((uintptr_t)MPI_INT), MPI_INT};
    struct mend_coll_how now = {.kind = MEND_COLL_NOW};
    int err;

    list_colors(c, asks, low);
    err = mend_coll_allreduce(carrier, MPI_IN_PLACE, &out, mend_op_of(MPI_MIN), &now);
    for (int k = 0; !err && asks && *color_p == MPI_UNDEFINED && k < KINDS; k++)
        if (low[k] >= 0 && low[k] != -low[KINDS + k])
            *color_p = color_of_kind(c, k);
    return err;
}

/* The part that a process belongs to.  A process that may run on several parts of that kind, and other hardware and other sets of
 * processes, give MPI_COMM_NULL, as the standard allows (MPI-5.0 7.4.2). */
static int color_of(const struct mend_comm *c, int type, const char *hardware, const char *set)
{
    bool resource = type == MPI_COMM_TYPE_RESOURCE_GUIDED;
    bool guided = resource || type == MPI_COMM_TYPE_HW_GUIDED;
    enum mend_hardware kind = mend_hardware_named(hardware);

    if (type == MPI_COMM_TYPE_SHARED || (guided && is_text(hardware, "mpi_shared_memory")))
        return first_here(c);
    if (guided && kind != MEND_HARDWARE_KINDS)
        return color_of_hardware(c, kind);
    if (resource && is_text(set, "mpi://WORLD"))
        return 0;
    return resource && is_text(set, "mpi://SELF") ? c->self->me : MPI_UNDEFINED;
}

/* MPI_ERR_INFO: guided by two things at once. */
int mend_create_split_type(struct mend_comm *c, int type, int key, struct mend_info *info,
                           struct mend_comm **new_p)
{
    const char *hardware = mend_info_get(info, "mpi_hw_resource_type");
    const char *set = mend_info_get(info, "mpi_pset_name");

    struct mend_comm *carrier = mend_comm_carrier(c);
    int color, err;

    if (type == MPI_COMM_TYPE_RESOURCE_GUIDED && hardware && set)
        return MPI_ERR_INFO;
    err = mend_creation_check(carrier);
    if (err)
        return err;
    color = color_of(c, type, hardware, set);
    if (!c->inter)
        err = find_unguided(c, carrier, type == MPI_COMM_TYPE_HW_UNGUIDED, &color);
    return create_part(carrier, color, key, NULL, err, new_p);
}
