/* SPDX-License-Identifier: BSD-3-Clause */
/* mirror.c – connected jobs, in a job of several nodes.
 *
 *   rank, on node k      agent of node k        root       agent of node 0                 agent of another job
 *        ── CONNECT ──────────> ── CONNECT ──────> ────────────> ── contact.c ──────────────────────────>
 *                               <─ GUESTS, names ─ <─ GUESTS ─── <─────────── ASK, or TELL: processes ─
 *        <─ who they are ────── ── NAMED ────────> ── names ───> the log of facts
 *                                                  ─ ADMITTED ─> goes on reading
 *        <─ ANSWER ──────────── <─ CONNECTED ───── <────────────
 *
 * The agent of the first node has all links.  The other ones have a mirror of each: who the guests are, for their ranks.  The root
 * gives names, one link after the other and never while it carries out a request for processes, so all nodes give the same; each agent has
 * told its ranks, and the log of facts has the names, before the first agent reads on.  So no death of a guest comes before its
 * name, and the other job is answered when all know its processes.
 *
 * An agent that is lost meanwhile is not waited for.  One that has no memory for the names ends, and with it its node. */
#include "agent/facts.h"
#include "agent/link.h"
#include "agent/tell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

/* UP_GUESTS, DOWN_GUESTS: data. */
struct guests {
    uint64_t job;
    uint32_t number, own; /* of the other job; of this one */
    unsigned char key[MEND_DOOR_KEY_BYTES];
    struct mend_link_run runs[];
};

static uint32_t runs_of(const struct mend_message *m)
{
    return (uint32_t)((m->len - sizeof(struct guests)) / sizeof(struct mend_link_run));
}

/* ---- at the first node ---- */

void mend_mirror_admit(struct mend_links *links, struct mend_link *x, const struct mend_link_msg *m)
{
    size_t body = m->n * sizeof(struct mend_link_run), len = sizeof(struct guests) + body;
    struct guests *g;
    int64_t total = 0;

    if (x->blocks_n + m->n > MEND_ABROAD_BLOCKS_MAX) {
        mend_link_admitted(links, x, m, ENOSPC);
        return;
    }
    x->admits = mend_xalloc(1, sizeof(*m) + body);
    memcpy(x->admits, m, sizeof(*m) + body);
    mend_sources_set_link(links->with.sources, x->fd, false, !mend_list_empty(&x->out));
    g = mend_xalloc(1, len);
    *g = (struct guests){.job = x->other, .number = x->number, .own = links->contact->number};
    memcpy(g->key, x->key, sizeof(g->key));
    memcpy(g->runs, m->body, body);
    for (uint32_t i = 0; i < m->n; i++)
        total += g->runs[i].n;
    mend_post(&links->with.tell->root, &(struct mend_message){.kind = MEND_UP_GUESTS,
                                                              .rank = -1,
                                                              .arg = {total, (int64_t)x->other},
                                                              .data = (const char *)g,
                                                              .len = (uint32_t)len});
    free(g);
}

/* All know the guests, or there are no names. */
static void on_admitted(struct mend_links *links, const struct mend_message *m)
{
    struct mend_link *x = mend_link_to(links, (uint64_t)m->arg[0]);
    struct mend_link_msg *admits = x ? x->admits : NULL;

    if (!admits)
        return;
    x->admits = NULL;
    mend_link_admitted(links, x, admits, (int)m->arg[1]);
    free(admits);
    if (x->fd >= 0) {
        mend_sources_set_link(links->with.sources, x->fd, true, !mend_list_empty(&x->out));
        mend_link_read(links, x);
    }
    mend_sources_note(links->with.sources); /* what is due now is looked at */
}

static void on_connect(struct mend_links *links, const struct mend_message *m)
{
    struct mend_ranks *ranks = links->with.ranks;
    int64_t first = m->arg[2], n = m->arg[3];

    if (m->rank >= 0 && m->rank < ranks->n && first >= 0 && n >= 0 && first + n <= ranks->n)
        mend_link_asked(links, &ranks->rank[m->rank], (uint64_t)m->arg[0], (uint64_t)m->arg[1],
                        (int)first, (int)n);
}

/* ---- at all nodes ---- */

/* At the first one the link is there. */
static struct mend_link *mirror_of(struct mend_links *links, const struct guests *g)
{
    struct mend_link *x = mend_link_to(links, g->job);

    if (x)
        return x;
    x = mend_link_add(links, -1);
    x->far = true;
    x->other = g->job;
    x->number = g->number;
    memcpy(x->key, g->key, sizeof(x->key));
    /* release: pairs with the acquire in own_number() (node/abroad.c) */
    mend_store_release(&links->with.ranks->shm->number, g->own);
    return x;
}

static void on_guests(struct mend_links *links, const struct mend_message *m)
{
    struct guests *g = mend_xalloc(1, m->len);

    memcpy(g, m->data, m->len);
    if (!mend_guest_name_far(links, mirror_of(links, g), (int)m->arg[0], g->runs, runs_of(m))) {
        mend_say(links->with.tell, "mpiexec: no memory for the names of a connected job: %s",
                 strerror(errno));
        exit(EXIT_FAILURE);
    }
    free(g);
    mend_post(&links->with.tell->root, &(struct mend_message){.kind = MEND_UP_NAMED, .rank = -1});
}

static void on_parted(struct mend_links *links, const struct mend_message *m)
{
    struct mend_link *x = mend_link_to(links, (uint64_t)m->arg[0]);

    if (x && x->mirror)
        x->parted = true;
}

void mend_mirror_hear(struct mend_links *links, const struct mend_message *m)
{
    struct mend_ranks *ranks = links->with.ranks;

    switch (m->kind) {
    case MEND_DOWN_CONNECT:
        on_connect(links, m);
        break;
    case MEND_DOWN_CONNECTED:
        if (m->rank >= 0 && m->rank < ranks->n && mend_rank_is_ours(&ranks->rank[m->rank]))
            mend_link_answer(links, &ranks->rank[m->rank], (uint64_t)m->arg[0], (uint64_t)m->arg[1],
                             (int)m->arg[2]);
        break;
    case MEND_DOWN_GUESTS:
        on_guests(links, m);
        break;
    case MEND_DOWN_ADMITTED:
        on_admitted(links, m);
        break;
    case MEND_DOWN_PARTED:
        on_parted(links, m);
        break;
    default:
        break;
    }
}
