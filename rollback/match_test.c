/* SPDX-License-Identifier: BSD-3-Clause */
/* match_test.c – the comparison of logs, for all short histories and for random long ones.
 *
 * The oracle is a network: queues of messages that every send fills and every receive empties, and for each
 * communicator how many collectives each member has begun.  A history is a list of steps of the processes.  After
 * it the logs are compared pair by pair, the dummy operations are performed on the network, and the network must be
 * empty; and no operation is performed that finds nothing.
 *
 *   S1-11: dummy operations match what was done on one side only: all queues are empty afterwards
 *   S1-12: the exchange spreads to partners' partners and ends */
#include "match.h"

#include "base/test.h"

#include <string.h>

enum { PROCS = 3, TAGS = 2, COMMS = 2, LENGTH = 400 };

struct network {
    int procs, queued[PROCS][PROCS][COMMS][TAGS], begun[PROCS][COMMS];
    int64_t bytes[PROCS][PROCS][COMMS][TAGS][LENGTH], first[PROCS][PROCS][COMMS][TAGS];
    struct rollback_log log[PROCS];
};

static struct network net;

static void reset(int procs)
{
    for (int p = 0; p < PROCS; p++)
        net.log[p].n = 0;
    memset(net.queued, 0, sizeof(net.queued));
    memset(net.begun, 0, sizeof(net.begun));
    memset(net.first, 0, sizeof(net.first));
    net.procs = procs;
}

static void note(int p, struct rollback_entry e)
{
    CHECK(rollback_log_add(&net.log[p], &e));
}

static void send_one(int p, int q, int comm, int tag, int64_t bytes)
{
    int n = net.first[p][q][comm][tag] + net.queued[p][q][comm][tag]++;

    net.bytes[p][q][comm][tag][n] = bytes;
    note(p, (struct rollback_entry){
                .kind = ROLLBACK_SEND, .peer = q, .comm = comm, .tag = tag, .count = bytes});
}

/* Takes the oldest message out of its queue; false: there is none. */
static bool take(int p, int q, int comm, int tag, int64_t *bytes_p)
{
    if (!net.queued[q][p][comm][tag])
        return false;
    net.queued[q][p][comm][tag]--;
    *bytes_p = net.bytes[q][p][comm][tag][net.first[q][p][comm][tag]++];
    return true;
}

static void receive_one(int p, int q, int comm, int tag)
{
    int64_t bytes;
    bool there = take(p, q, comm, tag, &bytes);

    note(p,
         (struct rollback_entry){
             .kind = there ? ROLLBACK_RECV : ROLLBACK_NONE, .peer = q, .comm = comm, .tag = tag});
}

static void begin_collective(int p, int comm)
{
    int seq = net.begun[p][comm]++;

    note(p, (struct rollback_entry){
                .kind = ROLLBACK_COLL, .comm = comm, .op = seq % 3, .peer = seq % net.procs});
}

/* How many different steps there are. */
static int steps_n(void)
{
    return net.procs * net.procs * COMMS * TAGS * 2 + net.procs * COMMS;
}

static void step(int which, int64_t bytes)
{
    int messages = net.procs * net.procs * COMMS * TAGS * 2, x = which;
    int p, q, comm, tag;

    if (which >= messages) {
        begin_collective((which - messages) % net.procs, (which - messages) / net.procs);
        return;
    }
    p = x % net.procs, x /= net.procs;
    q = x % net.procs, x /= net.procs;
    comm = x % COMMS, x /= COMMS;
    tag = x % TAGS, x /= TAGS;
    if (x)
        send_one(p, q, comm, tag, bytes);
    else
        receive_one(p, q, comm, tag);
}

static bool everybody(uint64_t comm, int peer, void *arg)
{
    return true;
}

static void roll_back(void)
{
    struct rollback_log part[PROCS][PROCS] = {0};
    size_t before[PROCS];

    for (int p = 0; p < net.procs; p++) {
        before[p] = net.log[p].n;
        for (int q = 0; q < net.procs; q++)
            CHECK(rollback_log_part(&net.log[p], q, everybody, NULL, &part[p][q]));
    }
    for (int p = 0; p < net.procs; p++)
        for (int q = 0; q < net.procs; q++)
            CHECK(rollback_match(&net.log[p], p, &part[q][p], q) == ROLLBACK_MATCHED);
    for (int p = 0; p < net.procs; p++) {
        for (size_t i = before[p]; i < net.log[p].n; i++) {
            struct rollback_entry *e = &net.log[p].e[i];
            int64_t bytes = -1;

            if (e->kind == ROLLBACK_COLL) {
                CHECK(e->op == net.begun[p][e->comm] % 3);
                net.begun[p][e->comm]++;
            } else {
                CHECK(e->kind == ROLLBACK_RECV && take(p, e->peer, e->comm, e->tag, &bytes));
                CHECK(bytes == e->count);
            }
        }
    }
    for (int p = 0; p < PROCS; p++)
        for (int q = 0; q < PROCS; q++)
            rollback_log_free(&part[p][q]);
}

static void check_empty(void)
{
    int *queued = &net.queued[0][0][0][0];

    for (size_t i = 0; i < sizeof(net.queued) / sizeof(int); i++)
        CHECK(queued[i] == 0);
    for (int p = 1; p < net.procs; p++)
        CHECK(!memcmp(net.begun[p], net.begun[0], sizeof(net.begun[0])));
}

static long all_histories(int procs, int length)
{
    long n = 1;

    reset(procs);
    for (int i = 0; i < length; i++)
        n *= steps_n();
    for (long history = 0; history < n; history++) {
        reset(procs);
        for (long i = 0, x = history; i < length; i++, x /= steps_n())
            step(x % steps_n(), i + 1);
        roll_back();
        check_empty();
    }
    return n;
}

MEND_TEST(every_short_history_is_rolled_back)
{
    printf("# %ld histories of 2 processes\n", all_histories(2, 4));
    printf("# %ld histories of 3 processes\n", all_histories(3, 3));
}

MEND_TEST(random_long_histories_are_rolled_back)
{
    unsigned seed = 4711;

    for (int run = 0; run < 2000; run++) {
        reset(2 + run % 2);
        for (int i = run % LENGTH; i > 0; i--)
            step(rand_r(&seed) % steps_n(), rand_r(&seed) % 1000);
        roll_back();
        check_empty();
    }
}

MEND_TEST(a_message_that_crosses_the_safe_point_is_refused)
{
    struct rollback_log none = {0};

    reset(2);
    note(0, (struct rollback_entry){.kind = ROLLBACK_RECV, .peer = 1, .tag = 1});
    CHECK(rollback_match(&net.log[0], 0, &none, 1) == ROLLBACK_CROSSED);
    CHECK(net.log[0].n == 1);
}

MEND_TEST(different_collectives_are_refused)
{
    reset(2);
    note(0, (struct rollback_entry){.kind = ROLLBACK_COLL, .op = 1});
    note(1, (struct rollback_entry){.kind = ROLLBACK_COLL, .op = 2});
    CHECK(rollback_match(&net.log[0], 0, &net.log[1], 1) == ROLLBACK_DIFFERENT);
}

/* Random graphs, beside the closure by Warshall. */
MEND_TEST(a_roll_back_reaches_partners_of_partners_and_ends)
{
    enum { N = 9 };
    unsigned seed = 1;

    for (int run = 0; run < 2000; run++) {
        unsigned char row[N][N] = {0}, path[N][N], reached[N] = {1}, asked[N] = {0};
        int next, rounds = 0;

        for (int i = 0; i < N * (run % 3); i++)
            row[rand_r(&seed) % N][rand_r(&seed) % N] = 1;
        memcpy(path, row, sizeof(path));
        for (int k = 0; k < N; k++)
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++)
                    path[i][j] |= path[i][k] && path[k][j];
        while ((next = rollback_spread_next(reached, asked, N)) >= 0) {
            CHECK(++rounds <= N);
            rollback_spread_add(reached, row[next], N);
        }
        for (int i = 0; i < N; i++)
            CHECK(reached[i] == (i == 0 || path[0][i]));
    }
}

MEND_TEST_MAIN()
