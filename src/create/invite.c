/* SPDX-License-Identifier: BSD-3-Clause */
/* invite.c – the id under which a group without a common communicator meets (meet.c).
 *
 *   the first of the group                     another one
 *      ── INVITE {key, id} ─────────────────────> it is kept until the call for it is made
 *      │                                          the call takes the oldest one with its key
 *      both make the communicator `id` and vote   ┘
 *
 * The id is used once: the first's index and the number of its invitations, with bit 63, which no index
 * has that proposes contexts for users; so it needs no bits for revocations (decide/revoke.c).  The key is a hash of
 * the parent, the tag and the group, which all members know.  Frames of one process arrive in order, so calls with the
 * same key meet in the order in which they are made, and calls with different keys in any order, also those of
 * threads.  No state counts calls, and a finished meeting leaves nothing behind, however many tags there are.
 *
 * What ends the wait for an invitation: the invitation; a death in the group; the revocation of a communicator that
 * was named in the call.  The last two are the reasons (a) and (b) of meet.c, and every member learns of
 * them itself.
 *
 *   the first dies before it has told any        its death ends the wait of all
 *   the first dies when it has told some         these call the meeting off for the same reason; its death ends
 *                                                the wait of the others, which answer the NO by declining
 *   a member is told and never comes             the first learns of the reason, and says NO
 *   a member that waits gives up, and its        the first learns of the reason, and says NO
 *   invitation is on its way
 *   NO overtakes the invitation                  another process has sent the NO: the id is recorded as refused
 *                                                until the invitation comes
 *
 * Invariants:
 *   1  The first votes only when it has invited all others.  So a process without an invitation learns of the
 *      first's death, or gets one.
 *   2  Under one id a process either takes the invitation or refuses it, so it votes once.
 *   3  An invitation is kept only while the first waits for an answer to it: it is taken, or dropped with the
 *      NO that the first sends after it, or with the first.  A refused id is kept only until its
 *      invitation comes, or the first is dead.  So the calls in progress bound the memory.
 *   4  A process that has given up knows a reason, which never ends, and joins no meeting under this key again.  A
 *      process that was refused without knowing the reason may call again, and its call may match an older call of
 *      others: that meeting is refused as well, because the reason existed before its id was proposed. */
#include "create/meet.h"

#include "create/wire.h"
#include "node/abroad.h"
#include "node/node.h"

struct mend_invitation {
    struct mend_list link; /* in self->create->invitations, the oldest first */
    mend_peer from;
    uint64_t key; /* nothing if it is refused */
    mend_ctx id;
    bool refused; /* it has not come yet, and will not be wanted */
};

static struct mend_invitation *find_id(struct mend_proc *self, mend_ctx id)
{
    mend_list_foreach (l, next, &self->create->invitations) {
        struct mend_invitation *i = mend_list_entry(l, struct mend_invitation, link);

        if (i->id == id)
            return i;
    }
    return NULL;
}

static struct mend_invitation *find_key(struct mend_proc *self, mend_peer from, uint64_t key)
{
    mend_list_foreach (l, next, &self->create->invitations) {
        struct mend_invitation *i = mend_list_entry(l, struct mend_invitation, link);

        if (!i->refused && i->from == from && i->key == key)
            return i;
    }
    return NULL;
}

static void drop(struct mend_proc *self, struct mend_invitation *i)
{
    mend_list_remove(&i->link);
    mend_free(self, i);
}

static void keep(struct mend_proc *self, const struct mend_invitation *what)
{
    struct mend_invitation *i;

    mend_memory_press(self);
    i = mend_alloc(self, sizeof(*i));
    mend_memory_relax(self);
    *i = *what;
    mend_list_append(&self->create->invitations, &i->link);
}

static void invite(struct mend_proc *self, struct mend_group *g, uint64_t key, mend_ctx id)
{
    struct mend_create_wire w = {.kind = MEND_CREATE_INVITE, .key = key};
    struct mend_frame f = mend_frame_make(MEND_FRAME_CREATE, id | MEND_CHANNEL_FT, 0, 0, sizeof(w));

    for (int r = 1; r < g->size; r++) {
        mend_post(self, mend_group_peer(g, r), &f, &w);
        mend_event(self, MEND_EV_MEMBER_INVITE);
    }
}

mend_ctx mend_invite_all(struct mend_proc *self, struct mend_group *g, uint64_t key)
{
    uint64_t number = ++self->create->invited_n;
    bool spans = mend_group_spans(self, g);
    mend_ctx id = MEND_CTX_MEETS | (spans ? MEND_CTX_SPAN(mend_abroad_name(self, self->me), number)
                                          : MEND_CTX_MAKE(self->me, number));

    MEND_ASSERT(number <
                (spans ? MEND_CTX_SPAN_MAX : UINT64_C(1) << 40)); /* ids are never used again */
    mend_node_hold(self);
    invite(self, g, key, id);
    mend_node_release(self);
    return id;
}

static bool is_of(struct mend_proc *self, mend_ctx id, mend_peer from)
{
    if (!(id & MEND_CTX_MEETS))
        return false;
    if (id & MEND_CTX_SPANS)
        return mend_abroad_peer(self, MEND_CTX_SPAN_NAME(id)) == from;
    return MEND_CTX_INDEX(id & ~MEND_CTX_MEETS) == (uint32_t)from;
}

bool mend_invite_on_frame(struct mend_proc *self, mend_peer from, mend_ctx id, uint64_t key)
{
    struct mend_invitation *noted = find_id(self, id);

    if (!is_of(self, id, from) || (noted && !noted->refused))
        return false;
    if (noted)
        drop(self, noted);
    else
        keep(self, &(struct mend_invitation){.from = from, .key = key, .id = id});
    return true;
}

struct waiting {
    struct mend_meeting *m;
    struct mend_group *g;
    uint64_t key;
    uint32_t looked; /* at so many deaths */
    struct mend_invitation *found;
    int error;
};

static bool invited_or_over(struct mend_proc *self, void *arg)
{
    struct waiting *w = arg;

    w->found = find_key(self, mend_group_peer(w->g, 0), w->key);
    for (; w->looked < self->deaths_n; w->looked++)
        if (mend_group_rank(self, w->g, self->deaths[w->looked].peer) != MPI_UNDEFINED)
            w->error = MEND_CLASS_PROC_FAILED;
    if (mend_meet_reason(w->m))
        w->error = mend_meet_reason(w->m);
    return w->found || w->error;
}

int mend_invite_await(struct mend_proc *self, struct mend_meeting *m, struct mend_group *g,
                      uint64_t key, mend_ctx *id_p)
{
    struct waiting waiting = {.m = m, .g = g, .key = key};
    struct mend_wait w = {.cause = MEND_WAIT_CREATION,
                          .until = invited_or_over,
                          .arg = &waiting,
                          .hint = mend_group_peer(g, 0),
                          .rings = true,
                          .what = "the first member of the group to take part"};

    mend_wait_until(self, &w);
    if (!waiting.found)
        return waiting.error;
    *id_p = waiting.found->id;
    drop(self, waiting.found);
    mend_event(self, MEND_EV_MEMBER_INVITED);
    return MPI_SUCCESS;
}

bool mend_invite_refused(struct mend_proc *self, mend_ctx id)
{
    const struct mend_invitation *i = find_id(self, id);

    return i && i->refused;
}

void mend_invite_refuse(struct mend_proc *self, mend_peer first, mend_ctx id)
{
    struct mend_invitation *i = find_id(self, id);

    if (i)
        drop(self, i);
    else if (!mend_peer_is_dead(self, first))
        keep(self, &(struct mend_invitation){.from = first, .id = id, .refused = true});
}

void mend_invite_on_deaths(struct mend_proc *self, const struct mend_death *death, int n)
{
    mend_list_foreach (l, next, &self->create->invitations) {
        struct mend_invitation *i = mend_list_entry(l, struct mend_invitation, link);

        if (mend_is_among(death, n, i->from))
            drop(self, i);
    }
}
