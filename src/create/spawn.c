/* SPDX-License-Identifier: BSD-3-Clause */
/* spawn.c – processes that are started while the job runs meet those that asked for them (MPI-5.0 11.8).
 *
 *   root ── request ──> agent starts them ── answer ──> root
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
 *
 * Cost: one broadcast, one bridge, one creation of an intercommunicator; and starting the processes. */
#include "create/meet.h"

#include "req/request.h"
#include "rt/rt.h"
#include "rt/spawn.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define TAG_BYTES 64

/* What the root tells the others. */
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
    /* acquire: pairs with the release in answer() (launch/spawn.c) */
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
    out->errors = mend_alloc_for_others(self, news->asked_n * sizeof(*out->errors));
    if (out->errors)
        memcpy(out->errors, mend_spawn_errors(f->h), news->asked_n * sizeof(*out->errors));
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

static int bcast(struct mend_comm *c, void *buf, size_t n, int root)
{
    struct mend_coll_buf b = {buf, (MPI_Count)n, mend_type_predefined((uintptr_t)MPI_BYTE),
                              MPI_BYTE};
    struct mend_coll_how now = {.kind = MEND_COLL_NOW};

    return mend_coll_bcast(c, &b, root, &now);
}

/* Everybody knows what the root knows. */
static int tell(struct mend_comm *c, int root, struct news *news, struct mend_spawned *out)
{
    size_t bytes;
    int err = bcast(c, news, sizeof(*news), root);

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
    return out->errors ? bcast(c, out->errors, bytes, root) : MPI_ERR_NO_MEM;
}

/* The intercommunicator of c's group and the one that `other` leads; the leader here is this process if it has a bridge
 * to build. */
static int meet(struct mend_comm *c, int leader, const char *tag, mend_peer other,
                struct mend_comm **new_p)
{
    struct mend_proc *self = c->self;
    struct mend_comm *bridge = NULL;
    int at = 0, err = MPI_SUCCESS;

    if (c->rank == leader)
        err = mend_meet_bridge(self, tag, other, &bridge);
    if (bridge)
        at = mend_group_rank(self, bridge->group, other);
    err = mend_create_intercomm(c, leader, bridge, at, 0, err, new_p);
    if (bridge)
        mend_decide_free(bridge);
    return err;
}

/* At the root: its group will not come. */
static void send_away(struct mend_proc *self, const char *tag, mend_peer first, int error)
{
    struct mend_comm *bridge = NULL;

    if (mend_meet_bridge(self, tag, first, &bridge) != MPI_SUCCESS)
        return;
    mend_meet_give_up(self, bridge, first, error);
    mend_decide_free(bridge);
}

int mend_create_spawn(struct mend_comm *known, int root, int own_error,
                      const struct mend_spawn_block *blocks, int n, struct mend_spawned *out_p,
                      struct mend_comm **new_p)
{
    struct mend_proc *self = known->self;
    struct mend_comm *c = mend_comm_carrier(known);
    struct news news = {.error = own_error};
    int err = mend_creation_check(c);
    char tag[TAG_BYTES] = "";

    *out_p = (struct mend_spawned){0};
    if (err)
        return err;
    if (known->rank == root && !own_error) {
        tag_of(tag, self->me, ++self->create->spawned_n);
        ask(c, blocks, n, self->create->spawned_n, &news, out_p);
    }
    root = mend_group_translate(self, known->group, root, c->group);
    err = tell(c, root, &news, out_p);
    if (!err || c->rank == root) {
        if (news.error)
            return news.error;
        mend_peers_meet(self, news.first + (mend_peer)news.started_n);
        mend_peers_connect(self, news.first, (mend_peer)news.started_n);
        out_p->first = news.first;
        out_p->started_n = (mend_peer)news.started_n;
    }
    mend_event(self, MEND_EV_SPAWN_TOLD);
    if (err && c->rank == root)
        send_away(self, tag, news.first, err);
    return err ? err : meet(c, root, tag, news.first, new_p);
}

int mend_create_join(struct mend_proc *self, struct mend_comm **parent_p)
{
    char tag[TAG_BYTES];

    tag_of(tag, self->asked_by, self->asked_number);
    mend_peers_connect(self, self->asked_by, 1);
    mend_event(self, MEND_EV_SPAWN_JOIN);
    return meet(self->world, 0, tag, self->asked_by, parent_p);
}
