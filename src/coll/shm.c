/* SPDX-License-Identifier: BSD-3-Clause */
/* shm.c – ticks, lines and buffers (shm.h has the idea), barrier and broadcast. */
#include "coll/shm.h"
#include "net/shm/shm.h"

#include <string.h>

#define SPINS        300          /* looks at the flags before THE wait takes over */
#define BCAST_CHUNK  (32 * 1024)  /* bytes per tick of a long broadcast: four of them stay in the cache */

int mend_shm_begin(struct mend_comm *c, uint64_t n, uint64_t *first_p)
{
    struct mend_coll_comm *cc = c->coll;
    int err = mend_coll_barred(c);

    *first_p = 0;
    mend_event(c->self, MEND_EV_COLL_ENTER);
    if (mend_unlikely(!err && !cc->block))
        err = mend_shm_coll_open(c);
    if (mend_unlikely(err))
        return err;
    *first_p = cc->tick + 1;
    cc->tick += n;
    return MPI_SUCCESS;
}

void mend_shm_end(struct mend_comm *c, uint64_t last)
{
    if (mend_unlikely(!last))
        return;
    mend_shm_past(c, last);
    mend_event(c->self, MEND_EV_COLL_DONE);
}

/* Who must have come how far. */
struct look {
    struct mend_comm *c;
    uint64_t tick, what;
    int rank, end;  /* ranks below `rank` have been seen */
    uint64_t wrong; /* some line that is about something else */
};

static inline bool all_seen(struct look *l)
{
    struct mend_shm_block **block = l->c->coll->block;
    unsigned i = l->tick % MEND_SHM_COLL_LINES;

    for (; l->rank < l->end; l->rank++) {
        struct mend_shm_line *line = &block[l->rank]->line[i];

        /* acquire: pairs with the release in mend_shm_publish() */
        if (mend_load_acquire(&line->number) != l->tick)
            return false;
        if (mend_unlikely(line->what != l->what))
            l->wrong |= line->what & MEND_SHM_NO_MEMORY ? MEND_SHM_NO_MEMORY : 1;
    }
    return true;
}

static bool seen_or_barred(struct mend_proc *self, void *arg)
{
    struct look *l = arg;

    (void)self;
    return all_seen(l) || mend_coll_barred(l->c);
}

static int wait_for(struct look *l)
{
    struct mend_proc *self = l->c->self;
    struct mend_wait wait;

    for (int i = self->crowded || self->threaded || self->yield ? 1 : SPINS; i > 0; i--) {
        if (mend_likely(all_seen(l)))
            goto seen;
        mend_cpu_relax();
    }
    wait = (struct mend_wait){.until = seen_or_barred, .arg = l, .hint = MEND_PEER_NONE,
                              .what = "collective in shared memory"};
    mend_wait_until(self, &wait);
    if (l->rank < l->end)
        return mend_coll_barred(l->c);
seen:
    if (mend_unlikely(l->wrong))
        return l->wrong & MEND_SHM_NO_MEMORY ? MPI_ERR_NO_MEM : MPI_ERR_TRUNCATE;
    return MPI_SUCCESS;
}

int mend_shm_wait_all(struct mend_comm *c, uint64_t tick, uint64_t what)
{
    struct look l = {.c = c, .tick = tick, .what = what, .end = c->size};

    return wait_for(&l);
}

int mend_shm_wait_one(struct mend_comm *c, int rank, uint64_t tick, uint64_t what)
{
    struct look l = {.c = c, .tick = tick, .what = what, .rank = rank, .end = rank + 1};

    return wait_for(&l);
}

static bool all_done(struct look *l)
{
    /* acquire: pairs with the release in mend_shm_past() */
    while (l->rank < l->end &&
           (l->rank == l->c->rank ||
            mend_load_acquire(&l->c->coll->block[l->rank]->done) >= l->tick))
        l->rank++;
    return l->rank == l->end;
}

static bool done_or_barred(struct mend_proc *self, void *arg)
{
    struct look *l = arg;

    (void)self;
    return all_done(l) || mend_coll_barred(l->c);
}

/* Raises floor to what all other members have finished with. */
static void raise_floor(struct mend_comm *c)
{
    uint64_t least = c->coll->tick;

    for (int r = 0; r < c->size; r++) {
        /* acquire: pairs with the release in mend_shm_past() */
        uint64_t done = mend_load_acquire(&c->coll->block[r]->done);

        if (r != c->rank && done < least)
            least = done;
    }
    mend_shm_all_past(c, least);
}

/* Waits until all have finished with a tick. */
static int wait_past(struct mend_comm *c, uint64_t tick)
{
    struct look l = {.c = c, .tick = tick, .end = c->size};
    struct mend_wait wait = {.until = done_or_barred, .arg = &l, .hint = MEND_PEER_NONE,
                             .what = "room in shared memory"};

    raise_floor(c);
    if (c->coll->floor >= tick)
        return MPI_SUCCESS;
    mend_wait_until(c->self, &wait);
    if (l.rank < l.end)
        return mend_coll_barred(c);
    raise_floor(c);
    return MPI_SUCCESS;
}

/* Pages for my buffers: all four of a size at once. */
static bool touch(struct mend_comm *c, MPI_Count bytes)
{
    struct mend_coll_comm *cc = c->coll;
    char *data = (char *)cc->mine + MEND_SHM_CELL_CONTROL;
    MPI_Count want = 4096;

    while (want < bytes)
        want *= 2;
    for (unsigned i = 0; i < MEND_SHM_COLL_BUFFERS; i++)
        if (!mend_shm_touch(c->self, data + i * MEND_SHM_COLL_CHUNK, (size_t)want))
            return false;
    cc->touched_bytes = want;
    return true;
}

int mend_shm_room(struct mend_comm *c, uint64_t tick, MPI_Count bytes, void **room_p)
{
    struct mend_coll_comm *cc = c->coll;
    bool small = bytes <= MEND_SHM_COLL_INLINE;
    uint64_t depth = small ? MEND_SHM_COLL_LINES : MEND_SHM_COLL_BUFFERS;
    int err;

    if (mend_unlikely(tick > cc->floor + depth)) {
        err = wait_past(c, tick - depth);
        if (err)
            return err;
    }
    if (mend_unlikely(!small && bytes > cc->touched_bytes) && !touch(c, bytes))
        *room_p = NULL;
    else
        *room_p = (void *)mend_shm_data(c, c->rank, tick, bytes);
    return MPI_SUCCESS;
}

void mend_shm_publish(struct mend_comm *c, uint64_t tick, uint64_t what)
{
    struct mend_shm_line *line = &c->coll->mine->line[tick % MEND_SHM_COLL_LINES];

    line->what = what;
    /* release: pairs with the acquire in all_seen() */
    mend_store_release(&line->number, tick);
    mend_event(c->self, MEND_EV_COLL_SHM_ARRIVED);
}

int mend_shm_say(struct mend_comm *c, uint64_t tick, enum mend_shm_what kind, MPI_Count size,
                 const struct mend_type *t, const void *buf, MPI_Count count, MPI_Count at,
                 MPI_Count bytes)
{
    uint64_t what = MEND_SHM_WHAT(kind, size);
    void *room;
    int err = mend_shm_room(c, tick, size, &room);

    if (mend_unlikely(err))
        return err;
    if (mend_unlikely(!room))
        what |= MEND_SHM_NO_MEMORY;
    else
        mend_shm_pack(t, buf, count, at, room, bytes);
    mend_shm_publish(c, tick, what);
    return MPI_SUCCESS;
}

/* Everybody tells, everybody waits for all.  A flag of tick t tells that its writer is past t - 1. */
int mend_shm_barrier(struct mend_comm *c)
{
    uint64_t tick;
    int err = mend_shm_begin(c, 1, &tick);

    if (mend_unlikely(err))
        return err;
    mend_shm_publish(c, tick, MEND_SHM_WHAT(MEND_SHM_BARRIER, 0));
    err = mend_shm_wait_all(c, tick, MEND_SHM_WHAT(MEND_SHM_BARRIER, 0));
    mend_shm_all_past(c, tick - 1);
    mend_shm_end(c, tick);
    return err;
}

static int bcast_get(struct mend_comm *c, const struct mend_coll_buf *b, int root, uint64_t tick,
                     MPI_Count at, MPI_Count bytes)
{
    int err = mend_shm_wait_one(c, root, tick, MEND_SHM_WHAT(MEND_SHM_BCAST, bytes));
    const void *data = mend_shm_data(c, root, tick, bytes);

    if (mend_unlikely(err))
        return err;
    mend_shm_unpack(b->type, b->buf, b->count, at, data, bytes);
    return MPI_SUCCESS;
}

/* The root tells, the others wait for the root only, piece by piece:
 *
 *     root     write 1 │ write 2 │ write 3 │ write 4 │ wait until all are past 1 │ write 5 ...
 *     others           │ read 1  │ read 2  │ ...                                             */
int mend_shm_bcast(struct mend_comm *c, const struct mend_coll_buf *b, int root)
{
    MPI_Count total = b->count * b->type->size;
    MPI_Count chunk = c->coll->crowded ? MEND_SHM_COLL_CHUNK : BCAST_CHUNK;
    uint64_t n = total <= chunk ? 1 : (uint64_t)((total + chunk - 1) / chunk), first;
    int err = mend_shm_begin(c, n, &first);

    if (mend_unlikely(err))
        return err;
    for (uint64_t i = 0; i < n && !err; i++) {
        MPI_Count at = (MPI_Count)i * chunk, bytes = total - at < chunk ? total - at : chunk;

        if (c->rank != root)
            err = bcast_get(c, b, root, first + i, at, bytes);
        else
            err = mend_shm_say(c, first + i, MEND_SHM_BCAST, bytes, b->type, b->buf, b->count, at,
                               bytes);
        if (i + 1 < n)
            mend_shm_past(c, first + i);
    }
    mend_shm_end(c, first + n - 1);
    return err;
}
