/* SPDX-License-Identifier: BSD-3-Clause */
/* common.h – what the point-to-point tests share. */
#ifndef TEST_PT2PT_COMMON_H
#define TEST_PT2PT_COMMON_H

#include "../../pattern.h"
#include "../../program.h"

static inline void start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    know_rank();
}

static inline int finish(void)
{
    MPI_Finalize();
    return 0;
}

/* Sizes on both sides of every border: cache line, eager limit, fragment, and large ones. */
static const int sizes[] = {0,     1,     7,      8,      9,       31,     32,    33,
                            40,    63,    64,     65,     127,     500,    1023,  1024,
                            4096,  8191,  8192,   8193,   8200,    9000,   16383, 16384,
                            16385, 65536, 100001, 262144, 1048576, 8388608};
#define SIZES_N        ((int)(sizeof sizes / sizeof sizes[0]))
#define SIZE_MAX_BYTES 8388608

#endif
