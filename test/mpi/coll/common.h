/* SPDX-License-Identifier: BSD-3-Clause */
/* common.h – what the tests of collectives share.
 *
 * A buffer is checked as a whole: before the call its bytes are copied to an image; then what the
 * call must write is written into the image by the test itself; after the call both must be equal.
 * So a byte beside the data (in a gap of a type, behind the end) that changes is seen, too.
 *
 * Data travel as a stream of ints in several layouts, so that type maps differ while signatures
 * agree. */
#ifndef TEST_COLL_COMMON_H
#define TEST_COLL_COMMON_H

#include "../../program.h"

#include <stdint.h>

/* Forms of a collective. */
enum { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };
#define EACH_FORM(f_) for (int f_ = 0; f_ < FORMS; f_++)

static inline void finish_request(int form, MPI_Request *q)
{
    if (form == PERSISTENT)
        CHECK(MPI_Start(q) == MPI_SUCCESS);
    CHECK(MPI_Wait(q, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    if (form == PERSISTENT)
        CHECK(MPI_Request_free(q) == MPI_SUCCESS);
    CHECK(*q == MPI_REQUEST_NULL);
}

/* CALL(form, Bcast, bcast, buf, count, ...): one of the three forms, until it is complete. */
#define CALL(form_, Name_, name_, ...)                                                             \
    do {                                                                                           \
        MPI_Request q_ = MPI_REQUEST_NULL;                                                         \
        if ((form_) == BLOCKING)                                                                   \
            CHECK(MPI_##Name_(__VA_ARGS__) == MPI_SUCCESS);                                        \
        else if ((form_) == NONBLOCKING)                                                           \
            CHECK(MPI_I##name_(__VA_ARGS__, &q_) == MPI_SUCCESS);                                  \
        else                                                                                       \
            CHECK(MPI_##Name_##_init(__VA_ARGS__, MPI_INFO_NULL, &q_) == MPI_SUCCESS);             \
        if ((form_) != BLOCKING)                                                                   \
            finish_request((form_), &q_);                                                          \
    } while (0)

/* Layouts of a stream of ints.  Each element holds n of them. */
struct layout {
    MPI_Datatype type;
    int n, at[2]; /* bytes from the element's origin */
    int extent;
};
#define LAYOUTS 3
static struct layout layouts[LAYOUTS];

static inline MPI_Datatype make_type(int first, int second, int lb, int extent)
{
    int lens[2] = {1, 1};
    MPI_Aint displs[2] = {first, second};
    MPI_Datatype pair, resized;

    MPI_Type_create_hindexed(2, lens, displs, MPI_INT, &pair);
    MPI_Type_create_resized(pair, lb, extent, &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(&pair);
    return resized;
}

static inline void start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    know_rank();
    layouts[0] = (struct layout){MPI_INT, 1, {0, 0}, 4};
    layouts[1] = (struct layout){make_type(0, 8, 0, 16), 2, {0, 8}, 16};   /* gaps */
    layouts[2] = (struct layout){make_type(12, 4, 4, 12), 2, {12, 4}, 12}; /* backwards, lb 4 */
}

static inline int finish(void)
{
    MPI_Type_free(&layouts[1].type);
    MPI_Type_free(&layouts[2].type);
    MPI_Finalize();
    return 0;
}

/* A buffer with margins, and its image. */
#define MARGIN 64
struct area {
    char *raw, *image, *buf; /* buf: what MPI gets */
    size_t bytes;            /* of raw */
};

static inline struct area area_new(size_t bytes)
{
    struct area a = {.bytes = bytes + 2 * MARGIN};

    a.raw = memset(malloc(a.bytes), 0xC5, a.bytes);
    a.image = memset(malloc(a.bytes), 0xC5, a.bytes);
    a.buf = a.raw + MARGIN;
    return a;
}

static inline void area_free(struct area *a)
{
    free(a->raw);
    free(a->image);
}

/* Room for `ints` of a layout. */
static inline struct area area_of(const struct layout *l, int ints)
{
    return area_new((size_t)(ints / l->n + 1) * (size_t)l->extent + 16);
}

static inline size_t int_at(const struct layout *l, int i)
{
    return (size_t)(i / l->n * l->extent + l->at[i % l->n]);
}

/* Writes int i into the buffer and the image, or into the image alone: what the call must write. */
static inline void area_put(struct area *a, const struct layout *l, int i, int value)
{
    memcpy(a->buf + int_at(l, i), &value, sizeof value);
    memcpy(a->image + MARGIN + int_at(l, i), &value, sizeof value);
}

static inline void area_expect(struct area *a, const struct layout *l, int i, int value)
{
    memcpy(a->image + MARGIN + int_at(l, i), &value, sizeof value);
}

static inline void area_check(const struct area *a, const char *file, int line)
{
    for (size_t i = 0; i < a->bytes; i++)
        if (a->raw[i] != a->image[i])
            check_fails(file, line, "area_check", "byte %ld is %02x, expected %02x",
                        (long)i - MARGIN, (unsigned char)a->raw[i], (unsigned char)a->image[i]);
}
#define AREA_CHECK(a_) area_check((a_), __FILE__, __LINE__)

/* What `from` has for `to` at place i of its block. */
static inline int datum(int from, int to, int i)
{
    return from * 1000003 + to * 10007 + i * 31 + 5;
}

/* Lengths in pairs of ints: inline in a cache line, in a buffer, around a chunk, several chunks. */
static const int lengths[] = {0, 1, 6, 7, 100, 1000, 4100, 70000};
#define LENGTHS ((int)(sizeof lengths / sizeof lengths[0]))

#endif
