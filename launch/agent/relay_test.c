/* SPDX-License-Identifier: BSD-3-Clause */
/* relay_test.c – calls of agents below this one, and their bytes: a socket pair is the connection, and the messages for the root are kept. */
#include "agent/relay.h"

#include "base/status.h"
#include "base/test.h"
#include "start/brood.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NODE   3
#define SOME_N 65536
#define MANY   64 /* times SOME_N is more than a socket has room for */

/* What the root has been told, the last message in full. */
static struct {
    int n;
    enum mend_message_kind kind;
    int64_t arg[MEND_MESSAGE_ARGS];
    unsigned char data[SOME_N];
    size_t len;
} told;

static int called_n, excused_n; /* what the brood has been told */
static struct mend_loop loop;
static struct mend_relay relay;
static const unsigned char key[MEND_DOOR_KEY_BYTES] = {1, 2, 3};

void mend_brood_called(struct mend_brood *b, int node)
{
    (void)b;
    called_n += node == NODE;
}

void mend_brood_await_excuse(struct mend_brood *b, int node)
{
    (void)b;
    excused_n += node == NODE;
}

bool mend_brood_has_child(const struct mend_brood *b, pid_t pid)
{
    (void)b;
    return pid == 1;
}

static void keep(void *self, const struct mend_message *m)
{
    (void)self;
    told.n++;
    told.kind = m->kind;
    memcpy(told.arg, m->arg, sizeof(told.arg));
    CHECK(m->len <= sizeof(told.data));
    told.len = m->len;
    if (m->len)
        memcpy(told.data, m->data, m->len);
}

static const struct mend_post root = {keep, NULL};

static void begin(void)
{
    memset(&told, 0, sizeof(told));
    called_n = excused_n = 0;
    loop = (struct mend_loop){0};
    CHECK(mend_loop_open(&loop));
    mend_relay_join(&relay, &loop, &root, key, NULL);
}

static bool is_done(void)
{
    return loop.member[relay.member].is_done(&relay);
}

/* As the loop does when the connection of that call can be read or written. */
static void tell_event(int64_t call)
{
    loop.member[relay.member].event(&relay, 0, (uint32_t)call);
}

static void end(void)
{
    mend_relay_forget(&relay, NODE);
    CHECK(is_done());
    close(loop.epoll_fd);
    close(loop.timer_fd);
}

/* The child's end of a new connection, and the number of the call. */
static int call(int64_t *call_p)
{
    struct mend_greeting g = {.kind = MEND_GREETING_AGENT, .from = NODE, .received = 7};
    int fd[2];

    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
    mend_relay_take(&relay, fd[0], &g);
    CHECK_EQ(told.kind, MEND_UP_CHILD_CALLS);
    CHECK_EQ(told.arg[0], NODE);
    CHECK_EQ(told.arg[2], 7);
    *call_p = told.arg[1];
    return fd[1];
}

static void say(enum mend_message_kind kind, int64_t number, int64_t yes, const void *data,
                size_t len)
{
    mend_relay_hear(&relay, &(struct mend_message){.kind = kind,
                                                   .rank = -1,
                                                   .arg = {NODE, number, yes, 9},
                                                   .data = data,
                                                   .len = (uint32_t)len});
}

static int welcome_call(int64_t *call_p)
{
    struct mend_greeting g;
    int fd = call(call_p);

    say(MEND_DOWN_CHILD_CALLED, *call_p, true, NULL, 0);
    CHECK_EQ(recv(fd, &g, sizeof(g), MSG_DONTWAIT), sizeof(g));
    CHECK_EQ(g.kind, MEND_GREETING_ANSWER);
    CHECK_EQ(g.to, NODE);
    CHECK_EQ(g.received, 9);
    return fd;
}

static bool has_ended(int fd)
{
    char c;

    return recv(fd, &c, 1, MSG_DONTWAIT) == 0;
}

MEND_TEST(a_call_that_is_not_welcome_is_ended)
{
    int64_t number;
    int fd;

    begin();
    fd = call(&number);
    CHECK(is_done());
    say(MEND_DOWN_CHILD_CALLED, number, false, NULL, 0);
    CHECK(has_ended(fd));
    CHECK_EQ(called_n, 0);
    CHECK_EQ(told.n, 1);
    close(fd);
    end();
}

MEND_TEST(bytes_go_both_ways)
{
    int64_t number;
    char got[8] = "";
    int fd;

    begin();
    fd = welcome_call(&number);
    CHECK_EQ(called_n, 1);
    CHECK(!is_done());
    CHECK_EQ(write(fd, "up", 2), 2);
    tell_event(number);
    CHECK_EQ(told.kind, MEND_UP_CHILD);
    CHECK_EQ(told.arg[0], NODE);
    CHECK_EQ(told.arg[1], number);
    CHECK_EQ(told.len, 2);
    CHECK(!memcmp(told.data, "up", 2));
    say(MEND_DOWN_CHILD, number, 0, "down", 4);
    CHECK_EQ(recv(fd, got, sizeof(got), MSG_DONTWAIT), 4);
    CHECK_STR(got, "down");
    close(fd);
    end();
}

/* All that was sent, in order, whatever room there was. */
MEND_TEST(bytes_wait_for_room)
{
    static unsigned char sent[MANY * SOME_N], got[sizeof(sent)];
    int64_t number;
    size_t n = 0;
    int fd;

    begin();
    fd = welcome_call(&number);
    for (size_t i = 0; i < sizeof(sent); i++)
        sent[i] = (unsigned char)(i * 7 >> 3);
    for (int i = 0; i < MANY; i++)
        say(MEND_DOWN_CHILD, number, 0, sent + (size_t)i * SOME_N, SOME_N);
    for (ssize_t k; (k = recv(fd, got + n, sizeof(got) - n, MSG_DONTWAIT)) > 0;) {
        n += (size_t)k;
        tell_event(number);
    }
    CHECK_EQ(n, sizeof(sent));
    CHECK(!memcmp(got, sent, n));
    CHECK_EQ(told.n, 1); /* the call */
    close(fd);
    end();
}

MEND_TEST(a_new_connection_ends_the_one_before)
{
    int64_t before, after;
    int fd, other;

    begin();
    fd = welcome_call(&before);
    other = welcome_call(&after);
    CHECK(before != after);
    CHECK(has_ended(fd));
    say(MEND_DOWN_CHILD, before, 0, "old", 3);
    say(MEND_DOWN_CHILD_ENDS, before, 0, NULL, 0);
    CHECK_EQ(recv(other, &(char){0}, 1, MSG_DONTWAIT), -1);
    CHECK_EQ(errno, EAGAIN);
    CHECK(!is_done());
    close(fd);
    close(other);
    end();
}

/* A call that waits for the root's answer goes on. */
MEND_TEST(another_call_that_waits_is_kept)
{
    int64_t first, second;
    int fd, other;

    begin();
    fd = call(&first);
    other = call(&second);
    say(MEND_DOWN_CHILD_CALLED, first, true, NULL, 0);
    CHECK(!has_ended(other));
    say(MEND_DOWN_CHILD_CALLED, second, true, NULL, 0);
    CHECK_EQ(called_n, 2);
    close(fd);
    close(other);
    end();
}

MEND_TEST(the_end_of_a_connection_is_told_once)
{
    int64_t number;
    int fd;

    begin();
    fd = welcome_call(&number);
    close(fd);
    tell_event(number);
    CHECK_EQ(told.kind, MEND_UP_CHILD_ENDS);
    CHECK_EQ(told.arg[1], number);
    CHECK_EQ(told.n, 2);
    CHECK_EQ(excused_n, 1);
    CHECK(is_done());
    tell_event(number);
    CHECK_EQ(told.n, 2);
    end();
}

/* Nobody is there to hear the answer, which would be the first to notice. */
MEND_TEST(a_caller_that_has_gone_before_its_answer)
{
    int64_t number;
    int fd;

    begin();
    fd = call(&number);
    close(fd);
    say(MEND_DOWN_CHILD_CALLED, number, true, NULL, 0);
    CHECK_EQ(told.kind, MEND_UP_CHILD_ENDS);
    CHECK_EQ(called_n, 0);
    CHECK(is_done());
    end();
}

MEND_TEST(connections_of_a_lost_node_are_ended)
{
    int64_t number;
    int fd;

    begin();
    fd = welcome_call(&number);
    mend_relay_forget(&relay, NODE + 1);
    CHECK(!is_done());
    mend_relay_forget(&relay, NODE);
    CHECK(has_ended(fd));
    CHECK(is_done());
    close(fd);
    end();
}

MEND_TEST(a_keeper_says_that_its_agent_is_gone)
{
    struct mend_greeting g = {.kind = MEND_GREETING_GONE, .from = NODE};
    int fd[2];

    begin();
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
    mend_relay_take(&relay, fd[0], &g);
    CHECK_EQ(told.kind, MEND_UP_CHILD_GONE);
    CHECK_EQ(told.arg[0], NODE);
    CHECK(has_ended(fd[1]));
    close(fd[1]);
    end();
}

MEND_TEST_MAIN()
