/* SPDX-License-Identifier: BSD-3-Clause */
/* pack_bench.c – packing against loops written by hand for each layout: time of ours / time of theirs.
 *
 * Run with `meson test --benchmark -v "datatype pack"`.  Both are timed in turns and the best time of
 * each counts, so that other load of the machine disturbs both or none. */
#include "datatype/make.h"

#include "base/time.h"

#define ROUNDS 60

static double *mem, *stream;

/* --------------------------------------------------------------------------
 * By hand
 * -------------------------------------------------------------------------- */

static MPI_Count n, stride, len;

static void hand_vector(void)
{
    for (MPI_Count i = 0; i < n; i++)
        stream[i] = mem[i * stride];
}

static void hand_unpack(void)
{
    for (MPI_Count i = 0; i < n; i++)
        mem[i * stride] = stream[i];
}

static void hand_floats(void)
{
    for (MPI_Count i = 0; i < n; i++)
        ((float *)stream)[i] = ((float *)mem)[i * stride];
}

static void hand_blocks(void)
{
    for (MPI_Count i = 0; i < n; i++)
        for (MPI_Count j = 0; j < len; j++)
            stream[i * len + j] = mem[i * stride + j];
}

/* n^3 doubles out of (n + 2)^3 */
static void hand_box(void)
{
    double *to = stream;
    MPI_Count m = n + 2;

    for (MPI_Count x = 1; x <= n; x++)
        for (MPI_Count y = 1; y <= n; y++)
            for (MPI_Count z = 1; z <= n; z++)
                *to++ = mem[(x * m + y) * m + z];
}

/* The face z = 1 of it: no two neighbours */
static void hand_face(void)
{
    double *to = stream;
    MPI_Count m = n + 2;

    for (MPI_Count x = 1; x <= n; x++)
        for (MPI_Count y = 1; y <= n; y++)
            *to++ = mem[(x * m + y) * m + 1];
}

static const int *displs;

static void hand_indexed(void)
{
    for (MPI_Count i = 0; i < n; i++)
        stream[i] = mem[displs[i]];
}

struct particle {
    double x[3];
    int id;
    char flag;
};

static void hand_struct(void)
{
    const struct particle *from = (const struct particle *)mem;
    char *to = (char *)stream;

    for (MPI_Count i = 0; i < n; i++) {
        memcpy(to, from[i].x, sizeof(from[i].x));
        memcpy(to + 24, &from[i].id, sizeof(int));
        to[28] = from[i].flag;
        to += 29;
    }
}

struct gaps {
    char c;
    double d;
    short s;
};

static void hand_gaps(void)
{
    const struct gaps *from = (const struct gaps *)mem;
    char *to = (char *)stream;

    for (MPI_Count i = 0; i < n; i++) {
        *to = from[i].c;
        memcpy(to + 1, &from[i].d, sizeof(double));
        memcpy(to + 9, &from[i].s, sizeof(short));
        to += 11;
    }
}

/* -------------------------------------------------------------------------- */

static double seconds(mend_time_ns start)
{
    return (double)(mend_time_monotonic_ns() - start) * 1e-9;
}

static void compare(const char *what, type t, MPI_Count count, bool unpack, void (*hand)(void))
{
    size_t bytes = (size_t)(t->size * count), times = 1 + 4000000 / (bytes + 1);
    double ours = 1e9, theirs = 1e9;

    for (int r = 0; r < ROUNDS; r++) {
        mend_time_ns start = mend_time_monotonic_ns();
        double s;

        for (size_t k = 0; k < times; k++) {
            if (unpack)
                mend_type_unpack(t, mem, count, 0, stream, bytes);
            else
                mend_type_pack(t, mem, count, 0, stream, bytes);
        }
        s = seconds(start);
        ours = s < ours ? s : ours;
        start = mend_time_monotonic_ns();
        for (size_t k = 0; k < times; k++) {
            hand();
            __asm__ volatile("" ::: "memory");
        }
        s = seconds(start);
        theirs = s < theirs ? s : theirs;
    }
    printf("%-44s %8zu B  %5.2f GB/s  %.2f of the loop by hand\n", what, bytes,
           (double)bytes * (double)times / ours * 1e-9, ours / theirs);
}

static void vectors(void)
{
    static const MPI_Count strides[] = {2, 8, 64, 1000};
    char text[64];

    for (size_t i = 0; i < MEND_COUNT_OF(strides); i++) {
        stride = strides[i];
        for (n = 64; n <= 64 * 1024; n *= 32) {
            snprintf(text, sizeof(text), "vector of doubles, stride %d", (int)stride);
            compare(text, MAKE(VECTOR, P(DOUBLE), n, 1, stride), 1, false, hand_vector);
        }
    }
    n = 2048;
    stride = 8;
    compare("the same, unpack", MAKE(VECTOR, P(DOUBLE), n, 1, stride), 1, true, hand_unpack);
    compare("resized double, count", MAKE(RESIZED, P(DOUBLE), 0, 64), n, false, hand_vector);
    compare("vector of floats, stride 8", MAKE(VECTOR, P(FLOAT), n, 1, stride), 1, false,
            hand_floats);
    len = 3;
    compare("vector of 3 doubles, stride 8", MAKE(VECTOR, P(DOUBLE), n, 3, stride), 1, false,
            hand_blocks);
    len = 5;
    compare("vector of 5 doubles, stride 8", MAKE(VECTOR, P(DOUBLE), n, 5, stride), 1, false,
            hand_blocks);
}

static void arrays(void)
{
    for (n = 4; n <= 128; n *= n < 32 ? 8 : 4) {
        MPI_Count m = n + 2;

        compare("subarray: box of doubles",
                MAKE(SUBARRAY, P(DOUBLE), 3, m, m, m, n, n, n, 1, 1, 1, MPI_ORDER_C), 1, false,
                hand_box);
        compare("subarray: face of single doubles",
                MAKE(SUBARRAY, P(DOUBLE), 3, m, m, m, n, n, 1, 1, 1, 1, MPI_ORDER_C), 1, false,
                hand_face);
    }
}

/* Element i at 3 i + i % modulus. */
static void numbers(const char *what, int modulus)
{
    MPI_Count v[2050];
    int d[2048];

    n = 2048;
    v[0] = n;
    v[1] = 1;
    for (int i = 0; i < n; i++)
        v[2 + i] = d[i] = i * 3 + i % modulus;
    displs = d;
    compare(what, make(MPI_COMBINER_INDEXED_BLOCK, v, n + 2, (type[]){P(DOUBLE)}, 1), 1, false,
            hand_indexed);
}

static void irregular(void)
{
    numbers("indexed_block of doubles", 2);
    numbers("indexed_block of doubles, some touch", 3);
    n = 1000;
    compare("array of structs {3 doubles, int, char}",
            make(MPI_COMBINER_STRUCT, NUMBERS(3, 3, 1, 1, 0, 24, 28),
                 (type[]){P(DOUBLE), P(INT), P(CHAR)}, 3),
            n, false, hand_struct);
    compare("array of structs {char, double, short}",
            make(MPI_COMBINER_STRUCT, NUMBERS(3, 1, 1, 1, 0, 8, 16),
                 (type[]){P(CHAR), P(DOUBLE), P(SHORT)}, 3),
            n, false, hand_gaps);
}

int main(void)
{
    (void)mend_test_end; /* no unit tests here */
    mem = calloc(70 * 1000 * 1000, sizeof(double));
    stream = calloc(3 * 1000 * 1000, sizeof(double));
    vectors();
    arrays();
    irregular();
    free(mem);
    free(stream);
    return 0;
}
