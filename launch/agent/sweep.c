/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep.c – ending processes that the ranks started and left behind.
 *
 * Each rank leads a process group; its children stay in it unless they leave it on purpose.
 * mpiexec is a "child subreaper": processes whose parent died become its children, daemons that
 * changed group and session included, and the kernel lists them. */
#include "agent/agent.h"

#include "rt/service.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS_MAX 64

/* The group exists under that number as long as its leader is a zombie, which we keep. */
void mend_sweep_group(const struct rank *r)
{
    if (r->own_group && r->child > 0)
        kill(-r->child, SIGKILL);
}

static bool is_known(const struct agent *agent, pid_t pid)
{
    if (pid == agent->keeper)
        return true;
    for (int i = 0; i < agent->ranks.n; i++)
        if (agent->ranks.rank[i].child == pid)
            return true;
    return false;
}

/* Kills and reaps the children that are not ranks; their children follow in the next round. */
static int sweep_children(const struct agent *agent)
{
    char path[64];
    FILE *f;
    int pid, found = 0;

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)agent->ranks.self_pid);
    f = fopen(path, "re");
    if (!f)
        return 0;
    while (fscanf(f, "%d", &pid) == 1) {
        if (is_known(agent, pid))
            continue;
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        found++;
    }
    fclose(f);
    return found;
}

/* What they used of the processor is ours from here on, as time(1) shows it. */
void mend_sweep_reap(struct agent *agent)
{
    for (int i = 0; i < agent->ranks.n; i++)
        if (mend_rank_has_ended(&agent->ranks.rank[i]))
            waitpid(agent->ranks.rank[i].child, NULL, 0);
}

void mend_sweep_names(const struct agent *agent)
{
    char dir[MEND_SERVICE_DIR_BYTES];

    mend_service_dir(dir);
    mend_service_sweep(dir, agent->ranks.shm->job);
}

void mend_sweep_all(struct agent *agent)
{
    for (int i = 0; i < agent->ranks.n; i++)
        mend_sweep_group(&agent->ranks.rank[i]);
    for (int round = 0; round < ROUNDS_MAX && sweep_children(agent); round++)
        ;
}
