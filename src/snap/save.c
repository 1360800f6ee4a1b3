/* SPDX-License-Identifier: BSD-3-Clause */
/* save.c – saves the memory at a safe point (snap.h has the picture).
 *
 * Runs on the stack of the object with all signals blocked, so that the program's memory stands still. */
#include "snap/changes.h"
#include "snap/image.h"
#include "snap/own.h"
#include "snap/sys.h"

#include <sys/mman.h>

static enum mend_status save_fresh(struct mend_snap *s, struct mend_snap_region *r)
{
    enum mend_status st = mend_snap_image_place(s, r);

    if (!st)
        st = r->inode ? mend_snap_image_write(s, r->start, r->end, r)
                      : mend_snap_runs(s, r->start, r->end, false, mend_snap_image_write, r);
    if (!st && !mend_snap_image_show(s, r, r->start, r->end))
        return mend_snap_no_room(s);
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
        st = mend_snap_image_write(s, start, end, arg);
    if (!st)
        mend_snap_advise(start, end, MADV_DONTNEED);
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
                                   .inode = mend_snap_is_image(s, m) ? 0 : m->inode};
    l->regions_n++;
    if (mend_snap_is_image(s, m) && mend_snap_shows_image(s)) {
        r->kind = MEND_SNAP_KIND_IMAGE;
        r->offset = m->offset;
        return mend_snap_runs(s, r->start, r->end, true, save_run, r);
    }
    if (!(m->prot & PROT_WRITE) && (m->inode || !m->prot || *m->name == '['))
        return MEND_OK;
    if (mend_snap_has_shadow(s)) {
        l->regions_n--;
        return mend_snap_shadow_save(s, l, m);
    }
    r->kind = MEND_SNAP_KIND_IMAGE;
    return s->setup.way == MEND_SNAP_WAY_FORK ? MEND_OK : save_fresh(s, r);
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
        return mend_snap_no_room(s);
    at = (uint64_t)(copy - (char *)s);
    l->stack_at = at;
    return mend_snap_move(SYS_pwrite64, s->own_fd, l->stack_low, l->stack_bytes, at)
               ? MEND_OK
               : mend_snap_no_room(s);
}

enum mend_status mend_snap_save(struct mend_snap *s, struct mend_snap_level *l)
{
    enum mend_status st = MEND_OK;

    s->counts.saved_pages = 0;
    l->brk = (uintptr_t)MEND_SNAP_SYS3(SYS_brk, 0, 0, 0);
    l->regions = mend_snap_take(s, (s->maps_n + s->excluded_n + 2 * s->shadows_n) *
                                       sizeof(*l->regions)); /* shadows divide mappings */
    if (!l->regions)
        return mend_snap_no_room(s);
    l->regions_n = 0;
    if (mend_snap_shows_image(s))
        st = mend_snap_alias_end(s);
    for (size_t i = 0; i < s->maps_n && !st; i++) {
        const struct mend_snap_map *m = &s->maps[i];

        if (m->stack)
            st = save_stack(s, l, m);
        else if (!m->shared)
            st = mend_snap_pieces(s, m, save_piece, l);
    }
    if (!st && s->setup.way == MEND_SNAP_WAY_FORK)
        return mend_snap_child_start(s, l);
    if (!st)
        st = mend_snap_log_open(s, l);
    if (!st && mend_snap_has_shadow(s))
        st = mend_snap_shadow_keep(s, l);
    if (!st)
        mend_snap_level_give_back(s, l);
    l->image_end = s->image_end;
    return st;
}
