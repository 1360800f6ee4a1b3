/* SPDX-License-Identifier: BSD-3-Clause */
/* tolerant.c – shows that programs of both vocabularies compile, and that the error classes of the
 * two are the same numbers (R15).
 *
 *   R15: for failures the error code is the class, under both sets of names */
#include <mpi.h>
#include <mpi-ext.h>

#if !defined(OMPI_HAVE_MPI_EXT_FTMPI) || !OMPI_HAVE_MPI_EXT_FTMPI ||                               \
    !OMPI_HAVE_MPIX_COMM_GET_FAILED || !OMPI_HAVE_MPIX_COMM_ACK_FAILED ||                          \
    !OMPI_HAVE_MPIX_COMM_ISHRINK
#error "mpi-ext.h does not say what it offers"
#endif

#if MPI_ERR_PROC_FAILED < 0x4000 || MPI_ERR_INVALIDATED < 0x4000 || MPI_FT < 0x4000
#error "values of the MPI Forum"
#endif
#if MPIX_ERR_PROC_FAILED != MPI_ERR_PROC_FAILED || MPI_ERR_PROC_FAIL_STOP != MPI_ERR_PROC_FAILED
#error "MPI_ERR_PROC_FAILED"
#endif
#if MPIX_ERR_REVOKED != MPI_ERR_INVALIDATED || MPI_ERR_REVOKED != MPI_ERR_INVALIDATED
#error "MPI_ERR_INVALIDATED"
#endif
#if MPIX_ERR_PROC_FAILED_PENDING != MPI_ERR_PENDING ||                                             \
    MPI_ERR_PROC_FAILED_PENDING != MPI_ERR_PENDING
#error "MPI_ERR_PENDING"
#endif
#if MPIX_FT != MPI_FT
#error "MPI_FT"
#endif

/* The proposal of 2012. */
static MPI_Comm repair_2012(MPI_Comm comm)
{
    MPI_Comm smaller;
    MPI_Group dead;
    MPI_Request request;
    int ok = 1;

    MPI_Comm_failure_ack(comm);
    MPI_Comm_failure_get_acked(comm, &dead);
    MPI_Group_free(&dead);
    if (MPI_Barrier(comm) == MPI_ERR_PROC_FAILED)
        MPI_Comm_invalidate(comm);
    MPI_Comm_agreement(comm, &ok);
    MPI_Icomm_agreement(comm, &ok, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (MPI_Barrier(comm) != MPI_ERR_INVALIDATED)
        return MPI_Comm_validate(comm, &dead) == MPI_SUCCESS ? comm : MPI_COMM_NULL;
    MPI_Comm_shrink(comm, &smaller);
    return smaller;
}

/* Today, with the prefix and without. */
static MPI_Comm repair_today(MPI_Comm comm)
{
    MPI_Comm smaller;
    MPI_Group dead;
    MPI_Request request;
    int flag = ~0, n, *ft;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &ft, &flag);
    MPIX_Comm_get_failed(comm, &dead);
    MPI_Group_size(dead, &n);
    MPIX_Comm_ack_failed(comm, n, &n);
    MPI_Comm_get_failed(comm, &dead);
    MPI_Comm_ack_failed(comm, n, &n);
    MPIX_Comm_failure_ack(comm);
    MPIX_Comm_failure_get_acked(comm, &dead);
    MPIX_Comm_revoke(comm);
    MPI_Comm_revoke(comm);
    MPIX_Comm_is_revoked(comm, &flag);
    MPI_Comm_is_revoked(comm, &flag);
    MPIX_Comm_agree(comm, &flag);
    MPI_Comm_agree(comm, &flag);
    MPIX_Comm_iagree(comm, &flag, &request);
    MPI_Comm_iagree(comm, &flag, &request);
    MPIX_Comm_agree_failed(comm, &dead);
    MPIX_Comm_iagree_failed(comm, &dead, &request);
    MPIX_Comm_ishrink(comm, &smaller, &request);
    MPI_Comm_ishrink(comm, &smaller, &request);
    MPIX_Comm_shrink(comm, &smaller);
    return smaller;
}

static void windows_and_files(MPI_Win win, MPI_File file)
{
    MPI_Group dead;

    MPI_Win_invalidate(win);
    MPIX_Win_revoke(win);
    MPI_Win_get_failed(win, &dead);
    MPIX_Win_get_failed(win, &dead);
    MPI_File_invalidate(file);
    MPIX_File_revoke(file);
}

/* A tool in front of the library. */
int MPIX_Comm_revoke(MPI_Comm comm)
{
    return PMPIX_Comm_revoke(comm);
}

int main(void)
{
    windows_and_files(MPI_WIN_NULL, MPI_FILE_NULL);
    return repair_2012(MPI_COMM_WORLD) == repair_today(MPI_COMM_WORLD);
}
