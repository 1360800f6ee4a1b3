/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h – the running job as the launcher sees it, and the functions that its files share.
 *
 *   main thread      signals, exits of children, datagrams of ranks, timers     agent.c
 *   watcher threads  life words -> verdicts                                     watch.c, verdict.c
 *   output thread    the ranks' output, the terminal's input                    iof.c
 *   starter thread   vfork and execve                                           start_local.c
 *   keeper process   ends everything if mpiexec itself is killed                keeper.c
 *
 * `lock` guards what main thread and watchers both change: the detector, the verdicts' part of the
 * segment, and the fields marked (L).  Everything else belongs to the main thread. */
#ifndef MEND_LAUNCH_JOB_H
#define MEND_LAUNCH_JOB_H

#include "base/lines.h"
#include "base/list.h"
#include "ft/detector_sm.h"
#include "exit_status.h"
#include "node/layout.h"
#include "node/log.h"
#include "node/rank.h"
#include "options.h"
#include "rank_sm.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

struct mend_iof;
struct mend_ctl;
struct mend_contact;
struct mend_doorman;
struct mend_link;
struct starter;

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
    bool unproven; /* a guest that was declared dead without a sign of it: its place stays its */
};

struct job {
    struct mend_options o;
    struct rank *rank;  /* by name, for as many as there may ever be */
    int n, places_n;    /* names that were given; ranks that there may be at a time */
    mend_place *vacant; /* of the places that have had a rank */
    int vacant_n;
    uint32_t retired_n;         /* the places of the first so many dead are vacant, or others' */
    struct mend_node_rank stub; /* vacancy.c */
    int alive_n;                /* children that have not ended */
    struct rank *spare;         /* spare.c; child 0: called, or gone */
    int spares_n;
    pid_t self_pid, keeper;
    int keeper_fd;
    uint32_t
        revived_n; /* how often the keeper has continued this process, as far as that was said */

    /* segment */
    int shm_fd;
    struct mend_node_header *shm; /* mapped up to the rings' and cells' areas */

    pthread_mutex_t lock;
    struct mend_detector *detector; /* (L) */
    mend_time_ns tick_at;           /* (L) */
    uint32_t ends_n;                /* (L) */
    int wrapped_n;                  /* (L) ranks that are in scripts */
    uint32_t words_wanted_n;        /* (L) how often last datagrams were wanted */
    int note_fd; /* eventfd: a watcher gave a verdict, the main thread tells of it */

    /* what the ranks get back from us */
    sigset_t mask_before;
    struct rlimit files_before;
    void (*xfsz_before)(int); /* how we were started to take a file that grows too large */
    bool bound;

    /* how the job goes */
    struct mend_iof *iof;
    int report_fd; /* -1: none */
    int epoll_fd, signal_fd, timer_fd;
    mend_time_ns start_ns, deadline_ns, scan_at, announce_at, wrapped_at, timer_at, undying_at;
    int undying_next;          /* the rank that was looked at last */
    mend_time_ns scan_next_ns; /* not before: looking at many children must not take all our time */
    mend_time_ns count_next_ns; /* nor counting the survivors */
    int injected_n;             /* timed injections carried out, in order of time */
    int signal_seen;
    mend_time_ns signal_ns;
    int crashes_n;                /* ranks that have said so and are not seen dead yet */
    uint32_t words_read_n;        /* what words_wanted_n was when they were read last */
    struct mend_list spawn_waits; /* spawn.c */
    struct mend_list links;       /* link.c */
    struct mend_list errands;     /* link.c: questions of ranks that name processes */
    struct mend_contact *contact; /* what this agent and those of other jobs have said */
    int32_t link_ids_n;
    uint32_t
        released_n; /* verdicts of which the other agents know that nobody here looks at the dead */
    int door_fd;    /* where other agents call; -1: nowhere */
    struct mend_doorman
        *doorman;          /* doorman.c: where processes of other nodes call; NULL: nowhere */
    bool minds_left;       /* a rank has had a session */
    uint32_t given_back_n; /* verdicts whose ranks' memory was given back */
    uint32_t cleared_n;    /* and all that had voted: no rank will look at them */
    uint32_t give_back_for_n;
    mend_time_ns give_back_at, give_back_pause_ns;
    struct starter *starter; /* start_local.c */
    bool timed_out, killing;
    bool aborted; /* as a whole */
};

/* bind.c: chooses the cores of each rank. */
void mend_bind_choose(struct job *job);

/* bind.c: says which processors each rank may use. */
void mend_bind_report(struct job *job);

/* link.c: opens the door for the agents of other jobs; somebody knocks; fd, of a link, can be read or written. */
void mend_links_open(struct job *job);
void mend_links_knock(struct job *job);
void mend_links_read(struct job *job, int fd);

/* link.c: r wants this job to be connected with another one, which must know names_n processes of this one from `first` on,
 * and calls that so. */
void mend_link_asked(struct job *job, struct rank *r, uint64_t other, uint64_t number, int first,
                     int names_n);

/* link.c: r ends the guests of the set, by their agents. */
void mend_links_abort(struct job *job, const struct rank *r, const uint64_t *set, uint32_t words,
                      struct mend_abort what);

/* link.c: does what is due; returns when to do so next. */
mend_time_ns mend_links_look(struct job *job, mend_time_ns now);

/* link.c: processes of another job may still look at this dead one of ours. */
bool mend_links_hold(const struct job *job, int name);

/* guest.c: tells a rank that begins what is known of other jobs; a guest of x has no place any more. */
void mend_links_tell(struct job *job, const struct rank *r);
void mend_guest_left(struct mend_link *x);

/* agent.c: whether messages of a link are read, and whether it waits for room. */
void mend_agent_listen_to_link(struct job *job, int fd, bool in, bool out);

/* control.c: process `by`, a guest, ends these ranks of ours. */
void mend_control_abort(struct job *job, int by, const int32_t *peers, int32_t n,
                        struct mend_abort what);

/* agent.c: datagrams of r are read from now on; its set is waited for, false: with an errno value. */
void mend_agent_listen(struct job *job, const struct rank *r);
bool mend_agent_listen_to_set(struct job *job, const struct rank *r);
bool mend_agent_listen_to_door(struct job *job, int fd, bool port); /* else a caller */

/* keeper.c: starts the process that cleans up behind a killed launcher; ends it. */
void mend_keeper_start(struct job *job);
void mend_keeper_end(struct job *job);

/* keeper.c: says so if the keeper has continued this process. */
void mend_keeper_has_revived(struct job *job);

/* How far a process of this job is in MPI, as it says itself. */
static inline enum mend_presence mend_rank_presence(const struct job *job, int i)
{
    return mend_load_acquire(&mend_node_process_of(job->shm, i)->presence);
}

/* By the main thread: its child is a zombie. */
static inline bool mend_rank_has_ended(const struct rank *r)
{
    return r->state.child == MEND_CHILD_ENDED;
}

/* Without the lock: it was declared dead. */
static inline bool mend_rank_is_dead(const struct job *job, int i)
{
    return mend_load_acquire(&job->rank[i].shared->fate) != 0;
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

/* Sends a signal to the process that is the rank, if it is still there. */
bool mend_rank_signal(const struct rank *r, int sig); /* false: it did not reach it */

/* blocked.c: carries out the injections whose waiting ranks wait; returns when to look again. */
mend_time_ns mend_blocked_look(struct job *job, mend_time_ns now);

/* agent.c: runs the job until its last rank has ended; kills all ranks; r was seen stopped, or going on. */
void mend_agent_run(struct job *job);
void mend_agent_kill(struct job *job);
void mend_agent_stopped(struct job *job, struct rank *r, bool stopped);
void mend_agent_inject(struct job *job, struct mend_injection *in); /* from outside of the rank */

/* control.c: the datagrams of a rank; those of ranks whose deaths wait for that. */
void mend_control_read(struct job *job, struct rank *r);
void mend_control_last_words(struct job *job);

/* inject.c: tells what was chosen at random; rank has carried out its injection of that number; says which have not
 * happened, true: there is one. */
void mend_injections_say(struct job *job);
void mend_injection_happened(struct job *job, int rank, int number);
bool mend_injections_missed(struct job *job);

/* waits.c: prints what each rank waits for; takes up to a second. */
void mend_waits_print(struct job *job);

/* calls.c: says which of the ranks that answer are in collective calls that do not match, and which have not
 * entered those that do. */
void mend_calls_compare(struct job *job, const bool *answers);

/* sweep.c: kills what the ranks left behind. */
void mend_sweep_group(const struct rank *r);
void mend_sweep_all(struct job *job);
void mend_sweep_names(const struct job *job); /* that processes of it have published */

/* sweep.c: after that the numbers of the ranks' processes may be those of others. */
void mend_sweep_reap(struct job *job);

/* report.c: messages on standard error, lines of the --report file. */
void mend_report_open(struct job *job);
void mend_report_line(struct job *job, mend_time_ns when, const char *text);
/* mend_report(job, when, verdict, .rank = 3, .number = 0): that line of lines.def */
#define mend_report(job_, when_, line_, ...)                                                       \
    do {                                                                                           \
        char text_[MEND_LINE_BYTES];                                                               \
                                                                                                   \
        if ((job_)->report_fd >= 0 &&                                                              \
            mend_line_##line_##_text(text_, &(struct mend_line_##line_){__VA_ARGS__}))             \
            mend_report_line((job_), (when_), text_);                                              \
    } while (0)
void mend_report_text(struct job *job, int rank, const char *text, size_t len);
void mend_say(struct job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* about what r did, so below what it has printed before */
void mend_say_of(struct job *job, const struct rank *r, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void mend_announce_deaths(struct job *job);
void mend_report_exits(struct job *job); /* how each rank's process ended */

#endif
