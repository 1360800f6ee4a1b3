/* SPDX-License-Identifier: BSD-3-Clause */
/* alias.c – ways drop and copy back: no page of the image is shown at two addresses.
 *
 * Neighbouring mappings of the program may be one region of the image.  If the program then grows the first of them with
 * mremap(), which moves it, it grows over what the second one shows:
 *
 *     image    [ first | second ]          memory   [ first | grown ]   ...   [ second ]
 *                                                             `--- both show the same pages ---'
 *
 * The next safe point gives all but one of them a place of its own. */
#include "snap/image.h"
#include "snap/own.h"
#include "snap/sys.h"

#include <sys/mman.h>

/* Shell's sort: what runs here may not call the C library. */
static void sort(struct mend_snap_map **p, size_t n)
{
    for (size_t gap = n / 2; gap; gap /= 2)
        for (size_t i = gap; i < n; i++) {
            struct mend_snap_map *x = p[i];
            size_t k = i;

            for (; k >= gap && p[k - gap]->offset > x->offset; k -= gap)
                p[k] = p[k - gap];
            p[k] = x;
        }
}

static enum mend_status separate(struct mend_snap *s, struct mend_snap_map *m)
{
    struct mend_snap_region r = {.start = m->start, .end = m->end, .inode = s->image_inode};
    enum mend_status st = mend_snap_image_place(s, &r);

    if (!(m->prot & PROT_READ))
        MEND_SNAP_SYS3(SYS_mprotect, m->start, m->end - m->start, PROT_READ);
    if (!st)
        st = mend_snap_image_write(s, r.start, r.end, &r);
    if (st)
        return st;
    m->offset = r.offset;
    r.prot = m->prot;
    if (mend_snap_image_show(s, &r, r.start, r.end))
        return MEND_OK;
    return mend_snap_no_room(s);
}

enum mend_status mend_snap_alias_end(struct mend_snap *s)
{
    char *mark = s->top;
    struct mend_snap_map **maps = mend_snap_take(s, s->maps_n * sizeof(struct mend_snap_map *));
    size_t n = 0;
    uint64_t end = 0;
    enum mend_status st = MEND_OK;

    if (!maps)
        return mend_snap_refuse(s, MEND_ERR_MEM, "no room for the tables", "");
    for (size_t i = 0; i < s->maps_n; i++)
        if (!s->maps[i].shared && s->maps[i].inode == s->image_inode)
            maps[n++] = &s->maps[i];
    sort(maps, n);
    for (size_t i = 0; i < n && !st; i++) {
        struct mend_snap_map *m = maps[i];

        if (m->offset < end)
            st = separate(s, m);
        else
            end = m->offset + (m->end - m->start);
    }
    s->top = mark;
    return st;
}
