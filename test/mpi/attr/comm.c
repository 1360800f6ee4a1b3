/* SPDX-License-Identifier: BSD-3-Clause */
/* Caching on communicators (MPI-5.0 7.7): copies, deletions, their order, callbacks that refuse. */
/* RUN: -n 1 */
/* RUN: -n 3 */
#include "../comm/common.h"

static char trace[128];
static int refuse_delete, refuse_copy;

static int copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    int n;

    MPI_Comm_size(comm, &n); /* a callback may call MPI */
    CHECK(n > 0 && keyval != MPI_KEYVAL_INVALID && extra == &refuse_copy);
    *(void **)out = (char *)in + 1;
    *flag = in != (void *)50;
    return refuse_copy;
}

static int del(MPI_Comm comm, int keyval, void *value, void *extra)
{
    int n;

    MPI_Comm_size(comm, &n);
    CHECK(n > 0 && keyval != MPI_KEYVAL_INVALID && extra == &refuse_copy);
    sprintf(trace + strlen(trace), "%ld ", (long)value);
    return refuse_delete;
}

static int key(MPI_Comm_copy_attr_function *how)
{
    int k = MPI_KEYVAL_INVALID;

    CHECK_OK(MPI_Comm_create_keyval(how, del, &k, &refuse_copy));
    return k;
}

static long get(MPI_Comm comm, int k)
{
    void *value = (void *)77;
    int flag = -1;

    CHECK_OK(MPI_Comm_get_attr(comm, k, &value, &flag));
    CHECK(flag == 0 || flag == 1);
    CHECK(flag || value == (void *)77);
    return flag ? (long)value : -1;
}

static void life(void)
{
    int never = key(MPI_COMM_NULL_COPY_FN), same = key(MPI_COMM_DUP_FN), own = key(copy), old = own;
    MPI_Comm a, b;

    trace[0] = '\0';
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &a));
    CHECK_EQ(get(a, own), -1);
    CHECK_OK(MPI_Comm_set_attr(a, never, (void *)10));
    CHECK_OK(MPI_Comm_set_attr(a, same, (void *)20));
    CHECK_OK(MPI_Comm_set_attr(a, own, (void *)30));
    CHECK_OK(MPI_Comm_dup(a, &b));
    CHECK_EQ(get(b, never), -1);
    CHECK_EQ(get(b, same), 20);
    CHECK_EQ(get(b, own), 31);
    CHECK_OK(MPI_Comm_set_attr(b, own, (void *)40));
    CHECK_STR(trace, "31 ");
    CHECK_EQ(get(a, own), 30);
    CHECK_OK(MPI_Comm_free_keyval(&own));
    CHECK_EQ(own, MPI_KEYVAL_INVALID);
    CHECK_EQ(get(a, old), 30); /* attributes keep a freed key value alive */
    CHECK_CLASS(MPI_Comm_set_attr(a, old, NULL), MPI_ERR_KEYVAL);
    trace[0] = '\0';
    CHECK_OK(MPI_Comm_free(&a));
    CHECK_STR(trace, "30 20 10 "); /* last set, first deleted */
    CHECK_OK(MPI_Comm_delete_attr(b, same));
    CHECK_STR(trace, "30 20 10 20 ");
    CHECK_OK(MPI_Comm_free(&b));
    CHECK_STR(trace, "30 20 10 20 40 ");
    CHECK_OK(MPI_Comm_free_keyval(&never));
    CHECK_OK(MPI_Comm_free_keyval(&same));
}

static void refusals(void)
{
    int k = key(copy), skip = key(copy);
    MPI_Comm a, b = MPI_COMM_NULL;

    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &a));
    CHECK_OK(MPI_Comm_set_attr(a, k, (void *)1));
    CHECK_OK(MPI_Comm_set_attr(a, skip, (void *)50)); /* its callback says: do not copy */
    refuse_copy = MPI_ERR_IO;
    CHECK_CLASS(MPI_Comm_dup(a, &b), MPI_ERR_IO);
    CHECK(b == MPI_COMM_NULL);
    refuse_copy = MPI_SUCCESS;
    CHECK_OK(MPI_Comm_dup(a, &b));
    CHECK_EQ(get(b, skip), -1);
    CHECK_OK(MPI_Comm_free(&b));
    refuse_delete = -12345; /* no error code: MPI_ERR_OTHER */
    CHECK_CLASS(MPI_Comm_delete_attr(a, k), MPI_ERR_OTHER);
    CHECK_CLASS(MPI_Comm_free(&a), MPI_ERR_OTHER);
    CHECK(a != MPI_COMM_NULL);
    CHECK_EQ(get(a, k), 1);
    refuse_delete = MPI_SUCCESS;
    ring(a); /* still there */
    CHECK_OK(MPI_Comm_free(&a));
    CHECK_OK(MPI_Comm_free_keyval(&k));
    CHECK_OK(MPI_Comm_free_keyval(&skip));
}

static int free_key_copy; /* the key value as the callback below knows it */

static int frees_its_key(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)value;
    (void)extra;
    CHECK_EQ(keyval, free_key_copy);
    return MPI_Comm_free_keyval(&keyval);
}

/* A delete callback may free the key value of its attribute, even if others have done so: the key value
 * lives as long as attributes use it (MPI-5.0 7.7.2). */
static void freed_by_callbacks(void)
{
    MPI_Comm a, b;
    int k, copy_of_k;

    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &a));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &b));
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, frees_its_key, &k, NULL));
    free_key_copy = copy_of_k = k;
    CHECK_OK(MPI_Comm_set_attr(a, k, NULL));
    CHECK_OK(MPI_Comm_set_attr(b, k, NULL));
    CHECK_OK(MPI_Comm_free(&a));
    CHECK_OK(MPI_Comm_free_keyval(&copy_of_k)); /* b's attribute uses it */
    CHECK_EQ(copy_of_k, MPI_KEYVAL_INVALID);
    CHECK_CLASS(MPI_Comm_set_attr(b, k, NULL), MPI_ERR_KEYVAL); /* but it is freed */
    CHECK_OK(MPI_Comm_free(&b));
    CHECK_CLASS(MPI_Comm_free_keyval(&k), MPI_ERR_KEYVAL); /* nothing uses it any more */
}

static void wrong(void)
{
    int k = MPI_KEYVAL_INVALID, type_key, flag;
    void *value;

    CHECK_CLASS(MPI_Comm_free_keyval(&k), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Comm_set_attr(MPI_COMM_WORLD, k, NULL), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Comm_get_attr(MPI_COMM_WORLD, k, &value, &flag), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Comm_delete_attr(MPI_COMM_WORLD, k), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, NULL), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_TAG_UB), MPI_ERR_KEYVAL);
    k = MPI_TAG_UB;
    CHECK_CLASS(MPI_Comm_free_keyval(&k), MPI_ERR_KEYVAL);
    CHECK_OK(
        MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_key, NULL));
    CHECK_CLASS(MPI_Comm_set_attr(MPI_COMM_WORLD, type_key, NULL), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Comm_get_attr(MPI_COMM_WORLD, type_key, &value, &flag), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Comm_set_attr(MPI_COMM_NULL, type_key, NULL), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_get_attr(MPI_COMM_NULL, MPI_TAG_UB, &value, &flag), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, NULL, &flag), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, del, NULL, NULL), MPI_ERR_ARG);
    CHECK_OK(MPI_Type_free_keyval(&type_key));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    life();
    refusals();
    freed_by_callbacks();
    wrong();
    return finish();
}
