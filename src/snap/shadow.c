/* SPDX-License-Identifier: BSD-3-Clause */
/* shadow.c – ways track and full: the program's memory stays where it is, and the image is a copy of it, its shadow.
 *
 *   address      [ heap          | grown ]      [ array ]
 *   image        [ shadow               ].gap.  [ shadow ].gap.       what grows finds room in the gap
 *
 * 1. A page that changes.c does not report equals its shadow.
 * 2. An anonymous page that is not there is zero, and its shadow becomes a hole.
 * 3. A shadow never moves while there is a safe point; without one, what shows nothing any more is dropped. */
#include "snap/changes.h"
#include "snap/image.h"
#include "snap/own.h"
#include "snap/sys.h"

#include <sys/mman.h>

static uint64_t offset_of(const struct mend_snap_region *r, uintptr_t at)
{
    return r->offset + (at - r->start);
}

/* The first shadow that ends above at. */
static size_t find(const struct mend_snap *s, uintptr_t at)
{
    size_t low = 0, high = s->shadows_n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (s->shadows[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* --- saving --- */

/* Pages without contents: what the image holds for them goes. */
static enum mend_status save_absent(struct mend_snap *s, const struct mend_snap_region *r,
                                    uintptr_t start, uintptr_t end)
{
    uint64_t at = offset_of(r, start), to;
    enum mend_status st = MEND_OK;

    for (; !st && (to = mend_snap_image_data(s, &at, offset_of(r, end))); at = to) {
        if (s->level)
            st = mend_snap_log_keep(s, at, to - at);
        if (!st)
            mend_snap_image_punch(s, at, to);
    }
    return st;
}

/* arg: the region. */
static enum mend_status save_change(struct mend_snap *s, const struct mend_snap_change *c,
                                    void *arg)
{
    const struct mend_snap_region *r = arg;
    enum mend_status st = MEND_OK;

    if (!c->has_contents && !r->inode)
        return save_absent(s, r, c->start, c->end);
    if (s->level)
        st = mend_snap_log_keep(s, offset_of(r, c->start), c->end - c->start);
    return st ? st : mend_snap_image_write(s, c->start, c->end, arg);
}

static enum mend_status save_changes(struct mend_snap *s, struct mend_snap_region *r)
{
    mend_snap_changes_watch(s, r->start, r->end); /* it may have been mapped since */
    return mend_snap_changes(s, r->start, r->end, true, save_change, r);
}

/* What continues a shadow in memory continues it in the image. */
static bool extend(struct mend_snap *s, size_t i, struct mend_snap_region *r)
{
    struct mend_snap_shadow *before = i ? &s->shadows[i - 1] : NULL;

    if (!before || before->end != r->start ||
        before->offset + (r->end - before->start) > before->limit)
        return false;
    r->offset = before->offset + (r->start - before->start);
    before->end = r->end;
    mend_snap_image_punch(s, r->offset, offset_of(r, r->end)); /* it may have been there before */
    return true;
}

static enum mend_status save_new(struct mend_snap *s, struct mend_snap_region *r)
{
    size_t i = find(s, r->start);

    if (!extend(s, i, r)) {
        enum mend_status st = s->shadows_n < s->shadows_max
                                  ? mend_snap_image_place(s, r)
                                  : mend_snap_refuse(s, MEND_ERR_MEM, "too many mappings", "");

        if (st)
            return st;
        for (size_t k = s->shadows_n++; k > i; k--)
            s->shadows[k] = s->shadows[k - 1];
        s->shadows[i] = (struct mend_snap_shadow){r->start, r->end, r->offset, s->image_end};
    }
    return save_changes(s, r);
}

enum mend_status mend_snap_shadow_save(struct mend_snap *s, struct mend_snap_level *l,
                                       const struct mend_snap_map *m)
{
    enum mend_status st = MEND_OK;

    for (uintptr_t at = m->start; at < m->end && !st;) {
        size_t i = find(s, at);
        const struct mend_snap_shadow *known = i < s->shadows_n ? &s->shadows[i] : NULL;
        struct mend_snap_region *r = &l->regions[l->regions_n++];
        uintptr_t end = !known ? m->end : known->start <= at ? known->end : known->start;

        *r = (struct mend_snap_region){.start = at,
                                       .end = end < m->end ? end : m->end,
                                       .prot = m->prot,
                                       .kind = MEND_SNAP_KIND_IMAGE,
                                       .inode = m->inode};
        if (known && known->start <= at) {
            r->offset = known->offset + (at - known->start);
            st = save_changes(s, r);
        } else {
            st = save_new(s, r);
        }
        at = r->end;
    }
    return st;
}

/* The shadows of what is in l's regions, neighbours joined. */
static size_t gather(const struct mend_snap *s, const struct mend_snap_level *l,
                     struct mend_snap_shadow *to)
{
    size_t n = 0;

    for (size_t i = 0; i < l->regions_n; i++) {
        const struct mend_snap_region *r = &l->regions[i];

        if (r->kind != MEND_SNAP_KIND_IMAGE)
            continue;
        if (n && to[n - 1].end == r->start &&
            to[n - 1].offset + (r->start - to[n - 1].start) == r->offset)
            to[n - 1].end = r->end;
        else
            to[n++] = (struct mend_snap_shadow){r->start, r->end, r->offset,
                                                s->shadows[find(s, r->start)].limit};
    }
    return n;
}

static void copy(struct mend_snap_shadow *to, const struct mend_snap_shadow *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
}

enum mend_status mend_snap_shadow_keep(struct mend_snap *s, struct mend_snap_level *l)
{
    size_t n = s->shadows_n > l->regions_n ? s->shadows_n : l->regions_n;

    l->shadows = mend_snap_take(s, n * sizeof(*l->shadows));
    if (!l->shadows)
        return mend_snap_refuse(s, MEND_ERR_MEM, "no room for the tables", "");
    if (!s->level) {
        s->shadows_n = gather(s, l, l->shadows);
        copy(s->shadows, l->shadows, s->shadows_n);
    }
    l->shadows_n = s->shadows_n;
    copy(l->shadows, s->shadows, s->shadows_n);
    return MEND_OK;
}

/* --- restoring --- */

/* arg: the region. */
static enum mend_status restore_change(struct mend_snap *s, const struct mend_snap_change *c,
                                       void *arg)
{
    const struct mend_snap_region *r = arg;

    return c->has_contents || r->inode ? mend_snap_image_read_over(s, r, c->start, c->end)
                                       : mend_snap_image_read(s, r, c->start, c->end);
}

enum mend_status mend_snap_shadow_restore(struct mend_snap *s, const struct mend_snap_region *r)
{
    return mend_snap_changes(s, r->start, r->end, false, restore_change, (void *)r);
}

void mend_snap_shadow_back(struct mend_snap *s, const struct mend_snap_level *l)
{
    s->shadows_n = l->shadows_n;
    copy(s->shadows, l->shadows, l->shadows_n);
}
