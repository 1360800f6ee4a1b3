/* SPDX-License-Identifier: BSD-3-Clause */
/* print.c – the fingerprint: what the kernel keeps for a process beside its memory, one line per thing.
 *
 *     descriptor 5 /tmp/x <tab> offset 120, flags 02
 *     handler of signal 10 <tab> 0x5581...
 *
 * Two fingerprints are compared by name.  Nothing here allocates from the program's heap. */
#include "snap/guard.h"
#include "snap/sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define NAME_BYTES 300

struct lines {
    struct mend_snap *s;
    char *text;
    size_t n;
    bool full;
};

static void add(struct lines *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text grows where `top` is, which nothing else moves meanwhile: it is moved at the end. */
static void add(struct lines *t, const char *format, ...)
{
    size_t room = (size_t)(t->s->limit - t->text) / 2 - t->n;
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(t->text + t->n, room, format, args);
    va_end(args);
    t->full |= n < 0 || (size_t)n >= room;
    t->n += t->full ? 0 : (size_t)n;
}

/* The beginning of a file of /proc, which need not exist. */
static void read_start(const char *path, char *text, size_t bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, bytes - 1);

    text[n < 0 ? 0 : n] = 0;
    if (fd >= 0)
        close(fd);
}

/* Calls each() for the entries of a folder that are numbers. */
static void for_numbers(struct lines *t, const char *path,
                        void (*each)(struct lines *t, int number))
{
    struct entry {
        uint64_t inode, offset;
        unsigned short bytes;
        unsigned char type;
        char name[];
    } * e;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char buffer[4096] __attribute__((aligned(8)));
    long n;

    while (fd >= 0 && (n = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0)
        for (long at = 0; at < n; at += e->bytes) {
            e = (struct entry *)(buffer + at);
            if (e->name[0] >= '0' && e->name[0] <= '9' && atoi(e->name) != fd)
                each(t, atoi(e->name));
        }
    if (fd >= 0)
        close(fd);
}

static void add_link(struct lines *t, const char *path)
{
    char target[NAME_BYTES];
    ssize_t n = readlink(path, target, sizeof(target) - 1);

    add(t, "%.*s", n < 0 ? 0 : (int)n, target);
}

static bool is_own(const struct mend_snap *s, int fd)
{
    return fd == s->own_fd || fd == s->image_fd || fd == s->log_fd || fd == s->pagemap_fd ||
           fd == s->track_fd;
}

static void add_descriptor(struct lines *t, int fd)
{
    char path[64], text[256];
    unsigned flags = 0;
    unsigned long offset = 0;

    if (is_own(t->s, fd))
        return;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    add(t, "descriptor %d ", fd);
    add_link(t, path);
    snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
    read_start(path, text, sizeof(text));
    if (sscanf(text, "pos:%lu flags:%o", &offset, &flags) == 2)
        add(t, "\toffset %lu, flags %o\n", offset, flags);
    else
        add(t, "\t?\n");
}

/* A thread of the kernel's that carries out io_uring's orders: it runs nothing of the program, and stays when the ring has
 * gone. */
static bool is_kernels(int id)
{
    enum { PF_IO_WORKER = 0x10 };
    char path[64], text[512];
    const char *end;
    unsigned flags;

    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", id);
    read_start(path, text, sizeof(text));
    end = strrchr(text, ')');
    return end && sscanf(end, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1 && flags & PF_IO_WORKER;
}

/* One that ends meanwhile is none, and its files may have been empty. */
static void add_thread(struct lines *t, int id)
{
    char path[64], name[64];

    if (id == gettid() || is_kernels(id))
        return;
    snprintf(path, sizeof(path), "/proc/self/task/%d/comm", id);
    read_start(path, name, sizeof(name));
    if (tgkill(getpid(), id, 0) == -1 && errno == ESRCH)
        return;
    add(t, "thread %d\t%.*s\n", id, (int)strcspn(name, "\n"), name);
}

static void add_children(struct lines *t)
{
    char path[64], text[1024], *next = text;

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", gettid());
    read_start(path, text, sizeof(text));
    for (char *id = strtok_r(text, " ", &next); id; id = strtok_r(NULL, " ", &next))
        if (!mend_snap_child_is(t->s, atol(id)))
            add(t, "child %s\tthere\n", id);
}

static void add_signals(struct lines *t)
{
    stack_t stack;

    for (int i = 1; i <= SIGRTMAX; i++) {
        struct sigaction a;

        if (sigaction(i, NULL, &a) == 0 && a.sa_handler != SIG_DFL)
            add(t, "handler of signal %d\t%p, flags %x, mask %lx\n", i, *(void **)&a.sa_handler,
                (unsigned)a.sa_flags, *(unsigned long *)&a.sa_mask);
    }
    if (sigaltstack(NULL, &stack) == 0 && !(stack.ss_flags & SS_DISABLE) &&
        stack.ss_sp != t->s->guard.stack)
        add(t, "stack of signal handlers\t%p, %zu bytes\n", stack.ss_sp, stack.ss_size);
}

static void add_timers(struct lines *t)
{
    static const char *const names[] = {"real", "virtual", "profiling"};
    char text[2048], *next = text;

    for (int i = ITIMER_REAL; i <= ITIMER_PROF; i++) {
        struct itimerval v;

        if (getitimer((__itimer_which_t)i, &v) == 0 && (v.it_value.tv_sec || v.it_value.tv_usec))
            add(t, "timer %s\tset, every %ld.%06ld s\n", names[i], (long)v.it_interval.tv_sec,
                (long)v.it_interval.tv_usec);
    }
    read_start("/proc/self/timers", text, sizeof(text));
    for (char *line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next))
        if (strncmp(line, "ID: ", 4) == 0)
            add(t, "timer %s\tthere\n", line + 4);
}

/* A line of /proc/self/status. */
static void add_status(struct lines *t, const char *field, const char *name)
{
    char text[4096], *at;

    read_start("/proc/self/status", text, sizeof(text));
    at = strstr(text, field);
    if (at)
        add(t, "%s\t%.*s\n", name, (int)strcspn(at + strlen(field), "\n"), at + strlen(field));
}

/* What is mapped but not a copy of the program's own. */
static void add_shared(struct lines *t)
{
    for (size_t i = 0; i < t->s->maps_n; i++) {
        const struct mend_snap_map *m = &t->s->maps[i];

        if (m->shared && m->start != (uintptr_t)t->s && m->start != (uintptr_t)t->s->window)
            add(t, "shared mapping %lx-%lx %.*s\tprotection %d\n", (unsigned long)m->start,
                (unsigned long)m->end, (int)strcspn(m->name, "\n"), m->name, m->prot);
    }
}

char *mend_snap_print(struct mend_snap *s)
{
    char *mark = s->top;
    struct lines t = {.s = s};
    bool ok = !mend_snap_look(s);

    mend_snap_calls_let(s, false); /* the program's handlers show, not ours */
    t.text = s->top;
    for_numbers(&t, "/proc/self/fd", add_descriptor);
    for_numbers(&t, "/proc/self/task", add_thread);
    add_children(&t);
    add_signals(&t);
    add_timers(&t);
    add(&t, "working directory\t");
    add_link(&t, "/proc/self/cwd");
    add(&t, "\n");
    add_status(&t, "\nUmask:\t", "file creation mask");
    add_status(&t, "\nSigPnd:\t", "pending signals of the thread");
    add_status(&t, "\nShdPnd:\t", "pending signals");
    if (ok)
        add_shared(&t);
    s->top = mark;
    if (!ok || t.full)
        return NULL;
    memmove(mark, t.text, t.n + 1);
    return mend_snap_take(s, t.n + 1);
}

/* The value of the line that begins with the n characters of name, or NULL. */
static const char *find(const char *print, const char *name, size_t n)
{
    for (const char *at = print; *at; at += strcspn(at, "\n") + 1)
        if (strncmp(at, name, n) == 0 && at[n] == '\t')
            return at + n + 1;
    return NULL;
}

struct out {
    char *text;
    size_t bytes, n;
    unsigned lines;
};

static void tell(struct out *o, const char *name, const char *before, const char *after)
{
    char *to = o->text + o->n;
    size_t room = o->bytes - o->n;
    int n = snprintf(to, room, "%.*s: %.*s, now %.*s\n", (int)strcspn(name, "\t"), name,
                     (int)strcspn(before, "\n"), before, (int)strcspn(after, "\n"), after);

    o->lines++;
    if (n > 0 && (size_t)n < room)
        o->n += (size_t)n;
    else if (room)
        *to = 0;
}

static void compare(struct out *o, const char *from, const char *with, bool forward)
{
    for (const char *at = from; *at; at += strcspn(at, "\n") + 1) {
        size_t n = strcspn(at, "\t");
        const char *value = at + n + 1, *other = find(with, at, n);

        if (!other)
            tell(o, at, forward ? value : "not there", forward ? "gone" : value);
        else if (forward && strncmp(value, other, strcspn(value, "\n") + 1) != 0)
            tell(o, at, value, other);
    }
}

unsigned mend_snap_differences(struct mend_snap *s, char *text, size_t bytes)
{
    struct out o = {text, bytes, 0, 0};
    char *mark = s->top;
    const char *now;

    if (bytes)
        *text = 0;
    now = s->level ? mend_snap_print(s) : NULL;
    if (now) {
        compare(&o, s->level->print, now, true);
        compare(&o, now, s->level->print, false);
    }
    s->top = mark;
    return o.lines;
}

/* The first thread, or child, is enough for a message; it is at `top`, which the caller sets back. */
static const char *first_line(struct mend_snap *s, void (*fill)(struct lines *t))
{
    struct lines t = {.s = s, .text = s->top};

    *t.text = 0;
    fill(&t);
    return mend_snap_take(s, t.n + 1);
}

static void fill_threads(struct lines *t)
{
    for_numbers(t, "/proc/self/task", add_thread);
}

const char *mend_snap_other_thread(struct mend_snap *s)
{
    const char *text = first_line(s, fill_threads);

    return text && *text ? text : NULL;
}

const char *mend_snap_children(struct mend_snap *s)
{
    return first_line(s, add_children);
}
