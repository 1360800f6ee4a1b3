/* SPDX-License-Identifier: BSD-3-Clause */
/* image.c – the file that holds the memory at the innermost safe point: places in it, and bytes to and from it.
 *
 *   image   [ region ]......gap......[ region ]...gap...      gaps are holes, which cost nothing           */
#include "snap/image.h"
#include "snap/own.h"
#include "snap/sys.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define GAP_BYTES       ((uint64_t)1 << 38)
#define SMALL_GAP_BYTES ((uint64_t)1 << 25)

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

void mend_snap_image_punch(const struct mend_snap *s, uint64_t from, uint64_t to)
{
    MEND_SNAP_SYS4(SYS_fallocate, s->image_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from,
                   to - from);
}

enum mend_status mend_snap_no_room(struct mend_snap *s)
{
    return mend_snap_refuse(s, MEND_ERR_MEM, "no memory for the image", "");
}

/* Into the window, whose pages are made first: without memory for them a store would be a SIGBUS. */
static bool store(const struct mend_snap *s, uintptr_t start, uint64_t n, uint64_t offset)
{
    uintptr_t to = (uintptr_t)s->window + offset;

    if (!s->window || mend_snap_advise(to, to + n, MADV_POPULATE_WRITE))
        return mend_snap_move(SYS_pwrite64, s->image_fd, start, n, offset);
    mend_snap_copy((void *)to, (void *)start, n);
    return true;
}

/* Pages of a file may lie past its end: these have no contents. */
static enum mend_status write_file(struct mend_snap *s, const struct mend_snap_region *r,
                                   uintptr_t start, uintptr_t end)
{
    for (uintptr_t at = start; at < end; at += MEND_SNAP_PAGE)
        if (MEND_SNAP_SYS4(SYS_pwrite64, s->image_fd, at, MEND_SNAP_PAGE,
                           r->offset + (at - r->start)) == -28 /* ENOSPC */)
            return mend_snap_no_room(s);
    return MEND_OK;
}

enum mend_status mend_snap_image_write(struct mend_snap *s, uintptr_t start, uintptr_t end,
                                       void *arg)
{
    const struct mend_snap_region *r = arg;

    s->counts.saved_pages += (end - start) / MEND_SNAP_PAGE;
    if (r->inode)
        return write_file(s, r, start, end);
    return store(s, start, end - start, r->offset + (start - r->start)) ? MEND_OK
                                                                        : mend_snap_no_room(s);
}

/* Between regions in the image: mremap() lets a mapping that shows it grow into it, and a shadow grows there. */
static uint64_t gap(const struct mend_snap *s)
{
    return s->window ? SMALL_GAP_BYTES : GAP_BYTES;
}

enum mend_status mend_snap_image_place(struct mend_snap *s, struct mend_snap_region *r)
{
    r->offset = s->image_end;
    s->image_end += ((r->end - r->start) / gap(s) + 2) * gap(s);
    if (s->image_end > s->image_limit)
        return mend_snap_no_room(s);
    if (r->offset < s->image_used) /* by a region that is gone */
        mend_snap_image_punch(s, r->offset, s->image_end);
    if (s->image_used < s->image_end)
        s->image_used = s->image_end;
    return MEND_OK;
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

static bool load(const struct mend_snap *s, uintptr_t start, uint64_t n, uint64_t offset)
{
    if (!s->window)
        return mend_snap_move(SYS_pread64, s->image_fd, start, n, offset);
    mend_snap_copy((void *)start, s->window + offset, n);
    return true;
}

enum mend_status mend_snap_image_read(const struct mend_snap *s, const struct mend_snap_region *r,
                                      uintptr_t start, uintptr_t end)
{
    uint64_t at = r->offset + (start - r->start), stop = r->offset + (end - r->start), to;

    for (; (to = mend_snap_image_data(s, &at, stop)); at = to)
        if (!load(s, r->start + (at - r->offset), to - at, at))
            return MEND_ERR_SYS;
    return MEND_OK;
}

/* Zeros into anonymous memory: as pages that are not there, or, where they are locked, from a hole of the image. */
static bool clear(const struct mend_snap *s, uintptr_t start, uint64_t n, uint64_t offset)
{
    return !n || mend_snap_advise(start, start + n, MADV_DONTNEED) == 0 ||
           mend_snap_move(SYS_pread64, s->image_fd, start, n, offset);
}

/* Pages past the end of the file fail. */
static void read_file(const struct mend_snap *s, const struct mend_snap_region *r, uintptr_t start,
                      uintptr_t end)
{
    for (uintptr_t at = start; at < end; at += MEND_SNAP_PAGE)
        mend_snap_move(SYS_pread64, s->image_fd, at, MEND_SNAP_PAGE, r->offset + (at - r->start));
}

enum mend_status mend_snap_image_read_over(struct mend_snap *s, const struct mend_snap_region *r,
                                           uintptr_t start, uintptr_t end)
{
    uint64_t at = r->offset + (start - r->start), stop = r->offset + (end - r->start);

    s->counts.undone_pages += (end - start) / MEND_SNAP_PAGE;
    if (r->inode)
        read_file(s, r, start, end);
    while (!r->inode && at < stop) {
        uint64_t data = at, to = mend_snap_image_data(s, &data, stop);

        data = to ? data : stop;
        to = to ? to : stop;
        if (!clear(s, r->start + (at - r->offset), data - at, at) ||
            !load(s, r->start + (data - r->offset), to - data, data))
            return MEND_ERR_SYS;
        at = to;
    }
    return MEND_OK;
}

bool mend_snap_image_show(const struct mend_snap *s, const struct mend_snap_region *r,
                          uintptr_t start, uintptr_t end)
{
    return MEND_SNAP_SYS6(SYS_mmap, start, end - start, r->prot,
                          MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, s->image_fd,
                          r->offset + (start - r->start)) == (long)start;
}
