/* SPDX-License-Identifier: BSD-3-Clause */
/* visit_sm.h – what the roots of MPI_Comm_accept, the host, and MPI_Comm_connect, its guest, say to each other until they
 * meet or one of them has an error.
 *
 *      host                                        guest
 *                                                  JOURNEY ───> END   there is no such process, or it is late
 *      LISTEN    the door keeps    <──── KNOCK      │
 *       │  ^     those that knock        REFUSE ──> │
 *  WELCOME │                                        v
 *       │  │ GONE, or                              WAIT ──────> END   refused; the host is dead; late: says GONE; its group
 *       v  │ the guest is dead                      │                 has failed: says FAILED
 *      AWAIT                             WELCOME ─> │
 *       │    COMING                <──── COMING     v
 *       v                                          MEET
 *      MEET
 *
 *      LISTEN ──> END    the port is closed; the guest has failed; nobody is there, and it is late or its own group has failed
 *      AWAIT  ──> END    FAILED
 *
 * A guest answers WELCOME wherever it is in MPI: COMING, or GONE when its call is over.  A host that has said WELCOME waits
 * for this answer whatever happens in its own group, because the guest counts on it.  A guest whose own group has failed
 * says FAILED, and the call that takes it, or would, fails too (S0-35), also when the guest has ended meanwhile.
 *
 * The door belongs to a port and keeps the guests that have knocked, the oldest first; it has the memory that the caller
 * gives it.
 *
 *   transition                 function (visit_sm.c)
 *   JOURNEY → WAIT, END        arrive
 *   JOURNEY, WAIT → END        look_as_guest
 *   WAIT → MEET, END           hear_as_guest
 *   LISTEN → AWAIT, END        look_as_host, welcome
 *   AWAIT → LISTEN             look_as_host, hear_as_host
 *   AWAIT → MEET, END          hear_as_host
 *
 * Invariants, asserted in mend_visit_check():
 *   1  a host is in LISTEN, AWAIT, MEET or END, a guest is not in LISTEN or AWAIT;
 *   2  there is a reason in END only;
 *   3  a call that meets, or waits for one process, knows which. */
#ifndef MEND_FT_VISIT_SM_H
#define MEND_FT_VISIT_SM_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEND_VISIT_NOBODY (-1)

enum mend_visit_word {
    MEND_VISIT_KNOCK = 1, /* guest: may I come in? */
    MEND_VISIT_WELCOME,   /* host: yes */
    MEND_VISIT_REFUSE,    /* host: there is no such port, or no more */
    MEND_VISIT_COMING,    /* guest, to WELCOME: it meets the host now */
    MEND_VISIT_GONE,      /* guest: its call is over; also unasked */
    MEND_VISIT_FAILED,    /* guest: its call is over, for the error of its group */
};

/* number: of the guest's call; port: of the host. */
struct mend_visit_msg {
    uint8_t word;  /* enum mend_visit_word; 0: nothing is said */
    int32_t peer;  /* from or to */
    int32_t error; /* FAILED: of the caller's making */
    uint64_t port, number;
};

/* ---- the door of a port ---- */

struct mend_visit_guest {
    int32_t peer;
    int32_t error; /* why its group will not come after all; 0: it will */
    uint64_t number;
};

struct mend_visit_door {
    uint64_t port;
    uint32_t n, room;
    struct mend_visit_guest guest[]; /* the oldest first */
};

size_t mend_visit_door_size(uint32_t room);
void mend_visit_door_init(struct mend_visit_door *d, uint32_t room, uint64_t port);

/* d becomes a door with more room that keeps the same guests. */
void mend_visit_door_move(struct mend_visit_door *d, uint32_t room,
                          const struct mend_visit_door *from);

/* A message that belongs to no call (mend_visit_is_for()).  d: of its port; NULL: there is none, or it is closed.
 * KNOCK: d has room for one more.  *say_p: the answer. */
void mend_visit_door_hear(struct mend_visit_door *d, const struct mend_visit_msg *m,
                          struct mend_visit_msg *say_p);

/* It keeps those that have said FAILED: no answer to them is due. */
void mend_visit_door_on_death(struct mend_visit_door *d, int32_t dead);

/* The port closes: refuses the oldest; false: there is none. */
bool mend_visit_door_refuse(struct mend_visit_door *d, struct mend_visit_msg *say_p);

/* ---- a call ---- */

enum mend_visit_state {
    MEND_VISIT_JOURNEY, /* guest: looks for the host, in another job perhaps */
    MEND_VISIT_WAIT,    /* guest: has knocked */
    MEND_VISIT_LISTEN,  /* host: has welcomed nobody */
    MEND_VISIT_AWAIT,   /* host: the one that was welcomed has not answered */
    MEND_VISIT_MEET,    /* they meet */
    MEND_VISIT_END,     /* an error */
};

enum mend_visit_why {
    MEND_VISIT_WELL = 0,
    MEND_VISIT_REFUSED, /* there is no such port, job or process; or not any more */
    MEND_VISIT_LATE,
    MEND_VISIT_LOST,   /* the host has died since the guest knocked */
    MEND_VISIT_OWN,    /* error: of the own group */
    MEND_VISIT_THEIRS, /* error: of the guest's group */
};

enum mend_visit_event_kind {
    MEND_VISIT_ARRIVED, /* JOURNEY: the host was found, or not */
    MEND_VISIT_LOOK,    /* what is true now; to be given whenever something may have changed */
    MEND_VISIT_HEARD,   /* a message for this call (mend_visit_is_for()) */
};

struct mend_visit_event {
    enum mend_visit_event_kind kind;
    int32_t host; /* ARRIVED: MEND_VISIT_NOBODY: there is none, or it is dead */
    /* LOOK */
    int32_t own;                  /* why the own group will not come; 0: no reason is known */
    bool late;                    /* the time of the caller is over */
    bool dead;                    /* the process of `other` is */
    struct mend_visit_door *door; /* host: NULL: the port is closed */
    /* HEARD */
    const struct mend_visit_msg *msg;
};

struct mend_visit {
    uint8_t state; /* enum mend_visit_state; written by become() only */
    uint8_t why;   /* END: enum mend_visit_why */
    bool host;
    int32_t error; /* END: for OWN and THEIRS */
    int32_t other; /* the other root, MEND_VISIT_NOBODY: not known yet */
    uint64_t port, number;
};

void mend_visit_init_host(struct mend_visit *x, uint64_t port);

/* number: given to no other call of this process. */
void mend_visit_init_guest(struct mend_visit *x, uint64_t port, uint64_t number);

/* The one transition function.  *say_p: what is to be said now, if anything. */
void mend_visit_step(struct mend_visit *x, const struct mend_visit_event *ev,
                     struct mend_visit_msg *say_p);

/* The call waits for this message. */
bool mend_visit_is_for(const struct mend_visit *x, const struct mend_visit_msg *m);

static inline bool mend_visit_is_over(const struct mend_visit *x)
{
    return x->state >= MEND_VISIT_MEET;
}

/* Asserts all invariants. */
void mend_visit_check(const struct mend_visit *x);

/* One line into buf, as snprintf. */
int mend_visit_print(const struct mend_visit *x, char *buf, size_t size);

#endif
