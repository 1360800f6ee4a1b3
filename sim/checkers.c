/* SPDX-License-Identifier: BSD-3-Clause */
/* checkers.c – the properties that must hold, checked over all processes after every step.
 *
 * Agreement    A1  two living processes never return different values from one agreement (S0-90).
 *                  In every continuation, so this is also: a decision is not lost as long as one
 *                  process lives that returned it, and to return early is safe
 *              A2  a decision contains every member's contribution or lists the member as failed (S0-88)
 *              A3  only dead (or doomed) members are listed as failed
 *              A4  every failure that a living participant had been told of when it contributed is
 *                  listed (S0-76)
 *              A5  when nothing can happen any more, every living process has returned from
 *                  everything (S0-89)
 *              A6  a decision contains nothing but what members contributed to it (S0-91)
 *              A7  no contribution to one agreement gets into another one
 *              A8  the messages of a run, and the hops that lead to each other, are bounded by the
 *                  sizes and the number of faults (runs with a seed)
 *              A9  a result does not change: asked again, the machine returns the same
 *              A10 at the end no machine keeps an undecided agreement
 *              A11 "all have acknowledged everything" is decided only if all survivors had (R16)
 *              A12 no process writes into a slot of shared memory that a living process may still read
 *              A13 nothing in shared memory has two writers
 *              A14 the failed fit into the library's set
 *              A15 of those that died together a decision lists all as failed, or none
 *              Besides A10 the state is bounded by construction: machines do not allocate.
 *              (memory_checks.c has A1 to A7, A11 to A14 and C1 for agreement through shared memory.)
 * Creation     C1  nothing is created unless all living members called the creation (S2-5..7);
 *                  A1 makes it the same at all, A5 (of what was called) says that it ends
 * Detection    D1  a verdict only about a process that is dead (kill before report)
 *              D2  no verdict about a process that ended after its good-bye (R23)
 *              D3  at most one verdict per process
 *              D4  at the end every dead process has a verdict and every end is detected */
#include "play.h"

/* An agreement that was just decided at process p. */
struct decision {
    const struct mend_sim_view *v;
    const struct mend_sim_agree_proc *p;
    int k; /* communicator */
    uint64_t seq;
    struct mend_agree_value value;
};

static const struct mend_sim_agree_comm *comm_of(const struct decision *d, int rank)
{
    return mend_sim_agree_comm(mend_sim_proc(d->v, rank), d->v->conf, d->k);
}

static const uint64_t *gave_of(const struct decision *d, int rank)
{
    return mend_sim_agree_print_of(comm_of(d, rank), d->v->conf, d->seq) + 1;
}

static bool is_alive(const struct decision *d, int rank)
{
    return d->v->fate[rank] == MEND_SIM_ALIVE;
}

static const char *check_same(const struct decision *d)
{
    const struct mend_sim_conf *c = d->v->conf;
    uint64_t mine = *mend_sim_agree_print_of(comm_of(d, d->p->rank), c, d->seq);

    for (int r = d->k; r < c->ranks; r++) {
        uint64_t theirs = is_alive(d, r) ? *mend_sim_agree_print_of(comm_of(d, r), c, d->seq) : 0;

        if (theirs && theirs != mine)
            return "A1: two living processes returned different values";
    }
    return NULL;
}

static const char *check_members(const struct decision *d)
{
    const struct mend_sim_conf *c = d->v->conf;

    for (int r = d->k; r < c->ranks; r++) {
        bool in = mend_sim_agree_has(c, &d->value, r);
        bool out = d->value.nfailed && mend_bits_test(d->value.failed, r - d->k);

        if (!in && !out)
            return "A2: a member is neither in the decision nor in its failed set";
        if (out && is_alive(d, r))
            return "A3: a living member is in the failed set";
        if (in && c->ranks <= 128 && mend_sim_agree_machine(comm_of(d, r), c)->next <= d->seq)
            return "A6: a member is in the decision and has not contributed to it";
    }
    return NULL;
}

static const char *check_told(const struct decision *d)
{
    const uint64_t *gave = gave_of(d, d->p->rank);

    for (size_t w = 0; w < mend_bits_words(d->v->conf->ranks - d->k); w++)
        if (gave[w] && (!d->value.nfailed || (gave[w] & ~d->value.failed[w])))
            return "A4: a failure that was contributed is missing";
    return NULL;
}

static const char *check_together(const struct decision *d)
{
    const int16_t *set = d->v->set;
    int ranks = d->v->conf->ranks;

    for (int r = d->k; d->value.nfailed && r < ranks; r++)
        for (int q = d->k; mend_bits_test(d->value.failed, r - d->k) && set[r] >= 0 && q < ranks;
             q++)
            if (set[q] == set[r] && !mend_bits_test(d->value.failed, q - d->k))
                return "A15: a decision separates two that died together";
    return NULL;
}

static const char *check_words(const struct decision *d)
{
    const struct mend_sim_conf *c = d->v->conf;
    uint64_t highest = 0;

    for (int r = d->k; r < c->ranks; r++)
        if (mend_sim_agree_has(c, &d->value, r))
            highest = (uint64_t)r + 1;
    if (c->ranks <= 128 && d->value.max_word[MEND_SIM_WORD_RANK] != highest)
        return "A6: the maximum is nobody's";
    if (d->value.max_word[MEND_SIM_WORD_NUMBER] != d->seq + 1)
        return "A7: values of two agreements are mixed";
    return NULL;
}

static const char *check_acked(const struct decision *d)
{
    const struct mend_sim_conf *c = d->v->conf;
    uint32_t acked = (uint32_t)~d->value.max_word[MEND_SIM_WORD_ACKED];

    if (acked != (uint32_t)d->value.nfailed || !acked)
        return NULL;
    for (int r = d->k; r < c->ranks; r++)
        for (size_t w = 0; w < mend_bits_words(c->ranks - d->k) && is_alive(d, r); w++)
            if (d->value.failed[w] & ~gave_of(d, r)[w])
                return "A11: somebody had not acknowledged what is decided";
    return NULL;
}

static const char *check_creation(const struct decision *d)
{
    const struct mend_sim_conf *c = d->v->conf;

    if (!mend_sim_agree_vetoes(c) || (c->creation && d->value.nfailed) ||
        d->value.max_word[MEND_SIM_WORD_NO])
        return NULL;
    for (int r = d->k; r < c->ranks; r++)
        if (is_alive(d, r) && (uint64_t)comm_of(d, r)->calls <= d->seq)
            return "C1: created although a survivor had not called it";
    return NULL;
}

static const char *check_decision(const struct decision *d)
{
    static const char *(*const checks[])(const struct decision *) = {
        check_same,  check_members, check_told,    check_together,
        check_words, check_acked,   check_creation};
    const char *wrong = NULL;

    for (size_t i = 0; i < MEND_COUNT_OF(checks) && !wrong; i++)
        wrong = checks[i](d);
    return wrong;
}

/* What the machine still knows of what it has returned. */
static const char *check_memory(const struct mend_sim_agree_comm *a, const struct mend_sim_conf *c)
{
    const struct mend_agree *m = mend_sim_agree_machine(a, c);
    uint64_t kept = m->nslots, end = m->decided_end;

    for (uint64_t seq = end > kept ? end - kept : 0; seq < end; seq++) {
        uint64_t print = *mend_sim_agree_print_of(a, c, seq);
        struct mend_agree_value value;

        if (print && mend_agree_result(m, seq, &value) &&
            mend_sim_agree_hash(&value, m->tree.n) != print)
            return "A9: what was returned has changed";
    }
    return NULL;
}

static const char *check_comm(const struct mend_sim_view *v, const struct mend_sim_agree_proc *p,
                              int k)
{
    const struct mend_sim_agree_comm *a = mend_sim_agree_comm(p, v->conf, k);
    const char *wrong = NULL;

    if (a->gone)
        return NULL; /* its last value says nothing, and all others were checked before */
    if (v->conf->ranks <= 64)
        mend_agree_check(mend_sim_agree_machine(a, v->conf));
    if (v->fate[p->rank] != MEND_SIM_ALIVE)
        return NULL;
    for (int i = 0; i < a->fresh_n && !wrong; i++) {
        struct decision d = {.v = v, .p = p, .k = k, .seq = a->fresh[i]};

        if (mend_agree_result(mend_sim_agree_machine(a, v->conf), d.seq, &d.value))
            wrong = check_decision(&d);
    }
    return wrong ? wrong : check_memory(a, v->conf);
}

const char *mend_sim_check_agree(const struct mend_sim_view *v, int rank)
{
    const struct mend_sim_agree_proc *p = mend_sim_proc(v, rank);
    const char *wrong = NULL;

    for (int k = 0; k < mend_sim_agree_comms(v->conf) && k <= rank && !wrong; k++)
        wrong = check_comm(v, p, k);
    return wrong;
}

static bool has_returned(const struct mend_sim_agree_comm *a, const struct mend_sim_conf *c)
{
    for (int seq = 0; seq < a->calls; seq++)
        if (!*mend_sim_agree_print_of(a, c, (uint64_t)seq))
            return false;
    return a->gave_up || a->calls == c->instances;
}

static bool keeps_nothing(const struct mend_agree *m)
{
    for (unsigned i = 0; i < m->nslots; i++) {
        uint8_t state = mend_agree_slot(m, i)->state;

        if (state == MEND_AGREE_EARLY || state == MEND_AGREE_GATHER || state == MEND_AGREE_SENT)
            return false;
    }
    return !m->busy && !m->reply_kind;
}

/* A failure-free agreement is one message up and one down per edge.  A fault can make every process say
 * everything again in each agreement that is not history: what it knows to its parent, a question and a
 * decision to its children, and an answer to each of these.  What comes twice is answered twice. */
static const char *check_costs(const struct mend_sim_view *v)
{
    const struct mend_sim_conf *c = v->conf;
    uint64_t n = (uint64_t)c->ranks, depth = 1, open = 2 * (uint64_t)c->window;
    uint64_t all = (uint64_t)mend_sim_agree_rows(c) * (uint64_t)mend_sim_agree_comms(c);
    uint64_t faults = (uint64_t)v->faults, twice = c->duplicate ? 2 : 1;

    while (UINT64_C(1) << depth < n)
        depth++;
    if (open > all)
        open = all;
    if (v->messages > twice * (all * 2 * (n - 1) + faults * open * 6 * n))
        return "A8: too many messages";
    if (v->rounds > twice * (all * 2 * depth + faults * open * (4 * depth + 4)))
        return "A8: too many rounds";
    return NULL;
}

const char *mend_sim_check_agree_end(const struct mend_sim_view *v)
{
    const struct mend_sim_conf *c = v->conf;

    for (int r = 0; r < c->ranks; r++) {
        for (int k = 0; k < mend_sim_agree_comms(c) && k <= r; k++) {
            const struct mend_sim_agree_comm *a = mend_sim_agree_comm(mend_sim_proc(v, r), c, k);

            if (v->fate[r] != MEND_SIM_ALIVE)
                continue;
            if (!has_returned(a, c))
                return "A5: a living process waits for ever";
            if (!mend_sim_agree_vetoes(c) && !keeps_nothing(mend_sim_agree_machine(a, c)))
                return "A10: a machine keeps something that is not decided";
        }
    }
    return check_costs(v);
}

const char *mend_sim_check_detector(const struct mend_sim_view *v, int rank)
{
    const struct mend_sim_detector_proc *agent = mend_sim_proc(v, 0);

    mend_detector_check(&agent->m);
    if (agent->twice)
        return "D3: a process was declared twice";
    for (int r = 1; r < v->conf->ranks; r++) {
        const struct mend_sim_detector_proc *p = mend_sim_proc(v, r);

        if (!(agent->declared >> r & 1))
            continue;
        if (p->life == MEND_SIM_ENDED || p->life == MEND_SIM_LEAVES)
            return "D2: a process that had left properly was declared dead";
        if (p->life != MEND_SIM_CRASHED)
            return "D1: a process was declared dead before it was";
    }
    return NULL;
}

const char *mend_sim_check_detector_end(const struct mend_sim_view *v)
{
    const struct mend_sim_detector_proc *agent = mend_sim_proc(v, 0);

    for (int r = 1; r < v->conf->ranks; r++) {
        const struct mend_sim_detector_proc *p = mend_sim_proc(v, r);

        if (p->life == MEND_SIM_CRASHED && !(agent->declared >> r & 1))
            return "D4: a dead process was never declared";
        if (p->life == MEND_SIM_ENDED && !(agent->ended >> r & 1))
            return "D4: the end of a process was never noticed";
    }
    return NULL;
}
