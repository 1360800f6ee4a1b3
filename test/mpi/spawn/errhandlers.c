/* SPDX-License-Identifier: BSD-3-Clause */
/* The hint mpi_initial_errhandler of MPI_Comm_spawn: MPI_COMM_WORLD, MPI_COMM_SELF and the communicator with the parents begin
 * with it (MPI-5.0 9.3), whatever the parents have; without the hint with MPI_ERRORS_ARE_FATAL. */
/* RUN: -n 1 */
/* RUN: -n 3 */
/* RUN: -n 2 --initial-errhandler mpi_errors_abort */
#include "common.h"

#include <string.h>

static const struct {
    const char *value, *name;
} cases[] = {{"mpi_errors_return", "return"},
             {"MPI_Errors_Abort", "abort"},
             {"MPI_ERRORS_ARE_FATAL", "fatal"},
             {NULL, "fatal"}};

/* In a child. */
static void check(MPI_Comm c, const char *name)
{
    MPI_Errhandler e, expected = !strcmp(name, "return")  ? MPI_ERRORS_RETURN
                                 : !strcmp(name, "abort") ? MPI_ERRORS_ABORT
                                                          : MPI_ERRORS_ARE_FATAL;

    CHECK_OK(MPI_Comm_get_errhandler(c, &e));
    CHECK(e == expected);
}

static int be_child(const char *name)
{
    MPI_Comm up = parent();

    check(MPI_COMM_WORLD, name);
    check(MPI_COMM_SELF, name);
    check(up, name);
    CHECK_OK(MPI_Comm_disconnect(&up));
    return finish();
}

static void start_one(char *program, const char *value, const char *name)
{
    char *args[] = {(char *)name, NULL};
    MPI_Info info = MPI_INFO_NULL;
    MPI_Comm inter;

    if (value)
        info = hint("mpi_initial_errhandler", value);
    CHECK_OK(
        MPI_Comm_spawn(program, args, 1, info, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE));
    if (value)
        CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Comm_disconnect(&inter));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    know_rank();
    if (argc > 1)
        return be_child(argv[1]);
    return_errors();
    for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        start_one(argv[0], cases[i].value, cases[i].name);
    return finish();
}
