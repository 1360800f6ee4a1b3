/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_persistent.c – persistent collectives (MPI-5.0 6.13), in both widths.
 *
 * Each is one line: coll_call.h says how the three forms of a collective share their code.
 *
 * The _init calls are collective over comm, do not block and make an inactive request.
 * MPI_Start of it is collective, too; starts of several requests may come in any order.  Neither
 * a death nor a revoked communicator is an error of either: the completion call tells, at every
 * start (S0-15, S0-16, R1).  The arrays of counts, displacements and types are read by the _init
 * call only. */
#include "mpi/coll_call.h"

MEND_API(MPI_Barrier_init);
int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return mend_call_barrier(MEND_CALL_INIT, comm);
}

MEND_API(MPI_Bcast_init);
int MPI_Bcast_init(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                   MPI_Info info, MPI_Request *request)
{
    return mend_call_bcast(MEND_CALL_INIT, buffer, count, datatype, root, comm);
}

MEND_API(MPI_Bcast_init_c);
int MPI_Bcast_init_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                     MPI_Info info, MPI_Request *request)
{
    return mend_call_bcast(MEND_CALL_INIT, buffer, count, datatype, root, comm);
}

MEND_API(MPI_Reduce_init);
int MPI_Reduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return mend_call_reduce(MEND_CALL_INIT, sendbuf, recvbuf, count, datatype, op, root, comm);
}

MEND_API(MPI_Reduce_init_c);
int MPI_Reduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                      MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return mend_call_reduce(MEND_CALL_INIT, sendbuf, recvbuf, count, datatype, op, root, comm);
}

MEND_API(MPI_Allreduce_init);
int MPI_Allreduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                       MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return mend_call_allreduce(MEND_CALL_INIT, sendbuf, recvbuf, count, datatype, op, comm);
}

MEND_API(MPI_Allreduce_init_c);
int MPI_Allreduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return mend_call_allreduce(MEND_CALL_INIT, sendbuf, recvbuf, count, datatype, op, comm);
}

MEND_API(MPI_Scan_init);
int MPI_Scan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return mend_call_scan(MEND_CALL_INIT, sendbuf, recvbuf, count, datatype, op, comm, false);
}

MEND_API(MPI_Scan_init_c);
int MPI_Scan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                    MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return mend_call_scan(MEND_CALL_INIT, sendbuf, recvbuf, count, datatype, op, comm, false);
}

MEND_API(MPI_Exscan_init);
int MPI_Exscan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return mend_call_scan(MEND_CALL_INIT, sendbuf, recvbuf, count, datatype, op, comm, true);
}

MEND_API(MPI_Exscan_init_c);
int MPI_Exscan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return mend_call_scan(MEND_CALL_INIT, sendbuf, recvbuf, count, datatype, op, comm, true);
}

MEND_API(MPI_Reduce_scatter_init);
int MPI_Reduce_scatter_init(const void *sendbuf, void *recvbuf, const int recvcounts[],
                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                            MPI_Request *request)
{
    return mend_call_reduce_scatter(MEND_CALL_INIT, sendbuf, recvbuf, 0,
                                    MEND_COUNTS(recvcounts, NULL), datatype, op, comm);
}

MEND_API(MPI_Reduce_scatter_init_c);
int MPI_Reduce_scatter_init_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                              MPI_Request *request)
{
    return mend_call_reduce_scatter(MEND_CALL_INIT, sendbuf, recvbuf, 0,
                                    MEND_COUNTS_C(recvcounts, NULL), datatype, op, comm);
}

MEND_API(MPI_Reduce_scatter_block_init);
int MPI_Reduce_scatter_block_init(const void *sendbuf, void *recvbuf, int recvcount,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                  MPI_Request *request)
{
    return mend_call_reduce_scatter(MEND_CALL_INIT, sendbuf, recvbuf, recvcount, NULL, datatype, op,
                                    comm);
}

MEND_API(MPI_Reduce_scatter_block_init_c);
int MPI_Reduce_scatter_block_init_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                    MPI_Request *request)
{
    return mend_call_reduce_scatter(MEND_CALL_INIT, sendbuf, recvbuf, recvcount, NULL, datatype, op,
                                    comm);
}

MEND_API(MPI_Gather_init);
int MPI_Gather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                    MPI_Request *request)
{
    return mend_call_gather(MEND_CALL_INIT, sendbuf, sendcount, sendtype, recvbuf, recvcount, NULL,
                            recvtype, root, comm);
}

MEND_API(MPI_Gather_init_c);
int MPI_Gather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                      MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return mend_call_gather(MEND_CALL_INIT, sendbuf, sendcount, sendtype, recvbuf, recvcount, NULL,
                            recvtype, root, comm);
}

MEND_API(MPI_Gatherv_init);
int MPI_Gatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                     MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return mend_call_gather(MEND_CALL_INIT, sendbuf, sendcount, sendtype, recvbuf, 0,
                            MEND_COUNTS(recvcounts, displs), recvtype, root, comm);
}

MEND_API(MPI_Gatherv_init_c);
int MPI_Gatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                       void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                       MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                       MPI_Request *request)
{
    return mend_call_gather(MEND_CALL_INIT, sendbuf, sendcount, sendtype, recvbuf, 0,
                            MEND_COUNTS_C(recvcounts, displs), recvtype, root, comm);
}

MEND_API(MPI_Scatter_init);
int MPI_Scatter_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                     int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                     MPI_Request *request)
{
    return mend_call_scatter(MEND_CALL_INIT, sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount,
                             recvtype, root, comm);
}

MEND_API(MPI_Scatter_init_c);
int MPI_Scatter_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                       void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                       MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return mend_call_scatter(MEND_CALL_INIT, sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount,
                             recvtype, root, comm);
}

MEND_API(MPI_Scatterv_init);
int MPI_Scatterv_init(const void *sendbuf, const int sendcounts[], const int displs[],
                      MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                      int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return mend_call_scatter(MEND_CALL_INIT, sendbuf, 0, MEND_COUNTS(sendcounts, displs), sendtype,
                             recvbuf, recvcount, recvtype, root, comm);
}

MEND_API(MPI_Scatterv_init_c);
int MPI_Scatterv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                        MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                        MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                        MPI_Request *request)
{
    return mend_call_scatter(MEND_CALL_INIT, sendbuf, 0, MEND_COUNTS_C(sendcounts, displs),
                             sendtype, recvbuf, recvcount, recvtype, root, comm);
}

MEND_API(MPI_Allgather_init);
int MPI_Allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                       MPI_Request *request)
{
    return mend_call_allgather(MEND_CALL_INIT, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                               NULL, recvtype, comm);
}

MEND_API(MPI_Allgather_init_c);
int MPI_Allgather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                         void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                         MPI_Info info, MPI_Request *request)
{
    return mend_call_allgather(MEND_CALL_INIT, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                               NULL, recvtype, comm);
}

MEND_API(MPI_Allgatherv_init);
int MPI_Allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                        const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                        MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return mend_call_allgather(MEND_CALL_INIT, sendbuf, sendcount, sendtype, recvbuf, 0,
                               MEND_COUNTS(recvcounts, displs), recvtype, comm);
}

MEND_API(MPI_Allgatherv_init_c);
int MPI_Allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                          void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                          MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return mend_call_allgather(MEND_CALL_INIT, sendbuf, sendcount, sendtype, recvbuf, 0,
                               MEND_COUNTS_C(recvcounts, displs), recvtype, comm);
}

MEND_API(MPI_Alltoall_init);
int MPI_Alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                      int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                      MPI_Request *request)
{
    return mend_call_alltoall(MEND_CALL_INIT, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                              recvtype, comm);
}

MEND_API(MPI_Alltoall_init_c);
int MPI_Alltoall_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                        void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                        MPI_Info info, MPI_Request *request)
{
    return mend_call_alltoall(MEND_CALL_INIT, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                              recvtype, comm);
}

MEND_API(MPI_Alltoallv_init);
int MPI_Alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[],
                       MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                       const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                       MPI_Request *request)
{
    return mend_call_alltoallv(MEND_CALL_INIT, sendbuf, MEND_COUNTS(sendcounts, sdispls), sendtype,
                               recvbuf, MEND_COUNTS(recvcounts, rdispls), recvtype, comm);
}

MEND_API(MPI_Alltoallv_init_c);
int MPI_Alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[],
                         const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                         const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                         MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return mend_call_alltoallv(MEND_CALL_INIT, sendbuf, MEND_COUNTS_C(sendcounts, sdispls),
                               sendtype, recvbuf, MEND_COUNTS_C(recvcounts, rdispls), recvtype,
                               comm);
}

MEND_API(MPI_Alltoallw_init);
int MPI_Alltoallw_init(const void *sendbuf, const int sendcounts[], const int sdispls[],
                       const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                       const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                       MPI_Info info, MPI_Request *request)
{
    return mend_call_alltoallw(MEND_CALL_INIT, sendbuf, MEND_COUNTS(sendcounts, sdispls), sendtypes,
                               recvbuf, MEND_COUNTS(recvcounts, rdispls), recvtypes, comm);
}

MEND_API(MPI_Alltoallw_init_c);
int MPI_Alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[],
                         const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
                         const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                         const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                         MPI_Request *request)
{
    return mend_call_alltoallw(MEND_CALL_INIT, sendbuf, MEND_COUNTS_C(sendcounts, sdispls),
                               sendtypes, recvbuf, MEND_COUNTS_C(recvcounts, rdispls), recvtypes,
                               comm);
}
