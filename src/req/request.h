/* SPDX-License-Identifier: BSD-3-Clause */
/* request.h – operations in progress, progress, and the one place that waits.
 *
 *                          ┌──────────── MPI_Wait, MPI_Test (persistent) ────────────┐
 *                          v                                                         │
 *      INACTIVE ─────────────────begin────────> ACTIVE ───────────complete─────────> DONE ──> released
 *                                                 │ MPI_Request_free
 *                                                 v
 *                                             DETACHED ──complete──> released
 *
 *   transition                    function
 *   INACTIVE → ACTIVE             mend_request_begin, mend_request_start
 *   ACTIVE → DONE                 mend_request_complete
 *   ACTIVE → DETACHED → released  mend_request_detach, mend_request_complete
 *   DONE → released               mend_request_detach
 *   DONE → INACTIVE               mend_request_take, and mend_request_start if it fails
 *
 * Invariants (check.c looks at 3 to 6):
 *   1  mend_request_complete() is called exactly once per start;
 *   2  after it the library does not access the user's buffers of that operation;
 *   3  it is alive, and so is its communicator;
 *   4  its state is one of the picture; one that the program has freed is DETACHED, so it is active;
 *   5  `pending` is set only on an active wildcard receive that is not matched (S0-20): a
 *      completion call reports MPI_ERR_PENDING and the request stays active;
 *   6  it is in self->active only while it is active, and can be polled there. */
#ifndef MEND_REQ_REQUEST_H
#define MEND_REQ_REQUEST_H

#include "base/atomic.h"
#include "comm/comm.h"

#define MEND_REQUEST_MAGIC 0x72657175u

struct mend_request;

/* A collective call that has begun here, as reports see it. */
struct mend_collective {
    const struct mend_comm *c; /* that it runs on */
    uint64_t nth;              /* of the calls on c */
    const char *call;
    uint64_t *peers; /* a set, to which the processes that are waited for are added */
};

/* What a process waits for, for those that add up times. */
enum mend_wait_cause {
    MEND_WAIT_OTHER = 0,
    MEND_WAIT_MESSAGES,
    MEND_WAIT_COLLECTIVES,
    MEND_WAIT_AGREEMENTS,
    MEND_WAIT_CREATION,
    MEND_WAIT_WINDOWS,
    MEND_WAIT_CAUSES
};

struct mend_wait_times {
    mend_time_ns ns[MEND_WAIT_CAUSES];
};

struct mend_request_ops {
    const char *name; /* for wait reports: "receive", "allreduce", ... */
    enum mend_wait_cause cause;
    /* Persistent requests: begins the operation again.  An MPI error class. */
    int (*start)(struct mend_request *r);
    bool whole; /* neither freed nor cancelled between start and wait (MPI-5.0 4.2.1, 6.12) */
    /* MPI_Cancel; NULL: has no effect. */
    void (*cancel)(struct mend_request *r);
    /* Called by progress while the request is in self->active; NULL: never put it there. */
    void (*poll)(struct mend_request *r);
    /* Gives the memory back; called once, when the user has no handle and the operation is over. */
    void (*release)(struct mend_request *r);
    /* Generalized requests: fill the status when it is asked for; else NULL.  MPI error class. */
    int (*query)(struct mend_request *r);
    /* Writes which process is waited for, e.g. "from rank 3 tag 7 on MPI_COMM_WORLD". */
    void (*describe)(const struct mend_request *r, char *text, size_t max);
    /* Nonblocking collectives, for reports; else NULL. */
    void (*collective)(const struct mend_request *r, struct mend_collective *k_p);
};

enum mend_request_state {
    MEND_REQUEST_INACTIVE = 0, /* tests as complete, with an empty status */
    MEND_REQUEST_DONE,
    MEND_REQUEST_ACTIVE,
    MEND_REQUEST_DETACHED, /* active; released on completion, errors are fatal (S4-2) */
};

struct mend_request {
    uint32_t magic;
    uint8_t state; /* enum mend_request_state */
    bool persistent;
    bool cancelled;  /* of the status */
    bool rings;      /* while it is polled: what a poll would find wakes this process */
    int error;       /* MPI error class, valid when done */
    int pending;     /* MPI_ERR_PENDING or 0 */
    int source, tag; /* status; source MPI_ANY_SOURCE, tag MPI_ANY_TAG: empty status */
    MPI_Count bytes;
    struct mend_comm *comm; /* a reference is held until release(), embedded requests rely on their
                               owner's; NULL for generalized requests */
    mend_peer hint;         /* peer whose traffic completes it, MEND_PEER_NONE: anybody */
    const struct mend_request_ops *ops;
    struct mend_list link; /* in self->active while it needs polling */
    struct mend_list
        held; /* of the requests that the program has handles of, if they are followed (recover/undo.h) */
};

static inline void mend_request_init(struct mend_request *r, const struct mend_request_ops *ops,
                                     struct mend_comm *comm)
{
    *r = (struct mend_request){.magic = MEND_REQUEST_MAGIC,
                               .ops = ops,
                               .comm = comm,
                               .source = MPI_ANY_SOURCE,
                               .tag = MPI_ANY_TAG,
                               .hint = MEND_PEER_NONE};
}

static inline bool mend_request_is_active(const struct mend_request *r)
{
    return r->state >= MEND_REQUEST_ACTIVE;
}

static inline bool mend_request_is_done(const struct mend_request *r)
{
    return r->state == MEND_REQUEST_DONE;
}

/* From here on the operation may complete. */
static inline void mend_request_begin(struct mend_request *r)
{
    r->state = MEND_REQUEST_ACTIVE;
}

/* Begins an inactive persistent request again.  The error of its start: then it stays inactive. */
int mend_request_start(struct mend_request *r);

void mend_request_complete_slow(struct mend_request *r, int error);

/* Ends the operation with an error class.  Releases it if the user has freed it already. */
static inline void mend_request_complete(struct mend_request *r, int error)
{
    MEND_ASSERT(mend_request_is_active(r));
    if (mend_unlikely(error || r->state == MEND_REQUEST_DETACHED || mend_list_linked(&r->link))) {
        mend_request_complete_slow(r, error);
        return;
    }
    r->state = MEND_REQUEST_DONE;
    r->pending = 0;
    r->error = MPI_SUCCESS;
}

/* An invariant of r that does not hold; NULL: all hold (base/check.h). */
const char *mend_request_check(const struct mend_request *r);

/* Checks all communicators of this process, and all requests that are polled; ends the process with a
 * message if an invariant does not hold.  Every wait of a build with a sanitizer begins with it. */
void mend_request_check_all(struct mend_proc *self);

/* The user's handle is gone: releases now, or on completion. */
static inline void mend_request_detach(struct mend_request *r)
{
    if (mend_unlikely(mend_list_linked(&r->held)))
        mend_list_remove(&r->held);
    if (mend_request_is_active(r))
        r->state = MEND_REQUEST_DETACHED;
    else
        r->ops->release(r);
}

#define MEND_STATUS_CANCELLED 0x80000000u

/* A status (may be MPI_STATUS_IGNORE); MPI_ERROR is not touched. */
static inline void mend_status_set(MPI_Status *status, int source, int tag, MPI_Count bytes,
                                   bool cancelled)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    status->MPI_internal[0] = (int)(uint32_t)bytes;
    status->MPI_internal[1] =
        (int)((uint32_t)((uint64_t)bytes >> 32) | (cancelled ? MEND_STATUS_CANCELLED : 0));
}

/* The same from a finished request. */
static inline void mend_request_status(const struct mend_request *r, MPI_Status *status)
{
    mend_status_set(status, r->source, r->tag, r->bytes, r->cancelled);
}

void mend_status_empty(MPI_Status *status); /* MPI-5.0 3.7.3 */
MPI_Count mend_status_bytes(const MPI_Status *status);
bool mend_status_cancelled(const MPI_Status *status);

/* Polls the transport once, flushes outboxes, polls active requests.  Never blocks.
 * Returns true if anything happened.  hint: peer to look at first, or MEND_PEER_NONE. */
bool mend_progress(struct mend_proc *self, mend_peer hint);

/* Looks whether the agent has given verdicts, and carries them out.  Cheap when it has not.  True:
 * there was one, so requests may be done that were not before. */
bool mend_interrupt_check(struct mend_proc *self);

/* Both: what was sent before the news is delivered before it.  Nothing for a call from within a reduction function, which
 * stands in the middle of a collective that the news might end. */
void mend_look_around(struct mend_proc *self);

/* The wait: returns when the request is done or pending.  Ends because: the operation completes; a
 * process it depends on dies (the death completes it); its object is revoked (the same). */
void mend_wait(struct mend_proc *self, struct mend_request *r);

/* The same for anything else: waits until until(arg) is true.  `what` is for reports.  Other threads call until() for one
 * that sleeps, and go on; its last call is the waiting thread's own, and only what that one finds is there: each call
 * forgets what an earlier one has found, unless it has taken it for the waiting thread. */
struct mend_wait {
    bool (*until)(struct mend_proc *self, void *arg);
    void *arg;
    const char *what;
    enum mend_wait_cause cause;
    mend_peer hint; /* peer whose traffic ends it, MEND_PEER_NONE: anybody */
    bool rings; /* its end wakes this process, as frames do: may sleep, until `until` clears it */
    /* For reports, called in a signal handler; NULL: `what` says all. */
    const struct mend_comm *comm; /* the call is collective over it, and this is its turn */
    void (*missing)(const void *arg, uint64_t *peers);         /* adds those that have not come */
    void (*describe)(const void *arg, char *text, size_t max); /* in place of `what` */
};

/* A wait that goes on, on the stack of the thread that waits; a list of all in self->waits. */
struct mend_waiting {
    const char *call;             /* the MPI function that waits; NULL: none */
    const struct mend_request *r; /* or: */
    const struct mend_wait *w;
    mend_time_ns since;         /* 0: nobody asks */
    struct mend_waiting *outer; /* of this thread, or of another one */
};
void mend_wait_until(struct mend_proc *self, const struct mend_wait *w);

#define MEND_CORE_ALONE_MOST 64 /* turns of waits, with more ranks than cores */

/* With more ranks than cores: when this process has lately given its core away, nobody wanted it. */
static inline bool mend_core_is_alone(const struct mend_proc *self)
{
    return self->core_alone >= MEND_CORE_ALONE_MOST / 2;
}

/* For at most some microseconds, and not at all where somebody else may need the core: until a
 * frame of one peer has arrived (net.h: peek), or a verdict.  Nothing else goes on meanwhile. */
const struct mend_frame *mend_wait_frame(struct mend_proc *self, mend_peer from,
                                         const void **payload_p);

#endif
