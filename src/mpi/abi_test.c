/* SPDX-License-Identifier: BSD-3-Clause */
/* abi_test.c – the ABI's functions, on a toy info object and predefined types of known sizes. */
#include "mpi/abi.h"
#include "mpi/check.h"

#include "base/test.h"

#define PAIRS 32

static struct {
    char key[64], value[16];
} pairs[PAIRS];
static int pairs_n;
static bool made;
static MPI_Info the_info = (MPI_Info)0x10000;

static struct mend_proc proc;
struct mend_proc *mend_self = &proc;
static struct mend_abi abi;
static bool no_memory;

int mend_enter_any(const char *fn)
{
    return fn ? MPI_SUCCESS : MPI_ERR_INTERN;
}

int mend_report_slow(struct mend_comm *c, int err, const char *fn)
{
    return c || !fn ? MPI_ERR_INTERN : err;
}

void *mend_arena_alloc(struct mend_arena *arena, size_t n)
{
    CHECK(!arena && n == sizeof(abi));
    return no_memory ? NULL : &abi;
}

const struct mend_type *mend_type_predefined(uintptr_t handle)
{
    static const struct mend_type four = {.size = 4}, eight = {.size = 8};

    return handle == (uintptr_t)MPI_DOUBLE_PRECISION ? &eight : &four;
}

int PMPI_Info_create(MPI_Info *info)
{
    CHECK(!made);
    made = true;
    pairs_n = 0;
    *info = the_info;
    return MPI_SUCCESS;
}

int PMPI_Info_free(MPI_Info *info)
{
    CHECK(made && *info == the_info);
    made = false;
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

int PMPI_Info_set(MPI_Info info, const char *key, const char *value)
{
    CHECK(made && info == the_info && pairs_n < PAIRS);
    snprintf(pairs[pairs_n].key, sizeof(pairs[0].key), "%s", key);
    snprintf(pairs[pairs_n++].value, sizeof(pairs[0].value), "%s", value);
    return MPI_SUCCESS;
}

int PMPI_Info_get_string(MPI_Info info, const char *key, int *len, char *value, int *flag)
{
    CHECK(info == the_info);
    *flag = 0;
    for (int i = 0; i < pairs_n; i++) {
        if (!strcmp(pairs[i].key, key)) {
            snprintf(value, (size_t)*len, "%s", pairs[i].value);
            *flag = 1;
        }
    }
    return MPI_SUCCESS;
}

static const char *value_of(const char *key)
{
    static char value[16];
    int len = sizeof(value), found = 0;

    PMPI_Info_get_string(the_info, key, &len, value, &found);
    return found ? value : "absent";
}

static void restart(void)
{
    proc.abi = NULL;
    made = false;
    pairs_n = 0;
}

MEND_TEST(version)
{
    int major = -1, minor = -1;

    CHECK_EQ(PMPI_Abi_get_version(&major, &minor), MPI_SUCCESS);
    CHECK(major == 1 && minor == 0);
    CHECK_EQ(PMPI_Abi_get_version(NULL, &minor), MPI_ERR_ARG);
}

MEND_TEST(sizes)
{
    MPI_Info info = MPI_INFO_NULL;

    restart();
    CHECK_EQ(PMPI_Abi_get_info(NULL), MPI_ERR_ARG);
    CHECK_EQ(PMPI_Abi_get_info(&info), MPI_SUCCESS);
    CHECK(info == the_info);
    CHECK_STR(value_of("mpi_aint_size"), sizeof(void *) == 8 ? "8" : "4");
    CHECK_STR(value_of("mpi_count_size"), "8");
    CHECK_STR(value_of("mpi_offset_size"), "8");
}

MEND_TEST(fortran_is_unknown_until_told)
{
    MPI_Info info = the_info;

    restart();
    CHECK_EQ(PMPI_Abi_get_fortran_info(&info), MPI_SUCCESS);
    CHECK(info == MPI_INFO_NULL);
}

MEND_TEST(fortran_is_told_and_asked)
{
    MPI_Info info;

    restart();
    PMPI_Info_create(&info);
    PMPI_Info_set(info, "mpi_integer_size", "4");
    PMPI_Info_set(info, "mpi_double_precision_size", "8");
    PMPI_Info_set(info, "mpi_real16_supported", "true");
    PMPI_Info_set(info, "mpi_complex4_supported", "false");
    CHECK_EQ(PMPI_Abi_set_fortran_info(info), MPI_SUCCESS);
    CHECK_EQ(PMPI_Abi_set_fortran_info(info), MPI_SUCCESS); /* the same again */
    PMPI_Info_free(&info);
    CHECK_EQ(PMPI_Abi_get_fortran_info(&info), MPI_SUCCESS);
    CHECK_STR(value_of("mpi_integer_size"), "4");
    CHECK_STR(value_of("mpi_double_precision_size"), "8");
    CHECK_STR(value_of("mpi_real16_supported"), "true");
    CHECK_STR(value_of("mpi_complex4_supported"), "false");
    CHECK_STR(value_of("mpi_real_size"), "absent");
    PMPI_Info_set(info, "mpi_logical4_supported", "true");
    CHECK_EQ(PMPI_Abi_set_fortran_info(info), MPI_ERR_ABI); /* something else */
}

static int tell(const char *key, const char *value)
{
    MPI_Info info;

    restart();
    PMPI_Info_create(&info);
    PMPI_Info_set(info, key, value);
    return PMPI_Abi_set_fortran_info(info);
}

MEND_TEST(fortran_is_told_wrongly)
{
    CHECK_EQ(tell("mpi_integer_size", "8"), MPI_ERR_ABI);
    CHECK(proc.abi == NULL || !proc.abi->fortran_set);
    CHECK_EQ(tell("mpi_integer_size", "four"), MPI_ERR_INFO_VALUE);
    CHECK_EQ(tell("mpi_integer_size", ""), MPI_ERR_INFO_VALUE);
    CHECK_EQ(tell("mpi_real16_supported", "yes"), MPI_ERR_INFO_VALUE);
    CHECK_EQ(tell("a_key_of_somebody_else", "?"), MPI_SUCCESS);
    no_memory = true;
    CHECK_EQ(tell("mpi_integer_size", "4"), MPI_ERR_NO_MEM);
    no_memory = false;
}

MEND_TEST(booleans)
{
    int yes = 1, no = 0, got_yes = 7, got_no = 7, set = 7;

    restart();
    CHECK_EQ(PMPI_Abi_get_fortran_booleans(4, &got_yes, &got_no, &set), MPI_SUCCESS);
    CHECK(set == 0 && got_yes == 7 && got_no == 7);
    CHECK_EQ(PMPI_Abi_set_fortran_booleans(4, &yes, &no), MPI_SUCCESS);
    CHECK_EQ(PMPI_Abi_set_fortran_booleans(4, &yes, &no), MPI_SUCCESS);
    CHECK_EQ(PMPI_Abi_set_fortran_booleans(4, &no, &yes), MPI_ERR_ABI);
    CHECK_EQ(PMPI_Abi_get_fortran_booleans(4, &got_yes, &got_no, &set), MPI_SUCCESS);
    CHECK(set == 1 && got_yes == 1 && got_no == 0);
    CHECK_EQ(PMPI_Abi_get_fortran_booleans(8, &got_yes, &got_no, &set), MPI_SUCCESS);
    CHECK_EQ(set, 0);
    CHECK_EQ(PMPI_Abi_get_fortran_booleans(3, &got_yes, &got_no, &set), MPI_ERR_ARG);
    CHECK_EQ(PMPI_Abi_set_fortran_booleans(32, &yes, &no), MPI_ERR_ARG);
    CHECK_EQ(PMPI_Abi_set_fortran_booleans(4, NULL, &no), MPI_ERR_ARG);
}

MEND_TEST(null_handles_keep_their_values)
{
    CHECK_EQ(PMPI_File_toint(MPI_FILE_NULL), 0x118);
    CHECK(PMPI_File_fromint(0x118) == MPI_FILE_NULL);
}

MEND_TEST_MAIN()
