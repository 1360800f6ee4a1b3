/* SPDX-License-Identifier: BSD-3-Clause */
/* papers.c – decisions that outlive the processes that know them (S5-12, R42).
 *
 * Where members of several nodes vote by messages, a process that decides writes the decision down in shared memory of its node
 * before it tells anybody (node/paper.h): on papers in a vote block of its own, one block for each sequence.  A member that has
 * voted, and learns of a death then, asks the agents of all nodes (ft/agree_sm.h says when, and why that is safe):
 *
 *   tree.c ── question ──> agent ──> agents of all nodes, which look at papers
 *   tree.c <── PAPER, or NO_PAPER ── interrupt ── agent
 *
 * A question ends when the agreement is decided here, or with this process.  A paper is encoded as the message DOWN, and checked
 * when it comes as that is.
 *
 * There are no papers of a communicator with members of several jobs, whose agents have no common root, nor where the segment has no
 * page for them, nor of a decision with so many failed members that it does not fit (doc/limits.md): then the others ask
 * processes, as if there were no papers. */
#include "decide/internal.h"

#include "ft/wire.h"
#include "node/node.h"
#include "node/vote_blocks.h"
#include "proc/news.h"
#include "rt/rt.h"

/* What this process has asked. */
struct question {
    struct mend_list link; /* in self->decide->questions */
    struct mend_comm *c;
    enum mend_decide_kind which;
    uint64_t seq;
};

bool mend_decide_papers_has(const struct mend_comm *c)
{
    const struct mend_proc *self = c->self;

    return self->node && self->node->header->nodes_n && self->rt->ask && !(c->ctx & MEND_CTX_SPANS);
}

static uint64_t mark_of(const struct mend_comm *c, enum mend_decide_kind which)
{
    return mend_paper_mark(mend_revoke_name(c), which);
}

/* This process's papers of a sequence; NULL: there is no memory. */
static struct mend_paper *papers_of(struct mend_comm *c, enum mend_decide_kind which)
{
    struct mend_proc *self = c->self;
    struct mend_decide_sequence *a = &c->decide->agreements[which];

    if (!a->papers && !mend_voteblocks_room(self))
        return NULL;
    if (!a->papers) {
        a->papers = mend_voteblocks_make(self, mark_of(c, which), 1, 0);
        mend_voteblocks_set_member(a->papers, 0, self->me);
        mend_voteblocks_open(self, a->papers);
    }
    return mend_voteblocks_look(self, a->papers, 0);
}

void mend_decide_papers_write(struct mend_comm *c, enum mend_decide_kind which, uint64_t seq)
{
    struct mend_proc *self = c->self;
    struct mend_paper *papers = papers_of(c, which);
    unsigned char bytes[MEND_PAPER_BYTES];
    struct mend_agree_msg msg;
    size_t len;

    if (!papers || !mend_agree_paper(c->decide->agreements[which].sm, seq, &msg))
        return;
    len = mend_ft_agree_encode(&msg, c->decide->members_n, bytes, sizeof(bytes));
    if (!len)
        return;
    mend_paper_write(papers, seq, bytes, (uint32_t)len);
    /* Pairs with the fence in want() (launch/agent/papers.c): either the agent finds the paper, or this process finds that
     * it is wanted. */
    atomic_thread_fence(memory_order_seq_cst);
    if (mend_unlikely(mend_load_relaxed(&self->node->header->papers_wanted)))
        self->rt->wrote(self);
}

static struct question *find(struct mend_comm *c, enum mend_decide_kind which, uint64_t seq)
{
    mend_list_foreach (l, next, &c->self->decide->questions) {
        struct question *q = mend_list_entry(l, struct question, link);

        if (q->c == c && q->which == which && q->seq == seq)
            return q;
    }
    return NULL;
}

void mend_decide_papers_ask(struct mend_comm *c, enum mend_decide_kind which,
                            const struct mend_agree_question *asked)
{
    struct mend_proc *self = c->self;
    struct question *q = find(c, which, asked->seq);

    if (!q) {
        mend_memory_press(self); /* the others may wait for this process, too */
        q = mend_alloc(self, sizeof(*q));
        mend_memory_relax(self);
        *q = (struct question){.c = c, .which = which, .seq = asked->seq};
        mend_list_append(&self->decide->questions, &q->link);
    }
    mend_event(self, MEND_EV_AGREE_ASKED);
    self->rt->ask(self, mark_of(c, which), asked->seq, asked->decides ? asked->round : 0);
}

static void end(struct mend_proc *self, struct question *q)
{
    self->rt->decided(self, mark_of(q->c, q->which), q->seq);
    mend_list_remove(&q->link);
    mend_free(self, q);
}

void mend_decide_papers_decided(struct mend_comm *c, enum mend_decide_kind which, uint64_t seq)
{
    struct question *q = find(c, which, seq);

    if (q)
        end(c->self, q);
}

void mend_decide_papers_close(struct mend_comm *c)
{
    struct mend_proc *self = c->self;

    mend_list_foreach (l, next, &self->decide->questions) {
        struct question *q = mend_list_entry(l, struct question, link);

        if (q->c == c)
            end(self, q);
    }
    for (int which = 0; which < MEND_DECIDE_KINDS; which++)
        if (c->decide->agreements[which].papers)
            mend_voteblocks_close(self, c->decide->agreements[which].papers);
}

/* An answer to a question that has ended has none. */
static struct question *question_of(struct mend_proc *self, const struct mend_rt_told *told)
{
    mend_list_foreach (l, next, &self->decide->questions) {
        struct question *q = mend_list_entry(l, struct question, link);

        if (mark_of(q->c, q->which) == told->mark && q->seq == told->seq)
            return q;
    }
    return NULL;
}

void mend_decide_papers_look(struct mend_proc *self)
{
    struct mend_decide *m = self->decide;
    struct mend_rt_told told;

    while ((!mend_list_empty(&m->questions) || self->news_asked > self->news_told) &&
           self->rt->told(self, &told)) {
        struct question *q = mend_news_hear(self, &told) ? NULL : question_of(self, &told);

        if (q)
            mend_decide_tree_told(q->c, q->which, &told);
    }
}
