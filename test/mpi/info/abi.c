/* SPDX-License-Identifier: BSD-3-Clause */
/* The ABI's own functions (MPI-5.0 chapter 20), before MPI_Init, and with wrong arguments. */
/* RUN: -n 1 ; expect "as told" */
#include "../comm/common.h"

static const char *get(MPI_Info info, const char *key)
{
    static char value[MPI_MAX_INFO_VAL];
    int n = sizeof value, flag = 0;

    CHECK_OK(MPI_Info_get_string(info, key, &n, value, &flag));
    return flag ? value : "(none)";
}

static void tell(void)
{
    int major = -1, minor = -1, yes = 1, no = 0;
    MPI_Info info;

    CHECK_OK(MPI_Abi_get_version(&major, &minor));
    CHECK(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION);
    CHECK_OK(MPI_Abi_get_info(&info));
    CHECK_STR(get(info, "mpi_count_size"), "8");
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Abi_get_fortran_info(&info));
    CHECK(info == MPI_INFO_NULL);
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "mpi_integer_size", "4"));
    CHECK_OK(MPI_Abi_set_fortran_info(info));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Abi_set_fortran_booleans(4, &yes, &no));
}

int main(int argc, char **argv)
{
    int yes = 7, no = 7, set = 0;
    MPI_Info info;

    tell();
    start(&argc, &argv);
    CHECK_OK(MPI_Abi_get_fortran_info(&info));
    CHECK_STR(get(info, "mpi_integer_size"), "4");
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Abi_get_fortran_booleans(4, &yes, &no, &set));
    CHECK(set && yes == 1 && no == 0);
    CHECK_CLASS(MPI_Abi_get_version(NULL, &set), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Abi_get_info(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Abi_get_fortran_info(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Abi_set_fortran_info(MPI_INFO_NULL), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Abi_set_fortran_booleans(4, &no, &yes), MPI_ERR_ABI);
    CHECK_CLASS(MPI_Abi_set_fortran_booleans(4, NULL, &no), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Abi_get_fortran_booleans(3, &yes, &no, &set), MPI_ERR_ARG);
    CHECK(MPI_File_fromint(MPI_File_toint(MPI_FILE_NULL)) == MPI_FILE_NULL);
    puts("as told");
    MPI_Finalize();
    return 0;
}
