/* SPDX-License-Identifier: BSD-3-Clause */
/* guest.c – processes of connected jobs, as this job has them.
 *
 * A guest has a name, and a place in the segment from which it sends; it has no child, and the detector never says
 * anything of it: its own agent says what happens to it.
 *
 *   admitted ──> its agent declares it dead        ──> our ranks let go of it ──> its place is vacant (vacancy.c)
 *            ──> its agent is gone, and so is it   ──> "
 *
 * A rank of ours that dies has guests that may still send to its place.  So its place is not given again before each agent
 * that knew the rank has said that nobody there looks at it any more (RELEASED, mend_links_hold()).
 *
 * Over a far link (link.h) a guest has a name and no place: it is a process of another node (far.c) which another job's agent judges.
 * In a job of several nodes the root gives it its name (mirror.c), and its death is a fact of the log.
 *
 * If the other agent is gone the kernel and its keeper end its ranks (PR_SET_PDEATHSIG, launch/agent/keeper.c), and the leases of its job's
 * other nodes end.  We declare them dead when we see the former in their life words, in their segment, and when the time of the latter has
 * passed: whether another machine still answers says nothing of its processes.  Ranks that are not seen to end are dead after LOST_NS
 * in any case, and then their places are not given again. */
#include "agent/link.h"

#include "agent/facts.h"
#include "agent/retire.h"
#include "agent/vacancy.h"
#include "base/time.h"
#include "ft/lease_sm.h"
#include "node/log.h"
#include "proc/death.h"
#include "rt/pass.h"
#include "rt/wire.h"
#include "agent/segment.h"

#include <errno.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOST_NS      (3 * MEND_NS_PER_S)
#define LOST_LOOK_NS MEND_NS_PER_MS
#define AGAIN_NS     (10 * MEND_NS_PER_MS)

static bool has(const uint64_t *set, int name)
{
    return set[name / 64] >> name % 64 & 1;
}

static void set(uint64_t *set, int name, bool on)
{
    uint64_t bit = UINT64_C(1) << name % 64;

    set[name / 64] = on ? set[name / 64] | bit : set[name / 64] & ~bit;
}

/* ---- names ---- */

int mend_guest_name(const struct mend_link *x, int32_t there)
{
    for (uint32_t i = 0; i < x->blocks_n; i++)
        if (there >= x->block[i].there && there - x->block[i].there < x->block[i].n)
            return x->block[i].here + (there - x->block[i].there);
    return -1;
}

int32_t mend_guest_there(const struct mend_link *x, int name)
{
    for (uint32_t i = 0; i < x->blocks_n; i++)
        if (name >= x->block[i].here && name - x->block[i].here < x->block[i].n)
            return x->block[i].there + (name - x->block[i].here);
    return -1;
}

/* ---- our processes there ---- */

static bool is_tellable(struct mend_ranks *ranks, const struct mend_link *x, int i)
{
    const struct rank *r = &ranks->rank[i];

    return !r->guest_of && !has(x->told, i) && (r->far || !mend_rank_has_ended(r)) &&
           !mend_rank_is_dead(ranks, i) && mend_rank_presence(ranks, i) != MEND_PRESENCE_LEFT;
}

struct mend_address mend_guest_door_here(const struct mend_ranks *ranks, int i)
{
    const struct mend_door *door = ranks->nodes.n && ranks->rank[i].node != ranks->nodes.me
                                       ? &mend_node_of_job(ranks->shm, ranks->rank[i].node)->door
                                       : &ranks->shm->door;

    return door->at;
}

struct mend_address mend_guest_door_there(const struct mend_link *x, int name)
{
    for (uint32_t i = 0; i < x->blocks_n; i++)
        if (name >= x->block[i].here && name - x->block[i].here < x->block[i].n)
            return x->block[i].at;
    return (struct mend_address){0};
}

/* A run of process i alone. */
static struct mend_link_run run_of(struct mend_ranks *ranks, const struct mend_link *x, int i)
{
    struct mend_link_run run = {.first = i, .n = 1};

    if (x->far) {
        run.at = mend_guest_door_here(ranks, i);
        run.presence = mend_rank_presence(ranks, i);
    }
    return run;
}

static bool goes_on(const struct mend_link_run *a, const struct mend_link_run *b)
{
    return a->first + a->n == b->first && mend_address_same(&a->at, &b->at) &&
           a->presence == b->presence;
}

uint32_t mend_guest_untold(struct mend_ranks *ranks, struct mend_link *x,
                           struct mend_link_run *runs, uint32_t max)
{
    uint32_t n = 0;

    for (int i = 0, sum = 0; i < ranks->n && sum < MEND_LINK_NAMES_MAX; i++) {
        struct mend_link_run run;

        if (!is_tellable(ranks, x, i))
            continue;
        set(x->told, i, true);
        run = run_of(ranks, x, i);
        if (n && goes_on(&runs[n - 1], &run))
            runs[n - 1].n++;
        else if (n < max)
            runs[n++] = run;
        else
            break;
        sum++;
        set(x->held, i, !x->far);
        x->there[i] = MEND_PLACE_NONE;
    }
    return n;
}

bool mend_guest_is_told(const struct mend_link *x, int name)
{
    return has(x->told, name);
}

void mend_guest_untell(struct mend_link *x, const struct mend_link_run *runs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (int32_t k = runs[i].first; k < runs[i].first + runs[i].n; k++) {
            set(x->told, k, false);
            set(x->held, k, false);
        }
}

/* ---- telling our ranks ---- */

/* False: there is no room for the datagram. */
static bool tell_one(struct mend_link *x, const struct rank *r, struct mend_ctl_abroad *m)
{
    ssize_t n;

    m->mine = !x->far && has(x->told, r->index) ? x->there[r->index] : MEND_PLACE_NONE;
    n = mend_pass(r->ctl_fd, m, MEND_CTL_ABROAD_BYTES(m->blocks_n), &x->shm_fd, !x->far,
                  MSG_DONTWAIT);
    return n > 0 || (errno != EAGAIN && errno != ENOBUFS && errno != ETOOMANYREFS);
}

static void fill(const struct mend_link *x, struct mend_ctl_abroad *m)
{
    m->magic = MEND_CTL_MAGIC;
    m->kind = MEND_CTL_ABROAD;
    m->job = x->other;
    m->number = x->number;
    m->blocks_n = x->blocks_n;
    m->by_sockets = x->far;
    memcpy(m->key, x->key, sizeof(m->key));
    memcpy(m->blocks, x->block, x->blocks_n * sizeof(*x->block));
}

bool mend_guest_announce(struct mend_ranks *ranks, struct mend_link *x)
{
    struct mend_ctl_abroad m = {0};
    bool all = true;

    fill(x, &m);
    for (int i = 0; i < ranks->n; i++)
        if (ranks->rank[i].ctl_fd >= 0 && !mend_rank_has_ended(&ranks->rank[i]))
            all &= tell_one(x, &ranks->rank[i], &m);
    return all;
}

void mend_links_tell(struct mend_links *links, const struct rank *r)
{
    mend_list_foreach (l, next, &links->all) {
        struct mend_link *x = mend_list_entry(l, struct mend_link, link);
        struct mend_ctl_abroad m = {0};

        if (!x->number || x->closed)
            continue;
        fill(x, &m);
        x->announce_due |= !tell_one(x, r, &m);
    }
}

/* ---- admission ---- */

/* Names from `first` on, with places. */
static void prepare(struct mend_ranks *ranks, const struct mend_tell *tell, struct mend_link *x,
                    int first, int n)
{
    for (int i = first; i < first + n; i++) {
        struct rank *r = &ranks->rank[i];

        *r = (struct rank){.index = i,
                           .guest_of = x,
                           .spawn_fd = -1,
                           .wrapped_pidfd = -1,
                           .ctl_fd = -1,
                           .watch_fd = -1,
                           .state = {.child = MEND_CHILD_ENDED,
                                     .ending = MEND_ENDING_TOLD,
                                     .news = MEND_NEWS_PRINTED}};
        mend_vacancy_take(ranks, tell, r);
    }
}

static void withdraw(struct mend_ranks *ranks, int first, int n)
{
    for (int i = first; i < first + n; i++)
        mend_vacancy_give(ranks, &ranks->rank[i]);
}

/* A door of the other job, as processes of this node call it. */
static struct mend_address as_called(const struct mend_ranks *ranks, struct mend_address at)
{
    const struct mend_address own = mend_address_v4(htonl(INADDR_LOOPBACK), 0),
                              *first = ranks->nodes.me ? &mend_node_of_job(ranks->shm, 0)->door.at
                                                       : &own;

    if (at.port && mend_address_is_any(&at))
        memcpy(at.ip, first->ip, sizeof(at.ip));
    return at;
}

static void give_names(const struct mend_ranks *ranks, struct mend_link *x,
                       const struct mend_link_run *runs, uint32_t n, int first)
{
    for (uint32_t i = 0; i < n; i++) {
        struct mend_abroad_block *last = x->blocks_n ? &x->block[x->blocks_n - 1] : NULL;
        struct mend_address at = as_called(ranks, runs[i].at);

        if (last && last->here + last->n == first && last->there + last->n == runs[i].first &&
            mend_address_same(&last->at, &at))
            last->n += runs[i].n;
        else
            x->block[x->blocks_n++] = (struct mend_abroad_block){
                .here = first, .there = runs[i].first, .n = runs[i].n, .at = at};
        first += runs[i].n;
    }
}

/* Places are there, and all ranks were told. */
static void begin(struct mend_links *links, int first, int total)
{
    struct mend_ranks *ranks = links->with.ranks;

    mend_segment_name(ranks, first, total);
    pthread_mutex_lock(&ranks->lock);
    for (int i = 0; i < total; i++)
        mend_detector_add(links->with.verdicts->detector);
    ranks->n += total;
    pthread_mutex_unlock(&ranks->lock);
    mend_rank_call_all(ranks);
}

/* Takes their places from the dead, as far as now possible. */
static void collect(struct mend_links *links)
{
    mend_retire_dead(links->with.ranks, links->with.papers, links, links->with.sources);
}

static int count(const struct mend_link_run *runs, uint32_t n)
{
    int total = 0;

    for (uint32_t i = 0; i < n; i++)
        total += runs[i].n;
    return total;
}

static void prepare_far(struct mend_ranks *ranks, struct mend_link *x, int at,
                        const struct mend_link_run *run)
{
    for (int i = at; i < at + run->n; i++) {
        struct rank *r = &ranks->rank[i];

        *r = (struct rank){
            .index = i, .guest_of = x, .wrapped_pidfd = -1, .ctl_fd = -1, .watch_fd = -1};
        mend_vacancy_begin_far(ranks, r);
    }
}

/* Behind mend_segment_admit(), which reserves its memory. */
static void note_presence(struct mend_ranks *ranks, int at, const struct mend_link_run *run)
{
    for (int i = at; i < at + run->n; i++)
        mend_store_relaxed(&mend_node_process_of(ranks->shm, i)->presence, run->presence);
}

/* Names that this agent has missed are before them. */
bool mend_guest_name_far(struct mend_links *links, struct mend_link *x, int first,
                         const struct mend_link_run *runs, uint32_t n)
{
    struct mend_ranks *ranks = links->with.ranks;
    int begin_at = ranks->n, at = first, total = count(runs, n);

    for (int i = begin_at; i < first; i++)
        mend_vacancy_skip(ranks, i);
    for (uint32_t i = 0; i < n; at += runs[i++].n)
        prepare_far(ranks, x, at, &runs[i]);
    if (!mend_segment_admit(ranks, begin_at, first + total - begin_at))
        return false;
    for (uint32_t i = 0, name = (uint32_t)first; i < n; name += (uint32_t)runs[i++].n)
        note_presence(ranks, (int)name, &runs[i]);
    give_names(ranks, x, runs, n, first);
    x->announce_due |= !mend_guest_announce(ranks, x);
    x->guests_n += total;
    begin(links, begin_at, first + total - begin_at);
    return true;
}

static int admit_far(struct mend_links *links, struct mend_link *x,
                     const struct mend_link_run *runs, uint32_t n)
{
    struct mend_ranks *ranks = links->with.ranks;

    if (count(runs, n) > (int)MEND_NODE_NAMES - ranks->n ||
        x->blocks_n + n > MEND_ABROAD_BLOCKS_MAX)
        return ENOSPC;
    return mend_guest_name_far(links, x, ranks->n, runs, n) ? 0 : ENOSPC;
}

int mend_guest_admit(struct mend_links *links, struct mend_link *x,
                     const struct mend_link_run *runs, uint32_t n)
{
    struct mend_ranks *ranks = links->with.ranks;
    struct mend_abroad_block last =
        x->blocks_n ? x->block[x->blocks_n - 1] : (struct mend_abroad_block){0};
    uint32_t blocks_before = x->blocks_n;
    int first = ranks->n, total = count(runs, n);

    if (x->far)
        return admit_far(links, x, runs, n);
    collect(links);
    if (total > mend_vacancies(ranks) || x->blocks_n + n > MEND_ABROAD_BLOCKS_MAX)
        return ENOSPC;
    prepare(ranks, links->with.tell, x, first, total);
    give_names(ranks, x, runs, n, first);
    if (!mend_segment_admit(ranks, first, total) || !mend_guest_announce(ranks, x)) {
        x->blocks_n = blocks_before;
        if (blocks_before)
            x->block[blocks_before - 1] = last;
        withdraw(ranks, first, total);
        return ENOSPC;
    }
    x->guests_n += total;
    begin(links, first, total);
    return 0;
}

/* ---- presence ---- */

void mend_guest_presence(struct mend_links *links, const struct mend_link *x, int32_t there,
                         enum mend_presence presence)
{
    struct mend_ranks *ranks = links->with.ranks;
    int name = mend_guest_name(x, there);

    if (name < 0 || !x->far)
        return;
    mend_rank_hear(ranks, name, presence);
    if (links->with.facts)
        mend_facts_presence(links->with.facts, &ranks->rank[name], presence);
}

/* Those that were not told of yet are told with what they say then (run_of()). */
void mend_links_presence(struct mend_links *links, int i)
{
    mend_list_foreach (l, next, &links->all) {
        struct mend_link *x = mend_list_entry(l, struct mend_link, link);
        struct mend_link_msg m = {.kind = MEND_LINK_PRESENCE, .n = 1};
        int32_t body[2] = {i, (int32_t)mend_rank_presence(links->with.ranks, i)};

        if (!x->mirror && x->far && has(x->told, i) && mend_link_is_open(links, x))
            mend_link_send(links, x, &m, body, MEND_COUNT_OF(body));
    }
}

/* ---- deaths there ---- */

/* One that had left MPI has not failed. */
static void propose(struct mend_links *links, struct mend_verdict *v, uint32_t n)
{
    struct mend_ranks *ranks = links->with.ranks;
    struct rank **ended = mend_xalloc(n, sizeof(struct rank *));
    int ended_n = 0, dead_n = 0;

    for (uint32_t i = 0; i < n; i++)
        if (ranks->rank[v[i].peer].told == MEND_PRESENCE_LEFT)
            ended[ended_n++] = &ranks->rank[v[i].peer];
        else
            v[dead_n++] = v[i];
    pthread_mutex_lock(&ranks->lock);
    if (dead_n)
        mend_facts_die(links->with.facts, v, dead_n);
    pthread_mutex_unlock(&ranks->lock);
    mend_sources_note(links->with.sources);
    if (ended_n)
        mend_facts_end(links->with.facts, ended, ended_n);
    free(ended);
}

static void propose_cause(struct mend_links *links, struct rank *r, const struct mend_link_death *d)
{
    struct mend_ranks *ranks = links->with.ranks;

    pthread_mutex_lock(&ranks->lock);
    r->verdict.cause = (uint8_t)d->cause;
    r->verdict.code = d->code;
    mend_facts_explain(links->with.facts, r);
    pthread_mutex_unlock(&ranks->lock);
    mend_sources_note(links->with.sources);
}

/* On one node. */
static void declare(struct mend_links *links, struct mend_verdict *v, uint32_t n)
{
    uint32_t first = mend_verdict_guests(links->with.verdicts, v, n);

    for (uint32_t i = 0; i < n; i++)
        mend_report(links->with.tell, mend_time_monotonic_ns(), verdict, .rank = v[i].peer,
                    .number = (int)(first + i));
}

void mend_guest_deaths(struct mend_links *links, struct mend_link *x,
                       const struct mend_link_death *d, uint32_t n, mend_time_ns age_ns, bool late)
{
    struct mend_ranks *ranks = links->with.ranks;
    struct mend_verdict *v = mend_xalloc(n + 1, sizeof(*v));
    mend_time_ns now = mend_time_monotonic_ns();
    uint32_t known_n = 0;

    for (uint32_t i = 0; i < n; i++) {
        int name = mend_guest_name(x, d[i].name);

        if (name >= 0 && !mend_rank_is_dead(ranks, name) && !ranks->rank[name].told_dead &&
            !ranks->rank[name].told_ended)
            v[known_n++] = (struct mend_verdict){.peer = name,
                                                 .cause = (uint8_t)d[i].cause,
                                                 .code = d[i].code,
                                                 .when_ns = age_ns < now ? now - age_ns : 0,
                                                 .late = late};
    }
    if (known_n && links->with.facts)
        propose(links, v, known_n);
    else if (known_n)
        declare(links, v, known_n);
    free(v);
}

void mend_guest_explain(struct mend_links *links, struct mend_link *x,
                        const struct mend_link_death *d)
{
    struct mend_ranks *ranks = links->with.ranks;
    int name = mend_guest_name(x, d->name);

    if (name >= 0 && links->with.facts)
        propose_cause(links, &ranks->rank[name], d);
    else if (name >= 0 && mend_rank_is_dead(ranks, name) && ranks->rank[name].verdict_k >= 0)
        mend_store_relaxed(
            &mend_node_death_of(ranks->shm, (uint32_t)ranks->rank[name].verdict_k)->why,
            MEND_NODE_WHY(d->cause, d->code));
}

/* ---- our deaths ---- */

static struct mend_link_death death_of(const struct mend_ranks *ranks, uint32_t k)
{
    const struct mend_node_death *d = mend_node_death_of(ranks->shm, k);
    uint64_t why = mend_load_relaxed(&d->why);

    struct mend_link_death told = {(int32_t)d->name, (int32_t)MEND_NODE_WHY_CAUSE(why),
                                   MEND_NODE_WHY_CODE(why)};

    if (told.cause == MEND_CAUSE_SUSPECTED)
        told.code = -1; /* a name of this job's */
    return told;
}

static bool is_told_death(const struct mend_ranks *ranks, const struct mend_link *x, uint32_t k)
{
    int name = (int)mend_node_death_of(ranks->shm, k)->name;

    return !ranks->rank[name].guest_of && has(x->told, name);
}

/* Those that were given together go in one message, as far as it has room. */
static void tell_deaths(struct mend_links *links, struct mend_link *x, mend_time_ns now)
{
    struct mend_ranks *ranks = links->with.ranks;
    uint32_t end = mend_load_acquire(&ranks->shm->deaths_n);
    struct mend_link_death d[MEND_LINK_DEATHS_MAX];

    while (x->sent_k < end) {
        const struct mend_node_death *death = mend_node_death_of(ranks->shm, x->sent_k);
        uint32_t first = death->first;
        struct mend_link_msg m = {.kind = MEND_LINK_DEATH,
                                  .age_ns = now > death->when_ns ? now - death->when_ns : 0,
                                  .code = (int32_t)death->late};

        for (; x->sent_k < end && m.n < MEND_LINK_DEATHS_MAX &&
               mend_node_death_of(ranks->shm, x->sent_k)->first == first;
             x->sent_k++)
            if (is_told_death(ranks, x, x->sent_k))
                d[m.n++] = death_of(ranks, x->sent_k);
        if (m.n)
            mend_link_send(links, x, &m, d, (size_t)m.n * 3);
    }
}

/* In the order of the verdicts; the kernel tells each in the end. */
static void tell_causes(struct mend_links *links, struct mend_link *x)
{
    struct mend_ranks *ranks = links->with.ranks;

    for (; x->explained_k < x->sent_k; x->explained_k++) {
        struct mend_link_death d = death_of(ranks, x->explained_k);
        struct mend_link_msg m = {.kind = MEND_LINK_EXPLAIN, .n = 1};

        if (!is_told_death(ranks, x, x->explained_k))
            continue;
        if (d.cause == MEND_CAUSE_UNKNOWN && ranks->rank[d.name].far)
            continue; /* mend_links_explain() */
        if (d.cause == MEND_CAUSE_UNKNOWN && !mend_rank_has_ended(&ranks->rank[d.name]))
            return;
        mend_link_send(links, x, &m, &d, 3);
    }
}

void mend_links_explain(struct mend_links *links, int name)
{
    struct mend_ranks *ranks = links->with.ranks;

    mend_list_foreach (l, next, &links->all) {
        struct mend_link *x = mend_list_entry(l, struct mend_link, link);
        uint32_t k = (uint32_t)ranks->rank[name].verdict_k;
        struct mend_link_death d = death_of(ranks, k);
        struct mend_link_msg m = {.kind = MEND_LINK_EXPLAIN, .n = 1};

        if (!x->mirror && k < x->explained_k && is_told_death(ranks, x, k) &&
            mend_link_is_open(links, x))
            mend_link_send(links, x, &m, &d, 3);
    }
}

/* Nobody here looks at these dead any more: their agents may give their places again. */
static void release(struct mend_links *links)
{
    struct mend_ranks *ranks = links->with.ranks;

    for (; links->released_n < ranks->cleared_n; links->released_n++) {
        int32_t name = (int32_t)mend_node_death_of(ranks->shm, links->released_n)->name, there;
        struct mend_link *x = ranks->rank[name].guest_of;
        struct mend_link_msg m = {.kind = MEND_LINK_RELEASED, .n = 1};

        if (!x || x->far || !mend_link_is_open(links, x))
            continue;
        there = mend_guest_there(x, name);
        mend_link_send(links, x, &m, &there, 1);
    }
}

/* ---- the loss of the other agent ---- */

static struct mend_node_rank *rank_there(const struct mend_link *x, int32_t there)
{
    return mend_node_rank_of(x->shm, mend_place_at(mend_node_process_of(x->shm, there)->place));
}

/* So long after the loss of their first node the leases of the others are over. */
static mend_time_ns lease_of(const struct mend_link *x)
{
    const struct mend_lease_config c = MEND_LEASE_DEFAULTS;

    return mend_lease_stretch(x->lease_ns, c.drift_ppm);
}

/* It executes nothing of the program any more, or has left. */
static bool has_ended(const struct mend_link *x, int32_t there, mend_time_ns now)
{
    const struct mend_node_process *process = mend_node_process_of(x->shm, there);
    uint32_t presence = mend_load_acquire(&process->presence);
    struct mend_node_rank *r;

    if (process->place == MEND_PLACE_NONE.at)
        return presence == MEND_PRESENCE_LEFT || now >= x->lost_at + lease_of(x);
    r = rank_there(x, there);
    return mend_load_acquire(&r->fate) == MEND_PEER_DEAD || presence == MEND_PRESENCE_NONE ||
           presence == MEND_PRESENCE_LEFT || presence == MEND_PRESENCE_AWAY ||
           (mend_load_acquire(&r->life_valid) &&
            mend_load_acquire(mend_node_life_word(r)) & FUTEX_OWNER_DIED);
}

/* Its living guests; ended_only: those that have ended. */
static uint32_t list_living(struct mend_ranks *ranks, struct mend_link *x, bool ended_only,
                            mend_time_ns now, struct mend_link_death *d)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < x->blocks_n; i++)
        for (int32_t k = 0; k < x->block[i].n; k++) {
            int32_t there = x->block[i].there + k;

            if (!mend_rank_is_dead(ranks, x->block[i].here + k) &&
                (!ended_only || has_ended(x, there, now)))
                d[n++] = (struct mend_link_death){there, MEND_CAUSE_LOST, 0};
        }
    return n;
}

/* All at once, so that nobody sees some of a job that ended as a whole. */
static mend_time_ns look_at_lost(struct mend_links *links, struct mend_link *x, mend_time_ns now)
{
    struct mend_ranks *ranks = links->with.ranks;
    struct mend_link_death *d = mend_xalloc((size_t)ranks->n + 1, sizeof(*d));
    mend_time_ns lease = lease_of(x);
    uint32_t all_n, ended_n;

    if (!x->lost_at)
        x->lost_at = now;
    all_n = list_living(ranks, x, false, now, d);
    ended_n = list_living(ranks, x, true, now, d);
    if (ended_n < all_n && now < x->lost_at + (lease > LOST_NS ? lease : LOST_NS)) {
        free(d);
        return now + LOST_LOOK_NS;
    }
    all_n = list_living(ranks, x, false, now, d);
    for (uint32_t i = 0; i < all_n && !x->far; i++)
        ranks->rank[mend_guest_name(x, d[i].name)].unproven = !has_ended(x, d[i].name, now);
    mend_guest_deaths(links, x, d, all_n, now, false);
    free(d);
    memset(x->held, 0, MEND_LINK_WORDS * sizeof(*x->held));
    mend_link_mourned(links, x);
    return now;
}

/* Also when the other job has ended: a rank that has the names waits for what is said of them. */
static mend_time_ns announce_again(struct mend_links *links, struct mend_link *x, mend_time_ns now)
{
    struct mend_ranks *ranks = links->with.ranks;

    if (!x->announce_due)
        return MEND_TIME_NEVER;
    x->announce_due = !mend_guest_announce(ranks, x);
    mend_rank_call_all(ranks);
    return x->announce_due ? now + AGAIN_NS : MEND_TIME_NEVER;
}

mend_time_ns mend_guest_look(struct mend_links *links, struct mend_link *x, mend_time_ns now)
{
    mend_time_ns again = announce_again(links, x, now), lost;

    switch (mend_link_state(links, x)) {
    case MEND_CONTACT_OPEN:
        tell_deaths(links, x, now);
        tell_causes(links, x);
        release(links);
        break;
    case MEND_CONTACT_LOST:
        lost = look_at_lost(links, x, now);
        return lost < again ? lost : again;
    case MEND_CONTACT_OVER:
        collect(links);
        if (!x->guests_n && !x->announce_due)
            mend_link_forgotten(links, x);
        break;
    case MEND_CONTACT_CALLS:
    case MEND_CONTACT_CALLED:
    case MEND_CONTACT_CLOSED:
        x->closed |= x->parted && !x->announce_due;
        break;
    }
    return again;
}
