/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank that survives the abort of others can clean up in its own time: flush what it holds,
 * write and close files, run its exit handlers, and finalize.  Ranks 1 and 2 abort their
 * communicator; the others learn of it in their own error handler, or by the error
 * code, and only then write their state.  Afterwards each reads the file of another one.
 *
 *   S4-9: communicators with aborted and surviving processes report errors
 *   S4-13: a survivor can clean up after an error
 *
 * RUN: -n 4 ; args handler abort ; expect "rank 0 ok" ; expect "rank 3 ok" ; expect "buffered by 0" ;
   expect "exit handler of 0" ; expect "exit handler of 3" ; expect-no "exit handler of 1"
 * RUN: -n 4 ; args code abort ; expect "rank 0 ok" ; expect "rank 3 ok" ; expect "buffered by 0" ;
   expect "exit handler of 0" ; expect "exit handler of 3" ; expect-no "exit handler of 1"
 * RUN: -n 16 ; args code fatal ; expect "rank 0 ok" ; expect "rank 15 ok" ; expect "buffered by 9" ;
   expect "exit handler of 0" ; expect "exit handler of 15" ; expect-no "exit handler of 2"
 * RUN: -n 4 ; args handler fatal ; expect "rank 0 ok" ; expect "rank 3 ok" ; expect "buffered by 3" ;
   expect "exit handler of 0" ; expect "exit handler of 3" ; expect-no "exit handler of 2" */
#include "../common.h"

#define STATE 300000

static FILE *state;
static char expected[STATE];

static char *path_of(int r)
{
    static char path[4096];

    snprintf(path, sizeof path, "%s/state-%d", getenv("MEND_TEST_TMP"), r);
    return path;
}

static void write_state(void)
{
    usleep(50000); /* a while after the abort: nobody ends us */
    fill(expected, STATE, (unsigned)rank);
    CHECK_EQ(fwrite(expected, 1, STATE, state), STATE);
    CHECK_EQ(fflush(state), 0);
    CHECK_EQ(fsync(fileno(state)), 0);
    CHECK_EQ(fclose(state), 0);
    post(10 + rank);
}

static void on_error(MPI_Comm *c, int *code, ...)
{
    if (state)
        write_state();
    state = NULL;
}

static void at_exit(void)
{
    printf("exit handler of %d\n", rank);
}

static void check_state_of(int r)
{
    static char got[STATE + 1];
    FILE *f;

    await(10 + r, 1);
    f = fopen(path_of(r), "r");
    CHECK(f);
    CHECK_EQ(fread(got, 1, sizeof got, f), STATE);
    CHECK_EQ(wrong(got, STATE, (unsigned)r), -1);
    fclose(f);
}

static void end_part(MPI_Comm part, const char *how)
{
    int v = 0;

    await(0, size - 2);
    if (rank == 2)
        MPI_Recv(&v, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* waits to be ended */
    if (!strcmp(how, "abort"))
        MPI_Abort(part, 9);
    MPI_Send(&v, 1, MPI_INT, 99, 0, part);
    CHECK(!"reached");
}

int main(int argc, char **argv)
{
    MPI_Comm part;
    MPI_Errhandler h;
    int v;

    start(&argc, &argv);
    atexit(at_exit);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1 || rank == 2, rank, &part);
    if (rank == 1 || rank == 2) {
        MPI_Comm_set_errhandler(part, MPI_ERRORS_ARE_FATAL);
        end_part(part, argv[2]);
    }
    state = fopen(path_of(rank), "w");
    CHECK(state);
    MPI_Comm_create_errhandler(on_error, &h);
    if (!strcmp(argv[1], "handler"))
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
    printf("buffered by %d\n", rank); /* not flushed before exit */
    post(0);
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
    if (!strcmp(argv[1], "code"))
        write_state();
    CHECK(!state || !strcmp(argv[1], "code"));
    check_state_of(rank == 0 ? size - 1 : 0);
    MPI_Errhandler_free(&h);
    return finish();
}
