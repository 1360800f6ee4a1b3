/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers in slots come round; votes do not.  The protocol itself: sim/memory_step.c. */
#include "node/slots.h"

#include "base/test.h"

#define MEMBERS 3
#define ROUND   (UINT64_C(1) << 32)

static struct mend_slot slot[MEMBERS][MEND_SLOTS_N];
static bool dead[MEMBERS], out[MEMBERS];

static struct mend_slot *slot_of(const void *of, int rank, unsigned i)
{
    return &slot[rank][i];
}

static mend_atomic_u64 *no_from(const void *of, int rank)
{
    return NULL;
}

static bool is_dead(const void *of, int rank)
{
    return dead[rank];
}

static bool is_out(const void *of, int rank)
{
    return out[rank];
}

static void put_out(const void *of, int rank)
{
    out[rank] = true;
}

static uint32_t deaths_n(const void *of)
{
    return 0;
}

static int death(const void *of, uint32_t i)
{
    return -1;
}

static const struct mend_slots_ops slots_ops = {.slot = slot_of,
                                                .no_from = no_from,
                                                .is_dead = is_dead,
                                                .is_out = is_out,
                                                .put_out = put_out,
                                                .deaths_n = deaths_n,
                                                .death = death};

/* Those that live vote 1, and the result is *flag_p.  Returns how many were absent. */
static int agree(uint64_t seq, uint64_t *flag_p)
{
    uint64_t and_word[MEND_AGREE_WORDS], max_word[MEND_AGREE_WORDS - 1] = {0};
    struct mend_slots m;

    for (int r = 0; r < MEMBERS; r++) {
        memset(and_word, 0xff, sizeof(and_word));
        and_word[0] = 1;
        mend_slots_init(&m, MEMBERS, and_word, max_word);
        m.seq = seq;
        if (!dead[r])
            mend_slots_contribute(&m, &slot[r][seq % MEND_SLOTS_N], 0, 0);
    }
    CHECK(mend_slots_evaluate(&m, &slots_ops, NULL));
    *flag_p = and_word[0];
    return m.absent_n;
}

/* The last vote of a member that died long ago has the number of the agreement, and says no. */
MEND_TEST(a_vote_counts_once)
{
    uint64_t flag;

    memset(slot, 0, sizeof(slot));
    CHECK_EQ(agree(7, &flag), 0);
    CHECK_EQ(flag, 1);
    slot[2][7].and_word[0] = 0;
    dead[2] = true;
    CHECK_EQ(agree(8, &flag), 1);
    CHECK_EQ(flag, 1);
    CHECK_EQ(agree(7 + ROUND, &flag), 1);
    CHECK_EQ(flag, 1);
    dead[2] = out[2] = false;
}

/* A member that died before it wrote a slot has not voted in the agreement whose number is that of an empty one. */
MEND_TEST(an_empty_slot_is_no_vote)
{
    uint64_t flag;

    memset(slot, 0, sizeof(slot));
    dead[1] = true;
    CHECK_EQ(agree(0, &flag), 1);
    CHECK_EQ(agree(ROUND - 1, &flag), 1);
    CHECK_EQ(flag, 1);
    dead[1] = out[1] = false;
}

MEND_TEST(numbers_come_round)
{
    uint64_t flag;

    memset(slot, 0, sizeof(slot));
    for (uint64_t seq = ROUND - 20; seq < ROUND + 20; seq++) {
        CHECK_EQ(agree(seq, &flag), 0);
        CHECK_EQ(flag, 1);
    }
}

MEND_TEST_MAIN()
