/* SPDX-License-Identifier: BSD-3-Clause */
/* host_text_test.c – hosts as users of Open MPI and MPICH write them. */
#include "base/host_text.h"
#include "base/status.h"
#include "base/test.h"

#include <stdlib.h>
#include <string.h>

static char why[200];

struct line {
    const char *text;
    struct mend_host_text means;
};

static void check_same(const char *a, const char *b)
{
    CHECK_STR(a ? a : "none", b ? b : "none");
}

static void check_line(const struct line *l)
{
    char *text = strdup(l->text);
    struct mend_host_text h;

    CHECK(mend_host_text_line(text, &h, why, sizeof(why)));
    check_same(h.name, l->means.name);
    check_same(h.user, l->means.user);
    check_same(h.binding, l->means.binding);
    CHECK_EQ(h.slots, l->means.slots);
    CHECK_EQ(h.slots_max, l->means.slots_max);
    free(text);
}

MEND_TEST(lines)
{
    static const struct line lines[] = {
        {"", {0}},
        {" \t\r", {0}},
        {"# m1", {0}},
        {"m1", {.name = "m1"}},
        {"  m1# two", {.name = "m1"}},
        {"m1:3", {.name = "m1", .slots = 3}},
        {"m1:*", {.name = "m1"}},
        {"m1:auto", {.name = "m1"}},
        {"ann@m1:65535", {.name = "m1", .user = "ann", .slots = 65535}},
        {"m1 slots=4", {.name = "m1", .slots = 4}},
        {"m1 slots = 4 max_slots= 8\r", {.name = "m1", .slots = 4, .slots_max = 8}},
        {"m1 count=2 user=ann", {.name = "m1", .user = "ann", .slots = 2}},
        {"m1 cpus=2 max-cpus=3", {.name = "m1", .slots = 2, .slots_max = 3}},
        {"m1 cpu=1 slots-max=3 user-name=ann",
         {.name = "m1", .user = "ann", .slots = 1, .slots_max = 3}},
        {"m1 slots=auto", {.name = "m1"}},
        {"m1:2 binding=user:0,1", {.name = "m1", .slots = 2, .binding = "binding=user:0,1"}},
        {"fd77::1 slots=2", {.name = "fd77::1", .slots = 2}},
        {"[fd77::1]:2", {.name = "fd77::1", .slots = 2}},
        {"[fd77::1]", {.name = "fd77::1"}},
        {"fe80::1%eth0", {.name = "fe80::1%eth0"}},
        {"slots slots=7", {.name = "slots", .slots = 7}},
    };

    for (size_t i = 0; i < MEND_COUNT_OF(lines); i++)
        check_line(&lines[i]);
}

MEND_TEST(what_is_wrong)
{
    static const char *const wrong[][2] = {
        {"m1 slots=x", "'x' is not a number between 1 and 65535"},
        {"m1 slots=", "'' is not a number between 1 and 65535"},
        {"m1 slots=0", "'0' is not a number between 1 and 65535"},
        {"m1 slots=2x", "'2x' is not a number between 1 and 65535"},
        {"m1 slots=65536", "'65536' is not a number between 1 and 65535"},
        {"m1 max_slots=-1", "'-1' is not a number between 1 and 65535"},
        {"m1:99999999999999999999", "'99999999999999999999' is not a number between 1 and 65535"},
        {"m1:", "'' is not a number between 1 and 65535"},
        {"m1:2 slots=2", "'slots=2' says the slots a second time"},
        {"m1 m2", "'m2' is not one of: slots=N, max_slots=N, user=NAME"},
        {"m1 slot=2", "'slot=2' is not one of: slots=N, max_slots=N, user=NAME"},
        {"m1 a-very-long-key-that-nobody-has=2",
         "'a-very-long-key-that-nobody-has=2' is not one of: slots=N, max_slots=N, user=NAME"},
        {"-oProxyCommand=x", "'-oProxyCommand=x' is not the name of a host"},
        {"-a", "'-a' is not the name of a host"},
        {"a/b", "'a/b' is not the name of a host"},
        {"@m1", "'' is not the name of a user"},
        {"-l@m1", "'-l' is not the name of a user"},
        {"m1 user=-l", "'-l' is not the name of a user"},
        {"ann@", "'' is not the name of a host"},
        {"[fd77::1", "'[fd77::1' is not an address in brackets"},
        {"[fd77::1]2", "'[fd77::1]2' is not an address in brackets"},
    };

    for (size_t i = 0; i < MEND_COUNT_OF(wrong); i++) {
        char *text = strdup(wrong[i][0]);
        struct mend_host_text h;

        CHECK(!mend_host_text_line(text, &h, why, sizeof(why)));
        CHECK_STR(why, wrong[i][1]);
        free(text);
    }
}

/* A sentence that is too long for its place is cut. */
MEND_TEST(a_long_complaint)
{
    struct mend_host_text h;
    char text[] = "a/b", little[8];

    CHECK(!mend_host_text_word(text, &h, little, sizeof(little)));
    CHECK_STR(little, "'a/b' i");
}

MEND_TEST(lines_of_a_text)
{
    char text[] = "m1\n\nm2", *at = mend_host_text_cut(text);

    CHECK_STR(text, "m1");
    CHECK_STR(at, "\nm2");
    at = mend_host_text_cut(at);
    CHECK_STR(at, "m2");
    CHECK(!mend_host_text_cut(at));
}

MEND_TEST_MAIN()
