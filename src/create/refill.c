/* SPDX-License-Identifier: BSD-3-Clause */
/* refill.c – a communicator gets its old size back: new processes take the ranks of the dead.
 *
 *   survivors: shrink          who failed, one agreement; so everybody knows which ranks are free     (shrink.c)
 *   the first survivor asks its agent for as many processes, and for each says whose program it runs  (spawn.c)
 *   survivors and newcomers: an intercommunicator, at all or at none                                  (intercomm.c)
 *   all of them: one agreement on the communicator of the old size
 *
 * The newcomers are in MPI_Init until the end, and the ranks that they get stand in the request that they were started
 * for.  So whatever fails on the way, the survivors get the same error, and no newcomer was ever seen by a program.
 *
 * A communicator of several jobs: each agent starts those that its job has lost, one job after the other.
 *
 *   the first survivor of a job asks its agent ── all so far, and the newcomers: an intercommunicator, merged ──> all so far
 *   the first survivor of all tells the new ones what is still to be done, and who gets which rank       (seating.c)
 *   ... until no job has lost anybody; then the agreement on the communicator of the old size
 *
 * A process that does not hear what is to be done knows of a death among all so far; so nothing that follows can succeed.
 * A job of which nobody is left has nobody to ask its agent: MPI_ERR_SPAWN.
 *
 * The order of these acts is a machine, ft/refill_sm.h; this file carries them out.
 *
 * Survivors that have failed agree on the error that all of them report.
 *
 * Cost: three agreements, one broadcast, and starting the processes; with spares (mpiexec --spares) these run already. */
#include "create/seating.h"

#include "ft/refill_sm.h"
#include "proc/report.h"
#include "rt/spawn.h"

/* At the root.  NULL: no memory. */
static struct mend_spawn_block *blocks_of(struct mend_proc *self, const struct mend_seat *seats,
                                          int n)
{
    struct mend_spawn_block *b = mend_zalloc(self, (size_t)n, sizeof(*b));

    for (int i = 0; b && i < n; i++)
        b[i] = (struct mend_spawn_block){.asked_n = 1, .again = true, .seat = seats[i]};
    return b;
}

/* It is certain that these are replaced. */
static void count_replaced(struct mend_proc *self, const struct mend_seat *seats, int n)
{
    for (int i = 0; self->rt->disown && i < n; i++)
        if (seats[i].dead != MEND_PEER_NONE)
            self->rt->disown(self, seats[i].dead);
}

/* The communicator of all, g; NULL: it cannot be.  Collective over parent. */
static int assemble(struct mend_comm *parent, struct mend_group *g, const struct mend_seat *seats,
                    int n, struct mend_comm **new_p)
{
    struct mend_proc *self = parent->self;
    int err;

    mend_event(self, MEND_EV_REPLACE_MEET);
    err = mend_creation_check(parent);
    if (!err)
        err = mend_creation_now(parent, g, NULL, g ? MPI_SUCCESS : MPI_ERR_NO_MEM, new_p);
    if (!err) {
        count_replaced(self, seats, n);
        mend_record_event(self, replace, .ctx = (*new_p)->ctx, .place = (*new_p)->rank,
                          .of = g->size, .replaced = n);
    }
    if (g)
        mend_group_put(self, g);
    return err;
}

/* A call at one process, and what its acts need. */
struct call {
    struct mend_proc *self;
    struct mend_comm *full, *small; /* survivor */
    const struct mend_seat *given;  /* newcomer: in its request */
    struct mend_seating plan;
    struct mend_comm *inter; /* of one job: all so far, and the newcomers */
    struct mend_comm *all;   /* of several jobs: all so far; the survivors first */
    int error;               /* of joining */
    struct mend_spawned *out_p;
    struct mend_comm **new_p;
};

/* As a parent in the round that is next. */
static int start_newcomers(struct call *r, struct mend_comm *c)
{
    const struct mend_seating_round *next = &r->plan.rounds[r->plan.done_n];
    struct mend_spawn_block *blocks = NULL;
    int err = MPI_SUCCESS;

    mend_free(r->self, r->out_p->errors);
    if (c->rank == next->root) {
        blocks = blocks_of(r->self, mend_seating_seats(&r->plan), next->n);
        err = blocks ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    err = mend_create_spawn(c, next->root, err, blocks, next->n, 0, r->out_p, &r->inter);
    mend_free(r->self, blocks);
    return err;
}

/* All so far and those that have come are one communicator, and know what is to be done. */
static int unite(struct call *r, bool has_come)
{
    struct mend_comm *all = NULL;
    int err = mend_create_merge(r->inter, has_come, &all);

    mend_decide_free(r->inter);
    r->inter = NULL;
    if (err)
        return err;
    if (r->all)
        mend_decide_free(r->all);
    r->all = all;
    if (!has_come)
        r->plan.done_n++;
    return mend_seating_tell(all, &r->plan);
}

/* One round.  more_p: another one follows. */
static int join(struct call *r, bool *more_p)
{
    bool has_come = !r->small && !r->all;
    int err = MPI_SUCCESS;

    if (r->small && !r->all)
        err = mend_seating_make(r->full, r->small, &r->plan);
    if (!err && has_come)
        err = mend_create_join(r->self, &r->inter);
    else if (!err)
        err = start_newcomers(r, r->all ? r->all : r->small);
    if (!err && r->inter->spans)
        err = unite(r, has_come);
    *more_p = !err && r->all && r->plan.done_n < r->plan.rounds_n;
    return err;
}

/* The newcomers have left, or will: whatever happens to them is not reported. */
static void disown(struct mend_proc *self, struct mend_seating_part newcomers)
{
    for (int i = 0; self->rt->disown && i < newcomers.n; i++)
        self->rt->disown(self, mend_group_peer(newcomers.of, newcomers.first + i));
}

static struct mend_seating_part part(const struct mend_group *of, int first)
{
    return (struct mend_seating_part){of, first, of->size - first};
}

/* Of several jobs: all so far are in one communicator. */
static int seat_all(struct call *r)
{
    const struct mend_group *of = r->all->group;
    struct mend_seating_part old = {of, 0, r->plan.survivors_n}, new = part(of, old.n);

    return assemble(r->all, mend_seating_everybody(r->self, old, new, r->plan.seats), r->plan.seats,
                    new.n, r->new_p);
}

static int seat(struct call *r)
{
    const struct mend_seat *seats = r->small ? r->plan.seats : r->given;
    struct mend_seating_part here, there;
    int err;

    if (r->all)
        return seat_all(r);
    here = part(r->inter->group, 0);
    there = part(r->inter->remote, 0);
    err = assemble(r->inter,
                   r->small ? mend_seating_everybody(r->self, here, there, seats)
                            : mend_seating_everybody(r->self, there, here, seats),
                   seats, r->small ? there.n : here.n, r->new_p);
    mend_decide_free(r->inter);
    return err;
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
        ev.error = r->error = join(r, &ev.more);
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
    if (r->all && r->small && x.result)
        disown(r->self, part(r->all->group, r->plan.survivors_n));
    if (r->all)
        mend_decide_free(r->all);
    mend_seating_free(r->self, &r->plan);
    return x.result;
}

int mend_create_refill(struct mend_comm *c, struct mend_spawned *out_p, struct mend_comm **new_p)
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
    struct mend_spawned started = {0};
    struct call r = {.self = self, .given = seats, .out_p = &started, .new_p = new_p};
    int err = perform(&r, true);

    mend_free(self, started.errors);
    return err;
}
