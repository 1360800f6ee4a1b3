/* SPDX-License-Identifier: BSD-3-Clause */
/* Every form of the operations – blocking or with a request, with counts of both widths – does the same, on windows of all
 * kinds: each predefined operator on each kind of element, aligned and not, gives what MPI_Reduce_local() gives, and says what
 * was there before; an operator that is not defined for a type is MPI_ERR_OP.  Assertions change nothing.
 *
 * RUN: -n 1
 * RUN: -n 2 ; time 60
 * RUN: -n 3 ; set RMA_SHM=0 ; time 60 */
#include "common.h"

#define ELEMENTS 3
#define BYTES    64

static struct window k;
static int next;
static MPI_Aint at; /* in the part of the next rank */

static const MPI_Datatype *types(int *n_p)
{
    static MPI_Datatype all[] = {MPI_INT8_T,     MPI_INT16_T,   MPI_INT32_T,        MPI_INT64_T,
                                 MPI_UINT8_T,    MPI_UINT16_T,  MPI_UINT32_T,       MPI_UINT64_T,
                                 MPI_AINT,       MPI_FLOAT,     MPI_DOUBLE,         MPI_C_BOOL,
                                 MPI_BYTE,       MPI_C_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_FLOAT_INT,
                                 MPI_DOUBLE_INT, MPI_2INT};

    *n_p = sizeof(all) / sizeof(*all);
    return all;
}

static const MPI_Op *operators(int *n_p)
{
    static MPI_Op all[] = {MPI_SUM,    MPI_MIN,    MPI_MAX,    MPI_PROD, MPI_BAND,
                           MPI_BOR,    MPI_BXOR,   MPI_LAND,   MPI_LOR,  MPI_LXOR,
                           MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE};

    *n_p = sizeof(all) / sizeof(*all);
    return all;
}

/* Elements of small numbers; a logical value is 0 or 1. */
static void fill(MPI_Datatype t, char *bytes, int seed)
{
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (char)((i * 7 + seed * 5) & (t == MPI_C_BOOL ? 1 : 0x3f));
}

static void compare(MPI_Datatype t, const char *got, const char *want)
{
    char a[BYTES] = {0}, b[BYTES] = {0};
    int pos = 0;

    MPI_Pack(got, ELEMENTS, t, a, BYTES, &pos, MPI_COMM_SELF);
    pos = 0;
    MPI_Pack(want, ELEMENTS, t, b, BYTES, &pos, MPI_COMM_SELF);
    CHECK(!memcmp(a, b, BYTES));
}

#define THERE(t_) next, at, ELEMENTS, t_

static void done(MPI_Request *r)
{
    CHECK_OK(MPI_Wait(r, MPI_STATUS_IGNORE));
}

static void put(int form, MPI_Datatype t, const char *v)
{
    MPI_Request r;

    if (form == 0)
        CHECK_OK(MPI_Put(v, ELEMENTS, t, THERE(t), k.win));
    else if (form == 1)
        CHECK_OK(MPI_Put_c(v, ELEMENTS, t, THERE(t), k.win));
    else if (form == 2)
        CHECK_OK(MPI_Rput(v, ELEMENTS, t, THERE(t), k.win, &r));
    else
        CHECK_OK(MPI_Rput_c(v, ELEMENTS, t, THERE(t), k.win, &r));
    if (form >= 2)
        done(&r);
    CHECK_OK(MPI_Win_flush(next, k.win));
}

static void get(int form, MPI_Datatype t, char *v)
{
    MPI_Request r;

    if (form == 0)
        CHECK_OK(MPI_Get(v, ELEMENTS, t, THERE(t), k.win));
    else if (form == 1)
        CHECK_OK(MPI_Get_c(v, ELEMENTS, t, THERE(t), k.win));
    else if (form == 2)
        CHECK_OK(MPI_Rget(v, ELEMENTS, t, THERE(t), k.win, &r));
    else
        CHECK_OK(MPI_Rget_c(v, ELEMENTS, t, THERE(t), k.win, &r));
    if (form >= 2)
        done(&r);
    else
        CHECK_OK(MPI_Win_flush(next, k.win));
}

/* The first four forms fetch nothing, the others what was there. */
enum { FETCHES = 4, ACC_FORMS = 8 };

static int accumulate(int form, MPI_Datatype t, MPI_Op op, const char *v, char *old)
{
    MPI_Request r = MPI_REQUEST_NULL;
    int err;

#define IN  v, ELEMENTS, t
#define OLD old, ELEMENTS, t
    if (form == 0)
        err = MPI_Accumulate(IN, THERE(t), op, k.win);
    else if (form == 1)
        err = MPI_Accumulate_c(IN, THERE(t), op, k.win);
    else if (form == 2)
        err = MPI_Raccumulate(IN, THERE(t), op, k.win, &r);
    else if (form == 3)
        err = MPI_Raccumulate_c(IN, THERE(t), op, k.win, &r);
    else if (form == 4)
        err = MPI_Get_accumulate(IN, OLD, THERE(t), op, k.win);
    else if (form == 5)
        err = MPI_Get_accumulate_c(IN, OLD, THERE(t), op, k.win);
    else if (form == 6)
        err = MPI_Rget_accumulate(IN, OLD, THERE(t), op, k.win, &r);
    else
        err = MPI_Rget_accumulate_c(IN, OLD, THERE(t), op, k.win, &r);
    done(&r);
    CHECK_OK(MPI_Win_flush(next, k.win));
    return class_of(err);
}

static void check_moves(MPI_Datatype t)
{
    char v[BYTES], got[BYTES];

    for (int form = 0; form < 4; form++) {
        fill(t, v, form + 1);
        put(form, t, v);
        memset(got, 0, BYTES);
        get(form, t, got);
        compare(t, got, v);
    }
}

/* What the next rank's elements are after it. */
static int reduce(MPI_Datatype t, MPI_Op op, const char *v, char *want)
{
    if (op != MPI_REPLACE)
        return class_of(MPI_Reduce_local(v, want, ELEMENTS, t, op));
    memcpy(want, v, BYTES);
    return MPI_SUCCESS;
}

/* In one form that fetches nothing, and in one that does. */
static void check_operator(MPI_Datatype t, MPI_Op op, int form)
{
    char v[BYTES], was[BYTES], want[BYTES], got[BYTES] = {0}, old[BYTES];
    int class = MPI_SUCCESS;

    for (; form < ACC_FORMS && class == MPI_SUCCESS; form += FETCHES) {
        fill(t, v, form);
        fill(t, was, form + 1);
        memcpy(want, was, BYTES);
        class = reduce(t, op, v, want);
        put(0, t, was);
        memset(old, 0, BYTES);
        CHECK_EQ(accumulate(form, t, op, v, old), class);
        get(0, t, got);
        compare(t, got, class == MPI_SUCCESS ? want : was);
        if (form >= FETCHES && class == MPI_SUCCESS)
            compare(t, old, was);
    }
    CHECK(class == MPI_SUCCESS || class == MPI_ERR_OP);
}

/* Nothing changes, and nobody looks at the origin. */
static void check_no_operator(MPI_Datatype t)
{
    char was[BYTES], old[BYTES], got[BYTES] = {0};

    fill(t, was, 9);
    put(0, t, was);
    for (int form = FETCHES; form < ACC_FORMS; form++) {
        memset(old, 0, BYTES);
        CHECK_EQ(accumulate(form, t, MPI_NO_OP, NULL, old), MPI_SUCCESS);
        compare(t, old, was);
    }
    get(0, t, got);
    compare(t, got, was);
}

static void check_types(void)
{
    int types_n, ops_n;
    const MPI_Datatype *t = types(&types_n);
    const MPI_Op *op = operators(&ops_n);

    CHECK_OK(MPI_Win_lock_all(0, k.win));
    for (int i = 0; i < types_n; i++) {
        check_moves(t[i]);
        check_no_operator(t[i]);
        for (int j = 0; j < ops_n; j++)
            check_operator(t[i], op[j], (i + j) % FETCHES);
    }
    CHECK_OK(MPI_Win_unlock_all(k.win));
    CHECK_OK(MPI_Barrier(W));
}

/* All that hold; each round's value arrives. */
static void check_assertions(void)
{
    static const int fences[] = {MPI_MODE_NOPRECEDE, MPI_MODE_NOSTORE | MPI_MODE_NOPUT, 0,
                                 MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED};
    static const int posts[] = {0, MPI_MODE_NOSTORE, MPI_MODE_NOSTORE | MPI_MODE_NOCHECK};
    MPI_Group all;
    int v = 70 + rank, got = -1;

    CHECK_OK(MPI_Win_fence(fences[0] | MPI_MODE_NOPUT, k.win));
    CHECK_OK(MPI_Get(&got, 1, MPI_INT, next, at, 1, MPI_INT, k.win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSTORE, k.win));
    CHECK_OK(MPI_Put(&v, 1, MPI_INT, next, at, 1, MPI_INT, k.win));
    CHECK_OK(MPI_Win_fence(fences[1], k.win));
    CHECK_OK(MPI_Get(&got, 1, MPI_INT, next, at, 1, MPI_INT, k.win));
    CHECK_OK(MPI_Win_fence(fences[3], k.win));
    CHECK_EQ(got, v);
    CHECK_OK(MPI_Win_get_group(k.win, &all));
    for (int i = 0; i < 3; i++) {
        v += 100;
        CHECK_OK(MPI_Win_post(all, posts[i], k.win));
        CHECK_OK(MPI_Barrier(W)); /* MPI_MODE_NOCHECK: all have posted */
        CHECK_OK(MPI_Win_start(all, posts[i] & MPI_MODE_NOCHECK, k.win));
        CHECK_OK(MPI_Put(&v, 1, MPI_INT, next, at, 1, MPI_INT, k.win));
        CHECK_OK(MPI_Win_complete(k.win));
        CHECK_OK(MPI_Win_wait(k.win));
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, next, MPI_MODE_NOCHECK, k.win));
        CHECK_OK(MPI_Get(&got, 1, MPI_INT, next, at, 1, MPI_INT, k.win));
        CHECK_OK(MPI_Win_unlock(next, k.win));
        CHECK_EQ(got, v);
        CHECK_OK(MPI_Barrier(W));
    }
    MPI_Group_free(&all);
}

/* Creation with wide arguments. */
static void check_creation(void)
{
    MPI_Aint wide = (MPI_Aint)1 << 33, size_of = 0, unit = 0;
    MPI_Info none = MPI_INFO_NULL;
    char own[64] = {0}, *base, got = 0;
    MPI_Win win[3];

    CHECK_OK(MPI_Win_allocate_c(64, wide, none, W, &base, &win[0]));
    base[0] = (char)(rank + 1);
    CHECK_OK(MPI_Win_create_c(own, 64, 8, none, W, &win[1]));
    own[8] = (char)(rank + 1);
    if (kind_on(W, SHARED) == SHARED) {
        CHECK_OK(MPI_Win_allocate_shared_c(64, wide, none, W, &base, &win[2]));
        base[0] = (char)(rank + 1);
        CHECK_OK(MPI_Win_shared_query_c(win[2], next, &size_of, &unit, &base));
        CHECK(size_of == 64 && unit == wide && base);
    } else {
        CHECK_OK(MPI_Win_allocate_c(64, wide, none, W, &base, &win[2]));
        base[0] = (char)(rank + 1);
    }
    CHECK_OK(MPI_Barrier(W));
    for (int i = 0; i < 3; i++) {
        CHECK_OK(MPI_Win_set_errhandler(win[i], MPI_ERRORS_RETURN));
        CHECK_OK(MPI_Win_lock_all(0, win[i]));
        CHECK_OK(MPI_Get_c(&got, 1, MPI_CHAR, next, i == 1, 1, MPI_CHAR, win[i]));
        CHECK_OK(MPI_Win_flush(next, win[i]));
        CHECK_EQ(got, next + 1);
        if (i != 1)
            CHECK_CLASS(MPI_Get(&got, 1, MPI_CHAR, next, 1, 1, MPI_CHAR, win[i]),
                        MPI_ERR_RMA_RANGE);
        CHECK_OK(MPI_Win_unlock_all(win[i]));
        CHECK_OK(MPI_Win_free(&win[i]));
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    know_rank();
    return_errors();
    next = (rank + 1) % size;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        snprintf(doing, sizeof(doing), "a window that is %s", kind_names[kind]);
        k = make_window(kind_on(W, kind), 4096, 1, W);
        for (int shift = 0; shift < 2; shift++) {
            at = disp_of(&k, next, 64 + shift, 1);
            check_types();
        }
        check_assertions();
        free_window(&k);
    }
    check_creation();
    MPI_Finalize();
    return 0;
}
