/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of requests of all kinds in any order and number - null,
 * inactive, finished, open, pending, failed; of messages, persistent, collective, generalized - are given
 * to the completion calls in any order, with and without statuses, until nothing can be completed any
 * more.  A model of ten lines says what each call must return, which requests it takes, what stands in
 * each status, and that the error handler of the right communicator is called, once.  The calls that
 * only look (MPI_Request_get_status and its any, all and some forms) change nothing.
 *
 *     args SEED TRIALS     the trial that fails is printed
 *
 *   S0-16: the completion call reports the failure
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S0-20: a wildcard receive without a match stays pending
 *   S0-24: PROC_FAILED on a wildcard receive means that the request is finished
 *   S0-26: calls for several requests return IN_STATUS, with classes in the statuses
 *
 * RUN: -n 2 ; args 1 1500 ; expect "rank 0 ok"
 * RUN: -n 3 ; args 2 1500 ; expect "rank 0 ok"
 * RUN: -n 8 ; args 3 1500 ; expect "rank 0 ok" */
#include "../common.h"

#define MOST 12

enum state { IDLE, DONE, PENDING, OPEN };
enum kind {
    NULL_ONE,
    INACTIVE,
    RECEIVED,
    RECEIVED_AGAIN, /* persistent */
    SENT,
    GENERALIZED,
    GENERALIZED_OPEN,
    NEVER, /* its message does not come */
    WILD,
    LOST_RECEIVE,
    LOST_SEND,
    LOST_AGAIN,
    LOST_EXCHANGE,
    LOST_COLLECTIVE,
    ENUM_KINDS
};

struct slot {
    enum kind kind;
    enum state state;
    int class; /* of a done one */
    bool persistent;
    MPI_Request was; /* the handle before the call */
    int value;
};

static MPI_Comm world, other; /* with an error handler that counts */
static int dead, calls, n;
static MPI_Comm called_for;
static struct slot slots[MOST];
static MPI_Request q[MOST];
static MPI_Status status[MOST];

static void on_error(MPI_Comm *c, int *code, ...)
{
    (void)code;
    calls++;
    called_for = *c;
}

static int query(void *extra, MPI_Status *s)
{
    (void)extra;
    MPI_Status_set_elements(s, MPI_BYTE, 0);
    MPI_Status_set_cancelled(s, 0);
    s->MPI_SOURCE = MPI_UNDEFINED;
    s->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int free_it(void *extra)
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

static void make_good(struct slot *s, MPI_Request *r, int i)
{
    int v = 100 + i;

    if (s->kind == SENT) {
        MPI_Isend(&v, 1, MPI_INT, rank, 50 + i, world, r); /* small: complete at once */
        CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, rank, 50 + i, world, MPI_STATUS_IGNORE), MPI_SUCCESS);
        return;
    }
    CHECK_EQ(MPI_Send(&v, 1, MPI_INT, rank, i, world), MPI_SUCCESS);
    if (s->kind == RECEIVED) {
        MPI_Irecv(&s->value, 1, MPI_INT, rank, i, world, r);
    } else {
        MPI_Recv_init(&s->value, 1, MPI_INT, rank, i, world, r);
        MPI_Start(r);
        s->persistent = true;
    }
}

static void make_lost(struct slot *s, MPI_Request *r)
{
    static int give, take[64];

    s->class = MPI_ERR_PROC_FAILED;
    if (s->kind == LOST_RECEIVE)
        MPI_Irecv(&s->value, 1, MPI_INT, dead, 1, world, r);
    else if (s->kind == LOST_SEND)
        MPI_Issend(&give, 1, MPI_INT, dead, 1, other, r);
    else if (s->kind == LOST_EXCHANGE)
        MPI_Isendrecv(&give, 1, MPI_INT, dead, 1, &s->value, 1, MPI_INT, MPI_PROC_NULL, 1, world,
                      r);
    else if (s->kind == LOST_COLLECTIVE)
        MPI_Iallgather(&give, 1, MPI_INT, take, 1, MPI_INT, other, r);
    if (s->kind == LOST_AGAIN) {
        MPI_Recv_init(&s->value, 1, MPI_INT, dead, 1, other, r);
        MPI_Start(r);
        s->persistent = true;
    }
}

static void make(int i, enum kind kind)
{
    struct slot *s = &slots[i];

    *s = (struct slot){.kind = kind, .state = DONE, .class = MPI_SUCCESS, .value = -1};
    q[i] = MPI_REQUEST_NULL;
    if (kind == NULL_ONE || kind == INACTIVE) {
        s->state = IDLE;
        if (kind == INACTIVE)
            MPI_Recv_init(&s->value, 1, MPI_INT, dead, 1, world, &q[i]);
        s->persistent = kind == INACTIVE;
    } else if (kind == RECEIVED || kind == RECEIVED_AGAIN || kind == SENT) {
        make_good(s, &q[i], i);
    } else if (kind == GENERALIZED || kind == GENERALIZED_OPEN) {
        MPI_Grequest_start(query, free_it, cancel, NULL, &q[i]);
        if (kind == GENERALIZED)
            MPI_Grequest_complete(q[i]);
        else
            s->state = OPEN;
    } else if (kind == NEVER) {
        MPI_Irecv(&s->value, 1, MPI_INT, rank, 500, world, &q[i]);
        s->state = OPEN;
    } else if (kind == WILD) {
        MPI_Irecv(&s->value, 1, MPI_INT, MPI_ANY_SOURCE, 501, world, &q[i]);
        s->state = PENDING;
    } else {
        make_lost(s, &q[i]);
    }
    s->was = q[i];
}

/* ---- the model ---- */

static int count(enum state state)
{
    int k = 0;

    for (int i = 0; i < n; i++)
        k += slots[i].state == state;
    return k;
}

static bool is_broken(const struct slot *s)
{
    return s->state == PENDING || (s->state == DONE && s->class != MPI_SUCCESS);
}

static bool any_broken(void)
{
    bool found = false;

    for (int i = 0; i < n; i++)
        found |= is_broken(&slots[i]);
    return found;
}

static int class_now(const struct slot *s)
{
    return s->state == OPEN || s->state == PENDING ? MPI_ERR_PENDING
           : s->state == DONE                      ? s->class
                                                   : MPI_SUCCESS;
}

/* A call has answered about request i: with this status, unless it was ignored. */
static void taken(int i, const MPI_Status *st, bool multiple)
{
    struct slot *s = &slots[i];
    bool received = s->state == DONE && (s->kind == RECEIVED || s->kind == RECEIVED_AGAIN);

    if (st && multiple)
        CHECK_EQ(class_of(st->MPI_ERROR), class_now(s));
    if (st && received)
        CHECK(st->MPI_SOURCE == rank && st->MPI_TAG == i);
    if (st && s->state == IDLE)
        CHECK(st->MPI_SOURCE == MPI_ANY_SOURCE && st->MPI_TAG == MPI_ANY_TAG);
    if (received)
        CHECK_EQ(s->value, 100 + i);
    if (s->state != DONE)
        return;
    s->state = IDLE;
    if (!s->persistent)
        s->was = MPI_REQUEST_NULL;
}

static MPI_Comm comm_of(const struct slot *s)
{
    return s->kind == LOST_SEND || s->kind == LOST_COLLECTIVE || s->kind == LOST_AGAIN ? other
                                                                                       : world;
}

/* The call returned err; class is what the model says.  One error, one call of the right handler. */
static void judge(int err, int class, MPI_Comm whose)
{
    CHECK_EQ(class_of(err), class);
    CHECK_EQ(calls, class != MPI_SUCCESS);
    if (class != MPI_SUCCESS && whose != MPI_COMM_NULL)
        CHECK(called_for == whose);
    calls = 0;
    for (int i = 0; i < n; i++)
        CHECK(q[i] == slots[i].was);
}

/* The communicator of the first request that has failed, or else is pending, or else is open. */
static MPI_Comm first_blamed(bool open_counts)
{
    const enum state order[] = {DONE, PENDING, OPEN};

    for (int k = 0; k < 2 + open_counts; k++)
        for (int i = 0; i < n; i++)
            if (slots[i].state == order[k] && class_now(&slots[i]) != MPI_SUCCESS)
                return slots[i].kind == GENERALIZED_OPEN ? MPI_COMM_NULL : comm_of(&slots[i]);
    return MPI_COMM_NULL;
}

/* ---- the calls ---- */

static void one(bool wait, bool ignore)
{
    int i = rand() % n, flag = -1, class = class_now(&slots[i]);
    MPI_Status *st = ignore ? MPI_STATUS_IGNORE : &status[0];

    if (slots[i].state == OPEN) {
        if (wait)
            return;
        class = MPI_SUCCESS;
    }
    int err = wait ? MPI_Wait(&q[i], st) : MPI_Test(&q[i], &flag, st);
    if (!wait)
        CHECK_EQ(flag, slots[i].state == IDLE || slots[i].state == DONE);
    if (slots[i].state == IDLE || slots[i].state == DONE)
        taken(i, ignore ? NULL : st, false);
    judge(err, class, comm_of(&slots[i]));
}

static void any(bool wait, bool ignore)
{
    int i = -1, flag = 1, class = MPI_SUCCESS, err;
    MPI_Status *st = ignore ? MPI_STATUS_IGNORE : &status[0];
    bool answer = count(DONE) + count(PENDING) > 0;
    MPI_Comm whose = MPI_COMM_NULL;

    if (wait && !answer && count(OPEN))
        return;
    err = wait ? MPI_Waitany(n, q, &i, st) : MPI_Testany(n, q, &i, &flag, st);
    CHECK_EQ(flag, answer || !count(OPEN));
    if (answer) {
        CHECK(i >= 0 && i < n && slots[i].state == (count(DONE) ? DONE : PENDING));
        class = class_now(&slots[i]);
        whose = comm_of(&slots[i]);
        taken(i, ignore || slots[i].state == PENDING ? NULL : st, false);
    } else {
        CHECK_EQ(i, MPI_UNDEFINED);
    }
    judge(err, class, whose);
}

static void all(bool wait, bool ignore)
{
    bool open = count(OPEN) + count(PENDING) > 0, broken = any_broken();
    MPI_Comm whose = first_blamed(true);
    int flag = !open, err, class = broken ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
    MPI_Status *st = ignore ? MPI_STATUSES_IGNORE : status;

    if (wait && open && !broken)
        return;
    err = wait ? MPI_Waitall(n, q, st) : MPI_Testall(n, q, &flag, st);
    CHECK_EQ(flag, !open);
    for (int i = 0; i < n && (broken || !open); i++)
        taken(i, ignore ? NULL : &status[i], broken);
    judge(err, class, whose);
}

static void some(bool wait, bool ignore)
{
    int indices[MOST], k = -1, err, answers = count(DONE) + count(PENDING);
    int class = any_broken() ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
    MPI_Comm whose = first_blamed(false);
    MPI_Status *st = ignore ? MPI_STATUSES_IGNORE : status;

    if (wait && !answers && count(OPEN))
        return;
    err = wait ? MPI_Waitsome(n, q, &k, indices, st) : MPI_Testsome(n, q, &k, indices, st);
    CHECK_EQ(k, answers || count(OPEN) ? answers : MPI_UNDEFINED);
    for (int i = 0; i < k; i++) {
        CHECK(slots[indices[i]].state == DONE || slots[indices[i]].state == PENDING);
        taken(indices[i], ignore ? NULL : &status[i], class != MPI_SUCCESS);
    }
    judge(err, class, whose);
}

/* Nothing is taken; only a pending one is an error. */
static void look(int how)
{
    int i = rand() % n, flag = -1, k, indices[MOST], err, pending = count(PENDING);
    int done = count(DONE), open = count(OPEN);

    if (how == 0) {
        err = MPI_Request_get_status(q[i], &flag, status);
        CHECK_EQ(flag, slots[i].state == IDLE || slots[i].state == DONE);
        pending = slots[i].state == PENDING;
    } else if (how == 1) {
        err = MPI_Request_get_status_any(n, q, &i, &flag, status);
        CHECK_EQ(flag, done || pending || !open);
        pending = !done && pending;
    } else if (how == 2) {
        err = MPI_Request_get_status_all(n, q, &flag, status);
        CHECK_EQ(flag, !open && !pending);
    } else {
        err = MPI_Request_get_status_some(n, q, &k, indices, status);
        CHECK_EQ(k, done || pending || open ? done : MPI_UNDEFINED);
    }
    judge(err, pending ? MPI_ERR_PENDING : MPI_SUCCESS, pending ? world : MPI_COMM_NULL);
}

static void call(void)
{
    static void (*const calls_of[])(bool, bool) = {one, any, all, some};
    int what = rand() % 5;
    bool wait = rand() % 2, ignore = rand() % 3 == 0;

    if (what == 4)
        look(rand() % 4);
    else
        calls_of[what](wait, ignore);
}

static void clean_up(void)
{
    for (int i = 0; i < n; i++) {
        if (slots[i].kind == GENERALIZED_OPEN)
            MPI_Grequest_complete(q[i]);
        else if (slots[i].state == OPEN || slots[i].state == PENDING)
            CHECK_EQ(MPI_Cancel(&q[i]), MPI_SUCCESS);
        if (slots[i].persistent && slots[i].state == IDLE)
            CHECK_EQ(MPI_Request_free(&q[i]), MPI_SUCCESS);
        else if (slots[i].state != IDLE)
            MPI_Wait(&q[i], MPI_STATUS_IGNORE);
        if (q[i] != MPI_REQUEST_NULL)
            CHECK_EQ(MPI_Request_free(&q[i]), MPI_SUCCESS);
    }
    calls = 0;
}

static void trial(void)
{
    n = 1 + rand() % MOST;
    for (int i = 0; i < n; i++)
        make(i, (enum kind)(rand() % ENUM_KINDS));
    calls = 0;
    for (int k = 0; k < 10; k++)
        call();
    clean_up();
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler;

    start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(world, handler);
    MPI_Comm_set_errhandler(other, handler);
    dead = size - 1;
    if (rank == dead)
        die_now();
    if (rank == 0) {
        wait_until_dead(world, dead);
        srand((unsigned)atoi(argv[1]));
        for (int i = 0; i < atoi(argv[2]); i++) {
            fprintf(stderr, "trial %d of seed %s\r", i, argv[1]);
            trial();
        }
    }
    return finish();
}
