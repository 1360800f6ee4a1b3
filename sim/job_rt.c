/* SPDX-License-Identifier: BSD-3-Clause */
/* job_rt.c – the runtime of a simulated job: an agent that is never wrong and a little late. */
#include "sim/job.h"

#include <stdlib.h>

static mend_time_ns clock_of(struct mend_proc *self)
{
    return sim_job->step * MEND_NS_PER_US;
}

/* Back to the scheduler; comes back when this rank's turn is next, or never. */
static void yield(struct mend_proc *self)
{
    struct sim_rank *r = &sim_job->rank[self->me];

    r->yields++;
    if (r->yields == r->suspected_at) {
        sim_declare(sim_job, self->me, MEND_CAUSE_SIGNAL, 9);
        r->doomed_at = r->yields + SIM_GRACE;
    }
    if (r->yields == r->paused_at)
        r->back_at = sim_job->step + SIM_PAUSE * (uint64_t)sim_job->n;
    if (r->yields == r->doomed_at)
        sim_kill(sim_job, self->me, MEND_CAUSE_SIGNAL, 9);
    else if (r->yields == r->lost_at)
        sim_lose_node(sim_job, self->me);
    swapcontext(&r->context, &sim_job->scheduler);
}

/* Collectives go by nodes then (coll/nodes.h), although no two ranks share memory. */
static void meet(struct mend_proc *self, mend_peer p)
{
    if (sim_job->nodes)
        mend_peer_entry(self, p)->where.node = sim_node_of(sim_job, p);
    mend_peer_entry(self, p)->presence = &sim_job->rank[p].presence;
    mend_net_connect(self, p, &sim_net);
}

static enum mend_status sim_open(struct mend_proc *self, const char **why_p)
{
    struct sim_rank *r = &sim_job->rank[self->me];

    if (!mend_peers_add(self, self->me < sim_job->first_n ? sim_job->first_n : sim_job->n))
        return MEND_ERR_MEM;
    self->interrupt = &r->interrupt;
    self->oversubscribed = true;
    for (mend_peer p = 0; p < self->peers_n; p++)
        meet(self, p);
    self->yield = yield;
    self->clock = clock_of;
    return MEND_OK;
}

static bool sim_meet(struct mend_proc *self, mend_peer end)
{
    mend_peer known = self->peers_n;

    if (end > sim_job->n || !mend_peers_add(self, end - known))
        return false;
    for (mend_peer p = known; p < end; p++)
        meet(self, p);
    return true;
}

static mend_peer sim_names(struct mend_proc *self)
{
    return sim_job->n;
}

static bool sim_spawn(struct mend_proc *self, int fd)
{
    return sim_ask(sim_job, fd);
}

static bool sim_say(struct mend_proc *self, enum mend_presence presence)
{
    mend_store_relaxed(&sim_job->rank[self->me].presence, (uint32_t)presence);
    return true;
}

static bool sim_verdict(struct mend_proc *self, uint32_t k, struct mend_death *death_p)
{
    if (k >= sim_job->rank[self->me].known)
        return false;
    *death_p = sim_job->verdicts[sim_job->rank[self->me].log[k]].death;
    return true;
}

/* A process may have decided differently from the survivors and died: its frames for a communicator of
 * that name and other members look damaged.  There is no reason to suspect any other process. */
static bool sim_suspect(struct mend_proc *self, mend_peer peer)
{
    MEND_ASSERT(sim_job->rank[peer].declared || sim_job->rank[self->me].declared);
    return true;
}

static void sim_abort(struct mend_proc *self, const mend_peer *peers, uint32_t n,
                      struct mend_abort what)
{
    sim_abort_all(sim_job, peers, n, what.code);
}

static void sim_say_revoked(struct mend_proc *self, uint64_t ctx, const uint64_t *jobs, uint32_t n)
{
    sim_revoke(sim_job, ctx);
}

static bool sim_is_revoked(struct mend_proc *self, uint64_t ctx)
{
    for (int i = 0; i < sim_job->rank[self->me].revoked_n; i++)
        if (sim_job->revoked[i].ctx == ctx)
            return true;
    return false;
}

static void sim_report(struct mend_proc *self, const char *text)
{
}

static const char *sim_host(struct mend_proc *self, mend_peer peer)
{
    return "simulated";
}

const struct mend_rt sim_rt = {
    .name = "sim",
    .open = sim_open,
    .meet = sim_meet,
    .names = sim_names,
    .spawn = sim_spawn,
    .say = sim_say,
    .verdict = sim_verdict,
    .suspect = sim_suspect,
    .abort = sim_abort,
    .revoke = sim_say_revoked,
    .is_revoked = sim_is_revoked,
    .report = sim_report,
    .host = sim_host,
};
