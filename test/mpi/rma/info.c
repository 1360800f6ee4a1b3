/* SPDX-License-Identifier: BSD-3-Clause */
/* Hints of windows: alignments of more than a page are kept by the memory of windows and of MPI_Alloc_mem, which windows
 * still reach directly; assertions are accepted; each hint that a window has can be read, and changed where that is
 * allowed; what a window does not have is not given back; a lock that a hint forbids says so; a value that is none is refused by all.
 *
 * RUN: -n 3
 * RUN: -n 3 ; set RMA_SHM=0
 * RUN: alone */
#include "common.h"

static MPI_Info hints(const char *key, const char *value)
{
    MPI_Info i;

    MPI_Info_create(&i);
    CHECK_OK(MPI_Info_set(i, key, value));
    return i;
}

static bool is_aligned(const void *base, long to)
{
    return (uintptr_t)base % (uintptr_t)to == 0;
}

/* Writes into the last byte of the next member's part, and finds that of the last member in its own. */
static void use(MPI_Win win, const char *base, MPI_Aint bytes)
{
    char mine = (char)(1 + rank);
    int next = (rank + 1) % size, last = (rank + size - 1) % size;

    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(&mine, 1, MPI_CHAR, next, bytes - 1, 1, MPI_CHAR, win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_EQ(base[bytes - 1], 1 + last);
}

static void allocated(long align, MPI_Aint bytes)
{
    char text[32], *base;
    MPI_Info info;
    MPI_Win win;

    snprintf(text, sizeof text, "%ld", align);
    info = hints("mpi_minimum_memory_alignment", text);
    CHECK_OK(MPI_Win_allocate(bytes, 1, info, W, &base, &win));
    CHECK(is_aligned(base, align));
    use(win, base, bytes);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Alloc_mem(bytes, info, &base));
    CHECK(is_aligned(base, align));
    memset(base, 0, (size_t)bytes);
    CHECK_OK(MPI_Win_create(base, bytes, 1, MPI_INFO_NULL, W, &win));
    use(win, base, bytes);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Free_mem(base));
    MPI_Info_free(&info);
}

static void expect_value(MPI_Win win, const char *key, const char *value)
{
    char text[MPI_MAX_INFO_VAL];
    int n = sizeof text, flag;
    MPI_Info i;

    CHECK_OK(MPI_Win_get_info(win, &i));
    CHECK_OK(MPI_Info_get_string(i, key, &n, text, &flag));
    CHECK(flag && !strcmp(text, value));
    MPI_Info_free(&i);
}

/* Of a contiguous window the first byte is aligned; where parts lie apart, each is. */
static void shared(long align, bool apart)
{
    char text[32], *base;
    MPI_Info info;
    MPI_Win win;

    snprintf(text, sizeof text, "%ld", align);
    info = hints("mpi_minimum_memory_alignment", text);
    CHECK_OK(MPI_Info_set(info, "alloc_shared_noncontig", apart ? "true" : "false"));
    CHECK_OK(MPI_Win_allocate_shared(5000, 1, info, W, &base, &win));
    CHECK(is_aligned(base, align) || !(apart || rank == 0));
    expect_value(win, "alloc_shared_noncontig", apart ? "true" : "false");
    expect_value(win, "mpi_minimum_memory_alignment", text);
    use(win, base, 5000);
    CHECK_OK(MPI_Win_free(&win));
    MPI_Info_free(&info);
}

static void expect_none(MPI_Win win, const char *key)
{
    char text[MPI_MAX_INFO_VAL];
    int n = sizeof text, flag;
    MPI_Info i;

    CHECK_OK(MPI_Win_get_info(win, &i));
    CHECK_OK(MPI_Info_get_string(i, key, &n, text, &flag));
    if (flag)
        CHECK_FAILS("%s is given back as %s", key, text);
    MPI_Info_free(&i);
}

static void expect_text(int err)
{
    static const char reason[] = "the window was created with no_locks=true";
    char text[MPI_MAX_ERROR_STRING];
    int n;

    CHECK_CLASS(err, MPI_ERR_RMA_SYNC);
    CHECK_OK(MPI_Error_string(err, text, &n));
    if (!strstr(text, reason))
        CHECK_FAILS("\"%s\" is not in \"%s\"", reason, text);
}

/* What was asked for and does not hold, and what nobody knows. */
static void not_given_back(void)
{
    MPI_Info info = hints("no_such_hint", "true");
    char *base, own[8];
    MPI_Win win;

    CHECK_OK(MPI_Info_set(info, "no_locks", "perhaps"));
    CHECK_OK(MPI_Info_set(info, "accumulate_ordering", "rar,wrong"));
    CHECK_OK(MPI_Info_set(info, "accumulate_ops", "any"));
    CHECK_OK(MPI_Info_set(info, "same_size", "true"));
    CHECK_OK(MPI_Info_set(info, "same_disp_unit", "true"));
    CHECK_OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    CHECK_OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "128"));
    CHECK_OK(MPI_Win_create(own, rank ? 8 : 4, rank ? 1 : 2, info, W, &win));
    expect_none(win, "no_such_hint");
    expect_none(win, "alloc_shared_noncontig"); /* the memory is the program's */
    expect_none(win, "mpi_minimum_memory_alignment");
    expect_value(win, "no_locks", "false");
    expect_value(win, "accumulate_ordering", "rar,raw,war,waw");
    expect_value(win, "accumulate_ops", "same_op_no_op");
    expect_value(win, "same_size", size > 1 ? "false" : "true"); /* they differ */
    expect_value(win, "same_disp_unit", size > 1 ? "false" : "true");
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Win_allocate(8, 1, info, W, &base, &win));
    expect_none(win, "alloc_shared_noncontig");
    expect_value(win, "mpi_minimum_memory_alignment", "128");
    expect_value(win, "same_size", "true");
    expect_value(win, "same_disp_unit", "true");
    CHECK_OK(MPI_Info_set(info, "no_locks", "true"));
    CHECK_OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "256"));
    CHECK_OK(MPI_Info_set(info, "accumulate_ordering", "war,rar"));
    CHECK_OK(MPI_Win_set_info(win, info)); /* too late for two of them */
    expect_value(win, "no_locks", "false");
    expect_value(win, "mpi_minimum_memory_alignment", "128");
    expect_value(win, "accumulate_ordering", "war,rar");
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
    MPI_Info_free(&info);
}

static void read_and_change(void)
{
    MPI_Info info = hints("accumulate_ordering", "none");
    char *base;
    MPI_Win win;

    CHECK_OK(MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "system"));
    CHECK_OK(MPI_Info_set(info, "no_locks", "true"));
    CHECK_OK(MPI_Win_allocate(100, 1, info, W, &base, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    MPI_Info_free(&info);
    expect_value(win, "accumulate_ordering", "none");
    expect_value(win, "mpi_assert_memory_alloc_kinds", "system");
    expect_value(win, "mpi_memory_alloc_kinds", "mpi,system");
    expect_value(win, "no_locks", "true");
    expect_value(win, "same_size", "false");
    expect_value(win, "same_disp_unit", "false");
    expect_value(win, "accumulate_ops", "same_op_no_op");
    expect_text(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    expect_text(MPI_Win_lock_all(0, win));
    use(win, base, 100);
    info = hints("accumulate_ops", "same_op");
    CHECK_OK(MPI_Win_set_info(win, info));
    MPI_Info_free(&info);
    expect_value(win, "accumulate_ops", "same_op");
    CHECK_OK(MPI_Win_free(&win));
}

static void refused(void)
{
    MPI_Info info = hints("mpi_minimum_memory_alignment", rank ? "64" : "100");
    char *base;
    MPI_Win win = MPI_WIN_NULL;

    CHECK_CLASS(MPI_Win_allocate(100, 1, info, W, &base, &win), MPI_ERR_INFO_VALUE);
    CHECK(win == MPI_WIN_NULL);
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    bool one_node;

    MPI_Init(&argc, &argv);
    know_rank();
    return_errors();
    one_node = kind_on(W, SHARED) == SHARED;
    for (long align = 8; align <= 1 << 21; align *= 8) {
        allocated(align, 100);
        allocated(align, 70000);
        for (int apart = 0; one_node && apart < 2; apart++)
            shared(align, apart);
    }
    read_and_change();
    not_given_back();
    refused();
    MPI_Finalize();
    return 0;
}
