/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a status: accessors, setting elements and cancelled, counts of derived types (a count that is
 * no whole number is MPI_UNDEFINED), copies of a status, very large counts. */
/* RUN: alone */
/* RUN: -n 2 */
#include "common.h"

static void parts(void)
{
    MPI_Status s, copy;
    int v, flag;

    memset(&s, 0, sizeof s);
    MPI_Status_set_source(&s, 5);
    MPI_Status_set_tag(&s, 6);
    MPI_Status_set_error(&s, MPI_ERR_TRUNCATE);
    MPI_Status_set_elements(&s, MPI_DOUBLE, 12);
    MPI_Status_set_cancelled(&s, 1);
    copy = s;
    MPI_Status_get_source(&copy, &v);
    CHECK_EQ(v, 5);
    MPI_Status_get_tag(&copy, &v);
    CHECK_EQ(v, 6);
    MPI_Status_get_error(&copy, &v);
    CHECK_EQ(v, MPI_ERR_TRUNCATE);
    MPI_Test_cancelled(&copy, &flag);
    CHECK_EQ(flag, 1);
    MPI_Get_count(&copy, MPI_DOUBLE, &v);
    CHECK_EQ(v, 12);
    MPI_Get_elements(&copy, MPI_DOUBLE, &v);
    CHECK_EQ(v, 12);
    MPI_Status_set_cancelled(&copy, 0);
    MPI_Test_cancelled(&copy, &flag);
    CHECK_EQ(flag, 0);
    MPI_Get_count(&copy, MPI_DOUBLE, &v);
    CHECK_EQ(v, 12); /* one part does not change the other */
}

static void derived(void)
{
    MPI_Datatype three, pair;
    MPI_Aint at[2] = {0, 8};
    int lengths[2] = {1, 2}, v, a[7] = {0}, b[7];
    MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
    MPI_Status s;
    MPI_Count v_c;

    MPI_Type_contiguous(3, MPI_INT, &three);
    MPI_Type_commit(&three);
    MPI_Sendrecv(a, 7, MPI_INT, rank, 0, b, 7, MPI_INT, rank, 0, MPI_COMM_WORLD, &s);
    MPI_Get_count(&s, three, &v);
    CHECK_EQ(v, MPI_UNDEFINED);
    MPI_Get_elements(&s, three, &v);
    CHECK_EQ(v, 7);
    MPI_Sendrecv(a, 6, MPI_INT, rank, 0, b, 7, MPI_INT, rank, 0, MPI_COMM_WORLD, &s);
    MPI_Get_count(&s, three, &v);
    CHECK_EQ(v, 2);
    MPI_Get_count_c(&s, three, &v_c);
    CHECK_EQ(v_c, 2);
    MPI_Status_set_elements(&s, three, 6);
    MPI_Get_count(&s, three, &v);
    CHECK_EQ(v, 2);
    MPI_Status_set_elements(&s, three, 4);
    MPI_Get_elements(&s, three, &v);
    CHECK_EQ(v, 4);
    MPI_Get_count(&s, three, &v);
    CHECK_EQ(v, MPI_UNDEFINED);

    MPI_Type_create_struct(2, lengths, at, types, &pair); /* double, int, int */
    MPI_Type_commit(&pair);
    for (int elements = 0; elements < 12; elements++) {
        MPI_Status_set_elements_c(&s, pair, elements);
        MPI_Get_elements_c(&s, pair, &v_c);
        CHECK_EQ(v_c, elements);
        MPI_Get_count(&s, pair, &v);
        CHECK_EQ(v, elements % 3 ? MPI_UNDEFINED : elements / 3);
    }
    MPI_Status_set_elements(&s, MPI_FLOAT_INT, 4); /* a pair has two elements */
    MPI_Get_elements(&s, MPI_FLOAT_INT, &v);
    CHECK_EQ(v, 4);
    MPI_Get_count(&s, MPI_FLOAT_INT, &v);
    CHECK_EQ(v, 2);
    MPI_Type_free(&three);
    MPI_Type_free(&pair);
}

static void large(void)
{
    MPI_Count huge = (MPI_Count)1 << 40, got;
    MPI_Status s;
    int v;

    memset(&s, 0, sizeof s);
    MPI_Status_set_elements_c(&s, MPI_BYTE, huge);
    MPI_Get_count_c(&s, MPI_BYTE, &got);
    CHECK_EQ(got, huge);
    MPI_Get_elements_x(&s, MPI_BYTE, &got);
    CHECK_EQ(got, huge);
    MPI_Get_count(&s, MPI_BYTE, &v);
    CHECK_EQ(v, MPI_UNDEFINED);
    MPI_Status_set_cancelled(&s, 1);
    MPI_Get_count_c(&s, MPI_BYTE, &got);
    CHECK_EQ(got, huge);
    MPI_Status_set_elements_x(&s, MPI_INT, huge);
    MPI_Get_count_c(&s, MPI_BYTE, &got);
    CHECK_EQ(got, 4 * huge);
}

/* More elements than an int can count, of a type without bytes. */
static void many_of_nothing(void)
{
    MPI_Count n = (MPI_Count)3 << 30;
    MPI_Datatype nothing;
    MPI_Request r;
    MPI_Status s;
    int a;

    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    MPI_Isend_c(&a, n, nothing, rank, 1, MPI_COMM_WORLD, &r);
    MPI_Recv_c(&a, n, nothing, rank, 1, MPI_COMM_WORLD, &s);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Get_count(&s, MPI_BYTE, &a);
    CHECK_EQ(a, 0);
    MPI_Type_free(&nothing);
}

static void before_init(void)
{
    MPI_Status s;
    int v = 0;

    memset(&s, 0, sizeof s);
    MPI_Status_set_tag(&s, 9);
    MPI_Status_get_tag(&s, &v);
    CHECK_EQ(v, 9);
}

static void numbers(void)
{
    MPI_Request r;
    MPI_Message m;
    int a = 1;

    CHECK(MPI_Request_fromint(MPI_Request_toint(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
    CHECK(MPI_Message_fromint(MPI_Message_toint(MPI_MESSAGE_NO_PROC)) == MPI_MESSAGE_NO_PROC);
    MPI_Isend(&a, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &r);
    CHECK_EQ(MPI_Request_toint(r), MPI_Request_toint(r));
    CHECK(MPI_Request_fromint(MPI_Request_toint(r)) == r);
    MPI_Mprobe(rank, 2, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
    CHECK(MPI_Message_fromint(MPI_Message_toint(m)) == m);
    MPI_Mrecv(&a, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    before_init();
    start(&argc, &argv);
    parts();
    derived();
    large();
    many_of_nothing();
    numbers();
    return finish();
}
