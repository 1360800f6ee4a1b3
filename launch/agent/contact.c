/* SPDX-License-Identifier: BSD-3-Clause */
/* contact.c – two agents of one user connect their jobs (MPI_Comm_connect between two mpiexecs).
 *
 *   rank ─CONNECT─> agent ─ HELLO, segment ──────> agent of the port's job, at an abstract socket named by that job
 *                         <──── OLLEH, segment ───       both know the segments, and the numbers of the jobs
 *                         ─ PROOF ───────────────>
 *                         ─ ASK, our processes ──>       gives them names and places, and tells its ranks
 *                         <─ GUESTS, their places ─
 *                         <─ TELL, its processes ─
 *        the same here    ─ GUESTS, their places ─>      tells its ranks
 *   rank <─ ANSWER ──────
 *
 * What the agents say to each other, and what ranks are answered, is decided by ft/contact_sm.h; here its acts are carried
 * out.  From then on each agent tells the other of its verdicts, and stays the only judge of its own ranks.  A link stays
 * until one of the jobs ends; each later CONNECT repeats ASK and TELL for processes that came meanwhile.  One that names
 * processes of this job (MPI_Comm_spawn on a communicator of both) is answered with yes only if the other job knows them all.
 *
 * In a job of several nodes the agent of the first one has the links: the root passes on to it what ranks of other nodes ask, and
 * its answers to their agents (mirror.c).
 *
 * The number of a job names its processes in frames (node/abroad.h). */
#include "agent/link.h"

#include "base/time.h"
#include "node/log.h"
#include "rt/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define AGAIN_NS   (5 * MEND_NS_PER_MS)
#define SILENCE_NS (10 * MEND_NS_PER_S)
#define ROOM       4u /* of the machine at first */

static uint32_t draw_lot(void)
{
    uint32_t lot;

    if (getrandom(&lot, sizeof(lot), 0) != sizeof(lot))
        lot = (uint32_t)mend_time_monotonic_ns();
    return lot;
}

static struct mend_contact *new_contact(uint32_t links_room, uint32_t asks_room)
{
    return mend_xalloc(1, mend_contact_size(MEND_ABROAD_NUMBERS, links_room, asks_room));
}

struct mend_links *mend_links_open(const struct mend_links_needs *with)
{
    const struct mend_ranks *ranks = with->ranks;
    struct mend_links *links = mend_xalloc(1, sizeof(*links));

    links->with = *with;
    mend_list_init(&links->all);
    mend_list_init(&links->errands);
    links->contact = new_contact(ROOM, ROOM);
    mend_contact_init(links->contact, ranks->shm->job, MEND_ABROAD_NUMBERS, ROOM, ROOM);
    links->door_fd = ranks->nodes.me ? -1 : mend_link_door(ranks->shm->job);
    return links;
}

int mend_links_door(const struct mend_links *links)
{
    return links->door_fd;
}

/* ---- links ---- */

static struct mend_link *link_of(struct mend_links *links, int32_t id)
{
    mend_list_foreach (l, next, &links->all)
        if (mend_list_entry(l, struct mend_link, link)->id == id)
            return mend_list_entry(l, struct mend_link, link);
    return NULL;
}

/* ---- acts ---- */

static void send_runs(struct mend_links *links, struct mend_link *x, enum mend_link_kind kind,
                      int error)
{
    struct mend_link_run *runs = mend_xalloc(MEND_ABROAD_BLOCKS_MAX, sizeof(*runs));
    struct mend_link_msg m = {.kind = kind, .code = error};

    m.n = error ? 0 : mend_guest_untold(links->with.ranks, x, runs, MEND_ABROAD_BLOCKS_MAX);
    mend_link_send(links, x, &m, runs, m.n * MEND_LINK_RUN_WORDS);
    free(runs);
}

/* Greetings are the first message of a side: there is room for them. */
static void say(struct mend_links *links, struct mend_link *x, const struct mend_contact_msg *c)
{
    struct mend_ranks *ranks = links->with.ranks;
    struct mend_link_msg m = {.magic = MEND_LINK_MAGIC,
                              .kind = c->word,
                              .code = c->code,
                              .number = c->number,
                              .turn = c->turn,
                              .job = c->job,
                              .to = c->to,
                              .far = ranks->nodes.n > 0,
                              .elsewhere = ranks->nodes.elsewhere,
                              .lease_ns = ranks->nodes.lease_ns};

    memcpy(m.key, ranks->shm->door.key, sizeof(m.key));
    if (c->word == MEND_CONTACT_ASK || c->word == MEND_CONTACT_TELL) {
        send_runs(links, x, (enum mend_link_kind)c->word, c->code);
    } else if (c->word != MEND_CONTACT_HELLO && c->word != MEND_CONTACT_OLLEH) {
        mend_link_send(links, x, &m, NULL, 0);
    } else if (!mend_link_greet(x, &m, ranks->shm_fd)) {
        mend_link_step(links, (struct mend_contact_event){.kind = MEND_CONTACT_ENDED,
                                                          .link = x->id,
                                                          .error = ECONNREFUSED});
    }
}

static void call(struct mend_links *links, uint64_t other)
{
    struct mend_contact_event ev = {.kind = MEND_CONTACT_REACHED, .link = -1};
    int fd;

    ev.error = mend_link_reach(other, &fd);
    if (ev.error)
        ev.kind = MEND_CONTACT_UNREACHED;
    else
        ev.link = mend_link_add(links, fd)->id;
    mend_link_step(links, ev);
}

/* A question of a rank for whose answer the other job must know n processes. */
struct errand {
    struct mend_list link; /* in links->errands */
    int rank, first, n;
    uint64_t number;
};

static bool has_ended(const struct rank *r)
{
    return mend_rank_is_ours(r) && mend_rank_has_ended(r);
}

/* 0, or an errno value: why the other job does not know them all. */
static int are_known(struct mend_links *links, uint64_t other, int first, int n)
{
    struct mend_ranks *ranks = links->with.ranks;

    mend_list_foreach (l, next, &links->all) {
        struct mend_link *x = mend_list_entry(l, struct mend_link, link);

        if (x->other != other || !mend_link_is_open(links, x))
            continue;
        for (int i = first; i < first + n; i++)
            if (!mend_guest_is_told(x, i))
                return mend_rank_is_dead(ranks, i) || has_ended(&ranks->rank[i]) ? ESRCH : ENOSPC;
        return 0;
    }
    return ENOENT;
}

/* The question is answered with this error; the errand is done. */
static int do_errand(struct mend_links *links, const struct mend_contact_act *act)
{
    int error = act->error;

    mend_list_foreach (l, next, &links->errands) {
        struct errand *e = mend_list_entry(l, struct errand, link);

        if (e->rank != act->rank || e->number != act->number)
            continue;
        if (!error)
            error = are_known(links, act->job, e->first, e->n);
        mend_list_remove(&e->link);
        free(e);
    }
    return error;
}

void mend_link_answer(struct mend_links *links, const struct rank *r, uint64_t job, uint64_t number,
                      int error)
{
    struct mend_ctl_abroad m = {.magic = MEND_CTL_MAGIC,
                                .kind = MEND_CTL_ANSWER,
                                .error = error,
                                .job = job,
                                .ask = number};

    if (r->far) {
        mend_post(&links->with.tell->root,
                  &(struct mend_message){.kind = MEND_UP_CONNECTED,
                                         .rank = r->index,
                                         .arg = {(int64_t)job, (int64_t)number, error}});
        return;
    }
    if (r->ctl_fd >= 0 &&
        send(r->ctl_fd, &m, MEND_CTL_ABROAD_BYTES(0), MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
        mend_rank_call(links->with.ranks, r);
}

static void answer(struct mend_links *links, const struct mend_contact_act *act)
{
    mend_link_answer(links, &links->with.ranks->rank[act->rank], act->job, act->number,
                     do_errand(links, act));
}

/* release: pairs with the acquire in own_number() (node/abroad.c) */
static void opened(struct mend_links *links, struct mend_link *x, uint64_t other)
{
    struct mend_ranks *ranks = links->with.ranks;

    mend_store_release(&ranks->shm->number, links->contact->number);
    x->other = other;
    x->number = mend_contact_link(links->contact, x->id)->number;
    if (!x->far)
        return;
    mend_store_relaxed(&ranks->shm->tells_presence, 1);
    /* Pairs with the fence in tell_presence() (rt/local.c): either a rank tells what it says of itself from now on, or this
     * agent reads it when it tells the other job of the rank. */
    atomic_thread_fence(memory_order_seq_cst);
    x->sent_k = x->explained_k = mend_load_acquire(&ranks->shm->deaths_n);
}

static void close_link(struct mend_links *links, struct mend_link *x, bool kept)
{
    mend_sources_set_link(links->with.sources, x->fd, false, false);
    close(x->fd);
    x->fd = -1;
    x->closed = !kept;
}

static void carry_out(struct mend_links *links, const struct mend_contact_act *act)
{
    struct mend_link *x = link_of(links, act->link);

    switch (act->kind) {
    case MEND_CONTACT_SAY:
        say(links, x, &act->msg);
        break;
    case MEND_CONTACT_CALL:
        call(links, act->job);
        break;
    case MEND_CONTACT_ANSWER:
        answer(links, act);
        break;
    case MEND_CONTACT_OPENED:
        opened(links, x, act->job);
        break;
    case MEND_CONTACT_CLOSE:
        close_link(links, x, act->kept);
        break;
    }
}

/* Room for one link and one question more. */
static void make_room(struct mend_links *links)
{
    struct mend_contact *x = links->contact, *more;
    uint32_t room = x->links_room, asks = x->asks_room;

    if (x->links_n < room && x->asks_n < asks)
        return;
    room *= x->links_n == room ? 2 : 1;
    asks *= x->asks_n == asks ? 2 : 1;
    more = new_contact(room, asks);
    mend_contact_move(more, room, asks, x);
    free(x);
    links->contact = more;
}

void mend_link_step(struct mend_links *links, struct mend_contact_event ev)
{
    struct mend_contact_act act;

    ev.lot = draw_lot();
    make_room(links);
    mend_contact_step(links->contact, &ev);
    while (mend_contact_next(links->contact, &act))
        carry_out(links, &act);
}

void mend_link_asked(struct mend_links *links, struct rank *r, uint64_t other, uint64_t number,
                     int first, int names_n)
{
    struct errand *e;

    if (links->with.ranks->nodes.me) {
        mend_post(&links->with.tell->root,
                  &(struct mend_message){.kind = MEND_UP_CONNECT,
                                         .rank = r->index,
                                         .arg = {(int64_t)other, (int64_t)number, first, names_n}});
        return;
    }
    e = names_n ? mend_xalloc(1, sizeof(*e)) : NULL;
    if (e) {
        *e = (struct errand){.rank = r->index, .first = first, .n = names_n, .number = number};
        mend_list_append(&links->errands, &e->link);
    }
    mend_link_step(links,
                   (struct mend_contact_event){.kind = MEND_CONTACT_ASKED,
                                               .link = -1,
                                               .rank = r->index,
                                               .job = other,
                                               .number = number,
                                               .until = mend_time_monotonic_ns() + SILENCE_NS});
}

void mend_link_mourned(struct mend_links *links, struct mend_link *x)
{
    mend_link_step(links, (struct mend_contact_event){.kind = MEND_CONTACT_MOURNED, .link = x->id});
}

/* At the first node of several: the mirrors are over, too. */
static void tell_parted(const struct mend_links *links, const struct mend_link *x)
{
    mend_post(
        &links->with.tell->root,
        &(struct mend_message){.kind = MEND_UP_PARTED, .rank = -1, .arg = {(int64_t)x->other}});
}

void mend_link_forgotten(struct mend_links *links, struct mend_link *x)
{
    x->closed = true;
    if (links->with.ranks->nodes.n)
        tell_parted(links, x);
    mend_link_step(links,
                   (struct mend_contact_event){.kind = MEND_CONTACT_FORGOTTEN, .link = x->id});
}

void mend_links_knock(struct mend_links *links)
{
    int fd;

    while ((fd = accept4(links->door_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
        if (mend_link_is_same_user(fd))
            mend_link_step(links,
                           (struct mend_contact_event){.kind = MEND_CONTACT_KNOCKED,
                                                       .link = mend_link_add(links, fd)->id});
        else
            close(fd);
}

mend_time_ns mend_links_look(struct mend_links *links, mend_time_ns now)
{
    mend_time_ns next, at;

    if (mend_contact_due(links->contact, now) <= now)
        mend_link_step(
            links, (struct mend_contact_event){.kind = MEND_CONTACT_LOOK, .link = -1, .now = now});
    next = mend_contact_due(links->contact, now);
    next = next <= now ? now + AGAIN_NS : next;
    mend_list_foreach (l, after, &links->all) {
        struct mend_link *x = mend_list_entry(l, struct mend_link, link);

        at = mend_guest_look(links, x, now);
        next = at < next ? at : next;
        if (x->closed)
            mend_link_free(links, x);
    }
    return next;
}
