/* SPDX-License-Identifier: BSD-3-Clause */
/* image.c – the memory at the innermost safe point: saved, and restored (snap.h has the picture).
 *
 * Runs on the stack of the object with all signals blocked, so that the program's memory stands still. */
#include "snap/own.h"
#include "snap/sys.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Between regions in the image: mremap() lets a mapping grow into it.  It is a hole, so it costs nothing. */
#define GAP_BYTES ((uint64_t)1 << 38)

#define IMAGE_FLAGS (MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE)
#define EMPTY_FLAGS (MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS)

static bool is_full(const struct mend_snap *s)
{
    return s->setup.way == MEND_SNAP_WAY_FULL;
}

static bool is_track(const struct mend_snap *s)
{
    return s->setup.way == MEND_SNAP_WAY_TRACK;
}

/* The program's memory stays where it is, and the image is only a copy. */
static bool is_apart(const struct mend_snap *s)
{
    return is_full(s) || is_track(s);
}

static bool is_image(const struct mend_snap *s, const struct mend_snap_map *m)
{
    return !m->shared && m->inode == s->image_inode;
}

static int advise(uintptr_t start, uintptr_t end, int advice)
{
    return (int)MEND_SNAP_SYS3(SYS_madvise, start, end - start, advice);
}

static bool map_over(uintptr_t start, uintptr_t end, int prot, int flags, int fd, uint64_t offset)
{
    return MEND_SNAP_SYS6(SYS_mmap, start, end - start, prot, flags, fd, offset) == (long)start;
}

void mend_snap_image_punch(const struct mend_snap *s, uint64_t from, uint64_t to)
{
    MEND_SNAP_SYS4(SYS_fallocate, s->image_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from,
                   to - from);
}

/* --- saving --- */

static enum mend_status no_room(struct mend_snap *s)
{
    return mend_snap_refuse(s, MEND_ERR_MEM, "no memory for the image", "");
}

/* arg: the region. */
static enum mend_status write_run(struct mend_snap *s, uintptr_t start, uintptr_t end, void *arg)
{
    const struct mend_snap_region *r = arg;

    s->counts.saved_pages += (end - start) / MEND_SNAP_PAGE;
    if (mend_snap_move(SYS_pwrite64, s->image_fd, start, end - start,
                       r->offset + (start - r->start)))
        return MEND_OK;
    return no_room(s);
}

enum mend_status mend_snap_image_write(struct mend_snap *s, const struct mend_snap_region *r,
                                       uintptr_t start, uintptr_t end)
{
    if (!r->inode)
        return write_run(s, start, end, (void *)r);
    s->counts.saved_pages += (end - start) / MEND_SNAP_PAGE;
    for (uintptr_t at = start; at < end; at += MEND_SNAP_PAGE)
        if (MEND_SNAP_SYS4(SYS_pwrite64, s->image_fd, at, MEND_SNAP_PAGE,
                           r->offset + (at - r->start)) == -28 /* ENOSPC */)
            return no_room(s);
    return MEND_OK;
}

enum mend_status mend_snap_image_place(struct mend_snap *s, struct mend_snap_region *r)
{
    r->offset = s->image_end;
    s->image_end += ((r->end - r->start) / GAP_BYTES + 2) * GAP_BYTES;
    if (s->image_end > MEND_SNAP_IMAGE_BYTES)
        return no_room(s);
    if (r->offset < s->image_used) /* by a region that is gone */
        mend_snap_image_punch(s, r->offset, s->image_end);
    if (s->image_used < s->image_end)
        s->image_used = s->image_end;
    return MEND_OK;
}

static enum mend_status save_fresh(struct mend_snap *s, struct mend_snap_region *r)
{
    enum mend_status st = mend_snap_image_place(s, r);

    if (!st)
        st = r->inode ? mend_snap_image_write(s, r, r->start, r->end)
                      : mend_snap_runs(s, r->start, r->end, false, write_run, r);
    if (!st && !is_full(s) &&
        !map_over(r->start, r->end, r->prot, IMAGE_FLAGS, s->image_fd, r->offset))
        return no_room(s);
    return st;
}

/* A run of changed pages: into the image, which they then show again. */
static enum mend_status save_run(struct mend_snap *s, uintptr_t start, uintptr_t end, void *arg)
{
    const struct mend_snap_region *r = arg;
    enum mend_status st = MEND_OK;

    if (s->level)
        st = mend_snap_log_keep(s, r->offset + (start - r->start), end - start);
    if (!st)
        st = write_run(s, start, end, arg);
    if (!st)
        advise(start, end, MADV_DONTNEED);
    return st;
}

/* Adds the piece to the regions of the level, arg, which s->maps does not know yet. */
static enum mend_status save_piece(struct mend_snap *s, const struct mend_snap_map *m, void *arg)
{
    struct mend_snap_level *l = arg;
    struct mend_snap_region *r = &l->regions[l->regions_n];

    *r = (struct mend_snap_region){.start = m->start,
                                   .end = m->end,
                                   .prot = m->prot,
                                   .kind = MEND_SNAP_KIND_KEPT,
                                   .inode = is_image(s, m) ? 0 : m->inode};
    l->regions_n++;
    if (is_image(s, m) && !is_apart(s)) {
        r->kind = MEND_SNAP_KIND_IMAGE;
        r->offset = m->offset;
        return mend_snap_runs(s, r->start, r->end, true, save_run, r);
    }
    if (!(m->prot & PROT_WRITE) && (m->inode || !m->prot || *m->name == '['))
        return MEND_OK;
    if (is_track(s)) {
        l->regions_n--;
        return mend_snap_shadow_save(s, l, m);
    }
    r->kind = MEND_SNAP_KIND_IMAGE;
    return save_fresh(s, r);
}

static enum mend_status save_stack(struct mend_snap *s, struct mend_snap_level *l,
                                   const struct mend_snap_map *m)
{
    char *copy;
    uint64_t at;

    l->stack_low = m->start;
    if (m->start <= l->frame && l->frame < m->end)
        l->stack_low = l->frame & ~(uintptr_t)15;
    l->stack_bytes = m->end - l->stack_low;
    copy = mend_snap_take(s, l->stack_bytes);
    if (!copy)
        return no_room(s);
    at = (uint64_t)(copy - (char *)s);
    l->stack_at = at;
    return mend_snap_move(SYS_pwrite64, s->own_fd, l->stack_low, l->stack_bytes, at) ? MEND_OK
                                                                                     : no_room(s);
}

/* What no region shows any more is given back; only while no other safe point needs it. */
static void give_back(struct mend_snap *s, const struct mend_snap_level *l)
{
    uint64_t from = 0;

    for (size_t i = 0; i <= l->places_n && !s->level; i++) {
        uint64_t next = i < l->places_n ? l->places[i].offset : s->image_end;

        if (next > from)
            mend_snap_image_punch(s, from, next);
        from = i < l->places_n ? l->places[i].end : 0;
    }
}

enum mend_status mend_snap_image_save(struct mend_snap *s, struct mend_snap_level *l)
{
    enum mend_status st = MEND_OK;

    s->counts.saved_pages = 0;
    l->brk = (uintptr_t)MEND_SNAP_SYS3(SYS_brk, 0, 0, 0);
    l->regions = mend_snap_take(s, (s->maps_n + s->excluded_n + 2 * s->shadows_n) *
                                       sizeof(*l->regions)); /* shadows divide mappings */
    if (!l->regions)
        return no_room(s);
    l->regions_n = 0;
    if (!is_apart(s))
        st = mend_snap_alias_end(s);
    for (size_t i = 0; i < s->maps_n && !st; i++) {
        const struct mend_snap_map *m = &s->maps[i];

        if (m->stack)
            st = save_stack(s, l, m);
        else if (!m->shared)
            st = mend_snap_pieces(s, m, save_piece, l);
    }
    if (!st)
        st = mend_snap_log_open(s, l);
    if (!st && is_track(s))
        st = mend_snap_shadow_keep(s, l);
    if (!st)
        give_back(s, l);
    l->image_end = s->image_end;
    return st;
}

/* --- restoring --- */

static enum mend_status read_back(const struct mend_snap *s, const struct mend_snap_region *r,
                                  uintptr_t start, uintptr_t end)
{
    return mend_snap_move(SYS_pread64, s->image_fd, start, end - start,
                          r->offset + (start - r->start))
               ? MEND_OK
               : MEND_ERR_SYS;
}

uint64_t mend_snap_image_data(const struct mend_snap *s, uint64_t *at_p, uint64_t end)
{
    long from = MEND_SNAP_SYS3(SYS_lseek, s->image_fd, *at_p, SEEK_DATA), to;

    if (from < 0 || (uint64_t)from >= end)
        return 0;
    to = MEND_SNAP_SYS3(SYS_lseek, s->image_fd, from, SEEK_HOLE);
    *at_p = (uint64_t)from;
    return to < 0 || (uint64_t)to > end ? end : (uint64_t)to;
}

enum mend_status mend_snap_image_read(const struct mend_snap *s, const struct mend_snap_region *r,
                                      uintptr_t start, uintptr_t end)
{
    uint64_t at = r->offset + (start - r->start), stop = r->offset + (end - r->start), to;
    enum mend_status st = MEND_OK;

    for (; !st && (to = mend_snap_image_data(s, &at, stop)); at = to)
        st = read_back(s, r, r->start + (at - r->offset), r->start + (to - r->offset));
    return st;
}

static enum mend_status drop_run(struct mend_snap *s, uintptr_t start, uintptr_t end, void *arg)
{
    const struct mend_snap_region *r = arg;

    s->counts.undone_pages += (end - start) / MEND_SNAP_PAGE;
    if ((s->setup.way == MEND_SNAP_WAY_DROP || !(r->prot & PROT_WRITE)) &&
        advise(start, end, MADV_DONTNEED) == 0)
        return MEND_OK;
    return read_back(s, r, start, end);
}

static bool map_region(const struct mend_snap *s, const struct mend_snap_region *r, uintptr_t start,
                       uintptr_t end)
{
    uint64_t offset = r->offset + (start - r->start);

    if (r->kind == MEND_SNAP_KIND_KEPT)
        return map_over(start, end, r->prot, EMPTY_FLAGS, -1, 0);
    if (!is_apart(s))
        return map_over(start, end, r->prot, IMAGE_FLAGS, s->image_fd, offset);
    if (!map_over(start, end, PROT_READ | PROT_WRITE, EMPTY_FLAGS, -1, 0))
        return false;
    if (is_track(
            s)) /* while it is empty it can become one with its neighbours, as mremap() needs it */
        mend_snap_track_watch(s, start, end);
    return mend_snap_image_read(s, r, start, end) == MEND_OK &&
           MEND_SNAP_SYS3(SYS_mprotect, start, end - start, r->prot) == 0;
}

static bool is_same(const struct mend_snap *s, const struct mend_snap_region *r,
                    const struct mend_snap_map *m)
{
    return m->prot == r->prot && (is_image(s, m) ? 0 : m->inode) == r->inode;
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
    if (is_full(s) && m->prot == r->prot && (r->prot & PROT_WRITE)) {
        s->counts.undone_pages += (end - start) / MEND_SNAP_PAGE;
        return read_back(s, r, start, end);
    }
    if (is_track(s) && m->inode == r->inode)
        return mend_snap_shadow_restore(s, r, m);
    if (is_apart(s) || !is_image(s, m) || m->offset - m->start != r->offset - r->start)
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

        if (at < next && w->apply && !m->shared && MEND_SNAP_SYS3(SYS_munmap, at, next - at, 0) < 0)
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

enum mend_status mend_snap_image_restore(struct mend_snap *s)
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
    if (is_track(s))
        mend_snap_log_each(s, mend_snap_track_set);
    MEND_ASSERT(!mend_snap_log_undo(s, l)); /* from here on there is no way back */
    MEND_ASSERT(!walk(s, true));
    MEND_ASSERT(mend_snap_move(SYS_pread64, s->own_fd, l->stack_low, l->stack_bytes, l->stack_at));
    s->image_end = l->image_end;
    if (is_track(s))
        mend_snap_shadow_back(s, l);
    return MEND_OK;
}
