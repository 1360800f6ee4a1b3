/* SPDX-License-Identifier: BSD-3-Clause */
/* part.c – partitioned point-to-point messages (MPI-5.0 chapter 4).
 *
 * The init calls are local.  A thread that marks partitions takes the library's lock only if no other thread is about
 * to send what is marked.  A death never shows here but in MPI_Parrived, for partitions that will not
 * come any more (R26); the completion call tells (S0-15). */
#include "mpi/message.h"
#include "part/part.h"
#include "req/take.h"

static int check_partitions(int partitions, MPI_Count count, const struct mend_type *t,
                            MPI_Count *all_p)
{
    if (partitions < 0)
        return MPI_ERR_ARG;
    return __builtin_mul_overflow(count, (MPI_Count)partitions, all_p)
               ? MPI_ERR_COUNT
               : mend_check_count_of(t, *all_p);
}

static int init(struct mend_part_args args, MPI_Datatype type, MPI_Comm comm, MPI_Info info,
                MPI_Request *request, const char *fn)
{
    struct mend_request *r = NULL;
    struct mend_info *i = NULL;
    MPI_Count all = 0;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_comm(comm, &args.c);
    if (!err)
        err = mend_check_committed(type, &args.type);
    if (!err)
        err = mend_check_count(args.count);
    if (!err)
        err = check_partitions(args.partitions_n, args.count, args.type, &all);
    if (!err)
        err = mend_check_buffer(args.buf, all, args.type);
    if (!err)
        err = mend_check_dest(args.c,
                              args.rank); /* no wildcards: the sender is known from the start */
    if (!err)
        err = mend_check_send_tag(args.tag);
    if (!err)
        err = mend_check_info_or_null(info, &i);
    if (!err)
        err = mend_check_pointer(request);
    if (!err)
        err = mend_part_create(&args, &r);
    if (!err)
        *request = mend_mpi_request_handle(r);
    return mend_report_comm(args.c, err, fn);
}

/* Make an inactive request; no partition leaves before MPI_Start and MPI_Pready.  4.2.1. */
MEND_API(MPI_Psend_init);
int MPI_Psend_init(const void *buf, int partitions, int count, MPI_Datatype datatype, int dest,
                   int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return init((struct mend_part_args){.is_send = true,
                                        .send_buf = buf,
                                        .partitions_n = partitions,
                                        .count = count,
                                        .rank = dest,
                                        .tag = tag},
                datatype, comm, info, request, __func__);
}

MEND_API(MPI_Psend_init_c);
int MPI_Psend_init_c(const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype,
                     int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return init((struct mend_part_args){.is_send = true,
                                        .send_buf = buf,
                                        .partitions_n = partitions,
                                        .count = count,
                                        .rank = dest,
                                        .tag = tag},
                datatype, comm, info, request, __func__);
}

MEND_API(MPI_Precv_init);
int MPI_Precv_init(void *buf, int partitions, int count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return init(
        (struct mend_part_args){
            .buf = buf, .partitions_n = partitions, .count = count, .rank = dest, .tag = tag},
        datatype, comm, info, request, __func__);
}

MEND_API(MPI_Precv_init_c);
int MPI_Precv_init_c(void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest,
                     int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return init(
        (struct mend_part_args){
            .buf = buf, .partitions_n = partitions, .count = count, .rank = dest, .tag = tag},
        datatype, comm, info, request, __func__);
}

/* Several partitions: the numbers low to high, or a list. */
struct numbers {
    int n, low;
    const int *list;
};

static int number(const struct numbers *k, int i)
{
    return k->list ? k->list[i] : k->low + i;
}

static int check_send(MPI_Request request, const struct numbers *k, struct mend_part **p_p)
{
    struct mend_request *r = NULL;
    struct mend_part *p;
    int err = mend_check_request(request, &r);

    p = err ? NULL : mend_part_of(r);
    if (!p || !mend_part_is_send(p))
        return MPI_ERR_REQUEST;
    *p_p = p;
    if (k->n < 0 || (k->n > 0 && !k->list && k->low < 0))
        return MPI_ERR_ARG;
    for (int i = 0; i < k->n; i++)
        if (number(k, i) < 0 || number(k, i) >= mend_part_count(p))
            return MPI_ERR_ARG;
    return MPI_SUCCESS;
}

/* With the lock.  twice: a partition was marked already, or the request was not started.  Otherwise the request may be over
 * and inactive by now: another thread has pushed what this one marked. */
static int finish(struct mend_part *p, bool twice, const char *fn)
{
    struct mend_request *r = (struct mend_request *)p;
    int err = mend_enter(fn);

    if (!err && twice)
        err = r->state == MEND_REQUEST_INACTIVE ? MPI_ERR_REQUEST : MPI_ERR_ARG;
    mend_event(mend_self, MEND_EV_PART_MARKED);
    mend_part_push(p);
    return mend_report_comm(r->comm, err, fn);
}

/* Any thread.  The lock is taken only if this thread has to send, or has an error to report. */
static int ready(MPI_Request request, const struct numbers *k, const char *fn)
{
    struct mend_proc *self = mend_self;
    struct mend_part *p = NULL;
    bool twice = false;
    int err;

    if (mend_unlikely(!self || self->state != MEND_PROC_RUNNING))
        return mend_report(mend_enter(fn), fn);
    err = check_send(request, k, &p);
    if (mend_unlikely(err)) {
        mend_enter(fn);
        return mend_report_comm(p ? ((struct mend_request *)p)->comm : NULL, err, fn);
    }
    for (int i = 0; i < k->n; i++)
        twice |= !mend_part_mark(p, number(k, i));
    if (!mend_part_must_push(p) && !twice && !self->events)
        return MPI_SUCCESS;
    return finish(p, twice, fn);
}

/* 4.2.1.  Local.  MPI_ERR_ARG: no such partition, or it was marked already; MPI_ERR_REQUEST: no partitioned send, or
 * an inactive one. */
MEND_API(MPI_Pready);
int MPI_Pready(int partition, MPI_Request request)
{
    return ready(request, &(struct numbers){.n = 1, .low = partition}, __func__);
}

/* Nothing if high is below low. */
MEND_API(MPI_Pready_range);
int MPI_Pready_range(int partition_low, int partition_high, MPI_Request request)
{
    int n = partition_high < partition_low ? 0 : partition_high - partition_low + 1;

    return ready(request, &(struct numbers){.n = n, .low = partition_low}, __func__);
}

MEND_API(MPI_Pready_list);
int MPI_Pready_list(int length, const int array_of_partitions[], MPI_Request request)
{
    if (length > 0 && !array_of_partitions)
        length = -1;
    return ready(request, &(struct numbers){.n = length, .list = array_of_partitions}, __func__);
}

static int check_receive(MPI_Request request, int partition, struct mend_part **p_p)
{
    struct mend_request *r = NULL;
    int err = mend_check_request(request, &r);

    if (err || !r)
        return err;
    *p_p = mend_part_of(r);
    if (!*p_p || mend_part_is_send(*p_p)) {
        *p_p = NULL;
        return MPI_ERR_REQUEST;
    }
    return partition >= 0 && partition < mend_part_count(*p_p) ? MPI_SUCCESS : MPI_ERR_ARG;
}

/* The way of a partition that has not arrived: looks for messages once. */
static int look(struct mend_part *p, int partition, int *flag, const char *fn)
{
    struct mend_request *r = (struct mend_request *)p;
    int error = MPI_SUCCESS, err = mend_enter(fn);

    if (!err) {
        if (mend_request_is_active(r))
            mend_request_look(mend_self, r);
        *flag = mend_part_settled(p, partition, &error);
        err = error;
    }
    return mend_report_comm(r->comm, err, fn);
}

/* 4.2.2.  True for a null or inactive request.  A partition that cannot arrive any more: true, and the error of the
 * request (R26). */
MEND_API(MPI_Parrived);
int MPI_Parrived(MPI_Request request, int partition, int *flag)
{
    struct mend_proc *self = mend_self;
    struct mend_part *p = NULL;
    int err;

    if (mend_unlikely(!self || self->state != MEND_PROC_RUNNING))
        return mend_report(mend_enter(__func__), __func__);
    err = mend_check_pointer(flag);
    if (!err)
        err = check_receive(request, partition, &p);
    if (!err && (!p || mend_part_arrived(p, partition))) {
        *flag = 1;
        return MPI_SUCCESS;
    }
    if (!err)
        return look(p, partition, flag, __func__);
    mend_enter(__func__);
    return mend_report_comm(p ? ((struct mend_request *)p)->comm : NULL, err, __func__);
}
