/* SPDX-License-Identifier: BSD-3-Clause */
/* internal.h – common declarations of the files of decide/. */
#ifndef MEND_DECIDE_INTERNAL_H
#define MEND_DECIDE_INTERNAL_H

#include "decide/revoke.h"
#include "proc/post.h"

#define MEND_DECIDE_WINDOW 4

/* One agreement that this process has called for. */
struct mend_decide_op {
    struct mend_list link; /* in waiting, or with seq in running or unheard */
    uint64_t seq;
    bool last; /* nobody will call for another one */
    struct mend_decision value;
    mend_decide_done *done;
    void *arg;
};

/* What a process keeps for all its communicators. */
struct mend_decide {
    uint32_t freed_n; /* communicators that are freed while calls on them are in progress */
    struct mend_list lingering; /* mend_decide_comm.linger, each a reference */
    uint64_t marks_n;           /* revoke.c: own bits that have pages, from 0 on */
    struct mend_list questions; /* papers.c: that have no end yet */
};

/* The same through shared memory (memory.c).  All members answer mend_decide_in_memory() alike. */
bool mend_decide_in_memory(const struct mend_comm *c);
void mend_decide_memory_call(struct mend_comm *c, enum mend_decide_kind which,
                             const struct mend_decision *value, mend_decide_done *done, void *arg);
void mend_decide_memory_wait(struct mend_comm *c, enum mend_decide_kind which,
                             struct mend_decision *value);
void mend_decide_memory_say_no(struct mend_comm *c, enum mend_decide_kind which);
void mend_decide_memory_abandon(struct mend_comm *c, enum mend_decide_kind which);

/* The same by messages (tree.c).  last: nobody will call for another one. */
void mend_decide_tree_call(struct mend_comm *c, enum mend_decide_kind which, bool last,
                           const struct mend_decision *value, mend_decide_done *done, void *arg);
void mend_decide_tree_say_no(struct mend_comm *c, enum mend_decide_kind which);
void mend_decide_tree_abandon(struct mend_comm *c, enum mend_decide_kind which);

/* The agents have answered a question of c. */
struct mend_rt_told;
void mend_decide_tree_told(struct mend_comm *c, enum mend_decide_kind which,
                           const struct mend_rt_told *told);

/* papers.c: decisions of c are written down, and asked for. */
bool mend_decide_papers_has(const struct mend_comm *c);

/* Agreement seq is decided here, and nobody has been told; it has been decided and told; the agents are asked for it. */
void mend_decide_papers_write(struct mend_comm *c, enum mend_decide_kind which, uint64_t seq);
void mend_decide_papers_decided(struct mend_comm *c, enum mend_decide_kind which, uint64_t seq);
void mend_decide_papers_ask(struct mend_comm *c, enum mend_decide_kind which,
                            const struct mend_agree_question *asked);

/* With an interrupt: carries out what the agents have answered. */
void mend_decide_papers_look(struct mend_proc *self);

/* To be called when c is detached. */
void mend_decide_papers_close(struct mend_comm *c);

/* For wait reports. */
static inline const char *mend_decide_what(enum mend_decide_kind which)
{
    return which == MEND_DECIDE_EXPLICIT   ? "agreement"
           : which == MEND_DECIDE_CREATION ? "creation"
                                           : "validation";
}

/* The member has left MPI, or is away: it has freed what it knew, and what it said before can be seen.  And not only before it came
 * back and took part in what is done on c. */
bool mend_decide_has_left(struct mend_comm *c, int32_t rank);

/* A line of the report. */
void mend_decide_report(struct mend_comm *c, enum mend_decide_kind which, int failed_n);

/* A call that waits for an agreement; wake is its done(): the caller owns the group of the failed then. */
struct mend_decide_waiter {
    struct mend_decision *value;
    bool done;
};
void mend_decide_wake(void *arg, struct mend_decision *value);

/* Fills in the result of an agreement that was refused. */
void mend_decide_refused(struct mend_comm *c, struct mend_decision *value);

mend_frame_handler mend_decide_tree_on_frame;
/* The members among them are dead, all at once. */
void mend_decide_tree_on_deaths(struct mend_comm *c, const struct mend_death *death, int n);
void mend_decide_tree_pass_over_left(struct mend_comm *c);
/* A member that has left has seen the decision on the end of c. */
void mend_decide_tree_end_with_left(struct mend_comm *c);

/* For a communicator that is freed: an agreement that nothing polls, and a look whether it is decided. */
void mend_decide_memory_last(struct mend_comm *c, const struct mend_decision *value,
                             mend_decide_done *done);
void mend_decide_memory_look(struct mend_comm *c);

/* Keeps what a dead member has said.  False: no memory. */
bool mend_decide_memory_keep(struct mend_comm *c, int rank);

/* To be called when c is detached. */
void mend_decide_memory_close(struct mend_comm *c);

/* linger.c: an agreement's message for a communicator that has gone. */
mend_homeless_handler mend_linger_answer;

#endif
