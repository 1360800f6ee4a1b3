/* SPDX-License-Identifier: BSD-3-Clause */
/* move.c – one run of the view after the other, with as many pieces of memory as it has.
 *
 *   memory   |aaaa|  |bb|      |cc|         pieces of the buffer, in the order of its type
 *   file     |aaaabb|     |cc|              runs of the view
 *
 * Small runs with small holes between them are read together, holes included, and copied from there.  Nothing is ever
 * written that the program did not write: to write together one would have to read the holes first, and write back what others
 * may have changed meanwhile. */
#include "io/move.h"

#include "io/append.h"
#include "io/keep.h"
#include "io/os.h"
#include "req/request.h"

#include <errno.h>
#include <string.h>

#define RUN_MAX     ((MPI_Offset)1 << 30)
#define SIEVE_RUN   ((MPI_Offset)1 << 15) /* runs from this length on are read by themselves */
#define SIEVE_SHARE 3 /* of what is read together at least this part is wanted */

struct move {
    struct mend_file *f;
    bool write;
    struct mend_cursor file, memory;
    MPI_Offset left; /* bytes */
    MPI_Count done;
    bool ended;  /* the file ended */
    bool apart;  /* it does not pay to read runs together */
    char *sieve; /* as many bytes as are read together at most, from first use on */
};

int mend_file_failed(struct mend_file *f, bool write, int error)
{
    int class = mend_file_errno(f, write ? "writing" : "reading", error);

    if (write) {
        f->error = class > f->error ? class : f->error;
        mend_file_keep_not(f);
    }
    return class;
}

int mend_file_etypes(const struct mend_file *f, const struct mend_file_data *d,
                     MPI_Offset *etypes_p)
{
    MPI_Count bytes, each = f->view.etype_size;
    int err = mend_datarep_bytes(f->view.datarep, d->type, d->count, &bytes);

    if (!err && bytes && !(each && bytes % each == 0))
        err = MPI_ERR_IO;
    if (!err)
        *etypes_p = bytes ? bytes / each : 0;
    return err;
}

/* Pieces of memory for at most `most` bytes; returns how many bytes they have. */
static MPI_Offset take_pieces(struct move *m, MPI_Offset most, struct iovec *piece, int *n_p)
{
    MPI_Offset bytes = 0;
    char *at;
    size_t len;

    for (*n_p = 0; bytes < most && *n_p < MEND_OS_PIECES; ++*n_p) {
        if (!mend_cursor_next(&m->memory, (size_t)(most - bytes), &at, &len))
            break;
        piece[*n_p] = (struct iovec){at, len};
        bytes += (MPI_Offset)len;
    }
    return bytes;
}

/* So much of these bytes lies before the end of the data, which the file may be longer than (append.h). */
static MPI_Offset readable(const struct mend_file *f, MPI_Offset offset, MPI_Offset len)
{
    MPI_Offset left = f->append ? mend_append_size(f) - offset : len;

    return left < 0 ? 0 : left < len ? left : len;
}

static int move_run(struct move *m, MPI_Offset offset, MPI_Offset len)
{
    struct iovec piece[MEND_OS_PIECES];
    MPI_Offset there = m->write ? len : readable(m->f, offset, len);
    bool ends = there < len;

    len = there;
    while (len && !m->ended) {
        int64_t done;
        int n, error;
        MPI_Offset bytes = take_pieces(m, len, piece, &n);

        error = m->write ? mend_os_write(m->f->fd, piece, n, offset, &m->f->limit, &done)
                         : mend_os_read(m->f->fd, piece, n, offset, &done);
        m->done += done;
        m->left -= done;
        if (m->write && m->f->append && done)
            mend_append_note(m->f, offset + done);
        if (error)
            return mend_file_failed(m->f, m->write, error);
        m->ended = done < bytes;
        offset += done;
        len -= done;
    }
    m->ended |= ends;
    return MPI_SUCCESS;
}

/* ---- reading together ---- */

/* How far from `offset` on runs may be read together, the first of which has len bytes; 0: that would not pay. */
static MPI_Offset window(const struct move *m, MPI_Offset offset, MPI_Offset len)
{
    const int64_t *hint = m->f->hints.value;
    struct mend_cursor ahead = m->file;
    MPI_Offset wanted = len, end = offset + len, next, more;
    bool always = hint[MEND_HINT_DS_READ] == MEND_HINT_ENABLE;
    int runs = 1;

    while (wanted < m->left && mend_view_next(&ahead, m->left - wanted, &next, &more) &&
           next >= end && more < SIEVE_RUN &&
           next + more - offset <= hint[MEND_HINT_IND_RD_BUFFER_SIZE]) {
        wanted += more;
        end = next + more;
        runs++;
    }
    return runs > 2 && (always || wanted * SIEVE_SHARE >= end - offset) ? end - offset : 0;
}

static void copy_out(struct move *m, const char *from, MPI_Offset len)
{
    char *at;
    size_t n;

    while (len && mend_cursor_next(&m->memory, (size_t)len, &at, &n)) {
        memcpy(at, from, n);
        from += n;
        len -= (MPI_Offset)n;
        m->done += (MPI_Count)n;
        m->left -= (MPI_Offset)n;
    }
}

/* The runs of a window that begins with this one. */
static int move_window(struct move *m, MPI_Offset offset, MPI_Offset len, MPI_Offset bytes)
{
    struct iovec piece = {m->sieve, (size_t)readable(m->f, offset, bytes)};
    MPI_Offset begin = offset;
    int64_t got = 0;
    int error = mend_os_read(m->f->fd, &piece, 1, begin, &got);

    for (bool more = !error; more && !m->ended;) {
        MPI_Offset there = begin + got - offset;

        m->ended = there < len;
        copy_out(m, m->sieve + (offset - begin), there < 0 ? 0 : there < len ? there : len);
        more = offset + len < begin + bytes && m->left > 0 &&
               mend_view_next(&m->file, m->left, &offset, &len);
    }
    return error ? mend_file_failed(m->f, false, error) : MPI_SUCCESS;
}

/* How much to read together from this run on; 0: the run by itself, and then so are all that follow. */
static MPI_Offset together(struct move *m, MPI_Offset offset, MPI_Offset len)
{
    const int64_t *hint = m->f->hints.value;
    MPI_Offset bytes = 0;

    if (m->write || m->apart || len >= SIEVE_RUN || len == m->left ||
        hint[MEND_HINT_DS_READ] == MEND_HINT_DISABLE)
        return 0;
    if (!m->sieve)
        m->sieve = mend_alloc(m->f->self, (size_t)hint[MEND_HINT_IND_RD_BUFFER_SIZE]);
    if (m->sieve)
        bytes = window(m, offset, len);
    m->apart = !bytes;
    return bytes;
}

/* ---- the whole call ---- */

static int move_runs(struct move *m)
{
    MPI_Offset offset, len, bytes;
    int err = MPI_SUCCESS;

    while (!err && m->left > 0 && !m->ended &&
           mend_view_next(&m->file, m->left < RUN_MAX ? m->left : RUN_MAX, &offset, &len)) {
        bytes = together(m, offset, len);
        err = bytes ? move_window(m, offset, len, bytes) : move_run(m, offset, len);
    }
    mend_free(m->f->self, m->sieve);
    m->sieve = NULL;
    return err;
}

/* The bytes in the file are not those in memory. */
static int move_converted(struct move *m, MPI_Offset at, const struct mend_file_data *d)
{
    const struct mend_datarep *rep = m->f->view.datarep;
    struct mend_proc *self = m->f->self;
    MPI_Count bytes;
    int err = mend_datarep_bytes(rep, d->type, d->count, &bytes), told;
    char *raw = err ? NULL : mend_zalloc(self, 1, (size_t)bytes + 1);

    if (!raw)
        return err ? err : MPI_ERR_NO_MEM;
    if (m->write)
        err = mend_datarep_encode(rep, d->type, d->buf, d->count, raw);
    mend_cursor_begin(&m->memory, mend_type_predefined((uintptr_t)MPI_BYTE), raw, bytes, 0);
    m->left = bytes;
    if (!err)
        err = move_runs(m);
    if (m->write && m->done && !err)
        mend_file_keep(m->f, at, bytes, d, raw);
    if (m->done) { /* whole elements only, of what was moved before an error too */
        MPI_Count n = bytes ? m->done / (bytes / d->count) : 0;

        told = m->write ? MPI_SUCCESS : mend_datarep_decode(rep, d->type, d->buf, n, raw);
        err = err ? err : told;
        m->done = n * d->type->size;
    }
    mend_free(self, raw);
    return err;
}

struct locking {
    struct mend_file *f;
    bool exclusive;
    int error;
};

static bool has_lock(struct mend_proc *self, void *arg)
{
    struct locking *l = arg;

    mend_interrupt_check(self);
    l->error = mend_os_try_lock(l->f->fd, l->exclusive);
    return l->error != EAGAIN || l->f->comm->revoked;
}

/* Atomic mode: one at a time, or several that read (MPI-5.0 14.6.1). */
static int lock(struct mend_file *f, bool exclusive)
{
    struct locking l = {f, exclusive, 0};
    struct mend_wait w = {.until = has_lock,
                          .arg = &l,
                          .what = "others to be done with a file in atomic mode",
                          .hint = MEND_PEER_NONE};

    mend_wait_until(f->self, &w);
    if (l.error == EAGAIN)
        return MPI_ERR_INVALIDATED;
    return l.error ? mend_file_failed(f, exclusive, l.error) : MPI_SUCCESS;
}

int mend_file_move(struct mend_file *f, bool write, MPI_Offset at, const struct mend_file_data *d,
                   MPI_Count *bytes_p)
{
    struct move m = {.f = f, .write = write, .left = d->count * d->type->size};
    int err = MPI_SUCCESS;

    *bytes_p = 0;
    if (f->atomic && m.left)
        err = lock(f, write);
    if (err || !m.left)
        return err;
    mend_view_begin(&m.file, &f->view, at * f->view.etype_size);
    if (f->view.datarep->kind != MEND_DATAREP_NATIVE) {
        err = move_converted(&m, at * f->view.etype_size, d);
    } else {
        mend_cursor_begin(&m.memory, d->type, d->buf, d->count, 0);
        err = move_runs(&m);
        if (write && m.done && !err)
            mend_file_keep(f, at * f->view.etype_size, m.done, d, NULL);
    }
    if (f->atomic)
        mend_os_unlock(f->fd);
    f->dirty |= write;
    *bytes_p = m.done;
    return err;
}
