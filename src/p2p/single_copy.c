/* SPDX-License-Identifier: BSD-3-Clause */
/* single_copy.c – the way of a large message: pulled out of the sender's memory, in pieces, or copied by both ends.
 *
 * The fastest way depends on the size, and on the transfer of a cache line from core to core, which differs
 * from pair to pair and changes when the host moves the cores.  So it is measured with the program's messages
 * (base/choice.h): for each sender and class of sizes, separately for messages of collectives, for messages in windows
 * (the sender says whether another message is in progress), and for those that cross a message to their sender: then both
 * processes send and receive at a time, and a way that needs both at one message wins nothing by it.  Pieces go through the
 * ring, which lays them on trays.  The next classes of
 * sizes first try the way that was best.
 *
 * Where two processes send each other such messages, the one with the lower place in the segment chooses for both: its offers say
 * by which way it receives such messages, and the other one receives them by the same way.  If each tried ways by itself, it would
 * measure each of them beside whatever the other one tries at that moment, and pieces, which need both, would seem slow.
 *
 * The first messages of less than 1 MiB, except in windows, go in pieces through the ring, which lays 256 KiB on trays (net/shm/ring.h): a
 * trial of ways that need system calls or pages would cost as much as many such messages.
 *
 * A measurement begins with a message that begins alone.  It ends when no large message is in progress to this process,
 * or after WINDOW messages; all bytes that arrived count, so a window of messages is measured as a whole.
 * Messages that begin meanwhile go the same way.  A message that cannot go this way counts as slow.  Below
 * TIMED_BYTES the ways differ too little to be timed: such messages use the way that was last the fastest in the next
 * larger class.
 *
 * With more ranks than cores there are no trials, because times mean little: pieces need both ends to run in turn, while
 * a pull is one system call of the running process.  With a few ranks for each core both ends copy messages between
 * 256 KiB and 2 MiB: a rank that waits helps one that has no core.  Where ranks exchange messages, as in collectives, each of
 * them has something to copy in every turn, and then pieces through the ring take fewer instructions than the kernel
 * needs to find the pages.  A rank that is alone on its core meanwhile pulls what comes to it: the other cores have more
 * to do.
 *
 * Cost: two readings of the clock for each measurement; a table from the first large message on. */
#include "p2p/internal.h"

#include "base/time.h"

#include <string.h>

#define TIMED_BYTES (UINT64_C(64) * 1024)
#define MIDDLE_BYTES                                                                               \
    (4 * TIMED_BYTES) /* begins the second class of sizes; MEND_LONG_BYTES the third */
#define LARGE_BYTES (32 * TIMED_BYTES)
#define WINDOW      32
#define MUCH_BYTES  (UINT64_C(32) << 20) /* so much that is timed says as much as MUCH_TURNS */
#define MUCH_TURNS  3
#define ASSUMED                                                                                    \
    2000 /* bytes per us: half of that is slower than any pieces whose sender is there */

/* Classes of a channel, after those of messages alone. */
#define BESIDE   MEND_WAY_SIZES
#define CROSSING (2 * MEND_WAY_SIZES)

#define SAID_MAX 64 /* offers that say a way while nothing comes by which it could be judged */

#define EXCHANGE_RANKS 16 /* in a larger job the rings of all pairs would be much memory */

#define CROWDED_A_LITTLE 4 /* with so many ranks per core a helper is seldom there in time */

/* What the parameter may say. */
static const struct {
    const char *word;
    enum mend_way way;
} words[] = {{"never", MEND_WAY_PIECES},
             {"always", MEND_WAY_PULL},
             {"both", MEND_WAY_BOTH}};

int mend_single_copy_at_first(const struct mend_proc *self, const char *how)
{
    if (!how || !strcmp(how, "auto"))
        return !self->crowded                            ? MEND_WAY_UNKNOWN
               : self->ranks_per_core < CROWDED_A_LITTLE ? MEND_WAY_BY_SIZE
                                                         : MEND_WAY_CROWDED;
    for (size_t i = 0; i < MEND_COUNT_OF(words); i++)
        if (!strcmp(how, words[i].word))
            return words[i].way;
    return MEND_WAY_PIECES;
}

static unsigned size_of(uint64_t bytes)
{
    return bytes < MIDDLE_BYTES ? 0 : bytes < MEND_LONG_BYTES ? 1 : 2;
}

/* The first class of that kind; one for each size. */
static unsigned classes_of(const struct mend_ways *w, enum mend_channel channel)
{
    return (channel == MEND_CHANNEL_P2P ? 0 : MEND_WAY_CLASSES / 2) + (w->crosses[channel]
                                                                           ? CROSSING
                                                                       : w->beside[channel] ? BESIDE
                                                                                            : 0);
}

/* NULL: nothing is known of this sender. */
static struct mend_ways *ways_of(const struct mend_p2p *p, mend_peer from)
{
    return p->ways && p->ways[from].of[0].ways_n ? &p->ways[from] : NULL;
}

static struct mend_choice *choice_of(const struct mend_p2p *p, mend_peer from,
                                     enum mend_channel channel, uint64_t bytes)
{
    struct mend_ways *w = ways_of(p, from);

    return w ? &w->of[classes_of(w, channel) + size_of(bytes)] : NULL;
}

static bool is_of_windows(unsigned class)
{
    return class % (MEND_WAY_CLASSES / 2) >= BESIDE && class % (MEND_WAY_CLASSES / 2) < CROSSING;
}

/* A collective that ends early takes its receives back at once, so nobody else may write into their buffers. */
static unsigned barred(const struct mend_proc *self, unsigned class)
{
    unsigned ways = 0;

    if (!self->p2p->may_share || class >= MEND_WAY_CLASSES / 2)
        ways |= 1u << MEND_WAY_BOTH;
    return ways;
}

enum mend_way mend_single_copy_way(const struct mend_p2p *p, mend_peer from,
                                   enum mend_channel channel, uint64_t bytes)
{
    const struct mend_choice *c;

    if (p->single_copy == MEND_WAY_BY_SIZE)
        return channel == MEND_CHANNEL_P2P && bytes > MIDDLE_BYTES && bytes < LARGE_BYTES &&
                       p->may_share
                   ? MEND_WAY_BOTH
                   : MEND_WAY_PULL;
    if (p->single_copy == MEND_WAY_CROWDED)
        return MEND_WAY_PULL;
    if (p->single_copy != MEND_WAY_UNKNOWN)
        return (enum mend_way)p->single_copy;
    c = choice_of(p, from, channel, bytes);
    return !c                    ? MEND_WAY_PULL
           : bytes < TIMED_BYTES ? (enum mend_way)c->settled_for
                                 : (enum mend_way)mend_choice_way(c);
}

bool mend_single_copy_exchanges(const struct mend_proc *self, enum mend_channel channel)
{
    const struct mend_p2p *p = self->p2p;

    return p->single_copy < MEND_WAY_UNKNOWN && self->peers_n <= EXCHANGE_RANKS &&
           (channel == MEND_CHANNEL_COLL || p->mixed_n);
}

/* How the first messages of a class go, before a trial; MEND_WAY_UNKNOWN: the trial begins at once. */
static enum mend_way assumed_way(unsigned class)
{
    if (class >= MEND_WAY_CLASSES / 2 || (class >= BESIDE && class < CROSSING))
        return MEND_WAY_UNKNOWN;
    return class % MEND_WAY_SIZES < 2 ? MEND_WAY_PIECES : MEND_WAY_UNKNOWN;
}

static void assume(struct mend_choice *c, unsigned class)
{
    enum mend_way way = assumed_way(class);

    if (way == MEND_WAY_UNKNOWN)
        return;
    c->barred &= (uint8_t) ~(1u << way);
    mend_choice_assume(c, way, ASSUMED);
}

static void begin_with(struct mend_proc *self, struct mend_ways *w)
{
    for (unsigned k = 0; k < MEND_WAY_CLASSES; k++)
        w->of[k] =
            (struct mend_choice){.ways_n = MEND_WAYS,
                                 .barred = (uint8_t)barred(self, k),
                                 .settled_for = k % MEND_WAY_SIZES ? MEND_WAY_BOTH : MEND_WAY_PULL};
    for (unsigned k = 0; k < MEND_WAY_CLASSES; k++)
        assume(&w->of[k], k);
    memset(w->said_n, SAID_MAX, sizeof(w->said_n));
}

/* NULL: no memory. */
static struct mend_ways *make_ways(struct mend_proc *self, mend_peer from)
{
    struct mend_p2p *p = self->p2p;

    if (!p->ways)
        p->ways = mend_zalloc(self, (size_t)self->peers_max, sizeof(*p->ways));
    if (p->ways && !p->ways[from].of[0].ways_n)
        begin_with(self, &p->ways[from]);
    return p->ways ? &p->ways[from] : NULL;
}

/* What an offer says of its sender. */
static void hear(struct mend_ways *w, enum mend_channel channel, const struct mend_rts *rts,
                 bool crosses)
{
    w->beside[channel] = rts->beside || w->last_beside[channel];
    w->last_beside[channel] = rts->beside;
    w->crosses[channel] = crosses || w->last_crossed[channel];
    w->last_crossed[channel] = crosses;
}

/* Both know their places, and one of them is lower. */
static bool chooses(const struct mend_proc *self, mend_peer to)
{
    return mend_peer_shares_memory(self, to) &&
           mend_peer_place(self, self->me).at < mend_peer_place(self, to).at;
}

uint16_t mend_single_copy_say_way(struct mend_proc *self, mend_peer to, enum mend_channel channel,
                                  uint64_t bytes)
{
    struct mend_p2p *p = self->p2p;
    struct mend_ways *w = ways_of(p, to);
    unsigned class;

    if (p->single_copy != MEND_WAY_UNKNOWN || !w || bytes < TIMED_BYTES || !chooses(self, to))
        return 0;
    class = classes_of(w, channel) + size_of(bytes);
    if (is_of_windows(class) || w->said_n[class] == SAID_MAX)
        return 0;
    w->said_n[class]++;
    return (uint16_t)(1 + mend_choice_way(&w->of[class]));
}

/* A message of that class has come.  Its sender may have said the way, else this process goes on saying it. */
static void hear_way(struct mend_ways *w, unsigned class, unsigned way)
{
    struct mend_choice *c = &w->of[class];

    w->said_n[class] = 0;
    if (way > 0 && way <= MEND_WAYS && !is_of_windows(class) &&
        !((c->barred | w->failed) >> (way - 1) & 1))
        mend_choice_assume(c, way - 1, ASSUMED);
}

void mend_single_copy_begin(struct mend_proc *self, mend_peer from, enum mend_channel channel,
                            const struct mend_rts *rts)
{
    struct mend_p2p *p = self->p2p;
    struct mend_ways *w;
    struct mend_choice *c;

    if (p->single_copy != MEND_WAY_UNKNOWN)
        return;
    w = ways_of(p, from);
    if (!w && rts->total_bytes >= TIMED_BYTES)
        w = make_ways(self, from);
    if (!w)
        return;
    hear(w, channel, rts, mend_send_is_under_way(p, from));
    if (rts->total_bytes >= TIMED_BYTES)
        hear_way(w, classes_of(w, channel) + size_of(rts->total_bytes), rts->way);
    if (p->receiving_n && from == p->timed.from && rts->beside && !p->timed.beside)
        p->timed.since = 0; /* it was not a message alone */
    if (p->receiving_n || rts->total_bytes < TIMED_BYTES)
        return;
    c = choice_of(p, from, channel, rts->total_bytes);
    p->timed = (struct mend_timed){.choice = c,
                                   .from = from,
                                   .beside = w->beside[channel],
                                   .crosses = w->crosses[channel],
                                   .moved_then = p->moved_bytes};
    if (!mend_choice_timed(c))
        return;
    p->timed.way = mend_choice_way(c);
    p->timed.since = mend_time_monotonic_ns();
}

void mend_single_copy_failed(struct mend_p2p *p, mend_peer from, enum mend_channel channel,
                             enum mend_way way, uint64_t bytes)
{
    struct mend_choice *c = choice_of(p, from, channel, bytes);

    p->timed.since = 0;
    if (p->single_copy != MEND_WAY_UNKNOWN || !c)
        return;
    ways_of(p, from)->failed |= (uint8_t)(1u << way);
    mend_choice_tell(c, way, 0, 1);
    mend_choice_admit(c, MEND_WAY_PIECES);
}

/* The next sizes of the same kind begin with what this one was settled for. */
static void suggest(struct mend_ways *w, const struct mend_choice *c)
{
    size_t k = (size_t)(c - w->of);

    if (k % MEND_WAY_SIZES > 0)
        mend_choice_suggest(&w->of[k - 1], c->settled_for);
    if (k % MEND_WAY_SIZES < MEND_WAY_SIZES - 1)
        mend_choice_suggest(&w->of[k + 1], c->settled_for);
}

bool mend_single_copy_crosses(const struct mend_p2p *p, mend_peer peer, enum mend_channel channel)
{
    const struct mend_ways *w = ways_of(p, peer);

    return w && (w->crosses[channel] || w->last_crossed[channel]);
}

void mend_single_copy_offered(struct mend_p2p *p, mend_peer to, enum mend_channel channel)
{
    struct mend_ways *w = p->single_copy == MEND_WAY_UNKNOWN ? ways_of(p, to) : NULL;

    if (!w || !p->receiving_n || p->last_from != to)
        return;
    w->last_crossed[channel] = true;
    if (p->timed.from == to && !p->timed.crosses)
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
    if (t->choice->settled)
        suggest(&p->ways[t->from], t->choice);
    t->since = 0;
}
