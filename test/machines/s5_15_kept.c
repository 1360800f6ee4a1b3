/* SPDX-License-Identifier: BSD-3-Clause */
/* What ends no rank: the other one has no time for MPI, and no room for what it is sent, for longer than ranks may be without a connection; it is
 * stopped; the cable is out for less than a lease; a connection that something on the way has forgotten is made again, and
 * nothing is lost or doubled.  Rank 1 sends on until rank 2 has come.
 *
 *   full     what rank 1 sends fills all buffers while rank 2 computes for so many milliseconds
 *   idle     nothing is on its way meanwhile
 *   rounds   both exchange messages for so many milliseconds; the relay resets the connections of one machine behind more and more bytes, of
 *            what is sent or of what comes, also those of its agent
 *   forgotten  the same, and machine 2 drops all packets of the connection that it has with machine 3 in between
 *
 *   S5-5: no node is lost because its agent runs late
 *   S5-15: a broken connection is made again, nothing lost or doubled */
/* RUN: -n 3 --hosts m1:1,m2:1,m3:1 ; set REACH_TIMEOUT=1 ; args full 5000 ; expect "rank 1 ok" ; expect "rank 2 ok" ; expect-no "is ended" */
/* RUN: -n 3 --hosts m1:1,m2:1,m3:1 ; set REACH_TIMEOUT=1 ; args full 500 ; signal STOP 3 full at "ready" ; signal CONT 3 full at +4000ms ;
 *      expect "rank 1 ok" ; expect "rank 2 ok" ; expect-no "is ended" */
/* RUN: -n 3 --hosts m1:1,m2:1,m3:1 ; set REACH_TIMEOUT=1 ; args idle 5000 ; expect "rank 1 ok" ; expect "rank 2 ok" ; expect-no "is ended" */
/* RUN: -n 3 --hosts m1:1,m2:1,m3:1 ; set LEASE=10 ; set REACH_TIMEOUT=1 ; args rounds 8000 ; unplug 3 at "ready" ; plug 3 at +4000ms ;
 *      expect "rank 1 ok" ; expect "rank 2 ok" ; expect-no "is ended" */
/* RUN: -n 3 --hosts m1:1,m2:1,m3:1 ; set REACH_TIMEOUT=2 ; args forgotten 4000 ; expect "rank 1 ok" ; expect "rank 2 ok" ;
 *      expect-no "is ended" */
/* RUN: -n 3 --hosts m1:1,m2:1,m3:1 ; args rounds 1500 ; relay 2 "--skip 1 --break 1-400+7" at begin ;
 *      expect "rank 0 ok" ; expect "rank 1 ok" ; expect "rank 2 ok" ; expect-no "is ended" */
/* RUN: -n 3 --hosts m1:1,m2:1,m3:1 ; args rounds 1500 ; relay 3 "--break 300-9000+211 --down" at begin ;
 *      expect "rank 0 ok" ; expect "rank 1 ok" ; expect "rank 2 ok" ; expect-no "is ended" */
#include "lost.h"

#define LONG  300000
#define SMALL 20000

static int numbers[LONG];

static void number(int from)
{
    for (int i = 0; i < LONG; i++)
        numbers[i] = from + i;
}

static void check_numbers(int from)
{
    for (int i = 0; i < LONG; i++)
        CHECK_EQ(numbers[i], from + i);
}

static void send_much(void)
{
    static int n[SMALL];
    static MPI_Request r[SMALL];

    number(5);
    for (int i = 0; i < SMALL; i++) {
        n[i] = i;
        CHECK_OK(MPI_Isend(&n[i], 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &r[i]));
    }
    CHECK_OK(MPI_Send(numbers, LONG, MPI_INT, 2, 2, MPI_COMM_WORLD));
    CHECK_OK(MPI_Waitall(SMALL, r, MPI_STATUSES_IGNORE));
}

static void compute(int ms)
{
    double end = seconds() + ms / 1000.0;

    while (seconds() < end)
        usleep(1000);
}

static void receive_much(void)
{
    for (int i = 0, n; i < SMALL; i++) {
        CHECK_OK(MPI_Recv(&n, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(n, i);
    }
    CHECK_OK(MPI_Recv(numbers, LONG, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    check_numbers(5);
}

/* Each packet of connections that are there now; others pass. */
static void forget_connections(void)
{
    CHECK_EQ(
        system("nft 'add table ip f; add chain ip f o { type filter hook output priority 0; }' && "
               "ss -Htn dst 10.77.0.3 | awk '{ print $4, $5 }' | sed 's/[0-9.]*://g' | "
               "while read -r a b; do nft add rule ip f o tcp sport $a tcp dport $b drop; done"),
        0);
}

/* Both ask each other whether to go on; long messages and short ones. */
static void exchange_for(int ms)
{
    double end = seconds() + ms / 1000.0;
    int other = 3 - rank, go_on = 1, goes_on = 1;

    for (int n = 0; go_on && goes_on; n++) {
        go_on = seconds() < end ? n + 1 : 0;
        CHECK_OK(MPI_Sendrecv(&go_on, 1, MPI_INT, other, 1, &goes_on, 1, MPI_INT, other, 1,
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(!goes_on || goes_on == n + 1);
        if (n % 50 == 0 && rank == 1) {
            number(n);
            CHECK_OK(MPI_Send(numbers, LONG, MPI_INT, 2, 2, MPI_COMM_WORLD));
        } else if (n % 50 == 0) {
            CHECK_OK(MPI_Recv(numbers, LONG, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            check_numbers(n);
        }
        usleep(1000);
    }
}

static int meet(void)
{
    int one = 1, sum = 0;

    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    return sum;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    CHECK_EQ(meet(), size);
    if (rank == 0)
        say("ready");
    if (!strcmp(argv[1], "rounds")) {
        if (rank > 0)
            exchange_for(atoi(argv[2]));
    } else if (!strcmp(argv[1], "forgotten")) {
        if (rank > 0)
            exchange_for(1000);
        if (rank == 1)
            forget_connections();
        if (rank > 0)
            exchange_for(atoi(argv[2]));
        if (rank == 1)
            CHECK_EQ(system("nft delete table ip f"), 0);
    } else {
        if (rank == 1 && !strcmp(argv[1], "full"))
            send_much();
        if (rank == 2)
            compute(atoi(argv[2]));
        if (rank == 2 && !strcmp(argv[1], "full"))
            receive_much();
    }
    CHECK_EQ(meet(), size);
    return finish();
}
