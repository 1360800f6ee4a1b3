/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.c – writing lists of steps. */
#include "coll/schedule.h"

#include <string.h>

void mend_sched_open(struct mend_sched *s, struct mend_proc *self, const char *name, int rank,
                     int size)
{
    s->self = self;
    s->name = name;
    s->what = 0;
    s->rank = rank;
    s->size = size;
    s->among.member = NULL;
    s->in = NULL;
    s->out = NULL;
    s->op = NULL;
    s->handle = MPI_DATATYPE_NULL;
    s->no_memory = false;
    s->refused = MPI_SUCCESS;
    s->steps_n = 0;
    s->steps_room = MEND_COUNT_OF(s->few);
    s->open_n = s->open_max = 0;
    s->temp_bytes = s->temp_max = 0;
    s->steps = s->few;
    s->declined.dests = NULL;
    s->declined.dests_n = s->declined.dests_room = s->declined.receives_n = 0;
}

static void free_steps(struct mend_sched *s)
{
    if (s->steps != s->few)
        mend_free(s->self, s->steps);
    s->steps = s->few;
    s->steps_n = 0;
}

void mend_sched_close(struct mend_sched *s)
{
    free_steps(s);
    if (s->no_memory)
        mend_free(s->self, s->declined.dests);
    s->declined.dests = NULL;
}

static void grow_dests(struct mend_sched *s)
{
    unsigned room = s->declined.dests_room ? 2 * s->declined.dests_room : 32;
    int *dests = mend_alloc_to_take_part(s->self, room * sizeof(*dests));

    if (s->declined.dests_n)
        memcpy(dests, s->declined.dests, s->declined.dests_n * sizeof(*dests));
    mend_free(s->self, s->declined.dests);
    s->declined.dests = dests;
    s->declined.dests_room = room;
}

static void decline_step(struct mend_sched *s, enum mend_step_kind kind, int rank)
{
    if (kind == MEND_STEP_RECV)
        s->declined.receives_n++;
    if (kind != MEND_STEP_SEND)
        return;
    if (s->declined.dests_n == s->declined.dests_room)
        grow_dests(s);
    s->declined.dests[s->declined.dests_n++] = rank;
}

void mend_sched_decline(struct mend_sched *s)
{
    if (s->no_memory)
        return;
    s->no_memory = true;
    for (unsigned i = 0; i < s->steps_n; i++)
        decline_step(s, s->steps[i].kind, s->steps[i].rank);
    free_steps(s);
}

static bool grow(struct mend_sched *s)
{
    unsigned room = s->steps_room * 2;
    struct mend_step *steps = mend_alloc_for_others(s->self, room * sizeof(*steps));

    if (!steps) {
        mend_sched_decline(s);
        return false;
    }
    memcpy(steps, s->steps, s->steps_n * sizeof(*steps));
    if (s->steps != s->few)
        mend_free(s->self, s->steps);
    s->steps = steps;
    s->steps_room = room;
    return true;
}

/* NULL: the list is declined. */
static struct mend_step *add(struct mend_sched *s, enum mend_step_kind kind, int rank)
{
    struct mend_step *step;

    if (mend_unlikely(s->no_memory) || (mend_unlikely(s->steps_n == s->steps_room) && !grow(s))) {
        decline_step(s, kind, rank);
        return NULL;
    }
    step = &s->steps[s->steps_n++];
    step->kind = kind;
    step->rank = rank;
    return step;
}

static void add_message(struct mend_sched *s, enum mend_step_kind kind, int rank,
                        struct mend_piece piece)
{
    struct mend_step *step;

    MEND_ASSERT(rank >= 0 && rank < s->size);
    step = add(s, kind, mend_unlikely(s->among.member) ? mend_among_rank(&s->among, rank) : rank);
    if (!step)
        return;
    step->from = step->to = piece;
    if (++s->open_n > s->open_max)
        s->open_max = s->open_n;
}

static void add_local(struct mend_sched *s, enum mend_step_kind kind, struct mend_piece from,
                      struct mend_piece to)
{
    struct mend_step *step = add(s, kind, s->rank);

    if (!step)
        return;
    step->from = from;
    step->to = to;
}

void mend_sched_send(struct mend_sched *s, int rank, struct mend_piece from)
{
    add_message(s, MEND_STEP_SEND, rank, from);
}

void mend_sched_recv(struct mend_sched *s, int rank, struct mend_piece to)
{
    add_message(s, MEND_STEP_RECV, rank, to);
}

void mend_sched_reduce(struct mend_sched *s, struct mend_piece from, struct mend_piece to)
{
    if (to.count > 0)
        add_local(s, MEND_STEP_REDUCE, from, to);
}

void mend_sched_copy(struct mend_sched *s, struct mend_piece from, struct mend_piece to)
{
    if (mend_piece_bytes(from) > 0 && (from.operand != to.operand || from.at != to.at))
        add_local(s, MEND_STEP_COPY, from, to);
}

void mend_sched_round(struct mend_sched *s)
{
    if (s->open_n > 0)
        add(s, MEND_STEP_ROUND, s->rank);
    s->open_n = 0;
}

struct mend_piece mend_sched_temp(struct mend_sched *s, MPI_Count count,
                                  const struct mend_type *type)
{
    struct mend_piece p = {MEND_OPERAND_TEMP, 0, count, type};
    MPI_Count span = count * type->size, shift = type->true_lb, at, end;

    if (!type->dense)
        mend_type_span(type, count, &span, &shift);
    /* The origin is aligned as the caller's buffer would be, the first byte lies inside. */
    if (mend_unlikely(__builtin_add_overflow((MPI_Count)s->temp_bytes - shift, 63, &at) ||
                      __builtin_add_overflow((at & ~(MPI_Count)63) + shift, span, &end))) {
        mend_sched_decline(s);
        return p;
    }
    at &= ~(MPI_Count)63;
    p.at = (MPI_Aint)at;
    s->temp_bytes = (size_t)end;
    if (s->temp_bytes > s->temp_max)
        s->temp_max = s->temp_bytes;
    return p;
}

struct mend_piece mend_sched_temp_blocks(struct mend_sched *s, int n, MPI_Count count,
                                         const struct mend_type *type)
{
    MPI_Count all;

    if (!__builtin_mul_overflow(n, count, &all) && mend_type_fits(type, all))
        return mend_sched_temp(s, all, type);
    mend_sched_decline(s);
    return (struct mend_piece){MEND_OPERAND_TEMP, 0, 0, type};
}

struct mend_piece mend_sched_temp_bytes(struct mend_sched *s, MPI_Count bytes)
{
    return mend_sched_temp(s, bytes, mend_sched_byte());
}

void mend_sched_combine(struct mend_sched *s, struct mend_piece *acc_p, struct mend_piece *other_p,
                        bool other_is_lower)
{
    struct mend_piece acc = *acc_p;

    if (other_is_lower) {
        mend_sched_reduce(s, *other_p, acc);
        return;
    }
    mend_sched_reduce(s, acc, *other_p);
    *acc_p = *other_p;
    *other_p = acc;
}
