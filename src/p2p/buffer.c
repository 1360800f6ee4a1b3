/* SPDX-License-Identifier: BSD-3-Clause */
/* buffer.c – the user's buffer for MPI_Bsend, and the automatic one (MPI-5.0 3.6).
 *
 * The attached memory holds blocks { header, packed message }; a list in order of address says which
 * are in use, and a new block goes into the first gap.  With MPI_BUFFER_AUTOMATIC blocks come from the
 * library's memory. */
#include "comm/session.h"
#include "p2p/internal.h"

#include <stdio.h>

#define BLOCK_ALIGN 16u /* as what the arena gives */

struct mend_p2p_buffer {
    struct mend_proc *self;
    char *memory; /* NULL: automatic */
    void *as_given;
    size_t bytes;
    MPI_Count size_given;
    struct mend_list used; /* struct block, by address */
};

struct block {
    struct mend_list link;
    struct mend_p2p_buffer *buffer;
    size_t bytes; /* with this header */
    _Alignas(BLOCK_ALIGN) char room[];
};
_Static_assert(sizeof(struct block) + BLOCK_ALIGN <= MPI_BSEND_OVERHEAD, "room for the header");

struct mend_p2p_buffer **mend_p2p_buffer_slot(struct mend_proc *self)
{
    return &self->p2p->buffer;
}

int mend_p2p_buffer_attach(struct mend_proc *self, struct mend_p2p_buffer **slot, void *buffer,
                           MPI_Count size)
{
    struct mend_p2p_buffer *b;
    uintptr_t at = (uintptr_t)buffer,
              aligned = (at + BLOCK_ALIGN - 1) & ~(uintptr_t)(BLOCK_ALIGN - 1);

    if (*slot)
        return MPI_ERR_BUFFER;
    b = mend_zalloc(self, 1, sizeof(*b));
    if (!b)
        return MPI_ERR_NO_MEM;
    b->self = self;
    b->as_given = buffer;
    b->size_given = size;
    mend_list_init(&b->used);
    if (buffer && buffer != MPI_BUFFER_AUTOMATIC) {
        b->memory = (char *)aligned;
        b->bytes = (size_t)size > aligned - at ? (size_t)size - (aligned - at) : 0;
    }
    *slot = b;
    return MPI_SUCCESS;
}

bool mend_p2p_buffer_idle(struct mend_proc *self, struct mend_p2p_buffer **slot)
{
    struct mend_p2p_buffer *b = *slot;

    return !b || mend_list_empty(&b->used);
}

/* The slot, and not the buffer: another thread may detach that before this one runs. */
static bool is_empty(struct mend_proc *self, void *arg)
{
    return mend_p2p_buffer_idle(self, arg);
}

/* Ends: the messages are delivered, or their receivers die (the request of the copy completes). */
int mend_p2p_buffer_flush(struct mend_proc *self, struct mend_p2p_buffer **slot)
{
    struct mend_wait w = {.cause = MEND_WAIT_MESSAGES,
                          .until = is_empty,
                          .arg = slot,
                          .what = "delivery of buffered messages",
                          .hint = MEND_PEER_NONE};

    if (!*slot)
        return MPI_ERR_BUFFER;
    mend_wait_until(self, &w);
    return MPI_SUCCESS;
}

int mend_p2p_buffer_detach(struct mend_proc *self, struct mend_p2p_buffer **slot, void **buffer_p,
                           MPI_Count *size_p)
{
    int err = mend_p2p_buffer_flush(self, slot);

    if (err || !*slot)
        return MPI_ERR_BUFFER; /* there was none, or another thread has just detached it */
    *buffer_p = (*slot)->as_given;
    *size_p = (*slot)->size_given;
    mend_free(self, *slot);
    *slot = NULL;
    return MPI_SUCCESS;
}

/* Puts a block of `need` bytes into the first gap that fits. */
static struct block *put_block(struct mend_p2p_buffer *b, size_t need)
{
    char *at = b->memory;
    struct mend_list *before = &b->used;

    mend_list_foreach (l, next, &b->used) {
        struct block *block = mend_list_entry(l, struct block, link);

        if ((size_t)((char *)block - at) >= need)
            break;
        at = (char *)block + block->bytes;
        before = l;
    }
    if ((size_t)(b->memory + b->bytes - at) < need)
        return NULL;
    mend_list_prepend(before, &((struct block *)(void *)at)->link);
    return (struct block *)(void *)at;
}

/* The communicator's own, or that of its session, or that of the process (MPI-5.0 3.6). */
static struct mend_p2p_buffer *buffer_of(const struct mend_comm *c)
{
    const struct mend_session *s = c->session ? mend_session_of(c->self, c->session) : NULL;

    if (c->buffer)
        return c->buffer;
    return s && s->buffer ? s->buffer : c->self->p2p->buffer;
}

int mend_buffer_take(struct mend_comm *c, size_t n, void **room_p)
{
    struct mend_p2p_buffer *b = buffer_of(c);
    size_t need = (sizeof(struct block) + n + BLOCK_ALIGN - 1) & ~(size_t)(BLOCK_ALIGN - 1);
    struct block *block;

    if (!b)
        return MPI_ERR_BUFFER;
    if (b->memory) {
        block = put_block(b, need);
        if (!block) { /* delivered messages may free a gap */
            mend_progress(c->self, MEND_PEER_NONE);
            block = put_block(b, need);
        }
    } else {
        block = mend_alloc(c->self, need);
        if (block)
            mend_list_append(&b->used, &block->link);
    }
    if (!block)
        return b->memory ? MPI_ERR_BUFFER : MPI_ERR_NO_MEM;
    block->buffer = b;
    block->bytes = need;
    *room_p = block->room;
    return MPI_SUCCESS;
}

void mend_buffer_give_back(struct mend_proc *self, void *room)
{
    struct block *block = MEND_CONTAINER_OF(room, struct block, room);
    bool own = !block->buffer->memory;

    mend_list_remove(&block->link);
    if (own)
        mend_free(self, block);
}

/* --------------------------------------------------------------------------
 * Flushing as a request: polled until the buffer is empty.
 * -------------------------------------------------------------------------- */

struct flush {
    struct mend_request base;
    struct mend_proc *self;
    uint32_t session; /* number; 0: the communicator's buffer, or that of the process */
};

/* NULL: the session is over, and its buffer with it. */
static struct mend_p2p_buffer **slot_of(const struct flush *f)
{
    struct mend_session *s;

    if (f->base.comm)
        return &f->base.comm->buffer;
    if (!f->session)
        return mend_p2p_buffer_slot(f->self);
    s = mend_session_of(f->self, f->session);
    return s ? &s->buffer : NULL;
}

static void flush_poll(struct mend_request *r)
{
    const struct flush *f = MEND_CONTAINER_OF(r, struct flush, base);
    struct mend_p2p_buffer **slot = slot_of(f);

    if (!slot || mend_p2p_buffer_idle(f->self, slot))
        mend_request_complete(r, MPI_SUCCESS);
}

static void flush_release(struct mend_request *r)
{
    struct flush *f = MEND_CONTAINER_OF(r, struct flush, base);

    if (r->comm)
        mend_comm_put(r->comm);
    mend_free(f->self, f);
}

static void flush_describe(const struct mend_request *r, char *text, size_t max)
{
    snprintf(text, max, "delivery of the buffered messages of %s",
             !r->comm        ? "this process or a session"
             : r->comm->name ? r->comm->name
                             : "a communicator");
}

static const struct mend_request_ops flush_ops = {
    .name = "flush of a buffer",
    .cause = MEND_WAIT_MESSAGES,
    .poll = flush_poll,
    .release = flush_release,
    .describe = flush_describe,
};

int mend_p2p_buffer_iflush(struct mend_proc *self, struct mend_comm *c_or_null, uint32_t session,
                           struct mend_request **r_p)
{
    struct flush *f = mend_zalloc(self, 1, sizeof *f);

    if (!f)
        return MPI_ERR_NO_MEM;
    mend_request_init(&f->base, &flush_ops, c_or_null);
    if (c_or_null)
        mend_comm_get(c_or_null);
    f->self = self;
    f->session = session;
    mend_request_begin(&f->base);
    mend_list_append(&self->active, &f->base.link);
    flush_poll(&f->base);
    *r_p = &f->base;
    return MPI_SUCCESS;
}
