/* SPDX-License-Identifier: BSD-3-Clause */
/* local.c – the runtime of a rank that our own agent started on this node.
 *
 * All data of the job is in the segment, so the start needs no message:
 *
 *   environment -> map the segment -> take the rank (one CAS) -> lock the life word -> go
 *
 * The life word is a robust mutex that the main thread holds from here until it leaves.  When the
 * process dies the kernel sets FUTEX_OWNER_DIED in it before it tears the memory down, and wakes
 * the agent.
 *
 *   1  the life word is locked by the main thread or not at all (the robust list is per thread: the
 *      end of another thread would look like a death); without it the agent relies on waitpid;
 *   2  FUTEX_WAITERS is set in it while it is held, otherwise the kernel would not wake the agent;
 *   3  it is unlocked before its memory is unmapped: glibc's list of robust mutexes runs through
 *      it;
 *   4  a process forked by the rank has neither the segment nor the life word. */
#include "base/atomic.h"
#include "node/abroad.h"
#include "node/log.h"
#include "node/node.h"
#include "node/revoked.h"
#include "rt/ear.h"
#include "rt/pass.h"
#include "rt/rt.h"
#include "rt/spare.h"
#include "rt/spawn.h"
#include "rt/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct local {
    struct mend_node_header *shm;
    struct mend_node_rank *me;
    struct mend_node_process *process; /* this process's entry */
    size_t bytes;
    int ctl_fd;
    bool holds_life;
    pthread_t life_holder;
    struct mend_ctl_ear ear;
    uint32_t callers_n; /* as in the segment, when all of them were taken */
    uint64_t
        tallies_n; /* questions for numbers that the job keeps, also of those that had the place before */
    pid_t pid;
};

static enum mend_status refuse(const char **why_p, const char *why)
{
    *why_p = why;
    return MEND_ERR_BAD;
}

/* A number from the environment between 0 and max; -1: missing or damaged. */
static long env_number(const char *name, long max)
{
    const char *text = getenv(name);
    char *end;
    long v;

    if (!text || !*text)
        return -1;
    errno = 0;
    v = strtol(text, &end, 10);
    return *end || errno || v < 0 || v > max ? -1 : v;
}

/* Locks the life word (invariants 1, 2). */
static void hold_life(struct local *l)
{
    pthread_mutexattr_t attr;

    if (gettid() != getpid())
        return;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&l->me->life, &attr);
    pthread_mutexattr_destroy(&attr);
    if (pthread_mutex_lock(&l->me->life) != 0)
        return;
    atomic_fetch_or(mend_node_life_word(l->me), FUTEX_WAITERS);
    l->holds_life = true;
    l->life_holder = pthread_self();
    mend_store_release(&l->me->life_valid, 1); /* pairs with the acquire in mend_rank_has_mark() */
}

/* Unlocks the life word, without waking the agent's watcher, which has nothing to do. */
static void release_life(struct local *l)
{
    mend_store_release(&l->me->life_valid, 0);
    atomic_fetch_and(mend_node_life_word(l->me), ~FUTEX_WAITERS);
    pthread_mutex_unlock(&l->me->life);
    l->holds_life = false;
}

static void send_ctl(struct local *l, struct mend_ctl *m, size_t body_bytes)
{
    m->magic = MEND_CTL_MAGIC;
    while (send(l->ctl_fd, m, MEND_CTL_HEAD_BYTES + body_bytes, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

/* A script or a tracer may stand between the agent and this process: the agent must know that the
 * process that it started is not the one to look at. */
static void tell_if_wrapped(struct local *l)
{
    struct mend_ctl m = {.kind = MEND_CTL_JOIN};

    if (mend_load_relaxed(&l->me->in_script))
        send_ctl(l, &m, 0);
}

/* The kernel tells who made the socket, by the number that the agent has in this process's PID namespace; 0: it is in
 * another. */
static bool is_in_script(struct local *l)
{
    struct ucred agent = {0};
    socklen_t len = sizeof(agent);

    return getsockopt(l->ctl_fd, SOL_SOCKET, SO_PEERCRED, &agent, &len) != 0 || agent.pid <= 0 ||
           agent.pid != getppid();
}

/* Its agent passes on to other nodes, and to jobs that are reached by sockets, what this process says in the segment. */
static void tell_presence(struct local *l)
{
    struct mend_ctl m = {.kind = MEND_CTL_PRESENCE};

    /* Pairs with the fence in opened() (launch/agent/contact.c): either the agent reads the word that was just written, or this
     * process finds that it is to tell it. */
    atomic_thread_fence(memory_order_seq_cst);
    if (mend_load_relaxed(&l->shm->tells_presence))
        send_ctl(l, &m, 0);
}

/* Makes this process the rank.  Only one process can ever do so, and a dead rank stays dead. */
static enum mend_status take_rank(struct local *l, const char **why_p)
{
    uint32_t nobody = 0;

    if (!atomic_compare_exchange_strong(&l->me->pid, &nobody, (uint32_t)getpid()))
        return refuse(why_p,
                      "cannot join the job: this rank is taken by another process (one rank is "
                      "one MPI program; start a second one with its own mpiexec)");
    if (mend_load_acquire(&l->me->fate) == MEND_PEER_DEAD)
        return refuse(why_p, "cannot join the job: this rank was declared dead");
    mend_store_relaxed(&l->me->in_script, is_in_script(l));
    mend_store_release(&l->process->presence, MEND_PRESENCE_STARTING);
    /* Pairs with the fence in mend_rank_call_all(): either this process finds the dead in the log, or the agent
     * finds it here and keeps the rings to them (launch/agent/segment.c). */
    atomic_thread_fence(memory_order_seq_cst);
    hold_life(l);
    tell_if_wrapped(l);
    tell_presence(l);
    return MEND_OK;
}

/* Also of another job, while it is not dead.  NULL: it is on another node. */
static struct mend_node_rank *rank_of(struct mend_proc *self, mend_peer peer)
{
    const struct mend_where *where = &mend_peer_entry(self, peer)->where;
    struct local *l = self->rt_state;

    if (where->place.at == MEND_PLACE_NONE.at)
        return NULL;
    return mend_node_rank_of(where->job ? where->job->header : l->shm, where->place);
}

static void local_take_pokes(struct mend_proc *self, bool on)
{
    struct local *l = self->rt_state;

    mend_store_relaxed(&l->me->poke_thread, on ? (uint32_t)gettid() : 0);
    /* Pairs with the fence in local_poke(): either this process finds the frame, or its sender finds the thread. */
    atomic_thread_fence(memory_order_seq_cst);
}

static bool local_poke(struct mend_proc *self, mend_peer peer)
{
    struct mend_node_rank *r;
    uint32_t thread;

    if (mend_peer_is_dead(self, peer))
        return false;
    r = rank_of(self, peer);
    if (!r) /* its agent does, when the frame is there (launch/agent/rouse.c) */
        return true;
    atomic_thread_fence(memory_order_seq_cst); /* the partner is in local_take_pokes() */
    thread = mend_load_relaxed(&r->poke_thread);
    return thread &&
           syscall(SYS_tgkill, (pid_t)mend_load_relaxed(&r->pid), (pid_t)thread, SIGURG) == 0;
}

/* Of this job. */
static void meet_in_job(struct mend_proc *self, mend_peer p, const struct mend_node_process *given)
{
    const struct local *l = self->rt_state;

    if (given->node != l->shm->node)
        mend_node_meet_elsewhere(self, p,
                                 (struct mend_where){.kind = MEND_WHERE_NODE,
                                                     .node = (int32_t)given->node,
                                                     .place = MEND_PLACE_NONE,
                                                     .sends = MEND_PLACE_NONE});
    else
        mend_node_meet(self, p, mend_place_at(given->place));
}

/* Of another job. */
static bool meet_abroad(struct mend_proc *self, mend_peer p, const struct mend_node_process *given)
{
    struct local *l = self->rt_state;
    /* acquire: pairs with the release in leave_guests() (launch/agent/link.c), before which a process that had begun was told */
    bool forgotten = mend_load_acquire(&given->forgotten);

    if (mend_ctl_meet(self, &l->ear, p, forgotten))
        return true;
    if (forgotten)
        mend_node_meet_elsewhere(self, p,
                                 (struct mend_where){.kind = MEND_WHERE_NOWHERE,
                                                     .place = MEND_PLACE_NONE,
                                                     .sends = MEND_PLACE_NONE});
    return forgotten;
}

/* How many names the agent has given.  acquire: pairs with the release in mend_segment_name() */
static mend_peer names_given(const struct local *l)
{
    uint32_t n = mend_load_acquire(&l->shm->names_n);

    return (mend_peer)(n < MEND_NODE_NAMES ? n : MEND_NODE_NAMES);
}

static bool local_meet(struct mend_proc *self, mend_peer end)
{
    struct local *l = self->rt_state;
    mend_peer known = self->peers_n;

    if (end > names_given(l) || (end > known && !mend_peers_add(self, end - known)))
        return false;
    for (mend_peer p = known; p < end; p++) {
        const struct mend_node_process *given = mend_node_process_of(l->shm, p);

        if (given->counter)
            meet_in_job(self, p, given);
        else if (!meet_abroad(self, p, given))
            return false;
    }
    return true;
}

/* A process that was started later: the call that asked for it. */
static enum mend_status read_asked(struct mend_proc *self, const char **why_p)
{
    long first = env_number(MEND_ENV_FIRST, INT32_MAX), fd = env_number(MEND_ENV_SPAWN, INT32_MAX);
    struct mend_spawn_file f;

    if (!getenv(MEND_ENV_SPAWN))
        return MEND_OK;
    if (first < 0 || first > self->me || self->me - first >= self->world_n || fd < 0 ||
        !mend_spawn_map(&f, (int)fd, false))
        return refuse(why_p, "cannot join the job: the environment variables MEND_FIRST and "
                             "MEND_SPAWN_FD are damaged");
    self->world_first = (mend_peer)first;
    self->asked_by = f.h->root;
    self->asked_number = f.h->number;
    self->seats = mend_spawn_seats(&f, (uint32_t)self->world_n);
    mend_spawn_unmap(&f);
    close((int)fd);
    return self->asked_by >= 0 && self->asked_by < self->world_first
               ? MEND_OK
               : refuse(why_p, "cannot join the job: the request that this process was started "
                               "for is damaged");
}

/* What the launcher says in the environment. */
struct call {
    long rank, size, shm_fd, ctl_fd;
};

static bool read_call(struct call *call)
{
    call->rank = env_number(MEND_ENV_RANK, INT32_MAX);
    call->size = env_number(MEND_ENV_SIZE, INT32_MAX);
    call->shm_fd = env_number(MEND_ENV_SHM_FD, INT32_MAX);
    call->ctl_fd = env_number(MEND_ENV_CTL_FD, INT32_MAX);
    return call->rank >= 0 && call->size > 0 &&
           (call->size > call->rank || getenv(MEND_ENV_SPAWN)) && call->shm_fd >= 0 &&
           call->ctl_fd >= 0;
}

/* Maps the segment and takes the rank in it. */
static enum mend_status enter(struct local *l, const struct call *call, const char **why_p)
{
    enum mend_status st;

    if (mend_abroad_is_of_another_build((int)call->shm_fd))
        return refuse(why_p,
                      "cannot join the job: this library and the mpiexec that has started the "
                      "program are of different builds of Mend; start it with the mpiexec in "
                      "the bin/ beside the library's lib/ ('ldd PROGRAM' shows the library)");
    l->shm = mend_abroad_map((int)call->shm_fd, MEND_NODE_PART_SLAB, &l->bytes);
    if (!l->shm || call->size > names_given(l) || call->rank >= names_given(l))
        return refuse(why_p,
                      "cannot join the job: the shared segment of the launcher cannot be mapped "
                      "(a wrapper that closes descriptors, or a limit on address space)");
    l->process = mend_node_process_of(l->shm, (mend_peer)call->rank);
    l->me = mend_node_rank_of(l->shm, mend_place_at(l->process->place));
    l->ctl_fd = (int)call->ctl_fd;
    l->tallies_n = mend_load_relaxed(&l->me->tallied_n);
    fcntl((int)call->shm_fd, F_SETFD, FD_CLOEXEC);
    fcntl((int)call->ctl_fd, F_SETFD, FD_CLOEXEC);
    mend_ctl_open(&l->ear, l->ctl_fd);
    st = take_rank(l, why_p);
    if (st != MEND_OK)
        munmap(l->shm, l->bytes);
    return st;
}

static void tell_process(struct mend_proc *self, struct local *l, const struct call *call)
{
    self->rt_state = l;
    self->me = (mend_peer)call->rank;
    self->peers_max = MEND_NODE_NAMES;
    self->universe_n = (mend_peer)l->shm->places_n;
    self->world_n = (mend_peer)call->size;
    self->born_n = self->let_go_n = l->me->born_n;
    self->interrupt = &l->me->interrupt;
    /* verdicts given before now are looked at first; nobody was interrupted by those before it was started */
    self->interrupt_seen = mend_load_acquire(self->interrupt) - 1;
    self->oversubscribed = l->shm->ranks_here_n > l->shm->cores_n;
    self->ranks_per_core = l->shm->ranks_here_n / l->shm->cores_n;
    self->attends = self->oversubscribed ? &l->me->attends : NULL;
    self->reporting = l->shm->reporting;
}

/* Waits for room in the socket, which the agent always makes. */
static bool hand(struct mend_proc *self, int set)
{
    struct mend_ctl m = {.magic = MEND_CTL_MAGIC,
                         .kind = set < 0 ? MEND_CTL_UNWATCH : MEND_CTL_WATCH};
    struct local *l = self->rt_state;

    return mend_pass(l->ctl_fd, &m, MEND_CTL_HEAD_BYTES, &set, set >= 0, 0) > 0;
}

/* Port 0: there is none. */
static struct mend_address address_of(const struct mend_proc *self, mend_peer peer)
{
    struct mend_node_header *h = ((struct local *)self->rt_state)->shm;
    const struct mend_where *where = &mend_peer_entry(self, peer)->where;

    return where->job ? mend_abroad_door(self, peer)->at
                      : mend_node_of_job(h, (uint32_t)where->node)->door.at;
}

static int local_dial(struct mend_proc *self, mend_peer peer)
{
    struct mend_address address = address_of(self, peer);
    struct sockaddr_in6 at;
    socklen_t len = mend_address_to(&address, &at);
    int fd =
        at.sin6_port ? socket(at.sin6_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) : -1;

    if (fd < 0 || connect(fd, (struct sockaddr *)&at, len) == 0 || errno == EINPROGRESS)
        return fd;
    close(fd);
    return -1;
}

static bool local_caller(struct mend_proc *self, struct mend_greeting *g, int *fd_p)
{
    struct local *l = self->rt_state;
    uint32_t n = mend_load_acquire(&l->me->callers_n); /* pairs with the release in pass_on() */

    if (mend_likely(n == l->callers_n))
        return false;
    if (mend_ctl_caller(self, &l->ear, g, fd_p))
        return true;
    l->callers_n = n;
    return false;
}

static void local_cut(struct mend_proc *self, mend_peer peer)
{
    struct mend_ctl m = {.kind = MEND_CTL_CUT, .n = 1, .peer = peer};

    send_ctl(self->rt_state, &m, sizeof(m.peer));
}

static enum mend_status local_open(struct mend_proc *self, const char **why_p)
{
    struct call call;
    struct local *l;
    enum mend_status st;

    if (!mend_spare_await(self))
        return refuse(why_p, "cannot take the place of a dead rank: the call of the launcher is "
                             "damaged");
    if (!getenv(MEND_ENV_RANK))
        return MEND_ERR_UNSUPPORTED;
    if (!read_call(&call))
        return refuse(why_p, "cannot join the job: the environment variables MEND_RANK, MEND_SIZE, "
                             "MEND_SHM_FD, MEND_CTL_FD are damaged (start the program with Mend's "
                             "mpiexec)");
    *why_p = "no memory";
    l = mend_zalloc(self, 1, sizeof(*l));
    if (!l)
        return MEND_ERR_MEM;
    l->pid = getpid();
    st = enter(l, &call, why_p);
    if (st != MEND_OK)
        return st;
    tell_process(self, l, &call);
    st = read_asked(self, why_p);
    if (st != MEND_OK)
        return st;
    if (mend_node_open(self, l->shm, (int)call.shm_fd) != MEND_OK ||
        !local_meet(self, self->world_first + self->world_n))
        return MEND_ERR_MEM;
    self->node->hand = hand;
    self->node->dial = local_dial;
    self->node->caller = local_caller;
    self->node->cut = local_cut;
    self->world_counter = mend_node_process_of(l->shm, self->world_first)->counter;
    mend_peers_connect(self, self->world_first, self->world_n);
    return MEND_OK;
}

/* What the agent has said of other jobs comes first. */
static mend_peer local_names(struct mend_proc *self)
{
    struct local *l = self->rt_state;

    if (mend_load_relaxed(&l->shm->number) || !mend_list_empty(&l->ear.asks))
        mend_ctl_hear(self, &l->ear);
    return names_given(l);
}

static bool local_connect(struct mend_proc *self, uint64_t job, mend_peer first, uint32_t n,
                          struct mend_rt_ask *ask)
{
    struct mend_ctl m = {
        .kind = MEND_CTL_CONNECT, .n = 1, .connect = {.job = job, .first = first, .names_n = n}};
    struct local *l = self->rt_state;

    m.connect.ask = mend_ctl_ask(&l->ear, ask);
    send_ctl(l, &m, sizeof(m.connect));
    return true;
}

/* Hands a file over. */
static bool hand_over(struct mend_proc *self, uint16_t kind, int fd)
{
    struct mend_ctl m = {.magic = MEND_CTL_MAGIC, .kind = kind};
    struct local *l = self->rt_state;

    return mend_pass(l->ctl_fd, &m, MEND_CTL_HEAD_BYTES, &fd, 1, 0) > 0;
}

static bool local_spawn(struct mend_proc *self, int fd)
{
    return hand_over(self, MEND_CTL_SPAWN, fd);
}

static bool local_is_served(struct mend_proc *self)
{
    return ((struct local *)self->rt_state)->shm->nodes_n > 1;
}

static bool local_service(struct mend_proc *self, int fd)
{
    return hand_over(self, MEND_CTL_NAME, fd);
}

static void local_mind_left(struct mend_proc *self)
{
    struct mend_ctl m = {.kind = MEND_CTL_SESSION};

    send_ctl(self->rt_state, &m, 0);
}

static bool local_verdict(struct mend_proc *self, uint32_t k, struct mend_death *death_p)
{
    struct local *l = self->rt_state;
    struct mend_node_death *d;
    uint64_t why;

    /* acquire: pairs with the release in publish(), after entry k */
    if (k >= mend_load_acquire(&l->shm->deaths_n))
        return false;
    d = mend_node_death_of(l->shm, k);
    why = mend_load_relaxed(&d->why);
    *death_p = (struct mend_death){.peer = (mend_peer)d->name,
                                   .cause = (enum mend_cause)MEND_NODE_WHY_CAUSE(why),
                                   .code = MEND_NODE_WHY_CODE(why),
                                   .when_ns = d->when_ns,
                                   .late = d->late,
                                   .first = d->first};
    return true;
}

/* Declared, or marked by the kernel. */
static bool is_ending(struct mend_proc *self, mend_peer peer)
{
    struct mend_node_rank *r;

    if (mend_peer_is_dead(self, peer))
        return true;
    r = rank_of(self, peer);
    if (!r)
        return false;
    return mend_load_acquire(&r->fate) == MEND_PEER_DEAD ||
           (mend_load_acquire(mend_node_life_word(r)) & FUTEX_OWNER_DIED);
}

static bool local_suspect(struct mend_proc *self, mend_peer peer)
{
    struct mend_ctl m = {.kind = MEND_CTL_SUSPECT, .n = 1, .peer = peer};

    if (is_ending(self, peer) || is_ending(self, self->me))
        return true;
    send_ctl(self->rt_state, &m, sizeof(m.peer));
    return false;
}

/* The agent ends this process together with the others that it has named: if it ended by itself, they
 * could see a death and go on for a moment.  Ends with the agent, too, and after two seconds. */
static void await_the_end(struct local *l)
{
    const struct timeval limit = {.tv_sec = 2};
    char nothing;

    if (setsockopt(l->ctl_fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0)
        while (recv(l->ctl_fd, &nothing, 1, 0) > 0)
            ;
}

static void local_abort(struct mend_proc *self, const mend_peer *peers, uint32_t n,
                        struct mend_abort what)
{
    struct local *l = self->rt_state;
    struct mend_ctl m = {.kind = MEND_CTL_ABORT, .code = what.code, .follows = what.follows};
    bool named, others;

    for (uint32_t i = 0; i < n; i++)
        mend_bits_set(m.set, peers[i]);
    m.n = (uint32_t)mend_bits_words(self->peers_n);
    named = mend_bits_test(m.set, self->me);
    others = mend_bits_count(m.set, m.n) > named;
    if (named) { /* an observer of our end knows the reason, and that there is a datagram to read */
        mend_store_relaxed(&l->me->abort_code, (uint32_t)what.code);
        mend_store_relaxed(&l->me->abort_follows, what.follows);
        mend_store_release(&l->me->abort_asked,
                           others ? MEND_NODE_ABORTS_OTHERS : MEND_NODE_ABORTS);
    }
    send_ctl(l, &m, m.n * sizeof(*m.set));
    if (named && others)
        await_the_end(l);
}

/* What the agent has not read when this process dies it still reads. */
static void local_revoke(struct mend_proc *self, uint64_t ctx, const uint64_t *jobs, uint32_t n)
{
    struct mend_ctl m = {.kind = MEND_CTL_REVOKE, .n = 1 + n};

    MEND_ASSERT(m.n <= MEND_CTL_REVOKE_MAX);
    m.revoke[0] = ctx;
    for (uint32_t i = 0; i < n; i++)
        m.revoke[1 + i] = jobs[i];
    send_ctl(self->rt_state, &m, m.n * sizeof(*m.revoke));
}

static void say_of_papers(struct mend_proc *self, uint16_t kind, uint64_t mark, uint64_t seq,
                          uint32_t round)
{
    struct mend_ctl m = {.kind = kind, .n = 1, .ask = {.mark = mark, .seq = seq, .round = round}};

    send_ctl(self->rt_state, &m, sizeof(m.ask));
}

static void local_ask(struct mend_proc *self, uint64_t mark, uint64_t seq, uint32_t round)
{
    say_of_papers(self, MEND_CTL_ASK, mark, seq, round);
}

static void local_decided(struct mend_proc *self, uint64_t mark, uint64_t seq)
{
    say_of_papers(self, MEND_CTL_DECIDED, mark, seq, 0);
}

static void local_wrote(struct mend_proc *self)
{
    struct mend_ctl m = {.kind = MEND_CTL_WROTE};

    send_ctl(self->rt_state, &m, 0);
}

static bool local_told(struct mend_proc *self, struct mend_rt_told *told_p)
{
    return mend_ctl_told(self, &((struct local *)self->rt_state)->ear, told_p);
}

static bool local_is_revoked(struct mend_proc *self, uint64_t ctx)
{
    return mend_revoked_has(((struct local *)self->rt_state)->shm, ctx);
}

static uint64_t local_tally(struct mend_proc *self, uint64_t of, enum mend_tally how, int64_t value)
{
    struct local *l = self->rt_state;
    struct mend_ctl m = {
        .kind = MEND_CTL_TALLY,
        .n = 1,
        .tally = {.of = of, .question = ++l->tallies_n, .value = value, .how = how}};

    send_ctl(l, &m, sizeof(m.tally));
    return m.tally.question;
}

static bool local_tallied(struct mend_proc *self, uint64_t question, int64_t *was_p)
{
    struct local *l = self->rt_state;

    /* acquire: pairs with the release in mend_tally_answer() (launch/agent/tally.c) */
    if (mend_load_acquire(&l->me->tallied_n) != question)
        return false;
    *was_p = (int64_t)mend_load_relaxed(&l->me->tally_was);
    return true;
}

/* The words first: the agent reads them when it gets the datagram, and a watcher that sees the end sooner
 * finds the reason.  A second thread that crashes adds nothing. */
static void local_crashing(struct mend_proc *self, int sig)
{
    static const struct mend_ctl m = {.magic = MEND_CTL_MAGIC, .kind = MEND_CTL_CRASH};
    struct local *l = self->rt_state;
    uint32_t nobody = 0;

    if (!atomic_compare_exchange_strong(&l->me->crash_thread, &nobody, (uint32_t)gettid()))
        return;
    mend_store_release(&l->me->crash_signal, (uint32_t)sig);
    send(l->ctl_fd, &m, MEND_CTL_HEAD_BYTES, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void local_report(struct mend_proc *self, const char *text)
{
    struct local *l = self->rt_state;
    struct mend_ctl m = {.kind = MEND_CTL_REPORT};
    int n;

    if (!l->shm->reporting)
        return;
    n = snprintf(m.text, sizeof(m.text), "\"t_ns\":%llu,%s",
                 (unsigned long long)(mend_proc_now(self) - l->shm->start_ns), text);
    if (n < 0 || (size_t)n >= sizeof(m.text))
        return;
    m.n = (uint32_t)n;
    send_ctl(l, &m, m.n);
}

static void local_injected(struct mend_proc *self, int k)
{
    struct mend_ctl m = {.kind = MEND_CTL_INJECTED, .n = 1, .peer = k};

    send_ctl(self->rt_state, &m, sizeof(m.peer));
}

static void local_disown(struct mend_proc *self, mend_peer dead)
{
    struct local *l = self->rt_state;

    if (dead < self->peers_n)
        mend_store_relaxed(mend_node_handled_of(l->shm, dead), 1);
}

/* One that leaves has said before that it is leaving. */
static void publish(struct mend_proc *self, enum mend_presence presence)
{
    struct local *l = self->rt_state;

    mend_store_release(&l->process->presence, (uint32_t)presence);
    tell_presence(l);
    if (presence >= MEND_PRESENCE_LEAVING)
        mend_node_wake_awaiting(self);
}

/* R22: a process that finishes cleanly has handled the deaths that it was told of.  It holds no life word then, so that it may
 * also become another program. */
static void leave(struct mend_proc *self, enum mend_presence presence)
{
    struct local *l = self->rt_state;

    for (mend_peer p = 0; p < self->peers_n; p++)
        if (mend_peer_entry(self, p)->told)
            mend_store_relaxed(mend_node_handled_of(l->shm, p), 1);
    publish(self, presence);
    if (l->holds_life && pthread_equal(l->life_holder, pthread_self()))
        release_life(l);
    if (presence == MEND_PRESENCE_LEFT)
        mend_node_leave(self);
}

static void come_back(struct mend_proc *self, enum mend_presence presence)
{
    struct local *l = self->rt_state;

    if (!l->holds_life)
        hold_life(l);
    publish(self, presence);
}

/* It may have missed verdicts. */
static void come_back_unexpected(struct mend_proc *self, enum mend_presence presence)
{
    struct local *l = self->rt_state;

    come_back(self, presence);
    /* Pairs with the fence in mend_rank_call_all(), as in take_rank(). */
    atomic_thread_fence(memory_order_seq_cst);
    self->born_n = mend_load_acquire(&l->shm->deaths_n);
    self->interrupt_seen =
        mend_load_acquire(self->interrupt) - 1; /* all of them are looked at next */
}

static void forget_environment(void)
{
    static const char *const ours[] = MEND_ENV_ALL;

    for (size_t i = 0; i < MEND_COUNT_OF(ours); i++)
        unsetenv(ours[i]);
}

static bool local_say(struct mend_proc *self, enum mend_presence presence)
{
    struct local *l = self->rt_state;
    uint32_t before = mend_load_relaxed(&l->process->presence);

    if (before == MEND_PRESENCE_LEFT && (getpid() != l->pid || !mend_node_return(self)))
        return false;
    if (before == MEND_PRESENCE_STARTING)
        forget_environment();
    if (presence >= MEND_PRESENCE_LEFT)
        leave(self, presence);
    else if (before == MEND_PRESENCE_LEFT)
        come_back_unexpected(self, presence);
    else if (before == MEND_PRESENCE_AWAY)
        come_back(self, presence);
    else
        publish(self, presence);
    return true;
}

static const char *local_host(struct mend_proc *self, mend_peer peer)
{
    struct mend_node_header *h = ((struct local *)self->rt_state)->shm;
    const struct mend_where *where = &mend_peer_entry(self, peer)->where;

    return where->kind == MEND_WHERE_NODE ? mend_node_of_job(h, (uint32_t)where->node)->host
                                          : h->host;
}

const struct mend_rt mend_rt_local = {
    .name = "local",
    .open = local_open,
    .meet = local_meet,
    .names = local_names,
    .spawn = local_spawn,
    .service = local_service,
    .is_served = local_is_served,
    .connect = local_connect,
    .mind_left = local_mind_left,
    .disown = local_disown,
    .say = local_say,
    .verdict = local_verdict,
    .take_pokes = local_take_pokes,
    .poke = local_poke,
    .suspect = local_suspect,
    .abort = local_abort,
    .revoke = local_revoke,
    .is_revoked = local_is_revoked,
    .tally = local_tally,
    .tallied = local_tallied,
    .ask = local_ask,
    .decided = local_decided,
    .wrote = local_wrote,
    .told = local_told,
    .crashing = local_crashing,
    .report = local_report,
    .injected = local_injected,
    .host = local_host,
};
