/* SPDX-License-Identifier: BSD-3-Clause */
/* papers_test.c – agreement by messages with papers (ft/agree_sm.h) among members on several nodes, and their agents, searched.
 *
 *   member ── messages, in order ──> member          facts and messages of agents ── one queue for each agent, from the root
 *   member ── paper ──> its node                      agent ── answers, facts ──> member
 *
 * At each step a member may vote, hear the next message, fact or answer, or stop listening for ever once it has decided; it may
 * die, and a node may be lost with all that is on it.  All orders for few members, random ones for more.  All that was decided on
 * nodes that are left is the same, whether its process lives or not; and when nothing is left to hear, each living
 * member has decided.
 *
 *   R42: no decision depends on a process that is outside MPI
 *   S5-9: decisions are uniform across nodes, in whatever order these learn of deaths
 *   S5-12: a decision can be learned as long as a node lives on which a process had decided */
#include "ft/agree_sm.h"

#include "base/test.h"

#include <stdlib.h>
#include <string.h>

#define MEMBERS 6
#define NODES   3
#define WORDS   100 /* of a machine */
#define QUEUE   32

struct letter {
    uint8_t kind, value, failed, dead;
    int8_t ballot, accepted;
};

/* From the root to an agent: a fact if `dead` is not 0. */
struct news {
    uint8_t dead, lost;        /* members; 1 + a node */
    uint8_t kind, from, about; /* enum talk; a node, a member */
    uint8_t search, value, failed, ballot;
};
enum talk { ASK = 1, TOLD_PAPER, TOLD_NONE, END };

struct told {
    uint8_t found, round, value, failed, ballot;
};

struct member {
    uint64_t machine[WORDS];
    uint8_t voted, decided, is_outside, is_dead;
    uint8_t value, failed, ballot; /* what it has decided, and its paper */
    uint8_t facts_n;               /* that it has heard */
    uint8_t asks, round;           /* its question at its agent */
    uint8_t counts;                /* whether it wants to know of no paper, too */
    uint8_t search, heard;         /* number of that search; nodes that have found none */
    uint8_t holds;                 /* at its agent: an answer for it */
    struct told held;
    uint8_t told_n;
    struct told told[8];
};

struct node {
    uint8_t is_lost;
    uint8_t facts_n, fact[MEMBERS]; /* that its agent has heard */
    uint8_t lost;                   /* nodes, as far as it has heard */
    uint8_t open; /* nodes with a question that it has not answered with a paper */
    uint8_t news_n;
    struct news news[QUEUE];
};

struct world {
    struct member m[MEMBERS];
    struct node node[NODES];
    uint8_t letters_n[MEMBERS][MEMBERS]; /* from, to */
    struct letter letter[MEMBERS][MEMBERS][4];
    uint8_t deaths, losses; /* that may still happen */
};

/* Takes the first one out of an array, of which the rest is 0. */
#define TAKE(all_)                                                                                 \
    (memmove(all_, (all_) + 1, sizeof(all_) - sizeof((all_)[0])),                                  \
     memset(&(all_)[MEND_COUNT_OF(all_) - 1], 0, sizeof((all_)[0])))

static int members_n, nodes_n, radix_bits = 1;
static bool holds = true; /* agents keep answers for their members */
static uint64_t states_n, ends_n;

static int node_of(int r)
{
    return r % nodes_n;
}

static struct mend_agree *machine(struct world *w, int r)
{
    return (struct mend_agree *)(void *)w->m[r].machine;
}

static uint8_t on_node(int k)
{
    uint8_t set = 0;

    for (int r = 0; r < members_n; r++)
        set |= (uint8_t)((node_of(r) == k) << r);
    return set;
}

/* ---- the root, and agents ---- */

static void pass(struct world *w, int to, struct news what)
{
    struct node *n = &w->node[to];

    if (n->is_lost)
        return;
    CHECK(n->news_n < QUEUE);
    n->news[n->news_n++] = what;
}

static void pass_to_all(struct world *w, int but, struct news what)
{
    for (int k = 0; k < nodes_n; k++)
        if (k != but)
            pass(w, k, what);
}

static void tell(struct world *w, int r, struct told what)
{
    struct member *m = &w->m[r];

    if (m->is_dead)
        return;
    CHECK(m->told_n < MEND_COUNT_OF(m->told));
    m->told[m->told_n++] = what;
}

/* The agent of the node looks at papers, and at what it keeps for its members. */
static bool look(struct world *w, int node, struct told *found_p)
{
    for (int r = 0; r < members_n; r++) {
        struct member *m = &w->m[r];

        if (node_of(r) != node || (!m->decided && !m->holds))
            continue;
        *found_p = m->held;
        if (m->decided)
            *found_p = (struct told){
                .found = 1, .value = m->value, .failed = m->failed, .ballot = m->ballot};
        return true;
    }
    return false;
}

static void answer(struct world *w, int r, struct told what)
{
    struct member *m = &w->m[r];

    if (!m->asks)
        return;
    tell(w, r, what);
    m->holds = holds;
    m->held = what;
    m->asks = m->counts = 0;
}

static void count_answers(struct world *w, int r)
{
    struct member *m = &w->m[r];
    struct node *n = &w->node[node_of(r)];

    if (m->counts && (m->heard | n->lost | 1 << node_of(r)) == (1 << nodes_n) - 1) {
        m->counts = 0;
        tell(w, r, (struct told){.round = m->round});
    }
}

static void begin_search(struct world *w, int r)
{
    struct member *m = &w->m[r];

    m->heard = 0;
    m->search++;
    pass_to_all(w, node_of(r),
                (struct news){.kind = ASK,
                              .from = (uint8_t)node_of(r),
                              .about = (uint8_t)r,
                              .search = m->counts ? m->search : 0});
    count_answers(w, r);
}

static void ask(struct world *w, int r, uint8_t round, bool counts)
{
    struct member *m = &w->m[r];
    struct told found;

    m->asks = 1;
    m->round = round;
    m->counts = counts;
    if (look(w, node_of(r), &found)) {
        answer(w, r, found);
        return;
    }
    begin_search(w, r);
}

static struct news told_paper(const struct told *x)
{
    return (struct news){
        .kind = TOLD_PAPER, .value = x->value, .failed = x->failed, .ballot = x->ballot};
}

/* A member of the node has written a paper. */
static void look_again(struct world *w, int node)
{
    struct told found;

    if (!look(w, node, &found))
        return;
    for (int r = 0; r < members_n; r++)
        if (node_of(r) == node)
            answer(w, r, found);
    for (int k = 0; k < nodes_n; k++)
        if (w->node[node].open >> k & 1)
            pass(w, k, told_paper(&found));
    w->node[node].open = 0;
}

static void end_question(struct world *w, int r)
{
    struct member *m = &w->m[r];
    bool any = false;

    m->asks = m->counts = m->holds = 0;
    for (int i = 0; i < members_n; i++)
        any |= node_of(i) == node_of(r) && (w->m[i].asks || w->m[i].holds);
    if (!any)
        pass_to_all(w, node_of(r), (struct news){.kind = END, .from = (uint8_t)node_of(r)});
}

static void hear_question(struct world *w, int node, const struct news *x)
{
    struct told found;

    if (look(w, node, &found)) {
        pass(w, x->from, told_paper(&found));
        return;
    }
    w->node[node].open |= (uint8_t)(1 << x->from);
    if (x->search)
        pass(w, x->from,
             (struct news){
                 .kind = TOLD_NONE, .from = (uint8_t)node, .about = x->about, .search = x->search});
}

static void hear_paper(struct world *w, int node, const struct news *x)
{
    struct told found = {.found = 1, .value = x->value, .failed = x->failed, .ballot = x->ballot};

    for (int r = 0; r < members_n; r++)
        if (node_of(r) == node)
            answer(w, r, found);
}

static void hear_none(struct world *w, const struct news *x)
{
    struct member *m = &w->m[x->about];

    if (!m->counts || m->search != x->search)
        return;
    m->heard |= (uint8_t)(1 << x->from);
    count_answers(w, x->about);
}

static void hear_fact(struct world *w, int node, const struct news *x)
{
    struct node *n = &w->node[node];

    n->fact[n->facts_n++] = x->dead;
    if (!x->lost)
        return;
    n->lost |= (uint8_t)(1 << (x->lost - 1));
    n->open &= (uint8_t) ~(1 << (x->lost - 1));
    for (int r = 0; r < members_n; r++) /* another agent may have got an answer from there */
        if (node_of(r) == node && w->m[r].counts)
            begin_search(w, r);
}

static void hear_news(struct world *w, int node)
{
    struct node *n = &w->node[node];
    struct news x = n->news[0];

    n->news_n--;
    TAKE(n->news);
    if (x.dead)
        hear_fact(w, node, &x);
    else if (x.kind == ASK)
        hear_question(w, node, &x);
    else if (x.kind == TOLD_PAPER)
        hear_paper(w, node, &x);
    else if (x.kind == TOLD_NONE)
        hear_none(w, &x);
    else
        n->open &= (uint8_t) ~(1 << x.from);
}

/* ---- members ---- */

/* All that was decided on nodes that are left is one. */
static void check_uniform(const struct world *w, int r)
{
    for (int i = 0; i < members_n; i++)
        if (w->m[i].decided && !w->node[node_of(i)].is_lost) {
            CHECK_EQ(w->m[i].value, w->m[r].value);
            CHECK_EQ(w->m[i].failed, w->m[r].failed);
        }
}

static void decide(struct world *w, int r)
{
    struct member *m = &w->m[r];
    struct mend_agree_msg paper;

    CHECK(!m->decided && mend_agree_paper(machine(w, r), 0, &paper));
    m->decided = 1;
    m->value = (uint8_t)~paper.value.and_word[0];
    m->failed = paper.value.nfailed ? (uint8_t)paper.value.failed[0] : 0;
    m->ballot = (uint8_t)paper.ballot;
    check_uniform(w, r);
}

static void send_all(struct world *w, int r)
{
    struct mend_agree_msg msg;

    while (mend_agree_next(machine(w, r), &msg)) {
        struct letter *x;

        if (w->m[msg.peer].is_dead || w->m[msg.peer].is_outside)
            continue;
        CHECK(w->letters_n[r][msg.peer] < MEND_COUNT_OF(w->letter[0][0]));
        x = &w->letter[r][msg.peer][w->letters_n[r][msg.peer]++];
        *x = (struct letter){.kind = (uint8_t)msg.kind,
                             .value = (uint8_t)~msg.value.and_word[0],
                             .failed = msg.value.nfailed ? (uint8_t)msg.value.failed[0] : 0,
                             .dead = msg.ndead ? (uint8_t)msg.dead[0] : 0,
                             .ballot = (int8_t)msg.ballot,
                             .accepted = (int8_t)msg.accepted};
    }
}

static void step(struct world *w, int r, const struct mend_agree_event *ev)
{
    struct mend_agree_out out;
    bool had_asked = w->m[r].asks || w->m[r].holds;

    mend_agree_step(machine(w, r), ev, &out);
    mend_agree_check(machine(w, r));
    if (out.decided_n) {
        decide(w, r); /* before it says so */
        look_again(w, node_of(r));
    }
    send_all(w, r);
    for (int i = 0; i < out.asked_n && !w->m[r].decided; i++)
        ask(w, r, (uint8_t)out.asked[i].round, out.asked[i].decides);
    if (out.decided_n && had_asked)
        end_question(w, r);
}

static void vote(struct world *w, int r)
{
    struct mend_agree_value v;

    mend_agree_value_init(&v);
    v.and_word[0] = ~(UINT64_C(1) << r);
    w->m[r].voted = 1;
    step(w, r, &(struct mend_agree_event){.kind = MEND_AGREE_START, .value = &v});
}

static void hear_letter(struct world *w, int from, int r)
{
    struct letter x = w->letter[from][r][0];
    uint64_t failed = x.failed, dead = x.dead;
    struct mend_agree_msg msg = {.kind = (enum mend_agree_msg_kind)x.kind,
                                 .peer = from,
                                 .ballot = x.ballot,
                                 .accepted = x.accepted,
                                 .ndead = mend_bits_count(&dead, 1),
                                 .dead = &dead};

    w->letters_n[from][r]--;
    TAKE(w->letter[from][r]);
    mend_agree_value_init(&msg.value);
    msg.value.and_word[0] = ~(uint64_t)x.value;
    msg.value.failed = &failed;
    msg.value.nfailed = mend_bits_count(&failed, 1);
    step(w, r, &(struct mend_agree_event){.kind = MEND_AGREE_RECV, .msg = &msg});
}

static void drop_letters(struct world *w, int from, int to)
{
    memset(w->letter[from][to], 0, sizeof(w->letter[from][to]));
    w->letters_n[from][to] = 0;
}

/* What the dead had sent before is either heard before that, or not. */
static void learn(struct world *w, int r)
{
    uint64_t dead = w->node[node_of(r)].fact[w->m[r].facts_n++];

    for (int i = 0; i < MEMBERS; i++)
        if (dead >> i & 1)
            drop_letters(w, i, r);
    step(w, r, &(struct mend_agree_event){.kind = MEND_AGREE_DEATH, .dead = &dead});
}

static void hear_told(struct world *w, int r)
{
    struct member *m = &w->m[r];
    struct told x = m->told[0];
    uint64_t failed = x.failed;
    struct mend_agree_msg paper = {.kind = MEND_AGREE_DOWN, .ballot = x.ballot};

    m->told_n--;
    TAKE(m->told);
    mend_agree_value_init(&paper.value);
    paper.value.and_word[0] = ~(uint64_t)x.value;
    paper.value.failed = &failed;
    paper.value.nfailed = mend_bits_count(&failed, 1);
    step(w, r,
         &(struct mend_agree_event){.kind = x.found ? MEND_AGREE_PAPER : MEND_AGREE_NO_PAPER,
                                    .msg = &paper,
                                    .round = x.round});
}

/* ---- ends ---- */

/* Nothing of it matters any more but its paper. */
static void silence(struct world *w, int r)
{
    struct member *m = &w->m[r];

    memset(m->machine, 0, sizeof(m->machine));
    memset(m->told, 0, sizeof(m->told));
    m->told_n = m->facts_n = 0;
    for (int i = 0; i < MEMBERS; i++)
        drop_letters(w, i, r);
}

static void die(struct world *w, int r)
{
    struct member *m = &w->m[r];
    bool asked = m->asks || m->holds;

    m->is_dead = 1;
    if (asked)
        end_question(w, r);
    silence(w, r);
}

static void kill_one(struct world *w, int r)
{
    w->deaths--;
    die(w, r);
    pass_to_all(w, -1, (struct news){.dead = (uint8_t)(1 << r)});
}

static void lose(struct world *w, int node)
{
    struct node *n = &w->node[node];

    w->losses--;
    *n = (struct node){.is_lost = 1};
    for (int r = 0; r < members_n; r++)
        if (node_of(r) == node) {
            w->m[r].asks = w->m[r].holds = w->m[r].counts = 0;
            w->m[r].is_dead = 1;
            silence(w, r);
        }
    pass_to_all(w, -1, (struct news){.dead = on_node(node), .lost = (uint8_t)(1 + node)});
}

/* ---- the search ---- */

/* Carries out choice number k of those that there are; false: there are not as many.  *must_p: it happens unless another one
 * does. */
static bool choose(struct world *w, int k, bool *must_p)
{
    *must_p = true;
    for (int i = 0; i < nodes_n; i++)
        if (!w->node[i].is_lost && w->node[i].news_n && !k--)
            return hear_news(w, i), true;
    for (int r = 0; r < members_n; r++) {
        struct member *m = &w->m[r];

        if (m->is_dead || m->is_outside)
            continue;
        if (!m->voted && !k--)
            return vote(w, r), true;
        if (m->facts_n < w->node[node_of(r)].facts_n && !k--)
            return learn(w, r), true;
        if (m->told_n && !k--)
            return hear_told(w, r), true;
        for (int i = 0; i < members_n; i++)
            if (w->letters_n[i][r] && !k--)
                return hear_letter(w, i, r), true;
    }
    *must_p = false;
    for (int r = 0; r < members_n; r++) {
        if (w->m[r].decided && !w->m[r].is_dead && !w->m[r].is_outside && !k--) {
            w->m[r].is_outside = 1;
            silence(w, r);
            return true;
        }
        if (w->deaths && !w->m[r].is_dead && !k--)
            return kill_one(w, r), true;
    }
    for (int i = 0; i < nodes_n; i++)
        if (w->losses && !w->node[i].is_lost && !k--)
            return lose(w, i), true;
    return false;
}

static void check_end(const struct world *w)
{
    ends_n++;
    for (int r = 0; r < members_n; r++)
        CHECK(w->m[r].is_dead || w->m[r].decided);
}

static void begin(struct world *w, int members, int nodes, int deaths, int losses)
{
    memset(w, 0, sizeof(*w));
    members_n = members;
    nodes_n = nodes;
    w->deaths = (uint8_t)deaths;
    w->losses = (uint8_t)losses;
    CHECK(mend_agree_size(members, 1) <= sizeof(w->m[0].machine));
    for (int r = 0; r < members; r++) {
        mend_agree_init(machine(w, r), members, r, radix_bits, 1);
        mend_agree_use_papers(machine(w, r));
    }
}

/* 128 bits of each state that was seen. */
struct seen {
    uint64_t a, b;
};
static struct seen *seen;
static uint64_t seen_size;

static bool is_new(const struct world *w)
{
    const uint64_t *word = (const uint64_t *)(const void *)w;
    uint64_t a = 0x9e3779b97f4a7c15, b = 0x2545f4914f6cdd1d, at;

    for (size_t i = 0; i < sizeof(*w) / 8; i++) {
        a = (a ^ word[i]) * 0xff51afd7ed558ccd;
        a ^= a >> 29;
        b = (b + word[i]) * 0xc4ceb9fe1a85ec53;
        b ^= b >> 31;
    }
    a |= 1;
    for (at = a >> 20 & (seen_size - 1); seen[at].a; at = (at + 1) & (seen_size - 1))
        if (seen[at].a == a && seen[at].b == b)
            return false;
    CHECK(states_n < seen_size / 4 * 3);
    seen[at] = (struct seen){a, b};
    states_n++;
    return true;
}

static void explore(const struct world *w)
{
    struct world next;
    bool any = false, must;

    for (int k = 0;; k++) {
        next = *w;
        if (!choose(&next, k, &must))
            break;
        any |= must;
        if (is_new(&next))
            explore(&next);
    }
    if (!any)
        check_end(w);
}

static void search(int members, int nodes, int deaths, int losses)
{
    static struct world w;

    seen_size = 1 << 21;
    seen = calloc(seen_size, sizeof(*seen));
    states_n = ends_n = 0;
    begin(&w, members, nodes, deaths, losses);
    explore(&w);
    printf("# %d members on %d nodes, %d deaths, %d losses: %llu states, %llu ends\n", members,
           nodes, deaths, losses, (unsigned long long)states_n, (unsigned long long)ends_n);
    free(seen);
}

/* What happens is chosen at random; ends are rare enough that most is said before. */
static void play(uint64_t *random, int members, int nodes, int deaths, int losses)
{
    static struct world w, next;
    int musts_n, n, k;
    bool must;

    begin(&w, members, nodes, deaths, losses);
    for (;;) {
        musts_n = 0;
        for (n = 0; next = w, choose(&next, n, &must); n++)
            musts_n += must;
        if (!musts_n)
            check_end(&w);
        if (!n)
            return;
        *random = *random * 6364136223846793005 + 1442695040888963407;
        k = (int)(*random >> 33);
        choose(&w, musts_n && k % 16 ? k / 16 % musts_n : k / 16 % n, &must);
    }
}

static void play_many(int plays, int members, int nodes, int deaths, int losses)
{
    uint64_t random = 1;

    for (int i = 0; i < plays; i++)
        play(&random, members, nodes, deaths, losses);
}

MEND_TEST(three_members_on_two_nodes)
{
    search(3, 2, 2, 1);
}

MEND_TEST(a_node_for_each_of_three_members)
{
    search(3, 3, 0, 2);
    search(3, 3, 1, 1);
}

/* 2 has a child, to which it may pass on what was on paper. */
MEND_TEST(four_members_on_two_nodes)
{
    search(4, 2, 1, 1);
}

MEND_TEST(more_at_random)
{
    play_many(3000, 4, 2, 2, 1);
    play_many(3000, 4, 3, 1, 2);
    play_many(3000, 5, 3, 2, 1);
    play_many(3000, 6, 3, 3, 1);
}

MEND_TEST_MAIN()
