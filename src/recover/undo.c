/* SPDX-License-Identifier: BSD-3-Clause */
/* undo.c – see undo.h. */
#include "recover/undo.h"

#include "comm/attr.h"
#include "create/creation.h"

/* A free that waits. */
struct later {
    struct mend_list link;
    void (*free_it)(struct mend_proc *self, void *object);
    void *object;
};

int mend_undo_open(struct mend_proc *self)
{
    struct mend_undo *u = mend_alloc(self, sizeof(*u));

    if (!u)
        return MPI_ERR_NO_MEM;
    mend_list_init(&u->requests);
    mend_list_init(&u->old);
    mend_list_init(&u->later);
    self->undo = u;
    return MPI_SUCCESS;
}

static void forget(struct mend_list *requests)
{
    while (!mend_list_empty(requests))
        mend_list_remove(requests->next);
}

static void drop_later(struct mend_proc *self, bool free_them)
{
    while (!mend_list_empty(&self->undo->later)) {
        struct later *l = mend_list_entry(self->undo->later.next, struct later, link);

        mend_list_remove(&l->link);
        if (free_them)
            l->free_it(self, l->object);
        mend_free(self, l);
    }
}

void mend_undo_close(struct mend_proc *self)
{
    drop_later(self, true);
    forget(&self->undo->requests);
    forget(&self->undo->old);
    mend_free(self, self->undo);
    self->undo = NULL;
}

static bool is_at_rest(const struct mend_request *r)
{
    return r->persistent && r->state == MEND_REQUEST_INACTIVE;
}

static const char *open_request(const struct mend_list *requests)
{
    mend_list_foreach (l, next, requests)
        if (!is_at_rest(mend_list_entry(l, struct mend_request, held)))
            return "a request of the program is neither complete nor inactive";
    return NULL;
}

static void look_for_object(struct mend_comm *c, void *arg)
{
    const char **what = arg;

    if (c->file)
        *what = "a file is open, whose pointers and bytes do not roll back";
    else if (c->win)
        *what = "a window is open, into which others may have written";
}

const char *mend_undo_obstacle(struct mend_proc *self, bool at_point)
{
    const char *what = at_point ? open_request(&self->undo->requests) : NULL;

    if (!what && at_point)
        what = open_request(&self->undo->old);
    mend_comm_each(self, look_for_object, &what);
    return what;
}

static void is_older(struct mend_comm *c, void *arg)
{
    (void)arg;
    c->used = false;
    c->coll_seq_then = c->coll_seq;
}

void mend_undo_point(struct mend_proc *self)
{
    struct mend_undo *u = self->undo;

    drop_later(self, true);
    while (!mend_list_empty(&u->requests)) {
        struct mend_list *l = u->requests.next;

        mend_list_remove(l);
        mend_list_append(&u->old, l);
    }
    mend_comm_each(self, is_older, NULL);
    self->points_n++;
}

void mend_undo_hold(struct mend_proc *self, struct mend_request *r)
{
    if (!mend_list_linked(&r->held))
        mend_list_append(&self->undo->requests, &r->held);
}

bool mend_undo_is_old(const struct mend_proc *self, const struct mend_request *r)
{
    if (self->undo)
        mend_list_foreach (l, next, &self->undo->old)
            if (l == &r->held)
                return true;
    return false;
}

bool mend_undo_later(struct mend_proc *self, void (*free_it)(struct mend_proc *self, void *object),
                     void *object, bool since)
{
    struct later *l = self->undo && !since ? mend_alloc(self, sizeof(*l)) : NULL;

    if (!l)
        return false;
    l->free_it = free_it;
    l->object = object;
    mend_list_append(&self->undo->later, &l->link);
    return true;
}

static void end(struct mend_comm *c, void *arg)
{
    (void)arg;
    if (c->whole || c->made_at == MEND_UNDO_APART || !(c->used || mend_undo_is_new(c)))
        return;
    if (c->living)
        mend_decide_abandon(c->living);
    mend_revoke_here(c);
    mend_decide_abandon(c);
}

void mend_undo_unwind(struct mend_proc *self)
{
    self->unwinds = true;
    mend_comm_each(self, end, NULL);
}

/* One that only the program can complete, a generalized one, is never complete now. */
static void free_requests(struct mend_undo *u)
{
    while (!mend_list_empty(&u->requests)) {
        struct mend_request *r = mend_list_entry(u->requests.next, struct mend_request, held);

        if (mend_request_is_active(r) && !r->comm)
            r->state = MEND_REQUEST_DONE;
        mend_request_detach(r);
    }
}

static void let_rest(struct mend_undo *u)
{
    mend_list_foreach (l, next, &u->old) {
        struct mend_request *r = mend_list_entry(l, struct mend_request, held);

        if (mend_request_is_done(r))
            r->state = MEND_REQUEST_INACTIVE;
    }
}

/* Without calls of functions of the program, of which nobody knows whether they are there; and nobody asks about it any more, as the
 * others forget it, too. */
static void free_new(struct mend_comm *c, void *arg)
{
    (void)arg;
    if (c->whole || c->closing || !mend_undo_is_new(c))
        return;
    mend_attrs_drop_all(c->self, &c->attrs);
    mend_comm_close(c);
    mend_comm_put(c);
}

void mend_undo_back(struct mend_proc *self)
{
    free_requests(self->undo);
    let_rest(self->undo);
    drop_later(self, false);
    mend_comm_each(self, free_new, NULL);
    self->unwinds = false;
}

struct search {
    mend_ctx id;
    struct mend_comm *found;
};

static void compare(struct mend_comm *c, void *arg)
{
    struct search *s = arg;

    if (c->id == s->id && !c->whole && !c->closing)
        s->found = c;
}

static bool is_quiet(struct mend_proc *self, void *arg)
{
    (void)self;
    return mend_p2p_idle(arg);
}

/* What carries its collectives since a validation has the same members and holes. */
static void renew(struct mend_comm *c, mend_ctx ctx)
{
    struct mend_decision value = {.max_word = {mend_creation_ctx_next(ctx)}};
    struct mend_comm *carrier = c->living;
    struct mend_group *group = carrier ? carrier->group : NULL;
    struct mend_group *remote = carrier && carrier->inter ? carrier->remote : NULL;

    if (group)
        mend_group_get(group);
    if (remote)
        mend_group_get(remote);
    mend_comm_renew(c, ctx);
    if (group && mend_cut_give(c, group, remote, &value))
        mend_comm_deactivate(c);
    mend_creation_open(c);
    if (group)
        mend_group_put(c->self, group);
    if (remote)
        mend_group_put(c->self, remote);
}

void mend_undo_renew(struct mend_proc *self, mend_ctx id, mend_ctx ctx, bool back)
{
    struct search s = {.id = id};
    struct mend_wait w = {.until = is_quiet,
                          .what = "a message of a call that is rolled back",
                          .hint = MEND_PEER_NONE};

    mend_comm_each(self, compare, &s);
    if (!s.found)
        return;
    w.arg = s.found;
    mend_wait_until(self, &w);
    if (back)
        s.found->coll_seq = s.found->coll_seq_then;
    renew(s.found, ctx);
    s.found->used = false;
    mend_event(self, MEND_EV_MODULE_RENEWED);
}
