/* SPDX-License-Identifier: BSD-3-Clause */
/* kinds.h – every collective in every form as a table, for tests that lose ranks in them.
 *
 * A scene is one collective as this process sees it.  Processes have ids: their ranks in the
 * intracommunicator beneath, also where the scene plays on an intercommunicator.  Element i of the
 * block that process s has for process d is value(s, d, i), so every result can be computed.
 *
 *     in, out:   EDGE guards │ block 0 │ block 1 │ ... │ EDGE guards
 *     a block:   n elements; one more place stays empty where the call has displacements
 *     an element: an int, or with `gaps` an int and four bytes that nobody may touch
 *
 *   scene_comm()     makes its communicator
 *   scene_open()     makes its buffers
 *   scene_begin()    fills them
 *   scene_call()     calls, in the form wanted; a nonblocking one never fails here (S0-15)
 *   scene_end()      waits, if the form needs it; null, or inactive, afterwards (S0-17)
 *   scene_check()    what was written: after success all results are right, and after an error nothing
 *                    was touched but the places for results (S0-28)
 *
 *   S0-15: a nonblocking call never reports a failure when it starts
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S0-28: a failed collective touches nothing but its output buffers */
#ifndef TEST_KILL_COLL_KINDS_H
#define TEST_KILL_COLL_KINDS_H

#include "kill/common.h"

#define SCENE_MAX 32 /* processes */

enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };
enum shape { NONE, ONE, EACH, FLAT }; /* blocks: none, one, one per peer, one of all */
enum {
    ROOT_GIVES = 1,
    ROOT_GETS = 2,
    SUMS = 4,
    SUMS_UP_TO = 8,   /* ... the ranks up to mine */
    SUMS_BELOW = 16,  /* ... the ranks below mine */
    DISPLACED = 32,   /* has displacements */
    NEIGHBORS = 64,   /* on a graph: from the two ranks below to the two above */
    INTRA_ONLY = 128, /* not on intercommunicators */
    MAY_BE_IN_PLACE = 256,
};

struct scene {
    MPI_Comm c;
    enum form form;
    const struct kind *kind;
    int me, beneath;    /* my id; number of processes */
    int peer0, peers;   /* those I exchange with: ids peer0 ... */
    int local0, locals; /* my group */
    int root;           /* id */
    int n;              /* elements of a block */
    bool inter, gaps, in_place;
    int completion; /* WAIT, TEST, ... */
    /* made by scene_begin() */
    int extent, share, root_argument;
    MPI_Datatype type;
    MPI_Op op;
    unsigned char *in, *out, *image, *mask;
    size_t bytes; /* of in and out */
    int counts[SCENE_MAX], displs[SCENE_MAX], byte_displs[SCENE_MAX], shares[SCENE_MAX];
    MPI_Aint address_displs[SCENE_MAX];
    MPI_Datatype types[SCENE_MAX];
    MPI_Request q;
};

struct kind {
    const char *name;
    int (*call)(struct scene *);
    enum shape in, out;
    int flags;
};

/* One call in the form of the scene. */
#define CALL(Name_, name_, ...)                                                                    \
    (s->form == BLOCKING      ? MPI_##Name_(__VA_ARGS__)                                           \
     : s->form == NONBLOCKING ? MPI_I##name_(__VA_ARGS__, &s->q)                                   \
                              : MPI_##Name_##_init(__VA_ARGS__, MPI_INFO_NULL, &s->q))

static inline bool root_only_in_place(const struct scene *s)
{
    return s->in_place && s->me == s->root;
}

static inline const void *give(const struct scene *s)
{
    return s->in_place ? MPI_IN_PLACE : s->in;
}

/* Where only the root may say MPI_IN_PLACE. */
static inline const void *root_gives(const struct scene *s)
{
    return root_only_in_place(s) ? MPI_IN_PLACE : s->in;
}

static inline void *root_takes(const struct scene *s)
{
    return root_only_in_place(s) ? MPI_IN_PLACE : s->out;
}

#define DEF(name_, what_)                                                                          \
    static int call_##name_(struct scene *s)                                                       \
    {                                                                                              \
        return what_;                                                                              \
    }
#define T s->type
#define N s->n
#define R s->root_argument
DEF(barrier, CALL(Barrier, barrier, s->c))
DEF(bcast, CALL(Bcast, bcast, s->out, N, T, R, s->c))
DEF(reduce, CALL(Reduce, reduce, root_gives(s), s->out, N, T, s->op, R, s->c))
DEF(allreduce, CALL(Allreduce, allreduce, give(s), s->out, N, T, s->op, s->c))
DEF(scan, CALL(Scan, scan, give(s), s->out, N, T, s->op, s->c))
DEF(exscan, CALL(Exscan, exscan, give(s), s->out, N, T, s->op, s->c))
DEF(gather, CALL(Gather, gather, root_gives(s), N, T, s->out, N, T, R, s->c))
DEF(gatherv, CALL(Gatherv, gatherv, root_gives(s), N, T, s->out, s->counts, s->displs, T, R, s->c))
DEF(scatter, CALL(Scatter, scatter, s->in, N, T, root_takes(s), N, T, R, s->c))
DEF(scatterv,
    CALL(Scatterv, scatterv, s->in, s->counts, s->displs, T, root_takes(s), N, T, R, s->c))
DEF(allgather, CALL(Allgather, allgather, give(s), N, T, s->out, N, T, s->c))
DEF(allgatherv, CALL(Allgatherv, allgatherv, give(s), N, T, s->out, s->counts, s->displs, T, s->c))
DEF(alltoall, CALL(Alltoall, alltoall, give(s), N, T, s->out, N, T, s->c))
DEF(alltoallv, CALL(Alltoallv, alltoallv, give(s), s->counts, s->displs, T, s->out, s->counts,
                    s->displs, T, s->c))
DEF(alltoallw, CALL(Alltoallw, alltoallw, give(s), s->counts, s->byte_displs, s->types, s->out,
                    s->counts, s->byte_displs, s->types, s->c))
DEF(reduce_scatter,
    CALL(Reduce_scatter, reduce_scatter, give(s), s->out, s->shares, T, s->op, s->c))
DEF(reduce_scatter_block,
    CALL(Reduce_scatter_block, reduce_scatter_block, give(s), s->out, s->share, T, s->op, s->c))
DEF(neighbor_allgather,
    CALL(Neighbor_allgather, neighbor_allgather, s->in, N, T, s->out, N, T, s->c))
DEF(neighbor_allgatherv, CALL(Neighbor_allgatherv, neighbor_allgatherv, s->in, N, T, s->out,
                              s->counts, s->displs, T, s->c))
DEF(neighbor_alltoall, CALL(Neighbor_alltoall, neighbor_alltoall, s->in, N, T, s->out, N, T, s->c))
DEF(neighbor_alltoallv, CALL(Neighbor_alltoallv, neighbor_alltoallv, s->in, s->counts, s->displs, T,
                             s->out, s->counts, s->displs, T, s->c))
DEF(neighbor_alltoallw,
    CALL(Neighbor_alltoallw, neighbor_alltoallw, s->in, s->counts, s->address_displs, s->types,
         s->out, s->counts, s->address_displs, s->types, s->c))
#undef DEF
#undef T
#undef N
#undef R

#define IN_PLACE MAY_BE_IN_PLACE
static const struct kind kinds[] = {
    {"barrier", call_barrier, NONE, NONE, 0},
    {"bcast", call_bcast, NONE, ONE, ROOT_GIVES},
    {"reduce", call_reduce, ONE, ONE, ROOT_GETS | SUMS | IN_PLACE},
    {"allreduce", call_allreduce, ONE, ONE, SUMS | IN_PLACE},
    {"scan", call_scan, ONE, ONE, SUMS | SUMS_UP_TO | INTRA_ONLY | IN_PLACE},
    {"exscan", call_exscan, ONE, ONE, SUMS | SUMS_BELOW | INTRA_ONLY | IN_PLACE},
    {"gather", call_gather, ONE, EACH, ROOT_GETS | IN_PLACE},
    {"gatherv", call_gatherv, ONE, EACH, ROOT_GETS | DISPLACED | IN_PLACE},
    {"scatter", call_scatter, EACH, ONE, ROOT_GIVES | IN_PLACE},
    {"scatterv", call_scatterv, EACH, ONE, ROOT_GIVES | DISPLACED | IN_PLACE},
    {"allgather", call_allgather, ONE, EACH, IN_PLACE},
    {"allgatherv", call_allgatherv, ONE, EACH, DISPLACED | IN_PLACE},
    {"alltoall", call_alltoall, EACH, EACH, IN_PLACE},
    {"alltoallv", call_alltoallv, EACH, EACH, DISPLACED | IN_PLACE},
    {"alltoallw", call_alltoallw, EACH, EACH, DISPLACED | IN_PLACE},
    {"reduce_scatter", call_reduce_scatter, FLAT, ONE, SUMS | IN_PLACE},
    {"reduce_scatter_block", call_reduce_scatter_block, FLAT, ONE, SUMS | IN_PLACE},
    {"neighbor_allgather", call_neighbor_allgather, ONE, EACH, NEIGHBORS | INTRA_ONLY},
    {"neighbor_allgatherv", call_neighbor_allgatherv, ONE, EACH,
     NEIGHBORS | DISPLACED | INTRA_ONLY},
    {"neighbor_alltoall", call_neighbor_alltoall, EACH, EACH, NEIGHBORS | INTRA_ONLY},
    {"neighbor_alltoallv", call_neighbor_alltoallv, EACH, EACH, NEIGHBORS | DISPLACED | INTRA_ONLY},
    {"neighbor_alltoallw", call_neighbor_alltoallw, EACH, EACH, NEIGHBORS | DISPLACED | INTRA_ONLY},
};
#undef IN_PLACE
#define KINDS ((int)(sizeof kinds / sizeof kinds[0]))

static inline bool has(const struct scene *s, int flag)
{
    return s->kind->flags & flag;
}

static inline int value(int s, int d, int i)
{
    return s * 131 + d * 17 + i % 101;
}

static inline bool is_peer(const struct scene *s, int id)
{
    return id >= s->peer0 && id < s->peer0 + s->peers;
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

/* The operator for elements with gaps. */
static inline void add(void *in, void *inout, int *len, MPI_Datatype *type)
{
    MPI_Aint lb, extent;

    MPI_Type_get_extent(*type, &lb, &extent);
    for (int i = 0; i < *len; i++) {
        int a, b;

        memcpy(&a, (char *)in + i * extent, sizeof a);
        memcpy(&b, (char *)inout + i * extent, sizeof b);
        b += a;
        memcpy((char *)inout + i * extent, &b, sizeof b);
    }
}

static inline void make_arguments(struct scene *s)
{
    s->share = s->inter ? s->peers * s->n : s->n;
    s->root_argument = is_peer(s, s->root) ? s->root - s->peer0
                       : s->root == s->me  ? MPI_ROOT
                                           : MPI_PROC_NULL;
    for (int k = 0; k < SCENE_MAX; k++) {
        s->counts[k] = s->n;
        s->shares[k] = s->share;
        s->displs[k] = k * (s->n + has(s, DISPLACED));
        s->byte_displs[k] = s->displs[k] * s->extent;
        s->address_displs[k] = s->byte_displs[k];
        s->types[k] = s->type;
    }
}

static inline void make_types(struct scene *s)
{
    s->type = MPI_INT;
    s->op = MPI_SUM;
    s->extent = sizeof(int);
    if (s->gaps) {
        MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &s->type);
        MPI_Type_commit(&s->type);
        MPI_Op_create(add, 1, &s->op);
        s->extent *= 2;
    }
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
    if (s->kind->call == call_bcast && s->me == s->root)
        for (int i = 0; i < s->n; i++)
            put(s, s->out, 0, i, value(s->me, 0, i));
}

/* A duplicate of c, on which every process also has two neighbours on either side. */
static inline int make_graph(MPI_Comm c, int me, int n, MPI_Comm *graph_p)
{
    int from[2] = {(me + n - 1) % n, (me + n - 2) % n}, to[2] = {(me + 1) % n, (me + 2) % n};

    return MPI_Dist_graph_create_adjacent(c, 2, from, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED,
                                          MPI_INFO_NULL, 0, graph_p);
}

/* The lower third against the others. */
static inline int make_inter(MPI_Comm c, struct scene *s)
{
    int low = (s->beneath + 2) / 3, upper = s->me >= low, err;
    MPI_Comm local;

    s->local0 = upper ? low : 0;
    s->locals = upper ? s->beneath - low : low;
    s->peer0 = upper ? 0 : low;
    s->peers = s->beneath - s->locals;
    err = MPI_Comm_split(c, upper, s->me, &local);
    if (err)
        return err;
    MPI_Comm_set_errhandler(local, MPI_ERRORS_RETURN);
    err = MPI_Intercomm_create(local, 0, c, upper ? 0 : low, 3, &s->c);
    MPI_Comm_free(&local);
    return err;
}

/* Makes the communicator of a scene of s->beneath processes, of which this one is s->me.  False: a
 * process has died in here. */
static inline bool scene_comm(struct scene *s, MPI_Comm c, bool inter)
{
    int err;

    s->inter = inter;
    s->locals = s->peers = s->beneath;
    err = inter ? make_inter(c, s) : make_graph(c, s->me, s->beneath, &s->c);
    CHECK(err == MPI_SUCCESS || err == MPI_ERR_PROC_FAILED);
    if (err == MPI_SUCCESS)
        MPI_Comm_set_errhandler(s->c, MPI_ERRORS_RETURN);
    return err == MPI_SUCCESS;
}

/* Type, operator, buffers: made once for a scene. */
static inline void scene_open(struct scene *s)
{
    make_types(s);
    make_arguments(s);
    s->bytes = (size_t)s->extent * (size_t)(s->share + s->n + 1) * (size_t)s->beneath;
    s->in = guarded(s->bytes);
    s->out = guarded(s->bytes);
    s->image = malloc(s->bytes);
    s->mask = malloc(s->bytes);
    s->q = MPI_REQUEST_NULL;
}

static inline void scene_close(struct scene *s)
{
    free(s->in - EDGE);
    free(s->out - EDGE);
    free(s->image);
    free(s->mask);
    if (s->gaps) {
        MPI_Type_free(&s->type);
        MPI_Op_free(&s->op);
    }
}

static inline void scene_begin(struct scene *s)
{
    memset(s->in, GUARD, s->bytes);
    memset(s->out, GUARD, s->bytes);
    fill_in(s);
}

/* Begins it: the error of the blocking form, MPI_SUCCESS for the others. */
static inline int scene_call(struct scene *s)
{
    int err;

    if (s->form == PERSISTENT && s->q != MPI_REQUEST_NULL)
        return MPI_Start(&s->q);
    err = s->kind->call(s);
    if (s->form == BLOCKING)
        return err;
    CHECK_EQ(err, MPI_SUCCESS); /* S0-15 */
    if (s->form == PERSISTENT)
        CHECK_EQ(MPI_Start(&s->q), MPI_SUCCESS);
    return MPI_SUCCESS;
}

static inline int scene_end(struct scene *s, int err)
{
    MPI_Request q = s->q;

    if (s->form == BLOCKING)
        return err;
    err = complete(&s->q, s->completion);
    CHECK(s->q == (s->form == PERSISTENT ? q : MPI_REQUEST_NULL));
    return err;
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
