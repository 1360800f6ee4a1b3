/* SPDX-License-Identifier: BSD-3-Clause */
/* job_net.c – the transport of a simulated job: queues in memory with random delays.
 *
 * Frames of one pair stay in order; between pairs anything goes.  What a killed rank had sent
 * arrives, or, at sever(), is delivered at once: the contract of net.h. */
#include "sim/job.h"

#include <stdlib.h>
#include <string.h>

static struct sim_frame **first(int to, int from)
{
    return &sim_job->first[to * sim_job->max + from];
}

static uint32_t in_flight(int to, int from)
{
    uint32_t n = 0;

    for (struct sim_frame *f = *first(to, from); f; f = f->next)
        n++;
    return n;
}

static enum mend_status put(struct mend_proc *self, mend_peer to, const struct mend_frame *f,
                            const void *payload)
{
    uint32_t len = mend_frame_len(f);
    struct sim_rank *r = &sim_job->rank[self->me];
    struct sim_frame *s;

    if (++r->sends == r->muted_at) {
        sim_kill(sim_job, self->me, MEND_CAUSE_SIGNAL, 9);
        swapcontext(&r->context, &sim_job->scheduler); /* does not come back */
    }
    s = malloc(sizeof(*s) + len);
    s->next = NULL;
    s->frame = *f;
    s->not_before = sim_job->step + sim_random(sim_job, 8);
    if (len)
        memcpy(s->payload, payload, len);
    *sim_job->last[to * sim_job->max + self->me] = s;
    sim_job->last[to * sim_job->max + self->me] = &s->next;
    sim_job->frames++;
    return MEND_OK;
}

static enum mend_status sim_send(struct mend_proc *self, mend_peer to, const struct mend_frame *f,
                                 const void *payload)
{
    if (mend_peer_is_dead(self, to))
        return MEND_ERR_PEER;
    if (sim_job->room && in_flight(to, self->me) >= sim_job->room)
        return MEND_AGAIN;
    return put(self, to, f, payload);
}

static void *sim_reserve(struct mend_proc *self, mend_peer to, uint32_t len)
{
    if (mend_peer_is_dead(self, to) || (sim_job->room && in_flight(to, self->me) >= sim_job->room))
        return NULL;
    sim_job->reserved = realloc(sim_job->reserved, len ? len : 1);
    return sim_job->reserved;
}

static void sim_commit(struct mend_proc *self, mend_peer to, const struct mend_frame *f)
{
    put(self, to, f, sim_job->reserved);
}

void sim_lose_frames(struct sim_job *job, int from)
{
    for (int to = 0; to < job->n; to++) {
        struct sim_frame **at = first(to, from);
        uint64_t keep = sim_random(job, in_flight(to, from) + 1u);

        if (sim_node_of(job, to) == sim_node_of(job, from))
            continue;
        while (keep--)
            at = &(*at)->next;
        for (struct sim_frame *f = *at, *next; f; f = next) {
            next = f->next;
            free(f);
        }
        *at = NULL;
        job->last[to * job->max + from] = at;
    }
}

static void deliver(struct mend_proc *self, int from)
{
    struct sim_frame **head = first(self->me, from), *f = *head;

    *head = f->next;
    if (!*head)
        sim_job->last[self->me * sim_job->max + from] = head;
    sim_job->rank[self->me].progress++;
    self->on_frame[mend_frame_kind(&f->frame)](self, from, &f->frame, f->payload);
    free(f);
}

static unsigned sim_poll(struct mend_proc *self, mend_peer hint)
{
    int n = sim_job->n, start = (int)sim_random(sim_job, (uint64_t)n);
    unsigned got = 0;

    for (int i = 0; i < n; i++) {
        int from = (start + i) % n;

        if (*first(self->me, from) && !mend_peer_learn(self, from))
            continue;
        while (*first(self->me, from) && !mend_peer_is_dead(self, from) &&
               (*first(self->me, from))->not_before <= sim_job->step && got < 4) {
            deliver(self, from);
            got++;
        }
    }
    return got;
}

static void sim_sever(struct mend_proc *self, mend_peer dead)
{
    while (*first(self->me, dead))
        deliver(self, dead);
}

const struct mend_net sim_net = {
    .name = "sim",
    .payload_max_bytes = 4096,
    .send = sim_send,
    .reserve = sim_reserve,
    .commit = sim_commit,
    .poll = sim_poll,
    .sever = sim_sever,
};
