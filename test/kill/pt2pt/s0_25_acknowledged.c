/* SPDX-License-Identifier: BSD-3-Clause */
/* S0-20, S0-21, S0-25, S0-82, S0-83, S0-22, S0-86, S0-87 and, on an intercommunicator, S0-9 and R6: every
 * call that receives from anyone, before and after an acknowledgement, death after death, with each way
 * to acknowledge.
 *   - not acknowledged: a call that blocks or probes fails (PROC_FAILED), a nonblocking receive is
 *     pending in each completion call and keeps its handle;
 *   - acknowledged: the same receive, and new ones, get a message of a survivor;
 *   - on an intercommunicator a death in the own group disturbs nothing; acknowledging covers both groups;
 *   - read: exactly what was read is acknowledged; a rank that died in between still disturbs.
 * The two names of the class are one, as are the old and the new names of the functions.
 *
 *     args intra|inter WAY      for the first death; the next one takes the next way
 *
 *   R6: an acknowledgement on an intercommunicator covers both groups
 *   S0-9: a wildcard involves the members of the source group, on intercommunicators the remote one
 *   S0-20: a wildcard receive without a match stays pending
 *   S0-21: blocking wildcard calls return PROC_FAILED
 *   S0-22: acknowledging tells which processes have failed
 *   S0-25: a pending receive completes after the acknowledgement
 *   S0-82: after an acknowledgement wildcard receives continue
 *   S0-83: a failure after the acknowledgement is reported again
 *   S0-86: get_acked returns the members that were acknowledged
 *   S0-87: get_acked returns no other members
 *
 * RUN: -n 3 ; args intra 0 ; expect "rank 0 ok"
 * RUN: -n 8 ; args intra 0 ; expect "rank 0 ok"
 * RUN: -n 8 ; args intra 3 ; expect "rank 0 ok"
 * RUN: -n 16 ; args intra 1 ; expect "rank 0 ok"
 * RUN: -n 8 ; args intra 1 ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok"
 * RUN: -n 4 ; args inter 0 ; expect "rank 0 ok"
 * RUN: -n 8 ; args inter 2 ; expect "rank 0 ok"
 * RUN: -n 16 ; args inter 3 ; expect "rank 0 ok" */
#include "../common.h"
#include "../complete.h"

enum op {
    RECV,
    SENDRECV,
    REPLACE,
    PROBE,
    MPROBE,
    IPROBE,
    IMPROBE,
    IRECV, /* from here on nonblocking */
    ISENDRECV,
    IREPLACE,
    RECV_INIT,
    OPS
};
enum way { OF_2012, MPIX, TODAY, READ, WAYS };

static MPI_Comm c;
static bool inter;
static MPI_Request q[OPS];
static int got[OPS], deaths, acked; /* so far */
static int died[64];                /* in this order */

static int begin(enum op op)
{
    static int none;
    int n = MPI_PROC_NULL;

    got[op] = -1;
    if (op == IRECV)
        return MPI_Irecv(&got[op], 1, MPI_INT, MPI_ANY_SOURCE, op, c, &q[op]);
    if (op == ISENDRECV)
        return MPI_Isendrecv(&none, 1, MPI_INT, n, 0, &got[op], 1, MPI_INT, MPI_ANY_SOURCE, op, c,
                             &q[op]);
    if (op == IREPLACE)
        return MPI_Isendrecv_replace(&got[op], 1, MPI_INT, n, 0, MPI_ANY_SOURCE, op, c, &q[op]);
    if (q[op] == MPI_REQUEST_NULL)
        CHECK_EQ(MPI_Recv_init(&got[op], 1, MPI_INT, MPI_ANY_SOURCE, op, c, &q[op]), MPI_SUCCESS);
    return MPI_Start(&q[op]);
}

static int receive_probed(enum op op)
{
    MPI_Message m;
    MPI_Request r;
    MPI_Status s;
    int flag = 0, err = MPI_SUCCESS;

    if (op == PROBE)
        err = MPI_Probe(MPI_ANY_SOURCE, op, c, &s);
    while (op == IPROBE && !flag)
        err = MPI_Iprobe(MPI_ANY_SOURCE, op, c, &flag, &s);
    if (op == PROBE || op == IPROBE)
        return err ? err : MPI_Recv(&got[op], 1, MPI_INT, s.MPI_SOURCE, op, c, &s);
    if (op == MPROBE) {
        err = MPI_Mprobe(MPI_ANY_SOURCE, op, c, &m, &s);
        return err ? err : MPI_Mrecv(&got[op], 1, MPI_INT, &m, &s);
    }
    while (!flag)
        err = MPI_Improbe(MPI_ANY_SOURCE, op, c, &flag, &m, &s);
    if (err)
        return err;
    CHECK_EQ(MPI_Imrecv(&got[op], 1, MPI_INT, &m, &r), MPI_SUCCESS);
    return MPI_Wait(&r, &s);
}

/* Tries to receive from anyone by this call. */
static int receive(enum op op)
{
    static int how;
    int none = 0;

    if (op >= IRECV)
        return complete(&q[op], how++ % COMPLETIONS);
    got[op] = -1;
    if (op == RECV)
        return MPI_Recv(&got[op], 1, MPI_INT, MPI_ANY_SOURCE, op, c, MPI_STATUS_IGNORE);
    if (op == SENDRECV)
        return MPI_Sendrecv(&none, 1, MPI_INT, MPI_PROC_NULL, 0, &got[op], 1, MPI_INT,
                            MPI_ANY_SOURCE, op, c, MPI_STATUS_IGNORE);
    if (op == REPLACE)
        return MPI_Sendrecv_replace(&got[op], 1, MPI_INT, MPI_PROC_NULL, 0, MPI_ANY_SOURCE, op, c,
                                    MPI_STATUS_IGNORE);
    return receive_probed(op);
}

/* Each of them fails, and changes nothing. */
static void all_disturbed(void)
{
    for (enum op op = 0; op < OPS; op++) {
        MPI_Request was = q[op];

        CHECK_EQ(class_of(receive(op)),
                 op >= IRECV ? MPIX_ERR_PROC_FAILED_PENDING : MPI_ERR_PROC_FAILED);
        CHECK(q[op] == was);
        CHECK_EQ(got[op], -1);
    }
}

/* No message is there, and none of them says anything. */
static void none_disturbed(void)
{
    int flag = 1;

    for (enum op op = IRECV; op < OPS; op++) {
        CHECK_EQ(MPI_Test(&q[op], &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(flag, 0);
    }
    CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, IPROBE, c, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
}

/* Each of them gets its message from rank 1, and the nonblocking ones begin again. */
static void all_received(void)
{
    none_disturbed();
    post(1);
    for (enum op op = 0; op < OPS; op++) {
        CHECK_EQ(receive(op), MPI_SUCCESS);
        CHECK_EQ(got[op], 1000 + (int)op);
        if (op >= IRECV)
            CHECK_EQ(begin(op), MPI_SUCCESS);
    }
}

/* The group must be the first n that died, in that order (and is freed). */
static void check_group(MPI_Group g, int n)
{
    MPI_Group world;
    int k, in_world, i;

    MPI_Group_size(g, &k);
    CHECK_EQ(k, n);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (i = 0; i < n; i++) {
        CHECK_EQ(MPI_Group_translate_ranks(g, 1, &i, world, &in_world), MPI_SUCCESS);
        CHECK_EQ(in_world, died[i]);
    }
    MPI_Group_free(&world);
    if (g != MPI_GROUP_EMPTY)
        MPI_Group_free(&g);
}

static void check_acked(int n)
{
    MPI_Group g;
    int k = -1;

    CHECK_EQ(MPI_Comm_failure_get_acked(c, &g), MPI_SUCCESS);
    check_group(g, n);
    CHECK_EQ(MPIX_Comm_failure_get_acked(c, &g), MPI_SUCCESS);
    check_group(g, n);
    CHECK_EQ(MPI_Comm_ack_failed(c, 0, &k), MPI_SUCCESS); /* only asks */
    CHECK_EQ(k, n);
}

static int read_failed(void)
{
    MPI_Group g, h;
    int n, same;

    CHECK_EQ(MPI_Comm_get_failed(c, &g), MPI_SUCCESS);
    CHECK_EQ(MPIX_Comm_get_failed(c, &h), MPI_SUCCESS);
    MPI_Group_compare(g, h, &same);
    CHECK_EQ(same, MPI_IDENT);
    MPI_Group_size(g, &n);
    check_group(g, deaths);
    if (h != MPI_GROUP_EMPTY)
        MPI_Group_free(&h);
    return n;
}

static void acknowledge_all(enum way way)
{
    int n = -1;

    if (way == OF_2012)
        CHECK_EQ(MPI_Comm_failure_ack(c), MPI_SUCCESS);
    else if (way == MPIX)
        CHECK_EQ(MPIX_Comm_failure_ack(c), MPI_SUCCESS);
    else if (way == TODAY)
        CHECK_EQ(MPI_Comm_ack_failed(c, 1000, &n), MPI_SUCCESS);
    else
        CHECK_EQ(MPIX_Comm_ack_failed(c, read_failed(), &n), MPI_SUCCESS);
    CHECK(n == -1 || n == deaths);
    acked = deaths;
    check_acked(acked);
}

static void let_die(int r)
{
    died[deaths] = r;
    post(r);
    wait_until_dead(MPI_COMM_WORLD, r);
    deaths++;
}

/* The next victim after r that is a possible sender; size: none. */
static int next_sender(int r)
{
    return r + 1 + (inter && r % 2);
}

/* Rank r dies, a possible sender.  Returns the last one that has died. */
static int one_death(int r, enum way way)
{
    int n, next = next_sender(r);

    let_die(r);
    all_disturbed();
    check_acked(acked);
    if (way == READ && next < size) {
        n = read_failed();
        let_die(next);
        CHECK_EQ(MPI_Comm_ack_failed(c, n, &n), MPI_SUCCESS);
        CHECK_EQ(n, deaths - 1);
        check_acked(deaths - 1);
        all_disturbed(); /* by the one that died after it was read */
        r = next;
    }
    acknowledge_all(way);
    all_received();
    return r;
}

static void receiver(enum way way)
{
    for (enum op op = IRECV; op < OPS; op++) {
        q[op] = MPI_REQUEST_NULL;
        CHECK_EQ(begin(op), MPI_SUCCESS);
    }
    all_received();
    for (int r = 2; inter && r < size; r += 2) { /* S0-9: the own group */
        let_die(r);
        CHECK_EQ(read_failed(), deaths);
        all_received();
    }
    for (int r = inter ? 3 : 2; r < size; r = next_sender(r)) {
        r = one_death(r, way);
        way = (enum way)((way + 1) % WAYS);
    }
    post(1); /* one for each that has begun */
    for (enum op op = 0; op < OPS; op++)
        CHECK_EQ(receive(op), MPI_SUCCESS);
    post(0);
    MPI_Request_free(&q[RECV_INIT]);
}

/* Rank 1: one message for each call, each time that it is asked for. */
static void sender(void)
{
    for (int n = 1; !posted(0);) {
        if (posted(1) < n) {
            sched_yield();
            continue;
        }
        for (int op = 0; op < OPS; op++) {
            int v = 1000 + op;

            CHECK_EQ(MPI_Send(&v, 1, MPI_INT, 0, op, c), MPI_SUCCESS);
        }
        n++;
    }
}

int main(int argc, char **argv)
{
    MPI_Comm side;

    start(&argc, &argv);
    inter = !strcmp(argv[1], "inter");
    if (inter) {
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &side);
        MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &c);
        MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    } else {
        MPI_Comm_dup(MPI_COMM_WORLD, &c);
    }
    if (rank >= 2) {
        await(rank, 1);
        die_now();
    }
    CHECK_EQ(MPI_ERR_PENDING, MPIX_ERR_PROC_FAILED_PENDING);
    if (rank == 0)
        receiver((enum way)atoi(argv[2]));
    else
        sender();
    return finish();
}
