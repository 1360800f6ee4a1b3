/* SPDX-License-Identifier: BSD-3-Clause */
/* element_test.c – every operator on every type against mend_op_apply(), and threads that meet at one element, by
 * instructions or under the lock of elements. */
#include "rma/acclock_sm.h"
#include "rma/element.h"

#include "base/test.h"
#include "datatype/op_table.h"
#include "datatype/predefined.h"

#include <pthread.h>

#define ELEMENTS 7
#define BYTES    (ELEMENTS * 32)
#define THREADS  4
#define ROUNDS   20000

typedef void apply_fn(const struct mend_op *op, const struct mend_type *t, const void *in, void *at,
                      MPI_Count n, void *old);

static const struct mend_op *op_of(int code)
{
    return mend_op_of((MPI_Op)(uintptr_t)(MEND_OP_FIRST + code));
}

/* Bytes of all kinds, among them floats that are not numbers. */
static void fill(char *bytes, unsigned seed)
{
    for (unsigned i = 0; i < BYTES; i++)
        bytes[i] = (char)((i + seed) % 5 == 0 ? 0xff : (i * 131 + seed * 29) >> (i % 3));
}

/* The packed bytes of the elements, without what lies between. */
static void pack(const struct mend_type *t, const void *from, char *out)
{
    memset(out, 0, BYTES);
    mend_type_pack(t, from, ELEMENTS, 0, out, BYTES);
}

static void compare(const struct mend_type *t, const void *got, const void *want)
{
    char a[BYTES], b[BYTES];

    pack(t, got, a);
    pack(t, want, b);
    CHECK(!memcmp(a, b, BYTES));
}

static void check_apply(apply_fn *apply, const struct mend_op *op, const struct mend_type *t,
                        size_t shift)
{
    _Alignas(32) char in[BYTES + 32], at[BYTES + 64], was[BYTES], want[BYTES], old[BYTES + 1];
    size_t bytes = (size_t)(ELEMENTS * t->extent);
    char *place = at + 16 + shift;

    fill(in + 1, 1); /* in and old need no alignment */
    memset(at, 77, sizeof at);
    fill(want, 2);
    memcpy(place, want, bytes);
    memcpy(was, want, BYTES);
    memset(place + bytes, 77, 16);
    mend_op_apply(op, in + 1, want, ELEMENTS, t, MPI_DATATYPE_NULL);
    apply(op, t, in + 1, place, ELEMENTS, old + 1);
    compare(t, place, want);
    compare(t, old + 1, was);
    memcpy(place, was, bytes);
    apply(op, t, in + 1, place, ELEMENTS, NULL);
    compare(t, place, want);
    for (size_t i = 0; i < 16; i++)
        CHECK(at[shift + i] == 77 && place[bytes + i] == 77);
}

/* Sums of one element, alone and atomic, have the bits of mend_op_apply(). */
static void check_add(const struct mend_type *t)
{
    const struct mend_op *sum = op_of(MEND_OP_SUM);
    bool counts = !mend_op_check(sum, t) && mend_element_is_atomic(t, (void *)64) && t->size >= 4;

    for (unsigned seed = 0; seed < 200; seed++) {
        _Alignas(8) char in[BYTES + 1], at[BYTES], want[BYTES], was[BYTES], old[BYTES + 1];
        size_t n = (size_t)t->size;

        fill(in + 1, seed);
        fill(was, 3 * seed + 1);
        memcpy(want, was, n);
        mend_op_apply(sum, in + 1, want, 1, t, MPI_DATATYPE_NULL);
        memcpy(at, was, n);
        mend_element_add_alone(t, in + 1, at, old + 1);
        CHECK(!memcmp(at, want, n) && !memcmp(old + 1, was, n));
        memcpy(at, was, n);
        CHECK_EQ(mend_element_add(t, in + 1, at, old + 1), counts);
        CHECK(!memcmp(at, counts ? want : was, n) && !memcmp(old + 1, was, n));
        CHECK(!counts || !mend_element_add(t, in + 1, at + 1, NULL));
    }
}

MEND_TEST(sums_of_one_element)
{
    int sums_n = 0;

    for (uintptr_t h = MEND_TYPE_FIRST; h <= MEND_TYPE_LAST; h++) {
        const struct mend_type *t = mend_type_predefined(h);

        if (t && mend_element_can_sum(t)) {
            CHECK_EQ(mend_op_check(op_of(MEND_OP_SUM), t), MPI_SUCCESS);
            check_add(t);
            sums_n++;
        }
    }
    CHECK(sums_n >= 6);
}

static int atomic_n;

static void check_type(const struct mend_type *t)
{
    _Alignas(32) char place[32];
    bool atomic = mend_element_is_atomic(t, place);

    CHECK(!atomic || (t->extent <= 8 && !(t->extent & (t->extent - 1))));
    CHECK(t->extent == 1 || !mend_element_is_atomic(t, place + 1));
    atomic_n += atomic;
    for (int code = 1; code < MEND_OP_SLOTS; code++) {
        const struct mend_op *op = op_of(code);

        if (!op || mend_op_check(op, t))
            continue;
        if (atomic)
            check_apply(mend_element_apply, op, t, 0);
        for (size_t shift = 0; shift < 16; shift += 1 + shift / 3)
            check_apply(mend_element_apply_alone, op, t, shift);
    }
}

MEND_TEST(all_operators_on_all_types)
{
    int types_n = 0;

    for (uintptr_t h = MEND_TYPE_FIRST; h <= MEND_TYPE_LAST; h++) {
        const struct mend_type *t = mend_type_predefined(h);

        if (t && t->size) {
            check_type(t);
            types_n++;
        }
    }
    CHECK(types_n > 50);
    CHECK(atomic_n >= 16); /* integers of 1 to 8 bytes with and without sign, logicals, bytes */
}

/* Old bytes come out whether or not they were those compared with. */
MEND_TEST(swap_if)
{
    static const uint16_t handles[] = {0x240, 0x248, 0x209, 0x20a, 0x238, 0x218, 0x247, 0x2e0};

    for (size_t i = 0; i < MEND_COUNT_OF(handles); i++) {
        const struct mend_type *t = mend_type_predefined(handles[i]);
        _Alignas(16) char at[BYTES], was[BYTES], compare_with[BYTES], in[BYTES], old[BYTES];
        size_t n = t ? (size_t)t->extent : 0;

        if (!t || !mend_element_is_atomic(t, at))
            continue;
        fill(at, 3);
        fill(was, 3);
        fill(in, 4);
        memcpy(compare_with, was, BYTES);
        compare_with[n - 1] ^= 1;
        mend_element_swap_if(t, compare_with, in, at, old);
        CHECK(!memcmp(at, was, BYTES) && !memcmp(old, was, n));
        mend_element_swap_if(t, was, in, at, old);
        CHECK(!memcmp(at, in, n) && !memcmp(at + n, was + n, BYTES - n) && !memcmp(old, was, n));
    }
}

/* ---- threads ---- */

static struct {
    const struct mend_type *type;
    const struct mend_op *op;
    _Alignas(64) char at[32];
    mend_atomic_u32 lock;
    uint8_t seen[THREADS * ROUNDS]; /* by value that was fetched */
    pthread_barrier_t begin;
} met;

static int64_t whole(const char *bytes, size_t n)
{
    int64_t v = 0;

    memcpy(&v, bytes, n < 8 ? n : 8);
    return v;
}

static bool nobody_is_dead(const void *of, int rank)
{
    (void)of;
    CHECK(rank >= 0 && rank < THREADS);
    return false;
}

static void apply_one(int me, const char *in, char *old)
{
    if (mend_element_is_atomic(met.type, met.at)) {
        mend_element_apply(met.op, met.type, in, met.at, 1, old);
        return;
    }
    while (!mend_acclock_try(&met.lock, me, nobody_is_dead, NULL))
        sched_yield();
    mend_element_apply_alone(met.op, met.type, in, met.at, 1, old);
    mend_acclock_release(&met.lock);
}

static void *count(void *arg)
{
    char one[32] = {1}, old[32];
    size_t n = (size_t)met.type->size;
    double real = 1;
    float small = 1;

    if (met.type->basic == MEND_BASIC_F64 || met.type->basic == MEND_BASIC_C64)
        memcpy(one, &real, sizeof real);
    if (met.type->basic == MEND_BASIC_F32 || met.type->basic == MEND_BASIC_C32)
        memcpy(one, &small, sizeof small);
    pthread_barrier_wait(&met.begin);
    for (int i = 0; i < ROUNDS; i++) {
        apply_one((int)(intptr_t)arg, one, old);
        if (n < 4)
            continue;
        if (met.type->basic == MEND_BASIC_F64 || met.type->basic == MEND_BASIC_C64) {
            memcpy(&real, old, sizeof real);
            met.seen[(size_t)real]++;
        } else if (met.type->basic == MEND_BASIC_F32 || met.type->basic == MEND_BASIC_C32) {
            memcpy(&small, old, sizeof small);
            met.seen[(size_t)small]++;
        } else {
            met.seen[whole(old, n)]++;
        }
    }
    return NULL;
}

/* Each value that a counter had is fetched once, and its end is the number of all. */
static void check_counter(const struct mend_type *t)
{
    pthread_t threads[THREADS];
    char end[32];
    double real = (double)THREADS * ROUNDS;
    float small = (float)THREADS * ROUNDS;
    int64_t number = (int64_t)THREADS * ROUNDS;

    met.type = t;
    met.op = op_of(MEND_OP_SUM);
    memset(met.at, 0, sizeof met.at);
    memset(met.seen, 0, sizeof met.seen);
    pthread_barrier_init(&met.begin, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, count, (void *)(intptr_t)i));
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_join(threads[i], NULL));
    memset(end, 0, sizeof end);
    memcpy(end, &number, t->size < 8 ? (size_t)t->size : 8);
    if (t->basic == MEND_BASIC_F64 || t->basic == MEND_BASIC_C64)
        memcpy(end, &real, sizeof real);
    if (t->basic == MEND_BASIC_F32 || t->basic == MEND_BASIC_C32)
        memcpy(end, &small, sizeof small);
    CHECK(!memcmp(met.at, end, 32));
    for (int i = 0; i < THREADS * ROUNDS && t->size >= 4; i++)
        CHECK_EQ(met.seen[i], 1);
}

static bool rank_2_is_dead(const void *of, int rank)
{
    (void)of;
    return rank == 2;
}

MEND_TEST(the_lock_of_a_dead_process_is_free)
{
    mend_atomic_u32 word = MEND_ACCLOCK_TAKEN_BY(2);

    CHECK(!mend_acclock_try(&word, 0, nobody_is_dead, NULL));
    CHECK(mend_acclock_try(&word, 1, rank_2_is_dead, NULL));
    CHECK(!mend_acclock_try(&word, 0, rank_2_is_dead, NULL));
    mend_acclock_release(&word);
    CHECK(mend_acclock_try(&word, 0, rank_2_is_dead, NULL));
}

MEND_TEST(threads)
{
    /* 1, 2, 4 and 8 bytes; floats and doubles; pairs of them; 16 bytes, where there are such numbers */
    static const uint16_t handles[] = {0x241, 0x249, 0x20d, 0x20a, 0x210,
                                       0x214, 0x212, 0x216, 0x2e1};

    for (size_t i = 0; i < MEND_COUNT_OF(handles); i++)
        if (mend_type_predefined(handles[i]))
            check_counter(mend_type_predefined(handles[i]));
}

MEND_TEST_MAIN()
