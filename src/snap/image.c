/* SPDX-License-Identifier: BSD-3-Clause */
/* image.c – the file that holds the memory at the innermost safe point: places in it, and bytes to and from it.
 *
 *   image   [ region ]......gap......[ region ]...gap...      gaps are holes, which cost nothing           */
#include "snap/own.h"
#include "snap/sys.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Between regions in the image: mremap() lets a mapping grow into it. */
#define GAP_BYTES ((uint64_t)1 << 38)

void mend_snap_image_punch(const struct mend_snap *s, uint64_t from, uint64_t to)
{
    MEND_SNAP_SYS4(SYS_fallocate, s->image_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from,
                   to - from);
}

enum mend_status mend_snap_no_room(struct mend_snap *s)
{
    return mend_snap_refuse(s, MEND_ERR_MEM, "no memory for the image", "");
}

enum mend_status mend_snap_image_write_run(struct mend_snap *s, uintptr_t start, uintptr_t end,
                                           void *arg)
{
    const struct mend_snap_region *r = arg;

    s->counts.saved_pages += (end - start) / MEND_SNAP_PAGE;
    if (mend_snap_move(SYS_pwrite64, s->image_fd, start, end - start,
                       r->offset + (start - r->start)))
        return MEND_OK;
    return mend_snap_no_room(s);
}

enum mend_status mend_snap_image_write(struct mend_snap *s, const struct mend_snap_region *r,
                                       uintptr_t start, uintptr_t end)
{
    if (!r->inode)
        return mend_snap_image_write_run(s, start, end, (void *)r);
    s->counts.saved_pages += (end - start) / MEND_SNAP_PAGE;
    for (uintptr_t at = start; at < end; at += MEND_SNAP_PAGE)
        if (MEND_SNAP_SYS4(SYS_pwrite64, s->image_fd, at, MEND_SNAP_PAGE,
                           r->offset + (at - r->start)) == -28 /* ENOSPC */)
            return mend_snap_no_room(s);
    return MEND_OK;
}

enum mend_status mend_snap_image_place(struct mend_snap *s, struct mend_snap_region *r)
{
    r->offset = s->image_end;
    s->image_end += ((r->end - r->start) / GAP_BYTES + 2) * GAP_BYTES;
    if (s->image_end > MEND_SNAP_IMAGE_BYTES)
        return mend_snap_no_room(s);
    if (r->offset < s->image_used) /* by a region that is gone */
        mend_snap_image_punch(s, r->offset, s->image_end);
    if (s->image_used < s->image_end)
        s->image_used = s->image_end;
    return MEND_OK;
}

enum mend_status mend_snap_image_read_run(const struct mend_snap *s,
                                          const struct mend_snap_region *r, uintptr_t start,
                                          uintptr_t end)
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
        st = mend_snap_image_read_run(s, r, r->start + (at - r->offset),
                                      r->start + (to - r->offset));
    return st;
}

bool mend_snap_image_show(const struct mend_snap *s, const struct mend_snap_region *r,
                          uintptr_t start, uintptr_t end)
{
    return MEND_SNAP_SYS6(SYS_mmap, start, end - start, r->prot,
                          MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, s->image_fd,
                          r->offset + (start - r->start)) == (long)start;
}
