/* SPDX-License-Identifier: BSD-3-Clause */
/* every_call.c – the calls of calls.h (every_call.py) on invalid communicators, by the last living member or
 * while all others are outside of MPI; s0_65_every_call.sh runs it.  What a class must do is in judge().
 *
 *   R16: MPI_Comm_agreement takes a truth value, MPIX_Comm_agree a word
 *   S0-64: elsewhere the communicator is revoked when a status first reports it
 *   S0-65: on a revoked communicator every non-local call fails
 *   S4-1: a fatal error that no call can report ends its process alone
 *
 * RUN: none */
#include "../common.h"

enum duty {
    INVALID,
    LATER,
    AGAIN,
    LOCAL,
    LOCAL_LATER,
    EXEMPT,
    EXEMPT_LATER,
    END,
};
enum on { ON_ANY, ON_INTRA, ON_INTER, ON_CART, ON_GRAPH, ON_DIST_GRAPH, ON_TOPOLOGY };

struct call {
    const char *name;
    enum duty duty;
    enum on on;
    int (*make)(void);
};

#define I MPI_ERR_INVALIDATED

/* What the calls are made with. */
static int v[256], w[256], out8[8], n, flag, peer, root, keyval;
static int ones[16], places[16], dims[1], index1[1] = {1}, self1[1];
static MPI_Count ones_c[16], many;
static MPI_Aint places_a[16];
static MPI_Datatype types[16];
static MPI_Comm c, made, ended;
static MPI_Request request;
static MPI_Status status;
static MPI_Message message;
static MPI_Group group, everybody;
static MPI_Info info;
static MPI_Errhandler errhandler;
static MPI_Win win;
static MPIX_Module module;
static MPI_File file;
static char name[MPI_MAX_OBJECT_NAME] = "invalid";
static void *place, *attribute;

static int *zero(int *at)
{
    *at = 0;
    return at;
}

static MPI_Count *zero_c(MPI_Count *at)
{
    *at = 0;
    return at;
}

static int no_recovery(MPI_Comm comm, int inside, void *state)
{
    return MPI_ERR_OTHER;
}

#include "calls.h"

static bool alone; /* nobody else lives */

static void fail_at(const struct call *k, const char *what, int code)
{
    fprintf(stderr, "rank %d: %s with peer %d: %s gives class %#x\n", rank, k->name, peer, what,
            (unsigned)class_of(code));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void expect(const struct call *k, const char *what, int code, int class)
{
    if (class_of(code) != class)
        fail_at(k, what, code);
}

static void complete_call(const struct call *k, int class, bool goes)
{
    expect(k, "the completion", MPI_Wait(&request, MPI_STATUS_IGNORE), class);
    if (goes != (request == MPI_REQUEST_NULL))
        fail_at(k, "the request's end", MPI_SUCCESS);
}

static void judge(const struct call *k)
{
    if ((k->duty == EXEMPT || k->duty == EXEMPT_LATER) && !alone)
        return;
    if (k->duty == END)
        CHECK_EQ(MPI_Comm_invalidate(ended), MPI_SUCCESS);
    switch (k->duty) {
    case INVALID:
        expect(k, "it", k->make(), I);
        break;
    case LATER:
        expect(k, "the start", k->make(), MPI_SUCCESS);
        complete_call(k, I, true);
        break;
    case AGAIN:
        expect(k, "it", k->make(), MPI_SUCCESS);
        for (int i = 0; i < 2; i++) {
            expect(k, "the start", MPI_Start(&request), MPI_SUCCESS);
            complete_call(k, I, false);
        }
        CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
        break;
    case LOCAL:
    case EXEMPT:
    case END:
        expect(k, "it", k->make(), MPI_SUCCESS);
        break;
    case LOCAL_LATER:
    case EXEMPT_LATER:
        expect(k, "the start", k->make(), MPI_SUCCESS);
        complete_call(k, MPI_SUCCESS, true);
        break;
    }
}

/* The kinds of communicators; each has spare copies to be ended. */
#define SPARES 4
static struct kind {
    MPI_Comm comm, spare[SPARES];
    int spares_n;
} kinds[5];
enum { INTRA, INTER, CART, GRAPH, DIST_GRAPH };

static bool fits(enum on on, int kind)
{
    switch (on) {
    case ON_ANY:
        return kind == INTRA || kind == INTER;
    case ON_TOPOLOGY:
        return kind >= CART;
    default:
        return kind == (on == ON_INTRA   ? INTRA
                        : on == ON_INTER ? INTER
                                         : CART + (int)(on - ON_CART));
    }
}

/* Two forms each. */
static void buffer(bool attach, bool large)
{
    static char space[4096];
    void *at;

    if (attach && !large)
        CHECK_EQ(MPI_Comm_attach_buffer(c, space, sizeof space), MPI_SUCCESS);
    else if (attach)
        CHECK_EQ(MPI_Comm_attach_buffer_c(c, space, sizeof space), MPI_SUCCESS);
    else if (!large)
        CHECK_EQ(MPI_Comm_detach_buffer(c, &at, &n), MPI_SUCCESS);
    else
        CHECK_EQ(MPI_Comm_detach_buffer_c(c, &at, &many), MPI_SUCCESS);
    CHECK(attach || at == space);
}

static void sweep(int kind, int with)
{
    peer = with;
    c = kinds[kind].comm;
    root = kind == INTER ? MPI_ROOT : 0;
    buffer(true, with == 0);
    MPI_Comm_group(c, &everybody);
    MPI_Comm_failure_ack(c); /* MPI_Comm_agree tells of deaths that nobody acknowledged (R16) */
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (!fits(calls[i].on, kind))
            continue;
        if (calls[i].duty == END)
            ended = kinds[kind].spare[kinds[kind].spares_n++];
        judge(&calls[i]);
    }
    MPI_Group_free(&everybody);
    buffer(false, with != 0);
}

/* Requests that were begun before; nobody sends. */
#define PENDING 10
static MPI_Request begun[PENDING];
static MPI_Message caught[2];

static void begin_requests(void)
{
    for (int i = 0; i < PENDING; i++)
        CHECK_EQ(MPI_Irecv(&w[i], 1, MPI_INT, rank, 99, kinds[INTRA].comm, &begun[i]), MPI_SUCCESS);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(MPI_Send(v, 1, MPI_INT, rank, 98, kinds[INTRA].comm), MPI_SUCCESS);
        CHECK_EQ(MPI_Mprobe(rank, 98, kinds[INTRA].comm, &caught[i], MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
    }
}

/* Ended by the invalidation, they say so, each to another call (S0-64). */
static void end_requests(void)
{
    MPI_Status s[2];
    int at, some[2], done = 0;

    CHECK_CLASS(MPI_Request_get_status(begun[0], &flag, s), MPI_SUCCESS);
    CHECK(flag);
    CHECK_CLASS(MPI_Wait(&begun[0], s), I);
    CHECK_CLASS(MPI_Test(&begun[1], &done, s), I);
    CHECK_CLASS(MPI_Waitany(1, &begun[2], &at, s), I);
    CHECK_CLASS(MPI_Testany(1, &begun[3], &at, &done, s), I);
    CHECK_CLASS(MPI_Waitall(2, &begun[4], s), MPI_ERR_IN_STATUS);
    CHECK_CLASS(s[1].MPI_ERROR, I);
    CHECK_CLASS(MPI_Waitsome(1, &begun[6], &n, some, s), MPI_ERR_IN_STATUS);
    CHECK_CLASS(s[0].MPI_ERROR, I);
    CHECK_CLASS(MPI_Testsome(1, &begun[7], &n, some, s), MPI_ERR_IN_STATUS);
    CHECK_CLASS(s[0].MPI_ERROR, I);
    CHECK_CLASS(MPI_Testall(1, &begun[8], &done, s), MPI_ERR_IN_STATUS);
    CHECK_CLASS(s[0].MPI_ERROR, I);
    CHECK_EQ(MPI_Cancel(&begun[9]), MPI_SUCCESS);
    CHECK_CLASS(MPI_Wait(&begun[9], s), I);
    for (int i = 0; i < PENDING; i++)
        CHECK(begun[i] == MPI_REQUEST_NULL);
}

/* Where the invalidation may still be on its way.  Left alone, they would end the process (S4-1). */
static void wait_for_requests(void)
{
    for (int i = 0; i < PENDING; i++)
        CHECK_CLASS(MPI_Wait(&begun[i], MPI_STATUS_IGNORE), I);
}

/* The message came before the invalidation; that is not a reason to succeed (S0-65). */
static void end_messages(void)
{
    MPI_Request r;

    CHECK_CLASS(MPI_Mrecv(w, 1, MPI_INT, &caught[0], MPI_STATUS_IGNORE), I);
    CHECK_EQ(MPI_Imrecv(w, 1, MPI_INT, &caught[1], &r), MPI_SUCCESS);
    CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), I);
}

/* Where leaders would meet. */
static void as_peer(void)
{
    if (size > 1)
        CHECK_CLASS(MPI_Intercomm_create(MPI_COMM_SELF, 0, kinds[INTRA].comm, size - 1, 0, &made),
                    I);
}

static void create(void)
{
    int upper = rank >= size / 2;
    int index[16], edges[16];
    MPI_Comm *k[5], half;

    for (int i = 0; i < 16; i++) { /* each is its own neighbour */
        index[i] = i + 1;
        edges[i] = i;
    }
    for (int i = 0; i < 5; i++) {
        k[i] = &kinds[i].comm;
        *k[i] = MPI_COMM_NULL;
    }
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, k[INTRA]), MPI_SUCCESS);
    CHECK_EQ(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, ones, 0, k[CART]), MPI_SUCCESS);
    CHECK_EQ(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, k[GRAPH]), MPI_SUCCESS);
    CHECK_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &rank, MPI_UNWEIGHTED, 1, &rank,
                                            MPI_UNWEIGHTED, MPI_INFO_NULL, 0, k[DIST_GRAPH]),
             MPI_SUCCESS);
    if (size > 1) {
        CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half), MPI_SUCCESS);
        CHECK_EQ(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : size / 2, 1, k[INTER]),
                 MPI_SUCCESS);
    }
    for (int i = 0; i < (size > 1 ? 2 : 1); i++)
        for (int j = 0; j < SPARES; j++)
            CHECK_EQ(MPI_Comm_dup(*k[i], &kinds[i].spare[j]), MPI_SUCCESS);
    for (int i = 0; i < 5; i++)
        if (*k[i] != MPI_COMM_NULL)
            MPI_Comm_set_errhandler(*k[i], MPI_ERRORS_RETURN);
}

static void sweep_all(void)
{
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    for (int r = 1; alone && r < size; r++)
        wait_until_dead(MPI_COMM_WORLD, r);
    for (int k = 0; k < 5; k++)
        if (kinds[k].comm != MPI_COMM_NULL)
            CHECK_EQ(MPI_Comm_invalidate(kinds[k].comm), MPI_SUCCESS);
    end_requests();
    end_messages();
    as_peer();
    for (int k = 0; k < 5; k++)
        if (kinds[k].comm != MPI_COMM_NULL) {
            sweep(k, 0);
            sweep(k, MPI_PROC_NULL);
        }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    alone = size == 1 || !strcmp(argv[1], "dead");
    dims[0] = size;
    for (int i = 0; i < 16; i++) {
        ones[i] = 1;
        ones_c[i] = 1;
        types[i] = MPI_INT;
    }
    create();
    begin_requests();
    post(1);
    await(1, size);
    if (rank != 0 && alone)
        die_now();
    if (rank == 0) {
        sweep_all();
        post(0);
    }
    await(0, 1); /* the others are outside of MPI all the while */
    if (rank != 0)
        wait_for_requests();
    for (int k = 0; k < 5; k++)
        if (kinds[k].comm != MPI_COMM_NULL)
            CHECK_EQ(MPI_Comm_free(&kinds[k].comm), MPI_SUCCESS);
    return finish();
}
