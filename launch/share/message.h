/* SPDX-License-Identifier: BSD-3-Clause */
/* message.h – what the root of a job and the agents of its nodes tell each other.
 *
 *   root       the job as its user sees it: options, report, output, exit status      root/
 *   agent      one on each node: segment, ranks, watchers, verdicts                   agent/
 *
 * They share no memory and call nothing of each other; all goes by these messages, of one shape, through a post.  The
 * agent of the node on which mpiexec runs is in the process of the root: there a post delivers at once, and nothing is
 * copied.  The kinds are in message.def. */
#ifndef MEND_LAUNCH_SHARE_MESSAGE_H
#define MEND_LAUNCH_SHARE_MESSAGE_H

#include "node/address.h"

enum mend_message_kind {
#define UP(name_, what_)   MEND_UP_##name_,
#define DOWN(name_, what_) MEND_DOWN_##name_,
#include "share/message.def"
#undef UP
#undef DOWN
    MEND_MESSAGE_KINDS
};

#define MEND_MESSAGE_ARGS 8

struct mend_message {
    enum mend_message_kind kind;
    int32_t rank; /* a process, by name; -1: none */
    int64_t arg[MEND_MESSAGE_ARGS];
    const char *data; /* valid while the message is delivered; text has a 0 behind it */
    uint32_t len;
};

/* UP_DEATH */
enum mend_death_arg {
    MEND_DEATH_PID,
    MEND_DEATH_CAUSE, /* enum mend_verdict_cause */
    MEND_DEATH_CODE,
    MEND_DEATH_WHEN_NS,
    MEND_DEATH_VERDICT_NS, /* when everybody had been told */
    MEND_DEATH_NUMBER,     /* in the log of deaths */
    MEND_DEATH_LIVING,     /* ranks of the node that go on; -1: not counted */
    MEND_DEATH_SILENT,     /* 1: nobody wants to read of it */
};

/* UP_END */
enum mend_end_arg {
    MEND_END_REACH,
    MEND_END_OUTCOME,
    MEND_END_FLAGS, /* MEND_END_NAMED ... */
    MEND_END_CODE,
    MEND_END_ORDER,
    MEND_END_EXITED, /* the child ended by itself; else by a signal */
    MEND_END_STATUS, /* its status, or the signal */
};
enum { MEND_END_NAMED = 1, MEND_END_FOLLOWS = 2, MEND_END_IN_SCRIPT = 4 };

/* UP_CUT */
enum mend_cut_arg {
    MEND_CUT_PEER,  /* the other one */
    MEND_CUT_JUDGE, /* enum mend_cut_judge */
    MEND_CUT_THERE, /* its name in its own job, if that is another one */
};
enum mend_cut_judge {
    MEND_CUT_OURS,    /* this root decides which of the two ends */
    MEND_CUT_THEIRS,  /* the root of the other job does */
    MEND_CUT_DECIDED, /* it has: `rank` ends */
};
enum mend_cut_abroad {
    MEND_CUT_DECIDE,     /* the other job is to decide */
    MEND_CUT_THERE_ENDS, /* it is to end its process */
    MEND_CUT_HERE_ENDS,  /* `rank` is to end, if the jobs are still connected: CUT says so */
};
struct mend_cut_doors {
    struct mend_address here, there; /* of the agents of `rank` and of the other one */
};

/* DOWN_ACT: an act of a request for processes (ft/starter_sm.h). */
enum mend_act_arg {
    MEND_ACT_ACT,   /* enum mend_starter_act */
    MEND_ACT_SHORT, /* COUNT: 1: places of processes that have left are wanted, too */
    MEND_ACT_FIRST, /* FIND: the name of the first one */
    MEND_ACT_BLOCKS, /* FIND: how many blocks there are, of which the numbers of processes come first, ... */
    MEND_ACT_TOTAL,   /* ... and processes, of which the nodes come next; then the request */
    MEND_ACT_COUNTER, /* START: of the context of their world */
};

/* UP_ACTED */
enum mend_acted_arg {
    MEND_ACTED_ACT,
    MEND_ACTED_GOOD,  /* COUNT: there may be more room soon */
    MEND_ACTED_TAKEN, /* COUNT: places that processes have */
    MEND_ACTED_NAMES, /* COUNT: that were given */
    MEND_ACTED_PROGRESS, /* COUNT: grows with each end of a process, and with each place that becomes vacant */
    MEND_ACTED_SPARES, /* COUNT: spare processes that wait */
    MEND_ACTED_ENDING, /* COUNT: a process is ending */
    MEND_ACTED_COUNTER, /* ADMIT: of the context of their world, where its first process is; else 0 */
};

/* DOWN_SPAWNED */
enum mend_spawned_arg {
    MEND_SPAWNED_NUMBER, /* as in UP_SPAWN */
    MEND_SPAWNED_ANSWER, /* enum mend_spawn_answer */
    MEND_SPAWNED_FIRST,  /* the name of the first process, how many there are */
    MEND_SPAWNED_N,
    MEND_SPAWNED_ROOM,  /* for how many there is room */
    MEND_SPAWNED_ASKED, /* how many errors there are; behind them is why none was started */
};

/* UP_TALLY */
enum mend_tally_arg {
    MEND_TALLY_ARG_OF,  /* the name of the number */
    MEND_TALLY_ARG_HOW, /* enum mend_tally */
    MEND_TALLY_ARG_VALUE,
    MEND_TALLY_ARG_QUESTION, /* the rank's number of it */
};

/* UP_NAME, UP_PORT */
enum mend_name_arg {
    MEND_NAME_NUMBER, /* of the question, at the agent that asks */
    MEND_NAME_NODE,   /* of that agent */
    MEND_NAME_ERROR,  /* errno value */
};

/* UP_OUTPUT */
enum mend_output_step { MEND_OUTPUT_OPEN, MEND_OUTPUT_BYTES, MEND_OUTPUT_END };

/* Where the messages of one party to another go. */
struct mend_post {
    void (*deliver)(void *to, const struct mend_message *m);
    void *to;
};

static inline void mend_post(const struct mend_post *p, const struct mend_message *m)
{
    p->deliver(p->to, m);
}

#endif
