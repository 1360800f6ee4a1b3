/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank sends and is killed before the receiver calls MPI_Init: all that it had sent arrives, with the right data, and then its
 * death.  Rank 0 and the last one are receivers, so that the sender is at the lower place of one pair and at the upper one of
 * the other; a third rank is in MPI all the time and lets go of the dead one.  The receivers come when the launcher has had the
 * time to give back the memory of the dead one: they watch the segment until it shrinks, for half a second at most.  That is no
 * proof; launch/agent/segment_test.c shows for each part what is kept.
 *
 *   few      short messages, and one of a type with holes: they lie in the fast box and on trays of a pair
 *   trays    of a few KiB: on trays
 *   many     as many as a ring has room for
 *
 *   R12: messages that arrived before a death are delivered before it is reported, none after it
 *   S0-59: a revocation reaches all survivors even if its caller dies
 *
 * RUN: -n 4 ; args few ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; args trays ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; args many ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "rank 3 ok"
 * RUN: -n 4 --universe 12000 ; args few ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "rank 3 ok" */
#include "../common.h"

#include <sys/stat.h>

#define SENDER 1
#define STAYS  2
#define LAST   3
#define W      MPI_COMM_WORLD

enum { TOLD }; /* slot of the board */

static unsigned char buf[2 * 5000];

/* One message, of which only every second byte is sent if it has holes. */
static struct message {
    int bytes;
    bool holes;
} messages[128];
static int messages_n;

static void choose(const char *what)
{
    bool trays = !strcmp(what, "trays");

    messages_n = !strcmp(what, "many") ? 100 : 12;
    for (int i = 0; i < messages_n; i++)
        messages[i] = (struct message){trays ? 4096 + i : i % 3 ? i : 1000, i % 3 == 0};
}

static MPI_Datatype type_of(const struct message *m)
{
    MPI_Datatype t;

    MPI_Type_vector(m->bytes, 1, m->holes ? 2 : 1, MPI_BYTE, &t);
    MPI_Type_commit(&t);
    return t;
}

static void send_all(int to)
{
    for (int i = 0; i < messages_n; i++) {
        MPI_Datatype t = type_of(&messages[i]);

        fill(buf, sizeof(buf), (unsigned)i);
        CHECK_EQ(MPI_Send(buf, 1, t, to, i, W), MPI_SUCCESS);
        MPI_Type_free(&t);
    }
}

static void receive_all(void)
{
    static unsigned char right[sizeof(buf)];

    for (int i = 0; i < messages_n; i++) {
        int step = messages[i].holes ? 2 : 1;
        MPI_Datatype t = type_of(&messages[i]);

        memset(buf, 0, sizeof(buf));
        fill(right, sizeof(right), (unsigned)i);
        CHECK_EQ(MPI_Recv(buf, 1, t, SENDER, i, W, MPI_STATUS_IGNORE), MPI_SUCCESS);
        for (int k = 0; k < messages[i].bytes; k++)
            CHECK_EQ(buf[k * step], right[k * step]);
        MPI_Type_free(&t);
    }
    CHECK_CLASS(MPI_Recv(buf, 1, MPI_BYTE, SENDER, 0, W, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
}

static long long blocks(int fd)
{
    struct stat st;

    CHECK(fstat(fd, &st) == 0);
    return (long long)st.st_blocks;
}

/* Until the launcher has given memory back, or has had half a second to do so. */
static void come_late(void)
{
    const char *fd = getenv("MEND_SHM_FD");
    long long before;

    set_watchdog();
    open_board();
    await(TOLD, 1);
    before = blocks(fd ? atoi(fd) : -1);
    for (int i = 0; i < 500 && blocks(atoi(fd)) >= before; i++)
        usleep(1000);
}

int main(int argc, char **argv)
{
    const char *name = getenv("MEND_RANK");
    int mine = name ? atoi(name) : -1;

    choose(argv[1]);
    if (mine == 0 || mine == LAST)
        come_late();
    start(&argc, &argv);
    if (rank == SENDER) {
        send_all(0);
        send_all(LAST);
        die_now();
    } else if (rank == STAYS) {
        wait_until_dead(W, SENDER);
        post(TOLD);
        MPI_Recv(buf, 1, MPI_BYTE, 0, 0, W, MPI_STATUS_IGNORE); /* asleep: it lets go */
    } else {
        receive_all();
        if (rank == 0)
            CHECK_EQ(MPI_Send(buf, 1, MPI_BYTE, STAYS, 0, W), MPI_SUCCESS);
    }
    return finish();
}
