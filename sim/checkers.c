/* SPDX-License-Identifier: BSD-3-Clause */
/* checkers.c – what must hold, looked at from above: all processes at once, after every step.
 *
 * Agreement    A1  two living processes never return different values from one agreement (S0-90)
 *              A2  a decision contains every member's contribution or lists the member as failed
 *              A3  only dead (or doomed) members are listed as failed
 *              A4  every failure that a living participant had been told of when it contributed is
 *                  listed (S0-76)
 *              A5  when nothing can happen any more, every living process has returned from
 *                  everything (S0-89)
 *              Bounded state is by construction: machines do not allocate.  That a decision lives as
 *              long as one process that returned it is A1, in every continuation.
 * Revocation   V1  at the end all living members are revoked, or none (S0-59)
 *              V2  nobody is revoked before somebody called it
 * Notices      N1  at the end all living agents know the same verdicts
 *              N2  every loss of an agent is known to all
 *              N3  no verdict without somebody who gave it
 * Detection    D1  a verdict only about a process that is dead (kill before report)
 *              D2  no verdict about a process that ended after it had said so (R23)
 *              D3  at most one verdict per process
 *              D4  at the end every dead process has a verdict and every ended one is noticed */
#include "play.h"

static const char *check_agree_value(const struct mend_sim_view *v,
                                     const struct mend_sim_agree_proc *p,
                                     const struct mend_agree_value *value)
{
    for (int r = 0; r < v->conf->ranks; r++) {
        bool in = !(value->and_word[r / 64 % MEND_AGREE_WORDS] >> r % 64 & 1);
        bool out = value->nfailed && mend_bits_test(value->failed, r);

        if (!in && !out)
            return "A2: a member is neither in the decision nor in its failed set";
        if (out && v->fate[r] == MEND_SIM_ALIVE)
            return "A3: a living member is in the failed set";
    }
    return NULL;
}

static const char *check_agree_told(const struct mend_sim_view *v,
                                    const struct mend_sim_agree_proc *p, uint64_t seq,
                                    const struct mend_agree_value *value)
{
    const uint64_t *gave = mend_sim_agree_print_of(p, v->conf, seq) + 1;

    for (size_t w = 0; w < mend_bits_words(v->conf->ranks); w++)
        if (gave[w] && (!value->nfailed || (gave[w] & ~value->failed[w])))
            return "A4: a failure that was contributed is missing";
    return NULL;
}

static const char *check_agree_same(const struct mend_sim_view *v,
                                    const struct mend_sim_agree_proc *p, uint64_t seq)
{
    uint64_t mine = *mend_sim_agree_print_of(p, v->conf, seq);

    for (int r = 0; r < v->conf->ranks; r++) {
        const struct mend_sim_agree_proc *q = mend_sim_proc(v, r);
        uint64_t theirs;

        if (v->fate[r] != MEND_SIM_ALIVE)
            continue;
        theirs = *mend_sim_agree_print_of(q, v->conf, seq);
        if (theirs && theirs != mine)
            return "A1: two living processes returned different values";
    }
    return NULL;
}

const char *mend_sim_check_agree(const struct mend_sim_view *v, int rank)
{
    const struct mend_sim_agree_proc *p = mend_sim_proc(v, rank);
    const struct mend_agree *m = mend_sim_agree_machine(p, v->conf);
    const char *wrong = NULL;

    if (v->conf->ranks <= 64)
        mend_agree_check(m);
    if (v->fate[rank] != MEND_SIM_ALIVE)
        return NULL;
    for (int i = 0; i < p->fresh_n && !wrong; i++) {
        struct mend_agree_value value;

        MEND_ASSERT(mend_agree_result(m, p->fresh[i], &value));
        wrong = check_agree_same(v, p, p->fresh[i]);
        if (!wrong)
            wrong = check_agree_value(v, p, &value);
        if (!wrong)
            wrong = check_agree_told(v, p, p->fresh[i], &value);
    }
    return wrong;
}

const char *mend_sim_check_agree_end(const struct mend_sim_view *v)
{
    for (int r = 0; r < v->conf->ranks; r++) {
        const struct mend_sim_agree_proc *p = mend_sim_proc(v, r);

        if (v->fate[r] == MEND_SIM_ALIVE && p->decided != v->conf->instances)
            return "A5: a living process waits for ever";
    }
    return NULL;
}

const char *mend_sim_check_revoke(const struct mend_sim_view *v, int rank)
{
    const struct mend_sim_revoke_proc *p = mend_sim_proc(v, rank);

    if (v->conf->ranks <= 64)
        mend_revoke_check(&p->m);
    if (mend_revoke_is_revoked(&p->m) && !p->called && p->m.from < 0)
        return "V2: revoked by nobody";
    return NULL;
}

const char *mend_sim_check_revoke_end(const struct mend_sim_view *v)
{
    int revoked = 0, alive = 0;

    for (int r = 0; r < v->conf->ranks; r++) {
        const struct mend_sim_revoke_proc *p = mend_sim_proc(v, r);

        if (v->fate[r] != MEND_SIM_ALIVE)
            continue;
        alive++;
        revoked += mend_revoke_is_revoked(&p->m);
    }
    return revoked == 0 || revoked == alive ? NULL
                                            : "V1: a living member never heard of the revocation";
}

const char *mend_sim_check_notice(const struct mend_sim_view *v, int rank)
{
    const struct mend_sim_notice_proc *p = mend_sim_proc(v, rank);
    struct mend_verdict verdict;

    if (v->conf->ranks > 64)
        return NULL;
    mend_notice_check(&p->m);
    for (int r = 0; r < v->conf->ranks; r++) {
        const struct mend_sim_notice_proc *q = mend_sim_proc(v, r);

        if (r < v->conf->instances && mend_notice_known(&p->m, r, &verdict) &&
            v->fate[r] != MEND_SIM_DEAD && !q->called)
            return "N3: a verdict that nobody gave";
        if (mend_notice_known(&p->m, v->conf->instances + r, &verdict) &&
            v->fate[r] == MEND_SIM_ALIVE)
            return "N3: a living agent is taken for lost";
    }
    return NULL;
}

const char *mend_sim_check_notice_end(const struct mend_sim_view *v)
{
    for (int number = 0; number < v->conf->instances + v->conf->ranks; number++) {
        int knows = 0, alive = 0;

        for (int r = 0; r < v->conf->ranks; r++) {
            const struct mend_sim_notice_proc *p = mend_sim_proc(v, r);
            struct mend_verdict verdict;

            if (v->fate[r] != MEND_SIM_ALIVE)
                continue;
            alive++;
            knows += mend_notice_known(&p->m, number, &verdict);
        }
        if (knows && knows != alive)
            return "N1: a living agent never heard of a verdict";
        if (alive && !knows && number >= v->conf->instances &&
            v->fate[number - v->conf->instances] != MEND_SIM_ALIVE)
            return "N2: the loss of an agent is unknown";
    }
    return NULL;
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
