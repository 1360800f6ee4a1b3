/* SPDX-License-Identifier: BSD-3-Clause */
/* A transport with descriptors wakes a process that sleeps in its segment: with a frame, with the end of the other side,
 * and with a frame that came before; no wake-up is lost, at whatever instant a frame comes; and what other processes of
 * the node have to tell still wakes it.
 *
 * The transport is a pair of sockets, with frames of one size without payload. */
#include "net/net.h"
#include "node/bell.h"
#include "node/node.h"

#include "base/test.h"

#include <signal.h>
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

static unsigned pair_poll(struct mend_proc *self, mend_peer hint)
{
    struct mend_frame f;
    unsigned n = 0;
    ssize_t got;

    while ((got = recv(here, &f, sizeof(f), MSG_DONTWAIT)) == (ssize_t)sizeof(f)) {
        self->on_frame[mend_frame_kind(&f)](self, 1, &f, NULL);
        n++;
    }
    if (got == 0)
        self->on_trouble(self, 1);
    return n;
}

static const struct mend_net pair = {.name = "pair", .poll = pair_poll};

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
    me = (struct mend_proc){.arena = mend_arena_create(), .on_trouble = on_trouble};
    me.on_frame[MEND_FRAME_EAGER] = on_frame;
    CHECK(mend_peers_add(&me, 2));
    CHECK_EQ(mend_node_open(&me, segment, segment_fd), MEND_OK);
    mend_node_meet(&me, 0, mend_place_at(0)); /* peer 1 has no place */
    CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    here = ends[0];
    there = ends[1];
    mend_net_connect(&me, 1, &pair);
    CHECK_EQ(me.bell->watch(&me, here), MEND_OK);
    came_n = troubles_n = 0;
}

static void finish(void)
{
    me.bell->unwatch(&me, here);
    CHECK(!me.node->watch);
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
