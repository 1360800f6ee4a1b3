/* SPDX-License-Identifier: BSD-3-Clause */
/* session.c – sessions, and the groups of their process sets. */
#include "comm/session.h"

#include "comm/errhandler.h"

#include <string.h>

struct mend_session *mend_session_create(struct mend_proc *self, struct mend_errhandler *e,
                                         int thread_level)
{
    struct mend_session *s = mend_zalloc(self, 1, sizeof(*s));

    if (!s)
        return NULL;
    s->magic = MEND_SESSION_MAGIC;
    s->number = ++self->sessions_made_n;
    s->thread_level = thread_level;
    s->errhandler = e;
    mend_errhandler_get(e);
    mend_list_append(&self->sessions, &s->link);
    return s;
}

void mend_session_free(struct mend_proc *self, struct mend_session *s)
{
    mend_list_remove(&s->link);
    mend_errhandler_put(self, s->errhandler);
    s->magic = 0;
    mend_free(self, s);
}

struct mend_session *mend_session_of(const struct mend_proc *self, uint32_t number)
{
    for (const struct mend_list *l = self->sessions.next; l != &self->sessions; l = l->next) {
        struct mend_session *s = MEND_CONTAINER_OF(l, struct mend_session, link);

        if (s->number == number)
            return s;
    }
    return NULL;
}

struct mend_comm *mend_session_comm(struct mend_proc *self, uint32_t number)
{
    uint32_t pos = 0;
    uint64_t key;
    void *value;

    while (mend_hash_next(&self->comms, &pos, &key, &value)) {
        struct mend_comm *c = value;

        if (c->session == number && !c->closing && !c->whole && !c->win && !c->predefined)
            return c;
    }
    return NULL;
}

const char *mend_pset_name(int n)
{
    static const char *const names[MEND_PSETS] = {"mpi://WORLD", "mpi://SELF", "mend://alive",
                                                  "mend://node"};

    return names[n];
}

static bool is_alive(const struct mend_proc *self, mend_peer p)
{
    return !mend_peer_is_dead(self, p);
}

static bool is_near(const struct mend_proc *self, mend_peer p)
{
    return p == self->me || mend_peer_shares_memory(self, p);
}

static struct mend_group *choose(struct mend_proc *self,
                                 bool (*wanted)(const struct mend_proc *, mend_peer))
{
    mend_peer *peers = mend_alloc(self, (size_t)self->peers_n * sizeof(*peers));
    struct mend_group *g;
    int n = 0;

    if (!peers)
        return NULL;
    for (mend_peer p = 0; p < self->peers_n; p++)
        if (wanted(self, p))
            peers[n++] = p;
    g = mend_group_create(self, peers, n);
    mend_free(self, peers);
    return g;
}

/* Schemes are equal in any case (RFC 3986); nothing else is. */
static bool is_named(const char *name, int n)
{
    const char *own = mend_pset_name(n);
    size_t scheme = (size_t)(strchr(own, ':') - own);

    return !strncasecmp(name, own, scheme) && !strcmp(name + scheme, own + scheme);
}

int mend_pset_group(struct mend_proc *self, const char *name, struct mend_group **g_p)
{
    struct mend_group *g;
    int n = 0;

    while (n < MEND_PSETS && !is_named(name, n))
        n++;
    if (n == MEND_PSETS)
        return MPI_ERR_ARG;
    if (n == 0)
        g = mend_group_create_range(self, 0, 1, self->peers_n);
    else if (n == 1)
        g = mend_group_create_range(self, self->me, 1, 1);
    else
        g = choose(self, n == 2 ? is_alive : is_near);
    if (!g)
        return MPI_ERR_NO_MEM;
    *g_p = g;
    return MPI_SUCCESS;
}
