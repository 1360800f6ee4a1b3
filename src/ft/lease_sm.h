/* SPDX-License-Identifier: BSD-3-Clause */
/* lease_sm.h – the lease by which a node runs: both ends of one edge of the tree of agents.
 *
 *      the child: struct mend_lease             its parent: struct mend_lease_child
 *
 *      at s, by its own clock
 *         ── BEAT n ───────────────────────────>   at t, by its own clock
 *         <───────────────────── GRANT n, d ──     d: what is left of the parent's own lease, at most L
 *      runs until s + d                            declares it lost at t + d(1+ρ)/(1-ρ)
 *
 *         ── BEAT n+1, heard n ───────────────>   it can be heard, too
 *
 * The child does not know when its beat was answered, so it counts from the sending, which was before.  So its lease ends
 * first, whatever the messages take, if no clock is wrong by more than a part of ρ; clocks are never compared.  And the
 * lease of a child ends before the parent of its parent declares that one lost, for it is a part of the parent's.
 * (1+2ρ would be too little by 2ρ².)
 *
 * A child whose beats come through, but which hears nothing, ends all the same.  So a beat says what its sender has heard, and the grants
 * after the last one that was heard become shorter: none of them ends later than L and some slack after that.
 *
 * Nothing of the program runs before the first grant.  A machine that was stopped, or cut off, finds its lease over, and the
 * kernel's timer, the *fence*, has ended all before anything else: the driver arms it at each grant.
 *
 * A child whose parent is silent, or gone, looks for another one while its lease runs.  Each time it turns to
 * another it takes the next number of a *turn*, and says it in its beats.  A parent that hears of a turn that is not its own
 * asks the root, and grants after the answer; it keeps the child until the root has given it to another one.  A child may
 * hold a lease of its former parent, by a beat from before it turned away.  So the new one does not declare it lost
 * before L(1+ρ)/(1-ρ) have passed since it first heard of it.  A connection that is made again to the same parent is no
 * turn, and nobody is asked.
 *
 * A child that was declared lost is refused for ever.  An agent that is started again for the same node is another
 * *incarnation*; the root alone starts those.
 *
 *   child     NONE ── grant ──> HELD ──────────────> OVER        refused, or its time is over: also NONE → OVER
 *
 *   parent    EXPECTED ── beat ──> HELD ──────────> REPORTED     too long without a beat: the root gives the verdict
 *             ABSENT ──┐            ^                  │
 *                      └─ adopted ──┴──────────────────┘          any ──> DECLARED      the verdict
 *
 *   transition                       function (lease_sm.c)
 *   NONE → HELD                      on_grant
 *   NONE, HELD → OVER                mend_lease_step, on_heard
 *   EXPECTED → HELD                  answer
 *   HELD → REPORTED                  look_at_time
 *   not DECLARED → HELD              on_adopted
 *   any → DECLARED                   declare
 *
 * The numbers (MEND_LEASE_DEFAULTS).  A machine with a load of 30 wakes its agents up to 30 ms late.  Then two grants are at most
 * 100 + 3·30 = 190 ms apart, and at depth 2, which is enough for 1,057 nodes at radix 32, 620 ms of a lease are always left, 520 to
 * the fence: an agent may stop for half a lease.  A node that falls silent has ended after 0.9 s and is declared 1.002 s
 * after the last answer, 1.04 with a late agent; one that only does not hear after 1.3 s; 1.5 are allowed.  An
 * orphan has 400 ms, and gives each that it calls 100: the root must be the fourth at most, so a tree has at most three edges to
 * the root.
 *
 * Invariants, asserted in mend_lease_check() and mend_lease_child_check():
 *   1  the end of a lease, and the time at which a child is lost, never go back (except with a new incarnation);
 *   2  a lease ends at most L after the last beat;
 *   3  OVER is final; so is DECLARED for its incarnation;
 *   4  a turn that is asked about is later than the one that is had. */
#ifndef MEND_FT_LEASE_SM_H
#define MEND_FT_LEASE_SM_H

#include "base/status.h"

struct mend_lease_config {
    mend_time_ns lease_ns; /* L */
    mend_time_ns beat_ns;  /* from a beat to the next one */
    mend_time_ns
        fence_ns; /* within this time all processes of the node end: the fence is so long before the end */
    mend_time_ns silence_ns; /* a child with so much less than L looks for another parent */
    mend_time_ns try_ns;     /* ... and gives each one so long to answer */
    mend_time_ns start_ns;   /* an agent without a grant gives up after this time */
    uint32_t drift_ppm;      /* ρ: a clock's rate is wrong by at most so many millionths */
    mend_time_ns
        slack_ns; /* no grant ends later than L and that after the child has shown that it hears */
};

#define MEND_LEASE_MS      UINT64_C(1000000)
#define MEND_LEASE_MOST_NS (1000000 * MEND_LEASE_MS)
#define MEND_LEASE_DEFAULTS                                                                        \
    {                                                                                              \
        .lease_ns = 1000 * MEND_LEASE_MS, .beat_ns = 100 * MEND_LEASE_MS,                          \
        .fence_ns = 100 * MEND_LEASE_MS, .silence_ns = 500 * MEND_LEASE_MS,                        \
        .try_ns = 100 * MEND_LEASE_MS, .start_ns = 30000 * MEND_LEASE_MS, .drift_ppm = 1000,       \
        .slack_ns = 200 * MEND_LEASE_MS                                                            \
    }

/* How long d of another's clock may take by one's own: d(1+ρ)/(1-ρ), rounded up. */
static inline mend_time_ns mend_lease_stretch(mend_time_ns d, uint32_t drift_ppm)
{
    uint64_t slow = 1000000 - drift_ppm;

    return d + (d * 2 * drift_ppm + slow - 1) / slow;
}

enum mend_lease_word {
    MEND_LEASE_BEAT = 1, /* of the child */
    MEND_LEASE_GRANT,    /* to BEAT `number`: d_ns from its sending */
    MEND_LEASE_REFUSE,   /* to BEAT `number`: this incarnation was declared lost */
};

/* How often an agent was started for a node, and how often that agent has turned to another parent; 1 is the first of each. */
struct mend_lease_turn {
    uint32_t incarnation;
    uint32_t turn; /* 0: none */
};

struct mend_lease_msg {
    uint8_t word; /* enum mend_lease_word */
    int32_t node; /* the child, always, and its turn */
    struct mend_lease_turn turn;
    uint64_t number; /* of the beat; 1 is the first of an incarnation, and none comes twice */
    mend_time_ns d_ns;
    uint64_t
        heard; /* BEAT: the last one that was answered, as far as the child has heard; 0: none */
};

/* ---- the child's end: what this node has been granted ---- */

enum mend_lease_state { MEND_LEASE_NONE, MEND_LEASE_HELD, MEND_LEASE_OVER };

enum mend_lease_event_kind {
    MEND_LEASE_EV_TICK,   /* only the time has changed */
    MEND_LEASE_EV_LINKED, /* there is a connection to `parent`; the one before is not used any more */
    MEND_LEASE_EV_UNLINKED, /* it has ended, and there is no other */
    MEND_LEASE_EV_HEARD,    /* msg, over this connection or an old one */
};

struct mend_lease_event {
    enum mend_lease_event_kind kind;
    mend_time_ns now; /* never goes back; read before the beat of this step is sent */
    int32_t parent;
    const struct mend_lease_msg *msg;
};

/* What is to be done, after each step. */
struct mend_lease_out {
    bool beat; /* send `msg` over the connection */
    bool seek; /* call another parent, or this one again; meanwhile the connection is used on */
    bool over; /* end everything on this node, at once */
    struct mend_lease_msg msg;
    mend_time_ns fence; /* the timer that ends everything; 0: nothing of the program may run yet */
    mend_time_ns wake_at; /* when a TICK is wanted, or MEND_TIME_NEVER */
};

struct mend_lease {
    struct mend_lease_config config;
    int32_t node, parent; /* parent: that the last connection led to */
    struct mend_lease_turn turn;
    uint8_t state; /* enum mend_lease_state; written by become() only */
    bool linked;
    uint32_t sent_n; /* length of sent[] */
    uint64_t number,
        heard; /* of the last beat, and of the last one that was answered; 0: there was none */
    mend_time_ns now, began, until, beat_at, linked_at; /* until: the lease's end */
    mend_time_ns sent[]; /* of beat n at n % sent_n: older ones than those of one L cannot help */
};

/* Bytes for that config. */
size_t mend_lease_size(const struct mend_lease_config *config);

/* Prepares the caller's memory, aligned to 8, for an agent whose first parent expects it. */
void mend_lease_init(struct mend_lease *x, const struct mend_lease_config *config, int32_t node,
                     uint32_t incarnation, int32_t parent, mend_time_ns now);

/* The one transition function. */
void mend_lease_step(struct mend_lease *x, const struct mend_lease_event *ev,
                     struct mend_lease_out *out_p);

/* What is left to hand on to children, by a time read after their beat was received.  The root has MEND_TIME_NEVER instead. */
mend_time_ns mend_lease_left(const struct mend_lease *x, mend_time_ns now);

void mend_lease_check(const struct mend_lease *x);

/* ---- the parent's end: a child, as this node has it ---- */

enum mend_lease_child_state {
    MEND_LEASE_CHILD_ABSENT,   /* it is another's; may ask to be adopted */
    MEND_LEASE_CHILD_EXPECTED, /* its first beat is to come; how long, the start of the job decides */
    MEND_LEASE_CHILD_HELD,     /* has a lease from here, or from one before */
    MEND_LEASE_CHILD_REPORTED, /* the root has been told that it is lost; it gets nothing more */
    MEND_LEASE_CHILD_DECLARED, /* so says the verdict */
};

enum mend_lease_child_event_kind {
    MEND_LEASE_CHILD_EV_TICK,
    MEND_LEASE_CHILD_EV_BEAT,    /* msg, over any connection that it has proved to be its own */
    MEND_LEASE_CHILD_EV_ADOPTED, /* the root's yes for `turn` */
    MEND_LEASE_CHILD_EV_DECLARED, /* the verdict on turn.incarnation; also the root's no that says so */
    MEND_LEASE_CHILD_EV_RESUMED, /* another process has answered for this one until now */
};

struct mend_lease_child_event {
    enum mend_lease_child_event_kind kind;
    mend_time_ns now; /* never goes back; read *after* the beat was received */
    mend_time_ns
        left; /* BEAT, ADOPTED: mend_lease_left() for this now; the root: MEND_TIME_NEVER */
    const struct mend_lease_msg *msg;
    struct mend_lease_turn turn;
};

/* What is to be done, after each step, in this order. */
struct mend_lease_child_out {
    struct mend_lease_turn lost; /* tell the root: it is lost, and all whose leases came from it */
    struct mend_lease_turn ask;  /* ask the root whether it may be adopted */
    bool say;                    /* send `msg` to the child, if there is a connection */
    struct mend_lease_msg msg;
    mend_time_ns wake_at; /* when a TICK is wanted, or MEND_TIME_NEVER */
};

struct mend_lease_child {
    mend_time_ns lease_ns;
    uint32_t drift_ppm;
    int32_t node;
    struct mend_lease_turn turn, asked;  /* that it is a child by; that the root was asked about */
    uint8_t state;                       /* enum mend_lease_child_state; written by become() only */
    uint64_t number;                     /* of the last beat of what was asked */
    uint64_t heard;                      /* as the child has said last */
    mend_time_ns now, lost_at, asked_at; /* lost_at: 0: no lease is counted */
    mend_time_ns slack_ns, heard_at;     /* heard_at: when it has shown that it hears */
};

/* Prepares the entry of a child: expected, with the first turn of its incarnation, or another's. */
void mend_lease_child_init(struct mend_lease_child *x, const struct mend_lease_config *config,
                           int32_t node, uint32_t incarnation, bool expected, mend_time_ns now);

void mend_lease_child_step(struct mend_lease_child *x, const struct mend_lease_child_event *ev,
                           struct mend_lease_child_out *out_p);

void mend_lease_child_check(const struct mend_lease_child *x);

/* One line into buf, as snprintf (print.c). */
int mend_lease_print(const struct mend_lease *x, char *buf, size_t size);
int mend_lease_child_print(const struct mend_lease_child *x, char *buf, size_t size);
int mend_lease_msg_print(const struct mend_lease_msg *msg, char *buf, size_t size);

#endif
