/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions without MPI_Init: process sets, infos, groups and communicators of them; several at a time; buffers; error
 * handlers; again after the last one; what is left is freed. */
/* RUN: -n 1 */
/* RUN: -n 2 */
/* RUN: -n 5 */
/* RUN: -n 3 ; set AGREE_SHM=0 */
#include "common.h"

#define BYTES 200000 /* more than goes without an RTS */

static void process_sets(MPI_Session s)
{
    static const char *const names[] = {"mpi://WORLD", "mpi://SELF", "mend://alive", "mend://node"};
    int n = 0, len, flag, members;
    char name[64], text[16];
    MPI_Group g;
    MPI_Info i;

    CHECK_OK(MPI_Session_get_num_psets(s, MPI_INFO_NULL, &n));
    CHECK_EQ(n, 4);
    for (int k = 0; k < n; k++) {
        len = 0;
        CHECK_OK(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, k, &len, NULL));
        CHECK_EQ(len, (int)strlen(names[k]) + 1);
        len = 5;
        CHECK_OK(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, k, &len, name));
        CHECK(!strncmp(name, names[k], 4) && !name[4] && len == (int)strlen(names[k]) + 1);
        len = sizeof name;
        CHECK_OK(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, k, &len, name));
        CHECK(!strcmp(name, names[k]));
        CHECK_OK(MPI_Session_get_pset_info(s, name, &i));
        len = sizeof text;
        MPI_Info_get_string(i, "mpi_size", &len, text, &flag);
        MPI_Info_free(&i);
        g = pset(s, name);
        MPI_Group_size(g, &members);
        CHECK(flag && atoi(text) == members);
        CHECK(k == 1 ? members == 1 : members >= 1);
        MPI_Group_free(&g);
    }
    g = pset(s, "MPI://world"); /* names have no case */
    MPI_Group_free(&g);
}

static void wrong_arguments(MPI_Session s)
{
    MPI_Session none = MPI_SESSION_NULL, t;
    MPI_Group g;
    MPI_Info i;
    char name[8];
    int n = 0;

    CHECK_CLASS(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, 4, &n, name), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, -1, &n, name), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Session_get_num_psets(s, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Session_get_num_psets(s, (MPI_Info)s, &n), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Session_get_pset_info(s, "mpi://world2", &i), MPI_ERR_ARG);
    g = MPI_GROUP_EMPTY;
    CHECK_CLASS(MPI_Group_from_session_pset(s, "none", &g), MPI_ERR_ARG);
    CHECK(g == MPI_GROUP_NULL);
    CHECK_OK(MPI_Info_create(&i));
    CHECK_OK(MPI_Info_set(i, "thread_level", "MPI_THREAD_SOME"));
    CHECK_CLASS(MPI_Session_init(i, MPI_ERRORS_RETURN, &t), MPI_ERR_INFO_VALUE);
    CHECK_OK(MPI_Info_free(&i));
    CHECK_CLASS(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL), MPI_ERR_ARG);
    CHECK(MPI_Session_fromint(MPI_Session_toint(s)) == s);
    CHECK(MPI_Session_fromint(MPI_Session_toint(MPI_SESSION_NULL)) == none);
}

static int called, told;

static void on_error(MPI_Session *s, int *code, ...)
{
    called++;
    told = *code;
    CHECK(*s != MPI_SESSION_NULL);
}

static void handlers(MPI_Session s)
{
    MPI_Errhandler mine, got;
    MPI_Session t;
    MPI_Group g;

    CHECK_OK(MPI_Session_create_errhandler(on_error, &mine));
    CHECK_OK(MPI_Session_set_errhandler(s, mine));
    CHECK_OK(MPI_Session_get_errhandler(s, &got));
    CHECK(got == mine);
    CHECK_OK(MPI_Errhandler_free(&got));
    CHECK_OK(MPI_Errhandler_free(&mine));
    CHECK_CLASS(MPI_Group_from_session_pset(s, "none", &g), MPI_ERR_ARG);
    CHECK(called == 1 && told == MPI_ERR_ARG);
    CHECK_OK(MPI_Session_call_errhandler(s, MPI_ERR_OTHER));
    CHECK(called == 2 && told == MPI_ERR_OTHER);
    CHECK_OK(MPI_Session_set_errhandler(s, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Session_get_errhandler(s, &got));
    CHECK(got == MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Session_create_errhandler(on_error, &mine));
    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, mine, &t));
    CHECK_OK(MPI_Errhandler_free(&mine));
    CHECK_OK(MPI_Session_call_errhandler(t, MPI_ERR_OTHER));
    CHECK_EQ(called, 3);
    close_session(&t);
}

static void check_level(MPI_Session s, const char *level)
{
    char text[64];
    int len = sizeof text, flag;
    MPI_Info i;

    CHECK_OK(MPI_Session_get_info(s, &i));
    CHECK_OK(MPI_Info_get_string(i, "thread_level", &len, text, &flag));
    CHECK(flag && !strcmp(text, level));
    CHECK_OK(MPI_Info_free(&i));
}

/* A session that asks for nothing has the level of those that are open. */
static void levels(void)
{
    static const char *const names[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                        "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
    MPI_Info i;
    MPI_Session s, beside;

    for (int k = 0; k < 4; k++) {
        CHECK_OK(MPI_Info_create(&i));
        CHECK_OK(MPI_Info_set(i, "thread_level", names[k]));
        CHECK_OK(MPI_Session_init(i, MPI_ERRORS_RETURN, &s));
        CHECK_OK(MPI_Info_free(&i));
        check_level(s, names[k]);
        beside = open_session();
        check_level(beside, names[k]);
        close_session(&beside);
        close_session(&s);
    }
}

/* Communicators of a session use its buffer, those of another one do not. */
static void buffers(MPI_Session s, MPI_Comm c)
{
    static char room[BYTES + 1000], big[BYTES], got[BYTES];
    MPI_Session t = open_session();
    MPI_Comm other = comm_of(t, "mpi://SELF", "buffers");
    MPI_Request r;
    void *back = NULL;
    int n = 0;

    CHECK_CLASS(MPI_Bsend(big, BYTES, MPI_CHAR, 0, 0, other), MPI_ERR_BUFFER);
    CHECK_OK(MPI_Session_attach_buffer(s, room, sizeof room));
    CHECK_CLASS(MPI_Session_attach_buffer(s, room, sizeof room), MPI_ERR_BUFFER);
    CHECK_OK(MPI_Bsend(big, BYTES, MPI_CHAR, rank, 5, c));
    CHECK_CLASS(MPI_Bsend(big, BYTES, MPI_CHAR, rank, 5, c), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Bsend(big, BYTES, MPI_CHAR, 0, 0, other), MPI_ERR_BUFFER);
    CHECK_OK(MPI_Session_iflush_buffer(s, &r));
    CHECK_OK(MPI_Recv(got, BYTES, MPI_CHAR, rank, 5, c, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Session_flush_buffer(s));
    CHECK_OK(MPI_Session_detach_buffer(s, &back, &n));
    CHECK(back == room && n == sizeof room);
    CHECK_CLASS(MPI_Session_detach_buffer(s, &back, &n), MPI_ERR_BUFFER);
    CHECK_OK(MPI_Session_attach_buffer(t, MPI_BUFFER_AUTOMATIC, 0));
    CHECK_OK(MPI_Bsend(big, BYTES, MPI_CHAR, 0, 0, other));
    CHECK_OK(MPI_Recv(got, BYTES, MPI_CHAR, 0, 0, other, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Comm_free(&other));
    close_session(&t); /* with its buffer */
}

/* Two sessions at a time; parts of groups; a communicator that nobody frees goes with its session. */
static void several(void)
{
    MPI_Session a = open_session(), b = open_session();
    MPI_Comm ca = world_of(a, "one"), cb = comm_of(b, "mpi://WORLD", "two"), left, half;
    MPI_Group g = pset(a, "mpi://WORLD"), even;
    int range[1][3] = {{0, size - 1, 2}}, flag;

    use(ca);
    use(cb);
    CHECK_OK(MPI_Comm_dup(ca, &left));
    CHECK_OK(MPI_Group_range_incl(g, 1, range, &even));
    if (rank % 2 == 0) {
        CHECK_OK(MPI_Comm_create_from_group(even, "half", MPI_INFO_NULL, MPI_ERRORS_RETURN, &half));
        use(half);
        CHECK_OK(MPI_Comm_free(&half));
    }
    MPI_Group_free(&even);
    MPI_Group_free(&g);
    MPI_Initialized(&flag);
    CHECK(!flag);
    CHECK_CLASS(MPI_Comm_size(MPI_COMM_SELF, &flag), MPI_ERR_COMM);
    CHECK_OK(MPI_Comm_free(&ca));
    close_session(&a); /* and `left` */
    CHECK_CLASS(MPI_Comm_size(left, &flag), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Session_get_num_psets(a, MPI_INFO_NULL, &flag), MPI_ERR_SESSION);
    use(cb);
    CHECK_OK(MPI_Comm_disconnect(&cb));
    close_session(&b);
}

int main(int argc, char **argv)
{
    MPI_Session s;
    MPI_Comm c;
    int flag;

    setenv("MEND_INITIAL_ERRHANDLER", "mpi_errors_return", 1);
    MPI_Initialized(&flag);
    CHECK(!flag);
    s = open_session();
    c = world_of(s, "first");
    use(c);
    process_sets(s);
    wrong_arguments(s);
    handlers(s);
    levels();
    buffers(s, c);
    CHECK_OK(MPI_Comm_free(&c));
    close_session(&s);
    CHECK_CLASS(MPI_Session_finalize(&s), MPI_ERR_SESSION);
    for (int i = 0; i < 3; i++)
        several();
    s = open_session();
    c = comm_of(s, "mend://alive", "last");
    use(c);
    CHECK_OK(MPI_Comm_free(&c));
    c = comm_of(s, "mend://node", "near");
    use(c);
    CHECK_OK(MPI_Comm_free(&c));
    close_session(&s);
    MPI_Finalized(&flag);
    CHECK(!flag);
    return 0;
}
