/* SPDX-License-Identifier: BSD-3-Clause */
/* group.c – groups (MPI-5.0 7.3).
 *
 * All local.  A group says who is a member, not who lives: a death changes no group.  The caller that gets a
 * group frees it; freeing MPI_GROUP_EMPTY is allowed, because any of these functions may return
 * it. */
#include "mpi/check.h"

static int size_of(MPI_Group group, int *out, bool rank, const char *fn)
{
    struct mend_group *g = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_group(group, &g);
    if (!err)
        err = mend_check_pointer(out);
    if (!err)
        *out = rank ? mend_group_rank(mend_self, g, mend_self->me) : g->size;
    return mend_report(err, fn);
}

MEND_API(MPI_Group_size);
int MPI_Group_size(MPI_Group group, int *size)
{
    return size_of(group, size, false, __func__);
}

MEND_API(MPI_Group_rank);
int MPI_Group_rank(MPI_Group group, int *rank)
{
    return size_of(group, rank, true, __func__);
}

static int check_pair(MPI_Group group1, MPI_Group group2, const void *out, struct mend_group **a_p,
                      struct mend_group **b_p)
{
    int err = mend_check_group(group1, a_p);

    if (!err)
        err = mend_check_group(group2, b_p);
    return err ? err : mend_check_pointer(out);
}

static int check_ranks(const struct mend_group *g, int n, const int *ranks)
{
    for (int i = 0; i < n; i++)
        if (ranks[i] != MPI_PROC_NULL && (ranks[i] < 0 || ranks[i] >= g->size))
            return MPI_ERR_RANK;
    return MPI_SUCCESS;
}

MEND_API(MPI_Group_translate_ranks);
int MPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
                              int ranks2[])
{
    struct mend_group *a = NULL, *b = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_pair(group1, group2, group1, &a, &b);
    if (!err && (n < 0 || (n > 0 && !(ranks1 && ranks2))))
        err = MPI_ERR_ARG;
    if (!err)
        err = check_ranks(a, n, ranks1);
    for (int i = 0; !err && i < n; i++)
        ranks2[i] = ranks1[i] == MPI_PROC_NULL
                        ? MPI_PROC_NULL
                        : mend_group_rank(mend_self, b, mend_group_peer(a, ranks1[i]));
    return mend_report(err, __func__);
}

MEND_API(MPI_Group_compare);
int MPI_Group_compare(MPI_Group group1, MPI_Group group2, int *result)
{
    struct mend_group *a = NULL, *b = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_pair(group1, group2, result, &a, &b);
    if (!err)
        *result = mend_group_compare(mend_self, a, b);
    return mend_report(err, __func__);
}

/* A group that is made of one or two others comes from their session. */
static MPI_Group give(struct mend_group *made, const struct mend_group *a,
                      const struct mend_group *b)
{
    if (made->size > 0)
        made->session = a->session ? a->session : b->session;
    return mend_group_handle(made);
}

typedef struct mend_group *set_operation(struct mend_proc *self, struct mend_group *a,
                                         struct mend_group *b);

static int combine(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup, set_operation *op,
                   const char *fn)
{
    struct mend_group *a = NULL, *b = NULL, *made;
    int err = mend_enter(fn);

    if (!err)
        err = check_pair(group1, group2, newgroup, &a, &b);
    if (!err) {
        made = op(mend_self, a, b);
        if (made)
            *newgroup = give(made, a, b);
        else
            err = MPI_ERR_NO_MEM;
    }
    return mend_report(err, fn);
}

MEND_API(MPI_Group_union);
int MPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    return combine(group1, group2, newgroup, mend_group_union, __func__);
}

MEND_API(MPI_Group_intersection);
int MPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    return combine(group1, group2, newgroup, mend_group_intersection, __func__);
}

MEND_API(MPI_Group_difference);
int MPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    return combine(group1, group2, newgroup, mend_group_difference, __func__);
}

typedef int choice(struct mend_proc *self, struct mend_group *g, int n, const int *ranks,
                   struct mend_group **new_p);

static int check_list(MPI_Group group, int n, const void *list, const void *out,
                      struct mend_group **g_p)
{
    int err = mend_check_group(group, g_p);

    if (!err && (n < 0 || (n > 0 && !list)))
        err = MPI_ERR_ARG;
    return err ? err : mend_check_pointer(out);
}

static int choose(MPI_Group group, int n, const int *ranks, MPI_Group *newgroup, choice *op,
                  const char *fn)
{
    struct mend_group *g = NULL, *made = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = check_list(group, n, ranks, newgroup, &g);
    if (!err)
        err = op(mend_self, g, n, ranks, &made);
    if (!err)
        *newgroup = give(made, g, g);
    return mend_report(err, fn);
}

MEND_API(MPI_Group_incl);
int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    return choose(group, n, ranks, newgroup, mend_group_incl, __func__);
}

MEND_API(MPI_Group_excl);
int MPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    return choose(group, n, ranks, newgroup, mend_group_excl, __func__);
}

static int choose_ranges(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup, choice *op,
                         const char *fn)
{
    struct mend_group *g = NULL, *made = NULL;
    int *ranks = NULL, ranks_n = 0;
    int err = mend_enter(fn);

    if (!err)
        err = check_list(group, n, ranges, newgroup, &g);
    if (!err)
        err = mend_group_expand(mend_self, g->size, n, (const int(*)[3])ranges, &ranks, &ranks_n);
    if (!err) {
        err = op(mend_self, g, ranks_n, ranks, &made);
        mend_free(mend_self, ranks);
    }
    if (!err)
        *newgroup = give(made, g, g);
    return mend_report(err, fn);
}

MEND_API(MPI_Group_range_incl);
int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    return choose_ranges(group, n, ranges, newgroup, mend_group_incl, __func__);
}

MEND_API(MPI_Group_range_excl);
int MPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    return choose_ranges(group, n, ranges, newgroup, mend_group_excl, __func__);
}

static void free_group(struct mend_proc *self, void *g)
{
    mend_group_put(self, g);
}

MEND_API(MPI_Group_free);
int MPI_Group_free(MPI_Group *group)
{
    struct mend_group *g = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(group);
    if (!err)
        err = mend_check_group(*group, &g);
    if (!err) {
        mend_undo_free(mend_self, free_group, g, false);
        *group = MPI_GROUP_NULL;
    }
    return mend_report(err, __func__);
}

/* Numbers of handles, as MPI_Comm_toint. */
MEND_API(MPI_Group_toint);
int MPI_Group_toint(MPI_Group group)
{
    int n = mend_enter_any(__func__) ? 0 : mend_handle_toint(mend_self, group);

    mend_leave(MPI_SUCCESS);
    return n;
}

MEND_API(MPI_Group_fromint);
MPI_Group MPI_Group_fromint(int group)
{
    MPI_Group handle =
        mend_enter_any(__func__) ? NULL : (MPI_Group)mend_handle_fromint(mend_self, group);

    mend_leave(MPI_SUCCESS);
    return handle;
}
