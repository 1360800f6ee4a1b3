/* SPDX-License-Identifier: BSD-3-Clause */
/* replace.c – a communicator gets its old size back: new processes take the ranks of the dead.
 *
 *   survivors: shrink          who failed, one agreement; so everybody knows which ranks are free     (shrink.c)
 *   the first survivor asks its agent for as many processes, and for each says whose program it runs  (spawn.c)
 *   survivors and newcomers: an intercommunicator, at all or at none                                  (intercomm.c)
 *   all of them: one agreement on the communicator of the old size
 *
 * The newcomers are in MPI_Init until the end, and the ranks that they get stand in the request that they were started
 * for.  So whatever fails on the way, the survivors get the same error, and no newcomer was ever seen by a program.
 *
 * The order of these acts is a machine, ft/refill_sm.h; this file carries them out.
 *
 * Survivors that have failed agree on the error that all of them report.
 *
 * Cost: three agreements, one broadcast, and starting the processes; with spares (mpiexec --spares) these run already. */
#include "create/creation.h"

#include "ft/refill_sm.h"
#include "proc/report.h"
#include "rt/spawn.h"

/* The members of g that are not in `left`, which has the same order: how many; *seats_p is the caller's. */
static int missing(struct mend_proc *self, struct mend_group *g, struct mend_group *left,
                   struct mend_seat **seats_p)
{
    int n = 0, next = 0;

    mend_memory_press(self); /* the others go on */
    *seats_p = mend_alloc(self, (size_t)g->size * sizeof(**seats_p));
    mend_memory_relax(self);
    for (int r = 0; r < g->size; r++) {
        mend_peer p = mend_group_peer(g, r);

        if (next < left->size && mend_group_peer(left, next) == p)
            next++;
        else
            (*seats_p)[n++] = (struct mend_seat){p, r};
    }
    return n;
}

/* At the root.  NULL: no memory. */
static struct mend_spawn_block *blocks_of(struct mend_proc *self, const struct mend_seat *seats,
                                          int n)
{
    struct mend_spawn_block *b = mend_zalloc(self, (size_t)n, sizeof(*b));

    for (int i = 0; b && i < n; i++)
        b[i] = (struct mend_spawn_block){.asked_n = 1, .again = true, .seat = seats[i]};
    return b;
}

/* The newcomers at their seats, the survivors in their order at the others.  NULL: the seats cannot be, or there is no
 * memory. */
static struct mend_group *everybody(struct mend_proc *self, struct mend_group *survivors,
                                    struct mend_group *newcomers, const struct mend_seat *seats)
{
    int n = survivors->size + newcomers->size, next = 0;
    mend_peer *peers = mend_alloc(self, (size_t)n * sizeof(*peers));
    struct mend_group *g = NULL;
    bool sound = peers != NULL;

    for (int r = 0; sound && r < n; r++)
        peers[r] = MEND_PEER_NONE;
    for (int i = 0; sound && i < newcomers->size; i++) {
        sound = seats[i].rank < n && peers[seats[i].rank] == MEND_PEER_NONE;
        if (sound)
            peers[seats[i].rank] = mend_group_peer(newcomers, i);
    }
    for (int r = 0; sound && r < n; r++)
        if (peers[r] == MEND_PEER_NONE)
            peers[r] = mend_group_peer(survivors, next++);
    if (sound)
        g = mend_group_create(self, peers, n);
    mend_free(self, peers);
    return g;
}

/* It is certain that these are replaced. */
static void count_replaced(struct mend_proc *self, const struct mend_seat *seats, int n)
{
    for (int i = 0; self->rt->disown && i < n; i++)
        self->rt->disown(self, seats[i].dead);
}

/* The communicator of all.  Collective over both groups of inter, which goes. */
static int assemble(struct mend_comm *inter, struct mend_group *survivors,
                    struct mend_group *newcomers, const struct mend_seat *seats,
                    struct mend_comm **new_p)
{
    struct mend_proc *self = inter->self;
    struct mend_group *g = everybody(self, survivors, newcomers, seats);
    int err;

    mend_event(self, MEND_EV_REPLACE_MEET);
    err = mend_creation_check(inter);
    if (!err)
        err = mend_creation_now(inter, g, NULL, g ? MPI_SUCCESS : MPI_ERR_NO_MEM, new_p);
    if (!err) {
        count_replaced(self, seats, newcomers->size);
        mend_record_event(self, replace, .ctx = (*new_p)->ctx, .place = (*new_p)->rank,
                          .of = g->size, .replaced = newcomers->size);
    }
    if (g)
        mend_group_put(self, g);
    mend_decide_free(inter);
    return err;
}

/* A call at one process, and what its acts need. */
struct call {
    struct mend_proc *self;
    struct mend_comm *full, *small; /* survivor */
    struct mend_seat *mine;         /* survivor: the seats that are free */
    const struct mend_seat *seats;
    struct mend_comm *inter;
    int error; /* of joining */
    struct mend_spawned *out_p;
    struct mend_comm **new_p;
};

static int join_survivors(struct call *r)
{
    struct mend_spawn_block *blocks = NULL;
    int n = missing(r->self, r->full->group, r->small->group, &r->mine), err = MPI_SUCCESS;

    r->seats = r->mine;
    if (r->small->rank == 0) {
        blocks = blocks_of(r->self, r->mine, n);
        err = blocks ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    err = mend_create_spawn(r->small, 0, err, blocks, n, r->out_p, &r->inter);
    mend_free(r->self, blocks);
    return err;
}

static int seat(struct call *r)
{
    struct mend_group *here = r->inter->group, *there = r->inter->remote;

    return r->small ? assemble(r->inter, here, there, r->seats, r->new_p)
                    : assemble(r->inter, there, here, r->seats, r->new_p);
}

/* What the survivors report, after different errors: a death goes before all others, because those that hear of one call
 * again.  Collective over the survivors; blocks until it is decided. */
static int settle(struct call *r, int error)
{
    bool death = error == MEND_CLASS_PROC_FAILED;
    struct mend_decision value = {.max_word = {death ? UINT64_MAX : (uint64_t)error}};

    for (int w = 0; w < MEND_AGREE_WORDS; w++)
        value.and_word[w] = UINT64_MAX;
    mend_decide(r->small, &value);
    if (value.failed)
        mend_group_put(r->self, value.failed);
    return value.max_word[0] == UINT64_MAX ? MEND_CLASS_PROC_FAILED : (int)value.max_word[0];
}

/* One act, as the machine says. */
static struct mend_refill_event act(struct call *r, const struct mend_refill *x)
{
    struct mend_refill_event ev = {0};

    switch ((enum mend_refill_act)x->act) {
    case MEND_REFILL_SHRINK:
        ev.error = mend_create_shrink(r->full, false, &r->small);
        if (!ev.error && !r->small) /* the others hold this process for dead */
            ev.error = MEND_CLASS_PROC_FAILED;
        ev.whole = !ev.error && r->small->size == r->full->group->size;
        if (!ev.error && !ev.whole)
            mend_event(r->self, MEND_EV_REPLACE_SHRUNK);
        break;
    case MEND_REFILL_JOIN:
        ev.error = r->small ? join_survivors(r) : mend_create_join(r->self, &r->inter);
        r->error = ev.error;
        break;
    case MEND_REFILL_SEAT:
        ev.error = seat(r);
        break;
    case MEND_REFILL_SETTLE:
        ev.error = settle(r, r->error);
        break;
    case MEND_REFILL_END:
        break;
    }
    return ev;
}

static int perform(struct call *r, bool newcomer)
{
    struct mend_refill x;

    mend_refill_init(&x, newcomer);
    while (x.act != MEND_REFILL_END) {
        struct mend_refill_event ev = act(r, &x);

        mend_refill_step(&x, &ev);
    }
    mend_free(r->self, r->mine);
    return x.result;
}

int mend_create_replace(struct mend_comm *c, struct mend_spawned *out_p, struct mend_comm **new_p)
{
    struct call r = {.self = c->self, .full = c, .out_p = out_p, .new_p = new_p};
    int err;

    *out_p = (struct mend_spawned){0};
    err = perform(&r, false);
    if (!err && r.small->size == c->group->size)
        *new_p = r.small;
    else if (r.small)
        mend_decide_free(r.small);
    return err;
}

int mend_create_take_seats(struct mend_proc *self, const struct mend_seat *seats,
                           struct mend_comm **new_p)
{
    struct call r = {.self = self, .seats = seats, .new_p = new_p};

    return perform(&r, true);
}
