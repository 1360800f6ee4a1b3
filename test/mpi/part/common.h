/* SPDX-License-Identifier: BSD-3-Clause */
/* common.h – what the tests of partitioned messages share. */
#ifndef TEST_PART_COMMON_H
#define TEST_PART_COMMON_H

#include "../../pattern.h"
#include "../../program.h"

#include <stdlib.h>
#include <string.h>

#define W MPI_COMM_WORLD

static inline MPI_Request psend(const void *buf, int partitions, int count, MPI_Datatype t, int to,
                                int tag, MPI_Comm c)
{
    MPI_Request r;

    CHECK_OK(MPI_Psend_init(buf, partitions, count, t, to, tag, c, MPI_INFO_NULL, &r));
    return r;
}

static inline MPI_Request precv(void *buf, int partitions, int count, MPI_Datatype t, int from,
                                int tag, MPI_Comm c)
{
    MPI_Request r;

    CHECK_OK(MPI_Precv_init(buf, partitions, count, t, from, tag, c, MPI_INFO_NULL, &r));
    return r;
}

#endif
