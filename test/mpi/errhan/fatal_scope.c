/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_ERRORS_ARE_FATAL ends the processes of its communicator and no others (S4-3, S4-4, S4-9,
 * S4-12, R13); so does MPI_Abort (S4-6).  The survivors get error codes and texts that say
 * why (R14).
 *
 *   R13: a fatal error ends the processes of its object and no others
 *   R14: the error text says which rank died, where, why and when
 *   S4-3: a fatal error ends the processes of its object and no others
 *   S4-4: a fatal error has the effect of MPI_Abort
 *   S4-6: MPI_Abort ends all processes of its communicator
 *   S4-9: communicators with aborted and surviving processes report errors
 *   S4-12: one communicator with a fatal handler does not make others fatal */
/* RUN: -n 4 ; args fatal ; expect "MPI_ERR_RANK" ; expect "MPI_Send on upper half" ;
   expect "0 and 1 go on" ; expect-no "not reached" */
/* RUN: -n 4 ; args abort ; expect "MPI_Abort on upper half with code 7" ;
   expect "aborted with code 7" ; expect "0 and 1 go on" ; expect-no "not reached" */
/* RUN: -n 4 ; args handler ; expect "0 and 1 go on" ; expect-no "not reached" */
#include "../comm/common.h"

/* Ranks 2 and 3: rank 2 makes the error, rank 3 waits for nothing that comes. */
static void upper(MPI_Comm half, const char *how)
{
    if (rank == 2 && !strcmp(how, "abort"))
        MPI_Abort(half, 7);
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 99, 0, half);
    MPI_Recv(&rank, 1, MPI_INT, 1 - (rank - 2), 0, half, MPI_STATUS_IGNORE);
    printf("not reached by rank %d\n", rank);
    exit(1);
}

/* Ranks 0 and 1 on a communicator with the dead ones: errors for those, nothing else. */
static void lower(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int n, got = -1;

    for (int dead = 2; dead < 4; dead++) {
        CHECK_CLASS(MPI_Recv(&got, 1, MPI_INT, dead, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                    MPI_ERR_PROC_FAILED);
        CHECK_OK(MPI_Error_string(MPI_ERR_PROC_FAILED, text, &n));
        CHECK(strstr(text, "rank 2 of MPI_COMM_WORLD") || strstr(text, "rank 3 of MPI_COMM_WORLD"));
        CHECK(strstr(text, "on host") && strstr(text, "ago"));
        if (rank == 0)
            puts(text);
    }
    CHECK_OK(MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 6, &got, 1, MPI_INT, 1 - rank, 6,
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQ(got, 1 - rank);
    if (rank == 0)
        puts("0 and 1 go on");
}

int main(int argc, char **argv)
{
    MPI_Comm half;

    start(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
    MPI_Comm_set_name(half, rank / 2 ? "upper half" : "lower half");
    MPI_Comm_set_errhandler(half,
                            strcmp(argv[1], "handler") ? MPI_ERRORS_ARE_FATAL : MPI_ERRORS_ABORT);
    if (rank / 2)
        upper(half, argv[1]);
    else
        lower();
    MPI_Comm_free(&half);
    return finish();
}
