/* SPDX-License-Identifier: BSD-3-Clause */
/* job_point.c – safe points of a simulated rank, for modules that roll back.
 *
 * The memory of a program in the simulator is the stack of its fiber: all its other memory is shared with the other ranks, so a
 * program that rolls back has none.  A safe point is a copy of that stack, and a roll-back copies it back and goes on
 * where the copy was made, as mend_snap_enter() and mend_snap_roll_back() do with a process.  The linker puts these
 * functions in the place of those of mpi/safe_point.c.
 *
 *   fiber: roll back ──> scheduler ... the rank's next turn: copy the stack back ──> fiber: the safe point returns again */
#include "mpi/safe_point.h"

#include "comm/errcode.h"
#include "notify/notify.h"
#include "sim/job.h"

#include <stdlib.h>
#include <string.h>

#define BELOW                                                                                      \
    1024 /* of the frame that makes the copy: what a function may use below its stack pointer, and more */

struct sim_point {
    struct sim_point *older;
    ucontext_t context;
    char *low; /* what is above this is kept */
    size_t bytes;
    int value; /* of the roll-back; 0: none is under way */
    unsigned char kept[];
};

int __wrap_mend_safe_point_of_module(int *value_p);
void __wrap_mend_safe_point_drop(unsigned nth);
void __wrap_mend_safe_point_drop_all(void);
void __wrap_mend_safe_point_pages(uint64_t *saved_p, uint64_t *undone_p);
int __wrap_mend_safe_point_back(unsigned nth, int value);

static struct sim_rank *mine(void)
{
    return &sim_job->rank[sim_job->current];
}

/* The address sanitizer notes what of each frame may be touched, and does not see a copy of frames. */
extern void __asan_unpoison_memory_region(const volatile void *at, size_t n) __attribute__((weak));

static void forget_frames(const char *stack)
{
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region(stack, SIM_STACK_BYTES);
}

/* Byte by byte: between the frames the stack has what a sanitizer lets nobody touch. */
__attribute__((no_sanitize("address"))) static void copy(unsigned char *to, const void *from,
                                                         size_t n)
{
    const volatile unsigned char *bytes = from;

    for (size_t i = 0; i < n; i++)
        to[i] = bytes[i];
}

static unsigned count(void)
{
    unsigned n = 0;

    for (const struct sim_point *p = mine()->point; p; p = p->older)
        n++;
    return n;
}

void __wrap_mend_safe_point_drop(unsigned nth)
{
    struct sim_point **p = &mine()->point, *gone;

    for (unsigned n = count(); n > nth; n--)
        p = &(*p)->older;
    gone = *p;
    *p = gone->older;
    free(gone);
}

void __wrap_mend_safe_point_drop_all(void)
{
    while (mine()->point)
        __wrap_mend_safe_point_drop(1);
}

/* Its frame is in the copy.  getcontext() returns twice, and only what is in the rank differs then. */
int __wrap_mend_safe_point_of_module(int *value_p)
{
    char *low = (char *)__builtin_frame_address(0) - BELOW;
    size_t bytes = (size_t)(mine()->stack + SIM_STACK_BYTES - low);
    struct sim_point *p = malloc(sizeof(*p) + bytes);

    p->older = mine()->point;
    p->low = low;
    p->bytes = bytes;
    p->value = 0;
    mine()->point = p;
    getcontext(&p->context);
    *value_p = mine()->point->value;
    if (*value_p) {
        mine()->point->value = 0;
        mend_notify_unwound(mend_self);
    } else {
        copy(mine()->point->kept, low, bytes);
    }
    return MPI_SUCCESS;
}

void __wrap_mend_safe_point_pages(uint64_t *saved_p, uint64_t *undone_p)
{
    *saved_p = *undone_p = 0;
}

/* The scheduler copies, as this function's own frame goes as well.  The rank may be killed before. */
int __wrap_mend_safe_point_back(unsigned nth, int value)
{
    while (count() > nth)
        __wrap_mend_safe_point_drop(count());
    mine()->point->value = value;
    mine()->rolls_back = true;
    for (;;)
        mend_self->yield(mend_self);
}

void sim_roll_back(struct sim_rank *rank)
{
    struct sim_point *p = rank->point;

    forget_frames(rank->stack);
    copy((unsigned char *)p->low, p->kept, p->bytes);
    rank->context = p->context;
    rank->rolls_back = false;
}
