/* SPDX-License-Identifier: BSD-3-Clause */
/* pack_fuzz.c – random types against the oracle: bounds, packing, unpacking, pieces, cuts, elements,
 * external32, and copies between any two.
 *
 *     pack_fuzz [SECONDS [SEED]]     default 5 seconds from a seed of the clock
 *
 * Every round makes a few types from one another.  A difference prints the command that repeats the
 * round and ends with status 1. */
#include "datatype/compare_external.h"

#include "base/time.h"

#define ROUND_TYPES   5
#define ELEMENTS_MAX  600
#define SPAN_MAX      100000
#define ARGUMENTS_MAX 64

static uint64_t seed, state;

/* xorshift64* */
static uint64_t random_bits(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * UINT64_C(2685821657736338717);
}

/* lo .. hi */
static MPI_Count pick(MPI_Count lo, MPI_Count hi)
{
    return lo + (MPI_Count)((random_bits() >> 20) % (uint64_t)(hi - lo + 1));
}

static type pick_predefined(void)
{
    static const uint16_t handles[] = {0x209, 0x208, 0x243, 0x214, 0x22c, 0x229, 0x22b,
                                       0x220, 0x247, 0x216, 0x210, 0x20a, 0x23c};

    return mend_type_predefined(handles[pick(0, MEND_COUNT_OF(handles) - 1)]);
}

/* Arguments under construction. */
struct arguments {
    MPI_Count v[ARGUMENTS_MAX], n, types_n;
    type types[8];
};

static void put(struct arguments *a, MPI_Count value)
{
    a->v[a->n++] = value;
}

static void put_many(struct arguments *a, MPI_Count n, MPI_Count lo, MPI_Count hi)
{
    for (MPI_Count i = 0; i < n; i++)
        put(a, pick(lo, hi));
}

/* Displacements: anything, or rising without overlap (the usual case, where merging happens). */
static void put_displs(struct arguments *a, const MPI_Count *lens, MPI_Count n, MPI_Count unit)
{
    MPI_Count at = 0;
    bool rising = pick(0, 3) > 0;

    for (MPI_Count i = 0; i < n; i++) {
        put(a, (rising ? at : pick(-20, 40)) * unit);
        at += lens[i] + (pick(0, 1) ? pick(0, 4) : 0);
    }
}

static void pick_indexed(struct arguments *a, int combiner)
{
    bool in_bytes = combiner != MPI_COMBINER_INDEXED;
    MPI_Count n = pick(0, 6), unit = in_bytes ? pick(0, 1) ? a->types[0]->extent : 1 : 1;

    put(a, n);
    put_many(a, n, 0, pick(1, 4));
    put_displs(a, a->v + 1, n, unit);
}

static void pick_blocks(struct arguments *a, int combiner)
{
    bool in_bytes = combiner == MPI_COMBINER_HINDEXED_BLOCK;
    MPI_Count lens[8], n = pick(0, 6), len = pick(0, 3);

    for (int i = 0; i < 8; i++)
        lens[i] = len;
    put(a, n);
    put(a, len);
    put_displs(a, lens, n, in_bytes ? a->types[0]->extent : 1);
}

static void pick_subarray(struct arguments *a)
{
    MPI_Count n = pick(1, 3);

    put(a, n);
    put_many(a, n, 1, 6);
    for (MPI_Count i = 0; i < n; i++)
        put(a, pick(1, a->v[1 + i]));
    for (MPI_Count i = 0; i < n; i++)
        put(a, pick(0, a->v[1 + i] - a->v[1 + n + i]));
    put(a, pick(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN);
}

static void pick_darray(struct arguments *a)
{
    MPI_Count n = pick(1, 3), procs = 1, psizes[3];

    for (MPI_Count i = 0; i < n; i++) {
        psizes[i] = pick(1, 3);
        procs *= psizes[i];
    }
    put(a, procs);
    put(a, pick(0, procs - 1));
    put(a, n);
    put_many(a, n, 1, 9);
    for (MPI_Count i = 0; i < n; i++)
        put(a, psizes[i] == 1 ? MPI_DISTRIBUTE_NONE
                              : pick(MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC));
    for (MPI_Count i = 0; i < n; i++)
        put(a, pick(0, 1) ? MPI_DISTRIBUTE_DFLT_DARG : pick(1, 5));
    for (MPI_Count i = 0; i < n; i++)
        put(a, psizes[i]);
    put(a, pick(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN);
}

static void pick_struct(struct arguments *a, const type *from, MPI_Count from_n)
{
    MPI_Count at = 0, n = pick(0, 5);

    put(a, n);
    put_many(a, n, 0, 3);
    a->types_n = n;
    for (MPI_Count i = 0; i < n; i++) {
        a->types[i] = pick(0, 1) ? pick_predefined() : from[pick(0, from_n - 1)];
        put(a, at);
        at += a->v[1 + i] * a->types[i]->extent + (pick(0, 1) ? pick(0, 16) : 0);
    }
}

/* One step from old types to a new one.  NULL: it came out too large, or was refused. */
static type pick_derived(const type *from, MPI_Count from_n)
{
    int combiner = (int)pick(MPI_COMBINER_DUP, MPI_COMBINER_RESIZED);
    struct arguments a = {.types = {from[pick(0, from_n - 1)]}, .types_n = 1};
    struct mend_type *t;

    switch (combiner) {
    case MPI_COMBINER_DUP:
        break;
    case MPI_COMBINER_CONTIGUOUS:
        put(&a, pick(0, 4));
        break;
    case MPI_COMBINER_VECTOR:
        put_many(&a, 2, 0, 4);
        put(&a, pick(-5, 8));
        break;
    case MPI_COMBINER_HVECTOR:
        put_many(&a, 2, 0, 4);
        put(&a, pick(-5, 8) * (pick(0, 1) ? a.types[0]->extent : 3));
        break;
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
        pick_indexed(&a, combiner);
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        pick_blocks(&a, combiner);
        break;
    case MPI_COMBINER_STRUCT:
        pick_struct(&a, from, from_n);
        break;
    case MPI_COMBINER_SUBARRAY:
        pick_subarray(&a);
        break;
    case MPI_COMBINER_DARRAY:
        pick_darray(&a);
        break;
    case MPI_COMBINER_RESIZED:
        put(&a, pick(-8, 8));
        put(&a, pick(0, 3) ? a.types[0]->extent + pick(0, 16) : pick(-32, 32));
        break;
    default: /* Fortran's are made in another way */
        return NULL;
    }
    if (try_make(combiner, a.v, a.n, a.types, a.types_n, &t))
        return NULL;
    if (mend_type_facts(t).elements > ELEMENTS_MAX || t->true_extent > SPAN_MAX ||
        llabs(t->extent) > SPAN_MAX || llabs(t->true_lb) > SPAN_MAX) {
        mend_type_put(self, t);
        return NULL;
    }
    CHECK_EQ(mend_type_commit(self, t), MPI_SUCCESS);
    return t;
}

static void compare(type t)
{
    struct map m = map_of(t);
    MPI_Count count = pick(0, 4);
    size_t total = (size_t)(map_size(&m) * count);

    compare_bounds(t, &m);
    compare_moves(t, &m, count, (size_t)pick(1, 1 + (MPI_Count)total));
    compare_moves(t, &m, count, (size_t)pick(1, 64));
    for (int i = 0; i < 4; i++)
        compare_cursor(t, &m, count, pick(0, (MPI_Count)total),
                       (size_t)(i ? pick(1, 64) : PTRDIFF_MAX));
    for (int i = 0; i < 4; i++)
        compare_elements(t, &m, pick(0, 3 * (MPI_Count)total));
    compare_external(t, &m, count);
    for (int i = 0; i < 6 && total > 0 && !map_overlaps(&m, count); i++) {
        size_t at = (size_t)pick(0, (MPI_Count)total - 1);

        compare_cut(t, &m, count, at, (size_t)pick(1, (MPI_Count)(total - at)));
    }
    free(m.entries);
}

static void one_round(void)
{
    type types[ROUND_TYPES + 1];
    MPI_Count n = 1;

    types[0] = pick_predefined();
    for (int tries = 0; n <= ROUND_TYPES && tries < 20; tries++) {
        types[n] = pick_derived(types, n);
        if (types[n])
            compare(types[n++]);
    }
    for (int i = 0; i < 4; i++)
        compare_copy(types[pick(0, n - 1)], pick(0, 4), types[pick(0, n - 1)], pick(0, 4),
                     pick(0, 1) ? 0 : pick(0, 50));
    while (--n > 0)
        mend_type_put(self, types[n]);
}

static const struct mend_test rounds_of_types = {.name = "rounds of random types"};
static const char *program;

static void tell_seed(void)
{
    if (seed)
        printf("repeat with: %s 0 %llu\n", program, (unsigned long long)seed);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 5;
    mend_time_ns start = mend_time_monotonic_ns(), end = start + (mend_time_ns)(seconds * 1e9);
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : start, rounds = 0;
    size_t before = self->arena->in_use_bytes;

    (void)mend_test_end; /* of base/test.h only the checks are used, which name a test */
    mend_test_now = &rounds_of_types;
    program = argv[0];
    atexit(tell_seed);
    do {
        seed = first + rounds++;
        state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
        one_round();
        CHECK_EQ(self->arena->in_use_bytes, before); /* nothing leaks */
    } while (mend_time_monotonic_ns() < end);
    seed = 0;
    printf("ok %llu rounds\n", (unsigned long long)rounds);
    return 0;
}
