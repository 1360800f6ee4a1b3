/* SPDX-License-Identifier: BSD-3-Clause */
/* part.c – the life of a partitioned request: creation, matching, start, end. */
#include "part/internal.h"

#include <stdio.h>
#include <string.h>

static struct mend_part *of(struct mend_request *r)
{
    return MEND_CONTAINER_OF(r, struct mend_part, base);
}

int mend_part_init(struct mend_proc *self)
{
    struct mend_parts *all = mend_zalloc(self, 1, sizeof(*all));

    if (!all)
        return MPI_ERR_NO_MEM;
    mend_list_init(&all->all);
    mend_hash_init(&all->by_id, self->arena);
    self->parts = all;
    self->on_frame[MEND_FRAME_PART] = mend_part_on_frame;
    return MPI_SUCCESS;
}

/* Inactive: every partition is marked, and has arrived. */
static int make_ledger(struct mend_part *p)
{
    struct mend_proc *self = p->base.comm->self;
    size_t words = (size_t)mend_marks_words(p->partitions_n);

    if (!p->is_send) {
        p->arrivals.partitions_n = p->partitions_n;
        p->arrivals.each_bytes = p->each_bytes;
        p->arrivals.left =
            mend_zalloc(self, (size_t)p->partitions_n + 1, sizeof(*p->arrivals.left));
        return p->arrivals.left ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    p->marks.partitions_n = p->partitions_n;
    p->marks.marked = mend_zalloc(self, words + 1, sizeof(*p->marks.marked));
    p->marks.taken = mend_zalloc(self, words + 1, sizeof(*p->marks.taken));
    if (!p->marks.marked || !p->marks.taken)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < p->partitions_n; i++)
        mend_marks_set(&p->marks, i);
    return MPI_SUCCESS;
}

static void drop_ledger(struct mend_proc *self, struct mend_part *p)
{
    mend_free(self, (void *)p->marks.marked);
    mend_free(self, p->marks.taken);
    mend_free(self, (void *)p->arrivals.left);
}

static void give_memory_back(struct mend_proc *self, struct mend_part *p)
{
    drop_ledger(self, p);
    p->base.magic = 0;
    mend_free(self, p);
}

/* Finds a name that no request has. */
static int give_name(struct mend_parts *all, struct mend_part *p)
{
    do
        all->last_id = (all->last_id + 1) & INT32_MAX;
    while (!all->last_id || mend_hash_get(&all->by_id, all->last_id));
    p->id = all->last_id;
    return mend_hash_put(&all->by_id, p->id, p) == MEND_OK ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static void release(struct mend_request *base)
{
    struct mend_part *p = of(base);
    struct mend_comm *c = base->comm;
    struct mend_proc *self = c->self;

    mend_list_remove(&p->all);
    mend_hash_remove(&self->parts->by_id, p->id);
    mend_type_put(self, p->type);
    drop_ledger(self, p);
    p->base.magic = 0;
    if (mend_list_linked(&p->queue))
        p->freed = true;
    else
        mend_free(self, p);
    mend_comm_put(c);
}

void mend_part_end(struct mend_part *p, int error)
{
    struct mend_proc *self = p->base.comm->self;

    if (!mend_request_is_active(&p->base))
        return;
    if (mend_list_linked(&p->out.link))
        mend_out_remove(self, p->peer, &p->out);
    if (!mend_list_empty(&p->messages)) {
        p->over = p->over ? p->over : error;
        return;
    }
    p->over = 0;
    mend_request_complete(&p->base, error);
}

/* The class with which a message cannot even begin. */
static int hopeless(const struct mend_part *p)
{
    if (p->base.comm->revoked)
        return MEND_CLASS_INVALIDATED;
    return mend_peer_is_dead(p->base.comm->self, p->peer) ? MEND_CLASS_PROC_FAILED : MPI_SUCCESS;
}

static void start_nobody(struct mend_part *p)
{
    p->base.source = MPI_PROC_NULL;
    if (!p->is_send)
        mend_arrivals_finish(&p->arrivals);
    mend_request_complete(&p->base, p->base.comm->revoked ? MEND_CLASS_INVALIDATED : MPI_SUCCESS);
}

static int start(struct mend_request *base)
{
    struct mend_part *p = of(base);
    int err;

    p->over = p->error = 0;
    p->nothing = false;
    p->cut_bytes = p->cut_end = 0;
    if (p->is_send)
        mend_marks_clear(&p->marks);
    else
        mend_arrivals_clear(&p->arrivals);
    base->hint = p->peer;
    if (p->rank == MPI_PROC_NULL) {
        start_nobody(p);
        return MPI_SUCCESS;
    }
    err = hopeless(p);
    if (err)
        mend_part_end(p, err);
    else if (p->is_send)
        mend_part_push(p);
    else if (p->other_id)
        mend_part_tell(p, MEND_PART_START);
    return MPI_SUCCESS;
}

static void describe(const struct mend_request *base, char *text, size_t max)
{
    const struct mend_part *p = MEND_CONTAINER_OF(base, const struct mend_part, base);
    char other[48] = "no rank", comm[MEND_COMM_TEXT];

    mend_comm_describe(base->comm, comm, sizeof(comm));
    if (p->rank != MPI_PROC_NULL)
        mend_comm_describe_rank(base->comm, p->rank, other, sizeof(other));
    if (p->is_send)
        snprintf(text, max, "partitioned send to %s, tag %d, on %s (%d of %d partitions left%s)",
                 other, p->tag, comm, p->marks.partitions_n - p->marks.taken_n, p->partitions_n,
                 p->starts_n ? "" : ", its receiver has not started");
    else
        snprintf(text, max, "partitioned receive from %s, tag %d, on %s%s", other, p->tag, comm,
                 p->other_id ? "" : " (no send has been initialized)");
}

static const struct mend_request_ops ops = {
    .name = "partitioned message",
    .cause = MEND_WAIT_MESSAGES,
    .start = start,
    .poll = mend_part_poll,
    .release = release,
    .describe = describe,
    .whole = true,
};

static void set_up(struct mend_part *p, const struct mend_part_args *a)
{
    mend_request_init(&p->base, &ops, a->c);
    p->base.persistent = true;
    mend_list_init(&p->messages);
    mend_part_init_out(p);
    p->is_send = a->is_send;
    p->buf = a->buf;
    p->partitions_n = a->partitions_n;
    p->type = a->type;
    p->rank = a->rank;
    p->tag = a->tag;
    p->peer = a->rank == MPI_PROC_NULL ? MEND_PEER_NONE : mend_comm_peer(a->c, a->rank);
    p->count = a->count * a->partitions_n;
    p->each_bytes = (uint64_t)(a->count * a->type->size);
    p->total_bytes = p->each_bytes * (uint64_t)a->partitions_n;
}

static int join(struct mend_part *p)
{
    struct mend_comm *c = p->base.comm;

    mend_list_append(&c->self->parts->all, &p->all);
    mend_comm_get(c);
    mend_type_get(p->type);
    if (p->rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    if (!p->is_send)
        return mend_part_match(p);
    mend_part_tell(p, MEND_PART_OFFER);
    return MPI_SUCCESS;
}

int mend_part_create(const struct mend_part_args *args, struct mend_request **r_p)
{
    struct mend_proc *self = args->c->self;
    struct mend_part *p = mend_zalloc(self, 1, sizeof(*p));
    int err;

    if (!p)
        return MPI_ERR_NO_MEM;
    set_up(p, args);
    err = make_ledger(p);
    if (!err)
        err = give_name(self->parts, p);
    if (err) {
        give_memory_back(self, p);
        return err;
    }
    err = join(p);
    if (err)
        release(&p->base);
    else
        *r_p = &p->base;
    return err;
}

struct mend_part *mend_part_of(struct mend_request *r)
{
    return r && r->ops == &ops ? of(r) : NULL;
}

bool mend_part_is_send(const struct mend_part *p)
{
    return p->is_send;
}

int mend_part_count(const struct mend_part *p)
{
    return p->partitions_n;
}

bool mend_part_mark(struct mend_part *p, int partition)
{
    return mend_marks_set(&p->marks, partition);
}

bool mend_part_must_push(struct mend_part *p)
{
    return mend_marks_hurry(&p->marks);
}

bool mend_part_arrived(const struct mend_part *p, int partition)
{
    return mend_arrivals_has(&p->arrivals, partition);
}

bool mend_part_settled(const struct mend_part *p, int partition, int *error_p)
{
    bool arrived = mend_part_arrived(p, partition);

    *error_p = MPI_SUCCESS;
    if (arrived || mend_request_is_active(&p->base))
        return arrived;
    if (mend_request_is_done(&p->base))
        *error_p = p->base.error;
    return true;
}

/* The requests on c end; NULL: those with dead peers. */
static void end_all(struct mend_proc *self, const struct mend_comm *c, int error)
{
    bool again = true;

    while (again) { /* an error handler or a release may change the list: start over after each */
        again = false;
        mend_list_foreach (l, next, &self->parts->all) {
            struct mend_part *p = mend_list_entry(l, struct mend_part, all);

            if (!mend_request_is_active(&p->base) || p->over || p->rank == MPI_PROC_NULL ||
                (c ? p->base.comm != c : !mend_peer_is_dead(self, p->peer)))
                continue;
            again = true;
            mend_part_end(p, error);
            if (p->over)
                mend_part_poll(&p->base);
            break;
        }
    }
}

/* What p2p/ had brought before it is counted first (R12). */
static void count_arrived(struct mend_proc *self)
{
    bool again = true;

    while (again) {
        again = false;
        mend_list_foreach (l, next, &self->parts->all) {
            struct mend_part *p = mend_list_entry(l, struct mend_part, all);

            if (mend_list_empty(&p->messages) || !mend_peer_is_dead(self, p->peer))
                continue;
            mend_part_poll(&p->base);
            again = mend_list_empty(&p->messages);
            if (again)
                break;
        }
    }
}

void mend_part_on_deaths(struct mend_proc *self)
{
    count_arrived(self);
    end_all(self, NULL, MEND_CLASS_PROC_FAILED);
}

void mend_part_on_revoke(struct mend_comm *c)
{
    end_all(c->self, c, MEND_CLASS_INVALIDATED);
}

void mend_part_detach(struct mend_comm *c)
{
    struct mend_part_comm *k = c->part;

    if (!k)
        return;
    while (!mend_list_empty(&k->wanted)) {
        struct mend_part *p = mend_list_entry(k->wanted.next, struct mend_part, queue);

        mend_list_remove(&p->queue);
        mend_free(c->self, p); /* freed by the program: a living one holds the communicator */
    }
    while (!mend_list_empty(&k->offers)) {
        struct mend_part_offer *o = mend_list_entry(k->offers.next, struct mend_part_offer, link);

        mend_list_remove(&o->link);
        mend_free(c->self, o);
    }
    mend_free(c->self, k);
    c->part = NULL;
}
