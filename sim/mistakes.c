/* SPDX-License-Identifier: BSD-3-Clause */
/* mistakes.c – machines of agreement with a known mistake, each to be caught by one checker.
 *
 * The code of the machine is unchanged: the mistakes are in its inputs, its messages and
 * its memory. */
#include "play.h"

#include <string.h>

/* A process without promise: takes whatever calls itself a decision. */
static void no_promise(const struct mend_agree *m, struct mend_agree_msg *msg)
{
    if (msg->kind != MEND_AGREE_DOWN || msg->ballot >= m->root || m->root >= m->tree.me)
        return;
    msg->peer = m->parent;
    msg->ballot = m->root;
    msg->ndead = m->ndead;
    msg->dead = mend_agree_dead(m);
}

/* A process that has returned and does not remember what. */
static void forget(const struct mend_sim_agree_proc *p, struct mend_agree_msg *msg,
                   const struct mend_sim_conf *c)
{
    int bit = mend_sim_agree_bit(c, p->rank);

    if (msg->kind != MEND_AGREE_UP || msg->accepted < 0)
        return;
    msg->accepted = -1;
    mend_agree_value_init(&msg->value);
    msg->value.and_word[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

/* A leaf of the tree that keeps to itself what it was told about the dead. */
static void hush(const struct mend_agree *m, struct mend_agree_msg *msg)
{
    if (msg->kind != MEND_AGREE_UP || msg->accepted >= 0 || m->nchildren || m->root ||
        msg->peer != mend_tree_parent(&m->tree, m->tree.me)) /* else its way tells of the dead */
        return;
    msg->value.nfailed = 0;
    msg->value.failed = NULL;
    msg->ndead = 0;
}

/* A process that thinks again about the first agreement after it has returned from it. */
static void change(struct mend_sim_agree_comm *a, const struct mend_sim_conf *c)
{
    struct mend_agree_slot *s = mend_agree_slot(mend_sim_agree_machine(a, c), 0);

    if (a->decided && !a->fresh_n && s->seq == 0 && s->state == MEND_AGREE_DECIDED)
        s->max_word[MEND_SIM_WORD_RANK]++;
}

void mend_sim_mistake_contribute(const struct mend_sim_agree_proc *p, int k, uint64_t seq,
                                 struct mend_agree_value *v, const struct mend_sim_conf *c)
{
    int other = k + (p->rank - k + 1) % (c->ranks - k), bit = mend_sim_agree_bit(c, other);

    if (c->broken == MEND_SIM_OMIT)
        v->and_word[0] = v->and_word[1] = v->and_word[2] = v->and_word[3] = UINT64_MAX;
    if (c->broken == MEND_SIM_ACCUSE) {
        mend_bits_set((uint64_t *)(uintptr_t)v->failed, other - k);
        v->nfailed = mend_bits_count(v->failed, mend_bits_words(c->ranks));
    }
    if (c->broken == MEND_SIM_INVENT)
        v->and_word[bit / 64] &= ~(UINT64_C(1) << bit % 64);
    if (c->broken == MEND_SIM_MIX && seq == 0)
        v->max_word[MEND_SIM_WORD_NUMBER]++;
    if (c->broken == MEND_SIM_BOAST)
        v->max_word[MEND_SIM_WORD_ACKED] = (uint32_t)~1;
    if (c->broken == MEND_SIM_LIE)
        v->max_word[MEND_SIM_WORD_NO] = 0;
}

/* Of the dead to the sender only those that the way of the message proves: all below its ballot, and those between its ends. */
static void curt(const struct mend_agree *m, struct mend_agree_msg *msg)
{
    uint64_t dead[MEND_SIM_SET_WORDS] = {0};
    int32_t me = m->tree.me, low = msg->peer < me ? msg->peer : me,
            high = msg->peer < me ? me : msg->peer;

    for (int32_t r = 0; r < msg->ballot; r++)
        mend_bits_set(dead, r);
    for (int32_t r = mend_tree_parent(&m->tree, high); r > low; r = mend_tree_parent(&m->tree, r))
        mend_bits_set(dead, r);
    memcpy((uint64_t *)(uintptr_t)msg->dead, dead, m->words * sizeof *dead);
    msg->ndead = mend_bits_count(dead, m->words);
}

bool mend_sim_mistake_recv(const struct mend_sim_agree_proc *p, int k, struct mend_agree_msg *msg,
                           const struct mend_sim_conf *c)
{
    if (c->broken == MEND_SIM_NO_PROMISE)
        no_promise(mend_sim_agree_machine(mend_sim_agree_comm(p, c, k), c), msg);
    if (c->broken == MEND_SIM_CURT && msg->ndead)
        curt(mend_sim_agree_machine(mend_sim_agree_comm(p, c, k), c), msg);
    return c->broken != MEND_SIM_DEAF || msg->kind != MEND_AGREE_REQUEST;
}

void mend_sim_mistake_stepped(struct mend_sim_agree_proc *p, int k, const struct mend_sim_conf *c)
{
    struct mend_sim_agree_comm *a = mend_sim_agree_comm(p, c, k);

    if (c->broken == MEND_SIM_CHANGE)
        change(a, c);
}

/* All that it was told are dead become a part of the decision, here and in what it passes on. */
void mend_sim_mistake_decided(const struct mend_sim_agree_proc *p, int k, uint64_t seq,
                              const struct mend_sim_conf *c)
{
    struct mend_agree *m = mend_sim_agree_machine(mend_sim_agree_comm(p, c, k), c);
    unsigned i = (unsigned)(seq % m->nslots);

    if (c->broken != MEND_SIM_EXTEND)
        return;
    for (int r = k; r < c->ranks; r++)
        if (mend_bits_test(mend_sim_agree_told(p), r))
            mend_bits_set(mend_agree_failed(m, i), r - k);
    mend_agree_slot(m, i)->nfailed = mend_bits_count(mend_agree_failed(m, i), m->words);
}

bool mend_sim_mistake_answers(const struct mend_sim_conf *c)
{
    return c->broken != MEND_SIM_SILENT;
}

int mend_sim_mistake_noes(const struct mend_sim_conf *c)
{
    return c->broken == MEND_SIM_SHY ? 0 : c->window;
}

bool mend_sim_mistake_send(const struct mend_sim_agree_proc *p, int k, struct mend_agree_msg *msg,
                           const struct mend_sim_conf *c, int nth)
{
    if (c->broken == MEND_SIM_FORGET && nth == 0)
        forget(p, msg, c);
    if (c->broken == MEND_SIM_HUSH && nth == 0)
        hush(mend_sim_agree_machine(mend_sim_agree_comm(p, c, k), c), msg);
    if (c->broken == MEND_SIM_BABBLE)
        return nth < 20;
    if (c->broken != MEND_SIM_PHANTOM || nth != 1 || msg->kind != MEND_AGREE_UP)
        return nth == 0;
    return ++msg->seq == (uint64_t)c->instances;
}
