/* SPDX-License-Identifier: BSD-3-Clause */
/* session.c – sessions, and the groups of their process sets. */
#include "comm/session.h"

#include "comm/errhandler.h"
#include "comm/info.h"
#include "proc/peer.h"

#include <string.h>

/* 0 is none, and 1 that of the first; one that is open has its number for itself. */
static uint32_t new_number(struct mend_proc *self)
{
    do
        self->sessions_made_n = self->sessions_made_n == UINT32_MAX ? 2 : self->sessions_made_n + 1;
    while (mend_session_of(self, self->sessions_made_n));
    return self->sessions_made_n;
}

struct mend_session *mend_session_create(struct mend_proc *self, struct mend_errhandler *e,
                                         const struct mend_info *info, int thread_level)
{
    const char *kinds = mend_info_get(info, "mpi_memory_alloc_kinds");
    struct mend_session *s = mend_zalloc(self, 1, sizeof(*s));

    if (!s)
        return NULL;
    s->kinds = kinds ? mend_alloc(self, strlen(kinds) + 1) : NULL;
    if (kinds && !s->kinds) {
        mend_free(self, s);
        return NULL;
    }
    if (kinds)
        strcpy(s->kinds, kinds);
    s->magic = MEND_SESSION_MAGIC;
    s->number = new_number(self);
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
    mend_free(self, s->kinds);
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

        if (c->session == number && !c->closing && !c->whole && !c->win && !c->file &&
            !c->predefined)
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

static bool is_any(const struct mend_proc *self, mend_peer p)
{
    return true;
}

/* Of the processes that were started together. */
static struct mend_group *choose(struct mend_proc *self,
                                 bool (*wanted)(const struct mend_proc *, mend_peer))
{
    const struct mend_group *all = self->world->group;
    mend_peer *peers = mend_alloc(self, (size_t)all->size * sizeof(*peers));
    struct mend_group *g;
    int n = 0;

    if (!peers)
        return NULL;
    for (int r = 0; r < all->size; r++)
        if (wanted(self, mend_group_peer(all, r)))
            peers[n++] = mend_group_peer(all, r);
    g = mend_group_create(self, peers, n);
    mend_free(self, peers);
    return g;
}

int mend_pset_group(struct mend_proc *self, const char *name, struct mend_group **g_p)
{
    static bool (*const of_set[MEND_PSETS])(const struct mend_proc *,
                                            mend_peer) = {is_any, NULL, is_alive, is_near};
    struct mend_group *g;
    int n = 0;

    while (n < MEND_PSETS && strcasecmp(name, mend_pset_name(n)))
        n++;
    if (n == MEND_PSETS)
        return MPI_ERR_ARG;
    if (n == 1)
        g = mend_group_create_range(self, self->me, 1, 1);
    else
        g = choose(self, of_set[n]);
    if (!g)
        return MPI_ERR_NO_MEM;
    *g_p = g;
    return MPI_SUCCESS;
}
