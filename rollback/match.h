/* SPDX-License-Identifier: BSD-3-Clause */
/* match.h – what one process did and its partner did not: the pure part of a communication roll-back.
 *
 * No MPI, no clock, no global: logs in, dummy operations out.  An entry holds kind and arguments of an
 * operation, never its payload (S1-10), and has the same size for every operation.
 *
 * The state that operations leave behind consists of two things only, once every receive of a process has either
 * completed or been cancelled:
 *
 *   messages      a send of p to q without a receive at q.  Messages of one (p, q, communicator, tag) arrive in
 *                 order, so the ones that remain are the last ones.
 *   collectives   those that some members have begun and others have not.  All members begin them in the same order,
 *                 so the missing ones are the last ones of the longest log.
 *
 * Hence q needs from p only p's sends to q and p's collectives.
 *
 * Invariant of a plan: mine is the log, followed by the dummy operations found so far; each of them stands there once. */
#ifndef ROLLBACK_MATCH_H
#define ROLLBACK_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rollback_kind {
    ROLLBACK_SEND, /* peer: destination */
    ROLLBACK_RECV, /* peer: source; a completed receive, with the tag that arrived */
    ROLLBACK_NONE, /* a receive that was cancelled or has not completed */
    ROLLBACK_COLL, /* every collective operation; op says which */
};

/* 40 bytes.  A communicator is the same number at all its members. */
struct rollback_entry {
    uint64_t comm;
    int64_t count;  /* messages: bytes; collectives: elements */
    int32_t peer;   /* messages: rank in the whole job; collectives: root or -1 */
    int32_t tag;    /* messages only */
    int16_t kind;   /* enum rollback_kind */
    int16_t op;     /* collectives: which */
    int16_t type;   /* collectives: number of the datatype, -1: not a predefined one */
    int16_t reduce; /* collectives: number of the reduction, -1: not a predefined one */
    uint32_t send_request, recv_request; /* free for the owner of the log */
};

struct rollback_log {
    struct rollback_entry *e;
    size_t n, room;
};

enum rollback_verdict {
    ROLLBACK_MATCHED,
    ROLLBACK_CROSSED, /* received, but not sent since the safe point: the message crosses the safe point */
    ROLLBACK_DIFFERENT /* the members' collectives differ in kind or root */,
    ROLLBACK_NO_MEMORY,
};

/* Appends a copy of `e`.  False: no memory, and the log is unchanged. */
bool rollback_log_add(struct rollback_log *log, const struct rollback_entry *e);

/* Frees the entries; the log is empty afterwards. */
void rollback_log_free(struct rollback_log *log);

/* Appends to `part` what `peer` needs of `log`: the sends to it and, of the communicators that `shared` accepts, the
 * collectives.  False: no memory. */
bool rollback_log_part(const struct rollback_log *log, int peer,
                       bool (*shared)(uint64_t comm, int peer, void *arg), void *arg,
                       struct rollback_log *part);

/* Compares `mine` with `theirs`, the part of `peer` for process `me`, and appends to `mine` the dummy operations
 * that this process must perform: entries of kind ROLLBACK_RECV and ROLLBACK_COLL, in the order in which they are to be
 * started.  Called once for each partner; the union over all partners leaves no message in a queue and no
 * collective half begun.  O(n log n).  On any verdict but ROLLBACK_MATCHED nothing has been appended. */
enum rollback_verdict rollback_match(struct rollback_log *mine, int me,
                                     const struct rollback_log *theirs, int peer);

/* Which processes a roll-back reaches: everything reachable from its starter over "has exchanged messages with,
 * or has begun a collective with".  reached[] and asked[] hold one byte per process, all 0 but reached[starter]. */

/* The next process to ask for its partners, or -1 if the set is complete.  Asks each process once, hence ends after
 * at most n calls. */
int rollback_spread_next(const unsigned char *reached, unsigned char *asked, int n);

/* A process has answered: row[q] is 1 if q is its partner. */
void rollback_spread_add(unsigned char *reached, const unsigned char *row, int n);

#endif
