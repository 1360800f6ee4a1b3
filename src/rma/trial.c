/* SPDX-License-Identifier: BSD-3-Clause */
/* trial.c – the measurements of trial.h. */
#include "rma/trial.h"

#include "node/layout.h"

/* Two processes at work on each other's memory are slowest if they go different ways, for a process that copies does not carry
 * out messages meanwhile.  So one that copies, and is slower than it was by messages, tries again.  Not the reverse: both
 * would change, and again be different. */

#define MESSAGES_MOST 1024u /* bytes: up to here never a copy */
#define COPY_LEAST                                                                                 \
    (((size_t)MESSAGES_MOST << MEND_RMA_WAY_CLASSES) + 1) /* and from here on always */

#define WAIT_LEAST   MEND_NS_PER_MS /* a message that takes longer waits for a target that computes */
#define COPIES_AFTER 16             /* so many times as long as the wait took */

/* Bytes, where nothing is measured. */
#define SMALL_PUT 2048u
#define SMALL_GET 4096u

bool mend_rma_way_is_measured(size_t len)
{
    return len > MESSAGES_MOST && len < COPY_LEAST;
}

enum mend_rma_way mend_rma_way_fixed(bool put, size_t len)
{
    return len > (put ? SMALL_PUT : SMALL_GET) ? MEND_RMA_BY_COPY : MEND_RMA_BY_MESSAGES;
}

/* Up to 2, 4, 8, 16 KiB, ... */
static unsigned class_of(size_t len)
{
    unsigned class = 0;

    while (len > (size_t)MESSAGES_MOST << (class + 1))
        class ++;
    return class;
}

static struct mend_choice choice_for(bool put, unsigned class)
{
    size_t most = (size_t)MESSAGES_MOST << (class + 1);

    return (struct mend_choice){.ways_n = MEND_RMA_WAYS_N,
                                .mean = true,
                                .settled_for = (uint8_t)mend_rma_way_fixed(put, most)};
}

void mend_rma_ways_init(struct mend_rma_ways *k)
{
    *k = (struct mend_rma_ways){.put_bytes = 0};
    for (unsigned i = 0; i < MEND_RMA_WAY_CLASSES; i++) {
        k->put[i] = choice_for(true, i);
        k->get[i] = choice_for(false, i);
    }
}

/* The messages of this one use memory that was not used before.  Those of gets come through the other ring. */
static bool is_cold(struct mend_rma_ways *k, bool put, size_t len)
{
    uint64_t *bytes = put ? &k->put_bytes : &k->get_bytes;

    bool cold = *bytes < MEND_NODE_RING_BYTES;

    *bytes += len;
    return cold;
}

enum mend_rma_way mend_rma_trial_begin(struct mend_rma_ways *k, struct mend_rma_trial *t, bool put,
                                       size_t len, bool idle)
{
    struct mend_choice *c = put ? &k->put[class_of(len)] : &k->get[class_of(len)];
    unsigned way = mend_choice_way(c);

    t->choice = NULL;
    if (idle && mend_choice_timed(c))
        *t = (struct mend_rma_trial){.choice = c,
                                     .of = k,
                                     .target = t->target,
                                     .way = way,
                                     .cold = way == MEND_RMA_BY_MESSAGES && is_cold(k, put, len),
                                     .bytes = len};
    return (enum mend_rma_way)way;
}

void mend_rma_trial_end(struct mend_rma_trial *t, mend_time_ns now)
{
    mend_time_ns took = now - t->since;

    if (t->way == MEND_RMA_BY_MESSAGES && took > WAIT_LEAST) {
        t->of->copies_until = now + COPIES_AFTER * took;
        mend_choice_again(t->choice);
    } else if (!t->cold) {
        mend_choice_tell(t->choice, t->way, MEND_NS_PER_S * t->bytes / (took + 1), 1);
        mend_choice_doubts(t->choice, MEND_RMA_BY_MESSAGES);
    }
    t->choice = NULL;
}
