/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h – a whole job of the real library in one process: level 2 of the simulator.
 *
 * Every rank is a struct mend_proc and a fiber that runs the test program's main().  A fiber runs until
 * its library waits (req/wait.c calls self->yield); then the scheduler picks the next one.  Time is the
 * number of steps.  One seed determines everything: which rank runs, when a frame arrives, when verdicts come.
 *
 *   scheduler ──switch──> fiber r: main() -> MPI_X -> mend_wait -> yield ──switch──> scheduler
 *
 * A kill ends a fiber at one of its yields, in a call of the system on a file (job_files.c) too, or when it is about to
 * send one of its frames: it is never
 * resumed, the frames that it has sent stay, and after a while there is a verdict.  The ranks learn of
 * it at different times, and each in its own order; of the victims of one abort it learns at once.
 * With --nodes the verdicts are a log, which each node gets in this order and at its own time, and each of its ranks behind
 * that; a node that is lost takes all of its ranks with it, by verdicts that are given together; and of what a dead rank had sent to
 * other nodes the end may be lost.  A suspicion is a verdict on a rank that continues for
 * SIM_GRACE of its yields and still sends; Mend's agent does not do that, it kills before it reports.  A pause:
 * a rank does not run for a long time, while the others do much, like a rank that computes outside MPI. */
#ifndef MEND_SIM_JOB_H
#define MEND_SIM_JOB_H

#include "net/net.h"
#include "proc/proc.h"
#include "rt/rt.h"

#include <ucontext.h>

enum sim_fate { SIM_RUNNING, SIM_RETURNED, SIM_KILLED };

#define SIM_GRACE       30
#define SIM_STACK_BYTES ((size_t)512 * 1024)
#define SIM_PAUSE       2500 /* turns of every rank */

struct sim_point; /* job_point.c */

/* A frame on its way. */
struct sim_frame {
    struct sim_frame *next;
    uint64_t not_before; /* step at which it may arrive */
    struct mend_frame frame;
    unsigned char payload[];
};

struct sim_rank {
    struct mend_proc *proc;
    ucontext_t context;
    char *stack;
    enum sim_fate fate;
    int status;                      /* of main(), or of the abort */
    uint64_t yields;                 /* so far */
    uint64_t sends;                  /* frames, so far */
    uint64_t progress;               /* frames it received plus yields after which it moved on */
    _Atomic uint32_t presence;       /* enum mend_presence */
    struct sim_point *point;         /* job_point.c; NULL: none */
    bool rolls_back;                 /* to it, with its next turn */
    _Atomic uint32_t interrupt;      /* verdicts and revocations that it may know of */
    uint32_t known;                  /* verdicts of these: as many of `log` */
    int revoked_n;                   /* revocations: as many of job->revoked */
    int *log;                        /* their numbers in job->verdicts, in its order */
    bool *heard;                     /* by number in job->verdicts */
    bool declared;                   /* there is a verdict on it */
    uint64_t doomed_at;              /* yield at which it is killed, UINT64_MAX: never */
    uint64_t suspected_at, muted_at; /* yield at which it is declared dead; frame that it dies of */
    uint64_t lost_at;                /* yield at which its node is lost */
    uint64_t paused_at, back_at; /* yield after which it computes outside of MPI; step of its end */
};

struct sim_verdict {
    struct mend_death
        death;     /* first: of those that were given together, the number of the first one */
    uint64_t step; /* when the first ranks may learn of it */
};

struct sim_revocation {
    uint64_t ctx;
    uint64_t step; /* when the first ranks may learn of it */
};

struct sim_request; /* job_start.c */

struct sim_job {
    int n, max;  /* processes so far; room for more */
    int first_n; /* those that the job began with */
    int nodes;   /* 0: no log, and all frames arrive */
    struct sim_request *requests;
    uint64_t seed, random, step, frames;
    struct sim_rank *rank;
    struct sim_frame **first, ***last; /* [to * max + from]: in flight, in order */
    unsigned char *reserved;           /* payload of the one open reservation */
    struct sim_verdict *verdicts;
    int verdicts_n, running;
    struct sim_revocation *revoked; /* in one order for all */
    int revoked_n;
    uint64_t
        lag; /* steps between the first and the last rank that learns of a verdict, or a revocation */
    uint32_t room; /* frames that may be on their way between two ranks; 0: no limit */
    ucontext_t scheduler;
    int current; /* the rank whose fiber runs, -1: none */
};

extern struct sim_job *sim_job; /* the one that runs */
extern const struct mend_net sim_net;
extern const struct mend_rt sim_rt;

/* A number below n (n > 0). */
uint64_t sim_random(struct sim_job *job, uint64_t n);

/* A verdict on a rank, unless there is one: ranks learn of it some steps later. */
void sim_declare(struct sim_job *job, int rank, enum mend_cause cause, int code);

/* A context is revoked, unless it was: ranks learn of it some steps later, also if the one that says so dies. */
void sim_revoke(struct sim_job *job, uint64_t ctx);

/* Ends a rank as SIGKILL would, and declares it dead. */
void sim_kill(struct sim_job *job, int rank, enum mend_cause cause, int code);

/* The same with all ranks of its node. */
void sim_lose_node(struct sim_job *job, int rank);

/* job_net.c: the end of what a rank that has died had sent to other nodes is lost. */
void sim_lose_frames(struct sim_job *job, int from);

/* The same with those of the ranks that run, by verdicts that are given together. */
void sim_abort_all(struct sim_job *job, const mend_peer *ranks, uint32_t n, int code);

/* Ends the running rank as _exit() would; does not return. */
_Noreturn void sim_leave(struct sim_job *job, int rank, int status);

/* A new process, which will run the program. */
struct sim_rank *sim_add_rank(struct sim_job *job);

/* A process asks for others (rt/spawn.h); the scheduler lets the starter look at what was asked. */
bool sim_ask(struct sim_job *job, int fd);
void sim_start_asked(struct sim_job *job);

/* job_point.c: the rank goes on where it has made its safe point. */
void sim_roll_back(struct sim_rank *rank);

/* job_files.c: the kernel closes what a process that has ended had open. */
void sim_close_files(int rank);

/* The main() of the test program, renamed when it is compiled. */
int sim_program_main(int argc, char **argv);

/* Those that join are spread over all. */
static inline int sim_node_of(const struct sim_job *job, int rank)
{
    if (!job->nodes)
        return 0;
    return rank < job->first_n ? rank * job->nodes / job->first_n : rank % job->nodes;
}

static inline int sim_rank_of(const struct mend_proc *self)
{
    return (int)self->me;
}

#endif
