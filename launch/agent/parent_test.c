/* SPDX-License-Identifier: BSD-3-Clause */
/* parent_test.c – an agent calls its parent: a door that shows it out is called again, anything else is not.
 *
 *   S5-14: strangers cannot join, read, delay or end a job */
#include "agent/parent.h"
#include "base/test.h"
#include "base/time.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define JOB 77

/* The parent. */
static struct {
    int port;
    int shown_out_n; /* so many callers are, first */
    bool wrong_key;
    int calls_n;
} door;

static const unsigned char key[MEND_DOOR_KEY_BYTES] = "the job's key";

static bool receive(int fd, void *at, size_t len)
{
    return recv(fd, at, len, MSG_WAITALL) == (ssize_t)len;
}

static void answer(int fd)
{
    const struct mend_challenge challenge = {
        .magic = MEND_GREETING_MAGIC, .version = MEND_GREETING_VERSION, .bytes = 120, .nonce = "n"};
    unsigned char own[MEND_DOOR_KEY_BYTES];
    struct mend_greeting g, a;

    CHECK_EQ(send(fd, &challenge, sizeof(challenge), MSG_NOSIGNAL), (ssize_t)sizeof(challenge));
    CHECK(receive(fd, &g, sizeof(g)));
    CHECK(mend_greeting_is(&g, key, JOB));
    a = g;
    a.kind = MEND_GREETING_ANSWER;
    a.from = g.to;
    a.to = g.from;
    a.received = 9;
    memcpy(own, key, sizeof(own));
    own[0] ^= door.wrong_key;
    mend_greeting_sign(&a, own);
    CHECK_EQ(send(fd, &a, sizeof(a), MSG_NOSIGNAL), (ssize_t)sizeof(a));
}

static void *attend(void *arg)
{
    int fd;

    while ((fd = accept(door.port, NULL, NULL)) >= 0) {
        if (door.calls_n++ >= door.shown_out_n)
            answer(fd);
        close(fd);
    }
    return arg;
}

/* Calls such a door.  What it returns, and why. */
static int call(int shown_out_n, bool wrong_key, mend_time_ns again_ns, const char **why_p)
{
    struct mend_address at = mend_address_v4(htonl(INADDR_LOOPBACK), 0);
    struct mend_nodes nodes = {.me = 3, .job = JOB};
    mend_time_ns now = mend_time_monotonic_ns();
    uint64_t taken = 0;
    pthread_t thread;
    int fd, error;

    door.port = mend_port_listen(&at, (struct mend_port_range){0, 0});
    CHECK(door.port >= 0 && fcntl(door.port, F_SETFL, 0) == 0);
    door.shown_out_n = shown_out_n;
    door.wrong_key = wrong_key;
    door.calls_n = 0;
    memcpy(nodes.agents_key, key, sizeof(key));
    CHECK_EQ(pthread_create(&thread, NULL, attend, NULL), 0);
    fd = mend_parent_call(&(struct mend_parent_call){.to = &at,
                                                     .nodes = &nodes,
                                                     .kind = MEND_GREETING_AGENT,
                                                     .deadline = now + 20 * MEND_NS_PER_S,
                                                     .again_until = again_ns ? now + again_ns : 0},
                          &taken, why_p);
    error = errno;
    shutdown(door.port, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(door.port);
    CHECK(fd < 0 || taken == 9);
    errno = error;
    return fd;
}

MEND_TEST(it_is_answered)
{
    const char *why;
    int fd = call(0, false, 0, &why);

    CHECK(fd >= 0 && door.calls_n == 1);
    close(fd);
}

MEND_TEST(shown_out_it_calls_again)
{
    const char *why;
    int fd = call(5, false, 10 * MEND_NS_PER_S, &why);

    CHECK(fd >= 0 && door.calls_n == 6);
    close(fd);
}

MEND_TEST(not_for_ever)
{
    const char *why;

    CHECK_EQ(call(1000, false, 100 * MEND_NS_PER_MS, &why), -1);
    CHECK(door.calls_n > 1);
    CHECK_STR(why, "it does not answer");
    CHECK_EQ(call(1000, false, 0, &why), -1);
    CHECK_EQ(door.calls_n, 1);
}

MEND_TEST(another_key_is_not_called_again)
{
    const char *why;

    CHECK_EQ(call(0, true, 10 * MEND_NS_PER_S, &why), -1);
    CHECK_EQ(errno, EPROTO);
    CHECK_EQ(door.calls_n, 1);
}

MEND_TEST_MAIN()
