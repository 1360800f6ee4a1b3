/* SPDX-License-Identifier: BSD-3-Clause */
/* common.h – common code of tests that start processes.  A child's arguments: "child", then what the test says. */
#ifndef TEST_SPAWN_COMMON_H
#define TEST_SPAWN_COMMON_H

#include "../comm/common.h"

static inline MPI_Comm parent(void)
{
    MPI_Comm c;

    CHECK_OK(MPI_Comm_get_parent(&c));
    return c;
}

/* Hints of one key; the caller frees them. */
static inline MPI_Info hint(const char *key, const char *value)
{
    MPI_Info info;

    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, key, value));
    return info;
}

#endif
