/* SPDX-License-Identifier: BSD-3-Clause */
/* child.c – way fork: a child that sleeps keeps the memory of a safe point.
 *
 *   program   [ a ][ b'][ c ]      the kernel copies a page at its first write
 *   child     [ a ][ b ][ c ]      one child per safe point
 *
 * The kernel does not say which pages differ from the child's: a roll-back reads all of the child's and compares.
 *
 * 1. The child runs only what is written in sleep_in_child(): it has no stack of its own, since this one is shared.
 * 2. It holds no descriptor open, ends with its parent, and does not show in the program's wait(). */
#include "snap/changes.h"
#include "snap/own.h"
#include "snap/sys.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHUNK_PAGES 256

/* A fork; the child asks for SIGKILL with its parent's end, closes its descriptors and sleeps.  Returns its id, or the
 * negative errno. */
static long sleep_in_child(long parent)
{
    long id;

#if defined(__x86_64__)
    register long r10 __asm__("r10") = 0, r8 __asm__("r8") = 0, r12 __asm__("r12") = parent;

    __asm__ volatile("syscall\n"
                     "    test %%rax, %%rax\n"
                     "    jnz 9f\n"
                     "    mov $157, %%eax\n" /* prctl(PR_SET_PDEATHSIG, SIGKILL) */
                     "    mov $1, %%edi\n"
                     "    mov $9, %%esi\n"
                     "    syscall\n"
                     "    mov $110, %%eax\n" /* getppid() */
                     "    syscall\n"
                     "    cmp %%rax, %%r12\n"
                     "    jne 2f\n"
                     "    mov $436, %%eax\n" /* close_range(0, ~0, 0) */
                     "    xor %%edi, %%edi\n"
                     "    mov $-1, %%esi\n"
                     "    xor %%edx, %%edx\n"
                     "    syscall\n"
                     "1:  mov $271, %%eax\n" /* ppoll(NULL, 0, NULL, NULL) */
                     "    xor %%edi, %%edi\n"
                     "    xor %%esi, %%esi\n"
                     "    xor %%edx, %%edx\n"
                     "    syscall\n"
                     "    jmp 1b\n"
                     "2:  mov $231, %%eax\n" /* exit_group() */
                     "    syscall\n"
                     "9:\n"
                     : "=a"(id)
                     : "a"((long)SYS_clone), "D"(0L), "S"(0L), "d"(0L), "r"(r10), "r"(r8), "r"(r12)
                     : "rcx", "r11", "memory");
#else
    register long x8 __asm__("x8") = SYS_clone, x0 __asm__("x0") = 0, x1 __asm__("x1") = 0;
    register long x2 __asm__("x2") = 0, x3 __asm__("x3") = 0, x4 __asm__("x4") = 0;
    register long x9 __asm__("x9") = parent;

    __asm__ volatile("svc 0\n"
                     "    cbnz x0, 9f\n"
                     "    mov x8, #167\n" /* as above */
                     "    mov x0, #1\n"
                     "    mov x1, #9\n"
                     "    svc 0\n"
                     "    mov x8, #173\n"
                     "    svc 0\n"
                     "    cmp x0, x9\n"
                     "    b.ne 2f\n"
                     "    mov x8, #436\n"
                     "    mov x0, #0\n"
                     "    mov w1, #-1\n"
                     "    mov x2, #0\n"
                     "    svc 0\n"
                     "1:  mov x8, #73\n"
                     "    mov x0, #0\n"
                     "    mov x1, #0\n"
                     "    mov x2, #0\n"
                     "    svc 0\n"
                     "    b 1b\n"
                     "2:  mov x8, #94\n"
                     "    svc 0\n"
                     "9:\n"
                     : "+r"(x0), "+r"(x8), "+r"(x1), "+r"(x2)
                     : "r"(x3), "r"(x4), "r"(x9)
                     : "cc", "memory");
    id = x0;
#endif
    return id;
}

static bool fetch(long child, uintptr_t to, uintptr_t from, uint64_t bytes)
{
    struct iovec here = {(void *)to, bytes}, there = {(void *)from, bytes};

    return MEND_SNAP_SYS6(SYS_process_vm_readv, child, &here, 1, &there, 1, 0) == (long)bytes;
}

enum mend_status mend_snap_child_start(struct mend_snap *s, struct mend_snap_level *l)
{
    uint64_t word;

    l->child = sleep_in_child(s->pid);
    if (l->child < 0)
        return mend_snap_refuse(s, MEND_ERR_MEM, "no child can be made", "");
    if (fetch(l->child, (uintptr_t)&word, (uintptr_t)s, sizeof(word)))
        return MEND_OK;
    mend_snap_child_end(s, l);
    return mend_snap_refuse(s, MEND_ERR_UNSUPPORTED, "the memory of a child cannot be read", "");
}

void mend_snap_child_end(const struct mend_snap *s, const struct mend_snap_level *l)
{
    if (MEND_SNAP_SYS3(SYS_getpid, 0, 0, 0) != s->pid)
        return;
    MEND_SNAP_SYS3(SYS_kill, l->child, SIGKILL, 0);
    MEND_SNAP_SYS4(SYS_wait4, l->child, 0, __WCLONE, 0);
}

bool mend_snap_child_is(const struct mend_snap *s, long id)
{
    for (const struct mend_snap_level *l = s->level; l; l = l->outer)
        if (l->child == id)
            return true;
    return false;
}

/* "/proc/<id>/pagemap" */
static long open_pagemap(long id)
{
    char path[40], *end = path + sizeof(path) - 9;
    const char *name = "/pagemap", *start = "/proc/";

    for (int i = 0; i < 9; i++)
        end[i] = name[i];
    for (; id; id /= 10)
        *--end = (char)('0' + id % 10);
    for (int i = 5; i >= 0; i--)
        *--end = start[i];
    return MEND_SNAP_SYS4(SYS_openat, AT_FDCWD, end, O_RDONLY | O_CLOEXEC, 0);
}

enum mend_status mend_snap_child_open(struct mend_snap *s)
{
    s->child_pages = mend_snap_take(s, CHUNK_PAGES * MEND_SNAP_PAGE);
    s->child_fd = (int)open_pagemap(s->level->child);
    if (s->child_fd >= 0 && s->child_pages)
        return MEND_OK;
    return mend_snap_refuse(s, MEND_ERR_SYS, "the child that keeps the memory is gone", "");
}

void mend_snap_child_close(struct mend_snap *s)
{
    MEND_SNAP_SYS3(SYS_close, s->child_fd, 0, 0);
}

/* --- restoring --- */

static bool is_equal(const uint64_t *a, const uint64_t *b)
{
    for (size_t i = 0; i < MEND_SNAP_PAGE / sizeof(*a); i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Pages that have contents in the child. */
static enum mend_status compare(struct mend_snap *s, uintptr_t start, uintptr_t end, void *arg)
{
    for (uintptr_t at = start, next; at < end; at = next) {
        next = end - at < CHUNK_PAGES * MEND_SNAP_PAGE ? end : at + CHUNK_PAGES * MEND_SNAP_PAGE;
        if (!fetch(s->level->child, (uintptr_t)s->child_pages, at, next - at))
            return MEND_ERR_SYS;
        for (uintptr_t page = at; page < next; page += MEND_SNAP_PAGE) {
            const void *old = s->child_pages + (page - at);

            if (is_equal(old, (const void *)page))
                continue;
            mend_snap_copy((void *)page, old, MEND_SNAP_PAGE);
            s->counts.undone_pages++;
        }
    }
    (void)arg;
    return MEND_OK;
}

/* Pages of a file: those past its end fail, here and there. */
static void compare_file(struct mend_snap *s, const struct mend_snap_region *r)
{
    for (uintptr_t at = r->start; at < r->end; at += MEND_SNAP_PAGE)
        if (fetch(s->level->child, (uintptr_t)s->child_pages, at, MEND_SNAP_PAGE))
            compare(s, at, at + MEND_SNAP_PAGE, NULL);
}

static enum mend_status child_runs(struct mend_snap *s, const struct mend_snap_region *r,
                                   enum mend_status (*run)(struct mend_snap *s, uintptr_t start,
                                                           uintptr_t end, void *arg),
                                   void *arg)
{
    int own = s->pagemap_fd;
    enum mend_status st;

    s->pagemap_fd = s->child_fd;
    st = mend_snap_runs(s, r->start, r->end, false, run, arg);
    s->pagemap_fd = own;
    return st;
}

/* Up to a run of the child's pages nothing had contents; arg is where the one before has ended. */
static enum mend_status clear_before(struct mend_snap *s, uintptr_t start, uintptr_t end, void *arg)
{
    uintptr_t *at = arg;

    if (*at < start && mend_snap_advise(*at, start, MADV_DONTNEED))
        for (uintptr_t page = *at; page < start; page += MEND_SNAP_PAGE) /* locked */
            if (!fetch(s->level->child, page, page, MEND_SNAP_PAGE))
                return MEND_ERR_SYS;
    *at = end;
    return MEND_OK;
}

enum mend_status mend_snap_child_read(struct mend_snap *s, const struct mend_snap_region *r)
{
    uintptr_t at = r->start;
    enum mend_status st;

    if (r->inode) {
        compare_file(s, r);
        return MEND_OK;
    }
    st = child_runs(s, r, clear_before, &at);
    if (!st)
        st = clear_before(s, r->end, r->end, &at);
    return st ? st : child_runs(s, r, compare, NULL);
}
