/* SPDX-License-Identifier: BSD-3-Clause */
/* meet.c – context ids for processes that have no communicator of their own in common yet.
 *
 * Such an id is a hash of what all of them know: the parent's id, the group, the tag, and how often
 * this group has met with this tag.  The proposer's field is all ones, which no process has, so these
 * ids never meet proposed ones.  Two meetings of one process would have to agree in 40 bits to be
 * taken for each other. */
#include "member/internal.h"

#define MEETING_INDEX UINT64_C(0xfffff)

static uint64_t mix(uint64_t h, uint64_t x)
{
    return mend_hash_mix(h * UINT64_C(0x9e3779b97f4a7c15) + x);
}

/* How often the key was used before. */
static uint64_t count_up(struct mend_proc *self, uint64_t key)
{
    uintptr_t n = (uintptr_t)mend_hash_get(&self->member->meetings, key);

    MEND_ASSERT(mend_hash_put(&self->member->meetings, key, (void *)(n + 1)) == MEND_OK);
    return n;
}

mend_ctx mend_ctx_meeting(struct mend_proc *self, struct mend_comm *parent, struct mend_group *g,
                          int tag)
{
    uint64_t h = mix(parent->ctx, (uint64_t)(unsigned)tag);

    for (int i = 0; i < g->size; i++)
        h = mix(h, (uint64_t)mend_group_peer(g, i));
    h = mix(h, count_up(self, h));
    return MEND_CTX_MAKE(MEETING_INDEX, h & UINT64_C(0xffffffffff));
}
