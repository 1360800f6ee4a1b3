/* SPDX-License-Identifier: BSD-3-Clause */
/* collective.c – collectives, which become nonblocking ones while the log is on, and dummies for those of others. */
#include "layer.h"

#include <stdlib.h>

enum { BARRIER, BCAST, REDUCE, ALLREDUCE, ALLGATHER, ALLTOALL };

static struct rollback_layer *const l = &rollback_layer;

/* Handles are not constants everywhere: the tables are made at each call, of pending collectives only. */
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
    if (e->type < 0 || ((e->op == REDUCE || e->op == ALLREDUCE) && e->reduce < 0)) {
        rollback_refuse("a collective with a datatype or reduction of the program's own");
        return MPI_ERR_OTHER;
    }
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

WRAPPER int MPI_Barrier(MPI_Comm comm)
{
    MPI_Request r;

    return l->on ? finish(PMPI_Ibarrier(comm, &r), BARRIER, comm, -1, 0, MPI_BYTE, MPI_SUM, &r)
                 : PMPI_Barrier(comm);
}

WRAPPER int MPI_Bcast(void *buf, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    MPI_Request r;

    if (!l->on)
        return PMPI_Bcast(buf, n, type, root, comm);
    return finish(PMPI_Ibcast(buf, n, type, root, comm, &r), BCAST, comm, root, n, type, MPI_SUM,
                  &r);
}

WRAPPER int MPI_Reduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root,
                       MPI_Comm comm)
{
    MPI_Request r;

    if (!l->on)
        return PMPI_Reduce(in, out, n, type, op, root, comm);
    return finish(PMPI_Ireduce(in, out, n, type, op, root, comm, &r), REDUCE, comm, root, n, type,
                  op, &r);
}

WRAPPER int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm)
{
    MPI_Request r;

    if (!l->on)
        return PMPI_Allreduce(in, out, n, type, op, comm);
    return finish(PMPI_Iallreduce(in, out, n, type, op, comm, &r), ALLREDUCE, comm, -1, n, type, op,
                  &r);
}

WRAPPER int MPI_Allgather(const void *in, int in_n, MPI_Datatype in_type, void *out, int n,
                          MPI_Datatype type, MPI_Comm comm)
{
    MPI_Request r;

    if (!l->on)
        return PMPI_Allgather(in, in_n, in_type, out, n, type, comm);
    return finish(PMPI_Iallgather(in, in_n, in_type, out, n, type, comm, &r), ALLGATHER, comm, -1,
                  n, type, MPI_SUM, &r);
}

WRAPPER int MPI_Alltoall(const void *in, int in_n, MPI_Datatype in_type, void *out, int n,
                         MPI_Datatype type, MPI_Comm comm)
{
    MPI_Request r;

    if (!l->on)
        return PMPI_Alltoall(in, in_n, in_type, out, n, type, comm);
    return finish(PMPI_Ialltoall(in, in_n, in_type, out, n, type, comm, &r), ALLTOALL, comm, -1, n,
                  type, MPI_SUM, &r);
}
