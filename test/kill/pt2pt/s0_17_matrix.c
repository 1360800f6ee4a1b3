/* SPDX-License-Identifier: BSD-3-Clause */
/* One message, sent in each way and received in each way,
 * small and large, whose sender or receiver dies before, inside or after its call.  The job melts, as
 * melt.h says: in each act one process is the victim, one its partner, and the others send messages in a
 * ring, which all succeed.
 *   - The partner comes out with success or PROC_FAILED; with success the data are right, with an error
 *     nothing but the places for data was touched, and nothing is written there later.
 *   - A message whose sending call had returned is received (R12); of a victim that never sent nothing is.
 *   - Afterwards everything with the victim fails (S0-18).
 *
 * Act i of run K takes the next way to send; seed and act decide the rest.
 *     args PLACE K [SEED]       PLACE as in melt.h; for `random` the seed is printed
 * test/kill/long takes all places and counts, with other seeds.
 *
 *   R12: messages that arrived before a death are delivered before it is reported, none after it
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-2: a call that needs no dead process completes normally
 *   S0-8: a source or destination that is named or matched is involved
 *   S0-10: an operation without a dead process never reports a failure
 *   S0-15: a nonblocking call never reports a failure when it starts
 *   S0-16: the completion call reports the failure
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S0-18: after the first error all point-to-point with that process fails
 *
 * RUN: -n 16 ; args never {n} ; expect "15 deaths" ; times 4
 * RUN: -n 16 ; args after {n} ; expect "15 deaths" ; times 6
 * RUN: -n 16 ; args random {n} ; expect "15 deaths" ; times 4
 * RUN: -n 8 ; args random {n} ; set SINGLE_COPY=always ; expect "7 deaths" ; times 8
 * RUN: -n 9 ; args after {n} ; set SINGLE_COPY=always ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args p2p.recv.matched {n} ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args p2p.send.rts {n} ; set SINGLE_COPY=always ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args p2p.recv.cts {n} ; set SINGLE_COPY=always ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args p2p.send.rts {n} ; set SINGLE_COPY=never ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args p2p.recv.cts {n} ; set SINGLE_COPY=never ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args p2p.data.sent {n} ; set SINGLE_COPY=never ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args p2p.data.sent#3 {n} ; set SINGLE_COPY=never ; set FRAGMENT=4k ; expect "8 deaths" ; times 8
 * RUN: -n 9 ; args p2p.data.all {n} ; set SINGLE_COPY=never ; expect "8 deaths" ; times 8
 * RUN: -n 3 ; args random {n} ; set SPIN=0 ; set YIELD=0 ; expect "2 deaths" ; times 5 */
#include "kill/complete.h"
#include "kill/melt.h"

#define F    MPI_ERR_PROC_FAILED
#define DONE 2000             /* slot of act 0, and so on: ranks that have finished */
enum { RING = 1000, BEFORE }; /* tags */

enum mode { SEND, SSEND, BSEND, ISEND, ISSEND, SEND_INIT, SENDRECV, ISENDRECV, MODES };
enum way { RECV, IRECV, RECV_INIT, PROBE, MPROBE, IMPROBE, EXCHANGE, WILD, WAYS };

struct act {
    int number, victim, partner, n; /* n: elements */
    bool victim_sends, gaps, late;
    enum mode mode;
    enum way way;
    int completion;
    unsigned dice;
};

static MPI_Comm c;
static MPI_Datatype spaced;
static int alive[64], alive_n;
static const char *where;

static bool is_small(const struct act *a)
{
    return a->n * (int)sizeof(int) <= 8192;
}

/* Does a sending call that has returned leave the data in its process? */
static bool needs_memory(const struct act *a)
{
    return a->mode == BSEND && !is_small(a);
}

/* Does the sending call wait for the receiver? */
static bool needs_receiver(const struct act *a)
{
    return a->mode == SSEND || a->mode == ISSEND || (!is_small(a) && a->mode != BSEND);
}

static int extent(const struct act *a)
{
    return (int)sizeof(int) << a->gaps;
}

static size_t bytes(const struct act *a)
{
    return (size_t)a->n * (size_t)extent(a);
}

static MPI_Datatype type(const struct act *a)
{
    return a->gaps ? spaced : MPI_INT;
}

static struct act act_of(unsigned seed, unsigned run, int i)
{
    static const int lengths[] = {0, 10, 1500, 20000};
    unsigned number = run * (unsigned)(size - 1) + (unsigned)i;
    struct act a = {.number = i, .dice = mix(seed * 1000003u + number)};

    a.victim = alive[a.dice % (unsigned)alive_n];
    a.partner = alive[(a.dice + 1 + (a.dice >> 8) % (unsigned)(alive_n - 1)) % (unsigned)alive_n];
    a.victim_sends = number & 1;
    a.mode = (enum mode)(number / 2 % MODES);
    a.way = (enum way)((a.dice >> 4) % WAYS);
    a.n = needs_large(where) ? lengths[3] : lengths[(a.dice >> 12) % 4];
    a.gaps = a.dice >> 14 & 1;
    a.completion = (int)(a.dice >> 16) % COMPLETIONS;
    /* the partner may come when all is over, if the victim does not need it */
    a.late =
        a.victim_sends && is_small(&a) && a.mode != SSEND && a.mode != ISSEND && a.dice >> 20 & 1;
    return a;
}

static int element(const struct act *a, int i)
{
    return a->number * 7919 + i * 31 + 5;
}

static void put_all(const struct act *a, unsigned char *buf)
{
    for (int i = 0; i < a->n; i++) {
        int v = element(a, i);

        memcpy(buf + (size_t)i * (size_t)extent(a), &v, sizeof v);
    }
}

/* After success every element is right; nothing else was touched in any case. */
static void check_received(const struct act *a, const unsigned char *buf, int err)
{
    check_guards(buf, bytes(a));
    for (int i = 0; i < a->n; i++) {
        const unsigned char *at = buf + (size_t)i * (size_t)extent(a);
        int v;

        memcpy(&v, at, sizeof v);
        if (!err)
            CHECK_EQ(v, element(a, i));
        if (a->gaps)
            CHECK_EQ(touched(at + sizeof v, sizeof v), -1);
    }
}

static int complete_started(MPI_Request *q, const struct act *a, int err)
{
    CHECK_EQ(err, MPI_SUCCESS); /* S0-15 */
    return complete(q, a->completion);
}

static int send_by(const struct act *a, const unsigned char *buf, int to)
{
    MPI_Datatype t = type(a);
    int none, n = a->n, tag = a->number, p = MPI_PROC_NULL, err;
    MPI_Request q;

    switch (a->mode) {
    case SEND:
        return MPI_Send(buf, n, t, to, tag, c);
    case SSEND:
        return MPI_Ssend(buf, n, t, to, tag, c);
    case BSEND:
        return MPI_Bsend(buf, n, t, to, tag, c);
    case ISEND:
        return complete_started(&q, a, MPI_Isend(buf, n, t, to, tag, c, &q));
    case ISSEND:
        return complete_started(&q, a, MPI_Issend(buf, n, t, to, tag, c, &q));
    case SEND_INIT:
        CHECK_EQ(MPI_Send_init(buf, n, t, to, tag, c, &q), MPI_SUCCESS);
        err = complete_started(&q, a, MPI_Start(&q));
        CHECK_EQ(MPI_Request_free(&q), MPI_SUCCESS);
        return err;
    case SENDRECV:
        return MPI_Sendrecv(buf, n, t, to, tag, &none, 1, MPI_INT, p, 0, c, MPI_STATUS_IGNORE);
    default:
        return complete_started(&q, a,
                                MPI_Isendrecv(buf, n, t, to, tag, &none, 1, MPI_INT, p, 0, c, &q));
    }
}

static int receive_probed(const struct act *a, unsigned char *buf, int source)
{
    int flag = 0, n, err = MPI_SUCCESS;
    MPI_Message m;
    MPI_Request q;
    MPI_Status s;

    if (a->way == PROBE)
        err = MPI_Probe(source, a->number, c, &s);
    else if (a->way == MPROBE)
        err = MPI_Mprobe(source, a->number, c, &m, &s);
    while (a->way == IMPROBE && !flag)
        err = MPI_Improbe(source, a->number, c, &flag, &m, &s);
    if (err)
        return err;
    MPI_Get_count(&s, type(a), &n);
    CHECK_EQ(n, a->n);
    if (a->way == PROBE)
        return MPI_Recv(buf, a->n, type(a), source, a->number, c, &s);
    if (a->way == MPROBE)
        return MPI_Mrecv(buf, a->n, type(a), &m, &s);
    return complete_started(&q, a, MPI_Imrecv(buf, a->n, type(a), &m, &q));
}

/* Pending: nothing has come from the victim, nor will it. */
static int receive_wild(const struct act *a, unsigned char *buf)
{
    MPI_Status s;
    MPI_Request q;
    int flag, err;

    CHECK_EQ(MPI_Irecv(buf, a->n, type(a), MPI_ANY_SOURCE, a->number, c, &q), MPI_SUCCESS);
    err = complete(&q, a->completion);
    if (err != MPI_ERR_PENDING)
        return err;
    CHECK_EQ(MPI_Cancel(&q), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&q, &s), MPI_SUCCESS);
    MPI_Test_cancelled(&s, &flag);
    CHECK(flag);
    return F;
}

static int receive_by(const struct act *a, unsigned char *buf, int source)
{
    int none = 0, n = a->n, tag = a->number, err;
    MPI_Datatype t = type(a);
    MPI_Request q;

    switch (a->way) {
    case RECV:
        return MPI_Recv(buf, n, t, source, tag, c, MPI_STATUS_IGNORE);
    case IRECV:
        return complete_started(&q, a, MPI_Irecv(buf, n, t, source, tag, c, &q));
    case RECV_INIT:
        CHECK_EQ(MPI_Recv_init(buf, n, t, source, tag, c, &q), MPI_SUCCESS);
        err = complete_started(&q, a, MPI_Start(&q));
        CHECK_EQ(MPI_Request_free(&q), MPI_SUCCESS);
        return err;
    case EXCHANGE:
        return MPI_Sendrecv(&none, 1, MPI_INT, MPI_PROC_NULL, 0, buf, n, t, source, tag, c,
                            MPI_STATUS_IGNORE);
    case WILD:
        return receive_wild(a, buf);
    default:
        return receive_probed(a, buf, source);
    }
}

/* The part of victim or partner. */
static int play_call(const struct act *a, unsigned char *buf, bool sends, int peer)
{
    if (sends)
        put_all(a, buf);
    return sends ? send_by(a, buf, peer) : receive_by(a, buf, peer);
}

static _Noreturn void play_victim(const struct act *a)
{
    unsigned char *buf = guarded(bytes(a));

    CHECK_EQ(MPI_Send(&rank, 1, MPI_INT, a->partner, BEFORE, c), MPI_SUCCESS);
    meet_death(where, a->number, 1, 1 + a->dice % (is_small(a) ? 200 : 1000));
    CHECK_EQ(play_call(a, buf, a->victim_sends, a->partner), MPI_SUCCESS);
    if (!a->victim_sends)
        check_received(a, buf, MPI_SUCCESS);
    die_after(where, a->number);
}

/* R12 and S0-18: what the victim had said before may be received until the first error, then nothing
 * succeeds with it. */
static void check_afterwards(const struct act *a, int err)
{
    int v = 0, flag = 0;

    if (!err && a->dice >> 22 & 1)
        CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, a->victim, BEFORE, c, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, a->victim, a->number, c, MPI_STATUS_IGNORE), F);
    CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, a->victim, BEFORE, c, MPI_STATUS_IGNORE), F);
    CHECK_EQ(MPI_Send(&v, 1, MPI_INT, a->victim, 1, c), F);
    CHECK_EQ(MPI_Bsend(&v, 1, MPI_INT, a->victim, 1, c), F);
    CHECK_EQ(MPI_Iprobe(a->victim, MPI_ANY_TAG, c, &flag, MPI_STATUS_IGNORE), F);
    CHECK_EQ(flag, 1);
}

static void play_partner(const struct act *a)
{
    unsigned char *buf = guarded(bytes(a));
    int err;

    post(slot(a->number, READY));
    if (a->late)
        wait_until_dead(c, a->victim);
    else if (strcmp(where, "never") != 0 && a->dice >> 21 & 1)
        await_in_mpi(slot(a->number, BEGUN), 1);
    err = play_call(a, buf, !a->victim_sends, a->victim);
    CHECK(err == MPI_SUCCESS || err == F);
    wait_until_dead(c, a->victim);
    if (a->victim_sends) {
        check_received(a, buf, err);
        if (posted(slot(a->number, SURVIVED)) && !needs_memory(a))
            CHECK_EQ(err, MPI_SUCCESS); /* R12 */
    }
    if (!strcmp(where, "never") && (a->victim_sends || needs_receiver(a)))
        CHECK_EQ(err, F);
    memset(buf, GUARD, bytes(a));
    check_afterwards(a, err);
    CHECK_EQ(touched(buf - EDGE, bytes(a) + 2 * EDGE), -1);
    free(buf - EDGE);
}

/* S0-2, S0-10: the ranks that are not involved, in a ring. */
static void play_others(const struct act *a)
{
    int ring[64], n = 0, me = 0, v;

    for (int i = 0; i < alive_n; i++) {
        if (alive[i] == rank)
            me = n;
        if (alive[i] != a->victim && alive[i] != a->partner)
            ring[n++] = alive[i];
    }
    for (int i = 0; i < 30; i++) {
        CHECK_EQ(MPI_Sendrecv(&i, 1, MPI_INT, ring[(me + 1) % n], RING, &v, 1, MPI_INT,
                              ring[(me + n - 1) % n], RING, c, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
        CHECK_EQ(v, i);
    }
    wait_until_dead(c, a->victim);
}

static void play_act(const struct act *a)
{
    if (rank == a->victim)
        play_victim(a);
    if (rank == a->partner)
        play_partner(a);
    else
        play_others(a);
    CHECK_EQ(MPI_Comm_failure_ack(c), MPI_SUCCESS);
    post(DONE + a->number);
    await_in_mpi(DONE + a->number, alive_n - 1);
}

static void bury(int dead)
{
    int n = 0;

    for (int i = 0; i < alive_n; i++)
        if (alive[i] != dead)
            alive[n++] = alive[i];
    alive_n = n;
}

int main(int argc, char **argv)
{
    unsigned seed = argc > 3 ? (unsigned)atoi(argv[3]) : 1;

    where = argv[1];
    if (argc <= 3 && !strcmp(where, "random"))
        seed = lot();
    arm(where);
    start(&argc, &argv);
    if (rank == 0)
        fprintf(stderr, "seed %u\n", seed);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
    MPI_Comm_attach_buffer(c, MPI_BUFFER_AUTOMATIC, 0);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spaced);
    MPI_Type_commit(&spaced);
    for (int i = 0; i < size; i++)
        alive[alive_n++] = i;
    for (int i = 0; i < size - 1; i++) {
        struct act a = act_of(seed, (unsigned)atoi(argv[2]), i);

        play_act(&a);
        bury(a.victim);
    }
    tell_deaths(where, true, MPI_COMM_SELF);
    return finish();
}
