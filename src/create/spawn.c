/* SPDX-License-Identifier: BSD-3-Clause */
/* spawn.c – processes that are started while the job runs meet those that asked for them (MPI-5.0 11.8).
 *
 *   root ── request ──> agent starts them ── answer ──> root
 *   root ── who they are ──> agents of the other jobs in its communicator ── answer ──> root        (port.c)
 *   root ── who they are, or why there are none ──> its communicator                         (bcast)
 *   root and the first child meet: the bridge                                                (from_group.c)
 *   all of both groups: the intercommunicator, over the bridge                               (intercomm.c)
 *
 * The last step is one agreement over both groups.  The children are in MPI_Init until then, so if it says no nobody
 * has seen the intercommunicator (S0-38), and the children end silently.
 *
 *   the root dies                    its group learns of that in the broadcast or in the agreement, the children at the
 *                                    bridge
 *   another member dies, or the communicator is revoked: the root hears of it at the latest when it is to agree, and tells
 *                                    the first child over the bridge
 *   a child dies, or ends without MPI_Init           a death in the bridge or in the agreement
 *   the agent dies                   with all of its ranks
 *   another job has no room for them, its agent is silent: the root tells its group, and the first child over the bridge
 *   an agent of another job dies     with all of its ranks, which are members of the communicator
 *
 * Nobody comes to the last step before all jobs know the children.  So a child that calls it off names processes that
 * the others know (meet.c).
 *
 * The order of these acts is a machine, ft/birth_sm.h; this file carries them out.
 *
 * Cost: one broadcast, one bridge, one creation of an intercommunicator; starting the processes; and for each other job
 * a message to its agent and back. */
#include "create/meet.h"

#include "ft/birth_sm.h"
#include "node/abroad.h"
#include "req/request.h"
#include "rt/rt.h"
#include "rt/spawn.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define TAG_BYTES 64

/* What the root tells the others.  first: as all members call it (node/abroad.h). */
struct news {
    int32_t error, first;
    uint32_t started_n, asked_n, room, full;
};

static void tag_of(char tag[TAG_BYTES], mend_peer root, uint64_t number)
{
    snprintf(tag, TAG_BYTES, "mend: spawn %d %llu", (int)root, (unsigned long long)number);
}

static bool is_answered(struct mend_proc *self, void *arg)
{
    const struct mend_spawn_file *f = arg;

    mend_interrupt_check(self); /* what may have been the answer is news only once */
    /* acquire: pairs with the release in write_answer() (launch/agent/spawn.c) */
    return mend_load_acquire(&f->h->answer) != MEND_SPAWN_ASKED;
}

/* The errors come from memory that the agent shares, and may not be looked at again. */
static void take_answer(struct mend_proc *self, struct mend_spawn_file *f, struct news *news,
                        struct mend_spawned *out)
{
    enum mend_spawn_answer answer = mend_load_relaxed(&f->h->answer);

    news->error = answer == MEND_SPAWN_STARTED ? MPI_SUCCESS : MPI_ERR_SPAWN;
    news->first = f->h->first;
    news->started_n = f->h->started_n;
    news->room = f->h->room;
    news->full = answer == MEND_SPAWN_FULL;
    snprintf(out->why, sizeof(out->why), "%.*s", (int)sizeof(f->h->why) - 1, f->h->why);
    out->errors = mend_alloc_for_others(self, news->asked_n * sizeof(*out->errors));
    if (out->errors)
        memcpy(out->errors, mend_spawn_errors(f->h), news->asked_n * sizeof(*out->errors));
}

/* Of those it may have parted from, a living one. */
static bool has_parted(struct mend_proc *self)
{
    for (mend_peer p = 0; p < self->peers_n; p++)
        if (p != self->me && !mend_peer_entry(self, p)->connected && !mend_peer_is_dead(self, p))
            return true;
    return false;
}

/* At the root.  Blocks until the agent has answered; if that is dead this process is about to end. */
static void ask(struct mend_comm *c, const struct mend_spawn_block *blocks, int n, uint64_t number,
                struct news *news, struct mend_spawned *out)
{
    struct mend_proc *self = c->self;
    struct mend_spawn_file f;
    struct mend_wait w = {.cause = MEND_WAIT_CREATION,
                          .until = is_answered,
                          .arg = &f,
                          .hint = MEND_PEER_NONE,
                          .rings = true,
                          .what = "mpiexec to start processes"};
    int fd = mend_spawn_write(blocks, n, self->me, number, &f);

    if (fd < 0) {
        news->error = errno == E2BIG ? MPI_ERR_SPAWN : MPI_ERR_NO_MEM;
        return;
    }
    news->asked_n = f.h->asked_n;
    f.h->parted = has_parted(self);
    mend_event(self, MEND_EV_SPAWN_ASK);
    if (self->rt->spawn && self->rt->spawn(self, fd)) {
        mend_wait_until(self, &w);
        take_answer(self, &f, news, out);
        mend_event(self, MEND_EV_SPAWN_STARTED);
    } else {
        news->error = MPI_ERR_SPAWN;
    }
    mend_spawn_unmap(&f);
    close(fd);
}

/* Everybody knows what the root knows. */
static int tell(struct mend_comm *c, int root, struct news *news, struct mend_spawned *out)
{
    size_t bytes;
    int err = mend_creation_tell(c, news, sizeof(*news), root);

    if (err)
        return err;
    out->asked_n = news->asked_n;
    out->room = news->room;
    out->full = news->full;
    bytes = news->asked_n * sizeof(*out->errors);
    if (!bytes)
        return MPI_SUCCESS;
    if (!out->errors) {
        mend_memory_press(c->self); /* the others are in the broadcast */
        out->errors = mend_zalloc(c->self, news->asked_n, sizeof(*out->errors));
        mend_memory_relax(c->self);
    }
    return out->errors ? mend_creation_tell(c, out->errors, bytes, root) : MPI_ERR_NO_MEM;
}

/* A call at one process, and what its acts need. */
struct call {
    struct mend_comm *c;
    int root;
    const struct mend_spawn_block *blocks;
    int n;
    uint64_t number;
    char tag[TAG_BYTES];
    mend_peer other; /* who is at the other end of the bridge */
    struct mend_comm *bridge;
    struct news news;
    struct mend_spawned *out_p;
    struct mend_comm **new_p;
};

/* The first member of the job in which member r is. */
static bool is_first_of_job(struct mend_comm *c, int r)
{
    const struct mend_abroad *job = mend_peer_job(c->self, mend_comm_peer(c, r));

    for (int k = 0; k < r; k++)
        if (mend_peer_job(c->self, mend_comm_peer(c, k)) == job)
            return false;
    return true;
}

/* At the root: the other jobs of the group give the new processes names and places, and tell their own of them. */
static int name_abroad(struct call *s)
{
    struct mend_comm *c = s->c;
    int err = MPI_SUCCESS;

    for (int r = 0; c->spans && !err && r < c->size; r++) {
        const struct mend_abroad *job = mend_peer_job(c->self, mend_comm_peer(c, r));

        if (job && is_first_of_job(c, r))
            err = mend_create_name_in(c->self, job->job, s->news.first, s->news.started_n);
    }
    s->news.error = err;
    return err;
}

/* Everybody knows what the root knows. */
static void hear(struct call *s, struct mend_birth_event *ev)
{
    struct mend_proc *self = s->c->self;
    const struct news *news = &s->news;
    bool is_root = s->c->rank == s->root;
    mend_peer first = news->first;

    if (is_root && news->started_n)
        s->news.first = mend_abroad_common(self, first, s->c->spans);
    ev->error = tell(s->c, s->root, &s->news, s->out_p);
    ev->told = news->error;
    if (!news->started_n || (!is_root && (ev->error || news->error)))
        return;
    if (!is_root) {
        mend_memory_press(self); /* the others have begun to count on this process */
        first = mend_abroad_peer(self, news->first);
        mend_memory_relax(self);
    }
    mend_peers_meet(self, first + (mend_peer)news->started_n);
    mend_peers_connect(self, first, (mend_peer)news->started_n);
    s->out_p->first = s->other = first;
    s->out_p->started_n = (mend_peer)news->started_n;
    mend_event(self, MEND_EV_SPAWN_TOLD);
}

/* The intercommunicator of both groups; a leader without a bridge says why. */
static int meet(struct call *s, int error)
{
    int at = s->bridge ? mend_group_rank(s->c->self, s->bridge->group, s->other) : 0;

    return mend_create_intercomm(s->c, s->root, s->bridge, at, 0, error, s->new_p);
}

/* One act, as the machine says. */
static struct mend_birth_event act(struct call *s, const struct mend_birth *x)
{
    struct mend_proc *self = s->c->self;
    struct mend_birth_event ev = {0};

    switch ((enum mend_birth_act)x->act) {
    case MEND_BIRTH_ASK:
        ask(s->c, s->blocks, s->n, s->number, &s->news, s->out_p);
        ev.error = s->news.error;
        break;
    case MEND_BIRTH_NAME:
        ev.error = name_abroad(s);
        break;
    case MEND_BIRTH_TELL:
        hear(s, &ev);
        break;
    case MEND_BIRTH_BRIDGE:
        ev.error = mend_meet_bridge(self, s->tag, s->other, &s->bridge);
        break;
    case MEND_BIRTH_MEET:
        ev.error = meet(s, x->error);
        break;
    case MEND_BIRTH_LEAVE:
        mend_meet_give_up(self, s->bridge, s->other, x->error);
        break;
    case MEND_BIRTH_END:
        break;
    }
    return ev;
}

static int perform(struct call *s, struct mend_birth *x)
{
    while (x->act != MEND_BIRTH_END) {
        struct mend_birth_event ev = act(s, x);

        mend_birth_step(x, &ev);
    }
    if (s->bridge)
        mend_decide_free_temporary(s->bridge, !x->result);
    return x->result;
}

int mend_create_spawn(struct mend_comm *known, int root, int own_error,
                      const struct mend_spawn_block *blocks, int n, uint32_t asked_n,
                      struct mend_spawned *out_p, struct mend_comm **new_p)
{
    struct mend_proc *self = known->self;
    struct mend_comm *c = mend_comm_carrier(known);
    struct call s = {
        .c = c, .blocks = blocks, .n = n, .news.error = own_error, .out_p = out_p, .new_p = new_p};
    bool is_root = known->rank == root;
    int err = mend_creation_check(c);
    struct mend_birth x;

    *out_p = (struct mend_spawned){.asked_n = is_root ? asked_n : 0};
    if (err)
        return err;
    s.news.asked_n = out_p->asked_n;
    if (is_root && !own_error) {
        s.number = ++self->create->spawned_n;
        tag_of(s.tag, self->me, s.number);
    }
    s.root = mend_group_translate(self, known->group, root, c->group);
    mend_birth_init(&x, is_root ? MEND_BIRTH_ROOT : MEND_BIRTH_PARENT, is_root ? own_error : 0);
    return perform(&s, &x);
}

int mend_create_join(struct mend_proc *self, struct mend_comm **parent_p)
{
    struct call s = {.c = self->world, .other = self->asked_by, .new_p = parent_p};
    struct mend_birth x;

    tag_of(s.tag, self->asked_by, self->asked_number);
    mend_peers_connect(self, self->asked_by, 1);
    mend_event(self, MEND_EV_SPAWN_JOIN);
    mend_birth_init(&x, self->world->rank == 0 ? MEND_BIRTH_FIRST : MEND_BIRTH_CHILD, 0);
    return perform(&s, &x);
}
