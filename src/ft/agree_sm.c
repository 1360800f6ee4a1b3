/* SPDX-License-Identifier: BSD-3-Clause */
/* agree_sm.c – the rules of agreement; see agree_sm.h for the idea, the picture and invariants.
 *
 * Every event is handled in three phases: accept what it says about deaths (on_deaths, settle), carry out
 * its request (on_*), and check whether a gathering is complete now (advance).  A phase only notes the messages
 * to send (reply_*, up_due, scan_kind); mend_agree_next() produces them, so a later phase within
 * one step may overrule an earlier one.
 *
 * Papers (mend_agree_use_papers()).  A process writes each decision down before it sends DOWN, in memory of its node, which
 * outlives it; a search of all nodes is a question with two answers:
 *
 *      SENT, or GATHER after SENT ── a new death ──> question ──> PAPER: decided
 *                                                    │ NO_PAPER, I am the root, all heard
 *                                                    └──> I decide
 *
 * A member asks with each new set of deaths, but only if it has sent UP before: a decision needs the contribution of each living
 * member, so until then there is none.  A new root that has sent UP decides by itself only when the nodes have answered the
 * question of its last deaths with NO_PAPER: then no process that was dead has left a decision on a node that lives, and the
 * living have promised.  So all decisions on nodes that live are the same, those of dead processes included, and PAPER is
 * taken at any ballot; it keeps its own, so that nobody takes it for a decision of the present root.  A question stays open: PAPER
 * may come after NO_PAPER, when a member decides meanwhile and then answers nothing.  An agent that has an answer for a member of its
 * node keeps it until that has decided, and answers others with it. */
#include "ft/agree_sm.h"

#include <string.h>

size_t mend_agree_size(int32_t n, int window)
{
    size_t words = mend_bits_words(n), slots = (size_t)window * 3;

    return sizeof(struct mend_agree) + slots * sizeof(struct mend_agree_slot) +
           (2 + 2 * slots) * words * sizeof(uint64_t);
}

void mend_agree_value_init(struct mend_agree_value *value_p)
{
    memset(value_p, 0, sizeof *value_p);
    memset(value_p->and_word, 0xff, sizeof value_p->and_word);
}

static int32_t count_children(const struct mend_tree *t, const uint64_t *nobody)
{
    struct mend_tree_walk walk;
    int32_t n = 0, r;

    mend_tree_walk_begin(t, false, &walk);
    while (mend_tree_walk_next(t, &walk, nobody, NULL, &r))
        n++;
    return n;
}

void mend_agree_init(struct mend_agree *x, int32_t n, int32_t me, int radix_bits, int window)
{
    MEND_ASSERT(0 <= me && me < n && 1 <= radix_bits && radix_bits <= 30);
    MEND_ASSERT(1 <= window && window <= MEND_AGREE_WINDOW_MAX);
    memset(x, 0, mend_agree_size(n, window));
    x->tree = (struct mend_tree){n, me, (uint8_t)radix_bits};
    x->words = (uint32_t)mend_bits_words(n);
    x->window = (uint8_t)window;
    x->nslots = (uint8_t)(3 * window);
    x->nchildren = count_children(&x->tree, mend_agree_dead(x));
    x->parent = me ? mend_tree_parent(&x->tree, me) : me;
}

/* ---- slots ---- */

/* The only writer of a slot's state; refuses edges that the picture does not have (invariant 6). */
static void become(struct mend_agree *x, unsigned i, enum mend_agree_state to)
{
    static const uint8_t edges[] = {
        [MEND_AGREE_FREE] = 1 << MEND_AGREE_EARLY,
        [MEND_AGREE_EARLY] = 1 << MEND_AGREE_GATHER,
        [MEND_AGREE_GATHER] = 1 << MEND_AGREE_SENT | 1 << MEND_AGREE_DECIDED,
        [MEND_AGREE_SENT] = 1 << MEND_AGREE_GATHER | 1 << MEND_AGREE_DECIDED,
        [MEND_AGREE_DECIDED] = 1 << MEND_AGREE_REOPEN | 1 << MEND_AGREE_FREE,
        [MEND_AGREE_REOPEN] = 1 << MEND_AGREE_RESENT | 1 << MEND_AGREE_DECIDED,
        [MEND_AGREE_RESENT] = 1 << MEND_AGREE_DECIDED,
    };
    struct mend_agree_slot *s = mend_agree_slot(x, i);

    MEND_ASSERT(edges[s->state] >> to & 1);
    s->state = (uint8_t)to;
}

static void clear_heard(struct mend_agree *x, unsigned i)
{
    if (mend_agree_slot(x, i)->nheard)
        memset(mend_agree_heard(x, i), 0, x->words * sizeof(uint64_t));
    mend_agree_slot(x, i)->nheard = 0;
}

static void clear_output(struct mend_agree *x, unsigned i)
{
    struct mend_agree_slot *s = mend_agree_slot(x, i);

    s->up_due = false;
    s->scan_kind = MEND_AGREE_NONE;
    memset(&s->walk, 0, sizeof s->walk);
    x->busy &= ~(1u << i);
}

static void set_value(struct mend_agree *x, unsigned i, const struct mend_agree_value *v)
{
    struct mend_agree_slot *s = mend_agree_slot(x, i);

    memcpy(s->and_word, v->and_word, sizeof s->and_word);
    memcpy(s->max_word, v->max_word, sizeof s->max_word);
    if (v->nfailed)
        memcpy(mend_agree_failed(x, i), v->failed, x->words * sizeof(uint64_t));
    else if (s->nfailed)
        memset(mend_agree_failed(x, i), 0, x->words * sizeof(uint64_t));
    s->nfailed = v->nfailed;
}

/* The slot of agreement seq, which lies in the window.  What it held before is history: a process
 * that contributed to q has returned from q - window, so nobody living can ask (invariant 5). */
static unsigned slot_use(struct mend_agree *x, uint64_t seq)
{
    unsigned i = (unsigned)(seq % x->nslots);
    struct mend_agree_slot *s = mend_agree_slot(x, i);
    struct mend_agree_value neutral;

    if (s->state != MEND_AGREE_FREE && s->seq == seq)
        return i;
    if (s->state == MEND_AGREE_REOPEN || s->state == MEND_AGREE_RESENT)
        become(x, i, MEND_AGREE_DECIDED); /* only somebody excluded can still have asked */
    if (s->state != MEND_AGREE_FREE) {
        MEND_ASSERT(s->seq + x->window < x->decided_end);
        become(x, i, MEND_AGREE_FREE);
    }
    clear_heard(x, i);
    clear_output(x, i); /* this very step may have found something to say about the old one */
    mend_agree_value_init(&neutral);
    set_value(x, i, &neutral);
    s->seq = seq;
    s->accepted = -1;
    s->last = s->sent = s->searched = false;
    s->round = 0;
    become(x, i, MEND_AGREE_EARLY);
    return i;
}

/* What others may still or already talk about. */
static bool in_window(const struct mend_agree *x, uint64_t seq)
{
    return seq + x->window >= x->decided_end && seq < x->next + x->window;
}

/* Joins a contribution or a decision into the slot: contributions add up, a decision replaces
 * contributions, and of decisions that of the highest ballot counts. */
static void join(struct mend_agree *x, unsigned i, const struct mend_agree_value *v,
                 int32_t accepted)
{
    struct mend_agree_slot *s = mend_agree_slot(x, i);

    if (accepted > s->accepted) {
        set_value(x, i, v);
        s->accepted = accepted;
        return;
    }
    if (accepted >= 0 || s->accepted >= 0)
        return;
    for (int w = 0; w < MEND_AGREE_WORDS; w++) {
        s->and_word[w] &= v->and_word[w];
        if (s->max_word[w] < v->max_word[w])
            s->max_word[w] = v->max_word[w];
    }
    if (v->nfailed)
        s->nfailed = mend_bits_union(mend_agree_failed(x, i), v->failed, x->words);
}

/* ---- what is to be sent ---- */

static void tell_children(struct mend_agree *x, unsigned i, enum mend_agree_msg_kind kind)
{
    struct mend_agree_slot *s = mend_agree_slot(x, i);

    s->scan_kind = (uint8_t)kind;
    mend_tree_walk_begin(&x->tree, x->root == x->tree.me, &s->walk);
    x->busy |= 1u << i;
}

static void tell_parent(struct mend_agree *x, unsigned i)
{
    mend_agree_slot(x, i)->up_due = true;
    x->busy |= 1u << i;
}

static void answer(struct mend_agree *x, unsigned i, int32_t to, enum mend_agree_msg_kind kind)
{
    x->reply_kind = (uint8_t)kind;
    x->reply_slot = (uint8_t)i;
    x->reply_to = to;
}

/* ---- gathering ---- */

static bool all_heard(const struct mend_agree *x, unsigned i)
{
    struct mend_tree_walk walk;
    int32_t r;

    if (x->ndead == 0)
        return mend_agree_slot(x, i)->nheard == x->nchildren;
    mend_tree_walk_begin(&x->tree, x->root == x->tree.me, &walk);
    return !mend_tree_walk_next(&x->tree, &walk, mend_agree_dead(x), mend_agree_heard(x, i), &r);
}

static void decided(struct mend_agree *x, unsigned i, struct mend_agree_out *out)
{
    struct mend_agree_slot *s = mend_agree_slot(x, i);
    bool news = s->state == MEND_AGREE_GATHER || s->state == MEND_AGREE_SENT;

    become(x, i, MEND_AGREE_DECIDED);
    s->accepted = x->root;
    s->up_due = false;
    if (!news)
        return;
    MEND_ASSERT(out->decided_n < MEND_AGREE_WINDOW_MAX);
    out->decided_seq[out->decided_n++] = s->seq;
    if (x->decided_end <= s->seq)
        x->decided_end = s->seq + 1;
}

/* A process that is dead may have decided this, and only papers can tell (invariant 9). */
static bool must_search(const struct mend_agree *x, const struct mend_agree_slot *s)
{
    return x->papers && s->accepted < 0 && s->sent && !s->searched;
}

/* A gathering is complete: every living member of my subtree has promised my ballot. */
static void advance(struct mend_agree *x, unsigned i, struct mend_agree_out *out)
{
    struct mend_agree_slot *s = mend_agree_slot(x, i);

    if (s->state != MEND_AGREE_GATHER && s->state != MEND_AGREE_REOPEN)
        return;
    if (!all_heard(x, i) || (x->root == x->tree.me && must_search(x, s)))
        return;
    if (s->accepted < 0 && x->ndead)
        s->nfailed = mend_bits_union(mend_agree_failed(x, i), mend_agree_dead(x), x->words);
    if (x->root == x->tree.me) {
        decided(x, i, out);
        tell_children(x, i, MEND_AGREE_DOWN);
    } else {
        become(x, i, s->state == MEND_AGREE_GATHER ? MEND_AGREE_SENT : MEND_AGREE_RESENT);
        clear_output(x, i); /* a REQUEST to nobody */
        s->sent = true;
        tell_parent(x, i);
    }
}

static void hear(struct mend_agree *x, unsigned i, int32_t from)
{
    if (mend_bits_test(mend_agree_heard(x, i), from))
        return;
    mend_bits_set(mend_agree_heard(x, i), from);
    mend_agree_slot(x, i)->nheard++;
}

/* Somebody at a higher ballot has no decision: collect the promises of my subtree once more. */
static void reopen(struct mend_agree *x, unsigned i)
{
    become(x, i, MEND_AGREE_REOPEN);
    clear_heard(x, i);
    tell_children(x, i, MEND_AGREE_REQUEST);
}

/* ---- deaths ---- */

static void on_new_root(struct mend_agree *x, unsigned i)
{
    struct mend_agree_slot *s = mend_agree_slot(x, i);

    clear_output(x, i);
    switch ((enum mend_agree_state)s->state) {
    case MEND_AGREE_FREE:
    case MEND_AGREE_DECIDED:
        return; /* silent until asked */
    case MEND_AGREE_REOPEN:
    case MEND_AGREE_RESENT:
        become(x, i, MEND_AGREE_DECIDED); /* those that asked will ask again, at the new ballot */
        return;
    case MEND_AGREE_EARLY:
        clear_heard(x, i); /* they will answer again, at the new ballot */
        return;
    case MEND_AGREE_SENT:
        become(x, i, MEND_AGREE_GATHER);
        break;
    case MEND_AGREE_GATHER:
        break;
    }
    clear_heard(x, i);
    tell_children(x, i, MEND_AGREE_REQUEST); /* children that have decided are silent */
}

/* r is dead, and its children are mine now if r was: they may have decided and be silent. */
static void on_lost(struct mend_agree *x, int32_t r)
{
    if (mend_tree_live_parent(&x->tree, mend_agree_dead(x), x->root, r) != x->tree.me)
        return;
    for (unsigned i = 0; i < x->nslots; i++) {
        uint8_t state = mend_agree_slot(x, i)->state;

        if ((state == MEND_AGREE_GATHER || state == MEND_AGREE_REOPEN) &&
            !mend_bits_test(mend_agree_heard(x, i), r))
            tell_children(x, i, MEND_AGREE_REQUEST);
    }
}

/* Somebody who could tell me may be dead: the papers may say it. */
static void ask(struct mend_agree *x, unsigned i, struct mend_agree_out *out)
{
    struct mend_agree_slot *s = mend_agree_slot(x, i);

    if (!x->papers || !s->sent || (s->state != MEND_AGREE_GATHER && s->state != MEND_AGREE_SENT))
        return;
    MEND_ASSERT(out->asked_n < MEND_AGREE_WINDOW_MAX);
    s->searched = false;
    s->round++;
    out->asked[out->asked_n++] =
        (struct mend_agree_question){s->seq, s->round, x->root == x->tree.me};
}

/* Draws the consequences when some ranks have been marked as dead. */
static void settle(struct mend_agree *x, struct mend_agree_out *out)
{
    int32_t root = x->root, parent = x->parent;

    while (mend_bits_test(mend_agree_dead(x), x->root))
        x->root++;
    x->parent = mend_tree_live_parent(&x->tree, mend_agree_dead(x), x->root, x->tree.me);
    for (unsigned i = 0; i < x->nslots; i++) {
        uint8_t state = mend_agree_slot(x, i)->state;

        if (x->root != root)
            on_new_root(x, i);
        else if (x->parent != parent && (state == MEND_AGREE_SENT || state == MEND_AGREE_RESENT))
            tell_parent(x, i);
        ask(x, i, out);
        advance(x, i, out);
    }
}

/* All of a set at once: no consequence of one death comes before another one is known. */
static void on_deaths(struct mend_agree *x, const uint64_t *set, struct mend_agree_out *out)
{
    uint64_t *dead = mend_agree_dead(x), *fresh = mend_agree_fresh(x);
    int32_t known = x->ndead;

    if (mend_bits_test(set, x->tree.me)) {
        x->excluded = true;
        return;
    }
    for (uint32_t w = 0; w < x->words; w++)
        fresh[w] = set[w] & ~dead[w];
    x->ndead = mend_bits_union(dead, set, x->words);
    if (x->ndead == known)
        return;
    if (!mend_bits_test(dead, x->root)) /* else all is asked for again, by the new root */
        for (int32_t r = mend_bits_next(fresh, x->tree.n, 0); r >= 0;
             r = mend_bits_next(fresh, x->tree.n, r + 1))
            on_lost(x, r);
    memset(fresh, 0, x->words * sizeof *fresh);
    settle(x, out);
}

/* ---- messages ---- */

/* All below the ballot are dead to the sender, and all ancestors of the lower end of the edge that lie between its two ends.
 * Neither of these two is. */
static bool proves_its_deaths(const struct mend_agree *x, const struct mend_agree_msg *m,
                              int32_t low, int32_t high)
{
    if (!m->ndead)
        return m->ballot == 0 && mend_tree_parent(&x->tree, high) == low;
    if (mend_bits_test(m->dead, low) || mend_bits_test(m->dead, high))
        return false;
    for (int32_t r = 0; r < m->ballot; r++)
        if (!mend_bits_test(m->dead, r))
            return false;
    for (int32_t r = mend_tree_parent(&x->tree, high); r > low; r = mend_tree_parent(&x->tree, r))
        if (!mend_bits_test(m->dead, r))
            return false;
    return true;
}

/* Could one of us have sent this to me?  A child sends to its nearest living ancestor or to the
 * root; answers go back along the same edge. */
static bool plausible(const struct mend_agree *x, const struct mend_agree_msg *m)
{
    int32_t me = x->tree.me, low = m->peer < me ? m->peer : me, high = m->peer < me ? me : m->peer;

    if (m->peer < 0 || m->peer >= x->tree.n || m->peer == me)
        return false;
    if (m->kind == MEND_AGREE_GONE)
        return true;
    if (m->kind == MEND_AGREE_UP ? m->peer < me : m->peer > me)
        return false;
    if (m->kind < MEND_AGREE_UP || m->kind > MEND_AGREE_GONE)
        return false;
    if (m->ballot < 0 || m->ballot > low || m->accepted < -1 || m->accepted > m->ballot)
        return false;
    return (m->ballot == low || mend_tree_is_ancestor(&x->tree, low, high)) &&
           proves_its_deaths(x, m, low, high);
}

static void on_up(struct mend_agree *x, const struct mend_agree_msg *m, struct mend_agree_out *out)
{
    unsigned i = slot_use(x, m->seq);
    struct mend_agree_slot *s = mend_agree_slot(x, i);

    if (m->ballot < x->root) {
        answer(x, i, m->peer, MEND_AGREE_REQUEST);
        return;
    }
    if (s->state == MEND_AGREE_SENT || s->state == MEND_AGREE_RESENT)
        return; /* counted already, through a child that has died since */
    if (s->state == MEND_AGREE_DECIDED && s->accepted == x->root) {
        answer(x, i, m->peer, MEND_AGREE_DOWN);
        return;
    }
    if (s->state == MEND_AGREE_DECIDED)
        reopen(x, i);
    join(x, i, &m->value, m->accepted);
    hear(x, i, m->peer);
    advance(x, i, out);
}

static void on_down(struct mend_agree *x, const struct mend_agree_msg *m,
                    struct mend_agree_out *out)
{
    unsigned i = slot_use(x, m->seq);
    struct mend_agree_slot *s = mend_agree_slot(x, i);

    if (m->ballot < x->root || (s->state != MEND_AGREE_SENT && s->state != MEND_AGREE_RESENT)) {
        out->refusal = MEND_AGREE_OLD_BALLOT;
        return;
    }
    if (s->state == MEND_AGREE_SENT)
        set_value(x, i, &m->value);
    decided(x, i, out);
    tell_children(x, i, MEND_AGREE_DOWN);
}

static void on_request(struct mend_agree *x, const struct mend_agree_msg *m,
                       struct mend_agree_out *out)
{
    unsigned i = slot_use(x, m->seq);
    struct mend_agree_slot *s = mend_agree_slot(x, i);

    if (s->state != MEND_AGREE_DECIDED || s->accepted == x->root)
        return; /* the answer is under way, or will be given without being asked */
    reopen(x, i);
    advance(x, i, out);
}

/* Somebody has freed the communicator, so its last agreement, whose value says nothing, is decided
 * for everybody. */
static void finish_last(struct mend_agree *x, unsigned i, struct mend_agree_out *out)
{
    struct mend_agree_slot *s = mend_agree_slot(x, i);

    if (!s->last || (s->state != MEND_AGREE_GATHER && s->state != MEND_AGREE_SENT))
        return;
    clear_output(x, i);
    decided(x, i, out);
    tell_children(x, i, MEND_AGREE_GONE);
}

/* ---- papers ---- */

/* The slot of an agreement to which this process has contributed, and which is not decided here; NULL: it is not one. */
static struct mend_agree_slot *undecided(struct mend_agree *x, uint64_t seq, unsigned *i_p)
{
    struct mend_agree_slot *s = mend_agree_slot(x, *i_p = (unsigned)(seq % x->nslots));

    return s->seq == seq && (s->state == MEND_AGREE_GATHER || s->state == MEND_AGREE_SENT) ? s
                                                                                           : NULL;
}

/* Its members ask themselves, so nothing is said to them; and at my ballot nobody may have decided. */
static void on_paper(struct mend_agree *x, const struct mend_agree_msg *m,
                     struct mend_agree_out *out)
{
    unsigned i;
    struct mend_agree_slot *s = undecided(x, m->seq, &i);

    if (!s)
        return;
    clear_output(x, i);
    set_value(x, i, &m->value);
    decided(x, i, out);
    if (m->ballot < x->root)
        s->accepted = m->ballot;
}

static void on_no_paper(struct mend_agree *x, uint64_t seq, uint32_t round,
                        struct mend_agree_out *out)
{
    unsigned i;
    struct mend_agree_slot *s = undecided(x, seq, &i);

    if (!s || s->round != round)
        return;
    s->searched = true;
    advance(x, i, out);
}

static void on_recv(struct mend_agree *x, const struct mend_agree_msg *m,
                    struct mend_agree_out *out)
{
    if (!plausible(x, m))
        out->refusal = MEND_AGREE_BAD;
    else if (mend_bits_test(mend_agree_dead(x), m->peer))
        out->refusal = MEND_AGREE_FROM_DEAD;
    else if (!in_window(x, m->seq))
        out->refusal = MEND_AGREE_STALE;
    if (out->refusal)
        return;
    if (m->kind == MEND_AGREE_GONE) {
        finish_last(x, slot_use(x, m->seq), out);
        return;
    }
    if (m->ndead)
        on_deaths(x, m->dead, out);
    if (m->kind == MEND_AGREE_UP)
        on_up(x, m, out);
    else if (m->kind == MEND_AGREE_DOWN)
        on_down(x, m, out);
    else
        on_request(x, m, out);
}

/* ---- the caller's side ---- */

bool mend_agree_can_start(const struct mend_agree *x)
{
    unsigned i = (unsigned)((x->next + x->nslots - x->window) % x->nslots);

    return x->next < x->window || mend_agree_slot(x, i)->state >= MEND_AGREE_DECIDED;
}

static void on_start(struct mend_agree *x, const struct mend_agree_value *v, bool last,
                     struct mend_agree_out *out)
{
    unsigned i;

    MEND_ASSERT(mend_agree_can_start(x));
    i = slot_use(x, x->next);
    x->next++;
    mend_agree_slot(x, i)->last = last;
    join(x, i, v, -1);
    become(x, i, MEND_AGREE_GATHER);
    advance(x, i, out);
}

void mend_agree_step(struct mend_agree *x, const struct mend_agree_event *ev,
                     struct mend_agree_out *out)
{
    MEND_ASSERT(x->busy == 0 && x->reply_kind == MEND_AGREE_NONE);
    memset(out, 0, sizeof *out);
    if (x->excluded)
        return;
    switch (ev->kind) {
    case MEND_AGREE_START:
        on_start(x, ev->value, ev->last, out);
        break;
    case MEND_AGREE_RECV:
        on_recv(x, ev->msg, out);
        break;
    case MEND_AGREE_DEATH:
        on_deaths(x, ev->dead, out);
        break;
    case MEND_AGREE_LEFT:
        on_deaths(x, ev->dead, out);
        for (unsigned i = 0; i < x->nslots; i++)
            finish_last(x, i, out);
        break;
    case MEND_AGREE_PAPER:
        on_paper(x, ev->msg, out);
        break;
    case MEND_AGREE_NO_PAPER:
        on_no_paper(x, ev->seq, ev->round, out);
        break;
    }
}

/* What a slot may say in its state (invariant 10). */
static bool may_say(const struct mend_agree_slot *s, enum mend_agree_msg_kind kind)
{
    if (kind == MEND_AGREE_UP)
        return s->state == MEND_AGREE_SENT || s->state == MEND_AGREE_RESENT;
    if (kind == MEND_AGREE_REQUEST)
        return s->state == MEND_AGREE_GATHER || s->state == MEND_AGREE_REOPEN;
    return s->state == MEND_AGREE_DECIDED;
}

static void fill(const struct mend_agree *x, unsigned i, enum mend_agree_msg_kind kind, int32_t to,
                 struct mend_agree_msg *msg_p)
{
    const struct mend_agree_slot *s = mend_agree_slot(x, i);
    struct mend_agree_msg m = {.kind = kind, .peer = to, .ballot = x->root, .accepted = -1};

    m.seq = s->seq;
    if (kind == MEND_AGREE_UP)
        m.accepted = s->accepted;
    memcpy(m.value.and_word, s->and_word, sizeof m.value.and_word);
    memcpy(m.value.max_word, s->max_word, sizeof m.value.max_word);
    m.value.nfailed = s->nfailed;
    m.value.failed = mend_agree_failed(x, i);
    if (kind != MEND_AGREE_GONE) {
        m.ndead = x->ndead;
        m.dead = mend_agree_dead(x);
    }
    *msg_p = m;
}

bool mend_agree_next(struct mend_agree *x, struct mend_agree_msg *msg_p)
{
    if (x->reply_kind) {
        fill(x, x->reply_slot, (enum mend_agree_msg_kind)x->reply_kind, x->reply_to, msg_p);
        x->reply_kind = MEND_AGREE_NONE;
        return true;
    }
    while (x->busy) {
        unsigned i = (unsigned)__builtin_ctz(x->busy);
        struct mend_agree_slot *s = mend_agree_slot(x, i);
        const uint64_t *covered =
            s->scan_kind == MEND_AGREE_REQUEST ? mend_agree_heard(x, i) : NULL;
        int32_t to;

        if (s->up_due) {
            MEND_ASSERT(may_say(s, MEND_AGREE_UP));
            s->up_due = false;
            fill(x, i, MEND_AGREE_UP, x->parent, msg_p);
            return true;
        }
        if (s->scan_kind &&
            mend_tree_walk_next(&x->tree, &s->walk, mend_agree_dead(x), covered, &to)) {
            MEND_ASSERT(may_say(s, (enum mend_agree_msg_kind)s->scan_kind));
            fill(x, i, (enum mend_agree_msg_kind)s->scan_kind, to, msg_p);
            return true;
        }
        clear_output(x, i);
    }
    return false;
}

bool mend_agree_result(const struct mend_agree *x, uint64_t seq, struct mend_agree_value *value_p)
{
    unsigned i = (unsigned)(seq % x->nslots);
    const struct mend_agree_slot *s = mend_agree_slot(x, i);
    struct mend_agree_msg m;

    if (s->seq != seq || s->state < MEND_AGREE_DECIDED)
        return false;
    fill(x, i, MEND_AGREE_DOWN, 0, &m);
    *value_p = m.value;
    return true;
}

bool mend_agree_paper(const struct mend_agree *x, uint64_t seq, struct mend_agree_msg *msg_p)
{
    unsigned i = (unsigned)(seq % x->nslots);
    const struct mend_agree_slot *s = mend_agree_slot(x, i);

    if (s->seq != seq || s->state < MEND_AGREE_DECIDED)
        return false;
    fill(x, i, MEND_AGREE_DOWN, x->tree.me, msg_p);
    msg_p->ballot = s->accepted;
    msg_p->ndead = 0;
    return true;
}

bool mend_agree_tomb_reply(uint64_t last_seq, const struct mend_agree_msg *msg,
                           struct mend_agree_msg *reply_p)
{
    if (msg->seq != last_seq || (msg->kind != MEND_AGREE_UP && msg->kind != MEND_AGREE_REQUEST))
        return false;
    memset(reply_p, 0, sizeof *reply_p);
    reply_p->kind = MEND_AGREE_GONE;
    reply_p->peer = msg->peer;
    reply_p->ballot = msg->ballot;
    reply_p->accepted = -1;
    reply_p->seq = last_seq;
    mend_agree_value_init(&reply_p->value);
    return true;
}

static void check_slot(const struct mend_agree *x, unsigned i)
{
    const struct mend_agree_slot *s = mend_agree_slot(x, i);
    const uint64_t *failed = mend_agree_failed(x, i), *heard = mend_agree_heard(x, i);

    MEND_ASSERT(s->state <= MEND_AGREE_RESENT);
    if (s->state == MEND_AGREE_FREE)
        return;
    MEND_ASSERT(s->accepted >= -1 && s->accepted <= x->root);
    MEND_ASSERT(s->state < MEND_AGREE_DECIDED || s->accepted >= 0);
    MEND_ASSERT(s->nfailed == mend_bits_count(failed, x->words));
    MEND_ASSERT(s->nheard == mend_bits_count(heard, x->words));
    MEND_ASSERT(!mend_bits_overflow(failed, x->tree.n) && !mend_bits_overflow(heard, x->tree.n));
    MEND_ASSERT(!mend_bits_test(heard, x->tree.me));
    MEND_ASSERT(s->state != MEND_AGREE_EARLY || s->seq >= x->next);
    MEND_ASSERT(s->seq % x->nslots == i);
}

void mend_agree_check(const struct mend_agree *x)
{
    const uint64_t *dead = mend_agree_dead(x);

    for (int32_t r = 0; r < x->root; r++)
        MEND_ASSERT(mend_bits_test(dead, r));
    MEND_ASSERT(!mend_bits_test(dead, x->root) && !mend_bits_test(dead, x->tree.me));
    MEND_ASSERT(x->ndead == mend_bits_count(dead, x->words));
    MEND_ASSERT(!mend_bits_overflow(dead, x->tree.n));
    MEND_ASSERT(x->parent == mend_tree_live_parent(&x->tree, dead, x->root, x->tree.me));
    for (unsigned i = 0; i < x->nslots; i++)
        check_slot(x, i);
}
