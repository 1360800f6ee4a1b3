/* SPDX-License-Identifier: BSD-3-Clause */
/* round.c – one roll-back, from the right to start it to the last dummy operation.
 *
 *   starter   LOCK to rank 0, GRANT; JOIN to each process reached, which answers ROW: its partners, or why it refuses
 *             TURN to each: the neighbours with which it exchanges logs
 *   all       LOG to and from each neighbour; compare; VOTE to the starter, GO from it
 *   all       dummy operations, own pending requests; VOTE, GO; the log is empty
 *
 * Between JOIN and the last GO a process starts no operation of the program. Only the holder of the lock sends JOIN,
 * hence each wait in a round is for one named process, which waits for nobody but the starter and its neighbours.
 *
 * A death ends each wait for the dead one. The process that sees it gives the round up, and others may be waiting for it
 * then: it revokes the control communicator, where the MPI library can do that. This ends all waits on it; waits on
 * the program's communicators look at it. */
#include "layer.h"

#include "mend_rollback.h"

#include <stdlib.h>
#include <string.h>

/* Where the library has no such function, no process outlives another one's death either. */
extern int MPIX_Comm_revoke(MPI_Comm comm);
#pragma weak MPIX_Comm_revoke

enum { LOCK = 1, UNLOCK, GRANT, JOIN, ROW, TURN, LOG, VOTE, GO };

/* What a process answers to JOIN, and is told by TURN; a byte for each process of the job follows. */
struct row {
    char why[80];
    unsigned char with[];
};

static struct rollback_layer *const l = &rollback_layer;

void rollback_abandon(void)
{
    rollback_refuse("a process died during a roll-back");
    if (MPIX_Comm_revoke)
        MPIX_Comm_revoke(l->control);
}

/* False: `p` is dead, or a process has abandoned a roll-back. */
static bool lives(int p)
{
    MPI_Status status;
    int flag;

    return PMPI_Iprobe(p, MPI_ANY_TAG, l->control, &flag, &status) == MPI_SUCCESS;
}

static int put(const void *data, size_t bytes, int to, int tag)
{
    return PMPI_Send(data, (int)bytes, MPI_BYTE, to, tag, l->control);
}

static int get(void *data, size_t bytes, int from, int tag)
{
    return PMPI_Recv(data, (int)bytes, MPI_BYTE, from, tag, l->control, MPI_STATUS_IGNORE);
}

/* Each receive has completed or never will. */
static void quiesce(void)
{
    for (int i = l->pending_n - 1; i >= 0; i--) {
        MPI_Request request = l->pending[i].request, was = request;
        MPI_Status status;
        int flag = 0, cancelled = 0;

        if (!l->pending[i].receive)
            continue;
        PMPI_Test(&request, &flag, &status);
        if (!flag) {
            PMPI_Cancel(&request);
            PMPI_Wait(&request, &status);
            PMPI_Test_cancelled(&status, &cancelled);
        }
        rollback_completed(was, cancelled ? NULL : &status);
    }
}

static size_t row_bytes(void)
{
    return sizeof(struct row) + l->n;
}

static void fill_row(struct row *row)
{
    if (!l->on)
        rollback_refuse("a process without a safe point");
    if (!l->why[0]) /* else requests may be gone, and nothing is changed here */
        quiesce();
    memset(row, 0, row_bytes());
    memcpy(row->why, l->why, sizeof(row->why));
    for (size_t i = 0; i < l->log.n; i++) {
        const struct rollback_entry *e = &l->log.e[i];
        const struct rollback_comm *c = rollback_comm_numbered(e->comm);

        if ((e->kind == ROLLBACK_SEND || e->kind == ROLLBACK_RECV) && e->peer >= 0)
            row->with[e->peer] = 1;
        for (int k = 0; e->kind == ROLLBACK_COLL && c && k < c->size; k++)
            row->with[c->world[k]] = 1;
    }
    row->with[l->me] = 0;
}

/* Everybody's worst answer.  `members`: at the starter, the others; else NULL. */
static int agree(int mine, int starter, const unsigned char *members)
{
    int worst = mine, other;

    if (!members) {
        if (put(&mine, sizeof(mine), starter, VOTE) || get(&worst, sizeof(worst), starter, GO)) {
            rollback_abandon();
            return MPI_ERR_OTHER;
        }
        return worst;
    }
    for (int i = 0; i < l->n; i++)
        if (members[i] && i != l->me && (get(&other, sizeof(other), i, VOTE) || other))
            worst = MPI_ERR_OTHER;
    for (int i = 0; i < l->n; i++)
        if (members[i] && i != l->me)
            put(&worst, sizeof(worst), i, GO);
    return worst;
}

static bool member(uint64_t comm, int peer, void *arg)
{
    const struct rollback_comm *c = rollback_comm_numbered(comm);

    (void)arg;
    for (int i = 0; c && i < c->size; i++)
        if (c->world[i] == peer)
            return true;
    return false;
}

static int compare(const struct rollback_log *theirs, int peer)
{
    static const char *const words[] = {"", "a message crosses the safe point",
                                        "collectives that differ", "no memory to compare logs"};
    size_t before = l->log.n;
    enum rollback_verdict verdict = rollback_match(&l->log, l->me, theirs, peer);

    rollback_refuse(words[verdict]);
    for (size_t i = before; i < l->log.n; i++) /* now: later others would wait for it */
        if (l->log.e[i].kind == ROLLBACK_COLL && !rollback_coll_possible(&l->log.e[i]))
            return MPI_ERR_OTHER;
    return verdict == ROLLBACK_MATCHED ? MPI_SUCCESS : MPI_ERR_OTHER;
}

/* The part of one neighbour. */
static int receive_part(int from, struct rollback_log *part)
{
    MPI_Status status;
    int bytes, code = PMPI_Probe(from, LOG, l->control, &status);

    if (code != MPI_SUCCESS)
        return code;
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    part->n = bytes / sizeof(*part->e);
    part->e = malloc(bytes + 1);
    return part->e ? get(part->e, bytes, from, LOG) : MPI_ERR_NO_MEM;
}

/* Sends each neighbour its part, and compares what they send.  A wait for a neighbour ends at its death. */
static int exchange(const unsigned char *with)
{
    struct rollback_log *out = calloc(l->n, sizeof(*out));
    MPI_Request *sent = malloc((l->n + 1) * sizeof(MPI_Request));
    bool whole = true;
    int worst = out && sent ? MPI_SUCCESS : MPI_ERR_NO_MEM;

    for (int i = 0; !worst && i < l->n; i++) {
        sent[i] = MPI_REQUEST_NULL;
        if (!with[i] && i != l->me)
            continue;
        if (!rollback_log_part(&l->log, i, member, NULL, &out[i])) {
            rollback_refuse("no memory for parts of the log");
            whole = false;
        }
        if (i != l->me)
            PMPI_Isend(out[i].e, (int)(out[i].n * sizeof(*out[i].e)), MPI_BYTE, i, LOG, l->control,
                       &sent[i]);
    }
    for (int i = 0; i < l->n && out && sent; i++) {
        struct rollback_log in = {0};

        if (i == l->me ? compare(&out[i], i) : with[i] && (receive_part(i, &in) || compare(&in, i)))
            worst = MPI_ERR_OTHER;
        rollback_log_free(&in);
    }
    if (!out || !sent)
        rollback_abandon(); /* neighbours wait for their parts */
    else
        PMPI_Waitall(l->n, sent, MPI_STATUSES_IGNORE);
    for (int i = 0; out && i < l->n; i++)
        rollback_log_free(&out[i]);
    free(out);
    free(sent);
    return whole ? worst : MPI_ERR_NO_MEM;
}

struct dummy {
    void *buffers[2];
    MPI_Request request;
};

static int start_dummy(const struct rollback_entry *e, struct dummy *d)
{
    struct rollback_comm *c = rollback_comm_numbered(e->comm);
    int source = 0;

    d->request = MPI_REQUEST_NULL;
    if (!c)
        return MPI_ERR_OTHER;
    if (e->kind == ROLLBACK_COLL)
        return rollback_coll_dummy(e, c->comm, c->size, d->buffers, &d->request);
    while (source < c->size && c->world[source] != e->peer)
        source++;
    d->buffers[0] = malloc(e->count + 1);
    if (source == c->size || !d->buffers[0])
        return MPI_ERR_OTHER;
    return PMPI_Irecv(d->buffers[0], (int)e->count, MPI_PACKED, source, e->tag, c->comm,
                      &d->request);
}

/* Waits for an operation of the program's communicators, which its partner may have abandoned.  False: it never ends. */
static bool complete(MPI_Request *request, int starter, int *worst)
{
    int flag = 0, code = MPI_SUCCESS;

    while (!code && !flag) {
        code = PMPI_Test(request, &flag, MPI_STATUS_IGNORE);
        if (!code && !flag && !lives(starter)) {
            *worst = MPI_ERR_OTHER;
            return false;
        }
    }
    if (code)
        *worst = MPI_ERR_OTHER;
    return true;
}

/* Performs what the comparison has appended behind the first `from` entries, then completes what is pending. */
static int perform(size_t from, int starter)
{
    size_t n = l->log.n - from;
    struct dummy *dummies = calloc(n + 1, sizeof(*dummies));
    int worst = dummies ? MPI_SUCCESS : MPI_ERR_NO_MEM;

    for (size_t i = 0; dummies && i < n; i++)
        if (start_dummy(&l->log.e[from + i], &dummies[i]))
            worst = MPI_ERR_OTHER;
    for (size_t i = 0; dummies && i < n; i++) {
        if (!complete(&dummies[i].request, starter, &worst))
            continue; /* the operation still owns the buffers */
        free(dummies[i].buffers[0]);
        free(dummies[i].buffers[1]);
    }
    free(dummies);
    for (int i = 0; i < l->pending_n; i++)
        complete(&l->pending[i].request, starter, &worst);
    l->pending_n = 0;
    return worst;
}

/* The part of a round that is the same for all: from the neighbours on. */
static int go_back(const struct row *turn, int starter, const unsigned char *members)
{
    size_t before = l->log.n;
    int code;

    if (turn->why[0]) {
        rollback_refuse(turn->why);
        l->on = false;
        return MPI_ERR_OTHER;
    }
    code = agree(exchange(turn->with), starter, members);
    if (!code)
        code = agree(perform(before, starter), starter, members);
    if (code) {
        rollback_refuse("refused by another process, or one died");
        l->on = false;
    }
    l->log.n = 0;
    return code;
}

/* Asks until the set of processes is complete; rows[p] is the answer of p.  A process that does not answer died. */
static void reach(unsigned char *reached, unsigned char *asked, struct row **rows, char why[80])
{
    int p;

    while ((p = rollback_spread_next(reached, asked, l->n)) >= 0) {
        int code = MPI_SUCCESS;

        rows[p] = calloc(1, row_bytes());
        if (!rows[p]) {
            strcpy(why, "no memory");
        } else if (p == l->me) {
            fill_row(rows[p]);
        } else if ((code = put(NULL, 0, p, JOIN)) || (code = get(rows[p], row_bytes(), p, ROW))) {
            strcpy(why, "a process died");
            reached[p] = 0;
        }
        if (rows[p] && rows[p]->why[0] && !why[0])
            memcpy(why, rows[p]->why, 80);
        if (rows[p] && !code)
            rollback_spread_add(reached, rows[p]->with, l->n);
    }
}

static int start_round(void)
{
    unsigned char *reached = calloc(2, l->n), *asked = reached + l->n;
    struct row **rows = calloc(l->n, sizeof(*rows)), *turn = calloc(1, row_bytes());
    char why[80] = "";
    int code = MPI_ERR_NO_MEM;

    if (reached && rows && turn) {
        reached[l->me] = 1;
        reach(reached, asked, rows, why);
        for (int k = 1; k <= l->n; k++) {
            int p = (l->me + k) % l->n; /* this process last: its turn stays in `turn` */

            if (!reached[p] || !rows[p])
                continue;
            memcpy(turn->why, why, sizeof(why));
            for (int q = 0; q < l->n; q++)
                turn->with[q] = reached[q] && rows[q] && (rows[p]->with[q] || rows[q]->with[p]);
            if (p != l->me)
                put(turn, row_bytes(), p, TURN);
        }
        code = go_back(turn, l->me, reached);
    }
    for (int p = 0; rows && p < l->n; p++)
        free(rows[p]);
    free(reached);
    free(rows);
    free(turn);
    return code;
}

/* A starter has asked this process. */
static void join_round(int starter)
{
    struct row *row = calloc(1, row_bytes());

    get(NULL, 0, starter, JOIN);
    if (!row)
        PMPI_Abort(l->control, 1);
    fill_row(row);
    if (put(row, row_bytes(), starter, ROW) || get(row, row_bytes(), starter, TURN)) {
        rollback_abandon();
        l->on = false;
    } else {
        go_back(row, starter, NULL);
    }
    free(row);
}

/* Rank 0: the next one may roll back. */
static void grant_next(void)
{
    while (l->holder < 0 && l->queue_n > 0) {
        l->holder = l->queue[0];
        memmove(l->queue, l->queue + 1, --l->queue_n * sizeof(int));
        if (l->holder == l->me)
            l->granted = true;
        else if (put(NULL, 0, l->holder, GRANT))
            l->holder = -1; /* it died */
    }
}

static void ask_lock(int who)
{
    l->queue[l->queue_n++] = who; /* once for each process: the queue holds as many */
    grant_next();
}

static void give_back(void)
{
    if (l->me) {
        put(NULL, 0, 0, UNLOCK);
        return;
    }
    l->holder = -1;
    grant_next();
}

int rollback_poll(void)
{
    MPI_Status status;
    int flag = 0, from;

    if (l->holder >= 0 && l->holder != l->me && !lives(l->holder)) {
        l->holder = -1;
        grant_next();
    }
    if (l->control == MPI_COMM_NULL ||
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, l->control, &flag, &status) || !flag)
        return 0;
    from = status.MPI_SOURCE;
    if (status.MPI_TAG == JOIN) {
        join_round(from);
        if (l->function && !l->starting)
            l->function(l->arg);
        return 1;
    }
    get(NULL, 0, from, status.MPI_TAG);
    if (status.MPI_TAG == LOCK)
        ask_lock(from);
    else if (status.MPI_TAG == GRANT)
        l->granted = true;
    else if (status.MPI_TAG == UNLOCK && l->holder == from) {
        l->holder = -1;
        grant_next();
    }
    return 0;
}

int rollback_undo(void)
{
    int code = MPI_SUCCESS;

    if (!l->on)
        return MPI_ERR_OTHER;
    l->starting = true;
    l->granted = false;
    if (l->me == 0)
        ask_lock(0);
    else
        code = put(NULL, 0, 0, LOCK);
    while (!code && !l->granted) {
        rollback_poll();
        if (!l->on || !lives(0))
            code = MPI_ERR_OTHER;
    }
    if (code) {
        rollback_abandon();
        code = MPI_ERR_OTHER;
    } else {
        code = start_round();
        give_back();
    }
    l->starting = false;
    return code;
}
