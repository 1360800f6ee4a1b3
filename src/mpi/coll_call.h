/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_call.h – what the three forms of a collective have in common.
 *
 *     MPI_Allreduce       MPI_Allreduce_c      ┐
 *     MPI_Iallreduce      MPI_Iallreduce_c     ├─> mend_call_allreduce() ──> mend_coll_allreduce()
 *     MPI_Allreduce_init  MPI_Allreduce_init_c ┘   enter, check, report       coll/
 *
 * Arguments that are significant only at the root are looked at only there (MPI-5.0 6.1). */
#ifndef MEND_MPI_COLL_CALL_H
#define MEND_MPI_COLL_CALL_H

#include "mpi/check.h"

#include "coll/coll.h"

/* Which form was called. */
struct mend_call {
    int kind; /* MEND_COLL_NOW, MEND_COLL_START, MEND_COLL_PREPARE */
    MPI_Request *request;
    MPI_Info info;
    const char *fn;
};
#define MEND_CALL_NOW (&(const struct mend_call){MEND_COLL_NOW, NULL, MPI_INFO_NULL, __func__})
#define MEND_CALL_START                                                                            \
    (&(const struct mend_call){MEND_COLL_START, request, MPI_INFO_NULL, __func__})
#define MEND_CALL_INIT (&(const struct mend_call){MEND_COLL_PREPARE, request, info, __func__})

/* Counts and displacements of the two widths. */
#define MEND_COUNTS(counts_, displs_)                                                              \
    (&(const struct mend_coll_counts){.big = false, .counts = (counts_), .displs = (displs_)})
#define MEND_COUNTS_C(counts_, displs_)                                                            \
    (&(const struct mend_coll_counts){.big = true, .counts_c = (counts_), .displs_c = (displs_)})

#define MEND_COUNTS_W(counts_, displs_)                                                            \
    (&(const struct mend_coll_counts){                                                             \
        .big_displs = true, .counts = (counts_), .displs_c = (displs_)})

/* Enters; the communicator, and what the later forms have besides. */
int mend_call_check_later(const struct mend_call *call);
static inline int mend_call_enter(const struct mend_call *call, MPI_Comm comm,
                                  struct mend_comm **c_p)
{
    int err = mend_enter(call->fn);

    if (mend_likely(!err))
        err = mend_check_comm(comm, c_p);
    return mend_likely(err || call->kind == MEND_COLL_NOW) ? err : mend_call_check_later(call);
}

/* Stores the request if there is one; reports and leaves. */
static inline int mend_call_leave(const struct mend_call *call, struct mend_comm *c,
                                  const struct mend_coll_how *how, int err)
{
    if (mend_unlikely(call->kind != MEND_COLL_NOW && !err))
        *call->request = mend_mpi_request_handle(how->request);
    return mend_report_comm(c, err, call->fn);
}

/* Type, count and address of a buffer; of one that holds n blocks of so many elements. */
int mend_call_check(const void *buf, MPI_Count count, MPI_Datatype type, struct mend_coll_buf *b_p);
int mend_call_check_blocks(const void *buf, int n, MPI_Count count, MPI_Datatype type,
                           struct mend_coll_buf *b_p);
/* n blocks with counts and displacements of their own. */
int mend_call_check_counts(const void *buf, const struct mend_coll_counts *v, int n,
                           MPI_Datatype type, struct mend_coll_buf *b_p);
/* n counts, displacements and types. */
int mend_call_check_types(const void *buf, const struct mend_coll_counts *v,
                          const MPI_Datatype *types, int n);
/* MPI_IN_PLACE: allowed on intracommunicators (in_place is true), and then for this buffer. */
static inline bool mend_call_in_place(const struct mend_comm *c, const void *buf)
{
    return buf == MPI_IN_PLACE && !c->inter;
}

/* True if an element is certainly in both: they begin at one place and have one type.  A program that
 * means that says MPI_IN_PLACE (MPI-5.0 6.1). */
static inline bool mend_call_overlap(const void *in, MPI_Count in_count, const void *out,
                                     MPI_Count out_count, const struct mend_type *t)
{
    return in == out && in_count > 0 && out_count > 0 && t->size > 0;
}

/* coll_call.c.  All collective; blocking forms block until the operation is complete here. */
int mend_call_barrier(const struct mend_call *call, MPI_Comm comm);
int mend_call_bcast(const struct mend_call *call, void *buffer, MPI_Count count,
                    MPI_Datatype datatype, int root, MPI_Comm comm);
int mend_call_reduce(const struct mend_call *call, const void *sendbuf, void *recvbuf,
                     MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm);
int mend_call_allreduce(const struct mend_call *call, const void *sendbuf, void *recvbuf,
                        MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int mend_call_scan(const struct mend_call *call, const void *sendbuf, void *recvbuf,
                   MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                   bool exclusive);
/* recvcounts NULL: recvcount for each. */
int mend_call_reduce_scatter(const struct mend_call *call, const void *sendbuf, void *recvbuf,
                             MPI_Count recvcount, const struct mend_coll_counts *recvcounts,
                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

/* coll_call_move.c.  recvcounts or sendcounts NULL: the form with one count. */
int mend_call_gather(const struct mend_call *call, const void *sendbuf, MPI_Count sendcount,
                     MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                     const struct mend_coll_counts *recvcounts, MPI_Datatype recvtype, int root,
                     MPI_Comm comm);
int mend_call_scatter(const struct mend_call *call, const void *sendbuf, MPI_Count sendcount,
                      const struct mend_coll_counts *sendcounts, MPI_Datatype sendtype,
                      void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                      MPI_Comm comm);
int mend_call_allgather(const struct mend_call *call, const void *sendbuf, MPI_Count sendcount,
                        MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                        const struct mend_coll_counts *recvcounts, MPI_Datatype recvtype,
                        MPI_Comm comm);
int mend_call_alltoall(const struct mend_call *call, const void *sendbuf, MPI_Count sendcount,
                       MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm);
int mend_call_alltoallv(const struct mend_call *call, const void *sendbuf,
                        const struct mend_coll_counts *sendcounts, MPI_Datatype sendtype,
                        void *recvbuf, const struct mend_coll_counts *recvcounts,
                        MPI_Datatype recvtype, MPI_Comm comm);
int mend_call_alltoallw(const struct mend_call *call, const void *sendbuf,
                        const struct mend_coll_counts *sendcounts, const MPI_Datatype *sendtypes,
                        void *recvbuf, const struct mend_coll_counts *recvcounts,
                        const MPI_Datatype *recvtypes, MPI_Comm comm);

#endif
