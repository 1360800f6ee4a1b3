/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.c – the inner loops of pack and unpack: one body, twice.
 *
 * The lengths of numbers get a loop of their own, in which the compiler knows the length and turns a
 * copy into one or two loads and stores.  Other short lengths are copied as two overlapping halves,
 * each of a known length, which needs neither a branch per byte nor a call:
 *
 *     29 bytes    |<----- 16 ----->|
 *                              |<----- 16 ----->|
 *
 * Only long pieces call memcpy. */
#include "datatype/copy.h"
#include "datatype/layout.h"

#include <string.h>

/* Lengths with a loop of their own: the sizes of the basic types, small vectors of them. */
#define LENGTHS(X, ...)                                                                            \
    X(1, __VA_ARGS__)                                                                              \
    X(2, __VA_ARGS__)                                                                              \
    X(4, __VA_ARGS__)                                                                              \
    X(8, __VA_ARGS__)                                                                              \
    X(12, __VA_ARGS__)                                                                             \
    X(16, __VA_ARGS__)                                                                             \
    X(24, __VA_ARGS__) X(32, __VA_ARGS__) X(48, __VA_ARGS__) X(64, __VA_ARGS__)

/* Structures whose members are moved in turns. */
#define STRUCTS 128

enum way { PACK, UNPACK };

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS void move(enum way way, char *restrict mem, char *restrict stream, size_t len)
{
    if (way == PACK)
        memcpy(stream, mem, len);
    else
        memcpy(mem, stream, len);
}

/* half <= len <= 2 * half, half known to the compiler. */
ALWAYS void move_halves(enum way way, char *restrict mem, char *restrict stream, size_t len,
                        size_t half)
{
    char first[64], second[64];
    const char *from = way == PACK ? mem : stream;
    char *to = way == PACK ? stream : mem;

    memcpy(first, from, half);
    memcpy(second, from + len - half, half);
    memcpy(to, first, half);
    memcpy(to + len - half, second, half);
}

/* One piece; half: 0 for exactly len bytes. */
ALWAYS void move_piece(enum way way, char *restrict mem, char *restrict stream, size_t len,
                       size_t half)
{
    if (half)
        move_halves(way, mem, stream, len, half);
    else
        move(way, mem, stream, len);
}

/* step: from one piece to the next in the stream. */
ALWAYS void loop_of(enum way way, char *restrict mem, char *restrict stream, MPI_Count n,
                    MPI_Count stride, MPI_Count step, size_t len, size_t half)
{
#pragma GCC unroll 4
    for (MPI_Count i = 0; i < n; i++) {
        move_piece(way, mem, stream, len, half);
        mem += stride;
        stream += step;
    }
}

ALWAYS void at_of(enum way way, char *restrict mem, char *restrict stream, MPI_Count n,
                  const MPI_Count *displs, size_t len, size_t half)
{
    for (MPI_Count i = 0; i < n; i++) {
        move_piece(way, mend_mem_at(mem, displs[i]), stream, len, half);
        stream += len;
    }
}

/* do_(len, half) with constants where they help. */
#define BY_LENGTH(len_, do_)                                                                       \
    switch (len_) {                                                                                \
        LENGTHS(BY_CASE, do_)                                                                      \
    case 3:                                                                                        \
        do_(3, 2);                                                                                 \
        break;                                                                                     \
    case 5 ... 7:                                                                                  \
        do_(len_, 4);                                                                              \
        break;                                                                                     \
    case 9 ... 11:                                                                                 \
    case 13 ... 15:                                                                                \
        do_(len_, 8);                                                                              \
        break;                                                                                     \
    case 17 ... 23:                                                                                \
    case 25 ... 31:                                                                                \
        do_(len_, 16);                                                                             \
        break;                                                                                     \
    case 33 ... 47:                                                                                \
    case 49 ... 63:                                                                                \
        do_(len_, 32);                                                                             \
        break;                                                                                     \
    case 65 ... 128:                                                                               \
        do_(len_, 64);                                                                             \
        break;                                                                                     \
    default:                                                                                       \
        do_(len_, 0);                                                                              \
    }
#define BY_CASE(len_, do_)                                                                         \
    case len_:                                                                                     \
        do_(len_, 0);                                                                              \
        break;

ALWAYS void loop_any(enum way way, char *mem, char *stream, MPI_Count n, MPI_Count stride,
                     size_t len){
#define LOOP(len_, half_) loop_of(way, mem, stream, n, stride, (MPI_Count)(len_), len_, half_)
    BY_LENGTH(len, LOOP)
#undef LOOP
}

/* Member by member, so that the length is the same in each loop, over as many structures as stay in
 * the first cache. */
ALWAYS void structs_any(enum way way, char *mem, char *stream, MPI_Count n, MPI_Count stride,
                        MPI_Count pieces, const MPI_Count *displs, const MPI_Count *starts)
{
    MPI_Count step = starts[pieces] - starts[0];

    while (n > 0) {
        MPI_Count some = n < STRUCTS ? n : STRUCTS;

        for (MPI_Count j = 0; j < pieces; j++) {
            size_t len = (size_t)(starts[j + 1] - starts[j]);
            char *at = mend_mem_at(mem, displs[j]), *to = stream + (starts[j] - starts[0]);

#define LOOP(len_, half_) loop_of(way, at, to, some, stride, step, len_, half_)
            BY_LENGTH(len, LOOP)
#undef LOOP
        }
        mem = mend_mem_at(mem, some * stride);
        stream += some * step;
        n -= some;
    }
}

ALWAYS void at_any(enum way way, char *mem, char *stream, MPI_Count n, const MPI_Count *displs,
                   size_t len){
#define AT(len_, half_) at_of(way, mem, stream, n, displs, len_, half_)
    BY_LENGTH(len, AT)
#undef AT
}

ALWAYS void pieces_any(enum way way, char *mem, char *stream, MPI_Count n, const MPI_Count *displs,
                       const MPI_Count *starts)
{
    for (MPI_Count i = 0; i < n; i++) {
        size_t len = (size_t)(starts[i + 1] - starts[i]);
        char *at = mend_mem_at(mem, displs[i]);

#define PIECE(len_, half_) move_piece(way, at, stream, len_, half_)
        BY_LENGTH(len, PIECE)
#undef PIECE
        stream += len;
    }
}

#define MOVER(name_, way_)                                                                         \
    static void bytes_##name_(char *mem, char *stream, size_t len)                                 \
    {                                                                                              \
        move(way_, mem, stream, len);                                                              \
    }                                                                                              \
    static void loop_##name_(char *mem, char *stream, MPI_Count n, MPI_Count stride, size_t len)   \
    {                                                                                              \
        loop_any(way_, mem, stream, n, stride, len);                                               \
    }                                                                                              \
    static void at_##name_(char *mem, char *stream, MPI_Count n, const MPI_Count *displs,          \
                           size_t len)                                                             \
    {                                                                                              \
        at_any(way_, mem, stream, n, displs, len);                                                 \
    }                                                                                              \
    static void pieces_##name_(char *mem, char *stream, MPI_Count n, const MPI_Count *displs,      \
                               const MPI_Count *starts)                                            \
    {                                                                                              \
        pieces_any(way_, mem, stream, n, displs, starts);                                          \
    }                                                                                              \
    static void structs_##name_(char *mem, char *stream, MPI_Count n, MPI_Count stride,            \
                                MPI_Count pieces, const MPI_Count *displs,                         \
                                const MPI_Count *starts)                                           \
    {                                                                                              \
        structs_any(way_, mem, stream, n, stride, pieces, displs, starts);                         \
    }                                                                                              \
    const struct mend_mover mend_mover_##name_ = {bytes_##name_, loop_##name_, at_##name_,         \
                                                  pieces_##name_, structs_##name_};

MOVER(pack, PACK)
MOVER(unpack, UNPACK)
