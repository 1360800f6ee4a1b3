/* SPDX-License-Identifier: BSD-3-Clause */
/* track.c – the kernel tells which pages have been written to: Linux 6.7, userfaultfd and PAGEMAP_SCAN.
 *
 * A page is cleared by protecting it against writing; the first write, the kernel's own included, takes the
 * protection away without asking anybody.  Whatever is not known to be clear counts as written to: memory that was
 * never watched, that was mapped anew or moved, and pages that are not there. */
#include "snap/own.h"
#include "snap/sys.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define SCAN_RANGES 512

/* As the headers of Linux 6.7 have them; older ones may be installed. */
#define PAGE_WATCHED (1u << 0)
#define PAGE_WRITTEN (1u << 1)
#define PAGE_PRESENT (1u << 3)
#define PAGE_SWAPPED (1u << 4)
#define UNPOPULATED  ((uint64_t)1 << 13)
#define ASYNC        ((uint64_t)1 << 15)
#define USER_ONLY    1
#define SCAN         _IOWR('f', 16, struct scan)

struct scan_range {
    uint64_t start, end, categories;
};

struct scan {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

static long control(int fd, unsigned long what, void *arg)
{
    return MEND_SNAP_SYS3(SYS_ioctl, fd, what, arg);
}

void mend_snap_track_watch(const struct mend_snap *s, uintptr_t start, uintptr_t end)
{
    struct uffdio_register arg = {.range = {start, end - start}, .mode = UFFDIO_REGISTER_MODE_WP};

    control(s->track_fd, UFFDIO_REGISTER, &arg); /* what cannot be watched counts as written to */
}

static long protect(const struct mend_snap *s, uintptr_t start, uintptr_t end, uint64_t mode)
{
    struct uffdio_writeprotect arg = {.range = {start, end - start}, .mode = mode};

    return control(s->track_fd, UFFDIO_WRITEPROTECT, &arg);
}

void mend_snap_track_clear(const struct mend_snap *s, uintptr_t start, uintptr_t end)
{
    protect(s, start, end, UFFDIO_WRITEPROTECT_MODE_WP);
}

/* A range that is no longer watched as a whole counts as written to in part already; the rest is done page by
 * page. */
void mend_snap_track_set(struct mend_snap *s, uintptr_t start, uintptr_t end)
{
    if (protect(s, start, end, 0) == 0)
        return;
    for (uintptr_t at = start; at < end; at += MEND_SNAP_PAGE)
        protect(s, at, at + MEND_SNAP_PAGE, 0);
}

/* The ranges that are clear, from scan->start on; walk_end is how far it has come. */
static long scan_clear(const struct mend_snap *s, struct scan *scan, struct scan_range *ranges)
{
    scan->size = sizeof(*scan);
    scan->vec = (uintptr_t)ranges;
    scan->vec_len = SCAN_RANGES;
    scan->category_inverted = PAGE_WRITTEN;
    scan->category_mask = PAGE_WATCHED | PAGE_WRITTEN;
    scan->category_anyof_mask = PAGE_PRESENT | PAGE_SWAPPED;
    return control(s->pagemap_fd, SCAN, scan);
}

enum mend_status mend_snap_track_written(struct mend_snap *s, uintptr_t start, uintptr_t end,
                                         enum mend_status (*run)(struct mend_snap *s,
                                                                 uintptr_t start, uintptr_t end,
                                                                 void *arg),
                                         void *arg)
{
    struct scan_range ranges[SCAN_RANGES];
    struct scan scan = {.start = start, .end = end};
    uintptr_t at = start; /* what lies before has been reported or is clear */
    enum mend_status st = MEND_OK;

    while (scan.start < end && !st) {
        long n = scan_clear(s, &scan, ranges);

        for (long i = 0; i < n && !st; i++) {
            if (at < ranges[i].start)
                st = run(s, at, ranges[i].start, arg);
            at = ranges[i].end;
        }
        if (n < 0 || scan.walk_end <= scan.start)
            break;
        scan.start = scan.walk_end;
    }
    return at < end && !st ? run(s, at, end, arg) : st;
}

static enum mend_status count(struct mend_snap *s, uintptr_t start, uintptr_t end, void *arg)
{
    *(size_t *)arg += (end - start) / MEND_SNAP_PAGE;
    return MEND_OK;
}

/* A write must show, of the program and of the kernel. */
static bool works(struct mend_snap *s, volatile char *p)
{
    uintptr_t at = (uintptr_t)p;
    size_t none = 0, two = 0;

    p[0] = p[MEND_SNAP_PAGE] = p[2 * MEND_SNAP_PAGE] = 1;
    mend_snap_track_watch(s, at, at + 3 * MEND_SNAP_PAGE);
    mend_snap_track_clear(s, at, at + 3 * MEND_SNAP_PAGE);
    mend_snap_track_written(s, at, at + 3 * MEND_SNAP_PAGE, count, &none);
    p[0] = 2;
    if (pread(s->pagemap_fd, (void *)(at + MEND_SNAP_PAGE), 8, 0) != 8)
        return false;
    mend_snap_track_written(s, at, at + 3 * MEND_SNAP_PAGE, count, &two);
    return none == 0 && two == 2;
}

bool mend_snap_track_open(struct mend_snap *s)
{
    struct uffdio_api api = {.api = UFFD_API, .features = UNPOPULATED | ASYNC};
    size_t bytes = 3 * MEND_SNAP_PAGE;
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool good;

    if (p == MAP_FAILED)
        return false;
    s->track_fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | USER_ONLY);
    good = s->track_fd >= 0 && control(s->track_fd, UFFDIO_API, &api) == 0 && works(s, p);
    munmap(p, bytes);
    if (!good && s->track_fd >= 0) {
        close(s->track_fd);
        s->track_fd = -1;
    }
    return good;
}
