/* SPDX-License-Identifier: BSD-3-Clause */
/* ledger_sm.h – which entry of the log a proposal becomes, if any.
 *
 * The ledger knows every process by name: its agent, and whether it lives, has left MPI, or is dead.
 *
 *              DEATHS, LOST
 *    LIVING ───────────────────────────────────────> DEAD
 *     │ ^ │                                            ^
 *  LEFT│ BACK                                          │ the others of its abort are dead or have left, or TIMEOUT
 *     v │ └── DEATHS, LOST while others of its abort live ──> HELD
 *    LEFT ── ENDED ──> DEAD
 *
 * A death that the log has is not repeated.  What dies together is one entry: the processes of a report, and all
 * processes of a lost agent that had not left.
 *
 * An abort: ABORT is an entry, and with it each agent kills those of the victims that are its own, and reports them.
 * Those that are reported dead are held until the last one is, and then they are one entry.  A report of which
 * one process is a victim is held with the victims, and so are the processes of a lost agent with one: a set that is reported as one is
 * never divided.  Two aborts with a member in common are one.  A victim that has left MPI is not waited for.  TIMEOUT
 * lets go of those that are held; those that still live remain victims.
 *
 * Such an entry is of kind LOST if a lost agent waited for it; if several did, each of the others has a LOST without
 * processes behind it.
 *
 *   transition              function (ledger_sm.c)
 *   (new) → LIVING          on_names
 *   LIVING ↔ LEFT → DEAD    on_move
 *   LIVING → DEAD           die, from on_deaths and on_lost
 *   LIVING → HELD → DEAD    die, release
 *
 * Invariants, asserted in mend_ledger_check():
 *   1  a process is due for an entry only while the ledger has one due;
 *   2  a process that is held belongs to an abort, and when nothing is due a process that lives belongs to it, too;
 *   3  `left` of an abort counts its members that live;
 *   4  a lost agent has no process that lives. */
#ifndef MEND_FT_LEDGER_SM_H
#define MEND_FT_LEDGER_SM_H

#include "ft/fact.h"

enum mend_ledger_state {
    MEND_LEDGER_UNKNOWN = 0,
    MEND_LEDGER_LIVING,
    MEND_LEDGER_LEFT,
    MEND_LEDGER_HELD,
    MEND_LEDGER_DEAD,
};

enum mend_ledger_event_kind {
    MEND_LEDGER_PROPOSED, /* fact: a sound one */
    MEND_LEDGER_TIMEOUT,  /* name: a victim; its abort has taken too long */
};

struct mend_ledger_event {
    enum mend_ledger_event_kind kind;
    int32_t name;
    const struct mend_fact *fact;
};

/* What became of a proposal. */
enum mend_ledger_answer {
    MEND_LEDGER_ENTRY, /* it is due as an entry */
    MEND_LEDGER_KEPT,  /* what it says will be in an entry later */
    MEND_LEDGER_VOID,  /* it says nothing new */
};

struct mend_ledger_name {
    int32_t agent;
    int32_t abort; /* the name of a member of the abort that ends it; -1: none */
    int32_t left;  /* of the abort of this name: members that live */
    int32_t cause, code;
    uint8_t state; /* enum mend_ledger_state; written by become() only */
    bool due;      /* in the entry that is due */
};

struct mend_ledger_agent {
    uint64_t seq;   /* of its last proposal that counts */
    int32_t victim; /* lost: a process of it that is held; -1: none */
    bool lost;      /* nothing of it counts any more */
};

struct mend_ledger {
    int32_t root, agents_n, names_n;
    int32_t first, end;   /* names that are due are among these */
    struct mend_fact due; /* runs_n is not known yet */
    bool has_due;
    bool closes;       /* an abort may be complete */
    int32_t waiting_n; /* lost agents that the log does not name yet */
    uint64_t store[];  /* agents, names */
};

/* Bytes for a job of so many agents and names, with those that may still come. */
size_t mend_ledger_size(int32_t agents_n, int32_t names_n);

/* Prepares the caller's memory, aligned to 8, at agent `root`. */
void mend_ledger_init(struct mend_ledger *x, int32_t root, int32_t agents_n, int32_t names_n);

/* The one transition function.  Nothing may be due. */
enum mend_ledger_answer mend_ledger_step(struct mend_ledger *x, const struct mend_ledger_event *ev);

/* Whether an entry is due, and how many runs it has. */
bool mend_ledger_due(const struct mend_ledger *x, uint32_t *runs_n_p);

/* Writes it to f, which has room for its runs.  Another may be due then. */
void mend_ledger_take(struct mend_ledger *x, struct mend_fact *f);

struct mend_ledger_agent *mend_ledger_agent(const struct mend_ledger *x, int32_t agent);
const struct mend_ledger_name *mend_ledger_name(const struct mend_ledger *x, int32_t name);

/* Asserts all invariants.  O(agents_n + names_n). */
void mend_ledger_check(const struct mend_ledger *x);

/* One line into buf, as snprintf. */
int mend_ledger_print(const struct mend_ledger *x, char *buf, size_t size);

#endif
