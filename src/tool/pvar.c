/* SPDX-License-Identifier: BSD-3-Clause */
/* pvar.c – sessions and handles of performance variables.
 *
 * The library counts once, for the process; a handle remembers what there was when it started.  So sessions do not
 * disturb each other, and without a tool there is nothing but the count. */
#include "tool/tool.h"

#include "comm/handle.h"
#include "p2p/p2p.h"

#include <string.h>

#define RUNS  true
#define SHOWS false

#define WORDS(enum_) (enum_ == MEND_ENUM_NONE ? NULL : &mend_tool_enums[enum_ < 0 ? 0 : enum_])

const struct mend_tool_pvar mend_tool_pvar_list[MEND_PVARS] = {
#define MEND_PVAR(name_, class_, type_, bind_, flags_, enum_, verbosity_, category_, what_)        \
    {.name = #name_,                                                                               \
     .what = what_,                                                                                \
     .class = MPI_T_PVAR_CLASS_##class_,                                                           \
     .bind = MPI_T_BIND_##bind_,                                                                   \
     .verbosity = MPI_T_VERBOSITY_##verbosity_,                                                    \
     .type = #type_[0],                                                                            \
     .runs = flags_,                                                                               \
     .words = WORDS(MEND_ENUM_##enum_),                                                            \
     .category = MEND_CATEGORY_##category_},
#include "tool/pvar.def"
#undef MEND_PVAR
};

MPI_Datatype mend_tool_pvar_type(const struct mend_tool_pvar *v)
{
    return v->type == 'N' ? MPI_UNSIGNED_LONG_LONG : v->type == 'X' ? MPI_DOUBLE : MPI_INT;
}

static const struct mend_tool_pvar *variable_of(const struct mend_tool_pvar_handle *h)
{
    return &mend_tool_pvar_list[h->id];
}

static bool is_mark(const struct mend_tool_pvar_handle *h)
{
    return variable_of(h)->class == MPI_T_PVAR_CLASS_HIGHWATERMARK;
}

static struct mend_tool_value now(const struct mend_tool *t, const struct mend_tool_pvar_handle *h)
{
    return mend_tool_pvar_now(t, h->id, h->comm);
}

struct mend_tool_session *mend_tool_session_new(struct mend_tool *t)
{
    struct mend_tool_session *s = mend_tool_new(t, MEND_TOOL_SESSION, sizeof(*s));

    if (s)
        mend_list_init(&s->handles);
    return s;
}

void mend_tool_session_drop(struct mend_tool *t, struct mend_tool_session *s)
{
    while (!mend_list_empty(&s->handles))
        mend_tool_pvar_drop(t,
                            mend_list_entry(s->handles.next, struct mend_tool_pvar_handle, link));
    mend_tool_drop(t, s);
}

struct mend_tool_pvar_handle *mend_tool_pvar_new(struct mend_tool *t, struct mend_tool_session *s,
                                                 int id, struct mend_comm *c)
{
    struct mend_tool_pvar_handle *h = mend_tool_new(t, MEND_TOOL_PVAR, sizeof(*h));

    if (!h)
        return NULL;
    h->session = s;
    h->id = (enum mend_tool_pvar_id)id;
    h->comm = c;
    h->ctx = c ? c->ctx : 0;
    mend_list_append(&s->handles, &h->link);
    return h;
}

void mend_tool_pvar_drop(struct mend_tool *t, struct mend_tool_pvar_handle *h)
{
    mend_tool_pvar_stop(t, h);
    mend_list_remove(&h->link);
    mend_tool_drop(t, h);
}

/* The memory of a communicator that is gone stays mapped. */
static bool is_bound(const struct mend_tool_pvar_handle *h)
{
    return !h->comm || (mend_handle_mark(&h->comm->magic) == MEND_COMM_MAGIC &&
                        h->comm->ctx == h->ctx && !h->comm->closing);
}

/* The peak that all share goes to those that run, and begins anew. */
static void take_peak(struct mend_tool *t)
{
    uint64_t key, peak = mend_p2p_take_unexpected_peak(t->self);
    uint32_t at = 0;
    void *object;

    while (mend_hash_next(&t->objects, &at, &key, &object)) {
        struct mend_tool_pvar_handle *h = object;

        if (h->base.kind == MEND_TOOL_PVAR && is_mark(h) && h->running && h->sum.n < peak)
            h->sum.n = peak;
    }
}

static void count_timers(struct mend_tool *t, const struct mend_tool_pvar_handle *h, int more)
{
    if (variable_of(h)->class != MPI_T_PVAR_CLASS_TIMER)
        return;
    t->timers_n += more;
    t->self->wait_times = t->timers_n ? &t->wait_times : NULL;
}

int mend_tool_pvar_start(struct mend_tool *t, struct mend_tool_pvar_handle *h)
{
    if (!variable_of(h)->runs)
        return MPI_T_ERR_PVAR_NO_STARTSTOP;
    if (h->running)
        return MPI_SUCCESS;
    take_peak(t);
    count_timers(t, h, 1);
    h->since = now(t, h);
    if (is_mark(h) && h->sum.n < h->since.n)
        h->sum = h->since;
    h->running = true;
    return MPI_SUCCESS;
}

static struct mend_tool_value total(struct mend_tool *t, const struct mend_tool_pvar_handle *h)
{
    struct mend_tool_value value = now(t, h);

    if (!variable_of(h)->runs)
        return value;
    if (!h->running || is_mark(h))
        return h->sum;
    return (struct mend_tool_value){.n = h->sum.n + (value.n - h->since.n),
                                    .x = h->sum.x + (value.x - h->since.x)};
}

int mend_tool_pvar_stop(struct mend_tool *t, struct mend_tool_pvar_handle *h)
{
    if (!variable_of(h)->runs)
        return MPI_T_ERR_PVAR_NO_STARTSTOP;
    if (!h->running)
        return MPI_SUCCESS;
    take_peak(t);
    h->sum = total(t, h);
    h->running = false;
    count_timers(t, h, -1);
    return MPI_SUCCESS;
}

int mend_tool_pvar_read(struct mend_tool *t, struct mend_tool_pvar_handle *h, void *buf)
{
    struct mend_tool_value value;

    if (!is_bound(h))
        return MPI_T_ERR_INVALID_HANDLE;
    take_peak(t);
    value = total(t, h);
    if (variable_of(h)->type == 'N')
        memcpy(buf, &value.n, sizeof(value.n));
    else if (variable_of(h)->type == 'X')
        memcpy(buf, &value.x, sizeof(value.x));
    else
        *(int *)buf = (int)value.n;
    return MPI_SUCCESS;
}

/* From here on it counts from this value. */
static int set(struct mend_tool *t, struct mend_tool_pvar_handle *h, struct mend_tool_value value)
{
    if (!variable_of(h)->runs)
        return MPI_T_ERR_PVAR_NO_WRITE;
    take_peak(t);
    h->since = now(t, h);
    h->sum = value;
    return MPI_SUCCESS;
}

int mend_tool_pvar_write(struct mend_tool *t, struct mend_tool_pvar_handle *h, const void *buf)
{
    struct mend_tool_value value = {0};

    if (variable_of(h)->type == 'N')
        memcpy(&value.n, buf, sizeof(value.n));
    else if (variable_of(h)->type == 'X')
        memcpy(&value.x, buf, sizeof(value.x));
    return set(t, h, value);
}

int mend_tool_pvar_reset(struct mend_tool *t, struct mend_tool_pvar_handle *h)
{
    return set(t, h, is_mark(h) ? now(t, h) : (struct mend_tool_value){0});
}
