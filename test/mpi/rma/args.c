/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong arguments and calls out of their epoch give the right class through the window's error handler, change nothing,
 * and leave the window usable; a member that says no makes creation fail at all; windows come and go by the thousand and
 * leave nothing.  Of windows of each kind.
 *
 * RUN: -n 2
 * RUN: -n 2 ; set RMA_SHM=0
 * RUN: -n 3 ; time 60 */
#include "common.h"

static struct window k;
static int v[4], next;

static void out_of_epoch(void)
{
    MPI_Request r = MPI_REQUEST_NULL;
    int flag;

    CHECK_CLASS(MPI_Put(v, 1, MPI_INT, next, 0, 1, MPI_INT, k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Get(v, 1, MPI_INT, next, 0, 1, MPI_INT, k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Accumulate(v, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, k.win),
                MPI_ERR_RMA_SYNC);
    CHECK_CLASS(
        MPI_Get_accumulate(v, 1, MPI_INT, v + 1, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, k.win),
        MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Fetch_and_op(v, v + 1, MPI_INT, next, 0, MPI_SUM, k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Compare_and_swap(v, v + 1, v + 2, MPI_INT, next, 0, k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Rput(v, 1, MPI_INT, next, 0, 1, MPI_INT, k.win, &r), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Rget(v, 1, MPI_INT, next, 0, 1, MPI_INT, k.win, &r), MPI_ERR_RMA_SYNC);
    CHECK(r == MPI_REQUEST_NULL);
    CHECK_CLASS(MPI_Win_unlock(next, k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock_all(k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush_all(k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush_local(next, k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_complete(k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_wait(k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_test(k.win, &flag), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush(next, k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush_local_all(k.win), MPI_ERR_RMA_SYNC);
}

static void within_a_lock(void)
{
    MPI_Win null = MPI_WIN_NULL;

    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, k.win));
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_lock_all(0, k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_fence(0, k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_free(&k.win), MPI_ERR_RMA_SYNC);
    CHECK(k.win != MPI_WIN_NULL);
    CHECK_CLASS(MPI_Put(v, 1, MPI_INT, next, 1000, 1, MPI_INT, k.win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Put(v, 2, MPI_INT, next, 999, 2, MPI_INT, k.win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Put(v, 1, MPI_INT, next, INT64_MAX, 1, MPI_INT, k.win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Put(v, 1, MPI_INT, next, -1, 1, MPI_INT, k.win), MPI_ERR_DISP);
    CHECK_CLASS(MPI_Put(v, 1, MPI_INT, size, 0, 1, MPI_INT, k.win), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Put(v, -1, MPI_INT, next, 0, 1, MPI_INT, k.win), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Put(v, 2, MPI_INT, next, 0, 1, MPI_INT, k.win), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Put(v, 1, MPI_DATATYPE_NULL, next, 0, 1, MPI_INT, k.win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Put(NULL, 1, MPI_INT, next, 0, 1, MPI_INT, k.win), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Put(v, 1, MPI_INT, next, 0, 1, MPI_INT, null), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Accumulate(v, 1, MPI_INT, next, 0, 1, MPI_FLOAT, MPI_SUM, k.win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Accumulate(v, 1, MPI_FLOAT, next, 0, 1, MPI_FLOAT, MPI_BAND, k.win),
                MPI_ERR_OP);
    CHECK_CLASS(MPI_Accumulate(v, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_OP_NULL, k.win), MPI_ERR_OP);
    CHECK_CLASS(MPI_Compare_and_swap(v, v, v, MPI_DOUBLE_INT, next, 0, k.win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Compare_and_swap(v, v, v, MPI_DOUBLE, next, 0, k.win), MPI_ERR_TYPE);
    CHECK_OK(MPI_Put(v, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, k.win));
    CHECK_OK(MPI_Put(v, 0, MPI_INT, next, 0, 0, MPI_INT, k.win));
    CHECK_OK(MPI_Win_unlock(next, k.win));
    CHECK_CLASS(MPI_Win_lock(17, next, 0, k.win), MPI_ERR_LOCKTYPE);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, k.win), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, next, 1, k.win), MPI_ERR_ASSERT);
}

static void within_a_lock_of_all(void)
{
    CHECK_OK(MPI_Win_lock_all(0, k.win));
    CHECK_CLASS(MPI_Win_flush(size, k.win), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Win_flush_local(-100, k.win), MPI_ERR_RANK);
    CHECK_OK(MPI_Win_flush(next, k.win));
    CHECK_OK(MPI_Win_unlock_all(k.win));
}

/* No window is freed within an epoch, and none begins within another one; the first one goes on. */
static void within_open_epochs(void)
{
    MPI_Group all;

    CHECK_OK(MPI_Win_get_group(k.win, &all));
    CHECK_OK(MPI_Win_lock_all(0, k.win));
    CHECK_CLASS(MPI_Win_free(&k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_lock_all(0, k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock(next, k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_start(all, 0, k.win), MPI_ERR_RMA_SYNC);
    CHECK_OK(MPI_Win_unlock_all(k.win));
    CHECK_OK(MPI_Win_post(all, 0, k.win));
    CHECK_CLASS(MPI_Win_free(&k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_post(all, 0, k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_fence(0, k.win), MPI_ERR_RMA_SYNC);
    CHECK_OK(MPI_Win_start(all, 0, k.win));
    CHECK_CLASS(MPI_Win_free(&k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_start(all, 0, k.win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush(next, k.win), MPI_ERR_RMA_SYNC);
    CHECK_OK(MPI_Win_complete(k.win));
    CHECK_OK(MPI_Win_wait(k.win));
    MPI_Group_free(&all);
}

/* Operations that the target answers say it as well, at the next synchronization or at their request. */
static void fetching(struct window *d)
{
    MPI_Aint at = d->at[next] + 4000;
    MPI_Request r;

    CHECK_OK(MPI_Win_lock_all(0, d->win));
    CHECK_OK(MPI_Get(v, 1, MPI_INT, next, at, 1, MPI_INT, d->win));
    CHECK_CLASS(MPI_Win_flush(next, d->win), MPI_ERR_RMA_RANGE);
    CHECK_OK(MPI_Win_flush(next, d->win));
    CHECK_OK(MPI_Get(v, 1, MPI_INT, next, at, 1, MPI_INT, d->win));
    CHECK_CLASS(MPI_Win_flush_local(next, d->win), MPI_ERR_RMA_RANGE);
    CHECK_OK(MPI_Get_accumulate(v, 1, MPI_INT, v + 1, 1, MPI_INT, next, at, 1, MPI_INT, MPI_SUM,
                                d->win));
    CHECK_CLASS(MPI_Win_flush_all(d->win), MPI_ERR_RMA_RANGE);
    CHECK_OK(MPI_Fetch_and_op(v, v + 1, MPI_INT, next, at, MPI_SUM, d->win));
    CHECK_CLASS(MPI_Win_flush(next, d->win), MPI_ERR_RMA_RANGE);
    CHECK_OK(MPI_Rget(v, 1, MPI_INT, next, at, 1, MPI_INT, d->win, &r));
    CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_RMA_RANGE);
    CHECK_OK(MPI_Win_flush(next, d->win));
    CHECK_OK(MPI_Compare_and_swap(v, v + 1, v + 2, MPI_INT, next, at, d->win));
    CHECK_CLASS(MPI_Win_unlock_all(d->win), MPI_ERR_RMA_RANGE);
}

static void attaching(void)
{
    struct window d;
    char more[64];

    CHECK_CLASS(MPI_Win_attach(k.win, more, 8), MPI_ERR_RMA_FLAVOR);
    d = make_window(DYNAMIC, 4000, 1, W);
    CHECK_OK(MPI_Win_attach(d.win, more, sizeof(more)));
    CHECK_CLASS(MPI_Win_attach(d.win, more + 8, 8), MPI_ERR_RMA_ATTACH);
    CHECK_OK(MPI_Win_detach(d.win, more));
    CHECK_CLASS(MPI_Win_detach(d.win, more), MPI_ERR_RMA_ATTACH);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, d.win));
    CHECK_OK(MPI_Put(v, 1, MPI_INT, next, d.at[next] + 4000, 1, MPI_INT, d.win));
    CHECK_CLASS(MPI_Win_unlock(next, d.win), MPI_ERR_RMA_RANGE); /* the target has said so */
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, d.win));
    CHECK_OK(MPI_Put(v, 1, MPI_INT, next, d.at[next] + 3996, 1, MPI_INT, d.win));
    CHECK_OK(MPI_Win_unlock(next, d.win));
    fetching(&d);
    free_window(&d);
}

/* The error of one is that of all, and it is raised on the communicator. */
static void creation(void)
{
    MPI_Win win = MPI_WIN_NULL;
    void *base;

    CHECK_CLASS(MPI_Win_allocate(rank ? 8 : -1, 1, MPI_INFO_NULL, W, &base, &win), MPI_ERR_SIZE);
    CHECK_CLASS(MPI_Win_allocate(8, rank ? 1 : 0, MPI_INFO_NULL, W, &base, &win), MPI_ERR_DISP);
    CHECK_CLASS(MPI_Win_allocate((MPI_Aint)1 << 60, 1, MPI_INFO_NULL, W, &base, &win),
                MPI_ERR_NO_MEM);
    CHECK_CLASS(
        MPI_Win_allocate_shared(rank ? 8 : (MPI_Aint)1 << 60, 1, MPI_INFO_NULL, W, &base, &win),
        MPI_ERR_NO_MEM);
    CHECK_CLASS(MPI_Win_create(NULL, 8, 1, MPI_INFO_NULL, W, &win), MPI_ERR_BASE);
    CHECK_CLASS(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_NULL, &base, &win), MPI_ERR_COMM);
    CHECK(win == MPI_WIN_NULL);
}

static void many(void)
{
    MPI_Win win;
    char *base;

    for (int i = 0; i < 2000; i++) {
        CHECK_OK(MPI_Win_allocate(100, 1, MPI_INFO_NULL, W, &base, &win));
        base[99] = 1;
        CHECK_OK(MPI_Win_free(&win));
    }
}

static void objects(void)
{
    MPI_Aint *bytes, n;
    int *unit, flag, key, len;
    char name[MPI_MAX_OBJECT_NAME], *base;
    MPI_Info info;
    MPI_Errhandler e;

    CHECK_OK(MPI_Win_get_attr(k.win, MPI_WIN_SIZE, &bytes, &flag));
    CHECK(flag && *bytes == 4000);
    CHECK_OK(MPI_Win_get_attr(k.win, MPI_WIN_DISP_UNIT, &unit, &flag));
    CHECK(flag && *unit == 4);
    CHECK_OK(MPI_Win_get_attr(k.win, MPI_WIN_BASE, &base, &flag));
    CHECK(flag && base == k.base);
    CHECK_OK(MPI_Win_get_attr(k.win, MPI_WIN_CREATE_FLAVOR, &unit, &flag));
    CHECK(flag && *unit == MPI_WIN_FLAVOR_ALLOCATE);
    CHECK_OK(MPI_Win_get_attr(k.win, MPI_WIN_MODEL, &unit, &flag));
    CHECK(flag && *unit == MPI_WIN_UNIFIED);
    CHECK_CLASS(MPI_Win_set_attr(k.win, MPI_WIN_SIZE, v), MPI_ERR_KEYVAL);
    CHECK_OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL));
    CHECK_OK(MPI_Win_set_attr(k.win, key, v));
    CHECK_OK(MPI_Win_get_attr(k.win, key, &unit, &flag));
    CHECK(flag && unit == v);
    CHECK_OK(MPI_Win_delete_attr(k.win, key));
    CHECK_OK(MPI_Win_get_attr(k.win, key, &unit, &flag));
    CHECK(!flag);
    CHECK_OK(MPI_Win_free_keyval(&key));
    CHECK_OK(MPI_Win_get_name(k.win, name, &len));
    CHECK_EQ(len, 0);
    CHECK_OK(MPI_Win_set_name(k.win, "table"));
    CHECK_OK(MPI_Win_get_name(k.win, name, &len));
    CHECK(len == 5 && !strcmp(name, "table"));
    CHECK_OK(MPI_Win_get_info(k.win, &info));
    CHECK_OK(MPI_Info_get_valuelen(info, "no_locks", &len, &flag));
    CHECK(flag);
    MPI_Info_free(&info);
    CHECK_OK(MPI_Win_get_errhandler(k.win, &e));
    CHECK(e == MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Win_toint(MPI_WIN_NULL), 0x110);
    CHECK(MPI_Win_fromint(MPI_Win_toint(k.win)) == k.win);
    CHECK_OK(MPI_Win_shared_query(k.win, next, &n, unit = v, &base));
    CHECK(n == 4000 && base && v[0] == 4);
}

static MPI_Win raised_on;
static int raised;

static void on_error(MPI_Win *win, int *code, ...)
{
    raised_on = *win;
    raised = *code;
}

/* That of the window is called, by the library and by the program. */
static void error_handlers(void)
{
    MPI_Errhandler mine, got;

    CHECK_OK(MPI_Win_create_errhandler(on_error, &mine));
    CHECK_OK(MPI_Win_set_errhandler(k.win, mine));
    CHECK_OK(MPI_Win_get_errhandler(k.win, &got));
    CHECK(got == mine);
    CHECK_CLASS(MPI_Win_unlock(next, k.win), MPI_ERR_RMA_SYNC);
    CHECK(raised_on == k.win && class_of(raised) == MPI_ERR_RMA_SYNC);
    CHECK_OK(MPI_Win_call_errhandler(k.win, MPI_ERR_OTHER));
    CHECK(raised_on == k.win && raised == MPI_ERR_OTHER);
    CHECK_OK(MPI_Win_set_errhandler(k.win, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Errhandler_free(&mine));
    CHECK_OK(MPI_Errhandler_free(&got));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    know_rank();
    return_errors();
    next = (rank + 1) % size;
    for (enum kind kind = 0; kind < DYNAMIC; kind++) {
        snprintf(doing, sizeof(doing), "a window that is %s", kind_names[kind]);
        k = make_window(kind_on(W, kind), 4000, 4, W);
        out_of_epoch();
        within_a_lock();
        within_a_lock_of_all();
        within_open_epochs();
        free_window(&k);
    }
    k = make_window(ALLOCATED, 4000, 4, W);
    objects();
    error_handlers();
    attaching();
    creation();
    many();
    CHECK_OK(MPI_Win_fence(0, k.win));
    CHECK_OK(MPI_Put(v, 1, MPI_INT, next, 0, 1, MPI_INT, k.win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, k.win));
    free_window(&k);
    MPI_Finalize();
    return 0;
}
