/* SPDX-License-Identifier: BSD-3-Clause */
/* arena.c – size classes over private mappings.  The idea and the invariants are in arena.h. */
#include "base/arena.h"

#include <string.h>
#include <sys/mman.h>

#define CHUNK_BYTES ((size_t)256 * 1024)
#define CLASS_LARGE 0xffu
#define MAGIC_USED  0x6d656e64u
#define MAGIC_FREE  0x66726565u

/* Stands before every payload. */
struct header {
    uint32_t magic;
    uint32_t class;
    uint64_t payload_bytes;
};

struct chunk {
    struct mend_list link;
    uint64_t bytes, unused;
};

struct large {
    struct mend_list link;
    uint64_t bytes, unused;
    struct header header;
};

_Static_assert(sizeof(struct header) == 16, "payload alignment");
_Static_assert(sizeof(struct chunk) % 16 == 0, "payload alignment");
_Static_assert(sizeof(struct large) % 16 == 0, "payload alignment");

/* 0:16 1:32 2:48 3:64 4:96 5:128 6:192 ... */
static unsigned class_of(size_t n)
{
    unsigned bit;

    if (n <= 48)
        return n <= 16 ? 0 : n <= 32 ? 1 : 2;
    bit = 63 - (unsigned)__builtin_clzll(n - 1); /* 2^bit < n <= 2^(bit+1) */
    return (bit - 5) * 2 + (n > (size_t)3 << (bit - 1) ? 3 : 2);
}

static size_t class_bytes(unsigned class)
{
    if (class < 3)
        return 16 * (class + 1);
    return class & 1 ? (size_t)1 << ((class - 3) / 2 + 6) : (size_t)3 << ((class - 2) / 2 + 4);
}

static void *map(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

static bool add_chunk(struct mend_arena *arena)
{
    struct chunk *c = map(CHUNK_BYTES);

    if (!c)
        return false;
    c->bytes = CHUNK_BYTES;
    mend_list_append(&arena->chunks, &c->link);
    arena->chunk_next = (char *)(c + 1);
    arena->chunk_end = (char *)c + CHUNK_BYTES;
    return true;
}

struct mend_arena *mend_arena_create(void)
{
    struct mend_arena boot = {0}, *arena;
    struct chunk *c = map(CHUNK_BYTES);

    if (!c)
        return NULL;
    c->bytes = CHUNK_BYTES;
    arena = (struct mend_arena *)(c + 1);
    *arena = boot;
    mend_list_init(&arena->chunks);
    mend_list_init(&arena->large);
    mend_list_append(&arena->chunks, &c->link);
    arena->chunk_next = (char *)(arena + 1) + (-sizeof(*arena) & 15);
    arena->chunk_end = (char *)c + CHUNK_BYTES;
    return arena;
}

void mend_arena_destroy(struct mend_arena *arena)
{
    struct mend_list chunks;

    mend_list_foreach (l, next_large, &arena->large)
        munmap(l, mend_list_entry(l, struct large, link)->bytes);
    chunks = arena->chunks;      /* the head lies in the first chunk, */
    chunks.prev->next = &chunks; /* which goes away during the walk */
    for (struct mend_list *l = chunks.next, *next; l != &chunks; l = next) {
        next = l->next;
        munmap(l, mend_list_entry(l, struct chunk, link)->bytes);
    }
}

static void *alloc_large(struct mend_arena *arena, size_t n)
{
    size_t bytes = (sizeof(struct large) + n + 4095) & ~(size_t)4095;
    struct large *l = bytes < n ? NULL : map(bytes);

    if (!l)
        return NULL;
    l->bytes = bytes;
    l->header = (struct header){MAGIC_USED, CLASS_LARGE, bytes - sizeof(*l)};
    mend_list_append(&arena->large, &l->link);
    arena->in_use_bytes += l->header.payload_bytes;
    return l + 1;
}

static void *cut(struct mend_arena *arena, unsigned class)
{
    size_t payload = class_bytes(class), need = payload + sizeof(struct header);
    struct header *h;

    if ((size_t)(arena->chunk_end - arena->chunk_next) < need && !add_chunk(arena))
        return NULL;
    h = (struct header *)arena->chunk_next;
    arena->chunk_next += need;
    h->class = class;
    h->payload_bytes = payload;
    return h + 1;
}

void *mend_arena_alloc(struct mend_arena *arena, size_t n)
{
    unsigned class;
    void *p;

    if (n > class_bytes(MEND_ARENA_CLASSES - 1))
        return alloc_large(arena, n);
    class = class_of(n);
    p = arena->free[class];
    if (p)
        memcpy(&arena->free[class], p, sizeof(void *));
    else if (!(p = cut(arena, class)))
        return NULL;
    ((struct header *)p - 1)->magic = MAGIC_USED;
    arena->in_use_bytes += ((struct header *)p - 1)->payload_bytes;
    return p;
}

void mend_arena_free(struct mend_arena *arena, void *p)
{
    struct header *h;

    if (!p)
        return;
    h = (struct header *)p - 1;
    MEND_ASSERT(h->magic == MAGIC_USED);
    arena->in_use_bytes -= h->payload_bytes;
    if (h->class == CLASS_LARGE) {
        struct large *l = MEND_CONTAINER_OF(h, struct large, header);

        mend_list_remove(&l->link);
        munmap(l, l->bytes);
        return;
    }
    MEND_ASSERT(h->class < MEND_ARENA_CLASSES);
    h->magic = MAGIC_FREE;
    memcpy(p, &arena->free[h->class], sizeof(void *));
    arena->free[h->class] = p;
}
