/* SPDX-License-Identifier: BSD-3-Clause */
/* kill_agent.h – a thread that kills the agent of its process some time later. */
#ifndef TEST_KILL_NODES_KILL_AGENT_H
#define TEST_KILL_NODES_KILL_AGENT_H

#include "../../agent.h"

static int delay_us;

static void *kill_agent(void *unused)
{
    (void)unused;
    usleep((useconds_t)delay_us);
    signal_own_agent(SIGKILL);
    return NULL;
}

#endif
