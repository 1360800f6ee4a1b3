/* SPDX-License-Identifier: BSD-3-Clause */
/* contact_sm.h – how the agents of two jobs connect them, and what they answer to ranks that have asked for that.
 *
 *      the agent that calls                        the agent that is called
 *      CALLS    ── HELLO, its number ──>           CALLED
 *        │ <─────────── REFUSE, why not ──           ├──> CLOSED
 *        │ <────────────── OLLEH, its number ──      v
 *        v                                         OPEN
 *      OPEN     ── PROOF ──>                         │
 *        │      ── ASK ──> <── TELL ──             OPEN      as often as ranks ask, by either side
 *        │                                           │
 *      LOST ──> OVER                               LOST ──> OVER       the other agent is gone; its ranks are dead
 *
 * A machine is one agent: all its links, and the questions of its ranks that have no answer yet.
 *
 * Two agents that call each other at the same time: the call of the job with the smaller id counts.  The other one is
 * refused with EAGAIN.  Then the call that counts is under way; if that one fails the other calls again after a
 * while.
 *
 * A job draws its number by lot when it is connected for the first time; it must be none that the other job knows.  A
 * number that is refused is drawn again.  An agent that calls gives its call up, and calls again, if the number of the other
 * is known to it as another job's, or its own has been settled otherwise meanwhile.  So a link is not proved at the side that
 * was called until PROOF has been heard over it: if it ends before, what was asked over it is asked again, and the
 * number that was drawn for it is dropped.
 *
 * TELL answers the questions of a link in their order.  A question that gets no answer in time is answered with ETIMEDOUT,
 * but stays until its TELL comes.
 *
 *   transition                       function (contact_sm.c)
 *   CALLS → OPEN                     on_olleh
 *   CALLED → OPEN                    on_hello
 *   CALLED → CLOSED                  refuse
 *   CALLS, CALLED, OPEN → CLOSED     lose
 *   OPEN → LOST                      lose
 *   LOST → OVER                      mend_contact_step
 *
 * Invariants, asserted in mend_contact_check():
 *   1  no two links lead to the same job;
 *   2  the job of an open link is known, and so is its number, which is not ours;
 *   3  a question that was sent has a link that is open;
 *   4  a job that is connected has a number. */
#ifndef MEND_FT_CONTACT_SM_H
#define MEND_FT_CONTACT_SM_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEND_CONTACT_CALLS_MAX 8 /* for one question */

enum mend_contact_word {
    MEND_CONTACT_HELLO = 1, /* `job` wants to talk to `to`, and would be number `number` */
    MEND_CONTACT_OLLEH,     /* `job` is number `number` */
    MEND_CONTACT_REFUSE,    /* to HELLO: why not */
    MEND_CONTACT_PROOF,     /* to OLLEH: the link is open here, too */
    MEND_CONTACT_ASK,       /* let our processes and yours know each other */
    MEND_CONTACT_TELL,      /* the answer; code: why not */
};

struct mend_contact_msg {
    uint8_t word; /* enum mend_contact_word */
    bool sound;   /* HELLO, OLLEH: with a segment, which is that job's */
    int32_t code; /* REFUSE, TELL: errno value; ASK, TELL as heard: why there is no room here */
    uint32_t number;
    uint32_t turn; /* HELLO: of the calls of its agent; a later one has a higher */
    uint64_t job, to;
};

enum mend_contact_state {
    MEND_CONTACT_CALLS,  /* we have said HELLO */
    MEND_CONTACT_CALLED, /* the other will */
    MEND_CONTACT_OPEN,   /* each knows the other */
    MEND_CONTACT_LOST,   /* the other agent is gone; its ranks are dying with it */
    MEND_CONTACT_OVER,   /* they are dead; their places are not vacant yet */
    MEND_CONTACT_CLOSED, /* it never was open: to be forgotten */
};

struct mend_contact_link {
    uint64_t other;            /* job; 0: not known yet */
    int32_t id;                /* the caller's name of it */
    uint32_t number, proposed; /* of the other job; CALLS: of ours */
    uint32_t turn;             /* of the call */
    int32_t code;              /* what `say` says */
    uint8_t state;             /* enum mend_contact_state; written by become() only */
    uint8_t say;               /* due: enum mend_contact_word; 0: nothing */
    bool fresh, ended;         /* due: the caller is told so */
    bool proved;               /* the other side has it open, too */
};

enum mend_contact_stage {
    MEND_CONTACT_SEEKS,    /* a link to that job, or makes one */
    MEND_CONTACT_DIALS,    /* the caller tries to reach the other agent */
    MEND_CONTACT_RESTS,    /* until the next LOOK, before it calls again */
    MEND_CONTACT_SENT,     /* ASK was said over `link` */
    MEND_CONTACT_GIVEN_UP, /* and was answered, although its TELL has not come */
};

struct mend_contact_ask {
    uint64_t job, number; /* number: the rank's name of the question */
    mend_time_ns until;
    int32_t rank, link, error;
    uint8_t stage; /* enum mend_contact_stage */
    uint8_t calls_n;
    bool due; /* the answer is */
};

enum mend_contact_event_kind {
    MEND_CONTACT_ASKED,     /* rank, number, job, until; there is room for one more */
    MEND_CONTACT_REACHED,   /* to CALL: link, a new one; lot */
    MEND_CONTACT_UNREACHED, /* to CALL: error; EAGAIN: its door is crowded */
    MEND_CONTACT_KNOCKED,   /* somebody has reached us: link, a new one */
    MEND_CONTACT_HEARD,     /* link, msg, lot */
    MEND_CONTACT_ENDED,     /* the connection of this link; error: why */
    MEND_CONTACT_LOOK,      /* now */
    MEND_CONTACT_MOURNED,   /* LOST: all processes of the other job are dead */
    MEND_CONTACT_FORGOTTEN, /* OVER: nothing is left of them */
};

struct mend_contact_event {
    enum mend_contact_event_kind kind;
    int32_t link, rank, error;
    uint32_t lot; /* a random number */
    uint64_t job, number;
    mend_time_ns now, until;
    const struct mend_contact_msg *msg;
};

enum mend_contact_act_kind {
    MEND_CONTACT_SAY,    /* msg over link */
    MEND_CONTACT_CALL,   /* the agent of job: REACHED or UNREACHED must be the next event */
    MEND_CONTACT_ANSWER, /* rank's question number about job: error, 0: connected */
    MEND_CONTACT_OPENED, /* the link is, at both sides; our number is x->number from now on */
    MEND_CONTACT_CLOSE,  /* the connection of link; kept: what it led to is still known */
};

struct mend_contact_act {
    enum mend_contact_act_kind kind;
    bool kept;
    int32_t link, rank, error;
    uint64_t job, number;
    struct mend_contact_msg msg;
};

struct mend_contact {
    uint64_t job;
    uint32_t number;  /* of the job; 0: none yet */
    uint32_t settled; /* it stays */
    uint32_t turns_n; /* calls that this agent has made */
    uint32_t numbers_n, links_n, asks_n, links_room, asks_room;
    uint64_t store[]; /* set of numbers that were ever known; links, asks: the oldest first */
};

/* Numbers are 1 .. numbers_n - 1. */
size_t mend_contact_size(uint32_t numbers_n, uint32_t links_room, uint32_t asks_room);
void mend_contact_init(struct mend_contact *x, uint64_t job, uint32_t numbers_n,
                       uint32_t links_room, uint32_t asks_room);

/* x becomes an agent with more room that knows the same. */
void mend_contact_move(struct mend_contact *x, uint32_t links_room, uint32_t asks_room,
                       const struct mend_contact *from);

/* The one transition function, and what is to be done then, in order; false: nothing more. */
void mend_contact_step(struct mend_contact *x, const struct mend_contact_event *ev);
bool mend_contact_next(struct mend_contact *x, struct mend_contact_act *act_p);

/* NULL: there is no such link, or no more. */
const struct mend_contact_link *mend_contact_link(const struct mend_contact *x, int32_t id);

/* All of them. */
const struct mend_contact_link *mend_contact_links(const struct mend_contact *x);
const struct mend_contact_ask *mend_contact_asks(const struct mend_contact *x);

/* When LOOK is due: MEND_TIME_NEVER: not at all; now: some question rests, so soon. */
mend_time_ns mend_contact_due(const struct mend_contact *x, mend_time_ns now);

/* Asserts all invariants. */
void mend_contact_check(const struct mend_contact *x);

/* One line into buf, as snprintf. */
int mend_contact_print(const struct mend_contact *x, char *buf, size_t size);

#endif
