/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c – messages to people and programs: lines on standard error, and the --report file.
 *
 * Every line of the report is a JSON object with "t_ns" (since the start of the job, monotonic) and
 * "event" (src/base/lines.def); it is written by one write(), so a reader that follows the file sees whole lines. */
#include "root/root.h"

#include "base/time.h"
#include "ft/detector_sm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void mend_root_open_report(struct root *root)
{
    root->report_fd = -1;
    if (!root->o->report_path)
        return;
    root->report_fd =
        open(root->o->report_path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (root->report_fd < 0) {
        fprintf(stderr, "mpiexec: --report %s: %s\n", root->o->report_path, strerror(errno));
        exit(2);
    }
}

/* A report that is not complete says so: what cannot be written ends it. */
static void write_line(struct root *root, const char *line, size_t len)
{
    while (len) {
        ssize_t n = write(root->report_fd, line, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            mend_root_say(root, "mend: the report ends here: %s: %s", root->o->report_path,
                          strerror(errno));
            close(root->report_fd);
            root->report_fd = -1;
            return;
        }
        line += n;
        len -= (size_t)n;
    }
}

void mend_root_line(struct root *root, mend_time_ns since_start, const char *text)
{
    char line[MEND_LINE_BYTES + 32];
    int n =
        snprintf(line, sizeof(line), "{\"t_ns\":%llu,%s}\n", (unsigned long long)since_start, text);

    if (root->report_fd >= 0)
        write_line(root, line, (size_t)n);
}

static int64_t time_of(const struct root *root)
{
    return (int64_t)(mend_time_monotonic_ns() - root->start_ns);
}

/* By what is known of the agent's start; never later than now. */
static mend_time_ns date(const struct root_node *node, int64_t since_its_start)
{
    int64_t now = time_of(node->root), at = now;

    if (since_its_start < now - node->start_ns)
        at = since_its_start + node->start_ns;
    return at > 0 ? (mend_time_ns)at : 0;
}

/* No clocks are compared.  What a node says of a moment arrives after that moment, so each message gives an upper bound for the time at which
 * the node's agent began; the smallest bound is used. */
mend_time_ns mend_root_date(struct root_node *node, int64_t since_its_start)
{
    int64_t bound = time_of(node->root) - since_its_start;

    if (node->root->nodes_n > 1 && bound < node->start_ns)
        node->start_ns = bound;
    return date(node, since_its_start);
}

/* A program may write anything, so the time of its line says nothing of when its agent began. */
void mend_root_text(struct root_node *node, int rank, const char *text, size_t len)
{
    static const char head[] = "\"t_ns\":";
    struct root *root = node->root;
    char *copy, *rest, *line;

    if (root->report_fd < 0)
        return;
    copy = mend_xprintf("%.*s", (int)len, text);
    if (!strncmp(copy, head, sizeof(head) - 1)) {
        int64_t at = strtoll(copy + sizeof(head) - 1, &rest, 10);

        line = mend_xprintf("{\"rank\":%d,%s%llu%s}\n", rank, head,
                            (unsigned long long)date(node, at), rest);
        write_line(root, line, strlen(line));
        free(line);
    }
    free(copy);
}

static void say_line(struct root *root, int rank, const char *format, va_list args)
{
    char line[1024];
    int n = vsnprintf(line, sizeof(line) - 1, format, args);

    if (n < 0)
        return;
    if ((size_t)n > sizeof(line) - 2)
        n = sizeof(line) - 2;
    line[n++] = '\n';
    mend_iof_message_of(root->iof, rank, line, (size_t)n);
}

void mend_root_say(struct root *root, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_line(root, -1, format, args);
    va_end(args);
}

void mend_root_say_of(struct root *root, int rank, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_line(root, rank, format, args);
    va_end(args);
}

/* ---- deaths ---- */

static const char *const cause_names[] = {"unknown", "signal", "exit",     "abort",
                                          "stopped", "lost",   "suspected"};

/* "killed by signal 9 (Killed)" */
static void cause_text(int cause, int code, char *buf, size_t size)
{
    switch ((enum mend_verdict_cause)cause) {
    case MEND_VERDICT_SIGNAL:
        snprintf(buf, size, "killed by signal %d (%s)", code, strsignal(code));
        break;
    case MEND_VERDICT_EXIT:
        snprintf(buf, size, "ended with status %d without MPI_Finalize", code);
        break;
    case MEND_VERDICT_ABORT:
        snprintf(buf, size, "aborted with code %d", code);
        break;
    case MEND_VERDICT_STOPPED:
        snprintf(buf, size, "was stopped for too long and was killed");
        break;
    case MEND_VERDICT_SUSPECTED:
        if (code < 0)
            snprintf(buf, size, "could not be reached by a process of another job and was killed");
        else
            snprintf(buf, size, "could not be reached by rank %d and was killed", code);
        break;
    default:
        snprintf(buf, size, "is dead");
    }
}

static int count_living(const struct root *root)
{
    int n = 0;

    for (int k = 0; k < root->nodes_n; k++)
        n += root->node[k].living;
    return n;
}

static void say_death(struct root *root, const struct root_node *node, const struct mend_message *m)
{
    int living = count_living(root);
    char text[128], others[64] = "";

    cause_text((int)m->arg[MEND_DEATH_CAUSE], (int)m->arg[MEND_DEATH_CODE], text, sizeof(text));
    if (living)
        snprintf(others, sizeof(others), "; %d rank%s on", living, living == 1 ? " goes" : "s go");
    mend_root_say_of(root, m->rank, "mend: rank %d (pid %d, host %s) %s%s", m->rank,
                     (int)m->arg[MEND_DEATH_PID], node->host, text, others);
}

static const char *name_of(int64_t cause)
{
    return cause >= 0 && cause < (int64_t)MEND_COUNT_OF(cause_names) ? cause_names[cause]
                                                                     : cause_names[0];
}

void mend_root_death(struct root *root, struct root_node *node, const struct mend_message *m)
{
    mend_root_note_death(root, m);
    if (m->arg[MEND_DEATH_LIVING] >= 0)
        node->living = (int)m->arg[MEND_DEATH_LIVING];
    mend_root_report(root, mend_root_date(node, m->arg[MEND_DEATH_WHEN_NS]), death, .rank = m->rank,
                     .pid = (int)m->arg[MEND_DEATH_PID], .seen_by = m->len ? m->data : NULL,
                     .cause = name_of(m->arg[MEND_DEATH_CAUSE]),
                     .code = (int)m->arg[MEND_DEATH_CODE]);
    mend_root_report(root, mend_root_date(node, m->arg[MEND_DEATH_VERDICT_NS]), verdict,
                     .rank = m->rank, .number = (int)m->arg[MEND_DEATH_NUMBER]);
    if (!m->arg[MEND_DEATH_SILENT])
        say_death(root, node, m);
}
