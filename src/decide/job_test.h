/* SPDX-License-Identifier: BSD-3-Clause */
/* job_test.h – for unit tests: the processes of a job in one address space, on one segment, from the transport up to
 * decide/.  A test gives each its turns, and kills as the agent does: the verdict first, then the interrupt. */
#ifndef MEND_DECIDE_JOB_TEST_H
#define MEND_DECIDE_JOB_TEST_H

#include "comm/objects.h"
#include "datatype/init.h"
#include "decide/internal.h"
#include "net/net.h"
#include "node/cells.h"
#include "node/node.h"
#include "rt/rt.h"

#include "base/test.h"

#include <sys/mman.h>
#include <unistd.h>

#define RANKS 4
#define TURNS 200 /* of each rank: more than anything here takes */

/* Where the members vote. */
enum way { IN_A_CELL, IN_VOTE_BLOCKS, BY_MESSAGES, WAYS };

static struct {
    struct mend_node_header *segment;
    uint64_t bytes;
    int fd;
    struct mend_proc *rank[RANKS];
    struct mend_comm *comm[RANKS]; /* of all ranks */
    bool is_dead[RANKS];
    struct mend_death verdict[RANKS];
    uint32_t verdicts_n;
    unsigned deaf;       /* ranks that no verdict has reached yet */
    uint64_t revoked[8]; /* by the runtime */
    int revoked_n;
} job;

static inline bool job_verdict(struct mend_proc *self, uint32_t k, struct mend_death *death_p)
{
    if (k >= job.verdicts_n || job.deaf >> self->me & 1)
        return false;
    *death_p = job.verdict[k];
    return true;
}

static inline bool job_is_revoked(struct mend_proc *self, uint64_t ctx)
{
    for (int i = 0; i < job.revoked_n; i++)
        if (job.revoked[i] == ctx)
            return true;
    return false;
}

static inline void job_revoke(struct mend_proc *self, uint64_t ctx, const uint64_t *jobs,
                              uint32_t n)
{
    CHECK(job.revoked_n < (int)MEND_COUNT_OF(job.revoked));
    job.revoked[job.revoked_n++] = ctx;
    for (mend_peer p = 0; p < RANKS; p++)
        mend_node_interrupt(self, p);
}

static const struct mend_rt job_rt = {
    .name = "test", .verdict = job_verdict, .revoke = job_revoke, .is_revoked = job_is_revoked};

/* What life/death.c does, as far as decide/. */
static inline void job_on_deaths(struct mend_proc *self, int n)
{
    const struct mend_death *death = &self->deaths[self->deaths_n];

    for (int i = 0; i < n; i++)
        mend_net_of(self, death[i].peer)->sever(self, death[i].peer);
    mend_revoke_on_interrupt(self);
    for (int i = 0; i < n; i++)
        mend_peer_entry(self, death[i].peer)->fate = MEND_PEER_DEAD;
    self->deaths_n += (uint32_t)n;
    mend_p2p_on_deaths(self, death, n);
    mend_comm_on_deaths(self, death, n);
    mend_coll_on_deaths(self, death, n);
    mend_decide_on_deaths(self, death, n);
}

static inline void job_on_damage(struct mend_proc *self, mend_peer from)
{
    CHECK(self == NULL);
}

static inline void job_on_revoked(struct mend_comm *c)
{
}

static const struct mend_comm_hooks job_hooks = {
    .attach = {mend_match_create, mend_coll_attach, mend_decide_attach},
    .detach = {mend_match_destroy, mend_coll_detach, mend_decide_detach},
    .check = {mend_match_check},
    .revoked = job_on_revoked,
};

static inline void job_make_segment(void)
{
    struct mend_node_header h = {.cores_n = 2, .ranks_here_n = RANKS};

    mend_node_layout(&h, RANKS);
    job.fd = memfd_create("segment", MFD_CLOEXEC);
    CHECK(job.fd >= 0 && ftruncate(job.fd, (off_t)h.bytes) == 0);
    job.bytes = h.at[MEND_NODE_PART_SLAB];
    job.segment =
        mmap(NULL, job.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, job.fd, 0);
    CHECK(job.segment != MAP_FAILED);
    memcpy(job.segment, &h, sizeof(h));
}

static inline void job_start(mend_peer me, enum way way)
{
    struct mend_proc *self = job.rank[me] = mend_proc_create_bare();
    const struct mend_param_info *bad;

    self->me = me;
    self->rt = &job_rt;
    self->interrupt = &mend_node_rank_of(job.segment, mend_place_at((uint32_t)me))->interrupt;
    self->on_deaths = job_on_deaths;
    self->on_damage = job_on_damage;
    self->comm_hooks = &job_hooks;
    self->ctx_counter = MEND_CTX_FIRST;
    mend_params_read(&self->params, &bad);
    self->params.agree_shm = way != BY_MESSAGES;
    CHECK(mend_peers_add(self, RANKS));
    self->deaths = mend_zalloc(self, RANKS, sizeof(*self->deaths));
    CHECK_EQ(mend_node_open(self, job.segment, job.fd), MEND_OK);
    for (mend_peer p = 0; p < RANKS; p++)
        mend_node_meet(self, p, mend_place_at((uint32_t)p));
    CHECK_EQ(mend_net_shm.open(self), MEND_OK);
    for (mend_peer p = 0; p < RANKS; p++)
        mend_net_connect(self, p, p == me ? &mend_net_self : &mend_net_shm);
    CHECK(!mend_objects_init(self) && !mend_type_init(self) && !mend_p2p_init(self));
    CHECK(!mend_coll_init(self) && !mend_decide_init(self));
}

/* A communicator of all ranks; cell -1: without one. */
static inline struct mend_comm *job_comm(mend_peer me, uint64_t counter, int cell)
{
    struct mend_proc *self = job.rank[me];
    struct mend_group *all = mend_group_create_range(self, 0, 1, RANKS);
    struct mend_comm *c = mend_comm_create(self, all, NULL, MEND_CTX_MAKE(0, counter), NULL);

    mend_group_put(self, all);
    c->cell = cell;
    if (cell >= 0)
        mend_cells_take(self, cell);
    mend_unpark(self, c->ctx);
    return c;
}

static inline void job_end(void)
{
    if (!job.segment)
        return;
    for (int r = 0; r < RANKS; r++)
        mend_proc_destroy(job.rank[r]);
    munmap(job.segment, job.bytes);
    close(job.fd);
    memset(&job, 0, sizeof(job));
}

static inline void job_begin(enum way way)
{
    job_end();
    job_make_segment();
    for (mend_peer p = 0; p < RANKS; p++) {
        job_start(p, way);
        mend_revoke_reserve(job.rank[p], MEND_CTX_FIRST, 2);
    }
    for (mend_peer p = 0; p < RANKS; p++)
        job.comm[p] = job_comm(p, MEND_CTX_FIRST, way == IN_VOTE_BLOCKS ? -1 : 1);
}

/* Those ranks whose bits are set in `who` may go on as far as they get. */
static inline void job_go_on(unsigned who)
{
    for (int i = 0; i < TURNS; i++)
        for (int r = 0; r < RANKS; r++)
            if (who >> r & 1 && !job.is_dead[r]) {
                mend_interrupt_check(job.rank[r]);
                mend_progress(job.rank[r], MEND_PEER_NONE);
            }
}

#define ALL     ((1u << RANKS) - 1)
#define BUT(r_) (ALL & ~(1u << (r_)))

static inline void job_kill(mend_peer who)
{
    job.is_dead[who] = true;
    job.verdict[job.verdicts_n] = (struct mend_death){
        .peer = who, .cause = MEND_CAUSE_SIGNAL, .code = 9, .first = job.verdicts_n};
    job.verdicts_n++;
    for (mend_peer p = 0; p < RANKS; p++)
        mend_node_interrupt(job.rank[0], p);
}

/* All verdicts reach everybody. */
static inline void job_tell_all(void)
{
    job.deaf = 0;
    for (mend_peer p = 0; p < RANKS; p++)
        mend_node_interrupt(job.rank[0], p);
}

#endif
