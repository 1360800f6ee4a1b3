/* SPDX-License-Identifier: BSD-3-Clause */
/* single_copy.c – whether large messages are pulled out of the sender's memory or copied in pieces.
 *
 * Which is faster depends on the size, and on the way of a cache line from core to core, which differs from
 * pair to pair and changes when the host moves the cores.  So it is found out with messages, for each
 * sender and class of sizes:
 *
 *   trying ── TRIES in pieces, then TRIES pulled ──> settled ── much slower than it was, or long ago ──> trying
 *
 * While it is tried each message that begins alone is timed from its answer to the last byte, and the faster
 * way at best is settled for; afterwards one of TIMED_OF is.  A rate that falls below half of what it was
 * means another trial.  If the same way wins again, twice as many messages pass before the next.
 * Messages that begin beside it go the same way and are not timed: what comes of them meanwhile counts
 * for its rate, so a window of messages is judged as a whole.  One that cannot be pulled counts as a slow
 * one.  Below TIMED_BYTES the two differ too little to be timed: those go as the next larger do.
 *
 * With more ranks than cores nothing is tried: pieces need both ends to run in turn, a pull is one system
 * call of whoever runs.
 *
 * Cost: two looks at the clock for a message that is timed; a table from the first one on. */
#include "p2p/internal.h"

#include "base/time.h"

#include <string.h>

#define TIMED_BYTES (UINT64_C(64) * 1024)
#define TRIES       8
#define TIMED_OF    8   /* messages, once a way is settled */
#define CALM_LEAST  128 /* timed messages from one trial to the next */
#define CALM_MOST   4096
#define CALM_FALLEN 16 /* a part of that must pass before a slow one means anything */

int mend_single_copy_at_first(const struct mend_proc *self, const char *how)
{
    if (!how || !strcmp(how, "auto"))
        return self->crowded ? 1 : -1;
    return !strcmp(how, "always");
}

static unsigned class_of(uint64_t bytes)
{
    return bytes < 4 * TIMED_BYTES ? 0 : bytes < 32 * TIMED_BYTES ? 1 : 2;
}

/* NULL: nothing is known of this sender. */
static struct mend_way *way_of(const struct mend_p2p *p, mend_peer from, uint64_t bytes)
{
    return p->ways ? &p->ways[from][class_of(bytes)] : NULL;
}

bool mend_single_copy_wanted(const struct mend_p2p *p, mend_peer from, uint64_t bytes)
{
    const struct mend_way *w;

    if (p->single_copy >= 0)
        return p->single_copy;
    w = way_of(p, from, bytes);
    if (!w)
        return false;
    return w->settled ? w->single : w->tried[0] >= TRIES;
}

mend_time_ns mend_single_copy_begin(struct mend_proc *self, mend_peer from, uint64_t bytes)
{
    struct mend_p2p *p = self->p2p;
    struct mend_way *w;

    if (p->single_copy >= 0 || bytes < TIMED_BYTES || p->large.used || p->pulling)
        return 0;
    if (!p->ways)
        p->ways = mend_zalloc(self, (size_t)self->peers_n, sizeof(*p->ways));
    w = way_of(p, from, bytes);
    if (!w || (w->settled && ++w->seen_n % TIMED_OF))
        return 0;
    return mend_time_monotonic_ns();
}

static void try_again(struct mend_way *w)
{
    w->settled = false;
    w->tried[0] = w->tried[1] = 0;
    w->best[0] = w->best[1] = 0;
}

static void choose(struct mend_way *w)
{
    bool single = w->best[1] > w->best[0];

    if (w->tried[0] < TRIES || w->tried[1] < TRIES)
        return;
    if (!w->calm || single != w->single)
        w->calm = CALM_LEAST;
    else if (w->calm < CALM_MOST)
        w->calm *= 2;
    w->settled = true;
    w->single = single;
    w->recent = w->best[single];
    w->since_n = 0;
}

static void watch(struct mend_way *w, uint64_t rate)
{
    w->recent += rate / 4;
    w->recent -= w->recent / 4;
    w->since_n++;
    if (w->since_n >= w->calm ||
        (w->recent < w->best[w->single] / 2 && w->since_n >= w->calm / CALM_FALLEN))
        try_again(w);
}

void mend_single_copy_failed(struct mend_p2p *p, mend_peer from, uint64_t bytes)
{
    struct mend_way *w = way_of(p, from, bytes);

    if (p->single_copy >= 0 || !w)
        return;
    if (w->settled) {
        watch(w, 0);
        return;
    }
    w->tried[1]++;
    choose(w);
}

void mend_single_copy_end(struct mend_p2p *p, mend_peer from, bool single, uint64_t bytes,
                          uint64_t moved, mend_time_ns since)
{
    struct mend_way *w = way_of(p, from, bytes);
    uint64_t rate;

    if (!since || p->single_copy >= 0 || !w)
        return;
    rate = moved * 1000 / (uint64_t)(mend_time_monotonic_ns() - since + 1);
    if (w->settled) {
        if (single == w->single)
            watch(w, rate);
        return;
    }
    if (rate > w->best[single])
        w->best[single] = rate;
    w->tried[single]++;
    choose(w);
}
