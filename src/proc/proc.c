/* SPDX-License-Identifier: BSD-3-Clause */
/* proc.c – making and unmaking a process value. */
#include "proc/proc.h"

#include <string.h>

struct mend_proc *mend_self;

void *mend_zalloc(struct mend_proc *self, size_t count, size_t size)
{
    size_t n;
    void *p = __builtin_mul_overflow(count, size, &n) ? NULL : mend_alloc(self, n);

    return p ? memset(p, 0, n) : NULL;
}

struct mend_proc *mend_proc_create_bare(void)
{
    struct mend_arena *arena = mend_arena_create();
    struct mend_proc *self = arena ? mend_arena_alloc(arena, sizeof(*self)) : NULL;

    if (!self) {
        if (arena)
            mend_arena_destroy(arena);
        return NULL;
    }
    memset(self, 0, sizeof(*self));
    self->arena = arena;
    self->state = MEND_PROC_BARE;
    self->me = MEND_PEER_NONE;
    self->shm_fd = -1;
    self->main_thread = pthread_self();
    pthread_mutex_init(&self->lock, NULL);
    mend_list_init(&self->active);
    mend_list_init(&self->parked);
    mend_hash_init(&self->comms, arena);
    mend_hash_init(&self->tombs, arena);
    return self;
}

void mend_proc_destroy(struct mend_proc *self)
{
    pthread_mutex_destroy(&self->lock);
    mend_arena_destroy(self->arena);
}

const struct mend_death *mend_proc_death_of(const struct mend_proc *self, mend_peer peer)
{
    for (uint32_t i = 0; i < self->deaths_n; i++)
        if (self->deaths[i].peer == peer)
            return &self->deaths[i];
    return NULL;
}
