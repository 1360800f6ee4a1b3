/* SPDX-License-Identifier: BSD-3-Clause */
/* check.h – what the tests of communicators, groups, attributes, info, handlers and topologies
 * share.
 *
 * A check that fails says where and ends the job with status 1.  Errors return. */
#ifndef TEST_COMM_CHECK_H
#define TEST_COMM_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

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

#define CHECK_STR(a_, b_)                                                                          \
    do {                                                                                           \
        const char *sa_ = (a_), *sb_ = (b_);                                                       \
        if (strcmp(sa_, sb_)) {                                                                    \
            fprintf(stderr, "rank %d: %s:%d: %s is \"%s\", expected \"%s\"\n", rank, __FILE__,     \
                    __LINE__, #a_, sa_, sb_);                                                      \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

/* The call answers with exactly this error class (MPI_SUCCESS: it succeeds). */
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

#define CHECK_OK(call_) CHECK_CLASS(call_, MPI_SUCCESS)

static inline void start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

static inline int finish(void)
{
    MPI_Finalize();
    return 0;
}

/* A message around the ring of a communicator: everybody can reach everybody's neighbour. */
static inline void ring(MPI_Comm comm)
{
    int me, n, got = -1;

    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    CHECK_OK(MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % n, 7, &got, 1, MPI_INT, (me + n - 1) % n, 7,
                          comm, MPI_STATUS_IGNORE));
    CHECK_EQ(got, (me + n - 1) % n);
}

#endif
