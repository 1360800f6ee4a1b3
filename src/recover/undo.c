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

static void init(struct mend_undo *u, struct mend_undo_point *p, uint64_t number)
{
    p->number = number;
    mend_list_init(&p->requests);
    mend_list_init(&p->later);
    mend_list_append(&u->points, &p->link);
}

int mend_undo_open(struct mend_proc *self)
{
    struct mend_undo *u = mend_alloc(self, sizeof(*u));

    if (!u)
        return MPI_ERR_NO_MEM;
    mend_list_init(&u->points);
    init(u, &u->before, 0);
    self->undo = u;
    return MPI_SUCCESS;
}

static struct mend_undo_point *point_of(struct mend_list *link)
{
    return mend_list_entry(link, struct mend_undo_point, link);
}

static struct mend_undo_point *newest(struct mend_undo *u)
{
    return point_of(u->points.prev);
}

/* All of it goes to the end of the other. */
static void append_all(struct mend_list *to, struct mend_list *from)
{
    while (!mend_list_empty(from)) {
        struct mend_list *l = from->next;

        mend_list_remove(l);
        mend_list_append(to, l);
    }
}

/* A free may be that of a module, whose objects may be freed with it. */
static void drop_later(struct mend_proc *self, struct mend_list *later, bool free_them)
{
    while (!mend_list_empty(later)) {
        struct later *l = mend_list_entry(later->next, struct later, link);

        mend_list_remove(&l->link);
        if (free_them)
            l->free_it(self, l->object);
        mend_free(self, l);
    }
}

void mend_undo_drop(struct mend_proc *self, struct mend_undo_point *p)
{
    struct mend_undo_point *older = point_of(p->link.prev);

    append_all(&older->requests, &p->requests);
    append_all(&older->later, &p->later);
    mend_list_remove(&p->link);
    if (older == &self->undo->before)
        drop_later(self, &older->later, true);
}

void mend_undo_close(struct mend_proc *self)
{
    struct mend_undo *u = self->undo;

    while (newest(u) != &u->before)
        mend_undo_drop(self, newest(u));
    drop_later(self, &u->before.later, true);
    while (!mend_list_empty(&u->before.requests))
        mend_list_remove(u->before.requests.next);
    mend_free(self, u);
    self->undo = NULL;
}

static bool is_at_rest(const struct mend_request *r)
{
    return r->persistent && r->state == MEND_REQUEST_INACTIVE;
}

static bool all_rest(struct mend_undo *u)
{
    mend_list_foreach (p, next_point, &u->points)
        mend_list_foreach (l, next, &point_of(p)->requests)
            if (!is_at_rest(mend_list_entry(l, struct mend_request, held)))
                return false;
    return true;
}

static void look_for_object(struct mend_comm *c, void *arg)
{
    enum mend_undo_why *why = arg;

    if (c->file)
        *why = MEND_UNDO_WHY_FILE;
    else if (c->win)
        *why = MEND_UNDO_WHY_WINDOW;
}

enum mend_undo_why mend_undo_obstacle(struct mend_proc *self, bool at_point)
{
    enum mend_undo_why why =
        at_point && !all_rest(self->undo) ? MEND_UNDO_WHY_REQUEST : MEND_UNDO_WHY_NOTHING;

    mend_comm_each(self, look_for_object, &why);
    return why;
}

const char *mend_undo_say(enum mend_undo_why why)
{
    static const char *const words[] = {
        [MEND_UNDO_WHY_NOTHING] = NULL,
        [MEND_UNDO_WHY_REQUEST] = "a request of the program is neither complete nor inactive",
        [MEND_UNDO_WHY_WINDOW] = "a window is open, into which others may have written",
        [MEND_UNDO_WHY_FILE] = "a file is open, whose pointers and bytes do not roll back",
        [MEND_UNDO_WHY_NO_POINT] = "it has no safe point; its MPIX_Module_leave has said why",
        [MEND_UNDO_WHY_STRANGERS] =
            "it has used a communicator with a process that is not of the module",
        [MEND_UNDO_WHY_NO_DEATH] = "no process has died since",
    };

    return (unsigned)why < MEND_COUNT_OF(words) ? words[why] : "its reason is not known here";
}

void mend_undo_point(struct mend_proc *self, struct mend_undo_point *p)
{
    struct mend_undo *u = self->undo;

    if (newest(u) == &u->before)
        drop_later(self, &u->before.later, true);
    init(u, p, ++self->points_n);
}

void mend_undo_hold(struct mend_proc *self, struct mend_request *r)
{
    if (!mend_list_linked(&r->held))
        mend_list_append(&newest(self->undo)->requests, &r->held);
}

bool mend_undo_is_old(const struct mend_proc *self, const struct mend_request *r)
{
    if (self->undo)
        mend_list_foreach (p, next_point, &self->undo->points)
            if (point_of(p) != newest(self->undo))
                mend_list_foreach (l, next, &point_of(p)->requests)
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
    mend_list_append(&newest(self->undo)->later, &l->link);
    return true;
}

static bool is_of_since(const struct mend_comm *c, uint64_t number)
{
    return c->made_at != MEND_UNDO_APART && (c->used_at >= number || c->made_at >= number);
}

static void end(struct mend_comm *c, void *arg)
{
    const uint64_t *number = arg;

    if (c->whole || !is_of_since(c, *number))
        return;
    c->undone = true;
    if (c->living) {
        c->living->undone = true;
        mend_decide_abandon(c->living);
    }
    mend_revoke_here(c);
    mend_decide_abandon(c);
}

void mend_undo_unwind(struct mend_proc *self, uint64_t number)
{
    self->unwinds = true;
    mend_comm_each(self, end, &number);
}

/* One that only the program can complete, a generalized one, is never complete now. */
static void free_requests(struct mend_list *requests)
{
    while (!mend_list_empty(requests)) {
        struct mend_request *r = mend_list_entry(requests->next, struct mend_request, held);

        if (mend_request_is_active(r) && !r->comm)
            r->state = MEND_REQUEST_DONE;
        mend_request_detach(r);
    }
}

static void let_rest(struct mend_list *requests)
{
    mend_list_foreach (l, next, requests) {
        struct mend_request *r = mend_list_entry(l, struct mend_request, held);

        if (mend_request_is_done(r))
            r->state = MEND_REQUEST_INACTIVE;
    }
}

/* Without calls of functions of the program, of which nobody knows whether they are there; and nobody asks about it any more, as the
 * others forget it, too. */
static void free_new(struct mend_comm *c, void *arg)
{
    const uint64_t *number = arg;

    if (c->whole || c->closing || c->made_at == MEND_UNDO_APART || c->made_at < *number)
        return;
    mend_attrs_drop_all(c->self, &c->attrs);
    mend_comm_close(c);
    mend_comm_put(c);
}

void mend_undo_back(struct mend_proc *self, struct mend_undo_point *p)
{
    struct mend_undo *u = self->undo;

    while (newest(u) != p)
        mend_undo_drop(self, newest(u));
    free_requests(&p->requests);
    drop_later(self, &p->later, false);
    mend_list_foreach (l, next, &u->points)
        let_rest(&point_of(l)->requests);
    mend_comm_each(self, free_new, &p->number);
    self->points_n = p->number;
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

void mend_undo_renew(struct mend_proc *self, mend_ctx id, mend_ctx ctx, uint64_t number)
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
    s.found->coll_seq = 0; /* at all members, whether they have rolled back or not */
    renew(s.found, ctx);
    s.found->undone = false;
    if (s.found->used_at >= number)
        s.found->used_at = number - 1; /* it may have been used since older ones */
    mend_event(self, MEND_EV_MODULE_RENEWED);
}
