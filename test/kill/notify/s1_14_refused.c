/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_14_refused.c – what cannot be rolled back is refused with the reason, and then no process has rolled back.
 *
 *   window     one is open when the module is left: no safe point, and a later recovery is refused at all
 *   made       one is made behind the safe point: the recovery is refused
 *   one        one of rank 3 alone: the others are told of it, too
 *   file       the same with a file
 *   request    one is under way when the module is left
 *   own        the program has a safe point of its own when the module is left: no safe point, and it can use and drop its own
 *   stranger   a communicator was used with a process that is not of the module
 *   closed     the window is closed in time: all roll back
 *   child      a process that was started was talked to behind the safe point
 *   parted     a process that was started has been disconnected before the module is left: all roll back
 *   replace    the recovery function replaces the dead process in a communicator of the program
 *   two        a second module that does not roll back, or has other members, beside one that rolls back; one that
 *              is freed, and whose numbers are given again
 *
 * With `beside` a second module that rolls back is called in front of each call of the first one.
 *
 *   S1-6: modules have different processes: the participants of F recover, the others go on
 *   S1-14: visible actions since the safe point are told
 *
 * RUN: -n 4 ; args window beside ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args window ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args made beside ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args made ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args one ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args file ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args request ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args request ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 2 ok" ; times 5
 * RUN: -n 4 ; args own beside ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args own ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args stranger ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args closed beside ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args closed ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 --universe 8 ; args child ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 --universe 8 ; args parted beside ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 --universe 8 ; args parted ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args replace ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args two ; expect "rank 0 ok" ; expect "rank 2 ok" */
#include "../common.h"

#include <stdlib.h>
#include <string.h>

enum { IN_F, REFUSED };

static MPIX_Module f, beside = MPIX_MODULE_NULL;
static const char *what;
static MPI_Comm whole = MPI_COMM_NULL;
static int members; /* of F */

static bool is(const char *name)
{
    return !strcmp(what, name);
}

static int recover(MPI_Comm comm, int inside, void *state)
{
    (void)inside, (void)state;
    if (is("replace") && MPIX_Comm_refill(comm, MPI_INFO_NULL, &whole) != MPI_SUCCESS)
        return MPI_ERR_OTHER;
    return MPI_SUCCESS;
}

/* The reason is in the text of the error. */
static void check_refused(int err, const char *reason)
{
    char text[MPI_MAX_ERROR_STRING];
    int n;

    CHECK_CLASS(err, MPI_ERR_UNSUPPORTED_OPERATION);
    MPI_Error_string(err, text, &n);
    if (!strstr(text, reason))
        CHECK_FAILS("\"%s\" is not in \"%s\"", reason, text);
    post(REFUSED);
}

static int call(MPIX_Module m)
{
    MPI_Comm comm;
    int recovered;

    CHECK_OK(MPIX_Module_enter(m, &comm));
    return MPIX_Module_leave(m, &recovered);
}

static int call_f(void)
{
    int first = beside == MPIX_MODULE_NULL ? MPI_SUCCESS : call(beside), err = call(f), class;

    if (beside != MPIX_MODULE_NULL) {
        MPI_Error_class(err, &class);
        CHECK_CLASS(first, class);
    }
    return err;
}

/* Not behind a roll-back: rank 1 dies when all are in F. */
static bool is_first_time(void)
{
    return posted(IN_F) < members;
}

/* The error of a recovery that does not roll back.  A death while others leave F's last call would be one of that call. */
static int fail_in_f(void)
{
    MPI_Comm comm = MPI_COMM_NULL, mine;

    CHECK_OK(MPIX_Module_enter(f, &mine));
    post(IN_F);
    if (rank == 1) {
        await_in_mpi(IN_F, members);
        die_now();
    }
    wait_until_dead(MPI_COMM_WORLD, 1);
    return MPIX_Module_recover(f, &comm);
}

static void make_something(MPI_Win *win, MPI_File *file)
{
    static int memory;

    if (is("window") || is("made") || is("closed"))
        CHECK_OK(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win));
    if (is("one") && rank == 3)
        CHECK_OK(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, win));
    if (is("file"))
        CHECK_OK(MPI_File_open(MPI_COMM_WORLD, "a.file", MPI_MODE_CREATE | MPI_MODE_RDWR,
                               MPI_INFO_NULL, file));
}

/* What was made before the call of F, or behind it. */
static void test_refusal(void)
{
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Win win = MPI_WIN_NULL;
    MPI_File file = MPI_FILE_NULL;
    int x, err;

    if (!is("made") && !is("one"))
        make_something(&win, &file);
    if (is("request"))
        MPI_Irecv(&x, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &r);
    if (is("closed"))
        CHECK_OK(MPI_Win_free(&win));
    err = call_f();
    if (is("window"))
        check_refused(err, "window");
    else if (is("file"))
        check_refused(err, "file");
    else if (is("request"))
        check_refused(err, "request");
    else
        CHECK_OK(err);
    if (is("made") || is("one"))
        make_something(&win, &file);
    if (is("closed") || is("replace")) {
        if (is_first_time()) {
            fail_in_f();
            CHECK(!"it rolls back");
        }
    } else {
        check_refused(fail_in_f(), is("one")       ? "rank 3 of the module: a window is open"
                                   : is("file")    ? "rank 0 of the module: a file is open"
                                   : is("request") ? "rank 0 of the module: it has no safe point"
                                                   : "rank 0 of the module: a window is open");
    }
}

/* Rank 3 is not of the module. */
static void test_stranger(void)
{
    MPI_Comm own;
    int x = 1;

    MPI_Comm_split(MPI_COMM_WORLD, rank < 3 ? 0 : MPI_UNDEFINED, rank, &own);
    if (rank == 3) {
        CHECK_OK(MPI_Recv(&x, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        return;
    }
    CHECK_OK(MPIX_Module_create(own, recover, NULL, MPIX_MODULE_ROLL_BACK, &f));
    CHECK_OK(call_f());
    if (rank == 2)
        CHECK_OK(MPI_Send(&x, 1, MPI_INT, 3, 0, MPI_COMM_WORLD));
    check_refused(fail_in_f(),
                  "of the module: it has used a communicator with a process that is not of");
    MPIX_Module_free(&f);
}

/* It leaves when its parents have disconnected. */
static int child(void)
{
    MPI_Comm up;

    MPI_Init(NULL, NULL);
    MPI_Comm_get_parent(&up);
    MPI_Comm_disconnect(&up);
    MPI_Finalize();
    return 0;
}

/* The child has disconnected where it is asked to, behind the safe point or before it. */
static void test_child(char *path)
{
    char *args[] = {"child", "started", NULL};
    MPI_Comm down;

    CHECK_OK(MPI_Comm_spawn(path, args, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &down,
                            MPI_ERRCODES_IGNORE));
    if (is("parted"))
        CHECK_OK(MPI_Comm_disconnect(&down));
    CHECK_OK(call_f());
    if (is("child")) {
        CHECK_OK(MPI_Comm_disconnect(&down));
        check_refused(fail_in_f(), "not of the module");
    } else if (is_first_time()) {
        fail_in_f();
        CHECK(!"it rolls back");
    }
}

/* Made between two calls of F, and again. */
static void test_own(void)
{
    volatile int turns = 0;
    int value;

    CHECK_OK(call_f());
    for (int i = 0; i < 2; i++) {
        CHECK_OK(MPIX_Safe_point_enter(&value));
        if (!value) {
            check_refused(call_f(), "has made a safe point");
            check_refused(call_f(), "has made a safe point");
            CHECK_OK(MPIX_Safe_point_roll_back(1));
        }
        turns = turns + 1;
        CHECK_OK(MPIX_Safe_point_commit());
        CHECK_OK(call_f());
    }
    CHECK_EQ(turns, 2);
    if (is_first_time()) {
        fail_in_f();
        CHECK(!"it rolls back");
    }
}

static void test_two(void)
{
    MPIX_Module g;

    MPI_Comm some;

    check_refused(MPIX_Module_create(MPI_COMM_WORLD, recover, NULL, MPIX_MODULE_IN_CALLS, &g),
                  "does not roll back cannot be beside");
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &some);
    check_refused(MPIX_Module_create(some, recover, NULL, MPIX_MODULE_ROLL_BACK, &g),
                  "have the same members");
    for (int i = 0; i < 100; i++) {
        CHECK_OK(MPIX_Module_create(MPI_COMM_WORLD, recover, NULL, MPIX_MODULE_ROLL_BACK, &g));
        CHECK_OK(MPIX_Module_free(&g));
        CHECK_OK(call_f());
    }
    for (int i = 0; i < 63; i++)
        CHECK_OK(MPIX_Module_create(MPI_COMM_WORLD, recover, NULL, MPIX_MODULE_ROLL_BACK, &g));
    check_refused(MPIX_Module_create(MPI_COMM_WORLD, recover, NULL, MPIX_MODULE_ROLL_BACK, &g),
                  "64 modules");
    CHECK_OK(call_f());
}

int main(int argc, char **argv)
{
    MPI_Comm replaced;

    what = argv[1];
    if (is("child") && argc > 2)
        return child();
    start(&argc, &argv);
    MPIX_Comm_refilled(&replaced);
    if (replaced != MPI_COMM_NULL) { /* the new process has no part in F */
        CHECK_OK(MPI_Barrier(replaced));
        return finish();
    }
    members = is("stranger") ? 3 : size;
    if (is("stranger")) {
        test_stranger();
        return finish();
    }
    CHECK_OK(MPIX_Module_create(MPI_COMM_WORLD, recover, NULL, MPIX_MODULE_ROLL_BACK, &f));
    if (argc > 2)
        CHECK_OK(MPIX_Module_create(MPI_COMM_WORLD, recover, NULL, MPIX_MODULE_ROLL_BACK, &beside));
    if (is("two"))
        test_two();
    else if (is("own"))
        test_own();
    else if (is("child") || is("parted"))
        test_child(argv[0]);
    else
        test_refusal();
    if (is("replace"))
        CHECK_OK(MPI_Barrier(whole));
    MPIX_Module_free(&f);
    if (argc > 2)
        MPIX_Module_free(&beside);
    return finish();
}
