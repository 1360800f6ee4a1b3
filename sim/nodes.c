/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.c – the play of several nodes: agents with one log of facts, and processes that know deaths and revocations from it
 * only.
 *
 *   process ── its end, or words ──> its agent ── proposal ──> root ── entry k ──> each agent ──> memory of its node
 *   process ── interrupt, look ──> entries of that memory, in order ──> the machine of agreement (agree.c)
 *
 * The log is the library's (ft/log_sm.h, with its bytes), and the processes are those of the play of agreement, with all its
 * variants.  What is between them in launch/agent/facts.c is entangled with epoll and the detector, and is done here as there:
 *
 *   - a revocation is proposed before all else that is due, and what a dead process has said to its agent before its death;
 *   - the victims of an abort on one node are killed by their agent and reported as one set; those on several nodes are an entry
 *     ABORT, upon which each agent does so with its own;
 *   - when an agent is dead the kernel ends its processes, and then the root proposes its loss;
 *   - a process gets a decision when it has heard of all dead in it, and calls the next time then (decide/tree.c);
 *   - an agent writes an entry into the memory of its node, and then calls each of its processes, which look when they come to it;
 *   - with --papers decisions are written down, and agents are asked for them (papers.c); so a process may hear nothing any more
 *     when all is decided for it.
 *
 * Memory and interrupts are messages here, one for each entry and process, in order: a process may look late, and each process
 * of a node at another time.  That it may see two entries at one look is the same as two looks without anything in between.
 * A process sees each revocation behind the deaths that the log has before it; in the library it may see it earlier.
 * A process that revokes or aborts tells its agent, in a message that stays when it dies.  No process leaves MPI. */
#include "nodes.h"

#include "ft/log_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum move { CALL = MEND_SIM_AGREE_GIVE_UP + 1, CALL_TOO, REVOKE, ABORT, GO_OUT };

/* First byte of the other messages. */
enum kind {
    FRAME = MEND_SIM_NODES_FRAME,
    FACTS = MEND_SIM_NODES_FACTS,
    SAYS_REVOKED = MEND_SIM_NODES_OTHER,
    SAYS_ABORT,
    DEATHS, /* what an agent writes: number, runs */
    DEATHS_IN_PART,
    REVOKED
};

#define CONTEXT    1u
#define RUN_BYTES  4 /* first member, and how many */
#define HEAD_BYTES 5

/* ---- memory ---- */

static struct mend_sim_agree_proc *inner_of(const struct mend_sim_nodes_rank *p,
                                            const struct mend_sim_conf *c)
{
    return mend_sim_nodes_inner_proc(p, c);
}

static int nodes_named(const struct mend_sim_conf *c)
{
    int n = 0;

    for (int k = 0; k < c->nodes; k++)
        n += mend_sim_first_member(c, k + 1) > mend_sim_first_member(c, k);
    return n;
}

/* All agents are there and the log names all members, when the play begins. */
static struct mend_log_config log_config(int me, const struct mend_sim_conf *c)
{
    uint32_t all = mend_fact_words((uint32_t)mend_sim_members(c)), one = mend_fact_words(1);

    return (struct mend_log_config){.me = me,
                                    .root = 0,
                                    .agents_n = c->nodes,
                                    .names_n = mend_sim_members(c),
                                    .children_max = (uint32_t)c->nodes,
                                    .entries_words = all + 4 * one,
                                    .proposals_words = all + 2 * one,
                                    .batch_words = 6 * one,
                                    .entries_per_ack = c->ranks > 8 ? 1 : 8,
                                    .have = me ? (uint64_t)nodes_named(c) : 0};
}

static size_t nodes_bytes(const struct mend_sim_conf *c)
{
    struct mend_log_config config = log_config(0, c);
    struct mend_sim_conf inner = mend_sim_nodes_inner(c);
    struct mend_sim_nodes_agent root = {.rank = 0};
    size_t agent =
        (size_t)((char *)mend_sim_nodes_log(&root, c) - (char *)&root) + mend_log_size(&config);
    size_t rank = sizeof(struct mend_sim_nodes_rank) + mend_sim_papers_bytes(c) +
                  mend_sim_agree.bytes(&inner);

    return agent > rank ? agent : rank;
}

static bool is_agent(int rank, const struct mend_sim_conf *c)
{
    return rank < c->nodes;
}

/* ---- a process ---- */

/* The way out for the play of agreement. */
struct inner_io {
    struct mend_sim_io io;
    struct mend_sim_io *outer;
    struct mend_sim_nodes_rank *p;
    const struct mend_sim_conf *c;
};

static void send_inner(struct mend_sim_io *io, int to, const void *bytes, size_t len)
{
    struct inner_io *x = (struct inner_io *)io;
    uint8_t frame[1 + MEND_SIM_MSG_MAX] = {FRAME};

    memcpy(frame + 1, bytes, len);
    x->outer->send(x->outer, to + x->c->nodes, frame, len + 1);
}

static void write_inner(struct mend_sim_io *io, int k, uint64_t seq,
                        const struct mend_agree_msg *paper)
{
    struct inner_io *x = (struct inner_io *)io;

    mend_sim_papers_write(x->p, k, seq, paper, x->c, x->outer);
}

static void ask_inner(struct mend_sim_io *io, int k, uint64_t seq, uint32_t round)
{
    struct inner_io *x = (struct inner_io *)io;

    mend_sim_papers_ask(x->p, k, seq, round, x->c, x->outer);
}

static struct inner_io inner_io(struct mend_sim_nodes_rank *p, const struct mend_sim_conf *c,
                                struct mend_sim_io *io)
{
    return (struct inner_io){
        {.send = send_inner, .write = write_inner, .ask = ask_inner, .now = io->now}, io, p, c};
}

/* So many members, which ones the seed decides. */
static bool is_among(const struct mend_sim_conf *c, int member, uint64_t lot, int n)
{
    return ((uint64_t)member + lot) % (uint64_t)mend_sim_members(c) < (uint64_t)n;
}

void mend_sim_nodes_victims(int member, const struct mend_sim_conf *c, uint64_t *set)
{
    int n = mend_sim_members(c), victims = 2 + (int)(c->seed / 16 % 3);
    int stride = c->seed & 8 || n < 2 * victims ? 1 : n / victims;

    for (int i = 0; i < victims && i < n; i++)
        mend_bits_set(set, (member + i * stride) % n);
}

/* All is decided for it. */
static bool is_through(const struct mend_sim_nodes_rank *p, const struct mend_sim_conf *c)
{
    struct mend_sim_conf inner = mend_sim_nodes_inner(c);
    const struct mend_sim_agree_proc *q = inner_of(p, c);

    for (int k = 0; k < mend_sim_agree_comms(&inner) && k <= q->rank; k++)
        if (mend_sim_agree_comm(q, &inner, k)->decided < inner.instances ||
            !mend_sim_agree_heard(q, &inner, k))
            return false;
    return true;
}

static unsigned rank_moves(const struct mend_sim_nodes_rank *p, const struct mend_sim_conf *c)
{
    struct mend_sim_conf inner = mend_sim_nodes_inner(c);
    unsigned moves;

    if (p->aborting || p->outside)
        return 0;
    moves = mend_sim_agree.moves(inner_of(p, c), &inner) & ~(1u << MEND_SIM_AGREE_GIVE_UP);
    if (!p->revoked && is_among(c, p->rank - c->nodes, c->seed / 7 + 1, c->revocations))
        moves |= 1u << REVOKE;
    if (is_among(c, p->rank - c->nodes, c->seed, c->aborts))
        moves |= 1u << ABORT;
    if (!moves && is_among(c, p->rank - c->nodes, c->seed / 11 + 2, c->outside) && is_through(p, c))
        moves |= 1u << GO_OUT;
    return moves;
}

static void say(const struct mend_sim_nodes_rank *p, enum kind word, const struct mend_sim_conf *c,
                struct mend_sim_io *io)
{
    uint8_t bytes[1] = {(uint8_t)word};

    io->send(io, mend_sim_node_of(c, p->rank), bytes, sizeof bytes);
}

/* As carry_out() in decide/revoke.c: nothing is created on it any more. */
static void carry_out(struct mend_sim_nodes_rank *p, const struct mend_sim_conf *c,
                      struct mend_sim_io *io)
{
    struct mend_sim_conf inner = mend_sim_nodes_inner(c);
    struct inner_io x = inner_io(p, c, io);

    if (p->revoked || p->aborting)
        return;
    p->revoked = true;
    if (mend_sim_agree_vetoes(c))
        mend_sim_agree.move(inner_of(p, c), MEND_SIM_AGREE_GIVE_UP, &inner, &x.io);
}

static void rank_move(struct mend_sim_nodes_rank *p, int move, const struct mend_sim_conf *c,
                      struct mend_sim_io *io)
{
    struct mend_sim_conf inner = mend_sim_nodes_inner(c);
    struct inner_io x = inner_io(p, c, io);

    if (move == REVOKE) {
        say(p, SAYS_REVOKED, c, io);
        carry_out(p, c, io);
    } else if (move == GO_OUT) {
        p->outside = true;
    } else if (move == ABORT) {
        p->aborting = true;
        say(p, SAYS_ABORT, c, io);
    } else {
        mend_sim_agree.move(inner_of(p, c), move, &inner, &x.io);
    }
}

static uint64_t mix(uint64_t h, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
    return (h ^ h >> 29) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint32_t number_of(const uint8_t *bytes)
{
    uint32_t number;

    memcpy(&number, bytes + 1, sizeof number);
    return number;
}

static void set_of(const uint8_t *bytes, size_t len, uint64_t *set)
{
    for (const uint8_t *run = bytes + HEAD_BYTES; run < bytes + len; run += RUN_BYTES) {
        uint16_t first, n;

        memcpy(&first, run, sizeof first);
        memcpy(&n, run + 2, sizeof n);
        for (int i = 0; i < n; i++)
            mend_bits_set(set, first + i);
    }
}

/* It looks into the memory of its node: one entry, or with --break piecemeal a part of one. */
static void look(struct mend_sim_nodes_rank *p, const uint8_t *bytes, size_t len,
                 const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_conf inner = mend_sim_nodes_inner(c);
    struct inner_io x = inner_io(p, c, io);
    uint64_t dead[MEND_SIM_SET_WORDS] = {0};

    if (number_of(bytes) != p->seen + 1)
        p->wrong = MEND_SIM_NODES_ORDER;
    if (bytes[0] != DEATHS_IN_PART) {
        p->seen++;
        p->chain = mix(p->chain, bytes, len);
    }
    if (bytes[0] == REVOKED) {
        if (c->broken != MEND_SIM_NARROW)
            carry_out(p, c, io);
        return;
    }
    set_of(bytes, len, dead);
    if (!p->aborting)
        mend_sim_agree.deaths(inner_of(p, c), dead, &inner, &x.io);
}

static void rank_recv(struct mend_sim_nodes_rank *p, int from, const uint8_t *bytes, size_t len,
                      const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_conf inner = mend_sim_nodes_inner(c);
    struct inner_io x = inner_io(p, c, io);

    if (p->outside)
        return;
    if (bytes[0] == MEND_SIM_NODES_PAPERS && !p->aborting)
        mend_sim_papers_told(p, bytes, len, &inner, c, &x.io);
    else if (is_agent(from, c) && bytes[0] != MEND_SIM_NODES_PAPERS)
        look(p, bytes, len, c, io);
    else if (!p->aborting)
        mend_sim_agree.recv(inner_of(p, c), from - c->nodes, bytes + 1, len - 1, &inner, &x.io);
}

/* ---- an agent writes ---- */

static size_t encode(const struct mend_fact *f, uint32_t number, uint8_t *bytes)
{
    uint8_t *at = bytes + HEAD_BYTES;

    bytes[0] = f->kind == MEND_FACT_REVOKED ? REVOKED : DEATHS;
    memcpy(bytes + 1, &number, sizeof number);
    for (uint32_t i = 0; i < f->runs_n; i++, at += RUN_BYTES) {
        uint16_t run[2] = {(uint16_t)mend_fact_runs(f)[i].first, (uint16_t)mend_fact_runs(f)[i].n};

        memcpy(at, run, RUN_BYTES);
    }
    return (size_t)(at - bytes);
}

static void call_all(struct mend_sim_nodes_agent *a, const uint8_t *bytes, size_t len,
                     const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    int end = mend_sim_first_member(c, a->rank + 1);

    for (int m = mend_sim_first_member(c, a->rank); m < end; m++)
        io->send(io, m + c->nodes, bytes, len);
}

/* --break piecemeal: those that died together become known one after the other. */
static void call_in_parts(struct mend_sim_nodes_agent *a, const uint8_t *bytes, size_t len,
                          const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    uint64_t set[MEND_SIM_SET_WORDS] = {0};
    uint8_t part[HEAD_BYTES + RUN_BYTES];

    set_of(bytes, len, set);
    memcpy(part, bytes, HEAD_BYTES);
    part[0] = DEATHS_IN_PART;
    for (int m = mend_bits_next(set, c->ranks, 0); m >= 0;
         m = mend_bits_next(set, c->ranks, m + 1)) {
        uint16_t run[2] = {(uint16_t)m, 1};

        memcpy(part + HEAD_BYTES, run, RUN_BYTES);
        call_all(a, part, sizeof part, c, io);
    }
}

/* --break swap: keeps one back that has another one behind it.  Returns whether it does. */
static bool hold_back(struct mend_sim_nodes_agent *a, const uint8_t *bytes, size_t len,
                      const struct mend_sim_conf *c)
{
    if (c->broken != MEND_SIM_SWAP || a->held_bytes || len > sizeof a->held)
        return false;
    memcpy(a->held, bytes, len);
    a->held_bytes = (uint8_t)len;
    return true;
}

static void write_entry(struct mend_sim_nodes_agent *a, const struct mend_fact *f,
                        const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    uint8_t *bytes = malloc(HEAD_BYTES + (size_t)f->runs_n * RUN_BYTES);
    size_t len;

    MEND_ASSERT(bytes);
    len = encode(f, a->written + 1, bytes);
    a->written++;
    if (f->kind == MEND_FACT_REVOKED && !a->revoked)
        a->revoked = a->written;
    a->chain = mix(a->chain, bytes, len);
    if (!hold_back(a, bytes, len, c)) {
        if (c->broken == MEND_SIM_PIECEMEAL && f->kind != MEND_FACT_REVOKED)
            call_in_parts(a, bytes, len, c, io);
        call_all(a, bytes, len, c, io);
        if (a->held_bytes)
            call_all(a, a->held, a->held_bytes, c, io);
        a->held_bytes = 0;
    }
    free(bytes);
}

/* ---- an agent and the log ---- */

static bool is_visible(const struct mend_fact *f)
{
    return f->kind == MEND_FACT_REVOKED ||
           ((f->kind == MEND_FACT_DEATHS || f->kind == MEND_FACT_LOST) && f->runs_n);
}

/* It kills those of its node that live; they are reported together when all are dead. */
static void end_members(struct mend_sim_nodes_agent *a, const uint64_t *victims,
                        const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    uint64_t *heard = mend_sim_nodes_set(a, MEND_SIM_NODES_HEARD, c);
    uint64_t *ended = mend_sim_nodes_set(a, MEND_SIM_NODES_ENDED, c);

    for (int m = mend_sim_first_member(c, a->rank); m < mend_sim_first_member(c, a->rank + 1);
         m++) {
        if (!mend_bits_test(victims, m) || mend_bits_test(heard, m))
            continue;
        mend_bits_set(ended, m);
        io->kill(io, m + c->nodes);
        if (c->broken == MEND_SIM_REPORT_FIRST)
            mend_bits_set(mend_sim_nodes_set(a, MEND_SIM_NODES_DUE, c), m);
    }
}

static void apply(struct mend_sim_nodes_agent *a, const struct mend_fact *f,
                  const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    uint64_t victims[MEND_SIM_SET_WORDS] = {0};

    if (a->rank == 0)
        mend_sim_nodes_note(a, f, c);
    if (is_visible(f))
        write_entry(a, f, c, io);
    if (a->rank == 0)
        mend_sim_nodes_chain(a, c)[a->written] = a->chain;
    if (f->kind == MEND_FACT_LOST)
        mend_sim_papers_lost(a, f->agent, c, io);
    if (f->kind != MEND_FACT_ABORT)
        return;
    for (uint32_t i = 0; i < f->runs_n; i++)
        for (int m = 0; m < mend_fact_runs(f)[i].n; m++)
            mend_bits_set(victims, mend_fact_runs(f)[i].first + m);
    end_members(a, victims, c, io);
}

static void send_log(int to, const struct mend_log_msg *msg, struct mend_sim_io *io)
{
    size_t len = mend_log_wire_bytes(msg);
    uint8_t *bytes = malloc(len + 1);

    MEND_ASSERT(bytes);
    bytes[0] = FACTS;
    mend_log_wire_encode(msg, bytes + 1);
    io->send(io, to, bytes, len + 1);
    free(bytes);
}

/* The agents are a star, so nothing is passed on and no child is refused. */
static void step_log(struct mend_sim_nodes_agent *a, const struct mend_log_event *ev,
                     const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_log *log = mend_sim_nodes_log(a, c);
    struct mend_log_msg msg;
    struct mend_log_act act;
    int32_t to;

    mend_log_step(log, ev);
    while (mend_log_next(log, &act)) {
        MEND_ASSERT(act.kind == MEND_LOG_APPLY);
        apply(a, act.entry, c, io);
    }
    while (mend_log_send(log, &to, &msg))
        send_log(to, &msg, io);
}

static void propose(struct mend_sim_nodes_agent *a, struct mend_fact what, const uint64_t *set,
                    const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    int n = what.runs_n ? mend_sim_members(c) : 0;
    struct mend_fact_run *runs = calloc(what.runs_n + 1, sizeof *runs);
    struct mend_log_event ev = {.kind = MEND_LOG_PROPOSE, .what = what, .runs = runs};
    int i = 0;

    MEND_ASSERT(runs);
    for (int m = mend_bits_next(set, n, 0); n && m >= 0; m = mend_bits_next(set, n, m + 1))
        runs[i++] = (struct mend_fact_run){m, 1, MEND_VERDICT_SIGNAL, 9};
    step_log(a, &ev, c, io);
    free(runs);
}

/* Proposes that, if there is something and the log has room for it.  The set is empty then. */
static bool propose_set(struct mend_sim_nodes_agent *a, enum mend_fact_kind kind, uint64_t *set,
                        const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    size_t words = mend_sim_nodes_words(c);
    uint32_t n = (uint32_t)mend_bits_count(set, words);

    if (!n || !mend_log_has_room(mend_sim_nodes_log(a, c), n))
        return false;
    propose(a, (struct mend_fact){.kind = kind, .runs_n = n}, set, c, io);
    memset(set, 0, words * sizeof *set);
    return true;
}

static bool propose_revocation(struct mend_sim_nodes_agent *a, const struct mend_sim_conf *c,
                               struct mend_sim_io *io)
{
    if (!a->revoked_due || !mend_log_has_room(mend_sim_nodes_log(a, c), 0))
        return false;
    a->revoked_due = false;
    a->revoked_said = true;
    propose(a, (struct mend_fact){.kind = MEND_FACT_REVOKED, .context = CONTEXT}, NULL, c, io);
    return true;
}

/* One that has died by itself; or all that were killed, when the last of them is dead. */
static bool propose_deaths(struct mend_sim_nodes_agent *a, const struct mend_sim_conf *c,
                           struct mend_sim_io *io)
{
    uint64_t *due = mend_sim_nodes_set(a, MEND_SIM_NODES_DUE, c);
    uint64_t *ended = mend_sim_nodes_set(a, MEND_SIM_NODES_ENDED, c);
    uint64_t alone[MEND_SIM_SET_WORDS] = {0};
    bool all = true;

    for (int m = mend_bits_next(due, c->ranks, 0); m >= 0; m = mend_bits_next(due, c->ranks, m + 1))
        if (!mend_bits_test(ended, m)) {
            mend_bits_set(alone, m);
            if (!propose_set(a, MEND_FACT_DEATHS, alone, c, io))
                return false;
            due[m / 64] &= ~(UINT64_C(1) << m % 64);
            return true;
        }
    for (size_t w = 0; w < mend_sim_nodes_words(c); w++)
        all &= due[w] == ended[w];
    if (!all || !propose_set(a, MEND_FACT_DEATHS, ended, c, io))
        return false;
    memset(due, 0, mend_sim_nodes_words(c) * sizeof *due);
    return true;
}

static bool propose_loss(struct mend_sim_nodes_agent *a, const struct mend_sim_conf *c,
                         struct mend_sim_io *io)
{
    uint64_t *lost = mend_sim_nodes_set(a, MEND_SIM_NODES_UNSAID, c);
    int agent = mend_bits_next(lost, c->nodes, 0);

    if (agent < 0 || !mend_log_has_room(mend_sim_nodes_log(a, c), 0))
        return false;
    lost[agent / 64] &= ~(UINT64_C(1) << agent % 64);
    propose(a, (struct mend_fact){.kind = MEND_FACT_LOST, .agent = agent}, NULL, c, io);
    return true;
}

/* --break impatient: the root does not wait for the last victim of an abort. */
static void let_go(struct mend_sim_nodes_agent *root, const struct mend_sim_conf *c,
                   struct mend_sim_io *io)
{
    for (int m = 0; m < mend_sim_members(c); m++)
        if (mend_sim_nodes_aborted(root, c)[m] && mend_sim_nodes_died(root, c)[m] < 0)
            step_log(root, &(struct mend_log_event){.kind = MEND_LOG_TIMEOUT, .name = m}, c, io);
}

/* What is due, a revocation first. */
static void propose_all(struct mend_sim_nodes_agent *a, const struct mend_sim_conf *c,
                        struct mend_sim_io *io)
{
    while (propose_revocation(a, c, io) ||
           propose_set(a, MEND_FACT_ABORT, mend_sim_nodes_set(a, MEND_SIM_NODES_ABORT, c), c, io) ||
           propose_deaths(a, c, io) || propose_loss(a, c, io))
        ;
    if (c->broken == MEND_SIM_IMPATIENT && a->rank == 0)
        let_go(a, c, io);
}

/* ---- an agent hears ---- */

static bool are_ours(const struct mend_sim_nodes_agent *a, const uint64_t *set,
                     const struct mend_sim_conf *c)
{
    for (int m = mend_bits_next(set, c->ranks, 0); m >= 0; m = mend_bits_next(set, c->ranks, m + 1))
        if (mend_sim_node_of(c, m + c->nodes) != a->rank)
            return false;
    return true;
}

static void hear_abort(struct mend_sim_nodes_agent *a, int member, const struct mend_sim_conf *c,
                       struct mend_sim_io *io)
{
    uint64_t victims[MEND_SIM_SET_WORDS] = {0};

    mend_sim_nodes_victims(member, c, victims);
    if (are_ours(a, victims, c))
        end_members(a, victims, c, io);
    else
        mend_bits_union(mend_sim_nodes_set(a, MEND_SIM_NODES_ABORT, c), victims,
                        mend_sim_nodes_words(c));
}

static void hear_member(struct mend_sim_nodes_agent *a, int member, enum kind word,
                        const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    if (mend_bits_test(mend_sim_nodes_set(a, MEND_SIM_NODES_HEARD, c), member))
        a->wrong = MEND_SIM_NODES_AFTERWARDS;
    if (word == SAYS_ABORT) {
        hear_abort(a, member, c, io);
        return;
    }
    mend_bits_set(mend_sim_nodes_set(a, MEND_SIM_NODES_SPOKE, c), member);
    a->revoked_due |= !a->revoked && !a->revoked_said; /* as mend_revoked_heard() does */
}

static void hear_agent(struct mend_sim_nodes_agent *a, int from, const uint8_t *bytes, size_t len,
                       const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    size_t words_n = mend_log_wire_words(len);
    uint64_t *words = calloc(words_n, sizeof *words);
    struct mend_log_msg msg;
    struct mend_log_event ev = {.kind = MEND_LOG_HEARD, .agent = from, .msg = &msg};

    MEND_ASSERT(words);
    MEND_ASSERT(mend_log_wire_decode(bytes, len, c->nodes, mend_sim_members(c), words, words_n,
                                     &msg) == MEND_OK);
    step_log(a, &ev, c, io);
    free(words);
}

static void agent_recv(struct mend_sim_nodes_agent *a, int from, const uint8_t *bytes, size_t len,
                       const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    if (is_agent(from, c) && mend_bits_test(mend_sim_nodes_set(a, MEND_SIM_NODES_LOST, c), from))
        return;
    if (bytes[0] == MEND_SIM_NODES_PAPERS)
        mend_sim_papers_hear(a, from, bytes, len, c, io);
    else if (is_agent(from, c))
        hear_agent(a, from, bytes + 1, len - 1, c, io);
    else
        hear_member(a, from - c->nodes, (enum kind)bytes[0], c, io);
    propose_all(a, c, io);
}

/* A process of the node; at the root another agent, and then all of its node are dead. */
static void nodes_death(void *proc, int dead, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_nodes_agent *a = proc;

    if (is_agent(dead, c)) {
        mend_bits_set(mend_sim_nodes_set(a, MEND_SIM_NODES_LOST, c), dead);
        if (c->broken != MEND_SIM_SLIP)
            mend_bits_set(mend_sim_nodes_set(a, MEND_SIM_NODES_UNSAID, c), dead);
        step_log(a, &(struct mend_log_event){.kind = MEND_LOG_LOST, .agent = dead}, c, io);
        step_log(a, &(struct mend_log_event){.kind = MEND_LOG_SETTLED, .agent = dead}, c, io);
    } else {
        if (c->broken != MEND_SIM_HASTY)
            io->drain(io, dead); /* as hear_the_dead() does */
        mend_bits_set(mend_sim_nodes_set(a, MEND_SIM_NODES_HEARD, c), dead - c->nodes);
        mend_bits_set(mend_sim_nodes_set(a, MEND_SIM_NODES_DUE, c), dead - c->nodes);
        mend_sim_papers_died(a, dead - c->nodes, c, io);
    }
    propose_all(a, c, io);
}

/* ---- the play ---- */

static void ignore(struct mend_sim_io *io, int to, const void *bytes, size_t len)
{
}

static void join(struct mend_sim_nodes_agent *root, int agent, const struct mend_sim_conf *c,
                 struct mend_sim_io *io)
{
    uint64_t have = (uint64_t)nodes_named(c);
    struct mend_log_msg msg = {.joins = true, .number = have, .min = have};

    step_log(root, &(struct mend_log_event){.kind = MEND_LOG_EXPECT, .agent = agent, .have = have},
             c, io);
    step_log(root, &(struct mend_log_event){.kind = MEND_LOG_HEARD, .agent = agent, .msg = &msg}, c,
             io);
}

static void init_root(struct mend_sim_nodes_agent *a, const struct mend_sim_conf *c,
                      struct mend_sim_io *io)
{
    for (int m = 0; m < c->ranks; m++)
        mend_sim_nodes_died(a, c)[m] = -1;
    for (int k = 0; k < c->nodes; k++) {
        int first = mend_sim_first_member(c, k), n = mend_sim_first_member(c, k + 1) - first;
        struct mend_fact_run run = {.first = first, .n = n};
        struct mend_log_event ev = {.kind = MEND_LOG_PROPOSE, .runs = &run};

        ev.what = (struct mend_fact){.kind = MEND_FACT_NAMES, .agent = k, .runs_n = 1};
        if (n)
            step_log(a, &ev, c, io);
    }
    for (int k = 1; k < c->nodes; k++)
        join(a, k, c, io);
}

static void nodes_init(void *proc, int rank, const struct mend_sim_conf *c)
{
    struct mend_sim_conf inner = mend_sim_nodes_inner(c);
    struct mend_sim_nodes_rank *p = proc;
    struct mend_sim_nodes_agent *a = proc;
    struct mend_log_config config = log_config(rank, c);
    struct mend_sim_io io = {.send = ignore};

    if (!is_agent(rank, c)) {
        p->rank = rank;
        mend_sim_agree.init(inner_of(p, c), rank - c->nodes, &inner);
        return;
    }
    a->rank = rank;
    mend_log_init(mend_sim_nodes_log(a, c), &config);
    if (rank == 0)
        init_root(a, c, &io);
    else
        step_log(a, &(struct mend_log_event){.kind = MEND_LOG_PARENT, .agent = 0}, c, &io);
}

static bool plays_agent(const void *proc, const struct mend_sim_conf *c)
{
    const struct mend_sim_nodes_rank *p = proc; /* of an agent this is first, too */

    return is_agent(p->rank, c);
}

static unsigned nodes_moves(const void *proc, const struct mend_sim_conf *c)
{
    return plays_agent(proc, c) ? 0 : rank_moves(proc, c);
}

static const char *nodes_move_name(int move)
{
    return move == REVOKE   ? "revokes"
           : move == GO_OUT ? "hears nothing any more"
           : move == ABORT  ? "aborts some"
                            : mend_sim_agree.move_name(move);
}

static void nodes_move(void *proc, int move, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    rank_move(proc, move, c, io);
}

static void nodes_recv(void *proc, int from, const void *bytes, size_t len,
                       const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    if (plays_agent(proc, c))
        agent_recv(proc, from, bytes, len, c, io);
    else
        rank_recv(proc, from, bytes, len, c, io);
}

static bool nodes_ignores(const void *proc, int from, const void *bytes, size_t len,
                          const struct mend_sim_conf *c)
{
    struct mend_sim_conf inner = mend_sim_nodes_inner(c);
    const struct mend_sim_nodes_rank *p = proc;

    if (plays_agent(proc, c))
        return false;
    if (is_agent(from, c))
        return p->outside;
    return p->aborting || p->outside ||
           mend_sim_agree.ignores(inner_of(p, c), from - c->nodes, (const uint8_t *)bytes + 1,
                                  len - 1, &inner);
}

static void nodes_settle(void *proc, const struct mend_sim_conf *c)
{
    struct mend_sim_conf inner = mend_sim_nodes_inner(c);

    if (!plays_agent(proc, c))
        mend_sim_agree.settle(inner_of(proc, c), &inner);
}

static void nodes_bury(void *proc, const struct mend_sim_conf *c)
{
    struct mend_sim_conf inner = mend_sim_nodes_inner(c);
    struct mend_sim_nodes_rank *p = proc;
    int32_t rank = p->rank;

    if (is_agent(rank, c)) {
        memset(proc, 0, nodes_bytes(c));
        p->rank = rank;
        return;
    }
    p->seen = p->revoked = p->aborting = p->outside = 0;
    p->chain = 0;
    mend_sim_agree.bury(inner_of(p, c), &inner);
}

static int nodes_print(const void *proc, const struct mend_sim_conf *c, char *buf, size_t size)
{
    struct mend_sim_conf inner = mend_sim_nodes_inner(c);
    const struct mend_sim_nodes_rank *p = proc;
    int len;

    if (plays_agent(proc, c))
        return mend_log_print(mend_sim_nodes_log(proc, c), buf, size);
    len = snprintf(buf, size, "%u entries%s%s, ", (unsigned)p->seen, p->revoked ? ", revoked" : "",
                   p->aborting ? ", aborts" : "");
    if (len < 0 || (size_t)len >= size)
        return len;
    return len + mend_sim_agree.print(inner_of(p, c), &inner, buf + len, size - (size_t)len);
}

static int print_entry(const uint8_t *bytes, size_t len, char *buf, size_t size)
{
    size_t used = (size_t)snprintf(buf, size, "entry %u:", (unsigned)number_of(bytes));

    if (bytes[0] == REVOKED)
        used += (size_t)snprintf(buf + used, size - used, " revoked");
    for (size_t at = HEAD_BYTES; at < len && used + 24 < size; at += RUN_BYTES) {
        uint16_t run[2];

        memcpy(run, bytes + at, RUN_BYTES);
        used += (size_t)snprintf(buf + used, size - used, " dead %u+%u", run[0], run[1]);
    }
    return (int)used;
}

static int nodes_print_msg(const void *bytes, size_t len, const struct mend_sim_conf *c, char *buf,
                           size_t size)
{
    struct mend_sim_conf inner = mend_sim_nodes_inner(c);
    const uint8_t *b = bytes;

    switch (b[0]) {
    case FRAME:
        return mend_sim_agree.print_msg(b + 1, len - 1, &inner, buf, size);
    case FACTS:
        return snprintf(buf, size, "facts %s, %zu bytes", b[2] & 1 ? "down" : "up", len - 1);
    case MEND_SIM_NODES_PAPERS:
        return snprintf(buf, size, "papers %u #%u, %zu bytes", b[1], b[8], len - 16);
    case SAYS_REVOKED:
        return snprintf(buf, size, "I revoke");
    case SAYS_ABORT:
        return snprintf(buf, size, "I abort");
    default:
        return print_entry(b, len, buf, size);
    }
}

const struct mend_sim_play mend_sim_nodes = {
    .name = "nodes",
    .about = "agents with one log of facts, and agreement above it",
    .instances = "agreements that every process calls",
    .bytes = nodes_bytes,
    .init = nodes_init,
    .moves = nodes_moves,
    .move_name = nodes_move_name,
    .move = nodes_move,
    .recv = nodes_recv,
    .death = nodes_death,
    .ignores = nodes_ignores,
    .settle = nodes_settle,
    .bury = nodes_bury,
    .check = mend_sim_check_nodes,
    .check_end = mend_sim_check_nodes_end,
    .print = nodes_print,
    .print_msg = nodes_print_msg,
};
