/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of pieces: what goes in comes out, in few rows where it is regular; several lists in the order of the file. */
#include "base/test.h"
#include "io/rows.h"

#define PIECES 1000

static struct mend_proc *self;

static struct mend_lane lane_of(const struct mend_rows *list, char *data)
{
    return (struct mend_lane){list->row, list->row + list->n, 0, data};
}

MEND_TEST(regular_pieces_are_one_row)
{
    struct mend_rows list = {NULL, 0, 0};
    struct mend_lane lane;
    struct mend_merge m;
    int64_t at, len;
    char *data, base[8 * PIECES];

    self = mend_proc_create_bare();
    for (int i = 0; i < PIECES; i++)
        CHECK(mend_rows_add(self, &list, 100 + 24 * i, 8));
    CHECK_EQ(list.n, 1);
    CHECK(mend_rows_add(self, &list, 100 + 24 * PIECES + 1, 8));  /* too far */
    CHECK(mend_rows_add(self, &list, 100 + 24 * PIECES + 25, 9)); /* too long */
    CHECK_EQ(list.n, 3);
    list.n = 1;
    lane = lane_of(&list, base);
    mend_merge_begin(&m, &lane, 1);
    for (int i = 0; i < PIECES; i++) {
        CHECK(mend_merge_next(&m, &at, &len, &data));
        CHECK_EQ(at, 100 + 24 * i);
        CHECK_EQ(len, 8);
        CHECK(data == base + 8 * i);
    }
    CHECK(!mend_merge_next(&m, &at, &len, &data));
    mend_rows_free(self, &list);
}

/* Each place of a line belongs to one of n lists, or to none; the pieces come back in order, with their owner. */
static void several(int n, unsigned seed)
{
    struct mend_rows list[8] = {{NULL, 0, 0}};
    struct mend_lane lanes[8];
    struct mend_merge m;
    int owner[PIECES], length[PIECES], places[PIECES], next = 0;
    int64_t at, len, where = 0;
    char *data;

    for (int i = 0; i < PIECES; i++) {
        seed = seed * 1103515245 + 12345;
        owner[i] = (int)(seed >> 16 & 0xff) % (n + 1) - 1;
        length[i] = (int)(seed >> 24 & 3) + 1;
        places[i] = (int)where;
        if (owner[i] >= 0)
            CHECK(mend_rows_add(self, &list[owner[i]], where, length[i]));
        where += length[i];
    }
    for (int k = 0; k < n; k++)
        lanes[k] = lane_of(&list[k], (char *)(uintptr_t)(1000000 * (k + 1)));
    mend_merge_begin(&m, lanes, n);
    while (mend_merge_next(&m, &at, &len, &data)) {
        while (owner[next] < 0)
            next++;
        CHECK_EQ(at, places[next]);
        CHECK_EQ(len, length[next]);
        CHECK_EQ((uintptr_t)data / 1000000 - 1, owner[next]);
        next++;
    }
    while (next < PIECES && owner[next] < 0)
        next++;
    CHECK_EQ(next, PIECES);
    for (int k = 0; k < n; k++)
        mend_rows_free(self, &list[k]);
}

MEND_TEST(any_number_of_lists_in_order)
{
    for (int n = 0; n <= 8; n++)
        for (unsigned seed = 1; seed < 20; seed++)
            several(n, seed);
}

MEND_TEST_MAIN()
