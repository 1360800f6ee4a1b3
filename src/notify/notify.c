/* SPDX-License-Identifier: BSD-3-Clause */
/* notify.c – registered callbacks, notifications that have come, and running the ones with the others. */
#include "notify/internal.h"

#include "comm/handle.h"
#include "net/net.h"
#include "node/bell.h"
#include "proc/report.h"
#include "proc/threads.h"
#include "req/request.h"
#include "rt/rt.h"

#include <stdatomic.h>

struct callback {
    struct mend_list link;
    int key;
    MPIX_Notify_function *fn;
    void *state;
    unsigned how; /* enum mend_notify_how */
};

struct notice {
    struct mend_list link;
    mend_peer from;
    int key, bytes;
    unsigned char data[];
};

static struct callback *find(const struct mend_notify *n, int key)
{
    mend_list_foreach (l, next, &n->callbacks) {
        struct callback *c = mend_list_entry(l, struct callback, link);

        if (c->key == key)
            return c;
    }
    return NULL;
}

static void drop(struct mend_proc *self, struct callback *c)
{
    mend_list_remove(&c->link);
    mend_free(self, c);
}

static bool may_run(const struct mend_notify *n, const struct callback *c, bool nested)
{
    return (!nested || c->how & MEND_NOTIFY_NESTS) &&
           (!n->in_handler || !(c->how & MEND_NOTIFY_IN_CALLS));
}

/* nested: a callback is running. */
static struct notice *first_that_may(const struct mend_notify *n, bool nested)
{
    mend_list_foreach (l, next, &n->waiting) {
        struct notice *x = mend_list_entry(l, struct notice, link);
        const struct callback *c = find(n, x->key);

        if (c && may_run(n, c, nested))
            return x;
    }
    return NULL;
}

static void judge(struct mend_proc *self)
{
    struct mend_notify *n = self->notify;

    self->due = !n->held && first_that_may(n, n->running);
}

void mend_notify_take(struct mend_proc *self, mend_peer from, int key, const void *data,
                      uint32_t bytes)
{
    struct notice *x;

    mend_memory_press(self); /* its sender has been told that it will run */
    x = mend_alloc(self, sizeof(*x) + bytes);
    mend_memory_relax(self);
    x->from = from;
    x->key = key;
    x->bytes = (int)bytes;
    if (bytes)
        memcpy(x->data, data, bytes);
    mend_list_append(&self->notify->waiting, &x->link);
    judge(self);
}

static void on_frame(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                     const void *payload)
{
    if (mend_frame_len(f) > MEND_NOTIFY_BYTES)
        self->on_damage(self, from);
    else
        mend_notify_take(self, from, f->tag, payload, mend_frame_len(f));
}

int mend_notify_init(struct mend_proc *self)
{
    struct mend_notify *n = mend_zalloc(self, 1, sizeof(*n));

    if (!n)
        return MPI_ERR_NO_MEM;
    mend_list_init(&n->callbacks);
    mend_list_init(&n->waiting);
    self->notify = n;
    self->on_due = mend_notify_run;
    self->on_leave = mend_notify_leave;
    self->on_frame[MEND_FRAME_NOTIFY] = on_frame;
    return MPI_SUCCESS;
}

/* In MPI_Finalize: the callback may need others, and they this process. */
static void stay(struct mend_proc *self)
{
    if (mend_presence_of(self, self->me) == MEND_PRESENCE_LEAVING)
        self->rt->say(self, MEND_PRESENCE_IN_MPI);
}

/* The sender is a group of one.  A callback may register, hold and release; the call that it has interrupted keeps its
 * name. */
static void call(struct mend_proc *self, struct notice *x)
{
    struct callback c = *find(self->notify, x->key);
    const char *interrupted = self->call;
    struct mend_group *sender;

    mend_memory_press(self);
    sender = mend_group_create_range(self, x->from, 1, 1);
    mend_memory_relax(self);
    mend_list_remove(&x->link);
    stay(self);
    mend_event(self, MEND_EV_NOTIFY_RUN);
    mend_record_event(self, notify, .by = (int)x->from, .key = x->key);
    mend_unlock(self);
    c.fn(mend_group_handle(sender), x->key, x->data, x->bytes, c.state);
    mend_lock(self);
    self->call = interrupted;
    mend_group_put(self, sender);
    mend_free(self, x);
}

/* The last callback has gone: calls take the short way again. */
static void stop(struct mend_proc *self)
{
    if (!mend_detours(self, MEND_DETOUR_NOTIFY))
        return;
    mend_notify_uncatch(self);
    mend_detour_end(self, MEND_DETOUR_NOTIFY);
    self->inside = 0;
    self->poked = false;
}

void mend_notify_run(struct mend_proc *self)
{
    struct mend_notify *n = self->notify;
    bool nested = n->running;
    struct notice *x;

    if (self->in_progress || self->reducing || self->state != MEND_PROC_RUNNING)
        return;
    n->running = true;
    while (!n->held && !self->unwinds && (x = first_that_may(n, nested)))
        call(self, x);
    n->running = nested;
    judge(self);
    if (!nested && mend_list_empty(&n->callbacks))
        stop(self);
}

/* A signal says that frames may have come, of which one poll may leave some. */
static void look(struct mend_proc *self)
{
    while (mend_progress(self, MEND_PEER_NONE))
        ;
    mend_look_around(self);
}

/* Only one thread is ever interrupted, and only its calls are counted. */
static bool is_counted(const struct mend_proc *self)
{
    return !mend_proc_has_threads(self) || pthread_equal(self->main_thread, pthread_self());
}

static void catch_up(struct mend_proc *self)
{
    do {
        if (self->poked) {
            self->poked = false;
            look(self);
        }
        if (self->due)
            mend_notify_run(self);
    } while (self->poked);
    if (self->bell)
        self->bell->ask(self);
}

void mend_notify_leave(struct mend_proc *self)
{
    if (!is_counted(self)) {
        if (self->due)
            mend_notify_run(self);
        mend_unlock(self);
        return;
    }
    for (;;) {
        if (self->inside == 1)
            catch_up(self);
        mend_unlock(self);
        if (mend_unlikely(self->unwinds) && self->inside == 1)
            self->on_unwound(self);
        if (self->inside)
            self->inside--;
        atomic_signal_fence(memory_order_seq_cst); /* the partner is on_signal() */
        if (self->inside || !self->poked)
            return;
        self->inside++;
        atomic_signal_fence(memory_order_seq_cst);
        mend_lock(self);
    }
}

void mend_notify_handle(struct mend_proc *self)
{
    self->notify->in_handler = true;
    mend_notify_leave(self);
    mend_lock(self);
    self->notify->in_handler = false;
    judge(self);
    mend_unlock(self);
}

/* Calls are counted from this one on; several threads take the lock from now on, also if only one of them is in MPI at a
 * time. */
static int begin(struct mend_proc *self)
{
    if (mend_detours(self, MEND_DETOUR_NOTIFY))
        return MPI_SUCCESS;
    if (self->thread_level > MPI_THREAD_FUNNELED && !mend_proc_has_threads(self)) {
        mend_detour_begin(self, MEND_DETOUR_THREADS);
        mend_lock(self);
    }
    if (!mend_notify_catch(self))
        return MPI_ERR_OTHER;
    self->inside = 1;
    atomic_signal_fence(memory_order_seq_cst);
    mend_detour_begin(self, MEND_DETOUR_NOTIFY);
    return MPI_SUCCESS;
}

static bool is_main_thread(const struct mend_proc *self)
{
    return pthread_equal(self->main_thread, pthread_self());
}

int mend_notify_register(struct mend_proc *self, int key, MPIX_Notify_function *fn, void *state,
                         unsigned how)
{
    struct mend_notify *n = self->notify;
    struct callback *c = find(n, key);
    int err = is_main_thread(self) ? MPI_SUCCESS : MPI_ERR_OTHER;

    if (!err && !c && !(c = mend_alloc(self, sizeof(*c))))
        err = MPI_ERR_NO_MEM;
    if (err)
        return err;
    if (!find(n, key))
        mend_list_append(&n->callbacks, &c->link);
    c->key = key;
    c->fn = fn;
    c->state = state;
    c->how = how;
    err = begin(self);
    if (err) {
        drop(self, c);
        return err;
    }
    look(self); /* what came before this process took signals */
    judge(self);
    return MPI_SUCCESS;
}

int mend_notify_unregister(struct mend_proc *self, int key)
{
    struct mend_notify *n = self->notify;
    struct callback *c = find(n, key);

    if (!c)
        return MPI_ERR_ARG;
    if (!is_main_thread(self))
        return MPI_ERR_OTHER;
    drop(self, c);
    judge(self);
    if (mend_list_empty(&n->callbacks) && !n->running)
        stop(self);
    return MPI_SUCCESS;
}

void mend_notify_hold(struct mend_proc *self)
{
    self->notify->held++;
    judge(self);
}

int mend_notify_release(struct mend_proc *self)
{
    if (!self->notify->held)
        return MPI_ERR_OTHER;
    self->notify->held--;
    judge(self);
    return MPI_SUCCESS;
}

bool mend_notify_runs(const struct mend_proc *self)
{
    return self->notify && self->notify->running;
}

/* In a handler: its own count, and that of the call that asks. */
bool mend_notify_may_unwind(const struct mend_proc *self)
{
    return !mend_notify_runs(self) || (self->notify->in_handler && self->inside == 2);
}

uint32_t mend_notify_held(const struct mend_proc *self)
{
    return self->notify->held;
}

void mend_notify_restore(struct mend_proc *self, uint32_t held)
{
    self->notify->held = held;
    judge(self);
}

void mend_notify_unwound(struct mend_proc *self)
{
    self->notify->running = self->notify->in_handler = false;
    self->inside = mend_detours(self, MEND_DETOUR_NOTIFY) != 0;
    judge(self);
}

void mend_notify_end(struct mend_proc *self)
{
    struct mend_notify *n = self->notify;

    if (mend_detours(self, MEND_DETOUR_NOTIFY)) {
        look(self);
        mend_notify_run(self);
    }
    while (!mend_list_empty(&n->callbacks))
        drop(self, mend_list_entry(n->callbacks.next, struct callback, link));
    stop(self);
    judge(self);
}
