/* SPDX-License-Identifier: BSD-3-Clause */
/* sync.c – what all members do together: agreements, sync, and changes of the file as a whole.
 *
 *   every member: { its worst error, the value that all must have } ── one agreement ──>
 *   the largest error, or MPI_ERR_NOT_SAME, or MPI_ERR_PROC_FAILED if a member has failed: the same at all survivors
 *
 * Words: max_word[0] the error; max_word[1] and [2]: the value and its complement, equal at all if one is the complement of
 * the other. */
#include "io/file.h"

#include "comm/errcode.h"
#include "io/os.h"

#include <errno.h>
#include <unistd.h>

int mend_file_agree(struct mend_file *f, int own_error, uint64_t value, int *failed_n_p)
{
    struct mend_comm *c = f->comm;
    struct mend_decision d = {.max_word = {(uint64_t)own_error, value, ~value}};

    if (c->revoked)
        return MPI_ERR_INVALIDATED;
    d.and_word[0] = UINT64_MAX; /* a member for which the file is revoked has said 0 beforehand */
    mend_decide_wait(c, MEND_DECIDE_VALIDATION, &d);
    if (d.failed) {
        mend_failure_told_group(c->self, d.failed);
        mend_group_put(c->self, d.failed);
    }
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

static int write_out(struct mend_file *f)
{
    int error = f->dirty ? mend_os_flush(f->fd) : 0;

    f->dirty = false;
    f->limit = mend_os_limit();
    if (error) {
        int class = mend_file_errno(f->self, f->name, "synchronizing", error);

        f->error = class > f->error ? class : f->error;
    }
    return f->error;
}

int mend_file_sync(struct mend_file *f)
{
    int failed_n, err = mend_file_check_valid(f);

    if (!err)
        err = mend_file_agree(f, write_out(f), 0, &failed_n);
    if (err == MPI_ERR_INVALIDATED)
        return err;
    f->reported_n = failed_n;
    if (err > f->error) /* of another member: there as here it stays */
        f->error = err;
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
    return error ? mend_file_errno(f->self, f->name, preallocate ? "preallocating" : "resizing",
                                   error)
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

int mend_file_set_view(struct mend_file *f, const struct mend_view *view, int own_error)
{
    struct mend_view v = *view;
    int err = mend_file_check_valid(f);

    if (!own_error)
        own_error = mend_view_check(&v, !(f->amode & MPI_MODE_RDONLY));
    if (!err) /* the sizes of etypes, and the representation */
        err = mend_file_agree(f, own_error,
                              (uint64_t)v.etype_size << 4 | (uint64_t)(own_error ? 0 : v.datarep),
                              NULL);
    if (err)
        return err;
    mend_type_get(v.etype);
    mend_type_get(v.filetype);
    mend_type_put(f->self, f->view.etype);
    mend_type_put(f->self, f->view.filetype);
    f->view = v;
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
