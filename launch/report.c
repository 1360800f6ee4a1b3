/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c – messages to people and programs: lines on standard error, and the --report file.
 *
 * Every line of the report is a JSON object with "t_ns" (since the start of the job, monotonic) and
 * "event" (src/base/lines.def); it is written by one write(), so a reader that follows the file sees whole lines. */
#include "job.h"

#include "base/time.h"
#include "iof.h"
#include "node/log.h"
#include "verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CAUSE_WAIT_NS (2 * MEND_NS_PER_S)
#define COUNT_SHARE   20 /* one part of our time goes into counting survivors */

void mend_report_open(struct job *job)
{
    job->report_fd = -1;
    if (!job->o.report_path)
        return;
    job->report_fd =
        open(job->o.report_path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (job->report_fd < 0) {
        fprintf(stderr, "mpiexec: --report %s: %s\n", job->o.report_path, strerror(errno));
        exit(2);
    }
}

/* A report that is not complete says so: what cannot be written ends it. */
static void write_line(struct job *job, const char *line, size_t len)
{
    while (len) {
        ssize_t n = write(job->report_fd, line, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            mend_say(job, "mend: the report ends here: %s: %s", job->o.report_path,
                     strerror(errno));
            close(job->report_fd);
            job->report_fd = -1;
            return;
        }
        line += n;
        len -= (size_t)n;
    }
}

void mend_report_line(struct job *job, mend_time_ns when, const char *text)
{
    char line[MEND_LINE_BYTES + 32];
    int n = snprintf(line, sizeof(line), "{\"t_ns\":%llu,%s}\n",
                     (unsigned long long)(when - job->start_ns), text);

    write_line(job, line, (size_t)n);
}

void mend_report_text(struct job *job, int rank, const char *text, size_t len)
{
    char *line;

    if (job->report_fd < 0)
        return;
    line = mend_xprintf("{\"rank\":%d,%.*s}\n", rank, (int)len, text);
    write_line(job, line, strlen(line));
    free(line);
}

static void say_line(struct job *job, int rank, const char *format, va_list args)
{
    char line[1024];
    int n = vsnprintf(line, sizeof(line) - 1, format, args);

    if (n < 0)
        return;
    if ((size_t)n > sizeof(line) - 2)
        n = sizeof(line) - 2;
    line[n++] = '\n';
    mend_iof_message_of(job->iof, rank, line, (size_t)n);
}

void mend_say(struct job *job, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_line(job, -1, format, args);
    va_end(args);
}

void mend_say_of(struct job *job, const struct rank *r, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_line(job, r->index, format, args);
    va_end(args);
}

/* ---- deaths ---- */

static const char *const cause_names[] = {"unknown", "signal", "exit",     "abort",
                                          "stopped", "lost",   "suspected"};

/* "killed by signal 9 (Killed)" */
static void cause_text(const struct mend_verdict *v, char *buf, size_t size)
{
    switch (v->cause) {
    case MEND_VERDICT_SIGNAL:
        snprintf(buf, size, "killed by signal %d (%s)", v->code, strsignal(v->code));
        break;
    case MEND_VERDICT_EXIT:
        snprintf(buf, size, "ended with status %d without MPI_Finalize", v->code);
        break;
    case MEND_VERDICT_ABORT:
        snprintf(buf, size, "aborted with code %d", v->code);
        break;
    case MEND_VERDICT_STOPPED:
        snprintf(buf, size, "was stopped for too long and was killed");
        break;
    case MEND_VERDICT_SUSPECTED:
        snprintf(buf, size, "could not be reached by rank %d and was killed", v->code);
        break;
    default:
        snprintf(buf, size, "is dead");
    }
}

/* The kernel is asked about each, so with thousands of ranks deaths are told of together, after a while. */
static int count_living(struct job *job)
{
    mend_time_ns begin = mend_time_monotonic_ns();
    int n = 0;

    for (int i = 0; i < job->n; i++)
        n += !job->rank[i].guest_of && mend_rank_goes_on(job, &job->rank[i]);
    job->count_next_ns = begin + (mend_time_monotonic_ns() - begin) * COUNT_SHARE;
    return n;
}

/* A rank that never called MPI_Init and exited is dead for the others, but nobody wants to read it.
 */
static bool worth_a_line(const struct job *job, const struct rank *r)
{
    enum mend_presence presence = mend_rank_presence(job, r->index);

    return presence == MEND_PRESENCE_AWAY
               ? r->verdict.cause == MEND_VERDICT_SIGNAL
               : presence != MEND_PRESENCE_NONE || r->verdict.cause != MEND_VERDICT_EXIT;
}

static void say_death(struct job *job, const struct rank *r, int n)
{
    char text[128], others[64] = "";

    cause_text(&r->verdict, text, sizeof(text));
    if (n)
        snprintf(others, sizeof(others), "; %d rank%s on", n, n == 1 ? " goes" : "s go");
    mend_say_of(job, r, "mend: rank %d (pid %d, host %s) %s%s", r->index, mend_rank_named(r),
                job->shm->host, text, others);
}

/* living_p: how many go on, -1: not counted yet. */
static void announce(struct job *job, const struct rank *r, int *living_p)
{
    mend_report(job, r->verdict.when_ns, death, .rank = r->index, .pid = mend_rank_named(r),
                .seen_by = r->how, .cause = cause_names[r->verdict.cause], .code = r->verdict.code);
    mend_report(job, r->verdict_ns, verdict, .rank = r->index, .number = r->verdict_k);
    if (job->o.quiet || job->signal_seen || job->killing || job->aborted)
        return;
    if (*living_p < 0)
        *living_p = count_living(job);
    say_death(job, r, *living_p);
}

/* A copy of r under the lock, if its death is to be told of now, which counts as done. */
static bool ripe(struct job *job, struct rank *r, mend_time_ns now, struct rank *copy_p)
{
    bool ripe = false;

    pthread_mutex_lock(&job->lock);
    if (r->state.news == MEND_NEWS_DEAD) {
        ripe = now >= r->verdict_ns + CAUSE_WAIT_NS || r->verdict.cause != MEND_VERDICT_UNKNOWN ||
               (mend_rank_has_ended(r) && r->state.ending != MEND_ENDING_HELD);
        job->announce_at = ripe ? job->announce_at : now + CAUSE_WAIT_NS / 4;
        *copy_p = *r;
        if (ripe)
            mend_rank_step(&r->state, MEND_RANK_PRINT);
    }
    pthread_mutex_unlock(&job->lock);
    return ripe;
}

/* A verdict is older than its reason (verdict.c), so the line waits for the reason, but not long.  All deaths
 * reported here are in the log before the survivors are counted, so one number is true for them. */
void mend_announce_deaths(struct job *job)
{
    mend_time_ns now = mend_time_monotonic_ns();
    int living = -1;
    uint32_t deaths_n = mend_load_acquire(&job->shm->deaths_n); /* pairs with publish() */

    job->announce_at = MEND_TIME_NEVER;
    if (now < job->count_next_ns && job->alive_n) {
        job->announce_at = job->count_next_ns;
        return;
    }
    for (uint32_t k = 0; k < deaths_n; k++) {
        struct rank *r = &job->rank[mend_node_death_of(job->shm, k)->name];
        struct rank copy;

        if (!ripe(job, r, now, &copy))
            continue;
        if (worth_a_line(job, &copy))
            announce(job, &copy, &living);
    }
}

void mend_report_exits(struct job *job)
{
    for (int i = 0; i < job->n; i++) {
        const siginfo_t *exit = &job->rank[i].exit;

        if (job->rank[i].guest_of)
            continue;
        if (exit->si_code == CLD_EXITED)
            mend_say(job, "mend: rank %d ended with status %d", i, exit->si_status);
        else
            mend_say(job, "mend: rank %d was killed by signal %d (%s)", i, exit->si_status,
                     strsignal(exit->si_status));
    }
}
