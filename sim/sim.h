/* SPDX-License-Identifier: BSD-3-Clause */
/* sim.h – common declarations of the simulator.
 *
 * The simulator drives the protocols of src/ft/ themselves, not models of them.  A *play* dresses
 * one protocol: it says how N copies of the machine are set up, what the program around them may do
 * (its moves), and what must hold.  Two engines perform plays:
 *
 *   world.c     virtual time, a seed decides everything; up to thousands of processes; also counts
 *               messages and computes latencies with a LogGP model
 *   explore.c   every order of events and every crash point, for 3 to 5 processes
 *
 *        main.c ── options ──> world.c ──┐
 *                     └──────> explore.c ┴─> play (agree.c, memory.c, birth.c, ...)
 *                                             └─> checkers.c, after every step
 *
 * Without nodes all others are told of a death, each at another time.  With nodes (nodes.c) the agent of a process is told,
 * and the first agent when another one and all processes of its node are dead; what the others learn is the play's affair.
 *
 * A process of a play is a block of bytes without pointers, so that it can be copied and hashed. */
#ifndef MEND_SIM_SIM_H
#define MEND_SIM_SIM_H

#include "ft/bits.h"

/* Known mistakes; which protocol has which stands in main.c. */
enum mend_sim_broken {
    MEND_SIM_INTACT = 0,
    MEND_SIM_NO_PROMISE,   /* decisions of the dead and of old ballots are believed */
    MEND_SIM_FORGET,       /* a process that has returned answers as if it had not */
    MEND_SIM_OMIT,         /* takes part without a value */
    MEND_SIM_ACCUSE,       /* suspects a process that lives or has left properly */
    MEND_SIM_HUSH,         /* does not pass on what it was told about the dead */
    MEND_SIM_DEAF,         /* does not listen: to questions, to deaths */
    MEND_SIM_INVENT,       /* speaks for somebody else */
    MEND_SIM_MIX,          /* contributes the value of another agreement */
    MEND_SIM_BABBLE,       /* says everything many times; memory: goes on after somebody's no */
    MEND_SIM_DETOUR,       /* messages take many hops */
    MEND_SIM_CHANGE,       /* changes its mind after it has returned */
    MEND_SIM_PHANTOM,      /* begins an agreement that nobody called */
    MEND_SIM_BOAST,        /* says that it acknowledged what it did not */
    MEND_SIM_SHY,          /* creation: a process that gave up does not veto */
    MEND_SIM_LIE,          /* creation: a process that gave up votes yes */
    MEND_SIM_NO_REPAIR,    /* nobody is told instead of a neighbour that died */
    MEND_SIM_REPORT_FIRST, /* the verdict does not wait for the death */
    MEND_SIM_LATE_LOOK,    /* memory: looks for a member's death after it has read its word */
    MEND_SIM_NARROW,       /* memory: there is a slot too few for the window */
    MEND_SIM_HASTY,        /* memory: the word is there before the value */
    MEND_SIM_IMPATIENT,    /* memory: does not wait for news that others have */
    MEND_SIM_SILENT,       /* free: a process that has forgotten it does not answer */
    MEND_SIM_SLIP, /* birth: nobody hears that a new process has ended; port: that an agent has */
    MEND_SIM_RASH, /* free: forgets when it has freed it, not when all have */
    MEND_SIM_PIECEMEAL, /* hears of those that died together one after the other */
    MEND_SIM_CURT,      /* says of the dead only those that the message proves */
    MEND_SIM_SWAP,      /* nodes: an agent writes two entries of the log in the other order */
    MEND_SIM_UNWRITTEN, /* nodes: a decision is not written on paper */
    MEND_SIM_BLIND,  /* nodes: an agent says that there is no paper, and has not heard the others */
    MEND_SIM_STALE,  /* nodes: an agent does not search again when a node is lost */
    MEND_SIM_RUSH,   /* nodes: calls again before it has got what was decided */
    MEND_SIM_EXTEND, /* adds what it knows itself to what was decided */
};

struct mend_sim_conf {
    int ranks;         /* with the agents of nodes */
    int nodes;         /* nodes: their agents are the lowest ranks; 0: there are no nodes */
    int crashes;       /* processes that may die */
    int agent_crashes; /* agents that may; the first one does not */
    int aborts;        /* nodes: processes that may abort others and themselves */
    int revocations;   /* nodes: processes that may revoke */
    int outside;    /* nodes: processes that hear nothing any more when all is decided for them */
    int suspicions; /* processes that may be declared dead while they still run */
    int instances;  /* agreements per process */
    int window;     /* agreements at once */
    int radix_bits;
    int inter,
        comms;       /* agree: ranks of the first group, or 0; overlapping communicators (0: one) */
    bool creation;   /* agree, memory: members may give up, and one that hears of a death does */
    bool validation; /* memory: members may give up */
    bool brief;      /* memory: votes are flags, said in words as well */
    bool replaces;   /* birth: the new processes take the ranks of dead ones */
    bool frees;      /* agree: with the last agreement the communicator is freed */
    bool
        hears_first; /* agree, below nodes: a process gets a decision when it has heard of all who are dead in it */
    bool papers;   /* nodes: decisions are written on papers */
    bool together; /* agree: two may die at once, and each process hears of both at once */
    int patience;  /* lock: one wait in so many may be given up; 0: each */
    bool fine;     /* memory: no shortcuts, all that is read or written is a step */
    enum mend_sim_broken broken;
    uint64_t seed;
    uint64_t steps_max;
    bool trace;
    bool reorder; /* messages of a pair may overtake each other */
    int victim;   /* lease: the agent that dies; 0: any */
    /* world.c only */
    bool duplicate;
    int pauses, partitions;
    /* explore.c only */
    const char *path; /* moves to perform instead of searching */
    size_t states_max;
};

enum mend_sim_fate {
    MEND_SIM_ALIVE = 0,
    MEND_SIM_DOOMED, /* declared dead by mistake, still running */
    MEND_SIM_DEAD,
};

struct mend_agree_msg;

/* The way out for a process during one step. */
struct mend_sim_io {
    void (*send)(struct mend_sim_io *io, int to, const void *bytes, size_t len);
    void (*kill)(struct mend_sim_io *io, int rank); /* nodes: it ends some time later */
    /* Nodes: what `from`, which is dead, has sent to the process of this step is received now. */
    void (*drain)(struct mend_sim_io *io, int from);
    /* Agreement, with papers: one is to be written; what was decided is asked for.  k: communicator. */
    void (*write)(struct mend_sim_io *io, int k, uint64_t seq, const struct mend_agree_msg *paper);
    void (*ask)(struct mend_sim_io *io, int k, uint64_t seq, uint32_t round);
    mend_time_ns now;
};

/* ---- nodes: agents 0 .. nodes - 1, and behind them the processes, node by node ---- */

static inline int mend_sim_members(const struct mend_sim_conf *c)
{
    return c->ranks - c->nodes;
}

/* The first member of a node, counted without the agents. */
static inline int mend_sim_first_member(const struct mend_sim_conf *c, int node)
{
    return (int)((int64_t)node * mend_sim_members(c) / c->nodes);
}

/* The node of a process, or of an agent. */
static inline int mend_sim_node_of(const struct mend_sim_conf *c, int rank)
{
    if (rank < c->nodes)
        return rank;
    return (int)(((int64_t)(rank - c->nodes + 1) * c->nodes - 1) / mend_sim_members(c));
}

/* All processes at once, for the checkers. */
struct mend_sim_view {
    const struct mend_sim_conf *conf;
    const uint8_t *fate; /* enum mend_sim_fate */
    const void *procs;
    size_t proc_bytes;
    /* world.c only: */
    uint64_t messages, rounds; /* sent; most hops that led to each other */
    const uint64_t
        *sent;        /* by rank; with nodes: without those between an agent and its processes */
    mend_time_ns now; /* at the end */
    int faults;       /* deaths and suspicions */
    /* By rank: of those that died together, such as the victims of one abort, each has the same number; -1: alive. */
    const int16_t *set;
};

static inline const void *mend_sim_proc(const struct mend_sim_view *v, int rank)
{
    return (const char *)v->procs + (size_t)rank * v->proc_bytes;
}

#define MEND_SIM_MSG_MAX   2048
#define MEND_SIM_RANKS_MAX 10000
#define MEND_SIM_SET_WORDS ((MEND_SIM_RANKS_MAX + 63) / 64)

struct mend_sim_result;

struct mend_sim_play {
    const char *name, *about;
    const char *instances; /* what --instances counts */
    size_t (*bytes)(const struct mend_sim_conf *conf);
    void (*init)(void *p, int rank, const struct mend_sim_conf *conf);

    /* What the program around the machine may do now: a set of bits; and doing one of them. */
    unsigned (*moves)(const void *p, const struct mend_sim_conf *conf);
    const char *(*move_name)(int move);
    void (*move)(void *p, int move, const struct mend_sim_conf *conf, struct mend_sim_io *io);

    /* NULL: the play has queues of its own, and moves that read them. */
    void (*recv)(void *p, int from, const void *bytes, size_t len, const struct mend_sim_conf *conf,
                 struct mend_sim_io *io);
    void (*death)(void *p, int dead, const struct mend_sim_conf *conf, struct mend_sim_io *io);
    /* The same for all that died together.  NULL: death() for each of them. */
    void (*deaths)(void *p, const uint64_t *dead, const struct mend_sim_conf *conf,
                   struct mend_sim_io *io);

    /* NULL, or what is wrong.  check: after a step of `rank`; check_end: when nothing can happen
     * any more. */
    const char *(*check)(const struct mend_sim_view *v, int rank);
    const char *(*check_end)(const struct mend_sim_view *v);

    /* For explore.c, to have fewer states; each may be NULL.  ignores: p will ignore this message, now
     * and whatever happens later.  knows: p has found out already that `dead` is, so telling it changes
     * nothing for anybody else.  settle: forgets what only check() of the last step looked at. */
    bool (*ignores)(const void *p, int from, const void *bytes, size_t len,
                    const struct mend_sim_conf *conf);
    bool (*knows)(const void *p, int dead, const struct mend_sim_conf *conf);
    void (*settle)(void *p, const struct mend_sim_conf *conf);

    /* For plays whose processes wait by looking again and again: false while p must be told of somebody
     * else first; and true if no look of any process can change anything any more. */
    bool (*may_hear)(const void *p, int dead, const struct mend_sim_conf *conf);
    bool (*at_rest)(const struct mend_sim_view *v);

    bool shares;     /* a move may change the blocks of other processes */
    bool own_faults; /* deaths are among its moves */
    /* Runs with a seed, if they need another world than world.c. */
    void (*run)(const struct mend_sim_conf *conf, struct mend_sim_result *result_p);

    /* p is dead: keeps only what checkers ask of the dead.  NULL: nothing is. */
    void (*bury)(void *p, const struct mend_sim_conf *conf);

    int (*print)(const void *p, const struct mend_sim_conf *conf, char *buf, size_t size);
    int (*print_msg)(const void *bytes, size_t len, const struct mend_sim_conf *conf, char *buf,
                     size_t size);
};

extern const struct mend_sim_play mend_sim_agree, mend_sim_memory, mend_sim_detector, mend_sim_lock,
    mend_sim_birth, mend_sim_port, mend_sim_contact, mend_sim_look, mend_sim_nodes, mend_sim_lease;

/* Tells p of those that have died together. */
static inline void mend_sim_tell(const struct mend_sim_play *play, void *p, const uint64_t *dead,
                                 const struct mend_sim_conf *conf, struct mend_sim_io *io)
{
    if (play->deaths && conf->broken != MEND_SIM_PIECEMEAL) {
        play->deaths(p, dead, conf, io);
        return;
    }
    for (int r = mend_bits_next(dead, conf->ranks, 0); r >= 0;
         r = mend_bits_next(dead, conf->ranks, r + 1))
        play->death(p, r, conf, io);
}

/* What a search or a run found. */
struct mend_sim_result {
    const char *wrong; /* NULL: nothing */
    uint64_t steps, messages;
    mend_time_ns virtual_ns; /* lease: of a run */
    uint64_t words; /* lease: between the root and others, and questions for a connection */
    uint64_t agents_sent,
        agent_most; /* nodes, lease: by all agents to each other; by the one that sent most */
    uint64_t states, ends; /* explore.c */
    uint64_t depth;        /* explore.c: longest path */
    bool complete;         /* explore.c: everything was visited */
    char path[1 << 16];    /* explore.c: moves that lead to what is wrong */
};

/* One run with conf->seed. */
void mend_sim_run(const struct mend_sim_play *play, const struct mend_sim_conf *conf,
                  struct mend_sim_result *result_p);

/* All runs; or, with conf->path, that one. */
void mend_sim_explore(const struct mend_sim_play *play, const struct mend_sim_conf *conf,
                      struct mend_sim_result *result_p);

/* Prints the table of message counts and virtual-time latencies. */
void mend_sim_count(const struct mend_sim_play *play, const struct mend_sim_conf *conf);

#endif
