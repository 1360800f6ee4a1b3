/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_06_nobody_died.c – a module that rolls back meets an error although nobody has died: to roll back would repeat it.
 *
 *   error    rank 1 receives a message that is too long: MPIX_Module_recover() is an error at all that call it, and says why
 *   after    the same behind a recovery from a death, of which the safe point is older: that death has had its roll-back
 *   before   a death behind that error: all roll back, once
 *   wanted   rank 1 gives MPI_COMM_NULL: it wants the roll-back, and gets it
 *   leaving  the other ranks are in MPIX_Module_leave(): that succeeds
 *
 *   S1-6: modules have different processes: the participants of F recover, the others go on
 *
 * RUN: -n 4 ; args error ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args error ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args after ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 --machines 3 ; args after ; expect "rank 0 ok" ; expect "rank 2 ok" ; times 120
 * RUN: -n 4 ; args before ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args wanted ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args leaving ; expect "rank 0 ok" ; expect "rank 2 ok" */
#include "../common.h"

#include <string.h>

enum { PASSES, BACK = PASSES + 4, RECOVERED = BACK + 4, REFUSED, THERE };

static MPIX_Module f;
static const char *what;

static bool is(const char *name)
{
    return !strcmp(what, name);
}

static int recover(MPI_Comm comm, int inside, void *state)
{
    (void)inside, (void)state;
    if (MPI_Barrier(comm) != MPI_SUCCESS)
        return MPI_ERR_OTHER;
    post(RECOVERED);
    return MPI_SUCCESS;
}

static void check_refused(int err)
{
    static const char reason[] = "no process has died since the safe point";
    char text[MPI_MAX_ERROR_STRING];
    int n;

    CHECK_CLASS(err, MPI_ERR_OTHER);
    MPI_Error_string(err, text, &n);
    if (!strstr(text, reason))
        CHECK_FAILS("\"%s\" is not in \"%s\"", reason, text);
    post(REFUSED);
}

/* Rank 1 gets more than it expects. */
static int mistake(MPI_Comm comm)
{
    int x[2] = {0}, err = MPI_SUCCESS;

    if (rank == 0)
        CHECK_OK(MPI_Send(x, 2, MPI_INT, 1, 1, comm));
    if (rank == 1)
        err = MPI_Recv(x, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
    if (rank != 1 && is("leaving"))
        return MPI_SUCCESS;
    return err != MPI_SUCCESS ? err : MPI_Barrier(comm);
}

static int death(MPI_Comm comm)
{
    if (rank == 3)
        die_now();
    return MPI_Barrier(comm);
}

/* One call of F as doc/modules.md has it.  The error of MPIX_Module_recover(). */
static int call_f(int (*work)(MPI_Comm comm))
{
    int recovered, err = MPI_SUCCESS;
    MPI_Comm comm;

    CHECK_OK(MPIX_Module_enter(f, &comm));
    if (work && work(comm) != MPI_SUCCESS) {
        if (is("wanted") && rank == 1)
            comm = MPI_COMM_NULL;
        err = MPIX_Module_recover(f, &comm);
    }
    CHECK_OK(MPIX_Module_leave(f, &recovered));
    return err;
}

static void go_back(int (*work)(MPI_Comm comm))
{
    call_f(work);
    CHECK(!"it rolls back");
}

int main(int argc, char **argv)
{
    int pass;

    start(&argc, &argv);
    what = argv[1];
    CHECK_OK(MPIX_Module_create(MPI_COMM_WORLD, recover, NULL, MPIX_MODULE_ROLL_BACK, &f));
    CHECK_OK(call_f(NULL));
    pass = ++board[PASSES + rank];
    CHECK(pass <= 2); /* it does not go on like that */
    post(THERE);
    await(THERE, 4); /* all have the safe point, and roll back to it */
    if (is("after") && pass == 1)
        go_back(death);
    if (is("wanted") && pass == 1)
        go_back(mistake);
    if (is("leaving") && rank != 1)
        CHECK_OK(call_f(mistake));
    else if (!is("wanted"))
        check_refused(call_f(mistake));
    if (is("before") && board[BACK + rank]++ == 0) { /* memory is then as behind the call above */
        await(REFUSED, 4);
        go_back(death);
    }
    CHECK_EQ(posted(RECOVERED), is("wanted") ? 4 : is("after") || is("before") ? 3 : 0);
    CHECK_OK(MPIX_Module_free(&f));
    return finish();
}
