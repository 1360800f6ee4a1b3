/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_test.c – which texts are reports, which are equal, and what one of several ranks looks like. */
#include "output/gather.h"

#include "base/test.h"

#define SECOND "mend: the error handler is fatal: the 4 processes of MPI_COMM_WORLD end.\n"

static size_t length(const char *text, int rank)
{
    return mend_gather_len(text, strlen(text), rank);
}

static bool equal(const char *a, const char *b)
{
    return mend_gather_equal(a, strlen(a), b, strlen(b));
}

MEND_TEST(what_a_report_is)
{
    CHECK_EQ(length("mend: rank 3 (host a): x\n", 3), 25);
    CHECK_EQ(length("mend: rank 3 (host a): x\nmore\n", 3), 25);
    CHECK_EQ(length("mend: rank 3 (host a): x\n" SECOND "more", 3), 25 + strlen(SECOND));
    CHECK_EQ(length("mend: rank 3 (host a): x\n", 30), 0);
    CHECK_EQ(length("mend: rank 30 (host a): x\n", 3), 0);
    CHECK_EQ(length("mend: rank 3 (pid 12, host a) killed\n", 3), 0);
    CHECK_EQ(length("mend: rank 3 (host a): no end", 3), 0);
    CHECK_EQ(length("mend: rank 3\n(host a)\n", 3), 0);
    CHECK_EQ(length("mend: ran", 3), 0);
    CHECK_EQ(length("", 0), 0);
}

MEND_TEST(which_are_equal)
{
    CHECK(equal("mend: rank 3 (host a): x\n", "mend: rank 12 (host a): x\n"));
    CHECK(equal("mend: rank 3 (host a): x\n", "mend: rank 4 (host b): x\n"));
    CHECK(!equal("mend: rank 3 (host a): x\n", "mend: rank 4 (host b): y\n"));
    CHECK(!equal("mend: rank 3 (host a x\n", "mend: rank 4 (host b x\n"));
    CHECK(!equal("mend: rank 3 (host a): x\n", "mend: rank 3 (host a): x\n" SECOND));
    CHECK(equal("mend: rank 3 (host a): dead, 13.4 ms ago\n",
                "mend: rank 4 (host a): dead, 1 us ago\n"));
    CHECK(equal("mend: rank 3 (host a): 1.0 s ago; 2 us ago\n",
                "mend: rank 4 (host a): 3 us ago; 4.4 s ago\n"));
    CHECK(!equal("mend: rank 3 (host a): tag 13\n", "mend: rank 4 (host a): tag 14\n"));
    CHECK(!equal("mend: rank 3 (host a): v1 s ago\n", "mend: rank 4 (host a): v1 x ago\n"));
    CHECK(!equal("mend: rank 3 (host a): dead, 1 s ago\n", "mend: rank 4 (host a): dead, 1 s\n"));
}

MEND_TEST(one_of_several)
{
    static const char one[] = "mend: rank 12 (host a): x\n" SECOND,
                      other[] = "mend: rank 3 (host ab): x\n" SECOND;
    static const uint64_t set[2] = {0x1009, 1};
    char text[sizeof(one) + MEND_GATHER_MORE] = "";
    struct mend_gather_hosts hosts = {0};

    mend_gather_host(&hosts, one, strlen(one));
    mend_gather_host(&hosts, one, strlen(one));
    text[mend_gather_text(one, strlen(one), set, 65, &hosts, text)] = '\0';
    CHECK_STR(text, "mend: ranks 0, 3, 12, 64 (host a): x\n" SECOND);
    mend_gather_host(&hosts, other, strlen(other));
    mend_gather_host(&hosts, one, strlen(one));
    text[mend_gather_text(one, strlen(one), set, 65, &hosts, text)] = '\0';
    CHECK_STR(text, "mend: ranks 0, 3, 12, 64 (hosts a, ab): x\n" SECOND);
}

MEND_TEST(too_many_to_name)
{
    static const char end[] = "... (hosts node0, node1, ", most[] = ", ...): x\n";
    char one[64], text[sizeof(one) + MEND_GATHER_MORE];
    struct mend_gather_hosts hosts = {0};
    uint64_t set[64];
    size_t len;

    for (int i = 0; i < 64; i++) {
        set[i] = UINT64_C(0x5555555555555555);
        snprintf(one, sizeof(one), "mend: rank %d (host node%d): x\n", 2 * i, i);
        mend_gather_host(&hosts, one, strlen(one));
    }
    len = mend_gather_text(one, strlen(one), set, 64 * 64, &hosts, text);
    CHECK(len < sizeof(text));
    text[len] = '\0';
    CHECK(!memcmp(text, "mend: ranks 0, 2, 4, ", 21));
    CHECK(strstr(text, end));
    CHECK_STR(text + len - strlen(most), most);
}

MEND_TEST_MAIN()
