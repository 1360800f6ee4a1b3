/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_t.h – the frame of the MPI_T functions.
 *
 *     int MPI_T_cvar_get_num(int *num_cvar)
 *     {
 *         struct mend_tool *t;
 *         int err = mend_mpi_t_enter(&t);
 *
 *         if (err)
 *             return err;
 *         ...
 *         return mend_mpi_t_leave(t, err);
 *     }
 *
 * They may be called before MPI_Init and after MPI_Finalize, and by a callback in the middle of another call: so they
 * carry out no news, and take the lock of the process, which is recursive, in programs without threads, too.  Errors
 * are returned, and no error handler is called. */
#ifndef MEND_MPI_MPI_T_H
#define MEND_MPI_MPI_T_H

#include "mpi/check.h"
#include "tool/tool.h"

/* MPI_T_ERR_NOT_INITIALIZED, without the lock. */
int mend_mpi_t_enter(struct mend_tool **t_p);
int mend_mpi_t_leave(struct mend_tool *t, int err);

/* A whole function that says how many there are of something, which is known before anything runs. */
int mend_mpi_t_give_number(int n, int *n_p);

/* An output that the caller may not care for. */
#define MEND_MPI_T_GIVE(pointer_, value_)                                                          \
    do {                                                                                           \
        if (pointer_)                                                                              \
            *(pointer_) = (value_);                                                                \
    } while (0)

static inline int mend_mpi_t_check_index(int index, int n)
{
    return index >= 0 && index < n ? MPI_SUCCESS : MPI_T_ERR_INVALID_INDEX;
}

/* A pointer that must not be NULL. */
static inline int mend_mpi_t_check_pointer(const void *p)
{
    return p ? MPI_SUCCESS : MPI_T_ERR_INVALID;
}

/* What a variable or an event is bound to: obj_handle is the address of a handle.  *c_p is NULL if to nothing. */
int mend_mpi_t_check_object(int bind, const void *obj_handle, struct mend_comm **c_p);

#endif
