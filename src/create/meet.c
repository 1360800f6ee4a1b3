/* SPDX-License-Identifier: BSD-3-Clause */
/* meet.c – processes without a common communicator meet to create one:
 * MPI_Comm_create_group and MPI_Intercomm_create, and calls without any parent (from_group.c).
 *
 * They meet on a communicator that each of them makes locally in the same way, and its CREATION sequence
 * decides.  A process has come to the meeting when it has made this communicator.  An agreement waits for all living
 * members; but a living member may never come, and the others must not wait for it for ever:
 *
 *   A, B in the meeting │ D dies (or the parent is revoked)  │ C has seen that elsewhere, and never calls
 *                       │                                    │
 *   A ── UP, parked at C                                     │
 *   A, B: the meeting cannot succeed ─────────── NO {id, groups} ───> C: makes the communicator too,
 *   A <─────────────────────── its vote: no ─────────────────────────    vetoes, and frees it
 *   A, B: refused, uniformly (S2-5)                          │ C calls late: it has declined, is refused
 *
 * What ends a meeting, and what does not.
 *   a  A member of the group (of either group) is dead.  It is involved (S0-7), so all get
 *      MPI_ERR_PROC_FAILED in bounded time (S0-1), as with any creation (S2-6, S2-14).
 *   b  A communicator that was named in the call is revoked (S0-60): MPI_ERR_INVALIDATED.
 *   c  MPI_Intercomm_create: a communicator that was named has a dead member, also if it belongs to
 *      neither group: all communicators that take part must be active (S2-2).
 *   d  MPI_Comm_create_group: a dead member of the parent that is *not* in the group does not end it.
 *      The operation involves only the group, so no process involved has failed, and the operation must
 *      not fail (S0-10); with it, survivors can make a communicator without any other process.
 *   e  A living process that does not call although none of a, b, c holds: the program is wrong, as with
 *      any collective.  A process that gives up because of a failure that only itself knows must tell the
 *      others by revoking a communicator that they have named; this is the purpose of revocation.
 *      The same holds for the first of a group, which tells the others where to meet.
 *
 * Why a NO cannot contradict a decision.  A receiver that has come ignores it, because it has voted.  A receiver
 * that has not come has not voted, so no process can have decided on success; and the reasons above never
 * end, so its own call would be refused, too.
 *
 * A member whose way to the meeting has failed may even have left MPI, or have closed its last session, before a NO reaches
 * it: it was in the first steps of the call, knew neither id nor other group, and waits for nobody.  A process that has come
 * to a meeting stays until its vote is in memory or all survivors have the decision.  So one that has left, and whose vote is
 * not there, has not said yes, and never will: once a meeting is called off it goes on without those.  One that comes back
 * finds the NO, and declines what nobody decides any more.
 *
 * Calling off: every process in the meeting that sees a reason tells all others; that is quadratic, and
 * happens once.  A reason that only some can see (b, c) is seen by a living member of the meeting:
 * in (b) by all that named the communicator, in (c) by the leader, for whose death (a) holds.
 *
 * The id: a group without leaders gets it from its first member (invite.c), two groups from their
 * leaders (leaders.c). */
#include "create/meet.h"

#include "create/wire.h"
#include "node/abroad.h"

#include <string.h>

static uint64_t mix(uint64_t h, uint64_t x)
{
    return mend_hash_mix(h * UINT64_C(0x9e3779b97f4a7c15) + x);
}

uint64_t mend_meet_key(struct mend_proc *self, mend_ctx ctx, struct mend_group *g, uint64_t tag)
{
    bool spans = mend_group_spans(self, g);
    uint64_t h = mix(ctx, tag);

    for (int i = 0; i < g->size; i++)
        h = mix(h, (uint64_t)mend_abroad_common(self, mend_group_peer(g, i), spans));
    return h;
}

int mend_meet_reason(const struct mend_meeting *m)
{
    for (unsigned i = 0; i < MEND_COUNT_OF(m->named); i++)
        if (m->named[i] && m->named[i]->revoked)
            return MEND_CLASS_INVALIDATED;
    for (unsigned i = 0; i < MEND_COUNT_OF(m->named); i++)
        if (m->named[i] && m->named_must_live && mend_comm_is_inactive(m->named[i]))
            return MEND_CLASS_PROC_FAILED;
    return m->c && m->c->inactive ? MEND_CLASS_PROC_FAILED : m->error;
}

static void tell_no(struct mend_comm *c, int error)
{
    struct mend_proc *self = c->self;
    struct mend_decide_comm *d = c->decide;
    size_t len = sizeof(struct mend_create_wire) + (size_t)d->members_n * sizeof(mend_peer);
    struct mend_create_wire *w;
    int32_t *peers;
    struct mend_frame f =
        mend_frame_make(MEND_FRAME_CREATE, c->ctx | MEND_CHANNEL_FT, 0, d->me, (uint32_t)len);

    mend_memory_press(self);
    w = mend_alloc(self, len);
    mend_memory_relax(self);
    peers = (int32_t *)(w + 1);
    *w = (struct mend_create_wire){.kind = MEND_CREATE_NO,
                                   .error = error,
                                   .first_n = d->first->size,
                                   .second_n = d->members_n - d->first->size};
    for (int r = 0; r < d->members_n; r++)
        peers[r] = mend_abroad_name(self, mend_decide_peer(d, r));
    for (int r = 0; r < d->members_n; r++)
        if (r != d->me) {
            mend_peer to = mend_decide_peer(d, r);

            MEND_ASSERT(len <= mend_net_of(self, to)->payload_max_bytes);
            mend_post(self, to, &f, w);
        }
    mend_free(self, w);
}

static void call_off(struct mend_meeting *m)
{
    int error = m->c && !m->called_off ? mend_meet_reason(m) : MPI_SUCCESS;

    if (!error)
        return;
    m->called_off = true;
    mend_decide_pass_over_left(m->c);
    mend_event(m->c->self, MEND_EV_MEMBER_CALL_OFF);
    tell_no(m->c, error);
}

void mend_meet_look(struct mend_proc *self)
{
    mend_list_foreach (l, next, &self->create->meetings)
        call_off(mend_list_entry(l, struct mend_meeting, link));
}

void mend_meet_begin(struct mend_proc *self, struct mend_meeting *m)
{
    mend_list_append(&self->create->meetings, &m->link);
}

void mend_meet_end(struct mend_meeting *m)
{
    mend_list_remove(&m->link);
}

/* A process that has a reason already votes no; otherwise the first process that sees one calls the meeting off. */
int mend_meet(struct mend_meeting *m, struct mend_decision *value)
{
    struct mend_comm *c = m->c;
    int error = mend_creation_room(c, mend_meet_reason(m));

    mend_creation_propose(c, !error, false, value);
    value->max_word[1] = (uint64_t)error;
    call_off(m);
    mend_creation_decide(c, value);
    mend_event(c->self, MEND_EV_MEMBER_CREATE_DECIDED);
    if (value->and_word[0] == UINT64_MAX && !value->failed_n)
        return MPI_SUCCESS;
    return value->max_word[1] ? (int)value->max_word[1] : MEND_CLASS_PROC_FAILED;
}

/* Until the call comes, which it does once. */
int mend_meet_declined(struct mend_proc *self, mend_ctx ctx)
{
    return (int)(uintptr_t)mend_hash_remove(&self->create->declined, ctx);
}

/* Its call, or its invitation, will find that this process has answered. */
static void note_declined(struct mend_proc *self, mend_ctx ctx, int error, bool invites,
                          mend_peer first)
{
    if (invites)
        mend_invite_refuse(self, first, ctx);
    else
        mend_hash_put(&self->create->declined, ctx, (void *)(uintptr_t)error);
}

/* Comes to the meeting in order to veto, and leaves.  To be called under pressure: the others wait. */
static void decline(struct mend_proc *self, mend_ctx ctx, int error, struct mend_group *first,
                    struct mend_group *second)
{
    bool in_first = mend_group_rank(self, first, self->me) != MPI_UNDEFINED;
    struct mend_group *mine = in_first ? first : second, *other = in_first ? second : first;
    struct mend_comm *c = mend_comm_create(self, mine, other, ctx, NULL);

    error = error == MEND_CLASS_INVALIDATED ? error : MEND_CLASS_PROC_FAILED;
    note_declined(self, ctx, error, !second, mend_group_peer(first, 0));
    if (error == MEND_CLASS_INVALIDATED)
        mend_revoke_along(c);
    mend_comm_deactivate(c);
    mend_creation_open(c);
    mend_decide_free(c);
}

bool mend_meet_read_peers(struct mend_proc *self, const int32_t *names, int n, mend_peer *peers)
{
    bool known = true;

    for (int i = 0; i < n; i++) {
        peers[i] = mend_abroad_peer(self, names[i]);
        known &= peers[i] != MEND_PEER_NONE;
    }
    return known;
}

/* A group as it was sent; NULL if it cannot be one. */
static struct mend_group *read_group(struct mend_proc *self, const int32_t *names, int n)
{
    mend_peer *peers = mend_alloc(self, (size_t)n * sizeof(*peers));
    struct mend_group *g =
        mend_meet_read_peers(self, names, n, peers) ? mend_group_create(self, peers, n) : NULL;

    for (int i = 0; g && i < n; i++)
        if (mend_group_rank(self, g, peers[i]) != i) { /* twice */
            mend_group_put(self, g);
            g = NULL;
        }
    mend_free(self, peers);
    return g;
}

static bool on_no(struct mend_proc *self, mend_peer from, mend_ctx ctx,
                  const struct mend_create_wire *w, const int32_t *peers)
{
    struct mend_group *first, *second = NULL;
    bool good;

    if (mend_hash_get(&self->comms, ctx) || mend_is_buried(self, ctx) ||
        mend_hash_get(&self->create->declined, ctx) || mend_invite_refused(self, ctx))
        return true; /* has come, or has declined */
    mend_memory_press(self);
    first = read_group(self, peers, w->first_n);
    if (first && w->second_n)
        second = read_group(self, peers + w->first_n, w->second_n);
    good = first && (second || !w->second_n);
    for (int k = 0; good && k < 2; k++) {
        mend_peer p = k ? from : self->me;

        good = (mend_group_rank(self, first, p) != MPI_UNDEFINED) !=
               (second && mend_group_rank(self, second, p) != MPI_UNDEFINED);
    }
    if (good)
        decline(self, ctx, w->error, first, second);
    mend_memory_relax(self);
    if (first)
        mend_group_put(self, first);
    if (second)
        mend_group_put(self, second);
    return good;
}

void mend_create_on_frame(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                          const void *payload)
{
    mend_ctx ctx = f->ctx & ~MEND_CTX_CHANNEL_MASK;
    struct mend_create_wire w;
    uint64_t len = mend_frame_len(f);
    const int32_t *peers = (const int32_t *)((const char *)payload + sizeof(w));
    bool good = len >= sizeof(w);

    if (good) {
        memcpy(&w, payload, sizeof(w));
        good = w.first_n >= 0 && w.second_n >= 0 &&
               len == sizeof(w) + ((uint64_t)w.first_n + (uint64_t)w.second_n) * sizeof(mend_peer);
    }
    if (good && w.kind == MEND_CREATE_INVITE)
        good = mend_invite_on_frame(self, from, ctx, w.key);
    else if (good && w.kind == MEND_CREATE_NO)
        good = w.first_n > 0 && on_no(self, from, ctx, &w, peers);
    else if (good && w.kind >= MEND_CREATE_KNOCK)
        good = mend_port_on_frame(self, from, &w);
    else if (good)
        good = mend_leaders_on_frame(self, from, f, &w, payload);
    if (!good)
        self->on_damage(self, from);
}

static bool has_dead(struct mend_proc *self, struct mend_group *g)
{
    for (uint32_t i = 0; i < self->deaths_n; i++)
        if (mend_group_rank(self, g, self->deaths[i].peer) != MPI_UNDEFINED)
            return true;
    return false;
}

/* Makes m->c, where they meet. */
static int come(struct mend_meeting *m, struct mend_comm *parent, struct mend_group *g,
                uint64_t key)
{
    struct mend_proc *self = parent->self;
    mend_ctx id;
    int err = MPI_SUCCESS;

    if (mend_group_peer(g, 0) == self->me)
        id = mend_invite_all(self, g, key); /* first, while the others have time for it */
    else
        err = mend_invite_await(self, m, g, key, &id);
    if (err)
        return err;
    mend_memory_press(self); /* its way out would be to leave the others in the meeting */
    m->c = mend_comm_create(self, g, NULL, id, parent);
    mend_memory_relax(self);
    mend_creation_open(m->c);
    return MPI_SUCCESS;
}

int mend_meet_group(struct mend_comm *parent, struct mend_comm *named, struct mend_group *g,
                    uint64_t key, struct mend_comm **new_p)
{
    struct mend_proc *self = parent->self;
    struct mend_meeting m = {.named = {named}};
    struct mend_decision value = {.failed = NULL};
    int err;

    mend_interrupt_check(self);
    if (named && named->revoked)
        return MEND_CLASS_INVALIDATED;
    if (has_dead(self, g)) /* S2-9 */
        return MEND_CLASS_PROC_FAILED;
    mend_event(self, MEND_EV_MEMBER_CREATE_ENTER);
    mend_meet_begin(self, &m);
    err = come(&m, parent, g, key);
    if (!err)
        err = mend_meet(&m, &value);
    mend_meet_end(&m);
    if (!err)
        err = mend_creation_object(parent, g, NULL, &value, new_p);
    if (value.failed)
        mend_group_put(self, value.failed);
    if (m.c)
        mend_decide_free_temporary(m.c, !err);
    return err;
}

int mend_create_group(struct mend_comm *c, struct mend_group *g, int tag, struct mend_comm **new_p)
{
    int err;

    *new_p = NULL;
    err =
        mend_meet_group(c, c, g, mend_meet_key(c->self, c->ctx, g, (uint64_t)(unsigned)tag), new_p);
    if (err == MEND_CLASS_INVALIDATED)
        mend_revoke(c); /* S0-63 */
    return err;
}
