/* SPDX-License-Identifier: BSD-3-Clause */
/* file.c – opening and closing.
 *
 *   1  rank 0 opens, and makes the file if that is wanted; its error is its veto
 *   2  the communicator, with a place for the shared pointer            uniform: create/dup.c, rma/win.c
 *   3  an agreement on the mode
 *   4  the others open
 *   5  an agreement on the errors and on the ways                       uniform: the file is open at all or at none
 *
 * With MPI_MODE_EXCL rank 0 makes a file without a name in 1, and before 4 all learn its identity; then it gets its name.  So no
 * file is left if the open fails, whichever process dies: each survivor removes what has the name and this identity.  Only where the system
 * has no files without names may rank 0 die between making it and telling.  A file that need not be new stays: others may
 * have opened it.
 *
 * A file that is deleted when it is closed is removed when all have called close, and before anybody returns. */
#include "io/file.h"

#include "comm/errcode.h"
#include "comm/errhandler.h"
#include "comm/info.h"
#include "comm/objects.h"
#include "io/append.h"
#include "io/keep.h"
#include "io/later.h"
#include "io/name.h"
#include "io/os.h"
#include "io/uring.h"
#include "rma/sync.h"
#include "rt/rt.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORD_BYTES 8

int mend_file_errno(const struct mend_file *f, const char *what, int error)
{
    const char *symbol = strerrorname_np(error);
    int class = mend_os_class(error);

    mend_error_detail(f->self, class, 0, "rank %d, %s '%s': %s (%s)", f->rank, what, f->name,
                      strerror(error), symbol ? symbol : "unknown");
    return class;
}

static int check_mode(int amode)
{
    const int known = MPI_MODE_APPEND | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_EXCL |
                      MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL | MPI_MODE_UNIQUE_OPEN |
                      MPI_MODE_WRONLY;
    int ways =
        !!(amode & MPI_MODE_RDONLY) + !!(amode & MPI_MODE_RDWR) + !!(amode & MPI_MODE_WRONLY);
    bool makes = amode & (MPI_MODE_CREATE | MPI_MODE_EXCL);

    if (amode & ~known || ways != 1 || (amode & MPI_MODE_RDONLY && makes) ||
        (amode & MPI_MODE_RDWR && amode & MPI_MODE_SEQUENTIAL))
        return MPI_ERR_AMODE;
    return MPI_SUCCESS;
}

static int open_as(struct mend_file *f, int flags)
{
    while ((f->fd = open(f->name, flags | O_CLOEXEC, 0666)) < 0 && errno == EINTR)
        ;
    return f->fd;
}

static int access_of(const struct mend_file *f)
{
    return f->amode & MPI_MODE_RDONLY ? O_RDONLY : f->amode & MPI_MODE_RDWR ? O_RDWR : O_WRONLY;
}

/* Also to read, for a mapping is read as well. */
static int access_to_map(const struct mend_file *f)
{
    int flags = access_of(f);

    return flags == O_WRONLY && mend_append_is_wanted(f) ? O_RDWR : flags;
}

static int open_here(struct mend_file *f, bool makes)
{
    int flags = access_of(f), more = access_to_map(f),
        create = makes && f->amode & MPI_MODE_CREATE ? O_CREAT : 0;
    struct stat st;

    if (open_as(f, more | create) < 0 && more != flags && errno == EACCES)
        open_as(f, flags | create);
    if (f->fd < 0)
        return mend_file_errno(f, "opening", errno);
    if (flags == O_RDONLY && fstat(f->fd, &st) == 0 &&
        S_ISDIR(st.st_mode)) /* opening it to write fails */
        return mend_file_errno(f, "opening", EISDIR);
    return MPI_SUCCESS;
}

/* ---- files that must be new, and those that go ---- */

static bool is_exclusive(const struct mend_file *f)
{
    return f->amode & MPI_MODE_CREATE && f->amode & MPI_MODE_EXCL;
}

static int publish(struct mend_file *f)
{
    int error = mend_name_publish(f->name, access_to_map(f), &f->fd);

    if (error)
        return mend_file_errno(f, "opening", error);
    f->made = mend_name_identity(f->fd);
    return MPI_SUCCESS;
}

/* Collective.  Rank 0 has a file without a name. */
static int make_exclusively(struct mend_file *f)
{
    uint64_t made = mend_name_identity(f->fd);
    int own_error = MPI_SUCCESS, err = mend_file_agree_place(f, MPI_SUCCESS, NULL, &made);

    if (err)
        return err;
    f->made = made;
    if (f->comm->rank == 0)
        own_error = publish(f);
    return mend_file_agree(f, own_error, NULL);
}

static int delete_now(struct mend_file *f)
{
    int error = mend_name_remove(f->deleted_name, mend_name_identity(f->fd));

    return error ? mend_file_errno(f, "deleting", error) : MPI_SUCCESS;
}

/* Collective: the lowest survivor, by what it knows, says that it has done it.  If it has died meanwhile, the next one does when it
 * has heard of that.  Of a file that is revoked each does it. */
static int delete_together(struct mend_file *f, bool revoked)
{
    int failed_n, class, err = MPI_ERR_INVALIDATED;
    bool done = revoked;

    while (!done) {
        done = mend_file_is_first(f);
        class = done ? delete_now(f) : MPI_SUCCESS;
        err = mend_file_agree_any(f, class, &failed_n, &done);
        done |= err == MPI_ERR_INVALIDATED;
    }
    return err == MPI_ERR_INVALIDATED ? delete_now(f) : err;
}

static struct mend_file *make(struct mend_proc *self, const char *name, int amode,
                              const struct mend_info *hints)
{
    const struct mend_type *bytes = mend_type_predefined((uintptr_t)MPI_BYTE);
    struct mend_file *f = mend_zalloc(self, 1, sizeof(*f));

    f->magic = MEND_FILE_MAGIC;
    f->self = self;
    f->fd = -1;
    f->amode = amode;
    f->name = mend_strdup(self, name ? name : "", 4096);
    f->made = MEND_NAME_NONE;
    if (amode & MPI_MODE_DELETE_ON_CLOSE)
        f->deleted_name = mend_name_whole(self, f->name);
    f->view = (struct mend_view){.etype = bytes,
                                 .filetype = bytes,
                                 .etype_handle = MPI_BYTE,
                                 .filetype_handle = MPI_BYTE,
                                 .datarep = mend_datarep_find(self, "native"),
                                 .etype_size = 1,
                                 .layout = bytes,
                                 .room = MEND_VIEW_END - 1};
    mend_file_hints_begin(&f->hints);
    mend_file_hints_read(&f->hints, hints);
    mend_list_init(&f->together);
    mend_list_init(&f->later);
    mend_list_init(&f->kept);
    mend_file_keep_begin(f);
    return f;
}

static void destroy(struct mend_file *f)
{
    mend_file_keep_not(f);
    if (f->uring)
        mend_uring_put(f->self);
    if (f->fd >= 0)
        close(f->fd);
    mend_type_put(f->self, f->view.etype);
    mend_type_put(f->self, f->view.filetype);
    mend_type_put(f->self, f->view.layout);
    mend_free(f->self, f->name);
    mend_free(f->self, f->deleted_name);
    f->magic = 0;
    mend_free(f->self, f);
}

/* Members of one job, on several nodes. */
static bool has_tally(const struct mend_comm *c)
{
    return !c->spans && c->self->rt->tally;
}

static bool share_memory(const struct mend_comm *c)
{
    return c->size == 1 || (c->in_segment && c->self->node && c->self->params.rma_shm);
}

/* A window, whose communicator is the file's. */
static int make_window(struct mend_file *f, struct mend_comm *c, int own_error)
{
    struct mend_win_wish wish = {.flavor = MPI_WIN_FLAVOR_ALLOCATE,
                                 .size = c->rank == 0 ? WORD_BYTES : 0,
                                 .disp_unit = 1,
                                 .error = own_error};
    int err = mend_win_create(c, &wish, &f->win);

    if (err)
        return err;
    f->comm = f->win->comm;
    mend_win_lock_all(f->win,
                      MPI_MODE_NOCHECK); /* the epoch is open, whichever members are dead (S0-42) */
    return MPI_SUCCESS;
}

/* The communicator, with room for the shared pointer: all members have it, or none. */
static int make_comm(struct mend_file *f, struct mend_comm *c, int own_error)
{
    int err;

    f->tallied = !share_memory(c) && has_tally(c);
    if (!share_memory(c) && !f->tallied) {
        err = make_window(f, c, own_error);
    } else {
        if (!own_error)
            own_error = mend_pointer_begin(f, c);
        err = mend_create_dup(c, own_error, &f->comm);
    }
    if (err) {
        f->all_left = true; /* nobody has used it */
        mend_pointer_end(f);
        return err;
    }
    f->comm->file = f;
    mend_comm_set_errhandler(f->comm, mend_errhandler_no_file(f->self));
    return MPI_SUCCESS;
}

static void drop_comm(struct mend_file *f)
{
    mend_file_windows_drop(f);
    mend_append_end(f);
    f->comm->file = NULL;
    if (f->win) {
        mend_win_unlock_all(f->win);
        mend_win_free(f->win);
        return;
    }
    mend_pointer_end(f);
    mend_comm_close(f->comm);
    mend_decide_part(f->comm);
}

/* MPI_MODE_APPEND: the pointers begin behind the last byte. */
static int begin_at_end(struct mend_file *f)
{
    int err = f->amode & MPI_MODE_APPEND ? mend_file_end(f, &f->position) : MPI_SUCCESS;

    return !err && f->position && f->comm->rank == 0 ? mend_pointer_set(f, f->position) : err;
}

/* The first error of this member. */
static int open_alone(struct mend_file *f, struct mend_comm *c)
{
    int err = check_mode(f->amode);

    if (err || c->rank != 0)
        return err;
    if (!is_exclusive(f))
        return open_here(f, true);
    f->fd = mend_name_begin(f->name, access_to_map(f));
    return MPI_SUCCESS;
}

/* Collective over the new communicator. */
static int open_together(struct mend_file *f, const struct mend_info *hints)
{
    int own_error = MPI_SUCCESS, err = mend_file_agree_on(f, MPI_SUCCESS, (uint64_t)f->amode);

    if (!err && is_exclusive(f))
        err = make_exclusively(f);
    if (err)
        return err;
    if (f->comm->rank != 0)
        own_error = open_here(f, false);
    if (!own_error && hints)
        own_error = mend_comm_add_info(f->comm, hints);
    if (!own_error)
        own_error = begin_at_end(f);
    return mend_file_agree_on_ways(f, own_error, 0, &f->hints, &f->view);
}

int mend_file_open(struct mend_comm *c, const char *name, int amode, const struct mend_info *hints,
                   int own_error, struct mend_file **f_p)
{
    struct mend_file *f;
    int err;

    mend_memory_press(c->self); /* the others are in it, or come */
    f = make(c->self, name, amode, hints);
    f->rank = c->rank;
    mend_memory_relax(c->self);
    if (!own_error)
        own_error = open_alone(f, c);
    err = make_comm(f, c, own_error);
    if (err) {
        destroy(f);
        return err;
    }
    err = open_together(f, hints);
    if (err) {
        mend_name_remove(f->name, f->made);
        f->all_left = err != MPI_ERR_INVALIDATED;
        drop_comm(f);
        destroy(f);
        return err;
    }
    mend_append_begin(f);
    *f_p = f;
    return MPI_SUCCESS;
}

int mend_file_delete(struct mend_proc *self, const char *name)
{
    int error = unlink(name) ? errno : 0;

    if (error)
        mend_error_detail(self, mend_os_class(error), 0, "deleting '%s': %s (%s)", name,
                          strerror(error), strerrorname_np(error));
    return mend_os_class(error);
}

bool mend_file_is_first(const struct mend_file *f)
{
    int r = 0;

    while (r < f->comm->rank && mend_peer_is_dead(f->self, mend_comm_peer(f->comm, r)))
        r++;
    return r == f->comm->rank;
}

int mend_file_finish(struct mend_file *f)
{
    int told_n, err, deleted = MPI_SUCCESS;

    mend_file_finish_later(f); /* of a file that is revoked, too */
    if (f->append)
        mend_append_finish(f);
    told_n = f->reported_n;
    err = mend_file_sync(f);

    if (err == MEND_CLASS_PROC_FAILED && f->reported_n == told_n)
        err = f->error; /* an earlier sync has said so */
    f->all_left = err != MPI_ERR_INVALIDATED;
    if (f->deleted_name)
        deleted = delete_together(f, err == MPI_ERR_INVALIDATED);
    if (err == MPI_ERR_INVALIDATED) /* R30 */
        err = f->error;
    return err ? err : deleted;
}

void mend_file_drop(struct mend_file *f)
{
    drop_comm(f);
    destroy(f);
}

int mend_file_size(const struct mend_file *f, MPI_Offset *size_p)
{
    struct stat st;

    if (fstat(f->fd, &st) != 0)
        return mend_file_errno(f, "looking at", errno);
    *size_p = st.st_size;
    if (f->append && mend_append_size(f) < st.st_size)
        *size_p = mend_append_size(f);
    return MPI_SUCCESS;
}

int mend_file_end(const struct mend_file *f, MPI_Offset *etypes_p)
{
    MPI_Offset size;
    int err = mend_file_size(f, &size);

    if (!err)
        *etypes_p = mend_view_etypes(&f->view, size);
    return err;
}

int mend_file_seek(const struct mend_file *f, MPI_Offset offset, int whence, MPI_Offset now,
                   MPI_Offset *to_p)
{
    MPI_Offset base = whence == MPI_SEEK_CUR ? now : 0, to;
    int err = whence == MPI_SEEK_END ? mend_file_end(f, &base) : MPI_SUCCESS;

    if (err)
        return err;
    if (__builtin_add_overflow(base, offset, &to) || to < 0 || !mend_view_has(&f->view, to, 0))
        return MPI_ERR_ARG;
    *to_p = to;
    return MPI_SUCCESS;
}
