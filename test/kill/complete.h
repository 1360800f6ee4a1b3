/* SPDX-License-Identifier: BSD-3-Clause */
/* complete.h – completes a request by one of the eight calls, and returns its error.
 *
 * The calls for several requests get it between two null requests, which must not fail; their error is
 * MPI_ERR_IN_STATUS then, and that of the request is in its status. */
#ifndef TEST_KILL_COMPLETE_H
#define TEST_KILL_COMPLETE_H

#include "common.h"

/* The calls that complete requests. */
enum { WAIT, TEST, WAITANY, TESTANY, WAITALL, TESTALL, WAITSOME, TESTSOME, COMPLETIONS };

static inline int complete_one(MPI_Request *r, bool wait)
{
    MPI_Status s;
    int flag = 0, err = MPI_SUCCESS;

    if (wait)
        return MPI_Wait(r, &s);
    while (!flag && err == MPI_SUCCESS)
        err = MPI_Test(r, &flag, &s);
    return err;
}

static inline int complete_any(MPI_Request a[3], bool wait)
{
    int i = -1, flag = 0, err = MPI_SUCCESS;
    MPI_Status s;

    if (wait)
        err = MPI_Waitany(3, a, &i, &s);
    while (!wait && !flag && err == MPI_SUCCESS)
        err = MPI_Testany(3, a, &i, &flag, &s);
    CHECK_EQ(i, 1);
    return err;
}

static inline int complete_all(MPI_Request a[3], bool wait)
{
    int flag = 0, err = MPI_SUCCESS;
    MPI_Status s[3];

    if (wait)
        err = MPI_Waitall(3, a, s);
    while (!wait && !flag && err == MPI_SUCCESS)
        err = MPI_Testall(3, a, &flag, s);
    if (err == MPI_SUCCESS)
        return err;
    CHECK_CLASS(err, MPI_ERR_IN_STATUS);
    CHECK(s[0].MPI_ERROR == MPI_SUCCESS && s[2].MPI_ERROR == MPI_SUCCESS);
    return s[1].MPI_ERROR;
}

static inline int complete_some(MPI_Request a[3], bool wait)
{
    int n = 0, indices[3], err = MPI_SUCCESS;
    MPI_Status s[3];

    if (wait)
        err = MPI_Waitsome(3, a, &n, indices, s);
    while (!wait && n == 0 && err == MPI_SUCCESS)
        err = MPI_Testsome(3, a, &n, indices, s);
    CHECK(n == 1 && indices[0] == 1);
    if (err == MPI_SUCCESS)
        return err;
    CHECK_CLASS(err, MPI_ERR_IN_STATUS);
    return s[0].MPI_ERROR;
}

static inline int complete(MPI_Request *r, int how)
{
    static int (*const calls[])(MPI_Request *, bool) = {complete_one, complete_any, complete_all,
                                                        complete_some};
    MPI_Request a[3] = {MPI_REQUEST_NULL, *r, MPI_REQUEST_NULL};
    int err;

    if (how / 2 == 0)
        return complete_one(r, how == WAIT);
    err = calls[how / 2](a, how % 2 == 0);
    *r = a[1];
    return err;
}

#endif
