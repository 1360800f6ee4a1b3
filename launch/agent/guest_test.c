/* SPDX-License-Identifier: BSD-3-Clause */
/* guest_test.c – processes of another job as the agent has them: names, room, verdicts there and here, the loss of their
 * agent.
 *
 *   S5-21: clocks of two nodes are never compared */
#include "base/test.h"
#include "agent/link.h"

#include "node/log.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define OURS   4
#define NAMES  32
#define PLACES 16u
#define SECOND MEND_NS_PER_S

static struct mend_ranks ranks;
static struct mend_verdicts verdicts;
static struct mend_tell tell;
static struct mend_links links;
static struct mend_facts {
    int unused;
} facts;
static struct rank rank[NAMES];
static struct mend_link x;
static enum mend_contact_state state;

/* ---- what the rest of the agent does ---- */

static int vacancies, ranks_due, guests_due, watched_n, verdicts_n, sent_n;
static bool segment_fails;
static struct mend_verdict verdict[NAMES];
static struct {
    enum mend_link_kind kind;
    uint32_t n;
    uint64_t age_ns;
    struct mend_link_death death[4];
} sent[8];

enum mend_contact_state mend_link_state(const struct mend_links *j, const struct mend_link *l)
{
    (void)j, (void)l;
    return state;
}

bool mend_link_is_open(const struct mend_links *j, const struct mend_link *l)
{
    (void)j, (void)l;
    return state == MEND_CONTACT_OPEN;
}

void mend_link_mourned(struct mend_links *j, struct mend_link *l)
{
    (void)j, (void)l;
    state = MEND_CONTACT_OVER;
}

void mend_link_forgotten(struct mend_links *j, struct mend_link *l)
{
    (void)j, (void)l;
    state = MEND_CONTACT_CLOSED;
}

void mend_link_send(struct mend_links *j, struct mend_link *l, struct mend_link_msg *m,
                    const void *body, size_t words)
{
    (void)j, (void)l;
    CHECK(sent_n < (int)MEND_COUNT_OF(sent) && words * 4 <= sizeof(sent[0].death));
    sent[sent_n].kind = (enum mend_link_kind)m->kind;
    sent[sent_n].n = m->n;
    sent[sent_n].age_ns = m->age_ns;
    memcpy(sent[sent_n++].death, body, words * 4);
}

int mend_vacancies(const struct mend_ranks *j)
{
    (void)j;
    return vacancies;
}

/* Places of dead ranks, and of dead guests, that nobody looks at any more. */
bool mend_retire_dead(struct mend_ranks *j, struct mend_papers *papers, struct mend_links *l,
                      const struct mend_sources *sources)
{
    CHECK(j == &ranks && l == &links);
    vacancies += ranks_due;
    for (; guests_due; guests_due--)
        x.guests_n--;
    ranks_due = 0;
    return false;
}

void mend_vacancy_take(struct mend_ranks *j, const struct mend_tell *t, struct rank *r)
{
    r->place = mend_place_at((uint32_t)r->index);
    r->shared = mend_node_rank_of(j->shm, r->place);
    vacancies--;
}

void mend_vacancy_give(struct mend_ranks *j, struct rank *r)
{
    (void)j;
    r->shared = NULL;
    vacancies++;
}

bool mend_segment_admit(struct mend_ranks *j, int first, int n)
{
    (void)j, (void)first, (void)n;
    return !segment_fails;
}

void mend_segment_name(struct mend_ranks *j, int first, int n)
{
    (void)j, (void)first, (void)n;
}

void mend_detector_add(struct mend_detector *d)
{
    (void)d;
    watched_n++;
}

void mend_rank_call_all(struct mend_ranks *j)
{
    (void)j;
}

uint32_t mend_verdict_guests(struct mend_verdicts *j, struct mend_verdict *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        verdict[verdicts_n++] = v[i];
        mend_store_release(&j->ranks->rank[v[i].peer].shared->fate, MEND_PEER_DEAD);
    }
    return 0;
}

void mend_tell_line(const struct mend_tell *to, mend_time_ns when, const char *text)
{
    CHECK(!"nobody wants a report");
}

static struct mend_verdict proposed[NAMES];
static int proposed_n, explained_n, skipped_n;
static enum mend_presence passed_on; /* that was last */

void mend_sources_note(const struct mend_sources *s)
{
    (void)s;
}

void mend_facts_die(struct mend_facts *j, const struct mend_verdict *v, int n)
{
    (void)j;
    for (int i = 0; i < n; i++) {
        proposed[proposed_n++] = v[i];
        rank[v[i].peer].told_dead = true;
    }
}

static int ended_n;

void mend_facts_end(struct mend_facts *j, struct rank *const *r, int n)
{
    (void)j;
    for (int i = 0; i < n; i++, ended_n++)
        r[i]->told_ended = true;
}

void mend_facts_explain(struct mend_facts *j, const struct rank *r)
{
    (void)j, (void)r;
    explained_n++;
}

void mend_vacancy_begin_far(struct mend_ranks *j, struct rank *r)
{
    r->far = true;
    r->shared = &j->far;
    r->state.child = MEND_CHILD_ENDED;
}

void mend_vacancy_skip(struct mend_ranks *j, int i)
{
    (void)j, (void)i;
    skipped_n++;
}

void mend_facts_presence(struct mend_facts *j, const struct rank *r, enum mend_presence presence)
{
    (void)j, (void)r;
    passed_on = presence;
}

void *mend_xalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);

    CHECK(p != NULL);
    return p;
}

/* ---- two jobs ---- */

static struct mend_node_header *segment(void)
{
    struct mend_node_header layout = {0}, *h;

    mend_node_layout(&layout, PLACES);
    h = mmap(NULL, layout.at[MEND_NODE_PART_CELL], PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(h != MAP_FAILED);
    *h = layout;
    for (uint32_t i = 0; i < PLACES; i++)
        mend_node_process_of(h, (mend_peer)i)->place = i;
    return h;
}

static void drop(struct mend_node_header *h)
{
    if (h)
        munmap(h, h->at[MEND_NODE_PART_CELL]);
}

static void begin(void)
{
    drop(ranks.shm);
    drop(x.shm);
    free(x.block);
    free(x.told);
    free(x.held);
    free(x.there);
    ranks = (struct mend_ranks){.n = OURS, .rank = rank, .shm = segment()};
    verdicts = (struct mend_verdicts){.ranks = &ranks};
    links = (struct mend_links){.with = {.ranks = &ranks, .tell = &tell, .verdicts = &verdicts}};
    pthread_mutex_init(&ranks.lock, NULL);
    mend_list_init(&links.all);
    for (int i = 0; i < OURS; i++)
        rank[i] = (struct rank){.index = i,
                                .ctl_fd = -1,
                                .watch_fd = -1,
                                .verdict_k = -1,
                                .shared = mend_node_rank_of(ranks.shm, mend_place_at((uint32_t)i))};
    x = (struct mend_link){.fd = -1, .shm_fd = -1, .shm = segment()};
    x.block = mend_xalloc(MEND_ABROAD_BLOCKS_MAX, sizeof(*x.block));
    x.told = mend_xalloc(MEND_LINK_WORDS, sizeof(*x.told));
    x.held = mend_xalloc(MEND_LINK_WORDS, sizeof(*x.held));
    x.there = mend_xalloc(MEND_NODE_NAMES, sizeof(*x.there));
    state = MEND_CONTACT_OPEN;
    vacancies = 8;
    watched_n = verdicts_n = sent_n = 0;
    segment_fails = false;
}

static int admit(int32_t first, int32_t n)
{
    return mend_guest_admit(&links, &x, &(struct mend_link_run){.first = first, .n = n}, 1);
}

static uint32_t untold(struct mend_link_run *runs)
{
    return mend_guest_untold(&ranks, &x, runs, 4);
}

/* One of ours dies: entry k of the log, published with those since `first`. */
static void die(uint32_t name, uint32_t first, enum mend_cause cause)
{
    uint32_t k = mend_load_relaxed(&ranks.shm->deaths_n);
    struct mend_node_death *d = mend_node_death_of(ranks.shm, k);

    d->name = name;
    d->first = first;
    mend_store_relaxed(&d->why, MEND_NODE_WHY(cause, 9));
    mend_store_release(&rank[name].shared->fate, MEND_PEER_DEAD);
    mend_store_release(&ranks.shm->deaths_n, k + 1);
}

static void mark_life(int32_t there)
{
    struct mend_node_rank *r = mend_node_rank_of(x.shm, mend_place_at((uint32_t)there));

    mend_store_release(&r->life_valid, 1);
    mend_store_release(mend_node_life_word(r), FUTEX_OWNER_DIED);
}

static void let_run(int32_t there)
{
    struct mend_node_rank *r = mend_node_rank_of(x.shm, mend_place_at((uint32_t)there));

    mend_store_release(&mend_node_process_of(x.shm, there)->presence, MEND_PRESENCE_IN_MPI);
    mend_store_release(&r->life_valid, 1);
}

MEND_TEST(processes_are_told_of_once)
{
    struct mend_link_run runs[4];

    begin();
    mend_store_release(&mend_node_process_of(ranks.shm, 1)->presence, MEND_PRESENCE_LEFT);
    CHECK_EQ(untold(runs), 2);
    CHECK_EQ(runs[0].first, 0);
    CHECK_EQ(runs[0].n, 1);
    CHECK_EQ(runs[1].first, 2);
    CHECK_EQ(runs[1].n, 2);
    CHECK_EQ(untold(runs), 0);
    mend_guest_untell(&x, &(struct mend_link_run){.first = 2, .n = 1},
                      1); /* it had no room for that one */
    CHECK_EQ(x.held[0], 1u << 0 | 1u << 3);
    CHECK_EQ(untold(runs), 1);
    CHECK_EQ(runs[0].first, 2);
    CHECK_EQ(runs[0].n, 1);
}

MEND_TEST(the_dead_and_guests_are_not_told_of)
{
    struct mend_link_run runs[4];

    begin();
    die(0, 0, MEND_CAUSE_UNKNOWN);
    CHECK_EQ(admit(0, 2), 0);
    CHECK_EQ(untold(runs), 1);
    CHECK_EQ(runs[0].first, 1);
    CHECK_EQ(runs[0].n, OURS - 1);
}

MEND_TEST(guests_have_names_here)
{
    begin();
    CHECK_EQ(admit(2, 3), 0);
    CHECK_EQ(admit(5, 1), 0); /* the next one in both jobs: the same block */
    CHECK_EQ(x.blocks_n, 1);
    CHECK_EQ(admit(9, 2), 0);
    CHECK_EQ(x.blocks_n, 2);
    CHECK_EQ(ranks.n, OURS + 6);
    CHECK_EQ(watched_n, 6);
    CHECK_EQ(x.guests_n, 6);
    for (int32_t there = 0; there < 12; there++) {
        int name = mend_guest_name(&x, there);
        bool known = (there >= 2 && there < 6) || there == 9 || there == 10;

        CHECK_EQ(name >= 0, known);
        CHECK(!known || mend_guest_there(&x, name) == there);
        CHECK(!known || rank[name].guest_of == &x);
    }
    CHECK_EQ(mend_guest_there(&x, 0), -1);
}

MEND_TEST(guests_get_places_of_the_dead)
{
    begin();
    vacancies = 0;
    ranks_due = 2;
    CHECK_EQ(admit(2, 2), 0);
    CHECK_EQ(vacancies, 0);
}

/* Nothing stays of guests for which there is no room. */
MEND_TEST(there_is_no_room)
{
    begin();
    CHECK_EQ(admit(2, 2), 0);
    CHECK_EQ(admit(4, 7), ENOSPC);
    segment_fails = true;
    CHECK_EQ(admit(4, 1), ENOSPC);
    CHECK_EQ(vacancies, 6);
    CHECK_EQ(ranks.n, OURS + 2);
    CHECK_EQ(x.blocks_n, 1);
    CHECK_EQ(x.block[0].n, 2);
    CHECK_EQ(mend_guest_name(&x, 4), -1);
    segment_fails = false;
    CHECK_EQ(admit(4, 1), 0);
    CHECK_EQ(mend_guest_name(&x, 4), OURS + 2);
}

/* By the word of their agent, once; of names that it never told nothing is believed. */
MEND_TEST(deaths_there)
{
    struct mend_link_death d[] = {{2, MEND_CAUSE_SIGNAL, 9}, {7, MEND_CAUSE_SIGNAL, 9}, {3, 0, 0}};

    begin();
    CHECK_EQ(admit(2, 3), 0);
    mend_guest_deaths(&links, &x, d, 3, 5, false);
    CHECK_EQ(verdicts_n, 2);
    CHECK_EQ(verdict[0].peer, OURS);
    CHECK_EQ(verdict[0].cause, MEND_CAUSE_SIGNAL);
    CHECK_EQ(verdict[1].peer, OURS + 1);
    mend_guest_deaths(&links, &x, d, 3, 6, false);
    CHECK_EQ(verdicts_n, 2);
}

/* It is as old for us as it is there, by two clocks. */
MEND_TEST(a_link_tells_how_old_a_death_is)
{
    struct mend_link_death d = {2, MEND_CAUSE_SIGNAL, 9};
    struct mend_link_run runs[4];
    mend_time_ns before, old = 5 * MEND_NS_PER_S;

    begin();
    CHECK_EQ(untold(runs), 1);
    die(1, 0, MEND_CAUSE_SIGNAL);
    mend_node_death_of(ranks.shm, 0)->when_ns = 1000;
    mend_guest_look(&links, &x, 1700);
    CHECK_EQ(sent[0].age_ns, 700);
    begin();
    CHECK_EQ(admit(2, 3), 0);
    before = mend_time_monotonic_ns();
    mend_guest_deaths(&links, &x, &d, 1, old, false);
    CHECK(verdict[0].when_ns >= before - old);
    CHECK(verdict[0].when_ns <= mend_time_monotonic_ns() - old);
    begin();
    CHECK_EQ(admit(2, 3), 0);
    mend_guest_deaths(&links, &x, &d, 1, UINT64_MAX, false); /* older than this machine */
    CHECK_EQ(verdict[0].when_ns, 0);
}

/* What was declared together goes together, and only of those that the other knows; the causes follow. */
MEND_TEST(deaths_here)
{
    struct mend_link_run runs[4];

    begin();
    mend_store_release(&mend_node_process_of(ranks.shm, 3)->presence, MEND_PRESENCE_LEFT);
    CHECK_EQ(untold(runs), 1);
    die(0, 0, MEND_CAUSE_SIGNAL);
    die(1, 0, MEND_CAUSE_SIGNAL);
    die(3, 2, MEND_CAUSE_SIGNAL);
    die(2, 3, MEND_CAUSE_UNKNOWN);
    CHECK(mend_guest_look(&links, &x, 1) == MEND_TIME_NEVER);
    CHECK_EQ(sent_n, 4);
    CHECK_EQ(sent[0].kind, MEND_LINK_DEATH);
    CHECK_EQ(sent[0].n, 2);
    CHECK_EQ(sent[0].death[1].name, 1);
    CHECK_EQ(sent[1].kind, MEND_LINK_DEATH);
    CHECK_EQ(sent[1].death[0].name, 2);
    CHECK_EQ(sent[2].kind, MEND_LINK_EXPLAIN);
    CHECK_EQ(sent[3].death[0].name, 1);
    mend_store_relaxed(&mend_node_death_of(ranks.shm, 3)->why,
                       MEND_NODE_WHY(MEND_CAUSE_SIGNAL, 11));
    mend_guest_look(&links, &x, 2);
    CHECK_EQ(sent_n, 5);
    CHECK_EQ(sent[4].kind, MEND_LINK_EXPLAIN);
    CHECK_EQ(sent[4].death[0].code, 11);
    mend_guest_look(&links, &x, 3);
    CHECK_EQ(sent_n, 5);
}

/* The process that could not reach it has a name of this job's, which says nothing there. */
MEND_TEST(the_cause_of_a_death_names_nobody)
{
    struct mend_link_run runs[4];

    begin();
    untold(runs);
    die(0, 0, MEND_CAUSE_SUSPECTED);
    mend_guest_look(&links, &x, 1);
    CHECK(sent_n >= 1 && sent[0].kind == MEND_LINK_DEATH);
    CHECK_EQ(sent[0].death[0].cause, MEND_CAUSE_SUSPECTED);
    CHECK_EQ(sent[0].death[0].code, -1);
}

/* Its agent hears when nobody here looks at a dead guest any more, not before. */
MEND_TEST(the_place_of_a_dead_guest_is_released)
{
    begin();
    CHECK_EQ(admit(6, 1), 0);
    die(OURS, 0, MEND_CAUSE_SIGNAL);
    mend_guest_look(&links, &x, 1);
    CHECK_EQ(sent_n, 0);
    ranks.cleared_n = 1;
    mend_guest_look(&links, &x, 2);
    mend_guest_look(&links, &x, 3);
    CHECK_EQ(sent_n, 1);
    CHECK_EQ(sent[0].kind, MEND_LINK_RELEASED);
    CHECK_EQ(sent[0].death[0].name, 6);
}

/* All at once, when the last one is seen to have ended. */
MEND_TEST(the_agent_of_the_guests_is_lost)
{
    begin();
    CHECK_EQ(admit(0, 3), 0);
    for (int32_t there = 0; there < 3; there++)
        let_run(there);
    x.held[0] = 3;
    state = MEND_CONTACT_LOST;
    mark_life(0);
    mark_life(2);
    CHECK(mend_guest_look(&links, &x, SECOND) < 2 * SECOND);
    CHECK_EQ(verdicts_n, 0);
    mark_life(1);
    mend_guest_look(&links, &x, SECOND + 2);
    CHECK_EQ(verdicts_n, 3);
    CHECK_EQ(state, MEND_CONTACT_OVER);
    CHECK_EQ(x.held[0], 0);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(verdict[i].cause, MEND_CAUSE_LOST);
        CHECK(!rank[OURS + i].unproven);
    }
    mend_guest_look(&links, &x, SECOND + 3);
    CHECK_EQ(state, MEND_CONTACT_OVER); /* their places are not vacant */
    guests_due = 3;
    mend_guest_look(&links, &x, SECOND + 4);
    CHECK_EQ(state, MEND_CONTACT_CLOSED);
}

/* One of them does not end: after three seconds it counts as dead, and its place is not given again. */
MEND_TEST(a_guest_that_does_not_end)
{
    begin();
    CHECK_EQ(admit(0, 2), 0);
    let_run(0);
    let_run(1);
    mark_life(0);
    state = MEND_CONTACT_LOST;
    mend_guest_look(&links, &x, SECOND);
    mend_guest_look(&links, &x, 4 * SECOND - 1);
    CHECK_EQ(verdicts_n, 0);
    mend_guest_look(&links, &x, 4 * SECOND);
    CHECK_EQ(verdicts_n, 2);
    CHECK(!rank[OURS].unproven);
    CHECK(rank[OURS + 1].unproven);
}

/* As many datagrams as there is room for. */
static void fill(int fd)
{
    char some[1024] = {0};

    while (send(fd, some, sizeof(some), MSG_DONTWAIT) > 0)
        ;
}

/* How many are there. */
static int drain(int fd)
{
    char some[1024];
    int n = 0;

    while (recv(fd, some, sizeof(some), MSG_DONTWAIT) > 0)
        n++;
    return n;
}

/* A rank that has no room for what is said of the guests hears it before they are forgotten. */
MEND_TEST(a_rank_that_hears_late)
{
    int ctl[2];

    CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ctl), 0);
    for (int mirror = 0; mirror < 2; mirror++) {
        begin();
        x.far = true;
        x.number = 1;
        rank[0].ctl_fd = ctl[0];
        fill(ctl[0]);
        CHECK(mend_guest_name_far(&links, &x, OURS, &(struct mend_link_run){.n = 2}, 1));
        guests_due = 2;
        x.parted = mirror;
        state = mirror ? MEND_CONTACT_CLOSED : MEND_CONTACT_OVER;
        CHECK(mend_guest_look(&links, &x, 1) < SECOND);
        CHECK(!x.closed && (mirror || state == MEND_CONTACT_OVER));
        drain(ctl[1]);
        CHECK(mend_guest_look(&links, &x, SECOND) == MEND_TIME_NEVER);
        CHECK_EQ(drain(ctl[1]), 1);
        CHECK(x.closed == (mirror == 1) && state == MEND_CONTACT_CLOSED);
    }
    guests_due = 0;
    close(ctl[0]);
    close(ctl[1]);
}

/* ---- over a far link ---- */

static int admit_at(int32_t first, int32_t n, uint16_t port, enum mend_presence presence)
{
    return mend_guest_admit(
        &links, &x,
        &(struct mend_link_run){.first = first, .n = n, .at.port = port, .presence = presence}, 1);
}

MEND_TEST(far_processes_are_told_of_with_door_and_presence)
{
    struct mend_link_run runs[4];

    begin();
    x.far = true;
    ranks.shm->door = (struct mend_door){.at = mend_address_v4(7, 8)};
    for (int i = 0; i < OURS; i++)
        mend_store_release(&mend_node_process_of(ranks.shm, i)->presence,
                           i == 2 ? MEND_PRESENCE_AWAY : MEND_PRESENCE_IN_MPI);
    CHECK_EQ(untold(runs), 3); /* of one presence each */
    CHECK_EQ(runs[1].first, 2);
    CHECK_EQ(runs[1].presence, MEND_PRESENCE_AWAY);
    CHECK(mend_address_same(&runs[0].at, &ranks.shm->door.at));
    CHECK_EQ(x.held[0], 0); /* nobody there looks at their places */
}

/* They need no places, and runs with other doors are other blocks. */
MEND_TEST(far_guests_have_names_and_no_places)
{
    begin();
    x.far = true;
    vacancies = 0;
    CHECK_EQ(admit_at(0, 2, 1, MEND_PRESENCE_IN_MPI), 0);
    CHECK_EQ(admit_at(2, 1, 1, MEND_PRESENCE_AWAY), 0);
    CHECK_EQ(admit_at(3, 1, 2, MEND_PRESENCE_IN_MPI), 0);
    CHECK_EQ(x.blocks_n, 2);
    CHECK_EQ(x.block[1].at.port, 2);
    CHECK_EQ(ranks.n, OURS + 4);
    CHECK_EQ(watched_n, 4);
    CHECK(rank[OURS].far && rank[OURS].guest_of == &x);
    CHECK_EQ(mend_rank_presence(&ranks, OURS + 2), MEND_PRESENCE_AWAY);
    mend_guest_presence(&links, &x, 2, MEND_PRESENCE_IN_MPI);
    CHECK_EQ(mend_rank_presence(&ranks, OURS + 2), MEND_PRESENCE_IN_MPI);
    mend_guest_presence(&links, &x, 9, MEND_PRESENCE_IN_MPI); /* nobody is called so */
    CHECK_EQ(admit_at(4, MEND_NODE_NAMES, 1, MEND_PRESENCE_IN_MPI), ENOSPC);
}

/* Where the first node of the other job takes connections at any address it is called as the own first node, which is on the same
 * machine; the node of that by loopback. */
MEND_TEST(a_first_node_is_called_as_the_own_one)
{
    static const char *const any[] = {"::", "0.0.0.0"};

    for (uint32_t me = 0; me < 2; me++)
        for (size_t i = 0; i < MEND_COUNT_OF(any); i++) {
            struct mend_link_run run = {.n = 1};
            struct mend_address at;

            begin();
            x.far = true;
            ranks.nodes.me = me;
            mend_node_of_job(ranks.shm, 0)->door.at = mend_address_v4(htonl(0x0a000001), 7);
            CHECK(mend_address_read(any[i], &run.at));
            run.at.port = 9;
            CHECK_EQ(mend_guest_admit(&links, &x, &run, 1), 0);
            at = mend_address_v4(htonl(me ? 0x0a000001 : INADDR_LOOPBACK), 9);
            CHECK(mend_address_same(&x.block[0].at, &at));
            at = mend_guest_door_there(&x, OURS);
            CHECK(mend_address_same(&x.block[0].at, &at));
            at = mend_guest_door_there(&x, 0); /* no guest of x */
            CHECK_EQ(at.port, 0);
        }
}

/* The root may have given names that this agent has missed. */
MEND_TEST(names_that_the_root_gives)
{
    const struct mend_link_run run = {.first = 0, .n = 2, .at.port = 1};

    begin();
    x.far = true;
    skipped_n = 0;
    CHECK(mend_guest_name_far(&links, &x, OURS + 3, &run, 1));
    CHECK_EQ(skipped_n, 3);
    CHECK_EQ(ranks.n, OURS + 5);
    CHECK_EQ(x.guests_n, 2);
    CHECK_EQ(mend_guest_name(&x, 1), OURS + 4);
}

/* In a job of several nodes they are facts of the log, each proposed once. */
MEND_TEST(deaths_of_far_guests_are_proposed)
{
    struct mend_link_death d[] = {{0, MEND_CAUSE_SIGNAL, 9}, {1, 0, 0}};

    begin();
    x.far = true;
    ranks.nodes.n = 2;
    links.with.facts = &facts;
    CHECK(mend_guest_name_far(&links, &x, OURS, &(struct mend_link_run){.n = 2, .at.port = 1}, 1));
    proposed_n = explained_n = 0;
    mend_guest_deaths(&links, &x, d, 2, 5, false);
    mend_guest_deaths(&links, &x, d, 2, 6, false);
    CHECK_EQ(proposed_n, 2);
    CHECK_EQ(verdicts_n, 0);
    CHECK_EQ(proposed[1].peer, OURS + 1);
    mend_guest_explain(&links, &x, &d[1]);
    CHECK_EQ(explained_n, 1);
    CHECK(mend_guest_name_far(&links, &x, ranks.n,
                              &(struct mend_link_run){.first = 2, .n = 2, .at.port = 1}, 1));
    rank[OURS + 2].told = MEND_PRESENCE_LEFT; /* its end is not a failure */
    d[0].name = 2;
    d[1].name = 3;
    mend_guest_deaths(&links, &x, d, 2, 7, false);
    mend_guest_deaths(&links, &x, d, 2, 8, false);
    CHECK_EQ(proposed_n, 3);
    CHECK_EQ(proposed[2].peer, OURS + 3);
    CHECK_EQ(ended_n, 1);
    mend_guest_presence(&links, &x, 0, MEND_PRESENCE_LEAVING);
    CHECK_EQ(passed_on, MEND_PRESENCE_LEAVING); /* to the other nodes */
}

/* The cause of a death on another node comes later, as a fact. */
MEND_TEST(the_cause_of_a_death_on_another_node)
{
    struct mend_link_run runs[4];

    begin();
    mend_list_append(&links.all, &x.link);
    rank[1].far = true;
    rank[1].verdict_k = 0;
    CHECK(untold(runs) > 0);
    die(1, 0, MEND_CAUSE_UNKNOWN);
    mend_links_explain(&links, 1); /* it was not told of yet, and will be with its cause */
    CHECK_EQ(sent_n, 0);
    mend_guest_look(&links, &x, 1);
    CHECK_EQ(sent_n, 1);
    CHECK_EQ(sent[0].kind, MEND_LINK_DEATH);
    mend_store_relaxed(&mend_node_death_of(ranks.shm, 0)->why,
                       MEND_NODE_WHY(MEND_CAUSE_SIGNAL, 11));
    mend_links_explain(&links, 1);
    CHECK_EQ(sent_n, 2);
    CHECK_EQ(sent[1].kind, MEND_LINK_EXPLAIN);
    CHECK_EQ(sent[1].death[0].code, 11);
    mend_list_remove(&x.link);
}

/* Of another node than the first, they have ended when its lease is over, however long or short it is. */
MEND_TEST(a_far_job_is_lost)
{
    static const mend_time_ns lease[] = {SECOND / 2, 10 * SECOND};
    const struct mend_link_run run = {.n = 2, .presence = MEND_PRESENCE_IN_MPI};

    for (size_t i = 0; i < MEND_COUNT_OF(lease); i++) {
        begin();
        x.far = true;
        x.lease_ns = lease[i];
        CHECK(mend_guest_name_far(&links, &x, OURS, &run, 1));
        let_run(0);
        mend_node_process_of(x.shm, 1)->place = MEND_PLACE_NONE.at;
        state = MEND_CONTACT_LOST;
        mark_life(0);
        mend_guest_look(&links, &x, SECOND);
        mend_guest_look(&links, &x, SECOND + lease[i]); /* by a clock that may be slow */
        CHECK_EQ(verdicts_n, 0);
        mend_guest_look(&links, &x, SECOND + lease[i] + lease[i] / 100);
        CHECK_EQ(verdicts_n, 2);
        CHECK(!rank[OURS].unproven && !rank[OURS + 1].unproven);
    }
}

MEND_TEST_MAIN()
