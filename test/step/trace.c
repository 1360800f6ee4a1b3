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

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
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

/* The next stop of the victim.  When it sleeps in a system call, late survivors begin. */
static bool next_stop(struct step_job *job, struct step_run *r, pid_t pid, double until,
                      int *status_p)
{
    while (waitpid(pid, status_p, __WALL) != pid) {
        if (errno != EINTR) {
            step_complain(r, "waiting for the victim: %s", strerror(errno));
            return false;
        }
        if (sleeps(pid))
            job->board->go = 1;
        if (step_now_s() > until) {
            step_complain(r, "the victim is stuck after %ld steps", r->steps);
            kill(pid, SIGKILL);
            waitpid(pid, status_p, __WALL);
            return false;
        }
    }
    if (WIFSTOPPED(*status_p))
        return true;
    step_complain(r, "the victim ended by itself after %ld steps (status %#x)", r->steps,
                  *status_p);
    return false;
}

static unsigned long program_counter(pid_t pid)
{
    struct user_regs_struct regs = {0};
    struct iovec io = {&regs, sizeof regs};

    if (ptrace(PTRACE_GETREGSET, pid, (void *)(uintptr_t)NT_PRSTATUS, &io) != 0)
        return 0;
#if defined(__x86_64__)
    return regs.rip;
#elif defined(__aarch64__)
    return regs.pc;
#else
#error "where is the program counter?"
#endif
}

/* How often the call has come by each instruction. */
static struct {
    unsigned long pc;
    int n;
} passes[PLACES_MAX];

static bool counts(pid_t pid)
{
    unsigned long pc = program_counter(pid);
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
    unsigned long pc = program_counter(pid), from, to, offset;
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

/* From the mark to the k-th instruction.  Signals that are none of ours are handed on. */
static bool step_to_place(struct step_job *job, struct step_run *r, pid_t pid)
{
    struct step_board *b = job->board;
    double until = step_now_s() + 6 * job->o->limit_s;
    int status, sig;

    memset(passes, 0, sizeof passes);
    if (!next_stop(job, r, pid, until, &status))
        return false;
    let_others_settle(job, r);
    for (;;) {
        sig = WSTOPSIG(status) == SIGTRAP || status >> 16 ? 0 : WSTOPSIG(status);
        if (ptrace(PTRACE_SINGLESTEP, pid, NULL, (void *)(intptr_t)sig) != 0) {
            step_complain(r, "PTRACE_SINGLESTEP: %s", strerror(errno));
            return false;
        }
        if (!next_stop(job, r, pid, until, &status))
            return false;
        if (b->inside == STEP_INSIDE && WSTOPSIG(status) == SIGTRAP) {
            r->steps++;
            r->taken += counts(pid);
        }
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

bool step_trace(struct step_job *job, struct step_run *r)
{
    bool good;
    pid_t pid;

    if (!wait_for_pid(job, r, &pid))
        return false;
    share_a_core(job, pid);
    if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)(uintptr_t)PTRACE_O_EXITKILL) != 0) {
        r->forbidden = errno == EPERM || errno == EACCES || errno == ENOSYS;
        step_complain(r, "tracing is not possible here: PTRACE_SEIZE: %s", strerror(errno));
        return false;
    }
    tick_every(TICK_MS);
    job->board->attached = 1;
    good = step_to_place(job, r, pid);
    tick_every(0);
    if (good)
        kill_here(job, r, pid);
    return good;
}
