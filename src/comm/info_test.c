/* SPDX-License-Identifier: BSD-3-Clause */
/* info_test.c – order, replacement, copies, and what is known of the start. */
#include "comm/info.h"
#include "comm/objects.h"

#include "base/test.h"

static struct mend_proc *self;

MEND_TEST(order_is_kept)
{
    struct mend_info *i;

    self = mend_proc_create_bare();
    CHECK_EQ(mend_objects_init(self), MPI_SUCCESS);
    i = mend_info_create(self);
    CHECK_EQ(mend_info_set(self, i, "b", "1"), MPI_SUCCESS);
    CHECK_EQ(mend_info_set(self, i, "a", "2"), MPI_SUCCESS);
    CHECK_EQ(mend_info_set(self, i, "c", "3"), MPI_SUCCESS);
    CHECK_EQ(mend_info_set(self, i, "b", "4"), MPI_SUCCESS);
    CHECK_EQ(i->n, 3);
    CHECK_STR(mend_info_nth(i, 0), "b");
    CHECK_STR(mend_info_nth(i, 1), "a");
    CHECK_STR(mend_info_nth(i, 2), "c");
    CHECK(!mend_info_nth(i, 3));
    CHECK_STR(mend_info_get(i, "b"), "4");
    CHECK(!mend_info_get(i, "B") && !mend_info_get(NULL, "b"));
    CHECK_EQ(mend_info_delete(self, i, "a"), MPI_SUCCESS);
    CHECK_EQ(mend_info_delete(self, i, "a"), MPI_ERR_INFO_NOKEY);
    CHECK_STR(mend_info_nth(i, 1), "c");
    mend_info_free(self, i);
}

MEND_TEST(copies_are_apart)
{
    struct mend_info *i = mend_info_create(self), *copy;

    CHECK_EQ(mend_info_set(self, i, "k", "v"), MPI_SUCCESS);
    copy = mend_info_dup(self, i);
    CHECK_EQ(mend_info_set(self, i, "k", "w"), MPI_SUCCESS);
    CHECK_STR(mend_info_get(copy, "k"), "v");
    CHECK_EQ(mend_info_merge(self, copy, i), MPI_SUCCESS);
    CHECK_STR(mend_info_get(copy, "k"), "w");
    CHECK_EQ(copy->n, 1);
    mend_info_free(self, i);
    mend_info_free(self, copy);
    copy = mend_info_dup(self, NULL);
    CHECK_EQ(copy->n, 0);
    mend_info_free(self, copy);
}

MEND_TEST(alignments)
{
    static const char *const wrong[] = {"", "x", "8x", "0", "-8", "12", "2147483648"};
    struct mend_info *i = mend_info_create(self);
    size_t align = 1;

    CHECK_EQ(mend_info_alignment(NULL, &align), MPI_SUCCESS);
    CHECK_EQ(align, 0);
    CHECK_EQ(mend_info_set(self, i, "mpi_minimum_memory_alignment", "4096"), MPI_SUCCESS);
    CHECK_EQ(mend_info_alignment(i, &align), MPI_SUCCESS);
    CHECK_EQ(align, 4096);
    for (unsigned k = 0; k < MEND_COUNT_OF(wrong); k++) {
        CHECK_EQ(mend_info_set(self, i, "mpi_minimum_memory_alignment", wrong[k]), MPI_SUCCESS);
        CHECK_EQ(mend_info_alignment(i, &align), MPI_ERR_INFO_VALUE);
    }
    CHECK_EQ(align, 4096);
    mend_info_free(self, i);
}

MEND_TEST(memory_comes_back)
{
    size_t before = self->arena->in_use_bytes;

    for (int k = 0; k < 100; k++) {
        struct mend_info *i = mend_info_create(self);

        CHECK_EQ(mend_info_set(self, i, "one", "1"), MPI_SUCCESS);
        CHECK_EQ(mend_info_set(self, i, "one", "uno"), MPI_SUCCESS);
        CHECK_EQ(mend_info_set(self, i, "two", "2"), MPI_SUCCESS);
        CHECK_EQ(mend_info_delete(self, i, "two"), MPI_SUCCESS);
        mend_info_free(self, i);
    }
    CHECK_EQ(self->arena->in_use_bytes, before);
}

MEND_TEST(what_is_known_of_the_start)
{
    char *argv[] = {"prog", "-x", "7", NULL};
    struct mend_info *i = mend_info_env_create(self, 3, argv), *env;

    CHECK_STR(mend_info_get(i, "command"), "prog");
    CHECK_STR(mend_info_get(i, "argv"), "-x 7");
    CHECK(mend_info_get(i, "host") && mend_info_get(i, "arch") && mend_info_get(i, "wdir"));
    CHECK_STR(mend_info_get(i, "maxprocs"), "1");
    CHECK(!mend_info_get(i, "thread_level"));
    env = mend_info_env(self);
    CHECK(strstr(mend_info_get(env, "command"), "info_test"));
    CHECK(env == mend_info_env(self));
    self->state = MEND_PROC_RUNNING;
    CHECK(env == mend_info_env(self));
}

MEND_TEST_MAIN()
