/* SPDX-License-Identifier: BSD-3-Clause */
/* link_cut.c – a process of this job and one of a connected job cannot reach each other, although the agents of both live: one of the
 * two ends.
 *
 *   rank ── CUT ──> its agent ──> root ── CUT_ABROAD ──> agent of the first node ── CUT ──> that of the other job ──> its root
 *
 * No agent ends a process of another job, and two roots that each ended one of theirs would end both.  So one root decides: that of the
 * job with the lower id, which both jobs know.  The other root passes on what its ranks say.  The one that decides counts the pairs of both
 * jobs (root/cut.c), and ends its own process, or says that the other job is to end its.  Neither waits for the other: what is said once too often
 * changes nothing, and a rank says again what goes on.  If one of the two jobs ends its processes are dying, and there are no pairs.
 *
 * What the other job says is believed as far as it could also abort this process (MEND_LINK_ABORT): of living processes that the two jobs
 * have told each other of, and that it ends one only if it is the one that decides. */
#include "agent/link.h"

static bool decides(const struct mend_links *links, const struct mend_link *x)
{
    return links->with.ranks->shm->job < x->other;
}

static void tell_root(struct mend_links *links, const struct mend_link *x, int ours, int guest,
                      enum mend_cut_judge judge)
{
    const struct mend_ranks *ranks = links->with.ranks;
    const struct mend_cut_doors doors = {mend_guest_door_here(ranks, ours),
                                         mend_guest_door_there(x, guest)};
    struct mend_message m = {.kind = MEND_UP_CUT,
                             .rank = ours,
                             .arg = {[MEND_CUT_PEER] = guest,
                                     [MEND_CUT_JUDGE] = judge,
                                     [MEND_CUT_THERE] = mend_guest_there(x, guest)},
                             .data = (const char *)&doors,
                             .len = sizeof(doors)};

    mend_post(&links->with.tell->root, &m);
}

void mend_links_complain(struct mend_links *links, int by, int guest)
{
    const struct mend_link *x = links->with.ranks->rank[guest].guest_of;

    tell_root(links, x, by, guest, decides(links, x) ? MEND_CUT_OURS : MEND_CUT_THEIRS);
}

/* Of this job, alive, and known to the other one; a guest of x that is alive. */
static bool is_pair(const struct mend_links *links, const struct mend_link *x, int ours, int guest)
{
    const struct mend_ranks *ranks = links->with.ranks;

    return ours >= 0 && ours < ranks->n && !ranks->rank[ours].guest_of &&
           mend_guest_is_told(x, ours) && !mend_rank_is_dead(ranks, ours) && guest >= 0 &&
           guest < ranks->n && ranks->rank[guest].guest_of == x && !mend_rank_is_dead(ranks, guest);
}

void mend_links_cut(struct mend_links *links, int by, int guest, enum mend_cut_abroad how)
{
    struct mend_link *x = links->with.ranks->rank[guest].guest_of;
    struct mend_link_msg m = {
        .kind = MEND_LINK_CUT, .code = how == MEND_CUT_THERE_ENDS, .from = by, .n = 1};
    int32_t there = mend_guest_there(x, guest);

    if (!mend_link_is_open(links, x) || !is_pair(links, x, by, guest))
        return;
    if (how == MEND_CUT_HERE_ENDS)
        tell_root(links, x, by, guest, MEND_CUT_DECIDED);
    else
        mend_link_send(links, x, &m, &there, 1);
}

void mend_link_heard_cut(struct mend_links *links, struct mend_link *x,
                         const struct mend_link_msg *m)
{
    int ours = m->body[0], guest = mend_guest_name(x, m->from);
    bool ends = m->code != 0;

    if (x->far && ends != decides(links, x) && is_pair(links, x, ours, guest))
        tell_root(links, x, ours, guest, ends ? MEND_CUT_DECIDED : MEND_CUT_OURS);
}
