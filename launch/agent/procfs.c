/* SPDX-License-Identifier: BSD-3-Clause */
/* procfs.c – information from /proc about a dying process. */
#include "agent/procfs.h"

#include "base/status.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define GENERATIONS_MAX 1000 /* numbers may change while we look */

#define EXITING        0x4u /* PF_EXITING, of field 9 */
#define WAITS_FOR_DUMP 0x8u /* PF_POSTCOREDUMP, since Linux 5.16; before that its state is 'D' */
#define FIELD_PARENT   4
#define FIELD_FLAGS    9
#define FIELD_CODE     52

/* Reads a small file; false: it is not there. */
static bool read_file(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    return true;
}

/* Field number n of a stat line, counted from 1; n >= 3.  The name before them may hold anything. */
static const char *field(const char *stat, int n)
{
    const char *at = strrchr(stat, ')');

    for (int i = 2; at && i < n; i++)
        at = strchr(at + 1, ' ');
    return at ? at + 1 : NULL;
}

bool mend_procfs_exiting(pid_t pid, bool *signaled_p, int *code_p)
{
    char path[64], stat[1024];
    const char *flags, *code;
    int status;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    if (!read_file(path, stat, sizeof(stat)))
        return false;
    flags = field(stat, FIELD_FLAGS);
    code = field(stat, FIELD_CODE);
    if (!flags || !code || !(strtoul(flags, NULL, 10) & EXITING))
        return false;
    status = atoi(code);
    *signaled_p = WIFSIGNALED(status);
    *code_p = *signaled_p ? WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}

bool mend_procfs_handles(pid_t pid, uint64_t *signals_p)
{
    char path[64], status[4096];
    const char *caught;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    caught = read_file(path, status, sizeof(status)) ? strstr(status, "\nSigCgt:\t") : NULL;
    if (caught)
        *signals_p = strtoull(caught + strlen("\nSigCgt:\t"), NULL, 16);
    return caught != NULL;
}

static bool is_killed(const char *status)
{
    static const char *const pending[] = {"\nSigPnd:\t", "\nShdPnd:\t"};
    uint64_t signals = 0;

    for (int i = 0; i < 2; i++) {
        const char *at = strstr(status, pending[i]);

        signals |= at ? strtoull(at + strlen(pending[i]), NULL, 16) : 0;
    }
    return signals >> (SIGKILL - 1) & 1;
}

/* The main thread takes its own mark away when it begins to end; that of the process stays. */
bool mend_procfs_killed(pid_t pid)
{
    char path[64], status[4096];

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    return read_file(path, status, sizeof(status)) && is_killed(status);
}

bool mend_procfs_cannot_die(pid_t pid)
{
    char path[64], status[4096];

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    return read_file(path, status, sizeof(status)) && is_killed(status) &&
           strstr(status, "\nState:\tD") && !strstr(status, "\nCoreDumping:\t1");
}

bool mend_procfs_descends(pid_t pid, pid_t from)
{
    char path[64], stat[1024];
    const char *parent;

    for (int i = 0; i < GENERATIONS_MAX && pid > 1; i++) {
        snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
        parent = read_file(path, stat, sizeof(stat)) ? field(stat, FIELD_PARENT) : NULL;
        pid = parent ? atoi(parent) : 0;
        if (pid == from)
            return true;
    }
    return false;
}

int mend_procfs_threads(pid_t pid)
{
    char path[64];
    struct stat st;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    return stat(path, &st) == 0 ? (int)st.st_nlink - 2 : 0; /* the kernel counts them as links */
}

static bool is_exiting(const char *stat_path)
{
    char stat[1024];
    const char *flags = read_file(stat_path, stat, sizeof(stat)) ? field(stat, FIELD_FLAGS) : NULL;

    return !flags || strtoul(flags, NULL, 10) & EXITING;
}

bool mend_procfs_all_exiting(pid_t pid)
{
    char path[96];
    int before = mend_procfs_threads(pid), seen = 0;
    bool exiting = true;
    struct dirent *e;
    DIR *d;

    if (!before)
        return true;
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    d = opendir(path);
    while (d && exiting && (e = readdir(d)) != NULL) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "/proc/%d/task/%.20s/stat", (int)pid, e->d_name);
        exiting = is_exiting(path);
        seen++;
    }
    if (!d)
        return !mend_procfs_threads(pid);
    closedir(d);
    return exiting && seen == before;
}

char mend_procfs_state(pid_t pid)
{
    char path[64], stat[1024];
    const char *state;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    state = read_file(path, stat, sizeof(stat)) ? field(stat, 3) : NULL;
    return state ? *state : '\0';
}

bool mend_procfs_ran(pid_t pid, uint64_t *ran_ns_p)
{
    char path[64], text[128];

    snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
    if (!read_file(path, text, sizeof(text)))
        return false;
    *ran_ns_p = strtoull(text, NULL, 10);
    return true;
}

/* The thread is the dumper, by the number that it has in its own PID namespace. */
static bool is_dumper(const char *task, pid_t dumper)
{
    char path[96], status[4096], *line, *end;

    snprintf(path, sizeof(path), "%s/status", task);
    line = read_file(path, status, sizeof(status)) ? strstr(status, "\nNSpid:") : NULL;
    end = line ? strchr(line + 1, '\n') : NULL;
    if (!end)
        return false;
    *end = '\0';
    line = strrchr(line, '\t'); /* the last one is that of the innermost */
    return line && atoi(line + 1) == dumper;
}

/* It can still execute something of the program, or ends a system call. */
static bool may_run(const char *task)
{
    char path[96], stat[1024];
    const char *state, *flags;

    snprintf(path, sizeof(path), "%s/stat", task);
    if (!read_file(path, stat, sizeof(stat)))
        return false;
    state = field(stat, 3);
    flags = field(stat, FIELD_FLAGS);
    return state && flags && strchr("RS", *state) &&
           !(strtoul(flags, NULL, 10) & (EXITING | WAITS_FOR_DUMP));
}

static bool others_run(pid_t pid, pid_t dumper)
{
    char path[80];
    bool run = false;
    struct dirent *e;
    DIR *d;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    d = opendir(path);
    while (d && !run && (e = readdir(d)) != NULL) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "/proc/%d/task/%.20s", (int)pid, e->d_name);
        run = may_run(path) && !is_dumper(path, dumper);
    }
    if (d)
        closedir(d);
    return run;
}

bool mend_procfs_dumping(pid_t pid, pid_t dumper)
{
    char path[64], status[4096];

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    return read_file(path, status, sizeof(status)) && strstr(status, "\nCoreDumping:\t1") &&
           !others_run(pid, dumper);
}
