/* SPDX-License-Identifier: BSD-3-Clause */
/* stray_test.c – which variables of the environment are told of, and which are left alone. */
#include "base/stray.h"

#include "base/status.h"
#include "base/test.h"

static const char *said(const char *variable)
{
    static char buf[MEND_STRAY_TEXT_BYTES];

    return mend_stray_text(variable, buf) ? buf : "";
}

MEND_TEST(misspelt)
{
    CHECK_STR(said("MEND_EAGER_MAXX=1"),
              "there is no parameter MEND_EAGER_MAXX; did you mean MEND_EAGER_MAX?");
    CHECK_STR(said("MEND_eager_max=1"),
              "there is no parameter MEND_eager_max; did you mean MEND_EAGER_MAX?");
    CHECK_STR(said("MEND_TEA=1"),
              "there is no parameter MEND_TEA ('mend-info --params' lists them)");
    CHECK_STR(said("MEND_=1"), "there is no parameter MEND_ ('mend-info --params' lists them)");
}

/* A name of any length is cut. */
MEND_TEST(long_name)
{
    char variable[4096];

    memset(variable, 'X', sizeof(variable) - 1);
    memcpy(variable, "MEND_", 5);
    variable[sizeof(variable) - 1] = '\0';
    CHECK_EQ(strlen(said(variable)),
             strlen("there is no parameter MEND_ ('mend-info --params' lists them)") + 64);
}

MEND_TEST(known)
{
    static const char *const known[] = {"MEND_EAGER_MAX=1", "MEND_RANK=0",    "MEND_LOCAL_RANK=0",
                                        "MEND_CC=clang",    "MEND_HOME=/opt", "MEND_TEST_ROOT=/",
                                        "MEND=1",           "MENDX_SPIN=1",   "HOME=/"};

    for (size_t i = 0; i < MEND_COUNT_OF(known); i++)
        CHECK_STR(said(known[i]), "");
}

MEND_TEST_MAIN()
