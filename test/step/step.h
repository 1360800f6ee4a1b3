/* SPDX-License-Identifier: BSD-3-Clause */
/* step.h – what the parts of the stepper share.
 *
 *   step.c    which call is killed after which instruction; sums
 *   job.c     one job: started, waited for with a limit, judged, looked after
 *   trace.c   one rank: taken hold of, stepped, killed
 *   trail.c   the way to an instruction without a stop at each before it
 *   self.c    the stepper finds what it is there to find */
#ifndef TEST_STEP_STEP_H
#define TEST_STEP_STEP_H

#include "board.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define STEP_AFTER_RETURN LONG_MAX

struct step_call {
    const char *name;
    int ranks, victim, when, rules;
    const char *settings;
};

struct step_options {
    const char *mpiexec, *program;
    char directory[64]; /* of this stepper: board, output, left/ */
    double limit_s;     /* from the kill to the end of the job, and from the start to the mark */
    bool verbose, walk; /* walk: step from the beginning */
};

/* One job and what became of it. */
struct step_run {
    const struct step_call *call;
    long
        at; /* the victim dies when it has executed that many instructions of the call, or returned */
    long taken; /* what counts of the steps inside of the call (trace.c) */
    long steps;
    bool returned;
    char where[192]; /* FILE+OFFSET of the instruction that it did not execute any more */
    double end_s;    /* from the kill to the end of the job */
    char trouble[1024];
    bool forbidden; /* tracing is not possible here */
};

struct step_job {
    const struct step_options *o;
    struct step_board *board;
    pid_t mpiexec;   /* 0: ended and reaped */
    int status;      /* then */
    cpu_set_t cores; /* that the job may use */
};

extern const struct step_call step_calls[];
extern const int step_calls_n;

double step_now_s(void);
void step_complain(struct step_run *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A directory, a board, and no processes but our own (job.c). */
void step_job_open(struct step_job *job, struct step_options *o);
void step_job_close(struct step_job *job);
/* Runs r->call with a kill at r->at.  Blocks for at most three times the limit.  r->trouble is empty if
 * all was as it must be. */
void step_job_run(struct step_job *job, struct step_run *r);
void step_job_print_output(struct step_job *job);
/* True if the launcher has ended; it is reaped then. */
bool step_job_ended(struct step_job *job);

/* Takes hold of the victim, steps it, kills it (trace.c).  False: it was not killed as told. */
bool step_trace(struct step_job *job, struct step_run *r);

/* The trail of a whole call: where the victim stood after each step, and how many of them counted. */
void step_trail_begin(void);
void step_trail_note(unsigned long pc, long taken);
void step_trail_end(void);
/* The last step before the at-th instruction that counts, after which the victim stands where it does not
 * stand a second time; 0: none. */
long step_trail_landmark(long at);
unsigned long step_trail_pc(long i, long *taken_p);

/* One breakpoint, in a victim that stands still.  Clearing makes a victim that has hit it stand there. */
unsigned long step_pc(pid_t pid);
bool step_break_set(pid_t pid, unsigned long pc);
bool step_break_hit(pid_t pid);
bool step_break_clear(pid_t pid);

/* Returns the number of checks that failed; *passed_p: that passed (self.c). */
long step_self_test(const struct step_options *o, long *passed_p);

#endif
