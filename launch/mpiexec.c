/* SPDX-License-Identifier: BSD-3-Clause */
/* mpiexec.c – starts an MPI job: its root, and the agent of its first node, in one process.  As mpiexec --agent it is the agent of
 * another node (agent/apart.h).
 *
 *   options -> root, agent -> threads -> ranks -> the loop -> sweep -> exit status
 *
 * Signals are blocked before the first thread exists. */
#include "agent/agent.h"
#include "agent/apart.h"
#include "agent/far.h"
#include "agent/tell.h"
#include "output/iof.h"
#include "root/root.h"

#include "base/time.h"
#include "share/shell_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void die(const char *what)
{
    char text[MEND_LIMITS_TEXT];

    fprintf(stderr, "mpiexec: %s: %s\n", what, mend_limits_error(errno, text, sizeof(text)));
    exit(1);
}

/* 0, 1 and 2 are taken, so that no pipe of ours gets such a number. */
static void take_standard_fds(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= 2);
    if (fd > 2)
        close(fd);
}

/* A shell that waits for us learns from the way we end that the user wants to stop. */
static void end_by(int sig)
{
    sigset_t set;

    signal(sig, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, sig);
    raise(sig);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static bool are_all_here(const struct mend_options *o)
{
    for (int k = 0; k < o->hosts.n; k++)
        if (!o->hosts.at[k].here)
            return false;
    return true;
}

/* Where the other nodes call this one: by an interface if the user says so; on other machines by whichever. */
static struct mend_address address_of(const struct mend_options *o)
{
    struct mend_address at = {0};
    struct sockaddr_storage address;

    if (o->remote.interface.text && mend_here_address(&o->remote.interface, &address))
        mend_address_from((struct sockaddr *)&address, &at);
    else if (are_all_here(o))
        at = mend_address_v4(htonl(INADDR_LOOPBACK), 0);
    at.port = 0;
    return at;
}

/* The user has said which ports, and none of them can be had. */
static void check_ports(const struct mend_options *o, const char *what)
{
    if (o->remote.port_first && (errno == EADDRINUSE || errno == EACCES))
        mend_options_fail(2, "--port-range %d:%d: no %s can be taken there: %s",
                          o->remote.port_first, o->remote.port_last, what, strerror(errno));
}

/* They call the port of this node.  One of one node opens its port when it is connected with a job of several (agent/link.c). */
static void start_agents(struct root *root, struct agent *agent)
{
    if (!mend_agent_open_door(agent)) {
        check_ports(root->o, "connections");
        die("cannot take connections");
    }
    if (!mend_root_start_agents(root, &agent->ranks.nodes.at)) {
        check_ports(root->o, "datagrams");
        die("an agent cannot be started");
    }
}

static void open_job(struct root *root, struct agent *agent, struct mend_options *o,
                     struct mend_loop *loop)
{
    mend_process_prepare(&agent->before);
    if (!mend_loop_open(loop))
        die("the system has no file descriptors left");
    mend_agent_join(agent, loop);
    if (!mend_root_open(root, o, loop))
        die("the system has no file descriptors left");
    root->before = &agent->before;
    agent->tell.root = mend_root_post(&root->node[0]);
    root->node[0].agent = mend_agent_post(agent);
    agent->ranks.nodes.n = o->hosts.n > 1 ? (uint32_t)o->hosts.n : 0;
    agent->ranks.nodes.job = root->job;
    memcpy(agent->ranks.nodes.key, root->key, sizeof(root->key));
    memcpy(agent->ranks.nodes.agents_key, root->agents_key, sizeof(root->agents_key));
    agent->ranks.nodes.at = address_of(o);
    agent->ranks.nodes.elsewhere = !are_all_here(o);
    if (agent->ranks.nodes.n)
        agent->ranks.nodes.lease_ns = mend_beats_config(o->params.lease_ns).lease_ns;
    agent->ports = mend_options_ports(o);
    agent->agent_calls = (struct mend_agent_calls){
        .to = root, .take = mend_root_take_agent, .has_child = mend_root_has_child};
    if (agent->ranks.nodes.n)
        start_agents(root, agent);
    mend_agent_open(agent, o);
    root->iof = agent->tell.iof = mend_iof_create(o, (int)MEND_NODE_NAMES, NULL);
    if (!root->iof)
        die("no thread for the ranks' output");
}

static int status_without_ranks(const struct root *root)
{
    if (root->signal_seen)
        return 128 + root->signal_seen;
    return !root->not_started ? 126 : root->refused ? root->refused : 2;
}

/* What the user reads when no process is left, and the exit status. */
static int end_job(struct root *root, bool started, bool missed)
{
    bool written = mend_iof_finish(root->iof);
    int status = status_without_ranks(root);

    if (started)
        status = mend_root_status(root);
    if (started && root->o->print_exits)
        mend_root_say_ends(root);
    if (!written && !status)
        status = 1;
    if (missed && !status)
        status = MEND_STATUS_NOT_INJECTED;
    mend_root_report(root, mend_time_monotonic_ns() - root->start_ns, end, .status = status);
    return status;
}

/* With several nodes the agents start their ranks when all of them are ready. */
static bool start_job(struct root *root, struct agent *agent)
{
    bool started = true;

    if (agent->ranks.nodes.n)
        mend_far_ready(&agent->ranks, &agent->tell);
    else
        started = mend_agent_start(agent);
    if (!started)
        mend_root_kill(root);
    return started;
}

int main(int argc, char **argv)
{
    static struct mend_options o;
    static struct mend_loop loop;
    static struct root root;
    static struct agent agent;
    bool started, missed;
    int status;

    /* A watcher that allocates first when a rank dies would have an arena made, with five calls of the kernel. */
    mallopt(M_ARENA_MAX, 1);
    take_standard_fds();
    if (argc == 2 && !strcmp(argv[1], "--agent")) /* only a root starts it (start/ways.h) */
        return mend_agent_apart();
    mend_options_parse(argc, argv, &o);
    open_job(&root, &agent, &o, &loop);
    started = start_job(&root, &agent);
    mend_root_say_injections(&root);
    mend_loop_run(&loop);
    started = started && !root.failed;
    mend_tell_deaths(&agent.tell, &agent.verdicts, &agent.course);
    mend_tell_ends(&agent.tell, &agent.ranks, &agent.course);
    missed = started && mend_root_missed(&root);
    mend_root_await_agents(&root); /* the agent of this node would sweep them away */
    mend_agent_close(&agent);
    mend_process_restore(&agent.before);
    status = end_job(&root, started, missed);
    if (root.signal_seen && status == 128 + root.signal_seen)
        end_by(root.signal_seen);
    return status;
}
