/* SPDX-License-Identifier: BSD-3-Clause */
/* arena.c – size classes over private mappings.  The idea and the invariants are in arena.h. */
#include "base/arena.h"

#include <string.h>
#include <sys/mman.h>

/* With the address sanitizer a use of a released block is an error. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define SHUT(at_, bytes_) ASAN_POISON_MEMORY_REGION(at_, bytes_)
#define OPEN(at_, bytes_) ASAN_UNPOISON_MEMORY_REGION(at_, bytes_)
#else
#define SHUT(at_, bytes_) (void)0
#define OPEN(at_, bytes_) (void)0
#endif

#define CHUNK_BYTES ((size_t)256 * 1024)
#define CLASS_LARGE 0xffu
#define CLASS_PAGE  15 /* the first one of a page or more */
#define SPARE_N_MAX 4
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
    uint64_t bytes;
    uint64_t used_before; /* so its bytes need not be zero */
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

/* `before`: bytes that the arena has asked for so far.  If the place is taken, the kernel takes another one. */
static void *map(size_t bytes, size_t before)
{
    void *p = mmap(mend_apart(MEND_APART_ARENA, before), bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

static bool add_chunk(struct mend_arena *arena, char **next_p, char **end_p)
{
    struct chunk *c = map(CHUNK_BYTES, arena->mapped_bytes);

    if (!c)
        return false;
    arena->mapped_bytes += CHUNK_BYTES;
    c->bytes = CHUNK_BYTES;
    mend_list_append(&arena->chunks, &c->link);
    *next_p = (char *)(c + 1);
    *end_p = (char *)c + CHUNK_BYTES;
    return true;
}

static void lose_spare(struct mend_arena *arena, struct large *l)
{
    mend_list_remove(&l->link);
    arena->spare_n--;
    arena->spare_bytes -= l->bytes;
}

/* Those released first, until what is left is no more than that. */
static void give_back_spares(struct mend_arena *arena, size_t bytes)
{
    while (arena->spare_n && (arena->spare_n > SPARE_N_MAX || arena->spare_bytes > bytes)) {
        struct large *l = mend_list_entry(arena->spare.prev, struct large, link);

        lose_spare(arena, l);
        munmap(l, l->bytes);
    }
}

static size_t reserve_rest(const struct mend_arena *arena)
{
    return (size_t)(arena->reserve_end - arena->reserve_next);
}

MEND_LOOKS_AT_RELEASED static void *next_free(const void *block)
{
    return *(void *const *)block;
}

/* Is so much released in blocks that can stand in for the reserve?  Looks at no more of them than that takes. */
static bool has_released(const struct mend_arena *arena, size_t bytes)
{
    size_t found = 0;

    for (unsigned class = CLASS_PAGE; class < MEND_ARENA_CLASSES; class ++)
        for (void *p = arena->free[class]; p; p = next_free(p)) {
            found += class_bytes(class);
            if (found >= bytes)
                return true;
        }
    return false;
}

bool mend_arena_is_low(const struct mend_arena *arena)
{
    size_t rest = reserve_rest(arena);

    return rest < CHUNK_BYTES / 2 && !has_released(arena, CHUNK_BYTES / 2 - rest);
}

static void look_at_strain(struct mend_arena *arena)
{
    arena->strained = reserve_rest(arena) < CHUNK_BYTES / 2 || arena->faults.fail_at;
}

struct mend_arena *mend_arena_create(void)
{
    struct mend_arena boot = {.mapped_bytes = CHUNK_BYTES}, *arena;
    struct chunk *c = map(CHUNK_BYTES, 0);

    if (!c)
        return NULL;
    c->bytes = CHUNK_BYTES;
    arena = (struct mend_arena *)(c + 1);
    *arena = boot;
    mend_list_init(&arena->chunks);
    mend_list_init(&arena->large);
    mend_list_init(&arena->spare);
    mend_list_append(&arena->chunks, &c->link);
    arena->chunk_next = (char *)(arena + 1) + (-sizeof(*arena) & 15);
    arena->chunk_end = (char *)c + CHUNK_BYTES;
    if (!add_chunk(arena, &arena->reserve_next, &arena->reserve_end)) {
        mend_arena_destroy(arena);
        return NULL;
    }
    return arena;
}

void mend_arena_destroy(struct mend_arena *arena)
{
    struct mend_list chunks;

    mend_list_foreach (l, next_large, &arena->large)
        munmap(l, mend_list_entry(l, struct large, link)->bytes);
    give_back_spares(arena, 0);
    chunks = arena->chunks;      /* the head lies in the first chunk, */
    chunks.prev->next = &chunks; /* which goes away during the walk */
    for (struct mend_list *l = chunks.next, *next; l != &chunks; l = next) {
        next = l->next;
        OPEN(l, mend_list_entry(l, struct chunk, link)->bytes);
        munmap(l, mend_list_entry(l, struct chunk, link)->bytes);
    }
}

void mend_arena_each(const struct mend_arena *arena,
                     void (*each)(void *of, const void *at, size_t bytes), void *of)
{
    mend_list_foreach (c, next_chunk, &arena->chunks)
        each(of, c, mend_list_entry(c, struct chunk, link)->bytes);
    mend_list_foreach (l, next_large, &arena->large)
        each(of, l, mend_list_entry(l, struct large, link)->bytes);
    mend_list_foreach (l, next_spare, &arena->spare)
        each(of, l, mend_list_entry(l, struct large, link)->bytes);
}

static struct large *map_large(struct mend_arena *arena, size_t bytes)
{
    struct large *l = map(bytes, arena->mapped_bytes);

    if (!l && arena->spare_n) {
        give_back_spares(arena, 0);
        l = map(bytes, arena->mapped_bytes);
    }
    if (!l)
        return NULL;
    arena->mapped_bytes += bytes;
    l->bytes = bytes;
    l->used_before = false;
    return l;
}

/* One that is large enough, and not more than twice as large. */
static struct large *take_spare(struct mend_arena *arena, size_t bytes)
{
    mend_list_foreach (link, next, &arena->spare) {
        struct large *l = mend_list_entry(link, struct large, link);

        if (l->bytes < bytes || l->bytes / 2 > bytes)
            continue;
        lose_spare(arena, l);
        return l;
    }
    return NULL;
}

static void *alloc_large(struct mend_arena *arena, size_t n)
{
    size_t bytes = (sizeof(struct large) + n + 4095) & ~(size_t)4095;
    struct large *l = bytes < n ? NULL : take_spare(arena, bytes);

    if (!l && bytes >= n)
        l = map_large(arena, bytes);
    if (!l)
        return NULL;
    l->header = (struct header){MAGIC_USED, CLASS_LARGE, l->bytes - sizeof(*l)};
    mend_list_append(&arena->large, &l->link);
    arena->in_use_bytes += l->header.payload_bytes;
    return l + 1;
}

static void free_large(struct mend_arena *arena, struct large *l)
{
    l->header.magic = MAGIC_FREE;
    l->used_before = true;
    mend_list_remove(&l->link);
    if (l->bytes > MEND_ARENA_SPARE_MAX) {
        munmap(l, l->bytes);
        return;
    }
    mend_list_prepend(&arena->spare, &l->link);
    arena->spare_n++;
    arena->spare_bytes += l->bytes;
    give_back_spares(arena, MEND_ARENA_SPARE_MAX);
}

/* A new block at *next_p, where there is room. */
static void *cut(char **next_p, unsigned class)
{
    struct header *h = (struct header *)*next_p;

    h->class = class;
    h->payload_bytes = class_bytes(class);
    *next_p += h->payload_bytes + sizeof(*h);
    return h + 1;
}

static bool has_room(const char *next, const char *end, unsigned class)
{
    return (size_t)(end - next) >= class_bytes(class) + sizeof(struct header);
}

static void *use(struct mend_arena *arena, void *p)
{
    ((struct header *)p - 1)->magic = MAGIC_USED;
    arena->in_use_bytes += ((struct header *)p - 1)->payload_bytes;
    return p;
}

static void *pop(struct mend_arena *arena, unsigned class)
{
    void *p = arena->free[class];

    arena->free[class] = next_free(p);
    OPEN(p, class_bytes(class));
    return p;
}

static void *alloc_small(struct mend_arena *arena, unsigned class)
{
    if (mend_likely(arena->free[class] != NULL))
        return use(arena, pop(arena, class));
    if (!has_room(arena->chunk_next, arena->chunk_end, class) &&
        !add_chunk(arena, &arena->chunk_next, &arena->chunk_end))
        return NULL;
    return use(arena, cut(&arena->chunk_next, class));
}

static void *alloc(struct mend_arena *arena, size_t n)
{
    if (n > class_bytes(MEND_ARENA_CLASSES - 1))
        return alloc_large(arena, n);
    return alloc_small(arena, class_of(n));
}

static bool is_denied(struct mend_arena *arena)
{
    struct mend_arena_faults *f = &arena->faults;

    if (!f->fail_at || --f->fail_at)
        return false;
    f->fail_at = f->ever_after;
    f->denied_n++;
    look_at_strain(arena);
    return true;
}

/* The rest of the old reserve goes to waste, unless it is more than what else is left. */
static bool refill(struct mend_arena *arena)
{
    char *next = arena->reserve_next, *end = arena->reserve_end;

    if (!add_chunk(arena, &arena->reserve_next, &arena->reserve_end))
        return false;
    if (end - next > arena->chunk_end - arena->chunk_next) {
        arena->chunk_next = next;
        arena->chunk_end = end;
    }
    look_at_strain(arena);
    return true;
}

/* A released block of that class or, if there is none, of a larger one. */
static void *take_released(struct mend_arena *arena, unsigned class)
{
    while (class < MEND_ARENA_CLASSES && !arena->free[class])
        class ++;
    return class < MEND_ARENA_CLASSES ? use(arena, pop(arena, class)) : NULL;
}

static void *from_reserve(struct mend_arena *arena, size_t n)
{
    unsigned class = n > class_bytes(MEND_ARENA_CLASSES - 1) ? CLASS_LARGE : class_of(n);
    void *p = take_released(arena, class);

    if (p)
        return p;
    if (class == CLASS_LARGE || !has_room(arena->reserve_next, arena->reserve_end, class)) {
        if (arena->exhausted)
            arena->exhausted(arena->exhausted_of);
        return NULL;
    }
    p = cut(&arena->reserve_next, class);
    look_at_strain(arena);
    return use(arena, p);
}

static void *alloc_strained(struct mend_arena *arena, size_t n)
{
    if (is_denied(arena))
        return NULL;
    if (!arena->pressed && reserve_rest(arena) < CHUNK_BYTES / 2 && !refill(arena) &&
        mend_arena_is_low(arena))
        return NULL;
    return alloc(arena, n);
}

void *mend_arena_alloc(struct mend_arena *arena, size_t n)
{
    void *p = mend_unlikely(arena->strained) ? alloc_strained(arena, n) : alloc(arena, n);

    return mend_likely(p != NULL) || !arena->pressed ? p : from_reserve(arena, n);
}

/* As every new mapping is. */
static bool is_zero(void *p)
{
    struct header *h = (struct header *)p - 1;

    return h->class == CLASS_LARGE && !MEND_CONTAINER_OF(h, struct large, header)->used_before;
}

void *mend_arena_zalloc(struct mend_arena *arena, size_t n)
{
    void *p = mend_arena_alloc(arena, n);

    return p && !is_zero(p) ? memset(p, 0, n) : p;
}

void mend_arena_press(struct mend_arena *arena)
{
    arena->pressed++;
}

void mend_arena_relax(struct mend_arena *arena)
{
    MEND_ASSERT(arena->pressed > 0);
    arena->pressed--;
}

void mend_arena_set_faults(struct mend_arena *arena, uint32_t fail_at, bool ever_after)
{
    arena->faults = (struct mend_arena_faults){.fail_at = fail_at, .ever_after = ever_after};
    look_at_strain(arena);
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
        free_large(arena, MEND_CONTAINER_OF(h, struct large, header));
        return;
    }
    MEND_ASSERT(h->class < MEND_ARENA_CLASSES);
    h->magic = MAGIC_FREE;
    memcpy(p, &arena->free[h->class], sizeof(void *));
    arena->free[h->class] = p;
    SHUT(p, h->payload_bytes);
}
