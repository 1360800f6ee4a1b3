/* SPDX-License-Identifier: BSD-3-Clause */
/* abi_test.c – what the ABI tells of itself, and what a Fortran layer may tell, once. */
#include "comm/abi.h"
#include "comm/objects.h"
#include "datatype/init.h"

#include "base/test.h"

static struct mend_proc *self;

static void begin(void)
{
    self = mend_proc_create_bare();
    CHECK(!mend_objects_init(self) && !mend_type_init(self));
}

static struct mend_info *pair(const char *key, const char *value)
{
    struct mend_info *i = mend_info_create(self);

    CHECK_EQ(mend_info_set(self, i, key, value), MPI_SUCCESS);
    return i;
}

MEND_TEST(sizes)
{
    struct mend_info *i = NULL;

    begin();
    CHECK_EQ(mend_abi_sizes(self, &i), MPI_SUCCESS);
    CHECK_STR(mend_info_get(i, "mpi_aint_size"), sizeof(void *) == 8 ? "8" : "4");
    CHECK_STR(mend_info_get(i, "mpi_count_size"), "8");
    CHECK_STR(mend_info_get(i, "mpi_offset_size"), "8");
}

MEND_TEST(fortran_is_told_and_asked)
{
    struct mend_info *i, *got = (struct mend_info *)&self;

    begin();
    CHECK_EQ(mend_abi_fortran(self, &got), MPI_SUCCESS);
    CHECK(!got);
    i = pair("mpi_integer_size", "4");
    mend_info_set(self, i, "mpi_double_precision_size", "8");
    mend_info_set(self, i, "mpi_real16_supported", "true");
    mend_info_set(self, i, "mpi_complex4_supported", "false");
    CHECK_EQ(mend_abi_set_fortran(self, i), MPI_SUCCESS);
    CHECK_EQ(mend_abi_set_fortran(self, i), MPI_SUCCESS); /* the same again */
    CHECK_EQ(mend_abi_fortran(self, &got), MPI_SUCCESS);
    CHECK_EQ(got->n, 4);
    CHECK_STR(mend_info_get(got, "mpi_integer_size"), "4");
    CHECK_STR(mend_info_get(got, "mpi_double_precision_size"), "8");
    CHECK_STR(mend_info_get(got, "mpi_real16_supported"), "true");
    CHECK_STR(mend_info_get(got, "mpi_complex4_supported"), "false");
    mend_info_set(self, i, "mpi_logical4_supported", "true");
    CHECK_EQ(mend_abi_set_fortran(self, i), MPI_ERR_ABI); /* something else */
}

static int tell(const char *key, const char *value)
{
    return mend_abi_set_fortran(self, pair(key, value));
}

MEND_TEST(fortran_is_told_wrongly)
{
    begin();
    CHECK_EQ(tell("mpi_integer_size", "8"), MPI_ERR_ABI);
    CHECK_EQ(tell("mpi_integer_size", "four"), MPI_ERR_INFO_VALUE);
    CHECK_EQ(tell("mpi_integer_size", ""), MPI_ERR_INFO_VALUE);
    CHECK_EQ(tell("mpi_integer_size", "4294967300"), MPI_ERR_INFO_VALUE); /* 4 in 32 bits */
    CHECK_EQ(tell("mpi_real16_supported", "yes"), MPI_ERR_INFO_VALUE);
    CHECK(!self->abi);
    CHECK_EQ(tell("a_key_of_another_library", "?"), MPI_SUCCESS);
}

MEND_TEST(no_memory)
{
    struct mend_info *i;
    int yes = 1, no = 0;

    begin();
    i = pair("mpi_integer_size", "4");
    mend_arena_set_faults(self->arena, 1, true);
    CHECK_EQ(mend_abi_set_fortran(self, i), MPI_ERR_NO_MEM);
    CHECK_EQ(mend_abi_set_logical(self, 4, &yes, &no), MPI_ERR_NO_MEM);
    CHECK_EQ(mend_abi_sizes(self, &i), MPI_ERR_NO_MEM);
    mend_arena_set_faults(self->arena, 0, false);
    CHECK_EQ(mend_abi_set_fortran(self, i), MPI_SUCCESS);
}

MEND_TEST(booleans)
{
    int yes = 1, no = 0, got_yes = 7, got_no = 7;
    bool set = true;

    begin();
    CHECK_EQ(mend_abi_logical(self, 4, &got_yes, &got_no, &set), MPI_SUCCESS);
    CHECK(!set && got_yes == 7 && got_no == 7);
    CHECK_EQ(mend_abi_set_logical(self, 4, &yes, &no), MPI_SUCCESS);
    CHECK_EQ(mend_abi_set_logical(self, 4, &yes, &no), MPI_SUCCESS);
    CHECK_EQ(mend_abi_set_logical(self, 4, &no, &yes), MPI_ERR_ABI);
    CHECK_EQ(mend_abi_logical(self, 4, &got_yes, &got_no, &set), MPI_SUCCESS);
    CHECK(set && got_yes == 1 && got_no == 0);
    CHECK_EQ(mend_abi_logical(self, 8, &got_yes, &got_no, &set), MPI_SUCCESS);
    CHECK(!set);
    CHECK_EQ(mend_abi_logical(self, 3, &got_yes, &got_no, &set), MPI_ERR_ARG);
    CHECK_EQ(mend_abi_set_logical(self, 32, &yes, &no), MPI_ERR_ARG);
}

MEND_TEST_MAIN()
