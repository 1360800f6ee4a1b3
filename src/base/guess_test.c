/* SPDX-License-Identifier: BSD-3-Clause */
/* guess_test.c – which known name a wrong one was meant to be. */
#include "base/guess.h"

#include "base/status.h"
#include "base/test.h"

static const char *guess(const char *name)
{
    static const char *const known[] = {"EAGER_MAX", "SPIN", "STOP_TIMEOUT", "KILL_TIMEOUT", "n"};
    struct mend_guess g = mend_guess_begin(name, strlen(name));

    for (size_t i = 0; i < MEND_COUNT_OF(known); i++)
        mend_guess_offer(&g, known[i], strlen(known[i]));
    return g.best ? g.best : "";
}

MEND_TEST(near)
{
    CHECK_STR(guess("EAGER_MAXX"), "EAGER_MAX");
    CHECK_STR(guess("EAGERMAX"), "EAGER_MAX");
    CHECK_STR(guess("eager_max"), "EAGER_MAX");
    CHECK_STR(guess("SPINS"), "SPIN");
    CHECK_STR(guess("STOP_TIMEOTU"), "STOP_TIMEOUT");
    CHECK_STR(guess("N"), "n");
}

MEND_TEST(far)
{
    CHECK_STR(guess("TIMEOUT"), "");
    CHECK_STR(guess("EAGER"), "");
    CHECK_STR(guess("m"), "");
    CHECK_STR(guess(""), "");
}

/* Only the letters that count are read, and no more than there is room for. */
MEND_TEST(lengths)
{
    struct mend_guess g = mend_guess_begin("spim=4", 4);
    char letters[65] = "";

    mend_guess_offer(&g, "spin quiet", 4);
    CHECK(g.best && g.best_len == 4);
    memset(letters, 'x', sizeof(letters));
    g = mend_guess_begin(letters, sizeof(letters));
    mend_guess_offer(&g, letters, sizeof(letters));
    CHECK(!g.best);
    mend_guess_offer(&g, letters, sizeof(letters) - 1);
    CHECK(g.best == letters);
}

MEND_TEST_MAIN()
