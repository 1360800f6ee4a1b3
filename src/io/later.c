/* SPDX-License-Identifier: BSD-3-Clause */
/* later.c – an order to the kernel for each run of the view, all at once. */
#include "io/later.h"

#include "io/keep.h"
#include "io/os.h"
#include "io/uring.h"
#include "node/node.h"
#include "req/request.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define RUN_MAX    ((MPI_Offset)1 << 30)
#define RUNS_MAX   64   /* of an access; more are done in the call */
#define PIECES_MAX 1024 /* of memory */
#define WORTH_BYTES                                                                                \
    ((MPI_Offset)1 << 20) /* less takes no longer in the call than to hand it over */
#define WORTH_PER_RUN ((MPI_Offset)1 << 16)

struct mend_later {
    struct mend_request base;
    struct mend_list link; /* in f->later */
    struct mend_file *f;
    const struct mend_type *type; /* of memory; a reference is held */
    bool write;
    int pieces_n, left_n; /* left: not over; one more while the first orders are given */
    struct mend_file_piece *piece;
};

/* ---- whether it is worth it ---- */

/* A core on which the kernel can copy while all ranks compute. */
static bool has_idle_core(const struct mend_proc *self)
{
    return self->node && self->node->header->ranks_here_n < self->node->header->cores_n;
}

static bool is_wanted(const struct mend_file *f, MPI_Offset bytes)
{
    const char *when = f->self->params.file_async;

    if (!bytes || f->self->yield || f->atomic || f->append ||
        f->view.datarep->kind != MEND_DATAREP_NATIVE || mend_file_keeps(f))
        return false;
    if (when && strcmp(when, "automatic"))
        return !strcmp(when, "always");
    return bytes >= WORTH_BYTES && has_idle_core(f->self);
}

/* Runs of the file, and pieces of memory, of an access. */
struct shape {
    int runs_n, pieces_n;
};

/* One run after the other, with its pieces of memory; l NULL: only counts.  False: there are too many. */
static bool walk(const struct mend_file *f, MPI_Offset at, const struct mend_file_data *d,
                 struct shape *s, struct mend_later *l, struct iovec *room)
{
    MPI_Offset left = d->count * d->type->size, offset, len;
    struct mend_cursor file, memory;
    struct iovec v;
    char *start;

    *s = (struct shape){0};
    mend_view_begin(&file, &f->view, at * f->view.etype_size);
    mend_cursor_begin(&memory, d->type, d->buf, d->count, 0);
    while (left > 0 && mend_view_next(&file, left < RUN_MAX ? left : RUN_MAX, &offset, &len)) {
        if (s->runs_n == RUNS_MAX)
            return false;
        if (l)
            l->piece[s->runs_n] = (struct mend_file_piece){
                .of = l, .next = room + s->pieces_n, .offset = offset, .asked = len};
        left -= len;
        for (; len; len -= (MPI_Offset)v.iov_len) {
            if (s->pieces_n == PIECES_MAX ||
                !mend_cursor_next(&memory, (size_t)len, &start, &v.iov_len))
                return false;
            if (l) {
                v.iov_base = start;
                room[s->pieces_n] = v;
                l->piece[s->runs_n].n++;
            }
            s->pieces_n++;
        }
        s->runs_n++;
    }
    return left == 0;
}

static bool is_worth(const struct mend_file *f, const struct mend_file_data *d,
                     const struct shape *s)
{
    const char *when = f->self->params.file_async;

    return (when && !strcmp(when, "always")) ||
           d->count * d->type->size >= s->runs_n * WORTH_PER_RUN;
}

/* ---- the end ---- */

/* What was moved up to the end of the file, or to an error. */
static void finish(struct mend_later *l)
{
    struct mend_file *f = l->f;
    MPI_Count bytes = 0;
    int error = 0, class = MPI_SUCCESS;

    for (int i = 0; i < l->pieces_n && !error; i++) {
        bytes += l->piece[i].done;
        error = l->piece[i].error;
        if (l->piece[i].done < l->piece[i].asked)
            break;
    }
    for (int i = 0; i < l->pieces_n && !error; i++) /* a read behind the end may have one, too */
        error = l->piece[i].error;
    if (error)
        class = mend_file_failed(f, l->write, error);
    mend_list_remove(&l->link);
    mend_type_put(f->self, l->type);
    l->base.bytes = bytes;
    mend_request_complete(&l->base, class);
}

static void end_piece(struct mend_later *l)
{
    if (--l->left_n == 0)
        finish(l);
}

/* ---- orders ---- */

static void move_here(struct mend_later *l, struct mend_file_piece *p)
{
    int64_t at = p->offset + p->done, done = 0;

    p->error = l->write ? mend_os_write(l->f->fd, p->next, p->n, at, &l->f->limit, &done)
                        : mend_os_read(l->f->fd, p->next, p->n, at, &done);
    p->done += done;
}

/* Behind the limit on sizes a plain call finds out what is wrong. */
static bool order(struct mend_later *l, struct mend_file_piece *p)
{
    struct mend_uring_order o = {.fd = l->f->fd,
                                 .write = l->write,
                                 .piece = p->next,
                                 .n = p->n < MEND_OS_PIECES ? p->n : MEND_OS_PIECES,
                                 .offset = p->offset + p->done};

    return !(l->write && o.offset >= l->f->limit) && mend_uring_begin(l->f->self, &o, p);
}

/* False: a plain call has carried it out. */
static bool begin_piece(struct mend_later *l, struct mend_file_piece *p)
{
    if (order(l, p))
        return true;
    move_here(l, p);
    return false;
}

enum mend_file_piece_step mend_file_piece_take(struct mend_file_piece *p, bool write, int result)
{
    switch (result) {
    case -EINTR:
    case -EAGAIN:
    case -ECANCELED:
    case -EOPNOTSUPP:
        return MEND_PIECE_PLAIN;
    case 0:
        p->error = write ? EIO : 0;
        return MEND_PIECE_OVER;
    }
    if (result < 0) {
        p->error = -result;
        return MEND_PIECE_OVER;
    }
    p->done += result;
    p->n = mend_os_advance(&p->next, p->n, (size_t)result);
    return p->n ? MEND_PIECE_AGAIN : MEND_PIECE_OVER;
}

static void take(struct mend_file_piece *p, int result)
{
    struct mend_later *l = p->of;

    switch (mend_file_piece_take(p, l->write, result)) {
    case MEND_PIECE_PLAIN:
        move_here(l, p);
        break;
    case MEND_PIECE_AGAIN:
        if (l->write)
            l->f->limit = mend_os_limit(); /* it may have been reached */
        if (begin_piece(l, p))
            return;
        break;
    case MEND_PIECE_OVER:
        break;
    }
    end_piece(l);
}

/* ---- the request ---- */

static struct mend_later *of(struct mend_request *r)
{
    return MEND_CONTAINER_OF(r, struct mend_later, base);
}

/* The results of all requests of this process. */
static void look(struct mend_request *r)
{
    struct mend_proc *self = of(r)->f->self;
    struct mend_file_piece *p;
    int result;

    while ((p = mend_uring_take(self, &result)) != NULL)
        take(p, result);
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
    const struct mend_later *l = MEND_CONTAINER_OF(r, const struct mend_later, base);

    snprintf(text, max, "the system to %s '%s'", l->write ? "write to" : "read", l->f->name);
}

static const struct mend_request_ops ops = {
    .name = "access to a file",
    .poll = look,
    .release = release,
    .describe = describe,
};

/* In one block: the request, its runs, their pieces of memory. */
static struct mend_later *make(struct mend_file *f, bool write, const struct shape *s,
                               struct iovec **room_p)
{
    size_t n = sizeof(struct mend_later) + (size_t)s->runs_n * sizeof(struct mend_file_piece);
    struct mend_later *l = mend_alloc(f->self, n + (size_t)s->pieces_n * sizeof(struct iovec));

    if (!l)
        return NULL;
    *l = (struct mend_later){.f = f,
                             .write = write,
                             .pieces_n = s->runs_n,
                             .left_n = s->runs_n + 1,
                             .piece = (struct mend_file_piece *)(l + 1)};
    *room_p = (struct iovec *)(l->piece + s->runs_n);
    return l;
}

static void begin(struct mend_later *l, struct mend_file *f)
{
    mend_request_init(&l->base, &ops, f->comm);
    l->base.rings = mend_uring_rings(f->self);
    mend_comm_get(f->comm);
    mend_request_begin(&l->base);
    mend_list_append(&f->self->active, &l->base.link);
    mend_list_append(&f->later, &l->link);
    f->dirty |= l->write;
    if (l->write) {
        mend_file_keep_not(f);
        if (!f->limit)
            f->limit = mend_os_limit();
    }
    for (int i = 0; i < l->pieces_n; i++)
        if (!begin_piece(l, &l->piece[i]))
            l->left_n--;
    mend_event(f->self, MEND_EV_FILE_LATER);
    end_piece(l);
}

struct mend_request *mend_file_begin_later(struct mend_file *f, bool write, MPI_Offset at,
                                           const struct mend_file_data *d)
{
    struct mend_later *l;
    struct shape s;
    struct iovec *room;

    if (!is_wanted(f, d->count * d->type->size) || !walk(f, at, d, &s, NULL, NULL) ||
        !is_worth(f, d, &s))
        return NULL;
    if (!f->uring && !(f->uring = mend_uring_get(f->self)))
        return NULL;
    l = make(f, write, &s, &room);
    if (!l)
        return NULL;
    walk(f, at, d, &s, l, room);
    mend_type_get(d->type);
    l->type = d->type;
    begin(l, f);
    return &l->base;
}

static bool is_quiet(struct mend_proc *self, void *arg)
{
    (void)self;
    return mend_list_empty(arg);
}

void mend_file_finish_later(struct mend_file *f)
{
    struct mend_wait w = {.until = is_quiet,
                          .arg = &f->later,
                          .what = "the system to be done with a file",
                          .hint = MEND_PEER_NONE,
                          .rings = true};

    if (!mend_list_empty(&f->later))
        mend_wait_until(f->self, &w);
}
