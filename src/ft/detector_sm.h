/* SPDX-License-Identifier: BSD-3-Clause */
/* detector_sm.h – the node agent's decision which processes of its node are dead.
 *
 * Only this machine decides.  Reports from ranks are suspicions.  A suspicion of a process that the kernel shows to be
 * alive is refused (S3-10); any other leads to a kill.  Only the certainty of death (the life word, waitpid, or the
 * confirmation of a kill by another) leads to a verdict: kill first, then report (S3-5..8).  So a report is true when
 * it is made, and a process that was suspected by mistake never meets a process that believes it dead.
 *
 *              FINALIZED                     LIFE, EXITED, CONFIRMED
 *    RUNNING ─────────────────> FINALIZED ─────────────────────────────> ENDED   (has not failed)
 *     │ ^ │  │                     ^
 *     │ │ │  └── LIFE, EXITED, CONFIRMED ───────────────┐
 *  STOPPED│                        │                    v
 *     │ RESUMED                    │ FINALIZED         DEAD   (declared once; may be explained once)
 *     v │ │ SUSPECT, ABORT         │                    ^
 *  SUSPECTED ────────────────> KILLING ─────────────────┤
 *            too long, SUSPECT,    │      LIFE, EXITED, CONFIRMED
 *            ABORT                 │                    │ the others are dead, or took too long
 *                                  └─────────────────> HELD
 *                                    the same, while others of its abort live
 *
 *    A process that lives may take FINALIZED back (RETURNED): then it is RUNNING again, and SUSPECTED if it was LINGERING.
 *
 *               STOPPED; FINALIZED of one that is SUSPECTED
 *    FINALIZED ─────────────────────────────────────────────> LINGERING ──────> ENDED
 *              <───────────────────────────────────────────── RESUMED
 *
 * A process with several threads is dead when all of them are (R28): the life word is that of its main thread.  So
 * LIFE while it has others leads to KILLING, too, and the agent tells of the end of the last by CONFIRMED.  A
 * process whose kill is pending and that does not die, because a system call of its holds it, executes nothing of
 * the program any more: after `undying_ns` it is dead (R27).
 *
 *   transition                             function (detector_sm.c)
 *   RUNNING ↔ SUSPECTED                    on_stopped, on_resumed
 *   RUNNING, SUSPECTED → KILLING           condemn (from on_suspect, on_abort, on_time, on_life)
 *   RUNNING, SUSPECTED, KILLING → FINALIZED on_finalized
 *   RUNNING, SUSPECTED, KILLING → DEAD     on_certain (from on_time_killing, too)
 *   KILLING → HELD → DEAD                  on_certain, declare_held
 *   FINALIZED, LINGERING → ENDED           on_certain
 *   FINALIZED ↔ LINGERING                  on_stopped, on_resumed
 *   SUSPECTED → LINGERING                  on_finalized
 *   FINALIZED → RUNNING                    on_returned
 *   LINGERING → SUSPECTED                  on_returned
 *
 * One that is stopped after it has left MPI fails nobody, but the job could not end: it is killed after the same
 * time, and ends as any other that has left.
 *
 * Processes that one abort ends are declared in one step, because the others must see all of them dead or none: a
 * shrink must not keep a half of them.  The verdict on those that die first is held.  That takes no longer than the
 * slowest death, which for a process that can be killed is a matter of getting a core; one that cannot (it
 * sleeps in the kernel, a debugger holds it) keeps the survivors waiting for the others, so `hold_ns` is the
 * limit.  After each such time the dead are declared without it.  Two aborts with a member in common
 * are one.
 *
 * How long a stopped process may stay so adapts in two ways.  Time counts only while the agent was
 * seen running itself: it asks to be woken in small slices, and of a longer gap only two slices
 * count, so a suspended job or machine is not mistaken for dead ranks.  And a process that came back
 * in time once is given twice that time from then on, up to a limit.
 *
 * Invariants:
 *   1  a verdict is given only in DEAD, and DEAD is entered only by on_certain() (become());
 *   2  per process there is at most one verdict, and at most one explanation after it (emit());
 *   3  a process that said "finalized" while it lived, and has not taken it back, is never declared (become());
 *   4  KILL precedes the verdict whenever we are its reason (condemn());
 *   5  `nwaiting` counts SUSPECTED, KILLING and LINGERING (mend_detector_check());
 *   6  all output of a step is fetched before the next step (mend_detector_step());
 *   7  `left` of an abort counts its members in KILLING, and is not 0 while one is HELD, so a
 *      member that is held has another whose time counts (mend_detector_check()). */
#ifndef MEND_FT_DETECTOR_SM_H
#define MEND_FT_DETECTOR_SM_H

#include "ft/verdict.h"

enum mend_detector_state {
    MEND_DETECTOR_RUNNING = 0,
    MEND_DETECTOR_SUSPECTED,
    MEND_DETECTOR_KILLING,
    MEND_DETECTOR_HELD,
    MEND_DETECTOR_FINALIZED,
    MEND_DETECTOR_LINGERING,
    MEND_DETECTOR_DEAD,
    MEND_DETECTOR_ENDED,
};

enum mend_detector_event_kind {
    MEND_DETECTOR_EV_TICK,      /* only the time has changed */
    MEND_DETECTOR_EV_LIFE,      /* the kernel marked the life word of peer; `others` */
    MEND_DETECTOR_EV_EXITED,    /* waitpid: `code` is the exit status, or the signal if signaled */
    MEND_DETECTOR_EV_CONFIRMED, /* somebody else (cgroup, lease) vouches that peer is dead */
    MEND_DETECTOR_EV_STOPPED,   /* waitpid: stopped by a signal; or it does not answer */
    MEND_DETECTOR_EV_RESUMED,   /* waitpid: continued; or it answers again */
    MEND_DETECTOR_EV_SUSPECT,   /* rank `code` has trouble with peer; refused unless `ending` */
    MEND_DETECTOR_EV_ABORT,     /* `peers` shall end with the abort code `code` (S4) */
    MEND_DETECTOR_EV_FINALIZED, /* peer has left MPI.  Look for this before reporting LIFE */
    MEND_DETECTOR_EV_RETURNED,  /* peer is in MPI again.  Look for this, too */
};

struct mend_detector_event {
    enum mend_detector_event_kind kind;
    mend_time_ns now; /* never goes back */
    int32_t peer;     /* index of a process of this node */
    int32_t code;
    bool signaled;
    bool ending; /* SUSPECT: the kernel shows that it ends */
    bool others; /* LIFE: it has threads that may go on for a while: CONFIRMED will follow */
    const int32_t *peers; /* ABORT */
    int32_t npeers;
};

enum mend_detector_action_kind {
    MEND_DETECTOR_KILL,    /* SIGKILL it */
    MEND_DETECTOR_CLEAR,   /* it was suspected and is not any more */
    MEND_DETECTOR_DECLARE, /* it is dead: tell everybody */
    MEND_DETECTOR_EXPLAIN, /* the true reason of a death declared before */
    MEND_DETECTOR_END,     /* it ended properly */
    MEND_DETECTOR_ACTIONS
};

struct mend_detector_action {
    enum mend_detector_action_kind kind;
    struct mend_verdict verdict; /* .peer always; the rest for DECLARE and EXPLAIN */
};

struct mend_detector_config {
    mend_time_ns stop_ns;     /* a stopped process is killed after this time */
    mend_time_ns stop_max_ns; /* ... which grows to at most this for one that comes and goes */
    mend_time_ns kill_ns;     /* a kill without effect is repeated after this time */
    mend_time_ns hold_ns;     /* the dead of an abort wait so long for the others of it */
    mend_time_ns undying_ns;  /* whose kill is pending for so long is dead (R27) */
};

struct mend_detector_peer {
    uint8_t state;         /* enum mend_detector_state; written by become() only */
    uint8_t due;           /* set of actions to be fetched */
    bool reaped;           /* waitpid has reported it */
    bool pending;          /* our kill has reached it; written by mend_detector_delivered() */
    int32_t cause, code;   /* why we kill it, or why it died */
    int32_t next;          /* in the list of peers with actions, -1: last */
    int32_t abort;         /* names the abort that ends it: a member of it; -1: none */
    int32_t left;          /* of the abort of this name: members that are not dead yet */
    mend_time_ns waited;   /* time that counted since it is SUSPECTED, KILLING or LINGERING */
    mend_time_ns since;    /* what `waited` was when our kill reached it */
    mend_time_ns patience; /* allowed in SUSPECTED and LINGERING */
    mend_time_ns when;     /* of its death */
};

struct mend_detector {
    int32_t n, nwaiting;
    int32_t first, last; /* list of peers with actions */
    mend_time_ns now;
    struct mend_detector_config config;
    struct mend_detector_peer peer[];
};

/* Bytes for an agent with n processes. */
size_t mend_detector_size(int32_t n);

/* Prepares the caller's memory, aligned to 8; all n processes are running. */
void mend_detector_init(struct mend_detector *x, int32_t n,
                        const struct mend_detector_config *config, mend_time_ns now);

/* One more process, which is running; the caller's memory has room for it. */
void mend_detector_add(struct mend_detector *x);

/* The one transition function; afterwards call mend_detector_next() until it returns false.
 * *wake_at_p: when a TICK is wanted, or MEND_TIME_NEVER.  O(1) unless somebody is suspected. */
void mend_detector_step(struct mend_detector *x, const struct mend_detector_event *ev,
                        mend_time_ns *wake_at_p);

/* The KILL that was just fetched has reached the process: from now on the signal is pending. */
void mend_detector_delivered(struct mend_detector *x, int32_t peer);

/* The next thing to do. */
bool mend_detector_next(struct mend_detector *x, struct mend_detector_action *action_p);

/* Asserts all invariants.  O(n). */
void mend_detector_check(const struct mend_detector *x);

/* One line into buf, as snprintf. */
int mend_detector_print(const struct mend_detector *x, char *buf, size_t size);

#endif
