/* SPDX-License-Identifier: BSD-3-Clause */
/* contact_sm.c – the agents of two jobs connect them; see contact_sm.h. */
#include "ft/contact_sm.h"

#include <errno.h>
#include <string.h>

/* ---- memory ---- */

static size_t set_words(const struct mend_contact *x)
{
    return (x->numbers_n + 63) / 64;
}

static struct mend_contact_link *links(const struct mend_contact *x)
{
    return (struct mend_contact_link *)(uintptr_t)(x->store + set_words(x));
}

static struct mend_contact_ask *asks(const struct mend_contact *x)
{
    return (struct mend_contact_ask *)(links(x) + x->links_room);
}

const struct mend_contact_link *mend_contact_links(const struct mend_contact *x)
{
    return links(x);
}

const struct mend_contact_ask *mend_contact_asks(const struct mend_contact *x)
{
    return asks(x);
}

size_t mend_contact_size(uint32_t numbers_n, uint32_t links_room, uint32_t asks_room)
{
    return sizeof(struct mend_contact) + (numbers_n + 63) / 64 * sizeof(uint64_t) +
           links_room * sizeof(struct mend_contact_link) +
           asks_room * sizeof(struct mend_contact_ask);
}

void mend_contact_init(struct mend_contact *x, uint64_t job, uint32_t numbers_n,
                       uint32_t links_room, uint32_t asks_room)
{
    memset(x, 0, mend_contact_size(numbers_n, links_room, asks_room));
    x->job = job;
    x->numbers_n = numbers_n;
    x->links_room = links_room;
    x->asks_room = asks_room;
}

void mend_contact_move(struct mend_contact *x, uint32_t links_room, uint32_t asks_room,
                       const struct mend_contact *from)
{
    MEND_ASSERT(links_room >= from->links_n && asks_room >= from->asks_n);
    mend_contact_init(x, from->job, from->numbers_n, links_room, asks_room);
    x->number = from->number;
    x->settled = from->settled;
    x->turns_n = from->turns_n;
    x->links_n = from->links_n;
    x->asks_n = from->asks_n;
    memcpy(x->store, from->store, set_words(x) * sizeof(*x->store));
    memcpy(links(x), links(from), from->links_n * sizeof(*links(x)));
    memcpy(asks(x), asks(from), from->asks_n * sizeof(*asks(x)));
}

/* ---- numbers ---- */

static bool is_known(const struct mend_contact *x, uint32_t number)
{
    return x->store[number / 64] >> number % 64 & 1;
}

static bool is_free(const struct mend_contact *x, uint32_t number)
{
    return number && number < x->numbers_n && number != x->number && !is_known(x, number);
}

/* One that no job has that we know, and not `but` either; 0: there is none. */
static uint32_t draw(const struct mend_contact *x, uint32_t lot, uint32_t but)
{
    for (uint32_t i = 0; i < x->numbers_n; i++) {
        uint32_t number = (lot % x->numbers_n + i) % x->numbers_n;

        if (number != but && is_free(x, number))
            return number;
    }
    return 0;
}

static uint32_t our_number(const struct mend_contact *x, uint32_t lot, uint32_t but)
{
    return x->number ? x->number : draw(x, lot, but);
}

/* ---- links ---- */

static struct mend_contact_link *link_of(const struct mend_contact *x, int32_t id)
{
    for (uint32_t i = 0; i < x->links_n; i++)
        if (links(x)[i].id == id)
            return &links(x)[i];
    return NULL;
}

const struct mend_contact_link *mend_contact_link(const struct mend_contact *x, int32_t id)
{
    return link_of(x, id);
}

static struct mend_contact_link *find(const struct mend_contact *x, uint64_t other)
{
    for (uint32_t i = 0; i < x->links_n; i++)
        if (links(x)[i].other == other && links(x)[i].state != MEND_CONTACT_CLOSED)
            return &links(x)[i];
    return NULL;
}

/* The only writer of `state` after the start: it only goes on. */
static void become(struct mend_contact_link *l, enum mend_contact_state state)
{
    MEND_ASSERT(state > l->state);
    l->state = (uint8_t)state;
}

static struct mend_contact_link *add(struct mend_contact *x, int32_t id,
                                     enum mend_contact_state state, uint64_t other)
{
    struct mend_contact_link *l = &links(x)[x->links_n];

    MEND_ASSERT(x->links_n < x->links_room && !link_of(x, id));
    x->links_n++;
    *l = (struct mend_contact_link){.id = id, .state = (uint8_t)state, .other = other};
    return l;
}

static void forget(struct mend_contact *x, struct mend_contact_link *l)
{
    uint32_t i = (uint32_t)(l - links(x));

    x->links_n--;
    memmove(l, l + 1, (x->links_n - i) * sizeof(*l));
    memset(&links(x)[x->links_n], 0, sizeof(*l));
}

/* ---- questions ---- */

static void end_ask(struct mend_contact_ask *a, int32_t error)
{
    a->due = true;
    a->error = error;
}

static void drop_ask(struct mend_contact *x, uint32_t i)
{
    x->asks_n--;
    memmove(&asks(x)[i], &asks(x)[i + 1], (x->asks_n - i) * sizeof(*asks(x)));
    memset(&asks(x)[x->asks_n], 0, sizeof(*asks(x)));
}

static void change(struct mend_contact *x, enum mend_contact_stage from, enum mend_contact_stage to)
{
    for (uint32_t i = 0; i < x->asks_n; i++)
        if (asks(x)[i].stage == from)
            asks(x)[i].stage = (uint8_t)to;
}

static bool is_sent(const struct mend_contact_ask *a)
{
    return a->stage >= MEND_CONTACT_SENT;
}

/* What was asked over a link that has ended, or for it. */
static void fail_asks(struct mend_contact *x, const struct mend_contact_link *l, int32_t error)
{
    for (uint32_t i = 0; i < x->asks_n; i++) {
        struct mend_contact_ask *a = &asks(x)[i];

        if (is_sent(a) && a->link == l->id) {
            if (l->proved || a->stage == MEND_CONTACT_GIVEN_UP)
                end_ask(a, error);
            else
                a->stage = MEND_CONTACT_SEEKS;
        } else if (!is_sent(a) && l->state == MEND_CONTACT_CALLS && a->job == l->other) {
            end_ask(a, error);
        }
    }
}

static void answer_oldest(struct mend_contact *x, const struct mend_contact_link *l, int32_t error)
{
    for (uint32_t i = 0; i < x->asks_n; i++)
        if (is_sent(&asks(x)[i]) && asks(x)[i].link == l->id && !asks(x)[i].due) {
            end_ask(&asks(x)[i], error);
            return;
        }
}

/* ---- the end of a link ---- */

static bool has_open(const struct mend_contact *x)
{
    for (uint32_t i = 0; i < x->links_n; i++)
        if (links(x)[i].state == MEND_CONTACT_OPEN)
            return true;
    return false;
}

/* What was given away, or learnt, for a link that the other side has not opened. */
static void take_back(struct mend_contact *x, const struct mend_contact_link *l)
{
    x->store[l->number / 64] &= ~(UINT64_C(1) << l->number % 64);
    if (!x->settled && !has_open(x))
        x->number = 0;
}

/* error: for those that have asked for it. */
static void lose(struct mend_contact *x, struct mend_contact_link *l, int32_t error)
{
    bool open = l->state == MEND_CONTACT_OPEN;

    if (l->state >= MEND_CONTACT_LOST)
        return;
    fail_asks(x, l, error);
    become(l, l->proved ? MEND_CONTACT_LOST : MEND_CONTACT_CLOSED);
    l->ended = true;
    if (open && !l->proved)
        take_back(x, l);
}

/* Nobody is told of it: what was asked for finds another way. */
static void abandon(struct mend_contact *x, struct mend_contact_link *l)
{
    if (l->state == MEND_CONTACT_CALLS)
        l->other = 0;
    lose(x, l, 0);
}

static void refuse(struct mend_contact *x, struct mend_contact_link *l, int32_t error)
{
    l->say = MEND_CONTACT_REFUSE;
    l->code = error;
    lose(x, l, error);
}

/* ---- greetings ---- */

static void open_link(struct mend_contact *x, struct mend_contact_link *l, uint32_t ours,
                      uint32_t theirs)
{
    x->number = ours;
    x->store[theirs / 64] |= UINT64_C(1) << theirs % 64;
    l->number = theirs;
    become(l, MEND_CONTACT_OPEN);
    change(x, MEND_CONTACT_RESTS, MEND_CONTACT_SEEKS);
}

static void prove(struct mend_contact *x, struct mend_contact_link *l)
{
    l->proved = l->fresh = true;
    x->settled = true;
}

/* Why we do not want to talk to the sender; 0: we do. */
static int32_t judge_hello(const struct mend_contact *x, const struct mend_contact_link *known,
                           const struct mend_contact_msg *m)
{
    if (m->to != x->job || m->job == x->job || !m->job)
        return ENOENT;
    if (known && known->state == MEND_CONTACT_CALLS && m->job > x->job)
        return EAGAIN;
    if (known && known->state >= MEND_CONTACT_OPEN)
        return ENOENT;
    if (!is_free(x, m->number))
        return EADDRINUSE;
    return m->sound ? 0 : EPROTO;
}

/* An agent that calls has no link to us: one that it has not proved it has given up, unless this call is an older one. */
static void on_hello(struct mend_contact *x, struct mend_contact_link *l,
                     const struct mend_contact_msg *m, uint32_t lot)
{
    struct mend_contact_link *known = m->job ? find(x, m->job) : NULL;
    int32_t error;
    uint32_t ours;

    if (known && known->state == MEND_CONTACT_OPEN && !known->proved && m->turn > known->turn) {
        abandon(x, known);
        known = NULL;
    }
    error = judge_hello(x, known, m);
    ours = our_number(x, lot, m->number);
    if (error || !ours) {
        refuse(x, l, error ? error : EADDRNOTAVAIL);
        return;
    }
    if (known)
        abandon(x, known);
    l->other = m->job;
    l->turn = m->turn;
    l->say = MEND_CONTACT_OLLEH;
    open_link(x, l, ours, m->number);
}

/* What we take for numbers, ours or others', may turn out to be none. */
static bool in_doubt(const struct mend_contact *x)
{
    for (uint32_t i = 0; i < x->links_n; i++)
        if (links(x)[i].state == MEND_CONTACT_OPEN && !links(x)[i].proved)
            return true;
    return false;
}

/* Our call; those that have asked for it call again: rests: after a while, when that may be clear which is not now. */
static void give_up(struct mend_contact *x, struct mend_contact_link *l, bool rests)
{
    for (uint32_t i = 0; rests && i < x->asks_n; i++)
        if (asks(x)[i].stage == MEND_CONTACT_SEEKS && asks(x)[i].job == l->other) {
            asks(x)[i].stage = MEND_CONTACT_RESTS;
            asks(x)[i].calls_n = 0;
        }
    abandon(x, l);
}

/* Another number may have been given meanwhile, or the other's be known here. */
static void on_olleh(struct mend_contact *x, struct mend_contact_link *l,
                     const struct mend_contact_msg *m)
{
    bool fits = is_free(x, m->number) && m->number != l->proposed &&
                (!x->number || x->number == l->proposed);

    if (!m->sound || m->job != l->other) {
        lose(x, l, EPROTO);
    } else if (!fits) {
        give_up(x, l, in_doubt(x));
    } else {
        l->say = MEND_CONTACT_PROOF;
        open_link(x, l, l->proposed, m->number);
        prove(x, l);
    }
}

/* EADDRINUSE: another number is drawn; EAGAIN: the other calls us. */
static void on_refuse(struct mend_contact *x, struct mend_contact_link *l, int32_t error)
{
    bool rests = error == EAGAIN || (error == EADDRINUSE && in_doubt(x));

    if (rests || (error == EADDRINUSE && x->number != l->proposed))
        give_up(x, l, rests);
    else
        lose(x, l, error ? error : EPROTO);
}

static bool fits_state(const struct mend_contact_link *l, uint8_t word)
{
    if (l->state == MEND_CONTACT_CALLS)
        return word == MEND_CONTACT_OLLEH || word == MEND_CONTACT_REFUSE;
    if (l->state == MEND_CONTACT_CALLED)
        return word == MEND_CONTACT_HELLO;
    if (l->state != MEND_CONTACT_OPEN || !l->proved)
        return l->state == MEND_CONTACT_OPEN && word == MEND_CONTACT_PROOF;
    return word == MEND_CONTACT_ASK || word == MEND_CONTACT_TELL;
}

static void hear(struct mend_contact *x, struct mend_contact_link *l,
                 const struct mend_contact_msg *m, uint32_t lot)
{
    if (!fits_state(l, m->word)) {
        lose(x, l, EPROTO);
        return;
    }
    switch ((enum mend_contact_word)m->word) {
    case MEND_CONTACT_HELLO:
        on_hello(x, l, m, lot);
        break;
    case MEND_CONTACT_OLLEH:
        on_olleh(x, l, m);
        break;
    case MEND_CONTACT_REFUSE:
        on_refuse(x, l, m->code);
        break;
    case MEND_CONTACT_PROOF:
        prove(x, l);
        break;
    case MEND_CONTACT_ASK:
        l->say = MEND_CONTACT_TELL;
        l->code = m->code;
        break;
    case MEND_CONTACT_TELL:
        answer_oldest(x, l, m->code);
        break;
    }
}

/* ---- events ---- */

static void ask(struct mend_contact *x, const struct mend_contact_event *ev)
{
    MEND_ASSERT(x->asks_n < x->asks_room);
    asks(x)[x->asks_n++] = (struct mend_contact_ask){
        .job = ev->job, .number = ev->number, .until = ev->until, .rank = ev->rank, .link = -1};
}

static struct mend_contact_ask *dialing(const struct mend_contact *x)
{
    for (uint32_t i = 0; i < x->asks_n; i++)
        if (asks(x)[i].stage == MEND_CONTACT_DIALS)
            return &asks(x)[i];
    MEND_ASSERT(!"the caller has not been told to call");
    return NULL;
}

static void reached(struct mend_contact *x, const struct mend_contact_event *ev)
{
    struct mend_contact_ask *a = dialing(x);
    uint32_t number = our_number(x, ev->lot, 0);
    struct mend_contact_link *l = add(x, ev->link, MEND_CONTACT_CALLS, a->job);

    a->stage = MEND_CONTACT_SEEKS;
    l->proposed = number;
    l->turn = ++x->turns_n;
    if (number)
        l->say = MEND_CONTACT_HELLO;
    else
        lose(x, l, EADDRNOTAVAIL);
}

static void unreached(struct mend_contact *x, int32_t error)
{
    struct mend_contact_ask *a = dialing(x);

    if (error == EAGAIN) {
        a->stage = MEND_CONTACT_RESTS;
        a->calls_n--;
        return;
    }
    a->stage = MEND_CONTACT_SEEKS;
    end_ask(a, error);
}

static void look(struct mend_contact *x, mend_time_ns now)
{
    change(x, MEND_CONTACT_RESTS, MEND_CONTACT_SEEKS);
    for (uint32_t i = 0; i < x->asks_n; i++)
        if (asks(x)[i].until <= now && asks(x)[i].stage != MEND_CONTACT_GIVEN_UP)
            end_ask(&asks(x)[i], ETIMEDOUT);
}

void mend_contact_step(struct mend_contact *x, const struct mend_contact_event *ev)
{
    struct mend_contact_link *l = link_of(x, ev->link);

    switch (ev->kind) {
    case MEND_CONTACT_ASKED:
        ask(x, ev);
        break;
    case MEND_CONTACT_REACHED:
        reached(x, ev);
        break;
    case MEND_CONTACT_UNREACHED:
        unreached(x, ev->error);
        break;
    case MEND_CONTACT_KNOCKED:
        add(x, ev->link, MEND_CONTACT_CALLED, 0);
        break;
    case MEND_CONTACT_HEARD:
        if (l)
            hear(x, l, ev->msg, ev->lot);
        break;
    case MEND_CONTACT_ENDED:
        if (l)
            lose(x, l, ev->error);
        break;
    case MEND_CONTACT_LOOK:
        look(x, ev->now);
        break;
    case MEND_CONTACT_MOURNED:
        become(l, MEND_CONTACT_OVER);
        break;
    case MEND_CONTACT_FORGOTTEN:
        MEND_ASSERT(l->state == MEND_CONTACT_OVER);
        forget(x, l);
        break;
    }
}

/* ---- what is due ---- */

static void say(const struct mend_contact *x, struct mend_contact_link *l,
                struct mend_contact_act *act_p)
{
    act_p->kind = MEND_CONTACT_SAY;
    act_p->msg = (struct mend_contact_msg){.word = l->say, .code = l->code};
    if (l->say == MEND_CONTACT_HELLO || l->say == MEND_CONTACT_OLLEH) {
        act_p->msg.job = x->job;
        act_p->msg.to = l->other;
        act_p->msg.turn = l->turn;
        act_p->msg.number = l->say == MEND_CONTACT_HELLO ? l->proposed : x->number;
    }
    l->say = 0;
    l->code = 0;
}

static bool next_of_link(struct mend_contact *x, struct mend_contact_link *l,
                         struct mend_contact_act *act_p)
{
    *act_p = (struct mend_contact_act){.link = l->id, .job = l->other};
    if (l->fresh) {
        act_p->kind = MEND_CONTACT_OPENED;
        l->fresh = false;
    } else if (l->say) {
        say(x, l, act_p);
    } else if (l->ended) {
        act_p->kind = MEND_CONTACT_CLOSE;
        act_p->kept = l->state == MEND_CONTACT_LOST;
        l->ended = false;
        if (!act_p->kept)
            forget(x, l);
    } else {
        return false;
    }
    return true;
}

/* True: there is something to be said over that link, or done for the question. */
static bool pursue(struct mend_contact *x, struct mend_contact_ask *a)
{
    struct mend_contact_link *l = find(x, a->job);

    if (a->due || a->stage != MEND_CONTACT_SEEKS)
        return a->due;
    if (!l && a->job != x->job && a->calls_n < MEND_CONTACT_CALLS_MAX)
        a->stage = MEND_CONTACT_DIALS;
    else if (!l || l->state > MEND_CONTACT_OPEN)
        end_ask(a, ENOENT);
    else if (l->state < MEND_CONTACT_OPEN)
        return false;
    else
        a->stage = MEND_CONTACT_SENT;
    a->link = l ? l->id : -1;
    return true;
}

static void give_answer(struct mend_contact *x, uint32_t i, struct mend_contact_act *act_p)
{
    struct mend_contact_ask *a = &asks(x)[i];

    *act_p = (struct mend_contact_act){.kind = MEND_CONTACT_ANSWER,
                                       .rank = a->rank,
                                       .job = a->job,
                                       .number = a->number,
                                       .error = a->error,
                                       .link = -1};
    a->due = false;
    if (a->error == ETIMEDOUT && a->stage == MEND_CONTACT_SENT)
        a->stage = MEND_CONTACT_GIVEN_UP;
    else
        drop_ask(x, i);
}

static void act_for(struct mend_contact_ask *a, struct mend_contact_act *act_p)
{
    *act_p = (struct mend_contact_act){.job = a->job, .link = a->link};
    if (a->stage == MEND_CONTACT_DIALS) {
        act_p->kind = MEND_CONTACT_CALL;
        a->calls_n++;
    } else {
        act_p->kind = MEND_CONTACT_SAY;
        act_p->msg.word = MEND_CONTACT_ASK;
    }
}

bool mend_contact_next(struct mend_contact *x, struct mend_contact_act *act_p)
{
    for (uint32_t i = 0; i < x->links_n; i++)
        if (next_of_link(x, &links(x)[i], act_p))
            return true;
    for (uint32_t i = 0; i < x->asks_n; i++) {
        struct mend_contact_ask *a = &asks(x)[i];

        if (a->due && a->stage == MEND_CONTACT_GIVEN_UP) {
            drop_ask(x, i--); /* it has its answer */
            continue;
        }
        if (!pursue(x, a))
            continue;
        if (a->due)
            give_answer(x, i, act_p);
        else
            act_for(a, act_p);
        return true;
    }
    return false;
}

mend_time_ns mend_contact_due(const struct mend_contact *x, mend_time_ns now)
{
    mend_time_ns due = MEND_TIME_NEVER;

    for (uint32_t i = 0; i < x->asks_n; i++) {
        const struct mend_contact_ask *a = &asks(x)[i];

        if (a->stage == MEND_CONTACT_RESTS)
            return now;
        if (a->stage != MEND_CONTACT_GIVEN_UP && a->until < due)
            due = a->until;
    }
    return due;
}

/* ---- invariants ---- */

static void check_link(const struct mend_contact *x, const struct mend_contact_link *l)
{
    MEND_ASSERT(l->state == MEND_CONTACT_CLOSED || !l->other || find(x, l->other) == l);
    if (l->state < MEND_CONTACT_OPEN || l->state == MEND_CONTACT_CLOSED)
        return;
    MEND_ASSERT(l->other && l->other != x->job && x->number);
    MEND_ASSERT(l->number && l->number != x->number && is_known(x, l->number));
}

void mend_contact_check(const struct mend_contact *x)
{
    MEND_ASSERT(x->links_n <= x->links_room && x->asks_n <= x->asks_room);
    for (uint32_t i = 0; i < x->links_n; i++)
        check_link(x, &links(x)[i]);
    for (uint32_t i = 0; i < x->asks_n; i++) {
        const struct mend_contact_ask *a = &asks(x)[i];
        const struct mend_contact_link *l = link_of(x, a->link);

        MEND_ASSERT(!is_sent(a) || a->due || (l && l->state == MEND_CONTACT_OPEN));
    }
}
