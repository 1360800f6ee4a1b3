/* SPDX-License-Identifier: BSD-3-Clause */
/* seating.c – who takes whose rank; see seating.h. */
#include "create/seating.h"

#include "comm/errcode.h"
#include "node/abroad.h"

/* Of the job, as all members of c number it. */
static uint32_t job_of(const struct mend_comm *c, mend_peer p)
{
    return c->spans ? (uint32_t)mend_abroad_name(c->self, p) >> MEND_ABROAD_NAME_BITS : 0;
}

/* The members of full that are not in small, which has the same order: how many. */
static int find_missing(const struct mend_comm *full, const struct mend_comm *small,
                        struct mend_seat *seats)
{
    int n = 0, next = 0;

    for (int r = 0; r < full->group->size; r++) {
        mend_peer p = mend_group_peer(full->group, r);

        if (next < small->size && mend_group_peer(small->group, next) == p)
            next++;
        else
            seats[n++] = (struct mend_seat){p, r};
    }
    return n;
}

static bool is_first_of_job(const struct mend_comm *full, const struct mend_comm *small, int r)
{
    uint32_t job = job_of(full, mend_group_peer(small->group, r));

    for (int k = 0; k < r; k++)
        if (job_of(full, mend_group_peer(small->group, k)) == job)
            return false;
    return true;
}

/* The missing ones of the job of survivor r, behind the others of the plan. */
static void plan_round(const struct mend_comm *full, const struct mend_comm *small, int r,
                       const struct mend_seat *missing, int n, struct mend_seating *plan)
{
    struct mend_seating_round round = {.root = r};

    if (!is_first_of_job(full, small, r))
        return;
    for (int i = 0; i < n; i++)
        if (job_of(full, missing[i].dead) == job_of(full, mend_group_peer(small->group, r)))
            plan->seats[plan->seats_n + round.n++] = missing[i];
    plan->seats_n += round.n;
    if (round.n)
        plan->rounds[plan->rounds_n++] = round;
}

int mend_seating_make(struct mend_comm *full, struct mend_comm *small, struct mend_seating *plan)
{
    struct mend_proc *self = full->self;
    size_t room = (size_t)full->group->size;
    struct mend_seat *missing;
    int n;

    mend_memory_press(self); /* the others go on */
    missing = mend_alloc(self, room * sizeof(*missing));
    plan->seats = mend_alloc(self, room * sizeof(*plan->seats));
    plan->rounds = mend_alloc(self, room * sizeof(*plan->rounds));
    mend_memory_relax(self);
    plan->survivors_n = small->size;
    n = find_missing(full, small, missing);
    for (int r = 0; r < small->size && plan->seats_n < n; r++)
        plan_round(full, small, r, missing, n, plan);
    mend_free(self, missing);
    if (plan->seats_n == n)
        return MPI_SUCCESS;
    mend_error_detail(self, MPI_ERR_SPAWN, 0,
                      "all processes of a connected job are dead: nobody can start others there");
    return MPI_ERR_SPAWN;
}

void mend_seating_free(struct mend_proc *self, struct mend_seating *plan)
{
    mend_free(self, plan->seats);
    mend_free(self, plan->rounds);
}

const struct mend_seat *mend_seating_seats(const struct mend_seating *plan)
{
    const struct mend_seat *seats = plan->seats;

    for (int i = 0; i < plan->done_n; i++)
        seats += plan->rounds[i].n;
    return seats;
}

/* ---- telling ---- */

static void write_plan(struct mend_proc *self, const struct mend_seating *plan, int32_t *words)
{
    for (int i = 0; i < plan->rounds_n; i++) {
        *words++ = plan->rounds[i].root;
        *words++ = plan->rounds[i].n;
    }
    for (int i = 0; i < plan->seats_n; i++) {
        *words++ = mend_abroad_name(self, plan->seats[i].dead);
        *words++ = plan->seats[i].rank;
    }
}

/* Under pressure: the others go on. */
static void read_plan(struct mend_proc *self, struct mend_seating *plan, const int32_t *words)
{
    plan->rounds = mend_alloc(self, (size_t)plan->rounds_n * sizeof(*plan->rounds));
    plan->seats = mend_alloc(self, (size_t)plan->seats_n * sizeof(*plan->seats));
    for (int i = 0; i < plan->rounds_n; i++, words += 2)
        plan->rounds[i] = (struct mend_seating_round){words[0], words[1]};
    for (int i = 0; i < plan->seats_n; i++, words += 2)
        plan->seats[i] = (struct mend_seat){mend_abroad_peer(self, words[0]), words[1]};
}

int mend_seating_tell(struct mend_comm *c, struct mend_seating *plan)
{
    struct mend_proc *self = c->self;
    struct mend_seating said = *plan;
    int32_t *words;
    size_t n;
    int err = mend_creation_tell(c, &said, offsetof(struct mend_seating, rounds), 0);

    if (err)
        return err;
    n = 2 * ((size_t)said.rounds_n + (size_t)said.seats_n);
    mend_memory_press(self);
    words = mend_alloc(self, n * sizeof(*words));
    if (plan->rounds)
        write_plan(self, plan, words);
    err = mend_creation_tell(c, words, n * sizeof(*words), 0);
    if (!err && !plan->rounds) {
        *plan = said;
        read_plan(self, plan, words);
    }
    mend_memory_relax(self);
    mend_free(self, words);
    return err;
}

/* ---- the communicator of the old size ---- */

struct mend_group *mend_seating_everybody(struct mend_proc *self,
                                          struct mend_seating_part survivors,
                                          struct mend_seating_part newcomers,
                                          const struct mend_seat *seats)
{
    int n = survivors.n + newcomers.n, next = 0;
    mend_peer *peers = mend_alloc(self, (size_t)n * sizeof(*peers));
    struct mend_group *g = NULL;
    bool sound = peers != NULL;

    for (int r = 0; sound && r < n; r++)
        peers[r] = MEND_PEER_NONE;
    for (int i = 0; sound && i < newcomers.n; i++) {
        sound = seats[i].rank < n && peers[seats[i].rank] == MEND_PEER_NONE;
        if (sound)
            peers[seats[i].rank] = mend_group_peer(newcomers.of, newcomers.first + i);
    }
    for (int r = 0; sound && r < n; r++)
        if (peers[r] == MEND_PEER_NONE)
            peers[r] = mend_group_peer(survivors.of, survivors.first + next++);
    if (sound)
        g = mend_group_create(self, peers, n);
    mend_free(self, peers);
    return g;
}
