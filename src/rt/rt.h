/* SPDX-License-Identifier: BSD-3-Clause */
/* rt.h – which processes exist: the interface to the runtime that started this process.
 *
 * Implementations: local (our agent on this node), single (no launcher: one rank), sim. */
#ifndef MEND_RT_RT_H
#define MEND_RT_RT_H

#include "ft/verdict.h"
#include "node/paper.h"
#include "proc/presence.h"
#include "proc/proc.h"
#include "rt/tally.h"

/* A question to the agent, on the caller's stack. */
struct mend_rt_ask {
    struct mend_list link;
    uint64_t number;
    bool answered;
    int error; /* errno value: ENOENT: there is no such job, EPERM: it is another user's, ENOSPC: no room in one of them */
};

/* What the agents say of an agreement. */
struct mend_rt_told {
    uint64_t mark, seq;
    uint32_t round, len; /* len 0: there is no paper */
    unsigned char bytes[MEND_PAPER_BYTES];
};

struct mend_rt {
    const char *name;

    /* Finds out who this process is: sets me, the peers (mend_peers_add()), interrupt, oversubscribed, net.
     * MEND_ERR_UNSUPPORTED: not started by this runtime, try the next.  Other errors: *why_p says in
     * words what is wrong, valid for ever. */
    enum mend_status (*open)(struct mend_proc *self, const char **why_p);

    /* Makes names known that the runtime has given since open(): all below `end`.  False: no memory, or there are
     * not as many.  NULL: processes never come later. */
    bool (*meet)(struct mend_proc *self, mend_peer end);

    /* How many names there are by now.  NULL: those of open(). */
    mend_peer (*names)(struct mend_proc *self);

    /* Has processes started, those that the file behind fd asks for (rt/spawn.h); the answer will stand there, and
     * comes with an interrupt.  False: the agent cannot be asked.  NULL: there is no agent. */
    bool (*spawn)(struct mend_proc *self, int fd);

    /* Has a name published or found, as the file behind fd asks for (rt/names.h); the answer will stand there, and comes with an
     * interrupt.  False: the agent cannot be asked.  is_served: mpiexec keeps the names that this process publishes; NULL: it does
     * not, and this process does so itself. */
    bool (*service)(struct mend_proc *self, int fd);
    bool (*is_served)(struct mend_proc *self);

    /* Asks for a connection of this job with another one; the answer comes with an interrupt, into *ask, which stays until
     * then or until the caller takes it out of its list.  Then processes of that job are known here, and these there; ESRCH:
     * of the n from `first` on, all of this job, one has died before.  False: the agent cannot be asked.  NULL: there is no
     * agent. */
    bool (*connect)(struct mend_proc *self, uint64_t job, mend_peer first, uint32_t n,
                    struct mend_rt_ask *ask);

    /* This process may wait for one that has left, so from now on it hears of their ends as of deaths.  NULL: it does not. */
    void (*mind_left)(struct mend_proc *self);

    /* The death of this one counts as handled (R22), whatever happens to this process: another process has its rank,
     * or nothing has come of its start.  NULL: nobody counts. */
    void (*disown)(struct mend_proc *self, mend_peer dead);

    /* Says how far this process is in MPI, for others to read (mend_presence_of()), and what that means for the agent:
     *   IN_MPI, LEAVING   its end is a failure.  False: it had left and cannot come back, because a fork made it.  If it can,
     *                     the places of processes that have died until then may be others': their names count as those of
     *                     processes that died before this one came (born_n)
     *   LEFT              its end is none, and it looks at nothing of the dead
     *   AWAY              its end is none, but somebody may wait for it to come back */
    bool (*say)(struct mend_proc *self, enum mend_presence presence);

    /* Verdict number k (0, 1, ...) if it was given already: true and *death_p.  A verdict is given
     * before the kernel tells the reason, so the cause may be UNKNOWN at first; asking for the same
     * k again later gives the true one.  Verdicts that were given together (of all processes that one abort
     * ended) become visible together. */
    bool (*verdict)(struct mend_proc *self, uint32_t k, struct mend_death *death_p);

    /* From now on signals SIGURG are sent to this thread when poke() is called elsewhere, or are no more.  What was sent to
     * this process before and is not signalled can be seen when it returns.  NULL: nobody can be signalled. */
    void (*take_pokes)(struct mend_proc *self, bool on);

    /* Signals the peer, which then sees what was sent to it before.  False: it takes no signals, or is dead. */
    bool (*poke)(struct mend_proc *self, mend_peer peer);

    /* Something is wrong with the peer.  True: it is dead, or dies, or this process was declared dead
     * itself, so what the peer did last means nothing.  False: as far as can be seen here it lives; the
     * agent has been told.  It checks as well and does not declare a living process dead. */
    bool (*suspect)(struct mend_proc *self, mend_peer peer);

    /* Asks for the end of the given peers (n of them; self may be among them).
     * If self is among them the caller ends itself next; if others are, too, this process ends in here
     * together with them. */
    void (*abort)(struct mend_proc *self, const mend_peer *peers, uint32_t n,
                  struct mend_abort what);

    /* The context is revoked, says this process, which has members in these n other jobs: all processes of all nodes and jobs that
     * have it learn of that from the runtime, also if this one dies.  It comes with an interrupt, and is_revoked() is true
     * then, for ever.  NULL: there is nobody to tell. */
    void (*revoke)(struct mend_proc *self, uint64_t ctx, const uint64_t *jobs, uint32_t n);
    bool (*is_revoked)(struct mend_proc *self, uint64_t ctx);

    /* The job keeps numbers, each 0 until it is changed, which outlive all processes and nodes: adds `value` to the one that is called
     * `of`, or sets it.  What it was before is told by tallied(), under the number that this returns, and comes with an interrupt;
     * one question at a time.  FORGET: nobody asks for it any more, and nothing is told.  NULL: no numbers are kept. */
    uint64_t (*tally)(struct mend_proc *self, uint64_t of, enum mend_tally how, int64_t value);
    bool (*tallied)(struct mend_proc *self, uint64_t question, int64_t *was_p);

    /* Asks the agents of all nodes for the paper of agreement seq with this label (node/paper.h); the answer comes with an
     * interrupt, and stays open: told() may say it later, too.  round: the number of the question, which has the answer that
     * there is no paper; 0: that is not wanted.  decided(): the answer is not wanted any more.  wrote(): this process has
     * written one, and papers are wanted.  NULL: there is nobody to ask. */
    void (*ask)(struct mend_proc *self, uint64_t mark, uint64_t seq, uint32_t round);
    void (*decided)(struct mend_proc *self, uint64_t mark, uint64_t seq);
    void (*wrote)(struct mend_proc *self);

    /* The next answer.  False: there is none. */
    bool (*told)(struct mend_proc *self, struct mend_rt_told *told_p);

    /* This thread got a signal of which the process will dump core.  Called in a signal handler, at
     * any instruction. */
    void (*crashing)(struct mend_proc *self, int sig);

    /* Adds a line to the launcher's --report file, if there is one: `text` is the members of a JSON
     * object without braces, e.g. "\"event\":\"revoke\",\"ctx\":17".  Rank and time are added. */
    void (*report)(struct mend_proc *self, const char *text);

    /* Tells the launcher that injection number k of this process's list is about to be carried out.  NULL:
     * nobody asks. */
    void (*injected)(struct mend_proc *self, int k);

    /* Name of the host on which the peer runs, for messages. */
    const char *(*host)(struct mend_proc *self, mend_peer peer);
};

#define MEND_RT_DEF(name_, what_) extern const struct mend_rt mend_rt_##name_;
#include "rt/rt.def"
#undef MEND_RT_DEF

#endif
