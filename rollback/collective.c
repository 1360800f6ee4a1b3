/* SPDX-License-Identifier: BSD-3-Clause */
/* collective.c – collectives, which become nonblocking ones while the log is
 * on, and dummies for those of others. */
#include "layer.h"

#include <stdlib.h>

enum {
    BARRIER,
    BCAST,
    REDUCE,
    ALLREDUCE,
    ALLGATHER,
    ALLTOALL,
    GATHER,
    SCATTER,
    SCAN,
    EXSCAN,
    REDUCE_SCATTER_BLOCK,
    /* Each process knows its own counts only, so nobody can take another one's
     place. */
    GATHERV,
    SCATTERV,
    ALLGATHERV,
    ALLTOALLV,
    ALLTOALLW,
    REDUCE_SCATTER
};

static struct rollback_layer *const l = &rollback_layer;

/* Handles are not constants everywhere: the tables are made at each call, of
 * pending collectives only. */
#define TYPES                                                                                      \
    {                                                                                              \
        MPI_BYTE, MPI_CHAR, MPI_SHORT, MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_UNSIGNED_CHAR,        \
            MPI_UNSIGNED_SHORT, MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG,           \
            MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T,          \
            MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T, MPI_C_BOOL,        \
            MPI_DOUBLE_INT, MPI_2INT, MPI_PACKED                                                   \
    }
#define OPS                                                                                        \
    {                                                                                              \
        MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD, MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR,       \
            MPI_BXOR, MPI_MINLOC, MPI_MAXLOC                                                       \
    }

int rollback_type_number(MPI_Datatype type)
{
    const MPI_Datatype types[] = TYPES;

    for (int i = 0; i < (int)(sizeof(types) / sizeof(types[0])); i++)
        if (types[i] == type)
            return i;
    return -1;
}

int rollback_op_number(MPI_Op op)
{
    const MPI_Op ops[] = OPS;

    for (int i = 0; i < (int)(sizeof(ops) / sizeof(ops[0])); i++)
        if (ops[i] == op)
            return i;
    return -1;
}

static bool reduces(int op)
{
    return op == REDUCE || op == ALLREDUCE || op == SCAN || op == EXSCAN ||
           op == REDUCE_SCATTER_BLOCK;
}

bool rollback_coll_possible(const struct rollback_entry *e)
{
    bool own = e->op != BARRIER && (e->type < 0 || (reduces(e->op) && e->reduce < 0));

    if (e->op >= GATHERV)
        rollback_refuse("a collective with counts for each process, which some have not begun");
    else if (own)
        rollback_refuse("a collective with a datatype or reduction of the program's own");
    return e->op < GATHERV && !own;
}

int rollback_coll_dummy(const struct rollback_entry *e, MPI_Comm comm, int size, void *buffers[2],
                        MPI_Request *request)
{
    const MPI_Datatype types[] = TYPES;
    const MPI_Op ops[] = OPS;
    int n = (int)e->count, bytes;
    MPI_Datatype type = e->type >= 0 ? types[e->type] : MPI_BYTE;
    MPI_Aint lower, extent;

    if (e->op == BARRIER)
        return PMPI_Ibarrier(comm, request);
    PMPI_Type_get_extent(type, &lower, &extent);
    bytes = (int)extent * n * size + 1;
    buffers[0] = calloc(1, bytes);
    buffers[1] = calloc(1, bytes);
    if (!buffers[0] || !buffers[1])
        return MPI_ERR_NO_MEM;
    switch (e->op) {
    case BCAST:
        return PMPI_Ibcast(buffers[0], n, type, e->peer, comm, request);
    case REDUCE:
        return PMPI_Ireduce(buffers[0], buffers[1], n, type, ops[e->reduce], e->peer, comm,
                            request);
    case ALLREDUCE:
        return PMPI_Iallreduce(buffers[0], buffers[1], n, type, ops[e->reduce], comm, request);
    case ALLGATHER:
        return PMPI_Iallgather(buffers[0], n, type, buffers[1], n, type, comm, request);
    case GATHER:
        return PMPI_Igather(buffers[0], n, type, buffers[1], n, type, e->peer, comm, request);
    case SCATTER:
        return PMPI_Iscatter(buffers[0], n, type, buffers[1], n, type, e->peer, comm, request);
    case SCAN:
        return PMPI_Iscan(buffers[0], buffers[1], n, type, ops[e->reduce], comm, request);
    case EXSCAN:
        return PMPI_Iexscan(buffers[0], buffers[1], n, type, ops[e->reduce], comm, request);
    case REDUCE_SCATTER_BLOCK:
        return PMPI_Ireduce_scatter_block(buffers[0], buffers[1], n, type, ops[e->reduce], comm,
                                          request);
    default:
        return PMPI_Ialltoall(buffers[0], n, type, buffers[1], n, type, comm, request);
    }
}

/* Logs what has been started, and waits. */
static int finish(int code, int op, MPI_Comm comm, int root, int count, MPI_Datatype type,
                  MPI_Op reduce, MPI_Request *request)
{
    if (code)
        return code;
    rollback_log_collective(op, comm, root, count, type, reduce, request);
    return rollback_wait(request, MPI_STATUS_IGNORE);
}

static bool is_root(int root, MPI_Comm comm)
{
    int rank;

    PMPI_Comm_rank(comm, &rank);
    return rank == root;
}

/* The blocking form and the nonblocking one: parameters, arguments, and of the
 * entry root, count, datatype and reduction. */
#define PARAMETERS(...) __VA_ARGS__
#define COLLECTIVE(Name_, name_, op_, parameters_, arguments_, root_, n_, type_, reduce_)          \
    WRAPPER int MPI_##Name_(PARAMETERS parameters_)                                                \
    {                                                                                              \
        MPI_Request r;                                                                             \
                                                                                                   \
        if (!l->on)                                                                                \
            return PMPI_##Name_(PARAMETERS arguments_);                                            \
        return finish(PMPI_I##name_(PARAMETERS arguments_, &r), op_, comm, root_, n_, type_,       \
                      reduce_, &r);                                                                \
    }                                                                                              \
    WRAPPER int MPI_I##name_(PARAMETERS parameters_, MPI_Request *request)                         \
    {                                                                                              \
        int code = PMPI_I##name_(PARAMETERS arguments_, request);                                  \
                                                                                                   \
        if (!code && l->on)                                                                        \
            rollback_log_collective(op_, comm, root_, n_, type_, reduce_, request);                \
        return code;                                                                               \
    }

COLLECTIVE(Barrier, barrier, BARRIER, (MPI_Comm comm), (comm), -1, 0, MPI_BYTE, MPI_SUM)
COLLECTIVE(Bcast, bcast, BCAST, (void *buf, int n, MPI_Datatype type, int root, MPI_Comm comm),
           (buf, n, type, root, comm), root, n, type, MPI_SUM)
COLLECTIVE(Reduce, reduce, REDUCE,
           (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm),
           (in, out, n, type, op, root, comm), root, n, type, op)
COLLECTIVE(Allreduce, allreduce, ALLREDUCE,
           (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (in, out, n, type, op, comm), -1, n, type, op)
COLLECTIVE(Scan, scan, SCAN,
           (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (in, out, n, type, op, comm), -1, n, type, op)
COLLECTIVE(Exscan, exscan, EXSCAN,
           (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (in, out, n, type, op, comm), -1, n, type, op)
COLLECTIVE(Reduce_scatter_block, reduce_scatter_block, REDUCE_SCATTER_BLOCK,
           (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (in, out, n, type, op, comm), -1, n, type, op)
COLLECTIVE(Allgather, allgather, ALLGATHER,
           (const void *in, int in_n, MPI_Datatype in_type, void *out, int n, MPI_Datatype type,
            MPI_Comm comm),
           (in, in_n, in_type, out, n, type, comm), -1, n, type, MPI_SUM)
COLLECTIVE(Alltoall, alltoall, ALLTOALL,
           (const void *in, int in_n, MPI_Datatype in_type, void *out, int n, MPI_Datatype type,
            MPI_Comm comm),
           (in, in_n, in_type, out, n, type, comm), -1, n, type, MPI_SUM)
COLLECTIVE(Gather, gather, GATHER,
           (const void *in, int in_n, MPI_Datatype in_type, void *out, int n, MPI_Datatype type,
            int root, MPI_Comm comm),
           (in, in_n, in_type, out, n, type, root, comm), root, is_root(root, comm) ? n : in_n,
           is_root(root, comm) ? type : in_type, MPI_SUM)
COLLECTIVE(Scatter, scatter, SCATTER,
           (const void *in, int in_n, MPI_Datatype in_type, void *out, int n, MPI_Datatype type,
            int root, MPI_Comm comm),
           (in, in_n, in_type, out, n, type, root, comm), root, is_root(root, comm) ? in_n : n,
           is_root(root, comm) ? in_type : type, MPI_SUM)
COLLECTIVE(Gatherv, gatherv, GATHERV,
           (const void *in, int in_n, MPI_Datatype in_type, void *out, const int *n, const int *at,
            MPI_Datatype type, int root, MPI_Comm comm),
           (in, in_n, in_type, out, n, at, type, root, comm), root, 0, MPI_DATATYPE_NULL, MPI_SUM)
COLLECTIVE(Scatterv, scatterv, SCATTERV,
           (const void *in, const int *in_n, const int *at, MPI_Datatype in_type, void *out, int n,
            MPI_Datatype type, int root, MPI_Comm comm),
           (in, in_n, at, in_type, out, n, type, root, comm), root, 0, MPI_DATATYPE_NULL, MPI_SUM)
COLLECTIVE(Allgatherv, allgatherv, ALLGATHERV,
           (const void *in, int in_n, MPI_Datatype in_type, void *out, const int *n, const int *at,
            MPI_Datatype type, MPI_Comm comm),
           (in, in_n, in_type, out, n, at, type, comm), -1, 0, MPI_DATATYPE_NULL, MPI_SUM)
COLLECTIVE(Alltoallv, alltoallv, ALLTOALLV,
           (const void *in, const int *in_n, const int *in_at, MPI_Datatype in_type, void *out,
            const int *n, const int *at, MPI_Datatype type, MPI_Comm comm),
           (in, in_n, in_at, in_type, out, n, at, type, comm), -1, 0, MPI_DATATYPE_NULL, MPI_SUM)
COLLECTIVE(Alltoallw, alltoallw, ALLTOALLW,
           (const void *in, const int *in_n, const int *in_at, const MPI_Datatype *in_types,
            void *out, const int *n, const int *at, const MPI_Datatype *types, MPI_Comm comm),
           (in, in_n, in_at, in_types, out, n, at, types, comm), -1, 0, MPI_DATATYPE_NULL, MPI_SUM)
COLLECTIVE(Reduce_scatter, reduce_scatter, REDUCE_SCATTER,
           (const void *in, void *out, const int *n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (in, out, n, type, op, comm), -1, 0, MPI_DATATYPE_NULL, op)
