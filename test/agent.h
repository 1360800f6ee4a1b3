/* SPDX-License-Identifier: BSD-3-Clause */
/* agent.h – for tests that stop or kill the agent of a node. */
#ifndef TEST_AGENT_H
#define TEST_AGENT_H

#include "program.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The agent that started this process.  On the first node that is mpiexec itself, with which the whole job would stop or end: a test that gets
 * there fails, as it does where it runs with another number of ranks than it is made for (soak/storm). */
static inline pid_t own_agent(void)
{
    static const char option[] = "--agent";
    pid_t parent = getppid();
    char path[64], line[64];
    ssize_t len;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)parent);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    len = read(fd, line, sizeof line);
    close(fd);
    CHECK(len > 0 && memmem(line, (size_t)len, option, sizeof option));
    return parent;
}

static inline void signal_own_agent(int sig)
{
    CHECK_EQ(kill(own_agent(), sig), 0);
}

#endif
