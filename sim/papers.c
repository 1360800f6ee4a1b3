/* SPDX-License-Identifier: BSD-3-Clause */
/* papers.c – decisions on papers, in the play of nodes: src/decide/papers.c at the processes, launch/agent/papers.c and
 * launch/root/papers.c at the agents.
 *
 *   process ── it has voted and hears of a death: ASKS ──> its agent ── SEARCH ──> root ──> all other agents
 *   process <── TOLD: a paper, or that there is none ── its agent <── PAPER ── root <── each that has one, or has none
 *
 * A process writes each decision on a paper in its block before it says anything, where the agent of its node reads it also when
 * the process is dead, and calls its agent if papers are wanted there.  Agreement s is on paper s mod --window.
 *
 * A search is open at each agent until it has found a paper, or the one that asked has SEARCHED, or is lost.  An agent keeps what it has
 * found for a process until that has decided, and answers others with it; when a node is lost, searches that count answers
 * begin again. */
#include "ft/wire.h"
#include "nodes.h"

#include <string.h>

#define NODES_MAX 64 /* sets of them are words */

enum word { ASKS, HAS_DECIDED, HAS_WRITTEN, TOLD, SEARCH, SEARCHED, PAPER };

struct slip {
    uint8_t kind, word, k, node; /* node: that asks, or is asked */
    uint32_t number; /* of a question, or of a search; 0: no paper is not wanted to be known */
    uint64_t seq;
};

/* A process that has asked its agent. */
struct asker {
    uint32_t asked;  /* it wants a paper */
    uint32_t round;  /* number of its question; 0: it need not know that there is none */
    uint32_t search; /* number of the search that counts answers for it; 0: none */
    uint64_t heard;  /* nodes that have none */
};

struct question {
    uint64_t number; /* 1 + that of the agreement; 0: nobody of the node asks */
    uint32_t searched;
    uint32_t len; /* of the paper that was found; 0: none */
    uint64_t room[];
};

/* ---- memory ---- */

static size_t paper_room(const struct mend_sim_conf *c)
{
    return (mend_ft_agree_max_bytes(mend_sim_members(c)) + 7) / 8 * 8;
}

static size_t papers_n(const struct mend_sim_conf *c)
{
    return c->papers ? (size_t)mend_sim_agree_comms(c) * (size_t)c->window : 0;
}

/* While a process asks about agreement s, others of its node may be in those up to s + window, and ask about these. */
static size_t round_of(const struct mend_sim_conf *c)
{
    return 2 * (size_t)c->window;
}

static size_t questions_n(const struct mend_sim_conf *c)
{
    return c->papers ? (size_t)mend_sim_agree_comms(c) * round_of(c) : 0;
}

static size_t paper_bytes(const struct mend_sim_conf *c)
{
    return sizeof(struct mend_sim_paper) + paper_room(c);
}

static int own_max(const struct mend_sim_conf *c)
{
    return mend_sim_members(c) / c->nodes + 1;
}

/* A question with its askers; behind it which nodes search the same: 1 + the number of the agreement. */
static size_t question_bytes(const struct mend_sim_conf *c)
{
    return sizeof(struct question) + paper_room(c) + (size_t)own_max(c) * sizeof(struct asker) +
           (size_t)c->nodes * sizeof(uint64_t);
}

size_t mend_sim_papers_bytes(const struct mend_sim_conf *c)
{
    return papers_n(c) * paper_bytes(c);
}

size_t mend_sim_questions_bytes(const struct mend_sim_conf *c)
{
    return questions_n(c) * question_bytes(c);
}

struct mend_sim_paper *mend_sim_paper(const struct mend_sim_nodes_rank *p, int k, uint64_t seq,
                                      const struct mend_sim_conf *c)
{
    size_t at = (size_t)k * (size_t)c->window + seq % (size_t)c->window;

    return (void *)((char *)(uintptr_t)p->store + at * paper_bytes(c));
}

static struct question *question_at(const struct mend_sim_nodes_agent *a, int k, uint64_t seq,
                                    const struct mend_sim_conf *c)
{
    size_t at = (size_t)k * round_of(c) + seq % round_of(c);

    return (void *)((char *)mend_sim_nodes_questions(a, c) + at * question_bytes(c));
}

static struct asker *askers(const struct question *q, const struct mend_sim_conf *c)
{
    return (void *)((char *)(uintptr_t)q->room + paper_room(c));
}

static uint64_t *searches(const struct question *q, const struct mend_sim_conf *c)
{
    return (void *)(askers(q, c) + own_max(c));
}

/* The block of another process or agent. */
static const void *block_of(const void *proc, int rank, int other, const struct mend_sim_conf *c)
{
    ptrdiff_t bytes = (ptrdiff_t)((mend_sim_nodes.bytes(c) + 7) / 8 * 8);

    return (const char *)proc + bytes * (other - rank);
}

/* ---- a process ---- */

static void send_slip(struct mend_sim_io *io, int to, struct slip slip, const void *paper,
                      size_t len)
{
    uint8_t bytes[sizeof slip + MEND_SIM_MSG_MAX];

    slip.kind = MEND_SIM_NODES_PAPERS;
    memcpy(bytes, &slip, sizeof slip);
    if (len)
        memcpy(bytes + sizeof slip, paper, len);
    io->send(io, to, bytes, sizeof slip + len);
}

static void say(const struct mend_sim_nodes_rank *p, enum word word, int k, uint64_t seq,
                uint32_t number, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    send_slip(io, mend_sim_node_of(c, p->rank),
              (struct slip){.word = (uint8_t)word, .k = (uint8_t)k, .seq = seq, .number = number},
              NULL, 0);
}

void mend_sim_papers_write(struct mend_sim_nodes_rank *p, int k, uint64_t seq,
                           const struct mend_agree_msg *msg, const struct mend_sim_conf *c,
                           struct mend_sim_io *io)
{
    struct mend_sim_paper *paper = mend_sim_paper(p, k, seq, c);
    const struct mend_sim_nodes_agent *agent =
        block_of(p, p->rank, mend_sim_node_of(c, p->rank), c);
    int n = mend_sim_members(c) - k;

    if (c->broken == MEND_SIM_UNWRITTEN)
        return;
    memset(paper->bytes, 0, paper_room(c));
    paper->number = seq + 1;
    paper->print = mend_sim_agree_hash(&msg->value, n);
    paper->len = mend_ft_agree_encode(msg, n, paper->bytes, paper_room(c));
    MEND_ASSERT(paper->len);
    if (agent->papers_wanted)
        say(p, HAS_WRITTEN, k, seq, 0, c, io);
    if (paper->asked == seq + 1)
        say(p, HAS_DECIDED, k, seq, 0, c, io);
    paper->asked = 0;
}

void mend_sim_papers_ask(struct mend_sim_nodes_rank *p, int k, uint64_t seq, uint32_t round,
                         const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    mend_sim_paper(p, k, seq, c)->asked = seq + 1;
    say(p, ASKS, k, seq, round, c, io);
}

void mend_sim_papers_told(struct mend_sim_nodes_rank *p, const uint8_t *bytes, size_t len,
                          const struct mend_sim_conf *inner, const struct mend_sim_conf *c,
                          struct mend_sim_io *io)
{
    uint64_t sets[MEND_FT_AGREE_SETS * ((MEND_SIM_MSG_MAX + 7) / 8)];
    struct mend_agree_msg paper;
    struct slip slip;
    bool there = len > sizeof slip;

    memcpy(&slip, bytes, sizeof slip);
    if (mend_sim_paper(p, slip.k, slip.seq, c)->asked != slip.seq + 1)
        return;
    if (there)
        MEND_ASSERT(mend_ft_agree_decode(bytes + sizeof slip, len - sizeof slip,
                                         inner->ranks - slip.k, p->rank - c->nodes - slip.k, sets,
                                         &paper) == MEND_OK);
    mend_sim_agree_answered(mend_sim_nodes_inner_proc(p, c), slip.k, slip.seq, slip.number,
                            there ? &paper : NULL, inner, io);
}

/* ---- an agent: what it says ---- */

static void hear_agent(struct mend_sim_nodes_agent *a, int from, const struct slip *slip,
                       const uint8_t *paper, size_t len, const struct mend_sim_conf *c,
                       struct mend_sim_io *io);

/* The root passes it to the agent that has asked, or to all others. */
static void pass(struct mend_sim_nodes_agent *root, int from, struct slip slip,
                 const uint8_t *paper, size_t len, const struct mend_sim_conf *c,
                 struct mend_sim_io *io)
{
    int to = slip.node;

    slip.node = (uint8_t)from;
    for (int n = c->nodes - 1; n >= 0; n--) {
        if (n == from || (slip.word == PAPER && n != to))
            continue;
        if (n)
            send_slip(io, n, slip, paper, len);
        else
            hear_agent(root, from, &slip, paper, len, c, io);
    }
}

static void post(struct mend_sim_nodes_agent *a, enum word word, int node, int k, uint64_t seq,
                 uint32_t number, const uint8_t *paper, size_t len, const struct mend_sim_conf *c,
                 struct mend_sim_io *io)
{
    struct slip slip = {.word = (uint8_t)word,
                        .node = (uint8_t)node,
                        .k = (uint8_t)k,
                        .seq = seq,
                        .number = number};

    if (a->rank == 0)
        pass(a, 0, slip, paper, len, c, io);
    else
        send_slip(io, 0, slip, paper, len);
}

static int first_own(const struct mend_sim_nodes_agent *a, const struct mend_sim_conf *c)
{
    return mend_sim_first_member(c, a->rank);
}

static int own_n(const struct mend_sim_nodes_agent *a, const struct mend_sim_conf *c)
{
    return mend_sim_first_member(c, a->rank + 1) - first_own(a, c);
}

static void tell(const struct mend_sim_nodes_agent *a, int i, int k, const struct question *q,
                 const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    send_slip(
        io, c->nodes + first_own(a, c) + i,
        (struct slip){
            .word = TOLD, .k = (uint8_t)k, .seq = q->number - 1, .number = askers(q, c)[i].round},
        q->room, q->len);
}

/* ---- looking ---- */

/* What was found for a process of this node, or a paper of any of its processes; NULL: there is none. */
static const uint8_t *look(const struct mend_sim_nodes_agent *a, int k, uint64_t seq,
                           const struct mend_sim_conf *c, size_t *len_p)
{
    const struct question *q = question_at(a, k, seq, c);

    *len_p = q->number == seq + 1 ? q->len : 0;
    if (*len_p)
        return (const uint8_t *)q->room;
    for (int i = 0; i < own_n(a, c); i++) {
        const struct mend_sim_nodes_rank *p =
            block_of(a, a->rank, c->nodes + first_own(a, c) + i, c);
        const struct mend_sim_paper *paper = mend_sim_paper(p, k, seq, c);

        if (paper->number != seq + 1)
            continue;
        *len_p = paper->len;
        return paper->bytes;
    }
    return NULL;
}

static void found(struct mend_sim_nodes_agent *a, int k, struct question *q, const uint8_t *paper,
                  size_t len, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    if (q->len)
        return;
    memcpy(q->room, paper, len);
    q->len = (uint32_t)len;
    for (int i = 0; i < own_n(a, c); i++)
        if (askers(q, c)[i].asked)
            tell(a, i, k, q, c, io);
}

/* Papers are wanted while somebody of the node asks, or another node searches. */
static void note_wanted(struct mend_sim_nodes_agent *a, const struct mend_sim_conf *c)
{
    bool wanted = false;

    for (size_t s = 0; s < questions_n(c); s++) {
        const struct question *q = question_at(a, (int)(s / round_of(c)), s % round_of(c), c);

        wanted |= q->number != 0;
        for (int n = 0; n < c->nodes; n++)
            wanted |= searches(q, c)[n] != 0;
    }
    a->papers_wanted = wanted;
}

/* ---- questions of this node ---- */

static uint64_t others(const struct mend_sim_nodes_agent *a, const struct mend_sim_conf *c)
{
    uint64_t all = c->nodes == NODES_MAX ? UINT64_MAX : (UINT64_C(1) << c->nodes) - 1;

    return all & ~(UINT64_C(1) << a->rank) & ~a->nodes_lost;
}

/* All nodes have said that they have none, or are lost. */
static void count(struct mend_sim_nodes_agent *a, int i, int k, const struct question *q,
                  const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct asker *asker = &askers(q, c)[i];

    if (others(a, c) & ~asker->heard && c->broken != MEND_SIM_BLIND)
        return;
    asker->search = 0;
    tell(a, i, k, q, c, io);
}

static void search_for(struct mend_sim_nodes_agent *a, int i, int k, struct question *q,
                       const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct asker *asker = &askers(q, c)[i];

    asker->search = asker->round ? ++a->searches_n : 0;
    if (!asker->search && q->searched)
        return;
    q->searched = true;
    asker->heard = 0;
    post(a, SEARCH, a->rank, k, q->number - 1, asker->search, NULL, 0, c, io);
    if (asker->search)
        count(a, i, k, q, c, io);
}

static void clear_question(struct question *q, const struct mend_sim_conf *c)
{
    memset(q, 0, sizeof *q + paper_room(c) + (size_t)own_max(c) * sizeof(struct asker));
}

static void forget(struct mend_sim_nodes_agent *a, int k, struct question *q,
                   const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    if (q->searched)
        post(a, SEARCHED, a->rank, k, q->number - 1, 0, NULL, 0, c, io);
    clear_question(q, c);
}

static void on_question(struct mend_sim_nodes_agent *a, int i, const struct slip *slip,
                        const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct question *q = question_at(a, slip->k, slip->seq, c);
    const uint8_t *paper;
    size_t len;

    if (q->number > slip->seq + 1)
        return; /* it has decided that since */
    if (q->number != slip->seq + 1)
        forget(a, slip->k, q, c, io);
    q->number = slip->seq + 1;
    askers(q, c)[i] = (struct asker){.asked = true, .round = slip->number};
    if (q->len) {
        tell(a, i, slip->k, q, c, io);
        return;
    }
    paper = look(a, slip->k, slip->seq, c, &len);
    if (paper)
        found(a, slip->k, q, paper, len, c, io);
    else
        search_for(a, i, slip->k, q, c, io);
}

static void end_question(struct mend_sim_nodes_agent *a, int i, int k, struct question *q,
                         const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    bool any = false;

    memset(&askers(q, c)[i], 0, sizeof(struct asker));
    for (int j = 0; j < own_n(a, c); j++)
        any |= askers(q, c)[j].asked;
    if (!any)
        forget(a, k, q, c, io);
}

/* ---- searches of others ---- */

static void on_search(struct mend_sim_nodes_agent *a, int node, const struct slip *slip,
                      const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    size_t len;
    const uint8_t *paper = look(a, slip->k, slip->seq, c, &len);

    if (paper || slip->number)
        post(a, PAPER, node, slip->k, slip->seq, slip->number, paper, len, c, io);
    if (!paper)
        searches(question_at(a, slip->k, slip->seq, c), c)[node] = slip->seq + 1;
}

static void on_none(struct mend_sim_nodes_agent *a, int node, const struct slip *slip,
                    const struct question *q, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    for (int i = 0; i < own_n(a, c); i++) {
        struct asker *asker = &askers(q, c)[i];

        if (!asker->asked || !asker->search || asker->search != slip->number)
            continue;
        asker->heard |= UINT64_C(1) << node;
        count(a, i, slip->k, q, c, io);
    }
}

static void hear_agent(struct mend_sim_nodes_agent *a, int from, const struct slip *slip,
                       const uint8_t *paper, size_t len, const struct mend_sim_conf *c,
                       struct mend_sim_io *io)
{
    struct question *q = question_at(a, slip->k, slip->seq, c);
    bool asked = q->number == slip->seq + 1;

    if (slip->word == SEARCH)
        on_search(a, from, slip, c, io);
    else if (slip->word == SEARCHED && searches(q, c)[from] == slip->seq + 1)
        searches(q, c)[from] = 0;
    else if (slip->word == PAPER && asked && len)
        found(a, slip->k, q, paper, len, c, io);
    else if (slip->word == PAPER && asked)
        on_none(a, from, slip, q, c, io);
}

/* A process of the node has written: for that which is asked, and searched. */
static void on_written(struct mend_sim_nodes_agent *a, const struct slip *slip,
                       const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct question *q = question_at(a, slip->k, slip->seq, c);
    size_t len;
    const uint8_t *paper = look(a, slip->k, slip->seq, c, &len);

    if (!paper)
        return;
    if (q->number == slip->seq + 1)
        found(a, slip->k, q, paper, len, c, io);
    for (int n = 0; n < c->nodes; n++) {
        if (searches(q, c)[n] != slip->seq + 1)
            continue;
        post(a, PAPER, n, slip->k, slip->seq, 0, paper, len, c, io);
        searches(q, c)[n] = 0;
    }
}

void mend_sim_papers_hear(struct mend_sim_nodes_agent *a, int from, const uint8_t *bytes,
                          size_t len, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    const uint8_t *paper = bytes + sizeof(struct slip);
    struct slip slip;
    struct question *q;
    int i = from - c->nodes - first_own(a, c);

    memcpy(&slip, bytes, sizeof slip);
    len -= sizeof slip;
    q = question_at(a, slip.k, slip.seq, c);
    if (from < c->nodes && a->rank == 0)
        pass(a, from, slip, paper, len, c, io);
    else if (from < c->nodes)
        hear_agent(a, slip.node, &slip, paper, len, c, io);
    else if (slip.word == ASKS)
        on_question(a, i, &slip, c, io);
    else if (slip.word == HAS_WRITTEN)
        on_written(a, &slip, c, io);
    else if (q->number == slip.seq + 1 && askers(q, c)[i].asked)
        end_question(a, i, slip.k, q, c, io);
    note_wanted(a, c);
}

/* ---- what changes ---- */

void mend_sim_papers_died(struct mend_sim_nodes_agent *a, int member, const struct mend_sim_conf *c,
                          struct mend_sim_io *io)
{
    int i = member - first_own(a, c);

    for (size_t s = 0; s < questions_n(c); s++) {
        int k = (int)(s / round_of(c));
        struct question *q = question_at(a, k, s % round_of(c), c);

        if (q->number && askers(q, c)[i].asked)
            end_question(a, i, k, q, c, io);
    }
    note_wanted(a, c);
}

/* Other agents may have got an answer from there. */
void mend_sim_papers_lost(struct mend_sim_nodes_agent *a, int node, const struct mend_sim_conf *c,
                          struct mend_sim_io *io)
{
    a->nodes_lost |= UINT64_C(1) << node;
    for (size_t s = 0; s < questions_n(c); s++) {
        int k = (int)(s / round_of(c));
        struct question *q = question_at(a, k, s % round_of(c), c);

        searches(q, c)[node] = 0;
        for (int i = 0; i < own_n(a, c) && q->number && !q->len; i++)
            if (askers(q, c)[i].round && askers(q, c)[i].search && c->broken != MEND_SIM_STALE)
                search_for(a, i, k, q, c, io);
    }
    note_wanted(a, c);
}
