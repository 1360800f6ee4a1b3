/* SPDX-License-Identifier: BSD-3-Clause */
/* sanitizer.c – in a program with the address sanitizer a safe point is refused, with a reason, and the program goes on.
 *
 * BUILD: -fsanitize=address
 * RUN: -n 1 ; env ASAN_OPTIONS=detect_leaks=0 ; expect "refused"
 * RUN: -n 1 ; env ASAN_OPTIONS=detect_leaks=0 ; set SAFE_POINT=drop ; expect "refused"
 * RUN: -n 1 ; env ASAN_OPTIONS=detect_leaks=0 ; set SAFE_POINT=protect ; expect "refused" */
#include "../../program.h"

int main(int argc, char **argv)
{
    char text[MPI_MAX_ERROR_STRING];
    int value = -1, err, class, len;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    err = MPIX_Safe_point_enter(&value);
    MPI_Error_class(err, &class);
    CHECK_EQ(class, MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_EQ(value, -1);
    MPI_Error_string(err, text, &len);
    CHECK(strstr(text, "a sanitizer is in the process"));
    puts("refused");
    MPI_Finalize();
    return 0;
}
