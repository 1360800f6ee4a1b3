/* SPDX-License-Identifier: BSD-3-Clause */
/* cell.h – collectives directly through shared memory, for communicators whose members share a node.
 *
 * Flat: every member writes into its own block of the communicator's cell, and every member
 * reads the others' blocks.  A small value and the flag that publishes it are one cache line, so
 * two ranks need one transfer each way, and sixteen ranks on two cores need few context switches.
 *
 *   block of a member (written by it only)
 *   control   done │ line 0 │ line 1 │ ... │ line 15 │ pair (cell_pair.h)
 *   data      buffer 0 │ buffer 1 │ buffer 2 │ buffer 3
 *
 * All members count time in the same ticks: a collective takes one tick, or one per piece of
 * its data.  In tick t a member that contributes writes line t % 16 (and buffer t % 4, if
 * 48 bytes do not suffice), then releases the line's number = t.  A member that needs the data waits for exactly
 * this number.
 *
 * A line or buffer may be written again when all members have finished with its contents.
 *   done    each member releases the last tick that it has finished with
 *   floor   private: all members are known to have finished with this tick.  A flag that is seen shows this
 *           at no cost: its writer has finished with an earlier tick (the forms say which)
 * So collectives in which every member waits for every other never read `done`; a broadcast or a
 * reduction reads it when it is 16 (4) ticks ahead of the slowest member.
 *
 * Invariants:
 *   1  line t % 16 is written for tick t only if t - 16 <= floor, buffer t % 4 if t - 4 <= floor;
 *   2  a number in a line is a tick of this communicator: before a member says that its block is open it has
 *      cleared its lines, and no member reads before all have said so (cell_open.c);
 *   3  a block is used for another communicator only after all members have closed this one or are
 *      dead (node/cells.h).
 *
 * A member that is killed leaves a line either unpublished or published.  The others
 * wait until a death or a revocation ends the wait; flags are checked first, so a member that has seen all of
 * them succeeds even if another member died afterwards (S0-29). */
#ifndef MEND_COLL_CELL_H
#define MEND_COLL_CELL_H

#include "base/time.h"
#include "coll/run.h"
#include "node/node.h"
#include "proc/detour.h"

#include <string.h>

#define MEND_CELL_LINES   16u
#define MEND_CELL_BUFFERS 4u
#define MEND_CELL_CHUNK   ((MPI_Count)(MEND_NODE_CELL_DATA / MEND_CELL_BUFFERS))
#define MEND_CELL_INLINE  ((MPI_Count)48)
#define MEND_CELL_SPINS   300 /* checks of the flags before the wait takes over */
#define MEND_CELL_MEMBERS 64  /* most: the cost of a flat form grows with their square */

/* One value with its flag.  Two lines apart, because processors fetch lines in pairs. */
struct mend_cell_line {
    _Alignas(2 * MEND_CACHE_LINE) mend_atomic_u64 number; /* the tick; written last */
    uint64_t what;                                        /* enum mend_cell_what and bytes */
    unsigned char bytes[MEND_CELL_INLINE];
};

/* Of two members, in the block of rank 0: member r writes the two words of row r, in turn. */
struct mend_cell_pair {
    struct mend_cell_word {
        mend_atomic_u64 word; /* tick << 8 | what << 4 | bytes; written last */
        uint64_t value;
    } row[2][2];
};

struct mend_cell_block {
    _Alignas(2 * MEND_CACHE_LINE) mend_atomic_u64 done;
    struct mend_cell_line line[MEND_CELL_LINES];
    _Alignas(2 * MEND_CACHE_LINE) struct mend_cell_pair pair;
};
_Static_assert(sizeof(struct mend_cell_pair) == MEND_CACHE_LINE, "both write the same line");
_Static_assert(sizeof(struct mend_cell_block) <= MEND_NODE_CELL_CONTROL, "fits into the cell");

/* What a line is about; members that disagree are told so instead of reading nonsense. */
enum mend_cell_what {
    MEND_CELL_BARRIER = 1,
    MEND_CELL_BCAST,
    MEND_CELL_REDUCE,
    MEND_CELL_RESULT,
    MEND_CELL_SCAN,
    MEND_CELL_REDUCE_SCATTER,
    MEND_CELL_GATHER,
    MEND_CELL_SCATTER,
    MEND_CELL_ALLGATHER,
    MEND_CELL_ALLTOALL,
};
#define MEND_CELL_WHAT(kind_, bytes_) ((uint64_t)(kind_) << 56 | (uint64_t)(bytes_))
#define MEND_CELL_NO_MEMORY           (UINT64_C(1) << 55) /* the writer has no pages for its data */

struct mend_nodes;

struct mend_coll_comm {
    struct mend_nodes *nodes;       /* of members on several nodes, some on one; else NULL */
    struct mend_cell_block **block; /* by rank; NULL until first use */
    bool declined;                  /* a member has no memory for its block */
    struct mend_cell_block *mine;
    struct mend_cell_pair *pair; /* of two members that have both opened their blocks; else NULL */
    unsigned pair_turn;
    uint64_t tick, floor;
    MPI_Count touched_bytes; /* of each of my buffers */
    bool oversubscribed;     /* more ranks than cores on this node: the same at all members */
};

/* cell_open.c: first use of the cell.  Blocks until all members have come here, one has no memory, one is dead, or the
 * communicator is revoked.  False: the collective goes by messages, which find out what is wrong, if anything; all members
 * get this answer if one had no memory. */
bool mend_cell_open(struct mend_comm *c);

/* The communicator has a cell that all members can use.  Collective, and blocks as mend_cell_open() does, at first. */
static inline bool mend_cell_possible(struct mend_comm *c)
{
    return c->cell >= 0 && c->size <= MEND_CELL_MEMBERS && c->self->params.coll_shm &&
           (mend_likely(c->coll->block != NULL) || mend_cell_open(c));
}

/* cell.c: the parts that the forms are made of. */

/* Begins a collective of n ticks; *first_p is the first, 0 with an error: the communicator
 * cannot. */
int mend_cell_begin_slow(struct mend_comm *c, uint64_t n, uint64_t *first_p);
static inline int mend_cell_begin(struct mend_comm *c, uint64_t n, uint64_t *first_p)
{
    struct mend_coll_comm *cc = c->coll;

    if (mend_unlikely(c->revoked || c->inactive))
        return mend_cell_begin_slow(c, n, first_p);
    mend_event(c->self, MEND_EV_COLL_ENTER);
    *first_p = cc->tick + 1;
    cc->tick += n;
    c->calls_n++;
    return MPI_SUCCESS;
}

/* Where more ranks than cores wait they may sleep: a rank that stores what others wait for wakes them. */
void mend_cell_nudge_members(struct mend_comm *c);
static inline void mend_cell_told(struct mend_comm *c)
{
    if (mend_node_is_oversubscribed(c->self))
        mend_cell_nudge_members(c);
}

/* This member has finished with everything up to this tick. */
static inline void mend_cell_past(struct mend_comm *c, uint64_t tick)
{
    /* release: pairs with the acquire in all_done() and raise_floor() */
    mend_store_release(&c->coll->mine->done, tick);
}

/* Ends it: this member needs nothing of it any more, up to and including tick last (0: none). */
static inline void mend_cell_end(struct mend_comm *c, uint64_t last)
{
    if (mend_likely(last))
        mend_cell_past(c, last);
    mend_event(c->self, MEND_EV_COLL_DONE);
}

/* Data of a member in a tick of `bytes` bytes: in its line, or in its buffer. */
static inline void *mend_cell_data(const struct mend_comm *c, int rank, uint64_t tick,
                                   MPI_Count bytes)
{
    struct mend_cell_block *b = c->coll->block[rank];

    if (bytes <= MEND_CELL_INLINE)
        return b->line[tick % MEND_CELL_LINES].bytes;
    return (char *)b + MEND_NODE_CELL_CONTROL + tick % MEND_CELL_BUFFERS * MEND_CELL_CHUNK;
}

/* Where this member's data of a tick go; waits until there is room.  bytes: how many.  NULL with
 * MPI_SUCCESS: no pages; then publish MEND_CELL_NO_MEMORY. */
int mend_cell_room_slow(struct mend_comm *c, uint64_t tick, MPI_Count bytes, void **room_p);
static inline int mend_cell_room(struct mend_comm *c, uint64_t tick, MPI_Count bytes, void **room_p)
{
    if (mend_unlikely(bytes > MEND_CELL_INLINE || tick > c->coll->floor + MEND_CELL_LINES))
        return mend_cell_room_slow(c, tick, bytes, room_p);
    *room_p = c->coll->mine->line[tick % MEND_CELL_LINES].bytes;
    return MPI_SUCCESS;
}

static inline void mend_cell_publish(struct mend_comm *c, uint64_t tick, uint64_t what)
{
    struct mend_cell_line *line = &c->coll->mine->line[tick % MEND_CELL_LINES];

    line->what = what;
    /* release: pairs with the acquire in mend_cell_all_seen() */
    mend_store_release(&line->number, tick);
    mend_event(c->self, MEND_EV_COLL_SHM_ARRIVED);
    mend_cell_told(c);
}

/* Which members must have published a tick. */
struct mend_cell_look {
    struct mend_comm *c;
    uint64_t tick, what;
    int first, rank, end; /* of ranks first .. end - 1, those below `rank` have been seen */
    uint64_t wrong;       /* some line that is about something else */
    bool pair;            /* in the words of a pair, not in lines */
};

static inline bool mend_cell_all_seen(struct mend_cell_look *l)
{
    struct mend_cell_block **block = l->c->coll->block;
    unsigned i = l->tick % MEND_CELL_LINES;

    for (; l->rank < l->end; l->rank++) {
        struct mend_cell_line *line = &block[l->rank]->line[i];

        /* acquire: pairs with the release in mend_cell_publish() */
        if (mend_load_acquire(&line->number) != l->tick)
            return false;
        if (mend_unlikely(line->what != l->what))
            l->wrong |= line->what & MEND_CELL_NO_MEMORY ? MEND_CELL_NO_MEMORY : 1;
    }
    return true;
}

/* Waits until all members, or one, have published the tick.  MPI_ERR_TRUNCATE: they disagree about
 * what it is; MPI_ERR_NO_MEM: one had no memory. */
int mend_cell_wait_slow(struct mend_cell_look *l);
int mend_cell_difference(const struct mend_cell_look *l); /* MPI_ERR_TRUNCATE, with a text */
static inline int mend_cell_wait(struct mend_comm *c, int rank, int end, uint64_t tick,
                                 uint64_t what)
{
    struct mend_cell_look l = {
        .c = c, .tick = tick, .what = what, .first = rank, .rank = rank, .end = end};
    const struct mend_proc *self = c->self;

    for (int i = self->oversubscribed || mend_proc_has_threads(self) ? 1 : MEND_CELL_SPINS; i > 0;
         i--) {
        if (mend_cell_all_seen(&l) && mend_likely(!l.wrong))
            return MPI_SUCCESS;
        mend_cpu_relax();
    }
    return mend_cell_wait_slow(&l);
}
static inline int mend_cell_wait_all(struct mend_comm *c, uint64_t tick, uint64_t what)
{
    return mend_cell_wait(c, 0, c->size, tick, what);
}
static inline int mend_cell_wait_one(struct mend_comm *c, int rank, uint64_t tick, uint64_t what)
{
    return mend_cell_wait(c, rank, rank + 1, tick, what);
}

/* Room, packed data of `count` elements from packed byte `at` on, publish. */
int mend_cell_say(struct mend_comm *c, uint64_t tick, enum mend_cell_what kind, MPI_Count size,
                  const struct mend_type *t, const void *buf, MPI_Count count, MPI_Count at,
                  MPI_Count bytes);

/* All members have finished with everything up to this tick. */
static inline void mend_cell_all_past(struct mend_comm *c, uint64_t tick)
{
    if (tick > c->coll->floor)
        c->coll->floor = tick;
}

/* Packed bytes [at, at + bytes) of a user's buffer to and from shared memory. */
static inline void mend_cell_pack(const struct mend_type *t, const void *buf, MPI_Count count,
                                  MPI_Count at, void *to, MPI_Count bytes)
{
    if (mend_unlikely(!t->dense))
        mend_type_pack(t, buf, count, at, to, (size_t)bytes);
    else if (bytes)
        memcpy(to, (const char *)buf + t->true_lb + at, (size_t)bytes);
}
static inline void mend_cell_unpack(const struct mend_type *t, void *buf, MPI_Count count,
                                    MPI_Count at, const void *from, MPI_Count bytes)
{
    if (mend_unlikely(!t->dense))
        mend_type_unpack(t, buf, count, at, from, (size_t)bytes);
    else if (bytes)
        memcpy((char *)buf + t->true_lb + at, from, (size_t)bytes);
}

#endif
