/* SPDX-License-Identifier: BSD-3-Clause */
/* split_type.c – MPI_Comm_split_type: colors from nodes, parts of the hardware and process sets.
 *
 * A color names the member of the part that comes first among all members, both groups of an intercommunicator one
 * after the other: so all members of the part find the same, also from the two sides.
 *
 *   MPI_COMM_TYPE_HW_UNGUIDED    what each member is called in each kind of part ──> all      after the exchange of colors
 *                                and keys, by which all know whether a member asks for it.  The largest kind of which
 *                                there are several parts, to one of which each member that asks belongs, gives the
 *                                colors. */
#include "base/hardware.h"
#include "comm/info.h"
#include "create/split.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

/* Its color follows from what all say. */
#define UNGUIDED (-2)

/* Kinds of parts, from the largest to the smallest: nodes, and those of the hardware. */
#define KINDS (1 + MEND_HARDWARE_KINDS)

static bool is_text(const char *a, const char *b)
{
    return a && !strcmp(a, b);
}

static bool is_set(const char *a, const char *b)
{
    return a && !strcasecmp(a, b);
}

static bool is_near(struct mend_proc *self, mend_peer p)
{
    return p == self->me || mend_peer_shares_memory(self, p);
}

static bool is_of_my_world(struct mend_proc *self, mend_peer p)
{
    return mend_group_rank(self, self->world->group, p) != MPI_UNDEFINED;
}

/* The first member that is like this one. */
static int first(const struct mend_comm *c, bool (*is_like)(struct mend_proc *, mend_peer))
{
    int r = 0;

    while (r != c->decide->me && !is_like(c->self, mend_decide_peer(c->decide, r)))
        r++;
    return r;
}

static int first_here(const struct mend_comm *c)
{
    return first(c, is_near);
}

/* Processors have the same numbers on all nodes. */
static int color_of_hardware(const struct mend_comm *c, enum mend_hardware kind)
{
    int part = mend_hardware_here(kind);

    return part < 0 ? MPI_UNDEFINED : first_here(c) * CPU_SETSIZE + part;
}

static int color_of_kind(const struct mend_comm *c, int kind)
{
    return kind ? color_of_hardware(c, (enum mend_hardware)(kind - 1)) : first_here(c);
}

static const char *kind_name(int kind)
{
    return kind ? mend_hardware_name((enum mend_hardware)(kind - 1)) : "mpi_shared_memory";
}

static bool is_asked_for(const struct mend_split_entry *e, int n)
{
    for (int r = 0; r < n; r++)
        if (e[r].color == UNGUIDED)
            return true;
    return false;
}

/* The lowest and the highest color of one kind among those that ask, INT_MIN if one of them has none. */
static void find_range(const struct mend_split_entry *e, const int *colors, int n, int kind,
                       int *low_p, int *high_p)
{
    for (int r = 0; r < n; r++) {
        int color = colors[r * KINDS + kind];

        if (e[r].color != UNGUIDED)
            continue;
        if (color == MPI_UNDEFINED)
            color = INT_MIN;
        *low_p = color < *low_p ? color : *low_p;
        *high_p = color > *high_p ? color : *high_p;
    }
}

/* One side: colors of this kind for those that ask; of none: MPI_UNDEFINED. */
static void give_colors(struct mend_split_entry *e, const int *colors, int n, int kind)
{
    for (int r = 0; r < n; r++)
        if (e[r].color == UNGUIDED)
            e[r].color = kind < KINDS ? colors[r * KINDS + kind] : MPI_UNDEFINED;
}

/* *kind_p: KINDS if there is none.  colors: of our group, then of theirs. */
static void choose_kind(struct mend_comm *c, struct mend_split_entry *ours,
                        struct mend_split_entry *theirs, const int *colors, int *kind_p)
{
    int n = c->size, m = c->inter ? c->peers_n : 0, kind;

    for (kind = 0; kind < KINDS; kind++) {
        int low = INT_MAX, high = INT_MIN;

        find_range(ours, colors, n, kind, &low, &high);
        find_range(theirs, colors + n * KINDS, m, kind, &low, &high);
        if (low != INT_MIN && low < high)
            break;
    }
    give_colors(ours, colors, n, kind);
    give_colors(theirs, colors + n * KINDS, m, kind);
    *kind_p = kind;
}

/* Members that do not ask take part, so that those that do can wait for all. */
static int settle(struct mend_comm *c, struct mend_split_entry *ours,
                  struct mend_split_entry *theirs, int *kind_p)
{
    int n = c->size, m = c->inter ? c->peers_n : 0, mine[KINDS], *colors, err;

    if (!is_asked_for(ours, n) && !is_asked_for(theirs, m))
        return MPI_SUCCESS;
    for (int kind = 0; kind < KINDS; kind++)
        mine[kind] = color_of_kind(c, kind);
    mend_memory_press(c->self); /* the others wait for what it tells them */
    colors = mend_alloc(c->self, ((size_t)n + (size_t)m) * sizeof(mine));
    mend_memory_relax(c->self);
    err = mend_split_exchange(c, mine, KINDS, colors, colors + n * KINDS);
    if (!err)
        choose_kind(c, ours, theirs, colors, kind_p);
    mend_free(c->self, colors);
    return err;
}

/* A process that may run on several parts of that kind, and other hardware and other sets of processes, give
 * MPI_COMM_NULL, as the standard allows (MPI-5.0 7.4.2). */
static int color_of(const struct mend_comm *c, int type, const char *hardware, const char *set)
{
    bool resource = type == MPI_COMM_TYPE_RESOURCE_GUIDED;
    bool guided = resource || type == MPI_COMM_TYPE_HW_GUIDED;
    enum mend_hardware kind = mend_hardware_named(hardware);

    if (type == MPI_COMM_TYPE_HW_UNGUIDED)
        return UNGUIDED;
    if (type == MPI_COMM_TYPE_SHARED || (guided && is_text(hardware, "mpi_shared_memory")))
        return first_here(c);
    if (guided && kind != MEND_HARDWARE_KINDS)
        return color_of_hardware(c, kind);
    if (resource && is_set(set, "mpi://WORLD"))
        return first(c, is_of_my_world);
    return resource && is_set(set, "mpi://SELF") ? c->decide->me : MPI_UNDEFINED;
}

/* The program asked for nothing in particular: what its part is by (MPI-5.0 7.4.2). */
static void tell_kind(struct mend_proc *self, struct mend_info *told, int kind)
{
    mend_memory_press(self); /* the communicator exists */
    mend_info_set(self, told, "mpi_hw_resource_type", kind_name(kind));
    mend_memory_relax(self);
}

int mend_create_split_type(struct mend_comm *c, int type, int key, const struct mend_info *info,
                           struct mend_info *told, struct mend_comm **new_p)
{
    const char *hardware = mend_info_get(info, "mpi_hw_resource_type");
    const char *set = mend_info_get(info, "mpi_pset_name");
    struct mend_comm *carrier = mend_comm_carrier(c);
    int kind = KINDS, err;
    struct mend_split how = {.key = key, .settle = settle, .found_p = &kind};

    if (type == MPI_COMM_TYPE_RESOURCE_GUIDED && hardware && set)
        return MPI_ERR_INFO;
    err = mend_creation_check(carrier);
    if (err)
        return err;
    how.color = color_of(carrier, type, hardware, set);
    err = mend_split_create(carrier, &how, new_p);
    if (!err && *new_p && told && type == MPI_COMM_TYPE_HW_UNGUIDED)
        tell_kind(c->self, told, kind);
    return err;
}
