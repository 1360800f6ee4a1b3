/* SPDX-License-Identifier: BSD-3-Clause */
/* single_copy.c – the way of a large message: pulled out of the sender's memory, in pieces of three kinds, or copied by both ends.
 *
 * Which is the fastest depends on the size, and on the way of a cache line from core to core, which differs
 * from pair to pair and changes when the host moves the cores.  So it is found out with messages, for each
 * sender and class of sizes, for messages of collectives apart (base/choice.h); pieces, which need memory of their
 * own, from the second trial on.
 *
 * From a message that begins alone time is taken until nothing large is under way to here any more, or
 * WINDOW messages have come: all that came meanwhile counts, so a window of messages is judged as a whole.
 * Messages that begin beside it go the same way.  One that cannot be copied so counts as a slow one.  Below
 * TIMED_BYTES the ways differ too little to be timed: those go as the next larger do.
 *
 * With more ranks than cores nothing is tried, for times say little: pieces need both ends to run in turn, a pull
 * is one system call of whoever runs.  With a few ranks for each core both ends copy what is between 256 KiB and
 * 2 MiB: a rank that waits helps one that waits for a core.
 *
 * Cost: two looks at the clock for what is timed; a table from the first message on. */
#include "p2p/internal.h"

#include "base/time.h"

#include <string.h>

#define TIMED_BYTES (UINT64_C(64) * 1024)
#define WINDOW      32

#define CROWDED_A_LITTLE                                                                           \
    4 /* ranks per core from where on a helper is seldom there when it is wanted */

/* What the parameter may say. */
static const struct {
    const char *word;
    enum mend_way way;
} words[] = {{"never", MEND_WAY_PIECES},
             {"always", MEND_WAY_PULL},
             {"both", MEND_WAY_BOTH},
             {"area", MEND_WAY_AREA},
             {"past_caches", MEND_WAY_PAST_CACHES}};

int mend_single_copy_at_first(const struct mend_proc *self, const char *how)
{
    if (!how || !strcmp(how, "auto"))
        return !self->crowded                            ? MEND_WAY_UNKNOWN
               : self->ranks_per_core < CROWDED_A_LITTLE ? MEND_WAY_BY_SIZE
                                                         : MEND_WAY_PULL;
    for (size_t i = 0; i < MEND_COUNT_OF(words); i++)
        if (!strcmp(how, words[i].word))
            return words[i].way;
    return MEND_WAY_PIECES;
}

static unsigned class_of(enum mend_channel channel, uint64_t bytes)
{
    unsigned size = bytes < 4 * TIMED_BYTES ? 0 : bytes < 32 * TIMED_BYTES ? 1 : 2;

    return channel == MEND_CHANNEL_P2P ? size : MEND_WAY_CLASSES / 2 + size;
}

/* NULL: nothing is known of this sender. */
static struct mend_choice *choice_of(const struct mend_p2p *p, mend_peer from,
                                     enum mend_channel channel, uint64_t bytes)
{
    return p->ways ? &p->ways[from][class_of(channel, bytes)] : NULL;
}

/* Their memory is not there yet: touching it takes longer than many messages. */
#define NEED_MEMORY (1u << MEND_WAY_PIECES | 1u << MEND_WAY_AREA | 1u << MEND_WAY_PAST_CACHES)

/* A collective that ends early takes its receives back at once, so nobody else may write into their buffers. */
static unsigned barred(const struct mend_p2p *p, unsigned class)
{
    return p->may_share && class < MEND_WAY_CLASSES / 2 ? 0 : 1u << MEND_WAY_BOTH;
}

enum mend_way mend_single_copy_way(const struct mend_p2p *p, mend_peer from,
                                   enum mend_channel channel, uint64_t bytes)
{
    const struct mend_choice *c;

    if (p->single_copy == MEND_WAY_BY_SIZE)
        return class_of(channel, bytes) == 1 && p->may_share ? MEND_WAY_BOTH : MEND_WAY_PULL;
    if (p->single_copy != MEND_WAY_UNKNOWN)
        return (enum mend_way)p->single_copy;
    c = choice_of(p, from, channel, bytes);
    return c ? (enum mend_way)mend_choice_way(c) : MEND_WAY_PULL;
}

static void make_table(struct mend_proc *self)
{
    struct mend_p2p *p = self->p2p;

    p->ways = mend_zalloc(self, (size_t)self->peers_n, sizeof(*p->ways));
    for (int i = 0; p->ways && i < self->peers_n; i++)
        for (int k = 0; k < MEND_WAY_CLASSES; k++)
            p->ways[i][k] = (struct mend_choice){.ways_n = MEND_WAYS,
                                                 .barred = (uint8_t)barred(p, (unsigned)k),
                                                 .later = NEED_MEMORY};
}

void mend_single_copy_begin(struct mend_proc *self, mend_peer from, enum mend_channel channel,
                            uint64_t bytes)
{
    struct mend_p2p *p = self->p2p;
    struct mend_choice *c;

    if (p->single_copy != MEND_WAY_UNKNOWN || bytes < TIMED_BYTES || p->receiving_n)
        return;
    if (!p->ways)
        make_table(self);
    c = choice_of(p, from, channel, bytes);
    p->timed = (struct mend_timed){.choice = c, .moved_then = p->moved_bytes};
    if (!c || !mend_choice_timed(c))
        return;
    p->timed.way = mend_choice_way(c);
    p->timed.since = mend_time_monotonic_ns();
}

void mend_single_copy_failed(struct mend_p2p *p, mend_peer from, enum mend_channel channel,
                             enum mend_way way, uint64_t bytes)
{
    struct mend_choice *c = choice_of(p, from, channel, bytes);

    p->timed.since = 0;
    if (p->single_copy == MEND_WAY_UNKNOWN && c)
        mend_choice_tell(c, way, 0);
}

void mend_single_copy_end(struct mend_p2p *p)
{
    struct mend_timed *t = &p->timed;
    uint64_t moved = p->moved_bytes - t->moved_then;

    if (!t->since || (p->receiving_n && ++t->messages_n < WINDOW))
        return;
    mend_choice_tell(t->choice, t->way,
                     moved * 1000 / (uint64_t)(mend_time_monotonic_ns() - t->since + 1));
    t->since = 0;
}
