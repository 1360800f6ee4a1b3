/* SPDX-License-Identifier: BSD-3-Clause */
/* track.c – the kernel tells which pages have been written to: Linux 6.7, userfaultfd and PAGEMAP_SCAN.
 *
 * A page is cleared by protecting it against writing; the first write, the kernel's own included, takes the
 * protection away without asking anybody.  Whatever is not known to be clear counts as written to: memory that was
 * never watched, that was mapped anew or moved, and pages that are not there. */
#include "snap/changes.h"
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
#define PAGE_IS_ZERO (1u << 5) /* shows the kernel's page of zeros */
#define CLEAR_THEM   1
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

/* A range that is no longer watched as a whole counts as written to in part already; the rest is done page by
 * page. */
void mend_snap_track_set(struct mend_snap *s, uintptr_t start, uintptr_t end)
{
    if (protect(s, start, end, 0) == 0)
        return;
    for (uintptr_t at = start; at < end; at += MEND_SNAP_PAGE)
        protect(s, at, at + MEND_SNAP_PAGE, 0);
}

/* The ranges from scan->start on that are not clear, and those that are swapped; walk_end is how far it has come. */
static long scan_changes(const struct mend_snap *s, struct scan *scan, struct scan_range *ranges)
{
    *scan = (struct scan){.size = sizeof(*scan),
                          .start = scan->start,
                          .end = scan->end,
                          .vec = (uintptr_t)ranges,
                          .vec_len = SCAN_RANGES,
                          .category_inverted = PAGE_WATCHED | PAGE_PRESENT,
                          .category_anyof_mask = PAGE_WATCHED | PAGE_WRITTEN | PAGE_PRESENT,
                          .return_mask = PAGE_WATCHED | PAGE_WRITTEN | PAGE_PRESENT | PAGE_SWAPPED |
                                         PAGE_IS_ZERO};
    return control(s->pagemap_fd, SCAN, scan);
}

/* What has contents only: for the rest the kernel would have to make tables. */
static void clear_written(const struct mend_snap *s, uintptr_t start, uintptr_t end)
{
    struct scan scan = {.size = sizeof(scan),
                        .flags = CLEAR_THEM,
                        .start = start,
                        .end = end,
                        .category_mask = PAGE_WATCHED | PAGE_WRITTEN,
                        .category_anyof_mask = PAGE_PRESENT | PAGE_SWAPPED};

    control(s->pagemap_fd, SCAN, &scan);
}

static bool is_clear(const struct scan_range *r)
{
    return (r->categories & (PAGE_WATCHED | PAGE_WRITTEN | PAGE_SWAPPED)) ==
           (PAGE_WATCHED | PAGE_SWAPPED);
}

static bool has_contents(const struct scan_range *r)
{
    return r->categories & (PAGE_PRESENT | PAGE_SWAPPED) && !(r->categories & PAGE_IS_ZERO);
}

/* Joins neighbours: the kernel divides by categories that do not matter here. */
static enum mend_status report(struct mend_snap *s, const struct scan_range *ranges, size_t n,
                               mend_snap_change_run *run, void *arg)
{
    struct mend_snap_change c = {0, 0, false};
    enum mend_status st = MEND_OK;

    for (size_t i = 0; i < n && !st; i++) {
        const struct scan_range *r = &ranges[i];

        if (is_clear(r))
            continue;
        if (c.end == r->start && c.has_contents == has_contents(r)) {
            c.end = r->end;
            continue;
        }
        if (c.start < c.end)
            st = run(s, &c, arg);
        c = (struct mend_snap_change){r->start, r->end, has_contents(r)};
    }
    return c.start < c.end && !st ? run(s, &c, arg) : st;
}

enum mend_status mend_snap_track_changes(struct mend_snap *s, uintptr_t start, uintptr_t end,
                                         bool clear, mend_snap_change_run *run, void *arg)
{
    struct scan_range ranges[SCAN_RANGES];
    struct scan scan = {.start = start, .end = end};
    enum mend_status st = MEND_OK;

    while (scan.start < end && !st) {
        long n = scan_changes(s, &scan, ranges);

        if (n < 0 || scan.walk_end <= scan.start)
            return mend_snap_refuse(s, MEND_ERR_SYS, "the kernel does not tell what has changed",
                                    "");
        st = report(s, ranges, (size_t)n, run, arg);
        if (!st && clear)
            clear_written(s, scan.start, scan.walk_end);
        scan.start = scan.walk_end;
    }
    return st;
}

static enum mend_status count(struct mend_snap *s, const struct mend_snap_change *c, void *arg)
{
    *(size_t *)arg += (c->end - c->start) / MEND_SNAP_PAGE;
    return MEND_OK;
}

/* A write must show, of the program and of the kernel. */
static bool works(struct mend_snap *s, volatile char *p)
{
    uintptr_t at = (uintptr_t)p, end = at + 3 * MEND_SNAP_PAGE;
    size_t all = 0, none = 0, two = 0;

    p[0] = p[MEND_SNAP_PAGE] = p[2 * MEND_SNAP_PAGE] = 1;
    mend_snap_track_watch(s, at, end);
    mend_snap_track_changes(s, at, end, true, count, &all);
    mend_snap_track_changes(s, at, end, false, count, &none);
    p[0] = 2;
    if (pread(s->pagemap_fd, (void *)(at + MEND_SNAP_PAGE), 8, 0) != 8)
        return false;
    mend_snap_track_changes(s, at, end, false, count, &two);
    return all == 3 && none == 0 && two == 2;
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
