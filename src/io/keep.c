/* SPDX-License-Identifier: BSD-3-Clause */
/* keep.c – copies of what was written, oldest first. */
#include "io/keep.h"

#include "io/os.h"
#include "io/rows.h"

#include <string.h>

struct mend_file_kept {
    struct mend_list link; /* in f->kept */
    struct mend_rows rows;
    MPI_Offset bytes;
    char *data;
};

static int64_t bound(const struct mend_file *f)
{
    int64_t hint = f->hints.value[MEND_HINT_KEEP_BYTES];

    if (hint >= 0)
        return hint;
    return f->comm->in_segment ? 0 : MEND_KEEP_APART; /* else one system has the data of all */
}

bool mend_file_keeps(const struct mend_file *f)
{
    return f->keeps_all && bound(f) > 0;
}

static void drop(struct mend_file *f, struct mend_file_kept *k)
{
    struct mend_proc *self = f->self;

    if (k->link.next)
        mend_list_remove(&k->link);
    mend_rows_free(self, &k->rows);
    mend_free(self, k->data);
    mend_free(self, k);
}

static void drop_all(struct mend_file *f)
{
    while (!mend_list_empty(&f->kept))
        drop(f, mend_list_entry(f->kept.next, struct mend_file_kept, link));
    f->kept_bytes = 0;
}

void mend_file_keep_begin(struct mend_file *f)
{
    drop_all(f);
    f->keeps_all = true;
}

void mend_file_keep_not(struct mend_file *f)
{
    drop_all(f);
    f->keeps_all = false;
}

/* Where the bytes went. */
static bool list(struct mend_file *f, MPI_Offset at, struct mend_file_kept *k)
{
    MPI_Offset left = k->bytes, offset, len;
    struct mend_cursor c;

    mend_view_begin(&c, &f->view, at);
    while (left > 0 && mend_view_next(&c, left, &offset, &len)) {
        if (!mend_rows_add(f->self, &k->rows, offset, len))
            return false;
        left -= len;
    }
    return true;
}

void mend_file_keep(struct mend_file *f, MPI_Offset at, MPI_Offset bytes,
                    const struct mend_file_data *d, const char *raw)
{
    struct mend_file_kept *k;

    if (!f->keeps_all)
        return;
    k = bytes <= bound(f) - f->kept_bytes ? mend_zalloc(f->self, 1, sizeof(*k)) : NULL;
    if (!k) {
        mend_file_keep_not(f);
        return;
    }
    k->bytes = bytes;
    k->data = mend_alloc(f->self, (size_t)bytes);
    if (!k->data || !list(f, at, k)) {
        drop(f, k);
        mend_file_keep_not(f);
        return;
    }
    if (raw)
        memcpy(k->data, raw, (size_t)bytes);
    else
        mend_type_pack(d->type, d->buf, d->count, 0, k->data, (size_t)bytes);
    mend_list_append(&f->kept, &k->link);
    f->kept_bytes += bytes;
}

static int write_one(struct mend_file *f, const struct mend_file_kept *k)
{
    struct mend_lane lane = {k->rows.row, k->rows.row + k->rows.n, 0, k->data};
    struct mend_merge m;
    int64_t at, len, done;
    char *data;
    int error = 0;

    mend_merge_begin(&m, &lane, 1);
    while (!error && mend_merge_next(&m, &at, &len, &data))
        error = mend_os_write(f->fd, &(struct iovec){data, (size_t)len}, 1, at, &f->limit, &done);
    return error;
}

int mend_file_write_again(struct mend_file *f)
{
    int error = 0;

    for (struct mend_list *l = f->kept.next; l != &f->kept && !error; l = l->next)
        error = write_one(f, mend_list_entry(l, struct mend_file_kept, link));
    return error;
}
