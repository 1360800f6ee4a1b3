/* SPDX-License-Identifier: BSD-3-Clause */
/* restore.c – restores mappings and pages as they were at the innermost safe point.
 *
 * Runs on the stack of the object with all signals blocked.  A first walk along all mappings only looks whether everything can
 * be restored, and a second one does it. */
#include "snap/changes.h"
#include "snap/image.h"
#include "snap/own.h"
#include "snap/sys.h"

#include <sys/mman.h>

static enum mend_status drop_run(struct mend_snap *s, uintptr_t start, uintptr_t end, void *arg)
{
    const struct mend_snap_region *r = arg;

    if ((s->setup.way == MEND_SNAP_WAY_DROP || !(r->prot & PROT_WRITE)) &&
        mend_snap_advise(start, end, MADV_DONTNEED) == 0) {
        s->counts.undone_pages += (end - start) / MEND_SNAP_PAGE;
        return MEND_OK;
    }
    return mend_snap_image_read_over(s, r, start, end);
}

/* Without MAP_NORESERVE, with which it would not become one with its neighbours. */
static bool map_empty(uintptr_t start, uintptr_t end, int prot)
{
    return MEND_SNAP_SYS6(SYS_mmap, start, end - start, prot,
                          MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0) == (long)start;
}

/* New anonymous memory with the contents of the safe point. */
static bool refill(struct mend_snap *s, const struct mend_snap_region *r, uintptr_t start,
                   uintptr_t end)
{
    struct mend_snap_region part = *r;

    if (!map_empty(start, end, PROT_READ | PROT_WRITE))
        return false;
    if (mend_snap_has_shadow(
            s)) { /* while it is empty it becomes one with its neighbours, as mremap() needs it */
        mend_snap_changes_watch(s, start, end);
        return mend_snap_image_read(s, r, start, end) == MEND_OK;
    }
    part.start = start;
    part.end = end;
    return mend_snap_child_read(s, &part) == MEND_OK;
}

static bool map_region(struct mend_snap *s, const struct mend_snap_region *r, uintptr_t start,
                       uintptr_t end)
{
    if (r->kind == MEND_SNAP_KIND_KEPT)
        return map_empty(start, end, r->prot);
    if (mend_snap_shows_image(s))
        return mend_snap_image_show(s, r, start, end);
    return refill(s, r, start, end) &&
           MEND_SNAP_SYS3(SYS_mprotect, start, end - start, r->prot) == 0;
}

static bool is_same(const struct mend_snap *s, const struct mend_snap_region *r,
                    const struct mend_snap_map *m)
{
    return m->prot == r->prot && (mend_snap_is_image(s, m) ? 0 : m->inode) == r->inode;
}

static enum mend_status look_at_part(struct mend_snap *s, const struct mend_snap_region *r,
                                     const struct mend_snap_map *m)
{
    if (m->shared)
        return mend_snap_refuse(s, MEND_ERR_UNSUPPORTED,
                                "where memory of the program was there is now ", m->name);
    if (r->kind == MEND_SNAP_KIND_KEPT && r->prot && !is_same(s, r, m))
        return mend_snap_refuse(s, MEND_ERR_UNSUPPORTED,
                                "what could not be written has been replaced by ", m->name);
    return MEND_OK;
}

/* A region that was one mapping becomes one again, since mremap() does not work across two. */
static enum mend_status renew(struct mend_snap *s, struct mend_snap_region *r)
{
    r->renewed = true;
    s->counts.undone_pages += (r->end - r->start) / MEND_SNAP_PAGE;
    return map_region(s, r, r->start, r->end) ? MEND_OK : MEND_ERR_SYS;
}

/* The mapping m is that of r, except for its protection. */
static enum mend_status write_over(struct mend_snap *s, const struct mend_snap_region *r,
                                   const struct mend_snap_map *m)
{
    const int open = PROT_READ | PROT_WRITE;
    bool closed = (m->prot & open) != open;
    enum mend_status st;

    if (closed)
        MEND_SNAP_SYS3(SYS_mprotect, r->start, r->end - r->start, open);
    st = mend_snap_has_shadow(s) ? mend_snap_shadow_restore(s, r) : mend_snap_child_read(s, r);
    if (closed || m->prot != r->prot)
        MEND_SNAP_SYS3(SYS_mprotect, r->start, r->end - r->start, r->prot);
    return st;
}

/* [start, end) of r, where m is. */
static enum mend_status restore_part(struct mend_snap *s, struct mend_snap_region *r,
                                     const struct mend_snap_map *m, uintptr_t start, uintptr_t end)
{
    if (r->kind == MEND_SNAP_KIND_KEPT) /* what was out of reach was empty */
        return is_same(s, r, m) || map_region(s, r, start, end) ? MEND_OK : MEND_ERR_SYS;
    if (r->renewed)
        return MEND_OK;
    if (start != r->start || end != r->end)
        return renew(s, r);
    if (!mend_snap_shows_image(s) && m->inode == r->inode)
        return write_over(s, r, m);
    if (!mend_snap_is_image(s, m) || m->offset - m->start != r->offset - r->start)
        return map_region(s, r, start, end) ? MEND_OK : MEND_ERR_SYS;
    if (m->prot != r->prot)
        MEND_SNAP_SYS3(SYS_mprotect, start, end - start, r->prot);
    return mend_snap_runs(s, start, end, true, drop_run, r);
}

/* Where a walk along regions and mappings, both in order, is. */
struct walk {
    size_t region;
    bool apply; /* or only look whether it can be done */
};

/* A hole in a region of a kept mapping can be filled only if nothing was in it. */
static enum mend_status fill(struct mend_snap *s, const struct mend_snap_region *r, uintptr_t start,
                             uintptr_t end, bool apply)
{
    if (start >= end)
        return MEND_OK;
    if (r->kind == MEND_SNAP_KIND_KEPT && r->prot)
        return mend_snap_refuse(s, MEND_ERR_UNSUPPORTED,
                                "a mapping that was not writable has been removed", "");
    return !apply || map_region(s, r, start, end) ? MEND_OK : MEND_ERR_SYS;
}

static bool remove_mapping(struct mend_snap *s, uintptr_t start, uintptr_t end)
{
    if (mend_snap_has_shadow(s))
        mend_snap_changes_gone(s, start, end);
    return MEND_SNAP_SYS3(SYS_munmap, start, end - start, 0) == 0;
}

/* One mapping of now against the regions: what is not theirs goes, unless the walk only looks. */
static enum mend_status meet(struct mend_snap *s, const struct mend_snap_map *m, void *arg)
{
    struct walk *w = arg;
    const struct mend_snap_level *l = s->level;
    uintptr_t at = m->start;
    enum mend_status st = MEND_OK;

    while (w->region < l->regions_n && l->regions[w->region].end <= m->start)
        w->region++;
    for (size_t i = w->region; at < m->end && !st; i++) {
        struct mend_snap_region *r = i < l->regions_n ? &l->regions[i] : NULL;
        uintptr_t next = r && r->start < m->end ? r->start : m->end;

        if (at < next && w->apply && !m->shared && !remove_mapping(s, at, next))
            return MEND_ERR_SYS;
        at = at > next ? at : next;
        if (at >= m->end)
            break;
        next = r->end < m->end ? r->end : m->end;
        st = w->apply ? restore_part(s, r, m, at, next) : look_at_part(s, r, m);
        at = next;
    }
    return st;
}

/* The parts of the regions where nothing is now. */
static enum mend_status fill_holes(struct mend_snap *s, bool apply)
{
    enum mend_status st = MEND_OK;
    size_t i = 0;

    for (size_t n = 0; n < s->level->regions_n && !st; n++) {
        const struct mend_snap_region *r = &s->level->regions[n];
        uintptr_t at = r->renewed ? r->end : r->start;

        while (i < s->maps_n && s->maps[i].end <= at)
            i++;
        for (size_t k = i; k < s->maps_n && s->maps[k].start < r->end && !st; k++) {
            st = fill(s, r, at, s->maps[k].start, apply);
            at = s->maps[k].end;
        }
        if (!st)
            st = fill(s, r, at, r->end, apply);
    }
    return st;
}

/* An excluded range may not have come to where the program's memory was. */
static enum mend_status look_at_excluded(struct mend_snap *s)
{
    size_t i = 0;

    for (size_t n = 0; n < s->level->regions_n; n++) {
        const struct mend_snap_region *r = &s->level->regions[n];

        while (i < s->excluded_n && s->excluded[i].end <= r->start)
            i++;
        if (i < s->excluded_n && s->excluded[i].start < r->end)
            return mend_snap_refuse(s, MEND_ERR_UNSUPPORTED,
                                    "where memory of the program was there is now the library's",
                                    "");
    }
    return MEND_OK;
}

static enum mend_status walk(struct mend_snap *s, bool apply)
{
    struct walk w = {.apply = apply};
    enum mend_status st = apply ? MEND_OK : look_at_excluded(s);

    for (size_t i = 0; i < s->level->regions_n; i++)
        s->level->regions[i].renewed = false;
    for (size_t i = 0; i < s->maps_n && !st; i++)
        if (!s->maps[i].stack)
            st = mend_snap_pieces(s, &s->maps[i], meet, &w);
    return st ? st : fill_holes(s, apply);
}

/* The end of the heap, and what is mapped afterwards. */
static enum mend_status restore_brk(struct mend_snap *s, char *mark)
{
    uintptr_t brk = s->level->brk;

    if (MEND_SNAP_SYS3(SYS_brk, brk, 0, 0) != (long)brk)
        return mend_snap_refuse(s, MEND_ERR_UNSUPPORTED, "the heap cannot have its old end", "");
    s->top = mark;
    return mend_snap_look(s);
}

/* From the first change on there is no way back. */
static enum mend_status restore_from_image(struct mend_snap *s)
{
    const struct mend_snap_level *l = s->level;

    if (mend_snap_has_shadow(s))
        mend_snap_log_each(s, mend_snap_changes_add);
    MEND_ASSERT(!mend_snap_log_undo(s, l));
    MEND_ASSERT(!walk(s, true));
    s->image_end = l->image_end;
    if (mend_snap_has_shadow(s))
        mend_snap_shadow_back(s, l);
    return MEND_OK;
}

static enum mend_status restore_from_child(struct mend_snap *s)
{
    enum mend_status st = mend_snap_child_open(s);

    if (st)
        return st;
    MEND_ASSERT(!walk(s, true));
    mend_snap_child_close(s);
    return MEND_OK;
}

enum mend_status mend_snap_restore(struct mend_snap *s)
{
    const struct mend_snap_level *l = s->level;
    char *mark = s->top;
    enum mend_status st = mend_snap_look(s);

    s->counts.undone_pages = 0;
    if (!st)
        st = walk(s, false);
    if (!st)
        st = restore_brk(s, mark);
    if (st)
        return st;
    st = s->setup.way == MEND_SNAP_WAY_FORK ? restore_from_child(s) : restore_from_image(s);
    if (st)
        return st;
    MEND_ASSERT(mend_snap_move(SYS_pread64, s->own_fd, l->stack_low, l->stack_bytes, l->stack_at));
    return MEND_OK;
}
