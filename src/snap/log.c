/* SPDX-License-Identifier: BSD-3-Clause */
/* log.c – what the image held at outer safe points.
 *
 *   log       [ level 1: pages | level 2: pages | ... ]     a page of the image, and its number in log_index
 *
 * The entries of a level are what the image held at its safe point and a later, inner one overwrote. */
#include "snap/image.h"
#include "snap/own.h"
#include "snap/sys.h"

#include <unistd.h>

/* Shell's sort: what runs here may not call the C library. */
static void sort(struct mend_snap_place *p, size_t n)
{
    for (size_t gap = n / 2; gap; gap /= 2)
        for (size_t i = gap; i < n; i++) {
            struct mend_snap_place x = p[i];
            size_t k = i;

            for (; k >= gap && p[k - gap].offset > x.offset; k -= gap)
                p[k] = p[k - gap];
            p[k] = x;
        }
}

enum mend_status mend_snap_log_open(struct mend_snap *s, struct mend_snap_level *l)
{
    uint64_t bits = 0;

    l->log_begin = s->log_n;
    l->places_n = 0;
    l->places = mend_snap_take(s, l->regions_n * sizeof(*l->places));
    if (!l->places)
        return mend_snap_refuse(s, MEND_ERR_MEM, "no room for the tables", "");
    for (size_t i = 0; i < l->regions_n; i++) {
        const struct mend_snap_region *r = &l->regions[i];

        if (r->kind == MEND_SNAP_KIND_IMAGE)
            l->places[l->places_n++] =
                (struct mend_snap_place){r->offset, r->offset + (r->end - r->start), 0, r->start};
    }
    sort(l->places, l->places_n);
    for (size_t i = 0; i < l->places_n; i++) {
        l->places[i].bit = bits;
        bits += (l->places[i].end - l->places[i].offset) / MEND_SNAP_PAGE;
    }
    l->logged = mend_snap_take(s, (bits / 64 + 1) * 8);
    for (size_t i = 0; l->logged && i <= bits / 64; i++)
        l->logged[i] = 0;
    return l->logged ? MEND_OK : mend_snap_refuse(s, MEND_ERR_MEM, "no room for the tables", "");
}

/* NULL: the level's memory does not include it. */
static const struct mend_snap_place *place_of(const struct mend_snap_level *l, uint64_t offset)
{
    size_t low = 0, high = l->places_n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (l->places[middle].end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == l->places_n || l->places[low].offset > offset)
        return NULL;
    return &l->places[low];
}

/* The bit of a page of the image, or NULL. */
static uint64_t *find(const struct mend_snap_level *l, uint64_t offset, uint64_t *mask_p)
{
    const struct mend_snap_place *p = place_of(l, offset);
    uint64_t bit;

    if (!p)
        return NULL;
    bit = p->bit + (offset - p->offset) / MEND_SNAP_PAGE;
    *mask_p = (uint64_t)1 << (bit % 64);
    return &l->logged[bit / 64];
}

static bool outer_has(const struct mend_snap_level *l, uint64_t offset)
{
    for (l = l->outer; l; l = l->outer)
        if (place_of(l, offset))
            return true;
    return false;
}

/* Notes that the level has an entry of the page.  False: it had one, or needs none.  Memory that did not exist at the
 * level's safe point but at one around it may get several: the oldest counts. */
static bool mark(const struct mend_snap_level *l, uint64_t page)
{
    uint64_t mask, *word = find(l, page * MEND_SNAP_PAGE, &mask);

    if (!word)
        return outer_has(l, page * MEND_SNAP_PAGE);
    if (*word & mask)
        return false;
    *word |= mask;
    return true;
}

/* A page of contents, by way of the stack. */
static bool copy(int from, uint64_t from_page, int to, uint64_t to_page)
{
    char page[4096];

    return mend_snap_move(SYS_pread64, from, (uintptr_t)page, sizeof(page),
                          from_page * sizeof(page)) &&
           mend_snap_move(SYS_pwrite64, to, (uintptr_t)page, sizeof(page), to_page * sizeof(page));
}

enum mend_status mend_snap_log_keep(struct mend_snap *s, uint64_t offset, uint64_t bytes)
{
    for (uint64_t at = offset; at < offset + bytes; at += MEND_SNAP_PAGE) {
        uint64_t page = at / MEND_SNAP_PAGE;

        if (!mark(s->level, page))
            continue;
        if (s->log_n == s->log_max || !copy(s->image_fd, page, s->log_fd, s->log_n))
            return mend_snap_refuse(s, MEND_ERR_MEM, "no room in the log", "");
        s->log_index[s->log_n++] = page;
    }
    return MEND_OK;
}

/* The entry is needed by the level, to which it is to belong. */
typedef bool keeps(const struct mend_snap_level *l, uint64_t page);

/* Of the entries [from, to) those that l needs move down to `at`, in order.  Returns the end of them. */
static size_t move_down(struct mend_snap *s, const struct mend_snap_level *l, keeps *needs,
                        size_t from, size_t to, size_t at)
{
    for (size_t i = from; l && i < to; i++) {
        uint64_t page = s->log_index[i];

        if (!needs(l, page))
            continue;
        if (i != at)
            MEND_ASSERT(copy(s->log_fd, i, s->log_fd, at)); /* both pages exist */
        s->log_index[at++] = page;
    }
    return at;
}

/* Some were for a level around it that is gone. */
static bool still_needs(const struct mend_snap_level *l, uint64_t page)
{
    return place_of(l, page * MEND_SNAP_PAGE) || outer_has(l, page * MEND_SNAP_PAGE);
}

/* The entries of the levels from `inner` on begin at `at`. */
static void close_gap(struct mend_snap *s, struct mend_snap_level *inner, size_t at)
{
    struct mend_snap_level *next;

    for (; inner; inner = next) {
        size_t from = inner->log_begin;

        next = inner == s->level ? NULL : s->level;
        while (next && next->outer != inner)
            next = next->outer;
        inner->log_begin = at;
        at = move_down(s, inner, still_needs, from, next ? next->log_begin : s->log_n, at);
    }
    s->log_n = at;
}

/* The outer level's own entry is older: it stays, and that of l is dropped. */
void mend_snap_log_merge(struct mend_snap *s, struct mend_snap_level *l,
                         struct mend_snap_level *inner)
{
    struct mend_snap_level *outer = l->outer;
    size_t end = inner ? inner->log_begin : s->log_n;
    size_t at = move_down(s, outer, mark, l->log_begin, end, l->log_begin);

    if (inner)
        inner->outer = outer;
    if (at == end)
        return;
    if (inner)
        close_gap(s, inner, at);
    else
        s->log_n = at;
}

enum mend_status mend_snap_log_undo(struct mend_snap *s, const struct mend_snap_level *l)
{
    while (s->log_n > l->log_begin) {
        uint64_t page = s->log_index[s->log_n - 1], mask, *word;

        if (!copy(s->log_fd, s->log_n - 1, s->image_fd, page))
            return MEND_ERR_SYS;
        s->log_n--;
        word = find(l, page * MEND_SNAP_PAGE, &mask);
        if (word)
            *word &= ~mask;
    }
    return MEND_OK;
}

void mend_snap_log_each(struct mend_snap *s,
                        void (*run)(struct mend_snap *s, uintptr_t start, uintptr_t end))
{
    uintptr_t start = 0, end = 0;

    for (size_t i = s->level->log_begin; i < s->log_n; i++) {
        uint64_t offset = s->log_index[i] * MEND_SNAP_PAGE;
        const struct mend_snap_place *p = place_of(s->level, offset);
        uintptr_t at = p ? p->start + (offset - p->offset) : 0;

        if (!at)
            continue;
        if (at != end) {
            if (start)
                run(s, start, end);
            start = at;
        }
        end = at + MEND_SNAP_PAGE;
    }
    if (start)
        run(s, start, end);
}
