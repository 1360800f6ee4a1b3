/* SPDX-License-Identifier: BSD-3-Clause */
/* single_copy.c – whether large messages are pulled out of the sender's memory or copied in pieces.
 *
 * Which is faster depends on the way of a cache line from core to core, so it is found out with messages:
 * a process receives its first large ones in pieces and by single copy in turn, times each from its answer
 * to the last byte, and stays with what was faster at best.  Pieces are timed only while no other
 * large message is under way here, which would share the ring.  Messages below TIMED_BYTES go in pieces
 * until then: they are over before the two differ.  One that cannot be pulled counts as a slow one.
 *
 * With more ranks than cores nothing is tried: pieces need both ends to run in turn, a pull is one system
 * call of whoever runs.
 *
 * Cost: two looks at the clock for each of the first large messages. */
#include "p2p/internal.h"

#include "base/time.h"

#include <string.h>

#define TIMED_BYTES (UINT64_C(64) * 1024)
#define TRIES       4

int mend_single_copy_at_first(const struct mend_proc *self, const char *how)
{
    if (!how || !strcmp(how, "auto"))
        return self->crowded ? 1 : -1;
    return !strcmp(how, "always");
}

bool mend_single_copy_wanted(const struct mend_p2p *p, uint64_t bytes)
{
    if (p->single_copy >= 0)
        return p->single_copy;
    return bytes >= TIMED_BYTES && p->tried[1] < p->tried[0];
}

mend_time_ns mend_single_copy_begin(const struct mend_p2p *p, uint64_t bytes)
{
    return p->single_copy < 0 && bytes >= TIMED_BYTES && !p->large.used && !p->pulling
               ? mend_time_monotonic_ns()
               : 0;
}

static void choose(struct mend_p2p *p)
{
    if (p->tried[0] >= TRIES && p->tried[1] >= TRIES)
        p->single_copy = p->best[1] > p->best[0];
}

void mend_single_copy_failed(struct mend_p2p *p)
{
    if (p->single_copy >= 0)
        return;
    p->tried[1]++;
    choose(p);
}

void mend_single_copy_end(struct mend_p2p *p, bool single, uint64_t bytes, mend_time_ns since)
{
    uint64_t rate;

    if (!since || p->single_copy >= 0)
        return;
    rate = bytes * 1000 / (uint64_t)(mend_time_monotonic_ns() - since + 1);
    if (rate > p->best[single])
        p->best[single] = rate;
    p->tried[single]++;
    choose(p);
}
