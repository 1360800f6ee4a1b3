/* SPDX-License-Identifier: BSD-3-Clause */
/* link_talk.c – what an agent does with the messages of another one: words of ft/contact_sm.h, processes and their places,
 * deaths, aborts. */
#include "agent/link.h"

#include "agent/revoked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void give_places(struct agent *agent, struct mend_link *x, const struct mend_link_run *runs,
                        uint32_t n)
{
    struct mend_link_msg m = {.kind = MEND_LINK_GUESTS, .n = n};
    int32_t *body = mend_xalloc(MEND_LINK_BODY_MAX, sizeof(*body)), at = 0;

    memcpy(body, runs, n * sizeof(*runs));
    at = (int32_t)n * 2;
    for (uint32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < runs[i].n; k++)
            body[at++] = (int32_t)agent->rank[mend_guest_name(x, runs[i].first + k)].place.at;
    mend_link_send(agent, x, &m, body, (size_t)at);
    free(body);
}

/* ASK and TELL.  0, or an errno value: there is no room. */
static int admit(struct agent *agent, struct mend_link *x, const struct mend_link_run *runs,
                 uint32_t n)
{
    struct mend_link_msg m = {.kind = MEND_LINK_UNTELL, .n = n};
    int error = n ? mend_guest_admit(agent, x, runs, n) : 0;

    if (error)
        mend_link_send(agent, x, &m, runs, (size_t)n * 2);
    else if (n)
        give_places(agent, x, runs, n);
    return error;
}

static void on_guests(struct agent *agent, struct mend_link *x, const struct mend_link_run *runs,
                      uint32_t n, const int32_t *places)
{
    for (uint32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < runs[i].n; k++)
            x->there[runs[i].first + k] = mend_place_at((uint32_t)*places++);
    x->announce_due = !mend_guest_announce(agent, x);
    mend_verdict_call_all(agent);
}

static void on_released(struct mend_link *x, const int32_t *names, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        x->held[names[i] / 64] &= ~(UINT64_C(1) << names[i] % 64);
}

/* A word of the machine.  Takes fd. */
static void hear(struct agent *agent, struct mend_link *x, const struct mend_link_msg *m, int fd)
{
    const struct mend_link_run *runs = (const struct mend_link_run *)m->body;
    struct mend_contact_msg c = {.word = (uint8_t)m->kind,
                                 .code = m->code,
                                 .number = m->number,
                                 .turn = m->turn,
                                 .job = m->job,
                                 .to = m->to};

    if (m->kind == MEND_LINK_HELLO || m->kind == MEND_LINK_OLLEH)
        c.sound = mend_link_take_segment(x, fd, m->job);
    else if (m->kind == MEND_LINK_ASK || (m->kind == MEND_LINK_TELL && !m->code))
        c.code = admit(agent, x, runs, m->n);
    mend_link_step(
        agent, (struct mend_contact_event){.kind = MEND_CONTACT_HEARD, .link = x->id, .msg = &c});
}

static void on_revoked(struct agent *agent, const int32_t *body, uint32_t n)
{
    uint64_t *words = mend_xalloc(n, sizeof(*words));

    memcpy(words, body, n * sizeof(*words));
    mend_revoked_heard(agent, words[0], words + 1, n - 1);
    free(words);
}

/* Takes fd. */
static void on_message(struct agent *agent, struct mend_link *x, const struct mend_link_msg *m,
                       int fd)
{
    const struct mend_link_run *runs = (const struct mend_link_run *)m->body;
    const struct mend_link_death *deaths = (const struct mend_link_death *)m->body;

    if (m->kind > MEND_LINK_OLLEH && fd >= 0)
        close(fd);
    switch ((enum mend_link_kind)m->kind) {
    case MEND_LINK_HELLO:
    case MEND_LINK_OLLEH:
    case MEND_LINK_REFUSE:
    case MEND_LINK_PROOF:
    case MEND_LINK_ASK:
    case MEND_LINK_TELL:
        hear(agent, x, m, fd);
        break;
    case MEND_LINK_GUESTS:
        on_guests(agent, x, runs, m->n, m->body + (size_t)m->n * 2);
        break;
    case MEND_LINK_UNTELL:
        mend_guest_untell(x, runs, m->n);
        break;
    case MEND_LINK_DEATH:
        mend_guest_deaths(agent, x, deaths, m->n, m->when_ns, m->code != 0);
        break;
    case MEND_LINK_EXPLAIN:
        mend_guest_explain(agent, x, deaths);
        break;
    case MEND_LINK_RELEASED:
        on_released(x, m->body, m->n);
        break;
    case MEND_LINK_ABORT:
        mend_control_abort(agent, mend_guest_name(x, m->from), m->body, (int32_t)m->n,
                           (struct mend_abort){m->code, m->follows});
        break;
    case MEND_LINK_REVOKED:
        on_revoked(agent, m->body, m->n);
        break;
    }
}

/* False: nothing more comes now, or ever. */
static bool receive(struct agent *agent, struct mend_link *x, struct mend_link_msg *m)
{
    int fd, error = mend_link_receive(agent, x, m, &fd);

    if (error == EAGAIN)
        return false;
    if (error)
        mend_link_step(agent, (struct mend_contact_event){
                                  .kind = MEND_CONTACT_ENDED, .link = x->id, .error = error});
    else
        on_message(agent, x, m, fd);
    return x->fd >= 0;
}

void mend_links_read(struct agent *agent, int fd)
{
    struct mend_link_msg *m = mend_xalloc(1, MEND_LINK_MSG_MAX);

    mend_list_foreach (l, next, &agent->links) {
        struct mend_link *x = mend_list_entry(l, struct mend_link, link);

        if (x->fd != fd)
            continue;
        mend_link_flush(agent, x);
        while (receive(agent, x, m))
            ;
        break;
    }
    free(m);
}

void mend_links_abort(struct agent *agent, const struct rank *r, const uint64_t *set,
                      uint32_t words, struct mend_abort what)
{
    int32_t *names = mend_xalloc((size_t)agent->n, sizeof(*names));

    mend_list_foreach (l, next, &agent->links) {
        struct mend_link *x = mend_list_entry(l, struct mend_link, link);
        struct mend_link_msg m = {
            .kind = MEND_LINK_ABORT, .code = what.code, .follows = what.follows, .from = r->index};

        for (int i = 0; i < agent->n && (uint32_t)i / 64 < words; i++)
            if (agent->rank[i].guest_of == x && mend_bits_test(set, i) && m.n < MEND_LINK_BODY_MAX)
                names[m.n++] = mend_guest_there(x, i);
        if (m.n && mend_link_is_open(agent, x))
            mend_link_send(agent, x, &m, names, m.n);
    }
    free(names);
}

static bool is_one_of(uint64_t job, const uint64_t *jobs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (jobs[i] == job)
            return true;
    return false;
}

void mend_links_revoke(struct agent *agent, uint64_t ctx, const uint64_t *jobs, uint32_t n)
{
    struct mend_link_msg m = {.kind = MEND_LINK_REVOKED, .n = 1 + n};
    uint64_t *words = mend_xalloc(m.n, sizeof(*words));

    words[0] = ctx;
    memcpy(words + 1, jobs, n * sizeof(*words));
    mend_list_foreach (l, next, &agent->links) {
        struct mend_link *x = mend_list_entry(l, struct mend_link, link);

        if (mend_link_is_open(agent, x) && is_one_of(x->other, jobs, n))
            mend_link_send(agent, x, &m, words, (size_t)m.n * 2);
    }
    free(words);
}
