/* SPDX-License-Identifier: BSD-3-Clause */
/* single_copy.c – the way of a large message: in fragments through the transport, or by a copy out of the sender's memory.
 *
 * The sender helps to copy (share.c), except where each end has a message of its own to copy: in collectives, and where
 * messages cross.
 *
 *   bytes    ... 64 KiB │ 256 KiB │ ...
 *   alone     not timed │fragments│ measured      fragments: at first, for a trial costs as much as many of them
 *   window    not timed │ measured│ measured      another message of the same sender is under way
 *   crossing  not timed │fragments│ measured      one to its sender is under way, or it is of a collective
 *
 * The fastest way depends on the size, and on the transfer of a cache line from core to core, which differs from pair to
 * pair and changes when the host moves the cores.  So it is measured with the program's messages (base/choice.h), for each
 * sender and class.  A measurement begins with a message that begins alone.  It ends when no large message is in progress to
 * this process, or after WINDOW messages; all bytes that arrived count, so a window of messages is measured as a whole.
 * A message that cannot be copied counts as slow.  Messages too short to be timed go as the next larger ones.
 *
 * With more ranks than cores there are no trials, because times mean little: fragments need both ends to run in turn, while
 * a copy is one system call of the running process.  Its sender seldom has a core at that moment, and does not help.  Where
 * ranks exchange messages, as in collectives, each of them has something to copy in every turn, and then fragments through the
 * ring take fewer instructions than the kernel needs to find the pages.  A rank that is alone on its core meanwhile copies
 * what comes to it: the other cores have more to do.
 *
 * Cost: two readings of the clock for each measurement; a table from the first large message on. */
#include "p2p/internal.h"

#include "base/time.h"

#include <string.h>

#define TIMED_BYTES  (UINT64_C(64) * 1024)
#define MIDDLE_BYTES (4 * TIMED_BYTES) /* begins the second class of sizes */
#define WINDOW       32
#define MUCH_BYTES   (UINT64_C(32) << 20) /* so much that is timed says as much as MUCH_TURNS */
#define MUCH_TURNS   3
#define ASSUMED                                                                                    \
    2000 /* bytes per us: half of that is slower than any fragments whose sender is there */

#define EXCHANGE_RANKS 16 /* in a larger job the rings of all pairs would be much memory */

/* What the parameter may say. */
static const char *const words[] = {
    [MEND_SINGLE_COPY_NEVER] = "never", [MEND_SINGLE_COPY_ALWAYS] = "always"};

enum mend_single_copy mend_single_copy_at_first(const struct mend_proc *self, const char *how)
{
    if (!how || !strcmp(how, "auto"))
        return self->oversubscribed ? MEND_SINGLE_COPY_OVERSUBSCRIBED : MEND_SINGLE_COPY_AUTO;
    for (size_t i = 0; i < MEND_COUNT_OF(words); i++)
        if (!strcmp(how, words[i]))
            return (enum mend_single_copy)i;
    return MEND_SINGLE_COPY_NEVER;
}

/* NULL: nothing is known of this sender. */
static struct mend_ways *ways_of(const struct mend_p2p *p, mend_peer from)
{
    return p->ways && p->ways[from].of[0][0].ways_n ? &p->ways[from] : NULL;
}

static enum mend_way_kind kind_of(const struct mend_ways *w, enum mend_channel channel)
{
    return channel != MEND_CHANNEL_P2P || w->crosses ? MEND_WAY_CROSSING
           : w->in_window                            ? MEND_WAY_WINDOW
                                                     : MEND_WAY_ALONE;
}

/* NULL: as ways_of(). */
static struct mend_choice *choice_of(const struct mend_p2p *p, mend_peer from,
                                     enum mend_channel channel, uint64_t bytes)
{
    struct mend_ways *w = ways_of(p, from);

    return w ? &w->of[kind_of(w, channel)][bytes >= MIDDLE_BYTES] : NULL;
}

enum mend_way mend_single_copy_way(const struct mend_p2p *p, mend_peer from,
                                   enum mend_channel channel, uint64_t bytes)
{
    const struct mend_choice *c;

    if (p->single_copy != MEND_SINGLE_COPY_AUTO)
        return p->single_copy == MEND_SINGLE_COPY_NEVER ? MEND_WAY_FRAGMENTS : MEND_WAY_COPY;
    c = choice_of(p, from, channel, bytes);
    return !c                    ? MEND_WAY_COPY
           : bytes < TIMED_BYTES ? (enum mend_way)c->settled_for
                                 : (enum mend_way)mend_choice_way(c);
}

/* A collective that ends early takes its receives back at once, so nobody else may write into their buffers. */
bool mend_single_copy_is_helped(const struct mend_p2p *p, mend_peer from, enum mend_channel channel)
{
    return p->may_share && channel == MEND_CHANNEL_P2P &&
           (p->single_copy == MEND_SINGLE_COPY_ALWAYS ||
            (p->single_copy == MEND_SINGLE_COPY_AUTO && !mend_single_copy_crosses(p, from)));
}

bool mend_single_copy_exchanges(const struct mend_proc *self, enum mend_channel channel)
{
    const struct mend_p2p *p = self->p2p;

    return p->single_copy == MEND_SINGLE_COPY_OVERSUBSCRIBED && self->peers_n <= EXCHANGE_RANKS &&
           (channel == MEND_CHANNEL_COLL || p->mixed_n);
}

bool mend_single_copy_crosses(const struct mend_p2p *p, mend_peer peer)
{
    const struct mend_ways *w = ways_of(p, peer);

    return w && (w->crosses || w->last_crossed);
}

/* NULL: no memory. */
static struct mend_ways *make_ways(struct mend_proc *self, mend_peer from)
{
    struct mend_p2p *p = self->p2p;
    struct mend_ways *w = NULL;

    if (!p->ways)
        p->ways = mend_zalloc(self, (size_t)self->peers_max, sizeof(*p->ways));
    if (p->ways)
        w = &p->ways[from];
    for (unsigned kind = 0; w && kind < MEND_WAY_KINDS; kind++)
        for (unsigned size = 0; size < MEND_WAY_SIZES; size++) {
            w->of[kind][size] =
                (struct mend_choice){.ways_n = MEND_WAYS, .settled_for = MEND_WAY_COPY};
            if (kind != MEND_WAY_WINDOW && size == 0)
                mend_choice_assume(&w->of[kind][size], MEND_WAY_FRAGMENTS, ASSUMED);
        }
    return w;
}

/* A message begins to come.  The first of a window seems to be alone, so the last two count. */
static void hear(struct mend_ways *w, bool in_window, bool crosses)
{
    w->in_window = in_window || w->last_in_window;
    w->last_in_window = in_window;
    w->crosses = crosses || w->last_crossed;
    w->last_crossed = crosses;
}

void mend_single_copy_begin(struct mend_proc *self, mend_peer from, enum mend_channel channel,
                            uint64_t bytes)
{
    struct mend_p2p *p = self->p2p;
    struct mend_ways *w = ways_of(p, from);
    bool in_window = p->receiving_n && p->last_from == from;

    if (p->single_copy != MEND_SINGLE_COPY_AUTO)
        return;
    if (!w && bytes >= TIMED_BYTES)
        w = make_ways(self, from);
    if (!w)
        return;
    if (channel == MEND_CHANNEL_P2P)
        hear(w, in_window, mend_send_is_under_way(p, from));
    if (in_window && from == p->timed.from && p->timed.kind == MEND_WAY_ALONE)
        p->timed.since = 0; /* it was not a message alone */
    if (p->receiving_n || bytes < TIMED_BYTES)
        return;
    p->timed = (struct mend_timed){.choice = choice_of(p, from, channel, bytes),
                                   .from = from,
                                   .kind = kind_of(w, channel),
                                   .moved_then = p->moved_bytes};
    if (!mend_choice_timed(p->timed.choice))
        return;
    p->timed.way = mend_choice_way(p->timed.choice);
    p->timed.since = mend_time_monotonic_ns();
}

void mend_single_copy_failed(struct mend_p2p *p, mend_peer from, enum mend_channel channel,
                             uint64_t bytes)
{
    struct mend_choice *c = choice_of(p, from, channel, bytes);

    p->timed.since = 0;
    if (p->single_copy == MEND_SINGLE_COPY_AUTO && c)
        mend_choice_tell(c, MEND_WAY_COPY, 0, 1);
}

void mend_single_copy_rts_sent(struct mend_p2p *p, mend_peer to)
{
    struct mend_ways *w = ways_of(p, to);

    if (!w || !p->receiving_n || p->last_from != to)
        return;
    w->last_crossed = true;
    if (p->timed.from == to && p->timed.kind != MEND_WAY_CROSSING)
        p->timed.since = 0;
}

void mend_single_copy_end(struct mend_p2p *p)
{
    struct mend_timed *t = &p->timed;
    uint64_t moved = p->moved_bytes - t->moved_then;

    if (!t->since || (p->receiving_n && ++t->messages_n < WINDOW))
        return;
    mend_choice_tell(t->choice, t->way,
                     moved * 1000 / (uint64_t)(mend_time_monotonic_ns() - t->since + 1),
                     moved < MUCH_BYTES ? 1 : MUCH_TURNS);
    t->since = 0;
}
