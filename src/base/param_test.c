/* SPDX-License-Identifier: BSD-3-Clause */
/* param_test.c – values of parameters: what is taken, and what is refused. */
#include "base/param.h"
#include "base/test.h"

#include <stdlib.h>

#define NS_PER_S UINT64_C(1000000000)

static bool takes(const char *name, const char *text)
{
    return mend_param_takes(mend_param_find(name), text);
}

MEND_TEST(numbers)
{
    static const char *const bad[] = {
        "",    "-1",           " -1", "x", "1x", "1kk", "99999999999999999999",
        "1e3", "17179869184g", " 1",  "k"};

    CHECK(takes("SPIN", "0") && takes("SPIN", "12k") && takes("SPIN", "0x10") &&
          takes("SPIN", "1G"));
    for (size_t i = 0; i < MEND_COUNT_OF(bad); i++)
        CHECK(!takes("SPIN", bad[i]));
}

MEND_TEST(times)
{
    static const char *const bad[] = {"", "-1", "soon", "nan", "inf", "1e10", "1e-10", "5s"};

    CHECK(takes("STOP_TIMEOUT", "0") && takes("STOP_TIMEOUT", "0.25") &&
          takes("STOP_TIMEOUT", "1e9"));
    for (size_t i = 0; i < MEND_COUNT_OF(bad); i++)
        CHECK(!takes("STOP_TIMEOUT", bad[i]));
}

MEND_TEST(words)
{
    CHECK(takes("FATAL_SCOPE", "object") && takes("FATAL_SCOPE", "connected"));
    CHECK(!takes("FATAL_SCOPE", "") && !takes("FATAL_SCOPE", "obj") &&
          !takes("FATAL_SCOPE", "world"));
    CHECK(!takes("FATAL_SCOPE", "object connected"));
    CHECK(!takes("TRACE", "yes") && !takes("TRACE", "") && takes("TRACE", "1"));
    CHECK(!mend_param_find("NOSUCH"));
}

MEND_TEST(ranges)
{
    static const struct {
        const char *name, *text;
        bool takes;
    } rows[] = {
        {"EAGER_MAX", "0", true},   {"EAGER_MAX", "65536", true}, {"EAGER_MAX", "65537", false},
        {"EAGER_MAX", "1m", false}, {"FRAGMENT", "64", true},     {"FRAGMENT", "63", false},
        {"FRAGMENT", "0", false},   {"FRAGMENT", "64k", true},    {"FRAGMENT", "65k", false},
        {"STOP_GROWTH", "1", true}, {"STOP_GROWTH", "0", false},  {"STOP_GROWTH", "1k", false},
        {"YIELD", "0", true},       {"YIELD", "16g", true},
    };
    char wants[MEND_PARAM_WANTS_BYTES];

    for (size_t i = 0; i < MEND_COUNT_OF(rows); i++)
        CHECK_EQ(takes(rows[i].name, rows[i].text), rows[i].takes);
    mend_param_wants(mend_param_find("FRAGMENT"), wants, sizeof(wants));
    CHECK_STR(wants, "a number from 64 to 64k, with k, m or g");
}

MEND_TEST(pairs)
{
    static const char *const good[] = {"allreduce=ring", "barrier=shm", "alltoall=pairwise",
                                       "bcast=binomial,allreduce=doubling",
                                       "gather=linear,gather=binomial"};
    static const char *const bad[] = {"",
                                      "nonsense",
                                      "allreduce",
                                      "allreduce=",
                                      "allreduce=rin",
                                      "allreduce=rings",
                                      "allreduce=ring,",
                                      ",allreduce=ring",
                                      "allreduce=ring,,bcast=shm",
                                      "allreduce=ring bcast=shm",
                                      "allreduce=binomial",
                                      "reduce=shm|binomial",
                                      "barrie=shm",
                                      "=shm"};
    char wants[MEND_PARAM_WANTS_BYTES];

    for (size_t i = 0; i < MEND_COUNT_OF(good); i++)
        CHECK(takes("COLL", good[i]));
    for (size_t i = 0; i < MEND_COUNT_OF(bad); i++)
        CHECK(!takes("COLL", bad[i]));
    mend_param_wants(mend_param_find("COLL"), wants, sizeof(wants));
    CHECK(strstr(wants, "barrier=shm|nodes|dissemination") && strstr(wants, "bruck|pairwise"));
}

/* What is written in param.def can be read, and is shown whole. */
MEND_TEST(every_default_is_a_value)
{
    char text[64];

    for (unsigned i = 0; i < mend_param_list_n; i++) {
        const struct mend_param_info *p = &mend_param_list[i];

        snprintf(text, sizeof(text), "%.*s", (int)strcspn(p->default_text, " "), p->default_text);
        CHECK(p->type == 'P' || mend_param_takes(p, text));
        CHECK(p->type == 'W' || !strchr(p->default_text, ' ')); /* mend-info shows one word */
    }
}

MEND_TEST(values_and_defaults)
{
    struct mend_params params;
    const struct mend_param_info *bad;

    unsetenv("MEND_STOP_TIMEOUT");
    mend_params_read(&params, &bad);
    CHECK(!bad);
    CHECK_EQ(params.stop_timeout_ns, 10 * NS_PER_S);
    CHECK(!params.fatal_scope);
    setenv("MEND_STOP_TIMEOUT", "0.5", 1);
    setenv("MEND_KILL_REPEAT", "0", 1);
    setenv("MEND_FATAL_SCOPE", "connected", 1);
    setenv("MEND_EAGER_MAX", "4k", 1);
    mend_params_read(&params, &bad);
    CHECK(!bad);
    CHECK_EQ(params.stop_timeout_ns, NS_PER_S / 2);
    CHECK_EQ(params.kill_repeat_ns, MEND_TIME_NEVER);
    CHECK_STR(params.fatal_scope, "connected");
    CHECK_EQ(params.eager_max_bytes, 4096);
    setenv("MEND_EAGER_MAX", "4q", 1);
    mend_params_read(&params, &bad);
    CHECK_STR(bad->name, "EAGER_MAX");
    CHECK_EQ(params.eager_max_bytes, 32768);
}

MEND_TEST_MAIN()
