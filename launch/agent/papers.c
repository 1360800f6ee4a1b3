/* SPDX-License-Identifier: BSD-3-Clause */
/* papers.c – answers the question "what was decided?" from papers, which no process has to be asked for (src/decide/papers.c).
 *
 *   rank ── ASK ──> its agent ── SEARCH ──> root ──> all other agents, which look at the papers of their nodes
 *   rank <── TOLD ── its agent <── PAPER: the paper, or that there is none ── root <──
 *
 * A search is open at each agent until it has found a paper, or the agent that asked says that it is over, or is lost: a paper that is
 * written meanwhile is found, because its process calls its agent while papers are wanted (node/paper.h).
 *
 * All that agents say of papers goes through the root, in order, as the facts do.  An agent that has got a paper for a rank keeps it
 * until that has decided, and answers searches of others with it.  So when a node is lost, searches that count answers begin again:
 * what an agent has got from the lost node came before the news of the loss, and before the new search.  The search in
 * src/decide/papers_test.c has found that each of these rules is needed.
 *
 * Nothing here has a size that is fixed, and nothing waits: a rank that has no room for an answer gets it later, and questions of ranks that
 * have ended are forgotten. */
#include "agent/papers.h"

#include "base/time.h"
#include "ft/bits.h"
#include "node/paper.h"
#include "rt/pass.h"
#include "rt/wire.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define AGAIN_NS (5 * MEND_NS_PER_MS) /* a rank had no room */

/* A rank of this node that wants a paper. */
struct asker {
    struct mend_list link;
    int32_t rank;
    uint32_t round;   /* of its question; 0: it has not asked, or knows that there is none */
    uint32_t search;  /* number of the search that counts answers for it */
    uint64_t *heard;  /* nodes that have no paper */
    bool has_no_room; /* it has been told nothing of the last answer */
};

/* What ranks of this node want to know. */
struct question {
    struct mend_list link, askers;
    uint64_t mark, seq;
    bool searched;
    uint32_t len; /* of the paper that was found; 0: none yet */
    unsigned char paper[MEND_PAPER_BYTES];
};

/* What another agent looks for, and has not got from here. */
struct search {
    struct mend_list link;
    int32_t node;
    uint64_t mark, seq;
};

/* Labels, or vote blocks, of a rank, of one slab. */
struct mapped {
    struct mend_list link;
    uint32_t place, slab;
    struct mend_node_slab *at;
};

/* The papers of a dead rank, of one label. */
struct kept {
    struct mend_list link;
    uint64_t mark;
    struct mend_paper paper[MEND_PAPERS];
};

struct mend_papers {
    struct mend_ranks *ranks;
    const struct mend_post *root;
    struct mend_list questions, searches, mapped, kept;
    uint64_t *lost; /* nodes */
    uint32_t searches_n;
};

struct mend_papers *mend_papers_new(struct mend_ranks *ranks, const struct mend_post *root)
{
    struct mend_papers *p = mend_xalloc(1, sizeof(*p));

    *p = (struct mend_papers){.ranks = ranks, .root = root};
    mend_list_init(&p->questions);
    mend_list_init(&p->searches);
    mend_list_init(&p->mapped);
    mend_list_init(&p->kept);
    p->lost = mend_xalloc(mend_bits_words((int32_t)ranks->nodes.n), sizeof(*p->lost));
    return p;
}

/* ---- looking ---- */

/* NULL: there is no address space for it. */
static struct mend_node_slab *slab_of(struct mend_papers *p, mend_place place, uint32_t slab)
{
    struct mend_list *all = &p->mapped;
    struct mapped *m;
    void *at;

    mend_list_foreach (l, next, all) {
        m = mend_list_entry(l, struct mapped, link);
        if (m->place == place.at && m->slab == slab)
            return m->at;
    }
    at = mmap(NULL, sizeof(*m->at), PROT_READ, MAP_SHARED | MAP_NORESERVE, p->ranks->shm_fd,
              (off_t)mend_node_slab_at(p->ranks->shm, place, slab));
    if (at == MAP_FAILED)
        return NULL;
    m = mend_xalloc(1, sizeof(*m));
    *m = (struct mapped){.place = place.at, .slab = slab, .at = at};
    mend_list_append(all, &m->link);
    return at;
}

static uint32_t look_at_rank(struct mend_papers *p, const struct rank *r, uint64_t mark,
                             uint64_t seq, unsigned char *buf)
{
    uint32_t n = mend_load_relaxed(&mend_node_rank_of(p->ranks->shm, r->place)->vote_blocks_n);

    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = k % MEND_NODE_SLAB_BLOCKS;
        struct mend_node_slab *s = slab_of(p, r->place, k / MEND_NODE_SLAB_BLOCKS);

        /* acquire: pairs with the release in take_block() (src/node/vote_blocks.c) */
        if (s && mend_load_acquire(&s->label[i].mark) == mark)
            return mend_paper_read((struct mend_paper *)(void *)s->block[i], seq, buf);
    }
    return 0;
}

static void keep(struct mend_papers *p, uint64_t mark, const void *block)
{
    struct kept *k = mend_xalloc(1, sizeof(*k));

    k->mark = mark;
    memcpy(k->paper, block, sizeof(k->paper));
    mend_list_append(&p->kept, &k->link);
}

void mend_papers_keep(struct mend_papers *p, struct rank *r)
{
    uint32_t n;

    if (!p->ranks->nodes.n || !mend_rank_is_ours(r) || r->papers_kept ||
        r->place.at == MEND_PLACE_NONE.at)
        return;
    r->papers_kept = true;
    n = mend_load_relaxed(&mend_node_rank_of(p->ranks->shm, r->place)->vote_blocks_n);
    for (uint32_t k = 0; k < n; k++) {
        struct mend_node_slab *s = slab_of(p, r->place, k / MEND_NODE_SLAB_BLOCKS);
        uint32_t i = k % MEND_NODE_SLAB_BLOCKS;
        uint64_t mark = s ? mend_load_relaxed(&s->label[i].mark) : 0;

        if (mark && mend_paper_is_of(mark))
            keep(p, mark, s->block[i]);
    }
}

static uint32_t look_at_kept(struct mend_papers *p, uint64_t mark, uint64_t seq, unsigned char *buf)
{
    uint32_t len = 0;

    mend_list_foreach (l, next, &p->kept) {
        struct kept *k = mend_list_entry(l, struct kept, link);

        if (k->mark == mark && !len)
            len = mend_paper_read(k->paper, seq, buf);
    }
    return len;
}

static struct question *find(struct mend_papers *p, uint64_t mark, uint64_t seq)
{
    mend_list_foreach (l, next, &p->questions) {
        struct question *q = mend_list_entry(l, struct question, link);

        if (q->mark == mark && q->seq == seq)
            return q;
    }
    return NULL;
}

/* What this node has: what was found for a rank of it, or a paper of any of its ranks, dead ones, too.  Returns its length; 0:
 * nothing. */
static uint32_t look(struct mend_papers *p, uint64_t mark, uint64_t seq, unsigned char *buf)
{
    struct question *q = find(p, mark, seq);
    uint32_t len = q ? q->len : 0;

    if (len)
        memcpy(buf, q->paper, len);
    else
        len = look_at_kept(p, mark, seq, buf);
    for (int i = 0; i < p->ranks->n && !len; i++) {
        const struct rank *r = &p->ranks->rank[i];

        if (mend_rank_is_ours(r) && !mend_rank_is_retired(p->ranks, r) && !r->papers_kept)
            len = look_at_rank(p, r, mark, seq, buf);
    }
    return len;
}

/* Before the agent looks for what it may not find. */
static void want(struct mend_papers *p)
{
    mend_store_relaxed(&p->ranks->shm->papers_wanted, 1);
    /* Pairs with the fence in mend_decide_papers_write() (src/decide/papers.c). */
    atomic_thread_fence(memory_order_seq_cst);
}

static void want_no_more(struct mend_papers *p)
{
    if (mend_list_empty(&p->questions) && mend_list_empty(&p->searches))
        mend_store_relaxed(&p->ranks->shm->papers_wanted, 0);
}

/* ---- telling ---- */

static void tell(struct mend_papers *p, struct question *q, struct asker *a)
{
    const struct rank *r = &p->ranks->rank[a->rank];
    struct mend_ctl_told m = {.magic = MEND_CTL_MAGIC,
                              .kind = MEND_CTL_TOLD,
                              .round = a->round,
                              .len = q->len,
                              .mark = q->mark,
                              .seq = q->seq};

    memcpy(m.bytes, q->paper, q->len);
    a->has_no_room = r->ctl_fd >= 0 && mend_pass(r->ctl_fd, &m, MEND_CTL_TOLD_BYTES(m.len), NULL, 0,
                                                 MSG_DONTWAIT) <= 0;
    if (!a->has_no_room)
        mend_rank_call(p->ranks, r);
}

static void found(struct mend_papers *p, struct question *q, const void *paper, uint32_t len)
{
    if (q->len)
        return;
    q->len = len;
    memcpy(q->paper, paper, len);
    mend_list_foreach (l, next, &q->askers)
        tell(p, q, mend_list_entry(l, struct asker, link));
}

static void send_to(struct mend_papers *p, enum mend_message_kind kind, int32_t node, uint64_t mark,
                    uint64_t seq, uint32_t search, const void *paper, uint32_t len)
{
    mend_post(p->root, &(struct mend_message){.kind = kind,
                                              .rank = -1,
                                              .arg = {node, (int64_t)mark, (int64_t)seq, search},
                                              .data = len ? paper : "",
                                              .len = len});
}

/* ---- questions of this node ---- */

static bool counts(const struct asker *a)
{
    return a->round && a->search;
}

/* All nodes have said that they have none, or are lost. */
static void count(struct mend_papers *p, struct question *q, struct asker *a)
{
    const uint64_t *lost = p->lost;

    for (int32_t k = 0; k < (int32_t)p->ranks->nodes.n; k++)
        if (k != (int32_t)p->ranks->nodes.me && !mend_bits_test(a->heard, k) &&
            !mend_bits_test(lost, k))
            return;
    a->search = 0;
    tell(p, q, a);
}

static void search_for(struct mend_papers *p, struct question *q, struct asker *a)
{
    size_t words = mend_bits_words((int32_t)p->ranks->nodes.n);

    a->search = a->round ? ++p->searches_n : 0;
    if (!a->search && q->searched)
        return;
    q->searched = true;
    if (a->search) {
        free(a->heard);
        a->heard = mend_xalloc(words, sizeof(*a->heard));
    }
    send_to(p, MEND_UP_SEARCH, -1, q->mark, q->seq, a->search, NULL, 0);
    if (a->search)
        count(p, q, a);
}

static struct question *open_question(struct mend_papers *p, uint64_t mark, uint64_t seq)
{
    struct question *q = find(p, mark, seq);

    if (q)
        return q;
    q = mend_xalloc(1, sizeof(*q));
    q->mark = mark;
    q->seq = seq;
    mend_list_init(&q->askers);
    mend_list_append(&p->questions, &q->link);
    return q;
}

static struct asker *asker_of(struct question *q, int32_t rank)
{
    mend_list_foreach (l, next, &q->askers) {
        struct asker *a = mend_list_entry(l, struct asker, link);

        if (a->rank == rank)
            return a;
    }
    return NULL;
}

void mend_papers_asked(struct mend_papers *p, const struct rank *r, uint64_t mark, uint64_t seq,
                       uint32_t round)
{
    struct question *q;
    struct asker *a;
    unsigned char paper[MEND_PAPER_BYTES];
    uint32_t len;

    if (!p->ranks->nodes.n)
        return;
    q = open_question(p, mark, seq);
    a = asker_of(q, r->index);
    if (!a) {
        a = mend_xalloc(1, sizeof(*a));
        a->rank = r->index;
        mend_list_append(&q->askers, &a->link);
    }
    a->round = round;
    a->search = 0;
    if (q->len) {
        tell(p, q, a);
        return;
    }
    want(p);
    len = look(p, mark, seq, paper);
    if (len)
        found(p, q, paper, len);
    else
        search_for(p, q, a);
}

static void forget_asker(struct asker *a)
{
    mend_list_remove(&a->link);
    free(a->heard);
    free(a);
}

static void end_if_unasked(struct mend_papers *p, struct question *q)
{
    if (!mend_list_empty(&q->askers))
        return;
    if (q->searched)
        send_to(p, MEND_UP_SEARCHED, -1, q->mark, q->seq, 0, NULL, 0);
    mend_list_remove(&q->link);
    free(q);
    want_no_more(p);
}

void mend_papers_decided(struct mend_papers *p, const struct rank *r, uint64_t mark, uint64_t seq)
{
    struct question *q = find(p, mark, seq);
    struct asker *a = q ? asker_of(q, r->index) : NULL;

    if (!a)
        return;
    forget_asker(a);
    end_if_unasked(p, q);
}

/* ---- searches of others ---- */

static void end_search(struct search *s)
{
    mend_list_remove(&s->link);
    free(s);
}

static bool is_open(struct mend_papers *p, int32_t node, uint64_t mark, uint64_t seq)
{
    mend_list_foreach (l, next, &p->searches) {
        struct search *s = mend_list_entry(l, struct search, link);

        if (s->node == node && s->mark == mark && s->seq == seq)
            return true;
    }
    return false;
}

static void on_search(struct mend_papers *p, int32_t node, uint64_t mark, uint64_t seq,
                      uint32_t number)
{
    unsigned char paper[MEND_PAPER_BYTES];
    struct search *s;
    uint32_t len;

    want(p);
    len = look(p, mark, seq, paper);
    if (len || number)
        send_to(p, MEND_UP_PAPER, node, mark, seq, number, paper, len);
    if (!len && !is_open(p, node, mark, seq)) {
        s = mend_xalloc(1, sizeof(*s));
        *s = (struct search){.node = node, .mark = mark, .seq = seq};
        mend_list_append(&p->searches, &s->link);
    }
    want_no_more(p);
}

static void on_searched(struct mend_papers *p, int32_t node, uint64_t mark, uint64_t seq)
{
    mend_list_foreach (l, next, &p->searches) {
        struct search *s = mend_list_entry(l, struct search, link);

        if (s->node == node && s->mark == mark && s->seq == seq)
            end_search(s);
    }
    want_no_more(p);
}

static void on_none(struct mend_papers *p, struct question *q, int32_t node, uint32_t number)
{
    mend_list_foreach (l, next, &q->askers) {
        struct asker *a = mend_list_entry(l, struct asker, link);

        if (counts(a) && a->search == number) {
            mend_bits_set(a->heard, node);
            count(p, q, a);
        }
    }
}

void mend_papers_hear(struct mend_papers *p, const struct mend_message *m)
{
    int32_t node = (int32_t)m->arg[0];
    uint64_t mark = (uint64_t)m->arg[1], seq = (uint64_t)m->arg[2];
    struct question *q = find(p, mark, seq);

    if (node < 0 || node >= (int32_t)p->ranks->nodes.n || m->len > MEND_PAPER_BYTES)
        return;
    if (m->kind == MEND_DOWN_SEARCH)
        on_search(p, node, mark, seq, (uint32_t)m->arg[3]);
    else if (m->kind == MEND_DOWN_SEARCHED)
        on_searched(p, node, mark, seq);
    else if (q && m->len)
        found(p, q, m->data, m->len);
    else if (q)
        on_none(p, q, node, (uint32_t)m->arg[3]);
}

/* ---- what changes ---- */

static void look_again(struct mend_papers *p, struct question *q)
{
    unsigned char paper[MEND_PAPER_BYTES];
    uint32_t len = q->len ? 0 : look(p, q->mark, q->seq, paper);

    if (len)
        found(p, q, paper, len);
}

void mend_papers_wrote(struct mend_papers *p)
{
    unsigned char paper[MEND_PAPER_BYTES];
    uint32_t len;

    mend_list_foreach (l, next, &p->questions)
        look_again(p, mend_list_entry(l, struct question, link));
    mend_list_foreach (l, next, &p->searches) {
        struct search *s = mend_list_entry(l, struct search, link);

        len = look(p, s->mark, s->seq, paper);
        if (!len)
            continue;
        send_to(p, MEND_UP_PAPER, s->node, s->mark, s->seq, 0, paper, len);
        end_search(s);
    }
    want_no_more(p);
}

/* Other agents may have got an answer from there. */
static void begin_again(struct mend_papers *p, struct question *q)
{
    mend_list_foreach (l, next, &q->askers) {
        struct asker *a = mend_list_entry(l, struct asker, link);

        if (counts(a) && !q->len)
            search_for(p, q, a);
    }
}

void mend_papers_lost(struct mend_papers *p, int32_t node)
{
    mend_bits_set(p->lost, node);
    mend_list_foreach (l, next, &p->searches) {
        struct search *s = mend_list_entry(l, struct search, link);

        if (s->node == node)
            end_search(s);
    }
    mend_list_foreach (l, next, &p->questions)
        begin_again(p, mend_list_entry(l, struct question, link));
    want_no_more(p);
}

/* True: a rank has no room for an answer. */
static bool go_on(struct mend_papers *p, struct question *q)
{
    bool again = false;

    mend_list_foreach (l, next, &q->askers) {
        struct asker *a = mend_list_entry(l, struct asker, link);

        if (p->ranks->rank[a->rank].ctl_fd < 0 || mend_rank_is_dead(p->ranks, a->rank)) {
            forget_asker(a);
            continue;
        }
        if (a->has_no_room)
            tell(p, q, a);
        again |= a->has_no_room;
    }
    end_if_unasked(p, q);
    return again;
}

mend_time_ns mend_papers_look(struct mend_papers *p, mend_time_ns now)
{
    bool again = false;

    mend_list_foreach (l, next, &p->questions)
        again |= go_on(p, mend_list_entry(l, struct question, link));
    return again ? now + AGAIN_NS : MEND_TIME_NEVER;
}
