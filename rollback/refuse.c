/* SPDX-License-Identifier: BSD-3-Clause */
/* refuse.c – calls that work as ever, and because of which a roll-back is refused by name if the log is on. */
#include "layer.h"

#define REFUSE(name_, parameters_, arguments_)                                                     \
    WRAPPER int MPI_##name_ parameters_                                                            \
    {                                                                                              \
        if (rollback_layer.on)                                                                     \
            rollback_refuse("MPI_" #name_);                                                        \
        return PMPI_##name_ arguments_;                                                            \
    }

REFUSE(Waitany, (int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status),
       (count, array_of_requests, indx, status))
REFUSE(Waitsome,
       (int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
        MPI_Status *array_of_statuses),
       (incount, array_of_requests, outcount, array_of_indices, array_of_statuses))
REFUSE(Testany,
       (int count, MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status),
       (count, array_of_requests, indx, flag, status))
REFUSE(Testall,
       (int count, MPI_Request array_of_requests[], int *flag, MPI_Status *array_of_statuses),
       (count, array_of_requests, flag, array_of_statuses))
REFUSE(Testsome,
       (int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
        MPI_Status *array_of_statuses),
       (incount, array_of_requests, outcount, array_of_indices, array_of_statuses))
REFUSE(Request_free, (MPI_Request * request), (request))
REFUSE(Cancel, (MPI_Request * request), (request))
REFUSE(Start, (MPI_Request * request), (request))
REFUSE(Startall, (int count, MPI_Request array_of_requests[]), (count, array_of_requests))
REFUSE(Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
       (source, tag, comm, message, status))
REFUSE(Improbe,
       (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
       (source, tag, comm, flag, message, status))
REFUSE(Win_create,
       (void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
       (base, size, disp_unit, info, comm, win))
REFUSE(Win_allocate,
       (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
       (size, disp_unit, info, comm, baseptr, win))
REFUSE(Win_allocate_shared,
       (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
       (size, disp_unit, info, comm, baseptr, win))
REFUSE(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win), (info, comm, win))
REFUSE(File_open, (MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh),
       (comm, filename, amode, info, fh))
REFUSE(Comm_spawn,
       (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
        MPI_Comm *intercomm, int array_of_errcodes[]),
       (command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes))
REFUSE(Comm_spawn_multiple,
       (int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[],
        const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm,
        int array_of_errcodes[]),
       (count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm,
        intercomm, array_of_errcodes))
REFUSE(Sendrecv_replace,
       (void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
        MPI_Comm comm, MPI_Status *status),
       (buf, count, datatype, dest, sendtag, source, recvtag, comm, status))
REFUSE(Send_init,
       (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
        MPI_Request *request),
       (buf, count, datatype, dest, tag, comm, request))
REFUSE(Recv_init,
       (void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
        MPI_Request *request),
       (buf, count, datatype, source, tag, comm, request))
REFUSE(Ssend_init,
       (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
        MPI_Request *request),
       (buf, count, datatype, dest, tag, comm, request))
REFUSE(Rsend_init,
       (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
        MPI_Request *request),
       (buf, count, datatype, dest, tag, comm, request))
REFUSE(Bsend_init,
       (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
        MPI_Request *request),
       (buf, count, datatype, dest, tag, comm, request))
REFUSE(Gather,
       (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
        MPI_Datatype recvtype, int root, MPI_Comm comm),
       (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
REFUSE(Gatherv,
       (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
        const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm),
       (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm))
REFUSE(Scatter,
       (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
        MPI_Datatype recvtype, int root, MPI_Comm comm),
       (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
REFUSE(Scatterv,
       (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
        void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
       (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm))
REFUSE(Allgatherv,
       (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
        const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm),
       (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))
REFUSE(Alltoallv,
       (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
        void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
        MPI_Comm comm),
       (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))
REFUSE(Alltoallw,
       (const void *sendbuf, const int sendcounts[], const int sdispls[],
        const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[],
        const MPI_Datatype recvtypes[], MPI_Comm comm),
       (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))
REFUSE(Scan,
       (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
        MPI_Comm comm),
       (sendbuf, recvbuf, count, datatype, op, comm))
REFUSE(Exscan,
       (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
        MPI_Comm comm),
       (sendbuf, recvbuf, count, datatype, op, comm))
REFUSE(Reduce_scatter,
       (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype,
        MPI_Op op, MPI_Comm comm),
       (sendbuf, recvbuf, recvcounts, datatype, op, comm))
REFUSE(Reduce_scatter_block,
       (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
        MPI_Comm comm),
       (sendbuf, recvbuf, recvcount, datatype, op, comm))
REFUSE(Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request))
REFUSE(Ibcast,
       (void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
        MPI_Request *request),
       (buffer, count, datatype, root, comm, request))
REFUSE(Ireduce,
       (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
        MPI_Comm comm, MPI_Request *request),
       (sendbuf, recvbuf, count, datatype, op, root, comm, request))
REFUSE(Iallreduce,
       (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
        MPI_Comm comm, MPI_Request *request),
       (sendbuf, recvbuf, count, datatype, op, comm, request))
REFUSE(Iallgather,
       (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
        MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
       (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
REFUSE(Iallgatherv,
       (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
        const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
        MPI_Request *request),
       (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))
REFUSE(Ialltoall,
       (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
        MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
       (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
REFUSE(Ialltoallv,
       (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
        void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
        MPI_Comm comm, MPI_Request *request),
       (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
        request))
REFUSE(Igather,
       (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
        MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request),
       (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
REFUSE(Iscatter,
       (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
        MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request),
       (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
REFUSE(Iscan,
       (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
        MPI_Comm comm, MPI_Request *request),
       (sendbuf, recvbuf, count, datatype, op, comm, request))
REFUSE(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm), (comm, group, newcomm))
REFUSE(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm),
       (comm, group, tag, newcomm))
REFUSE(Comm_split_type, (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm),
       (comm, split_type, key, info, newcomm))
REFUSE(Comm_idup, (MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request),
       (comm, newcomm, request))
REFUSE(Cart_create,
       (MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder,
        MPI_Comm *comm_cart),
       (comm_old, ndims, dims, periods, reorder, comm_cart))
REFUSE(Intercomm_create,
       (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
        MPI_Comm *newintercomm),
       (local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm))
