/* SPDX-License-Identifier: BSD-3-Clause */
/* common.h – windows of every kind for the tests of one-sided communication. */
#ifndef TEST_MPI_RMA_COMMON_H
#define TEST_MPI_RMA_COMMON_H

#include "../../program.h"

#include <mpi_ft.h>
#include <stdlib.h>
#include <string.h>

#define W MPI_COMM_WORLD

/* CREATED: of the program's own memory.  OF_ALLOC_MEM: of memory from MPI_Alloc_mem. */
enum kind { ALLOCATED, CREATED, SHARED, SHARED_APART, OF_ALLOC_MEM, DYNAMIC, KINDS };

static const char *const kind_names[] = {
    "allocated", "created", "shared", "shared, not contiguous", "of Alloc_mem", "dynamic"};

/* MPI_Win_allocate_shared needs members that share memory: where they do not, an allocated window takes its place. */
static inline enum kind kind_on(MPI_Comm comm, enum kind kind)
{
    MPI_Comm node;
    int n, here;

    if (kind != SHARED && kind != SHARED_APART)
        return kind;
    CHECK_OK(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    MPI_Comm_size(comm, &n);
    MPI_Comm_size(node, &here);
    MPI_Comm_free(&node);
    return here == n ? kind : ALLOCATED;
}

struct window {
    enum kind kind;
    MPI_Win win;
    char *base;
    MPI_Aint size, *at; /* dynamic: where the part of each rank begins; else zeros */
};

/* All parts have `size` bytes, zero, displacements in units of `unit` bytes; with dynamic windows in bytes. */
static inline struct window make_window(enum kind kind, MPI_Aint size, int unit, MPI_Comm comm)
{
    struct window k = {.kind = kind, .size = size};
    MPI_Info apart;
    int n, me;

    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    k.at = calloc((size_t)n, sizeof(*k.at));
    MPI_Info_create(&apart);
    MPI_Info_set(apart, "alloc_shared_noncontig", "true");
    if (kind == OF_ALLOC_MEM)
        CHECK_OK(MPI_Alloc_mem(size, MPI_INFO_NULL, &k.base));
    else if (kind == CREATED || kind == DYNAMIC)
        k.base = malloc((size_t)size);
    if (kind == ALLOCATED)
        CHECK_OK(MPI_Win_allocate(size, unit, MPI_INFO_NULL, comm, &k.base, &k.win));
    else if (kind == SHARED || kind == SHARED_APART)
        CHECK_OK(MPI_Win_allocate_shared(size, unit, kind == SHARED ? MPI_INFO_NULL : apart, comm,
                                         &k.base, &k.win));
    else if (kind == DYNAMIC)
        CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &k.win));
    else
        CHECK_OK(MPI_Win_create(k.base, size, unit, MPI_INFO_NULL, comm, &k.win));
    CHECK_OK(MPI_Win_set_errhandler(k.win, MPI_ERRORS_RETURN));
    memset(k.base, 0, (size_t)size);
    if (kind == DYNAMIC) {
        CHECK_OK(MPI_Win_attach(k.win, k.base, size));
        MPI_Get_address(k.base, &k.at[me]);
        CHECK_OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_AINT, k.at, 1, MPI_AINT, comm));
    }
    MPI_Info_free(&apart);
    CHECK_OK(MPI_Barrier(comm));
    return k;
}

static inline void free_window(struct window *k)
{
    CHECK_OK(MPI_Win_free(&k->win));
    CHECK(k->win == MPI_WIN_NULL);
    if (k->kind == OF_ALLOC_MEM)
        CHECK_OK(MPI_Free_mem(k->base));
    else if (k->kind == CREATED || k->kind == DYNAMIC)
        free(k->base);
    free(k->at);
}

/* The displacement of element i of `unit` bytes at a rank. */
static inline MPI_Aint disp_of(const struct window *k, int target, MPI_Aint i, int unit)
{
    return k->kind == DYNAMIC ? k->at[target] + i * unit : i;
}

#endif
