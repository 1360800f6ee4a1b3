/* SPDX-License-Identifier: BSD-3-Clause */
/* visit_sm.c – the roots of accept and connect until they meet; see visit_sm.h. */
#include "ft/visit_sm.h"

#include <string.h>

/* ---- the door ---- */

size_t mend_visit_door_size(uint32_t room)
{
    return sizeof(struct mend_visit_door) + room * sizeof(struct mend_visit_guest);
}

void mend_visit_door_init(struct mend_visit_door *d, uint32_t room, uint64_t port)
{
    memset(d, 0, mend_visit_door_size(room));
    d->room = room;
    d->port = port;
}

void mend_visit_door_move(struct mend_visit_door *d, uint32_t room,
                          const struct mend_visit_door *from)
{
    MEND_ASSERT(room >= from->n);
    mend_visit_door_init(d, room, from->port);
    d->n = from->n;
    memcpy(d->guest, from->guest, from->n * sizeof(*d->guest));
}

static void drop(struct mend_visit_door *d, uint32_t i)
{
    d->n--;
    memmove(&d->guest[i], &d->guest[i + 1], (d->n - i) * sizeof(*d->guest));
    memset(&d->guest[d->n], 0, sizeof(*d->guest));
}

/* d->n: none of them. */
static uint32_t find(const struct mend_visit_door *d, const struct mend_visit_msg *m)
{
    uint32_t i = 0;

    while (i < d->n && (d->guest[i].peer != m->peer || d->guest[i].number != m->number))
        i++;
    return i;
}

static void say(struct mend_visit_msg *say_p, enum mend_visit_word word, int32_t to, uint64_t port,
                uint64_t number)
{
    *say_p =
        (struct mend_visit_msg){.word = (uint8_t)word, .peer = to, .port = port, .number = number};
}

static void on_knock(struct mend_visit_door *d, const struct mend_visit_msg *m,
                     struct mend_visit_msg *say_p)
{
    if (!d) {
        say(say_p, MEND_VISIT_REFUSE, m->peer, m->port, m->number);
        return;
    }
    MEND_ASSERT(d->n < d->room);
    d->guest[d->n++] = (struct mend_visit_guest){.peer = m->peer, .number = m->number};
}

void mend_visit_door_hear(struct mend_visit_door *d, const struct mend_visit_msg *m,
                          struct mend_visit_msg *say_p)
{
    uint32_t i = d ? find(d, m) : 0;
    bool here = d && i < d->n;

    *say_p = (struct mend_visit_msg){0};
    switch ((enum mend_visit_word)m->word) {
    case MEND_VISIT_KNOCK:
        on_knock(d, m, say_p);
        break;
    case MEND_VISIT_WELCOME:
        say(say_p, MEND_VISIT_GONE, m->peer, m->port, m->number);
        break;
    case MEND_VISIT_GONE:
        if (here)
            drop(d, i);
        break;
    case MEND_VISIT_FAILED:
        if (here)
            d->guest[i].error = m->error;
        break;
    case MEND_VISIT_REFUSE:
    case MEND_VISIT_COMING:
        break;
    }
}

void mend_visit_door_on_death(struct mend_visit_door *d, int32_t dead)
{
    for (uint32_t i = d->n; i-- > 0;)
        if (d->guest[i].peer == dead && !d->guest[i].error)
            drop(d, i);
}

bool mend_visit_door_refuse(struct mend_visit_door *d, struct mend_visit_msg *say_p)
{
    if (!d->n)
        return false;
    say(say_p, MEND_VISIT_REFUSE, d->guest[0].peer, d->port, d->guest[0].number);
    drop(d, 0);
    return true;
}

/* ---- a call ---- */

void mend_visit_init_host(struct mend_visit *x, uint64_t port)
{
    *x = (struct mend_visit){
        .state = MEND_VISIT_LISTEN, .host = true, .other = MEND_VISIT_NOBODY, .port = port};
}

void mend_visit_init_guest(struct mend_visit *x, uint64_t port, uint64_t number)
{
    *x = (struct mend_visit){
        .state = MEND_VISIT_JOURNEY, .other = MEND_VISIT_NOBODY, .port = port, .number = number};
}

/* The only writer of `state` after the start. */
static void become(struct mend_visit *x, enum mend_visit_state state)
{
    MEND_ASSERT(!mend_visit_is_over(x));
    x->state = (uint8_t)state;
}

static void end(struct mend_visit *x, enum mend_visit_why why, int32_t error)
{
    become(x, MEND_VISIT_END);
    x->why = (uint8_t)why;
    x->error = error;
}

static void say_other(const struct mend_visit *x, struct mend_visit_msg *say_p,
                      enum mend_visit_word word)
{
    say(say_p, word, x->other, x->port, x->number);
    say_p->error = word == MEND_VISIT_FAILED ? x->error : 0;
}

static void arrive(struct mend_visit *x, int32_t host, struct mend_visit_msg *say_p)
{
    if (host == MEND_VISIT_NOBODY) {
        end(x, MEND_VISIT_REFUSED, 0);
        return;
    }
    x->other = host;
    become(x, MEND_VISIT_WAIT);
    say_other(x, say_p, MEND_VISIT_KNOCK);
}

/* On its journey a guest does not give up for its own group: it has still to tell the host. */
static void look_as_guest(struct mend_visit *x, const struct mend_visit_event *ev,
                          struct mend_visit_msg *say_p)
{
    bool knocks = x->state == MEND_VISIT_WAIT;

    if (knocks && ev->dead) {
        end(x, MEND_VISIT_LOST, 0);
    } else if (knocks && ev->own) {
        end(x, MEND_VISIT_OWN, ev->own);
        say_other(x, say_p, MEND_VISIT_FAILED);
    } else if (ev->late) {
        end(x, MEND_VISIT_LATE, 0);
        if (knocks)
            say_other(x, say_p, MEND_VISIT_GONE);
    }
}

/* The oldest guest, who may have failed meanwhile. */
static void welcome(struct mend_visit *x, struct mend_visit_door *d, struct mend_visit_msg *say_p)
{
    struct mend_visit_guest guest = d->guest[0];

    drop(d, 0);
    x->other = guest.peer;
    x->number = guest.number;
    if (guest.error) {
        end(x, MEND_VISIT_THEIRS, guest.error);
        return;
    }
    become(x, MEND_VISIT_AWAIT);
    say_other(x, say_p, MEND_VISIT_WELCOME);
}

static void look_as_host(struct mend_visit *x, const struct mend_visit_event *ev,
                         struct mend_visit_msg *say_p)
{
    if (x->state == MEND_VISIT_AWAIT && !ev->dead)
        return; /* it answers */
    if (x->state == MEND_VISIT_AWAIT) {
        become(x, MEND_VISIT_LISTEN);
        x->other = MEND_VISIT_NOBODY;
    }
    if (!ev->door)
        end(x, MEND_VISIT_REFUSED, 0);
    else if (ev->door->n)
        welcome(x, ev->door, say_p);
    else if (ev->own)
        end(x, MEND_VISIT_OWN, ev->own);
    else if (ev->late)
        end(x, MEND_VISIT_LATE, 0);
}

static void hear_as_guest(struct mend_visit *x, const struct mend_visit_msg *m,
                          struct mend_visit_msg *say_p)
{
    if (m->word == MEND_VISIT_REFUSE) {
        end(x, MEND_VISIT_REFUSED, 0);
    } else {
        become(x, MEND_VISIT_MEET);
        say_other(x, say_p, MEND_VISIT_COMING);
    }
}

static void hear_as_host(struct mend_visit *x, const struct mend_visit_msg *m)
{
    if (m->word == MEND_VISIT_COMING) {
        become(x, MEND_VISIT_MEET);
    } else if (m->word == MEND_VISIT_FAILED) {
        end(x, MEND_VISIT_THEIRS, m->error);
    } else {
        become(x, MEND_VISIT_LISTEN);
        x->other = MEND_VISIT_NOBODY;
    }
}

void mend_visit_step(struct mend_visit *x, const struct mend_visit_event *ev,
                     struct mend_visit_msg *say_p)
{
    *say_p = (struct mend_visit_msg){0};
    switch (ev->kind) {
    case MEND_VISIT_ARRIVED:
        arrive(x, ev->host, say_p);
        break;
    case MEND_VISIT_LOOK:
        if (mend_visit_is_over(x))
            break;
        if (x->host)
            look_as_host(x, ev, say_p);
        else
            look_as_guest(x, ev, say_p);
        break;
    case MEND_VISIT_HEARD:
        MEND_ASSERT(mend_visit_is_for(x, ev->msg));
        if (x->host)
            hear_as_host(x, ev->msg);
        else
            hear_as_guest(x, ev->msg, say_p);
        break;
    }
}

bool mend_visit_is_for(const struct mend_visit *x, const struct mend_visit_msg *m)
{
    bool to_guest = m->word == MEND_VISIT_WELCOME || m->word == MEND_VISIT_REFUSE;

    return m->word != MEND_VISIT_KNOCK && x->host != to_guest &&
           x->state == (x->host ? MEND_VISIT_AWAIT : MEND_VISIT_WAIT) && x->other == m->peer &&
           x->number == m->number;
}

void mend_visit_check(const struct mend_visit *x)
{
    bool at_home = x->state == MEND_VISIT_LISTEN || x->state == MEND_VISIT_AWAIT;
    bool away = x->state == MEND_VISIT_JOURNEY || x->state == MEND_VISIT_WAIT;
    bool knows =
        x->state == MEND_VISIT_WAIT || x->state == MEND_VISIT_AWAIT || x->state == MEND_VISIT_MEET;

    MEND_ASSERT(!(x->host ? away : at_home));
    MEND_ASSERT((x->state == MEND_VISIT_END) == (x->why != MEND_VISIT_WELL));
    MEND_ASSERT(!x->error || x->why >= MEND_VISIT_OWN);
    MEND_ASSERT(!knows || x->other != MEND_VISIT_NOBODY);
}
