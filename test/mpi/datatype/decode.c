/* SPDX-License-Identifier: BSD-3-Clause */
/* Envelopes and contents in both widths, types that are made on request, names, numbers of handles,
 * attributes of duplicates. */
/* RUN: -n 1 */
#include "common.h"

static void contents(void)
{
    int lens[2] = {3, 4}, i[8], ni, na, nd, combiner;
    MPI_Aint displs[2] = {50, 60}, a[8];
    MPI_Datatype parts[2], t, d[8];

    MPI_Type_contiguous(2, MPI_INT, &parts[0]);
    parts[1] = MPI_CHAR;
    MPI_Type_create_struct(2, lens, displs, parts, &t);
    MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner);
    CHECK(ni == 3 && na == 2 && nd == 2 && combiner == MPI_COMBINER_STRUCT);
    MPI_Type_get_contents(t, ni, na, nd, i, a, d);
    CHECK(i[0] == 2 && i[1] == 3 && i[2] == 4 && a[0] == 50 && a[1] == 60);
    CHECK(d[1] == MPI_CHAR && d[0] != MPI_INT);
    MPI_Type_get_envelope(d[0], &ni, &na, &nd, &combiner);
    CHECK(ni == 1 && na == 0 && nd == 1 && combiner == MPI_COMBINER_CONTIGUOUS);
    MPI_Type_free(&d[0]); /* derived types are the caller's, in their own right */
    MPI_Type_free(&parts[0]);
    MPI_Type_get_contents(t, 3, 2, 2, i, a, d);
    check_bounds(d[0], 8, 0, 8, 0, 8);
    MPI_Type_free(&d[0]);
    MPI_Type_free(&t);
    MPI_Type_get_envelope(MPI_INT, &ni, &na, &nd, &combiner);
    CHECK(ni == 0 && na == 0 && nd == 0 && combiner == MPI_COMBINER_NAMED);
}

static void large_contents(void)
{
    MPI_Count big = INT64_C(1) << 40, lens[2] = {1, 2}, displs[2] = {0, big}, c[8];
    MPI_Count ni, na, nc, nd;
    MPI_Aint a[8];
    MPI_Datatype t, d[8];
    int i[8], combiner, n;

    MPI_Type_create_hindexed_c(2, lens, displs, MPI_INT, &t);
    MPI_Type_get_envelope_c(t, &ni, &na, &nc, &nd, &combiner);
    CHECK(ni == 0 && na == 0 && nc == 5 && nd == 1 && combiner == MPI_COMBINER_HINDEXED);
    MPI_Type_get_contents_c(t, ni, na, nc, nd, i, a, c, d);
    CHECK(c[0] == 2 && c[2] == 2 && c[4] == big && d[0] == MPI_INT);
    CHECK_CLASS(MPI_Type_get_envelope(t, &n, &n, &n, &combiner), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_get_contents(t, 8, 8, 8, i, a, d), MPI_ERR_TYPE);
    MPI_Type_free(&t);
    /* The wide function also decodes what a narrow one made. */
    MPI_Type_create_hvector(2, 3, 44, MPI_INT, &t);
    MPI_Type_get_envelope_c(t, &ni, &na, &nc, &nd, &combiner);
    CHECK(ni == 2 && na == 1 && nc == 0 && nd == 1);
    MPI_Type_get_contents_c(t, 2, 1, 0, 1, i, a, NULL, d);
    CHECK(i[0] == 2 && i[1] == 3 && a[0] == 44);
    MPI_Type_free(&t);
}

static void on_request(void)
{
    MPI_Datatype a, b;
    int ni, na, nd, combiner, i[2], flag;

    MPI_Type_create_f90_real(6, 30, &a);
    MPI_Type_create_f90_real(6, 30, &b);
    CHECK(a == b);
    check_bounds(a, 4, 0, 4, 0, 4);
    MPI_Type_get_envelope(a, &ni, &na, &nd, &combiner);
    CHECK(ni == 2 && nd == 0 && combiner == MPI_COMBINER_F90_REAL);
    MPI_Type_get_contents(a, 2, 0, 0, i, NULL, NULL);
    CHECK(i[0] == 6 && i[1] == 30);
    CHECK_CLASS(MPI_Type_free(&a), MPI_ERR_TYPE);
    MPI_Type_create_f90_complex(15, 300, &a);
    check_bounds(a, 16, 0, 16, 0, 16);
    MPI_Type_create_f90_integer(18, &a);
    check_bounds(a, 8, 0, 8, 0, 8);
    CHECK_CLASS(MPI_Type_create_f90_integer(99, &a), MPI_ERR_ARG);
    MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &a);
    CHECK(a == MPI_REAL8);
    CHECK_CLASS(MPI_Type_match_size(MPI_TYPECLASS_REAL, 5, &a), MPI_ERR_ARG);
    MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &a);
    CHECK(a == MPI_DOUBLE_INT);
    MPI_Type_get_value_index(MPI_CHAR, MPI_INT, &a);
    CHECK(a == MPI_DATATYPE_NULL);
    MPI_Type_get_value_index(MPI_FLOAT, MPI_UINT64_T, &a);
    check_bounds(a, 12, 0, 16, 0, 16);
    MPI_Type_get_envelope(a, &ni, &na, &nd, &combiner);
    CHECK(ni == 0 && na == 0 && nd == 2 && combiner == MPI_COMBINER_VALUE_INDEX);
    MPI_Op_commutative(MPI_MINLOC, &flag);
    CHECK(flag);
}

static void names(void)
{
    char text[MPI_MAX_OBJECT_NAME];
    MPI_Datatype t;
    int n;

    MPI_Type_get_name(MPI_DOUBLE_PRECISION, text, &n);
    CHECK(!strcmp(text, "MPI_DOUBLE_PRECISION") && n == 20);
    MPI_Type_get_name(MPI_DATATYPE_NULL, text, &n);
    CHECK(!strcmp(text, "MPI_DATATYPE_NULL"));
    MPI_Type_contiguous(2, MPI_INT, &t);
    MPI_Type_get_name(t, text, &n);
    CHECK(n == 0 && text[0] == '\0');
    MPI_Type_set_name(t, "two of them");
    MPI_Type_get_name(t, text, &n);
    CHECK(!strcmp(text, "two of them") && n == 11);
    MPI_Type_set_name(MPI_INT, "integer");
    MPI_Type_get_name(MPI_INT, text, &n);
    CHECK(!strcmp(text, "integer"));
    MPI_Type_free(&t);
}

static void numbers(void)
{
    MPI_Datatype t;
    MPI_Op op;
    int n;

    CHECK_EQ(MPI_Type_toint(MPI_INT), 0x209);
    CHECK(MPI_Type_fromint(0x209) == MPI_INT);
    CHECK_EQ(MPI_Type_toint(MPI_DATATYPE_NULL), 0x200);
    CHECK(MPI_Type_fromint(0x200) == MPI_DATATYPE_NULL);
    MPI_Type_contiguous(2, MPI_INT, &t);
    n = MPI_Type_toint(t);
    CHECK(n >= 0x1000 && n == MPI_Type_toint(t) && MPI_Type_fromint(n) == t);
    CHECK(MPI_Type_f2c(MPI_Type_c2f(t)) == t);
    MPI_Type_free(&t);
    CHECK_EQ(MPI_Op_toint(MPI_SUM), 0x21);
    CHECK(MPI_Op_fromint(0x21) == MPI_SUM && MPI_Op_fromint(0x20) == MPI_OP_NULL);
    MPI_Op_create((MPI_User_function *)numbers, 1, &op);
    CHECK(MPI_Op_fromint(MPI_Op_toint(op)) == op);
    MPI_Op_free(&op);
}

static int deleted;

static int copy(MPI_Datatype type, int keyval, void *extra, void *in, void *out, int *flag)
{
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int drop(MPI_Datatype type, int keyval, void *value, void *extra)
{
    deleted += (int)(intptr_t)value;
    return MPI_SUCCESS;
}

static int refuse(MPI_Datatype type, int keyval, void *extra, void *in, void *out, int *flag)
{
    return MPI_ERR_OTHER;
}

static void attributes(void)
{
    MPI_Datatype t, twin = MPI_DATATYPE_NULL;
    int keyval, bad, flag;
    void *value;

    MPI_Type_create_keyval(copy, drop, &keyval, NULL);
    MPI_Type_contiguous(2, MPI_INT, &t);
    MPI_Type_set_attr(t, keyval, (void *)10);
    MPI_Type_dup(t, &twin);
    MPI_Type_get_attr(twin, keyval, &value, &flag);
    CHECK(flag && value == (void *)11);
    MPI_Type_free(&twin);
    CHECK_EQ(deleted, 11);
    /* A refusal takes the whole duplicate back. */
    MPI_Type_create_keyval(refuse, MPI_TYPE_NULL_DELETE_FN, &bad, NULL);
    MPI_Type_set_attr(t, bad, NULL);
    CHECK(MPI_Type_dup(t, &twin) != MPI_SUCCESS && twin == MPI_DATATYPE_NULL);
    CHECK_EQ(deleted, 22);
    MPI_Type_free(&t);
    CHECK_EQ(deleted, 32);
    MPI_Type_free_keyval(&keyval);
    MPI_Type_free_keyval(&bad);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    return_errors();
    contents();
    large_contents();
    on_request();
    names();
    numbers();
    attributes();
    MPI_Finalize();
    return 0;
}
