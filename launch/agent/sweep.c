/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep.c – ending processes that the ranks started and left behind.
 *
 * Each rank leads a process group; its children stay in it unless they leave it on purpose.
 * mpiexec is a "child subreaper": processes whose parent died become its children, daemons that
 * changed group and session included, and the kernel lists them. */
#include "agent/sweep.h"

#include "agent/ranks.h"

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

static bool is_known(const struct mend_ranks *ranks, pid_t keeper, pid_t pid)
{
    if (pid == keeper)
        return true;
    for (int i = 0; i < ranks->n; i++)
        if (ranks->rank[i].child == pid)
            return true;
    return false;
}

/* Kills and reaps the children that are not ranks; their children follow in the next round. */
static int sweep_children(const struct mend_ranks *ranks, pid_t keeper)
{
    char path[64];
    FILE *f;
    int pid, found = 0;

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)ranks->self_pid);
    f = fopen(path, "re");
    if (!f)
        return 0;
    while (fscanf(f, "%d", &pid) == 1) {
        if (is_known(ranks, keeper, pid))
            continue;
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        found++;
    }
    fclose(f);
    return found;
}

/* What they used of the processor is ours from here on, as time(1) shows it. */
void mend_sweep_reap(struct mend_ranks *ranks)
{
    for (int i = 0; i < ranks->n; i++)
        if (mend_rank_has_ended(&ranks->rank[i]))
            waitpid(ranks->rank[i].child, NULL, 0);
}

void mend_sweep_names(const struct mend_ranks *ranks)
{
    char dir[MEND_SERVICE_DIR_BYTES];

    mend_service_dir(dir);
    mend_service_sweep(dir, ranks->shm->job);
}

void mend_sweep_all(const struct mend_ranks *ranks, pid_t keeper)
{
    for (int i = 0; i < ranks->n; i++)
        mend_sweep_group(&ranks->rank[i]);
    for (int round = 0; round < ROUNDS_MAX && sweep_children(ranks, keeper); round++)
        ;
}
