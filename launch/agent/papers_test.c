/* SPDX-License-Identifier: BSD-3-Clause */
/* papers_test.c – three agents, each with a segment and one rank, and a root between them that passes on in order what they say: a
 * paper is found wherever it is, also when it is written later, or its process is dead; and "there is none" is said only when each
 * agent has looked.
 *
 *   R42: no decision depends on a process that is outside MPI
 *   S5-12: a decision can be learned as long as a node lives on which a process had decided */
#include "agent/papers.h"

#include "base/test.h"
#include "ft/bits.h"
#include "node/log.h"
#include "rt/wire.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define NODES 3
#define MARK  (UINT64_C(5) << 44 | 0x1231)
#define SEQ   9
#define MANY  64

static struct node {
    struct mend_ranks ranks;
    struct mend_papers *papers;
    struct mend_post root;
    struct rank rank[NODES];
    struct mend_node_slab *slab;
    int ctl; /* the rank's end */
    uint32_t calls_n;
    bool is_lost;
} node[NODES];

/* With the root, oldest first. */
static struct parcel {
    int32_t to;
    struct mend_message m;
    char data[MEND_PAPER_BYTES];
} parcels[MANY];
static int parcels_n;

void *mend_xalloc(size_t count, size_t size)
{
    void *p = calloc(count, size);

    CHECK(p);
    return p;
}

void mend_rank_call(struct mend_ranks *ranks, const struct rank *r)
{
    (void)r;
    node[ranks->nodes.me].calls_n++;
}

static void send_parcel(int32_t to, const struct mend_message *m, int32_t from)
{
    struct parcel *p = &parcels[parcels_n++];

    CHECK(parcels_n <= MANY);
    *p = (struct parcel){.to = to, .m = *m};
    p->m.arg[0] = from;
    p->m.kind = m->kind == MEND_UP_SEARCH     ? MEND_DOWN_SEARCH
                : m->kind == MEND_UP_SEARCHED ? MEND_DOWN_SEARCHED
                                              : MEND_DOWN_PAPER;
    memcpy(p->data, m->data, m->len);
}

static void deliver(void *to, const struct mend_message *m)
{
    struct node *from = to;
    int32_t me = (int32_t)from->ranks.nodes.me;

    for (int32_t k = 0; k < NODES; k++)
        if (k != me && (m->kind != MEND_UP_PAPER || m->arg[0] == k))
            send_parcel(k, m, me);
}

/* The root passes on what it has; `but`: that agent has not come to it yet, NODES: all do. */
static void pass_on(int but)
{
    int left = 0;

    for (int i = 0; i < parcels_n; i++) {
        struct parcel p = parcels[i];

        p.m.data = p.data;
        if (p.to == but)
            parcels[left++] = p;
        else if (!node[p.to].is_lost)
            mend_papers_hear(node[p.to].papers, &p.m);
    }
    parcels_n = left;
}

static void open_node(int k)
{
    struct node *n = &node[k];
    struct mend_node_header h = {.nodes_n = NODES, .node = (uint32_t)k};
    int fd = memfd_create("papers_test", MFD_CLOEXEC), pair[2];

    memset(n, 0, sizeof(*n));
    mend_node_layout(&h, 1);
    CHECK(fd >= 0 && ftruncate(fd, (off_t)h.bytes) == 0);
    n->root = (struct mend_post){deliver, n};
    n->ranks = (struct mend_ranks){
        .shm_fd = fd, .n = NODES, .rank = n->rank, .nodes = {.n = NODES, .me = (uint32_t)k}};
    n->papers = mend_papers_new(&n->ranks, &n->root);
    n->ranks.shm = mmap(NULL, h.at[MEND_NODE_PART_CELL], PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    n->slab = mmap(NULL, sizeof(*n->slab), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                   (off_t)mend_node_slab_at(&h, mend_place_at(0), 0));
    CHECK(n->ranks.shm != MAP_FAILED && n->slab != MAP_FAILED);
    memcpy(n->ranks.shm, &h, sizeof(h));
    CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    for (int r = 0; r < NODES; r++)
        n->rank[r] = (struct rank){.index = r,
                                   .far = r != k,
                                   .place = MEND_PLACE_NONE,
                                   .ctl_fd = -1,
                                   .shared = &n->ranks.far};
    n->rank[k].place = mend_place_at(0);
    n->rank[k].shared = mend_node_rank_of(n->ranks.shm, mend_place_at(0));
    n->rank[k].ctl_fd = pair[0];
    n->ctl = pair[1];
}

static void begin(void)
{
    parcels_n = 0;
    for (int k = 0; k < NODES; k++)
        open_node(k);
}

/* Rank k, which may be dead, has decided. */
static void write_paper(int k, const char *text)
{
    struct mend_node_slab *s = node[k].slab;

    s->label[1].mark = MARK;
    mend_paper_write((struct mend_paper *)(void *)s->block[1], SEQ, text, (uint32_t)strlen(text));
    mend_store_relaxed(&node[k].rank[k].shared->vote_blocks_n, 2);
}

static void ask(int k, uint32_t round)
{
    mend_papers_asked(node[k].papers, &node[k].rank[k], MARK, SEQ, round);
}

static void lose(int k)
{
    node[k].is_lost = true;
    for (int i = 0; i < NODES; i++)
        if (i != k && !node[i].is_lost)
            mend_papers_lost(node[i].papers, k);
}

/* What rank k is told next; NULL: nothing, "": that there is no paper. */
static const char *told(int k)
{
    static struct mend_ctl_told m;
    static char text[MEND_PAPER_BYTES + 1];
    ssize_t len = recv(node[k].ctl, &m, sizeof(m), MSG_DONTWAIT);

    if (len < 0)
        return NULL;
    CHECK(m.magic == MEND_CTL_MAGIC && m.kind == MEND_CTL_TOLD && m.mark == MARK && m.seq == SEQ);
    CHECK_EQ((size_t)len, MEND_CTL_TOLD_BYTES(m.len));
    memcpy(text, m.bytes, m.len);
    text[m.len] = 0;
    return text;
}

static bool are_wanted(int k)
{
    return mend_load_relaxed(&node[k].ranks.shm->papers_wanted);
}

MEND_TEST(a_paper_is_found_on_each_node)
{
    for (int k = 0; k < NODES; k++) {
        begin();
        write_paper(k, "v");
        ask(0, 0);
        pass_on(NODES);
        CHECK_STR(told(0), "v");
        CHECK(!told(0));
        CHECK_EQ(node[0].calls_n, 1);
    }
}

MEND_TEST(there_is_none_when_all_have_looked)
{
    begin();
    ask(0, 4);
    pass_on(2);
    CHECK(!told(0));
    pass_on(NODES);
    CHECK_STR(told(0), "");
    CHECK(!told(0));
}

MEND_TEST(a_paper_that_is_written_later_is_found)
{
    for (int k = 0; k < NODES; k++) {
        begin();
        ask(0, 4);
        pass_on(NODES);
        CHECK_STR(told(0), "");
        CHECK(are_wanted(k));
        write_paper(k, "late");
        mend_papers_wrote(node[k].papers);
        pass_on(NODES);
        CHECK_STR(told(0), "late");
        mend_papers_decided(node[0].papers, &node[0].rank[0], MARK, SEQ);
        pass_on(NODES);
        for (int i = 0; i < NODES; i++)
            CHECK(!are_wanted(i));
    }
}

/* What it had said before counts. */
MEND_TEST(a_lost_node_has_looked)
{
    begin();
    ask(0, 4);
    pass_on(2);
    lose(2);
    pass_on(NODES);
    CHECK_STR(told(0), "");
}

/* 1 has got the paper of 2, which is lost; 0, which asks when it knows of that, is told by the agent of 1. */
MEND_TEST(what_a_lost_node_had_said_is_kept)
{
    begin();
    write_paper(2, "v");
    ask(1, 0);
    pass_on(NODES);
    CHECK_STR(told(1), "v");
    lose(2);
    ask(0, 1);
    pass_on(NODES);
    CHECK_STR(told(0), "v");
}

/* The same, and 0 has asked before: its agent asks once more. */
MEND_TEST(a_loss_begins_searches_again)
{
    begin();
    write_paper(2, "v");
    ask(0, 1);
    pass_on(2); /* 1 says that it has none */
    parcels_n = 0;
    ask(1, 0);
    pass_on(0);
    CHECK_STR(told(1), "v");
    lose(2);
    pass_on(NODES);
    CHECK_STR(told(0), "v");
}

MEND_TEST(papers_of_the_dead_are_kept)
{
    begin();
    write_paper(1, "v");
    mend_papers_keep(node[1].papers, &node[1].rank[1]);
    memset(node[1].slab, 0, sizeof(node[1].slab->label));
    ask(0, 1);
    pass_on(NODES);
    CHECK_STR(told(0), "v");
}

/* It reads nothing for a while. */
MEND_TEST(a_rank_without_room_is_told_later)
{
    char nothing[1000] = {0};

    begin();
    while (send(node[0].rank[0].ctl_fd, nothing, sizeof(nothing), MSG_DONTWAIT) > 0)
        ;
    write_paper(1, "v");
    ask(0, 0);
    pass_on(NODES);
    CHECK_EQ(node[0].calls_n, 0);
    CHECK(mend_papers_look(node[0].papers, 1) != MEND_TIME_NEVER);
    while (recv(node[0].ctl, nothing, sizeof(nothing), MSG_DONTWAIT) > 0)
        ;
    CHECK_EQ(mend_papers_look(node[0].papers, 1), MEND_TIME_NEVER);
    CHECK_STR(told(0), "v");
    CHECK_EQ(node[0].calls_n, 1);
}

MEND_TEST(a_question_ends_with_its_asker)
{
    begin();
    ask(0, 1);
    pass_on(NODES);
    CHECK(are_wanted(0) && are_wanted(2));
    mend_store_relaxed(&node[0].rank[0].shared->fate, 1);
    mend_papers_look(node[0].papers, 1);
    pass_on(NODES);
    for (int k = 0; k < NODES; k++)
        CHECK(!are_wanted(k));
}

MEND_TEST(questions_of_a_lost_node_end)
{
    begin();
    ask(0, 1);
    pass_on(NODES);
    lose(0);
    CHECK(!are_wanted(1) && !are_wanted(2));
}

/* Of a process that writes while it is read, and of another agreement. */
MEND_TEST(what_is_not_whole_is_no_paper)
{
    struct mend_paper *p;

    begin();
    write_paper(1, "v");
    p = (struct mend_paper *)(void *)node[1].slab->block[1] + SEQ % MEND_PAPERS;
    mend_store_relaxed(&p->begun, SEQ + MEND_PAPERS + 1);
    ask(0, 1);
    pass_on(NODES);
    CHECK_STR(told(0), "");
    mend_store_relaxed(&p->done, SEQ + MEND_PAPERS + 1);
    mend_papers_wrote(node[1].papers);
    pass_on(NODES);
    CHECK(!told(0));
}

MEND_TEST_MAIN()
