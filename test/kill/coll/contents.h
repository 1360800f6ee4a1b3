/* SPDX-License-Identifier: BSD-3-Clause */
/* contents.h – what is in the buffers of a scene, before and after.
 *
 * Element i of the block that process s has for process d is value(s, d, i), so every result can be computed.
 *
 *     in, out:   EDGE guards │ block 0 │ block 1 │ ... │ EDGE guards
 *     a block:   n elements; one more place stays empty where the call has displacements
 *     an element: an int, or with `gaps` an int and four bytes that nobody may touch
 *
 *   scene_begin()    fills the buffers
 *   scene_check()    after success all results are right, and after an error nothing was touched but the places for
 *                    results (S0-28)
 *
 *   S0-28: a failed collective touches nothing but its output buffers */
#ifndef TEST_KILL_COLL_CONTENTS_H
#define TEST_KILL_COLL_CONTENTS_H

#include "kill/coll/scene.h"

static inline int value(int s, int d, int i)
{
    return s * 131 + d * 17 + i % 101;
}

/* Ids of the processes at the other ends of blocks k. */
static inline int from(const struct scene *s, int k)
{
    return has(s, NEIGHBORS) ? (s->me - 1 - k + 2 * s->beneath) % s->beneath : s->peer0 + k;
}

static inline int to(const struct scene *s, int k)
{
    return has(s, NEIGHBORS) ? (s->me + 1 + k) % s->beneath : s->peer0 + k;
}

static inline int blocks(const struct scene *s, enum shape shape)
{
    return shape == NONE ? 0 : shape != EACH ? 1 : has(s, NEIGHBORS) ? 2 : s->peers;
}

/* Elements of a block. */
static inline int length(const struct scene *s, enum shape shape)
{
    if (shape == FLAT)
        return s->share * s->locals;
    return s->kind->in == FLAT ? s->share : s->n;
}

static inline size_t place(const struct scene *s, int block, int i)
{
    return (size_t)s->extent * (size_t)(block * (s->n + has(s, DISPLACED)) + i);
}

static inline void put(const struct scene *s, unsigned char *buf, int block, int i, int v)
{
    memcpy(buf + place(s, block, i), &v, sizeof v);
}

static inline bool is_receiver(const struct scene *s)
{
    if (has(s, ROOT_GETS))
        return s->me == s->root;
    return !has(s, ROOT_GIVES) || is_peer(s, s->root);
}

static inline int expected(const struct scene *s, int block, int i)
{
    int sum = 0, last = s->peer0 + s->peers - 1;

    if (!has(s, SUMS))
        return value(has(s, ROOT_GIVES) ? s->root : from(s, block), s->kind->in == EACH ? s->me : 0,
                     i);
    if (has(s, SUMS_UP_TO | SUMS_BELOW))
        last = s->me - has(s, SUMS_BELOW);
    for (int p = s->peer0; p <= last; p++)
        sum += value(p, 0, s->kind->in == FLAT ? (s->me - s->local0) * s->share + i : i);
    return sum;
}

static inline bool is_undefined(const struct scene *s)
{
    return has(s, SUMS_BELOW) && s->me == 0; /* MPI_Exscan */
}

/* What this process gives, and in bcast the root's buffer. */
static inline void fill_in(struct scene *s)
{
    bool to_out = s->in_place && (!has(s, ROOT_GETS) || s->me == s->root) && !has(s, ROOT_GIVES);
    unsigned char *in = to_out ? s->out : s->in;
    bool own_block = to_out && s->kind->in == ONE && s->kind->out == EACH;

    for (int k = 0; k < blocks(s, s->kind->in); k++)
        for (int i = 0; i < length(s, s->kind->in); i++)
            put(s, in, own_block ? s->me - s->peer0 : k, i,
                value(s->me, s->kind->in == EACH ? to(s, k) : 0, i));
    if (has(s, ROOT_GIVES) && s->kind->in == NONE && s->me == s->root)
        for (int i = 0; i < s->n; i++)
            put(s, s->out, 0, i, value(s->me, 0, i));
}

static inline void scene_begin(struct scene *s)
{
    memset(s->in, GUARD, s->bytes);
    memset(s->out, GUARD, s->bytes);
    fill_in(s);
}

enum { UNTOUCHED, RESULT, ANYTHING }; /* what bytes of the output must be */

/* What must be in them after success: image. */
static inline void draw(struct scene *s)
{
    unsigned char *out = s->out;
    bool has_it = s->me == s->root && has(s, ROOT_GIVES) && (s->in_place || s->kind->in == NONE);

    memset(s->mask, UNTOUCHED, s->bytes);
    s->out = s->image;
    memset(s->image, GUARD, s->bytes);
    fill_in(s);
    s->out = out;
    if (s->in_place && s->kind->in == FLAT) /* the input lies there */
        memset(s->mask, ANYTHING, s->bytes);
    for (int k = 0; is_receiver(s) && !has_it && k < blocks(s, s->kind->out); k++)
        for (int i = 0; i < length(s, s->kind->out); i++) {
            put(s, s->image, k, i, expected(s, k, i));
            memset(s->mask + place(s, k, i), is_undefined(s) ? ANYTHING : RESULT, sizeof(int));
        }
}

static inline void scene_check(struct scene *s, int err)
{
    unsigned char *in = s->in, *out = s->out;

    draw(s);
    for (size_t i = 0; i < s->bytes; i++)
        if (out[i] != s->image[i] && (s->mask[i] == UNTOUCHED || (s->mask[i] == RESULT && !err))) {
            fprintf(stderr, "rank %d: %s: byte %zu of %zu is wrong after error %d\n", rank,
                    s->kind->name, i, s->bytes, err);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    check_guards(out, s->bytes);
    s->in = guarded(s->bytes); /* the input is as it was */
    s->out = s->image;
    fill_in(s);
    CHECK_EQ(memcmp(in - EDGE, s->in - EDGE, s->bytes + 2 * EDGE), 0);
    free(s->in - EDGE);
    s->in = in;
    s->out = out;
}

#endif
