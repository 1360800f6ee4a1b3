/* SPDX-License-Identifier: BSD-3-Clause */
/* single.c – the runtime of a program that was started without a launcher: one rank, alone.
 *
 * No agent watches it and no other rank can die, so most functions do nothing. */
#include "base/atomic.h"
#include "base/time.h"
#include "proc/peer.h"
#include "rt/rt.h"

#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

struct single {
    mend_atomic_u32 interrupt; /* never changes */
    mend_atomic_u32 presence;
    char host[64];
};

static uint64_t number_of_job(void)
{
    uint64_t number = 0;

    if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
        number = mend_time_monotonic_ns() ^ (uint64_t)getpid() << 32;
    return number;
}

static enum mend_status single_open(struct mend_proc *self, const char **why_p)
{
    struct single *s = mend_zalloc(self, 1, sizeof(*s));

    *why_p = "no memory";
    if (!s || !mend_peers_add(self, 1))
        return MEND_ERR_MEM;
    if (gethostname(s->host, sizeof(s->host)) != 0)
        snprintf(s->host, sizeof(s->host), "localhost");
    s->host[sizeof(s->host) - 1] = '\0';
    self->rt_state = s;
    self->me = 0;
    mend_peer_entry(self, 0)->presence = &s->presence;
    self->interrupt = &s->interrupt;
    self->interrupt_seen = 0;
    self->oversubscribed = false;
    self->node = NULL;
    self->job = number_of_job();
    return MEND_OK;
}

static bool single_say(struct mend_proc *self, enum mend_presence presence)
{
    mend_store_relaxed(&((struct single *)self->rt_state)->presence, (uint32_t)presence);
    return true;
}

static bool single_verdict(struct mend_proc *self, uint32_t k, struct mend_death *death_p)
{
    return false;
}

static bool single_suspect(struct mend_proc *self, mend_peer peer)
{
    return false;
}

/* The caller ends itself; there is nobody else. */
static void single_abort(struct mend_proc *self, const mend_peer *peers, uint32_t n,
                         struct mend_abort what)
{
}

static void single_crashing(struct mend_proc *self, int sig)
{
}

static void single_report(struct mend_proc *self, const char *text)
{
}

static const char *single_host(struct mend_proc *self, mend_peer peer)
{
    return ((struct single *)self->rt_state)->host;
}

const struct mend_rt mend_rt_single = {
    .name = "single",
    .open = single_open,
    .say = single_say,
    .verdict = single_verdict,
    .suspect = single_suspect,
    .abort = single_abort,
    .crashing = single_crashing,
    .report = single_report,
    .host = single_host,
};
