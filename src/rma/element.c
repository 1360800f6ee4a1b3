/* SPDX-License-Identifier: BSD-3-Clause */
/* element.c – elements of all types and operators by compare-and-swap, the common ones by an instruction of their own.
 *
 * The loop reads the element, computes on a copy, and swaps if the bytes are still what was read.  Bytes are compared, so a
 * NaN does not make it go on for ever. */
#include "rma/element.h"

#include <string.h>

#define CHUNK   2048 /* bytes that are copied to be aligned */
#define ALIGNED 16
#define GROUP   8

typedef unsigned __int128 atom16;

bool mend_element_is_atomic(const struct mend_type *basic, const void *at)
{
    size_t n = (size_t)basic->extent;

    return n && n <= 16 && !(n & (n - 1)) && (uintptr_t)at % n == 0;
}

/* ---- 16 bytes ---- */

#if defined(__x86_64__)
static bool swap16(void *at, atom16 *expected, atom16 wanted)
{
    uint64_t low = (uint64_t)*expected, high = (uint64_t)(*expected >> 64);
    bool done;

    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*(atom16 *)at), "+a"(low), "+d"(high)
                     : "b"((uint64_t)wanted), "c"((uint64_t)(wanted >> 64))
                     : "memory");
    *expected = (atom16)high << 64 | low;
    return done;
}
#elif defined(__aarch64__)
static bool swap16(void *at, atom16 *expected, atom16 wanted)
{
    uint64_t want_low = (uint64_t)*expected, want_high = (uint64_t)(*expected >> 64), low, high;
    uint32_t failed;

    do {
        __asm__ volatile("ldaxp %0, %1, %2"
                         : "=&r"(low), "=&r"(high)
                         : "Q"(*(atom16 *)at)
                         : "memory");
        if (low != want_low || high != want_high) {
            /* Storing it back proves that both halves were read at once. */
            __asm__ volatile("stlxp %w0, %2, %3, %1"
                             : "=&r"(failed), "=Q"(*(atom16 *)at)
                             : "r"(low), "r"(high)
                             : "memory");
            if (!failed) {
                *expected = (atom16)high << 64 | low;
                return false;
            }
            continue;
        }
        __asm__ volatile("stlxp %w0, %2, %3, %1"
                         : "=&r"(failed), "=Q"(*(atom16 *)at)
                         : "r"((uint64_t)wanted), "r"((uint64_t)(wanted >> 64))
                         : "memory");
    } while (failed);
    return true;
}
#else
#error "16 bytes at once: not written for this processor"
#endif

/* ---- any size ---- */

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
    case 8:
        SWAP(uint64_t)
    default: {
        atom16 from, to;
        bool done;

        memcpy(&from, expected, sizeof(from));
        memcpy(&to, wanted, sizeof(to));
        done = swap16(at, &from, to);
        memcpy(expected, &from, sizeof(from));
        return done;
    }
    }
}

/* A first guess; the swap says if it is wrong, or torn. */
static void guess(size_t size, const void *at, void *value)
{
    if (size == 8)
        *(uint64_t *)value = __atomic_load_n((const uint64_t *)at, __ATOMIC_RELAXED);
    else if (size == 4)
        *(uint32_t *)value = __atomic_load_n((const uint32_t *)at, __ATOMIC_RELAXED);
    else
        memcpy(value, at, size);
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

#define INTEGERS(type, name)                                                                       \
    static void add_##name(const char *in, char *at, MPI_Count n, char *old)                       \
    {                                                                                              \
        for (MPI_Count i = 0; i < n; i++) {                                                        \
            type more, was;                                                                        \
            memcpy(&more, in + i * (MPI_Count)sizeof(type), sizeof(type));                         \
            was = __atomic_fetch_add((type *)at + i, more, __ATOMIC_ACQ_REL);                      \
            if (old)                                                                               \
                memcpy(old + i * (MPI_Count)sizeof(type), &was, sizeof(type));                     \
        }                                                                                          \
    }

/* The sum of floating-point numbers: what is read is added to and swapped. */
#define FLOATS(type, bits, name)                                                                   \
    static void add_##name(const char *in, char *at, MPI_Count n, char *old)                       \
    {                                                                                              \
        for (MPI_Count i = 0; i < n; i++) {                                                        \
            bits was = __atomic_load_n((bits *)at + i, __ATOMIC_RELAXED), becomes;                 \
            type more, sum;                                                                        \
            memcpy(&more, in + i * (MPI_Count)sizeof(type), sizeof(type));                         \
            do {                                                                                   \
                memcpy(&sum, &was, sizeof(sum));                                                   \
                sum += more;                                                                       \
                memcpy(&becomes, &sum, sizeof(sum));                                               \
            } while (!__atomic_compare_exchange_n((bits *)at + i, &was, becomes, true,             \
                                                  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));            \
            if (old)                                                                               \
                memcpy(old + i * (MPI_Count)sizeof(type), &was, sizeof(type));                     \
        }                                                                                          \
    }

INTEGERS(uint32_t, u32)
INTEGERS(uint64_t, u64)
FLOATS(double, uint64_t, f64)
FLOATS(float, uint32_t, f32)

static bool apply_common(const struct mend_op *op, const struct mend_type *basic, const char *in,
                         char *at, MPI_Count n, char *old)
{
    if (op != mend_op_of(MPI_SUM))
        return false;
    switch (basic->basic) {
    case MEND_BASIC_I32:
    case MEND_BASIC_U32:
        add_u32(in, at, n, old);
        return true;
    case MEND_BASIC_I64:
    case MEND_BASIC_U64:
        add_u64(in, at, n, old);
        return true;
    case MEND_BASIC_F64:
        add_f64(in, at, n, old);
        return true;
    case MEND_BASIC_F32:
        add_f32(in, at, n, old);
        return true;
    default:
        return false;
    }
}

void mend_element_apply(const struct mend_op *op, const struct mend_type *basic, const void *in,
                        void *at, MPI_Count n, void *old)
{
    MPI_Count step = basic->extent, k;

    MEND_ASSERT(mend_element_is_atomic(basic, at));
    if (apply_common(op, basic, in, at, n, old))
        return;
    for (MPI_Count i = 0; i < n; i += k) {
        k = group_at(basic, (char *)at + i * step, n - i);
        apply_group(op, basic, (const char *)in + i * step, (char *)at + i * step, k,
                    old ? (char *)old + i * step : NULL);
    }
}

/* Operators want aligned operands: what lies elsewhere is copied to and fro. */
static void compute_apart(const struct mend_op *op, const struct mend_type *basic, const char *in,
                          char *at, MPI_Count n)
{
    _Alignas(32) char what[CHUNK], operand[CHUNK];
    MPI_Count step = basic->extent, most = CHUNK / step, k;

    for (MPI_Count i = 0; i < n; i += k) {
        k = n - i < most ? n - i : most;
        memcpy(what, at + i * step, (size_t)(k * step));
        memcpy(operand, in + i * step, (size_t)(k * step));
        mend_op_apply(op, operand, what, k, basic, MPI_DATATYPE_NULL);
        memcpy(at + i * step, what, (size_t)(k * step));
    }
}

/* Predefined operators are commutative: the element may stand on either side. */
void mend_element_apply_alone(const struct mend_op *op, const struct mend_type *basic,
                              const void *in, void *at, MPI_Count n, void *old)
{
    size_t len = (size_t)(n * basic->extent);

    if (old)
        memcpy(old, at, len);
    if (op == mend_op_of(MPI_NO_OP))
        return;
    if (op == mend_op_of(MPI_REPLACE))
        memcpy(at, in, len);
    else if (((uintptr_t)in | (uintptr_t)at) % ALIGNED)
        compute_apart(op, basic, in, at, n);
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
