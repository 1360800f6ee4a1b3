/* SPDX-License-Identifier: BSD-3-Clause */
/* Error classes, codes and texts, the user's too (MPI-5.0 9.4, 9.5; S0-103, S0-104, R15).
 *
 *   R15: for failures the error code is the class, under both sets of names
 *   S0-103: the class PROC_FAILED exists and has a text
 *   S0-104: the class of a revoked object exists and has a text */
/* RUN: -n 1 */
#include "../comm/common.h"

static void predefined(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, n;

    for (int code = MPI_SUCCESS; code <= MPI_ERR_ABI; code++) {
        class = -1;
        CHECK_OK(MPI_Error_class(code, &class));
        CHECK_EQ(class, code);
        n = -1;
        CHECK_OK(MPI_Error_string(code, text, &n));
        CHECK(n > 0 && n < MPI_MAX_ERROR_STRING && (int)strlen(text) == n);
    }
    CHECK_OK(MPI_Error_class(MPI_ERR_PROC_FAILED, &class));
    CHECK_EQ(class, MPI_ERR_PROC_FAILED);
    CHECK_OK(MPI_Error_string(MPI_ERR_PROC_FAILED, text, &n));
    CHECK(strstr(text, "MPI_ERR_PROC_FAILED"));
    CHECK_OK(MPI_Error_class(MPI_ERR_REVOKED, &class));
    CHECK_EQ(class, MPI_ERR_INVALIDATED);
    CHECK_OK(MPI_Error_string(MPI_ERR_INVALIDATED, text, &n));
    CHECK(strstr(text, "MPI_ERR_INVALIDATED"));
    CHECK(MPI_ERR_PROC_FAILED > MPI_ERR_LASTCODE && MPI_ERR_INVALIDATED > MPI_ERR_LASTCODE);
    CHECK_EQ(MPIX_ERR_PROC_FAILED, MPI_ERR_PROC_FAIL_STOP);
    CHECK_EQ(MPIX_ERR_PROC_FAILED_PENDING, MPI_ERR_PENDING);
}

static int *last_used(void)
{
    int *last = NULL, flag = 0;

    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
    CHECK(flag);
    return last;
}

static void own(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, code, other, found, n;

    CHECK_OK(MPI_Add_error_class(&class));
    CHECK(class > MPI_ERR_LASTCODE && class > MPI_ERR_INVALIDATED);
    CHECK_EQ(*last_used(), class);
    CHECK_OK(MPI_Add_error_code(class, &code));
    CHECK_OK(MPI_Add_error_code(MPI_ERR_IO, &other));
    CHECK_EQ(*last_used(), other);
    CHECK(code > class && other > code);
    CHECK_OK(MPI_Error_class(code, &found));
    CHECK_EQ(found, class);
    CHECK_OK(MPI_Error_class(other, &found));
    CHECK_EQ(found, MPI_ERR_IO);
    CHECK_OK(MPI_Error_string(code, text, &n));
    CHECK(n == 0 && text[0] == '\0');
    CHECK_OK(MPI_Add_error_string(code, "the flux is not conserved"));
    CHECK_OK(MPI_Error_string(code, text, &n));
    CHECK_STR(text, "the flux is not conserved");
    CHECK_EQ(MPI_Comm_call_errhandler(MPI_COMM_WORLD, code), MPI_SUCCESS);

    CHECK_CLASS(MPI_Add_error_string(MPI_ERR_IO, "x"), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Add_error_string(code, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Add_error_code(code, &found), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Error_class(other + 1, &found), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Error_class(-1, &found), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Error_string(0x3fff, text, &n), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Error_string(MPI_ERR_IO, NULL, &n), MPI_ERR_ARG);

    CHECK_CLASS(MPI_Remove_error_class(class), MPI_ERR_ARG); /* has a code */
    CHECK_CLASS(MPI_Remove_error_code(code), MPI_ERR_ARG);   /* has a text */
    CHECK_OK(MPI_Remove_error_string(code));
    CHECK_CLASS(MPI_Remove_error_string(code), MPI_ERR_ARG);
    CHECK_OK(MPI_Remove_error_code(code));
    CHECK_OK(MPI_Add_error_string(class, "physics"));
    CHECK_CLASS(MPI_Remove_error_class(class), MPI_ERR_ARG); /* has a text */
    CHECK_OK(MPI_Remove_error_string(class));
    CHECK_OK(MPI_Remove_error_class(class));
    CHECK_CLASS(MPI_Error_class(code, &found), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Remove_error_class(MPI_ERR_IO), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    int class = -1;

    CHECK_OK(MPI_Error_class(MPI_ERR_TAG, &class)); /* at any time */
    CHECK_EQ(class, MPI_ERR_TAG);
    start(&argc, &argv);
    predefined();
    own();
    MPI_Finalize();
    CHECK_OK(MPI_Error_class(MPI_ERR_OP, &class));
    CHECK_EQ(class, MPI_ERR_OP);
    return 0;
}
