/* SPDX-License-Identifier: BSD-3-Clause */
/* cell_stores.c – long vectors go into a buffer by ordinary stores, or past the caches, whichever is faster.
 *
 * An ordinary store takes the line back from the core that read it last.  Where that is near it is the faster way,
 * for the reader finds the line in a cache; where it is far, a store past the caches is, which waits for nobody.
 * Hosts move cores, so the way is found out with the collectives themselves (base/choice.h), for each class of sizes.
 *
 * What a member reads was stored by others, so all should go the same way.  Rank 0 times and chooses, and advises
 * the others in the line of its first piece how to store the next vector of the class.  Data is found either way.
 *
 * The time is that of the whole collective, the wait for the others with it: a core goes on before what it has stored
 * past the caches has left it.  So it says little where others are always late, and there it matters little. */
#include "coll/cell_stores.h"

#include "base/copy.h"
#include "coll/cell.h"

#define LEAST       ((MPI_Count)2 * 1024)  /* shorter vectors are stored ordinarily */
#define CLASS_BYTES ((MPI_Count)64 * 1024) /* where the second class begins */
#define CLASS_RATIO 8                      /* the third begins at so many times as much */

#define DOUBT 4 /* past the caches must be faster by such a part: 4 for a quarter */

enum { ORDINARY, PAST_CACHES, WAYS };

static struct mend_cell_stores *class_of(struct mend_comm *c, MPI_Count bytes)
{
    if (bytes < LEAST)
        return NULL;
    return &c->coll->stores[bytes < CLASS_BYTES ? 0 : bytes < CLASS_RATIO * CLASS_BYTES ? 1 : 2];
}

struct mend_cell_trip mend_cell_trip_begin(struct mend_comm *c, MPI_Count bytes)
{
    struct mend_cell_trip t = {.stores = class_of(c, bytes), .bytes = bytes};

    if (!t.stores || c->rank != 0)
        return t;
    t.stores->choice.ways_n = WAYS;
    t.stores->past_caches = mend_choice_way(&t.stores->choice) == PAST_CACHES;
    t.timed = mend_choice_timed(&t.stores->choice);
    t.since = t.timed ? mend_time_monotonic_ns() : 0;
    return t;
}

void mend_cell_trip_end(const struct mend_cell_trip *t)
{
    bool past = t->stores && t->stores->past_caches;
    uint64_t rate;

    if (!t->timed)
        return;
    rate = (uint64_t)t->bytes * 1000 / (uint64_t)(mend_time_monotonic_ns() - t->since + 1);
    mend_choice_tell(&t->stores->choice, past, past ? rate - rate / DOUBT : rate, 1);
}

static unsigned char *advice_of(const struct mend_comm *c, int rank, uint64_t first)
{
    return c->coll->block[rank]->line[first % MEND_CELL_LINES].bytes;
}

void mend_cell_trip_advise(const struct mend_cell_trip *t, const struct mend_comm *c,
                           uint64_t first)
{
    if (t->stores && c->rank == 0)
        *advice_of(c, 0, first) = t->stores->past_caches;
}

void mend_cell_trip_take_advice(struct mend_cell_trip *t, const struct mend_comm *c, uint64_t first)
{
    if (t->stores && c->rank != 0)
        t->stores->past_caches = *advice_of(c, 0, first) != 0;
}

void mend_cell_store(const struct mend_cell_trip *t, void *to, const void *from, MPI_Count n)
{
    if (t->stores && t->stores->past_caches)
        mend_copy_past_caches(to, from, (size_t)n);
    else
        memcpy(to, from, (size_t)n);
}
