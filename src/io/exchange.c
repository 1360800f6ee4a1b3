/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.c – what goes where in a collective access in two phases: domains, lists of pieces, data. */
#include "io/exchange.h"

#include <string.h>

#define LOOK_UNIT                                                                                  \
    4096 /* parts of the file begin at a multiple of it where windows are looked into: a page */

/* All that is written; what the file has of what is to be read.  The rest of the buffer stays as it is. */
static MPI_Offset bytes_there(const struct mend_together *t)
{
    MPI_Offset size, there;

    if (t->write || mend_file_size(t->f, &size))
        return t->total;
    there = mend_view_stream(&t->f->view, size) - t->at;
    return there < 0 ? 0 : there < t->total ? there : t->total;
}

void mend_together_lay_out(struct mend_together *t)
{
    const struct mend_file *f = t->f;
    bool looks = mend_together_looks(t);
    MPI_Offset unit = looks ? LOOK_UNIT : f->hints.value[MEND_HINT_STRIPING_UNIT];
    MPI_Offset begin = t->low / unit * unit, n = t->domains_n, from = t->at;
    MPI_Offset each = ((t->high - begin + n - 1) / n + unit - 1) / unit * unit;

    t->window =
        looks ? mend_together_window_to_look(t, each) : f->hints.value[MEND_HINT_CB_BUFFER_SIZE];
    t->rounds = (each + t->window - 1) / t->window;
    t->there = t->has_pieces ? bytes_there(t) : 0;
    for (int i = 0; i < t->domains_n; i++) {
        struct mend_domain *d = &t->domain[i];
        MPI_Offset to = t->at + t->there;

        d->rank = (int)((int64_t)i * f->comm->size / t->domains_n);
        d->begin = begin + i * each;
        d->end = d->begin + each;
        if (d->rank == f->comm->rank)
            t->own = d;
        if (!t->has_pieces)
            continue;
        if (i + 1 < t->domains_n) {
            to = mend_view_stream(&f->view, d->end);
            to = to < from ? from : to < t->at + t->there ? to : t->at + t->there;
        }
        mend_view_begin(&d->k, &f->view, from);
        d->left = to - from;
        d->stream = from - t->at;
        from = to;
    }
}

/* What this member has in the window of the domain, and in which one it goes on. */
static bool list_pieces(struct mend_together *t, struct mend_domain *d)
{
    MPI_Offset end = d->begin + (d->turn + 1) * t->window, offset, len;

    d->stream += d->bytes;
    d->bytes = 0;
    d->rows.n = 0;
    d->next = MEND_TOGETHER_NEVER;
    while (d->left > 0) {
        struct mend_cursor before = d->k;

        if (!mend_view_next(&d->k, d->left, &offset, &len))
            break;
        if (offset + len > end) {
            d->k = before;
            if (offset >= end) {
                d->next = (offset - d->begin) / t->window;
                break;
            }
            if (!mend_view_next(&d->k, end - offset, &offset, &len))
                break;
        }
        if (!mend_rows_add(t->f->self, &d->rows, offset, len))
            return false;
        d->bytes += len;
        d->left -= len;
    }
    return true;
}

/* A buffer of at least so many bytes; it grows only. */
static bool make_room(struct mend_proc *self, char **room_p, int64_t *bytes_p, int64_t bytes)
{
    if (bytes <= *bytes_p)
        return true;
    mend_free(self, *room_p);
    *room_p = mend_alloc(self, (size_t)bytes);
    *bytes_p = *room_p ? bytes : 0;
    return *room_p;
}

/* Where the bytes of each domain's window lie, or will: in the user's memory, or side by side in `packed`. */
static bool find_data(struct mend_together *t)
{
    const struct mend_type *type = t->data.type;
    MPI_Offset all = 0;
    char *at;

    for (int i = 0; i < t->domains_n; i++)
        all += t->domain[i].bytes;
    if (!all)
        return true;
    if (!type->dense && !make_room(t->f->self, &t->packed, &t->packed_bytes, all))
        return false;
    at = t->packed;
    for (int i = 0; i < t->domains_n; i++) {
        struct mend_domain *d = &t->domain[i];

        if (type->dense) {
            d->data = mend_type_dense_at(type, t->data.buf, d->stream);
            continue;
        }
        d->data = at;
        at += d->bytes;
        if (t->write)
            mend_type_pack(type, t->data.buf, t->data.count, d->stream, d->data, (size_t)d->bytes);
    }
    return true;
}

bool mend_together_list(struct mend_together *t)
{
    bool fine = true;

    for (int i = 0; i < t->domains_n; i++)
        fine &= list_pieces(t, &t->domain[i]);
    return find_data(t) && fine;
}

static struct mend_coll_buf buffer(void *buf, MPI_Count n, MPI_Datatype type)
{
    return (struct mend_coll_buf){buf, n, mend_type_predefined((uintptr_t)type), type};
}

/* Step 1: how much goes to each aggregator. */
void mend_together_count(struct mend_together *t)
{
    struct mend_coll_how how = {.kind = MEND_COLL_START};
    struct mend_coll_buf in = buffer(t->give, 2, MPI_INT64_T),
                         out = buffer(t->take, 2, MPI_INT64_T);
    int n = t->f->comm->size;

    memset(t->give, 0, (size_t)n * sizeof(*t->give));
    t->failing |= !mend_together_list(t);
    for (int i = 0; i < t->domains_n; i++) {
        const struct mend_domain *d = &t->domain[i];

        if (d != t->own)
            t->give[d->rank] = (struct mend_amount){d->rows.n, d->bytes};
    }
    t->stage = MEND_TOGETHER_COUNTED;
    mend_coll_alltoall(t->f->comm, &in, NULL, &out, NULL, &how);
    t->inner = how.request;
}

/* Largest of all members: { somebody has no memory, the earliest next window of each domain, negative }. */
enum { CANNOT, NEXT };

/* Step 2: whether all have memory for what they are to get; which windows are next. */
void mend_together_ask_for_memory(struct mend_together *t)
{
    struct mend_coll_how how = {.kind = MEND_COLL_START};
    struct mend_coll_buf out = buffer(t->sums, NEXT + t->domains_n, MPI_INT64_T);
    struct mend_proc *self = t->f->self;
    int64_t rows_n = 0, bytes = 0;

    for (int r = 0; r < t->f->comm->size; r++) {
        rows_n += t->take[r].rows_n;
        bytes += t->take[r].bytes;
    }
    if (t->rows.room < rows_n) {
        mend_rows_free(self, &t->rows);
        t->rows.row = mend_zalloc(self, (size_t)rows_n, sizeof(*t->rows.row));
        t->rows.room = t->rows.row ? rows_n : 0;
    }
    t->rows.n = rows_n;
    t->failing |= t->rows.room < rows_n || !make_room(self, &t->room, &t->room_bytes, bytes);
    t->sums[CANNOT] = t->failing;
    for (int i = 0; i < t->domains_n; i++)
        t->sums[NEXT + i] = -t->domain[i].next;
    t->stage = MEND_TOGETHER_GRANTED;
    mend_coll_allreduce(t->f->comm, MPI_IN_PLACE, &out, mend_op_of(MPI_MAX), &how);
    t->inner = how.request;
}

bool mend_together_can(const struct mend_together *t)
{
    return !t->sums[CANNOT] && !t->failing;
}

bool mend_together_go_on(struct mend_together *t)
{
    bool more = false;

    for (int i = 0; i < t->domains_n; i++) {
        MPI_Offset next = -t->sums[NEXT + i];

        if (next == MEND_TOGETHER_NEVER)
            continue;
        t->domain[i].turn = next;
        more = true;
    }
    return more;
}

/* Bytes from and to absolute addresses. */
static void exchange(struct mend_together *t, enum mend_together_stage stage, int from, int to)
{
    struct mend_coll_how how = {.kind = MEND_COLL_START};
    struct mend_coll_buf any = buffer(NULL, 0, MPI_BYTE);
    struct mend_coll_counts counts[2];

    for (int i = 0; i < 2; i++)
        counts[i] = (struct mend_coll_counts){
            .big = true, .counts_c = t->counts[i], .displs_c = t->places[i]};
    t->stage = stage;
    mend_coll_alltoall(t->f->comm, &any, &counts[from], &any, &counts[to], &how);
    t->inner = how.request;
}

/* Step 3: the lists. */
void mend_together_send_lists(struct mend_together *t)
{
    struct mend_row *at = t->rows.row;

    for (int r = 0; r < t->f->comm->size; r++) {
        t->counts[0][r] = t->give[r].rows_n * (MPI_Count)sizeof(*at);
        t->counts[1][r] = t->take[r].rows_n * (MPI_Count)sizeof(*at);
        t->places[1][r] = (MPI_Aint)at;
        at += t->take[r].rows_n;
    }
    for (int i = 0; i < t->domains_n; i++)
        t->places[0][t->domain[i].rank] = (MPI_Aint)t->domain[i].rows.row;
    exchange(t, MEND_TOGETHER_LISTED, 0, 1);
}

/* Step 4: the data, to the aggregators or from them. */
void mend_together_send_data(struct mend_together *t)
{
    char *at = t->room;

    for (int r = 0; r < t->f->comm->size; r++) {
        t->counts[0][r] = t->give[r].bytes;
        t->counts[1][r] = t->take[r].bytes;
        t->places[1][r] = (MPI_Aint)at;
        at += t->take[r].bytes;
    }
    for (int i = 0; i < t->domains_n; i++)
        t->places[0][t->domain[i].rank] = (MPI_Aint)t->domain[i].data;
    exchange(t, MEND_TOGETHER_SENT, t->write ? 0 : 1, t->write ? 1 : 0);
}

void mend_together_unpack(struct mend_together *t)
{
    for (int i = 0; i < t->domains_n; i++) {
        struct mend_domain *d = &t->domain[i];

        if (d->bytes && !t->data.type->dense)
            mend_type_unpack(t->data.type, t->data.buf, t->data.count, d->stream, d->data,
                             (size_t)d->bytes);
    }
}
