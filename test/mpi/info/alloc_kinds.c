/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of memory (MPI-5.0 11.4.3): every info that tells about an object has them, and MPI_INFO_ENV.  What the command
 * line, a session or an object asks for comes back in its order, without what does not exist; mpi and system are always
 * there. */
/* RUN: -n 2 ; args mpi,system ; expect "all infos agree" */
/* RUN: -n 2 --memory-alloc-kinds system,nosuch:device,mpi:alloc_mem ; args system,mpi:alloc_mem,mpi ; expect "all infos agree" */
/* RUN: -n 2 -memory-alloc-kinds mpi:win_allocate:win_allocate_shared ; args mpi:win_allocate:win_allocate_shared,mpi,system ; expect "all infos agree" */
/* RUN: -n 2 --memory-allocation-kinds system,,system,mpi:,mpi:nosuch,:,mpix ; args system,mpi ; expect "all infos agree" */
/* RUN: -n 2 --set MACHINES=2 ; args mpi,system ; expect "all infos agree" */
#include "../comm/common.h"

#define KEY "mpi_memory_alloc_kinds"

static const char *job; /* what objects have that ask for nothing */

static void kinds_are(MPI_Info info, const char *kinds)
{
    char value[MPI_MAX_INFO_VAL];
    int n = sizeof value, flag = 0;

    CHECK_OK(MPI_Info_get_string(info, KEY, &n, value, &flag));
    CHECK(flag);
    CHECK_STR(value, kinds);
    MPI_Info_free(&info);
}

static void of_comm(MPI_Comm c, const char *kinds)
{
    MPI_Info info;

    CHECK_OK(MPI_Comm_get_info(c, &info));
    kinds_are(info, kinds);
}

static void of_win(MPI_Info asked, const char *kinds)
{
    MPI_Info info;
    MPI_Win win;

    CHECK_OK(MPI_Win_create_dynamic(asked, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_get_info(win, &info));
    kinds_are(info, kinds);
    CHECK_OK(MPI_Win_free(&win));
}

static void of_file(MPI_Info asked, const char *kinds)
{
    MPI_Info info;
    MPI_File fh;

    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, "kinds",
                           MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, asked, &fh));
    CHECK_OK(MPI_File_get_info(fh, &info));
    kinds_are(info, kinds);
    CHECK_OK(MPI_File_close(&fh));
}

/* Also of what is made from it. */
static void of_session(MPI_Info asked, const char *kinds)
{
    MPI_Session s;
    MPI_Info info;
    MPI_Group g;
    MPI_Comm c;

    CHECK_OK(MPI_Session_init(asked, MPI_ERRORS_RETURN, &s));
    CHECK_OK(MPI_Session_get_info(s, &info));
    kinds_are(info, kinds);
    CHECK_OK(MPI_Group_from_session_pset(s, "mpi://WORLD", &g));
    CHECK_OK(MPI_Comm_create_from_group(g, "kinds", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
    of_comm(c, kinds);
    MPI_Group_free(&g);
    MPI_Comm_free(&c);
    CHECK_OK(MPI_Session_finalize(&s));
}

static void of_duplicates(MPI_Info asked, const char *kinds)
{
    MPI_Comm c;

    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
    of_comm(c, job);
    MPI_Comm_free(&c);
    CHECK_OK(MPI_Comm_dup_with_info(MPI_COMM_SELF, asked, &c));
    of_comm(c, kinds);
    MPI_Comm_free(&c);
}

static void ask(const char *asked, const char *kinds)
{
    MPI_Info info;

    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, KEY, asked));
    of_duplicates(info, kinds);
    of_win(info, kinds);
    of_file(info, kinds);
    of_session(info, kinds);
    MPI_Info_free(&info);
}

/* As long as a value can be, of kinds that exist: the two that are always there still fit. */
static void ask_for_much(void)
{
    char much[MPI_MAX_INFO_VAL], value[MPI_MAX_INFO_VAL];
    int n = sizeof value, flag, len = 0;
    MPI_Info info, got;
    MPI_Comm c;

    for (int k = 1; len + 11 * k + 8 < MPI_MAX_INFO_VAL; k++) {
        len += sprintf(much + len, "%smpi", len ? "," : "");
        for (int i = 0; i < k; i++)
            len += sprintf(much + len, ":alloc_mem");
    }
    MPI_Info_create(&info);
    CHECK_OK(MPI_Info_set(info, KEY, much));
    CHECK_OK(MPI_Comm_dup_with_info(MPI_COMM_SELF, info, &c));
    CHECK_OK(MPI_Comm_get_info(c, &got));
    CHECK_OK(MPI_Info_get_string(got, KEY, &n, value, &flag));
    CHECK(flag && strlen(value) < MPI_MAX_INFO_VAL);
    CHECK(strstr(value, ",mpi,system"));
    MPI_Info_free(&got);
    MPI_Info_free(&info);
    MPI_Comm_free(&c);
}

int main(int argc, char **argv)
{
    MPI_Info env;

    start(&argc, &argv);
    job = argv[1];
    CHECK_OK(MPI_Info_dup(MPI_INFO_ENV, &env));
    kinds_are(env, job);
    of_comm(MPI_COMM_WORLD, job);
    of_comm(MPI_COMM_SELF, job);
    of_win(MPI_INFO_NULL, job);
    of_file(MPI_INFO_NULL, job);
    of_session(MPI_INFO_NULL, job);
    ask("system,nosuch", "system,mpi");
    ask("nosuch,mpi:alloc_mem,cuda:device", "mpi:alloc_mem,mpi,system");
    ask_for_much();
    finish();
    if (rank == 0)
        puts("all infos agree");
    return 0;
}
