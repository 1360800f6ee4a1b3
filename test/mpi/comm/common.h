/* SPDX-License-Identifier: BSD-3-Clause */
/* common.h – what the tests of communicators, groups, attributes, info, handlers and topologies
 * share.  Errors return. */
#ifndef TEST_COMM_COMMON_H
#define TEST_COMM_COMMON_H

#include "../../program.h"

static inline void start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    know_rank();
    return_errors();
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
