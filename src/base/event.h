/* SPDX-License-Identifier: BSD-3-Clause */
/* event.h – the names of event.def as an enum, and the hook that makes them act.
 *
 * `mend_event(self, MEND_EV_X)` is one load and a branch that is never taken unless the launcher's
 * --inject or --trace asked for events. */
#ifndef MEND_BASE_EVENT_H
#define MEND_BASE_EVENT_H

#include "base/status.h"

enum mend_event_id {
#define MEND_EVENT_DEF(sym_, name_, what_) MEND_EV_##sym_,
#include "base/event.def"
#undef MEND_EVENT_DEF
    MEND_EV_COUNT
};

/* What shall happen at an event.  A specification is ACTION[:ARG]@PLACE[#N] after the rank was
 * taken off: "kill@p2p.send.rts#3" (the third time), "stop@call:MPI_Send#10", "abort:7@time:50ms",
 * "kill@in:MPI_Barrier:1,3" (when ranks 1 and 3 wait in that call).
 * "kill@call:MPI_Ibcast#2>coll.round#3": an event is counted from a call on. */
enum mend_inject_action {
    MEND_INJECT_KILL,
    MEND_INJECT_STOP,
    MEND_INJECT_ABORT,
    MEND_INJECT_NOTE, /* only tell the launcher */
    MEND_INJECT_CONT  /* SIGCONT, for which the program waits */
};
enum mend_inject_at {
    MEND_INJECT_AT_EVENT,
    MEND_INJECT_AT_CALL,
    MEND_INJECT_AT_TIME, /* here and at AT_WAIT the agent acts */
    MEND_INJECT_AT_WAIT
};

struct mend_inject {
    enum mend_inject_action action;
    enum mend_inject_at at;
    enum mend_event_id event; /* AT_EVENT */
    char call[64];            /* AT_CALL, AT_WAIT: the function's name; AT_EVENT: that of `calls` */
    char waiters[64];         /* AT_WAIT: a list of ranks */
    uint64_t calls;           /* AT_EVENT: calls to come before the event is counted */
    uint64_t countdown;       /* AT_EVENT, AT_CALL: acts when it reaches 0 */
    mend_time_ns delay_ns;    /* AT_TIME: after the start of the job */
    int arg;                  /* ABORT: the code */
    char why[160];            /* what *why_p points to where the reason names something */
};

/* The event of that name, or MEND_EV_COUNT. */
enum mend_event_id mend_event_find(const char *name);

/* A function of the standard, or of the headers beside it, is called so (not PMPI_). */
bool mend_event_call_exists(const char *name);

/* Reads one specification without its rank.  False: *why_p tells in words what is wrong, with the nearest
 * name that exists; valid as long as *inject_p. */
bool mend_event_parse_inject(const char *spec, struct mend_inject *inject_p, const char **why_p);

/* Process-wide list of what to do, NULL-terminated by n; lives in mend_proc. */
struct mend_events {
    struct mend_inject *injects;
    unsigned injects_n;
    bool trace;     /* one line per event on standard error */
    uint64_t *hits; /* MEND_EV_COUNT counters, in the agent's view if mapped */
    void (*act)(struct mend_events *, struct mend_inject *); /* kills, stops, aborts; sim's own */
};

/* Slow path of mend_event(). */
void mend_event_hit(struct mend_events *events, enum mend_event_id id);

/* A call of the MPI function fn begins; used by mend_enter(). */
void mend_event_call(struct mend_events *events, const char *fn);

#endif
