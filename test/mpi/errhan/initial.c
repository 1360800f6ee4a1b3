/* SPDX-License-Identifier: BSD-3-Clause */
/* The initial error handler (MPI-5.0 9.3, 11.2.1, 11.8.4), by the launcher's flag, for each block of its
 * command line, or by the parameter: it is that of MPI_COMM_WORLD and MPI_COMM_SELF, is inherited from
 * there, stands in MPI_INFO_ENV if it was given, and gets the errors of calls before MPI_Init and after
 * MPI_Finalize.  A program that sets no handler itself so outlives a death (S0-5).
 *
 *   S0-5: a failure is fatal with the default error handler, and returned with another */
/* RUN: -n 2 ; args none ; expect "2 of 2 as asked"
 * RUN: -n 2 --initial-errhandler mpi_errors_return ; args return ; expect "2 of 2 as asked"
 * RUN: -n 2 -initial-errhandler=mpi_errors_abort ; args abort ; expect "2 of 2 as asked"
 * RUN: -n 2 --initial-errhandler mpi_errors_are_fatal ; args fatal ; expect "2 of 2 as asked"
 * RUN: -n 2 ; set INITIAL_ERRHANDLER=mpi_errors_return ; args return ; expect "2 of 2 as asked"
 * RUN: alone ; env MEND_INITIAL_ERRHANDLER=mpi_errors_return ; args return ; expect "1 of 1 as asked"
 * RUN: -n 1 --initial-errhandler mpi_errors_return {prog} return : -n 1 {prog} none ; expect "2 of 2 as asked"
 * RUN: -n 3 --initial-errhandler mpi_errors_return ; args survive ; expect "others go on" ; expect "aborted with code 3"
 * RUN: -n 2 --initial-errhandler mpi_errors_abort ; args before ; exit 1 ; expect "before MPI_Init"
 * RUN: -n 3 ; args late ; exit 7 ; expect "others have finished" */
#include "../comm/common.h"

#include <stdbool.h>

static const char *how;

static bool returns(void)
{
    return !strcmp(how, "return") || !strcmp(how, "survive");
}

static MPI_Errhandler wanted(void)
{
    return returns()               ? MPI_ERRORS_RETURN
           : !strcmp(how, "abort") ? MPI_ERRORS_ABORT
                                   : MPI_ERRORS_ARE_FATAL;
}

/* The key is there if and only if the flag was. */
static void check_info(MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL] = "", name[MPI_MAX_INFO_VAL];
    int flag = -1, n = sizeof value;

    MPI_Info_get_string(info, "mpi_initial_errhandler", &n, value, &flag);
    CHECK_EQ(flag, strcmp(how, "none") != 0);
    snprintf(name, sizeof name, "mpi_errors_%s", !strcmp(how, "fatal") ? "are_fatal" : how);
    if (flag)
        CHECK_STR(value, name);
}

static void check_handler(MPI_Comm c)
{
    MPI_Errhandler h;

    MPI_Comm_get_errhandler(c, &h);
    CHECK(h == wanted());
    MPI_Errhandler_free(&h);
}

static void outside(void)
{
    int n = 5;

    CHECK_CLASS(MPI_Comm_size(MPI_COMM_WORLD, &n), MPI_ERR_OTHER);
    CHECK_CLASS(MPI_Send(&n, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_OTHER);
    CHECK_CLASS(MPI_Finalize(), MPI_ERR_OTHER);
    CHECK_EQ(n, 5);
}

static void inside(void)
{
    MPI_Comm dup, half;
    MPI_Info env;
    int size, sum, one = 1;

    check_info(MPI_INFO_ENV);
    MPI_Info_create_env(0, NULL, &env);
    check_info(env);
    MPI_Info_free(&env);
    check_handler(MPI_COMM_WORLD);
    check_handler(MPI_COMM_SELF);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    check_handler(dup);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    check_handler(half);
    if (returns()) {
        CHECK_CLASS(MPI_Send(&one, 1, MPI_INT, 99, 0, dup), MPI_ERR_RANK);
        CHECK_CLASS(MPI_Group_size(MPI_GROUP_NULL, &size), MPI_ERR_GROUP);
    }
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, dup);
    if (rank == 0)
        printf("%d of %d as asked\n", sum, size);
    MPI_Comm_free(&dup);
    MPI_Comm_free(&half);
}

/* Rank 1 aborts itself; the others have set no handler. */
static void survive(void)
{
    int v;

    if (rank == 1)
        MPI_Abort(MPI_COMM_SELF, 3);
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
    if (rank == 0)
        puts("others go on");
}

int main(int argc, char **argv)
{
    how = argv[1];
    if (returns() || !strcmp(how, "before"))
        outside();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!strcmp(how, "survive"))
        survive();
    else if (strcmp(how, "late") != 0)
        inside();
    MPI_Finalize();
    if (returns())
        outside();
    if (!strcmp(how, "late")) { /* an abort outside of MPI ends this process only, with its code */
        puts("others have finished");
        fflush(stdout);
        if (rank == 1)
            MPI_Abort(MPI_COMM_WORLD, 7);
    }
    return 0;
}
