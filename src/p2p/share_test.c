/* SPDX-License-Identifier: BSD-3-Clause */
/* The owner of a copy page believes itself: whatever others write into the fragments that it shares with them, it copies
 * what it asked for to where that belongs.  It copies alone what nobody may help with, and without a copy page nothing (share.c). */
#include "p2p/internal.h"

#include "base/test.h"
#include "p2p/match.h"

#define BYTES     ((size_t)512 * 1024)
#define FRAGMENTS (BYTES / ((size_t)128 * 1024)) /* with help */
#define EDGE      ((size_t)4096)                 /* around the buffer, not to be written */

static struct mend_proc *self;
static struct mend_p2p p2p;
static struct mend_copypage page;
static mend_atomic_u32 interrupt;
static unsigned char from[BYTES], into[EDGE + BYTES + EDGE];
static unsigned pulls_n, pulls_elsewhere_n, calls_n;
static bool no_memory;

static struct mend_copypage *its_page(struct mend_proc *p, mend_peer owner)
{
    (void)p;
    (void)owner;
    return no_memory ? NULL : &page;
}

static enum mend_status pull(struct mend_proc *p, mend_peer peer, void *dst, uint64_t remote,
                             size_t len, uint64_t stamp)
{
    uint64_t at = remote - (uintptr_t)from;

    (void)p;
    (void)peer;
    (void)stamp;
    pulls_n++;
    if (at > BYTES || len > BYTES - at || (unsigned char *)dst != into + EDGE + at)
        pulls_elsewhere_n++;
    else
        memcpy(dst, (const void *)(uintptr_t)remote, len);
    return MEND_OK;
}

static enum mend_status drop(struct mend_proc *p, mend_peer to, const struct mend_frame *f,
                             const void *payload)
{
    (void)p;
    (void)to;
    (void)payload;
    calls_n += mend_frame_kind(f) == MEND_FRAME_SHARE;
    return MEND_OK;
}

static const struct mend_near near = {.copypage = its_page, .pull = pull};
static const struct mend_net net = {.near = &near, .send = drop};

static const struct mend_comm_hooks hooks = {
    .attach = {mend_match_create},
    .detach = {mend_match_destroy},
};

static struct mend_comm *begin(void)
{
    self = mend_proc_create_bare();
    self->me = 0;
    CHECK(mend_peers_add(self, 2));
    self->comm_hooks = &hooks;
    self->p2p = &p2p;
    for (mend_peer p = 0; p < 2; p++)
        mend_net_connect(self, p, &net);
    self->interrupt = &interrupt;
    p2p = (struct mend_p2p){.single_copy = MEND_SINGLE_COPY_ALWAYS, .may_share = true};
    mend_hash_init(&p2p.large, self->arena);
    for (size_t i = 0; i < BYTES; i++)
        from[i] = (unsigned char)(i % 251);
    memset(into, 255, sizeof(into));
    pulls_n = pulls_elsewhere_n = calls_n = 0;
    return mend_comm_create(self, mend_group_create_range(self, 0, 1, 2), NULL, MEND_CTX_WORLD,
                            NULL);
}

static void rts_arrives(struct mend_p2p_request *r, struct mend_comm *c, enum mend_channel channel)
{
    struct mend_rts rts = {.total_bytes = BYTES, .address = (uintptr_t)from, .id = 1};

    mend_p2p_irecv(r, c, channel, into + EDGE, BYTES, mend_type_predefined((uintptr_t)MPI_BYTE), 1,
                   5);
    CHECK(mend_match_arrived(c, mend_p2p_space(c, channel), 1, 5) == r);
    mend_recv_rts(r, 1, 1, 5, &rts);
    CHECK(r->way == MEND_WAY_COPY);
}

static void overwrite_fragments(uint64_t value)
{
    for (unsigned k = 0; k < MEND_COPYPAGE_FRAGMENTS; k++)
        page.fragment[k] = (struct mend_copypage_fragment){
            .at = value, .to = value, .id = (uint32_t)value, .len = (uint32_t)value};
}

static void all_comes(enum mend_channel channel, uint64_t overwritten_with)
{
    struct mend_p2p_request r = {.embedded = true};

    rts_arrives(&r, begin(), channel);
    for (int turns = 0; turns < 100 && !mend_request_is_done(&r.base); turns++) {
        mend_share_turn(&r.base);
        overwrite_fragments(overwritten_with);
    }
    CHECK(mend_request_is_done(&r.base));
    CHECK_EQ(r.base.error, MPI_SUCCESS);
    CHECK_EQ(pulls_elsewhere_n, 0);
    CHECK(!memcmp(into + EDGE, from, BYTES));
    for (size_t i = 0; i < EDGE; i++)
        CHECK(into[i] == 255 && into[EDGE + BYTES + i] == 255);
}

MEND_TEST(fragments_are_overwritten_with_nothing)
{
    all_comes(MEND_CHANNEL_P2P, 0);
    CHECK_EQ(pulls_n, FRAGMENTS);
    CHECK_EQ(calls_n, 1);
}

MEND_TEST(fragments_are_overwritten_with_large_numbers)
{
    all_comes(MEND_CHANNEL_P2P, UINT64_MAX / 3);
}

MEND_TEST(a_message_of_a_collective_is_copied_without_its_sender)
{
    all_comes(MEND_CHANNEL_COLL, 0);
    CHECK_EQ(pulls_n, 1);
    CHECK_EQ(calls_n, 0);
}

MEND_TEST(a_sender_may_help_with_nothing_of_a_collective)
{
    struct mend_p2p_request helped = {.embedded = true}, alone = {.embedded = true};
    struct mend_comm *c = begin();

    rts_arrives(&helped, c, MEND_CHANNEL_P2P);
    rts_arrives(&alone, c, MEND_CHANNEL_COLL);
    mend_share_turn(&helped.base);
    CHECK_EQ(mend_load_relaxed(&page.turn) >> 8 & 0xff, FRAGMENTS);
}

MEND_TEST(without_memory_for_a_copy_page_it_goes_in_fragments)
{
    struct mend_p2p_request r = {.embedded = true};

    no_memory = true;
    rts_arrives(&r, begin(), MEND_CHANNEL_P2P);
    mend_share_turn(&r.base);
    no_memory = false;
    CHECK(r.way == MEND_WAY_FRAGMENTS && r.id && !mend_list_linked(&r.base.link));
    CHECK_EQ(pulls_n, 0);
}

MEND_TEST_MAIN()
