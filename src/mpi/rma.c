/* SPDX-License-Identifier: BSD-3-Clause */
/* rma.c – put, get, accumulate and their like (MPI-5.0 12.3), in both widths.
 *
 * None is collective.  None waits for its target; an accumulate on a window in shared memory may wait for a
 * moment, while another process changes elements of the same part under their lock: that process's release or death,
 * or a revocation, ends the wait.  None reports the death of a process (S0-40): towards a dead target they succeed and do
 * nothing, and the synchronization tells; a request reports MPI_ERR_PROC_FAILED as it completes.  MPI_ERR_RMA_SYNC: no epoch
 * allows it; MPI_ERR_RMA_RANGE: outside of the target's part; MPI_ERR_INVALIDATED.
 *
 * Origin, result and target must be of as many bytes; accumulates need one predefined type of elements in all. */
#include "mpi/message.h"
#include "mpi/win.h"

#include "base/copy.h"
#include "rma/direct.h"
#include "rma/element.h"
#include "rma/op.h"

/* Arguments in the order of the standard; what a call does not have is left out. */
struct arguments {
    const void *origin, *compare;
    void *result;
    MPI_Count origin_n, result_n, there_n;
    MPI_Datatype origin_t, result_t, there_t;
    MPI_Op op;
    int target;
    MPI_Aint disp;
    MPI_Win win;
};

static int check_side(MPI_Datatype type, MPI_Count count, const void *buf, struct mend_rma_data *d)
{
    d->from = buf;
    d->count = count;
    return mend_check_data(type, count, buf, &d->type);
}

static int check_there(const struct mend_win *w, const struct arguments *a, struct mend_rma_op *k)
{
    int err = mend_check_committed(a->there_t, &k->there.type);

    k->there.count = a->there_n;
    k->target = a->target;
    k->disp = a->disp;
    if (!err)
        err = mend_check_count_of(k->there.type, a->there_n);
    if (!err)
        err = mend_check_target(w, a->target);
    if (!err && a->disp < 0 && w->flavor != MPI_WIN_FLAVOR_DYNAMIC)
        err = MPI_ERR_DISP;
    return err;
}

static MPI_Count bytes_of(const struct mend_rma_data *d)
{
    return d->count * d->type->size;
}

/* Integers, logicals, bytes (MPI-5.0 12.3.4). */
static bool may_be_swapped(const struct mend_type *basic)
{
    return (basic->basic >= MEND_BASIC_I8 && basic->basic <= MEND_BASIC_U64) ||
           (basic->basic >= MEND_BASIC_LOGICAL8 && basic->basic <= MEND_BASIC_LOGICAL64) ||
           basic->basic == MEND_BASIC_BOOL || basic->basic == MEND_BASIC_BYTE;
}

static int check_op(const struct arguments *a, struct mend_rma_op *k)
{
    int err;

    if (k->kind == MEND_RMA_PUT || k->kind == MEND_RMA_GET || bytes_of(&k->there) == 0)
        return MPI_SUCCESS;
    k->basic = mend_rma_basic(k->there.type);
    if (!k->basic)
        return MPI_ERR_TYPE;
    if (k->kind == MEND_RMA_SWAP)
        return k->there.type->predefined && may_be_swapped(k->basic) ? MPI_SUCCESS : MPI_ERR_TYPE;
    err = mend_check_op(a->op, &k->op);
    if (err)
        return err;
    if (!k->op->predefined)
        return MPI_ERR_OP;
    return mend_rma_op_is_special(k->op) ? MPI_SUCCESS : mend_check_op_type(k->op, k->basic);
}

/* As many bytes on all sides, and elements of one type. */
static int check_match(const struct mend_rma_op *k)
{
    const struct mend_rma_data *side[] = {&k->origin, &k->result};

    for (int i = 0; i < 2; i++) {
        if (!side[i]->type)
            continue;
        if (bytes_of(side[i]) != bytes_of(&k->there))
            return MPI_ERR_COUNT;
        if (k->basic && side[i]->type->basic != k->basic->basic)
            return MPI_ERR_TYPE;
    }
    return MPI_SUCCESS;
}

static bool looks_at_origin(const struct arguments *a, const struct mend_rma_op *k)
{
    return k->kind != MEND_RMA_GET && !(k->kind == MEND_RMA_GET_ACC && a->op == MPI_NO_OP);
}

static int check_all(const struct mend_win *w, const struct arguments *a, struct mend_rma_op *k)
{
    int err = check_there(w, a, k);

    if (!err && looks_at_origin(a, k))
        err = check_side(a->origin_t, a->origin_n, a->origin, &k->origin);
    if (!err &&
        (k->kind == MEND_RMA_GET || k->kind == MEND_RMA_GET_ACC || k->kind == MEND_RMA_SWAP))
        err = check_side(a->result_t, a->result_n, a->result, &k->result);
    k->compare = a->compare;
    if (!err && k->kind == MEND_RMA_SWAP)
        err = mend_check_pointer(a->compare);
    if (!err)
        err = check_op(a, k);
    return err ? err : check_match(k);
}

/* ---- the common case ---- */

/* Elements of one predefined type without gaps, as many on all sides, in memory that this process reaches: nothing else
 * needs a look.  at NULL: it is not so, or the process has news; the general way looks, and reports what is wrong. */
struct common {
    struct mend_win *w;
    const struct mend_type *type;
    char *at;
    size_t bytes;
};

static inline struct common common_case(MPI_Win win, int target, MPI_Aint disp, MPI_Count n,
                                        MPI_Datatype type, MPI_Count there_n,
                                        MPI_Datatype there_type)
{
    struct common k = {.at = NULL};
    struct mend_proc *self = mend_self;

    if (mend_unlikely(!self || !mend_goes_short_way(self) || type != there_type || n != there_n ||
                      n <= 0 || n > INT32_MAX || mend_check_win(win, &k.w)))
        return k;
    k.type = mend_type_predefined((uintptr_t)type);
    if (mend_unlikely(!k.type || !k.type->dense || k.type->true_lb || !k.type->size))
        return k;
    k.bytes = (size_t)(n * k.type->size);
    k.at = mend_direct_at(k.w, target, disp, (MPI_Count)k.bytes);
    return k;
}

/* A number goes by one instruction. */
static inline void copy(void *to, const void *from, size_t n)
{
    if (n == 8)
        memcpy(to, from, 8);
    else
        mend_copy_any(to, from, n);
}

/* False: nothing was done, and the general way has to look. */
static inline bool accumulate(const struct common *k, int target, const void *in, MPI_Count n,
                              MPI_Op handle, void *old)
{
    const struct mend_op *op;
    bool sum = handle == MPI_SUM && mend_element_can_sum(k->type);

    if (mend_likely(sum && n == 1 && in))
        return !mend_rma_add(k->w, target, k->type, in, k->at, old);
    op = (uintptr_t)handle < 0x1000 ? mend_op_of(handle) : NULL;
    if (mend_unlikely(!in || !op || handle == MPI_NO_OP ||
                      (!sum && handle != MPI_REPLACE && mend_op_check(op, k->type))))
        return false;
    return !mend_rma_apply(k->w, target, op, k->type, in, k->at, n, old);
}

static int operate(enum mend_rma_kind kind, const struct arguments *a, MPI_Request *request,
                   const char *fn)
{
    struct mend_win *w = NULL;
    struct mend_request *r = NULL;
    struct mend_rma_op k = {.kind = kind};
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_win(a->win, &w);
    if (!err && a->target != MPI_PROC_NULL) {
        err = check_all(w, a, &k);
        if (!err)
            err = mend_rma_begin(w, &k, request ? &r : NULL);
    }
    if (!err && request)
        *request = mend_mpi_request_handle(r ? r : mend_p2p_sent(mend_self));
    return mend_report_win(w, err, fn);
}

static int with_request(enum mend_rma_kind kind, const struct arguments *a, MPI_Request *request,
                        const char *fn)
{
    int err;

    if (request)
        return operate(kind, a, request, fn);
    err = mend_enter(fn);
    return mend_report(err ? err : MPI_ERR_ARG, fn);
}

#define COMMON_CASE                                                                                \
    common_case(win, target_rank, target_disp, origin_count, origin_datatype, target_count,        \
                target_datatype)
#define ORIGIN .origin = origin_addr, .origin_n = origin_count, .origin_t = origin_datatype
#define RESULT .result = result_addr, .result_n = result_count, .result_t = result_datatype
#define THERE                                                                                      \
    .target = target_rank, .disp = target_disp, .there_n = target_count,                           \
    .there_t = target_datatype, .win = win
#define ARGUMENTS(...) (&(struct arguments){__VA_ARGS__})
#define PUT_ARGUMENTS  ARGUMENTS(ORIGIN, THERE)
#define GET_ARGUMENTS                                                                              \
    ARGUMENTS(.result = origin_addr, .result_n = origin_count, .result_t = origin_datatype, THERE)
#define ACC_ARGUMENTS     ARGUMENTS(ORIGIN, THERE, .op = op)
#define GET_ACC_ARGUMENTS ARGUMENTS(ORIGIN, RESULT, THERE, .op = op)

MEND_API(MPI_Put);
int MPI_Put(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
            int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
            MPI_Win win)
{
    struct common k = COMMON_CASE;

    if (mend_unlikely(!k.at || !origin_addr))
        return operate(MEND_RMA_PUT, PUT_ARGUMENTS, NULL, __func__);
    copy(k.at, origin_addr, k.bytes);
    return MPI_SUCCESS;
}

MEND_API(MPI_Put_c);
int MPI_Put_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
              int target_rank, MPI_Aint target_disp, MPI_Count target_count,
              MPI_Datatype target_datatype, MPI_Win win)
{
    struct common k = COMMON_CASE;

    if (mend_unlikely(!k.at || !origin_addr))
        return operate(MEND_RMA_PUT, PUT_ARGUMENTS, NULL, __func__);
    copy(k.at, origin_addr, k.bytes);
    return MPI_SUCCESS;
}

MEND_API(MPI_Rput);
int MPI_Rput(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
             int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
             MPI_Win win, MPI_Request *request)
{
    return with_request(MEND_RMA_PUT, PUT_ARGUMENTS, request, __func__);
}

MEND_API(MPI_Rput_c);
int MPI_Rput_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
               int target_rank, MPI_Aint target_disp, MPI_Count target_count,
               MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
    return with_request(MEND_RMA_PUT, PUT_ARGUMENTS, request, __func__);
}

MEND_API(MPI_Get);
int MPI_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
            MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win)
{
    struct common k = COMMON_CASE;

    if (mend_unlikely(!k.at || !origin_addr))
        return operate(MEND_RMA_GET, GET_ARGUMENTS, NULL, __func__);
    copy(origin_addr, k.at, k.bytes);
    return MPI_SUCCESS;
}

MEND_API(MPI_Get_c);
int MPI_Get_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
              int target_rank, MPI_Aint target_disp, MPI_Count target_count,
              MPI_Datatype target_datatype, MPI_Win win)
{
    struct common k = COMMON_CASE;

    if (mend_unlikely(!k.at || !origin_addr))
        return operate(MEND_RMA_GET, GET_ARGUMENTS, NULL, __func__);
    copy(origin_addr, k.at, k.bytes);
    return MPI_SUCCESS;
}

MEND_API(MPI_Rget);
int MPI_Rget(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
             MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
             MPI_Request *request)
{
    return with_request(MEND_RMA_GET, GET_ARGUMENTS, request, __func__);
}

MEND_API(MPI_Rget_c);
int MPI_Rget_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
               int target_rank, MPI_Aint target_disp, MPI_Count target_count,
               MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
    return with_request(MEND_RMA_GET, GET_ARGUMENTS, request, __func__);
}

MEND_API(MPI_Accumulate);
int MPI_Accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                   int target_rank, MPI_Aint target_disp, int target_count,
                   MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
    struct common k = COMMON_CASE;

    if (mend_likely(k.at && accumulate(&k, target_rank, origin_addr, origin_count, op, NULL)))
        return MPI_SUCCESS;
    return operate(MEND_RMA_ACC, ACC_ARGUMENTS, NULL, __func__);
}

MEND_API(MPI_Accumulate_c);
int MPI_Accumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                     int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                     MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
    struct common k = COMMON_CASE;

    if (mend_likely(k.at && accumulate(&k, target_rank, origin_addr, origin_count, op, NULL)))
        return MPI_SUCCESS;
    return operate(MEND_RMA_ACC, ACC_ARGUMENTS, NULL, __func__);
}

MEND_API(MPI_Raccumulate);
int MPI_Raccumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                    int target_rank, MPI_Aint target_disp, int target_count,
                    MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
    return with_request(MEND_RMA_ACC, ACC_ARGUMENTS, request, __func__);
}

MEND_API(MPI_Raccumulate_c);
int MPI_Raccumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                      MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
    return with_request(MEND_RMA_ACC, ACC_ARGUMENTS, request, __func__);
}

MEND_API(MPI_Get_accumulate);
int MPI_Get_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                       void *result_addr, int result_count, MPI_Datatype result_datatype,
                       int target_rank, MPI_Aint target_disp, int target_count,
                       MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
    return operate(MEND_RMA_GET_ACC, GET_ACC_ARGUMENTS, NULL, __func__);
}

MEND_API(MPI_Get_accumulate_c);
int MPI_Get_accumulate_c(const void *origin_addr, MPI_Count origin_count,
                         MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count,
                         MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                         MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                         MPI_Win win)
{
    return operate(MEND_RMA_GET_ACC, GET_ACC_ARGUMENTS, NULL, __func__);
}

MEND_API(MPI_Rget_accumulate);
int MPI_Rget_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                        void *result_addr, int result_count, MPI_Datatype result_datatype,
                        int target_rank, MPI_Aint target_disp, int target_count,
                        MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
    return with_request(MEND_RMA_GET_ACC, GET_ACC_ARGUMENTS, request, __func__);
}

MEND_API(MPI_Rget_accumulate_c);
int MPI_Rget_accumulate_c(const void *origin_addr, MPI_Count origin_count,
                          MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count,
                          MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                          MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                          MPI_Win win, MPI_Request *request)
{
    return with_request(MEND_RMA_GET_ACC, GET_ACC_ARGUMENTS, request, __func__);
}

/* One element of a predefined type. */
MEND_API(MPI_Fetch_and_op);
int MPI_Fetch_and_op(const void *origin_addr, void *result_addr, MPI_Datatype datatype,
                     int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
    struct common k = common_case(win, target_rank, target_disp, 1, datatype, 1, datatype);

    if (mend_likely(k.at && result_addr &&
                    accumulate(&k, target_rank, origin_addr, 1, op, result_addr)))
        return MPI_SUCCESS;
    return operate(MEND_RMA_GET_ACC,
                   &(struct arguments){.origin = origin_addr,
                                       .origin_n = 1,
                                       .origin_t = datatype,
                                       .result = result_addr,
                                       .result_n = 1,
                                       .result_t = datatype,
                                       .target = target_rank,
                                       .disp = target_disp,
                                       .there_n = 1,
                                       .there_t = datatype,
                                       .op = op,
                                       .win = win},
                   NULL, __func__);
}

MEND_API(MPI_Compare_and_swap);
int MPI_Compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr,
                         MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win)
{
    struct common k = common_case(win, target_rank, target_disp, 1, datatype, 1, datatype);

    if (mend_unlikely(!k.at || !origin_addr || !compare_addr || !result_addr ||
                      !may_be_swapped(k.type) ||
                      mend_rma_path_of(k.w, target_rank, k.type, k.at) != MEND_RMA_PATH_ATOMIC))
        return operate(MEND_RMA_SWAP,
                       &(struct arguments){.origin = origin_addr,
                                           .origin_n = 1,
                                           .origin_t = datatype,
                                           .compare = compare_addr,
                                           .result = result_addr,
                                           .result_n = 1,
                                           .result_t = datatype,
                                           .target = target_rank,
                                           .disp = target_disp,
                                           .there_n = 1,
                                           .there_t = datatype,
                                           .win = win},
                       NULL, __func__);
    mend_element_swap_if(k.type, compare_addr, origin_addr, k.at, result_addr);
    return MPI_SUCCESS;
}
