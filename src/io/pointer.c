/* SPDX-License-Identifier: BSD-3-Clause */
/* pointer.c – the shared file pointer.
 *
 *   the members share memory    a word of rank 0                   changed by one atomic instruction of the process that moves it: no
 *                                                                  process can die in between, and the word outlives rank 0
 *   are on several nodes        a number that the job keeps        changed by mpiexec, which answers whatever ranks do, and whose loss
 *                                                                  ends the job: it outlives all of them (S5-22)
 *   are of several jobs         in a window of rank 0, or          rank 0 changes it, when it is in MPI; when it is dead the pointer
 *   (or in the simulator)                                          is lost (S0-53), and each process tells where it was when it last
 *                                                                  heard of it (S0-54) */
#include "io/file.h"

#include "io/together.h"
#include "io/word.h"
#include "rma/op.h"
#include "req/request.h"
#include "rma/sync.h"
#include "rt/rt.h"

int mend_pointer_begin(struct mend_file *f, struct mend_comm *c)
{
    if (c->size == 1 || c->rank != 0 || f->tallied)
        return MPI_SUCCESS;
    f->word_at = mend_file_word_take(f->self);
    return f->word_at ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* A word that some member may still use stays taken. */
void mend_pointer_end(struct mend_file *f)
{
    if (f->word_at && f->all_left && mend_file_word_is_own(f->self, f->word_at))
        mend_file_word_give_back(f->self, f->word_at);
    f->word_at = 0;
    if (f->tallied && f->comm && f->all_left && mend_file_is_first(f))
        f->self->rt->tally(f->self, f->comm->ctx, MEND_TALLY_FORGET, 0);
}

/* *word_p NULL: it is not in memory. */
static int find_word(struct mend_file *f, mend_atomic_u64 **word_p)
{
    if (!f->word && mend_file_shares_memory(f))
        f->word = f->word_at ? mend_file_word_at(f->self, f->word_at) : &f->alone;
    *word_p = f->word;
    return f->word || !mend_file_shares_memory(f) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* ---- kept by the job ---- */

struct answer {
    struct mend_file *f;
    uint64_t question;
    bool heard;
    int64_t was;
};

static bool is_free(struct mend_proc *self, void *arg)
{
    const struct answer *a = arg;

    return !self->tallying || a->f->comm->revoked;
}

static bool is_answered(struct mend_proc *self, void *arg)
{
    struct answer *a = arg;

    a->heard = a->heard || self->rt->tallied(self, a->question, &a->was);
    return a->heard || a->f->comm->revoked;
}

static void await(struct answer *a, bool (*until)(struct mend_proc *, void *))
{
    const struct mend_wait wait = {.cause = MEND_WAIT_OTHER,
                                   .until = until,
                                   .arg = a,
                                   .hint = MEND_PEER_NONE,
                                   .rings = true,
                                   .what = "mpiexec to move a shared file pointer"};

    mend_wait_until(a->f->self, &wait);
}

/* One thread after the other.  What ends the waits: the answer of an agent, whose end is that of this process, or a revocation. */
static int ask_job(struct mend_file *f, enum mend_tally how, int64_t value, int64_t *was_p)
{
    struct mend_proc *self = f->self;
    struct answer a = {.f = f};
    int err;

    await(&a, is_free);
    err = mend_file_check_valid(f);
    if (err)
        return err;
    self->tallying = true;
    a.question = self->rt->tally(self, f->comm->ctx, how, value);
    await(&a, is_answered);
    self->tallying = false;
    if (!a.heard)
        return mend_file_check_valid(f);
    *was_p = a.was;
    return MPI_SUCCESS;
}

/* ---- in a window ---- */

/* *word = *word op value, by rank 0; *was_p: what it was. */
static int ask_rank(struct mend_file *f, MPI_Op op, int64_t value, int64_t *was_p)
{
    const struct mend_type *t = mend_type_predefined((uintptr_t)MPI_INT64_T);
    struct mend_rma_op k = {.kind = MEND_RMA_GET_ACC,
                            .origin = {.from = &value, .count = 1, .type = t},
                            .result = {.to = was_p, .count = 1, .type = t},
                            .there = {.count = 1, .type = t},
                            .op = mend_op_of(op),
                            .basic = t};
    int err = mend_rma_begin(f->win, &k, NULL);

    return err ? err : mend_win_flush(f->win, 0, false);
}

static int ask(struct mend_file *f, enum mend_tally how, int64_t value, int64_t *was_p)
{
    if (f->tallied)
        return ask_job(f, how, value, was_p);
    return ask_rank(f, how == MEND_TALLY_ADD ? MPI_SUM : MPI_REPLACE, value, was_p);
}

int mend_pointer_add(struct mend_file *f, MPI_Offset by, MPI_Offset *was_p)
{
    mend_atomic_u64 *word;
    int64_t was = 0;
    int err = find_word(f, &word);

    if (word)
        was = (int64_t)atomic_fetch_add(word, (uint64_t)by);
    else if (!err)
        err = ask(f, MEND_TALLY_ADD, by, &was);
    if (!err)
        f->last_known = was + by;
    *was_p = was;
    return err;
}

int mend_pointer_get(struct mend_file *f, MPI_Offset *at_p)
{
    MPI_Offset now;
    int err = mend_pointer_add(f, 0, &now);

    if (!mend_file_shares_memory(f) &&
        (err == MEND_CLASS_PROC_FAILED || err == MPI_ERR_INVALIDATED))
        err = MPI_SUCCESS; /* what it has heard last */
    if (!err)
        *at_p = f->last_known;
    return err;
}

int mend_pointer_set(struct mend_file *f, MPI_Offset to)
{
    mend_atomic_u64 *word;
    int64_t was;
    int err = find_word(f, &word);

    if (word)
        atomic_store(word, (uint64_t)to);
    else if (!err)
        err = ask(f, MEND_TALLY_SET, to, &was);
    if (!err)
        f->last_known = to;
    return err;
}

static struct mend_coll_buf words(int64_t *at, MPI_Count n)
{
    return (struct mend_coll_buf){at, n, mend_type_predefined((uintptr_t)MPI_INT64_T), MPI_INT64_T};
}

/* Each adds what it has to what those before it have; the last one moves the pointer, and tells where it was, or why
 * it could not: the others wait for either.  Collective accesses that are under way have collectives of their own on this
 * communicator: they end first, as in agree(). */
int mend_pointer_add_ordered(struct mend_file *f, MPI_Offset by, MPI_Offset *was_p)
{
    struct mend_comm *c = f->comm;
    struct mend_coll_how now = {.kind = MEND_COLL_NOW}, then = now;
    struct {
        int64_t begin, end, error;
    } told = {0};
    int64_t until = by;
    struct mend_coll_buf out = words(&until, 1), from = words(&told.begin, 3);
    int last = c->size - 1, told_err, err;

    mend_file_drain(f);
    err = mend_coll_scan(c, &by, &out, mend_op_of(MPI_SUM), false, &now);
    if (c->rank == last)
        told.error = err ? err : mend_pointer_add(f, until, &told.begin);
    told.end = told.begin + until;
    told_err = mend_coll_bcast(c, &from, last, &then);
    err = err ? err : told_err ? told_err : (int)told.error;
    if (!err)
        f->last_known = told.end;
    *was_p = told.begin + until - by;
    return err;
}

/* At rank 0. */
static int seek(struct mend_file *f, MPI_Offset offset, int whence, MPI_Offset *to_p)
{
    MPI_Offset now = 0;
    int err = whence == MPI_SEEK_CUR ? mend_pointer_add(f, 0, &now) : MPI_SUCCESS;

    if (!err)
        err = mend_file_seek(f, offset, whence, now, to_p);
    return err ? err : mend_pointer_set(f, *to_p);
}

/* The members may still move the pointer and the end of the file while one of them is here: only rank 0 looks, and when all have
 * come. */
int mend_pointer_seek(struct mend_file *f, MPI_Offset offset, int whence, int own_error)
{
    uint64_t asked = (uint64_t)offset + (uint64_t)whence * UINT64_C(0x9e3779b97f4a7c15), told;
    int err = mend_file_agree_on(f, own_error, asked);
    MPI_Offset to = 0;

    if (!err && f->comm->rank == 0)
        own_error = seek(f, offset, whence, &to);
    told = (uint64_t)to;
    if (!err)
        err = mend_file_agree_place(f, own_error, NULL, &told);
    if (!err)
        f->last_known = (MPI_Offset)told;
    return err;
}
