/* SPDX-License-Identifier: BSD-3-Clause */
/* memory_checks.c – the rules of checkers.c for agreement through shared memory.
 *
 * They are stricter here: the decisions of dead processes count as well (A1), and so does
 * every contribution of any process (A2). */
#include "memory.h"

struct decision {
    const struct mend_sim_view *v;
    const struct mend_sim_memory_proc *p;
    const struct mend_sim_memory_decision *d;
    uint64_t number;
};

static const struct mend_sim_memory_proc *member(const struct decision *x, int rank)
{
    return mend_sim_proc(x->v, rank);
}

static const struct mend_sim_memory_past *past_of(const struct decision *x, int rank)
{
    return mend_sim_memory_past(member(x, rank), x->number);
}

static bool is_in(const struct decision *x, int rank)
{
    return !(x->d->and_word[MEND_SIM_MEMORY_WHO] >> rank & 1);
}

/* The first n of all deaths. */
static uint8_t deaths(const struct decision *x, uint32_t n)
{
    const struct mend_sim_memory_proc *most = x->p;
    uint8_t set = 0;

    for (int r = 0; r < x->v->conf->ranks; r++)
        if (member(x, r)->deaths_n > most->deaths_n)
            most = member(x, r);
    for (uint32_t i = 0; i < n && i < most->deaths_n; i++)
        set |= (uint8_t)(1 << (most->death[i] - 1));
    return set;
}

static const char *check_same(const struct decision *x)
{
    uint64_t mine = past_of(x, x->p->rank)->print;

    for (int r = 0; r < x->v->conf->ranks; r++)
        if (past_of(x, r)->print && past_of(x, r)->print != mine)
            return "A1: two processes decided differently";
    return NULL;
}

static const char *check_member(const struct decision *x, int rank)
{
    const struct mend_sim_memory_past *past = past_of(x, rank);
    bool in = is_in(x, rank), out = x->d->failed >> rank & 1;

    if (past->gave && !in)
        return "A2: a contribution that was made is not in the decision";
    if (!in && !out && !mend_sim_memory_declined(member(x, rank), x->number))
        return "A2: a member is neither in the decision nor in its failed set, and did not veto";
    if (out && x->v->fate[rank] == MEND_SIM_ALIVE)
        return "A3: a living member is in the failed set";
    if (in && past->gave && (deaths(x, past->gave - 1) & ~x->d->failed))
        return "A4: a failure that was known to a participant is missing";
    if (in && !past->gave && !past->said)
        return "A6: a member is in the decision and has not contributed to it";
    return NULL;
}

static const char *check_members(const struct decision *x)
{
    const char *wrong = NULL;

    for (int r = 0; r < x->v->conf->ranks && !wrong; r++)
        wrong = check_member(x, r);
    return wrong;
}

static const char *check_words(const struct decision *x)
{
    uint64_t highest = 0, class = 0;

    for (int r = 0; r < x->v->conf->ranks; r++) {
        uint64_t no_from = member(x, r)->no_from;

        if (is_in(x, r))
            highest = (uint64_t)r + 1;
        else if (mend_sim_memory_declined(member(x, r), x->number) && no_from >> 48 > class)
            class = no_from >> 48;
    }
    if (x->d->max_word[MEND_SIM_MEMORY_RANK] != highest)
        return "A6: the maximum is nobody's";
    if (x->d->and_word[MEND_SIM_MEMORY_OK] != (class ? 0 : UINT64_MAX) ||
        x->d->max_word[MEND_SIM_MEMORY_CLASS] != class)
        return "A6: the class is not that of the members that vetoed";
    if (x->d->and_word[MEND_SIM_MEMORY_NUMBER] != x->number + 1 ||
        x->d->max_word[MEND_SIM_MEMORY_LATEST] != x->number + 1)
        return "A7: values of two agreements are mixed";
    return NULL;
}

static const char *check_acked(const struct decision *x)
{
    bool all = true;

    for (int r = 0; r < x->v->conf->ranks; r++)
        if (is_in(x, r) && (x->d->failed & ~deaths(x, past_of(x, r)->acked)))
            all = false;
    return x->d->all_acked == all
               ? NULL
               : "A11: whether all had acknowledged what is decided is not what was said";
}

static const char *check_creation(const struct decision *x)
{
    if (!x->v->conf->creation || x->d->failed || x->d->and_word[MEND_SIM_MEMORY_OK] != UINT64_MAX)
        return NULL;
    for (int r = 0; r < x->v->conf->ranks; r++)
        if (!past_of(x, r)->gave)
            return "C1: created without somebody";
    return NULL;
}

static const char *check_decision(const struct decision *x)
{
    static const char *(*const checks[])(const struct decision *) = {
        check_same, check_members, check_words, check_acked, check_creation};
    const char *wrong = NULL;

    if (x->v->conf->brief && x->d->and_word[MEND_SIM_MEMORY_OK] != UINT64_MAX)
        return check_same(x); /* the flag of a veto is 0, and tells nothing else */
    for (size_t i = 0; i < MEND_COUNT_OF(checks) && !wrong; i++)
        wrong = checks[i](x);
    return wrong;
}

const char *mend_sim_check_memory(const struct mend_sim_view *v, int rank)
{
    const struct mend_sim_memory_proc *p = mend_sim_proc(v, rank);
    struct decision x = {.v = v, .p = p, .d = &p->fresh, .number = p->fresh.number - 1};

    if (p->wrong == 12)
        return "A12: a slot is written that somebody may still read";
    if (p->wrong == 13)
        return "A13: a word is written that belongs to somebody else";
    if (p->wrong == 14)
        return "A14: more have failed than there is room for";
    return p->fresh.number ? check_decision(&x) : NULL;
}

const char *mend_sim_check_memory_end(const struct mend_sim_view *v)
{
    for (int r = 0; r < v->conf->ranks; r++) {
        const struct mend_sim_memory_proc *p = mend_sim_proc(v, r);

        if (v->fate[r] != MEND_SIM_DEAD &&
            (p->decided < p->begun || (p->begun < v->conf->instances && !p->said_no)))
            return "A5: a living process waits for ever";
    }
    return NULL;
}
