/* SPDX-License-Identifier: BSD-3-Clause */
/* element.c – integers of all sizes and operators by compare-and-swap, the common ones by an instruction of their own.
 *
 * The loop reads the element, computes on a copy, and swaps if the bytes are still what was read. */
#include "rma/element.h"

#include "datatype/op_table.h"

#include <string.h>

#define GROUP 8

/* A first guess; the swap says if it is wrong. */
static void guess(size_t size, const void *at, void *value)
{
    if (size == 8)
        *(uint64_t *)value = __atomic_load_n((const uint64_t *)at, __ATOMIC_RELAXED);
    else if (size == 4)
        *(uint32_t *)value = __atomic_load_n((const uint32_t *)at, __ATOMIC_RELAXED);
    else if (size == 2)
        *(uint16_t *)value = __atomic_load_n((const uint16_t *)at, __ATOMIC_RELAXED);
    else
        *(uint8_t *)value = __atomic_load_n((const uint8_t *)at, __ATOMIC_RELAXED);
}

#define SWAP(type)                                                                                 \
    {                                                                                              \
        type from, to;                                                                             \
        bool done;                                                                                 \
        memcpy(&from, expected, sizeof(from));                                                     \
        memcpy(&to, wanted, sizeof(to));                                                           \
        done = __atomic_compare_exchange_n((type *)at, &from, to, false, __ATOMIC_ACQ_REL,         \
                                           __ATOMIC_ACQUIRE);                                      \
        memcpy(expected, &from, sizeof(from));                                                     \
        return done;                                                                               \
    }

/* False: *expected is what the element was. */
static bool swap(size_t size, void *at, void *expected, const void *wanted)
{
    MEND_ASSERT((uintptr_t)at % size == 0);
    switch (size) {
    case 1:
        SWAP(uint8_t)
    case 2:
        SWAP(uint16_t)
    case 4:
        SWAP(uint32_t)
    default:
        SWAP(uint64_t)
    }
}

/* what = in op what, with the operands in the order in which mend_element_apply_alone() has them: of a number and a
 * NaN MPI_MIN and MPI_MAX take the second.  Padding keeps its bytes. */
static void compute(const struct mend_op *op, const struct mend_type *basic, const void *in,
                    void *what, MPI_Count n)
{
    if (op == mend_op_of(MPI_REPLACE))
        memcpy(what, in, (size_t)(n * basic->extent));
    else if (op != mend_op_of(MPI_NO_OP))
        mend_op_apply(op, in, what, n, basic, MPI_DATATYPE_NULL);
}

/* How many small elements one swap of 8 bytes changes; 1: the element alone. */
static MPI_Count group_at(const struct mend_type *basic, const char *at, MPI_Count left)
{
    MPI_Count n = GROUP / basic->extent;

    return basic->size == basic->extent && n > 1 && left >= n && (uintptr_t)at % GROUP == 0 ? n : 1;
}

static void apply_group(const struct mend_op *op, const struct mend_type *basic, const void *in,
                        void *at, MPI_Count n, void *old)
{
    size_t size = (size_t)(n * basic->extent);
    _Alignas(32) char was[32], becomes[32], operand[32];

    memcpy(operand, in, size);
    guess(size, at, was);
    do {
        memcpy(becomes, was, size);
        compute(op, basic, operand, becomes, n);
    } while (!swap(size, at, was, becomes));
    if (old)
        memcpy(old, was, size);
}

/* ---- the common ones ---- */

typedef void run_fn(const char *in, char *at, MPI_Count n, char *old);

#define RUN(name, type, instruction)                                                               \
    static void name(const char *in, char *at, MPI_Count n, char *old)                             \
    {                                                                                              \
        for (MPI_Count i = 0; i < n; i++) {                                                        \
            type operand, was;                                                                     \
            memcpy(&operand, in + i * (MPI_Count)sizeof(type), sizeof(type));                      \
            was = instruction((type *)at + i, operand, __ATOMIC_ACQ_REL);                          \
            if (old)                                                                               \
                memcpy(old + i * (MPI_Count)sizeof(type), &was, sizeof(type));                     \
        }                                                                                          \
    }

RUN(sum_4, uint32_t, __atomic_fetch_add)
RUN(sum_8, uint64_t, __atomic_fetch_add)
RUN(replace_4, uint32_t, __atomic_exchange_n)
RUN(replace_8, uint64_t, __atomic_exchange_n)
RUN(band_4, uint32_t, __atomic_fetch_and)
RUN(band_8, uint64_t, __atomic_fetch_and)
RUN(bor_4, uint32_t, __atomic_fetch_or)
RUN(bor_8, uint64_t, __atomic_fetch_or)
RUN(bxor_4, uint32_t, __atomic_fetch_xor)
RUN(bxor_8, uint64_t, __atomic_fetch_xor)

/* NULL: the loop does it. */
static run_fn *instruction_of(const struct mend_op *op, MPI_Count size)
{
    static run_fn *const of_4[MEND_OP_SLOTS] = {
        [MEND_OP_SUM] = sum_4, [MEND_OP_REPLACE] = replace_4, [MEND_OP_BAND] = band_4,
        [MEND_OP_BOR] = bor_4, [MEND_OP_BXOR] = bxor_4,
    };
    static run_fn *const of_8[MEND_OP_SLOTS] = {
        [MEND_OP_SUM] = sum_8, [MEND_OP_REPLACE] = replace_8, [MEND_OP_BAND] = band_8,
        [MEND_OP_BOR] = bor_8, [MEND_OP_BXOR] = bxor_8,
    };

    return size == 4 ? of_4[op->code] : size == 8 ? of_8[op->code] : NULL;
}

void mend_element_apply(const struct mend_op *op, const struct mend_type *basic, const void *in,
                        void *at, MPI_Count n, void *old)
{
    MPI_Count step = basic->extent, k;

    run_fn *run = instruction_of(op, step);

    MEND_ASSERT(mend_element_is_atomic(basic, at));
    if (mend_likely(run)) {
        run(in, at, n, old);
        return;
    }
    for (MPI_Count i = 0; i < n; i += k) {
        k = group_at(basic, (char *)at + i * step, n - i);
        apply_group(op, basic, (const char *)in + i * step, (char *)at + i * step, k,
                    old ? (char *)old + i * step : NULL);
    }
}

/* Predefined operators are commutative: the element may stand on either side. */
void mend_element_apply_alone(const struct mend_op *op, const struct mend_type *basic,
                              const void *in, void *at, MPI_Count n, void *old)
{
    size_t len = (size_t)(n * basic->extent);

    if (old)
        memcpy(old, at, len);
    if (op->code == MEND_OP_NO_OP)
        return;
    if (op->code == MEND_OP_REPLACE)
        memcpy(at, in, len);
    else
        mend_op_apply(op, in, at, n, basic, MPI_DATATYPE_NULL);
}

void mend_element_swap_if(const struct mend_type *basic, const void *compare, const void *in,
                          void *at, void *old)
{
    _Alignas(32) char expected[32];

    memcpy(expected, compare, (size_t)basic->extent);
    swap((size_t)basic->extent, at, expected, in);
    memcpy(old, expected, (size_t)basic->extent);
}
