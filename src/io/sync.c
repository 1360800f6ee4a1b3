/* SPDX-License-Identifier: BSD-3-Clause */
/* sync.c – what all members do together: agreements, sync, and changes of the file as a whole.
 *
 *   every member: { its worst error, the value that all must have } ── one agreement ──>
 *   the largest error, or MPI_ERR_NOT_SAME, or MPI_ERR_PROC_FAILED if a member has failed: the same at all survivors
 *
 * Words: and_word[0]: bit 0, the file is not revoked for me; bit 1, I have a value; above them what all must have, of sync and
 * of those that choose ways; and_word[1]: in open, where rank 0 has the word of the shared pointer, or the lines of append.h; in seek, where it has set
 * the pointer; in close, 0 if anybody says yes; max_word[0] the error;
 * max_word[1] and [2] the value and its complement, equal at all if one is the complement of the other; 0 without a value.
 * So a sync without an error is an agreement on a flag, which two members make in one line (node/brief.h). */
#include "io/file.h"

#include "comm/errcode.h"
#include "decide/revoke.h"
#include "io/append.h"
#include "io/keep.h"
#include "io/later.h"
#include "io/os.h"
#include "io/together.h"
#include "node/node.h"

#include <errno.h>
#include <unistd.h>

#define VALID ((uint64_t)1)
#define VALUE ((uint64_t)2)
#define ALL   2 /* bits below those of `all` */

/* Without a value.  Word by word: a copy of a whole one, made from its words, would wait for them. */
static inline void make_vote(struct mend_decision *d, int own_error, uint64_t all)
{
    d->and_word[0] = all << ALL | VALID;
    d->max_word[0] = (uint64_t)own_error;
    for (int i = 1; i < MEND_AGREE_WORDS; i++) {
        d->and_word[i] = UINT64_MAX;
        d->max_word[i] = 0;
    }
    d->failed = NULL;
    d->failed_n = 0;
}

static void say_value(struct mend_decision *d, uint64_t value)
{
    d->and_word[0] |= VALUE;
    d->max_word[1] = value;
    d->max_word[2] = ~value;
}

/* Nobody has one, or all have the same. */
static bool is_same(const struct mend_decision *d)
{
    return d->and_word[0] & VALUE ? d->max_word[1] == ~d->max_word[2]
                                  : !(d->max_word[1] | d->max_word[2]);
}

/* *d: in this member's vote, out what all have decided. */
static int agree(struct mend_file *f, struct mend_decision *d, int *failed_n_p)
{
    struct mend_comm *c = f->comm;

    mend_file_finish_later(f);
    mend_file_drain(f);
    if (c->revoked)
        return MPI_ERR_INVALIDATED;
    mend_decide_wait(c, MEND_DECIDE_VALIDATION, d);
    if (d->failed) {
        mend_failure_told_group(c->self, d->failed);
        mend_group_put(c->self, d->failed);
    }
    if (failed_n_p)
        *failed_n_p = d->failed_n;
    if (!(d->and_word[0] & VALID)) /* one that is revoked has said 0 beforehand */
        mend_revoke_heard(c);
    if (c->revoked)
        return MPI_ERR_INVALIDATED;
    if (d->failed_n && !failed_n_p)
        return MEND_CLASS_PROC_FAILED;
    if (d->max_word[0])
        return (int)d->max_word[0];
    return is_same(d) ? MPI_SUCCESS : MPI_ERR_NOT_SAME;
}

int mend_file_agree(struct mend_file *f, int own_error, int *failed_n_p)
{
    struct mend_decision d;

    make_vote(&d, own_error, 0);
    return agree(f, &d, failed_n_p);
}

int mend_file_agree_place(struct mend_file *f, int own_error, int *failed_n_p, uint64_t *place_p)
{
    struct mend_decision d;
    int err;

    make_vote(&d, own_error, 0);
    if (f->comm->rank == 0)
        d.and_word[1] = *place_p;
    err = agree(f, &d, failed_n_p);
    *place_p = d.and_word[1];
    return err;
}

int mend_file_agree_any(struct mend_file *f, int own_error, int *failed_n_p, bool *any_p)
{
    struct mend_decision d;
    int err;

    make_vote(&d, own_error, 0);
    d.and_word[1] = *any_p ? 0 : UINT64_MAX;
    err = agree(f, &d, failed_n_p);
    *any_p = d.and_word[1] != UINT64_MAX;
    return err;
}

int mend_file_agree_on(struct mend_file *f, int own_error, uint64_t value)
{
    struct mend_decision d;

    make_vote(&d, own_error, 0);
    say_value(&d, value);
    return agree(f, &d, NULL);
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
    struct mend_decision d;
    int wanted = (int)h->value[MEND_HINT_CB_NODES], err;

    make_vote(&d, own_error, all);
    say_value(&d, value ^ mend_file_hints_digest(h));
    if (f->comm->rank == 0)
        d.and_word[1] = f->word_at;
    err = agree(f, &d, NULL);
    if (!f->word_at && mend_file_shares_memory(f) && d.and_word[1] != UINT64_MAX)
        f->word_at = d.and_word[1];
    if (err)
        return err;
    all = d.and_word[0] >> ALL;
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
    int err = mend_file_agree(f, flush(f, mend_file_write_again(f)), failed_n_p);

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
    struct mend_decision d;

    mend_file_finish_later(f); /* what these move is written out */
    mend_file_drain(f);
    if (!err) {
        make_vote(&d, write_out(f), f->keeps_all);
        err = agree(f, &d, &failed_n);
    }
    if (err && err != MPI_ERR_INVALIDATED && !failed_n && d.and_word[0] >> ALL)
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
    if (!error && f->append)
        mend_append_note(f, size);
    f->dirty = true;
    mend_file_keep_not(f); /* the size is not kept */
    return error ? mend_file_errno(f, preallocate ? "preallocating" : "resizing", error)
                 : MPI_SUCCESS;
}

/* Nobody changes the file unless all want the same, and nobody returns before it is changed. */
int mend_file_set_size(struct mend_file *f, MPI_Offset size, bool preallocate)
{
    int own_error = size < 0 ? MPI_ERR_ARG : MPI_SUCCESS, err = mend_file_check_valid(f);
    MPI_Offset ended = 0;

    if (f->append)
        mend_append_leave_window(f);
    if (!own_error && f->amode & MPI_MODE_RDONLY)
        own_error = MPI_ERR_READ_ONLY;
    if (!own_error && f->amode & MPI_MODE_SEQUENTIAL)
        own_error = MPI_ERR_UNSUPPORTED_OPERATION;
    if (!err)
        err = mend_file_agree_on(f, own_error, (uint64_t)size);
    if (err)
        return err;
    if (f->append && !preallocate)
        ended = mend_append_cut_to(f, size);
    if (f->comm->rank == 0)
        own_error = resize(f, size, preallocate);
    err = mend_file_agree(f, own_error, NULL);
    if (err && f->append)
        mend_append_note(f, ended);
    return err;
}

int mend_file_set_hints(struct mend_file *f, const struct mend_info *hints, int own_error)
{
    struct mend_file_hints h = f->hints;
    int err = mend_file_check_valid(f);

    mend_file_hints_read(&h, hints);
    h.value[MEND_HINT_APPEND_MAPPED] = f->append != NULL; /* for good */
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

/* MPI_DISPLACEMENT_CURRENT.  Nobody moves the shared pointer between this agreement and the next one. */
static int meet_at_pointer(struct mend_file *f, struct mend_view *v, int *own_error_p)
{
    int err = mend_file_agree(f, *own_error_p, NULL);
    MPI_Offset at;

    if (err)
        return err;
    *own_error_p = mend_pointer_add(f, 0, &at);
    v->disp = mend_view_offset(&f->view, at);
    return MPI_SUCCESS;
}

int mend_file_set_view(struct mend_file *f, const struct mend_view *view,
                       const struct mend_info *hints, int own_error)
{
    struct mend_view v = *view, old = f->view;
    struct mend_file_hints h = f->hints;
    int err = mend_file_check_valid(f);
    bool made = false;

    mend_file_hints_read(&h, hints);
    h.value[MEND_HINT_APPEND_MAPPED] = f->append != NULL;
    if (!err && f->amode & MPI_MODE_SEQUENTIAL)
        err = meet_at_pointer(f, &v, &own_error);
    if (!own_error && !err) {
        own_error = mend_view_make(f->self, &v, !(f->amode & MPI_MODE_RDONLY));
        made = !own_error;
    }
    if (!err) /* the sizes of etypes, and the representation */
        err = mend_file_agree_on_ways(f, own_error, own_error ? 0 : identity(&v), &h,
                                      own_error ? &f->view : &v);
    if (err && made)
        mend_type_put(f->self, v.layout);
    if (err)
        return err;
    mend_type_get(v.etype);
    mend_type_get(v.filetype);
    mend_type_put(f->self, old.etype);
    mend_type_put(f->self, old.filetype);
    mend_type_put(f->self, old.layout);
    f->position = 0;
    return mend_pointer_seek(f, 0, MPI_SEEK_SET, MPI_SUCCESS);
}

int mend_file_set_atomic(struct mend_file *f, bool atomic)
{
    int err = mend_file_check_valid(f);

    if (!err)
        err = mend_file_agree_on(f, MPI_SUCCESS, atomic);
    if (!err)
        f->atomic = atomic;
    return err;
}
