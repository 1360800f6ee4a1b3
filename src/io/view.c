/* SPDX-License-Identifier: BSD-3-Clause */
/* view.c – walking the runs of a view. */
#include "io/view.h"

/* Tiles of the file type up to the largest offset that there is. */
static MPI_Count tiles(const struct mend_view *v)
{
    const struct mend_type *t = v->layout;
    MPI_Count per = t->extent > t->size ? t->extent : t->size;
    MPI_Count room = MEND_VIEW_END - v->disp - t->true_lb - t->true_extent;

    return per > 0 && room > per ? room / per : 1;
}

/* Its bytes come in the order of the file (MPI-5.0 14.3), and none comes twice if `once`.  Two tiles may overlap: a struct with
 * a resized member has the bounds of that one, and a program that uses one tile does not mind.  O(pieces). */
static bool is_in_order(const struct mend_type *t, bool once)
{
    MPI_Offset end = 0, begin = 0;
    struct mend_cursor k;
    char *at;
    size_t len;

    if (t->true_lb < 0 || (t->size && t->extent <= 0) ||
        t->true_lb + t->true_extent >= INT64_MAX / 8)
        return false;
    if (t->dense || !t->size)
        return true;
    mend_cursor_begin(&k, t, NULL, 1, 0);
    while (mend_cursor_next(&k, SIZE_MAX / 2, &at, &len)) {
        MPI_Offset place = (MPI_Offset)(uintptr_t)at;

        if (place < begin || (once && place < end))
            return false;
        begin = place;
        end = place + (MPI_Offset)len;
    }
    return true;
}

int mend_view_make(struct mend_proc *self, struct mend_view *v, bool writes)
{
    const struct mend_type *e = v->etype, *t = v->filetype;
    int err;

    if (v->disp < 0 || v->disp >= INT64_MAX / 4)
        return MPI_ERR_ARG;
    if (e->size && t->size % e->size)
        return MPI_ERR_ARG;
    if (!is_in_order(e, writes))
        return MPI_ERR_IO;
    err = mend_datarep_bytes(v->datarep, e, 1, &v->etype_size);
    if (!err)
        err = mend_datarep_type(self, v->datarep, t, &v->layout);
    if (!err && !is_in_order(v->layout, writes)) {
        mend_type_put(self, v->layout);
        err = MPI_ERR_IO;
    }
    if (!err)
        v->room = v->etype_size ? tiles(v) * v->layout->size / v->etype_size : 0;
    return err;
}

void mend_view_begin(struct mend_cursor *k, const struct mend_view *v, MPI_Offset at)
{
    mend_cursor_begin(k, v->layout, (void *)(uintptr_t)v->disp, tiles(v), at);
}

/* Pieces side by side are one run.  The cursor is not copied to look ahead: that took longer than all else here. */
bool mend_view_next(struct mend_cursor *k, MPI_Offset max, MPI_Offset *offset_p, MPI_Offset *len_p)
{
    char *at, *next;
    size_t len, more;

    if (!mend_cursor_next(k, (size_t)max, &at, &len))
        return false;
    while ((MPI_Offset)len < max && mend_cursor_peek(k, &next) && next == at + len) {
        mend_cursor_next(k, (size_t)max - len, &next, &more);
        len += more;
    }
    *offset_p = (MPI_Offset)(uintptr_t)at;
    *len_p = (MPI_Offset)len;
    return true;
}

MPI_Offset mend_view_offset(const struct mend_view *v, MPI_Offset etypes)
{
    struct mend_cursor k;
    MPI_Offset offset = v->disp, len;

    mend_view_begin(&k, v, etypes * v->etype_size);
    mend_view_next(&k, 1, &offset, &len);
    return offset;
}

MPI_Offset mend_view_stream(const struct mend_view *v, MPI_Offset file_bytes)
{
    const struct mend_type *t = v->layout;
    MPI_Offset in_view = file_bytes - v->disp, at = 0, offset, len;
    struct mend_cursor k;

    if (in_view <= 0 || !t->size)
        return 0;
    /* whole tiles that end before the file does */
    if (t->extent > 0 && in_view > t->true_lb + t->true_extent)
        at = (in_view - t->true_lb - t->true_extent) / t->extent * t->size;
    mend_view_begin(&k, v, at);
    while (mend_view_next(&k, INT64_MAX / 4, &offset, &len) && offset < file_bytes) {
        if (offset + len >= file_bytes)
            return at + file_bytes - offset;
        at += len;
    }
    return at;
}

MPI_Offset mend_view_etypes(const struct mend_view *v, MPI_Offset file_bytes)
{
    MPI_Offset bytes = v->etype_size ? mend_view_stream(v, file_bytes) : 0;

    return bytes ? (bytes + v->etype_size - 1) / v->etype_size : 0;
}

bool mend_view_is_whole(const struct mend_view *v)
{
    return v->layout->dense;
}

bool mend_view_goes_on(const struct mend_view *v)
{
    return v->layout->dense || v->layout->extent >= v->layout->true_extent;
}
