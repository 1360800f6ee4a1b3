/* SPDX-License-Identifier: BSD-3-Clause */
/* test.h – unit tests in thirty lines: MEND_TEST(name) { CHECK(...); } ... MEND_TEST_MAIN()
 *
 * Tests of one file run in order of definition in one process; the first failed check prints its
 * place and ends the run with status 1. */
#ifndef MEND_BASE_TEST_H
#define MEND_BASE_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mend_test {
    const char *name;
    void (*run)(void);
    struct mend_test *next;
};

static struct mend_test *mend_test_first, **mend_test_end = &mend_test_first;

#define MEND_TEST(name_)                                                                           \
    static void test_##name_(void);                                                                \
    __attribute__((constructor)) static void register_##name_(void)                                \
    {                                                                                              \
        static struct mend_test t = {#name_, test_##name_, NULL};                                  \
        *mend_test_end = &t;                                                                       \
        mend_test_end = &t.next;                                                                   \
    }                                                                                              \
    static void test_##name_(void)

#define CHECK(cond_)                                                                               \
    do {                                                                                           \
        if (!(cond_)) {                                                                            \
            printf("%s:%d: %s: not true: %s\n", __FILE__, __LINE__, __func__, #cond_);             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define CHECK_EQ(a_, b_)                                                                           \
    do {                                                                                           \
        long long va_ = (long long)(a_), vb_ = (long long)(b_);                                    \
        if (va_ != vb_) {                                                                          \
            printf("%s:%d: %s: %s is %lld, expected %s = %lld\n", __FILE__, __LINE__, __func__,    \
                   #a_, va_, #b_, vb_);                                                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define CHECK_STR(a_, b_)                                                                          \
    do {                                                                                           \
        if (strcmp((a_), (b_))) {                                                                  \
            printf("%s:%d: %s: %s is\n%s\nexpected\n%s\n", __FILE__, __LINE__, __func__, #a_,      \
                   (a_), (b_));                                                                    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define MEND_TEST_MAIN()                                                                           \
    int main(void)                                                                                 \
    {                                                                                              \
        for (struct mend_test *t = mend_test_first; t; t = t->next) {                              \
            t->run();                                                                              \
            printf("ok %s\n", t->name);                                                            \
        }                                                                                          \
        return 0;                                                                                  \
    }

#endif
