/* SPDX-License-Identifier: BSD-3-Clause */
/* test.h – unit tests: MEND_TEST(name) { CHECK(...); } ... MEND_TEST_MAIN()
 *
 * The tests of a program run in order of definition in one process and print TAP, the Test Anything
 * Protocol: "ok 1 - name"; other lines begin with '#'.  The first failed check prints
 * its place and ends the run with status 1; the plan says how many tests there are.  Tests that MEND_TEST_LEAVE_OUT names,
 * separated by commas, are not run, and are reported as skipped (test/aarch64/run). */
#ifndef MEND_BASE_TEST_H
#define MEND_BASE_TEST_H

#include "base/expect.h"

#include <stdarg.h>
#include <stdbool.h>

struct mend_test {
    const char *name;
    void (*run)(void);
    struct mend_test *next;
};

/* Weak: a program may be made of several files. */
#define MEND_TEST_SHARED __attribute__((weak))
MEND_TEST_SHARED struct mend_test *mend_test_first, **mend_test_end = &mend_test_first;
MEND_TEST_SHARED const struct mend_test *mend_test_now;
MEND_TEST_SHARED int mend_test_number;

#define MEND_TEST(name_)                                                                           \
    static void test_##name_(void);                                                                \
    __attribute__((constructor)) static void register_##name_(void)                                \
    {                                                                                              \
        static struct mend_test t = {#name_, test_##name_, NULL};                                  \
        *mend_test_end = &t;                                                                       \
        mend_test_end = &t.next;                                                                   \
    }                                                                                              \
    static void test_##name_(void)

/* The lines of a text, in the form that TAP has for anything but results. */
static inline void mend_test_tell(const char *text)
{
    for (size_t at = 0, len; text[at]; at += len + (text[at + len] == '\n')) {
        len = strcspn(text + at, "\n");
        printf("# %.*s\n", (int)len, text + at);
    }
}

static void check_fails(const char *file, int line, const char *func, const char *format, ...)
{
    char text[4096];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    printf("# %s:%d: %s:\n", file, line, func);
    mend_test_tell(text);
    printf("not ok %d - %s\n", mend_test_number, mend_test_now->name);
    exit(1);
}

static inline bool mend_test_is_left_out(const char *name)
{
    const char *list = getenv("MEND_TEST_LEAVE_OUT"), *at = list;
    size_t len = strlen(name);

    for (; at && (at = strstr(at, name)); at += len)
        if ((at == list || at[-1] == ',') && (at[len] == ',' || !at[len]))
            return true;
    return false;
}

static inline int mend_test_main(void)
{
    int tests_n = 0;

    setvbuf(stdout, NULL, _IOLBF, 0); /* what was said before a crash, or a fork, is out */
    for (const struct mend_test *t = mend_test_first; t; t = t->next)
        tests_n++;
    printf("1..%d\n", tests_n);
    for (mend_test_now = mend_test_first; mend_test_now; mend_test_now = mend_test_now->next) {
        bool skip = mend_test_is_left_out(mend_test_now->name);

        mend_test_number++;
        if (!skip)
            mend_test_now->run();
        printf("ok %d - %s%s\n", mend_test_number, mend_test_now->name, skip ? " # SKIP" : "");
    }
    return 0;
}

/* For checks of invariants (base/check.h): with this value in place check_ says that; with the old one all is well
 * again. */
#define MEND_TEST_BREAKS(check_, place_, value_, says_)                                            \
    do {                                                                                           \
        __typeof__(place_) was_ = (place_);                                                        \
        (place_) = (value_);                                                                       \
        CHECK((check_) != NULL);                                                                   \
        CHECK_STR((check_), (says_));                                                              \
        (place_) = was_;                                                                           \
        CHECK(!(check_));                                                                          \
    } while (0)

#define MEND_TEST_MAIN()                                                                           \
    int main(void)                                                                                 \
    {                                                                                              \
        return mend_test_main();                                                                   \
    }

#endif
