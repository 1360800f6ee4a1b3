/* SPDX-License-Identifier: BSD-3-Clause */
/* decisions.c – a decision that was told to anybody is there for everybody who shares memory.
 *
 * In an agreement by messages (agree.c) the decision goes down a tree.  If somebody in it dies, those
 * behind ask others, and whoever knows may have returned long since and be outside of MPI.  So:
 *
 *   root      writes the decision into its row of the segment, then tells its first child
 *   others    once a member has died: look into the row of the root as they see it, and take what they
 *             find as if their parent had said it
 *
 * Why that is the message of the parent.  A decision at ballot r (ft/agree_sm.h) is made by the root r
 * when all living have answered at r; so whoever has not answered finds nothing.  Whoever has, and has
 * not promised a higher ballot, may be told of it by its parent at any time, and nobody would notice
 * that the parent has not heard of it yet.  Nobody promises a higher ballot before it has looked
 * (mend_agree_take(), mend_agree_on_death()); and by then the root is dead, for somebody was told so,
 * and its row changes no more.
 *
 * The row holds the last decisions of this rank, over all communicators.  What has been overwritten is asked
 * for, as without a segment.
 *
 * Invariants:
 *   1  an entry's version is odd while it is written, so what a kill leaves half-written is no entry;
 *   2  the entry is complete before the first message that tells of the decision (publish, called
 *      where that message is sent);
 *   3  the poll is in self->active only while something is undecided and a member is dead. */
#include "member/internal.h"

#include "net/shm/layout.h"

#include <string.h>

#define FAILED_WORDS 8u /* 512 members */

struct entry {
    uint64_t mark, seq, nfailed;
    uint64_t and_word[MEND_AGREE_WORDS], max_word[MEND_AGREE_WORDS];
    uint64_t failed[FAILED_WORDS];
};
#define ENTRY_WORDS (sizeof(struct entry) / sizeof(uint64_t))
_Static_assert(ENTRY_WORDS <= MEND_SHM_DECISION_WORDS, "fits into the row");

/* Not where agreements have other ways. */
static bool usable(const struct mend_comm *c)
{
    return c->self->shm_base && !mend_agree_shm_usable(c) &&
           mend_bits_words(c->ft->members_n) <= FAILED_WORDS;
}

static struct mend_shm_decisions *row_of(struct mend_comm *c, int32_t rank)
{
    return mend_shm_decisions_of(c->self->shm_base, (uint32_t)mend_ft_peer(c->ft, rank));
}

/* Which sequence of which communicator. */
static uint64_t mark_of(const struct mend_comm *c, enum mend_machine which)
{
    return c->ctx | (uint64_t)which;
}
_Static_assert(MEND_MACHINES - 1 <= MEND_CTX_CHANNEL_MASK, "below the bits of a context");

static void write_entry(struct mend_shm_decision *d, const struct entry *e)
{
    uint64_t word[ENTRY_WORDS], version = mend_load_relaxed(&d->version);

    memcpy(word, e, sizeof(*e));
    mend_store_relaxed(&d->version, version + 1);
    /* release: whoever sees a new word sees that it is being written */
    atomic_thread_fence(memory_order_release);
    for (unsigned i = 0; i < ENTRY_WORDS; i++)
        mend_store_relaxed(&d->word[i], word[i]);
    /* release: pairs with the acquire in read_entry() */
    mend_store_release(&d->version, version + 2);
}

/* False: it is being written, or was while it was read. */
static bool read_entry(const struct mend_shm_decision *d, struct entry *e)
{
    uint64_t word[ENTRY_WORDS], version = mend_load_acquire(&d->version);

    for (unsigned i = 0; i < ENTRY_WORDS; i++)
        word[i] = mend_load_relaxed(&d->word[i]);
    /* acquire: a changed word is not seen without its changed version */
    atomic_thread_fence(memory_order_acquire);
    if (version % 2 || mend_load_relaxed(&d->version) != version)
        return false;
    memcpy(e, word, sizeof(*e));
    return version != 0;
}

void mend_decisions_publish(struct mend_comm *c, enum mend_machine which,
                            const struct mend_agree_msg *down)
{
    struct mend_agreements *a = &c->ft->agreements[which];
    const struct mend_agree_value *v = &down->value;
    struct entry e = {.mark = mark_of(c, which), .seq = down->seq, .nfailed = (uint64_t)v->nfailed};

    if (!usable(c) || down->ballot != c->ft->me || a->published == down->seq + 1)
        return;
    memcpy(e.and_word, v->and_word, sizeof(e.and_word));
    memcpy(e.max_word, v->max_word, sizeof(e.max_word));
    if (v->nfailed)
        memcpy(e.failed, v->failed, mend_bits_words(c->ft->members_n) * sizeof(uint64_t));
    write_entry(
        &row_of(c, c->ft->me)->decision[c->self->member->decisions_n++ % MEND_SHM_DECISIONS], &e);
    a->published = down->seq + 1;
}

static bool find(const struct mend_shm_decisions *row, uint64_t mark, uint64_t seq, struct entry *e)
{
    for (unsigned i = 0; i < MEND_SHM_DECISIONS; i++)
        if (read_entry(&row->decision[i], e) && e->mark == mark && e->seq == seq)
            return true;
    return false;
}

/* True if the agreement is decided now. */
static bool take(struct mend_comm *c, enum mend_machine which, uint64_t seq, struct entry *e)
{
    const struct mend_agree *sm = c->ft->agreements[which].sm;
    struct mend_agree_msg down = {.kind = MEND_AGREE_DOWN,
                                  .peer = sm->parent,
                                  .ballot = sm->root,
                                  .accepted = -1,
                                  .seq = seq,
                                  .value = {.nfailed = (int32_t)e->nfailed, .failed = e->failed}};

    memcpy(down.value.and_word, e->and_word, sizeof(e->and_word));
    memcpy(down.value.max_word, e->max_word, sizeof(e->max_word));
    mend_agree_take(c, which, &down);
    return mend_agree_result(sm, seq, &down.value);
}

/* One of those that somebody here waits for. */
static bool take_one(struct mend_comm *c, enum mend_machine which)
{
    struct mend_agreements *a = &c->ft->agreements[which];
    struct entry e;

    mend_list_foreach (l, next, &a->running) {
        uint64_t seq = mend_list_entry(l, struct mend_agree_op, link)->seq;

        if (find(row_of(c, a->sm->root), mark_of(c, which), seq, &e))
            return take(c, which, seq, &e);
    }
    return false;
}

void mend_decisions_look(struct mend_comm *c, enum mend_machine which)
{
    const struct mend_agree *sm = c->ft->agreements[which].sm;

    if (!sm || !usable(c))
        return;
    mend_comm_get(c);
    while (sm->root != c->ft->me && take_one(c, which))
        ;
    mend_comm_put(c);
}

static void poll(struct mend_request *r)
{
    struct mend_ft_comm *ft = MEND_CONTAINER_OF(r, struct mend_ft_comm, watch);
    struct mend_comm *c = ft->watched;
    bool waits = false;

    mend_comm_get(c);
    for (int which = 0; which < MEND_MACHINES; which++) {
        mend_decisions_look(c, (enum mend_machine)which);
        waits |= !mend_list_empty(&ft->agreements[which].running);
    }
    if (!waits)
        mend_decisions_forget(c);
    mend_comm_put(c);
}

static const struct mend_request_ops watch_ops = {.name = "agreement", .poll = poll};

void mend_decisions_watch(struct mend_comm *c, enum mend_machine which)
{
    struct mend_ft_comm *ft = c->ft;
    struct mend_agreements *a = &ft->agreements[which];

    if (!a->sm->ndead || mend_list_empty(&a->running) || mend_list_linked(&ft->watch.link) ||
        !usable(c))
        return;
    ft->watched = c;
    ft->watch.ops = &watch_ops;
    mend_list_append(&c->self->active, &ft->watch.link);
}

void mend_decisions_forget(struct mend_comm *c)
{
    if (mend_list_linked(&c->ft->watch.link))
        mend_list_remove(&c->ft->watch.link);
}
