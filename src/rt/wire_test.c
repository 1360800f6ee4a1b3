/* SPDX-License-Identifier: BSD-3-Clause */
/* wire_test.c – the agent refuses every damaged datagram. */
#include "base/stray.h"
#include "base/test.h"
#include "rt/wire.h"

#define RANKS 4

static struct mend_ctl make(int kind, uint32_t n)
{
    struct mend_ctl m = {.magic = MEND_CTL_MAGIC, .kind = (uint16_t)kind, .n = n};

    return m;
}

static struct mend_ctl make_report(const char *text)
{
    struct mend_ctl m = make(MEND_CTL_REPORT, (uint32_t)strlen(text));

    strcpy(m.text, text);
    return m;
}

static bool report_valid(const char *text)
{
    struct mend_ctl m = make_report(text);

    return mend_ctl_valid(&m, MEND_CTL_HEAD_BYTES + m.n, RANKS);
}

static size_t set_bytes(uint32_t words)
{
    return MEND_CTL_HEAD_BYTES + words * sizeof(uint64_t);
}

MEND_TEST(a_revocation_names_a_context_and_jobs)
{
    struct mend_ctl m = make(MEND_CTL_REVOKE, 2);

    CHECK(!mend_ctl_valid(&m, set_bytes(2), RANKS)); /* no context is 0 */
    m.revoke[0] = 1;
    CHECK(mend_ctl_valid(&m, set_bytes(2), RANKS));
    CHECK(!mend_ctl_valid(&m, set_bytes(1), RANKS));
    CHECK(!mend_ctl_valid(&m, set_bytes(3), RANKS));
    m.n = 0;
    CHECK(!mend_ctl_valid(&m, set_bytes(0), RANKS));
    m.n = MEND_CTL_REVOKE_MAX + 1;
    CHECK(!mend_ctl_valid(&m, set_bytes(m.n), RANKS));
}

MEND_TEST(a_number_that_the_job_keeps_is_added_to_set_or_forgotten)
{
    struct mend_ctl m = make(MEND_CTL_TALLY, 1);
    size_t len = MEND_CTL_HEAD_BYTES + sizeof(m.tally);

    m.tally.how = MEND_TALLY_FORGET;
    CHECK(mend_ctl_valid(&m, len, RANKS));
    CHECK(!mend_ctl_valid(&m, len - 1, RANKS));
    m.tally.how++;
    CHECK(!mend_ctl_valid(&m, len, RANKS));
    m.tally.how = MEND_TALLY_ADD;
    m.n = 0;
    CHECK(!mend_ctl_valid(&m, len, RANKS));
}

MEND_TEST(abort_names_ranks_of_the_job)
{
    struct mend_ctl m = make(MEND_CTL_ABORT, 1);

    CHECK(!mend_ctl_valid(&m, set_bytes(1), RANKS)); /* nobody */
    mend_bits_set(m.set, 3);
    CHECK(mend_ctl_valid(&m, set_bytes(1), RANKS));
    mend_bits_set(m.set, 4);
    CHECK(!mend_ctl_valid(&m, set_bytes(1), RANKS));
    CHECK(mend_ctl_valid(&m, set_bytes(1), 64));
    m.follows = 1;
    CHECK(mend_ctl_valid(&m, set_bytes(1), 64));
    m.follows = 2;
    CHECK(!mend_ctl_valid(&m, set_bytes(1), 64));
}

MEND_TEST(abort_of_a_large_job_is_one_datagram)
{
    struct mend_ctl m = make(MEND_CTL_ABORT, MEND_CTL_NAMES_MAX / 64);

    mend_bits_set(m.set, MEND_CTL_NAMES_MAX - 1);
    CHECK(mend_ctl_valid(&m, sizeof(m), MEND_CTL_NAMES_MAX));
    CHECK(!mend_ctl_valid(&m, sizeof(m), MEND_CTL_NAMES_MAX - 1));
    m.n = 1; /* it knew of fewer */
    m.set[0] = 1;
    CHECK(mend_ctl_valid(&m, set_bytes(1), MEND_CTL_NAMES_MAX));
}

MEND_TEST(an_injection_is_one_number)
{
    struct mend_ctl m = make(MEND_CTL_INJECTED, 1);

    m.peer = RANKS + 5;
    CHECK(mend_ctl_valid(&m, MEND_CTL_HEAD_BYTES + sizeof(m.peer), RANKS));
    CHECK(!mend_ctl_valid(&m, MEND_CTL_HEAD_BYTES, RANKS));
    m.peer = -1;
    CHECK(!mend_ctl_valid(&m, MEND_CTL_HEAD_BYTES + sizeof(m.peer), RANKS));
}

MEND_TEST(length_and_count_agree)
{
    struct mend_ctl m = make(MEND_CTL_ABORT, 1);

    m.set[0] = 1;
    CHECK(!mend_ctl_valid(&m, set_bytes(1) - 1, RANKS));
    CHECK(!mend_ctl_valid(&m, set_bytes(2), RANKS));
    CHECK(!mend_ctl_valid(&m, MEND_CTL_HEAD_BYTES - 1, RANKS));
    CHECK(!mend_ctl_valid(&m, 0, RANKS));
    m.n = UINT32_MAX;
    CHECK(!mend_ctl_valid(&m, sizeof(m), RANKS));
    m.n = 2;
    CHECK(!mend_ctl_valid(&m, set_bytes(2), RANKS));
    m.n = 0;
    CHECK(!mend_ctl_valid(&m, MEND_CTL_HEAD_BYTES, RANKS));
}

MEND_TEST(suspect_is_one_peer)
{
    struct mend_ctl m = make(MEND_CTL_SUSPECT, 1);
    size_t len = MEND_CTL_HEAD_BYTES + sizeof(m.peer);

    m.peer = RANKS - 1;
    CHECK(mend_ctl_valid(&m, len, RANKS));
    m.peer = RANKS;
    CHECK(!mend_ctl_valid(&m, len, RANKS));
    m.peer = -1;
    CHECK(!mend_ctl_valid(&m, len, RANKS));
    m.peer = 0;
    m.n = 2;
    CHECK(!mend_ctl_valid(&m, len, RANKS));
}

MEND_TEST(report_cannot_forge_a_line)
{
    CHECK(report_valid("\"event\":\"revoke\""));
    CHECK(!report_valid("\"event\":\"x\"}\n{\"event\":\"forged\""));
    CHECK(!report_valid("event"));
    CHECK(!report_valid(""));
}

MEND_TEST(unknown_kinds_and_foreign_bytes_are_refused)
{
    struct mend_ctl m = make(99, 0);

    CHECK(!mend_ctl_valid(&m, MEND_CTL_HEAD_BYTES, RANKS));
    m = make(MEND_CTL_JOIN, 0);
    CHECK(mend_ctl_valid(&m, MEND_CTL_HEAD_BYTES, RANKS));
    m.magic = 0;
    CHECK(!mend_ctl_valid(&m, MEND_CTL_HEAD_BYTES, RANKS));
}

MEND_TEST(a_set_comes_without_a_body)
{
    struct mend_ctl m = make(MEND_CTL_WATCH, 0);

    CHECK(mend_ctl_valid(&m, MEND_CTL_HEAD_BYTES, RANKS));
    CHECK(!mend_ctl_valid(&m, MEND_CTL_HEAD_BYTES + sizeof(m.peer), RANKS));
    m.n = 1;
    CHECK(!mend_ctl_valid(&m, MEND_CTL_HEAD_BYTES, RANKS));
    m = make(MEND_CTL_UNWATCH, 0);
    CHECK(mend_ctl_valid(&m, MEND_CTL_HEAD_BYTES, RANKS));
    m.n = 1;
    CHECK(!mend_ctl_valid(&m, MEND_CTL_HEAD_BYTES, RANKS));
}

MEND_TEST(random_bytes_never_pass_a_bad_peer)
{
    struct mend_ctl m;
    unsigned seed = 1;

    for (int round = 0; round < 20000; round++) {
        unsigned char *b = (unsigned char *)&m;
        size_t len = (size_t)rand_r(&seed) % 64;

        for (size_t i = 0; i < sizeof(m) && i < 64; i++)
            b[i] = (unsigned char)(rand_r(&seed) % 8);
        if (round % 2)
            m.magic = MEND_CTL_MAGIC;
        if (!mend_ctl_valid(&m, len, RANKS) || m.kind == MEND_CTL_REPORT)
            continue;
        if (m.kind == MEND_CTL_SUSPECT)
            CHECK(m.peer >= 0 && m.peer < RANKS);
        if (m.kind == MEND_CTL_ABORT)
            CHECK(m.set[0] && m.set[0] < 1 << RANKS);
    }
}

/* What the agent gives a rank is not told of as misspelt. */
MEND_TEST(variables_are_known)
{
    static const char *const ours[] = MEND_ENV_ALL;
    char text[MEND_STRAY_TEXT_BYTES];

    for (size_t i = 0; i < MEND_COUNT_OF(ours); i++)
        CHECK(!mend_stray_text(ours[i], text));
}

MEND_TEST_MAIN()
