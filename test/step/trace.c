/* SPDX-License-Identifier: BSD-3-Clause */
/* trace.c – takes hold of one rank, lets it execute so many instructions, kills it.
 *
 * The rank is a grandchild and the launcher's to wait for; so the stepper seizes it (PTRACE_SEIZE), and
 * what the launcher sees of it is the same as without: stops for a tracer are not reported to parents,
 * and the end is, as soon as the tracer has taken note of it.
 *
 * Both share a core: a step is two switches between them, which is five times as fast within a core.
 *
 * A system call is one step, however long it sleeps.  An instruction counts the first PASSES_MAX times that
 * the call executes it: so a copy counts with all its loops, and a wait that polls does not count for
 * ever. */
#include "step.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MS        5 /* how often to look whether the victim sleeps */
#define PASSES_MAX     64
#define PLACES_MAX     8192
#define PROBES_MAX     64
#define READY_MAX_S    1
#define FALL_ASLEEP_US 3000

static void on_tick(int sig)
{
    (void)sig; /* it interrupts waitpid() */
}

static void tick_every(long ms)
{
    struct sigaction on = {.sa_handler = on_tick};
    struct itimerval t = {{0, ms * 1000}, {0, ms * 1000}};

    sigaction(SIGALRM, &on, NULL);
    setitimer(ITIMER_REAL, &t, NULL);
}

/* The last one that we may use. */
static void share_a_core(struct step_job *job, pid_t pid)
{
    pid_t both[] = {0, pid};
    cpu_set_t set;
    int cpu = 0;

    for (int i = 0; i < CPU_SETSIZE; i++)
        cpu = CPU_ISSET(i, &job->cores) ? i : cpu;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    for (int i = 0; i < 2; i++)
        sched_setaffinity(both[i], sizeof set, &set);
}

/* ---- the others ---- */

static bool sleeps(pid_t pid)
{
    char path[64], text[512], *state = NULL;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    f = fopen(path, "re");
    if (!f)
        return false;
    if (fgets(text, sizeof text, f))
        state = strrchr(text, ')');
    fclose(f);
    return state && state[2] == 'S';
}

static bool others(struct step_job *job, const struct step_run *r, bool asleep)
{
    for (int i = 0; i < r->call->ranks; i++) {
        struct step_rank *one = &job->board->rank[i];

        if (i != r->call->victim && (!one->ready || (asleep && !sleeps(one->pid))))
            return false;
    }
    return true;
}

/* Survivors that come first are in their calls now, and asleep if that kind of waiting sleeps.  It
 * decides what is tested, not whether the test holds. */
static void let_others_settle(struct step_job *job, const struct step_run *r)
{
    double until = step_now_s() + READY_MAX_S;
    int us = 0;

    if (r->call->when >= 0)
        return;
    while (!others(job, r, false) && step_now_s() < until)
        usleep(100);
    if (r->call->when == STEP_PEERS_FIRST)
        for (; !others(job, r, true) && us < FALL_ASLEEP_US; us += 200)
            usleep(200);
}

/* ---- the victim ---- */

static bool wait_for_pid(struct step_job *job, struct step_run *r, pid_t *pid_p)
{
    double until = step_now_s() + job->o->limit_s;

    while (!(*pid_p = job->board->rank[r->call->victim].pid)) {
        if (step_now_s() > until) {
            step_complain(r, "the victim did not reach its mark within %g s", job->o->limit_s);
            return false;
        }
        if (step_job_ended(job)) {
            step_complain(r, "the job ended before the victim reached its mark");
            return false;
        }
        usleep(200);
    }
    return true;
}

struct victim {
    pid_t pid;
    int status;     /* of its last stop */
    double until_s; /* no longer than that */
    bool hurries;   /* it runs to a breakpoint */
};

/* While it makes no stop: when it sleeps in a system call, or waits at full speed, late survivors begin;
 * when its call has returned without coming by the breakpoint, it is stopped. */
static void look_after(struct step_job *job, struct step_run *r, struct victim *v)
{
    if (sleeps(v->pid) || (v->hurries && r->call->when > 0))
        job->board->go = 1;
    if (v->hurries && job->board->inside == STEP_RETURNED)
        ptrace(PTRACE_INTERRUPT, v->pid, NULL, NULL);
}

static bool next_stop(struct step_job *job, struct step_run *r, struct victim *v)
{
    while (waitpid(v->pid, &v->status, __WALL) != v->pid) {
        if (errno != EINTR) {
            step_complain(r, "waiting for the victim: %s", strerror(errno));
            return false;
        }
        look_after(job, r, v);
        if (step_now_s() > v->until_s) {
            step_complain(r, "the victim is stuck after %ld steps", r->steps);
            kill(v->pid, SIGKILL);
            waitpid(v->pid, &v->status, __WALL);
            return false;
        }
    }
    if (WIFSTOPPED(v->status))
        return true;
    step_complain(r, "the victim ended by itself after %ld steps (status %#x)", r->steps,
                  v->status);
    return false;
}

/* How often the call has come by each instruction. */
static struct {
    unsigned long pc;
    int n;
} passes[PLACES_MAX];

static bool counts(unsigned long pc)
{
    size_t i = (pc * UINT64_C(0x9e3779b97f4a7c15)) >> 32;

    for (int probes = 0; probes < PROBES_MAX; probes++, i++) {
        if (passes[i % PLACES_MAX].n && passes[i % PLACES_MAX].pc != pc)
            continue;
        passes[i % PLACES_MAX].pc = pc;
        return passes[i % PLACES_MAX].n++ < PASSES_MAX;
    }
    return true; /* a crowded table */
}

/* FILE+OFFSET, the same in every run, and what addr2line wants. */
static void note_where(struct step_run *r, pid_t pid)
{
    unsigned long pc = step_pc(pid), from, to, offset;
    char path[64], line[512], file[256];
    FILE *f;

    snprintf(r->where, sizeof r->where, "%#lx", pc);
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &from, &to, &offset, file) != 4 ||
            pc < from || pc >= to)
            continue;
        snprintf(r->where, sizeof r->where, "%.150s+%#lx",
                 strrchr(file, '/') ? strrchr(file, '/') + 1 : file, pc - from + offset);
    }
    if (f)
        fclose(f);
}

/* Lets the victim go, by one step or until it stops, and waits for it.  Signals that are not ours are
 * handed on. */
static bool go_on(struct step_job *job, struct step_run *r, struct victim *v,
                  enum __ptrace_request how)
{
    int sig = WSTOPSIG(v->status) == SIGTRAP || v->status >> 16 ? 0 : WSTOPSIG(v->status);

    if (ptrace(how, v->pid, NULL, (void *)(intptr_t)sig) != 0) {
        step_complain(r, "the victim does not go on: %s", strerror(errno));
        return false;
    }
    return next_stop(job, r, v);
}

/* To the last landmark before the place, if there is one (trail.c). */
static bool skip(struct step_job *job, struct step_run *r, struct victim *v)
{
    long i = step_trail_landmark(r->at), taken = 0;
    bool hit;

    if (i <= r->steps || !step_break_set(v->pid, step_trail_pc(i, &taken)))
        return true;
    v->hurries = true;
    do {
        if (!go_on(job, r, v, PTRACE_CONT))
            return false;
        hit = step_break_hit(v->pid);
    } while (!hit && job->board->inside == STEP_INSIDE);
    v->hurries = false;
    if (!step_break_clear(v->pid)) {
        step_complain(r, "the breakpoint stays: %s", strerror(errno));
        return false;
    }
    while (hit && r->steps < i)
        counts(step_trail_pc(++r->steps, &r->taken));
    if (r->call->when > 0 && r->steps >= r->call->when)
        job->board->go = 1;
    return true;
}

static void note_step(struct step_run *r, pid_t pid)
{
    unsigned long pc = step_pc(pid);

    r->steps++;
    r->taken += counts(pc);
    if (r->at == STEP_AFTER_RETURN)
        step_trail_note(pc, r->taken);
}

/* From the mark to the k-th instruction. */
static bool step_to_place(struct step_job *job, struct step_run *r, struct victim *v)
{
    struct step_board *b = job->board;

    for (;;) {
        if (!go_on(job, r, v, PTRACE_SINGLESTEP))
            return false;
        if (b->inside == STEP_INSIDE && WSTOPSIG(v->status) == SIGTRAP)
            note_step(r, v->pid);
        if (r->steps == 1 && r->at != STEP_AFTER_RETURN && !job->o->walk && !skip(job, r, v))
            return false;
        r->returned = b->inside == STEP_RETURNED;
        if (r->taken >= r->at || r->returned)
            return true;
        if (r->call->when > 0 && r->steps == r->call->when)
            b->go = 1;
    }
}

static void kill_here(struct step_job *job, struct step_run *r, pid_t pid)
{
    int status;

    note_where(r, pid);
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, __WALL) == pid ? WIFSTOPPED(status) : errno == EINTR)
        ;
    job->board->go = 1;
}

static bool take_hold(struct step_job *job, struct step_run *r, struct victim *v)
{
    if (!wait_for_pid(job, r, &v->pid))
        return false;
    share_a_core(job, v->pid);
    if (ptrace(PTRACE_SEIZE, v->pid, NULL, (void *)(uintptr_t)PTRACE_O_EXITKILL) == 0)
        return true;
    r->forbidden = errno == EPERM || errno == EACCES || errno == ENOSYS;
    step_complain(r, "tracing is not possible here: PTRACE_SEIZE: %s", strerror(errno));
    return false;
}

bool step_trace(struct step_job *job, struct step_run *r)
{
    struct victim v = {.until_s = step_now_s() + 6 * job->o->limit_s};
    bool good;

    if (!take_hold(job, r, &v))
        return false;
    memset(passes, 0, sizeof passes);
    if (r->at == STEP_AFTER_RETURN)
        step_trail_begin();
    tick_every(TICK_MS);
    job->board->attached = 1;
    good = next_stop(job, r, &v); /* at its mark */
    if (good)
        let_others_settle(job, r);
    good = good && step_to_place(job, r, &v);
    tick_every(0);
    if (r->at == STEP_AFTER_RETURN)
        step_trail_end();
    if (good)
        kill_here(job, r, v.pid);
    return good;
}
