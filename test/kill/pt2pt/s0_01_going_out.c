/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls that wait until messages have gone out, or until the receiver has answered, end
 * when the receiver dies.  A buffered message was complete when MPI_Bsend returned, so nobody gets an
 * error for it; a send that is being cancelled is cancelled or fails (S0-17), and its request is null.
 * Each call has a receiver of its own, which looks at nothing and dies while rank 0 is in the call, or,
 * with `before`, has died and is known to be dead.
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-10: an operation without a dead process never reports a failure
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S4-15: a completed send does not mean that the message was received
 *
 * RUN: -n 8 --lenient-exit ; args 0 ; expect "rank 0 ok"
 * RUN: -n 8 --lenient-exit ; args 6 ; expect "rank 0 ok"
 * RUN: -n 8 --lenient-exit ; args 0 before ; expect "rank 0 ok"
 * RUN: -n 8 --lenient-exit ; args 6 before ; expect "rank 0 ok"
 * RUN: -n 8 --lenient-exit ; args 0 ; set SPIN=0 ; set YIELD=0 ; set SINGLE_COPY=always ; expect "rank 0 ok"
 * RUN: -n 8 --lenient-exit ; args 6 ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok"
 * RUN: -n 2 --lenient-exit ; args 3 ; expect "rank 0 ok" */
#include "../common.h"
#include "../complete.h"

#define LARGE 200000

static unsigned char data[LARGE], room[3 * LARGE];
static MPI_Comm c, pair; /* pair: with the receiver */
static int to;
static bool before;

/* The receiver may die from now on; with `before` it has. */
static void let_die(void)
{
    post(to);
    if (before)
        wait_until_dead(c, to);
}

static void attach_and_send(bool to_comm)
{
    if (to_comm)
        CHECK_EQ(MPI_Comm_attach_buffer(c, room, sizeof room), MPI_SUCCESS);
    else
        CHECK_EQ(MPI_Buffer_attach(room, sizeof room), MPI_SUCCESS);
    CHECK_EQ(MPI_Bsend(data, 10, MPI_BYTE, to, 1, c), MPI_SUCCESS);
    CHECK_EQ(MPI_Bsend(data, LARGE, MPI_BYTE, to, 1, c), MPI_SUCCESS);
    let_die();
}

static void detach(bool from_comm)
{
    void *back;
    int n;

    if (from_comm)
        CHECK_EQ(MPI_Comm_detach_buffer(c, &back, &n), MPI_SUCCESS);
    else
        CHECK_EQ(MPI_Buffer_detach(&back, &n), MPI_SUCCESS);
    CHECK(back == room && n == sizeof room);
}

static void buffer_detach(void)
{
    attach_and_send(false);
    detach(false);
}

static void comm_detach(void)
{
    attach_and_send(true);
    detach(true);
}

static void buffer_flush(void)
{
    attach_and_send(false);
    CHECK_EQ(MPI_Buffer_flush(), MPI_SUCCESS);
    detach(false);
}

static void comm_flush(void)
{
    attach_and_send(true);
    CHECK_EQ(MPI_Comm_flush_buffer(c), MPI_SUCCESS);
    detach(true);
}

static void buffer_iflush(void)
{
    MPI_Request r;

    attach_and_send(false);
    CHECK_EQ(MPI_Buffer_iflush(&r), MPI_SUCCESS);
    CHECK_EQ(complete(&r, TEST), MPI_SUCCESS);
    detach(false);
}

static void comm_iflush(void)
{
    MPI_Request r;

    attach_and_send(true);
    CHECK_EQ(MPI_Comm_iflush_buffer(c, &r), MPI_SUCCESS);
    CHECK_EQ(complete(&r, WAITSOME), MPI_SUCCESS);
    detach(true);
}

/* The room that a lost message took is free again. */
static void buffer_used_again(void)
{
    int err;

    attach_and_send(false);
    wait_until_dead(c, to);
    for (int i = 0; i < 20; i++) {
        err = MPI_Bsend(data, LARGE, MPI_BYTE, to, 1, c);
        CHECK(err == MPI_SUCCESS || err == MPI_ERR_PROC_FAILED);
        err = MPI_Bsend(data, LARGE, MPI_BYTE, 0, 1, c);
        CHECK_EQ(err, MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(data, LARGE, MPI_BYTE, 0, 1, c, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    detach(false);
}

static void cancel_and_end(MPI_Request *r, int how)
{
    int err;

    let_die();
    CHECK_EQ(MPI_Cancel(r), MPI_SUCCESS);
    err = complete(r, how);
    CHECK(err == MPI_SUCCESS || err == MPI_ERR_PROC_FAILED);
    CHECK(*r == MPI_REQUEST_NULL);
}

static void cancel_synchronous(void)
{
    MPI_Request r;

    CHECK_EQ(MPI_Issend(data, 1, MPI_BYTE, to, 1, c, &r), MPI_SUCCESS);
    cancel_and_end(&r, WAIT);
}

static void cancel_large(void)
{
    MPI_Request r;

    CHECK_EQ(MPI_Isend(data, LARGE, MPI_BYTE, to, 1, c, &r), MPI_SUCCESS);
    cancel_and_end(&r, WAITALL);
}

static void cancel_receive(void)
{
    MPI_Request r;

    CHECK_EQ(MPI_Irecv(data, LARGE, MPI_BYTE, to, 1, c, &r), MPI_SUCCESS);
    cancel_and_end(&r, TESTANY);
}

/* Collective over a pair, of which one never comes. */
static void disconnect(void)
{
    int err;

    let_die();
    err = MPI_Comm_disconnect(&pair);
    CHECK(err == MPI_SUCCESS || err == MPI_ERR_PROC_FAILED);
}

/* Ready: the receive is posted, and its process dies. */
static void ready(void)
{
    int err;

    let_die();
    err = MPI_Rsend(data, LARGE, MPI_BYTE, to, 2, c);
    CHECK(err == MPI_ERR_PROC_FAILED || (err == MPI_SUCCESS && !before));
    wait_until_dead(c, to);
    CHECK_EQ(MPI_Rsend(data, 10, MPI_BYTE, to, 2, c), MPI_ERR_PROC_FAILED);
}

static void (*const calls[])(void) = {
    buffer_detach,     comm_detach,        buffer_flush, comm_flush,     buffer_iflush, comm_iflush,
    buffer_used_again, cancel_synchronous, cancel_large, cancel_receive, disconnect,    ready};
#define CALLS ((int)(sizeof calls / sizeof calls[0]))

static void make_pair(int with)
{
    MPI_Group all, two;

    MPI_Comm_group(c, &all);
    MPI_Group_incl(all, 2, (int[]){0, with}, &two);
    CHECK_EQ(MPI_Comm_create_group(c, two, with, &pair), MPI_SUCCESS);
    MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
    MPI_Group_free(&all);
    MPI_Group_free(&two);
}

int main(int argc, char **argv)
{
    int first = atoi(argv[1]);
    MPI_Request r;

    start(&argc, &argv);
    before = argc > 2;
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    if (rank != 0) {
        make_pair(rank);
        MPI_Irecv(data, LARGE, MPI_BYTE, 0, 2, c, &r); /* for the ready sends */
        await(rank, 1);
        if (!before)
            die_soon(1 + getpid() * 7919L % 20000);
        else
            die_now();
        pause();
    }
    for (to = 1; to < size && first + to - 1 < CALLS; to++) {
        make_pair(to);
        calls[first + to - 1]();
    }
    for (; to < size; to++) {
        make_pair(to);
        post(to);
    }
    return finish();
}
