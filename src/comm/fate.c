/* SPDX-License-Identifier: BSD-3-Clause */
/* fate.c – the only writer of the words that say what became of a communicator: each is set once, and stays.
 *
 *   revoked    by decide/revoke.c; a communicator that gets another context begins anew (mend_comm_renew())
 *   inactive   by a death, or by a decision that reports one
 *   closing    by mend_comm_close()
 *
 * They are const in struct mend_comm, so another writer does not compile. */
#include "comm/comm.h"

static void set(const bool *word)
{
    *(bool *)(uintptr_t)word = true; /* communicators are allocated: no const object is written */
}

void mend_comm_deactivate(struct mend_comm *c)
{
    set(&c->inactive);
}

void mend_comm_mark_revoked(struct mend_comm *c)
{
    set(&c->revoked);
}

void mend_comm_mark_renewed(struct mend_comm *c)
{
    *(bool *)(uintptr_t)&c->revoked = false;
}

void mend_comm_mark_closing(struct mend_comm *c)
{
    set(&c->closing);
}

static bool is_member(const struct mend_comm *c, mend_peer p)
{
    return mend_group_rank(c->self, c->group, p) != MPI_UNDEFINED ||
           (c->inter && mend_group_rank(c->self, c->remote, p) != MPI_UNDEFINED);
}

bool mend_comm_has_one_of(const struct mend_comm *c, const struct mend_death *death, int n)
{
    int i = 0;

    while (i < n && !is_member(c, death[i].peer))
        i++;
    return i < n;
}

void mend_comm_on_deaths(struct mend_proc *self, const struct mend_death *death, int n)
{
    uint32_t pos = 0;
    uint64_t key;
    void *c;

    while (mend_hash_next(&self->comms, &pos, &key, &c))
        if (mend_comm_has_one_of(c, death, n))
            mend_comm_deactivate(c);
}

bool mend_comm_has_dead(const struct mend_comm *c)
{
    return mend_comm_has_one_of(c, c->self->deaths, (int)c->self->deaths_n);
}
