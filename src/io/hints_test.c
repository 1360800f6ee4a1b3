/* SPDX-License-Identifier: BSD-3-Clause */
/* Hints from text and back; what makes no sense is ignored; which of them members must have in common. */
#include "base/test.h"
#include "comm/objects.h"
#include "io/hints.h"

static struct mend_proc *self;

static struct mend_file_hints with(const char *name, const char *value)
{
    struct mend_file_hints h;
    struct mend_info *i = mend_info_create(self);

    mend_file_hints_begin(&h);
    CHECK_EQ(mend_info_set(self, i, name, value), MPI_SUCCESS);
    mend_file_hints_read(&h, i);
    mend_info_free(self, i);
    return h;
}

MEND_TEST(values)
{
    self = mend_proc_create_bare();
    CHECK_EQ(mend_objects_init(self), MPI_SUCCESS);
    CHECK_EQ(with("cb_nodes", "7").value[MEND_HINT_CB_NODES], 7);
    CHECK_EQ(with("cb_buffer_size", "65536").value[MEND_HINT_CB_BUFFER_SIZE], 65536);
    CHECK_EQ(with("romio_cb_write", "disable").value[MEND_HINT_CB_WRITE], MEND_HINT_DISABLE);
    CHECK_EQ(with("romio_ds_read", "enable").value[MEND_HINT_DS_READ], MEND_HINT_ENABLE);
    CHECK_EQ(with("mend_append_mapped", "true").value[MEND_HINT_APPEND_MAPPED], 1);
}

MEND_TEST(nonsense_is_ignored)
{
    static const char *const no_size[] = {"", "x", "4095", "65536x", "-1", "99999999999999999999"};

    for (unsigned k = 0; k < MEND_COUNT_OF(no_size); k++)
        CHECK_EQ(with("cb_buffer_size", no_size[k]).value[MEND_HINT_CB_BUFFER_SIZE], 4194304);
    CHECK_EQ(with("romio_cb_write", "1").value[MEND_HINT_CB_WRITE], MEND_HINT_AUTOMATIC);
    CHECK_EQ(with("mend_append_mapped", "enable").value[MEND_HINT_APPEND_MAPPED], 0);
    CHECK_EQ(with("romio_cb_write", "enabled").value[MEND_HINT_CB_WRITE], MEND_HINT_AUTOMATIC);
}

MEND_TEST(what_is_in_force_comes_back)
{
    struct mend_file_hints h = with("romio_cb_read", "enable"), again;
    struct mend_info *i = mend_info_create(self);

    CHECK_EQ(mend_file_hints_write(self, &h, i), MPI_SUCCESS);
    CHECK_EQ(i->n, MEND_HINTS_N);
    CHECK_STR(mend_info_get(i, "romio_cb_read"), "enable");
    CHECK_STR(mend_info_get(i, "romio_cb_write"), "automatic");
    CHECK_STR(mend_info_get(i, "cb_buffer_size"), "4194304");
    CHECK_STR(mend_info_get(i, "mend_append_mapped"), "false");
    mend_file_hints_begin(&again);
    mend_file_hints_read(&again, i);
    CHECK(!memcmp(&again, &h, sizeof(h)));
    mend_info_free(self, i);
}

MEND_TEST(digests)
{
    struct mend_file_hints none, own = with("ind_rd_buffer_size", "8192");
    struct mend_file_hints other = with("cb_nodes", "3"), choice = with("romio_cb_read", "enable");

    mend_file_hints_begin(&none);
    CHECK(mend_file_hints_digest(&none) == mend_file_hints_digest(&own));
    CHECK(mend_file_hints_digest(&none) != mend_file_hints_digest(&other));
    CHECK(mend_file_hints_digest(&none) != mend_file_hints_digest(&choice));
}

MEND_TEST_MAIN()
