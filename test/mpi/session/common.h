/* SPDX-License-Identifier: BSD-3-Clause */
/* common.h – what the tests of sessions share.  A rank learns its number from the group of mpi://WORLD. */
#ifndef TEST_SESSION_COMMON_H
#define TEST_SESSION_COMMON_H

#include "../../program.h"

#include <stdlib.h>
#include <string.h>

static inline MPI_Session open_session(void)
{
    MPI_Session s = MPI_SESSION_NULL;

    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
    CHECK(s != MPI_SESSION_NULL);
    return s;
}

static inline void close_session(MPI_Session *s)
{
    CHECK_OK(MPI_Session_finalize(s));
    CHECK(*s == MPI_SESSION_NULL);
}

static inline MPI_Group pset(MPI_Session s, const char *name)
{
    MPI_Group g = MPI_GROUP_NULL;

    CHECK_OK(MPI_Group_from_session_pset(s, name, &g));
    return g;
}

/* A communicator of all processes of a set; also rank and size. */
static inline MPI_Comm comm_of(MPI_Session s, const char *name, const char *tag)
{
    MPI_Group g = pset(s, name);
    MPI_Comm c = MPI_COMM_NULL;

    CHECK_OK(MPI_Comm_create_from_group(g, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
    CHECK_OK(MPI_Group_free(&g));
    return c;
}

static inline MPI_Comm world_of(MPI_Session s, const char *tag)
{
    MPI_Comm c = comm_of(s, "mpi://WORLD", tag);

    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    return c;
}

/* A sum over all members is what it must be. */
static inline void use(MPI_Comm c)
{
    int n, me, sum = 0, one = 1;

    CHECK_OK(MPI_Comm_size(c, &n));
    CHECK_OK(MPI_Comm_rank(c, &me));
    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c));
    CHECK_EQ(sum, n);
    CHECK_OK(MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % n, 1, &sum, 1, MPI_INT, (me + n - 1) % n, 1,
                          c, MPI_STATUS_IGNORE));
    CHECK_EQ(sum, (me + n - 1) % n);
}

#endif
