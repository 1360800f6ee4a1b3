/* SPDX-License-Identifier: BSD-3-Clause */
/* element.h – changing elements one by one in memory that other processes change, too.
 *
 * One atomic instruction changes an integer, logical value or byte at an address that is a multiple of its size.  All
 * other elements are changed under a lock (acclock_sm.h), whole vectors at a time.  Which of the two it is depends on
 * type and address and on nothing else, so any two accumulates that meet at an element exclude each other (win.h).
 * Counters are integers and many processes meet at them; vectors are floating-point numbers, and a lock for all of them
 * costs less than an instruction for each.
 *
 * Small elements that lie side by side are changed 8 bytes at a time: one atomic instruction holds the line, whatever
 * its width, so this excludes a change of one of them.  A misaligned atomic instruction is never used: it may stop the
 * machine for milliseconds. */
#ifndef MEND_RMA_ELEMENT_H
#define MEND_RMA_ELEMENT_H

#include "datatype/datatype.h"

#include <string.h>

#define MEND_ELEMENT_BIT(name_) (UINT64_C(1) << MEND_BASIC_##name_)
#define MEND_ELEMENT_INTEGERS                                                                      \
    (MEND_ELEMENT_BIT(I8) | MEND_ELEMENT_BIT(I16) | MEND_ELEMENT_BIT(I32) |                        \
     MEND_ELEMENT_BIT(I64) | MEND_ELEMENT_BIT(U8) | MEND_ELEMENT_BIT(U16) |                        \
     MEND_ELEMENT_BIT(U32) | MEND_ELEMENT_BIT(U64) | MEND_ELEMENT_BIT(BOOL) |                      \
     MEND_ELEMENT_BIT(BYTE) | MEND_ELEMENT_BIT(LOGICAL8) | MEND_ELEMENT_BIT(LOGICAL16) |           \
     MEND_ELEMENT_BIT(LOGICAL32) | MEND_ELEMENT_BIT(LOGICAL64))
_Static_assert(MEND_BASIC_COUNT <= 64, "a bit for each");

/* True if one instruction changes an element of this named type at this address. */
static inline bool mend_element_is_atomic(const struct mend_type *basic, const void *at)
{
    return MEND_ELEMENT_INTEGERS >> basic->basic & 1 &&
           !((uintptr_t)at & ((uintptr_t)basic->extent - 1));
}

#define MEND_ELEMENT_COUNTERS                                                                      \
    (MEND_ELEMENT_BIT(I32) | MEND_ELEMENT_BIT(I64) | MEND_ELEMENT_BIT(U32) | MEND_ELEMENT_BIT(U64))
#define MEND_ELEMENT_SUMMANDS                                                                      \
    (MEND_ELEMENT_COUNTERS | MEND_ELEMENT_BIT(F32) | MEND_ELEMENT_BIT(F64))

/* True for the most common numbers, of which mend_op_check() allows sums. */
static inline bool mend_element_can_sum(const struct mend_type *basic)
{
    return MEND_ELEMENT_SUMMANDS >> basic->basic & 1;
}

/* at[i] = at[i] op in[i], for n elements that are atomic; the values before go to old[i] unless it is NULL.  in and old
 * may be unaligned, and are the program's own.  MPI_REPLACE and MPI_NO_OP are operators like others. */
void mend_element_apply(const struct mend_op *op, const struct mend_type *basic, const void *in,
                        void *at, MPI_Count n, void *old);

/* The same for elements that only this process changes, or only under the lock that it holds. */
void mend_element_apply_alone(const struct mend_op *op, const struct mend_type *basic,
                              const void *in, void *at, MPI_Count n, void *old);

/* If an atomic element has the bytes of *compare it becomes *in; what it was goes to *old. */
void mend_element_swap_if(const struct mend_type *basic, const void *compare, const void *in,
                          void *at, void *old);

/* mend_element_apply() for one element and a sum, by the same instruction.  False: nothing was done, because the element
 * is not a counter, or not atomic. */
static inline bool mend_element_add(const struct mend_type *basic, const void *in, void *at,
                                    void *old)
{
    uint64_t more;
    uint32_t more_4;

    if (!(MEND_ELEMENT_COUNTERS >> basic->basic & 1) || !mend_element_is_atomic(basic, at))
        return false;
    if (basic->size == 8) {
        memcpy(&more, in, 8);
        more = __atomic_fetch_add((uint64_t *)at, more, __ATOMIC_ACQ_REL);
        if (old)
            memcpy(old, &more, 8);
    } else {
        memcpy(&more_4, in, 4);
        more_4 = __atomic_fetch_add((uint32_t *)at, more_4, __ATOMIC_ACQ_REL);
        if (old)
            memcpy(old, &more_4, 4);
    }
    return true;
}

#define MEND_ELEMENT_ADD(type_)                                                                    \
    {                                                                                              \
        type_ more, was;                                                                           \
        memcpy(&more, in, sizeof(more));                                                           \
        memcpy(&was, at, sizeof(was));                                                             \
        if (old)                                                                                   \
            memcpy(old, &was, sizeof(was));                                                        \
        more = more + was;                                                                         \
        memcpy(at, &more, sizeof(more));                                                           \
        return;                                                                                    \
    }

/* mend_element_apply_alone() for one element and a sum; the type as mend_element_can_sum() wants it.  The loop that does it
 * for many would take longer to begin than to add. */
static inline void mend_element_add_alone(const struct mend_type *basic, const void *in, void *at,
                                          void *old)
{
    if (basic->basic == MEND_BASIC_F64)
        MEND_ELEMENT_ADD(double)
    if (basic->basic == MEND_BASIC_F32)
        MEND_ELEMENT_ADD(float)
    if (basic->size == 8)
        MEND_ELEMENT_ADD(uint64_t)
    MEND_ELEMENT_ADD(uint32_t)
}

#endif
