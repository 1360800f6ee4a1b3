/* SPDX-License-Identifier: BSD-3-Clause */
/* Error handlers of communicators (MPI-5.0 9.3): given, inherited, called, left by longjmp
 * (R24).
 *
 *   R24: an error handler may leave the call by longjmp */
/* RUN: -n 2 */
#include "../comm/common.h"

#include <setjmp.h>

static int calls, code_seen;
static MPI_Comm comm_seen;
static jmp_buf back;

static void count(MPI_Comm *comm, int *code, ...)
{
    int n;

    MPI_Comm_size(*comm, &n); /* a handler may call MPI */
    calls++;
    comm_seen = *comm;
    code_seen = *code;
}

static void jump(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    longjmp(back, *code);
}

static void given(void)
{
    MPI_Errhandler mine, got = MPI_ERRHANDLER_NULL;
    MPI_Comm c, child;

    CHECK_OK(MPI_Comm_create_errhandler(count, &mine));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
    CHECK_OK(MPI_Comm_get_errhandler(c, &got)); /* inherited */
    CHECK(got == MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Errhandler_free(&got)); /* what was got is freed, also a predefined one */
    CHECK(got == MPI_ERRHANDLER_NULL);
    CHECK_OK(MPI_Comm_set_errhandler(c, mine));
    CHECK_OK(MPI_Comm_get_errhandler(c, &got));
    CHECK(got == mine);
    CHECK_OK(MPI_Errhandler_free(&got));
    CHECK_OK(MPI_Errhandler_free(&mine)); /* lives on in c */
    CHECK(mine == MPI_ERRHANDLER_NULL);

    CHECK_CLASS(MPI_Send(NULL, 0, MPI_INT, size, 0, c), MPI_ERR_RANK);
    CHECK(calls == 1 && comm_seen == c && code_seen == MPI_ERR_RANK);
    CHECK_OK(MPI_Comm_split(c, 0, 0, &child)); /* inherited */
    CHECK_CLASS(MPI_Send(NULL, 0, MPI_INT, 0, -1, child), MPI_ERR_TAG);
    CHECK(calls == 2 && comm_seen == child);
    CHECK_OK(MPI_Comm_call_errhandler(c, MPI_ERR_IO)); /* success: it was called */
    CHECK(calls == 3 && code_seen == MPI_ERR_IO);
    CHECK_CLASS(MPI_Send(NULL, 0, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CHECK_EQ(calls, 3);
    CHECK_OK(MPI_Comm_free(&c));
    CHECK_OK(MPI_Comm_free(&child));
}

/* An error of no communicator goes to the handler of MPI_COMM_SELF.  A program of old times that has
 * set the one of MPI_COMM_WORLD only is not ended. */
static void without_object(void)
{
    MPI_Errhandler mine;

    calls = 0;
    CHECK_OK(MPI_Comm_create_errhandler(count, &mine));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine));
    CHECK_CLASS(MPI_Group_size(MPI_GROUP_NULL, &(int){0}), MPI_ERR_GROUP);
    CHECK(calls == 1 && comm_seen == MPI_COMM_WORLD && code_seen == MPI_ERR_GROUP);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Group_size(MPI_GROUP_NULL, &(int){0}), MPI_ERR_GROUP);
    calls = 0;
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, mine));
    CHECK_CLASS(MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK(calls == 1 && comm_seen == MPI_COMM_SELF && code_seen == MPI_ERR_COMM);
    CHECK_CLASS(MPI_Group_size(MPI_GROUP_NULL, &(int){0}), MPI_ERR_GROUP);
    CHECK_EQ(calls, 2);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Errhandler_free(&mine));
}

static void jumping(void)
{
    MPI_Errhandler mine;
    MPI_Comm c;

    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
    CHECK_OK(MPI_Comm_create_errhandler(jump, &mine));
    CHECK_OK(MPI_Comm_set_errhandler(c, mine));
    for (volatile int i = 0; i < 100; i++) {
        int got = setjmp(back);

        if (!got) {
            MPI_Send(NULL, -1, MPI_INT, 0, 0, c);
            CHECK(!"reached");
        }
        CHECK_EQ(got, MPI_ERR_COUNT);
    }
    ring(c);
    CHECK_OK(MPI_Errhandler_free(&mine));
    CHECK_OK(MPI_Comm_free(&c));
}

static void wrong(void)
{
    MPI_Errhandler e = MPI_ERRHANDLER_NULL, of_file, of_win;
    MPI_Comm c = MPI_COMM_NULL;

    CHECK_CLASS(MPI_Errhandler_free(&e), MPI_ERR_ERRHANDLER);
    CHECK_CLASS(MPI_Comm_set_errhandler(MPI_COMM_WORLD, e), MPI_ERR_ERRHANDLER);
    CHECK_CLASS(MPI_Comm_set_errhandler(MPI_COMM_WORLD, (MPI_Errhandler)0), MPI_ERR_ERRHANDLER);
    CHECK_CLASS(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_get_errhandler(c, &e), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_get_errhandler(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_call_errhandler(c, MPI_ERR_IO), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_create_errhandler(NULL, &e), MPI_ERR_ARG);
    CHECK_OK(MPI_File_create_errhandler((MPI_File_errhandler_function *)count, &of_file));
    CHECK_OK(MPI_Win_create_errhandler((MPI_Win_errhandler_function *)count, &of_win));
    CHECK_CLASS(MPI_Comm_set_errhandler(MPI_COMM_WORLD, of_file), MPI_ERR_ERRHANDLER);
    CHECK_CLASS(MPI_Comm_set_errhandler(MPI_COMM_WORLD, of_win), MPI_ERR_ERRHANDLER);
    CHECK(MPI_Errhandler_fromint(MPI_Errhandler_toint(of_win)) == of_win);
    CHECK_EQ(MPI_Errhandler_toint(MPI_ERRORS_RETURN), 0x143);
    CHECK_OK(MPI_Errhandler_free(&of_file));
    CHECK_OK(MPI_Errhandler_free(&of_win));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    given();
    without_object();
    jumping();
    wrong();
    ring(MPI_COMM_WORLD);
    return finish();
}
