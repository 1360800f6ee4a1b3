/* SPDX-License-Identifier: BSD-3-Clause */
/* event.h – events of tools (MPI-5.0 15.3.8).
 *
 *   an occurrence ── for each registration of its type ──> an instance in the queue ── mend_tell() ──> the callback
 *                       │ no callback: nobody wants it
 *                       └ no memory: counted as dropped ──────────────────────────> the dropped handler
 *
 * A registration has a callback for each level of safety.  In a restricted place the one with the lowest level that
 * suffices is called; if there is only one for MPI_T_CB_REQUIRE_NONE, the instance stays until the process is in a
 * free place.  So an event is told once, in the order of the source.
 *
 * Invariants:
 *   1  untold_n of the process is the number of instances in the queue and of registrations with dropped ones;
 *   2  one instance at a time is being told, and while it is, it and its registration stay;
 *   3  a registration that is freed gets no more calls but that of the free callback, which is the last. */
#ifndef MEND_TOOL_EVENT_H
#define MEND_TOOL_EVENT_H

#include "tool/tool.h"

#include "proc/occurrence.h"

/* The data of the events.  rank: in MPI_COMM_WORLD, MPI_UNDEFINED for a process of another one; process: its number in
 * the job; number: of the verdict, from 0; verdict_ns: when it was given, as timestamps of the source; context: names
 * the communicator in reports. */
struct mend_tool_failure {
    int rank, process, cause, code, number;
    unsigned long long verdict_ns;
};
struct mend_tool_told {
    int rank, process;
};
struct mend_tool_revocation {
    unsigned long long context;
    int size;
};
struct mend_tool_agreement {
    unsigned long long context;
    int size, purpose, failed;
};
union mend_tool_data {
    struct mend_tool_failure failure;
    struct mend_tool_told told;
    struct mend_tool_revocation revocation;
    struct mend_tool_agreement agreement;
};

struct mend_tool_element {
    MPI_Datatype type;
    size_t offset, size;
};

#define MEND_TOOL_ELEMENTS_MAX 8

struct mend_tool_event {
    const char *name, *what;
    enum mend_occurrence_kind kind;
    int bind;
    const struct mend_tool_enum *words; /* names of the elements */
    size_t size;
    int elements_n;
    struct mend_tool_element elements[MEND_TOOL_ELEMENTS_MAX];
};

enum {
#define MEND_EVENT(name_, kind_, bind_, struct_, words_, what_, elements_) MEND_TOOL_EVENT_##name_,
#include "tool/event.def"
#undef MEND_EVENT
    MEND_TOOL_EVENTS
};
extern const struct mend_tool_event mend_tool_event_list[MEND_TOOL_EVENTS];

#define MEND_TOOL_LEVELS 4

/* The number of a level of safety, from MPI_T_CB_REQUIRE_NONE on; -1: it is none. */
int mend_tool_level_of(MPI_T_cb_safety safety);

struct mend_tool_callback {
    MPI_T_event_cb_function *call; /* NULL: none */
    void *user_data;
};

struct mend_tool_registration {
    struct mend_tool_object base;
    struct mend_list link; /* in mend_tool.registrations */
    int index;             /* of the event type */
    const struct mend_comm *comm;
    mend_ctx ctx;
    struct mend_tool_callback callbacks[MEND_TOOL_LEVELS];
    MPI_T_event_dropped_cb_function *on_dropped;
    MPI_Count dropped_n;
    bool busy; /* one of its callbacks runs */
    bool freed;
    MPI_T_event_free_cb_function *on_freed;
    void *free_data;
};

struct mend_tool_instance {
    struct mend_tool_object base;
    struct mend_list link; /* in mend_tool.queue */
    struct mend_tool_registration *of;
    mend_time_ns when_ns;
    union mend_tool_data data;
};

/* c: what it is bound to, NULL: nothing.  NULL: no memory. */
struct mend_tool_registration *mend_tool_register(struct mend_tool *t, int index,
                                                  struct mend_comm *c);

/* call NULL: this level has none any more. */
void mend_tool_set_callback(struct mend_tool_registration *r, int level,
                            MPI_T_event_cb_function *call, void *user_data);

/* Events that it has not been told are dropped silently.  on_freed (may be NULL) is called when none of its callbacks
 * runs, which may be now. */
void mend_tool_unregister(struct mend_tool *t, struct mend_tool_registration *r,
                          MPI_T_event_free_cb_function *on_freed, void *user_data);

/* All of them, when the interface is finalized. */
void mend_tool_unregister_all(struct mend_tool *t);

#endif
