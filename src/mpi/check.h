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

#include "comm/handle.h"
#include "p2p/p2p.h"
#include "proc/detour.h"
#include "recover/undo.h"

int mend_enter_slow(const char *fn);

/* Every MPI function between init and finalize.  Carries out what has become known, so a process that
 * waits for nothing learns of deaths and revocations, too (S0-56, S0-57).  MPI_SUCCESS; before MPI_Init
 * or after MPI_Finalize MPI_ERR_OTHER, which the report function treats as fatal. */
static inline int mend_enter(const char *fn)
{
    struct mend_proc *self = mend_self;

    if (mend_unlikely(!self || !mend_goes_short_way(self)))
        return mend_enter_slow(fn);
    self->call = fn;
    return MPI_SUCCESS;
}

/* Functions that may be called at any time (MPI-5.0 11.4.1): makes mend_self if there is none. */
int mend_enter_any(const char *fn);

/* The process value; NULL: no function has needed one yet. */
struct mend_proc *mend_self_if_any(void);

/* The same, made if there is none; NULL: no memory. */
struct mend_proc *mend_self_or_new(void);

/* Return err through the object's error handler; MPI_SUCCESS passes straight through.  A NULL
 * object: the handler of MPI_COMM_SELF (MPI-5.0 9.3: errors that belong to no object), or that of
 * MPI_COMM_WORLD where only it has been made not fatal. */
int mend_report_slow(struct mend_comm *c, int err, const char *fn);

/* For err that stands for another one: the handler gets that, `code`, and the call returns err (R43). */
int mend_report_blamed(struct mend_comm *c, int err, int code, const char *fn);
#define mend_report(err_, fn_) mend_report_comm(NULL, (err_), (fn_))

static inline int mend_report_comm(struct mend_comm *c, int err, const char *fn)
{
    const struct mend_proc *self = mend_self;

    if (mend_likely(!err && self && !mend_detours(self, UINT32_MAX)))
        return MPI_SUCCESS;
    return mend_report_slow(c, err, fn);
}

/* Leaves without reporting. */
int mend_leave(int err);

/* For calls that may end the library: MPI_ERR_OTHER in a callback of a notification, whose call would come back into
 * what has ended. */
int mend_check_outside_callback(void);

int mend_check_comm_slow(MPI_Comm comm, struct mend_comm **c_p);

/* Handles.  A null, foreign or freed handle is the class of its kind (MPI_ERR_COMM, ...).
 * mend_find_comm(): for mere questions, which do not count as use (recover/undo.h). */
static inline int mend_find_comm(MPI_Comm comm, struct mend_comm **c_p)
{
    if (mend_unlikely(comm != MPI_COMM_WORLD || mend_self->world_state != MEND_WORLD_OPEN))
        return mend_check_comm_slow(comm, c_p);
    *c_p = mend_self->world;
    return MPI_SUCCESS;
}
static inline int mend_check_comm(MPI_Comm comm, struct mend_comm **c_p)
{
    int err = mend_find_comm(comm, c_p);

    if (mend_unlikely(mend_self->undo != NULL) && !err)
        (*c_p)->used_at = mend_self->points_n;
    return err;
}
int mend_check_intra(MPI_Comm comm, struct mend_comm **c_p); /* no intercommunicator: ERR_COMM */
int mend_check_inter(MPI_Comm comm, struct mend_comm **c_p);
int mend_check_group(MPI_Group group, struct mend_group **g_p);
int mend_check_type(MPI_Datatype type, const struct mend_type **t_p); /* any */
int mend_check_committed_slow(MPI_Datatype type, const struct mend_type **t_p);

/* For communication. */
static inline int mend_check_committed(MPI_Datatype type, const struct mend_type **t_p)
{
    const struct mend_type *t =
        mend_likely((uintptr_t)type < 0x1000) ? mend_type_predefined((uintptr_t)type) : NULL;

    if (mend_unlikely(!t))
        return mend_check_committed_slow(type, t_p);
    *t_p = t; /* predefined types are committed */
    return MPI_SUCCESS;
}

int mend_check_op(MPI_Op op, const struct mend_op **op_p);
/* That the operator is defined for the type; the message of the error names both. */
int mend_check_op_type_slow(const struct mend_op *op, const struct mend_type *t);
static inline int mend_check_op_type(const struct mend_op *op, const struct mend_type *t)
{
    int err = mend_op_check(op, t);

    return mend_likely(!err) ? err : mend_check_op_type_slow(op, t);
}

struct mend_session;
int mend_check_session(MPI_Session session, struct mend_session **s_p);
int mend_check_errhandler(MPI_Errhandler errhandler, struct mend_errhandler **e_p);
int mend_check_info(MPI_Info info, struct mend_info **i_p);         /* not MPI_INFO_NULL */
int mend_check_info_or_null(MPI_Info info, struct mend_info **i_p); /* MPI_INFO_NULL: NULL */

/* *r_p is NULL for MPI_REQUEST_NULL. */
static inline int mend_check_request(MPI_Request request, struct mend_request **r_p)
{
    struct mend_request *r = (struct mend_request *)request;

    if (request == MPI_REQUEST_NULL)
        r = NULL;
    else if (mend_unlikely(!mend_handle_is_object(r) ||
                           mend_handle_mark(&r->magic) != MEND_REQUEST_MAGIC))
        return MPI_ERR_REQUEST;
    *r_p = r;
    return MPI_SUCCESS;
}

static inline MPI_Request mend_mpi_request_handle(struct mend_request *r) /* NULL: REQUEST_NULL */
{
    if (mend_unlikely(mend_self->undo != NULL) && r)
        mend_undo_hold(mend_self, r);
    return r ? (MPI_Request)r : MPI_REQUEST_NULL;
}

/* Values. */
#define MEND_TAG_UB 0x7fffffff

static inline int mend_check_count(MPI_Count count) /* MPI_ERR_COUNT if negative */
{
    return mend_likely(count >= 0) ? MPI_SUCCESS : MPI_ERR_COUNT;
}

/* Also if its elements have more bytes, or a longer way from the first to the last, than MPI_Count
 * holds. */
static inline int mend_check_count_of(const struct mend_type *t, MPI_Count count)
{
    return mend_likely(count >= 0 && mend_type_fits(t, count)) ? MPI_SUCCESS : MPI_ERR_COUNT;
}

/* MPI_BOTTOM is NULL in this ABI: with a type of absolute addresses NULL is a buffer. */
static inline int mend_check_buffer(const void *buf, MPI_Count count, const struct mend_type *t)
{
    return mend_likely(buf || count == 0 || t->size == 0 || t->true_lb != 0) ? MPI_SUCCESS
                                                                             : MPI_ERR_BUFFER;
}

/* Strictly a rank of the group that point-to-point calls mean. */
static inline int mend_check_rank(const struct mend_comm *c, int rank)
{
    return mend_likely((unsigned)rank < (unsigned)c->peers_n) ? MPI_SUCCESS : MPI_ERR_RANK;
}

static inline int mend_check_dest(const struct mend_comm *c, int rank) /* rank or MPI_PROC_NULL */
{
    return rank == MPI_PROC_NULL ? MPI_SUCCESS : mend_check_rank(c, rank);
}

static inline int mend_check_source(const struct mend_comm *c, int rank) /* also MPI_ANY_SOURCE */
{
    return rank == MPI_ANY_SOURCE ? MPI_SUCCESS : mend_check_dest(c, rank);
}

static inline int mend_check_send_tag(int tag)
{
    return mend_likely(tag >= 0) ? MPI_SUCCESS : MPI_ERR_TAG;
}

static inline int mend_check_recv_tag(int tag) /* also MPI_ANY_TAG */
{
    return mend_likely(tag >= 0 || tag == MPI_ANY_TAG) ? MPI_SUCCESS : MPI_ERR_TAG;
}

int mend_check_root(const struct mend_comm *c, int root); /* MPI_ERR_ROOT */

static inline int mend_check_pointer(const void *p) /* MPI_ERR_ARG if NULL */
{
    return mend_likely(p != NULL) ? MPI_SUCCESS : MPI_ERR_ARG;
}

#endif
