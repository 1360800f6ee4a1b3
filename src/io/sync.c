/* SPDX-License-Identifier: BSD-3-Clause */
/* sync.c – what all members do together: agreements, sync, and changes of the file as a whole.
 *
 *   every member: { its worst error, the value that all must have } ── one agreement ──>
 *   the largest error, or MPI_ERR_NOT_SAME, or MPI_ERR_PROC_FAILED if a member has failed: the same at all survivors
 *
 * Words: max_word[0] the error; max_word[1] and [2]: the value and its complement, equal at all if one is the complement of
 * the other; and_word[0] all ones; and_word[1] of set_view and others: bit 0, my view has no holes; above it as many bits as
 * there would be aggregators; and_word[2]: where rank 0 has the word of the shared pointer. */
#include "io/file.h"

#include "comm/errcode.h"
#include "io/keep.h"
#include "io/later.h"
#include "io/os.h"
#include "io/together.h"
#include "node/node.h"

#include <errno.h>
#include <unistd.h>

static int agree(struct mend_file *f, int own_error, uint64_t value, uint64_t *all_p,
                 int *failed_n_p)
{
    struct mend_comm *c = f->comm;
    struct mend_decision d = {.max_word = {(uint64_t)own_error, value, ~value}};

    mend_file_finish_later(f);
    mend_file_drain(f);
    if (c->revoked)
        return MPI_ERR_INVALIDATED;
    d.and_word[0] = UINT64_MAX; /* a member for which the file is revoked has said 0 beforehand */
    d.and_word[1] = *all_p;
    d.and_word[2] = c->rank == 0 ? f->word_at : UINT64_MAX;
    mend_decide_wait(c, MEND_DECIDE_VALIDATION, &d);
    if (d.failed) {
        mend_failure_told_group(c->self, d.failed);
        mend_group_put(c->self, d.failed);
    }
    *all_p = d.and_word[1];
    if (!f->word_at && !f->win && d.and_word[2] != UINT64_MAX)
        f->word_at = d.and_word[2];
    if (failed_n_p)
        *failed_n_p = d.failed_n;
    if (d.and_word[0] != UINT64_MAX || c->revoked)
        return MPI_ERR_INVALIDATED;
    if (d.failed_n && !failed_n_p)
        return MEND_CLASS_PROC_FAILED;
    if (d.max_word[0])
        return (int)d.max_word[0];
    return d.max_word[1] == ~d.max_word[2] ? MPI_SUCCESS : MPI_ERR_NOT_SAME;
}

int mend_file_agree(struct mend_file *f, int own_error, uint64_t value, int *failed_n_p)
{
    uint64_t all = 0;

    return agree(f, own_error, value, &all, failed_n_p);
}

/* At most so many processes can copy into the kernel's memory at a time, and one file is locked by the one that writes. */
static int most_aggregators(const struct mend_file *f)
{
    const struct mend_node *node = f->self->node; /* NULL: no launcher, the simulator */
    int n = node && node->header->cores_n < 4 ? (int)node->header->cores_n : 4;

    return f->comm->size < n ? f->comm->size : n;
}

static bool gathers(const struct mend_file *f, int64_t choice, bool automatic)
{
    bool possible = f->comm->size > 1 && f->view.datarep->kind == MEND_DATAREP_NATIVE;

    return possible && (choice == MEND_HINT_AUTOMATIC ? automatic : choice == MEND_HINT_ENABLE);
}

int mend_file_agree_on_ways(struct mend_file *f, int own_error, uint64_t value,
                            const struct mend_file_hints *h, const struct mend_view *v)
{
    uint64_t all = ((UINT64_C(2) << most_aggregators(f)) - 2) | mend_view_is_whole(v);
    int err = agree(f, own_error, value ^ mend_file_hints_digest(h), &all, NULL);
    int wanted = (int)h->value[MEND_HINT_CB_NODES];

    if (err)
        return err;
    f->hints = *h;
    f->view = *v;
    f->aggregators =
        wanted ? (wanted < f->comm->size ? wanted : f->comm->size) : __builtin_popcountll(all >> 1);
    f->gathers[true] = gathers(f, h->value[MEND_HINT_CB_WRITE], !(all & 1));
    f->gathers[false] = gathers(f, h->value[MEND_HINT_CB_READ], !(all & 1));
    return MPI_SUCCESS;
}

/* The class of a flush that failed, or of an error before it. */
static int flush(struct mend_file *f, int error)
{
    if (!error)
        error = mend_os_flush(f->fd);
    f->dirty = false;
    f->limit = mend_os_limit();
    return error ? mend_file_errno(f, "synchronizing", error) : MPI_SUCCESS;
}

static int write_out(struct mend_file *f)
{
    int class = f->dirty ? flush(f, 0) : MPI_SUCCESS;

    f->error = class > f->error ? class : f->error;
    return f->error;
}

/* The device has failed, and all that was written since the last good sync is still here, at all members. */
static int repair(struct mend_file *f, int *failed_n_p)
{
    int err = mend_file_agree(f, flush(f, mend_file_write_again(f)), 0, failed_n_p);

    if (!err && !*failed_n_p)
        f->error = MPI_SUCCESS;
    return err;
}

/* Members have failed, and what they had written for others may have gone with their machines. */
static void replace(struct mend_file *f)
{
    int class = f->keeps_all && !mend_list_empty(&f->kept) ? flush(f, mend_file_write_again(f))
                                                           : MPI_SUCCESS;

    f->error = class > f->error ? class : f->error;
}

/* all: bit 0, each has kept everything. */
int mend_file_sync(struct mend_file *f)
{
    int failed_n = 0, err = mend_file_check_valid(f);
    uint64_t all;

    mend_file_finish_later(f); /* what it moves is written out */
    all = f->keeps_all;
    if (!err)
        err = agree(f, write_out(f), 0, &all, &failed_n);
    if (err && err != MPI_ERR_INVALIDATED && !failed_n && all & 1)
        err = repair(f, &failed_n);
    if (err == MPI_ERR_INVALIDATED)
        return err;
    if (failed_n > f->reported_n)
        replace(f);
    f->reported_n = failed_n;
    if (err > f->error) /* of another member: there as here it stays */
        f->error = err;
    if (!err && !failed_n)
        mend_file_keep_begin(f);
    else if (err)
        mend_file_keep_not(f);
    return failed_n ? MEND_CLASS_PROC_FAILED : err;
}

/* At rank 0. */
static int resize(struct mend_file *f, MPI_Offset size, bool preallocate)
{
    MPI_Offset old;
    int error = 0, err = mend_file_size(f, &old);

    if (err)
        return err;
    if (size > old && size > mend_os_limit())
        error = EFBIG; /* the kernel would send SIGXFSZ */
    else if (preallocate)
        error = size ? mend_os_allocate(f->fd, size) : 0;
    else if (ftruncate(f->fd, size) != 0)
        error = errno;
    f->dirty = true;
    mend_file_keep_not(f); /* the size is not kept */
    return error ? mend_file_errno(f, preallocate ? "preallocating" : "resizing", error)
                 : MPI_SUCCESS;
}

/* Nobody changes the file unless all want the same, and nobody returns before it is changed. */
int mend_file_set_size(struct mend_file *f, MPI_Offset size, bool preallocate)
{
    int own_error = size < 0 ? MPI_ERR_ARG : MPI_SUCCESS, err = mend_file_check_valid(f);

    if (!own_error && f->amode & MPI_MODE_RDONLY)
        own_error = MPI_ERR_READ_ONLY;
    if (!own_error && f->amode & MPI_MODE_SEQUENTIAL)
        own_error = MPI_ERR_UNSUPPORTED_OPERATION;
    if (!err)
        err = mend_file_agree(f, own_error, (uint64_t)size, NULL);
    if (err)
        return err;
    if (f->comm->rank == 0)
        own_error = resize(f, size, preallocate);
    return mend_file_agree(f, own_error, 0, NULL);
}

int mend_file_set_hints(struct mend_file *f, const struct mend_info *hints, int own_error)
{
    struct mend_file_hints h = f->hints;
    int err = mend_file_check_valid(f);

    mend_file_hints_read(&h, hints);
    if (!own_error && !err && hints)
        own_error = mend_comm_add_info(f->comm, hints);
    return err ? err : mend_file_agree_on_ways(f, own_error, 0, &h, &f->view);
}

/* Of what views of different members have in common. */
static uint64_t identity(const struct mend_view *v)
{
    uint64_t sum = (uint64_t)v->etype_size;

    for (const char *c = v->datarep->name; *c; c++)
        sum = sum * UINT64_C(1099511628211) + (unsigned char)*c;
    return sum;
}

int mend_file_set_view(struct mend_file *f, const struct mend_view *view,
                       const struct mend_info *hints, int own_error)
{
    struct mend_view v = *view, old = f->view;
    struct mend_file_hints h = f->hints;
    int err = mend_file_check_valid(f);

    mend_file_hints_read(&h, hints);

    if (!own_error)
        own_error = mend_view_make(f->self, &v, !(f->amode & MPI_MODE_RDONLY));
    if (!err) /* the sizes of etypes, and the representation */
        err = mend_file_agree_on_ways(f, own_error, own_error ? 0 : identity(&v), &h,
                                      own_error ? &f->view : &v);
    if (err && !own_error)
        mend_type_put(f->self, v.layout);
    if (err)
        return err;
    mend_type_get(v.etype);
    mend_type_get(v.filetype);
    mend_type_put(f->self, old.etype);
    mend_type_put(f->self, old.filetype);
    mend_type_put(f->self, old.layout);
    f->position = 0;
    return mend_pointer_seek(f, 0, MPI_SUCCESS);
}

int mend_file_set_atomic(struct mend_file *f, bool atomic)
{
    int err = mend_file_check_valid(f);

    if (!err)
        err = mend_file_agree(f, MPI_SUCCESS, atomic, NULL);
    if (!err)
        f->atomic = atomic;
    return err;
}
