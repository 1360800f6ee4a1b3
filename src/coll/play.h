/* SPDX-License-Identifier: BSD-3-Clause */
/* play.h – plays the step lists of all ranks against each other in memory; for unit tests only.
 *
 * Messages are synchronous: a round ends when all its sends and receives have met.  They meet
 * either at once or only when no rank can continue (`late`), so the test finds a list that touches a buffer too
 * early or that would deadlock without buffering.
 *
 * A rank has heard of another one if a message has come that was sent after the other one had begun, in a round that began
 * after its sender had heard of it.
 *
 * Elements of a test type are `size` bytes at true_lb of each extent. */
#ifndef MEND_COLL_PLAY_H
#define MEND_COLL_PLAY_H

#include "base/test.h"
#include "coll/algorithms.h"
#include "coll/nodes.h"

#define PLAY_RANKS 70
#define PLAY_OPEN  512

struct play_open {
    bool is_send, done;
    int peer, number; /* k-th message of this pair */
    struct mend_piece piece;
};

struct play_rank {
    struct mend_sched sched;
    char *at[3]; /* by enum mend_operand */
    size_t bytes[3];
    unsigned next;
    struct play_open open[PLAY_OPEN];
    int open_n;
    int sent[PLAY_RANKS], received[PLAY_RANKS];
    bool heard[PLAY_RANKS], says[PLAY_RANKS]; /* by rank: of it; and before this round */
};

struct play {
    int n;
    int group; /* > 0: two groups, ranks below it and the others; lists name ranks of the other */
    bool late;
    void (*reduce)(const char *from, char *to); /* one element */
    struct play_rank *rank;
};

static struct mend_proc *play_proc(void)
{
    static struct mend_proc *p;

    return p ? p : (p = mend_proc_create_bare());
}

static inline struct play play_open(int n, size_t in_bytes, size_t out_bytes)
{
    struct play w = {.n = n, .rank = calloc((size_t)n, sizeof(struct play_rank))};

    for (int r = 0; r < n; r++) {
        struct play_rank *p = &w.rank[r];

        mend_sched_open(&p->sched, play_proc(), "test", r, n);
        p->heard[r] = true;
        p->bytes[MEND_OPERAND_INPUT] = in_bytes;
        p->bytes[MEND_OPERAND_OUTPUT] = out_bytes;
        p->at[MEND_OPERAND_INPUT] = memset(malloc(in_bytes + 1), 0xA5, in_bytes + 1);
        p->at[MEND_OPERAND_OUTPUT] = memset(malloc(out_bytes + 1), 0xA5, out_bytes + 1);
    }
    return w;
}

static inline void play_close(struct play *w)
{
    for (int r = 0; r < w->n; r++) {
        mend_sched_close(&w->rank[r].sched);
        for (int i = 0; i < 3; i++)
            free(w->rank[r].at[i]);
    }
    free(w->rank);
}

static char *play_element(struct play_rank *p, struct mend_piece piece, MPI_Count i)
{
    MPI_Count at = piece.at + i * piece.type->extent + piece.type->true_lb;

    CHECK(at >= 0 && (size_t)(at + piece.type->size) <= p->bytes[piece.operand]);
    return p->at[piece.operand] + at;
}

static void play_move(struct play_rank *a, struct mend_piece from, struct play_rank *b,
                      struct mend_piece to)
{
    MPI_Count bytes = mend_piece_bytes(from);

    CHECK_EQ(bytes, mend_piece_bytes(to));
    for (MPI_Count k = 0; k < bytes; k++)
        play_element(b, to, k / to.type->size)[k % to.type->size] =
            play_element(a, from, k / from.type->size)[k % from.type->size];
}

static void play_local(struct play *w, struct play_rank *p, const struct mend_step *step)
{
    if (step->kind == MEND_STEP_COPY) {
        play_move(p, step->from, p, step->to);
        return;
    }
    CHECK_EQ(step->from.count, step->to.count);
    for (MPI_Count i = 0; i < step->to.count; i++)
        w->reduce(play_element(p, step->from, i), play_element(p, step->to, i));
}

/* Index of the rank that a list of `who` names. */
static int play_peer(const struct play *w, const struct play_rank *who, int rank)
{
    return w->group && who < w->rank + w->group ? w->group + rank : rank;
}

/* Runs a rank up to the end of its round.  False if it cannot go on. */
static bool play_run(struct play *w, struct play_rank *p)
{
    for (int i = 0; i < p->open_n; i++)
        if (!p->open[i].done)
            return false;
    p->open_n = 0;
    if (p->next == p->sched.steps_n)
        return false;
    memcpy(p->says, p->heard, sizeof(p->says));
    while (p->next < p->sched.steps_n) {
        const struct mend_step *step = &p->sched.steps[p->next++];

        if (step->kind == MEND_STEP_ROUND)
            return true;
        if (step->kind == MEND_STEP_REDUCE || step->kind == MEND_STEP_COPY) {
            play_local(w, p, step);
        } else {
            bool send = step->kind == MEND_STEP_SEND;
            int peer = play_peer(w, p, step->rank);
            int number = send ? p->sent[peer]++ : p->received[peer]++;

            CHECK(p->open_n < PLAY_OPEN);
            p->open[p->open_n++] =
                (struct play_open){send, false, peer, number, send ? step->from : step->to};
        }
    }
    CHECK_EQ(p->open_n, 0); /* every list ends its last round */
    return true;
}

static void play_hear(const struct play_rank *from, struct play_rank *to)
{
    for (int i = 0; i < PLAY_RANKS; i++)
        to->heard[i] |= from->says[i];
}

static bool play_meet(struct play *w, int r)
{
    struct play_rank *p = &w->rank[r], *q;
    bool any = false;

    for (int i = 0; i < p->open_n; i++) {
        struct play_open *a = &p->open[i], *b;

        q = &w->rank[a->peer];
        for (int j = 0; !a->done && j < q->open_n; j++) {
            b = &q->open[j];
            if (b->done || b->is_send == a->is_send || b->peer != r || b->number != a->number)
                continue;
            if (a->is_send)
                play_move(p, a->piece, q, b->piece);
            else
                play_move(q, b->piece, p, a->piece);
            play_hear(a->is_send ? p : q, a->is_send ? q : p);
            a->done = b->done = any = true;
        }
    }
    return any;
}

/* Plays all lists to their end; fails if they wait for each other for ever. */
static inline void play(struct play *w)
{
    bool any = true;

    for (int r = 0; r < w->n; r++) {
        struct play_rank *p = &w->rank[r];

        CHECK(!p->sched.no_memory);
        CHECK(p->sched.open_max <= PLAY_OPEN);
        p->bytes[MEND_OPERAND_TEMP] = p->sched.temp_max;
        p->at[MEND_OPERAND_TEMP] =
            memset(malloc(p->sched.temp_max + 1), 0x5A, p->sched.temp_max + 1);
    }
    while (any) {
        any = false;
        for (int r = 0; r < w->n; r++) {
            while (play_run(w, &w->rank[r]))
                any = true;
            if (!w->late)
                any |= play_meet(w, r);
        }
        for (int r = w->n - 1; w->late && !any && r >= 0; r--)
            any |= play_meet(w, r);
    }
    for (int r = 0; r < w->n; r++) {
        CHECK_EQ(w->rank[r].next, w->rank[r].sched.steps_n);
        for (int i = 0; i < w->rank[r].open_n; i++)
            CHECK(w->rank[r].open[i].done);
    }
}

/* Ways to put n ranks on nodes.  In the first PLAY_IN_ORDER of them each node has consecutive ranks. */
#define PLAY_SHAPES   7
#define PLAY_IN_ORDER 4

static inline struct mend_nodes *play_nodes(int n, int shape)
{
    int node[PLAY_RANKS];

    for (int r = 0; r < n; r++) {
        const int ways[PLAY_SHAPES] = {r / 2, r / 3, r == n - 1,   r > 0,
                                       r % 2, r % 3, r * r % 7 % 5};

        node[r] = ways[shape];
    }
    return mend_nodes_make(play_proc(), node, n, PLAY_RANKS);
}

#endif
