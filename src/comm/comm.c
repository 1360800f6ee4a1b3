/* SPDX-License-Identifier: BSD-3-Clause */
/* comm.c – the life of a communicator object.
 *
 *   create ──> in self->comms, hooks attached ──close──> no handle ──last put──> detached, buried
 *
 * 1. While a communicator is in the table of contexts, everything its messages need is attached.
 * 2. From close on no call of the user reaches it; operations that hold references end normally.
 * 3. The context of a destroyed communicator is buried: late frames are dropped, not parked. */
#include "comm/attr.h"
#include "comm/errhandler.h"
#include "comm/handle.h"
#include "comm/info.h"
#include "comm/objects.h"
#include "comm/topo.h"
#include "base/ranks.h"
#include "node/node.h"
#include "proc/post.h"

#include <stdio.h>
#include <string.h>

static void detach(struct mend_comm *c, int n)
{
    const struct mend_comm_hooks *hooks = c->self->comm_hooks;

    while (hooks && n-- > 0)
        if (hooks->detach[n])
            hooks->detach[n](c);
}

static int attach(struct mend_comm *c)
{
    const struct mend_comm_hooks *hooks = c->self->comm_hooks;

    for (int i = 0; hooks && i < MEND_COMM_HOOKS; i++) {
        int err = hooks->attach[i] ? hooks->attach[i](c) : MPI_SUCCESS;

        if (err) {
            detach(c, i + 1);
            return err;
        }
    }
    return MPI_SUCCESS;
}

static bool share_memory(struct mend_proc *self, const struct mend_group *g)
{
    int r = 0;

    while (r < g->size && mend_peer_shares_memory(self, mend_group_peer(g, r)))
        r++;
    return r == g->size;
}

/* The members answer alike: those that share memory with one of them share it with each other. */
bool mend_comm_shares_memory(const struct mend_comm *c)
{
    return mend_node_holds_all(c->self) ||
           (c->self->node && share_memory(c->self, c->group) && share_memory(c->self, c->remote));
}

int mend_comm_compare(struct mend_comm *a, struct mend_comm *b)
{
    struct mend_proc *self = a->self;
    int local, remote;

    if (a == b)
        return MPI_IDENT;
    if (a->inter != b->inter)
        return MPI_UNEQUAL;
    local = mend_group_compare(self, a->group, b->group);
    remote = a->inter ? mend_group_compare(self, a->remote, b->remote) : local;
    if (local == MPI_UNEQUAL || remote == MPI_UNEQUAL)
        return MPI_UNEQUAL;
    return local == MPI_IDENT && remote == MPI_IDENT ? MPI_CONGRUENT : MPI_SIMILAR;
}

int mend_comm_set_name(struct mend_comm *c, const char *name)
{
    char *copy = mend_strdup(c->self, name, MPI_MAX_OBJECT_NAME);

    if (!copy)
        return MPI_ERR_NO_MEM;
    mend_free(c->self, c->name);
    c->name = copy;
    return MPI_SUCCESS;
}

const char *mend_comm_name(const struct mend_comm *c)
{
    if (c->name)
        return c->name;
    if (c == c->self->parent)
        return "MPI_COMM_PARENT";
    return c->predefined ? mend_comm_label(c) : "";
}

int mend_comm_add_info(struct mend_comm *c, const struct mend_info *info)
{
    if (!c->info)
        c->info = mend_info_create(c->self);
    return c->info ? mend_info_merge(c->self, c->info, info) : MPI_ERR_NO_MEM;
}

void mend_comm_set_errhandler(struct mend_comm *c, struct mend_errhandler *e)
{
    mend_errhandler_get(e);
    mend_errhandler_put(c->self, c->errhandler);
    c->errhandler = e;
}

struct mend_group *mend_comm_dead(struct mend_comm *c, uint32_t deaths_n)
{
    struct mend_proc *self = c->self;
    struct mend_group *all = c->inter ? mend_group_union(self, c->group, c->remote) : c->group;
    struct mend_group *dead = all ? mend_group_dead(self, all, deaths_n) : NULL;

    if (all && c->inter)
        mend_group_put(self, all);
    return dead;
}

static void init(struct mend_comm *c, struct mend_proc *self, struct mend_group *group,
                 struct mend_group *remote, mend_ctx ctx, struct mend_comm *parent)
{
    c->magic = MEND_COMM_MAGIC;
    c->refs = 1;
    c->self = self;
    c->made_by = self->call;
    c->ctx = c->id = ctx;
    c->made_at = self->points_n;
    c->coll_seq = mend_params_first(&self->params, 1);
    c->rank = mend_group_rank(self, group, self->me);
    c->size = group->size;
    c->inter = remote != NULL;
    c->group = group;
    c->remote = remote ? remote : group;
    c->peers_n = c->remote->size;
    c->in_segment = mend_comm_shares_memory(c);
    c->spans = mend_group_spans(self, group) || (remote && mend_group_spans(self, remote));
    c->cell = -1;
    c->session = parent ? parent->session : group->session;
    c->of_groups = parent && parent->of_groups;
    c->errhandler = parent ? mend_comm_known(parent)->errhandler : mend_errhandler_fatal(self);
    mend_errhandler_get(c->errhandler);
    mend_group_get(c->group);
    mend_group_get(c->remote);
    if (mend_comm_has_dead(c))
        mend_comm_deactivate(c);
}

/* What init() took. */
static void fini(struct mend_comm *c)
{
    struct mend_proc *self = c->self;

    c->magic = 0;
    mend_errhandler_put(self, c->errhandler);
    mend_group_put(self, c->group);
    mend_group_put(self, c->remote);
    mend_free(self, c);
}

struct mend_comm *mend_comm_create(struct mend_proc *self, struct mend_group *group,
                                   struct mend_group *remote, mend_ctx ctx,
                                   struct mend_comm *parent)
{
    struct mend_comm *c = mend_objects_init(self) ? NULL : mend_zalloc(self, 1, sizeof(*c));

    if (!c)
        return NULL;
    init(c, self, group, remote, ctx, parent);
    MEND_ASSERT(c->rank != MPI_UNDEFINED);
    MEND_ASSERT(!mend_hash_get(&self->comms, ctx));
    if (mend_hash_put(&self->comms, ctx, c) != MEND_OK)
        goto no_table;
    if (attach(c))
        goto not_attached;
    return c;
not_attached:
    mend_hash_remove(&self->comms, ctx);
no_table:
    fini(c);
    return NULL;
}

void mend_comm_destroy(struct mend_comm *c)
{
    struct mend_proc *self = c->self;

    if (self->comm_hooks && self->comm_hooks->keep && self->comm_hooks->keep(c))
        return;
    detach(c, MEND_COMM_HOOKS);
    mend_hash_remove(&self->comms, c->ctx);
    mend_bury(self, c->ctx);
    if (c->topo)
        mend_topo_free(self, c->topo);
    if (c->info)
        mend_info_free(self, c->info);
    mend_free(self, c->name);
    fini(c);
}

/* It has been decided: memory for what is attached comes from the reserve. */
void mend_comm_renew(struct mend_comm *c, mend_ctx ctx)
{
    struct mend_proc *self = c->self;

    detach(c, MEND_COMM_HOOKS);
    mend_hash_remove(&self->comms, c->ctx);
    mend_bury(self, c->ctx);
    c->ctx = ctx;
    c->cell = -1;
    mend_comm_mark_renewed(c);
    mend_memory_press(self);
    MEND_ASSERT(mend_hash_put(&self->comms, ctx, c) == MEND_OK);
    MEND_ASSERT(!attach(c));
    mend_memory_relax(self);
}

int mend_comm_close(struct mend_comm *c)
{
    struct mend_proc *self = c->self;
    int err = mend_attrs_delete_all(self, &c->attrs, (void *)mend_comm_handle(c));

    if (err)
        return err;
    mend_errhandler_put(self, c->errhandler);
    c->errhandler = mend_errhandler_fatal(self);
    if (c == self->parent)
        self->parent = NULL;
    if (c == self->refilled)
        self->refilled = NULL;
    mend_comm_mark_closing(c);
    return MPI_SUCCESS;
}

/* As a list, because the table may change during a visit. */
static struct mend_comm *take_all(struct mend_proc *self)
{
    struct mend_comm *all = NULL;
    uint32_t pos = 0;
    uint64_t key;
    void *value;

    while (mend_hash_next(&self->comms, &pos, &key, &value)) {
        struct mend_comm *c = value;

        MEND_ASSERT(!c->next_visited);
        mend_comm_get(c);
        c->next_visited = all ? all : c;
        all = c;
    }
    return all;
}

void mend_comm_each(struct mend_proc *self, void (*visit)(struct mend_comm *c, void *arg),
                    void *arg)
{
    struct mend_comm *next;

    for (struct mend_comm *c = take_all(self); c; c = next) {
        next = c->next_visited == c ? NULL : c->next_visited;
        visit(c, arg);
        c->next_visited = NULL;
        mend_comm_put(c);
    }
}

const char *mend_comm_label(const struct mend_comm *c)
{
    if (c->whole)
        return mend_comm_label(c->whole);
    if (c->name && c->name[0])
        return c->name;
    if (c == c->self->world)
        return "MPI_COMM_WORLD";
    if (c == c->self->comm_self)
        return "MPI_COMM_SELF";
    if (c->file)
        return "a file";
    return c->win     ? "a window without a name"
           : c->inter ? "an intercommunicator without a name"
                      : "a communicator without a name";
}

static void members_text(const struct mend_group *g, char *text, size_t max)
{
    uint64_t set[MEND_REPORT_WORDS] = {0};

    for (int r = 0; r < g->size; r++)
        mend_missing_add(set, mend_group_peer(g, r));
    mend_ranks_text(set, MEND_PEERS_IN_REPORTS, text, max);
}

void mend_comm_describe(const struct mend_comm *c, char *text, size_t max)
{
    char members[64], others[64];
    const char *made_by;

    c = c->whole ? c->whole : c;
    if ((c->name && c->name[0]) || c == c->self->world || c == c->self->comm_self) {
        snprintf(text, max, "%s", mend_comm_label(c));
        return;
    }
    made_by = c->made_by ? c->made_by : "the library";
    members_text(c->group, members, sizeof(members));
    if (c->inter) {
        members_text(c->remote, others, sizeof(others));
        snprintf(text, max, "an intercommunicator of %s with %s, made by %s", members, others,
                 made_by);
    } else {
        snprintf(text, max, "a communicator of %s, made by %s", members, made_by);
    }
}

void mend_comm_describe_rank(const struct mend_comm *c, int rank, char *text, size_t max)
{
    if (mend_comm_peer(c, rank) == rank)
        snprintf(text, max, "rank %d", rank);
    else
        snprintf(text, max, "rank %d (of the job: %d)", rank, (int)mend_comm_peer(c, rank));
}
