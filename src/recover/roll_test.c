/* SPDX-License-Identifier: BSD-3-Clause */
/* roll_test.c – to which safe point, and who rolls back: every case of roll.h, and random histories against a slow definition.
 *
 *   R47: a module that recovers although nobody died gets an error, not an endless repetition
 *   S1-6: modules have different processes: the participants of F recover, the others go on
 *   S1-12: the exchange spreads to partners' partners and ends */
#include "recover/roll.h"

#include "base/test.h"

#include <stdlib.h>

enum { F = 1, G = 2, H = 4, N = 6, WORDS = 600 };

static struct mend_roll_position at[N];
static struct mend_roll_kept kept[N][4];
static struct mend_roll_used used[N][8], cuts[N][2];
static uint64_t words[WORDS], cut[WORDS];
static struct mend_roll roll;
static bool rolls[N];

static void put(uint64_t *k, const void *from, uint64_t n)
{
    memcpy(words + *k, from, n * sizeof(uint64_t));
    *k += n;
}

/* False: it is refused. */
static bool decide(int n)
{
    uint64_t k = 0;

    for (int i = 0; i < n; i++) {
        put(&k, kept[i], at[i].kept_n * MEND_ROLL_KEPT_WORDS);
        put(&k, used[i], at[i].used_n * MEND_ROLL_USED_WORDS);
        put(&k, cuts[i], at[i].cut_n * MEND_ROLL_USED_WORDS);
    }
    roll.cut = cut;
    mend_roll_decide(at, n, words, rolls, &roll);
    return !roll.refused;
}

/* It has used the communicator behind a safe point. */
static void use(int i, uint64_t id, uint64_t number)
{
    used[i][at[i].used_n++] = (struct mend_roll_used){id, number};
}

static void keep(int i, uint64_t number, uint64_t entered, uint64_t behind)
{
    kept[i][at[i].kept_n++] = (struct mend_roll_kept){
        .number = number, .entered = entered, .exists = F | G | H, .behind = behind};
}

/* Module F, with members 0 and 1, wants to recover; all are behind its safe point 3. */
static void reset(void)
{
    for (int i = 0; i < N; i++) {
        at[i] = (struct mend_roll_position){.left = 3, .parts = i < 2 ? F : 0};
        keep(i, 3, 0, F);
    }
    at[0].asks = F;
}

MEND_TEST(chain)
{
    reset();
    use(0, 16, 3);
    use(2, 16, 3), use(2, 32, 3);
    use(3, 32, 3), use(3, 48, 3);
    use(4, 64, 3);
    use(5, 48, 3);
    CHECK(decide(6));
    CHECK(rolls[0] && rolls[1] && rolls[2] && rolls[3] && !rolls[4] && rolls[5]);
    CHECK(roll.cut_n == 3 && cut[0] == 16 && cut[1] == 32 && cut[2] == 48);
    CHECK(roll.target == 3 && roll.newest == 3 && roll.redone == F);
}

/* R47: all members know of no death behind the target, and no module has lost a process. */
MEND_TEST(what_failed_would_fail_again)
{
    reset();
    for (int i = 0; i < 3; i++)
        at[i].quiet = 3;
    CHECK(!decide(3));
    CHECK(roll.why == MEND_UNDO_WHY_NO_DEATH && !rolls[0] && !rolls[1]);
    at[2].quiet = 4; /* knows of one behind safe point 3 */
    CHECK(decide(3));
    at[2].quiet = 0; /* behind each */
    CHECK(decide(3));
    at[2].quiet = 2; /* of none behind an older one */
    CHECK(!decide(3));
    at[1].lost = F;
    CHECK(decide(3));
}

/* What was used before the safe point does not spread. */
MEND_TEST(used_before)
{
    reset();
    use(0, 16, 3);
    use(2, 16, 2), use(2, 32, 3);
    CHECK(decide(6));
    CHECK(rolls[0] && rolls[1] && !rolls[2] && roll.cut_n == 1);
}

MEND_TEST(nothing_asked)
{
    reset();
    at[0].asks = 0;
    use(0, 16, 3);
    CHECK(decide(6));
    for (int i = 0; i < N; i++)
        CHECK(!rolls[i]);
    at[1].lost = F;
    CHECK(decide(6));
    CHECK(rolls[0] && rolls[1] && !rolls[2]);
}

MEND_TEST(leaving)
{
    reset();
    for (int i = 0; i < 3; i++)
        use(i, 16, 3);
    at[1].left = 2; /* in the barrier: it is about to be where the others are */
    at[1].place = MEND_ROLL_LEAVING;
    kept[1][0].number = 2;
    CHECK(decide(3));
    CHECK(rolls[0] && !rolls[1] && rolls[2]);
    at[0].place = MEND_ROLL_POINT;
    CHECK(decide(1));
    CHECK(!rolls[0] && roll.cut_n == 0);
    at[0].left = at[1].left = 2; /* nobody has left the call: all leave it once more */
    kept[0][0].number = 2;
    at[0].place = MEND_ROLL_LEAVING;
    CHECK(decide(2));
    CHECK(rolls[0] && rolls[1] && roll.target == 2);
}

MEND_TEST(refused)
{
    reset();
    use(0, 16, 3);
    use(2, 32 | MEND_ROLL_STRANGERS, 3);
    CHECK(decide(3));
    CHECK(!roll.why);
    use(2, 16, 3);
    CHECK(!decide(3));
    CHECK(!rolls[0] && roll.cut_n == 0);
    CHECK(roll.why == MEND_UNDO_WHY_STRANGERS && roll.who == 2);
    at[2].used_n = 0;
    at[2].cannot = MEND_UNDO_WHY_FILE;
    CHECK(decide(3));
    at[1].cannot = MEND_UNDO_WHY_WINDOW;
    CHECK(!decide(3));
    CHECK(roll.why == MEND_UNDO_WHY_WINDOW && roll.who == 1);
    at[1].cannot = MEND_UNDO_WHY_NOTHING;
    at[1].kept_n = 0; /* it could make no safe point */
    CHECK(!decide(3));
    CHECK(roll.why == MEND_UNDO_WHY_NO_POINT && roll.who == 1);
    at[0].kept_n = at[2].kept_n = 0;
    CHECK(!decide(3));
    CHECK(roll.why == MEND_UNDO_WHY_NO_POINT && roll.who == 0);
}

/* A member that knows of an earlier turn's cut has it carried out by all. */
MEND_TEST(earlier_cut)
{
    reset();
    at[0].place = at[1].place = MEND_ROLL_POINT;
    cuts[0][at[0].cut_n++].id = 32;
    use(2, 32, 3);
    CHECK(decide(3));
    CHECK(!rolls[0] && !rolls[1] && rolls[2] && roll.cut_n == 1 && cut[0] == 32);
}

/* F was left, then G, then H inside the next call of G: safe points 3, 4, 5. */
static void nest(int n)
{
    for (int i = 0; i < n; i++) {
        at[i] = (struct mend_roll_position){.left = 5, .parts = i < 2 ? F : i < 4 ? G : H};
        keep(i, 3, 0, F);
        keep(i, 4, 0, F | G);
        keep(i, 5, G, F | H);
    }
}

MEND_TEST(several_modules)
{
    nest(N);
    use(5, 16, 3);
    at[0].asks = F; /* all go back to where F was left */
    CHECK(decide(N));
    CHECK(roll.target == 3 && roll.redone == F && roll.cut_n == 1);
    for (int i = 0; i < N; i++)
        CHECK(rolls[i]);
    at[0].asks = 0;
    at[2].asks = G; /* inside a call of G: back to before it */
    CHECK(decide(N));
    CHECK(roll.target == 4 && roll.redone == G && roll.cut_n == 0);
    for (int i = 0; i < N; i++)
        CHECK(rolls[i]);
    at[2].asks = 0;
    at[4].asks = H; /* its own call is the last one */
    CHECK(decide(N));
    CHECK(roll.target == 5 && roll.redone == H);
    CHECK(!rolls[0] && !rolls[2] && rolls[4] && rolls[5]);
    at[2].lost = G; /* G cannot recover in the middle of its call */
    CHECK(decide(N));
    CHECK(roll.target == 4 && roll.redone == (G | H));
    at[4].asks = 0, at[2].lost = H, at[0].asks = F; /* F's own; from there H was not left yet */
    CHECK(decide(N));
    CHECK(roll.target == 3 && roll.redone == (F | H));
    at[0].asks = F, at[2].lost = 0;
    for (int i = 0; i < N; i++)
        kept[i][0].entered = H; /* F was inside H, which is lost: the next one behind F */
    at[2].lost = H;
    CHECK(decide(N));
    CHECK(roll.target == 4 && roll.redone == (F | H));
    nest(N);
    at[2].asks = G;
    at[0].asks = F;
    CHECK(decide(N));
    CHECK(roll.target == 3 && roll.redone == (F | G));
}

/* What has recovered since the safe point has to do so again: that is undone. */
MEND_TEST(redone)
{
    nest(N);
    for (int i = 0; i < N; i++)
        kept[i][0].redo = kept[i][1].redo = G;
    at[0].asks = F;
    CHECK(decide(N));
    CHECK(roll.target == 3 && roll.redone == (F | G));
    for (int i = 0; i < N; i++)
        kept[i][2].redo = G; /* which is entered at 5 */
    at[0].asks = 0;
    at[4].asks = H;
    CHECK(decide(N));
    CHECK(roll.target == 4 && roll.redone == (G | H));
}

/* One that a turn before has rolled back to 3 stays there, so the others come, too. */
MEND_TEST(further_back_already)
{
    nest(N);
    at[0].left = 3;
    at[0].place = MEND_ROLL_POINT;
    at[0].kept_n = 1;
    at[4].asks = H;
    CHECK(decide(N));
    CHECK(roll.target == 3 && !rolls[0] && rolls[1] && rolls[4]);
}

/* One is still in the barrier of G, which others have left: all go back to F's. */
MEND_TEST(leaving_another)
{
    nest(N);
    for (int i = 0; i < N; i++)
        at[i].left = 4, at[i].kept_n = 2;
    at[1].left = 3;
    at[1].kept_n = 1;
    at[1].place = MEND_ROLL_LEAVING;
    at[0].asks = F;
    CHECK(decide(N));
    CHECK(roll.target == 3 && rolls[0] && rolls[1]);
    at[0].asks = G;
    CHECK(decide(N));
    CHECK(roll.target == 4 && !rolls[1] && rolls[2] && rolls[3]);
}

/* Nobody is left that has to roll back to 5, but G is entered there. */
MEND_TEST(entered_where_all_are)
{
    nest(N);
    for (int i = 0; i < N; i++)
        at[i].place = MEND_ROLL_POINT;
    at[0].lost = G;
    CHECK(decide(N));
    CHECK(roll.target == 4 && roll.redone == G && rolls[0] && rolls[5]);
}

/* A module that was made later is not there. */
MEND_TEST(made_later)
{
    nest(N);
    for (int i = 0; i < N; i++)
        kept[i][0].exists = F | G;
    at[0].asks = F;
    at[4].lost = H;
    CHECK(decide(N));
    CHECK(roll.target == 3 && roll.redone == F && roll.asked == F);
}

/* By definition: the smallest set that has the participants and is closed under "has used the same". */
static bool should_roll(int i, const bool uses[N][4])
{
    bool in[N] = {true, true};

    for (int round = 0; round < N; round++)
        for (int a = 0; a < N; a++)
            for (int b = 0; in[a] && b < N; b++)
                for (int c = 0; c < 4; c++)
                    in[b] |= uses[a][c] && uses[b][c];
    return in[i];
}

MEND_TEST(random)
{
    for (int round = 0; round < 20000; round++) {
        bool uses[N][4];

        reset();
        for (int i = 0; i < N; i++)
            for (int c = 0; c < 4; c++) {
                uses[i][c] = rand() % 4 == 0;
                if (uses[i][c])
                    use(i, (uint64_t)(c + 1) * 16, 3);
            }
        CHECK(decide(N));
        for (int i = 0; i < N; i++)
            CHECK(rolls[i] == should_roll(i, uses));
    }
}

MEND_TEST_MAIN()
