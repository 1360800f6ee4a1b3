/* SPDX-License-Identifier: BSD-3-Clause */
/* layer.c – the log of this process, its pending requests and its communicators.  See layer.h. */
#include "layer.h"

#include "mend_rollback.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rollback_layer rollback_layer = {.holder = -1};

static struct rollback_layer *const l = &rollback_layer;

void rollback_refuse(const char *what)
{
    if (!l->why[0])
        snprintf(l->why, sizeof(l->why), "%s", what);
}

struct rollback_comm *rollback_comm_of(MPI_Comm comm)
{
    for (int i = 0; i < l->comms_n; i++)
        if (l->comms[i].comm == comm)
            return &l->comms[i];
    if (l->on)
        rollback_refuse("a communicator from a call that the layer does not wrap");
    return NULL;
}

struct rollback_comm *rollback_comm_numbered(uint64_t number)
{
    for (int i = 0; i < l->comms_n; i++)
        if (l->comms[i].number == number)
            return &l->comms[i];
    return NULL;
}

/* The members' ranks in the whole job; false: no memory. */
static bool translate(struct rollback_comm *c)
{
    MPI_Group group, all;
    int *ranks;

    PMPI_Comm_size(c->comm, &c->size);
    ranks = malloc(c->size * sizeof(int));
    c->world = malloc(c->size * sizeof(int));
    if (!ranks || !c->world) {
        free(ranks);
        free(c->world);
        return false;
    }
    for (int i = 0; i < c->size; i++)
        ranks[i] = i;
    PMPI_Comm_group(c->comm, &group);
    PMPI_Comm_group(l->control, &all);
    PMPI_Group_translate_ranks(group, c->size, ranks, all, c->world);
    PMPI_Group_free(&group);
    PMPI_Group_free(&all);
    free(ranks);
    return true;
}

void rollback_comm_add(MPI_Comm comm)
{
    struct rollback_comm *bigger, c = {.comm = comm};
    int inter = 0;
    uint64_t number = ((uint64_t)l->me + 1) << 32 | (uint32_t)l->made;

    if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) || inter)
        return;
    if (PMPI_Bcast(&number, sizeof(number), MPI_BYTE, 0, comm) != MPI_SUCCESS)
        return;
    l->made++;
    c.number = number;
    bigger = realloc(l->comms, (l->comms_n + 1) * sizeof(*bigger));
    if (!bigger)
        return;
    l->comms = bigger;
    if (translate(&c))
        l->comms[l->comms_n++] = c;
}

void rollback_comm_drop(MPI_Comm comm)
{
    for (int i = 0; i < l->comms_n; i++) {
        if (l->comms[i].comm == comm) {
            free(l->comms[i].world);
            l->comms[i] = l->comms[--l->comms_n];
            return;
        }
    }
}

static void log_one(const struct rollback_entry *e, const MPI_Request *request, bool receive)
{
    if (!rollback_log_add(&l->log, e)) {
        rollback_refuse("no memory for the log");
        return;
    }
    if (!request)
        return;
    if (l->pending_n == l->pending_room) {
        int room = l->pending_room ? 2 * l->pending_room : 64;
        struct rollback_pending *bigger = realloc(l->pending, room * sizeof(*bigger));

        if (!bigger) {
            rollback_refuse("no memory for pending requests");
            return;
        }
        l->pending = bigger;
        l->pending_room = room;
    }
    l->pending[l->pending_n++] = (struct rollback_pending){*request, l->log.n - 1, receive};
}

/* A predefined type keeps its size: the last one is remembered. */
static int64_t size_of(MPI_Datatype type)
{
    static MPI_Datatype last;
    static int last_size = -1;
    int size;

    if (last_size >= 0 && type == last)
        return last_size;
    PMPI_Type_size(type, &size);
    if (rollback_type_number(type) >= 0) {
        last = type;
        last_size = size;
    }
    return size;
}

void rollback_log_message(enum rollback_kind kind, MPI_Comm comm, int peer, int tag, int count,
                          MPI_Datatype type, const MPI_Request *request)
{
    struct rollback_comm *c;
    struct rollback_entry e = {.kind = kind, .tag = tag, .peer = -1};

    if (!l->on || !(c = rollback_comm_of(comm)))
        return;
    if (peer == MPI_PROC_NULL)
        e.kind = kind = ROLLBACK_NONE;
    e.comm = c->number;
    if (kind == ROLLBACK_SEND)
        e.count = size_of(type) * count;
    if (peer >= 0 && peer < c->size)
        e.peer = c->world[peer];
    log_one(&e, request, kind == ROLLBACK_NONE && peer != MPI_PROC_NULL);
}

void rollback_log_collective(int op, MPI_Comm comm, int root, int count, MPI_Datatype type,
                             MPI_Op reduce, const MPI_Request *request)
{
    struct rollback_comm *c = rollback_comm_of(comm);
    struct rollback_entry e = {.kind = ROLLBACK_COLL, .op = op, .peer = root, .count = count};

    if (!c)
        return;
    e.comm = c->number;
    e.type = rollback_type_number(type);
    e.reduce = rollback_op_number(reduce);
    log_one(&e, request, false);
}

void rollback_completed(MPI_Request request, const MPI_Status *status)
{
    for (int i = l->pending_n - 1; i >= 0; i--) {
        struct rollback_pending *p = &l->pending[i];
        struct rollback_entry *e = &l->log.e[p->entry];

        if (p->request != request)
            continue;
        if (p->receive && status && status->MPI_SOURCE >= 0) {
            e->kind = ROLLBACK_RECV;
            e->peer = rollback_comm_numbered(e->comm)->world[status->MPI_SOURCE];
            e->tag = status->MPI_TAG;
        }
        *p = l->pending[--l->pending_n];
        return;
    }
    if (l->on)
        rollback_refuse("a request from before the safe point");
}

int rollback_wait(MPI_Request *request, MPI_Status *status)
{
    MPI_Request was = *request;
    MPI_Status mine;

    for (unsigned turn = 1;; turn++) {
        int flag = 0, code = PMPI_Test(request, &flag, &mine);

        if (code != MPI_SUCCESS || flag) {
            if (was != MPI_REQUEST_NULL && *request == MPI_REQUEST_NULL)
                rollback_completed(was, &mine);
            if (status != MPI_STATUS_IGNORE)
                *status = mine;
            return code;
        }
        if (turn % 16 == 0 && rollback_poll())
            return MPI_ERR_OTHER;
    }
}

int rollback_begin(void)
{
    int level;

    PMPI_Query_thread(&level);
    if (level == MPI_THREAD_MULTIPLE)
        return MPI_ERR_OTHER;
    if (l->pending_n)
        return MPI_ERR_PENDING;
    l->log.n = 0;
    l->why[0] = '\0';
    l->on = true;
    return MPI_SUCCESS;
}

void rollback_end(void)
{
    l->on = false;
}

void rollback_on_undo(void (*function)(void *), void *arg)
{
    l->function = function;
    l->arg = arg;
}

const char *rollback_why(void)
{
    return l->why;
}

long rollback_logged(void)
{
    return (long)l->log.n;
}

int rollback_entry_bytes(void)
{
    return (int)sizeof(struct rollback_entry);
}
