/* SPDX-License-Identifier: BSD-3-Clause */
/* Caching on datatypes, predefined ones too (MPI-5.0 7.7.4); windows have key values (7.7.3). */
/* RUN: -n 1 */
#include "../comm/common.h"

static char trace[64];

static int copy(MPI_Datatype type, int keyval, void *extra, void *in, void *out, int *flag)
{
    CHECK(type != MPI_DATATYPE_NULL && keyval && !extra);
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int del(MPI_Datatype type, int keyval, void *value, void *extra)
{
    CHECK(type != MPI_DATATYPE_NULL && keyval && !extra);
    sprintf(trace + strlen(trace), "%ld ", (long)value);
    return MPI_SUCCESS;
}

static long get(MPI_Datatype type, int key)
{
    void *value;
    int flag;

    CHECK_OK(MPI_Type_get_attr(type, key, &value, &flag));
    return flag ? (long)value : -1;
}

static void windows(void)
{
    int key, flag;
    void *value;

    CHECK_OK(MPI_Win_create_keyval(MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL));
    CHECK_CLASS(MPI_Win_set_attr(MPI_WIN_NULL, key, NULL), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Win_get_attr(MPI_WIN_NULL, key, &value, &flag), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Win_delete_attr(MPI_WIN_NULL, key), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL), MPI_ERR_KEYVAL);
    CHECK_OK(MPI_Win_free_keyval(&key));
    CHECK_EQ(key, MPI_KEYVAL_INVALID);
}

int main(int argc, char **argv)
{
    MPI_Datatype type, dup;
    int key;

    start(&argc, &argv);
    CHECK_OK(MPI_Type_create_keyval(copy, del, &key, NULL));
    CHECK_OK(MPI_Type_contiguous(3, MPI_INT, &type));
    CHECK_OK(MPI_Type_set_attr(type, key, (void *)1));
    CHECK_OK(MPI_Type_dup(type, &dup));
    CHECK_EQ(get(dup, key), 2);
    CHECK_OK(MPI_Type_delete_attr(type, key));
    CHECK_EQ(get(type, key), -1);
    CHECK_OK(MPI_Type_free(&dup));
    CHECK_STR(trace, "1 2 ");
    CHECK_OK(MPI_Type_set_attr(MPI_DOUBLE, key, (void *)7));
    CHECK_EQ(get(MPI_DOUBLE, key), 7);
    CHECK_EQ(get(MPI_INT, key), -1);
    CHECK_OK(MPI_Type_delete_attr(MPI_DOUBLE, key));
    CHECK_STR(trace, "1 2 7 ");
    CHECK_OK(MPI_Type_free(&type));

    CHECK_CLASS(MPI_Type_set_attr(MPI_DATATYPE_NULL, key, NULL), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_delete_attr((MPI_Datatype)0, key), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_set_attr(MPI_INT, MPI_KEYVAL_INVALID, NULL), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Type_get_attr(MPI_INT, key, NULL, &(int){0}), MPI_ERR_ARG);
    CHECK_OK(MPI_Type_free_keyval(&key));
    CHECK_CLASS(MPI_Type_free_keyval(&key), MPI_ERR_KEYVAL);
    windows();
    return finish();
}
