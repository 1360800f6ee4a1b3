/* SPDX-License-Identifier: BSD-3-Clause */
/* revoke.c – drives ft/revoke_sm, and carries a revocation out in this process.
 *
 * A revocation is one frame without content.  Whoever hears of it first passes it on before it does
 * anything else, so its way through the job does not wait for anybody's cleaning up. */
#include "member/internal.h"

#include "net/net.h"
#include "proc/report.h"

static struct mend_revoke *machine(struct mend_comm *c)
{
    struct mend_proc *self = c->self;
    struct mend_ft_comm *ft = c->ft;
    struct mend_revoke_out out;

    if (ft->revoke)
        return ft->revoke;
    ft->revoke = mend_alloc(self, mend_revoke_size(ft->members_n));
    if (!ft->revoke)
        return NULL;
    mend_revoke_init(ft->revoke, ft->members_n, ft->me);
    for (uint32_t i = 0; i < self->deaths_n; i++) {
        int32_t rank = mend_ft_rank(self, ft, self->deaths[i].peer);
        struct mend_revoke_event ev = {.kind = MEND_REVOKE_DEATH, .rank = rank};

        if (rank >= 0)
            mend_revoke_step(ft->revoke, &ev, &out);
    }
    return ft->revoke;
}

/* Everything a revocation means to this process. */
static void carry_out(struct mend_comm *c)
{
    c->revoked = true;
    mend_report_event(c->self, "\"event\":\"revoke\",\"ctx\":%llu", (unsigned long long)c->ctx);
    mend_p2p_on_revoke(c);
    mend_coll_on_revoke(c);
    mend_agree_say_no(c, MEND_MACHINE_CREATION);
    mend_agree_say_no(c, MEND_MACHINE_VALIDATION);
    mend_living_on_revoke(c);
    mend_meet_look(c->self);
}

static void step(struct mend_comm *c, const struct mend_revoke_event *ev)
{
    struct mend_proc *self = c->self;
    struct mend_revoke_out out;
    struct mend_frame f =
        mend_frame_make(MEND_FRAME_REVOKE, c->ctx | MEND_CHANNEL_FT, 0, c->ft->me, 0);
    int32_t to;

    mend_comm_get(c);
    mend_revoke_step(c->ft->revoke, ev, &out);
    while (mend_revoke_next(c->ft->revoke, &to)) {
        MEND_ASSERT(mend_post(self, mend_ft_peer(c->ft, to), &f, NULL));
        mend_event(self, MEND_EV_REVOKE_SENT_ONE);
    }
    if (out.news) {
        mend_event(self, MEND_EV_REVOKE_SENT);
        carry_out(c);
    }
    mend_comm_put(c);
}

void mend_revoke(struct mend_comm *c)
{
    struct mend_revoke_event ev = {.kind = MEND_REVOKE_LOCAL};

    if (c->revoked)
        return;
    MEND_ASSERT(machine(c));
    mend_event(c->self, MEND_EV_REVOKE_LOCAL);
    step(c, &ev);
}

void mend_revoke_on_frame(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                          const void *payload)
{
    struct mend_comm *c = mend_hash_get(&self->comms, f->ctx & ~MEND_CTX_CHANNEL_MASK);
    struct mend_revoke_event ev = {.kind = MEND_REVOKE_RECV, .rank = f->src};

    if (!c || !c->ft) {
        mend_park(self, from, f, payload);
        return;
    }
    if (f->src < 0 || f->src >= c->ft->members_n || mend_ft_peer(c->ft, f->src) != from) {
        self->on_trouble(self, from);
        return;
    }
    MEND_ASSERT(machine(c));
    step(c, &ev);
}

void mend_revoke_on_death(struct mend_comm *c, int32_t rank)
{
    struct mend_revoke_event ev = {.kind = MEND_REVOKE_DEATH, .rank = rank};

    if (c->ft->revoke)
        step(c, &ev);
}
