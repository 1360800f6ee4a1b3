/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions that come and go: every rank opens one, makes a communicator of mend://alive, uses it, frees it and closes
 * the session, until it has had its turns.  Whichever rank dies and wherever, every call returns; creation and the
 * collective fail with MPI_ERR_PROC_FAILED only; a rank that has had its turns and has ended holds up nobody. */
#include "class.h"

#include <mpi.h>
#include <mpi_ft.h>
#include <stdio.h>

#define TURNS 3

static int wrong(const char *what, int err)
{
    fprintf(stderr, "%s: class %#x\n", what, (unsigned)err);
    return 1;
}

/* 0: it went well; MPI_ERR_PROC_FAILED; -1: something is wrong. */
static int turn(MPI_Session s)
{
    int n, err, one = 1, sum = 0;
    MPI_Group g;
    MPI_Comm c;

    if (MPI_Group_from_session_pset(s, "mend://alive", &g))
        return -wrong("MPI_Group_from_session_pset", 0);
    MPI_Group_size(g, &n);
    err = class_of(MPI_Comm_create_from_group(g, "turn", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
    MPI_Group_free(&g);
    if (err)
        return err == MPI_ERR_PROC_FAILED ? err : -wrong("MPI_Comm_create_from_group", err);
    err = class_of(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c));
    if (!err && sum != n)
        return -wrong("sum", sum);
    if (err && err != MPI_ERR_PROC_FAILED)
        return -wrong("MPI_Allreduce", err);
    return MPI_Comm_free(&c) ? -wrong("MPI_Comm_free", 0) : err;
}

int main(int argc, char **argv)
{
    MPI_Session s;
    int got = 0;

    (void)argc;
    (void)argv;

    for (int turns = 0; got >= 0 && turns < TURNS; turns += got == 0) {
        if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s))
            return wrong("MPI_Session_init", 0);
        got = turn(s);
        if (MPI_Session_finalize(&s))
            return wrong("MPI_Session_finalize", 0);
    }
    return got < 0;
}
