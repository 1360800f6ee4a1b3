/* SPDX-License-Identifier: BSD-3-Clause */
/* trail.c – the way to the k-th instruction, without a stop at each before it.
 *
 * The first run of a call, which is stepped to its end, leaves a trail: where the victim stood after each
 * step.  Addresses are the same in every run (the jobs start with ADDR_NO_RANDOMIZE).  An instruction that
 * the trail shows once is a landmark.  A later run sets a breakpoint at the last landmark before its k-th
 * instruction, lets the victim go as fast as it can, and steps from there:
 *
 *     1 2 3 ....................... landmark . . . k
 *     └── at full speed ───────────┘└── stepped ──┘
 *
 * If the victim takes another way and never comes by, its call returns, and that is a kill after the
 * return. */
#include "step.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#if defined(__x86_64__)
#define PC         rip
#define BREAK_MASK 0xffUL
#define BREAK      0xccUL /* int3; leaves the counter behind itself */
#define BREAK_PAST 1
#elif defined(__aarch64__)
#define PC         pc
#define BREAK_MASK 0xffffffffUL
#define BREAK      0xd4200000UL /* brk #0; leaves the counter where it is */
#define BREAK_PAST 0
#else
#error "how does one set a breakpoint?"
#endif

struct mark {
    unsigned long pc;
    long taken;
    bool once;
};

static struct {
    struct mark *mark; /* mark[i - 1]: after i steps */
    long n, max;
} trail;

static unsigned long broken_pc, broken_word;

unsigned long step_pc(pid_t pid)
{
    struct user_regs_struct regs = {0};
    struct iovec io = {&regs, sizeof regs};

    return ptrace(PTRACE_GETREGSET, pid, (void *)(uintptr_t)NT_PRSTATUS, &io) == 0 ? regs.PC : 0;
}

static bool set_pc(pid_t pid, unsigned long pc)
{
    struct user_regs_struct regs;
    struct iovec io = {&regs, sizeof regs};

    if (ptrace(PTRACE_GETREGSET, pid, (void *)(uintptr_t)NT_PRSTATUS, &io) != 0)
        return false;
    regs.PC = pc;
    return ptrace(PTRACE_SETREGSET, pid, (void *)(uintptr_t)NT_PRSTATUS, &io) == 0;
}

void step_trail_begin(void)
{
    trail.n = 0;
}

void step_trail_note(unsigned long pc, long taken)
{
    if (trail.n == trail.max) {
        trail.max = trail.max ? 2 * trail.max : 4096;
        trail.mark = realloc(trail.mark, (size_t)trail.max * sizeof *trail.mark);
    }
    trail.mark[trail.n++] = (struct mark){pc, taken, true};
}

static int by_pc(const void *a, const void *b)
{
    const struct mark *x = *(struct mark *const *)a, *y = *(struct mark *const *)b;

    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

void step_trail_end(void)
{
    struct mark **sorted = malloc((size_t)trail.n * sizeof *sorted + 1);

    for (long i = 0; i < trail.n; i++)
        sorted[i] = &trail.mark[i];
    qsort(sorted, (size_t)trail.n, sizeof *sorted, by_pc);
    for (long i = 1; i < trail.n; i++)
        if (sorted[i]->pc == sorted[i - 1]->pc)
            sorted[i]->once = sorted[i - 1]->once = false;
    free(sorted);
}

long step_trail_landmark(long at)
{
    long found = 0;

    for (long i = 1; i <= trail.n && trail.mark[i - 1].taken < at; i++)
        found = trail.mark[i - 1].once ? i : found;
    return found;
}

unsigned long step_trail_pc(long i, long *taken_p)
{
    *taken_p = trail.mark[i - 1].taken;
    return trail.mark[i - 1].pc;
}

bool step_break_set(pid_t pid, unsigned long pc)
{
    errno = 0;
    broken_pc = pc;
    broken_word = (unsigned long)ptrace(PTRACE_PEEKTEXT, pid, (void *)pc, NULL);
    return !errno && ptrace(PTRACE_POKETEXT, pid, (void *)pc,
                            (void *)((broken_word & ~BREAK_MASK) | BREAK)) == 0;
}

bool step_break_hit(pid_t pid)
{
    return step_pc(pid) == broken_pc + BREAK_PAST;
}

bool step_break_clear(pid_t pid)
{
    bool hit = step_break_hit(pid);

    return ptrace(PTRACE_POKETEXT, pid, (void *)broken_pc, (void *)broken_word) == 0 &&
           (!hit || set_pc(pid, broken_pc));
}
