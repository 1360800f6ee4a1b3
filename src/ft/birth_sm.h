/* SPDX-License-Identifier: BSD-3-Clause */
/* birth_sm.h – what a process does next when new processes join a job (MPI_Comm_spawn), at each of those involved.
 *
 *   root     ASK ──> NAME ──> TELL ──> BRIDGE ──> MEET ──> END    its agent; that of other jobs; its group; the first
 *             │       │ no     │ no                         ^      child; everybody
 *             │       v        v                            │
 *             │      TELL ──> BRIDGE ──> LEAVE ─────────────┤      its group will not come, or must not
 *             └────> TELL ──────────────────────────────────┘      no process was started
 *   parent                    TELL ────────────> MEET ──> END
 *   first child                       BRIDGE ──> MEET ──> END
 *   child                                        MEET ──> END
 *
 * The machine says which act is next, its caller carries that out and says how it ended:
 *
 *   ASK      the agent starts the processes, or none of them (starter_sm.h)
 *   NAME     it tells the agents of the other jobs in the group of them, which give them names and places, or it cannot
 *   TELL     the root tells its group how that ended; not all need hear it if one dies
 *   BRIDGE   the root and the first child find each other
 *   MEET     all of both groups agree on the intercommunicator; a leader without a bridge, or with one over which
 *            it hears a no, tells its group
 *   LEAVE    the root tells the first child over the bridge that its group will not come
 *
 * The children are in MPI_Init until END, so if the agreement of MEET says no, no program has seen the
 * intercommunicator (S0-38).
 *
 *   transition            function (birth_sm.c)
 *   ASK → NAME, TELL      asked
 *   NAME → TELL           mend_birth_step
 *   TELL → BRIDGE, END    told_root
 *   TELL → MEET, END      told_parent
 *   BRIDGE → MEET, LEAVE, END   bridged
 *   MEET, LEAVE → END     mend_birth_step
 *
 * Invariants, asserted in mend_birth_check():
 *   1  only the root asks, names, or leaves; a parent never builds a bridge, a child is never told;
 *   2  a process that leaves has an error;
 *   3  a result is there only in END. */
#ifndef MEND_FT_BIRTH_SM_H
#define MEND_FT_BIRTH_SM_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mend_birth_role {
    MEND_BIRTH_ROOT,
    MEND_BIRTH_PARENT, /* another process of the group that asks */
    MEND_BIRTH_FIRST,  /* the first of the new ones */
    MEND_BIRTH_CHILD,
};

enum mend_birth_act {
    MEND_BIRTH_ASK,
    MEND_BIRTH_NAME,
    MEND_BIRTH_TELL,
    MEND_BIRTH_BRIDGE,
    MEND_BIRTH_MEET,
    MEND_BIRTH_LEAVE,
    MEND_BIRTH_END,
};

/* How the act ended.  Errors are the caller's, 0: none. */
struct mend_birth_event {
    int32_t error;
    int32_t told; /* TELL, at a parent: what the root said, if there was no error */
};

struct mend_birth {
    uint8_t role;    /* enum mend_birth_role */
    uint8_t act;     /* enum mend_birth_act: what is to be done; written by become() only */
    uint8_t started; /* root: the processes were, and wait for it */
    int32_t error;   /* why this side cannot come; at a leader what MEET, LEAVE and TELL say */
    int32_t result;  /* END: 0, or the error of the call */
};

/* own_error: why the root does not even ask, 0 at all others. */
void mend_birth_init(struct mend_birth *x, enum mend_birth_role role, int32_t own_error);

/* The one transition function: the act ended so.  x->act is the next one. */
void mend_birth_step(struct mend_birth *x, const struct mend_birth_event *ev);

/* Asserts all invariants. */
void mend_birth_check(const struct mend_birth *x);

/* One line into buf, as snprintf. */
int mend_birth_print(const struct mend_birth *x, char *buf, size_t size);

#endif
