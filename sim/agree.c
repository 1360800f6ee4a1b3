/* SPDX-License-Identifier: BSD-3-Clause */
/* agree.c – the play of agreement: every process calls a number of agreements. */
#include "ft/wire.h"
#include "play.h"

#include <string.h>

static size_t agree_bytes(const struct mend_sim_conf *c)
{
    size_t rows = mend_sim_agree_row(c) * (size_t)c->instances + mend_bits_words(c->ranks);

    return sizeof(struct mend_sim_agree_proc) + rows * sizeof(uint64_t) +
           mend_agree_size(c->ranks, c->window);
}

static void agree_init(void *proc, int rank, const struct mend_sim_conf *c)
{
    struct mend_sim_agree_proc *p = proc;

    memset(p, 0, agree_bytes(c));
    p->rank = rank;
    p->n = c->ranks;
    mend_agree_init(mend_sim_agree_machine(p, c), c->ranks, rank, c->radix_bits, c->window);
}

static unsigned agree_moves(const void *proc, const struct mend_sim_conf *c)
{
    const struct mend_sim_agree_proc *p = proc;

    return p->started < c->instances && mend_agree_can_start(mend_sim_agree_machine(p, c));
}

static const char *agree_move_name(int move)
{
    return "calls agree";
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static uint64_t hash_value(const struct mend_agree_value *v, size_t words)
{
    uint64_t h = 1;

    for (int w = 0; w < MEND_AGREE_WORDS; w++)
        h = mix(mix(h, v->and_word[w]), v->max_word[w]);
    for (size_t w = 0; v->nfailed && w < words; w++)
        h = mix(h, v->failed[w]);
    return h ? h : 1;
}

/* A process without promise: takes whatever calls itself a decision. */
static void break_promise(const struct mend_agree *m, struct mend_agree_msg *msg)
{
    if (msg->kind != MEND_AGREE_DOWN || msg->ballot >= m->root || m->root >= m->tree.me)
        return;
    msg->peer = m->parent;
    msg->ballot = m->root;
}

/* A process that has returned and does not remember what. */
static void break_memory(const struct mend_sim_agree_proc *p, struct mend_agree_msg *msg)
{
    if (msg->kind != MEND_AGREE_UP || msg->accepted < 0)
        return;
    msg->accepted = -1;
    mend_agree_value_init(&msg->value);
    msg->value.and_word[p->rank / 64 % MEND_AGREE_WORDS] &= ~(UINT64_C(1) << p->rank % 64);
}

/* One step of the machine, with everything that comes out of it. */
static void step(struct mend_sim_agree_proc *p, const struct mend_agree_event *ev,
                 const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_agree *m = mend_sim_agree_machine(p, c);
    struct mend_agree_out out;
    struct mend_agree_msg msg;
    struct mend_agree_value v;
    uint8_t bytes[MEND_SIM_MSG_MAX];

    mend_agree_step(m, ev, &out);
    p->fresh_n = out.decided_n;
    for (int i = 0; i < out.decided_n; i++) {
        p->fresh[i] = out.decided_seq[i];
        MEND_ASSERT(mend_agree_result(m, out.decided_seq[i], &v));
        MEND_ASSERT(*mend_sim_agree_print_of(p, c, out.decided_seq[i]) == 0);
        *mend_sim_agree_print_of(p, c, out.decided_seq[i]) =
            hash_value(&v, mend_bits_words(c->ranks));
        p->decided++;
    }
    while (mend_agree_next(m, &msg)) {
        size_t len;

        if (c->broken == MEND_SIM_FORGET)
            break_memory(p, &msg);
        len = mend_ft_agree_encode(&msg, c->ranks, bytes, sizeof bytes);
        MEND_ASSERT(len);
        io->send(io, msg.peer, bytes, len);
    }
}

static void agree_move(void *proc, int move, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_agree_proc *p = proc;
    uint64_t *gave = mend_sim_agree_print_of(p, c, (uint64_t)p->started) + 1;
    size_t words = mend_bits_words(c->ranks);
    struct mend_agree_value v;
    struct mend_agree_event ev = {.kind = MEND_AGREE_START, .value = &v};

    mend_agree_value_init(&v);
    v.and_word[p->rank / 64 % MEND_AGREE_WORDS] &= ~(UINT64_C(1) << p->rank % 64);
    v.max_word[0] = (uint64_t)p->rank + 1;
    memcpy(gave, mend_sim_agree_told(p, c), words * sizeof *gave);
    v.failed = gave;
    v.nfailed = mend_bits_count(gave, words);
    p->started++;
    step(p, &ev, c, io);
}

static void agree_recv(void *proc, int from, const void *bytes, size_t len,
                       const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_agree_proc *p = proc;
    uint64_t failed[(MEND_SIM_MSG_MAX + 7) / 8];
    struct mend_agree_msg msg;
    struct mend_agree_event ev = {.kind = MEND_AGREE_RECV, .msg = &msg};

    MEND_ASSERT(mend_ft_agree_decode(bytes, len, c->ranks, from, failed, &msg) == MEND_OK);
    if (c->broken == MEND_SIM_NO_PROMISE)
        break_promise(mend_sim_agree_machine(p, c), &msg);
    step(p, &ev, c, io);
}

static void agree_death(void *proc, int dead, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_agree_proc *p = proc;
    struct mend_agree_event ev = {.kind = MEND_AGREE_DEATH, .rank = dead};

    mend_bits_set(mend_sim_agree_told(p, c), dead);
    step(p, &ev, c, io);
}

/* Are all ranks dead to m that a decision from `peer` at that ballot proves to be dead? */
static bool proves_nothing(const struct mend_agree *m, int32_t peer, int32_t ballot)
{
    if (ballot > m->root)
        return false;
    for (int32_t r = m->tree.me; r > 0;) {
        r = mend_tree_parent(&m->tree, r);
        if (r == peer)
            break;
        if (!mend_bits_test(mend_agree_dead(m), r))
            return false;
    }
    return true;
}

/* What is refused for ever: everything from the dead and about history, and a decision when there is one
 * of that ballot or a higher one already. */
static bool agree_ignores(const void *proc, int from, const void *bytes, size_t len,
                          const struct mend_sim_conf *c)
{
    const struct mend_agree *m = mend_sim_agree_machine(proc, c);
    uint64_t failed[(MEND_SIM_MSG_MAX + 7) / 8];
    const struct mend_agree_slot *s;
    struct mend_agree_msg msg;

    if (c->broken)
        return false;
    if (m->excluded || mend_bits_test(mend_agree_dead(m), from))
        return true;
    MEND_ASSERT(mend_ft_agree_decode(bytes, len, c->ranks, from, failed, &msg) == MEND_OK);
    if (msg.seq + m->window < m->decided_end)
        return true;
    s = mend_agree_slot(m, (unsigned)(msg.seq % m->nslots));
    return msg.kind == MEND_AGREE_DOWN && s->seq == msg.seq && s->state >= MEND_AGREE_DECIDED &&
           s->accepted >= msg.ballot && proves_nothing(m, from, msg.ballot);
}

static bool agree_knows(const void *proc, int dead, const struct mend_sim_conf *c)
{
    return mend_bits_test(mend_agree_dead(mend_sim_agree_machine(proc, c)), dead);
}

static void agree_settle(void *proc, const struct mend_sim_conf *c)
{
    struct mend_sim_agree_proc *p = proc;

    p->fresh_n = 0;
    memset(p->fresh, 0, sizeof p->fresh);
}

static int agree_print(const void *proc, const struct mend_sim_conf *c, char *buf, size_t size)
{
    return mend_agree_print(mend_sim_agree_machine(proc, c), buf, size);
}

static int agree_print_msg(const void *bytes, size_t len, const struct mend_sim_conf *c, char *buf,
                           size_t size)
{
    uint64_t failed[(MEND_SIM_MSG_MAX + 7) / 8];
    struct mend_agree_msg msg;

    MEND_ASSERT(mend_ft_agree_decode(bytes, len, c->ranks, 0, failed, &msg) == MEND_OK);
    return mend_agree_msg_print(&msg, buf, size);
}

const struct mend_sim_play mend_sim_agree = {
    .name = "agree",
    .about = "early-returning agreement",
    .instances = "agreements that every process calls",
    .bytes = agree_bytes,
    .init = agree_init,
    .moves = agree_moves,
    .move_name = agree_move_name,
    .move = agree_move,
    .recv = agree_recv,
    .death = agree_death,
    .ignores = agree_ignores,
    .knows = agree_knows,
    .settle = agree_settle,
    .check = mend_sim_check_agree,
    .check_end = mend_sim_check_agree_end,
    .print = agree_print,
    .print_msg = agree_print_msg,
};
