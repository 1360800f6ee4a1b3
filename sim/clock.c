/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c – a splitmix64 generator and a binary heap of events. */
#include "clock.h"

#include <stdlib.h>

uint64_t mend_sim_rng_next(struct mend_sim_rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t mend_sim_rng_below(struct mend_sim_rng *rng, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)mend_sim_rng_next(rng) * n) >> 64);
}

void mend_sim_clock_put_back(struct mend_sim_clock *c, struct mend_sim_ev ev)
{
    size_t i;

    if (c->n == c->room) {
        c->room = c->room ? 2 * c->room : 1024;
        c->heap = realloc(c->heap, c->room * sizeof *c->heap);
        MEND_ASSERT(c->heap);
    }
    MEND_ASSERT(ev.at >= c->now);
    for (i = c->n++; i && mend_sim_ev_before(&ev, &c->heap[(i - 1) / 2]); i = (i - 1) / 2)
        c->heap[i] = c->heap[(i - 1) / 2];
    c->heap[i] = ev;
}

void mend_sim_clock_add(struct mend_sim_clock *c, struct mend_sim_ev ev)
{
    ev.serial = c->serial++;
    mend_sim_clock_put_back(c, ev);
}

bool mend_sim_clock_next(struct mend_sim_clock *c, struct mend_sim_ev *ev_p)
{
    struct mend_sim_ev last;
    size_t i = 0;

    if (c->n == 0)
        return false;
    *ev_p = c->heap[0];
    c->now = ev_p->at;
    last = c->heap[--c->n];
    for (size_t k; (k = 2 * i + 1) < c->n; i = k) {
        if (k + 1 < c->n && mend_sim_ev_before(&c->heap[k + 1], &c->heap[k]))
            k++;
        if (!mend_sim_ev_before(&c->heap[k], &last))
            break;
        c->heap[i] = c->heap[k];
    }
    c->heap[i] = last;
    return true;
}

void mend_sim_clock_fini(struct mend_sim_clock *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->heap[i].bytes);
    free(c->heap);
    *c = (struct mend_sim_clock){0};
}
