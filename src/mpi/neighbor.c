/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor.c – collectives over the neighbours of a topology (MPI-5.0 8.6 to 8.9), in all forms.
 *
 *     MPI_[In|N]eighbor_x[_init][_c] ──> exchange(), exchange_w() ──> mend_coll_neighbor()
 *
 * All are collective over comm.  Blocking forms block until this process's exchange is
 * complete.  A death of any member of comm: MPI_ERR_PROC_FAILED, of nonblocking and persistent
 * forms from the completion call (S0-15, S0-27).  Revoked communicator: MPI_ERR_INVALIDATED.  No
 * topology: MPI_ERR_TOPOLOGY. */
#include "mpi/coll_call.h"

#include "comm/topo.h"

static int enter(const struct mend_call *call, MPI_Comm comm, struct mend_comm **c_p,
                 int *sources_n_p, int *targets_n_p)
{
    int err = mend_call_enter(call, comm, c_p);

    if (!err && !(*c_p)->topo)
        err = MPI_ERR_TOPOLOGY;
    if (!err)
        mend_topo_degrees(*c_p, sources_n_p, targets_n_p);
    return err;
}

/* Blocks of one side: of one size, or n of sizes of their own. */
static int check_edges(const void *buf, MPI_Count count, const struct mend_coll_counts *counts,
                       MPI_Datatype type, int n, struct mend_coll_edges *e_p)
{
    struct mend_coll_buf b = {0};
    int err = counts ? mend_call_check_counts(buf, counts, n, type, &b)
                     : mend_call_check_blocks(buf, n, n > 0 ? count : 0, type, &b);

    e_p->count = count;
    e_p->type = b.type;
    e_p->counts = counts;
    return err ? err : mend_check_count(count);
}

/* one: the same block goes to all (allgather). */
static int exchange(const struct mend_call *call, const void *sendbuf, MPI_Count sendcount,
                    const struct mend_coll_counts *sendcounts, MPI_Datatype sendtype, void *recvbuf,
                    MPI_Count recvcount, const struct mend_coll_counts *recvcounts,
                    MPI_Datatype recvtype, bool one, MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    struct mend_coll_edges to = {.one = one}, from = {0};
    struct mend_coll_how how = {.kind = call->kind};
    int sources_n = 0, targets_n = 0;
    int err = enter(call, comm, &c, &sources_n, &targets_n);

    if (!err)
        err = check_edges(sendbuf, sendcount, sendcounts, sendtype, one ? targets_n > 0 : targets_n,
                          &to);
    if (!err)
        err = check_edges(recvbuf, recvcount, recvcounts, recvtype, sources_n, &from);
    if (!err)
        err = mend_coll_neighbor(c, sendbuf, &to, recvbuf, &from, &how);
    return mend_call_leave(call, c, &how, err);
}

static int exchange_w(const struct mend_call *call, const void *sendbuf,
                      const struct mend_coll_counts *sendcounts, const MPI_Datatype *sendtypes,
                      void *recvbuf, const struct mend_coll_counts *recvcounts,
                      const MPI_Datatype *recvtypes, MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    struct mend_coll_edges to = {.counts = sendcounts, .types = sendtypes};
    struct mend_coll_edges from = {.counts = recvcounts, .types = recvtypes};
    struct mend_coll_how how = {.kind = call->kind};
    int sources_n = 0, targets_n = 0;
    int err = enter(call, comm, &c, &sources_n, &targets_n);

    if (!err)
        err = mend_call_check_types(sendbuf, sendcounts, sendtypes, targets_n);
    if (!err)
        err = mend_call_check_types(recvbuf, recvcounts, recvtypes, sources_n);
    if (!err)
        err = mend_coll_neighbor(c, sendbuf, &to, recvbuf, &from, &how);
    return mend_call_leave(call, c, &how, err);
}

MEND_API(MPI_Neighbor_allgather);
int MPI_Neighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return exchange(MEND_CALL_NOW, sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount, NULL,
                    recvtype, true, comm);
}

MEND_API(MPI_Neighbor_allgather_c);
int MPI_Neighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                             MPI_Comm comm)
{
    return exchange(MEND_CALL_NOW, sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount, NULL,
                    recvtype, true, comm);
}

MEND_API(MPI_Neighbor_allgatherv);
int MPI_Neighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                            void *recvbuf, const int recvcounts[], const int displs[],
                            MPI_Datatype recvtype, MPI_Comm comm)
{
    return exchange(MEND_CALL_NOW, sendbuf, sendcount, NULL, sendtype, recvbuf, 0,
                    MEND_COUNTS(recvcounts, displs), recvtype, true, comm);
}

MEND_API(MPI_Neighbor_allgatherv_c);
int MPI_Neighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                              void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                              MPI_Datatype recvtype, MPI_Comm comm)
{
    return exchange(MEND_CALL_NOW, sendbuf, sendcount, NULL, sendtype, recvbuf, 0,
                    MEND_COUNTS_C(recvcounts, displs), recvtype, true, comm);
}

MEND_API(MPI_Neighbor_alltoall);
int MPI_Neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                          int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return exchange(MEND_CALL_NOW, sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount, NULL,
                    recvtype, false, comm);
}

MEND_API(MPI_Neighbor_alltoall_c);
int MPI_Neighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                            void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                            MPI_Comm comm)
{
    return exchange(MEND_CALL_NOW, sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount, NULL,
                    recvtype, false, comm);
}

MEND_API(MPI_Neighbor_alltoallv);
int MPI_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                           MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                           const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return exchange(MEND_CALL_NOW, sendbuf, 0, MEND_COUNTS(sendcounts, sdispls), sendtype, recvbuf,
                    0, MEND_COUNTS(recvcounts, rdispls), recvtype, false, comm);
}

MEND_API(MPI_Neighbor_alltoallv_c);
int MPI_Neighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[],
                             const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                             const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                             MPI_Datatype recvtype, MPI_Comm comm)
{
    return exchange(MEND_CALL_NOW, sendbuf, 0, MEND_COUNTS_C(sendcounts, sdispls), sendtype,
                    recvbuf, 0, MEND_COUNTS_C(recvcounts, rdispls), recvtype, false, comm);
}

MEND_API(MPI_Neighbor_alltoallw);
int MPI_Neighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                           const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return exchange_w(MEND_CALL_NOW, sendbuf, MEND_COUNTS_W(sendcounts, sdispls), sendtypes,
                      recvbuf, MEND_COUNTS_W(recvcounts, rdispls), recvtypes, comm);
}

MEND_API(MPI_Neighbor_alltoallw_c);
int MPI_Neighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[],
                             const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                             void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                             const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return exchange_w(MEND_CALL_NOW, sendbuf, MEND_COUNTS_C(sendcounts, sdispls), sendtypes,
                      recvbuf, MEND_COUNTS_C(recvcounts, rdispls), recvtypes, comm);
}

MEND_API(MPI_Ineighbor_allgather);
int MPI_Ineighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                            void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                            MPI_Request *request)
{
    return exchange(MEND_CALL_START, sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount, NULL,
                    recvtype, true, comm);
}

MEND_API(MPI_Ineighbor_allgather_c);
int MPI_Ineighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                              void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                              MPI_Comm comm, MPI_Request *request)
{
    return exchange(MEND_CALL_START, sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount, NULL,
                    recvtype, true, comm);
}

MEND_API(MPI_Ineighbor_allgatherv);
int MPI_Ineighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                             void *recvbuf, const int recvcounts[], const int displs[],
                             MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return exchange(MEND_CALL_START, sendbuf, sendcount, NULL, sendtype, recvbuf, 0,
                    MEND_COUNTS(recvcounts, displs), recvtype, true, comm);
}

MEND_API(MPI_Ineighbor_allgatherv_c);
int MPI_Ineighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                               void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                               MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return exchange(MEND_CALL_START, sendbuf, sendcount, NULL, sendtype, recvbuf, 0,
                    MEND_COUNTS_C(recvcounts, displs), recvtype, true, comm);
}

MEND_API(MPI_Ineighbor_alltoall);
int MPI_Ineighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                           MPI_Request *request)
{
    return exchange(MEND_CALL_START, sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount, NULL,
                    recvtype, false, comm);
}

MEND_API(MPI_Ineighbor_alltoall_c);
int MPI_Ineighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                             MPI_Comm comm, MPI_Request *request)
{
    return exchange(MEND_CALL_START, sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount, NULL,
                    recvtype, false, comm);
}

MEND_API(MPI_Ineighbor_alltoallv);
int MPI_Ineighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                            MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                            const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                            MPI_Request *request)
{
    return exchange(MEND_CALL_START, sendbuf, 0, MEND_COUNTS(sendcounts, sdispls), sendtype,
                    recvbuf, 0, MEND_COUNTS(recvcounts, rdispls), recvtype, false, comm);
}

MEND_API(MPI_Ineighbor_alltoallv_c);
int MPI_Ineighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[],
                              const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                              const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                              MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return exchange(MEND_CALL_START, sendbuf, 0, MEND_COUNTS_C(sendcounts, sdispls), sendtype,
                    recvbuf, 0, MEND_COUNTS_C(recvcounts, rdispls), recvtype, false, comm);
}

MEND_API(MPI_Ineighbor_alltoallw);
int MPI_Ineighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                            MPI_Request *request)
{
    return exchange_w(MEND_CALL_START, sendbuf, MEND_COUNTS_W(sendcounts, sdispls), sendtypes,
                      recvbuf, MEND_COUNTS_W(recvcounts, rdispls), recvtypes, comm);
}

MEND_API(MPI_Ineighbor_alltoallw_c);
int MPI_Ineighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[],
                              const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                              void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                              const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request)
{
    return exchange_w(MEND_CALL_START, sendbuf, MEND_COUNTS_C(sendcounts, sdispls), sendtypes,
                      recvbuf, MEND_COUNTS_C(recvcounts, rdispls), recvtypes, comm);
}

MEND_API(MPI_Neighbor_allgather_init);
int MPI_Neighbor_allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                MPI_Info info, MPI_Request *request)
{
    return exchange(MEND_CALL_INIT, sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount, NULL,
                    recvtype, true, comm);
}

MEND_API(MPI_Neighbor_allgather_init_c);
int MPI_Neighbor_allgather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                  void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return exchange(MEND_CALL_INIT, sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount, NULL,
                    recvtype, true, comm);
}

MEND_API(MPI_Neighbor_allgatherv_init);
int MPI_Neighbor_allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void *recvbuf, const int recvcounts[], const int displs[],
                                 MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                 MPI_Request *request)
{
    return exchange(MEND_CALL_INIT, sendbuf, sendcount, NULL, sendtype, recvbuf, 0,
                    MEND_COUNTS(recvcounts, displs), recvtype, true, comm);
}

MEND_API(MPI_Neighbor_allgatherv_init_c);
int MPI_Neighbor_allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void *recvbuf, const MPI_Count recvcounts[],
                                   const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                   MPI_Info info, MPI_Request *request)
{
    return exchange(MEND_CALL_INIT, sendbuf, sendcount, NULL, sendtype, recvbuf, 0,
                    MEND_COUNTS_C(recvcounts, displs), recvtype, true, comm);
}

MEND_API(MPI_Neighbor_alltoall_init);
int MPI_Neighbor_alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                               void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                               MPI_Info info, MPI_Request *request)
{
    return exchange(MEND_CALL_INIT, sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount, NULL,
                    recvtype, false, comm);
}

MEND_API(MPI_Neighbor_alltoall_init_c);
int MPI_Neighbor_alltoall_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                 void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                 MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return exchange(MEND_CALL_INIT, sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount, NULL,
                    recvtype, false, comm);
}

MEND_API(MPI_Neighbor_alltoallv_init);
int MPI_Neighbor_alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[],
                                MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                                const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                MPI_Info info, MPI_Request *request)
{
    return exchange(MEND_CALL_INIT, sendbuf, 0, MEND_COUNTS(sendcounts, sdispls), sendtype, recvbuf,
                    0, MEND_COUNTS(recvcounts, rdispls), recvtype, false, comm);
}

MEND_API(MPI_Neighbor_alltoallv_init_c);
int MPI_Neighbor_alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[],
                                  const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                                  const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                  MPI_Request *request)
{
    return exchange(MEND_CALL_INIT, sendbuf, 0, MEND_COUNTS_C(sendcounts, sdispls), sendtype,
                    recvbuf, 0, MEND_COUNTS_C(recvcounts, rdispls), recvtype, false, comm);
}

MEND_API(MPI_Neighbor_alltoallw_init);
int MPI_Neighbor_alltoallw_init(const void *sendbuf, const int sendcounts[],
                                const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
                                const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                                MPI_Request *request)
{
    return exchange_w(MEND_CALL_INIT, sendbuf, MEND_COUNTS_W(sendcounts, sdispls), sendtypes,
                      recvbuf, MEND_COUNTS_W(recvcounts, rdispls), recvtypes, comm);
}

MEND_API(MPI_Neighbor_alltoallw_init_c);
int MPI_Neighbor_alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[],
                                  const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                  void *recvbuf, const MPI_Count recvcounts[],
                                  const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                  MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return exchange_w(MEND_CALL_INIT, sendbuf, MEND_COUNTS_C(sendcounts, sdispls), sendtypes,
                      recvbuf, MEND_COUNTS_C(recvcounts, rdispls), recvtypes, comm);
}
