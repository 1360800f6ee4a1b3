/* SPDX-License-Identifier: BSD-3-Clause */
/* guard.c – way protect: clear pages are protected against writing, and the first write is a signal.
 *
 *   bits, one per page     0 1 1 1 0 1      1: clear, that is equal to its shadow
 *   memory                 w - - - w -      protected while the program runs, open while snap/ does
 *
 * The fault's handler opens 4 pages and clears their bits, since a fault costs more than ten copies of a page; writes that follow
 * each other open 8, 16, ... 64 at once.
 * The kernel itself does not ask the handler: what a system call is going to write to is opened before (calls.c).
 *
 * 1. A page with a bit has been readable and writable, and not executable, since its bit was set.
 * 2. Where the kernel writes unasked (the thread's rseq area, stacks of signal handlers) there are no bits. */
#include "snap/guard.h"
#include "snap/sys.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define BITS_BYTES ((size_t)1 << 33) /* for 48 bits of address; what is not used costs nothing */
#define ADDRESSES  ((uintptr_t)1 << 48)
#define STEP_MIN   4
#define STEP_MAX   64
#define OPEN       (PROT_READ | PROT_WRITE)

static bool has_bit(const struct mend_snap *s, uintptr_t at)
{
    uintptr_t page = at / MEND_SNAP_PAGE;

    return s->guard.bits[page / 64] >> (page % 64) & 1;
}

/* The end of the pages from at on whose bits are all `set`. */
static uintptr_t same_until(const struct mend_snap *s, uintptr_t at, uintptr_t end, bool set)
{
    while (at < end) {
        uintptr_t page = at / MEND_SNAP_PAGE;

        if (page % 64 == 0 && s->guard.bits[page / 64] == (set ? ~(uint64_t)0 : 0))
            at += 64 * MEND_SNAP_PAGE;
        else if (has_bit(s, at) == set)
            at += MEND_SNAP_PAGE;
        else
            return at;
    }
    return end;
}

static void put(struct mend_snap *s, uintptr_t start, uintptr_t end, bool set)
{
    for (uintptr_t at = start; at < end;) {
        uintptr_t page = at / MEND_SNAP_PAGE;
        uint64_t *word = &s->guard.bits[page / 64], bit = (uint64_t)1 << (page % 64);

        if (page % 64 == 0 && end - at >= 64 * MEND_SNAP_PAGE) {
            *word = set ? ~(uint64_t)0 : 0;
            at += 64 * MEND_SNAP_PAGE;
        } else {
            *word = set ? *word | bit : *word & ~bit;
            at += MEND_SNAP_PAGE;
        }
    }
}

/* The next run of pages with bits from *at_p on; false: none before end. */
static bool next_run(const struct mend_snap *s, uintptr_t *at_p, uintptr_t end, uintptr_t *end_p)
{
    *at_p = same_until(s, *at_p, end, false);
    *end_p = same_until(s, *at_p, end, true);
    return *at_p < end;
}

static bool protect(uintptr_t start, uintptr_t end, int prot)
{
    return mend_snap_gate(SYS_mprotect, (long)start, (long)(end - start), prot, 0, 0, 0) == 0;
}

/* The thread's own data, where the kernel notes the processor (rseq), and the stack for handlers. */
static void skip_what_kernel_writes(struct mend_snap *s)
{
    uintptr_t thread = (uintptr_t)__builtin_thread_pointer();
    stack_t stack;

    mend_snap_guard_drop(s, thread, thread + 2 * MEND_SNAP_PAGE);
    if (mend_snap_gate(SYS_sigaltstack, 0, (long)&stack, 0, 0, 0, 0) == 0)
        mend_snap_guard_drop(s, (uintptr_t)stack.ss_sp, (uintptr_t)stack.ss_sp + stack.ss_size);
}

void mend_snap_guard_drop(struct mend_snap *s, uintptr_t start, uintptr_t end)
{
    end = (end + MEND_SNAP_PAGE - 1) & ~(MEND_SNAP_PAGE - 1);
    put(s, start & ~(MEND_SNAP_PAGE - 1), end < ADDRESSES ? end : ADDRESSES, false);
}

static void protect_all(struct mend_snap *s, int prot)
{
    for (size_t i = 0; i < s->shadows_n; i++) {
        uintptr_t at = s->shadows[i].start, to;

        for (; next_run(s, &at, s->shadows[i].end, &to); at = to)
            if (!protect(at, to, prot) && prot != OPEN) { /* too many mappings */
                protect(at, to, OPEN);
                put(s, at, to, false);
            }
    }
}

void mend_snap_guard_lower(struct mend_snap *s)
{
    if (s->guard.raised)
        protect_all(s, OPEN);
    s->guard.raised = false;
}

void mend_snap_guard_raise(struct mend_snap *s, const struct mend_snap_level *l)
{
    if (!s->guard.bits)
        return;
    if (!l) {
        mend_snap_guard_give_up(s);
        return;
    }
    for (size_t i = 0; i < l->regions_n; i++)
        if (l->regions[i].prot != OPEN)
            mend_snap_guard_drop(s, l->regions[i].start, l->regions[i].end);
    skip_what_kernel_writes(s);
    s->guard.raised = true;
    s->guard.step = 0;
    protect_all(s, PROT_READ);
}

void mend_snap_guard_give_up(struct mend_snap *s)
{
    mend_snap_guard_lower(s);
    for (size_t i = 0; i < s->shadows_n; i++)
        put(s, s->shadows[i].start, s->shadows[i].end, false);
}

void mend_snap_guard_release(struct mend_snap *s, uintptr_t start, uint64_t bytes)
{
    uintptr_t at = start & ~(MEND_SNAP_PAGE - 1), end, to;

    if (!s->guard.raised || at >= ADDRESSES)
        return;
    end = bytes < ADDRESSES - at ? at + bytes + (start - at) : ADDRESSES;
    end = (end + MEND_SNAP_PAGE - 1) & ~(MEND_SNAP_PAGE - 1);
    for (; next_run(s, &at, end, &to); at = to) {
        if (!protect(at, to, OPEN)) { /* too many mappings */
            mend_snap_guard_give_up(s);
            return;
        }
        put(s, at, to, false);
    }
}

bool mend_snap_guard_fault(struct mend_snap *s, uintptr_t at)
{
    struct mend_snap_guard *g = &s->guard;

    at &= ~(MEND_SNAP_PAGE - 1);
    if (!g->raised || at >= ADDRESSES || !has_bit(s, at) ||
        mend_snap_gate(SYS_getpid, 0, 0, 0, 0, 0, 0) !=
            s->pid) /* in a child it is a fault like others */
        return false;
    if (g->step && at == g->next) {
        g->step = 2 * g->step < STEP_MAX ? 2 * g->step : STEP_MAX;
    } else {
        g->step = STEP_MIN;
        at -= at % (STEP_MIN * MEND_SNAP_PAGE);
    }
    g->next = at + g->step * MEND_SNAP_PAGE;
    mend_snap_guard_release(s, at, g->next - at);
    return true;
}

enum mend_status mend_snap_guard_changes(struct mend_snap *s, uintptr_t start, uintptr_t end,
                                         bool clear, mend_snap_change_run *run, void *arg)
{
    enum mend_status st = MEND_OK;

    for (uintptr_t at = start; at < end && !st;) {
        uintptr_t from = same_until(s, at, end, true), to = same_until(s, from, end, false);

        if (from < to)
            st = mend_snap_changes_all(s, from, to, run, arg);
        if (!st && clear)
            put(s, from, to, true);
        at = to;
    }
    return st;
}

bool mend_snap_guard_open(struct mend_snap *s)
{
    void *p = mmap(NULL, BITS_BYTES, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        return false;
    madvise(p, BITS_BYTES, MADV_DONTDUMP);
    s->guard.bits = p;
    if (mend_snap_calls_open(s))
        return true;
    munmap(p, BITS_BYTES);
    s->guard.bits = NULL;
    return false;
}

void mend_snap_guard_close(struct mend_snap *s)
{
    if (!s->guard.bits)
        return;
    mend_snap_guard_give_up(s);
    mend_snap_calls_close(s);
    munmap(s->guard.bits, BITS_BYTES);
}
