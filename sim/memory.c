/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c – the play of memory: agreement by slots, where every access of shared memory is a step.
 *
 * memory_step.c runs the library's code up to its next access; here is what the program around it may do:
 *
 *   it calls the next agreement, if the window allows it
 *   it continues: one access
 *   --creation, --validation: it learns of a revocation and vetoes
 *
 * --creation and --validation are the sequences of create/creation.c and create/validate.c: a member may give
 * up, and then vetoes all agreements that it has not contributed to; a member that decides that another has vetoed gives
 * up before it begins another agreement; in creation a death is a reason as well.
 *
 * --brief is that of two members that say a flag in a word as well (node/brief.h): each looks at words for a while, and then
 * at slots; and it hears of deaths when it looks at nothing.
 *
 * A process that waits checks again and again, and the state does not change if it finds no news.
 * So the world is at rest when all have made their calls and no check finds news.
 *
 * All processes learn of deaths in one order, that of the first to be told; from the step in which a process
 * dies it stores nothing.  The order of accesses is sequentially consistent: reordering by compilers and processors
 * that no release and acquire forbid is not simulated, except in one case (--break hasty). */
#include "memory.h"

#include <stdio.h>
#include <string.h>

enum move { CALL, GO_ON, GIVE_UP, LOOK_AWAY };

void mend_sim_memory_give_up(struct mend_sim_memory_proc *p, uint64_t why,
                             const struct mend_sim_conf *c)
{
    if (!p->why)
        p->why = (uint8_t)why;
    if (c->broken == MEND_SIM_SHY)
        p->said_no = true;
}

static void memory_init(void *proc, int rank, const struct mend_sim_conf *c)
{
    struct mend_sim_memory_proc *p = proc;

    MEND_ASSERT(mend_sim_memory_slots(c) <= MEND_SIM_SLOTS_MAX);
    memset(p, 0, mend_sim_memory_bytes(c));
    p->rank = rank;
}

static unsigned memory_moves(const void *proc, const struct mend_sim_conf *c)
{
    const struct mend_sim_memory_proc *p = proc;
    unsigned moves = 0;

    if (p->activity || (p->why && !p->said_no))
        return 1u << GO_ON;
    if (p->begun < c->instances && mend_sim_memory_may_begin(p, c) &&
        (!p->said_no || c->broken == MEND_SIM_CHANGE))
        moves |= 1u << CALL;
    if (p->decided < p->begun)
        moves |= 1u << GO_ON;
    if ((c->creation || c->validation) && !p->why)
        moves |= 1u << GIVE_UP;
    if (p->decided < p->begun && mend_sim_memory_op(p, c, p->decided)->brief)
        moves |= 1u << LOOK_AWAY;
    return moves;
}

static const char *memory_move_name(int move)
{
    static const char *const names[] = {"calls", "goes on", "hears of a revocation",
                                        "looks at words no more"};

    return names[move];
}

static void call(struct mend_sim_memory_proc *p, const struct mend_sim_conf *c)
{
    uint64_t number = p->begun++;
    struct mend_sim_memory_op *op = mend_sim_memory_op(p, c, number);

    *op = (struct mend_sim_memory_op){.acked = UINT32_MAX};
    memset(op->and_word, 0xff, sizeof op->and_word);
    p->activity = MEND_SIM_CONTRIBUTES;
    if (c->brief) {
        op->and_word[0] = MEND_SIM_MEMORY_FLAG(p->rank, number);
        return;
    }
    op->and_word[MEND_SIM_MEMORY_WHO] = ~(UINT64_C(1) << p->rank);
    op->and_word[MEND_SIM_MEMORY_NUMBER] = number + 1;
    op->max_word[MEND_SIM_MEMORY_RANK] = (uint64_t)p->rank + 1;
    op->max_word[MEND_SIM_MEMORY_LATEST] = number + 1;
}

static const void *procs_of(const struct mend_sim_memory_proc *p, const struct mend_sim_conf *c)
{
    return (const char *)p - mend_sim_memory_bytes(c) * (size_t)p->rank;
}

static void memory_move(void *proc, int move, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_memory_proc *p = proc;

    if (move == CALL)
        call(p, c);
    if (move == GIVE_UP)
        mend_sim_memory_give_up(p, MEND_SIM_REVOKED, c);
    if (move == LOOK_AWAY)
        mend_sim_memory_op(p, c, p->decided)->brief = false;
    else if (move != GIVE_UP || !p->said_no)
        mend_sim_memory_step(p, procs_of(p, c), c, c->trace);
}

/* The verdicts come to all in one order, which is that of the first one to be told. */
static bool memory_may_hear(const void *proc, int dead, const struct mend_sim_conf *c)
{
    const struct mend_sim_memory_proc *p = proc;
    const char *procs = procs_of(p, c);

    if (c->brief && p->activity)
        return false;
    for (int r = 0; r < c->ranks; r++) {
        const struct mend_sim_memory_proc *q =
            (const void *)(procs + mend_sim_memory_bytes(c) * (size_t)r);

        if (q->deaths_n > p->deaths_n)
            return q->death[p->deaths_n] == dead + 1;
    }
    return true;
}

static void memory_death(void *proc, int dead, const struct mend_sim_conf *c,
                         struct mend_sim_io *io)
{
    struct mend_sim_memory_proc *p = proc;

    p->death[p->deaths_n++] = (uint8_t)(dead + 1);
    for (int i = 0; i < c->window; i++)
        mend_sim_memory_op(p, c, (uint64_t)i)->brief = false;
    if (c->creation)
        mend_sim_memory_give_up(p, MEND_SIM_FAILED, c);
}

static void memory_settle(void *proc, const struct mend_sim_conf *c)
{
    struct mend_sim_memory_proc *p = proc;

    memset(&p->fresh, 0, sizeof p->fresh);
}

/* What it wrote stays, and what it decided, and what it knew. */
static void memory_bury(void *proc, const struct mend_sim_conf *c)
{
    struct mend_sim_memory_proc *p = proc;
    struct mend_sim_memory_proc left = {.rank = p->rank, .dead = true, .deaths_n = p->deaths_n};

    memcpy(left.death, p->death, sizeof left.death);
    left.no_from = p->no_from;
    *p = left;
    memset(mend_sim_memory_op(p, c, 0), 0, (size_t)c->window * sizeof(struct mend_sim_memory_op));
    memset(mend_sim_memory_seen(p, c), 0, (size_t)mend_sim_memory_seen_max(c) * sizeof(uint64_t));
    if (c->broken == MEND_SIM_FORGET)
        memset(mend_sim_memory_row(p, c), 0, mend_sim_memory_row_words(c) * sizeof(uint64_t));
}

/* Nothing comes of it if p looks at everything once more. */
static bool waits_in_vain(const struct mend_sim_view *v, const struct mend_sim_memory_proc *p)
{
    uint64_t copy[512];
    struct mend_sim_memory_proc *q = (void *)copy;

    MEND_ASSERT(v->proc_bytes <= sizeof copy);
    memcpy(q, p, v->proc_bytes);
    do
        mend_sim_memory_step(q, v->procs, v->conf, false);
    while (q->activity);
    return !memcmp(q, p, v->proc_bytes);
}

static bool memory_at_rest(const struct mend_sim_view *v)
{
    int dead = 0;

    for (int r = 0; r < v->conf->ranks; r++)
        dead += v->fate[r] != MEND_SIM_ALIVE;
    for (int r = 0; r < v->conf->ranks; r++) {
        const struct mend_sim_memory_proc *p = mend_sim_proc(v, r);

        if (p->dead)
            continue;
        if (p->activity || p->deaths_n != dead || (p->why && !p->said_no) ||
            memory_moves(p, v->conf) & (1u << CALL | 1u << LOOK_AWAY))
            return false;
        if (p->decided < p->begun && !waits_in_vain(v, p))
            return false;
    }
    return true;
}

static int memory_print(const void *proc, const struct mend_sim_conf *c, char *buf, size_t size)
{
    static const char *const doing[] = {"idle", "contributes", "contributes late", "evaluates",
                                        "vetoes"};
    const struct mend_sim_memory_proc *p = proc;
    const struct mend_sim_memory_op *op = mend_sim_memory_op(p, c, p->decided);

    return snprintf(buf, size, "%s, begun %d, decided %d, next member %d, deaths %d%s%s",
                    doing[p->activity], p->begun, p->decided, op->seen, p->deaths_n,
                    p->why ? ", gave up" : "", p->said_no ? ", vetoed" : "");
}

const struct mend_sim_play mend_sim_memory = {
    .name = "memory",
    .about = "agreement through shared memory",
    .instances = "agreements that every process calls",
    .bytes = mend_sim_memory_bytes,
    .init = memory_init,
    .moves = memory_moves,
    .move_name = memory_move_name,
    .move = memory_move,
    .death = memory_death,
    .may_hear = memory_may_hear,
    .at_rest = memory_at_rest,
    .settle = memory_settle,
    .bury = memory_bury,
    .check = mend_sim_check_memory,
    .check_end = mend_sim_check_memory_end,
    .print = memory_print,
};
