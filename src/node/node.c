/* SPDX-License-Identifier: BSD-3-Clause */
/* node.c – pages of the segment, and interrupting and waking other ranks. */
#include "node/node.h"

#include "node/abroad.h"
#include "node/bell.h"
#include "node/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define PAGE ((size_t)4096)

enum mend_status mend_node_open(struct mend_proc *self, struct mend_node_header *header, int fd)
{
    struct mend_node *n = mend_zalloc(self, 1, sizeof(*n));

    if (n)
        n->peer_at = mend_alloc(self, header->places_n * sizeof(*n->peer_at));
    if (!n || !n->peer_at)
        return MEND_ERR_MEM;
    for (uint32_t i = 0; i < header->places_n; i++)
        n->peer_at[i] = MEND_PEER_NONE;
    n->header = header;
    n->fd = fd;
    n->wakes.header = header;
    mend_table_init(&n->slabs, self->arena, sizeof(struct mend_node_slab **));
    mend_list_init(&n->closed);
    mend_list_init(&n->cells_closed);
    n->cells_free = UINT64_MAX;
    mend_list_init(&n->pieces);
    self->node = n;
    self->job = n->header->job;
    mend_bell_open(self);
    return MEND_OK;
}

/* What the agent does not map. */
static bool protect(struct mend_proc *self, int how)
{
    struct mend_node_header *h = self->node->header;

    return mprotect((char *)h + h->at[MEND_NODE_PART_CELL],
                    h->at[MEND_NODE_PART_SLAB] - h->at[MEND_NODE_PART_CELL], how) == 0;
}

void mend_node_leave(struct mend_proc *self)
{
    protect(self, PROT_NONE);
}

bool mend_node_return(struct mend_proc *self)
{
    return protect(self, PROT_READ | PROT_WRITE);
}

void mend_node_meet_elsewhere(struct mend_proc *self, mend_peer peer, struct mend_where where)
{
    struct mend_peer_entry *e = mend_peer_entry(self, peer);
    uint32_t at = where.sends.at;

    if (at != MEND_PLACE_NONE.at) {
        self->node->peer_at[at] = peer;
        if (self->node->places_end <= at)
            self->node->places_end = at + 1;
    }
    e->where = where;
    e->presence = &mend_node_process_of(self->node->header, peer)->presence;
}

void mend_node_meet(struct mend_proc *self, mend_peer peer, mend_place place)
{
    mend_node_meet_elsewhere(
        self, peer, (struct mend_where){.kind = MEND_WHERE_HERE, .place = place, .sends = place});
    self->node->sharing_n++;
    if (peer == self->me)
        self->node->mine = place;
}

/* The bit of `touched` that remembers a piece: communicators come and go, and their cells are the same few again and
 * again.  0: it lies elsewhere. */
static uint64_t bit_of_control(const struct mend_proc *self, const void *at, size_t len)
{
    struct mend_node *n = self->node;
    const char *first = mend_node_cell_of(n->header, n->mine, 0);
    uint64_t from = (uint64_t)((const char *)at - first); /* large, if it lies before */

    if (from >= MEND_NODE_CELLS * (uint64_t)MEND_NODE_CELL_BYTES ||
        from % MEND_NODE_CELL_BYTES + len > MEND_NODE_CELL_CONTROL)
        return 0;
    return UINT64_C(1) << from / MEND_NODE_CELL_BYTES;
}

bool mend_node_reserve(struct mend_proc *self, uint64_t from, size_t len)
{
    uint64_t end = (from + len + 4095) & ~UINT64_C(4095);

    from &= ~UINT64_C(4095);
    while (fallocate(self->node->fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(end - from)) != 0)
        if (errno != EINTR)
            return false;
    return true;
}

bool mend_node_touch(struct mend_proc *self, const void *at, size_t len)
{
    struct mend_node *n = self->node;
    uint64_t bit = bit_of_control(self, at, len);

    if (n->touched & bit)
        return true;
    if (!mend_node_reserve(self, (uint64_t)((const char *)at - (const char *)n->header), len))
        return false;
    n->touched |= bit;
    return true;
}

void mend_node_map_pages(const void *at, size_t len)
{
    uintptr_t from = (uintptr_t)at & ~(PAGE - 1);

    /* Linux 5.14; without it each page is mapped when it is written to. */
    madvise((void *)from, (uintptr_t)at + len - from, MADV_POPULATE_WRITE);
}

/* Where `len` bytes would begin at a multiple of align: addresses that nobody uses until they are mapped.  NULL: none. */
static char *find_aligned(uint64_t at, size_t len, size_t align)
{
    char *room, *base;
    size_t before, whole;

    if (__builtin_add_overflow(len, align, &whole))
        return NULL;
    room = mmap(mend_apart(MEND_APART_SEGMENT, at), whole, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return NULL;
    base = (char *)(((uintptr_t)room + align - 1) & ~(uintptr_t)(align - 1));
    before = (size_t)(base - room);
    if (before)
        munmap(room, before);
    munmap(base + len, whole - before - len);
    return base;
}

void *mend_node_map_aligned(struct mend_proc *self, uint64_t at, size_t len, size_t align)
{
    char *there = align > PAGE ? find_aligned(at, len, align) : mend_apart(MEND_APART_SEGMENT, at);
    int fixed = align > PAGE ? MAP_FIXED : 0;
    void *base;

    if (align > PAGE && !there)
        return NULL;
    base = mmap(there, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | fixed,
                self->node->fd, (off_t)at);
    if (base == MAP_FAILED)
        return NULL;
    madvise(base, len, MADV_DONTFORK); /* as all of the segment: rt/local.c */
    madvise(base, len, MADV_DONTDUMP);
    return base;
}

void *mend_node_map(struct mend_proc *self, uint64_t at, size_t len)
{
    return mend_node_map_aligned(self, at, len, 0);
}

void mend_node_unmap(void *base, size_t len)
{
    munmap(base, len);
}

void mend_node_punch(struct mend_proc *self, uint64_t at, size_t len)
{
    fallocate(self->node->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)len);
}

void mend_node_give_back(struct mend_proc *self, const void *at, size_t len)
{
    mend_node_punch(self, (uint64_t)((const char *)at - (const char *)self->node->header), len);
}

void mend_node_votes_open(struct mend_proc *self, int cell)
{
    self->node->voted |= UINT64_C(1) << cell;
}

/* The area only where this process may have written: the page is there. */
void mend_node_votes_clear(struct mend_proc *self, int cell)
{
    struct mend_node *n = self->node;
    mend_place me = mend_peer_place(self, self->me);
    struct mend_node_said *said = mend_node_said_of(n->header, me, (uint32_t)cell);

    for (unsigned i = 0; i < MEND_COUNT_OF(said->no_from); i++)
        mend_store_relaxed(&said->no_from[i], 0);
    if (n->voted >> cell & 1)
        memset(mend_node_cell_agree_of(n->header, me, (uint32_t)cell), 0, MEND_NODE_CELL_AGREE);
    n->voted &= ~(UINT64_C(1) << cell);
}

static mend_atomic_u64 *contexts_of(const struct mend_proc *self)
{
    return &mend_node_rank_of(self->node->header, self->node->mine)->contexts_n;
}

uint64_t mend_node_contexts(const struct mend_proc *self)
{
    uint64_t used = mend_load_relaxed(contexts_of(self));

    return used < MEND_NODE_CONTEXTS_FIRST ? MEND_NODE_CONTEXTS_FIRST : used;
}

void mend_node_count_contexts(struct mend_proc *self, uint64_t n)
{
    mend_store_relaxed(contexts_of(self), n);
}

void mend_node_interrupt(struct mend_proc *self, mend_peer to)
{
    struct mend_node_rank *there = mend_node_rank_of(self->node->header, mend_peer_place(self, to));

    /* release: pairs with the acquire in mend_interrupt_check() */
    atomic_fetch_add_explicit(&there->interrupt, 1, memory_order_release);
    /* A fence for the compiler only: its membarrier in arm() orders this load behind the counter. */
    atomic_signal_fence(memory_order_seq_cst);
    if (mend_load_relaxed(&there->armed))
        mend_node_wake(self->node, mend_peer_place(self, to));
}

static void name_awaited(struct mend_proc *self, uint32_t what)
{
    struct mend_node *n = self->node;
    mend_atomic_u32 *awaits = &mend_node_rank_of(n->header, n->mine)->awaits;

    if (mend_load_relaxed(awaits) == what)
        return;
    mend_store_relaxed(awaits, what);
    /* Pairs with the fence in mend_node_wakes_awaiting(): who wakes sees the word, or this process what was stored. */
    atomic_thread_fence(memory_order_seq_cst);
}

void mend_node_await(struct mend_proc *self, mend_peer peer)
{
    name_awaited(self, (uint32_t)(peer + 1));
}

void mend_node_await_any(struct mend_proc *self)
{
    name_awaited(self, MEND_NODE_AWAITS_ANY);
}

void mend_node_wake_awaiting(struct mend_proc *self)
{
    mend_node_wakes_awaiting(self->node->header, self->node->places_end, self->me);
}

bool mend_node_may_await(const struct mend_proc *self, mend_peer peer)
{
    const struct mend_where *where = &mend_peer_entry(self, peer)->where;

    return self->node && (where->kind == MEND_WHERE_HERE || where->kind == MEND_WHERE_NODE ||
                          (where->job && where->job->by_sockets));
}
