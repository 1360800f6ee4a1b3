/* SPDX-License-Identifier: BSD-3-Clause */
/* scene.h – one collective as this process sees it, in any form, for tests that lose ranks in it.
 *
 * Processes have ids: their ranks in the intracommunicator beneath, also where the scene plays on an intercommunicator.
 *
 *   scene_comm()     makes its communicator
 *   scene_open()     makes its buffers
 *   scene_begin()    fills them (contents.h)
 *   scene_call()     calls, in the form wanted; a nonblocking one never fails here (S0-15)
 *   scene_end()      waits, if the form needs it; null, or inactive, afterwards (S0-17)
 *   scene_check()    what was written (contents.h)
 *
 *   S0-15: a nonblocking call never reports a failure when it starts
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED */
#ifndef TEST_KILL_COLL_SCENE_H
#define TEST_KILL_COLL_SCENE_H

#include "kill/complete.h"

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

static inline bool has(const struct scene *s, int flag)
{
    return s->kind->flags & flag;
}

static inline bool is_peer(const struct scene *s, int id)
{
    return id >= s->peer0 && id < s->peer0 + s->peers;
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

#endif
