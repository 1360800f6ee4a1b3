/* SPDX-License-Identifier: BSD-3-Clause */
/* aggregate.c – an aggregator's part of the file in one round: the pieces of all members in the order of the file. */
#include "io/exchange.h"

#include "io/os.h"

#include <string.h>

#define SIEVE 3 /* a window is read whole if at least this part is wanted */

/* The lists of all that have something in this process's window; the data of the others lies in `room`. */
static struct mend_merge merge(struct mend_together *t)
{
    const struct mend_row *row = t->rows.row;
    struct mend_merge m;
    char *data = t->room;
    int n = 0;

    if (t->own->rows.n)
        t->lanes[n++] = (struct mend_lane){t->own->rows.row, t->own->rows.row + t->own->rows.n, 0,
                                           t->own->data};
    for (int r = 0; r < t->f->comm->size; r++) {
        const struct mend_amount *a = &t->take[r];

        if (a->rows_n)
            t->lanes[n++] = (struct mend_lane){row, row + a->rows_n, 0, data};
        row += a->rows_n;
        data += a->bytes;
    }
    mend_merge_begin(&m, t->lanes, n);
    return m;
}

/* Nobody asks for what lies behind the end of the file; it is zeros if the file becomes shorter meanwhile. */
static void clear_tail(struct iovec *piece, int n, int64_t bytes)
{
    while (bytes > 0) {
        size_t len = piece[--n].iov_len < (size_t)bytes ? piece[n].iov_len : (size_t)bytes;

        memset((char *)piece[n].iov_base + piece[n].iov_len - len, 0, len);
        bytes -= (int64_t)len;
    }
}

static int move_pieces(struct mend_together *t, struct iovec *piece, int n, MPI_Offset at,
                       MPI_Offset end)
{
    struct mend_file *f = t->f;
    int64_t done;
    int error;

    if (!n)
        return 0;
    if (t->write)
        return mend_os_write(f->fd, piece, n, at, &f->limit, &done);
    error = mend_os_read(f->fd, piece, n, at, &done);
    if (!error)
        clear_tail(piece, n, end - at - done);
    return error;
}

/* Pieces that lie side by side in the file are moved by one call. */
static int move_merged(struct mend_together *t)
{
    struct mend_merge m = merge(t);
    struct iovec piece[MEND_OS_PIECES];
    int64_t at, len, begin = 0, end = -1;
    int n = 0, error = 0;
    char *data;

    while (!error && mend_merge_next(&m, &at, &len, &data)) {
        if (at != end || n == MEND_OS_PIECES) {
            error = move_pieces(t, piece, n, begin, end);
            begin = at;
            n = 0;
        }
        if (n && (char *)piece[n - 1].iov_base + piece[n - 1].iov_len == data)
            piece[n - 1].iov_len += (size_t)len;
        else
            piece[n++] = (struct iovec){data, (size_t)len};
        end = at + len;
    }
    return error ? error : move_pieces(t, piece, n, begin, end);
}

/* Reads from the first wanted byte of the window to the last one.  False: that would not pay, or there is no memory. */
static bool read_whole(struct mend_together *t, int *error_p)
{
    struct mend_merge m = merge(t);
    int64_t at, len, first = INT64_MAX, end = 0, wanted = 0;
    struct iovec piece;
    char *image, *data;

    while (mend_merge_next(&m, &at, &len, &data)) {
        first = at < first ? at : first;
        end = at + len > end ? at + len : end;
        wanted += len;
    }
    if (!wanted || wanted * SIEVE < end - first)
        return false;
    image = mend_alloc(t->f->self, (size_t)(end - first));
    if (!image)
        return false;
    piece = (struct iovec){image, (size_t)(end - first)};
    *error_p = move_pieces(t, &piece, 1, first, end);
    m = merge(t);
    while (!*error_p && mend_merge_next(&m, &at, &len, &data))
        memcpy(data, image + (at - first), (size_t)len);
    mend_free(t->f->self, image);
    return true;
}

void mend_together_move_window(struct mend_together *t)
{
    int error = 0;

    if (!t->own || t->failing)
        return;
    if (t->write || !read_whole(t, &error))
        error = move_merged(t);
    t->f->dirty |= t->write;
    t->failing |= error != 0;
}
