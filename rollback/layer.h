/* SPDX-License-Identifier: BSD-3-Clause */
/* layer.h – what the files of the layer share.  One process, one layer, one thread at a time.
 *
 * 1. A request is in pending[] from the call that makes it until its completion, if the log is on.
 * 2. The entry of a pending receive has kind ROLLBACK_NONE; its completion makes it ROLLBACK_RECV.
 * 3. comms[] holds the communicators whose number all members know. */
#ifndef ROLLBACK_LAYER_H
#define ROLLBACK_LAYER_H

#include "match.h"

#include <mpi.h>

#define WRAPPER __attribute__((visibility("default")))

struct rollback_comm {
    MPI_Comm comm;
    uint64_t number;
    int size, *world; /* rank in the job of each member */
};

struct rollback_pending {
    MPI_Request request;
    size_t entry;
    bool receive;
};

struct rollback_layer {
    bool on, starting, granted;
    int me, n; /* in the whole job */
    MPI_Comm control;
    struct rollback_log log;
    struct rollback_comm *comms;
    struct rollback_pending *pending;
    int comms_n, pending_n, pending_room,
        made;                    /* made: numbers that this process has given to communicators */
    int holder, *queue, queue_n; /* rank 0: whose turn it is to roll back, and those that wait */
    char why[80];
    void (*function)(void *);
    void *arg;
};

extern struct rollback_layer rollback_layer;

/* Names what cannot be rolled back; the first reason stays. */
void rollback_refuse(const char *what);

/* NULL: unknown, and a roll-back will be refused. */
struct rollback_comm *rollback_comm_of(MPI_Comm comm);
struct rollback_comm *rollback_comm_numbered(uint64_t number);

/* Collective over `comm`: gives it a number.  Forgets it. */
void rollback_comm_add(MPI_Comm comm);
void rollback_comm_drop(MPI_Comm comm);

/* Logs a message operation.  A request, if it is not NULL, becomes pending. */
void rollback_log_message(enum rollback_kind kind, MPI_Comm comm, int peer, int tag, int count,
                          MPI_Datatype type, const MPI_Request *request);

/* Logs a collective that `request` completes. */
void rollback_log_collective(int op, MPI_Comm comm, int root, int count, MPI_Datatype type,
                             MPI_Op reduce, const MPI_Request *request);

/* `request` has completed with `status`; NULL: it has been cancelled. */
void rollback_completed(MPI_Request request, const MPI_Status *status);

/* Completes a request and takes part in roll-backs meanwhile.  MPI_ERR_OTHER: one has happened. */
int rollback_wait(MPI_Request *request, MPI_Status *status);

/* The numbers of predefined datatypes and reductions, which are the same at all processes; -1: not a predefined one. */
int rollback_type_number(MPI_Datatype type);
int rollback_op_number(MPI_Op op);

/* A process that has not begun the collective of `e` can take part in it; else this names what is in the way. */
bool rollback_coll_possible(const struct rollback_entry *e);

/* Starts the collective of `e`, which is possible, with buffers of its own, which the caller frees when `request` has completed. */
int rollback_coll_dummy(const struct rollback_entry *e, MPI_Comm comm, int size, void *buffers[2],
                        MPI_Request *request);

#endif
