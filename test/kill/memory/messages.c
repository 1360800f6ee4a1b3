/* SPDX-License-Identifier: BSD-3-Clause */
/* Each allocation fails in turn (scarce.h), in the calls that send, receive and look for messages: MPI_ERR_NO_MEM
 * where it failed, and the same call succeeds when there is memory again; nobody else is told anything.
 *
 * The ranks are a ring, and each sends to the next one.  A communicator is new each time, for queues are made with
 * the first message.
 *
 * RUN: -n 3 ; set MEMORY_FAULTS=1 ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 60
 * RUN: -n 3 ; set MEMORY_FAULTS=1 ; set SINGLE_COPY=never ; expect "rank 0 ok" ; expect "rank 2 ok" ;
 *      time 60
 * RUN: -n 3 ; set MEMORY_FAULTS=1 ; set SINGLE_COPY=always ; expect "rank 0 ok" ; expect "rank 2 ok" ;
 *      time 60 */
#include "scarce.h"

#define SMALL 100
#define LARGE 200000
#define MANY  20

#define USED_MAX 100000

static MPI_Comm ring = MPI_COMM_NULL;
static unsigned char out[LARGE], in[LARGE];
static int next, before, sum;
static MPI_Request used[USED_MAX];
static int used_n;
static bool uses_up;

/* Requests that have been released serve the next operations: takes all, so that those need memory. */
static void use_up_requests(void)
{
    MPI_Request r;

    scarce_set(-1);
    while (MPI_Recv_init(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, &r) == MPI_SUCCESS)
        used[used_n++ % USED_MAX] = r;
    CHECK(used_n < USED_MAX);
    enough();
}

static void give_requests_back(void)
{
    while (used_n)
        CHECK_EQ(MPI_Request_free(&used[--used_n]), MPI_SUCCESS);
}

static void new_ring(void)
{
    if (ring != MPI_COMM_NULL)
        CHECK_EQ(MPI_Comm_free(&ring), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &ring), MPI_SUCCESS);
    if (uses_up)
        use_up_requests();
    memset(in, 0, sizeof(in));
    sum = MPI_SUCCESS;
}

/* Counts a result; true if the part has to be made again. */
static bool failed(int err)
{
    if (err == MPI_SUCCESS)
        return false;
    sum = class_of(err);
    CHECK_EQ(sum, MPI_ERR_NO_MEM);
    enough();
    return true;
}

/* The part `call_`, and once more if there was no memory. */
#define PART(call_)                                                                                \
    do {                                                                                           \
        if (failed(call_))                                                                         \
            CHECK_EQ(call_, MPI_SUCCESS);                                                          \
    } while (0)

/* Some message was lost on its way into this process, which has no memory; or all are here. */
static void complete_them(int n, MPI_Request *r)
{
    MPI_Status s[2 * MANY];
    int err = MPI_Waitall(n, r, s);

    if (err == MPI_SUCCESS)
        return;
    CHECK_CLASS(err, MPI_ERR_IN_STATUS);
    for (int i = 0; i < n; i++)
        failed(s[i].MPI_ERROR);
}

static void check_in(int bytes)
{
    if (sum == MPI_SUCCESS)
        CHECK_EQ(memcmp(in, out, (size_t)bytes), 0);
}

/* ---- exchanges ---- */

static int exchange(int bytes, int source, int n)
{
    MPI_Request r[2 * MANY];

    for (int i = 0; i < n; i++)
        PART(MPI_Irecv(in, bytes, MPI_BYTE, source, i, ring, &r[i]));
    for (int i = 0; i < n; i++)
        PART(MPI_Isend(out, bytes, MPI_BYTE, next, i, ring, &r[n + i]));
    complete_them(2 * n, r);
    check_in(bytes);
    return sum;
}

static int small(void)
{
    return exchange(SMALL, before, 1);
}

static int large(void)
{
    return exchange(LARGE, before, 1);
}

static int wildcard(void)
{
    return exchange(LARGE, MPI_ANY_SOURCE, 1);
}

static int many_small(void)
{
    return exchange(SMALL, before, MANY);
}

static int many_large(void)
{
    return exchange(LARGE / MANY, before, MANY);
}

/* All messages are there before anybody receives one. */
static int late(int bytes)
{
    static int turns;
    MPI_Request r[MANY];
    MPI_Status s;
    int there;

    for (int i = 0; i < MANY; i++)
        PART(MPI_Isend(out, bytes, MPI_BYTE, next, i, ring, &r[i]));
    turns += size;
    post(2);
    await_in_mpi(2, turns);
    MPI_Iprobe(before, MANY, ring, &there, &s);
    for (int i = 0; i < MANY; i++)
        failed(MPI_Recv(in, bytes, MPI_BYTE, before, i, ring, &s));
    complete_them(MANY, r);
    check_in(bytes);
    return sum;
}

static int late_small(void)
{
    return late(SMALL);
}

static int late_large(void)
{
    return late(LARGE / MANY);
}

static int synchronous(void)
{
    MPI_Request r[2];

    PART(MPI_Irecv(in, SMALL, MPI_BYTE, before, 0, ring, &r[0]));
    PART(MPI_Issend(out, SMALL, MPI_BYTE, next, 0, ring, &r[1]));
    complete_them(2, r);
    check_in(SMALL);
    return sum;
}

static int with_gaps(void)
{
    static MPI_Datatype type;
    MPI_Request r[2];

    if (!type) {
        enough();
        CHECK_EQ(MPI_Type_vector(LARGE / 2, 1, 2, MPI_BYTE, &type), MPI_SUCCESS);
        CHECK_EQ(MPI_Type_commit(&type), MPI_SUCCESS);
    }
    PART(MPI_Irecv(in, 1, type, before, 0, ring, &r[0]));
    PART(MPI_Isend(out, 1, type, next, 0, ring, &r[1]));
    complete_them(2, r);
    return sum;
}

/* ---- to itself ---- */

/* A send to itself ends with an error if there was no memory to keep the message, which then is not there. */
static int to_self(int bytes)
{
    MPI_Request r;
    int sent = 0, there, err = MPI_Isend(out, bytes, MPI_BYTE, rank, 0, ring, &r);

    if (!err)
        err = MPI_Test(&r, &sent, MPI_STATUS_IGNORE);
    if (failed(err)) {
        CHECK_EQ(MPI_Iprobe(rank, 0, ring, &there, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK(!there);
        return sum;
    }
    PART(MPI_Recv(in, bytes, MPI_BYTE, rank, 0, ring, MPI_STATUS_IGNORE));
    if (!sent)
        complete_them(1, &r);
    check_in(bytes);
    return sum;
}

static int small_to_self(void)
{
    return to_self(SMALL);
}

static int large_to_self(void)
{
    return to_self(LARGE);
}

/* What fails has sent nothing and waits for nothing. */
static int nothing_is_left(int err)
{
    int there;

    if (!failed(err))
        return MPI_SUCCESS;
    CHECK_EQ(MPI_Iprobe(rank, MPI_ANY_TAG, ring, &there, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(!there);
    return sum;
}

static int sendrecv(void)
{
    return nothing_is_left(MPI_Sendrecv(out, SMALL, MPI_BYTE, rank, 1, in, SMALL, MPI_BYTE, rank, 1,
                                        ring, MPI_STATUS_IGNORE));
}

static int sendrecv_replace(void)
{
    return nothing_is_left(
        MPI_Sendrecv_replace(in, LARGE, MPI_BYTE, rank, 1, rank, 1, ring, MPI_STATUS_IGNORE));
}

static int isendrecv_replace(void)
{
    MPI_Request r;
    int err = MPI_Isendrecv_replace(in, LARGE, MPI_BYTE, rank, 1, rank, 1, ring, &r);

    return nothing_is_left(err ? err : MPI_Wait(&r, MPI_STATUS_IGNORE));
}

/* ---- probes ---- */

static int probe(void)
{
    MPI_Request r;
    MPI_Status s;

    PART(MPI_Isend(out, LARGE, MPI_BYTE, next, 0, ring, &r));
    PART(MPI_Probe(before, 0, ring, &s));
    failed(MPI_Recv(in, LARGE, MPI_BYTE, before, 0, ring, &s));
    complete_them(1, &r);
    check_in(LARGE);
    return sum;
}

static int matched_probe(int bytes)
{
    MPI_Message m;
    MPI_Request r[2];

    PART(MPI_Isend(out, bytes, MPI_BYTE, next, 0, ring, &r[0]));
    PART(MPI_Mprobe(before, 0, ring, &m, MPI_STATUS_IGNORE));
    PART(MPI_Imrecv(in, bytes, MPI_BYTE, &m, &r[1]));
    CHECK(m == MPI_MESSAGE_NULL);
    complete_them(2, r);
    check_in(bytes);
    return sum;
}

static int mprobe_small(void)
{
    return matched_probe(SMALL);
}

static int mprobe_large(void)
{
    return matched_probe(LARGE);
}

/* ---- persistent, buffered, the program's own ---- */

static int persistent(void)
{
    MPI_Request r[2];

    PART(MPI_Recv_init(in, LARGE, MPI_BYTE, before, 0, ring, &r[0]));
    PART(MPI_Send_init(out, LARGE, MPI_BYTE, next, 0, ring, &r[1]));
    for (int i = 0; i < 3; i++) {
        PART(MPI_Startall(2, r));
        complete_them(2, r);
    }
    check_in(LARGE);
    CHECK_EQ(MPI_Request_free(&r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&r[1]), MPI_SUCCESS);
    return sum;
}

static int buffered(void)
{
    static char room[LARGE + 1000];
    MPI_Request r;
    void *p;
    int n;

    PART(MPI_Irecv(in, LARGE, MPI_BYTE, before, 0, ring, &r));
    PART(MPI_Comm_attach_buffer(ring, room, sizeof(room)));
    PART(MPI_Bsend(out, LARGE, MPI_BYTE, next, 0, ring));
    complete_them(1, &r);
    CHECK_EQ(MPI_Comm_detach_buffer(ring, &p, &n), MPI_SUCCESS);
    check_in(LARGE);
    return sum;
}

static int automatic(void)
{
    MPI_Request r;
    void *p;
    int n;

    PART(MPI_Irecv(in, LARGE, MPI_BYTE, before, 0, ring, &r));
    PART(MPI_Comm_attach_buffer(ring, MPI_BUFFER_AUTOMATIC, 0));
    PART(MPI_Bsend(out, LARGE, MPI_BYTE, next, 0, ring));
    complete_them(1, &r);
    CHECK_EQ(MPI_Comm_detach_buffer(ring, &p, &n), MPI_SUCCESS);
    check_in(LARGE);
    return sum;
}

static int query(void *extra, MPI_Status *s)
{
    (void)extra;
    MPI_Status_set_elements(s, MPI_BYTE, 0);
    MPI_Status_set_cancelled(s, 0);
    s->MPI_SOURCE = s->MPI_TAG = 0;
    return MPI_SUCCESS;
}

static int nothing(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra;
    (void)complete;
    return MPI_SUCCESS;
}

static int generalized(void)
{
    MPI_Request r;

    PART(MPI_Grequest_start(query, nothing, cancel, NULL, &r));
    CHECK_EQ(MPI_Grequest_complete(r), MPI_SUCCESS);
    complete_them(1, &r);
    return sum;
}

static const struct scarce calls[] = {
    {"small messages", small, NULL, LOCAL, new_ring},
    {"large messages", large, NULL, LOCAL, new_ring},
    {"any source", wildcard, NULL, LOCAL, new_ring},
    {"many small ones", many_small, NULL, LOCAL, new_ring},
    {"many larger ones", many_large, NULL, LOCAL, new_ring},
    {"small ones before their receives", late_small, NULL, LOCAL, new_ring},
    {"larger ones before their receives", late_large, NULL, LOCAL, new_ring},
    {"MPI_Issend", synchronous, NULL, LOCAL, new_ring},
    {"a type with gaps", with_gaps, NULL, LOCAL, new_ring},
    {"small to itself", small_to_self, NULL, LOCAL, new_ring},
    {"large to itself", large_to_self, NULL, LOCAL, new_ring},
    {"MPI_Sendrecv", sendrecv, NULL, LOCAL, new_ring},
    {"MPI_Sendrecv_replace", sendrecv_replace, NULL, LOCAL, new_ring},
    {"MPI_Isendrecv_replace", isendrecv_replace, NULL, LOCAL, new_ring},
    {"MPI_Probe", probe, NULL, LOCAL, new_ring},
    {"MPI_Mprobe, small", mprobe_small, NULL, LOCAL, new_ring},
    {"MPI_Mprobe, large", mprobe_large, NULL, LOCAL, new_ring},
    {"persistent", persistent, NULL, LOCAL, new_ring},
    {"MPI_Bsend", buffered, NULL, LOCAL, new_ring},
    {"MPI_Bsend, automatic", automatic, NULL, LOCAL, new_ring},
    {"MPI_Grequest_start", generalized, NULL, LOCAL, new_ring},
};

int main(int argc, char **argv)
{
    start(&argc, &argv);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    for (int i = 0; i < LARGE; i++)
        out[i] = (unsigned char)(1 + i % 250);
    for (int i = 0; i < 4200;
         i++) { /* the table of contexts that are gone does not grow any more */
        MPI_Comm c;

        CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &c), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_free(&c), MPI_SUCCESS);
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (argc < 2 || !strcmp(argv[1], calls[i].name)) {
            uses_up = true;
            sweep_all(&calls[i]);
            uses_up = false;
            give_requests_back();
            sweep(&calls[i]);
        }
    CHECK_EQ(MPI_Comm_free(&ring), MPI_SUCCESS);
    return finish();
}
