/* SPDX-License-Identifier: BSD-3-Clause */
/* maps.c – what memory the process has: /proc/self/maps without what is not the program's, and
 * /proc/self/pagemap. */
#include "snap/changes.h"
#include "snap/own.h"
#include "snap/sys.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#define RUN_ENTRIES 1024
#define HUGE_BYTES  ((uintptr_t)1 << 40)

#define PRESENT ((uint64_t)1 << 63)
#define SWAPPED ((uint64_t)1 << 62)
#define OF_FILE ((uint64_t)1 << 61) /* or of shared memory: not a private copy */

void *mend_snap_take(struct mend_snap *s, size_t bytes)
{
    char *p = s->top;

    if (bytes > (size_t)(s->limit - s->top) - 64)
        return NULL;
    s->top += (bytes + 15) & ~(size_t)15;
    return p;
}

char *mend_snap_read(struct mend_snap *s, const char *path)
{
    long fd = MEND_SNAP_SYS4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    char *text = s->top;
    size_t n = 0;
    long got = fd < 0 ? fd : 1;

    while (got > 0 && n + 65536 + 64 < (size_t)(s->limit - s->top)) {
        got = MEND_SNAP_SYS3(SYS_read, fd, text + n, 65536);
        n += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        MEND_SNAP_SYS3(SYS_close, fd, 0, 0);
    if (got)
        return NULL;
    text[n] = 0;
    return mend_snap_take(s, n + 1);
}

static uintptr_t number(const char **at, unsigned base)
{
    uintptr_t n = 0;

    for (;; (*at)++) {
        unsigned digit = (unsigned)**at - '0';

        if (digit > 9)
            digit = (unsigned)**at - 'a' + 10;
        if (digit >= base)
            return n;
        n = n * base + digit;
    }
}

/* start-end perms offset major:minor inode   name */
static struct mend_snap_map parse(const char **line)
{
    struct mend_snap_map m = {.start = number(line, 16)};
    const char *at = *line + 1;

    m.end = number(&at, 16);
    m.prot = (at[1] == 'r' ? PROT_READ : 0) | (at[2] == 'w' ? PROT_WRITE : 0) |
             (at[3] == 'x' ? PROT_EXEC : 0);
    m.shared = at[4] == 's';
    at += 6;
    m.offset = number(&at, 16);
    at++;
    number(&at, 16);
    at++;
    number(&at, 16);
    at++;
    m.inode = number(&at, 10);
    while (*at == ' ')
        at++;
    m.name = at;
    m.stack = strncmp(at, "[stack]\n", 8) == 0;
    while (*at != '\n')
        at++;
    *line = at + 1;
    return m;
}

void mend_snap_exclude(struct mend_snap *s, const void *at, size_t bytes)
{
    struct mend_snap_range new = {(uintptr_t)at & ~(MEND_SNAP_PAGE - 1),
                                  ((uintptr_t)at + bytes + MEND_SNAP_PAGE - 1) &
                                      ~(MEND_SNAP_PAGE - 1)};
    size_t i;

    if (!bytes || !mend_snap_take(s, sizeof(new)))
        return;
    for (i = s->excluded_n++; i && s->excluded[i - 1].start > new.start; i--)
        s->excluded[i] = s->excluded[i - 1];
    s->excluded[i] = new;
}

enum mend_status mend_snap_look(struct mend_snap *s)
{
    const char *text;
    size_t n = 0;

    s->excluded = mend_snap_take(s, 16);
    s->top = (char *)s->excluded;
    s->excluded_n = 0;
    if (s->setup.exclude)
        s->setup.exclude(s, s->setup.of);
    text = mend_snap_read(s, "/proc/self/maps");
    if (!text)
        return mend_snap_refuse(s, MEND_ERR_UNSUPPORTED, "/proc/self/maps cannot be read", "");
    for (const char *at = text; *at; at++)
        n += *at == '\n';
    s->maps = mend_snap_take(s, n * sizeof(*s->maps));
    if (!s->maps)
        return mend_snap_refuse(s, MEND_ERR_MEM, "too many mappings", "");
    s->maps_n = 0;
    while (*text)
        s->maps[s->maps_n++] = parse(&text);
    return MEND_OK;
}

enum mend_status mend_snap_pieces(struct mend_snap *s, const struct mend_snap_map *m,
                                  enum mend_status (*piece)(struct mend_snap *s,
                                                            const struct mend_snap_map *m,
                                                            void *arg),
                                  void *arg)
{
    struct mend_snap_map part = *m;
    enum mend_status st = MEND_OK;

    for (size_t i = 0; i <= s->excluded_n && part.start < m->end && !st; i++) {
        struct mend_snap_range hole = {m->end, m->end};

        if (i < s->excluded_n)
            hole = s->excluded[i];
        if (hole.end <= part.start)
            continue;
        part.end = hole.start < m->end ? hole.start : m->end;
        if (part.start < part.end)
            st = piece(s, &part, arg);
        part.offset += hole.end - part.start;
        part.start = hole.end;
    }
    return st;
}

static bool counts(uint64_t entry, bool changed)
{
    return (entry & (PRESENT | SWAPPED)) && !(changed && (entry & OF_FILE));
}

enum mend_status mend_snap_runs(struct mend_snap *s, uintptr_t start, uintptr_t end, bool changed,
                                enum mend_status (*run)(struct mend_snap *s, uintptr_t start,
                                                        uintptr_t end, void *arg),
                                void *arg)
{
    uint64_t entries[RUN_ENTRIES];
    uintptr_t begin = 0, at = start; /* begin: of the run that is open */
    enum mend_status st = MEND_OK;

    if (end - start > HUGE_BYTES)
        return mend_snap_refuse(s, MEND_ERR_UNSUPPORTED, "a mapping is larger than 1 TiB", "");
    while (at < end && !st) {
        size_t n = (end - at) / MEND_SNAP_PAGE;

        n = n < RUN_ENTRIES ? n : RUN_ENTRIES;
        if (!mend_snap_move(SYS_pread64, s->pagemap_fd, (uintptr_t)entries, n * 8,
                            at / MEND_SNAP_PAGE * 8))
            return mend_snap_refuse(s, MEND_ERR_UNSUPPORTED, "/proc/self/pagemap cannot be read",
                                    "");
        for (size_t i = 0; i < n && !st; i++, at += MEND_SNAP_PAGE) {
            if (counts(entries[i], changed)) {
                begin = begin ? begin : at;
            } else if (begin) {
                st = run(s, begin, at, arg);
                begin = 0;
            }
        }
    }
    return begin && !st ? run(s, begin, end, arg) : st;
}
