/* SPDX-License-Identifier: BSD-3-Clause */
/* attr_test.c – key values, callbacks and their order. */
#include "comm/attr.h"
#include "comm/objects.h"
#include "proc/peer.h"

#include "base/test.h"

static struct mend_proc *self;
static struct mend_attrs *attrs;
static char trace[256]; /* what the callbacks were called with */
static int refuse;      /* what the delete callback answers */

static int del(MPI_Comm comm, int keyval, void *value, void *extra)
{
    snprintf(trace + strlen(trace), sizeof(trace) - strlen(trace), "%s%ld ", (char *)extra,
             (long)value);
    CHECK(comm == (MPI_Comm)0x10000);
    return refuse;
}

static int copy(MPI_Comm comm, int keyval, void *extra, void *value, void *out, int *flag)
{
    *(void **)out = (void *)((long)value + 100);
    *flag = (long)value != 3; /* 3 is not copied */
    return (long)value == 9 ? -77 : MPI_SUCCESS;
}

static int keyval(const char *name, MPI_Comm_copy_attr_function *how)
{
    struct mend_keyval_fns fns = {
        .comm_copy = how, .comm_delete = del, .extra_state = (void *)name};
    int k = 0;

    if (!self) {
        self = mend_proc_create_bare();
        CHECK_EQ(mend_objects_init(self), MPI_SUCCESS);
    }
    CHECK_EQ(mend_keyval_create(self, MEND_ATTR_COMM, &fns, &k), MPI_SUCCESS);
    return k;
}

static int set(int k, long value)
{
    return mend_attr_set(self, MEND_ATTR_COMM, &attrs, (void *)0x10000, k, (void *)value);
}

static long get(struct mend_attrs *from, int k)
{
    void *value = NULL;
    bool found = false;

    CHECK_EQ(mend_attr_get(self, MEND_ATTR_COMM, from, k, &value, &found), MPI_SUCCESS);
    return found ? (long)value : -1;
}

static int delete_all(void)
{
    return mend_attrs_delete_all(self, &attrs, (void *)0x10000);
}

MEND_TEST(set_get_delete)
{
    int a = keyval("a", MPI_COMM_NULL_COPY_FN), b = keyval("b", MPI_COMM_NULL_COPY_FN);

    CHECK(a >= 0x4100 && b != a);
    CHECK_EQ(get(attrs, a), -1);
    CHECK_EQ(set(a, 1), MPI_SUCCESS);
    CHECK_EQ(set(b, 2), MPI_SUCCESS);
    CHECK_EQ(set(a, 5), MPI_SUCCESS); /* the old value is deleted */
    CHECK_EQ(get(attrs, a), 5);
    CHECK_STR(trace, "a1 ");
    CHECK_EQ(mend_attr_delete(self, MEND_ATTR_COMM, &attrs, (void *)0x10000, a), MPI_SUCCESS);
    CHECK_STR(trace, "a1 a5 ");
    CHECK_EQ(get(attrs, a), -1);
    CHECK_EQ(mend_attr_delete(self, MEND_ATTR_COMM, &attrs, (void *)0x10000, a), MPI_SUCCESS);
    CHECK_EQ(delete_all(), MPI_SUCCESS);
    CHECK_STR(trace, "a1 a5 b2 ");
    CHECK(!attrs);
}

MEND_TEST(deleted_in_reverse_order)
{
    int k[4];

    trace[0] = '\0';
    for (int i = 0; i < 4; i++) {
        k[i] = keyval((const char *[]){"p", "q", "r", "s"}[i], MPI_COMM_NULL_COPY_FN);
        CHECK_EQ(set(k[i], i), MPI_SUCCESS);
    }
    CHECK_EQ(set(k[1], 7), MPI_SUCCESS); /* set last now */
    CHECK_EQ(delete_all(), MPI_SUCCESS);
    CHECK_STR(trace, "q1 q7 s3 r2 p0 ");
}

MEND_TEST(copying)
{
    int never = keyval("n", MPI_COMM_NULL_COPY_FN), same = keyval("s", MPI_COMM_DUP_FN);
    int own = keyval("o", copy), other = keyval("x", copy);
    struct mend_attrs *to = NULL;

    CHECK_EQ(set(never, 1), MPI_SUCCESS);
    CHECK_EQ(set(same, 2), MPI_SUCCESS);
    CHECK_EQ(set(own, 3), MPI_SUCCESS);
    CHECK_EQ(set(other, 4), MPI_SUCCESS);
    CHECK_EQ(mend_attrs_copy(self, attrs, (void *)0x10000, &to), MPI_SUCCESS);
    CHECK_EQ(get(to, never), -1);
    CHECK_EQ(get(to, same), 2);
    CHECK_EQ(get(to, own), -1);
    CHECK_EQ(get(to, other), 104);
    CHECK_EQ(set(own, 9), MPI_SUCCESS);
    CHECK_EQ(mend_attrs_copy(self, attrs, (void *)0x10000, &to), MPI_ERR_OTHER);
    CHECK_EQ(mend_attrs_delete_all(self, &to, (void *)0x10000), MPI_SUCCESS);
    CHECK_EQ(delete_all(), MPI_SUCCESS);
}

MEND_TEST(a_refusal_keeps_the_attribute)
{
    int a = keyval("a", MPI_COMM_NULL_COPY_FN);

    CHECK_EQ(set(a, 1), MPI_SUCCESS);
    refuse = MPI_ERR_IO;
    CHECK_EQ(delete_all(), MPI_ERR_IO);
    CHECK_EQ(set(a, 2), MPI_ERR_IO);
    CHECK_EQ(get(attrs, a), 1);
    refuse = -5;
    CHECK_EQ(mend_attr_delete(self, MEND_ATTR_COMM, &attrs, (void *)0x10000, a), MPI_ERR_OTHER);
    refuse = 0;
    CHECK_EQ(delete_all(), MPI_SUCCESS);
}

MEND_TEST(a_freed_key_value_lives_on_in_attributes)
{
    int a = keyval("a", MPI_COMM_DUP_FN);
    struct mend_attrs *to = NULL;
    void *value;
    bool found;

    CHECK_EQ(set(a, 1), MPI_SUCCESS);
    CHECK_EQ(mend_keyval_free(self, MEND_ATTR_COMM, a), MPI_SUCCESS);
    CHECK_EQ(mend_keyval_free(self, MEND_ATTR_COMM, a), MPI_SUCCESS);
    CHECK_EQ(set(a, 2), MPI_ERR_KEYVAL);
    CHECK_EQ(get(attrs, a), 1);
    CHECK_EQ(mend_attrs_copy(self, attrs, (void *)0x10000, &to), MPI_SUCCESS);
    CHECK_EQ(get(to, a), 1);
    CHECK_EQ(delete_all(), MPI_SUCCESS);
    CHECK_EQ(mend_attrs_delete_all(self, &to, (void *)0x10000), MPI_SUCCESS);
    CHECK_EQ(mend_attr_get(self, MEND_ATTR_COMM, NULL, a, &value, &found), MPI_ERR_KEYVAL);
}

MEND_TEST(kinds_do_not_mix)
{
    int a = keyval("a", MPI_COMM_NULL_COPY_FN);

    CHECK_EQ(mend_attr_set(self, MEND_ATTR_TYPE, &attrs, NULL, a, NULL), MPI_ERR_KEYVAL);
    CHECK_EQ(mend_keyval_free(self, MEND_ATTR_WIN, a), MPI_ERR_KEYVAL);
    CHECK_EQ(set(MPI_TAG_UB, 1), MPI_ERR_KEYVAL);
    CHECK_EQ(set(MPI_KEYVAL_INVALID, 1), MPI_ERR_KEYVAL);
    CHECK_EQ(mend_keyval_free(self, MEND_ATTR_COMM, MPI_TAG_UB), MPI_ERR_KEYVAL);
}

static int again_key;

/* A callback that comes back to its own attribute finds nothing, and is not called twice. */
static int del_again(MPI_Comm comm, int k, void *value, void *extra)
{
    void *v;
    bool found = true;

    ++*(int *)extra;
    CHECK_EQ(mend_attr_get(self, MEND_ATTR_COMM, attrs, k, &v, &found), MPI_SUCCESS);
    CHECK(!found);
    return mend_attr_delete(self, MEND_ATTR_COMM, &attrs, (void *)comm, again_key);
}

MEND_TEST(callbacks_may_come_back)
{
    int calls = 0;
    struct mend_keyval_fns fns = {.comm_delete = del_again, .extra_state = &calls};

    CHECK_EQ(mend_keyval_create(self, MEND_ATTR_COMM, &fns, &again_key), MPI_SUCCESS);
    CHECK_EQ(set(again_key, 1), MPI_SUCCESS);
    CHECK_EQ(delete_all(), MPI_SUCCESS);
    CHECK_EQ(calls, 1);
}

MEND_TEST(predefined_values)
{
    CHECK(mend_peers_add(self, 4));
    CHECK_EQ(*mend_attr_predefined(self, MPI_TAG_UB), INT32_MAX);
    CHECK_EQ(*mend_attr_predefined(self, MPI_UNIVERSE_SIZE), 4);
    CHECK_EQ(*mend_attr_predefined(self, MPI_LASTUSEDCODE), 0x40ff);
    CHECK_EQ(*mend_attr_predefined(self, MPI_FT), 1);
    CHECK_EQ(*mend_attr_predefined(self, MPI_IO), MPI_ANY_SOURCE);
    CHECK_EQ(*mend_attr_predefined(self, MPI_HOST), MPI_PROC_NULL);
    CHECK(!mend_attr_predefined(self, 508));
    CHECK(!mend_attr_predefined(self, MPI_APPNUM));
    setenv("MEND_APPNUM", "2", 1); /* the launcher's word, read before the runtime removes it */
    self = mend_proc_create_bare();
    CHECK_EQ(mend_objects_init(self), MPI_SUCCESS);
    unsetenv("MEND_APPNUM");
    CHECK_EQ(*mend_attr_predefined(self, MPI_APPNUM), 2);
}

MEND_TEST_MAIN()
