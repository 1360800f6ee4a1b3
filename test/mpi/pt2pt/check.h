/* SPDX-License-Identifier: BSD-3-Clause */
/* check.h – what the point-to-point tests share.
 *
 * CHECK ends the whole job with status 1 and says where.  Patterns depend on (seed, index), so that
 * a byte at the wrong place or of the wrong message is seen. */
#ifndef TEST_PT2PT_CHECK_H
#define TEST_PT2PT_CHECK_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(cond_)                                                                               \
    do {                                                                                           \
        if (!(cond_)) {                                                                            \
            fprintf(stderr, "rank %d: %s:%d: not true: %s\n", rank, __FILE__, __LINE__, #cond_);   \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

#define CHECK_EQ(a_, b_)                                                                           \
    do {                                                                                           \
        long long va_ = (long long)(a_), vb_ = (long long)(b_);                                    \
        if (va_ != vb_) {                                                                          \
            fprintf(stderr, "rank %d: %s:%d: %s is %lld, expected %s = %lld\n", rank, __FILE__,    \
                    __LINE__, #a_, va_, #b_, vb_);                                                 \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

/* The call fails with exactly this error class. */
#define CHECK_CLASS(call_, class_)                                                                 \
    do {                                                                                           \
        int code_ = (call_), got_ = code_;                                                         \
        if (code_ != MPI_SUCCESS)                                                                  \
            MPI_Error_class(code_, &got_);                                                         \
        if (got_ != (class_)) {                                                                    \
            fprintf(stderr, "rank %d: %s:%d: %s gives class %d, expected %s = %d\n", rank,         \
                    __FILE__, __LINE__, #call_, got_, #class_, (int)(class_));                     \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

#define GUARD 0xC5

static int rank, size;

static inline void start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static inline int finish(void)
{
    MPI_Finalize();
    return 0;
}

static inline unsigned char pattern(unsigned seed, size_t i)
{
    return (unsigned char)((i * 2654435761u + seed * 40503u + (i >> 11)) >> 3);
}

static inline void fill(void *buf, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)buf)[i] = pattern(seed, i);
}

/* Index of the first wrong byte, or -1. */
static inline long long wrong(const void *buf, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        if (((const unsigned char *)buf)[i] != pattern(seed, i))
            return (long long)i;
    return -1;
}

/* Index of the first byte that is not GUARD, or -1. */
static inline long long touched(const void *buf, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (((const unsigned char *)buf)[i] != GUARD)
            return (long long)i;
    return -1;
}

/* Sizes on both sides of every border: cache line, eager limit, fragment, and large ones. */
static const int sizes[] = {0,     1,     7,      8,      9,       31,     32,    33,
                            40,    63,    64,     65,     127,     500,    1023,  1024,
                            4096,  8191,  8192,   8193,   8200,    9000,   16383, 16384,
                            16385, 65536, 100001, 262144, 1048576, 8388608};
#define SIZES_N        ((int)(sizeof sizes / sizeof sizes[0]))
#define SIZE_MAX_BYTES 8388608

#endif
