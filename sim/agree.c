/* SPDX-License-Identifier: BSD-3-Clause */
/* agree.c – the play of agreement: every process calls a number of agreements.
 *
 * Options make variants of it that the library has on top of the same machine:
 *   --inter K     an intercommunicator: the K lowest ranks are one group, each has its own words
 *   --comms 2     a second communicator, of all but rank 0; a process may be in a call on both
 *   --creation    uniform creation (create/creation.c): a process that learns of a death, of a failed creation or of
 *                 a revocation gives up, and vetoes in advance `window` creations that others may
 *                 have begun, as fast as its own window allows
 *   --validation  the same for MPI_Comm_validate (create/validate.c): a death is not a reason to give up
 *   --free        the last agreement means that the communicator is freed (decide/linger.c): a process calls it
 *                 when it has returned from all others, and forgets everything when it is decided */
#include "ft/wire.h"
#include "play.h"

#include <string.h>

#define SETS_WORDS (MEND_FT_AGREE_SETS * (MEND_SIM_MSG_MAX + 7) / 8)

enum move { GIVE_UP = MEND_SIM_AGREE_GIVE_UP, CALL }; /* CALL + k: on communicator k */

static bool is_member(const struct mend_sim_agree_proc *p, int k)
{
    return p->rank >= k;
}

static size_t agree_bytes(const struct mend_sim_conf *c)
{
    return sizeof(struct mend_sim_agree_proc) + mend_bits_words(c->ranks) * sizeof(uint64_t) +
           mend_sim_agree_comm_bytes(c) * (size_t)mend_sim_agree_comms(c);
}

static void agree_init(void *proc, int rank, const struct mend_sim_conf *c)
{
    struct mend_sim_agree_proc *p = proc;

    memset(p, 0, agree_bytes(c));
    p->rank = rank;
    for (int k = 0; k < mend_sim_agree_comms(c); k++)
        if (is_member(p, k)) {
            mend_agree_init(mend_sim_agree_machine(mend_sim_agree_comm(p, c, k), c), c->ranks - k,
                            rank - k, c->radix_bits, c->window);
            if (c->papers)
                mend_agree_use_papers(mend_sim_agree_machine(mend_sim_agree_comm(p, c, k), c));
        }
}

static bool is_last(const struct mend_sim_conf *c, uint64_t seq)
{
    return c->frees && seq + 1 == (uint64_t)c->instances;
}

static unsigned agree_moves(const void *proc, const struct mend_sim_conf *c)
{
    const struct mend_sim_agree_proc *p = proc;
    unsigned moves = 0;

    for (int k = 0; k < mend_sim_agree_comms(c); k++) {
        const struct mend_sim_agree_comm *a = mend_sim_agree_comm(p, c, k);

        if (!is_member(p, k) || a->gave_up || a->calls == c->instances ||
            (is_last(c, (uint64_t)a->calls) && a->decided < a->calls) ||
            (!mend_sim_agree_heard(p, c, k) && c->broken != MEND_SIM_RUSH))
            continue;
        if (mend_agree_can_start(mend_sim_agree_machine(a, c)))
            moves |= 1u << (CALL + k);
        if (mend_sim_agree_vetoes(c))
            moves |= 1u << GIVE_UP;
    }
    return moves;
}

static const char *agree_move_name(int move)
{
    return move == GIVE_UP ? "hears of a revocation"
           : move == CALL  ? "calls agree"
                           : "calls agree too";
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

uint64_t mend_sim_agree_hash(const struct mend_agree_value *v, int32_t members)
{
    uint64_t h = 1;

    for (int w = 0; w < MEND_AGREE_WORDS; w++)
        h = mix(mix(h, v->and_word[w]), v->max_word[w]);
    for (size_t w = 0; v->nfailed && w < mend_bits_words(members); w++)
        h = mix(h, v->failed[w]);
    return h ? h : 1;
}

/* ---- steps ---- */

static void send_over(struct mend_sim_agree_proc *p, int k, struct mend_agree_msg *msg,
                      const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    size_t head = mend_sim_agree_comms(c) > 1;

    for (int nth = 0; mend_sim_mistake_send(p, k, msg, c, nth); nth++) {
        uint8_t bytes[MEND_SIM_MSG_MAX] = {(uint8_t)k};
        size_t len = mend_ft_agree_encode(msg, c->ranks - k, bytes + head, sizeof bytes - head);

        MEND_ASSERT(len);
        io->send(io, msg->peer + k, bytes, len + head);
    }
}

static struct mend_agree_msg decode(const void *bytes, size_t len, int from, int *k_p,
                                    uint64_t *sets, const struct mend_sim_conf *c)
{
    int head = mend_sim_agree_comms(c) > 1;
    struct mend_agree_msg msg;

    *k_p = head ? *(const uint8_t *)bytes : 0;
    MEND_ASSERT(mend_ft_agree_decode((const uint8_t *)bytes + head, len - (size_t)head,
                                     c->ranks - *k_p, from - *k_p, sets, &msg) == MEND_OK);
    return msg;
}

/* As give() in decide/tree.c: a process that gets a no gives up. */
static void give(struct mend_sim_agree_proc *p, int k, const struct mend_sim_conf *c)
{
    struct mend_sim_agree_comm *a = mend_sim_agree_comm(p, c, k);

    if (!a->refused || a->gave_up || !mend_sim_agree_heard(p, c, k))
        return;
    a->gave_up = true;
    a->noes_left = mend_sim_mistake_noes(c);
}

static void note_decision(struct mend_sim_agree_proc *p, int k, uint64_t seq,
                          const struct mend_sim_conf *c)
{
    struct mend_sim_agree_comm *a = mend_sim_agree_comm(p, c, k);
    uint64_t *print = mend_sim_agree_print_of(a, c, seq);
    const struct mend_agree *m = mend_sim_agree_machine(a, c);
    struct mend_agree_value v;

    MEND_ASSERT(mend_agree_result(m, seq, &v));
    MEND_ASSERT(*print == 0 && a->fresh_n < (int)MEND_COUNT_OF(a->fresh));
    *print = mend_sim_agree_hash(&v, m->tree.n);
    a->fresh[a->fresh_n++] = seq;
    a->decided++;
    a->refused |=
        mend_sim_agree_vetoes(c) && (v.max_word[MEND_SIM_WORD_NO] || (c->creation && v.nfailed));
    if (c->hears_first && v.nfailed && !is_last(c, seq))
        mend_bits_union(mend_sim_agree_buried(a, c), v.failed, mend_bits_words(m->tree.n));
    give(p, k, c);
}

/* What was decided stays for the checkers; of the machine only how far it was. */
static void forget_all(struct mend_sim_agree_comm *a, const struct mend_sim_conf *c)
{
    struct mend_agree *m = mend_sim_agree_machine(a, c);
    uint64_t next = m->next;

    memset(m, 0, mend_agree_size(c->ranks, c->window));
    m->next = next;
    a->gone = true;
}

static void say_no(struct mend_sim_agree_proc *p, int k, const struct mend_sim_conf *c,
                   struct mend_sim_io *io);

/* One step of the machine, with everything that comes out of it. */
static void step(struct mend_sim_agree_proc *p, int k, const struct mend_agree_event *ev,
                 const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_agree_comm *a = mend_sim_agree_comm(p, c, k);
    struct mend_agree *m = mend_sim_agree_machine(a, c);
    struct mend_agree_value v;
    struct mend_agree_out out;
    struct mend_agree_msg msg;

    mend_agree_step(m, ev, &out);
    for (int i = 0; i < out.decided_n; i++) {
        mend_sim_mistake_decided(p, k, out.decided_seq[i], c);
        if (c->papers && mend_agree_paper(m, out.decided_seq[i], &msg))
            io->write(io, k, out.decided_seq[i], &msg);
        note_decision(p, k, out.decided_seq[i], c);
    }
    while (mend_agree_next(m, &msg))
        send_over(p, k, &msg, c, io);
    for (int i = 0; i < out.asked_n; i++)
        if (!mend_agree_result(m, out.asked[i].seq, &v))
            io->ask(io, k, out.asked[i].seq, out.asked[i].decides ? out.asked[i].round : 0);
    mend_sim_mistake_stepped(p, k, c);
    say_no(p, k, c, io);
    if (c->frees && a->calls == c->instances &&
        (a->decided == c->instances || c->broken == MEND_SIM_RASH))
        forget_all(a, c);
}

/* As mend_linger_answer() in decide/linger.c. */
static void answer_gone(struct mend_sim_agree_proc *p, int k, const struct mend_agree_msg *msg,
                        const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_agree_msg reply;

    if (mend_sim_mistake_answers(c) &&
        mend_agree_tomb_reply((uint64_t)c->instances - 1, msg, &reply))
        send_over(p, k, &reply, c, io);
}

static void contribute(struct mend_sim_agree_proc *p, int k, bool no, const struct mend_sim_conf *c,
                       struct mend_sim_io *io)
{
    struct mend_sim_agree_comm *a = mend_sim_agree_comm(p, c, k);
    uint64_t seq = mend_sim_agree_machine(a, c)->next;
    uint64_t *gave = mend_sim_agree_print_of(a, c, seq) + 1;
    int bit = mend_sim_agree_bit(c, p->rank), n;
    struct mend_agree_value v;
    struct mend_agree_event ev = {.kind = MEND_AGREE_START, .value = &v, .last = is_last(c, seq)};

    for (int r = k; r < c->ranks; r++)
        if (mend_bits_test(mend_sim_agree_told(p), r))
            mend_bits_set(gave, r - k);
    n = mend_bits_count(gave, mend_bits_words(c->ranks));
    mend_agree_value_init(&v);
    v.and_word[bit / 64] &= ~(UINT64_C(1) << bit % 64);
    v.max_word[MEND_SIM_WORD_RANK] = (uint64_t)p->rank + 1;
    v.max_word[MEND_SIM_WORD_NUMBER] = seq + 1;
    v.max_word[MEND_SIM_WORD_NO] = no;
    v.max_word[MEND_SIM_WORD_ACKED] = (uint32_t)~n;
    v.failed = gave;
    v.nfailed = n;
    mend_sim_mistake_contribute(p, k, seq, &v, c);
    step(p, k, &ev, c, io);
}

/* As go_on_saying_no() in decide/tree.c. */
static void say_no(struct mend_sim_agree_proc *p, int k, const struct mend_sim_conf *c,
                   struct mend_sim_io *io)
{
    struct mend_sim_agree_comm *a = mend_sim_agree_comm(p, c, k);

    if (!a->noes_left || !mend_agree_can_start(mend_sim_agree_machine(a, c)))
        return;
    a->noes_left--;
    contribute(p, k, true, c, io); /* comes back here */
}

static void give_up(struct mend_sim_agree_proc *p, const struct mend_sim_conf *c,
                    struct mend_sim_io *io)
{
    struct mend_sim_agree_comm *a = mend_sim_agree_comm(p, c, 0);

    if (a->gave_up)
        return;
    a->gave_up = true;
    a->noes_left = mend_sim_mistake_noes(c);
    say_no(p, 0, c, io);
}

static void begin_step(struct mend_sim_agree_proc *p, const struct mend_sim_conf *c)
{
    for (int k = 0; k < mend_sim_agree_comms(c); k++)
        mend_sim_agree_comm(p, c, k)->fresh_n = 0;
}

static void agree_move(void *proc, int move, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_agree_proc *p = proc;

    begin_step(p, c);
    if (move == GIVE_UP) {
        give_up(p, c, io);
        return;
    }
    mend_sim_agree_comm(p, c, move - CALL)->calls++;
    contribute(p, move - CALL, false, c, io);
}

static void agree_recv(void *proc, int from, const void *bytes, size_t len,
                       const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    uint64_t sets[SETS_WORDS];
    struct mend_agree_msg msg;
    struct mend_agree_event ev = {.kind = MEND_AGREE_RECV, .msg = &msg};
    int k;

    begin_step(proc, c);
    msg = decode(bytes, len, from, &k, sets, c);
    if (mend_sim_agree_comm(proc, c, k)->gone)
        answer_gone(proc, k, &msg, c, io);
    else if (mend_sim_mistake_recv(proc, k, &msg, c))
        step(proc, k, &ev, c, io);
}

void mend_sim_agree_answered(void *proc, int k, uint64_t seq, uint32_t round,
                             const struct mend_agree_msg *paper, const struct mend_sim_conf *c,
                             struct mend_sim_io *io)
{
    struct mend_agree_event ev = {.kind = paper ? MEND_AGREE_PAPER : MEND_AGREE_NO_PAPER,
                                  .msg = paper,
                                  .seq = seq,
                                  .round = round};

    begin_step(proc, c);
    if (!mend_sim_agree_comm(proc, c, k)->gone)
        step(proc, k, &ev, c, io);
}

/* Of those, the members of communicator k, by their ranks there.  False: there are none. */
static bool members_of(const uint64_t *dead, int k, const struct mend_sim_conf *c, uint64_t *set)
{
    bool any = false;

    for (int r = mend_bits_next(dead, c->ranks, k); r >= 0;
         r = mend_bits_next(dead, c->ranks, r + 1)) {
        mend_bits_set(set, r - k);
        any = true;
    }
    return any;
}

static void agree_deaths(void *proc, const uint64_t *dead, const struct mend_sim_conf *c,
                         struct mend_sim_io *io)
{
    struct mend_sim_agree_proc *p = proc;

    mend_bits_union(mend_sim_agree_told(p), dead, mend_bits_words(c->ranks));
    for (int k = 0; k < mend_sim_agree_comms(c); k++) {
        uint64_t set[MEND_SIM_SET_WORDS] = {0};
        struct mend_agree_event ev = {.kind = MEND_AGREE_DEATH, .dead = set};

        if (members_of(dead, k, c, set) && is_member(p, k) && !mend_sim_agree_comm(p, c, k)->gone)
            step(p, k, &ev, c, io);
        if (is_member(p, k)) {
            give(p, k, c);
            say_no(p, k, c, io);
        }
    }
    if (c->creation)
        give_up(p, c, io);
}

static void agree_deaths_step(void *proc, const uint64_t *dead, const struct mend_sim_conf *c,
                              struct mend_sim_io *io)
{
    begin_step(proc, c);
    agree_deaths(proc, dead, c, io);
}

static void agree_death(void *proc, int dead, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    uint64_t set[MEND_SIM_SET_WORDS] = {0};

    mend_bits_set(set, dead);
    agree_deaths(proc, set, c, io);
}

/* ---- for explore.c ---- */

/* Are all dead to m that are so to the sender? */
static bool says_nothing_new(const struct mend_agree *m, const struct mend_agree_msg *msg)
{
    for (uint32_t w = 0; w < m->words && msg->ndead; w++)
        if (msg->dead[w] & ~mend_agree_dead(m)[w])
            return false;
    return true;
}

/* What is refused for ever: everything from the dead and about history, and a decision when there is one
 * of that ballot or a higher one already. */
static bool agree_ignores(const void *proc, int from, const void *bytes, size_t len,
                          const struct mend_sim_conf *c)
{
    uint64_t sets[SETS_WORDS];
    int k;
    struct mend_agree_msg msg = decode(bytes, len, from, &k, sets, c);
    const struct mend_sim_agree_comm *a = mend_sim_agree_comm(proc, c, k);
    const struct mend_agree *m = mend_sim_agree_machine(a, c);
    const struct mend_agree_slot *s;

    if (a->gone)
        return msg.kind != MEND_AGREE_UP && msg.kind != MEND_AGREE_REQUEST;
    if (c->broken)
        return false;
    s = mend_agree_slot(m, (unsigned)(msg.seq % m->nslots));
    if (mend_bits_test(mend_agree_dead(m), msg.peer) || msg.seq + m->window < m->decided_end)
        return true;
    return msg.kind == MEND_AGREE_DOWN && s->seq == msg.seq && s->state >= MEND_AGREE_DECIDED &&
           s->accepted >= msg.ballot && says_nothing_new(m, &msg);
}

static bool agree_knows(const void *proc, int dead, const struct mend_sim_conf *c)
{
    const struct mend_sim_agree_proc *p = proc;

    for (int k = 0; k < mend_sim_agree_comms(c) && k <= dead; k++)
        if (is_member(p, k) && !mend_sim_agree_comm(p, c, k)->gone &&
            !mend_bits_test(
                mend_agree_dead(mend_sim_agree_machine(mend_sim_agree_comm(p, c, k), c)), dead - k))
            return false;
    return !c->creation || mend_sim_agree_comm(p, c, 0)->gave_up;
}

static void agree_settle(void *proc, const struct mend_sim_conf *c)
{
    for (int k = 0; k < mend_sim_agree_comms(c); k++) {
        struct mend_sim_agree_comm *a = mend_sim_agree_comm(proc, c, k);

        a->fresh_n = 0;
        memset(a->fresh, 0, sizeof a->fresh);
    }
}

/* What a dead process had contributed to is all that anybody still asks. */
static void agree_bury(void *proc, const struct mend_sim_conf *c)
{
    for (int k = 0; k < mend_sim_agree_comms(c); k++) {
        struct mend_sim_agree_comm *a = mend_sim_agree_comm(proc, c, k);
        uint64_t next = mend_sim_agree_machine(a, c)->next;

        memset(a, 0, mend_sim_agree_comm_bytes(c));
        mend_sim_agree_machine(a, c)->next = next;
    }
    memset(mend_sim_agree_told(proc), 0, mend_bits_words(c->ranks) * sizeof(uint64_t));
}

static int agree_print(const void *proc, const struct mend_sim_conf *c, char *buf, size_t size)
{
    return mend_agree_print(mend_sim_agree_machine(mend_sim_agree_comm(proc, c, 0), c), buf, size);
}

static int agree_print_msg(const void *bytes, size_t len, const struct mend_sim_conf *c, char *buf,
                           size_t size)
{
    uint64_t sets[SETS_WORDS];
    int k;
    struct mend_agree_msg msg = decode(bytes, len, mend_sim_agree_comms(c) - 1, &k, sets, c);

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
    .deaths = agree_deaths_step,
    .ignores = agree_ignores,
    .knows = agree_knows,
    .settle = agree_settle,
    .bury = agree_bury,
    .check = mend_sim_check_agree,
    .check_end = mend_sim_check_agree_end,
    .print = agree_print,
    .print_msg = agree_print_msg,
};
