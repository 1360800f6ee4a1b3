/* SPDX-License-Identifier: BSD-3-Clause */
/* Two halves of a job, and processes that it starts, connect through ports: several ports and several guests, in any
 * order, again and again; ports that are not open, are closed or belong to nobody are refused.
 *
 *   R34: a name of the dead is not found, and their ports are refused */
/* RUN: -n 2 */
/* RUN: -n 5 */
/* RUN: -n 6 ; set MACHINES=2 */
/* RUN: -n 4 ; set COLL_SHM=0 ; set AGREE_SHM=0 ; set REVOKE_SHM=0 */
#include "common.h"

#define ROUNDS 20

static MPI_Comm half;
static bool hosts;

static void talk(MPI_Comm inter)
{
    int n, sum, one = 1;

    CHECK_OK(MPI_Comm_remote_size(inter, &n));
    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter));
    CHECK_EQ(sum, n);
    CHECK_OK(MPI_Comm_disconnect(&inter));
}

/* The lowest rank of the hosts tells the lowest guest. */
static void tell(char *port)
{
    if (rank == 0)
        CHECK_OK(MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 3, MPI_COMM_WORLD));
    if (rank == 1)
        CHECK_OK(
            MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void halves(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter;

    if (rank == 0)
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    tell(port);
    for (int i = 0; i < ROUNDS; i++) {
        if (hosts)
            CHECK_OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter));
        else
            CHECK_OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter));
        talk(inter);
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        CHECK_OK(MPI_Close_port(port));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (!hosts)
        CHECK_CLASS(MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter), MPI_ERR_PORT);
    else
        CHECK_CLASS(MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter), MPI_ERR_PORT);
}

/* Guests wait at a port that nobody accepts at until it is closed. */
static void closed(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter;
    MPI_Request r;
    int done = 0;

    if (rank == 0)
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    tell(port);
    if (!hosts)
        CHECK_CLASS(MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter), MPI_ERR_PORT);
    if (rank == 0) {
        CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Close_port(port));
    }
    CHECK_OK(MPI_Ibarrier(MPI_COMM_WORLD, &r));
    CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
}

/* A process cannot accept itself, so nobody would ever answer. */
static void own(void)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm inter;

    CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    CHECK_CLASS(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT);
    CHECK_OK(MPI_Close_port(port));
    CHECK_CLASS(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT);
}

static void bad(void)
{
    static const char *const names[] = {"", "nonsense", "mend:0000000000000000:0:1", "mend:xyz:0:1",
                                        "mend:0000000000000001:-1:1"};
    MPI_Comm inter;

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
        CHECK_CLASS(MPI_Comm_connect(names[i], MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter),
                    MPI_ERR_PORT);
        CHECK_CLASS(MPI_Close_port(names[i]), MPI_ERR_PORT);
    }
    CHECK_CLASS(MPI_Comm_connect(names[0], MPI_INFO_NULL, 1, MPI_COMM_SELF, &inter), MPI_ERR_ROOT);
}

/* Nobody comes: the hint says for how long to wait (R34). */
static void late(void)
{
    static const char *const wrong[] = {"", "soon", "-1", "1 s"};
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Info info = hint("timeout", "0.05");
    MPI_Comm inter;

    if (rank == 0)
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    tell(port);
    if (!hosts)
        CHECK_CLASS(MPI_Comm_connect(port, info, 0, half, &inter), MPI_ERR_PORT);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (hosts)
        CHECK_CLASS(MPI_Comm_accept(port, info, 0, half, &inter), MPI_ERR_PORT);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Info_set(info, "timeout", "1000")); /* and then it comes */
    if (hosts)
        CHECK_OK(MPI_Comm_accept(port, info, 0, half, &inter));
    else
        CHECK_OK(MPI_Comm_connect(port, info, 0, half, &inter));
    talk(inter);
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        CHECK_OK(MPI_Info_set(info, "timeout", wrong[i]));
        CHECK_CLASS(MPI_Comm_connect(port, info, 0, half, &inter), MPI_ERR_INFO_VALUE);
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        CHECK_OK(MPI_Close_port(port));
    CHECK_OK(MPI_Info_free(&info));
}

/* A process that was started meets one that did not start it. */
static void started(char *program)
{
    char port[MPI_MAX_PORT_NAME] = "";
    char *argv[] = {port, NULL};
    MPI_Comm inter, other;

    if (rank == 1)
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    CHECK_OK(MPI_Bcast(port, sizeof(port), MPI_CHAR, 1, MPI_COMM_WORLD));
    if (rank == 0)
        CHECK_OK(MPI_Comm_spawn(program, argv, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
                                MPI_ERRCODES_IGNORE));
    if (rank == 1) {
        CHECK_OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other));
        talk(other);
        CHECK_OK(MPI_Close_port(port));
    }
    if (rank == 0)
        CHECK_OK(MPI_Comm_disconnect(&inter));
}

int main(int argc, char **argv)
{
    MPI_Comm p, inter;

    start(&argc, &argv);
    p = parent();
    if (p != MPI_COMM_NULL) {
        CHECK_OK(MPI_Comm_connect(argv[1], MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
        talk(inter);
        CHECK_OK(MPI_Comm_disconnect(&p));
        return finish();
    }
    hosts = rank % 2 == 0;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, hosts, rank, &half));
    halves();
    closed();
    own();
    late();
    bad();
    started(argv[0]);
    CHECK_OK(MPI_Comm_free(&half));
    return finish();
}
