/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors arrive open, in their order, with the bytes; without room or a reader the caller is told. */
#include "rt/pass.h"

#include "base/test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void open_pair(void)
{
    CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
}

/* Returns how many descriptors came. */
static int take(char *text, size_t max, int fd[MEND_PASS_MAX])
{
    int n = 0;

    CHECK(mend_pass_take(ends[1], text, max, fd, MEND_PASS_MAX, 0) > 0);
    while (n < MEND_PASS_MAX && fd[n] >= 0)
        n++;
    return n;
}

MEND_TEST(descriptors_arrive_in_order)
{
    int first[2], second[2], got[MEND_PASS_MAX];
    char text[8], byte = 0;

    open_pair();
    CHECK(pipe(first) == 0 && pipe(second) == 0);
    CHECK_EQ(mend_pass(ends[0], "two", 4, (int[]){second[1], first[1]}, 2, 0), 4);
    CHECK_EQ(take(text, sizeof(text), got), 2);
    CHECK_EQ(strcmp(text, "two"), 0);
    CHECK(write(got[0], "2", 1) == 1 && write(got[1], "1", 1) == 1);
    CHECK(read(first[0], &byte, 1) == 1 && byte == '1');
    CHECK(read(second[0], &byte, 1) == 1 && byte == '2');
}

MEND_TEST(the_sender_keeps_its_own)
{
    int fd[2], got[MEND_PASS_MAX];
    char text[8];

    open_pair();
    CHECK_EQ(pipe(fd), 0);
    CHECK_EQ(mend_pass(ends[0], "x", 2, &fd[1], 1, 0), 2);
    CHECK_EQ(take(text, sizeof(text), got), 1);
    CHECK_EQ(close(got[0]), 0);
    CHECK_EQ(write(fd[1], "y", 1), 1);
}

MEND_TEST(a_datagram_without_descriptors)
{
    int got[MEND_PASS_MAX];
    char text[8];

    open_pair();
    CHECK_EQ(mend_pass(ends[0], "x", 2, NULL, 0, 0), 2);
    CHECK_EQ(take(text, sizeof(text), got), 0);
    CHECK_EQ(mend_pass_take(ends[1], text, sizeof(text), got, 1, MSG_DONTWAIT), -1);
    CHECK(errno == EAGAIN && got[0] == -1);
}

/* A stranger may send more than the receiver asks for. */
MEND_TEST(descriptors_beyond_what_is_asked_for_are_closed)
{
    int fd[2], got;
    char text[8], byte;

    open_pair();
    CHECK_EQ(pipe2(fd, O_NONBLOCK), 0);
    CHECK_EQ(mend_pass(ends[0], "x", 2, (int[]){ends[0], fd[1], fd[1]}, 3, 0), 2);
    close(fd[1]);
    CHECK_EQ(mend_pass_take(ends[1], text, sizeof(text), &got, 1, 0), 2);
    CHECK(got >= 0 && close(got) == 0);
    CHECK_EQ(read(fd[0], &byte, 1), 0); /* nobody can write any more */
}

MEND_TEST(no_room_is_told)
{
    char text[4096] = {0};
    ssize_t n;

    open_pair();
    while ((n = mend_pass(ends[0], text, sizeof(text), ends, 1, MSG_DONTWAIT)) > 0)
        CHECK_EQ(n, sizeof(text));
    CHECK(errno == EAGAIN || errno == ENOBUFS || errno == ETOOMANYREFS);
}

MEND_TEST(a_closed_end_is_an_error_and_no_signal)
{
    open_pair();
    close(ends[1]);
    CHECK_EQ(mend_pass(ends[0], "x", 2, ends, 1, 0), -1);
    CHECK_EQ(errno, EPIPE);
}

MEND_TEST_MAIN()
