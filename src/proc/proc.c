/* SPDX-License-Identifier: BSD-3-Clause */
/* proc.c – creating and destroying a process value. */
#include "proc/proc.h"

#include "proc/detour.h"
#include "proc/peer.h"

#include "mpi.h"

#include <string.h>

struct mend_proc *mend_self;

void *mend_alloc_for_others(struct mend_proc *self, size_t n)
{
    void *p;

    if (n > MEND_ARENA_SMALL_MAX)
        return mend_alloc(self, n);
    mend_memory_press(self);
    p = mend_alloc(self, n);
    mend_memory_relax(self);
    return p;
}

void *mend_alloc_to_take_part(struct mend_proc *self, size_t n)
{
    void *p;

    mend_memory_press(self);
    p = mend_alloc(self, n);
    mend_memory_relax(self);
    MEND_ASSERT(p);
    return p;
}

/* Recursive: a reduction function of the user's may call MPI (MPI_Type_size) from within a call. */
static void init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(lock, &attr);
    pthread_mutexattr_destroy(&attr);
}

/* No second time: what is said of it needs memory, too. */
static void on_exhausted(void *of)
{
    struct mend_proc *self = of;

    self->arena->exhausted = NULL;
    if (self->on_lost_error)
        self->on_lost_error(self, MPI_ERR_NO_MEM, "memory that others depend on");
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
    arena->exhausted = on_exhausted;
    arena->exhausted_of = self;
    self->state = MEND_PROC_BARE;
    mend_detour_begin(self, MEND_DETOUR_CLOSED);
    self->calls_left = self->calls_per_look = MEND_CALLS_UNCOUNTED;
    self->me = MEND_PEER_NONE;
    self->main_thread = pthread_self();
    init_lock(&self->lock);
    mend_list_init(&self->active);
    mend_list_init(&self->asleep);
    mend_list_init(&self->parked);
    mend_list_init(&self->abroad);
    mend_list_init(&self->modules);
    mend_list_init(&self->windows);
    mend_list_init(&self->sessions);
    mend_hash_init(&self->comms, arena);
    mend_hash_init(&self->tombs, arena);
    return self;
}

void mend_proc_destroy(struct mend_proc *self)
{
    pthread_mutex_destroy(&self->lock);
    mend_arena_destroy(self->arena);
}

void mend_peers_meet(struct mend_proc *self, mend_peer end)
{
    bool known = end <= self->peers_n;

    mend_memory_press(self);
    if (!known)
        known = self->on_newcomers(self, end);
    mend_memory_relax(self);
    MEND_ASSERT(known);
}
