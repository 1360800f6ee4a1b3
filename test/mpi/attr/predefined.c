/* SPDX-License-Identifier: BSD-3-Clause */
/* Predefined attributes (MPI-5.0 9.1.2, 11.10.1; R25).
 *
 *   R25: attributes and macros tell a program that the library is fault tolerant */
/* RUN: -n 3 ; args 131 0 */
/* RUN: -n 40 ; args 168 0 */
/* RUN: -n 70 ; args 192 0 */
/* RUN: -n 3 --universe 5 ; args 5 0 */
/* RUN: -n 3 -usize 12 ; args 12 0 */
/* RUN: -n 1 -usize INFINITE ; args 129 0 */
/* RUN: -n 2 --universe 8 -usize SYSTEM ; args 130 0 */
/* RUN: alone ; args 1 -1 */
/* RUN: alone ; args 1 -1 ; env MEND_UNIVERSE_SIZE=7 */
#include "../comm/common.h"

/* The value, or -99 if there is none. */
static int get(MPI_Comm comm, int key)
{
    int *value = NULL, flag = -1;

    CHECK_OK(MPI_Comm_get_attr(comm, key, &value, &flag));
    return flag ? *value : -99;
}

int main(int argc, char **argv)
{
    int class = -1, universe, appnum;

    start(&argc, &argv);
    universe = atoi(argv[1]);
    appnum = atoi(argv[2]); /* -1: started by nobody, so there is none */
    CHECK_EQ(get(MPI_COMM_WORLD, MPI_TAG_UB), 2147483647);
    CHECK_EQ(get(MPI_COMM_SELF, MPI_TAG_UB), 2147483647);
    CHECK_EQ(get(MPI_COMM_WORLD, MPI_HOST), MPI_PROC_NULL);
    CHECK_EQ(get(MPI_COMM_WORLD, MPI_IO), MPI_ANY_SOURCE);
    CHECK_EQ(get(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL), 1);
    CHECK_EQ(get(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE), universe);
    CHECK_EQ(get(MPI_COMM_WORLD, MPI_APPNUM), appnum < 0 ? -99 : appnum);
    CHECK_EQ(get(MPI_COMM_WORLD, MPIX_FT), 1);
    CHECK_EQ(get(MPI_COMM_WORLD, MPI_FT), 1);
    CHECK(get(MPI_COMM_WORLD, MPI_LASTUSEDCODE) >= MPI_ERR_LASTCODE);
    CHECK_OK(MPI_Add_error_class(&class));
    CHECK_EQ(get(MPI_COMM_WORLD, MPI_LASTUSEDCODE), class);
    return finish();
}
