/* SPDX-License-Identifier: BSD-3-Clause */
/* rank.h – one process, as the agent of its node has it.  Fields marked (L) belong to the lock of the ranks, all else to the
 * main thread. */
#ifndef MEND_LAUNCH_AGENT_RANK_H
#define MEND_LAUNCH_AGENT_RANK_H

#include "agent/rank_sm.h"
#include "command/options.h"
#include "ft/detector_sm.h"
#include "node/rank.h"
#include "share/exit_status.h"

#include <sched.h>
#include <signal.h>
#include <sys/types.h>

struct mend_link;

#define MEND_RANK_SPARE (-1)

struct rank {
    int index; /* its name, or MEND_RANK_SPARE */
    mend_place place;
    struct mend_node_rank *_Atomic shared; /* of its place, or the stub */
    int looked_at;                         /* (L) by watchers at the moment */
    struct mend_app *app;
    int app_index;
    int world_first, world_n; /* the ranks of its MPI_COMM_WORLD */
    int spawn_fd;             /* who asked for it, while it is being started; -1: the user */
    pid_t child; /* what we started; a zombie until the job ends, so its number is not reused */
    int ctl_fd;
    int watch_fd;                 /* an epoll set that rings it (rouse.c); -1: none */
    bool own_group;               /* the child leads a process group */
    bool original;                /* a spare that makes copies of itself */
    struct mend_rank_state state; /* (L), except .child */
    pid_t wrapped;                /* (L) MEND_WHO_INNER: that process; 0: not known */
    int wrapped_pidfd;            /* (L) */
    siginfo_t exit;               /* how the child ended */
    struct mend_rank_end end;     /* for the exit status; (L) */
    mend_time_ns crash_until; /* it said that it crashes: look for a core dump until then; 0: no */
    mend_time_ns verdict_ns;  /* (L) when everybody had been told */
    struct mend_verdict verdict; /* (L) */
    int32_t verdict_k;           /* (L) its number */
    bool has_left;        /* (L) it is in the log of deaths without having failed (vacancy.c) */
    const char *how;      /* (L) what showed the death: "life word" or "exit" */
    uint64_t *complained; /* set of the ranks that it complained of and that live; or NULL */
    cpu_set_t cpus;
    struct mend_link *guest_of; /* it is a process of another job (guest.c); NULL: of this one */
    bool far;                   /* it is a process of another node (far.c) */
    uint32_t node;              /* its node of the job's */
    bool papers_kept;           /* the main thread's: its slabs are given back (papers.c) */
    bool told_dead;             /* too, that it is dead (the lock) */
    enum mend_presence told;    /* what the other nodes have been told of it (facts.c) */
    bool told_ended;            /* and then that it has ended */
    bool unproven; /* a guest that was declared dead without a sign of it: its place stays its */
};

/* It is a process of this job and node, which this agent has started. */
static inline bool mend_rank_is_ours(const struct rank *r)
{
    return !r->guest_of && !r->far;
}

/* By the main thread: its child is a zombie. */
static inline bool mend_rank_has_ended(const struct rank *r)
{
    return r->state.child == MEND_CHILD_ENDED;
}

/* The process that is the rank; 0: not known, for there is a script around it that is all we know. */
static inline pid_t mend_rank_pid(const struct rank *r)
{
    return mend_rank_in_script(&r->state) ? r->wrapped : r->child;
}

/* For the keeper: which process group it leads. */
static inline void mend_rank_tell_group(const struct rank *r)
{
    mend_store_release(&r->shared->group, r->own_group && r->child > 0 ? (uint32_t)r->child : 0);
}

/* By what number it is known to the user. */
static inline pid_t mend_rank_named(const struct rank *r)
{
    return mend_rank_in_script(&r->state) && r->wrapped ? r->wrapped : r->child;
}

#endif
