/* SPDX-License-Identifier: BSD-3-Clause */
/* What a message says beyond the class of its error: the operator and the type, both names of a class
 * that has two, what to do instead.  An error without details does not get those of an older one. */
/* RUN: -n 2 */
#include "../comm/common.h"

#include <mpi_ft.h>

static char text[MPI_MAX_ERROR_STRING];

static void has(int code, const char *what, int is_there)
{
    int n;

    CHECK_OK(MPI_Error_string(code, text, &n));
    CHECK((size_t)n == strlen(text));
    if ((strstr(text, what) != NULL) != is_there)
        fprintf(stderr, "\"%s\" is wrong in: %s\n", what, text);
    CHECK_EQ(strstr(text, what) != NULL, is_there);
}

static void operators(void)
{
    double x = 1, y = 2;
    MPI_Datatype two;
    MPI_Op none = MPI_OP_NULL;

    CHECK_CLASS(MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD), MPI_ERR_OP);
    has(MPI_ERR_OP, ": MPI_BAND for MPI_DOUBLE", 1);
    CHECK_CLASS(MPI_Send(&x, 1, MPI_INT, 0, -3, MPI_COMM_WORLD), MPI_ERR_TAG);
    has(MPI_ERR_TAG, "MPI_BAND", 0);
    has(MPI_ERR_OP, ": MPI_BAND for MPI_DOUBLE", 1);
    CHECK_CLASS(MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, none, MPI_COMM_WORLD), MPI_ERR_OP);
    has(MPI_ERR_OP, "MPI_BAND", 0);
    CHECK_CLASS(MPI_Reduce(&x, &y, 1, MPI_DOUBLE, MPI_NO_OP, 0, MPI_COMM_WORLD), MPI_ERR_OP);
    has(MPI_ERR_OP, ": MPI_NO_OP for MPI_DOUBLE", 1);
    MPI_Type_contiguous(1, MPI_DOUBLE, &two);
    MPI_Type_commit(&two);
    CHECK_CLASS(MPI_Reduce_local(&x, &y, 1, two, MPI_SUM), MPI_ERR_OP);
    has(MPI_ERR_OP, ": MPI_SUM for a derived datatype", 1);
    MPI_Type_set_name(two, "pressure");
    CHECK_CLASS(MPI_Scan(&x, &y, 1, two, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
    has(MPI_ERR_OP, ": MPI_SUM for pressure", 1);
    MPI_Type_free(&two);
}

static void two_names(void)
{
    MPI_Comm dup, shrunk = MPI_COMM_NULL;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_set_name(dup, "halo");
    CHECK_CLASS(MPI_Comm_shrink(dup, &shrunk), MPI_ERR_ARG);
    has(MPI_ERR_ARG, ": halo is not revoked; MPIX_Comm_shrink takes it", 1);
    CHECK(shrunk == MPI_COMM_NULL);
    CHECK_CLASS(MPI_Comm_shrink(dup, NULL), MPI_ERR_ARG);
    has(MPI_ERR_ARG, "is not revoked", 0);
    CHECK_OK(MPIX_Comm_revoke(dup));
    CHECK_EQ(MPI_Barrier(dup), MPI_ERR_REVOKED);
    has(MPI_ERR_REVOKED,
        "MPI_ERR_REVOKED (MPI_ERR_INVALIDATED): the communicator was revoked: halo", 1);
    has(MPI_ERR_PENDING, "MPI_ERR_PENDING (MPIX_ERR_PROC_FAILED_PENDING): ", 1);
    MPI_Comm_free(&dup);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    operators();
    two_names();
    MPI_Finalize();
    return 0;
}
