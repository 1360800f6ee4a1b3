/* SPDX-License-Identifier: BSD-3-Clause */
/* link_talk.c – what an agent does with the messages of another one: words of ft/contact_sm.h, processes and their places,
 * deaths, aborts. */
#include "agent/link.h"

#include "agent/revoked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void give_places(struct mend_links *links, struct mend_link *x,
                        const struct mend_link_run *runs, uint32_t n)
{
    struct mend_link_msg m = {.kind = MEND_LINK_GUESTS, .n = n};
    int32_t *body = mend_xalloc(MEND_LINK_BODY_MAX, sizeof(*body)), at = 0;

    memcpy(body, runs, n * sizeof(*runs));
    at = (int32_t)(n * MEND_LINK_RUN_WORDS);
    for (uint32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < runs[i].n; k++)
            body[at++] =
                (int32_t)links->with.ranks->rank[mend_guest_name(x, runs[i].first + k)].place.at;
    mend_link_send(links, x, &m, body, (size_t)at);
    free(body);
}

static void refuse_places(struct mend_links *links, struct mend_link *x,
                          const struct mend_link_run *runs, uint32_t n)
{
    struct mend_link_msg m = {.kind = MEND_LINK_UNTELL, .n = n};

    mend_link_send(links, x, &m, runs, n * MEND_LINK_RUN_WORDS);
}

static void on_guests(struct mend_links *links, struct mend_link *x,
                      const struct mend_link_run *runs, uint32_t n, const int32_t *places)
{
    for (uint32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < runs[i].n; k++)
            x->there[runs[i].first + k] = mend_place_at((uint32_t)*places++);
    x->announce_due = !mend_guest_announce(links->with.ranks, x);
    mend_rank_call_all(links->with.ranks);
}

static void on_released(struct mend_link *x, const int32_t *names, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        x->held[names[i] / 64] &= ~(UINT64_C(1) << names[i] % 64);
}

/* A word of the machine; sound, error: of struct mend_contact_msg. */
static void hear(struct mend_links *links, struct mend_link *x, const struct mend_link_msg *m,
                 bool sound, int error)
{
    struct mend_contact_msg c = {.word = (uint8_t)m->kind,
                                 .code = error ? error : m->code,
                                 .sound = sound,
                                 .number = m->number,
                                 .turn = m->turn,
                                 .job = m->job,
                                 .to = m->to};

    mend_link_step(
        links, (struct mend_contact_event){.kind = MEND_CONTACT_HEARD, .link = x->id, .msg = &c});
}

void mend_link_admitted(struct mend_links *links, struct mend_link *x,
                        const struct mend_link_msg *m, int error)
{
    const struct mend_link_run *runs = (const struct mend_link_run *)m->body;

    if (error)
        refuse_places(links, x, runs, m->n);
    else if (m->n && !x->far)
        give_places(links, x, runs, m->n);
    hear(links, x, m, true, error);
}

/* ASK and TELL. */
static void admit(struct mend_links *links, struct mend_link *x, const struct mend_link_msg *m)
{
    const struct mend_link_run *runs = (const struct mend_link_run *)m->body;

    if (m->n && x->narrow)
        mend_link_admitted(links, x, m, EHOSTUNREACH);
    else if (m->n && links->with.ranks->nodes.n)
        mend_mirror_admit(links, x, m);
    else
        mend_link_admitted(links, x, m, m->n ? mend_guest_admit(links, x, runs, m->n) : 0);
}

/* HELLO and OLLEH.  Takes fd. */
static void meet(struct mend_links *links, struct mend_link *x, const struct mend_link_msg *m,
                 int fd)
{
    bool sound = mend_link_take_segment(x, fd, m->job);

    hear(links, x, m, sound && mend_link_learn_ways(links, x, m), 0);
}

static void on_revoked(struct mend_links *links, const int32_t *body, uint32_t n)
{
    uint64_t *words = mend_xalloc(n, sizeof(*words));

    memcpy(words, body, n * sizeof(*words));
    mend_revoked_heard(links->with.revoked, links, words[0], words + 1, n - 1);
    free(words);
}

/* Takes fd. */
static void on_message(struct mend_links *links, struct mend_link *x, const struct mend_link_msg *m,
                       int fd)
{
    const struct mend_link_run *runs = (const struct mend_link_run *)m->body;
    const struct mend_link_death *deaths = (const struct mend_link_death *)m->body;

    if (m->kind > MEND_LINK_OLLEH && fd >= 0)
        close(fd);
    switch ((enum mend_link_kind)m->kind) {
    case MEND_LINK_HELLO:
    case MEND_LINK_OLLEH:
        meet(links, x, m, fd);
        break;
    case MEND_LINK_REFUSE:
    case MEND_LINK_PROOF:
        hear(links, x, m, true, 0);
        break;
    case MEND_LINK_ASK:
    case MEND_LINK_TELL:
        admit(links, x, m);
        break;
    case MEND_LINK_GUESTS:
        on_guests(links, x, runs, m->n, m->body + m->n * MEND_LINK_RUN_WORDS);
        break;
    case MEND_LINK_UNTELL:
        mend_guest_untell(x, runs, m->n);
        break;
    case MEND_LINK_DEATH:
        mend_guest_deaths(links, x, deaths, m->n, m->age_ns, m->code != 0);
        break;
    case MEND_LINK_EXPLAIN:
        mend_guest_explain(links, x, deaths);
        break;
    case MEND_LINK_RELEASED:
        on_released(x, m->body, m->n);
        break;
    case MEND_LINK_ABORT:
        links->with.abort(links->with.self, mend_guest_name(x, m->from), m->body, (int32_t)m->n,
                          (struct mend_abort){m->code, m->follows});
        break;
    case MEND_LINK_REVOKED:
        on_revoked(links, m->body, m->n);
        break;
    case MEND_LINK_PRESENCE:
        mend_guest_presence(links, x, m->body[0], (enum mend_presence)m->body[1]);
        break;
    case MEND_LINK_CUT:
        mend_link_heard_cut(links, x, m);
        break;
    }
}

/* False: nothing more comes now, or ever. */
static bool receive(struct mend_links *links, struct mend_link *x, struct mend_link_msg *m)
{
    int fd, error = mend_link_receive(links, x, m, &fd);

    if (error == EAGAIN)
        return false;
    if (error)
        mend_link_step(links, (struct mend_contact_event){
                                  .kind = MEND_CONTACT_ENDED, .link = x->id, .error = error});
    else
        on_message(links, x, m, fd);
    return x->fd >= 0 && !x->admits;
}

void mend_link_read(struct mend_links *links, struct mend_link *x)
{
    struct mend_link_msg *m = x->admits ? NULL : mend_xalloc(1, MEND_LINK_MSG_MAX);

    mend_link_flush(links, x);
    while (m && receive(links, x, m))
        ;
    free(m);
}

void mend_links_read(struct mend_links *links, int fd)
{
    mend_list_foreach (l, next, &links->all) {
        struct mend_link *x = mend_list_entry(l, struct mend_link, link);

        if (x->fd == fd) {
            mend_link_read(links, x);
            return;
        }
    }
}
