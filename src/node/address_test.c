/* SPDX-License-Identifier: BSD-3-Clause */
/* address_test.c – addresses of both versions: as text, for the system, and back; a connection by each of them. */
#include "node/address.h"

#include "base/test.h"

#include <errno.h>
#include <unistd.h>

static struct mend_address read_address(const char *text)
{
    struct mend_address a;

    CHECK(mend_address_read(text, &a));
    a.port = htons(4711);
    return a;
}

static void comes_back(const char *text, int family, const char *said)
{
    struct mend_address a = read_address(text), b;
    struct sockaddr_in6 s;
    char buf[MEND_ADDRESS_TEXT];
    socklen_t len = mend_address_to(&a, &s);

    CHECK_EQ(s.sin6_family, family);
    CHECK_EQ(len, family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(s));
    CHECK(mend_address_from((const struct sockaddr *)&s, &b) && mend_address_same(&a, &b));
    CHECK_STR(mend_address_text(&a, buf), said);
}

MEND_TEST(each_version_comes_back)
{
    comes_back("10.1.2.3", AF_INET, "10.1.2.3 port 4711");
    comes_back("::ffff:10.1.2.3", AF_INET, "10.1.2.3 port 4711");
    comes_back("fd00::1", AF_INET6, "fd00::1 port 4711");
    comes_back("::", AF_INET6, ":: port 4711");
    comes_back("0.0.0.0", AF_INET, "0.0.0.0 port 4711");
}

MEND_TEST(what_is_no_address_is_refused)
{
    static const char *const wrong[] = {"",        "m2",      "10.1.2",      "10.1.2.3.4",
                                        "1::2::3", "fe80::1", "fd00::1%eth0"};
    struct sockaddr other = {.sa_family = AF_UNIX};
    struct mend_address a;

    for (size_t i = 0; i < MEND_COUNT_OF(wrong); i++)
        CHECK(!mend_address_read(wrong[i], &a));
    CHECK(!mend_address_from(&other, &a));
}

MEND_TEST(kinds_of_each_version)
{
    static const struct {
        const char *text;
        bool any, loopback;
    } cases[] = {{"::", true, false},        {"0.0.0.0", true, false},   {"::1", false, true},
                 {"127.0.0.1", false, true}, {"127.1.0.0", false, true}, {"10.0.0.0", false, false},
                 {"fd00::1", false, false},  {"::2", false, false},      {"0.0.0.1", false, false}};

    for (size_t i = 0; i < MEND_COUNT_OF(cases); i++) {
        struct mend_address a = read_address(cases[i].text);

        CHECK_EQ(mend_address_is_any(&a), cases[i].any);
        CHECK_EQ(mend_address_is_loopback(&a), cases[i].loopback);
    }
}

/* Port and address both count. */
MEND_TEST(two_that_differ)
{
    struct mend_address a = read_address("10.1.2.3"), b = read_address("10.1.2.4"), c = a;

    c.port = htons(4712);
    CHECK(!mend_address_same(&a, &b) && !mend_address_same(&a, &c));
}

/* False: this system has no such version. */
static bool connects(const char *text)
{
    struct mend_address a = read_address(text), called;
    struct sockaddr_in6 s;
    socklen_t len;
    int port, fd;

    a.port = 0;
    len = mend_address_to(&a, &s);
    port = socket(s.sin6_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (port < 0 || bind(port, (struct sockaddr *)&s, len) != 0) {
        CHECK(errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL);
        return false;
    }
    CHECK(listen(port, 1) == 0 && getsockname(port, (struct sockaddr *)&s, &len) == 0);
    CHECK(mend_address_from((struct sockaddr *)&s, &called));
    len = mend_address_to(&called, &s);
    fd = socket(s.sin6_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&s, len) == 0);
    close(fd);
    close(port);
    return true;
}

MEND_TEST(a_port_of_each_version_is_reached)
{
    CHECK(connects("127.0.0.1"));
    if (!connects("::1"))
        fprintf(stderr, "# this system has no version 6\n");
}

MEND_TEST_MAIN()
