/* SPDX-License-Identifier: BSD-3-Clause */
/* root.h – the job as its user sees it, and the functions that the files of root/ share.
 *
 * The root takes the user's signals and what was asked for on the command line, and tells the agents; it prints and reports
 * what they tell, and makes the exit status of that.  It knows nothing of processes but what agents say.  All of it
 * belongs to the main thread.
 *
 * What an agent tells is only noted while the message is delivered; the root acts on it in its next look, so the two never
 * call each other in a circle. */
#ifndef MEND_LAUNCH_ROOT_ROOT_H
#define MEND_LAUNCH_ROOT_ROOT_H

#include "root/agents.h"

#include "base/lines.h"
#include "base/list.h"
#include "command/options.h"
#include "node/layout.h"
#include "node/rank.h"
#include "lease/beats.h"
#include "output/iof.h"
#include "root/report.h"
#include "share/exit_status.h"
#include "share/loop.h"
#include "share/message.h"
#include "share/process.h"
#include "share/wire.h"

struct root;
struct root_request;

/* A node, as the root knows it.
 *
 *   STARTING ── READY ──> READY ── all are: NODES, STARTED ──> RUNNING ── DONE ──> DONE
 *      └──────────── its lease is over, or its processes are gone ─────> LOST */
struct root_node {
    struct root *root;
    int number;
    enum root_node_state {
        NODE_STARTING = 0,
        NODE_READY,
        NODE_RUNNING,
        NODE_DONE,
        NODE_LOST
    } state;
    struct mend_post agent;      /* where messages to it go */
    struct mend_wire wire;       /* to an agent in a process of its own */
    struct mend_address reached; /* this node, as that one has called it */
    int carrier;  /* the node over whose stream its own goes; 0: over a connection with this one */
    int64_t call; /* the number of its connection there */
    bool has_called, is_gone;     /* is_gone: no process of it is left, as its keeper says */
    bool has_left;                /* LEAVES, or it will not say so any more */
    struct mend_node_of_job says; /* READY */
    int64_t
        start_ns; /* when its agent began, after the start of the job: an upper bound (report.c) */
    uint64_t clock_ns; /* what its own clock said at its start */
    char host[64];
    int living; /* its ranks that go on, as it said last */
    int64_t asked,
        answered; /* the last question about waits that it was asked, and that it has answered */

    /* place.c */
    bool is_asked;             /* it has not said yet how an act has ended */
    struct mend_message acted; /* what it has said of that, without the data */
};

/* How a rank has ended, as its agent says. */
struct root_rank {
    struct mend_rank_end end;
    bool there;                 /* it was a process of this job, and has ended */
    bool dead;                  /* a verdict says so */
    mend_time_ns cut_off_until; /* cut.c: it shall end, and has time for that until then */
    int cuts_n;                 /* cut.c: pairs that cannot reach each other, of which it is one */
    bool exited, in_script;     /* else by a signal; a script was around it */
    int status;                 /* or the signal */
    bool begun; /* it began with the job, or has come out of MPI_Init: others may know it */
    int node;
    bool guest; /* the name is that of a process of another job */
};

/* Whether ranks wait as an injection wants. */
struct root_blocked {
    int64_t question; /* the number of the last one; 0: none is open */
    int open_n;       /* agents that have not answered it */
    int rounds;       /* so often all have said yes */
    bool restart;     /* one does not wait, or none was asked yet */
};

struct mend_root_waits;

/* The collective call in which a rank waits. */
struct mend_root_call {
    int rank;
    struct mend_node_call call;
};

struct root {
    struct mend_options *o;
    const struct mend_process *before; /* how mpiexec was started: agents start so, too */
    struct mend_iof *iof;
    struct mend_loop *loop;
    uint32_t member;        /* of the loop */
    struct root_node *node; /* the first is the one on which mpiexec runs */
    int nodes_n;
    uint64_t job;
    unsigned char key[MEND_DOOR_KEY_BYTES];        /* who has it is of the job, ... */
    unsigned char agents_key[MEND_DOOR_KEY_BYTES]; /* ... an agent of it */
    struct mend_brood brood;                       /* that it has started, ... */
    struct mend_beats beats;       /* ... their leases; nodes_n 1: there are none; ... */
    struct mend_lineage *lineage;  /* ... and the tree of all (tree.c) */
    mend_time_ns tree_at;          /* when it is looked at, by the clock of leases */
    bool failed, ended;            /* a rank could not be started; END was said, ... */
    mend_time_ns heard_at;         /* ... and an agent has said something since */
    bool not_started, at_terminal; /* an agent did not come; somebody reads how far the start is */
    int refused;                   /* ... the exit status for that; 0: 2 */
    int said_n;                    /* so many nodes were there when that was said */
    mend_time_ns say_at;           /* the next time; 0: not decided */
    struct root_rank *rank;
    int n;                        /* ranks whose ends are known, or that are to come */
    int places_n;                 /* ranks that there may be at a time */
    int logged_n;                 /* the log of facts has the names below that */
    struct mend_list requests;    /* place.c: for processes */
    struct mend_list guests;      /* guests.c: of links that wait for names */
    bool names_guests;            /* those of the first one are being named */
    struct root_request *request; /* that is being carried out; NULL: none */
    int report_fd;                /* -1: none */
    int signal_fd;
    mend_time_ns start_ns, deadline_ns;
    mend_time_ns
        running_ns; /* since when the ranks of all nodes run: times of injections count from here; 0: not yet */
    struct mend_list cuts; /* cut.c; when it is decided who ends; 0: all is */
    mend_time_ns cuts_at;
    struct mend_list tallies;   /* tally.c: numbers, ... */
    struct mend_list questions; /* ... and what is to be done with them */
    int *timed;                 /* the injections that wait for a time, in that order */
    int timed_n, injected_n;
    struct root_blocked *blocked;  /* for each injection */
    struct mend_root_waits *waits; /* waits.c; NULL: nobody has asked */
    int signal_seen;
    mend_time_ns signal_ns;
    bool has_terminal;          /* the only rank has it: that decides what Ctrl-C means */
    bool timed_out, timing_out; /* the time is over, and what ranks wait for is being asked */
    bool killing, aborted;
};

/* root.c: before the first thread exists.  False: errno. */
bool mend_root_open(struct root *root, struct mend_options *o, struct mend_loop *loop);

/* root.c: ends all processes. */
void mend_root_kill(struct root *root);

/* root.c: where messages of the agent of the node go. */
struct mend_post mend_root_post(struct root_node *node);

/* tree.c: the tree of the job's agents, of that radix.  False: errno. */
bool mend_root_open_tree(struct root *root, int radix);

/* tree.c: no process of the node is left, or none of them will be believed any more; how that is known, for the user. */
void mend_root_lose(struct root_node *node, const char *how);

/* tree.c: leases that this process grants are over, or wanted from it; an agent says something of one below it; returns when to look at the
 * tree again. */
void mend_root_hear_beats(struct root *root);
void mend_root_hear_below(struct root_node *via, const struct mend_message *m);
mend_time_ns mend_root_look_at_tree(struct root *root, mend_time_ns now);

/* nodes.c: the node is lost; its connection has ended. */
void mend_root_bury(struct root_node *node, const char *how);
void mend_root_disconnected(struct root_node *node);

/* nodes.c: ends its connection; tree.c: that over another node. */
void mend_root_hang_up(struct root_node *node);
void mend_root_end_call(struct root_node *node);

/* nodes.c: no rank has been started anywhere, because some agents are not there yet. */
bool mend_root_is_starting(const struct root *root);

/* nodes.c: an agent says that it is ready, or has started its ranks; its connection can be read. */
void mend_root_ready(struct root_node *node, const struct mend_message *m);
void mend_root_started(struct root_node *node, const struct mend_message *m);
void mend_root_read_node(struct root *root, int number);

/* nodes.c: what is for agents of other nodes goes to them. */
void mend_root_pass_on(struct root_node *from, const struct mend_message *m);

/* papers.c: the same with what agents ask each other about decisions. */
void mend_root_pass_paper(struct root_node *from, const struct mend_message *m);

/* nodes.c: has all agents told that the job is over, when it is; all have been.  Waits until their processes have ended. */
mend_time_ns mend_root_look_at_nodes(struct root *root, mend_time_ns now);
bool mend_root_is_over(const struct root *root);
void mend_root_await_agents(struct root *root);

/* The node of a rank; of one that was not started yet the first. */
static inline int mend_root_node_of(const struct root *root, int rank)
{
    return root->rank[rank].node;
}

/* Whether it is a process of that node that others may know. */
static inline bool mend_root_is_of(const struct root *root, int rank, const struct root_node *node)
{
    return root->rank[rank].begun && root->rank[rank].node == node->number;
}

/* It can be told something. */
static inline bool mend_root_is_there(const struct root_node *node)
{
    return node->state != NODE_LOST && (node->number == 0 || !node->wire.broken);
}

/* guests.c: processes of a connected job want names.  Goes on with that; false: it waits for agents. */
void mend_root_guests_asked(struct root *root, const struct mend_message *m);
bool mend_root_name_guests(struct root *root);

/* place.c: a rank of the node asks for processes; the agent says how an act of a request has ended.  Carries out what is due;
 * returns when to look again. */
void mend_root_asked(struct root_node *by, const struct mend_message *m);
void mend_root_acted(struct root_node *node, const struct mend_message *m);
mend_time_ns mend_root_place(struct root *root, mend_time_ns now);

/* cut.c: two processes cannot reach each other; has one of each such two ended; returns when to look again. */
void mend_root_note_cut(struct root *root, const struct mend_message *m);
mend_time_ns mend_root_look_at_cuts(struct root *root, mend_time_ns now);

/* names.c: about published names, between the agents of a rank and of the first node. */
void mend_root_pass_name(struct root_node *from, const struct mend_message *m);

/* tally.c: a rank of the node asks for a number that is kept here; answers all such questions. */
void mend_root_note_tally(struct root_node *node, const struct mend_message *m);
void mend_root_tally(struct root *root);

/* inject.c: lists those that wait for a time, for ranks in a call; an agent says whether these wait; tells what was chosen at random; carries out those that are due, returns when the next one is; rank has
 * carried out its one of that number; says which have not happened, true: there is one. */
void mend_root_list_timed(struct root *root);
void mend_root_list_blocked(struct root *root);
void mend_root_note_blocked(struct root *root, const struct mend_message *m);
void mend_root_say_injections(struct root *root);
mend_time_ns mend_root_inject(struct root *root, mend_time_ns now);
void mend_root_injected(struct root *root, int rank, int number);
bool mend_root_missed(struct root *root);

/* waits.c: asks all agents what their ranks wait for; an answer; prints all answers when they are there, returns when it stops waiting
 * for them; whether it waits. */
void mend_root_ask_waits(struct root *root);
void mend_root_note_wait(struct root_node *node, const struct mend_message *m);
mend_time_ns mend_root_look_at_waits(struct root *root, mend_time_ns now);
bool mend_root_is_asking(const struct root *root);

/* calls.c: says which of these ranks are in collective calls that do not match, and which have not entered those that do. */
void mend_root_compare_calls(struct root *root, struct mend_root_call *all, int n);

/* status.c: notes how a rank has ended, how it has died if its node is lost before it says that, that all of a lost node have, that a death
 * was handled; prints how all have ended; the exit status of the job. */
void mend_root_note_end(struct root *root, const struct mend_message *m);
void mend_root_note_death(struct root *root, const struct mend_message *m);
void mend_root_note_loss(struct root *root, const struct root_node *node);
void mend_root_note_handled(struct root *root, int rank);
void mend_root_say_ends(struct root *root);
int mend_root_status(struct root *root);

#endif
