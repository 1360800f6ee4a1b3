/* SPDX-License-Identifier: BSD-3-Clause */
/* cell.c – ticks, lines and buffers (cell.h has the idea), barrier and broadcast. */
#include "coll/cell.h"
#include "coll/cell_forms.h"
#include "coll/cell_pair.h"
#include "comm/errcode.h"
#include "node/node.h"

#include <string.h>

#define LINES_AHEAD 3
#define BCAST_CHUNK (32 * 1024) /* bytes per tick of a long broadcast: four stay in the cache */

int mend_cell_begin_slow(struct mend_comm *c, uint64_t n, uint64_t *first_p)
{
    int err = mend_coll_check(c);

    *first_p = 0;
    return err ? err : mend_cell_begin(c, n, first_p);
}

void mend_cell_nudge_members(struct mend_comm *c)
{
    struct mend_node_wakes w = {.header = c->self->node->header};

    for (int r = 0; r < c->size; r++)
        if (r != c->rank)
            mend_node_nudge(&w, mend_peer_place(c->self, mend_group_peer(c->group, r)));
    mend_node_wakes_flush(&w);
}

/* What a member says in a tick in its line; 0: nothing yet. */
static uint64_t line_says(const struct mend_comm *c, int rank, uint64_t tick)
{
    const struct mend_cell_line *line = &c->coll->block[rank]->line[tick % MEND_CELL_LINES];

    /* acquire: pairs with the release in mend_cell_publish() */
    return mend_load_acquire(&line->number) == tick ? line->what : 0;
}

/* The same in a word of a pair. */
static uint64_t word_says(const struct mend_comm *c, int rank, uint64_t tick)
{
    const struct mend_cell_word *w = c->coll->pair ? mend_cell_pair_find(c, rank, tick) : NULL;
    uint64_t word = w ? mend_load_relaxed(&w->word) : 0;

    return w ? MEND_CELL_WHAT(word >> 4 & 15, word & 15) : 0;
}

static uint64_t said_by(const struct mend_comm *c, int rank, uint64_t tick)
{
    uint64_t what = line_says(c, rank, tick);

    return what ? what : word_says(c, rank, tick);
}

/* In a pair the other one may be in another call, or in one that says it where this one does not look.  One look at its word
 * decides: it may come between two. */
static bool all_seen(struct mend_cell_look *l)
{
    int other = !l->c->rank;
    uint64_t word;

    if (l->rank == l->end || (!l->pair && mend_cell_all_seen(l)))
        return true;
    word = word_says(l->c, other, l->tick);
    if (!l->pair)
        l->wrong |= word != 0;
    else
        l->wrong |= word ? word != l->what : line_says(l->c, other, l->tick) != 0;
    if (l->wrong || (l->pair && word))
        l->rank = l->end;
    return l->rank == l->end;
}

static bool seen_or_barred(struct mend_proc *self, void *arg)
{
    struct mend_cell_look *l = arg;

    (void)self;
    return all_seen(l) || mend_coll_check(l->c);
}

static void not_told(const void *arg, uint64_t *peers)
{
    const struct mend_cell_look *l = arg;

    for (int r = l->rank; r < l->end; r++)
        if (!said_by(l->c, r, l->tick))
            mend_missing_add(peers, mend_group_peer(l->c->group, r));
}

static void not_past(const void *arg, uint64_t *peers)
{
    const struct mend_cell_look *l = arg;

    for (int r = l->rank; r < l->end; r++)
        if (r != l->c->rank && mend_load_relaxed(&l->c->coll->block[r]->done) < l->tick)
            mend_missing_add(peers, mend_group_peer(l->c->group, r));
}

static const char *name_of(uint64_t what)
{
    static const char *const names[] = {
        [MEND_CELL_BARRIER] = "a barrier",
        [MEND_CELL_BCAST] = "a broadcast",
        [MEND_CELL_REDUCE] = "a reduction",
        [MEND_CELL_RESULT] = "a reduction",
        [MEND_CELL_SCAN] = "a scan",
        [MEND_CELL_REDUCE_SCATTER] = "a reduce-scatter",
        [MEND_CELL_GATHER] = "a gather",
        [MEND_CELL_SCATTER] = "a scatter",
        [MEND_CELL_ALLGATHER] = "an allgather",
        [MEND_CELL_ALLTOALL] = "an alltoall",
    };

    return what >> 56 < MEND_COUNT_OF(names) && names[what >> 56] ? names[what >> 56]
                                                                  : "another call";
}

/* The text of the error names the first member whose call is not this one. */
int mend_cell_difference(const struct mend_cell_look *l)
{
    for (int r = l->first; r < l->end; r++) {
        uint64_t what = said_by(l->c, r, l->tick), bytes = ~UINT64_C(0) >> 8;

        if (!what || what == l->what)
            continue;
        mend_error_detail(l->c->self, MPI_ERR_TRUNCATE, 0,
                          "rank %d is in %s of %llu bytes, this process in %s of %llu bytes", r,
                          name_of(what), (unsigned long long)(what & bytes), name_of(l->what),
                          (unsigned long long)(l->what & bytes));
        break;
    }
    return MPI_ERR_TRUNCATE;
}

/* A member that reads only, and so has said nothing, may be what the other one waits for. */
static void say_too(const struct mend_cell_look *l)
{
    void *room;

    if (!said_by(l->c, l->c->rank, l->tick) && !mend_cell_room(l->c, l->tick, 0, &room))
        mend_cell_publish(l->c, l->tick, l->what);
}

int mend_cell_wait_slow(struct mend_cell_look *l)
{
    struct mend_wait wait = {.cause = MEND_WAIT_COLLECTIVES,
                             .until = seen_or_barred,
                             .arg = l,
                             .hint = MEND_PEER_NONE,
                             .rings = mend_node_is_oversubscribed(l->c->self),
                             .what = "others to take part",
                             .comm = l->c,
                             .missing = not_told};

    mend_wait_until(l->c->self, &wait);
    if (l->rank < l->end)
        return mend_coll_check(l->c);
    if (!l->wrong)
        return MPI_SUCCESS;
    if (l->wrong & MEND_CELL_NO_MEMORY)
        return MPI_ERR_NO_MEM;
    say_too(l);
    return mend_cell_difference(l);
}

void mend_cell_pair_tell(struct mend_cell_look *l, struct mend_comm *c, uint64_t what)
{
    void *room;

    *l = (struct mend_cell_look){.c = c, .what = what};
    if (mend_coll_check(c) || mend_cell_room(c, c->coll->tick + 1, 0, &room))
        return;
    l->tick = ++c->coll->tick;
    l->first = l->rank = !c->rank;
    l->end = l->first + 1;
    mend_cell_publish(c, l->tick, what);
}

bool mend_cell_pair_differs_slow(struct mend_cell_look *l)
{
    return all_seen(l) && l->wrong;
}

int mend_cell_pair_wait_slow(struct mend_comm *c, uint64_t word, uint64_t *value_p)
{
    struct mend_cell_look l = {.c = c,
                               .tick = word >> 8,
                               .what = MEND_CELL_WHAT(word >> 4 & 15, word & 15),
                               .first = !c->rank,
                               .rank = !c->rank,
                               .end = !c->rank + 1,
                               .pair = true};
    int err = mend_cell_wait_slow(&l);

    if (!err)
        *value_p = mend_cell_pair_find(c, !c->rank, l.tick)->value;
    return err;
}

static bool all_done(struct mend_cell_look *l)
{
    /* acquire: pairs with the release in mend_cell_past() */
    while (l->rank < l->end && (l->rank == l->c->rank ||
                                mend_load_acquire(&l->c->coll->block[l->rank]->done) >= l->tick))
        l->rank++;
    return l->rank == l->end;
}

static bool done_or_barred(struct mend_proc *self, void *arg)
{
    struct mend_cell_look *l = arg;

    (void)self;
    return all_done(l) || mend_coll_check(l->c);
}

/* Raises floor to what all other members have finished with. */
static void raise_floor(struct mend_comm *c)
{
    uint64_t least = c->coll->tick;

    for (int r = 0; r < c->size; r++) {
        /* acquire: pairs with the release in mend_cell_past() */
        uint64_t done = mend_load_acquire(&c->coll->block[r]->done);

        if (r != c->rank && done < least)
            least = done;
    }
    mend_cell_all_past(c, least);
}

/* Waits until all have finished with a tick.  Rare, so nobody is woken for it: it does not sleep. */
static int wait_past(struct mend_comm *c, uint64_t tick)
{
    struct mend_cell_look l = {.c = c, .tick = tick, .end = c->size};
    struct mend_wait wait = {.cause = MEND_WAIT_COLLECTIVES,
                             .until = done_or_barred,
                             .arg = &l,
                             .hint = MEND_PEER_NONE,
                             .what = "others to take part",
                             .comm = c,
                             .missing = not_past};

    raise_floor(c);
    if (c->coll->floor >= tick)
        return MPI_SUCCESS;
    mend_wait_until(c->self, &wait);
    if (l.rank < l.end)
        return mend_coll_check(c);
    raise_floor(c);
    return MPI_SUCCESS;
}

/* Pages for my buffers: all four of a size at once. */
static bool touch(struct mend_comm *c, MPI_Count bytes)
{
    struct mend_coll_comm *cc = c->coll;
    char *data = (char *)cc->mine + MEND_NODE_CELL_CONTROL;
    MPI_Count want = 4096;

    while (want < bytes)
        want *= 2;
    for (unsigned i = 0; i < MEND_CELL_BUFFERS; i++)
        if (!mend_node_touch(c->self, data + i * MEND_CELL_CHUNK, (size_t)want))
            return false;
    cc->touched_bytes = want;
    return true;
}

int mend_cell_room_slow(struct mend_comm *c, uint64_t tick, MPI_Count bytes, void **room_p)
{
    struct mend_coll_comm *cc = c->coll;
    bool small = bytes <= MEND_CELL_INLINE;
    uint64_t depth = small ? MEND_CELL_LINES : MEND_CELL_BUFFERS;
    int err;

    if (mend_unlikely(tick > cc->floor + depth)) {
        /* A root that is far ahead waits for room for several ticks at once: otherwise it would take the line
         * of `done` from its readers at each.  No form has more than four ticks under way. */
        err = wait_past(c, tick - (small ? depth / 2 : depth));
        if (err)
            return err;
    }
    if (mend_unlikely(!small && bytes > cc->touched_bytes) && !touch(c, bytes))
        *room_p = NULL;
    else
        *room_p = mend_cell_data(c, c->rank, tick, bytes);
    return MPI_SUCCESS;
}

int mend_cell_say(struct mend_comm *c, uint64_t tick, enum mend_cell_what kind, MPI_Count size,
                  const struct mend_type *t, const void *buf, MPI_Count count, MPI_Count at,
                  MPI_Count bytes)
{
    uint64_t what = MEND_CELL_WHAT(kind, size);
    void *room;
    int err = mend_cell_room(c, tick, size, &room);

    if (mend_unlikely(err))
        return err;
    if (mend_unlikely(!room))
        what |= MEND_CELL_NO_MEMORY;
    else
        mend_cell_pack(t, buf, count, at, room, bytes);
    mend_cell_publish(c, tick, what);
    return MPI_SUCCESS;
}

/* Everybody tells, everybody waits for all.  A flag of tick t tells that its writer is past t -
 * 1. */
int mend_cell_barrier(struct mend_comm *c)
{
    uint64_t tick;
    void *room;
    int err;

    if (c->coll->pair)
        return mend_cell_pair_exchange(c, MEND_CELL_BARRIER, 0, 0, &tick);
    err = mend_cell_begin(c, 1, &tick);
    if (mend_likely(!err))
        err = mend_cell_room(c, tick, 0, &room); /* it has no data, but uses a line as well */
    if (mend_unlikely(err))
        return err;
    mend_cell_publish(c, tick, MEND_CELL_WHAT(MEND_CELL_BARRIER, 0));
    err = mend_cell_wait_all(c, tick, MEND_CELL_WHAT(MEND_CELL_BARRIER, 0));
    mend_cell_all_past(c, tick - 1);
    mend_cell_end(c, tick);
    return err;
}

static int bcast_get(struct mend_comm *c, const struct mend_coll_buf *b, int root, uint64_t tick,
                     MPI_Count at, MPI_Count bytes)
{
    int err = mend_cell_wait_one(c, root, tick, MEND_CELL_WHAT(MEND_CELL_BCAST, bytes));
    const void *data = mend_cell_data(c, root, tick, bytes);

    /* A root that runs ahead has written these, too: fetch them while this one is used. */
    for (unsigned i = 1; i <= LINES_AHEAD; i++)
        __builtin_prefetch(&c->coll->block[root]->line[(tick + i) % MEND_CELL_LINES]);

    if (mend_unlikely(err))
        return err;
    mend_cell_unpack(b->type, b->buf, b->count, at, data, bytes);
    return MPI_SUCCESS;
}

/* The root tells, the others wait for the root only, piece by piece:
 *
 *     root     write 1 │ write 2 │ write 3 │ write 4 │ wait until all are past 1 │ write 5 ...
 *     others           │ read 1  │ read 2  │ ...                                             */
int mend_cell_bcast(struct mend_comm *c, const struct mend_coll_buf *b, int root)
{
    MPI_Count total = b->count * b->type->size;
    MPI_Count chunk = c->coll->oversubscribed ? MEND_CELL_CHUNK : BCAST_CHUNK;
    uint64_t n = total <= chunk ? 1 : (uint64_t)((total + chunk - 1) / chunk), first;
    int err = mend_cell_begin(c, n, &first);

    if (mend_unlikely(err))
        return err;
    for (uint64_t i = 0; i < n && !err; i++) {
        MPI_Count at = (MPI_Count)i * chunk, bytes = total - at < chunk ? total - at : chunk;

        if (c->rank != root)
            err = bcast_get(c, b, root, first + i, at, bytes);
        else
            err = mend_cell_say(c, first + i, MEND_CELL_BCAST, bytes, b->type, b->buf, b->count, at,
                                bytes);
        if (i + 1 < n)
            mend_cell_past(c, first + i);
    }
    mend_cell_end(c, first + n - 1);
    return err;
}
