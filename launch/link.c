/* SPDX-License-Identifier: BSD-3-Clause */
/* link.c – two agents of one user connect their jobs (MPI_Comm_connect between two mpiexecs).
 *
 *   rank ─CONNECT─> agent ─ HELLO, segment ──────> agent of the port's job, at an abstract socket named by that job
 *                         <──── OLLEH, segment ───       both know the segments, and the numbers of the jobs
 *                         ─ ASK, our processes ──>       gives them names and places, and tells its ranks
 *                         <─ GUESTS, their places ─
 *                         <─ TELL, its processes ─
 *        the same here    ─ GUESTS, their places ─>      tells its ranks
 *   rank <─ ANSWER ──────
 *
 * From then on each agent tells the other of its verdicts, and stays the only judge of its own ranks.  A link stays until
 * one of the jobs ends; each later CONNECT repeats ASK and TELL for processes that came meanwhile.
 *
 * The socket has no file, so nothing is left behind.  Only processes of the same user are talked to, by the kernel's word
 * (SO_PEERCRED).  A job that has ended has no socket: the connection is refused at once.
 *
 * Two agents that call each other at the same time: the call of the job with the smaller id counts.
 *
 * The number of a job names its processes in frames (node/abroad.h).  A job draws it by lot when it is connected for the
 * first time, and again if the other has known a job of that number.
 *
 * No send waits here: what finds no room is queued, because the other agent may be stopped.  A question that it does not
 * answer in SILENCE_NS is answered with ETIMEDOUT.  If the question was sent it stays until its TELL comes, because TELL
 * answers the questions of a link in their order. */
#include "link.h"

#include "base/time.h"
#include "rt/wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BODY_WORDS_MAX (2 * MEND_ABROAD_BLOCKS_MAX + MEND_LINK_NAMES_MAX)
#define MSG_BYTES_MAX  (sizeof(struct mend_link_msg) + BODY_WORDS_MAX * sizeof(int32_t))
#define CALLS_MAX      8 /* for one question */
#define AGAIN_NS       (5 * MEND_NS_PER_MS)
#define SILENCE_NS     (10 * MEND_NS_PER_S)

struct queued {
    struct mend_list link;
    size_t len;
    char bytes[];
};

/* What a rank has asked for. */
struct ask {
    struct mend_list link; /* in job->asks, the oldest first */
    int rank;
    uint64_t job, number;
    int calls_n;
    struct mend_link *sent; /* ASK was sent there */
    mend_time_ns until;     /* MEND_TIME_NEVER: it was answered, and its TELL has not come */
};

/* ---- numbers ---- */

static bool is_known_number(const struct job *job, uint32_t number)
{
    return job->link_numbers[number / 64] >> number % 64 & 1;
}

/* One that no job has that we know, and not `but` either. */
static uint32_t draw_number(const struct job *job, uint32_t but)
{
    uint32_t number = 0;

    for (int i = 0; i < 100000; i++) {
        if (getrandom(&number, sizeof(number), 0) != sizeof(number))
            number = number * 1103515245 + 12345 + (uint32_t)mend_time_monotonic_ns();
        number %= MEND_ABROAD_NUMBERS;
        if (number && number != but && !is_known_number(job, number))
            return number;
    }
    return 0;
}

/* release: pairs with the acquire in own_number() (node/abroad.c) */
static void number_us(struct job *job, uint32_t number)
{
    mend_store_release(&job->shm->number, number);
}

static uint32_t our_number(const struct job *job)
{
    return mend_load_relaxed(&job->shm->number);
}

/* ---- sockets ---- */

static socklen_t address_of(struct sockaddr_un *a, uint64_t job)
{
    int n;

    memset(a, 0, sizeof(*a));
    a->sun_family = AF_UNIX;
    n = snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1, "mend-%u-%016llx", (unsigned)geteuid(),
                 (unsigned long long)job);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static bool is_same_user(int fd)
{
    struct ucred who;
    socklen_t len = sizeof(who);

    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) && who.uid == geteuid();
}

void mend_links_open(struct job *job)
{
    struct sockaddr_un a;
    socklen_t len = address_of(&a, job->shm->job);

    mend_list_init(&job->links);
    mend_list_init(&job->asks);
    job->link_numbers = mend_xalloc(MEND_ABROAD_NUMBERS / 64, sizeof(*job->link_numbers));
    job->door_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (job->door_fd < 0)
        return; /* a job that cannot be connected with */
    if (bind(job->door_fd, (struct sockaddr *)&a, len) == 0 && listen(job->door_fd, 64) == 0)
        return;
    close(job->door_fd);
    job->door_fd = -1;
}

static struct mend_link *add(struct job *job, int fd, enum mend_link_state state, uint64_t other)
{
    struct mend_link *x = mend_xalloc(1, sizeof(*x));

    *x = (struct mend_link){.fd = fd, .state = state, .other = other, .shm_fd = -1};
    x->block = mend_xalloc(MEND_ABROAD_BLOCKS_MAX, sizeof(*x->block));
    x->told = mend_xalloc(MEND_LINK_WORDS, sizeof(*x->told));
    x->held = mend_xalloc(MEND_LINK_WORDS, sizeof(*x->held));
    x->there = mend_xalloc(MEND_NODE_NAMES, sizeof(*x->there));
    mend_list_init(&x->out);
    mend_list_append(&job->links, &x->link);
    mend_agent_listen_to_link(job, fd, true, false);
    return x;
}

/* Its guests are dead, and have no places: they stay somebody's. */
static void leave_guests(struct job *job, const struct mend_link *x)
{
    static struct mend_link nobody = {.state = MEND_LINK_CLOSED};

    for (uint32_t i = 0; i < x->blocks_n; i++)
        for (int k = 0; k < x->block[i].n; k++)
            job->rank[x->block[i].here + k].guest_of = &nobody;
}

static void free_link(struct job *job, struct mend_link *x)
{
    leave_guests(job, x);
    mend_list_foreach (l, next, &x->out)
        free(mend_list_entry(l, struct queued, link));
    if (x->shm)
        munmap(x->shm, x->shm_bytes);
    if (x->shm_fd >= 0)
        close(x->shm_fd);
    mend_list_remove(&x->link);
    free(x->block);
    free(x->told);
    free(x->held);
    free(x->there);
    free(x);
}

/* ---- answers to ranks ---- */

static void answer(struct job *job, struct ask *a, int error)
{
    struct rank *r = &job->rank[a->rank];
    struct mend_ctl_abroad m = {.magic = MEND_CTL_MAGIC,
                                .kind = MEND_CTL_ANSWER,
                                .error = error,
                                .job = a->job,
                                .ask = a->number};

    if (a->until != MEND_TIME_NEVER && r->ctl_fd >= 0 &&
        send(r->ctl_fd, &m, MEND_CTL_ABROAD_BYTES(0), MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
        mend_verdict_call(job, r);
    if (error == ETIMEDOUT && a->sent) {
        a->until = MEND_TIME_NEVER;
        return;
    }
    mend_list_remove(&a->link);
    free(a);
}

/* Those that were sent over this link; the others may find another way. */
static void fail_asks(struct job *job, struct mend_link *x, int error)
{
    mend_list_foreach (l, next, &job->asks) {
        struct ask *a = mend_list_entry(l, struct ask, link);

        if (a->sent == x || (x->state == MEND_LINK_CALLS && a->job == x->other))
            answer(job, a, error);
    }
}

/* ---- the end of a link ---- */

/* The other agent is gone, or said what no agent of ours says. */
static void lose(struct job *job, struct mend_link *x, int error)
{
    if (x->fd < 0)
        return;
    fail_asks(job, x, error);
    mend_agent_listen_to_link(job, x->fd, false, false);
    close(x->fd);
    x->fd = -1;
    x->state = x->state == MEND_LINK_OPEN ? MEND_LINK_LOST : MEND_LINK_CLOSED;
    if (!job->links_opened_n)
        number_us(job, 0); /* nobody has heard of it */
}

/* ---- sending ---- */

/* 0: there is no room now.  fd: goes with it; -1: none. */
static ssize_t send_now(struct mend_link *x, const void *bytes, size_t len, int fd)
{
    char control[CMSG_SPACE(sizeof(fd))] __attribute__((aligned(8))) = {0};
    struct iovec iov = {(void *)(uintptr_t)bytes, len};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    ssize_t n;

    if (fd >= 0) {
        struct cmsghdr *c;

        msg.msg_control = control;
        msg.msg_controllen = sizeof(control);
        c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(fd));
        memcpy(CMSG_DATA(c), &fd, sizeof(fd));
    }
    while ((n = sendmsg(x->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT)) < 0 && errno == EINTR)
        ;
    return n < 0 && (errno == EAGAIN || errno == ENOBUFS) ? 0 : n;
}

static void queue(struct job *job, struct mend_link *x, const void *bytes, size_t len)
{
    struct queued *q = mend_xalloc(1, sizeof(*q) + len);

    q->len = len;
    memcpy(q->bytes, bytes, len);
    mend_list_append(&x->out, &q->link);
    mend_agent_listen_to_link(job, x->fd, true, true);
}

static void flush(struct job *job, struct mend_link *x)
{
    mend_list_foreach (l, next, &x->out) {
        struct queued *q = mend_list_entry(l, struct queued, link);

        if (x->fd >= 0 && send_now(x, q->bytes, q->len, -1) == 0)
            return;
        mend_list_remove(l); /* sent, or the end of the link is to be read */
        free(q);
    }
    if (x->fd >= 0)
        mend_agent_listen_to_link(job, x->fd, true, false);
}

void mend_link_send(struct job *job, struct mend_link *x, struct mend_link_msg *m, const void *body,
                    size_t words)
{
    size_t len = sizeof(*m) + words * sizeof(int32_t);
    struct mend_link_msg *whole;

    if (x->fd < 0)
        return;
    m->magic = MEND_LINK_MAGIC;
    whole = mend_xalloc(1, len);
    *whole = *m;
    if (words)
        memcpy(whole->body, body, words * sizeof(int32_t));
    if (!mend_list_empty(&x->out) || send_now(x, whole, len, -1) == 0)
        queue(job, x, whole, len);
    free(whole);
}

/* The first message of a side: there is room for it. */
static void greet(struct job *job, struct mend_link *x, enum mend_link_kind kind, uint32_t number)
{
    struct mend_link_msg m = {.magic = MEND_LINK_MAGIC,
                              .kind = kind,
                              .job = job->shm->job,
                              .to = x->other,
                              .number = number};

    if (send_now(x, &m, sizeof(m), job->shm_fd) <= 0)
        lose(job, x, ECONNREFUSED);
}

static void send_runs(struct job *job, struct mend_link *x, enum mend_link_kind kind, int error)
{
    struct mend_link_run *runs = mend_xalloc(MEND_ABROAD_BLOCKS_MAX, sizeof(*runs));
    struct mend_link_msg m = {.kind = kind, .code = error};

    m.n = error ? 0 : mend_guest_untold(job, x, runs, MEND_ABROAD_BLOCKS_MAX);
    mend_link_send(job, x, &m, runs, (size_t)m.n * 2);
    free(runs);
}

/* ---- questions of ranks ---- */

static struct mend_link *find(struct job *job, uint64_t other)
{
    mend_list_foreach (l, next, &job->links) {
        struct mend_link *x = mend_list_entry(l, struct mend_link, link);

        if (x->other == other && x->state != MEND_LINK_CLOSED)
            return x;
    }
    return NULL;
}

static void call(struct job *job, struct ask *a)
{
    struct sockaddr_un to;
    socklen_t len = address_of(&to, a->job);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = 0;
    struct mend_link *x;

    if (fd < 0 || connect(fd, (struct sockaddr *)&to, len) != 0)
        error = errno;
    if (!error && !is_same_user(fd))
        error = EPERM;
    if (error) {
        if (fd >= 0)
            close(fd);
        if (error != EAGAIN) /* else its door is crowded: again soon */
            answer(job, a, error == ECONNREFUSED ? ENOENT : error);
        return;
    }
    a->calls_n++;
    x = add(job, fd, MEND_LINK_CALLS, a->job);
    x->proposed = our_number(job) ? our_number(job) : draw_number(job, 0);
    greet(job, x, MEND_LINK_HELLO, x->proposed);
}

/* Takes the next step for a question.  True: it is to be looked at again soon. */
static bool pursue(struct job *job, struct ask *a)
{
    struct mend_link *x = find(job, a->job);

    if (a->sent)
        return false;
    if (!x && (a->job == job->shm->job || a->calls_n >= CALLS_MAX)) {
        answer(job, a, ENOENT);
        return false;
    }
    if (!x) {
        call(job, a);
        return true;
    }
    if (x->state == MEND_LINK_LOST || x->state == MEND_LINK_OVER) {
        answer(job, a, ENOENT);
    } else if (x->state == MEND_LINK_OPEN) {
        a->sent = x;
        send_runs(job, x, MEND_LINK_ASK, 0);
    }
    return false;
}

static bool pursue_all(struct job *job)
{
    bool again = false;

    mend_list_foreach (l, next, &job->asks)
        again |= pursue(job, mend_list_entry(l, struct ask, link));
    return again;
}

void mend_link_asked(struct job *job, struct rank *r, uint64_t other, uint64_t number)
{
    struct ask *a = mend_xalloc(1, sizeof(*a));

    *a = (struct ask){.rank = r->index,
                      .job = other,
                      .number = number,
                      .until = mend_time_monotonic_ns() + SILENCE_NS};
    mend_list_append(&job->asks, &a->link);
    pursue(job, a);
}

/* The other agent is stopped, or too busy.  Returns when the next question has waited long enough. */
static mend_time_ns give_up_old(struct job *job, mend_time_ns now)
{
    mend_time_ns next = MEND_TIME_NEVER;

    mend_list_foreach (l, after, &job->asks) {
        struct ask *a = mend_list_entry(l, struct ask, link);

        if (a->until <= now)
            answer(job, a, ETIMEDOUT);
        else
            next = a->until < next ? a->until : next;
    }
    return next;
}

/* TELL answers the questions in their order. */
static void answer_oldest(struct job *job, struct mend_link *x, int error)
{
    mend_list_foreach (l, next, &job->asks) {
        struct ask *a = mend_list_entry(l, struct ask, link);

        if (a->sent == x) {
            answer(job, a, error);
            return;
        }
    }
}

/* ---- greetings ---- */

/* Takes fd.  False: it is not a segment of that job. */
static bool take_segment(struct mend_link *x, int fd, uint64_t other)
{
    x->shm_fd = fd;
    x->shm = fd < 0 ? NULL : mend_abroad_map(fd, MEND_NODE_PART_CELL, &x->shm_bytes);
    return x->shm && x->shm->job == other;
}

static void open_link(struct job *job, struct mend_link *x, uint32_t ours, uint32_t theirs)
{
    if (!our_number(job))
        number_us(job, ours);
    job->links_opened_n++;
    job->link_numbers[theirs / 64] |= UINT64_C(1) << theirs % 64;
    x->number = theirs;
    x->sent_k = x->explained_k = mend_load_acquire(&job->shm->deaths_n);
    x->state = MEND_LINK_OPEN;
}

static void refuse(struct job *job, struct mend_link *x, int error)
{
    struct mend_link_msg m = {.kind = MEND_LINK_REFUSE, .code = error};

    mend_link_send(job, x, &m, NULL, 0);
}

/* Why we do not want to talk to the sender; 0: we do. */
static int judge_hello(struct job *job, struct mend_link *x, const struct mend_link_msg *m)
{
    struct mend_link *known = find(job, m->job);

    if (m->to != job->shm->job || m->job == job->shm->job)
        return ENOENT;
    if (known && known != x && (known->state != MEND_LINK_CALLS || m->job > job->shm->job))
        return EAGAIN;
    if (!m->number || m->number >= MEND_ABROAD_NUMBERS || is_known_number(job, m->number) ||
        m->number == our_number(job))
        return EADDRINUSE;
    return 0;
}

/* Takes fd. */
static void on_hello(struct job *job, struct mend_link *x, const struct mend_link_msg *m, int fd)
{
    int error = judge_hello(job, x, m);
    struct mend_link *mine = error ? NULL : find(job, m->job);
    uint32_t ours = our_number(job) ? our_number(job) : draw_number(job, m->number);

    if (error || !take_segment(x, fd, m->job) || !ours) {
        if (error && fd >= 0)
            close(fd);
        refuse(job, x, error ? error : EPROTO);
        return;
    }
    if (mine && mine != x) { /* what was asked for goes over this one */
        mine->other = 0;
        lose(job, mine, 0);
    }
    x->other = m->job;
    greet(job, x, MEND_LINK_OLLEH, ours);
    if (x->fd >= 0)
        open_link(job, x, ours, m->number);
}

/* Takes fd.  Another number may have been given meanwhile, or the other's be known here: pursue() calls again. */
static void on_olleh(struct job *job, struct mend_link *x, const struct mend_link_msg *m, int fd)
{
    bool clash = !m->number || m->number >= MEND_ABROAD_NUMBERS ||
                 is_known_number(job, m->number) || m->number == x->proposed ||
                 (our_number(job) && our_number(job) != x->proposed);

    if (!take_segment(x, fd, x->other) || m->job != x->other) {
        lose(job, x, EPROTO);
    } else if (clash) {
        x->other = 0;
        lose(job, x, 0);
    } else {
        open_link(job, x, x->proposed, m->number);
    }
}

/* EADDRINUSE: pursue() draws another number; EAGAIN: the other calls us. */
static void on_refuse(struct job *job, struct mend_link *x, int error)
{
    bool again = error == EAGAIN || (error == EADDRINUSE && !our_number(job));

    if (again)
        x->other = 0;
    lose(job, x, error);
}

/* ---- messages of an open link ---- */

static void give_places(struct job *job, struct mend_link *x, const struct mend_link_run *runs,
                        uint32_t n)
{
    struct mend_link_msg m = {.kind = MEND_LINK_GUESTS, .n = n};
    int32_t *body = mend_xalloc(BODY_WORDS_MAX, sizeof(*body)), at = 0;

    memcpy(body, runs, n * sizeof(*runs));
    at = (int32_t)n * 2;
    for (uint32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < runs[i].n; k++)
            body[at++] = (int32_t)job->rank[mend_guest_name(x, runs[i].first + k)].place.at;
    mend_link_send(job, x, &m, body, (size_t)at);
    free(body);
}

/* ASK and TELL.  0, or an errno value: there is no room. */
static int admit(struct job *job, struct mend_link *x, const struct mend_link_run *runs, uint32_t n)
{
    struct mend_link_msg m = {.kind = MEND_LINK_UNTELL, .n = n};
    int error = n ? mend_guest_admit(job, x, runs, n) : 0;

    if (error)
        mend_link_send(job, x, &m, runs, (size_t)n * 2);
    else if (n)
        give_places(job, x, runs, n);
    return error;
}

static void on_guests(struct job *job, struct mend_link *x, const struct mend_link_run *runs,
                      uint32_t n, const int32_t *places)
{
    for (uint32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < runs[i].n; k++)
            x->there[runs[i].first + k] = mend_place_at((uint32_t)*places++);
    x->announce_due = !mend_guest_announce(job, x);
    mend_verdict_call_all(job);
}

static void on_released(struct mend_link *x, const int32_t *names, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        x->held[names[i] / 64] &= ~(UINT64_C(1) << names[i] % 64);
}

/* As far as an agent of ours would: names in range, everything as long as it says. */
static bool is_sound(const struct job *job, const struct mend_link *x,
                     const struct mend_link_msg *m, size_t len)
{
    const struct mend_link_run *runs = (const struct mend_link_run *)m->body;
    bool has_runs = m->kind >= MEND_LINK_ASK && m->kind <= MEND_LINK_UNTELL;
    bool ours = m->kind >= MEND_LINK_GUESTS;
    size_t words = (len - sizeof(*m)) / sizeof(int32_t), names = 0, need = 0;

    if (len < sizeof(*m) || len % sizeof(int32_t) || m->magic != MEND_LINK_MAGIC ||
        m->n > BODY_WORDS_MAX || (x->state != MEND_LINK_OPEN) != (m->kind < MEND_LINK_ASK))
        return false;
    if (has_runs)
        need = (size_t)m->n * 2;
    else if (m->kind == MEND_LINK_DEATH || m->kind == MEND_LINK_EXPLAIN)
        need = (size_t)m->n * 3;
    else if (m->kind == MEND_LINK_RELEASED || m->kind == MEND_LINK_ABORT)
        need = m->n;
    if (words < need)
        return false;
    for (uint32_t i = 0; has_runs && i < m->n; i++) {
        int32_t end = ours ? job->n : (int32_t)MEND_NODE_NAMES;

        if (runs[i].n <= 0 || runs[i].first < 0 || runs[i].first > end - runs[i].n ||
            (names += (size_t)runs[i].n) > MEND_LINK_NAMES_MAX)
            return false;
    }
    for (uint32_t i = 0; (m->kind == MEND_LINK_RELEASED || m->kind == MEND_LINK_ABORT) && i < m->n;
         i++)
        if (m->body[i] < 0 || m->body[i] >= job->n)
            return false;
    return words == need + (m->kind == MEND_LINK_GUESTS ? names : 0);
}

/* Takes fd. */
static void on_message(struct job *job, struct mend_link *x, const struct mend_link_msg *m, int fd)
{
    const struct mend_link_run *runs = (const struct mend_link_run *)m->body;
    const struct mend_link_death *deaths = (const struct mend_link_death *)m->body;
    int error;

    if (m->kind != MEND_LINK_HELLO && m->kind != MEND_LINK_OLLEH && fd >= 0)
        close(fd);
    switch ((enum mend_link_kind)m->kind) {
    case MEND_LINK_HELLO:
        on_hello(job, x, m, fd);
        break;
    case MEND_LINK_OLLEH:
        on_olleh(job, x, m, fd);
        break;
    case MEND_LINK_REFUSE:
        on_refuse(job, x, m->code);
        break;
    case MEND_LINK_ASK:
        error = admit(job, x, runs, m->n);
        send_runs(job, x, MEND_LINK_TELL, error);
        break;
    case MEND_LINK_TELL:
        error = m->code ? m->code : admit(job, x, runs, m->n);
        answer_oldest(job, x, error);
        break;
    case MEND_LINK_GUESTS:
        on_guests(job, x, runs, m->n, m->body + (size_t)m->n * 2);
        break;
    case MEND_LINK_UNTELL:
        mend_guest_untell(x, runs, m->n);
        break;
    case MEND_LINK_DEATH:
        mend_guest_deaths(job, x, deaths, m->n, m->when_ns);
        break;
    case MEND_LINK_EXPLAIN:
        mend_guest_explain(job, x, deaths);
        break;
    case MEND_LINK_RELEASED:
        on_released(x, m->body, m->n);
        break;
    case MEND_LINK_ABORT:
        mend_control_abort(job, mend_guest_name(x, m->from), m->body, (int32_t)m->n, m->code);
        break;
    }
}

static bool receive(struct job *job, struct mend_link *x, struct mend_link_msg *m)
{
    char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8)));
    struct iovec iov = {m, MSG_BYTES_MAX};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control,
                         .msg_controllen = sizeof(control)};
    ssize_t len = recvmsg(x->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    struct cmsghdr *c = len > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
    int fd = -1;

    if (len < 0 && (errno == EAGAIN || errno == EINTR))
        return errno == EINTR;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(c), sizeof(fd));
    if (len > 0 && is_sound(job, x, m, (size_t)len)) {
        on_message(job, x, m, fd);
        return x->fd >= 0;
    }
    if (fd >= 0)
        close(fd);
    lose(job, x, len > 0 ? EPROTO : ENOENT);
    return false;
}

void mend_links_read(struct job *job, int fd)
{
    struct mend_link_msg *m = mend_xalloc(1, MSG_BYTES_MAX);

    mend_list_foreach (l, next, &job->links) {
        struct mend_link *x = mend_list_entry(l, struct mend_link, link);

        if (x->fd != fd)
            continue;
        flush(job, x);
        while (x->fd >= 0 && receive(job, x, m))
            ;
        break;
    }
    free(m);
}

void mend_links_knock(struct job *job)
{
    int fd;

    while ((fd = accept4(job->door_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
        if (is_same_user(fd))
            add(job, fd, MEND_LINK_CALLED, 0);
        else
            close(fd);
}

void mend_links_abort(struct job *job, const struct rank *r, const uint64_t *set, uint32_t words,
                      int code)
{
    int32_t *names = mend_xalloc((size_t)job->n, sizeof(*names));

    mend_list_foreach (l, next, &job->links) {
        struct mend_link *x = mend_list_entry(l, struct mend_link, link);
        struct mend_link_msg m = {.kind = MEND_LINK_ABORT, .code = code, .from = r->index};

        for (int i = 0; i < job->n && (uint32_t)i / 64 < words; i++)
            if (job->rank[i].guest_of == x && mend_bits_test(set, i) && m.n < BODY_WORDS_MAX)
                names[m.n++] = mend_guest_there(x, i);
        if (m.n && x->state == MEND_LINK_OPEN)
            mend_link_send(job, x, &m, names, m.n);
    }
    free(names);
}

mend_time_ns mend_links_look(struct job *job, mend_time_ns now)
{
    mend_time_ns next = pursue_all(job) ? now + AGAIN_NS : MEND_TIME_NEVER, at;

    at = give_up_old(job, now);
    next = at < next ? at : next;
    mend_list_foreach (l, after, &job->links) {
        struct mend_link *x = mend_list_entry(l, struct mend_link, link);

        at = mend_guest_look(job, x, now);
        next = at < next ? at : next;
        if (x->state == MEND_LINK_CLOSED)
            free_link(job, x);
    }
    return next;
}

bool mend_links_hold(const struct job *job, int name)
{
    mend_list_foreach (l, next, &job->links) {
        const struct mend_link *x = mend_list_entry(l, struct mend_link, link);

        if (x->held[name / 64] >> name % 64 & 1)
            return true;
    }
    return false;
}
