/* SPDX-License-Identifier: BSD-3-Clause */
/* validate_test.c – what a revocation does to the object that carries a communicator's collectives behind a cut, with
 * the cut made before it, or after it: nobody waits for a member that has given up. */
#include "create/create.h"
#include "create/creation.h"
#include "decide/job_test.h"

static const struct mend_comm_hooks hooks = {
    .attach = {mend_match_create, mend_coll_attach, mend_decide_attach},
    .detach = {mend_match_destroy, mend_coll_detach, mend_decide_detach, mend_create_detach},
    .check = {mend_match_check},
    .revoked = mend_create_on_revoke,
};

static void begin(enum way way)
{
    job_begin(way);
    for (int r = 0; r < RANKS; r++) {
        job.rank[r]->comm_hooks = &hooks;
        CHECK(!mend_create_init(job.rank[r]));
    }
    job_kill(3);
    job_go_on(ALL);
}

/* As it is decided when rank 3 is dead. */
static void cut(int r, enum way way)
{
    struct mend_decision value = {
        .and_word = {UINT64_MAX, way == IN_VOTE_BLOCKS ? 0 : 4},
        .max_word = {MEND_CTX_MAKE(0, MEND_CTX_FIRST + 1)},
    };
    struct mend_group *living = mend_group_create_range(job.rank[r], 0, 1, RANKS - 1);

    CHECK(!mend_cut_give(job.comm[r], living, NULL, &value));
    mend_group_put(job.rank[r], living);
}

static void on_done(void *arg, struct mend_decision *value)
{
    *(int *)arg = (int)value->max_word[1];
}

/* Rank 0 has begun to create something, rank 1 has not made the cut yet, when rank 2 revokes. */
MEND_TEST(a_cut_that_comes_after_a_revocation)
{
    for (enum way way = 0; way < WAYS; way++) {
        struct mend_decision value = {.and_word = {UINT64_MAX}};
        int error = 0;

        begin(way);
        cut(0, way);
        cut(2, way);
        mend_decide_call(job.comm[0]->living, MEND_DECIDE_CREATION, &value, on_done, &error);
        job_go_on(ALL);
        CHECK_EQ(error, 0);
        mend_revoke(job.comm[2]);
        job_go_on(ALL);
        CHECK(job.comm[1]->revoked);
        CHECK_EQ(error, 0); /* rank 1 has not spoken */
        cut(1, way);
        job_go_on(ALL);
        CHECK(job.comm[1]->living->revoked);
        CHECK_EQ(error, MEND_CLASS_INVALIDATED);
    }
}

MEND_TEST_MAIN()
