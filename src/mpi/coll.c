/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.c – blocking collectives (MPI-5.0 chapter 6), in both widths.
 *
 * Each is one line: coll_call.h says how the three forms of a collective share their code.
 *
 * All are collective over comm and block until this process's part is done.  What a death does:
 * a process that cannot complete because a member is dead returns MPI_ERR_PROC_FAILED (S0-27), and so
 * does every later collective on comm (S0-84); some may succeed where others fail, unless a
 * process died before it entered a collective in which all depend on all (S0-29, S0-30).
 * Revoked communicator: MPI_ERR_INVALIDATED. */
#include "mpi/coll_call.h"

/* 6.3.  Returns when all have called it. */
MEND_API(MPI_Barrier);
int MPI_Barrier(MPI_Comm comm)
{
    return mend_call_barrier(MEND_CALL_NOW, comm);
}

/* 6.4.  The root may return before others have the data (S0-29). */
MEND_API(MPI_Bcast);
int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    return mend_call_bcast(MEND_CALL_NOW, buffer, count, datatype, root, comm);
}

MEND_API(MPI_Bcast_c);
int MPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    return mend_call_bcast(MEND_CALL_NOW, buffer, count, datatype, root, comm);
}

/* 6.9.  The others may return before the root has the result (S0-29). */
MEND_API(MPI_Reduce);
int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               int root, MPI_Comm comm)
{
    return mend_call_reduce(MEND_CALL_NOW, sendbuf, recvbuf, count, datatype, op, root, comm);
}

MEND_API(MPI_Reduce_c);
int MPI_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, int root, MPI_Comm comm)
{
    return mend_call_reduce(MEND_CALL_NOW, sendbuf, recvbuf, count, datatype, op, root, comm);
}

MEND_API(MPI_Allreduce);
int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm)
{
    return mend_call_allreduce(MEND_CALL_NOW, sendbuf, recvbuf, count, datatype, op, comm);
}

MEND_API(MPI_Allreduce_c);
int MPI_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                    MPI_Op op, MPI_Comm comm)
{
    return mend_call_allreduce(MEND_CALL_NOW, sendbuf, recvbuf, count, datatype, op, comm);
}

/* 6.11.  Every survivor gets the error if a member died before it entered (R7). */
MEND_API(MPI_Scan);
int MPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
             MPI_Comm comm)
{
    return mend_call_scan(MEND_CALL_NOW, sendbuf, recvbuf, count, datatype, op, comm, false);
}

MEND_API(MPI_Scan_c);
int MPI_Scan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm)
{
    return mend_call_scan(MEND_CALL_NOW, sendbuf, recvbuf, count, datatype, op, comm, false);
}

MEND_API(MPI_Exscan);
int MPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm)
{
    return mend_call_scan(MEND_CALL_NOW, sendbuf, recvbuf, count, datatype, op, comm, true);
}

MEND_API(MPI_Exscan_c);
int MPI_Exscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, MPI_Comm comm)
{
    return mend_call_scan(MEND_CALL_NOW, sendbuf, recvbuf, count, datatype, op, comm, true);
}

MEND_API(MPI_Reduce_scatter);
int MPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return mend_call_reduce_scatter(MEND_CALL_NOW, sendbuf, recvbuf, 0,
                                    MEND_COUNTS(recvcounts, NULL), datatype, op, comm);
}

MEND_API(MPI_Reduce_scatter_c);
int MPI_Reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return mend_call_reduce_scatter(MEND_CALL_NOW, sendbuf, recvbuf, 0,
                                    MEND_COUNTS_C(recvcounts, NULL), datatype, op, comm);
}

MEND_API(MPI_Reduce_scatter_block);
int MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return mend_call_reduce_scatter(MEND_CALL_NOW, sendbuf, recvbuf, recvcount, NULL, datatype, op,
                                    comm);
}

MEND_API(MPI_Reduce_scatter_block_c);
int MPI_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return mend_call_reduce_scatter(MEND_CALL_NOW, sendbuf, recvbuf, recvcount, NULL, datatype, op,
                                    comm);
}

/* 6.5.  The others may return before the root has their blocks (S0-29). */
MEND_API(MPI_Gather);
int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return mend_call_gather(MEND_CALL_NOW, sendbuf, sendcount, sendtype, recvbuf, recvcount, NULL,
                            recvtype, root, comm);
}

MEND_API(MPI_Gather_c);
int MPI_Gather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                 MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return mend_call_gather(MEND_CALL_NOW, sendbuf, sendcount, sendtype, recvbuf, recvcount, NULL,
                            recvtype, root, comm);
}

MEND_API(MPI_Gatherv);
int MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                MPI_Comm comm)
{
    return mend_call_gather(MEND_CALL_NOW, sendbuf, sendcount, sendtype, recvbuf, 0,
                            MEND_COUNTS(recvcounts, displs), recvtype, root, comm);
}

MEND_API(MPI_Gatherv_c);
int MPI_Gatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                  const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                  int root, MPI_Comm comm)
{
    return mend_call_gather(MEND_CALL_NOW, sendbuf, sendcount, sendtype, recvbuf, 0,
                            MEND_COUNTS_C(recvcounts, displs), recvtype, root, comm);
}

/* 6.6.  The root may return before the others have their blocks (S0-29). */
MEND_API(MPI_Scatter);
int MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return mend_call_scatter(MEND_CALL_NOW, sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount,
                             recvtype, root, comm);
}

MEND_API(MPI_Scatter_c);
int MPI_Scatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return mend_call_scatter(MEND_CALL_NOW, sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount,
                             recvtype, root, comm);
}

MEND_API(MPI_Scatterv);
int MPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[],
                 MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                 int root, MPI_Comm comm)
{
    return mend_call_scatter(MEND_CALL_NOW, sendbuf, 0, MEND_COUNTS(sendcounts, displs), sendtype,
                             recvbuf, recvcount, recvtype, root, comm);
}

MEND_API(MPI_Scatterv_c);
int MPI_Scatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                   MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                   int root, MPI_Comm comm)
{
    return mend_call_scatter(MEND_CALL_NOW, sendbuf, 0, MEND_COUNTS_C(sendcounts, displs), sendtype,
                             recvbuf, recvcount, recvtype, root, comm);
}

MEND_API(MPI_Allgather);
int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return mend_call_allgather(MEND_CALL_NOW, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                               NULL, recvtype, comm);
}

MEND_API(MPI_Allgather_c);
int MPI_Allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return mend_call_allgather(MEND_CALL_NOW, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                               NULL, recvtype, comm);
}

MEND_API(MPI_Allgatherv);
int MPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return mend_call_allgather(MEND_CALL_NOW, sendbuf, sendcount, sendtype, recvbuf, 0,
                               MEND_COUNTS(recvcounts, displs), recvtype, comm);
}

MEND_API(MPI_Allgatherv_c);
int MPI_Allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                     const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                     MPI_Comm comm)
{
    return mend_call_allgather(MEND_CALL_NOW, sendbuf, sendcount, sendtype, recvbuf, 0,
                               MEND_COUNTS_C(recvcounts, displs), recvtype, comm);
}

MEND_API(MPI_Alltoall);
int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return mend_call_alltoall(MEND_CALL_NOW, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                              recvtype, comm);
}

MEND_API(MPI_Alltoall_c);
int MPI_Alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return mend_call_alltoall(MEND_CALL_NOW, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                              recvtype, comm);
}

MEND_API(MPI_Alltoallv);
int MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                  MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
                  MPI_Datatype recvtype, MPI_Comm comm)
{
    return mend_call_alltoallv(MEND_CALL_NOW, sendbuf, MEND_COUNTS(sendcounts, sdispls), sendtype,
                               recvbuf, MEND_COUNTS(recvcounts, rdispls), recvtype, comm);
}

MEND_API(MPI_Alltoallv_c);
int MPI_Alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                    MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
                    const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return mend_call_alltoallv(MEND_CALL_NOW, sendbuf, MEND_COUNTS_C(sendcounts, sdispls), sendtype,
                               recvbuf, MEND_COUNTS_C(recvcounts, rdispls), recvtype, comm);
}

MEND_API(MPI_Alltoallw);
int MPI_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
                  const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                  const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return mend_call_alltoallw(MEND_CALL_NOW, sendbuf, MEND_COUNTS(sendcounts, sdispls), sendtypes,
                               recvbuf, MEND_COUNTS(recvcounts, rdispls), recvtypes, comm);
}

MEND_API(MPI_Alltoallw_c);
int MPI_Alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                    const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
                    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return mend_call_alltoallw(MEND_CALL_NOW, sendbuf, MEND_COUNTS_C(sendcounts, sdispls),
                               sendtypes, recvbuf, MEND_COUNTS_C(recvcounts, rdispls), recvtypes,
                               comm);
}
