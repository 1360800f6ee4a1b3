/* SPDX-License-Identifier: BSD-3-Clause */
/* flood_test.c – the flood of a revocation, told as transcripts: the caller is revoked at once
 * (S0-62) and waits for nobody (S0-58), and deaths on the way are made up for (S0-59).
 *
 *   S0-58: one caller of a revocation suffices, and it does not wait
 *   S0-59: a revocation reaches all survivors even if its caller dies
 *   S0-62: at its caller the communicator is revoked at once */
#include "ft/flood_sm.h"
#include "ft/transcript.h"

static struct mend_flood *create(int n, int me)
{
    struct mend_flood *x = malloc(mend_flood_size(n));

    mend_flood_init(x, n, me);
    return x;
}

static void step(struct transcript *t, struct mend_flood *x, enum mend_flood_event_kind kind,
                 int rank)
{
    static const char *const names[] = {"> revoke", "> told by", "! death of"};
    struct mend_flood_event ev = {kind, rank};
    struct mend_flood_out out;
    int32_t to;

    transcript_add(t, x->me, "%s %d", names[kind], rank);
    mend_flood_step(x, &ev, &out);
    if (out.news)
        transcript_add(t, x->me, "* revoked");
    while (mend_flood_next(x, &to))
        transcript_add(t, x->me, "< tell %d", (int)to);
    mend_flood_check(x);
    t->line++;
}

MEND_TEST(the_caller_tells_its_neighbours_and_is_revoked_at_once)
{
    struct transcript t = {0};
    struct mend_flood *x = create(8, 6);

    step(&t, x, MEND_FLOOD_LOCAL, -1);
    step(&t, x, MEND_FLOOD_LOCAL, -1);
    step(&t, x, MEND_FLOOD_RECV, 0);
    TRANSCRIPT_IS(&t, "[  0] 6 > revoke -1\n"
                      "[  0] 6 * revoked\n"
                      "[  0] 6 < tell 2\n"
                      "[  0] 6 < tell 0\n"
                      "[  0] 6 < tell 4\n"
                      "[  0] 6 < tell 7\n"
                      "[  0] 6 < tell 5\n"
                      "[  1] 6 > revoke -1\n"
                      "[  2] 6 > told by 0\n");
    free(x);
}

MEND_TEST(a_relay_tells_everybody_but_the_one_it_heard_it_from)
{
    struct transcript t = {0};
    struct mend_flood *x = create(8, 0);

    step(&t, x, MEND_FLOOD_RECV, 6);
    TRANSCRIPT_IS(&t, "[  0] 0 > told by 6\n"
                      "[  0] 0 * revoked\n"
                      "[  0] 0 < tell 4\n"
                      "[  0] 0 < tell 2\n"
                      "[  0] 0 < tell 1\n"
                      "[  0] 0 < tell 7\n");
    free(x);
}

/* Also of the long strides: 4 is dead, so 0 tells 5 instead. */
MEND_TEST(the_dead_are_skipped_at_every_stride)
{
    struct transcript t = {0};
    struct mend_flood *x = create(16, 0);

    step(&t, x, MEND_FLOOD_DEATH, 4);
    step(&t, x, MEND_FLOOD_DEATH, 15);
    step(&t, x, MEND_FLOOD_LOCAL, -1);
    TRANSCRIPT_IS(&t, "[  0] 0 ! death of 4\n"
                      "[  1] 0 ! death of 15\n"
                      "[  2] 0 > revoke -1\n"
                      "[  2] 0 * revoked\n"
                      "[  2] 0 < tell 8\n"
                      "[  2] 0 < tell 5\n"
                      "[  2] 0 < tell 12\n"
                      "[  2] 0 < tell 2\n"
                      "[  2] 0 < tell 14\n"
                      "[  2] 0 < tell 1\n");
    free(x);
}

/* 8 dies after it was told: 9 takes its place.  1 dies: 2 was told anyway. */
MEND_TEST(the_replacement_of_a_dead_neighbour_is_told)
{
    struct transcript t = {0};
    struct mend_flood *x = create(16, 0);

    step(&t, x, MEND_FLOOD_RECV, 14);
    step(&t, x, MEND_FLOOD_DEATH, 8);
    step(&t, x, MEND_FLOOD_DEATH, 1);
    step(&t, x, MEND_FLOOD_DEATH, 6);
    TRANSCRIPT_IS(&t, "[  0] 0 > told by 14\n"
                      "[  0] 0 * revoked\n"
                      "[  0] 0 < tell 8\n"
                      "[  0] 0 < tell 4\n"
                      "[  0] 0 < tell 12\n"
                      "[  0] 0 < tell 2\n"
                      "[  0] 0 < tell 1\n"
                      "[  0] 0 < tell 15\n"
                      "[  1] 0 ! death of 8\n"
                      "[  1] 0 < tell 9\n"
                      "[  1] 0 < tell 7\n"
                      "[  2] 0 ! death of 1\n"
                      "[  3] 0 ! death of 6\n");
    free(x);
}

MEND_TEST(nothing_is_believed_from_the_dead_and_nothing_said_by_the_excluded)
{
    struct transcript t = {0};
    struct mend_flood *x = create(4, 0);
    char buf[100];

    step(&t, x, MEND_FLOOD_DEATH, 1);
    step(&t, x, MEND_FLOOD_RECV, 1);
    CHECK(!mend_flood_is_revoked(x));
    step(&t, x, MEND_FLOOD_DEATH, 0);
    step(&t, x, MEND_FLOOD_RECV, 2);
    CHECK(!mend_flood_is_revoked(x));
    mend_flood_print(x, buf, sizeof buf);
    CHECK_STR(buf, "revoke 0/4 idle dead {1}");
    free(x);
}

MEND_TEST(alone_there_is_nobody_to_tell)
{
    struct transcript t = {0};
    struct mend_flood *x = create(1, 0);

    step(&t, x, MEND_FLOOD_LOCAL, -1);
    TRANSCRIPT_IS(&t, "[  0] 0 > revoke -1\n"
                      "[  0] 0 * revoked\n");
    free(x);
}

MEND_TEST_MAIN()
