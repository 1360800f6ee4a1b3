/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_nb.c – nonblocking collectives (MPI-5.0 6.12), in both widths.
 *
 * Each is one line: coll_call.h says how the three forms of a collective share their code.
 *
 * All are collective over comm and do not block.  Neither a death nor a revoked communicator is
 * an error here: the completion call tells (S0-15, S0-16, R1). */
#include "mpi/coll_call.h"

MEND_API(MPI_Ibarrier);
int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    return mend_call_barrier(MEND_CALL_START, comm);
}

MEND_API(MPI_Ibcast);
int MPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
               MPI_Request *request)
{
    return mend_call_bcast(MEND_CALL_START, buffer, count, datatype, root, comm);
}

MEND_API(MPI_Ibcast_c);
int MPI_Ibcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                 MPI_Request *request)
{
    return mend_call_bcast(MEND_CALL_START, buffer, count, datatype, root, comm);
}

MEND_API(MPI_Ireduce);
int MPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                int root, MPI_Comm comm, MPI_Request *request)
{
    return mend_call_reduce(MEND_CALL_START, sendbuf, recvbuf, count, datatype, op, root, comm);
}

MEND_API(MPI_Ireduce_c);
int MPI_Ireduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                  MPI_Op op, int root, MPI_Comm comm, MPI_Request *request)
{
    return mend_call_reduce(MEND_CALL_START, sendbuf, recvbuf, count, datatype, op, root, comm);
}

MEND_API(MPI_Iallreduce);
int MPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request)
{
    return mend_call_allreduce(MEND_CALL_START, sendbuf, recvbuf, count, datatype, op, comm);
}

MEND_API(MPI_Iallreduce_c);
int MPI_Iallreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                     MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return mend_call_allreduce(MEND_CALL_START, sendbuf, recvbuf, count, datatype, op, comm);
}

MEND_API(MPI_Iscan);
int MPI_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm, MPI_Request *request)
{
    return mend_call_scan(MEND_CALL_START, sendbuf, recvbuf, count, datatype, op, comm, false);
}

MEND_API(MPI_Iscan_c);
int MPI_Iscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return mend_call_scan(MEND_CALL_START, sendbuf, recvbuf, count, datatype, op, comm, false);
}

MEND_API(MPI_Iexscan);
int MPI_Iexscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm, MPI_Request *request)
{
    return mend_call_scan(MEND_CALL_START, sendbuf, recvbuf, count, datatype, op, comm, true);
}

MEND_API(MPI_Iexscan_c);
int MPI_Iexscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                  MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return mend_call_scan(MEND_CALL_START, sendbuf, recvbuf, count, datatype, op, comm, true);
}

MEND_API(MPI_Ireduce_scatter);
int MPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return mend_call_reduce_scatter(MEND_CALL_START, sendbuf, recvbuf, 0,
                                    MEND_COUNTS(recvcounts, NULL), datatype, op, comm);
}

MEND_API(MPI_Ireduce_scatter_c);
int MPI_Ireduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return mend_call_reduce_scatter(MEND_CALL_START, sendbuf, recvbuf, 0,
                                    MEND_COUNTS_C(recvcounts, NULL), datatype, op, comm);
}

MEND_API(MPI_Ireduce_scatter_block);
int MPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return mend_call_reduce_scatter(MEND_CALL_START, sendbuf, recvbuf, recvcount, NULL, datatype,
                                    op, comm);
}

MEND_API(MPI_Ireduce_scatter_block_c);
int MPI_Ireduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                MPI_Request *request)
{
    return mend_call_reduce_scatter(MEND_CALL_START, sendbuf, recvbuf, recvcount, NULL, datatype,
                                    op, comm);
}

MEND_API(MPI_Igather);
int MPI_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
    return mend_call_gather(MEND_CALL_START, sendbuf, sendcount, sendtype, recvbuf, recvcount, NULL,
                            recvtype, root, comm);
}

MEND_API(MPI_Igather_c);
int MPI_Igather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Request *request)
{
    return mend_call_gather(MEND_CALL_START, sendbuf, sendcount, sendtype, recvbuf, recvcount, NULL,
                            recvtype, root, comm);
}

MEND_API(MPI_Igatherv);
int MPI_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                 MPI_Comm comm, MPI_Request *request)
{
    return mend_call_gather(MEND_CALL_START, sendbuf, sendcount, sendtype, recvbuf, 0,
                            MEND_COUNTS(recvcounts, displs), recvtype, root, comm);
}

MEND_API(MPI_Igatherv_c);
int MPI_Igatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                   int root, MPI_Comm comm, MPI_Request *request)
{
    return mend_call_gather(MEND_CALL_START, sendbuf, sendcount, sendtype, recvbuf, 0,
                            MEND_COUNTS_C(recvcounts, displs), recvtype, root, comm);
}

MEND_API(MPI_Iscatter);
int MPI_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Request *request)
{
    return mend_call_scatter(MEND_CALL_START, sendbuf, sendcount, NULL, sendtype, recvbuf,
                             recvcount, recvtype, root, comm);
}

MEND_API(MPI_Iscatter_c);
int MPI_Iscatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                   MPI_Request *request)
{
    return mend_call_scatter(MEND_CALL_START, sendbuf, sendcount, NULL, sendtype, recvbuf,
                             recvcount, recvtype, root, comm);
}

MEND_API(MPI_Iscatterv);
int MPI_Iscatterv(const void *sendbuf, const int sendcounts[], const int displs[],
                  MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm, MPI_Request *request)
{
    return mend_call_scatter(MEND_CALL_START, sendbuf, 0, MEND_COUNTS(sendcounts, displs), sendtype,
                             recvbuf, recvcount, recvtype, root, comm);
}

MEND_API(MPI_Iscatterv_c);
int MPI_Iscatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                    MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
    return mend_call_scatter(MEND_CALL_START, sendbuf, 0, MEND_COUNTS_C(sendcounts, displs),
                             sendtype, recvbuf, recvcount, recvtype, root, comm);
}

MEND_API(MPI_Iallgather);
int MPI_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return mend_call_allgather(MEND_CALL_START, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                               NULL, recvtype, comm);
}

MEND_API(MPI_Iallgather_c);
int MPI_Iallgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                     MPI_Request *request)
{
    return mend_call_allgather(MEND_CALL_START, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                               NULL, recvtype, comm);
}

MEND_API(MPI_Iallgatherv);
int MPI_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                    MPI_Comm comm, MPI_Request *request)
{
    return mend_call_allgather(MEND_CALL_START, sendbuf, sendcount, sendtype, recvbuf, 0,
                               MEND_COUNTS(recvcounts, displs), recvtype, comm);
}

MEND_API(MPI_Iallgatherv_c);
int MPI_Iallgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return mend_call_allgather(MEND_CALL_START, sendbuf, sendcount, sendtype, recvbuf, 0,
                               MEND_COUNTS_C(recvcounts, displs), recvtype, comm);
}

MEND_API(MPI_Ialltoall);
int MPI_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return mend_call_alltoall(MEND_CALL_START, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                              recvtype, comm);
}

MEND_API(MPI_Ialltoall_c);
int MPI_Ialltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return mend_call_alltoall(MEND_CALL_START, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                              recvtype, comm);
}

MEND_API(MPI_Ialltoallv);
int MPI_Ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return mend_call_alltoallv(MEND_CALL_START, sendbuf, MEND_COUNTS(sendcounts, sdispls), sendtype,
                               recvbuf, MEND_COUNTS(recvcounts, rdispls), recvtype, comm);
}

MEND_API(MPI_Ialltoallv_c);
int MPI_Ialltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                     MPI_Request *request)
{
    return mend_call_alltoallv(MEND_CALL_START, sendbuf, MEND_COUNTS_C(sendcounts, sdispls),
                               sendtype, recvbuf, MEND_COUNTS_C(recvcounts, rdispls), recvtype,
                               comm);
}

MEND_API(MPI_Ialltoallw);
int MPI_Ialltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                   const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                   MPI_Request *request)
{
    return mend_call_alltoallw(MEND_CALL_START, sendbuf, MEND_COUNTS(sendcounts, sdispls),
                               sendtypes, recvbuf, MEND_COUNTS(recvcounts, rdispls), recvtypes,
                               comm);
}

MEND_API(MPI_Ialltoallw_c);
int MPI_Ialltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                     MPI_Request *request)
{
    return mend_call_alltoallw(MEND_CALL_START, sendbuf, MEND_COUNTS_C(sendcounts, sdispls),
                               sendtypes, recvbuf, MEND_COUNTS_C(recvcounts, rdispls), recvtypes,
                               comm);
}
