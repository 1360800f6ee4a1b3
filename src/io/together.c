/* SPDX-License-Identifier: BSD-3-Clause */
/* together.c – collective reading and writing in two phases: small pieces of several members become large ones.
 *
 *   file     |aa|bb|cc|aa|bb|cc|aa|bb|cc|aa|bb|cc|      pieces of the members a, b, c
 *   domains  |---------- a ----------|---- c ----|      begin at multiples of striping_unit; one for each aggregator
 *   windows  |--1--|--2--|--3--|--4--|--1--|--2--|      of cb_buffer_size; in each round one of each domain
 *
 *   agreement       { from where to where, how many pieces, all able? }     the same at all: whether to go on
 *   each round      how much goes to each aggregator; is there memory for it everywhere; lists of pieces; data; then the file
 *   agreement       { all of it done? }
 *
 * A member whose pieces are large, or that has none, moves them itself and takes part without data.  Nobody makes another one
 * wait that is not in the call: a view without holes is agreed on when it is set, and then there is no exchange at all.
 *
 * What a death does.  It ends the exchange at each survivor when that hears of it, sooner or later; so one has data of
 * another that has given up already.  The second agreement brings them together: an aggregator votes when it is done with the
 * file.  Unless all is done and nobody has died, each survivor then moves all of its own data itself, with the same bytes at the same
 * places.  So what a dead aggregator held is written by those that it came from, which live or have
 * nothing to write; and nothing old is written after a call has returned.  The same way leads out of a lack of memory, and
 * out of an error of the file at an aggregator: each member then gets its own.
 *
 * Calls on a file follow each other: only the first of the queue is carried out.
 *
 * Invariants:
 *   1  what is agreed on or exchanged depends only on what was agreed on before, and on the hints, which are the same;
 *   2  a member that fails takes part until the others know: with `failing` set, up to the next question for memory;
 *   3  only the first of the queue has an agreement or a collective under way. */
#include "io/together.h"

#include "comm/errcode.h"
#include "io/keep.h"
#include "io/os.h"
#include "io/rows.h"

#include <stdio.h>
#include <string.h>

#define PROBE_RUNS 16 /* are looked at to learn how long pieces are */
#define LARGE_RUN                                                                                  \
    ((MPI_Offset)1 << 16) /* pieces from this mean length on are moved by their owner */
#define MIN_RUNS 64       /* fewer pieces of each member are not worth the exchange */
#define ALL      UINT64_MAX
#define SIEVE    3 /* a window is read whole if at least this part is wanted */

enum stage { QUEUED, ASKED, COUNTED, GRANTED, LISTED, SENT, ENDED };

struct domain {
    MPI_Offset begin, end; /* in the file */
    int rank;              /* its aggregator */
    struct mend_cursor k;  /* of what this process has in it */
    MPI_Offset left;       /* bytes */
    MPI_Offset stream;     /* where they begin in this process's data, this round */
    MPI_Offset bytes;      /* this round */
    struct mend_rows rows; /* this round */
    char *data;            /* of this round, dense */
};

/* What comes from, or goes to, a member in a round. */
struct amount {
    int64_t rows_n, bytes;
};

struct together {
    struct mend_request base;
    struct mend_list queue; /* of the file */
    struct mend_file *f;
    bool write;
    struct mend_file_data data;
    MPI_Offset at;    /* in the stream of the view, bytes */
    MPI_Offset total; /* bytes */
    int own_error;
    bool has_pieces; /* to give away, or to be given */
    bool failing;
    enum stage stage;
    struct mend_request *inner;

    bool decided; /* of the agreement that is under way: */
    bool invalid, fine;
    MPI_Offset low, high;
    uint64_t runs;

    int domains_n;
    struct domain *domain, *own; /* own: this process's, or NULL */
    MPI_Offset round, rounds;
    struct amount *give, *take; /* by rank */
    struct mend_lane *lanes;
    MPI_Count *counts[2]; /* of a collective: to and from each rank */
    MPI_Aint *places[2];
    int64_t cannot;
    struct mend_rows rows; /* of others */
    char *room;            /* bytes of others */
    char *packed;          /* of this process, where memory is not dense */
    int64_t room_bytes, packed_bytes;
};

bool mend_file_gathers(const struct mend_file *f, bool write)
{
    return f->gathers[write] && !f->atomic;
}

/* ---- agreements ---- */

static void on_decision(void *arg, struct mend_decision *d)
{
    struct together *t = arg;

    if (d->failed)
        mend_failure_told_group(t->f->self, d->failed);
    t->invalid = d->and_word[0] != ALL;
    t->fine = d->and_word[1] == ALL && !d->failed_n;
    t->high = (MPI_Offset)d->max_word[0];
    t->low = (MPI_Offset)~d->max_word[1];
    t->runs = d->max_word[2];
    t->decided = true;
}

static void vote(struct together *t, bool fine, MPI_Offset low, MPI_Offset high, uint64_t runs)
{
    struct mend_decision d = {.and_word = {ALL, fine ? ALL : 0, ALL, ALL},
                              .max_word = {(uint64_t)high, ~(uint64_t)low, runs}};

    t->decided = false;
    mend_decide_call(t->f->comm, MEND_DECIDE_VALIDATION, &d, on_decision, t);
}

static void end_exchange(struct together *t, bool fine)
{
    t->stage = ENDED;
    vote(t, fine && !t->failing, INT64_MAX, 0, 0);
}

/* ---- the end ---- */

static void drop_exchange(struct together *t)
{
    struct mend_proc *self = t->f->self;

    for (int i = 0; t->domain && i < t->domains_n; i++)
        mend_rows_free(self, &t->domain[i].rows);
    mend_rows_free(self, &t->rows);
    mend_free(self, t->domain);
    mend_free(self, t->give);
    mend_free(self, t->lanes);
    mend_free(self, t->counts[0]);
    mend_free(self, t->room);
    mend_free(self, t->packed);
    t->domain = NULL;
}

static void finish(struct together *t, int err, MPI_Count bytes)
{
    struct mend_proc *self = t->f->self;

    drop_exchange(t);
    mend_list_remove(&t->queue);
    if (t->data.type)
        mend_type_put(self, t->data.type);
    t->base.bytes = bytes;
    mend_request_complete(&t->base, t->own_error ? t->own_error : err);
}

static void finish_alone(struct together *t)
{
    MPI_Count bytes = 0;
    int err = MPI_SUCCESS;

    if (t->has_pieces)
        err = mend_file_move(t->f, t->write, t->at / t->f->view.etype_size, &t->data, &bytes);
    else
        bytes = t->base.bytes;
    finish(t, err, bytes);
}

/* Bytes of what was asked for that the file has. */
static MPI_Count bytes_there(struct together *t)
{
    MPI_Offset size, there;

    if (t->write || mend_file_size(t->f, &size))
        return t->total;
    there = mend_view_stream(&t->f->view, size) - t->at;
    return there < 0 ? 0 : there < t->total ? there : t->total;
}

/* ---- the first question ---- */

/* What this member has: looks at the first runs of it, moves it if they are large, else tells of it. */
static void look(struct together *t, MPI_Offset *low_p, MPI_Offset *high_p, uint64_t *runs_p)
{
    const struct mend_view *v = &t->f->view;
    bool always =
        t->f->hints.value[t->write ? MEND_HINT_CB_WRITE : MEND_HINT_CB_READ] == MEND_HINT_ENABLE;
    MPI_Offset seen = 0, offset, len;
    struct mend_cursor k;
    int runs = 0;

    mend_view_begin(&k, v, t->at);
    while (runs < PROBE_RUNS && seen < t->total &&
           mend_view_next(&k, t->total - seen, &offset, &len)) {
        *low_p = runs++ ? *low_p : offset;
        seen += len;
    }
    if (!runs || runs == 1 || (!always && seen / runs >= LARGE_RUN)) {
        *low_p = INT64_MAX;
        t->own_error =
            mend_file_move(t->f, t->write, t->at / v->etype_size, &t->data, &t->base.bytes);
        return;
    }
    mend_view_begin(&k, v, t->at + t->total - 1);
    mend_view_next(&k, 1, &offset, &len);
    *high_p = offset + 1;
    *runs_p = always ? MIN_RUNS : (uint64_t)((__int128)t->total * runs / seen);
    t->has_pieces = true;
}

/* All that an exchange needs for certain. */
static bool take_memory(struct together *t)
{
    struct mend_proc *self = t->f->self;
    size_t n = (size_t)t->f->comm->size;

    t->domains_n = t->f->aggregators;
    t->domain = mend_zalloc(self, (size_t)t->domains_n, sizeof(*t->domain));
    t->give = mend_zalloc(self, 2 * n, sizeof(*t->give));
    t->lanes = mend_zalloc(self, n, sizeof(*t->lanes));
    t->counts[0] = mend_zalloc(self, 2 * n, sizeof(MPI_Count) + sizeof(MPI_Aint));
    if (!(t->domain && t->give && t->lanes && t->counts[0]))
        return false;
    t->take = t->give + n;
    t->counts[1] = t->counts[0] + n;
    t->places[0] = (MPI_Aint *)(t->counts[1] + n);
    t->places[1] = t->places[0] + n;
    return true;
}

static void ask(struct together *t)
{
    MPI_Offset low = INT64_MAX, high = 0;
    uint64_t runs = 0;
    bool fine = take_memory(t);

    if (!t->own_error && t->total)
        look(t, &low, &high, &runs);
    t->stage = ASKED;
    vote(t, fine, low, high, runs);
}

/* ---- rounds ---- */

static void lay_out(struct together *t)
{
    const struct mend_file *f = t->f;
    MPI_Offset unit = f->hints.value[MEND_HINT_STRIPING_UNIT];
    MPI_Offset window = f->hints.value[MEND_HINT_CB_BUFFER_SIZE];
    MPI_Offset begin = t->low / unit * unit, n = t->domains_n, from = t->at;
    MPI_Offset each = ((t->high - begin + n - 1) / n + unit - 1) / unit * unit;

    t->rounds = (each + window - 1) / window;
    for (int i = 0; i < t->domains_n; i++) {
        struct domain *d = &t->domain[i];
        MPI_Offset to = t->at + t->total;

        d->rank = (int)((int64_t)i * f->comm->size / t->domains_n);
        d->begin = begin + i * each;
        d->end = d->begin + each;
        if (d->rank == f->comm->rank)
            t->own = d;
        if (!t->has_pieces)
            continue;
        if (i + 1 < t->domains_n) {
            to = mend_view_stream(&f->view, d->end);
            to = to < from ? from : to < t->at + t->total ? to : t->at + t->total;
        }
        mend_view_begin(&d->k, &f->view, from);
        d->left = to - from;
        d->stream = from - t->at;
        from = to;
    }
}

/* What this member has in the window of the domain. */
static bool list_pieces(struct together *t, struct domain *d)
{
    MPI_Offset window = t->f->hints.value[MEND_HINT_CB_BUFFER_SIZE];
    MPI_Offset end = d->begin + (t->round + 1) * window, offset, len;

    d->stream += d->bytes;
    d->bytes = 0;
    d->rows.n = 0;
    while (d->left > 0) {
        struct mend_cursor before = d->k;

        if (!mend_view_next(&d->k, d->left, &offset, &len))
            break;
        if (offset + len > end) {
            d->k = before;
            if (offset >= end || !mend_view_next(&d->k, end - offset, &offset, &len))
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
static bool find_data(struct together *t)
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
        struct domain *d = &t->domain[i];

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

static struct mend_coll_buf buffer(void *buf, MPI_Count n, MPI_Datatype type)
{
    return (struct mend_coll_buf){buf, n, mend_type_predefined((uintptr_t)type), type};
}

/* Step 1: how much goes to each aggregator. */
static void count(struct together *t)
{
    struct mend_coll_how how = {.kind = MEND_COLL_START};
    struct mend_coll_buf in = buffer(t->give, 2, MPI_INT64_T),
                         out = buffer(t->take, 2, MPI_INT64_T);
    int n = t->f->comm->size;

    memset(t->give, 0, (size_t)n * sizeof(*t->give));
    for (int i = 0; i < t->domains_n; i++) {
        struct domain *d = &t->domain[i];

        t->failing |= !list_pieces(t, d);
        if (d != t->own)
            t->give[d->rank] = (struct amount){d->rows.n, d->bytes};
    }
    t->failing |= !find_data(t);
    t->stage = COUNTED;
    mend_coll_alltoall(t->f->comm, &in, NULL, &out, NULL, &how);
    t->inner = how.request;
}

/* Step 2: whether all have memory for what they are to get. */
static void ask_for_memory(struct together *t)
{
    struct mend_coll_how how = {.kind = MEND_COLL_START};
    struct mend_coll_buf out = buffer(&t->cannot, 1, MPI_INT64_T);
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
    t->cannot = t->failing;
    t->stage = GRANTED;
    mend_coll_allreduce(t->f->comm, MPI_IN_PLACE, &out, mend_op_of(MPI_MAX), &how);
    t->inner = how.request;
}

/* Bytes from and to absolute addresses. */
static void exchange(struct together *t, enum stage stage, int from, int to)
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
static void send_lists(struct together *t)
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
    exchange(t, LISTED, 0, 1);
}

/* Step 4: the data, to the aggregators or from them. */
static void send_data(struct together *t)
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
    exchange(t, SENT, t->write ? 0 : 1, t->write ? 1 : 0);
}

/* ---- the file ---- */

/* The lists of all that have something in this process's window; the data of the others lies in `room`. */
static struct mend_merge merge(struct together *t)
{
    const struct mend_row *row = t->rows.row;
    struct mend_merge m;
    char *data = t->room;
    int n = 0;

    if (t->own->rows.n)
        t->lanes[n++] = (struct mend_lane){t->own->rows.row, t->own->rows.row + t->own->rows.n, 0,
                                           t->own->data};
    for (int r = 0; r < t->f->comm->size; r++) {
        const struct amount *a = &t->take[r];

        if (a->rows_n)
            t->lanes[n++] = (struct mend_lane){row, row + a->rows_n, 0, data};
        row += a->rows_n;
        data += a->bytes;
    }
    mend_merge_begin(&m, t->lanes, n);
    return m;
}

/* What lies behind the end of the file is read as zeros; its owner knows. */
static void clear_tail(struct iovec *piece, int n, int64_t bytes)
{
    while (bytes > 0) {
        size_t len = piece[--n].iov_len < (size_t)bytes ? piece[n].iov_len : (size_t)bytes;

        memset((char *)piece[n].iov_base + piece[n].iov_len - len, 0, len);
        bytes -= (int64_t)len;
    }
}

static int move_pieces(struct together *t, struct iovec *piece, int n, MPI_Offset at,
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
static int move_merged(struct together *t)
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
static bool read_whole(struct together *t, int *error_p)
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

/* This process's window.  An error is not kept: each member then moves its own data, and gets its own error. */
static void move_window(struct together *t)
{
    int error = 0;

    if (!t->own || t->failing)
        return;
    if (t->write || !read_whole(t, &error))
        error = move_merged(t);
    t->f->dirty |= t->write;
    t->failing |= error != 0;
}

static void unpack(struct together *t)
{
    for (int i = 0; i < t->domains_n; i++) {
        struct domain *d = &t->domain[i];

        if (d->bytes && !t->data.type->dense)
            mend_type_unpack(t->data.type, t->data.buf, t->data.count, d->stream, d->data,
                             (size_t)d->bytes);
    }
}

/* ---- one step after the other ---- */

/* The collective that was under way is done.  MPI_ERR_PENDING: it is not; another class: it will never be. */
static int take_inner(struct together *t)
{
    int err;

    if (!mend_request_is_done(t->inner))
        return MPI_ERR_PENDING;
    err = t->inner->error;
    mend_request_detach(t->inner);
    t->inner = NULL;
    if (err != MEND_CLASS_PROC_FAILED && err != MEND_CLASS_INVALIDATED) {
        t->failing |= err != MPI_SUCCESS;
        err = MPI_SUCCESS;
    }
    return err;
}

/* True: it goes on; else it may be gone. */
static bool on_answer(struct together *t)
{
    if (!t->invalid && t->fine && t->high > t->low && t->runs >= MIN_RUNS) {
        lay_out(t);
        count(t);
        return true;
    }
    if (t->invalid)
        finish(t, MPI_ERR_INVALIDATED, 0);
    else
        finish_alone(t);
    return false;
}

static bool on_end(struct together *t)
{
    if (t->write && !t->invalid && t->fine && t->has_pieces)
        mend_file_keep(t->f, t->at, t->total, &t->data, NULL);
    if (t->invalid)
        finish(t, MPI_ERR_INVALIDATED, 0);
    else if (t->fine && t->has_pieces)
        finish(t, MPI_SUCCESS, bytes_there(t));
    else
        finish_alone(t);
    return false;
}

static void end_round(struct together *t)
{
    if (t->write)
        move_window(t);
    else
        unpack(t);
    if (++t->round < t->rounds)
        count(t);
    else
        end_exchange(t, true);
}

static void after_collective(struct together *t)
{
    switch (t->stage) {
    case COUNTED:
        ask_for_memory(t);
        break;
    case GRANTED:
        if (t->cannot || t->failing)
            end_exchange(t, false);
        else
            send_lists(t);
        break;
    case LISTED:
        if (!t->write)
            move_window(t);
        send_data(t);
        break;
    default:
        end_round(t);
    }
}

/* True: it may go on; else it waits, or may be gone. */
static bool advance(struct together *t)
{
    int err;

    switch (t->stage) {
    case QUEUED:
        if (t->f->together.next != &t->queue)
            return false;
        ask(t);
        return true;
    case ASKED:
        return t->decided && on_answer(t);
    case ENDED:
        return t->decided && on_end(t);
    default:
        err = take_inner(t);
        if (err == MPI_ERR_PENDING)
            return false;
        if (err)
            end_exchange(t, false);
        else
            after_collective(t);
        return true;
    }
}

static struct together *of(struct mend_request *r)
{
    return MEND_CONTAINER_OF(r, struct together, base);
}

static void move_on(struct mend_request *r)
{
    while (advance(of(r)))
        ;
}

static void release(struct mend_request *r)
{
    struct mend_comm *c = r->comm;

    r->magic = 0;
    mend_free(c->self, of(r));
    mend_comm_put(c);
}

static void describe(const struct mend_request *r, char *text, size_t max)
{
    const struct together *t = MEND_CONTAINER_OF(r, const struct together, base);

    snprintf(text, max, "all to %s '%s' together", t->write ? "write to" : "read", t->f->name);
}

static const struct mend_request_ops ops = {
    .name = "collective access to a file",
    .cause = MEND_WAIT_COLLECTIVES,
    .whole = true,
    .poll = move_on,
    .release = release,
    .describe = describe,
};

struct mend_request *mend_file_begin_together(struct mend_file *f, bool write, MPI_Offset at,
                                              const struct mend_file_data *d, int own_error)
{
    struct together *t = mend_alloc_to_take_part(f->self, sizeof(*t));

    *t = (struct together){.f = f, .write = write, .own_error = own_error};
    if (!own_error) {
        t->data = *d;
        mend_type_get(d->type);
        t->at = at * f->view.etype_size;
        t->total = d->count * d->type->size;
    }
    mend_request_init(&t->base, &ops, f->comm);
    mend_comm_get(f->comm);
    mend_request_begin(&t->base);
    mend_list_append(&f->self->active, &t->base.link);
    mend_list_append(&f->together, &t->queue);
    move_on(&t->base);
    return &t->base;
}

static bool is_quiet(struct mend_proc *self, void *arg)
{
    (void)self;
    return mend_list_empty(arg);
}

void mend_file_drain(struct mend_file *f)
{
    struct mend_wait w = {.until = is_quiet,
                          .arg = &f->together,
                          .what = "collective accesses to a file that are under way",
                          .cause = MEND_WAIT_COLLECTIVES,
                          .comm = f->comm,
                          .hint = MEND_PEER_NONE};

    if (!mend_list_empty(&f->together))
        mend_wait_until(f->self, &w);
}
