/* SPDX-License-Identifier: BSD-3-Clause */
/* module.c – see module.h. */
#include "recover/module.h"

#include "comm/errhandler.h"
#include "comm/handle.h"
#include "comm/objects.h"
#include "create/create.h"
#include "decide/decide.h"
#include "notify/notify.h"
#include "proc/post.h"
#include "proc/threads.h"

/* What participants tell each other. */
struct news {
    uint64_t id, generation;
};

static struct mend_module *find(struct mend_proc *self, uint64_t id)
{
    mend_list_foreach (l, next, &self->modules) {
        struct mend_module *m = mend_list_entry(l, struct mend_module, link);

        if (m->id == id)
            return m;
    }
    return NULL;
}

/* Others depend on it: the creation has been decided. */
static struct mend_module *make(struct mend_proc *self, uint64_t id)
{
    struct mend_module *m = mend_alloc_to_take_part(self, sizeof(*m));

    *m = (struct mend_module){.self = self, .id = id};
    mend_list_init(&m->old);
    mend_list_append(&self->modules, &m->link);
    return m;
}

/* That the program may still be in a call on. */
struct old_comm {
    struct mend_list link;
    struct mend_comm *comm;
};

static void free_old(struct mend_module *m)
{
    while (!mend_list_empty(&m->old)) {
        struct old_comm *o = mend_list_entry(m->old.next, struct old_comm, link);

        mend_list_remove(&o->link);
        mend_create_free(o->comm);
        mend_free(m->self, o);
    }
}

/* m has a communicator in place of the one before. */
static void replace_comm(struct mend_module *m, struct mend_comm *made)
{
    struct old_comm *o = mend_alloc_to_take_part(m->self, sizeof(*o));

    o->comm = m->comm;
    mend_list_append(&m->old, &o->link);
    m->comm = made;
    if (!m->depth)
        free_old(m);
}

/* A dead one is not told; one that dies next is no longer waited for. */
static void tell_all(struct mend_module *m)
{
    struct mend_proc *self = m->self;
    struct news news = {m->id, m->generation};
    int key = m->anywhere ? MEND_NOTIFY_MODULE : MEND_NOTIFY_MODULE_IN_CALLS;

    for (int r = 0; r < m->comm->size; r++)
        if (r != m->comm->rank)
            mend_notify_send(self, mend_group_peer(m->comm->group, r), key, &news, sizeof(news));
}

static int call_recover(struct mend_module *m)
{
    struct mend_proc *self = m->self;
    const char *call = self->call;
    int err;

    mend_unlock(self);
    err = m->recover(mend_comm_handle(m->comm), m->depth > 0, m->state);
    mend_lock(self);
    self->call = call;
    mend_event(self, MEND_EV_MODULE_AGREE);
    return err;
}

/* One turn, on a communicator of those that are left.  *ok_p: the recovery function has succeeded at all of them. */
static int turn(struct mend_module *m, int *ok_p)
{
    struct mend_comm *made = NULL;
    int err;

    mend_revoke(m->comm);
    mend_event(m->self, MEND_EV_MODULE_RECOVER);
    err = mend_create_shrink(m->comm, false, &made);
    if (!err && !made) /* the others have decided that this process is dead */
        err = MPI_ERR_PROC_FAILED;
    if (err)
        return err;
    replace_comm(m, made);
    *ok_p = call_recover(m) == MPI_SUCCESS;
    return mend_decide_flag(made, true, ok_p);
}

static int recover_once(struct mend_module *m)
{
    int ok = 0, before = INT_MAX, err = MPI_SUCCESS;

    tell_all(m);
    while (!err && !ok) {
        err = turn(m, &ok);
        if (!err && !ok && m->comm->size == before)
            err = MPI_ERR_OTHER;
        before = m->comm->size;
    }
    m->generation++;
    return err;
}

static bool is_pending(const struct mend_module *m)
{
    return m->begun > m->generation;
}

/* Others may have come further and begun the next one, while this process was about to leave this one. */
static int run_recovery(struct mend_module *m)
{
    int err;

    m->recovering = true;
    do
        err = recover_once(m);
    while (!err && is_pending(m));
    m->recovering = false;
    m->recovered = true;
    return err;
}

/* Invariant 3. */
static bool comes_before(const struct mend_module *a, const struct mend_module *b)
{
    return a->order != b->order ? a->order < b->order : a->id < b->id;
}

/* The first that is pending, if none that recovers comes before it. */
static struct mend_module *next_pending(struct mend_proc *self)
{
    struct mend_module *first = NULL;

    mend_list_foreach (l, next, &self->modules) {
        struct mend_module *m = mend_list_entry(l, struct mend_module, link);

        if (m->comm && (m->recovering || is_pending(m)) && (!first || comes_before(m, first)))
            first = m;
    }
    return first && !first->recovering ? first : NULL;
}

static void recover_pending(struct mend_proc *self)
{
    struct mend_module *m;

    while ((m = next_pending(self)))
        run_recovery(m);
}

int mend_module_recover(struct mend_module *m)
{
    int err = run_recovery(m);

    recover_pending(m->self);
    return err;
}

/* Runs as a callback: without the lock. */
static void on_notice(MPI_Group sender, int key, const void *data, int bytes, void *state)
{
    struct mend_proc *self = state;
    struct mend_module *m;
    struct news news;

    (void)sender, (void)key;
    if (bytes != sizeof(news))
        return;
    memcpy(&news, data, sizeof(news));
    mend_lock(self);
    m = find(self, news.id);
    if (!m && !mend_is_buried(self, news.id))
        m = make(self, news.id);
    if (m && news.generation >= m->begun)
        m->begun = news.generation + 1;
    recover_pending(self);
    mend_unlock(self);
}

static int listen_for(struct mend_proc *self)
{
    int err = mend_notify_register(self, MEND_NOTIFY_MODULE, on_notice, self, MEND_NOTIFY_NESTS);

    return err ? err
               : mend_notify_register(self, MEND_NOTIFY_MODULE_IN_CALLS, on_notice, self,
                                      MEND_NOTIFY_NESTS | MEND_NOTIFY_IN_CALLS);
}

/* All that have to be the same at all participants. */
static void agree_on(struct mend_comm *c, bool *anywhere, uint64_t *order)
{
    struct mend_proc *self = c->self;
    struct mend_decision value = {.and_word = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};

    value.and_word[1] = *anywhere;
    mend_list_foreach (l, next, &self->modules) {
        const struct mend_module *m = mend_list_entry(l, struct mend_module, link);

        if (m->comm && m->order > value.max_word[0])
            value.max_word[0] = m->order;
        if (m->comm && !m->anywhere)
            value.and_word[1] = 0;
    }
    mend_decide(c, &value);
    if (value.failed)
        mend_group_put(self, value.failed);
    *order = value.max_word[0] + 1;
    *anywhere = value.and_word[1] & 1;
}

/* It may be known already: news of it has come (make()). */
int mend_module_create(struct mend_comm *c, MPIX_Module_recover_function *recover, void *state,
                       bool anywhere, struct mend_module **m_p)
{
    struct mend_proc *self = c->self;
    struct mend_comm *own = NULL;
    struct mend_module *m;
    uint64_t order;
    int err = mend_create_dup(c, listen_for(self), &own);

    if (err)
        return err;
    agree_on(own, &anywhere, &order);
    mend_comm_set_errhandler(own, &self->objects->return_code);
    m = find(self, own->ctx);
    if (!m)
        m = make(self, own->ctx);
    m->comm = own;
    m->recover = recover;
    m->state = state;
    m->anywhere = anywhere;
    m->order = order;
    m->magic = MEND_MODULE_MAGIC;
    recover_pending(self);
    *m_p = m;
    return MPI_SUCCESS;
}

void mend_module_enter(struct mend_module *m)
{
    if (m->depth++ == 0)
        m->recovered = false;
}

bool mend_module_leave(struct mend_module *m)
{
    if (--m->depth == 0)
        free_old(m);
    return m->recovered;
}

void mend_module_free(struct mend_module *m)
{
    struct mend_proc *self = m->self;

    mend_list_remove(&m->link);
    mend_create_free(m->comm);
    m->magic = 0;
    mend_free(self, m);
    if (!mend_list_empty(&self->modules))
        return;
    mend_notify_unregister(self, MEND_NOTIFY_MODULE);
    mend_notify_unregister(self, MEND_NOTIFY_MODULE_IN_CALLS);
}
