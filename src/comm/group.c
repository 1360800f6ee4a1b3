/* SPDX-License-Identifier: BSD-3-Clause */
/* group.c – groups: rank to peer, and back.
 *
 *   progression    first, first + stride, ...      no memory, rank by a division
 *   list           any order                       rank by a hash, built when it is first asked for
 *
 * Every constructor checks whether its list is a progression, so MPI_COMM_WORLD, its halves, its
 * even ranks and a regular split need no list.
 *
 * 1. A peer occurs at most once in a group, and the stride is not 0.
 * 2. There is one group of size 0, MPI_GROUP_EMPTY; it is not counted.
 * 3. The set operations look each member up once: O(n) expected. */
#include "comm/group.h"

#include "comm/objects.h"
#include "proc/peer.h"

#include <string.h>

#define SEARCH_MAX 16 /* shorter lists are searched, not hashed */

static struct mend_group *new_group(struct mend_proc *self, int n)
{
    struct mend_group *g;

    if (mend_objects_init(self))
        return NULL;
    if (n == 0)
        return &self->objects->empty;
    g = mend_zalloc(self, 1, sizeof(*g));
    if (g) {
        g->magic = MEND_GROUP_MAGIC;
        g->refs = 1;
        g->size = n;
        g->stride = 1;
    }
    return g;
}

struct mend_group *mend_group_create_range(struct mend_proc *self, mend_peer first, int stride,
                                           int n)
{
    struct mend_group *g = new_group(self, n);

    if (g && n > 0) {
        MEND_ASSERT(stride != 0);
        g->first = first;
        g->stride = stride;
    }
    return g;
}

bool mend_group_spans(const struct mend_proc *self, const struct mend_group *g)
{
    int r = 0;

    if (!self->abroad.next || mend_list_empty(&self->abroad))
        return false;
    while (r < g->size && !mend_peer_job(self, mend_group_peer(g, r)))
        r++;
    return r < g->size;
}

static bool is_progression(const mend_peer *peers, int n)
{
    int64_t stride = n > 1 ? (int64_t)peers[1] - peers[0] : 1;

    for (int i = 2; i < n; i++)
        if ((int64_t)peers[i] - peers[i - 1] != stride)
            return false;
    return stride != 0;
}

struct mend_group *mend_group_create(struct mend_proc *self, const mend_peer *peers, int n)
{
    struct mend_group *g;

    if (n == 0 || is_progression(peers, n))
        return mend_group_create_range(self, n ? peers[0] : 0, n > 1 ? peers[1] - peers[0] : 1, n);
    g = new_group(self, n);
    if (!g)
        return NULL;
    g->list = mend_alloc(self, (size_t)n * sizeof(*peers));
    if (!g->list) {
        mend_free(self, g);
        return NULL;
    }
    memcpy(g->list, peers, (size_t)n * sizeof(*peers));
    return g;
}

void mend_group_get(struct mend_group *g)
{
    if (g->size > 0)
        g->refs++;
}

void mend_group_put(struct mend_proc *self, struct mend_group *g)
{
    if (g->size == 0)
        return;
    MEND_ASSERT(g->refs > 0);
    if (--g->refs > 0)
        return;
    g->magic = 0;
    if (g->index) {
        mend_hash_fini(g->index);
        mend_free(self, g->index);
    }
    mend_free(self, g->list);
    mend_free(self, g);
}

/* No index for lack of memory is slow, not wrong. */
static void build_index(struct mend_proc *self, struct mend_group *g)
{
    struct mend_hash *index = mend_alloc(self, sizeof(*index));

    if (!index)
        return;
    mend_hash_init(index, self->arena);
    for (int i = 0; i < g->size; i++) {
        if (mend_hash_put(index, (uint64_t)g->list[i], (void *)(uintptr_t)(i + 1)) != MEND_OK) {
            mend_hash_fini(index);
            mend_free(self, index);
            return;
        }
    }
    g->index = index;
}

static int search(const struct mend_group *g, mend_peer peer)
{
    for (int i = 0; i < g->size; i++)
        if (g->list[i] == peer)
            return i;
    return MPI_UNDEFINED;
}

static int rank_in_progression(const struct mend_group *g, mend_peer peer)
{
    int64_t distance = (int64_t)peer - g->first, rank = distance / g->stride;

    return rank * g->stride == distance && rank >= 0 && rank < g->size ? (int)rank : MPI_UNDEFINED;
}

int mend_group_rank(struct mend_proc *self, struct mend_group *g, mend_peer peer)
{
    uintptr_t found;

    if (!g->list)
        return rank_in_progression(g, peer);
    if (!g->index && g->size > SEARCH_MAX)
        build_index(self, g);
    if (!g->index)
        return search(g, peer);
    found = (uintptr_t)mend_hash_get(g->index, (uint64_t)peer);
    return found ? (int)(found - 1) : MPI_UNDEFINED;
}

static bool is_member(struct mend_proc *self, struct mend_group *g, mend_peer peer)
{
    return mend_group_rank(self, g, peer) != MPI_UNDEFINED;
}

struct mend_group *mend_group_dead(struct mend_proc *self, struct mend_group *g, uint32_t deaths_n)
{
    uint32_t all = deaths_n < self->deaths_n ? deaths_n : self->deaths_n;
    mend_peer *dead = mend_alloc(self, (all + 1) * sizeof(*dead));
    struct mend_group *result;
    int n = 0;

    if (!dead)
        return NULL;
    for (uint32_t i = 0; i < all; i++)
        if (is_member(self, g, self->deaths[i].peer))
            dead[n++] = self->deaths[i].peer;
    result = mend_group_create(self, dead, n);
    mend_free(self, dead);
    return result;
}

bool mend_group_contains(struct mend_proc *self, struct mend_group *whole, struct mend_group *part)
{
    if (part->size > whole->size)
        return false;
    for (int i = 0; part != whole && i < part->size; i++)
        if (!is_member(self, whole, mend_group_peer(part, i)))
            return false;
    return true;
}

static bool is_same(const struct mend_group *a, const struct mend_group *b)
{
    if (a == b)
        return true;
    for (int i = 0; i < a->size; i++)
        if (mend_group_peer(a, i) != mend_group_peer(b, i))
            return false;
    return true;
}

int mend_group_compare(struct mend_proc *self, struct mend_group *a, struct mend_group *b)
{
    if (a->size != b->size)
        return MPI_UNEQUAL;
    if (is_same(a, b))
        return MPI_IDENT;
    return mend_group_contains(self, a, b) ? MPI_SIMILAR : MPI_UNEQUAL;
}

/* Appends the members of `from` that are (wanted) or are not (!wanted) in `in`; returns how
 * many. */
static int pick(struct mend_proc *self, struct mend_group *from, struct mend_group *in, bool wanted,
                mend_peer *out)
{
    int n = 0;

    for (int i = 0; i < from->size; i++) {
        mend_peer p = mend_group_peer(from, i);

        if (is_member(self, in, p) == wanted)
            out[n++] = p;
    }
    return n;
}

struct mend_group *mend_group_union(struct mend_proc *self, struct mend_group *a,
                                    struct mend_group *b)
{
    mend_peer *peers = mend_alloc(self, ((size_t)a->size + (size_t)b->size) * sizeof(*peers));
    struct mend_group *g;
    int n;

    if (!peers)
        return NULL;
    for (n = 0; n < a->size; n++)
        peers[n] = mend_group_peer(a, n);
    n += pick(self, b, a, false, peers + n);
    g = mend_group_create(self, peers, n);
    mend_free(self, peers);
    return g;
}

static struct mend_group *picked(struct mend_proc *self, struct mend_group *from,
                                 struct mend_group *in, bool wanted)
{
    mend_peer *peers = mend_alloc(self, (size_t)from->size * sizeof(*peers));
    struct mend_group *g;

    if (!peers)
        return NULL;
    g = mend_group_create(self, peers, pick(self, from, in, wanted, peers));
    mend_free(self, peers);
    return g;
}

struct mend_group *mend_group_intersection(struct mend_proc *self, struct mend_group *a,
                                           struct mend_group *b)
{
    return picked(self, a, b, true);
}

struct mend_group *mend_group_difference(struct mend_proc *self, struct mend_group *a,
                                         struct mend_group *b)
{
    return picked(self, a, b, false);
}

/* One byte per rank of g, set for the given ranks. */
static int mark(struct mend_proc *self, const struct mend_group *g, int n, const int *ranks,
                bool **marks_p)
{
    bool *marks = mend_zalloc(self, (size_t)g->size, 1);

    if (!marks)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < n; i++) {
        if (ranks[i] < 0 || ranks[i] >= g->size || marks[ranks[i]]) {
            mend_free(self, marks);
            return MPI_ERR_RANK;
        }
        marks[ranks[i]] = true;
    }
    *marks_p = marks;
    return MPI_SUCCESS;
}

/* The members with the given ranks, or, if ranks is NULL, those that are not marked. */
static int build(struct mend_proc *self, struct mend_group *g, int n, const int *ranks,
                 const bool *marks, struct mend_group **new_p)
{
    mend_peer *peers = mend_alloc(self, (size_t)n * sizeof(*peers));
    struct mend_group *made;

    if (!peers)
        return MPI_ERR_NO_MEM;
    for (int i = 0; ranks && i < n; i++)
        peers[i] = mend_group_peer(g, ranks[i]);
    for (int r = 0, i = 0; !ranks && r < g->size; r++)
        if (!marks[r])
            peers[i++] = mend_group_peer(g, r);
    made = mend_group_create(self, peers, n);
    mend_free(self, peers);
    if (!made)
        return MPI_ERR_NO_MEM;
    *new_p = made;
    return MPI_SUCCESS;
}

int mend_group_incl(struct mend_proc *self, struct mend_group *g, int n, const int *ranks,
                    struct mend_group **new_p)
{
    bool *marks = NULL;
    int err = mark(self, g, n, ranks, &marks);

    if (err)
        return err;
    err = build(self, g, n, n ? ranks : &(int){0}, marks, new_p);
    mend_free(self, marks);
    return err;
}

int mend_group_excl(struct mend_proc *self, struct mend_group *g, int n, const int *ranks,
                    struct mend_group **new_p)
{
    bool *marks = NULL;
    int err = mark(self, g, n, ranks, &marks);

    if (err)
        return err;
    err = build(self, g, g->size - n, NULL, marks, new_p);
    mend_free(self, marks);
    return err;
}

/* Number of ranks in one range; its last element may lie before `last`. */
static int64_t range_length(const int range[3])
{
    return ((int64_t)range[1] - range[0]) / range[2] + 1;
}

static int check_range(int size, const int range[3])
{
    if (range[2] == 0 || (range[2] > 0 ? range[0] > range[1] : range[0] < range[1]))
        return MPI_ERR_ARG;
    if (range[0] < 0 || range[0] >= size || range[0] + (range_length(range) - 1) * range[2] < 0 ||
        range[0] + (range_length(range) - 1) * range[2] >= size)
        return MPI_ERR_RANK;
    return MPI_SUCCESS;
}

int mend_group_expand(struct mend_proc *self, int size, int n, const int (*ranges)[3],
                      int **ranks_p, int *ranks_n_p)
{
    int64_t total = 0;
    int *ranks, at = 0;

    for (int i = 0; i < n; i++) {
        int err = check_range(size, ranges[i]);

        if (err)
            return err;
        total += range_length(ranges[i]);
    }
    if (total > size) /* some rank is there twice */
        return MPI_ERR_RANK;
    ranks = mend_alloc(self, (size_t)total * sizeof(*ranks));
    if (!ranks)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < n; i++)
        for (int64_t k = 0; k < range_length(ranges[i]); k++)
            ranks[at++] = (int)(ranges[i][0] + k * ranges[i][2]);
    *ranks_p = ranks;
    *ranks_n_p = at;
    return MPI_SUCCESS;
}
