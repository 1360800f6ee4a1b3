/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 1 is back in MPI, and its agent stands still: on the other node it still counts as one that has no session, or has left.  Rank 0,
 * which has heard of it by frames, goes on by what is so, and not by that.
 *
 *     finalize   MPI_Finalize waits for it, so it gets what was sent before
 *     cancel     a message that it takes was not cancelled
 *     notify     a notification is delivered
 *     buffered   what is on the way to it is not dropped when the session ends
 *     called     it was in MPI_Finalize, and a callback has taken it back, which notifies rank 0 twice: rank 0 does not leave in
 *                between.  Rank 2 of three here, and rank 1 has asked for the callback.
 *
 *   R36: while no session is open no death is a failure, and a process that opens one again is the same peer */
/* RUN: -n 2 ; set MACHINES=2 ; set LEASE=10 ; args finalize */
/* RUN: -n 2 ; set MACHINES=2 ; set LEASE=10 ; args cancel 8 */
/* RUN: -n 2 ; set MACHINES=2 ; set LEASE=10 ; args cancel 300000 */
/* RUN: -n 2 ; set MACHINES=2 ; set LEASE=10 ; args notify */
/* RUN: -n 2 ; set MACHINES=2 ; set LEASE=10 ; args buffered */
/* RUN: -n 3 ; set MACHINES=3 ; set LEASE=10 ; args called */
#include "late.h"

#include "mpi_ft.h"

#define BYTES    1000000 /* more than there is room for on the way */
#define MESSAGES 4000
#define EACH     4000

static char data[BYTES];
static volatile int notified;
static MPI_Group world;

static void on_notice(MPI_Group from, int key, const void *bytes, int n, void *state)
{
    (void)from, (void)key, (void)bytes, (void)n, (void)state;
    notified++;
}

static void notify_rank(MPI_Group g, int r)
{
    int sent = 0;

    CHECK_OK(MPIX_Notify(g, r, 7, NULL, 0, &sent));
    CHECK_EQ(sent, 1);
}

static void notify_twice(MPI_Group from, int key, const void *bytes, int n, void *state)
{
    (void)from, (void)key, (void)bytes, (void)n, (void)state;
    notify_rank(world, 0);
    await(HEARD_US);
    notify_rank(world, 0);
}

/* Both are heard to be outside of MPI; then the agent of rank 1 stands still. */
static void be_late(bool is_second)
{
    await(HEARD_US);
    if (is_second)
        stop_agent();
    else
        await(HEARD_US);
}

static void be_away(void)
{
    MPI_Session s = open_session();
    MPI_Comm c = world_of(s, "before");

    use(c);
    CHECK_OK(MPI_Comm_free(&c));
    close_session(&s);
    be_late(rank == 1);
}

static void have_left(void)
{
    MPI_Init(NULL, NULL);
    know_rank();
    use(MPI_COMM_WORLD);
    MPI_Finalize();
    be_late(rank == 1);
}

/* Rank 1 receives when rank 0 has been in MPI_Finalize for long. */
static void finalize(void)
{
    MPI_Request r;

    be_away();
    MPI_Init(NULL, NULL);
    use(MPI_COMM_WORLD);
    if (rank == 0) {
        CHECK_OK(MPI_Isend(data, BYTES, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &r));
        CHECK_OK(MPI_Request_free(&r));
    } else {
        await(HEARD_US);
        CHECK_OK(MPI_Recv(data, BYTES, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    MPI_Finalize();
}

static void cancel_sent(MPI_Comm c, int bytes)
{
    MPI_Status status;
    MPI_Request r;
    int cancelled;

    CHECK_OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, 1, c, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Issend(data, bytes, MPI_BYTE, 1, 3, c, &r));
    CHECK_OK(MPI_Cancel(&r));
    CHECK_OK(MPI_Wait(&r, &status));
    CHECK_OK(MPI_Test_cancelled(&status, &cancelled));
    CHECK_OK(MPI_Send(&cancelled, 1, MPI_INT, 1, 2, c));
}

/* Waits for the message before it is sent. */
static void receive_cancelled(MPI_Comm c, int bytes)
{
    MPI_Status status;
    MPI_Request r;
    int cancelled, received;

    CHECK_OK(MPI_Irecv(data, bytes, MPI_BYTE, 0, 3, c, &r));
    CHECK_OK(MPI_Send(NULL, 0, MPI_BYTE, 0, 1, c));
    await(HEARD_US);
    CHECK_OK(MPI_Recv(&cancelled, 1, MPI_INT, 0, 2, c, MPI_STATUS_IGNORE));
    if (cancelled)
        CHECK_OK(MPI_Cancel(&r));
    CHECK_OK(MPI_Wait(&r, &status));
    CHECK_OK(MPI_Test_cancelled(&status, &received));
    CHECK_EQ(received, cancelled);
}

static void cancel(int bytes)
{
    MPI_Session s;
    MPI_Comm c;

    be_away();
    s = open_session();
    c = world_of(s, "after");
    if (rank == 0)
        cancel_sent(c, bytes);
    else
        receive_cancelled(c, bytes);
    CHECK_OK(MPI_Comm_free(&c));
    close_session(&s);
}

static void notify_second(MPI_Session s)
{
    MPI_Group all = pset(s, "mpi://WORLD");

    notify_rank(all, 1);
    CHECK_OK(MPI_Group_free(&all));
}

static void notify(void)
{
    MPI_Session s;
    MPI_Comm c;

    have_left();
    s = open_session();
    if (rank == 1)
        CHECK_OK(MPIX_Notify_register(7, on_notice, NULL));
    c = world_of(s, "after");
    use(c);
    if (rank == 0)
        notify_second(s);
    CHECK_OK(MPI_Barrier(c));
    CHECK_EQ(notified, rank);
    CHECK_OK(MPI_Comm_free(&c));
    close_session(&s);
}

static void send_buffered(MPI_Comm c)
{
    int bytes = MESSAGES * (EACH + MPI_BSEND_OVERHEAD);

    CHECK_OK(MPI_Buffer_attach(malloc((size_t)bytes), bytes));
    for (int i = 0; i < MESSAGES; i++)
        CHECK_OK(MPI_Bsend(data, EACH, MPI_BYTE, 1, 3, c));
}

static void receive_buffered(MPI_Comm c)
{
    await(2 * HEARD_US);
    for (int i = 0; i < MESSAGES; i++)
        CHECK_OK(MPI_Recv(data, EACH, MPI_BYTE, 0, 3, c, MPI_STATUS_IGNORE));
}

static void buffered(void)
{
    MPI_Session s;
    MPI_Comm c;

    have_left();
    s = open_session();
    c = world_of(s, "after");
    use(c);
    if (rank == 0)
        send_buffered(c);
    else
        receive_buffered(c);
    CHECK_OK(MPI_Comm_free(&c));
    close_session(&s);
}

static void called(void)
{
    MPI_Init(NULL, NULL);
    know_rank();
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_OK(MPIX_Notify_register(7, rank == 0 ? on_notice : notify_twice, NULL));
    use(MPI_COMM_WORLD);
    if (rank == 2)
        stop_agent_after(HEARD_US);
    if (rank == 1) {
        await(2 * HEARD_US);
        notify_rank(world, 2);
        await(HEARD_US / 2); /* rank 0 has been notified once */
    }
    MPI_Finalize();
    CHECK_EQ(notified, rank == 0 ? 2 : 0);
}

int main(int argc, char **argv)
{
    (void)argc;
    look_often();
    if (!strcmp(argv[1], "finalize"))
        finalize();
    else if (!strcmp(argv[1], "cancel"))
        cancel(atoi(argv[2]));
    else if (!strcmp(argv[1], "notify"))
        notify();
    else if (!strcmp(argv[1], "called"))
        called();
    else
        buffered();
    return 0;
}
