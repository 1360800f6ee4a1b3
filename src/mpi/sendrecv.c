/* SPDX-License-Identifier: BSD-3-Clause */
/* sendrecv.c – a send and a receive as one operation (MPI-5.0 3.10), blocking and nonblocking.
 *
 * None is collective.  What a death does, p2p/sendrecv.c says. */
#include "mpi/message.h"

static int check(MPI_Comm comm, MPI_Datatype sendtype, struct mend_p2p_side *out,
                 MPI_Datatype recvtype, struct mend_p2p_side *in, struct mend_comm **c_p)
{
    int err =
        mend_check_send(comm, sendtype, out->count, out->buf, out->rank, out->tag, c_p, &out->t);

    if (!err)
        err = mend_check_recv(comm, recvtype, in->count, in->buf, in->rank, in->tag, c_p, &in->t);
    return err;
}

static int blocking(MPI_Comm comm, MPI_Datatype sendtype, struct mend_p2p_side out,
                    MPI_Datatype recvtype, struct mend_p2p_side in, bool replace,
                    MPI_Status *status, const char *fn)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = check(comm, sendtype, &out, recvtype, &in, &c);
    if (!err)
        err = mend_p2p_sendrecv(c, &out, &in, replace, status);
    return mend_report_comm(c, err, fn);
}

static int nonblocking(MPI_Comm comm, MPI_Datatype sendtype, struct mend_p2p_side out,
                       MPI_Datatype recvtype, struct mend_p2p_side in, bool replace,
                       MPI_Request *request, const char *fn)
{
    struct mend_comm *c = NULL;
    struct mend_request *r = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = check(comm, sendtype, &out, recvtype, &in, &c);
    if (!err)
        err = mend_check_pointer(request);
    if (!err)
        err = mend_p2p_isendrecv(c, &out, &in, replace, &r);
    if (!err)
        *request = mend_mpi_request_handle(r);
    return mend_report_comm(c, err, fn);
}

#define OUT ((struct mend_p2p_side){sendbuf, sendcount, NULL, dest, sendtag})
#define IN  ((struct mend_p2p_side){recvbuf, recvcount, NULL, source, recvtag})

/* The one buffer of the replace forms, in both directions. */
#define OUT_SAME ((struct mend_p2p_side){buf, count, NULL, dest, sendtag})
#define IN_SAME  ((struct mend_p2p_side){buf, count, NULL, source, recvtag})

/* --------------------------------------------------------------------------
 * MPI-5.0 3.10.  Blocks until the message is in recvbuf and sendbuf may be used again.
 * -------------------------------------------------------------------------- */

MEND_API(MPI_Sendrecv);
int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm comm, MPI_Status *status)
{
    return blocking(comm, sendtype, OUT, recvtype, IN, false, status, __func__);
}

MEND_API(MPI_Sendrecv_c);
int MPI_Sendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                   int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                   int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    return blocking(comm, sendtype, OUT, recvtype, IN, false, status, __func__);
}

MEND_API(MPI_Sendrecv_replace);
int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                         int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    return blocking(comm, datatype, OUT_SAME, datatype, IN_SAME, true, status, __func__);
}

MEND_API(MPI_Sendrecv_replace_c);
int MPI_Sendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                           int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    return blocking(comm, datatype, OUT_SAME, datatype, IN_SAME, true, status, __func__);
}

/* The same without blocking: the request completes when both messages are through. */
MEND_API(MPI_Isendrecv);
int MPI_Isendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                  MPI_Comm comm, MPI_Request *request)
{
    return nonblocking(comm, sendtype, OUT, recvtype, IN, false, request, __func__);
}

MEND_API(MPI_Isendrecv_c);
int MPI_Isendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                    int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                    int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
    return nonblocking(comm, sendtype, OUT, recvtype, IN, false, request, __func__);
}

MEND_API(MPI_Isendrecv_replace);
int MPI_Isendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                          int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
    return nonblocking(comm, datatype, OUT_SAME, datatype, IN_SAME, true, request, __func__);
}

MEND_API(MPI_Isendrecv_replace_c);
int MPI_Isendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                            int sendtag, int source, int recvtag, MPI_Comm comm,
                            MPI_Request *request)
{
    return nonblocking(comm, datatype, OUT_SAME, datatype, IN_SAME, true, request, __func__);
}
