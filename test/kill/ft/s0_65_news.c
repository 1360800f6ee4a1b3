/* SPDX-License-Identifier: BSD-3-Clause */
/* A process whose calls fail at once, or wait for nobody, learns of a revocation
 * all the same.
 *
 *   rank 0    repeats a call │ ... MPI_ERR_PROC_FAILED, or success ... │ ... MPI_ERR_REVOKED, after at
 *   rank 1    waits for that │ revokes, and leaves MPI                 │     most LIMIT more of them; agents take a while
 *   rank 2    dead
 *
 * Each call has a communicator of its own.  A local call has no error to give: there rank 0 asks after
 * each of them whether the communicator is revoked, which is a local call, too.
 *
 *   S0-57: a revocation reaches all members, in both groups
 *   S0-63: elsewhere the communicator is revoked when a call first reports it
 *   S0-65: on a revoked communicator every non-local call fails
 *   S0-66: calls on a revoked communicator return without any other process */
/* RUN: -n 3 ; args 1 ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 3 ; args 1 ; set COLL_SHM=0 ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 3 ; args 3000000 ; set REVOKE_SHM=0 ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 3 ; args 3000000 ; set MACHINES=3 ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include "../common.h"

enum { REPEATED, REVOKED, LEARNT };

static MPI_Comm c;
static MPI_Request request; /* of what was begun while all lived */
static int in, out, flag;

static int finish_it(int err, MPI_Request *r)
{
    return err ? err : MPI_Wait(r, MPI_STATUS_IGNORE);
}

static int barrier(void)
{
    return MPI_Barrier(c);
}

static int bcast(void)
{
    return MPI_Bcast(&out, 1, MPI_INT, 0, c);
}

static int allreduce(void)
{
    return MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, c);
}

static int ibarrier(void)
{
    MPI_Request r;
    int err = MPI_Ibarrier(c, &r);

    return finish_it(err, &r);
}

/* What a creation that must fail makes. */
static int duplicate(void)
{
    MPI_Comm made;

    return MPI_Comm_dup(c, &made);
}

static int idup(void)
{
    MPI_Comm made;
    MPI_Request r;
    int err = MPI_Comm_idup(c, &made, &r);

    return finish_it(err, &r);
}

static int split(void)
{
    MPI_Comm made;

    return MPI_Comm_split(c, 0, 0, &made);
}

static int create(void)
{
    MPI_Group g;
    MPI_Comm made;
    int err;

    MPI_Comm_group(c, &g);
    err = MPI_Comm_create(c, g, &made);
    MPI_Group_free(&g);
    return err;
}

static int create_group(void)
{
    MPI_Group g;
    MPI_Comm made;
    int err;

    MPI_Comm_group(c, &g);
    err = MPI_Comm_create_group(c, g, 0, &made);
    MPI_Group_free(&g);
    return err;
}

static int send_dead(void)
{
    return MPI_Send(&in, 1, MPI_INT, 2, 0, c);
}

static int recv_dead(void)
{
    return MPI_Recv(&out, 1, MPI_INT, 2, 0, c, MPI_STATUS_IGNORE);
}

static int isend(void)
{
    MPI_Request r;
    int err = MPI_Isend(&in, 1, MPI_INT, 2, 0, c, &r);

    return finish_it(err, &r);
}

static int irecv(void)
{
    MPI_Request r;
    int err = MPI_Irecv(&out, 1, MPI_INT, 2, 0, c, &r);

    return finish_it(err, &r);
}

static int irecv_waitany(void)
{
    MPI_Request r;
    int index, err = MPI_Irecv(&out, 1, MPI_INT, 2, 0, c, &r);

    return err ? err : MPI_Waitany(1, &r, &index, MPI_STATUS_IGNORE);
}

static void send_init(void)
{
    MPI_Send_init(&in, 1, MPI_INT, 2, 0, c, &request);
}

static void recv_init(void)
{
    MPI_Recv_init(&out, 1, MPI_INT, 2, 0, c, &request);
}

static int start_and_wait(void)
{
    int err = MPI_Start(&request);

    return err ? err : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int probe(void)
{
    return MPI_Probe(2, 0, c, MPI_STATUS_IGNORE);
}

static int iprobe(void)
{
    return MPI_Iprobe(2, 0, c, &flag, MPI_STATUS_IGNORE);
}

static int iprobe_any(void)
{
    return MPI_Iprobe(MPI_ANY_SOURCE, 0, c, &flag, MPI_STATUS_IGNORE);
}

static int improbe(void)
{
    MPI_Message m;

    return MPI_Improbe(2, 0, c, &flag, &m, MPI_STATUS_IGNORE);
}

static void recv_of_any(void)
{
    MPI_Irecv(&out, 1, MPI_INT, MPI_ANY_SOURCE, 0, c, &request);
}

static int wait_pending(void)
{
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int test_pending(void)
{
    return MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static int sendrecv_self(void)
{
    return MPI_Sendrecv(&in, 1, MPI_INT, 0, 0, &out, 1, MPI_INT, 0, 0, c, MPI_STATUS_IGNORE);
}

static int sendrecv_nobody(void)
{
    return MPI_Sendrecv(&in, 1, MPI_INT, MPI_PROC_NULL, 0, &out, 1, MPI_INT, MPI_PROC_NULL, 0, c,
                        MPI_STATUS_IGNORE);
}

static int sendrecv_on_self(void)
{
    return MPI_Sendrecv(&in, 1, MPI_INT, 0, 0, &out, 1, MPI_INT, 0, 0, MPI_COMM_SELF,
                        MPI_STATUS_IGNORE);
}

static int get_failed(void)
{
    MPI_Group g;
    int err = MPIX_Comm_get_failed(c, &g);

    MPI_Group_free(&g);
    return err;
}

static int ack_failed(void)
{
    return MPIX_Comm_ack_failed(c, 3, &out);
}

static int rank_of(void)
{
    return MPI_Comm_rank(c, &out);
}

enum what { FAILS, PENDING, SUCCEEDS, LOCAL }; /* LOCAL: success also on a revoked communicator */

static const struct call {
    const char *name;
    int (*make)(void);
    enum what what;
    void (*prepare)(void); /* while all live */
} calls[] = {
    {"barrier", barrier, FAILS, NULL},
    {"bcast", bcast, FAILS, NULL},
    {"allreduce", allreduce, FAILS, NULL},
    {"ibarrier, wait", ibarrier, FAILS, NULL},
    {"dup", duplicate, FAILS, NULL},
    {"idup, wait", idup, FAILS, NULL},
    {"split", split, FAILS, NULL},
    {"create", create, FAILS, NULL},
    {"create_group", create_group, FAILS, NULL},
    {"send", send_dead, FAILS, NULL},
    {"recv", recv_dead, FAILS, NULL},
    {"isend, wait", isend, FAILS, NULL},
    {"irecv, wait", irecv, FAILS, NULL},
    {"irecv, waitany", irecv_waitany, FAILS, NULL},
    {"send_init, start, wait", start_and_wait, FAILS, send_init},
    {"recv_init, start, wait", start_and_wait, FAILS, recv_init},
    {"probe", probe, FAILS, NULL},
    {"iprobe", iprobe, FAILS, NULL},
    {"iprobe of any", iprobe_any, FAILS, NULL},
    {"improbe", improbe, FAILS, NULL},
    {"wait, pending", wait_pending, PENDING, recv_of_any},
    {"test, pending", test_pending, PENDING, recv_of_any},
    {"sendrecv with itself", sendrecv_self, SUCCEEDS, NULL},
    {"sendrecv with nobody", sendrecv_nobody, SUCCEEDS, NULL},
    {"sendrecv on MPI_COMM_SELF", sendrecv_on_self, LOCAL, NULL},
    {"get_failed", get_failed, LOCAL, NULL},
    {"ack_failed", ack_failed, LOCAL, NULL},
    {"comm_rank", rank_of, LOCAL, NULL},
};
#define CALLS ((int)(sizeof(calls) / sizeof(*calls)))

static MPI_Comm comm[CALLS];
static MPI_Request prepared[CALLS];

static const int expected[] = {MPI_ERR_PROC_FAILED, MPIX_ERR_PROC_FAILED_PENDING, MPI_SUCCESS,
                               MPI_SUCCESS};

/* True once rank 0 knows. */
static bool learns(const struct call *x)
{
    int err = x->make(), revoked;

    if (err == MPI_ERR_REVOKED)
        return true;
    CHECK_EQ(err, expected[x->what]);
    if (x->what != LOCAL)
        return false;
    CHECK_EQ(MPIX_Comm_is_revoked(c, &revoked), MPI_SUCCESS);
    return revoked;
}

/* False: it did not learn in time. */
static bool repeat(const struct call *x, int k, int limit)
{
    int more = 0;

    CHECK(!learns(x));
    post(REPEATED);
    while (more <= limit && !learns(x))
        more += posted(REVOKED) > k;
    if (more > limit)
        fprintf(stderr, "wrong: %s: not revoked after %d calls\n", x->name, more);
    post(LEARNT);
    await(REVOKED, k + 1);
    return more <= limit;
}

static void revoke_for(int k)
{
    await(REPEATED, k + 1);
    CHECK_EQ(MPIX_Comm_revoke(c), MPI_SUCCESS);
    post(REVOKED);
    await(LEARNT, k + 1);
}

static void prepare(void)
{
    for (int k = 0; k < CALLS; k++) {
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
        if (calls[k].prepare)
            calls[k].prepare();
        comm[k] = c;
        prepared[k] = request;
    }
}

int main(int argc, char **argv)
{
    bool good = true;

    start(&argc, &argv);
    prepare();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        die_now();
    for (int k = 0; k < CALLS; k++) {
        c = comm[k];
        request = prepared[k];
        wait_until_dead(c, 2);
        if (rank == 0)
            good &= repeat(&calls[k], k, atoi(argv[1]));
        else
            revoke_for(k);
    }
    CHECK(good);
    return finish();
}
