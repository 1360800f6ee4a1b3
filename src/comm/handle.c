/* SPDX-License-Identifier: BSD-3-Clause */
/* handle.c – numbers for addresses, and small integers for predefined objects. */
#include "comm/handle.h"

#include "comm/objects.h"

#include <limits.h>
#include <string.h>

static bool make_room(struct mend_proc *self, struct mend_objects *o)
{
    int max = o->addresses_max ? o->addresses_max * 2 : 64;
    void **more;

    if (o->addresses_n < o->addresses_max)
        return true;
    if (max > INT_MAX - MEND_HANDLE_FIRST)
        return false;
    more = mend_alloc(self, (size_t)max * sizeof(*more));
    if (!more)
        return false;
    if (o->addresses_n)
        memcpy(more, o->addresses, (size_t)o->addresses_n * sizeof(*more));
    mend_free(self, o->addresses);
    o->addresses = more;
    o->addresses_max = max;
    return true;
}

int mend_handle_toint(struct mend_proc *self, const void *handle)
{
    struct mend_objects *o = self->objects;
    uintptr_t at = (uintptr_t)handle, number;

    if (at < MEND_HANDLE_FIRST)
        return (int)at;
    number = (uintptr_t)mend_hash_get(&o->numbers, at);
    if (number)
        return (int)number;
    number = (uintptr_t)MEND_HANDLE_FIRST + (uintptr_t)o->addresses_n;
    if (!make_room(self, o) || mend_hash_put(&o->numbers, at, (void *)number) != MEND_OK)
        return 0;
    o->addresses[o->addresses_n++] = (void *)at;
    return (int)number;
}

void *mend_handle_fromint(struct mend_proc *self, int number)
{
    struct mend_objects *o = self->objects;

    if (number >= 0 && number < MEND_HANDLE_FIRST)
        return (void *)(uintptr_t)number;
    if (number < 0 || number - MEND_HANDLE_FIRST >= o->addresses_n)
        return NULL;
    return o->addresses[number - MEND_HANDLE_FIRST];
}

MPI_Comm mend_comm_handle(const struct mend_comm *c)
{
    if (!c)
        return MPI_COMM_NULL;
    if (c == c->self->world)
        return MPI_COMM_WORLD;
    return c == c->self->comm_self ? MPI_COMM_SELF : (MPI_Comm)c;
}

MPI_Group mend_group_handle(const struct mend_group *g)
{
    if (!g)
        return MPI_GROUP_NULL;
    return g->size == 0 ? MPI_GROUP_EMPTY : (MPI_Group)g;
}

/* Only the predefined handlers serve every kind of object. */
MPI_Errhandler mend_errhandler_handle(const struct mend_errhandler *e)
{
    if (e->object != MEND_ERRH_OF_ANY)
        return (MPI_Errhandler)e;
    switch (e->kind) {
    case MEND_ERRH_FATAL:
        return MPI_ERRORS_ARE_FATAL;
    case MEND_ERRH_ABORT:
        return MPI_ERRORS_ABORT;
    default:
        return MPI_ERRORS_RETURN;
    }
}
