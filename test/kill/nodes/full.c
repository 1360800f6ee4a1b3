/* SPDX-License-Identifier: BSD-3-Clause */
/* A full job says so, whichever nodes have its processes, and nothing is started; the place of a process that has died, on any node, is
 * used again.
 *
 *   S5-13: processes are created and connected across nodes, on living ones with room */
/* RUN: -n 4 --universe 5 ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "3 at the end" */
/* RUN: -n 4 --universe 5 ; set MACHINES=3 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "3 at the end" */
#include "../common.h"

enum { ROUNDS = 6 };
enum { REFUSED };

static int spawn(MPI_Comm c, const char *program, int n, MPI_Comm *children_p)
{
    char *args[] = {"child", NULL};

    return MPI_Comm_spawn(program, args, n, MPI_INFO_NULL, 0, c, children_p, MPI_ERRCODES_IGNORE);
}

/* Two are too many while there is room for one. */
static void check_full(MPI_Comm c, const char *program, int too_many)
{
    MPI_Comm children;
    char text[MPI_MAX_ERROR_STRING];
    int rc = spawn(c, program, too_many, &children), n, r;

    CHECK_CLASS(rc, MPI_ERR_SPAWN);
    MPI_Error_string(rc, text, &n);
    MPI_Comm_rank(c, &r);
    CHECK(r != 0 || strstr(text, "has room for"));
}

/* The child takes the last place, and leaves it by dying. */
static void take_last_place(MPI_Comm c, const char *program)
{
    MPI_Comm children;
    int one = 1, rc = spawn(c, program, 1, &children);

    CHECK_EQ(rc, MPI_SUCCESS);
    MPI_Comm_set_errhandler(children, MPI_ERRORS_RETURN);
    while (rc == MPI_SUCCESS) /* until it dies */
        rc = MPI_Send(&one, 1, MPI_INT, 0, 0, children);
    CHECK_CLASS(rc, MPI_ERR_PROC_FAILED);
    MPI_Comm_free(&children);
}

int main(int argc, char **argv)
{
    MPI_Comm rest, parent;
    int one = 1, sum;

    start(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        CHECK_EQ(MPI_Recv(&one, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE), MPI_SUCCESS);
        die_now();
    }
    check_full(MPI_COMM_WORLD, argv[0], 2);
    post(REFUSED);
    if (rank == 3) {
        await(REFUSED, 4);
        die_now();
    }
    wait_until_dead(MPI_COMM_WORLD, 3);
    CHECK_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &rest), MPI_SUCCESS);
    MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
    for (int i = 0; i < ROUNDS; i++)
        take_last_place(rest, argv[0]);
    check_full(rest, argv[0], 3);
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, rest), MPI_SUCCESS);
    if (rank == 0)
        printf("%d at the end\n", sum);
    return finish();
}
