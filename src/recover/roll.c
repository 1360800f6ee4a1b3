/* SPDX-License-Identifier: BSD-3-Clause */
/* roll.c – what the members tell each other (roll.h has the idea, roll_decide.c the decision).
 *
 *   positions of all ──> what stands behind them, and from member 0 a context for the cut ──> each decides alike ──> agreed: all have it
 */
#include "recover/roll.h"

#include "create/creation.h"

#include <string.h>

#define WORDS (sizeof(struct mend_roll_position) / sizeof(uint64_t))

/* What one turn needs; all of it is given back at its end. */
struct talk {
    struct mend_comm *c;
    struct mend_group *of; /* the module's members from the beginning */
    struct mend_roll_position *members;
    MPI_Count *counts; /* words of each member, with the context of member 0 */
    MPI_Aint *at;      /* where they begin among those of all */
    uint64_t *mine, *all, all_n, ids_n;
    bool *rolls;
};

static struct mend_coll_buf words(void *buf, uint64_t n)
{
    return (struct mend_coll_buf){buf, (MPI_Count)n, mend_type_predefined((uintptr_t)MPI_UINT64_T),
                                  MPI_UINT64_T};
}

struct listing {
    struct mend_proc *self;
    struct mend_group *members;  /* of the module from the beginning */
    struct mend_roll_used *used; /* NULL: they are only counted */
    uint64_t since;              /* safe point number: what was used before it does not count */
    uint64_t n;
};

/* A member that the module has lost is dead, whether this process has heard of it by now or not. */
static bool has_all(const struct listing *l, const struct mend_group *g)
{
    for (int r = 0; r < g->size; r++) {
        mend_peer p = mend_group_peer(g, r);

        if (!mend_peer_is_dead(l->self, p) &&
            mend_group_rank(l->self, l->members, p) == MPI_UNDEFINED)
            return false;
    }
    return true;
}

/* The oldest that may be the target. */
static uint64_t oldest(const struct mend_roll_position *mine, const struct mend_roll_kept *kept)
{
    return mine->kept_n ? kept[0].number : mine->left;
}

static void list_used(struct mend_comm *c, void *arg)
{
    struct listing *l = arg;

    if (c->used_at < l->since || c->whole || c->made_at == MEND_UNDO_APART)
        return;
    if (l->used)
        l->used[l->n] = (struct mend_roll_used){
            c->id | (has_all(l, c->group) && has_all(l, c->remote) ? 0 : MEND_ROLL_STRANGERS),
            c->used_at};
    l->n++;
}

/* The own words: safe points, communicators, those of an earlier cut, and from member 0 one word more. */
static void fill(struct talk *t, const struct mend_roll_position *mine,
                 const struct mend_roll_kept *kept, const struct mend_roll *before)
{
    struct mend_roll_kept *points = (struct mend_roll_kept *)t->mine;
    struct listing l = {.self = t->c->self,
                        .members = t->of,
                        .since = oldest(mine, kept),
                        .used = (struct mend_roll_used *)(points + mine->kept_n)};

    if (mine->kept_n)
        memcpy(points, kept, mine->kept_n * sizeof(*kept));
    mend_comm_each(t->c->self, list_used, &l);
    for (uint64_t i = 0; i < before->cut_n; i++)
        l.used[l.n + i] = (struct mend_roll_used){.id = before->cut[i]};
    if (t->c->rank == 0)
        t->mine[mend_roll_words(mine)] = mend_creation_ctxs(t->c->self, t->c->spans, t->ids_n);
}

static void place_all(struct talk *t)
{
    t->all_n = t->ids_n = 0;
    for (int r = 0; r < t->c->size; r++) {
        const struct mend_roll_position *p = &t->members[r];

        t->counts[r] = (MPI_Count)(mend_roll_words(p) + (r == 0));
        t->at[r] = (MPI_Aint)t->all_n;
        t->all_n += (uint64_t)t->counts[r];
        t->ids_n += p->used_n + p->cut_n;
    }
}

static int gather_positions(struct talk *t, const struct mend_roll_position *mine)
{
    struct mend_roll_position copy = *mine;
    struct mend_coll_buf in = words(&copy, WORDS), out = words(t->members, WORDS);
    struct mend_coll_how how = {.kind = MEND_COLL_NOW};

    return mend_coll_allgather(t->c, &in, &out, NULL, &how);
}

static int gather_words(struct talk *t)
{
    struct mend_coll_counts v = {.big = true, .counts_c = t->counts, .displs_c = t->at};
    struct mend_coll_buf in = words(t->mine, (uint64_t)t->counts[t->c->rank]);
    struct mend_coll_buf out = words(t->all, 0);
    struct mend_coll_how how = {.kind = MEND_COLL_NOW};

    return mend_coll_allgather(t->c, &in, &out, &v, &how);
}

static void *take(struct mend_proc *self, uint64_t n, size_t size)
{
    return mend_alloc_to_take_part(self, (n ? n : 1) * size);
}

static void begin(struct talk *t, struct mend_comm *c, struct mend_group *of)
{
    uint64_t n = (uint64_t)c->size;

    *t = (struct talk){.c = c, .of = of};
    t->members = take(c->self, n, sizeof(*t->members));
    t->counts = take(c->self, n, sizeof(*t->counts));
    t->at = take(c->self, n, sizeof(*t->at));
    t->rolls = take(c->self, n, sizeof(*t->rolls));
}

static void end(struct talk *t)
{
    void *all[] = {t->members, t->counts, t->at, t->rolls, t->mine, t->all};

    for (unsigned i = 0; i < MEND_COUNT_OF(all); i++)
        mend_free(t->c->self, all[i]);
}

/* Without the context, which stands behind the words of member 0. */
static mend_ctx take_context(struct talk *t)
{
    uint64_t at = (uint64_t)t->counts[0] - 1;
    mend_ctx ctx = t->all[at];

    memmove(t->all + at, t->all + at + 1, (t->all_n - at - 1) * sizeof(*t->all));
    return ctx;
}

static void conclude(struct talk *t, struct mend_roll *roll)
{
    struct mend_proc *self = t->c->self;

    mend_roll_forget(self, roll);
    roll->ctx = take_context(t);
    roll->cut = take(self, t->all_n, sizeof(*roll->cut));
    mend_roll_decide(t->members, t->c->size, t->all, t->rolls, roll);
    roll->rolls = t->rolls[t->c->rank];
}

static int talk(struct talk *t, const struct mend_roll_position *mine,
                const struct mend_roll_kept *kept, const struct mend_roll *roll)
{
    struct mend_proc *self = t->c->self;
    struct mend_roll_position full = *mine;
    struct listing l = {.self = self, .members = t->of, .since = oldest(mine, kept)};
    int err;

    mend_comm_each(self, list_used, &l);
    full.used_n = l.n;
    full.cut_n = roll->cut_n;
    err = gather_positions(t, &full);
    if (err)
        return err;
    place_all(t);
    t->mine = take(self, mend_roll_words(&full) + 1, sizeof(*t->mine));
    t->all = take(self, t->all_n, sizeof(*t->all));
    fill(t, &full, kept, roll);
    return gather_words(t);
}

int mend_roll_exchange(struct mend_comm *c, struct mend_group *of,
                       const struct mend_roll_position *mine, const struct mend_roll_kept *kept,
                       struct mend_roll *roll)
{
    struct talk t;
    int err, ok;

    begin(&t, c, of);
    err = talk(&t, mine, kept, roll);
    if (err)
        mend_revoke(c); /* others may wait for this process in what it has not begun */
    ok = !err;
    mend_decide_flag(c, true, &ok);
    if (ok)
        conclude(&t, roll);
    end(&t);
    return ok ? MPI_SUCCESS : MEND_CLASS_PROC_FAILED;
}

void mend_roll_cut(struct mend_proc *self, const struct mend_roll *roll)
{
    for (uint64_t i = 0; i < roll->cut_n; i++)
        mend_undo_renew(self, roll->cut[i], roll->ctx + i * MEND_CTX_MAKE(0, 2), roll->target);
}

void mend_roll_forget(struct mend_proc *self, struct mend_roll *roll)
{
    mend_free(self, roll->cut);
    *roll = (struct mend_roll){.cut = NULL};
}
