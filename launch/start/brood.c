/* SPDX-License-Identifier: BSD-3-Clause */
/* brood.c – see brood.h. */
#include "start/brood.h"

#include "base/time.h"
#include "start/ways.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LAST_WORD_NS (2 * MEND_NS_PER_S) /* of an agent whose connection has ended */
#define END_MS       2000                /* of ssh behind its agent */
#define WORDS_AT_END 16                  /* reads, which empty a pipe */

enum { FROM_LETTER, FROM_WORDS, FROM_PROCESS };

struct mend_brood_agent {
    struct mend_brood *brood;
    int node;
    enum { AWAITED, CALLED, EXCUSED, READY, FAILED } state;
    struct mend_started process;
    unsigned char *letter; /* NULL: it was written */
    size_t letter_n, written;
    struct mend_said said;
    mend_time_ns answer_by, excuse_by;
};

/* ---- what is to be started ---- */

bool mend_brood_forks(const struct mend_options *o, int node)
{
    return o->hosts.at[node].here;
}

const char *mend_brood_host(const struct mend_options *o, int node)
{
    return o->hosts.at[node].name ? o->hosts.at[node].name : "this machine";
}

static enum mend_way way_of(const struct mend_brood_agent *a)
{
    return mend_brood_forks(a->brood->o, a->node) ? MEND_WAY_fork : MEND_WAY_ssh;
}

/* A part of the time is for what is said when it was not enough. */
static int seconds_of(const struct mend_options *o)
{
    mend_time_ns s = o->remote.connect_timeout_ns / MEND_NS_PER_S * 3 / 4;

    return s < 1 ? 1 : s > 86400 ? 86400 : (int)s;
}

/* mpiexec of other hosts. */
static char *program_of(const struct mend_options *o)
{
    char own[4096];
    ssize_t n;

    if (o->remote.agent)
        return mend_xprintf("%s", o->remote.agent);
    if (o->remote.prefix)
        return mend_xprintf("%s/bin/mpiexec", o->remote.prefix);
    n = readlink("/proc/self/exe", own, sizeof(own));
    return mend_xprintf("%.*s", n > 0 ? (int)n : 0, own);
}

static struct mend_errand errand_of(const struct mend_brood_agent *a)
{
    const struct mend_brood *b = a->brood;

    return (struct mend_errand){.host = mend_brood_host(b->o, a->node),
                                .user = b->o->hosts.at[a->node].user,
                                .program = b->program,
                                .ssh = &b->o->remote.ssh,
                                .connect_s = seconds_of(b->o),
                                .called = a->state == EXCUSED,
                                .before = b->before};
}

static void make_letter(struct mend_brood_agent *a)
{
    const struct mend_build mine = mend_build_of_this();
    struct mend_letter l = a->brood->pattern;

    l.node = (uint32_t)a->node;
    l.by_ssh = way_of(a) == MEND_WAY_ssh;
    l.input_fd = l.by_ssh ? 0 : MEND_START_INPUT_FD;
    l.answer_ms = (uint64_t)seconds_of(a->brood->o) * 1000;
    l.host = mend_brood_host(a->brood->o, a->node);
    a->letter = mend_letter_encode(&l, &mine, &a->letter_n);
}

/* ---- starting ---- */

static void write_letter(struct mend_brood_agent *a)
{
    ssize_t n = write(a->process.letter, a->letter + a->written, a->letter_n - a->written);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        n = 0;
    if (n < 0)
        n = (ssize_t)(a->letter_n - a->written); /* it reads no more: its end tells why */
    a->written += (size_t)n;
    if (a->written < a->letter_n)
        return;
    mend_loop_drop(a->brood->loop, a->process.letter);
    if (a->letter)
        explicit_bzero(a->letter, a->letter_n);
    free(a->letter);
    a->letter = NULL;
}

static void tell_words(void *self, const char *line)
{
    const struct mend_brood_agent *a = self;

    a->brood->owner.tell(a->brood->owner.self, a->node, line);
}

bool mend_brood_start(struct mend_brood *b, int node)
{
    struct mend_brood_agent *a = mend_xalloc(1, sizeof(*a));
    const uint32_t of = (uint32_t)node;
    struct mend_errand what;

    *a = (struct mend_brood_agent){.brood = b,
                                   .node = node,
                                   .answer_by = MEND_TIME_NEVER,
                                   .said = {.tell = tell_words, .self = a}};
    b->agent[node] = a;
    b->awaited_n++;
    what = errand_of(a);
    make_letter(a);
    if (!mend_way_start(way_of(a), &what, &a->process) ||
        !mend_loop_add(b->loop, b->member, a->process.pidfd, FROM_PROCESS, of))
        return false;
    if (a->process.says >= 0)
        mend_loop_add(b->loop, b->member, a->process.says, FROM_WORDS, of);
    mend_loop_set(b->loop, b->member, a->process.letter, FROM_LETTER, of, true, true);
    if (way_of(a) == MEND_WAY_ssh)
        a->answer_by = mend_time_monotonic_ns() + b->o->remote.connect_timeout_ns;
    return true;
}

/* ---- what it says, and its end ---- */

static void drop_words(struct mend_brood_agent *a)
{
    if (a->process.says < 0)
        return;
    mend_loop_drop(a->brood->loop, a->process.says);
    close(a->process.says);
    a->process.says = -1;
}

static void hear_words(struct mend_brood_agent *a)
{
    if (a->process.says >= 0 && !mend_way_listen(a->process.says, &a->said))
        drop_words(a);
}

static bool is_awaited(const struct mend_brood_agent *a)
{
    return a->state != READY && a->state != FAILED;
}

static void settle(struct mend_brood_agent *a, int state)
{
    a->brood->awaited_n -= is_awaited(a);
    a->state = state;
}

static void fail(struct mend_brood_agent *a, enum mend_brood_failure what, int code,
                 const char *sentence)
{
    struct mend_brood *b = a->brood;

    settle(a, FAILED);
    b->look_again = true;
    b->owner.fail(b->owner.self, a->node, what, code, sentence);
}

/* status: of waitpid(); -1: the process goes on. */
static void give_up(struct mend_brood_agent *a, int status)
{
    const struct mend_errand what = errand_of(a);
    char *why;

    hear_words(a);
    why = mend_way_excuse(way_of(a), &what, status, mend_way_said(&a->said));
    fail(a, MEND_BROOD_NOT_COME, mend_way_exit_status(status, mend_way_said(&a->said)), why);
    free(why);
}

/* Reaps it.  Its status; -1: it goes on, or there is none. */
static int reap(struct mend_brood_agent *a)
{
    struct mend_started *p = &a->process;
    int status;

    if (p->pid <= 0 || waitpid(p->pid, &status, WNOHANG) != p->pid)
        return -1;
    mend_loop_drop(a->brood->loop, p->pidfd);
    p->pid = 0;
    return status;
}

static void on_process(struct mend_brood_agent *a)
{
    int status = reap(a);

    if (!is_awaited(a))
        return;
    if (way_of(a) == MEND_WAY_fork)
        fail(a, MEND_BROOD_ENDED, 0, NULL);
    else if (a->state != CALLED) /* else only ssh has ended */
        give_up(a, status);
}

static void on_event(void *self, uint32_t from, uint32_t of)
{
    struct mend_brood *b = self;
    struct mend_brood_agent *a = b->agent[of];

    if (!a)
        return; /* it was ended in the same turn */
    if (from == FROM_LETTER)
        write_letter(a);
    else if (from == FROM_WORDS)
        hear_words(a);
    else
        on_process(a);
}

/* ---- the time ---- */

static mend_time_ns look_at(struct mend_brood_agent *a, mend_time_ns now)
{
    mend_time_ns by = a->state == EXCUSED ? a->excuse_by : a->answer_by;

    if (!is_awaited(a))
        return MEND_TIME_NEVER;
    if (now < by)
        return by;
    if (a->state == CALLED)
        fail(a, MEND_BROOD_NOT_READY, 0, NULL);
    else
        give_up(a, -1);
    return MEND_TIME_NEVER;
}

static mend_time_ns look(void *self, mend_time_ns now)
{
    struct mend_brood *b = self;
    mend_time_ns next = MEND_TIME_NEVER;

    for (uint32_t k = 0; b->awaited_n && k < b->pattern.nodes_n; k++) {
        mend_time_ns at = b->agent[k] ? look_at(b->agent[k], now) : MEND_TIME_NEVER;

        next = at < next ? at : next;
    }
    if (b->look_again)
        next = now;
    b->look_again = false;
    return next;
}

static bool is_done(void *self)
{
    (void)self;
    return true;
}

/* ---- what its owner knows ---- */

void mend_brood_open(struct mend_brood *b, struct mend_loop *loop, const struct mend_options *o,
                     const struct mend_process *before, const struct mend_letter *pattern,
                     struct mend_brood_owner owner)
{
    *b = (struct mend_brood){
        .loop = loop, .o = o, .before = before, .pattern = *pattern, .owner = owner};
    b->program = program_of(o);
    b->agent = mend_xalloc(pattern->nodes_n, sizeof(*b->agent));
    b->member = mend_loop_join(
        loop,
        (struct mend_loop_member){.self = b, .event = on_event, .look = look, .is_done = is_done});
}

/* NULL: nothing is waited for. */
static struct mend_brood_agent *awaited(const struct mend_brood *b, int node)
{
    struct mend_brood_agent *a = b->agent ? b->agent[node] : NULL;

    return a && is_awaited(a) ? a : NULL;
}

void mend_brood_called(struct mend_brood *b, int node)
{
    struct mend_brood_agent *a = awaited(b, node);

    if (a)
        a->state = CALLED;
}

void mend_brood_ready(struct mend_brood *b, int node)
{
    struct mend_brood_agent *a = awaited(b, node);

    if (a)
        settle(a, READY);
}

void mend_brood_await_excuse(struct mend_brood *b, int node)
{
    struct mend_brood_agent *a = awaited(b, node);

    if (!a || way_of(a) == MEND_WAY_fork)
        return;
    a->state = EXCUSED;
    a->excuse_by = mend_time_monotonic_ns() + LAST_WORD_NS;
    if (!a->process.pid)
        give_up(a, -1);
}

bool mend_brood_has_child(const struct mend_brood *b, pid_t pid)
{
    for (uint32_t k = 0; b->agent && k < b->pattern.nodes_n; k++)
        if (b->agent[k] && b->agent[k]->process.pid == pid)
            return true;
    return false;
}

/* ---- its end ---- */

void mend_brood_end(struct mend_brood *b, int node, bool at_once)
{
    struct mend_brood_agent *a = b->agent ? b->agent[node] : NULL;
    struct mend_started *p = a ? &a->process : NULL;
    struct pollfd end = {.fd = p ? p->pidfd : -1, .events = POLLIN};

    if (!p)
        return;
    settle(a, FAILED);
    if (p->letter >= 0)
        close(p->letter); /* so far it has held the connection of ssh open */
    if (p->pid > 0 && (at_once || poll(&end, 1, END_MS) <= 0))
        kill(p->pid, SIGKILL);
    if (p->pid > 0)
        waitpid(p->pid, NULL, 0);
    for (int i = 0; i < WORDS_AT_END && p->says >= 0; i++)
        hear_words(a);
    mend_way_said(&a->said);
    drop_words(a);
    if (p->pidfd >= 0)
        close(p->pidfd);
    if (a->letter)
        explicit_bzero(a->letter, a->letter_n);
    free(a->letter);
    free(a);
    b->agent[node] = NULL;
}

void mend_brood_close(struct mend_brood *b)
{
    for (uint32_t k = 0; b->agent && k < b->pattern.nodes_n; k++)
        mend_brood_end(b, (int)k, true);
    free(b->agent);
    free(b->program);
    b->agent = NULL;
    b->program = NULL;
}
