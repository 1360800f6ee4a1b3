/* SPDX-License-Identifier: BSD-3-Clause */
/* trial.h – which way puts and gets towards one target take: what was measured, and what is being measured.
 *
 * Pure: the caller says what time it is.
 *
 *   begin ── the way, and whether it is measured ──> the operation goes ── executed ──> the choice knows its rate
 *                                                        └─ another one begins: it is not known
 *
 *   bytes    ... 1 KiB │ 2 KiB │ 4 KiB │ ... │ 4 MiB │ ...
 *            messages  │          measured           │ single copy
 *
 * A ring is slow at first, because each page of it that is used for the first time is a page fault at both ends: 3.8 us for
 * 4 KiB, and 0.5 us later.  So messages are not compared before they have gone once through the ring, unless one takes so
 * long that the target must be the reason: it computes.  Then all goes by copies, for so long that these waits are a small
 * part of the time. */
#ifndef MEND_RMA_TRIAL_H
#define MEND_RMA_TRIAL_H

#include "base/choice.h"
#include "base/time.h"

#include <stddef.h>

enum mend_rma_way { MEND_RMA_BY_MESSAGES, MEND_RMA_BY_COPY, MEND_RMA_WAYS_N };

#define MEND_RMA_WAY_CLASSES 12

/* Of one target. */
struct mend_rma_ways {
    struct mend_choice put[MEND_RMA_WAY_CLASSES], get[MEND_RMA_WAY_CLASSES];
    uint64_t put_bytes, get_bytes; /* by messages so far */
    mend_time_ns copies_until;     /* 0: no such time */
};

/* A put or get that is measured. */
struct mend_rma_trial {
    struct mend_choice *choice; /* NULL: none is */
    struct mend_rma_ways *of;
    int target;
    unsigned way;
    bool cold; /* the way's memory was hardly used before */
    uint64_t bytes;
    mend_time_ns since;
};

/* The way for so many bytes where nothing is measured. */
enum mend_rma_way mend_rma_way_fixed(bool put, size_t len);

/* Is the way for so many bytes measured? */
bool mend_rma_way_is_measured(size_t len);

void mend_rma_ways_init(struct mend_rma_ways *k);

/* Does the target compute, as far as is known?  Then copies, and nothing is measured. */
static inline bool mend_rma_target_computes(const struct mend_rma_ways *k, mend_time_ns now)
{
    return now < k->copies_until;
}

/* The way of an operation that begins now.  idle: nothing else is under way to the target, so it can be measured.
 * t->choice says whether it is; then t->since is the caller's to set. */
enum mend_rma_way mend_rma_trial_begin(struct mend_rma_ways *k, struct mend_rma_trial *t, bool put,
                                       size_t len, bool idle);

/* It is executed. */
void mend_rma_trial_end(struct mend_rma_trial *t, mend_time_ns now);

#endif
