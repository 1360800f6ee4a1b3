/* SPDX-License-Identifier: BSD-3-Clause */
/* The runs of a view against an oracle that lists the bytes of the file type one by one: every place to begin, runs that
 * are cut, merged where they touch; how many etypes a file of each size has. */
#include "datatype/compare.h"
#include "io/view.h"

#define BYTES 400

#define NATIVE(...)                                                                                \
    (struct mend_view)                                                                             \
    {                                                                                              \
        .datarep = mend_datarep_find(self, "native"), __VA_ARGS__                                  \
    }

/* Offsets of the stream's bytes, by the map of the type. */
static size_t stream_of(struct mend_view *v, struct map *m, MPI_Offset *at)
{
    number tiles = BYTES / map_size(m), *places = map_places(m, tiles);
    size_t n = (size_t)(tiles * map_size(m));

    for (size_t i = 0; i < n; i++)
        at[i] = v->disp + places[i];
    free(places);
    return n;
}

static struct mend_view view_of(type filetype, type etype, MPI_Offset disp)
{
    struct mend_view v = NATIVE(.disp = disp, .etype = etype, .filetype = filetype);

    CHECK_EQ(mend_view_make(self, &v, true), MPI_SUCCESS);
    return v;
}

static void check_runs(struct mend_view *v, const MPI_Offset *at, size_t n)
{
    for (size_t from = 0; from < n; from += 3)
        for (MPI_Offset max = 1; max < 40; max += 4) {
            struct mend_cursor k;
            size_t i = from;
            MPI_Offset offset, len;

            mend_view_begin(&k, v, (MPI_Offset)from);
            while (i + 40 < n && mend_view_next(&k, max, &offset, &len)) {
                CHECK(len > 0 && len <= max);
                for (MPI_Offset b = 0; b < len; b++)
                    CHECK_EQ(offset + b, at[i + (size_t)b]);
                i += (size_t)len;
                CHECK(len == max || at[i] != offset + len); /* as long as it can be */
            }
            CHECK(i + 40 >= n);
        }
}

static void check_etypes(struct mend_view *v, const MPI_Offset *at, size_t n)
{
    for (MPI_Offset size = 0; size < at[n / 2]; size++) {
        MPI_Offset bytes = 0;

        while (at[bytes] < size)
            bytes++;
        CHECK_EQ(mend_view_etypes(v, size), (bytes + v->etype_size - 1) / v->etype_size);
    }
    for (size_t e = 0; e * (size_t)v->etype_size < n; e++)
        CHECK_EQ(mend_view_offset(v, (MPI_Offset)e), at[e * (size_t)v->etype_size]);
}

static void check_view(type filetype, type etype, MPI_Offset disp)
{
    static MPI_Offset at[BYTES];
    struct map m = map_of(filetype);
    struct mend_view v = view_of(filetype, etype, disp);
    size_t n = stream_of(&v, &m, at);

    check_runs(&v, at, n);
    check_etypes(&v, at, n);
}

MEND_TEST(runs_and_sizes)
{
    for (MPI_Offset disp = 0; disp < 100; disp += 33) {
        check_view(P(BYTE), P(BYTE), disp);
        check_view(P(INT), P(INT), disp);
        check_view(MAKE(VECTOR, P(INT), 4, 2, 3), P(INT), disp);
        check_view(MAKE(VECTOR, P(DOUBLE), 7, 1, 2), P(DOUBLE), disp);
        check_view(MAKE(INDEXED, P(INT), 3, 2, 1, 2, 1, 4, 7), P(INT), disp);
        check_view(MAKE(RESIZED, P(INT), 0, 12), P(INT), disp);
        check_view(MAKE(RESIZED, MAKE(HINDEXED_BLOCK, P(INT), 1, 10, 24), 0, 40), P(INT), disp);
        check_view(MAKE(SUBARRAY, P(SHORT), 3, 3, 4, 5, 2, 2, 3, 1, 0, 2, MPI_ORDER_C), P(SHORT),
                   disp);
        check_view(MAKE(CONTIGUOUS, P(INT), 5), P(INT), disp);
    }
}

/* A struct has the bounds of its resized member only: here its second tile begins within the first. */
MEND_TEST(tiles_may_overlap)
{
    type ints = MAKE(CONTIGUOUS, P(INT), 4), bounded = MAKE(RESIZED, P(INT), 0, 8);
    type parts =
        make(MPI_COMBINER_STRUCT, NUMBERS(2, 1, 1, 0, 16), (const type[]){ints, bounded}, 2);
    struct mend_view v = NATIVE(.etype = P(INT), .filetype = parts);
    struct mend_cursor k;
    MPI_Offset offset, len;

    CHECK_EQ(parts->extent, 8);
    CHECK_EQ(mend_view_make(self, &v, true), MPI_SUCCESS);
    mend_view_begin(&k, &v, 0);
    CHECK(mend_view_next(&k, 20, &offset, &len));
    CHECK_EQ(offset, 0);
    CHECK_EQ(len, 20);
    CHECK(mend_view_next(&k, 20, &offset, &len));
    CHECK_EQ(offset, 8);
    v.filetype = MAKE(RESIZED, P(INT), 0, 0);
    CHECK_EQ(mend_view_make(self, &v, false), MPI_ERR_IO);
}

MEND_TEST(bad_views_are_refused)
{
    struct mend_view v = NATIVE(.disp = -1, .etype = P(INT), .filetype = P(INT));

    CHECK_EQ(mend_view_make(self, &v, true), MPI_ERR_ARG);
    v = NATIVE(.etype = P(INT), .filetype = P(SHORT));
    CHECK_EQ(mend_view_make(self, &v, true), MPI_ERR_ARG);
    v = NATIVE(.etype = P(INT), .filetype = MAKE(VECTOR, P(INT), 4, 1, -3));
    CHECK_EQ(mend_view_make(self, &v, true), MPI_ERR_IO);
    v = NATIVE(.etype = P(INT), .filetype = MAKE(INDEXED, P(INT), 2, 3, 1, 0, 1));
    CHECK_EQ(mend_view_make(self, &v, true), MPI_ERR_IO);
    CHECK_EQ(mend_view_make(self, &v, false), MPI_SUCCESS);
    v = NATIVE(.etype = P(INT), .filetype = MAKE(INDEXED, P(INT), 2, 1, 1, 3, 0));
    CHECK_EQ(mend_view_make(self, &v, false), MPI_ERR_IO);
}

MEND_TEST(room_is_what_offsets_can_name)
{
    struct mend_view v = view_of(P(INT), P(INT), 0);

    CHECK(mend_view_has(&v, 0, 1 << 30) && mend_view_has(&v, v.room - 1, 1));
    CHECK(!mend_view_has(&v, v.room - 1, 2) && !mend_view_has(&v, v.room + 1, 0));
    CHECK(!mend_view_has(&v, INT64_MAX, INT64_MAX));
    CHECK(mend_view_offset(&v, v.room - 1) > 0 && v.room > INT64_MAX / 9);
    v = view_of(MAKE(CONTIGUOUS, P(INT), 0), P(INT), 0);
    CHECK(mend_view_has(&v, 0, 0) && !mend_view_has(&v, 0, 1));
}

/* A long has four bytes in external32: what counts elements shrinks, what counts bytes does not. */
MEND_TEST(external32_has_sizes_of_its_own)
{
    struct mend_view v = {.etype = P(LONG), .datarep = mend_datarep_find(self, "external32")};
    struct mend_cursor k;
    MPI_Offset offset, len;

    v.filetype = MAKE(VECTOR, P(LONG), 2, 1, 3);
    CHECK_EQ(mend_view_make(self, &v, true), MPI_SUCCESS);
    CHECK_EQ(v.etype_size, 4);
    CHECK_EQ(v.layout->size, 8);
    CHECK_EQ(v.layout->extent, 16);
    CHECK_EQ(mend_view_offset(&v, 1), 12);
    CHECK_EQ(mend_view_offset(&v, 3), 16 + 12);
    mend_type_put(self, v.layout);
    v.filetype = MAKE(HVECTOR, MAKE(CONTIGUOUS, P(LONG), 2), 2, 1, 100);
    CHECK_EQ(mend_view_make(self, &v, true), MPI_SUCCESS);
    mend_view_begin(&k, &v, 4);
    CHECK(mend_view_next(&k, 100, &offset, &len));
    CHECK(offset == 4 && len == 4);
    CHECK(mend_view_next(&k, 100, &offset, &len));
    CHECK(offset == 100 && len == 16); /* the next tile begins where this one ends */
    mend_type_put(self, v.layout);
    v.etype = v.filetype = P(LONG_INT);
    CHECK_EQ(mend_view_make(self, &v, true), MPI_SUCCESS);
    CHECK_EQ(v.etype_size, 8);
    CHECK_EQ(v.layout->extent, 8);
    mend_type_put(self, v.layout);
}

MEND_TEST_MAIN()
