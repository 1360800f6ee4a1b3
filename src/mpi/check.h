/* SPDX-License-Identifier: BSD-3-Clause */
/* check.h – the frame of every MPI function: enter, check arguments, call one function, report.
 *
 *     int MPI_Barrier(MPI_Comm comm)
 *     {
 *         struct mend_comm *c = NULL;
 *         int err = mend_enter(__func__);
 *
 *         if (!err)
 *             err = mend_check_comm(comm, &c);
 *         if (!err)
 *             err = mend_coll_barrier(c, ...);
 *         return mend_report_comm(c, err, __func__);
 *     }
 *
 * mend_enter() takes the library's lock in a program with MPI_THREAD_MULTIPLE; every
 * mend_report_*() and mend_leave() gives it back before it calls an error handler (R24: the handler
 * may longjmp). A check writes its output only if it succeeds.  Checks are on in every build. */
#ifndef MEND_MPI_CHECK_H
#define MEND_MPI_CHECK_H

#include "mpi.h"
#include "mpi/alias.h"

#include "p2p/p2p.h"

/* Every MPI function between init and finalize.  MPI_SUCCESS; before MPI_Init or after MPI_Finalize
 * MPI_ERR_OTHER, which the report function treats as fatal. */
int mend_enter(const char *fn);

/* Functions that may be called at any time (MPI-5.0 11.4.1): makes mend_self if there is none. */
int mend_enter_any(const char *fn);

/* Return err through the object's error handler; MPI_SUCCESS passes straight through.  A NULL
 * object: the handler of MPI_COMM_SELF (MPI-5.0 9.3: errors that belong to no object). */
int mend_report_comm(struct mend_comm *c, int err, const char *fn);
#define mend_report(err_, fn_) mend_report_comm(NULL, (err_), (fn_))

/* Leaves without reporting. */
int mend_leave(int err);

/* Handles.  A null, foreign or freed handle is the class of its kind (MPI_ERR_COMM, ...). */
int mend_check_comm(MPI_Comm comm, struct mend_comm **c_p);
int mend_check_intra(MPI_Comm comm, struct mend_comm **c_p); /* no intercommunicator: ERR_COMM */
int mend_check_inter(MPI_Comm comm, struct mend_comm **c_p);
int mend_check_group(MPI_Group group, struct mend_group **g_p);
int mend_check_type(MPI_Datatype type, const struct mend_type **t_p);      /* any */
int mend_check_committed(MPI_Datatype type, const struct mend_type **t_p); /* for communication */
int mend_check_op(MPI_Op op, const struct mend_op **op_p);
int mend_check_errhandler(MPI_Errhandler errhandler, struct mend_errhandler **e_p);
int mend_check_info(MPI_Info info, struct mend_info **i_p);             /* not MPI_INFO_NULL */
int mend_check_info_or_null(MPI_Info info, struct mend_info **i_p);     /* MPI_INFO_NULL: NULL */
int mend_check_request(MPI_Request request, struct mend_request **r_p); /* NULL: REQUEST_NULL */

/* Values. */
int mend_check_count(MPI_Count count); /* MPI_ERR_COUNT if negative */
int mend_check_buffer(const void *buf, MPI_Count count, const struct mend_type *t);
int mend_check_dest(const struct mend_comm *c, int rank);   /* rank or MPI_PROC_NULL */
int mend_check_source(const struct mend_comm *c, int rank); /* also MPI_ANY_SOURCE */
int mend_check_rank(const struct mend_comm *c, int rank);   /* strictly a rank */
int mend_check_root(const struct mend_comm *c, int root);   /* MPI_ERR_ROOT */
int mend_check_send_tag(int tag);
int mend_check_recv_tag(int tag);      /* also MPI_ANY_TAG */
int mend_check_pointer(const void *p); /* MPI_ERR_ARG if NULL */
#define MEND_TAG_UB 0x7fffffff

/* Object to handle: predefined objects give back their small integer. */
MPI_Comm mend_comm_handle(const struct mend_comm *c);
MPI_Group mend_group_handle(const struct mend_group *g);
MPI_Errhandler mend_errhandler_handle(const struct mend_errhandler *e);
MPI_Request mend_request_handle(const struct mend_request *r); /* NULL: MPI_REQUEST_NULL */

#endif
