/* SPDX-License-Identifier: BSD-3-Clause */
/* cell_stores.h – how long vectors go into the buffers of a cell: by ordinary stores, or past the caches.
 *
 * Rank 0 tries both and advises the others in its line; cell_stores.c has the reasons. */
#ifndef MEND_COLL_CELL_STORES_H
#define MEND_COLL_CELL_STORES_H

#include "base/choice.h"
#include "comm/comm.h"

/* How vectors of a class of sizes go into buffers. */
#define MEND_CELL_CLASSES 3
struct mend_cell_stores {
    struct mend_choice choice; /* rank 0's */
    bool past_caches;          /* so they go now */
};

/* How one vector goes into this member's buffers: begin, store, advise, publish the first piece, wait for it, take
 * advice, ..., end.  One that is not ended, because the collective failed, tells nothing. */
struct mend_cell_trip {
    struct mend_cell_stores *stores; /* NULL: it is short */
    MPI_Count bytes;
    mend_time_ns since;
    bool timed;
};
struct mend_cell_trip mend_cell_trip_begin(struct mend_comm *c, MPI_Count bytes);
void mend_cell_store(const struct mend_cell_trip *t, void *to, const void *from, MPI_Count n);
void mend_cell_trip_advise(const struct mend_cell_trip *t, const struct mend_comm *c,
                           uint64_t first);
void mend_cell_trip_take_advice(struct mend_cell_trip *t, const struct mend_comm *c,
                                uint64_t first);
void mend_cell_trip_end(const struct mend_cell_trip *t);

#endif
