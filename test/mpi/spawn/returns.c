/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that has left with MPI_Finalize comes back with a session and meets a process that it never heard of, and that has
 * the place of one that it knew.
 *
 *   parent ──spawns──> 0 and 1, which exchange messages, part from it and leave; 1 ends
 *          ──spawns──> another, in the place of 1
 *          <──────────connects── 0, with a session: messages between all three */
/* RUN: -n 1 --universe 3 ; expect "all three" */
/* RUN: -n 1 --universe 3 ; set AGREE_SHM=0 ; set COLL_SHM=0 ; expect "all three" */
#include "common.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MESSAGES 1000

/* More than a ring holds, to all others. */
static void exchange(MPI_Comm c)
{
    int me, n, got;

    MPI_Comm_rank(c, &me);
    MPI_Comm_size(c, &n);
    for (int i = 0; i < MESSAGES; i++)
        for (int step = 1; step < n; step++) {
            CHECK_OK(MPI_Sendrecv(&i, 1, MPI_INT, (me + step) % n, step, &got, 1, MPI_INT,
                                  (me + n - step) % n, step, c, MPI_STATUS_IGNORE));
            CHECK_EQ(got, i);
        }
}

static void connect_and_exchange(const char *port, MPI_Comm mine)
{
    MPI_Comm inter, all;

    CHECK_OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, mine, &inter));
    CHECK_OK(MPI_Intercomm_merge(inter, 1, &all));
    exchange(all);
    CHECK_OK(MPI_Comm_free(&all));
    CHECK_OK(MPI_Comm_disconnect(&inter));
}

/* A pipe with a name, whose two ends open together. */
static int leave_and_return(const char *go, const char *port)
{
    MPI_Comm up = parent(), alone;
    MPI_Session s;
    MPI_Group g;

    exchange(MPI_COMM_WORLD);
    CHECK_OK(MPI_Comm_disconnect(&up));
    MPI_Finalize();
    if (rank == 1)
        return 0;
    CHECK(open(go, O_RDONLY) >= 0);
    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
    CHECK_OK(MPI_Group_from_session_pset(s, "mpi://SELF", &g));
    CHECK_OK(MPI_Comm_create_from_group(g, "alone", MPI_INFO_NULL, MPI_ERRORS_RETURN, &alone));
    CHECK_OK(MPI_Group_free(&g));
    connect_and_exchange(port, alone);
    CHECK_OK(MPI_Comm_free(&alone));
    CHECK_OK(MPI_Session_finalize(&s));
    return 0;
}

static MPI_Comm start_some(char *program, int n, char **args)
{
    MPI_Comm inter = MPI_COMM_NULL;

    while (inter == MPI_COMM_NULL) /* until a place is free */
        MPI_Comm_spawn(program, args, n, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                       MPI_ERRCODES_IGNORE);
    return inter;
}

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME], go[4096];
    char *args[] = {go, port, NULL};
    MPI_Comm first, second, pair, inter, all;

    start(&argc, &argv);
    if (argc > 2)
        return leave_and_return(argv[1], argv[2]);
    if (parent() == MPI_COMM_NULL) {
        snprintf(go, sizeof(go), "%s/go", getenv("MEND_TEST_TMP"));
        CHECK_EQ(mkfifo(go, 0600), 0);
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
        first = start_some(argv[0], 2, args);
        CHECK_OK(MPI_Comm_disconnect(&first));
        second = start_some(argv[0], 1, MPI_ARGV_NULL);
        CHECK(open(go, O_WRONLY) >= 0);
    } else {
        second = parent();
    }
    CHECK_OK(MPI_Intercomm_merge(second, parent() != MPI_COMM_NULL, &pair));
    CHECK_OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, pair, &inter));
    CHECK_OK(MPI_Intercomm_merge(inter, 0, &all));
    exchange(all);
    CHECK_OK(MPI_Comm_free(&all));
    CHECK_OK(MPI_Comm_disconnect(&inter));
    CHECK_OK(MPI_Comm_free(&pair));
    CHECK_OK(MPI_Comm_disconnect(&second));
    if (argc == 1 && rank == 0)
        puts("all three");
    return finish();
}
