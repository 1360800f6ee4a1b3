/* SPDX-License-Identifier: BSD-3-Clause */
/* way.c – the measurements of way.h. */
#include "rma/way.h"

#include "base/choice.h"
#include "base/time.h"
#include "node/layout.h"
#include "rma/direct.h"
#include "rma/link.h"

#include <string.h>

#define MESSAGES_MOST 1024u  /* bytes: up to here never a copy */
#define COPY_LEAST    16385u /* from here on never a message */
#define CLASSES       4

#define COLD_MOST (50 * MEND_NS_PER_US) /* a message that takes longer waits for its target */

/* Bytes, where nothing is measured. */
#define SMALL_PUT 2048u
#define SMALL_GET 4096u

enum way { MESSAGES, COPY, WAYS };

/* Of one target. */
struct mend_rma_ways {
    struct mend_choice put[CLASSES], get[CLASSES];
    uint64_t put_bytes, get_bytes; /* by messages so far */
};

/* Up to 2, 4, 8, 16 KiB. */
static unsigned class_of(size_t len)
{
    unsigned class = 0;

    while (len > (size_t)MESSAGES_MOST << (class + 1))
        class ++;
    return class;
}

static bool copies_at_first(bool put, size_t len)
{
    return len > (put ? SMALL_PUT : SMALL_GET);
}

static void begin_with(struct mend_rma_ways *k)
{
    for (unsigned i = 0; i < CLASSES; i++) {
        size_t len = (size_t)MESSAGES_MOST << (i + 1);

        k->put[i] = (struct mend_choice){.ways_n = WAYS, .settled_for = copies_at_first(true, len)};
        k->get[i] =
            (struct mend_choice){.ways_n = WAYS, .settled_for = copies_at_first(false, len)};
    }
}

/* NULL: no memory. */
static struct mend_rma_ways *ways_of(struct mend_win *w, int target)
{
    if (!w->ways)
        w->ways = mend_zalloc(w->self, (size_t)w->n, sizeof(struct mend_rma_ways *));
    if (w->ways && !w->ways[target]) {
        w->ways[target] = mend_zalloc(w->self, 1, sizeof(struct mend_rma_ways));
        if (w->ways[target])
            begin_with(w->ways[target]);
    }
    return w->ways ? w->ways[target] : NULL;
}

void mend_rma_way_drop(struct mend_win *w)
{
    for (int r = 0; w->ways && r < w->n; r++)
        mend_free(w->self, w->ways[r]);
    mend_free(w->self, w->ways);
    w->ways = NULL;
}

/* The messages of this one use memory that was not used before.  Those of gets come through the other ring. */
static bool is_cold(struct mend_rma_ways *k, bool put, size_t len)
{
    uint64_t *bytes = put ? &k->put_bytes : &k->get_bytes;

    *bytes += len;
    return *bytes <= MEND_NODE_RING_BYTES;
}

static bool choose(struct mend_win *w, int target, bool put, size_t len)
{
    struct mend_rma_ways *k = w->self->crowded ? NULL : ways_of(w, target);
    struct mend_choice *c;
    unsigned way;

    if (!k)
        return copies_at_first(put, len);
    c = put ? &k->put[class_of(len)] : &k->get[class_of(len)];
    way = mend_choice_way(c);
    if (mend_link_is_idle(w, target) && mend_choice_timed(c))
        w->trial = (struct mend_rma_trial){.choice = c,
                                           .target = target,
                                           .way = way,
                                           .cold = way == MESSAGES && is_cold(k, put, len),
                                           .bytes = len,
                                           .since = mend_proc_now(w->self)};
    return way == COPY;
}

bool mend_rma_way_copies(struct mend_win *w, const struct mend_rma_op *op)
{
    size_t len = (size_t)(op->there.count * op->there.type->size);
    const char *how = w->self->params.single_copy;

    w->trial.choice = NULL;
    if (!mend_direct_may_copy(w, op) || (how && !strcmp(how, "never")))
        return false;
    if (how && !strcmp(how, "always"))
        return true;
    if (len <= MESSAGES_MOST || len >= COPY_LEAST)
        return len >= COPY_LEAST;
    return choose(w, op->target, op->kind == MEND_RMA_PUT, len);
}

void mend_rma_way_executed(struct mend_win *w, int target)
{
    struct mend_rma_trial *t = &w->trial;
    mend_time_ns now;

    if (!t->choice || (target >= 0 && target != t->target))
        return;
    now = mend_proc_now(w->self);
    if (!t->cold || now - t->since > COLD_MOST)
        mend_choice_tell(t->choice, t->way, MEND_NS_PER_S * t->bytes / (now - t->since + 1), 1);
    t->choice = NULL;
}
