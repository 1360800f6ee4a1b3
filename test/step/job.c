/* SPDX-License-Identifier: BSD-3-Clause */
/* job.c – one job: started, stepped, waited for, judged; and whether anything is left of it.
 *
 * Nothing may outlive the launcher.  Processes that lose their parent become children of the stepper (it
 * is a "child subreaper"), so a process that was left behind is a child that we did not start; files are
 * seen because the job's TMPDIR is ours and empty.
 *
 *   R22: the job's status is 0 only if all deaths were handled */
#include "step.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARGS_MAX      64
#define OUTPUT_MAX    20000
#define ORPHANS_MAX_S 1 /* a killed process may take a moment to go */

double step_now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Each complaint begins a new line. */
void step_complain(struct step_run *r, const char *format, ...)
{
    size_t n = strlen(r->trouble);
    va_list ap;

    if (n && n + 1 < sizeof r->trouble)
        r->trouble[n++] = '\n';
    va_start(ap, format);
    vsnprintf(r->trouble + n, sizeof r->trouble - n, format, ap);
    va_end(ap);
}

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "step: %s: %s\n", what, strerror(errno));
    exit(2);
}

static const char *path_in(const struct step_options *o, const char *name)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", o->directory, name);
    return path;
}

void step_job_open(struct step_job *job, struct step_options *o)
{
    const char *tmp = getenv("TMPDIR");
    int fd;

    *job = (struct step_job){.o = o};
    snprintf(o->directory, sizeof o->directory, "%.40s/mend-step-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(o->directory) || mkdir(path_in(o, "left"), 0700) != 0)
        give_up(o->directory);
    fd = open(path_in(o, "board"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof *job->board) != 0)
        give_up("board");
    job->board = mmap(NULL, sizeof *job->board, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (job->board == MAP_FAILED)
        give_up("board");
    close(fd);
    sched_getaffinity(0, sizeof job->cores, &job->cores);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void step_job_close(struct step_job *job)
{
    munmap(job->board, sizeof *job->board);
    unlink(path_in(job->o, "board"));
    unlink(path_in(job->o, "output"));
    rmdir(path_in(job->o, "left"));
    rmdir(job->o->directory);
}

/* ---- start ---- */

static void set_environment(struct step_job *job)
{
    extern char **environ;
    char **e = environ;

    while (*e) { /* nothing from outside decides how the library works */
        if (strncmp(*e, "MEND_", 5) == 0) {
            char name[128];

            snprintf(name, sizeof name, "%.*s", (int)strcspn(*e, "="), *e);
            unsetenv(name);
            e = environ;
        } else {
            e++;
        }
    }
    setenv("TMPDIR", path_in(job->o, "left"), 1);
    setenv("MEND_STEP_BOARD", path_in(job->o, "board"), 1);
    setenv("LD_BIND_NOW", "1", 1); /* the first call of a function shall not be longer */
    /* A copy is many instructions, not one that the processor repeats: so it is killed within. */
    setenv("GLIBC_TUNABLES", "glibc.cpu.x86_rep_movsb_threshold=1000000000", 1);
}

static _Noreturn void become_job(struct step_job *job, const struct step_run *r)
{
    int out = open(path_in(job->o, "output"), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    char ranks[16], settings[256], *argv[ARGS_MAX], **a = argv;

    snprintf(ranks, sizeof ranks, "%d", r->call->ranks);
    snprintf(settings, sizeof settings, "%s", r->call->settings);
    *a++ = (char *)job->o->mpiexec;
    *a++ = "--lenient-exit";
    *a++ = "--bind-to";
    *a++ = "none";
    for (char *s = strtok(settings, " "); s; s = strtok(NULL, " ")) {
        *a++ = "--set";
        *a++ = s;
    }
    *a++ = "-n";
    *a++ = ranks;
    *a++ = (char *)job->o->program;
    *a++ = (char *)r->call->name;
    *a = NULL;
    setsid();
    personality(ADDR_NO_RANDOMIZE);                       /* trail.c */
    sched_setaffinity(0, sizeof job->cores, &job->cores); /* undoes share_a_core() for us */
    dup2(open("/dev/null", O_RDONLY), 0);
    dup2(out, 1);
    dup2(out, 2);
    set_environment(job);
    execv(argv[0], argv);
    perror(argv[0]);
    _exit(127);
}

/* ---- end ---- */

bool step_job_ended(struct step_job *job)
{
    if (job->mpiexec && waitpid(job->mpiexec, &job->status, WNOHANG) == job->mpiexec)
        job->mpiexec = 0;
    return !job->mpiexec;
}

/* Waits for the end of the launcher, `limit_s` at most. */
static bool ends_within(struct step_job *job, double limit_s)
{
    double until = step_now_s() + limit_s;
    struct pollfd p = {.events = POLLIN};

    p.fd = job->mpiexec ? (int)syscall(SYS_pidfd_open, job->mpiexec, 0) : -1;
    while (!step_job_ended(job) && step_now_s() < until)
        poll(&p, 1, (int)((until - step_now_s()) * 1000) + 1);
    if (p.fd >= 0)
        close(p.fd);
    return !job->mpiexec;
}

/* The launcher says what each rank waits for, and goes; its ranks go with it. */
static void end_by_force(struct step_job *job)
{
    if (!job->mpiexec)
        return;
    kill(job->mpiexec, SIGUSR1);
    if (ends_within(job, 0.5))
        return;
    kill(job->mpiexec, SIGKILL);
    waitpid(job->mpiexec, &job->status, 0);
    job->mpiexec = 0;
}

/* Reaps what has ended.  True if there are no children any more. */
static bool no_children(void)
{
    pid_t pid;

    while ((pid = waitpid(-1, NULL, WNOHANG | __WALL)) > 0)
        ;
    return pid < 0 && errno == ECHILD;
}

/* Children that we did not start are what the job left behind. */
static void check_processes(struct step_run *r)
{
    double until = step_now_s() + ORPHANS_MAX_S;
    char path[64];
    FILE *f;
    int pid;

    while (!no_children() && step_now_s() < until)
        usleep(200);
    if (no_children())
        return;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    f = fopen(path, "re");
    while (f && fscanf(f, "%d", &pid) == 1) {
        step_complain(r, "process %d was left behind", pid);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, __WALL);
    }
    if (f)
        fclose(f);
}

/* Files in `folder` with `part` in their names, but those of a benchmark beside this run; they are complained of, and removed, if
 * `r`. */
static int count_files(const char *folder, const char *part, struct step_run *r)
{
    DIR *d = opendir(folder);
    int n = 0;

    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.' || !strstr(e->d_name, part) ||
            strncmp(e->d_name, "mend-bench-", 11) == 0)
            continue;
        n++;
        if (!r)
            continue;
        step_complain(r, "%s/%s was left behind", folder, e->d_name);
        unlinkat(dirfd(d), e->d_name, 0);
    }
    if (d)
        closedir(d);
    return n;
}

/* ---- judgement ---- */

static int count_in_output(struct step_job *job, const char *word)
{
    static char text[OUTPUT_MAX + 1];
    int fd = open(path_in(job->o, "output"), O_RDONLY | O_CLOEXEC), n = 0;
    ssize_t len = fd < 0 ? 0 : read(fd, text, OUTPUT_MAX);

    if (fd >= 0)
        close(fd);
    text[len > 0 ? len : 0] = '\0';
    for (const char *p = text; (p = strstr(p, word)); p++)
        n++;
    return n;
}

void step_job_print_output(struct step_job *job)
{
    FILE *f = fopen(path_in(job->o, "output"), "re");
    char line[1024];

    while (f && fgets(line, sizeof line, f))
        printf("     | %s", line);
    if (f)
        fclose(f);
}

static void judge_survivor(struct step_run *r, int i, const struct step_rank *one)
{
    static const char *const names[] = {"nothing", "success", "PROC_FAILED", "REVOKED",
                                        "another error"};
    int rules = r->call->rules, got = one->got;

    if (one->wrong[0])
        step_complain(r, "%.*s", STEP_TEXT_MAX, one->wrong);
    else if (!one->done)
        step_complain(r, "rank %d did not get through; from the call it got %s", i, names[got]);
    if (got == STEP_GOT_OTHER || (got == STEP_GOT_REVOKED && !(rules & STEP_REVOKES)))
        step_complain(r, "rank %d got %s", i, names[got]);
    if (r->returned && rules & STEP_DELIVERS && got != STEP_GOT_SUCCESS)
        step_complain(r, "rank %d got %s, but the victim's call had returned", i, names[got]);
    if (r->at == 1 && !r->returned && !(rules & STEP_ALONE) && got == STEP_GOT_SUCCESS)
        step_complain(r, "rank %d got success, but the victim's call had not begun", i);
}

static void judge_survivors(struct step_job *job, struct step_run *r)
{
    const struct step_rank *first = NULL;

    for (int i = 0; i < r->call->ranks; i++) {
        const struct step_rank *one = &job->board->rank[i];

        if (i == r->call->victim)
            continue;
        judge_survivor(r, i, one);
        if (first && r->call->rules & STEP_UNIFORM &&
            (one->got != first->got || one->value != first->value))
            step_complain(r, "the survivors differ: class %d and value %#x, class %d and value %#x",
                          first->got, first->value, one->got, one->value);
        first = first ? first : one;
    }
}

/* Ruling R22, with --lenient-exit: a rank that was killed does not count; whether a survivor is told of it depends on
 * the instruction. */
static void judge_launcher(struct step_job *job, struct step_run *r)
{
    int deaths = count_in_output(job, "mend: rank ");

    if (!WIFEXITED(job->status) || WEXITSTATUS(job->status) != 0)
        step_complain(r, "mpiexec ended with %s %d", WIFEXITED(job->status) ? "status" : "signal",
                      WIFEXITED(job->status) ? WEXITSTATUS(job->status) : WTERMSIG(job->status));
    if (deaths != 1)
        step_complain(r, "%d deaths were reported", deaths);
}

static void finish(struct step_job *job, struct step_run *r, bool killed)
{
    double begin = step_now_s();
    bool ended = killed && ends_within(job, job->o->limit_s);

    r->end_s = step_now_s() - begin;
    if (killed && !ended)
        step_complain(r, "hang: the job still runs %g s after the kill", job->o->limit_s);
    end_by_force(job);
    if (ended)
        judge_launcher(job, r);
    if (killed)
        judge_survivors(job, r);
}

void step_job_run(struct step_job *job, struct step_run *r)
{
    int segments = count_files("/dev/shm", "mend", NULL);

    memset(job->board, 0, sizeof *job->board);
    job->status = 0;
    job->mpiexec = fork();
    if (job->mpiexec < 0)
        give_up("fork");
    if (job->mpiexec == 0)
        become_job(job, r);
    finish(job, r, step_trace(job, r));
    check_processes(r);
    count_files(path_in(job->o, "left"), "", r);
    if (count_files("/dev/shm", "mend", NULL) > segments)
        count_files("/dev/shm", "mend", r);
}
