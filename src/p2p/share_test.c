/* SPDX-License-Identifier: BSD-3-Clause */
/* The owner of a sheet believes itself: whatever others write into the pieces that it shares with them, it copies
 * what it asked for to where that belongs (share.c). */
#include "p2p/internal.h"

#include "base/test.h"
#include "p2p/match.h"

#define BYTES ((size_t)512 * 1024)
#define EDGE  ((size_t)4096) /* around the buffer, not to be written */

static struct mend_proc *self;
static struct mend_p2p p2p;
static struct mend_sheet sheet;
static mend_atomic_u32 interrupt;
static unsigned char from[BYTES], into[EDGE + BYTES + EDGE];
static unsigned pulls_n, pulls_elsewhere_n;

static struct mend_sheet *its_sheet(struct mend_proc *p, mend_peer owner)
{
    (void)p;
    (void)owner;
    return &sheet;
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
    (void)f;
    (void)payload;
    return MEND_OK;
}

static const struct mend_near near = {.sheet = its_sheet, .pull = pull};
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
    p2p = (struct mend_p2p){.single_copy = MEND_SINGLE_COPY_BOTH, .may_share = true};
    mend_hash_init(&p2p.large, self->arena);
    for (size_t i = 0; i < BYTES; i++)
        from[i] = (unsigned char)(i % 251);
    memset(into, 255, sizeof(into));
    pulls_n = pulls_elsewhere_n = 0;
    return mend_comm_create(self, mend_group_create_range(self, 0, 1, 2), NULL, MEND_CTX_WORLD,
                            NULL);
}

static void offer_arrives(struct mend_p2p_request *r, struct mend_comm *c)
{
    struct mend_rts rts = {.total_bytes = BYTES, .address = (uintptr_t)from, .id = 1};

    mend_p2p_irecv(r, c, MEND_CHANNEL_P2P, into + EDGE, BYTES,
                   mend_type_predefined((uintptr_t)MPI_BYTE), 1, 5);
    CHECK(mend_match_arrived(c, mend_p2p_space(c, MEND_CHANNEL_P2P), 1, 5) == r);
    mend_recv_rts(r, 1, 1, 5, &rts);
    CHECK(r->way == MEND_WAY_COPY && r->is_helped);
}

static void overwrite_pieces(uint64_t value)
{
    for (unsigned k = 0; k < MEND_SHEET_PIECES; k++)
        sheet.piece[k] = (struct mend_sheet_piece){
            .at = value, .to = value, .id = (uint32_t)value, .len = (uint32_t)value};
}

static void all_pieces_come(uint64_t overwritten_with)
{
    struct mend_p2p_request r = {.embedded = true};

    offer_arrives(&r, begin());
    for (int turns = 0; turns < 100 && !mend_request_is_done(&r.base); turns++) {
        mend_share_turn(&r);
        overwrite_pieces(overwritten_with);
    }
    CHECK(mend_request_is_done(&r.base));
    CHECK_EQ(r.base.error, MPI_SUCCESS);
    CHECK_EQ(pulls_n, BYTES / ((size_t)128 * 1024));
    CHECK_EQ(pulls_elsewhere_n, 0);
    CHECK(!memcmp(into + EDGE, from, BYTES));
    for (size_t i = 0; i < EDGE; i++)
        CHECK(into[i] == 255 && into[EDGE + BYTES + i] == 255);
}

MEND_TEST(pieces_are_overwritten_with_nothing)
{
    all_pieces_come(0);
}

MEND_TEST(pieces_are_overwritten_with_large_numbers)
{
    all_pieces_come(UINT64_MAX / 3);
}

MEND_TEST_MAIN()
