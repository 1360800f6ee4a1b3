/* SPDX-License-Identifier: BSD-3-Clause */
/* port_test.c – ports of a range, at addresses of both versions; connections that are made, refused, or late. */
#include "share/port.h"

#include "base/test.h"
#include "base/time.h"

#include <errno.h>
#include <unistd.h>

#define SECOND MEND_NS_PER_S

static struct mend_address address(const char *text, int port)
{
    struct mend_address a;

    CHECK(mend_address_read(text, &a));
    a.port = htons((uint16_t)port);
    return a;
}

static mend_time_ns in(mend_time_ns ns)
{
    return mend_time_monotonic_ns() + ns;
}

/* A port at all addresses of the machine is reached by both versions, where there are both. */
MEND_TEST(all_addresses)
{
    static const char *const own[] = {"127.0.0.1", "::1"};
    struct mend_address at = {0}, mine, theirs;
    int port = mend_port_listen(&at, (struct mend_port_range){0, 0});
    bool six = !mend_address_is_v4(&at);

    CHECK(port >= 0 && at.port);
    for (int i = 0; i < 1 + six; i++) {
        struct mend_address to = address(own[i], ntohs(at.port));
        int fd = mend_port_dial(&to, in(SECOND));

        if (i && fd < 0 && errno == EADDRNOTAVAIL)
            break; /* version 6 without a loopback interface */
        CHECK(fd >= 0 && mend_port_ends(fd, &mine, &theirs));
        CHECK(mend_address_same(&theirs, &to) && !memcmp(mine.ip, to.ip, sizeof(to.ip)));
        close(fd);
    }
    close(port);
}

/* Two free ports that follow each other. */
static struct mend_port_range two_free(void)
{
    for (uint16_t first = 21000; first < 31000; first += 2) {
        struct mend_address a = address("127.0.0.1", 0), b = a;
        int fd = mend_port_listen(&a, (struct mend_port_range){first, first});
        int next = mend_port_listen(&b, (struct mend_port_range){first + 1, first + 1});

        if (fd >= 0)
            close(fd);
        if (next >= 0)
            close(next);
        if (fd >= 0 && next >= 0)
            return (struct mend_port_range){first, first + 1};
    }
    return (struct mend_port_range){0, 0};
}

MEND_TEST(a_range)
{
    struct mend_port_range range = two_free();
    struct mend_address at = address("127.0.0.1", 0);
    int fd[3];

    CHECK(range.first);
    for (int i = 0; i < 3; i++) {
        fd[i] = mend_port_listen(&at, range);
        if (i < 2)
            CHECK(fd[i] >= 0 && ntohs(at.port) == range.first + i);
    }
    CHECK(fd[2] < 0 && errno == EADDRINUSE);
    close(fd[0]);
    close(fd[1]);
}

MEND_TEST(an_address_that_is_not_ours)
{
    struct mend_address at = address("192.0.2.1", 0);

    CHECK(mend_port_listen(&at, (struct mend_port_range){0, 0}) < 0 && errno == EADDRNOTAVAIL);
}

/* Nobody listens; somebody listens and says nothing; bytes come, and then the end. */
MEND_TEST(waits_end)
{
    struct mend_address at = address("127.0.0.1", 0);
    int port = mend_port_listen(&at, (struct mend_port_range){0, 0}), fd, other;
    mend_time_ns begin = mend_time_monotonic_ns();
    char word[4];

    fd = mend_port_dial(&at, in(5 * SECOND));
    other = accept(port, NULL, NULL);
    CHECK(fd >= 0 && other >= 0);
    CHECK(!mend_port_read(fd, word, 4, in(50 * MEND_NS_PER_MS)) && errno == ETIMEDOUT);
    CHECK(mend_port_write(other, "abcdef", 6, in(SECOND)));
    close(other);
    CHECK(mend_port_read(fd, word, 4, in(SECOND)) && !memcmp(word, "abcd", 4));
    CHECK(!mend_port_read(fd, word, 4, in(SECOND)) && errno == ECONNRESET);
    close(fd);
    close(port);
    CHECK(mend_port_dial(&at, in(5 * SECOND)) < 0 && errno == ECONNREFUSED);
    CHECK(mend_time_monotonic_ns() - begin < 4 * SECOND);
}

MEND_TEST_MAIN()
