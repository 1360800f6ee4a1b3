/* SPDX-License-Identifier: BSD-3-Clause */
/* link_rest_test.h – the rest of the agent, for tests of links: it counts what it is asked for. */
#ifndef MEND_LAUNCH_AGENT_LINK_REST_TEST_H
#define MEND_LAUNCH_AGENT_LINK_REST_TEST_H

#include "base/test.h"
#include "agent/link.h"
#include "agent/revoked.h"

#include "proc/death.h"
#include "rt/pass.h"
#include "rt/wire.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define RANKS   4
#define PLACES  4u
#define SECONDS 11
#define RUN     MEND_LINK_RUN_WORDS

/* ---- what the rest of the agent does ---- */

static int admitted_n, deaths_n, explained_n, announced_n, untold_n, aborted_n, waits_for_room;

void mend_sources_set_link(const struct mend_sources *s, int fd, bool in, bool out)
{
    (void)s, (void)fd, (void)in;
    waits_for_room = out;
}

void mend_rank_call(struct mend_ranks *ranks, const struct rank *r)
{
    (void)ranks, (void)r;
}

void mend_rank_call_all(struct mend_ranks *ranks)
{
    (void)ranks;
}

static inline void abort_ours(void *self, int by, const int32_t *peers, int32_t n,
                              struct mend_abort what)
{
    (void)self, (void)by, (void)peers, (void)n, (void)what.code;
    aborted_n++;
}

/* What was heard last; the agent passes it on, as one that hears it for the first time. */
static uint64_t revoked;
static uint32_t revoked_n;

void mend_revoked_heard(struct mend_revoked *r, struct mend_links *links, uint64_t ctx,
                        const uint64_t *jobs, uint32_t n)
{
    (void)r;
    if (revoked != ctx)
        mend_links_revoke(links, ctx, jobs, n);
    revoked = ctx;
    revoked_n++;
}

uint32_t mend_guest_untold(struct mend_ranks *ranks, struct mend_link *x,
                           struct mend_link_run *runs, uint32_t max)
{
    (void)ranks, (void)x, (void)max;
    runs[0] = (struct mend_link_run){.first = 0, .n = RANKS};
    return 1;
}

void mend_guest_untell(struct mend_link *x, const struct mend_link_run *runs, uint32_t n)
{
    (void)x, (void)runs, (void)n;
    untold_n++;
}

int mend_guest_admit(struct mend_links *links, struct mend_link *x,
                     const struct mend_link_run *runs, uint32_t n)
{
    (void)links, (void)x, (void)runs, (void)n;
    admitted_n++;
    return 0;
}

/* What rests until the root has given names. */
static int asked_names_n, parted_n, presence_n;
static bool has_no_port, is_wide;

static inline bool open_port(void *self, bool wide)
{
    (void)self;
    is_wide = wide;
    return !has_no_port;
}

void mend_mirror_admit(struct mend_links *links, struct mend_link *x, const struct mend_link_msg *m)
{
    (void)links;
    asked_names_n++;
    x->admits = mend_xalloc(1, sizeof(*m) + m->n * sizeof(struct mend_link_run));
    memcpy(x->admits, m, sizeof(*m) + m->n * sizeof(struct mend_link_run));
}

static int cuts_n;
static struct mend_message last_cut;

static inline void tell_root(void *to, const struct mend_message *m)
{
    (void)to;
    parted_n += m->kind == MEND_UP_PARTED;
    if (m->kind == MEND_UP_CUT) {
        CHECK_EQ(m->len, sizeof(struct mend_cut_doors));
        last_cut = *m;
        cuts_n++;
    }
}

void mend_guest_presence(struct mend_links *links, const struct mend_link *x, int32_t there,
                         enum mend_presence presence)
{
    (void)links, (void)x, (void)there, (void)presence;
    presence_n++;
}

bool mend_guest_announce(struct mend_ranks *ranks, struct mend_link *x)
{
    (void)ranks, (void)x;
    announced_n++;
    return true;
}

bool mend_guest_is_told(const struct mend_link *x, int name)
{
    return x->told[name / 64] >> name % 64 & 1;
}

static int guest_name;

int mend_guest_name(const struct mend_link *x, int32_t there)
{
    (void)x, (void)there;
    return guest_name;
}

int32_t mend_guest_there(const struct mend_link *x, int name)
{
    (void)x;
    return name;
}

struct mend_address mend_guest_door_here(const struct mend_ranks *ranks, int i)
{
    (void)ranks;
    return mend_address_v4(htonl(0x0a000001), (uint16_t)i);
}

struct mend_address mend_guest_door_there(const struct mend_link *x, int name)
{
    (void)x;
    return mend_address_v4(htonl(0x0a000002), (uint16_t)name);
}

void mend_guest_deaths(struct mend_links *links, struct mend_link *x,
                       const struct mend_link_death *d, uint32_t n, mend_time_ns age_ns, bool late)
{
    (void)links, (void)x, (void)d, (void)n, (void)age_ns;
    deaths_n++;
}

void mend_guest_explain(struct mend_links *links, struct mend_link *x,
                        const struct mend_link_death *d)
{
    (void)links, (void)x, (void)d;
    explained_n++;
}

/* Those of a lost agent are dead, and forgotten, at once. */
mend_time_ns mend_guest_look(struct mend_links *links, struct mend_link *x, mend_time_ns now)
{
    (void)now;
    if (mend_link_state(links, x) == MEND_CONTACT_LOST)
        mend_link_mourned(links, x);
    if (mend_link_state(links, x) == MEND_CONTACT_OVER)
        mend_link_forgotten(links, x);
    return MEND_TIME_NEVER;
}

_Noreturn void mend_options_fail(int status, const char *format, ...)
{
    CHECK_FAILS("%s %d", format, status);
}

void *mend_xalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);

    CHECK(p != NULL);
    return p;
}

#endif
