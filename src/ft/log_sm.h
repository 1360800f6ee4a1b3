/* SPDX-License-Identifier: BSD-3-Clause */
/* log_sm.h – one log of facts for the agents of a job, in one order.
 *
 *                 root          numbers the entries: 1, 2, ...
 *               ^  │   │        ^ UP: proposals; "all of us have entry k"
 *            UP │  │   │        v DOWN: entries, in order
 *               │  v   v
 *               a       b      each agent applies entry k + 1 behind entry k
 *             ^ │       ^ │
 *             │ v       │ v
 *              c         d
 *
 * A machine is one agent.  Its caller proposes facts, carries messages between neighbours, and is told which entry to apply
 * next.  The root asks its ledger (ledger_sm.h) what a proposal comes to.  A job whose root is alone sends nothing, and
 * what it proposes is applied in the same step.  The root never changes: a job ends with it.
 *
 * The tree is repaired by the caller.  It says who the parent is (PARENT), also when a connection to the same one is made again;
 * the child says how many entries it has and is sent the rest.
 *
 *   a child   (unknown) ── EXPECT ──> AWAITED ── UP that joins ──> OPEN ── LOST ──> AWAITED ── SETTLED ──> (unknown)
 *             (unknown) ── UP that joins, if nothing that it lacks has been dropped ──> OPEN
 *
 * Entries are kept until every agent below has said, through its parent, that it has them.  When a child is lost, what it
 * had said last counts on until SETTLED: those that were below it, or their own children if they are lost, too, join in its place
 * then.  So the new parent of an agent is a living agent that was above its old one, for example the nearest.
 * What only agents that are lost have proposed may be missing.  So who says SETTLED proposes the loss of those that did not come.
 *
 * An agent proposes again what it has not seen in the log when it joins a parent, and when it is asked.  Each agent that has
 * joined a parent asks its children, which ask theirs: what has been lost with the old parent is said once more.
 * The root takes the proposals of one agent in their order and each once: each says which one is before it.  What is in the
 * log, or is void because of an entry that its agent will see, is taken back by the agent that has proposed it.
 *
 * Memory is what mend_log_size() says.  An agent that has no room for an entry drops it, asks its children to say what
 * they have, and joins its parent again when there is room.  A root that has no room drops proposals, and asks for them
 * then.  Proposals have room as long as mend_log_has_room() says so; until then the caller keeps its fact, and
 * asks again after the next entry.
 *
 * Messages between two neighbours arrive in order, each once, until one of them dies or their connection ends.
 *
 * Invariants, asserted in mend_log_check():
 *   1  entries are applied in order, each once (mend_log_next());
 *   2  the entries that are kept are those behind `gone`, up to `have`; nothing is dropped before it is applied and each child
 *      has said that all below it have it;
 *   3  `min` never gets less: what was said to the parent stays true (join());
 *   4  proposals have ascending numbers, and each of them says something that the log has not said;
 *   5  only the root has a ledger, and no parent. */
#ifndef MEND_FT_LOG_SM_H
#define MEND_FT_LOG_SM_H

#include "ft/fact.h"
#include "ft/ledger_sm.h"

#define MEND_LOG_NOBODY (-1)

struct mend_log_config {
    int32_t me, root;          /* agents */
    int32_t agents_n, names_n; /* with those that may still come; the same at all agents */
    uint32_t children_max;     /* at a time, with those that are awaited */
    uint32_t entries_words;    /* at least mend_fact_words(names_n) */
    uint32_t proposals_words;  /* at least mend_fact_words(1) */
    uint32_t batch_words;      /* of a message; one fact may be longer */
    uint32_t entries_per_ack;  /* 1: an agent says at once what it has */
    uint64_t have;             /* entries that the caller has applied already */
};

enum mend_log_event_kind {
    MEND_LOG_PROPOSE, /* what, runs: a fact; there is room for it */
    MEND_LOG_HEARD,   /* from agent: msg */
    MEND_LOG_PARENT,  /* it is agent, and it can be reached */
    MEND_LOG_EXPECT,  /* agent will join here, and has `have` entries */
    MEND_LOG_LOST,    /* agent, a neighbour: nothing comes from it or reaches it */
    MEND_LOG_SETTLED, /* agent was lost: all living agents that were below it have joined others */
    MEND_LOG_TIMEOUT, /* root; name, a victim: its abort takes too long.  Repeated until the log has its death */
};

/* A message is UP or DOWN by its direction. */
struct mend_log_msg {
    bool down;
    bool joins;      /* UP: send me what is behind `number` */
    bool again;      /* DOWN: propose again */
    bool press;      /* DOWN: say soon what you have */
    uint64_t number; /* UP: entries that the sender has; DOWN: of the first in the message */
    uint64_t min;    /* UP: entries that all below it have, too */
    uint32_t facts_n;
    const uint64_t *facts; /* one behind the other */
};

struct mend_log_event {
    enum mend_log_event_kind kind;
    int32_t agent, name;
    uint64_t have;
    const struct mend_log_msg *msg;
    struct mend_fact what; /* kind, context, agent, runs_n; the rest is the machine's */
    const struct mend_fact_run *runs;
};

enum mend_log_act_kind {
    MEND_LOG_APPLY, /* entry `number` */
    MEND_LOG_PASS,  /* to agent: msg, with the facts of the message that was heard */
    MEND_LOG_REFUSE, /* agent lacks entries that are gone: end its connection; it can go on nowhere */
};

struct mend_log_act {
    enum mend_log_act_kind kind;
    int32_t agent;
    uint64_t number;
    const struct mend_fact *entry; /* valid until the next call */
    struct mend_log_msg msg;
};

struct mend_log_child {
    int32_t agent;
    bool open;         /* else it is awaited */
    bool again, press; /* to be said */
    uint64_t min;      /* entries that all below it have */
    uint64_t sent;     /* entries that it has, or will have by what was sent */
    uint32_t at; /* words from the oldest entry to the one behind these; UINT32_MAX: not known */
};

struct mend_log {
    struct mend_log_config config;
    int32_t parent; /* MEND_LOG_NOBODY: none */
    uint32_t children_n;
    bool joins;          /* to be said to the parent */
    bool rejoined;       /* was said; what comes now may have been sent before it was heard */
    bool thirsty;        /* something was dropped because there was no room */
    bool ended;          /* the log says that this agent is lost */
    bool pass;           /* to be done: the proposals that were heard go on */
    int32_t refused;     /* to be done; MEND_LOG_NOBODY: nothing */
    uint32_t applied_at; /* words from the oldest entry to the one behind `applied` */
    uint64_t have, applied, gone; /* entries: that are here; of them: applied, dropped */
    uint64_t min, told;           /* that all below have; what the parent knows of that */
    uint64_t press;               /* the parent wants to know soon about these */
    uint64_t seq, said;           /* of the last proposal; of the last that was sent */
    struct mend_fact_queue entries, proposals;
    uint64_t store[]; /* children, entries, proposals; the ledger */
};

size_t mend_log_size(const struct mend_log_config *config);

/* Prepares the caller's memory, aligned to 8. */
void mend_log_init(struct mend_log *x, const struct mend_log_config *config);

/* Whether a fact with so many runs can be proposed now.  An agent that has ended proposes nothing. */
bool mend_log_has_room(const struct mend_log *x, uint32_t runs_n);

/* The one transition function; afterwards call mend_log_next() until it returns false. */
void mend_log_step(struct mend_log *x, const struct mend_log_event *ev);
bool mend_log_next(struct mend_log *x, struct mend_log_act *act_p);

/* The next message that is due, to *to_p; it is valid until the next step and counts as sent.  Messages
 * may be fetched later than acts: what becomes due meanwhile leaves in the same message. */
bool mend_log_send(struct mend_log *x, int32_t *to_p, struct mend_log_msg *msg_p);

const struct mend_log_child *mend_log_child(const struct mend_log *x, int32_t agent);
const struct mend_ledger *mend_log_ledger(const struct mend_log *x); /* of the root, else NULL */

/* The oldest that is kept or proposed; go on with mend_fact_next(). */
const struct mend_fact *mend_log_entries(const struct mend_log *x, const uint64_t **words_p);
const struct mend_fact *mend_log_proposals(const struct mend_log *x, const uint64_t **words_p);

/* Asserts all invariants.  O(size). */
void mend_log_check(const struct mend_log *x);

/* One line into buf, as snprintf. */
int mend_log_print(const struct mend_log *x, char *buf, size_t size);

#endif
