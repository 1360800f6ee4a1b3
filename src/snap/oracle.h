/* SPDX-License-Identifier: BSD-3-Clause */
/* oracle.h – for tests: copies all private memory that can be read right after a safe point, into a shared mapping that no
 * roll-back touches, and compares it, byte by byte, after each roll-back to it. */
#ifndef MEND_SNAP_ORACLE_H
#define MEND_SNAP_ORACLE_H

#include "snap/snap.h"

#include "base/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <unistd.h>

#define ORACLE_BYTES ((size_t)1 << 31)
#define LEVELS       4
#define PAGE         4096

struct kept {
    uintptr_t start, end;
    size_t at;
    int prot;
};

struct oracle {
    size_t top;
    unsigned depth, rolled_back, rounds, entered;
    uint64_t random;
    struct level {
        unsigned number; /* of the safe point */
        size_t mark, maps_n;
        struct kept maps[1024];
    } levels[LEVELS + 1];
    char text[1 << 20]; /* of /proc/self/maps */
    char bytes[];
};

static struct oracle *oracle;

static const char *read_maps(void)
{
    int fd = open("/proc/self/maps", O_RDONLY);
    ssize_t n;
    size_t have = 0;

    while ((n = read(fd, oracle->text + have, 65536)) > 0)
        have += (size_t)n;
    oracle->text[have] = 0;
    close(fd);
    return oracle->text;
}

/* The private readable mappings but the stack and the kernel's own; neighbours are one: way protect divides them. */
static size_t list_maps(struct kept *maps)
{
    size_t n = 0;

    for (const char *at = read_maps(); *at; at = strchr(at, '\n') + 1) {
        char *end;
        struct kept m = {.start = strtoul(at, &end, 16)};

        m.end = strtoul(end + 1, &end, 16);
        if (end[1] != 'r' || end[4] != 'p')
            continue;
        if (memmem(at, strcspn(at, "\n"), "[stack]", 7) || memmem(at, strcspn(at, "\n"), "[v", 2))
            continue;
        if (n && maps[n - 1].end == m.start)
            maps[n - 1].end = m.end;
        else if (n < 1024)
            maps[n++] = m;
    }
    return n;
}

static bool is_kernels(uintptr_t at)
{
    uintptr_t rseq = (uintptr_t)__builtin_thread_pointer() + (uintptr_t)__rseq_offset;

    return at >= rseq && at < rseq + 32; /* the processor that the thread runs on */
}

/* Neither may touch memory that is compared. */
static void remember(void)
{
    struct level *l = &oracle->levels[oracle->depth];

    l->mark = oracle->top;
    l->maps_n = list_maps(l->maps);
    for (size_t i = 0; i < l->maps_n; i++) {
        struct kept *m = &l->maps[i];

        m->at = oracle->top;
        oracle->top += m->end - m->start;
        memcpy(oracle->bytes + m->at, (void *)m->start, m->end - m->start);
    }
}

static const char *difference(void)
{
    static char text[100];
    struct level *l = &oracle->levels[oracle->depth];
    struct kept *now = oracle->levels[LEVELS].maps;
    size_t n = list_maps(now);

    for (size_t i = 0; i < n && i < l->maps_n; i++) {
        struct kept *m = &l->maps[i];

        if (m->start != now[i].start || m->end != now[i].end)
            return "a mapping differs";
        if (memcmp(oracle->bytes + m->at, (void *)m->start, m->end - m->start) == 0)
            continue;
        for (size_t k = 0; k < m->end - m->start; k++)
            if (oracle->bytes[m->at + k] != ((char *)m->start)[k] && !is_kernels(m->start + k)) {
                snprintf(text, sizeof(text), "a byte at %lx differs", (unsigned long)m->start + k);
                return text;
            }
    }
    return n == l->maps_n ? NULL : "the number of mappings differs";
}

static bool open_oracle(void)
{
    oracle = mmap(NULL, ORACLE_BYTES, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return oracle != MAP_FAILED;
}

#endif
