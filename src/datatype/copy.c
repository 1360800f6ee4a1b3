/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.c – the inner loops of pack and unpack: one body, twice.
 *
 * Common lengths get a loop of their own in which the compiler knows the length and turns the copy
 * into one or two loads and stores; the rest calls memcpy per piece. */
#include "datatype/copy.h"

#include <string.h>

/* Lengths with a loop of their own: the sizes of the basic types, small vectors of them. */
#define LENGTHS(X) X(1) X(2) X(4) X(8) X(12) X(16) X(24) X(32) X(48) X(64)

enum way { PACK, UNPACK };

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS void move(enum way way, char *restrict mem, char *restrict stream, size_t len)
{
    if (way == PACK)
        memcpy(stream, mem, len);
    else
        memcpy(mem, stream, len);
}

ALWAYS void loop_of(enum way way, char *restrict mem, char *restrict stream, MPI_Count n,
                    MPI_Count stride, size_t len)
{
    for (MPI_Count i = 0; i < n; i++) {
        move(way, mem, stream, len);
        mem += stride;
        stream += len;
    }
}

ALWAYS void at_of(enum way way, char *restrict mem, char *restrict stream, MPI_Count n,
                  const MPI_Count *displs, size_t len)
{
    for (MPI_Count i = 0; i < n; i++) {
        move(way, mend_mem_at(mem, displs[i]), stream, len);
        stream += len;
    }
}

ALWAYS void loop_any(enum way way, char *mem, char *stream, MPI_Count n, MPI_Count stride,
                     size_t len)
{
    switch (len) {
#define CASE(len_)                                                                                 \
    case len_:                                                                                     \
        loop_of(way, mem, stream, n, stride, len_);                                                \
        break;
        LENGTHS(CASE)
#undef CASE
    default:
        loop_of(way, mem, stream, n, stride, len);
    }
}

ALWAYS void at_any(enum way way, char *mem, char *stream, MPI_Count n, const MPI_Count *displs,
                   size_t len)
{
    switch (len) {
#define CASE(len_)                                                                                 \
    case len_:                                                                                     \
        at_of(way, mem, stream, n, displs, len_);                                                  \
        break;
        LENGTHS(CASE)
#undef CASE
    default:
        at_of(way, mem, stream, n, displs, len);
    }
}

/* A piece of a structure: mostly one or a few numbers. */
ALWAYS void move_piece(enum way way, char *mem, char *stream, size_t len)
{
    switch (len) {
    case 1:
        move(way, mem, stream, 1);
        break;
    case 4:
        move(way, mem, stream, 4);
        break;
    case 8:
        move(way, mem, stream, 8);
        break;
    case 16:
        move(way, mem, stream, 16);
        break;
    default:
        move(way, mem, stream, len);
    }
}

ALWAYS void pieces_any(enum way way, char *mem, char *stream, MPI_Count n, const MPI_Count *displs,
                       const MPI_Count *starts)
{
    for (MPI_Count i = 0; i < n; i++) {
        size_t len = (size_t)(starts[i + 1] - starts[i]);

        move_piece(way, mend_mem_at(mem, displs[i]), stream, len);
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
    const struct mend_mover mend_mover_##name_ = {bytes_##name_, loop_##name_, at_##name_,         \
                                                  pieces_##name_};

MOVER(pack, PACK)
MOVER(unpack, UNPACK)
