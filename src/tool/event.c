/* SPDX-License-Identifier: BSD-3-Clause */
/* event.c – which events there are, registrations, and the queue of what tools have not been told (event.h). */
#include "tool/event.h"

#include "proc/threads.h"

#include <string.h>

#define MEND_ELEMENT(struct_, member_, type_)                                                      \
    {type_, offsetof(struct struct_, member_), sizeof(((struct struct_ *)NULL)->member_)},

const struct mend_tool_event mend_tool_event_list[MEND_TOOL_EVENTS] = {
#define MEND_EVENT(name_, kind_, bind_, struct_, words_, what_, ...)                               \
    {.name = #name_,                                                                               \
     .what = what_,                                                                                \
     .kind = MEND_OCCURRED_##kind_,                                                                \
     .bind = MPI_T_BIND_##bind_,                                                                   \
     .words = &mend_tool_enums[MEND_ENUM_##words_],                                                \
     .size = sizeof(struct struct_),                                                               \
     .elements_n =                                                                                 \
         sizeof((struct mend_tool_element[]){__VA_ARGS__}) / sizeof(struct mend_tool_element),     \
     .elements = {__VA_ARGS__}},
#include "tool/event.def"
#undef MEND_EVENT
};

int mend_tool_level_of(MPI_T_cb_safety safety)
{
    switch (safety) {
    case MPI_T_CB_REQUIRE_NONE:
        return 0;
    case MPI_T_CB_REQUIRE_MPI_RESTRICTED:
        return 1;
    case MPI_T_CB_REQUIRE_THREAD_SAFE:
        return 2;
    case MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE:
        return 3;
    default:
        return -1;
    }
}

/* What happened. */

static int rank_of(struct mend_proc *self, mend_peer peer)
{
    return self->world ? mend_group_rank(self, self->world->group, peer) : MPI_UNDEFINED;
}

static union mend_tool_data data_of(struct mend_proc *self, const struct mend_occurrence *o)
{
    union mend_tool_data data;

    memset(&data, 0, sizeof(data));
    switch (o->kind) {
    case MEND_OCCURRED_DEATH:
        data.failure = (struct mend_tool_failure){.rank = rank_of(self, o->death->peer),
                                                  .process = (int)o->death->peer,
                                                  .cause = (int)o->death->cause,
                                                  .code = o->death->code,
                                                  .number = (int)(o->death - self->deaths),
                                                  .verdict_ns = o->death->when_ns};
        break;
    case MEND_OCCURRED_TOLD:
        data.told = (struct mend_tool_told){rank_of(self, o->peer), (int)o->peer};
        break;
    case MEND_OCCURRED_REVOCATION:
        data.revocation = (struct mend_tool_revocation){o->comm->ctx, o->comm->size};
        break;
    case MEND_OCCURRED_AGREEMENT:
        data.agreement =
            (struct mend_tool_agreement){o->comm->ctx, o->comm->size, o->which, o->failed_n};
        break;
    }
    return data;
}

static bool wants(const struct mend_tool_registration *r, const struct mend_occurrence *o)
{
    bool any = false;

    for (int i = 0; i < MEND_TOOL_LEVELS; i++)
        any |= r->callbacks[i].call != NULL;
    return any && !r->freed && mend_tool_event_list[r->index].kind == o->kind &&
           (!r->comm ||
            (r->comm == mend_comm_known(o->comm) && r->ctx == mend_comm_known(o->comm)->ctx));
}

static void drop_one(struct mend_proc *self, struct mend_tool_registration *r)
{
    self->untold_n += !r->dropped_n;
    r->dropped_n++;
}

static void note(struct mend_proc *self, const struct mend_occurrence *o)
{
    struct mend_tool *t = self->tool;
    union mend_tool_data data = data_of(self, o);

    mend_list_foreach (l, next, &t->registrations) {
        struct mend_tool_registration *r = mend_list_entry(l, struct mend_tool_registration, link);
        struct mend_tool_instance *e;

        if (!wants(r, o))
            continue;
        e = mend_tool_new(t, MEND_TOOL_INSTANCE, sizeof(*e));
        if (!e) {
            drop_one(self, r);
            continue;
        }
        e->of = r;
        e->when_ns = mend_proc_now(self);
        e->data = data;
        mend_list_append(&t->queue, &e->link);
        self->untold_n++;
    }
}

/* Telling. */

static void forget(struct mend_tool *t, struct mend_tool_instance *e)
{
    mend_list_remove(&e->link);
    t->self->untold_n--;
    mend_tool_drop(t, e);
}

static MPI_T_cb_safety safety_of(bool free)
{
    return free ? MPI_T_CB_REQUIRE_NONE : MPI_T_CB_REQUIRE_MPI_RESTRICTED;
}

/* The callback with the lowest level that suffices here; NULL: none. */
static const struct mend_tool_callback *suitable(const struct mend_tool_registration *r, bool free)
{
    for (int i = free ? 0 : 1; i < MEND_TOOL_LEVELS; i++)
        if (r->callbacks[i].call)
            return &r->callbacks[i];
    return NULL;
}

/* Around a call of the tool's that may call MPI. */
static void let_go(struct mend_proc *self, bool free)
{
    if (free)
        mend_unlock(self);
}

static void take_back(struct mend_proc *self, bool free)
{
    if (free)
        mend_lock(self);
}

static void tell(struct mend_proc *self, bool free);

/* Calls look whether there is something to tell only as long as there is a registration. */
static void listen_or_not(struct mend_tool *t)
{
    bool any = !mend_list_empty(&t->registrations);

    t->self->on_occurrence = any ? note : NULL;
    t->self->tell = tell;
    if (any)
        mend_detour_begin(t->self, MEND_DETOUR_TOOL);
    else
        mend_detour_end(t->self, MEND_DETOUR_TOOL);
}

/* The last word to a registration. */
static void end_registration(struct mend_tool *t, struct mend_tool_registration *r, bool free)
{
    MPI_T_event_free_cb_function *on_freed = r->on_freed;
    MPI_T_event_registration handle = (MPI_T_event_registration)r;
    void *data = r->free_data;

    mend_list_remove(&r->link);
    mend_tool_drop(t, r);
    listen_or_not(t);
    if (!on_freed)
        return;
    let_go(t->self, free);
    on_freed(handle, safety_of(free), data);
    take_back(t->self, free);
}

static void tell_one(struct mend_tool *t, struct mend_tool_instance *e,
                     const struct mend_tool_callback *callback, bool free)
{
    struct mend_tool_registration *r = e->of;

    r->busy = true;
    t->told = e;
    let_go(t->self, free);
    callback->call((MPI_T_event_instance)e, (MPI_T_event_registration)r, safety_of(free),
                   callback->user_data);
    take_back(t->self, free);
    r->busy = false;
    t->told = NULL;
    forget(t, e);
    if (r->freed)
        end_registration(t, r, free);
}

static void tell_dropped(struct mend_tool *t, struct mend_tool_registration *r, bool free)
{
    MPI_Count n = r->dropped_n;

    r->dropped_n = 0;
    t->self->untold_n--;
    if (!r->on_dropped)
        return;
    r->busy = true;
    let_go(t->self, free);
    r->on_dropped(n, (MPI_T_event_registration)r, 0, safety_of(free), NULL);
    take_back(t->self, free);
    r->busy = false;
    if (r->freed)
        end_registration(t, r, free);
}

/* The first instance for which there is a callback here, or NULL.  A registration's own come in their order. */
static struct mend_tool_instance *next_instance(struct mend_tool *t, bool free,
                                                const struct mend_tool_callback **callback_p)
{
    mend_list_foreach (l, next, &t->queue) {
        struct mend_tool_instance *e = mend_list_entry(l, struct mend_tool_instance, link);

        *callback_p = suitable(e->of, free);
        if (*callback_p)
            return e;
    }
    return NULL;
}

static struct mend_tool_registration *next_dropped(struct mend_tool *t)
{
    mend_list_foreach (l, next, &t->registrations) {
        struct mend_tool_registration *r = mend_list_entry(l, struct mend_tool_registration, link);

        if (r->dropped_n && !r->freed)
            return r;
    }
    return NULL;
}

/* The callbacks run on the thread that comes by; another one meanwhile leaves it to that. */
static void tell(struct mend_proc *self, bool free)
{
    const struct mend_tool_callback *callback;
    const char *call = self->call;
    struct mend_tool *t = self->tool;
    struct mend_tool_registration *r;
    struct mend_tool_instance *e;

    if (t->telling || self->in_progress || self->reducing)
        return;
    t->telling = true;
    while (t->inits_n && (r = next_dropped(t)))
        tell_dropped(t, r, free);
    while (t->inits_n && (e = next_instance(t, free, &callback)))
        tell_one(t, e, callback, free);
    t->telling = false;
    self->call = call;
    if (!t->inits_n) /* a callback has finalized the interface */
        mend_tool_end(t);
}

/* Registrations. */

struct mend_tool_registration *mend_tool_register(struct mend_tool *t, int index,
                                                  struct mend_comm *c)
{
    struct mend_tool_registration *r = mend_tool_new(t, MEND_TOOL_REGISTRATION, sizeof(*r));

    if (!r)
        return NULL;
    r->index = index;
    r->comm = c;
    r->ctx = c ? c->ctx : 0;
    mend_list_append(&t->registrations, &r->link);
    listen_or_not(t);
    return r;
}

void mend_tool_set_callback(struct mend_tool_registration *r, int level,
                            MPI_T_event_cb_function *call, void *user_data)
{
    r->callbacks[level] = (struct mend_tool_callback){call, user_data};
}

/* What it has not been told; not what it is being told. */
static void drop_queued(struct mend_tool *t, const struct mend_tool_registration *r)
{
    struct mend_list *l = t->queue.next;

    while (l != &t->queue) {
        struct mend_tool_instance *e = mend_list_entry(l, struct mend_tool_instance, link);

        l = l->next;
        if (e->of == r && e != t->told)
            forget(t, e);
    }
}

void mend_tool_unregister(struct mend_tool *t, struct mend_tool_registration *r,
                          MPI_T_event_free_cb_function *on_freed, void *user_data)
{
    drop_queued(t, r);
    t->self->untold_n -= r->dropped_n != 0;
    r->dropped_n = 0;
    r->on_freed = on_freed;
    r->free_data = user_data;
    r->freed = true;
    if (!r->busy)
        end_registration(t, r, false);
}

void mend_tool_unregister_all(struct mend_tool *t)
{
    while (!mend_list_empty(&t->registrations))
        mend_tool_unregister(
            t, mend_list_entry(t->registrations.next, struct mend_tool_registration, link), NULL,
            NULL);
}
