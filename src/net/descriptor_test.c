/* SPDX-License-Identifier: BSD-3-Clause */
/* A transport with descriptors wakes a process that sleeps in its segment: with a frame, with the end of the other side,
 * and with a frame that came before; no wake-up is lost, at whatever instant a frame comes; what other processes of
 * the node have to tell still wakes it; and a process that waits without sleeping makes few system calls.
 *
 * The transport is a pair of sockets, with frames of one size without payload.  The agent is a thread, which does what
 * launch/agent/rouse.c does. */
#include "net/net.h"
#include "node/bell.h"
#include "node/node.h"

#include "base/test.h"

#include <dirent.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define A_MOMENT (20 * (mend_time_ns)1000000)
#define FOR_LONG (20 * (mend_time_ns)1000000000)
#define TURNS    20000

static struct mend_proc me;
static void *segment;
static int segment_fd, here, there; /* the two ends */
static int came_n, troubles_n;
static unsigned looks_n;
static struct mend_look look;

static unsigned pair_poll(struct mend_proc *self, mend_peer hint)
{
    struct mend_frame f;
    unsigned n = 0;
    ssize_t got;

    if (!self->bell->is_due(self, &look))
        return 0;
    looks_n++;
    while ((got = recv(here, &f, sizeof(f), MSG_DONTWAIT)) == (ssize_t)sizeof(f)) {
        self->on_frame[mend_frame_kind(&f)](self, 1, &f, NULL);
        n++;
    }
    if (got == 0)
        self->on_trouble(self, 1);
    return n;
}

static const struct mend_net pair = {.name = "pair", .poll = pair_poll};

/* The agent. */
static struct {
    int epoll, stop;
    pthread_mutex_t lock;
    int set;              /* under the lock */
    unsigned events_n;    /* too */
    mend_atomic_u32 idle; /* 1: it is not to take events now */
    pthread_t thread;
} agent = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct mend_node_rank *my_words(void)
{
    return mend_node_rank_of(me.node->header, mend_place_at(0));
}

static void take_event(void)
{
    struct mend_node_wakes wakes = {.header = me.node->header};
    mend_atomic_u32 *n = &my_words()->readable_n;
    struct epoll_event e;

    pthread_mutex_lock(&agent.lock);
    if (agent.set < 0 || epoll_wait(agent.set, &e, 1, 0) <= 0) {
        pthread_mutex_unlock(&agent.lock);
        return;
    }
    agent.events_n++;
    pthread_mutex_unlock(&agent.lock);
    mend_store_release(n, mend_load_relaxed(n) + 1);
    mend_node_wakes_add(&wakes, mend_place_at(0));
    mend_node_wakes_flush(&wakes);
}

static unsigned events_n(void)
{
    unsigned n;

    pthread_mutex_lock(&agent.lock);
    n = agent.events_n;
    pthread_mutex_unlock(&agent.lock);
    return n;
}

static void *attend(void *arg)
{
    struct epoll_event e;

    for (;;) {
        int n = epoll_wait(agent.epoll, &e, 1, -1);

        if (n > 0 && e.data.fd == agent.stop)
            return arg;
        if (n > 0 && !mend_load_acquire(&agent.idle))
            take_event();
    }
}

static void await(int fd)
{
    struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};

    CHECK_EQ(epoll_ctl(agent.epoll, EPOLL_CTL_ADD, fd, &e), 0);
}

/* It gets a descriptor of its own, as through a socket. */
static bool hand(struct mend_proc *self, int set)
{
    pthread_mutex_lock(&agent.lock);
    CHECK((set < 0) == (agent.set >= 0));
    if (set < 0) {
        CHECK_EQ(epoll_ctl(agent.epoll, EPOLL_CTL_DEL, agent.set, NULL), 0);
        close(agent.set);
        agent.set = -1;
    } else {
        agent.set = dup(set);
        await(agent.set);
    }
    pthread_mutex_unlock(&agent.lock);
    return true;
}

static void start_agent(void)
{
    agent.epoll = epoll_create1(EPOLL_CLOEXEC);
    agent.stop = eventfd(0, EFD_CLOEXEC);
    agent.set = -1;
    agent.events_n = 0;
    mend_store_relaxed(&agent.idle, 0);
    await(agent.stop);
    CHECK_EQ(pthread_create(&agent.thread, NULL, attend, NULL), 0);
}

static void end_agent(void)
{
    eventfd_write(agent.stop, 1);
    pthread_join(agent.thread, NULL);
    close(agent.stop);
    close(agent.epoll);
}

static int descriptors_n(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;

    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static void on_frame(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                     const void *payload)
{
    CHECK_EQ(f->tag, came_n);
    came_n++;
}

static void on_trouble(struct mend_proc *self, mend_peer peer)
{
    CHECK_EQ(peer, 1);
    troubles_n++;
}

static void send_frame(int number)
{
    struct mend_frame f = mend_frame_make(MEND_FRAME_EAGER, MEND_CTX_WORLD, number, 1, 0);

    CHECK_EQ(send(there, &f, sizeof(f), MSG_NOSIGNAL), (ssize_t)sizeof(f));
}

static void begin(void)
{
    struct mend_node_header h = {.cores_n = 2};
    int ends[2];

    mend_node_layout(&h, 2);
    segment_fd = memfd_create("segment", MFD_CLOEXEC);
    CHECK(segment_fd >= 0 && ftruncate(segment_fd, (off_t)h.bytes) == 0);
    segment = mmap(NULL, h.at[MEND_NODE_PART_SLAB], PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_NORESERVE, segment_fd, 0);
    CHECK(segment != MAP_FAILED);
    memcpy(segment, &h, sizeof(h));
    me = (struct mend_proc){.arena = mend_arena_create(),
                            .on_trouble = on_trouble,
                            .waits = (void *)&me}; /* that it waits is all that is asked */
    me.on_frame[MEND_FRAME_EAGER] = on_frame;
    CHECK(mend_peers_add(&me, 2));
    CHECK_EQ(mend_node_open(&me, segment, segment_fd), MEND_OK);
    mend_node_meet(&me, 0, mend_place_at(0)); /* peer 1 has no place */
    CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    here = ends[0];
    there = ends[1];
    mend_net_connect(&me, 1, &pair);
    start_agent();
    me.node->hand = hand;
    CHECK_EQ(me.bell->watch(&me, here), MEND_OK);
    came_n = troubles_n = 0;
    looks_n = 0;
    look = (struct mend_look){0};
}

static void finish(void)
{
    me.bell->unwatch(&me, here);
    CHECK(!me.node->watch && agent.set < 0);
    end_agent();
    close(here);
    if (there >= 0)
        close(there);
    munmap(segment, me.node->header->at[MEND_NODE_PART_SLAB]);
    close(segment_fd);
    mend_arena_destroy(me.arena);
}

/* One turn of a wait (req/wait.c).  False: the sleep was too long. */
static bool look_or_sleep(mend_time_ns longest)
{
    bool rung = true;

    me.bell->arm(&me, false);
    if (!me.nets[0]->poll(&me, MEND_PEER_NONE) && !troubles_n)
        rung = me.bell->sleep(&me, longest);
    me.bell->disarm(&me);
    return rung;
}

static void *send_later(void *arg)
{
    usleep(20000);
    send_frame(0);
    return arg;
}

MEND_TEST(a_frame_wakes)
{
    pthread_t t;

    begin();
    CHECK_EQ(pthread_create(&t, NULL, send_later, NULL), 0);
    while (!came_n)
        CHECK(look_or_sleep(FOR_LONG));
    pthread_join(t, NULL);
    finish();
}

/* The look before the sleep did not see it, as if it came just after. */
MEND_TEST(a_frame_that_is_there_wakes)
{
    begin();
    send_frame(0);
    me.bell->arm(&me, false);
    CHECK(me.bell->sleep(&me, FOR_LONG));
    me.bell->disarm(&me);
    me.bell->arm(&me, false); /* and again: it has not been taken */
    CHECK(me.bell->sleep(&me, FOR_LONG));
    me.bell->disarm(&me);
    CHECK(look_or_sleep(FOR_LONG));
    CHECK_EQ(came_n, 1);
    finish();
}

MEND_TEST(without_a_frame_it_sleeps)
{
    begin();
    CHECK(!look_or_sleep(A_MOMENT));
    CHECK_EQ(came_n, 0);
    finish();
}

/* The other end is a process that is killed. */
MEND_TEST(the_death_of_the_other_end_wakes)
{
    pid_t child;

    begin();
    child = fork();
    if (child == 0) {
        close(here);
        usleep(20000);
        raise(SIGKILL);
    }
    close(there);
    there = -1;
    while (!troubles_n)
        CHECK(look_or_sleep(FOR_LONG));
    CHECK_EQ(waitpid(child, NULL, 0), child);
    finish();
}

/* Each frame comes at another instant of the turn, after the one before it was taken. */
static void *send_many(void *arg)
{
    unsigned random = 1;
    char taken;

    for (int i = 0; i < TURNS; i++) {
        random = random * 1103515245 + 12345;
        for (volatile unsigned k = random >> 16 & 0xfff; k > 0; k--)
            ;
        send_frame(i);
        CHECK_EQ(recv(there, &taken, 1, 0), 1);
    }
    return arg;
}

MEND_TEST(no_wakeup_is_lost)
{
    pthread_t t;

    begin();
    CHECK_EQ(pthread_create(&t, NULL, send_many, NULL), 0);
    for (int i = 0; i < TURNS; i++) {
        while (came_n == i)
            CHECK(look_or_sleep(FOR_LONG));
        CHECK_EQ(send(here, "", 1, MSG_NOSIGNAL), 1);
    }
    pthread_join(t, NULL);
    finish();
}

/* As before, but every other wait spins: a request may be open from the last look, and its event taken at any instant. */
MEND_TEST(no_wakeup_is_lost_by_one_who_also_spins)
{
    pthread_t t;

    begin();
    CHECK_EQ(pthread_create(&t, NULL, send_many, NULL), 0);
    for (int i = 0; i < TURNS; i++) {
        for (int k = 0; k < i % 7 * 100 && came_n == i; k++)
            me.nets[0]->poll(&me, MEND_PEER_NONE);
        while (came_n == i)
            CHECK(look_or_sleep(FOR_LONG));
        CHECK_EQ(send(here, "", 1, MSG_NOSIGNAL), 1);
    }
    pthread_join(t, NULL);
    finish();
}

/* Without news one turn in many looks; with news the next one does, long before its turn would come. */
MEND_TEST(a_spinning_process_looks_when_it_is_told)
{
    const unsigned turns = 1000 * MEND_LOOK_TURNS;

    begin();
    for (unsigned i = 0; i < turns; i++)
        CHECK_EQ(me.nets[0]->poll(&me, MEND_PEER_NONE), 0);
    CHECK(looks_n >= 1000 && looks_n <= 1001);
    CHECK_EQ(events_n(), 0);
    send_frame(0);
    while (mend_load_acquire(&my_words()->readable_n) == 0)
        usleep(100);
    CHECK_EQ(me.nets[0]->poll(&me, MEND_PEER_NONE), 1);
    CHECK_EQ(came_n, 1);
    me.nets[0]->poll(&me, MEND_PEER_NONE); /* the next request */
    me.nets[0]->poll(&me, MEND_PEER_NONE); /* its turn */
    looks_n = 0;
    me.nets[0]->poll(&me, MEND_PEER_NONE);
    CHECK_EQ(looks_n, 0);
    CHECK_EQ(events_n(), 1);
    me.yields_n++; /* a turn that gave the core away */
    me.nets[0]->poll(&me, MEND_PEER_NONE);
    me.nets[0]->poll(&me, MEND_PEER_NONE);
    CHECK_EQ(looks_n, 1);
    me.waits = NULL; /* a call that does not wait looks each time */
    for (int i = 0; i < 3; i++)
        me.nets[0]->poll(&me, MEND_PEER_NONE);
    CHECK_EQ(looks_n, 4);
    finish();
}

/* The agent is asked for one event, and has no work with those that come before the next request. */
MEND_TEST(a_busy_process_costs_its_agent_nothing)
{
    begin();
    CHECK(!look_or_sleep(A_MOMENT));
    for (int i = 0; i < 100; i++)
        send_frame(i);
    usleep(20000);
    CHECK_EQ(events_n(), 1);
    CHECK(look_or_sleep(FOR_LONG));
    CHECK_EQ(came_n, 100);
    CHECK(events_n() <= 2);
    finish();
}

/* An agent that is stopped: the process looks when its longest sleep is over. */
MEND_TEST(an_agent_that_does_nothing_delays)
{
    begin();
    mend_store_release(&agent.idle, 1);
    send_frame(0);
    me.bell->arm(&me, false);
    CHECK(!me.bell->sleep(&me, A_MOMENT));
    me.bell->disarm(&me);
    CHECK(look_or_sleep(FOR_LONG));
    CHECK_EQ(came_n, 1);
    finish();
}

/* One that has no room for the set. */
MEND_TEST(an_agent_that_refuses_makes_sleeps_short)
{
    mend_time_ns began;

    begin();
    mend_store_relaxed(&my_words()->deaf, 1);
    began = mend_time_monotonic_ns();
    CHECK(look_or_sleep(FOR_LONG));
    CHECK(mend_time_monotonic_ns() - began < FOR_LONG / 2);
    CHECK(!look_or_sleep(A_MOMENT / 1000)); /* that is what was asked for */
    finish();
}

MEND_TEST(without_an_agent_nothing_is_watched)
{
    int before;

    begin();
    me.bell->unwatch(&me, here);
    me.node->hand = NULL;
    before = descriptors_n();
    CHECK_EQ(me.bell->watch(&me, here), MEND_ERR_MEM);
    me.node->hand = hand;
    CHECK_EQ(me.bell->watch(&me, -1), MEND_ERR_MEM); /* no descriptor */
    CHECK(!me.node->watch && agent.set < 0);
    CHECK_EQ(descriptors_n(), before);
    CHECK_EQ(me.bell->watch(&me, here), MEND_OK);
    finish();
}

static void *interrupt_later(void *arg)
{
    usleep(20000);
    mend_node_interrupt(&me, 0);
    return arg;
}

MEND_TEST(the_node_still_wakes)
{
    pthread_t t;

    begin();
    CHECK_EQ(pthread_create(&t, NULL, interrupt_later, NULL), 0);
    CHECK(look_or_sleep(FOR_LONG));
    pthread_join(t, NULL);
    finish();
}

MEND_TEST_MAIN()
