/* SPDX-License-Identifier: BSD-3-Clause */
/* late.h – what a process says of itself comes late to other nodes: its agent stands still, and frames do not wait for that. */
#ifndef TEST_SESSION_LATE_H
#define TEST_SESSION_LATE_H

#include "../../agent.h"
#include "common.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#define HEARD_US                                                                                   \
    100000 /* all agents have heard, or another rank waits: if not, a test shows less */
#define STILL_US 500000
#define LOOK_US  5000

static inline void nothing(int sig)
{
    (void)sig;
}

/* Agents wake processes for what comes by sockets; one that stands still does not. */
static inline void look_often(void)
{
    struct itimerval often = {{0, LOOK_US}, {0, LOOK_US}};
    struct sigaction sa = {.sa_handler = nothing, .sa_flags = SA_RESTART};

    sigaction(SIGALRM, &sa, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

static inline void await(useconds_t us)
{
    for (useconds_t slept = 0; slept < us; slept += LOOK_US)
        usleep(LOOK_US);
}

/* A child continues the agent, whatever happens to this process. */
static inline void stop_agent_after(useconds_t us)
{
    pid_t agent = own_agent();

    if (!us)
        CHECK(kill(agent, SIGSTOP) == 0);
    if (fork() == 0) {
        usleep(us);
        if (us)
            kill(agent, SIGSTOP);
        usleep(STILL_US);
        kill(agent, SIGCONT);
        _exit(0);
    }
}

static inline void stop_agent(void)
{
    stop_agent_after(0);
}

#endif
