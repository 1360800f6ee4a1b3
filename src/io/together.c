/* SPDX-License-Identifier: BSD-3-Clause */
/* together.c – collective reading and writing in two phases: small pieces of several members become large ones.
 *
 *   file     |aa|bb|cc|aa|bb|cc|aa|bb|cc|aa|bb|cc|      pieces of the members a, b, c
 *   domains  |---------- a ----------|---- c ----|      begin at multiples of striping_unit; one for each aggregator
 *   windows  |--1--|--2--|--3--|--4--|--1--|--2--|      of cb_buffer_size; in each round one of each domain, empty ones left out
 *
 *   agreement       { from where to where, how many pieces, all able? }     the same at all: whether to go on
 *   each round      how much goes to each aggregator; is there memory for it everywhere, and which windows are next; lists of
 *                   pieces; data; then the file
 *   agreement       { all of it done? }
 *
 * Where all members share memory reading goes another way from the first agreement on: look.c.
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
#include "io/exchange.h"

#include "comm/errcode.h"
#include "decide/revoke.h"
#include "io/keep.h"

#include <stdio.h>

#define PROBE_RUNS 16 /* are looked at to learn how long pieces are */
#define LARGE_RUN                                                                                  \
    ((MPI_Offset)1 << 16) /* pieces from this mean length on are moved by their owner */
#define MIN_RUNS 64       /* fewer pieces of each member are not worth the exchange */
#define SHARE    3        /* as move.c: less is not read with the holes */
#define ALL      UINT64_MAX

bool mend_file_gathers(const struct mend_file *f, bool write)
{
    return f->gathers[write] && !f->atomic && !f->append;
}

/* ---- agreements ---- */

static void on_decision(void *arg, struct mend_decision *d)
{
    struct mend_together *t = arg;

    if (d->failed)
        mend_failure_told_group(t->f->self, d->failed);
    t->invalid = d->and_word[0] != ALL;
    t->fine = d->and_word[1] == ALL && !d->failed_n;
    t->high = (MPI_Offset)d->max_word[0];
    t->low = (MPI_Offset)~d->max_word[1];
    t->runs = d->max_word[2];
    t->apart = d->and_word[2] != ALL;
    t->decided = true;
}

static void vote(struct mend_together *t, bool fine, MPI_Offset low, MPI_Offset high, uint64_t runs)
{
    struct mend_decision d = {.and_word = {ALL, fine ? ALL : 0, t->apart ? 0 : ALL, ALL},
                              .max_word = {(uint64_t)high, ~(uint64_t)low, runs}};

    t->decided = false;
    mend_decide_call(t->f->comm, MEND_DECIDE_VALIDATION, &d, on_decision, t);
}

static void end_exchange(struct mend_together *t, bool fine)
{
    t->stage = MEND_TOGETHER_ENDED;
    vote(t, fine && !t->failing, INT64_MAX, 0, 0);
}

/* ---- the end ---- */

static void drop_exchange(struct mend_together *t)
{
    struct mend_proc *self = t->f->self;

    for (int i = 0; t->domain && i < t->domains_n; i++)
        mend_rows_free(self, &t->domain[i].rows);
    mend_rows_free(self, &t->rows);
    mend_free(self, t->domain);
    mend_free(self, t->give);
    mend_free(self, t->lanes);
    mend_free(self, t->counts[0]);
    mend_free(self, t->sums);
    mend_free(self, t->room);
    mend_free(self, t->packed);
    t->domain = NULL;
}

static void finish(struct mend_together *t, int err, MPI_Count bytes)
{
    struct mend_proc *self = t->f->self;

    drop_exchange(t);
    mend_list_remove(&t->queue);
    if (t->data.type)
        mend_type_put(self, t->data.type);
    t->base.bytes = bytes;
    mend_request_complete(&t->base, t->own_error ? t->own_error : err);
}

/* Here, too, if another member has said so. */
static void finish_revoked(struct mend_together *t)
{
    mend_revoke_heard(t->f->comm);
    finish(t, MPI_ERR_INVALIDATED, 0);
}

static void finish_alone(struct mend_together *t)
{
    MPI_Count bytes = 0;
    int err = MPI_SUCCESS;

    if (t->has_pieces)
        err = mend_file_move(t->f, t->write, t->at / t->f->view.etype_size, &t->data, &bytes);
    else
        bytes = t->base.bytes;
    finish(t, err, bytes);
}

/* ---- the first question ---- */

/* What this member has: looks at the first runs of it, moves it if they are large, else tells of it. */
static void look(struct mend_together *t, MPI_Offset *low_p, MPI_Offset *high_p, uint64_t *runs_p)
{
    const struct mend_view *v = &t->f->view;
    bool always =
        t->f->hints.value[t->write ? MEND_HINT_CB_WRITE : MEND_HINT_CB_READ] == MEND_HINT_ENABLE;
    MPI_Offset seen = 0, end = 0, offset, len;
    struct mend_cursor k;
    int runs = 0;

    mend_view_begin(&k, v, t->at);
    while (runs < PROBE_RUNS && seen < t->total &&
           mend_view_next(&k, t->total - seen, &offset, &len)) {
        *low_p = runs++ ? *low_p : offset;
        end = offset + len;
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
    t->apart = seen * SHARE < end - *low_p;
    t->has_pieces = true;
}

/* All that an exchange needs for certain. */
static bool take_memory(struct mend_together *t)
{
    struct mend_proc *self = t->f->self;
    size_t n = (size_t)t->f->comm->size;

    t->domains_n = mend_together_looks(t) ? mend_together_readers(t) : t->f->aggregators;
    t->domain = mend_zalloc(self, (size_t)t->domains_n, sizeof(*t->domain));
    t->give = mend_zalloc(self, 2 * n, sizeof(*t->give));
    t->lanes = mend_zalloc(self, n, sizeof(*t->lanes));
    t->counts[0] = mend_zalloc(self, 2 * n, sizeof(MPI_Count) + sizeof(MPI_Aint));
    t->sums = mend_zalloc(self, mend_together_sums(t), sizeof(*t->sums));
    if (!(t->domain && t->give && t->lanes && t->counts[0] && t->sums))
        return false;
    t->take = t->give + n;
    t->counts[1] = t->counts[0] + n;
    t->places[0] = (MPI_Aint *)(t->counts[1] + n);
    t->places[1] = t->places[0] + n;
    return true;
}

static void ask(struct mend_together *t)
{
    MPI_Offset low = INT64_MAX, high = 0;
    uint64_t runs = 0;
    bool fine = take_memory(t) && !(mend_together_looks(t) && !mend_view_goes_on(&t->f->view));

    if (!t->own_error && t->total)
        look(t, &low, &high, &runs);
    t->stage = MEND_TOGETHER_ASKED;
    vote(t, fine, low, high, runs);
}

/* ---- one step after the other ---- */

/* The collective that was under way is done.  MPI_ERR_PENDING: it is not; another class: it will never be. */
static int take_inner(struct mend_together *t)
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
static bool on_answer(struct mend_together *t)
{
    bool looks = mend_together_looks(t);

    if (!t->invalid && t->fine && t->high > t->low && t->runs >= MIN_RUNS &&
        (!looks || mend_together_is_worth_looking(t))) {
        mend_together_lay_out(t);
        (looks ? mend_together_open : mend_together_count)(t);
        return true;
    }
    if (t->invalid)
        finish_revoked(t);
    else
        finish_alone(t);
    return false;
}

/* Into the next window. */
static void look_on(struct mend_together *t)
{
    if (!mend_together_look(t)) {
        end_exchange(t, true);
        return;
    }
    t->stage = MEND_TOGETHER_LOOKED;
    vote(t, !t->failing, t->low, t->high, t->runs);
}

static bool on_end(struct mend_together *t)
{
    if (t->write && !t->invalid && t->fine && t->has_pieces)
        mend_file_keep(t->f, t->at, t->total, &t->data, NULL);
    if (t->invalid)
        finish_revoked(t);
    else if (t->fine && t->has_pieces)
        finish(t, MPI_SUCCESS, t->there);
    else
        finish_alone(t);
    return false;
}

static void end_round(struct mend_together *t)
{
    if (t->write)
        mend_together_move_window(t);
    else
        mend_together_unpack(t);
    if (mend_together_go_on(t))
        mend_together_count(t);
    else
        end_exchange(t, true);
}

static void after_collective(struct mend_together *t)
{
    switch (t->stage) {
    case MEND_TOGETHER_COUNTED:
        mend_together_ask_for_memory(t);
        break;
    case MEND_TOGETHER_GRANTED:
        if (mend_together_can(t))
            mend_together_send_lists(t);
        else
            end_exchange(t, false);
        break;
    case MEND_TOGETHER_LISTED:
        if (!t->write)
            mend_together_move_window(t);
        mend_together_send_data(t);
        break;
    case MEND_TOGETHER_OPENED:
        mend_together_map(t);
        look_on(t);
        break;
    default:
        end_round(t);
    }
}

/* True: it may go on; else it waits, or may be gone. */
static bool advance(struct mend_together *t)
{
    int err;

    switch (t->stage) {
    case MEND_TOGETHER_QUEUED:
        if (t->f->together.next != &t->queue)
            return false;
        ask(t);
        return true;
    case MEND_TOGETHER_ASKED:
        return t->decided && on_answer(t);
    case MEND_TOGETHER_LOOKED:
        if (t->decided && t->fine && !t->invalid)
            look_on(t);
        else
            return t->decided && on_end(t);
        return true;
    case MEND_TOGETHER_ENDED:
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

static struct mend_together *of(struct mend_request *r)
{
    return MEND_CONTAINER_OF(r, struct mend_together, base);
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
    const struct mend_together *t = MEND_CONTAINER_OF(r, const struct mend_together, base);

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
    struct mend_together *t = mend_alloc_to_take_part(f->self, sizeof(*t));

    *t = (struct mend_together){.f = f, .write = write, .own_error = own_error};
    if (!own_error) {
        t->data = *d;
        mend_type_get(d->type);
        t->at = at * f->view.etype_size;
        t->total = d->count * d->type->size;
    }
    mend_request_init(&t->base, &ops, f->comm);
    t->base.rings = true; /* it only follows agreements and collectives of this process */
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
                          .hint = MEND_PEER_NONE,
                          .rings = true};

    if (!mend_list_empty(&f->together))
        mend_wait_until(f->self, &w);
}
