/* SPDX-License-Identifier: BSD-3-Clause */
/* message.h – checks that all files of point-to-point share.
 *
 * Order: communicator (its error handler reports the rest), type, count, buffer, then rank, tag. */
#ifndef MEND_MPI_MESSAGE_H
#define MEND_MPI_MESSAGE_H

#include "mpi/check.h"

/* Buffer, count and type of a message. */
static inline int mend_check_data(MPI_Datatype type, MPI_Count count, const void *buf,
                                  const struct mend_type **t_p)
{
    int err = mend_check_committed(type, t_p);

    if (!err)
        err = mend_check_count_of(*t_p, count);
    if (!err)
        err = mend_check_buffer(buf, count, *t_p);
    return err;
}

static inline int mend_check_send(MPI_Comm comm, MPI_Datatype type, MPI_Count count,
                                  const void *buf, int dest, int tag, struct mend_comm **c_p,
                                  const struct mend_type **t_p)
{
    int err = mend_check_comm(comm, c_p);

    if (!err)
        err = mend_check_data(type, count, buf, t_p);
    if (!err)
        err = mend_check_dest(*c_p, dest);
    if (!err)
        err = mend_check_send_tag(tag);
    return err;
}

static inline int mend_check_recv(MPI_Comm comm, MPI_Datatype type, MPI_Count count,
                                  const void *buf, int source, int tag, struct mend_comm **c_p,
                                  const struct mend_type **t_p)
{
    int err = mend_check_comm(comm, c_p);

    if (!err)
        err = mend_check_data(type, count, buf, t_p);
    if (!err)
        err = mend_check_source(*c_p, source);
    if (!err)
        err = mend_check_recv_tag(tag);
    return err;
}

/* The handle of a request that was begun, or its memory back if it was not. */
static inline void mend_mpi_request_give(struct mend_p2p_request *r, int err, MPI_Request *request)
{
    if (!err)
        *request = mend_mpi_request_handle(&r->base);
    else if (r)
        mend_p2p_request_destroy(mend_self, r);
}

#endif
