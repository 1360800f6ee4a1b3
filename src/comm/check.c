/* SPDX-License-Identifier: BSD-3-Clause */
/* check.c – the invariants of communicators and groups, as comm.h and group.h number them. */
#include "base/check.h"
#include "comm/errhandler.h"

/* True if no peer occurs twice. */
static bool all_differ(const struct mend_group *g)
{
    for (int i = 1; g->list && i < g->size; i++)
        for (int j = 0; j < i; j++)
            if (g->list[i] == g->list[j])
                return false;
    return true;
}

static bool is_peer(const struct mend_proc *self, mend_peer p)
{
    return p >= 0 && p < self->peers_n;
}

static bool are_peers(const struct mend_proc *self, const struct mend_group *g)
{
    for (int i = 0; g->list && i < g->size; i++)
        if (!is_peer(self, g->list[i]))
            return false;
    return g->list || g->size == 0 ||
           (is_peer(self, g->first) && is_peer(self, mend_group_peer(g, g->size - 1)));
}

static const char *check_group(const struct mend_proc *self, const struct mend_group *g)
{
    MEND_HOLDS(g && g->magic == MEND_GROUP_MAGIC && (g->refs > 0 || g->size == 0),
               "group 1: it is alive");
    MEND_HOLDS(g->size >= 0 && are_peers(self, g), "group 2: its members are peers");
    MEND_HOLDS((g->list || g->stride != 0 || g->size == 0) && all_differ(g),
               "group 3: no peer occurs twice");
    return NULL;
}

static bool holds_me(const struct mend_comm *c, const struct mend_group *g)
{
    for (int i = 0; i < g->size; i++)
        if (mend_group_peer(g, i) == c->self->me)
            return true;
    return false;
}

static const char *check_groups(const struct mend_comm *c)
{
    MEND_HOLDS_IN(check_group(c->self, c->group));
    MEND_HOLDS_IN(check_group(c->self, c->remote));
    MEND_HOLDS(c->size == c->group->size && c->peers_n == c->remote->size,
               "comm 2: its sizes are those of its groups");
    MEND_HOLDS(c->rank >= 0 && c->rank < c->size &&
                   mend_group_peer(c->group, c->rank) == c->self->me,
               "comm 2: its rank is this process's");
    MEND_HOLDS(c->inter ? !holds_me(c, c->remote) : c->remote == c->group,
               "comm 3: the remote group is another one on an intercommunicator only");
    return NULL;
}

static int members_n(const struct mend_comm *c)
{
    return c->size + (c->inter ? c->peers_n : 0);
}

static const char *check_memory(const struct mend_comm *c)
{
    MEND_HOLDS(c->in_segment == mend_comm_shares_memory(c),
               "comm 8: it is in the segment if all its members are");
    MEND_HOLDS(c->cell < 0 || c->in_segment, "comm 8: it has a cell in the segment only");
    return NULL;
}

static const char *check_parts(const struct mend_comm *c)
{
    MEND_HOLDS(!c->living || (c->living->whole == c && !c->living->living),
               "comm 5: what carries its collectives belongs to it");
    MEND_HOLDS(!c->whole || c->whole->living == c,
               "comm 5: what it carries the collectives of knows it");
    MEND_HOLDS(!c->living || members_n(c->living) == members_n(c) - c->holes_n,
               "comm 5: all members but the holes are in what carries its collectives");
    return NULL;
}

static const char *check_attached(const struct mend_comm *c)
{
    const struct mend_comm_hooks *hooks = c->self->comm_hooks;

    for (int i = 0; hooks && i < MEND_COMM_HOOKS; i++)
        if (hooks->check[i])
            MEND_HOLDS_IN(hooks->check[i](c));
    return NULL;
}

const char *mend_comm_check(const struct mend_comm *c)
{
    MEND_HOLDS(c && c->magic == MEND_COMM_MAGIC && c->refs > 0, "comm 1: it is alive");
    MEND_HOLDS(!(c->ctx & MEND_CTX_CHANNEL_MASK) && mend_hash_get(&c->self->comms, c->ctx) == c,
               "comm 1: its context leads to it");
    MEND_HOLDS_IN(check_groups(c));
    MEND_HOLDS(c->inactive || !mend_comm_has_dead(c),
               "comm 4: with a dead member its collectives fail");
    MEND_HOLDS_IN(check_parts(c));
    MEND_HOLDS_IN(check_memory(c));
    MEND_HOLDS(c->told_deaths_n <= c->self->deaths_n && c->acked_deaths_n <= c->self->deaths_n,
               "comm 6: only deaths that are known are told or acknowledged");
    MEND_HOLDS(c->errhandler && c->errhandler->magic == MEND_ERRHANDLER_MAGIC,
               "comm 7: its error handler is alive");
    MEND_HOLDS(!c->closing || (!c->attrs && c->errhandler == mend_errhandler_fatal(c->self)),
               "comm 7: without a handle it has no attributes, and errors are fatal");
    return check_attached(c);
}
