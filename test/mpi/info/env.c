/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_INFO_ENV and MPI_Info_create_env: how the program was started (MPI-5.0 11.2.2). */
/* RUN: -n 3 ; args -v some ; expect "as started" */
#include "../comm/common.h"

static const char *get(MPI_Info info, const char *key)
{
    static char value[MPI_MAX_INFO_VAL];
    int n = sizeof value, flag = 0;

    CHECK_OK(MPI_Info_get_string(info, key, &n, value, &flag));
    return flag ? value : "(none)";
}

/* It makes no difference when one asks. */
static void same(int argc, char **argv, MPI_Info before)
{
    static const char *const key[] = {"command", "argv", "maxprocs", "soft",        "host",
                                      "arch",    "wdir", "file",     "thread_level"};
    char value[MPI_MAX_INFO_VAL];
    MPI_Info now;

    CHECK_OK(MPI_Info_create_env(argc, argv, &now));
    for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++) {
        strcpy(value, get(before, key[i]));
        CHECK_STR(get(now, key[i]), value);
    }
    CHECK_OK(MPI_Info_free(&now));
}

int main(int argc, char **argv)
{
    MPI_Info mine, before;

    CHECK_OK(MPI_Info_create_env(argc, argv, &before));
    start(&argc, &argv);
    CHECK_STR(get(MPI_INFO_ENV, "argv"), "-v some");
    CHECK(strstr(get(MPI_INFO_ENV, "command"), "env"));
    CHECK_STR(get(MPI_INFO_ENV, "maxprocs"), "3");
    CHECK(strcmp(get(MPI_INFO_ENV, "host"), "(none)"));
    CHECK(strcmp(get(MPI_INFO_ENV, "arch"), "(none)"));
    CHECK_EQ(get(MPI_INFO_ENV, "wdir")[0], '/');
    CHECK_OK(MPI_Info_create_env(3, (char *[]){"cmd", "a", "b c", NULL}, &mine));
    CHECK_STR(get(mine, "command"), "cmd");
    CHECK_STR(get(mine, "argv"), "a b c");
    CHECK_OK(MPI_Info_free(&mine));
    CHECK_CLASS(MPI_Info_create_env(1, NULL, &mine), MPI_ERR_ARG);
    same(argc, argv, before);
    finish();
    same(argc, argv, before);
    CHECK_OK(MPI_Info_free(&before));
    if (rank == 0)
        puts("as started");
    return 0;
}
