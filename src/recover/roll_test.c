/* SPDX-License-Identifier: BSD-3-Clause */
/* roll_test.c – who rolls back: every case of roll.h, and random histories against a slow definition.
 *
 *   S1-12: the exchange spreads to partners' partners and ends */
#include "recover/roll.h"

#include "base/test.h"

#include <stdlib.h>

#define N   6
#define IDS 24

static struct mend_roll_position at[N];
static uint64_t ids[IDS], cut[IDS], cut_n;
static bool rolls[N];

/* Each member's ids, ended by 0. */
static bool decide(int n, const uint64_t used[][4])
{
    uint64_t k = 0;

    for (int i = 0; i < n; i++) {
        at[i].used_n = 0;
        while (used[i][at[i].used_n])
            ids[k++] = used[i][at[i].used_n++];
    }
    return mend_roll_decide(at, n, ids, rolls, cut, &cut_n);
}

static void reset(void)
{
    for (int i = 0; i < N; i++)
        at[i] = (struct mend_roll_position){.left = 3, .has_part = i < 2};
}

MEND_TEST(chain)
{
    static const uint64_t used[][4] = {{16}, {0}, {16, 32}, {32, 48}, {64}, {48}};

    reset();
    CHECK(decide(6, used));
    CHECK(rolls[0] && rolls[1] && rolls[2] && rolls[3] && !rolls[4] && rolls[5]);
    CHECK(cut_n == 3 && cut[0] == 16 && cut[1] == 32 && cut[2] == 48);
}

MEND_TEST(leaving)
{
    static const uint64_t used[][4] = {{16}, {16}, {16}};

    reset();
    at[1].left = 2; /* in the barrier: it is about to be where the others are */
    at[1].place = MEND_ROLL_LEAVING;
    CHECK(decide(3, used));
    CHECK(rolls[0] && !rolls[1] && rolls[2]);
    at[0].place = MEND_ROLL_POINT;
    CHECK(decide(1, used));
    CHECK(!rolls[0] && cut_n == 0);
    at[0].left = at[1].left = 2; /* nobody has left the call: all leave it once more */
    at[0].place = MEND_ROLL_LEAVING;
    CHECK(decide(2, used));
    CHECK(rolls[0] && rolls[1]);
}

MEND_TEST(refused)
{
    static const uint64_t used[][4] = {{16}, {0}, {32 | MEND_ROLL_STRANGERS}};
    static const uint64_t linked[][4] = {{16}, {0}, {16, 32 | MEND_ROLL_STRANGERS}};

    reset();
    CHECK(decide(3, used));
    CHECK(!decide(3, linked));
    at[2].cannot = true;
    CHECK(decide(3, used));
    at[1].cannot = true;
    CHECK(!decide(3, used));
}

/* A member that knows of an earlier turn's cut has it carried out by all. */
MEND_TEST(earlier_cut)
{
    reset();
    at[0].place = at[1].place = MEND_ROLL_POINT;
    ids[0] = 32;
    ids[1] = 32;
    at[0].used_n = at[1].used_n = 0;
    at[0].cut_n = 1;
    at[2].used_n = 1;
    CHECK(mend_roll_decide(at, 3, ids, rolls, cut, &cut_n));
    CHECK(!rolls[0] && !rolls[1] && rolls[2] && cut_n == 1 && cut[0] == 32);
}

/* By definition: the smallest set that has the participants and is closed under "has used the same". */
static bool should_roll(int i, const bool used[N][4])
{
    bool in[N] = {true, true};

    for (int round = 0; round < N; round++)
        for (int a = 0; a < N; a++)
            for (int b = 0; in[a] && b < N; b++)
                for (int c = 0; c < 4; c++)
                    in[b] |= used[a][c] && used[b][c];
    return in[i];
}

MEND_TEST(random)
{
    for (int round = 0; round < 20000; round++) {
        bool used[N][4];
        uint64_t k = 0;

        reset();
        for (int i = 0; i < N; i++)
            for (int c = 0; c < 4; c++) {
                used[i][c] = rand() % 4 == 0;
                if (used[i][c]) {
                    ids[k++] = (uint64_t)(c + 1) * 16;
                    at[i].used_n++;
                }
            }
        CHECK(mend_roll_decide(at, N, ids, rolls, cut, &cut_n));
        for (int i = 0; i < N; i++)
            CHECK(rolls[i] == should_roll(i, used));
    }
}

MEND_TEST_MAIN()
