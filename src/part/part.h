/* SPDX-License-Identifier: BSD-3-Clause */
/* part.h – partitioned point-to-point messages (MPI-5.0 chapter 4): what the API calls.
 *
 *   init ──offer, match (once, in the order of the init calls)──> matched
 *   start ──the receiver's START──> partitions go as soon as threads mark them ──all sent──> done
 *
 * Failure semantics:
 *   - no call but a completion call reports a death or a revocation (S0-15), except MPI_Parrived;
 *   - the other end dead: the request completes with MPI_ERR_PROC_FAILED (S0-16, S0-17), also if it is started
 *     afterwards (S0-18); partitions that had arrived are valid, for the others MPI_Parrived answers
 *     true with that class (R26);
 *   - communicator revoked: the same with MPI_ERR_INVALIDATED;
 *   - a send is complete when its partitions have left, whatever happens to the receiver (S4-15). */
#ifndef MEND_PART_PART_H
#define MEND_PART_PART_H

#include "req/request.h"

struct mend_part;

/* Sets up the handler of frames.  MPI_SUCCESS or MPI_ERR_NO_MEM. */
int mend_part_init(struct mend_proc *self);

struct mend_part_args {
    bool is_send;
    struct mend_comm *c;
    union {
        void *buf;
        const void *send_buf;
    };
    int partitions_n;
    MPI_Count count; /* elements of each partition */
    const struct mend_type *type;
    int rank, tag; /* checked; MPI_PROC_NULL is allowed, wildcards are not */
};

/* An inactive persistent request of one end.  Local: sends an offer, or looks for one, and waits for nothing.
 * MPI_ERR_NO_MEM.  A dead process at the other end is not an error here. */
int mend_part_create(const struct mend_part_args *args, struct mend_request **r_p);

/* The partitioned request of a handle; NULL: it is of another kind. */
struct mend_part *mend_part_of(struct mend_request *r);
bool mend_part_is_send(const struct mend_part *p);
int mend_part_count(const struct mend_part *p); /* of its partitions */

/* One partition may leave from now on.  Any thread, without the lock.  False: it may already, or the
 * request was never started. */
bool mend_part_mark(struct mend_part *p, int partition);
/* After marks: true if this thread has to take the lock and call mend_part_push(), false if another one does. */
bool mend_part_must_push(struct mend_part *p);
/* Sends what is marked, as far as there is room now; the rest goes with the progress of any MPI call that waits. */
void mend_part_push(struct mend_part *p);

/* Has the partition arrived?  Any thread, without the lock; true also while the request is inactive. */
bool mend_part_arrived(const struct mend_part *p, int partition);
/* The same with the lock, and after the request has ended, when every partition counts as arrived: *error_p is the
 * class with which it has ended without this one (R26). */
bool mend_part_settled(const struct mend_part *p, int partition, int *error_p);

/* Consequences of deaths and of a revocation (life/). */
void mend_part_on_deaths(struct mend_proc *self);
void mend_part_on_revoke(struct mend_comm *c);

/* What a communicator keeps: offers and receives without a partner. */
void mend_part_detach(struct mend_comm *c);

#endif
