/* SPDX-License-Identifier: BSD-3-Clause */
/* grant_test.c – a lock that a target gives by messages, and a holder's death that the origin knows before the target. */
#include "rma/grant.h"

#include "decide/job_test.h"
#include "rma/control.h"
#include "rma/link.h"
#include "rma/serve.h"

#define TARGET 0
#define HOLDER 1 /* dies */
#define ORIGIN 2
#define OTHER  3

static struct mend_win win[RANKS];
static struct mend_win_lock locks[RANKS][RANKS];

/* As win.c and control.c do for a window that is not in a segment. */
static void make_window(mend_peer me)
{
    struct mend_win *w = &win[me];
    struct mend_comm *c = job.comm[me];

    *w = (struct mend_win){.self = c->self, .comm = c, .n = RANKS, .me = me, .lock = locks[me]};
    CHECK_EQ(mend_win_control_make(w, NULL), MPI_SUCCESS);
    c->self->on_frame[MEND_FRAME_RMA] = mend_serve_on_frame;
    c->win = w;
}

static void begin(void)
{
    memset(locks, 0, sizeof(locks));
    job_begin(BY_MESSAGES);
    for (mend_peer p = 0; p < RANKS; p++)
        make_window(p);
}

static void end(void)
{
    for (mend_peer p = 0; p < RANKS; p++) {
        job.comm[p]->win = NULL;
        mend_rma_link_drop_all(&win[p]);
        mend_win_control_drop(&win[p]);
    }
    job_end();
}

/* Frames go on, but nobody hears of a death. */
static void frames(void)
{
    for (int i = 0; i < TURNS; i++)
        for (int r = 0; r < RANKS; r++)
            if (!job.is_dead[r])
                mend_progress(job.rank[r], MEND_PEER_NONE);
}

static struct mend_rma_link *link_of(mend_peer origin)
{
    return mend_link(&win[origin], TARGET);
}

static enum mend_rma_link_lock lock(mend_peer origin, enum mend_winlock_kind kind)
{
    mend_rma_link_ask(link_of(origin), kind);
    frames();
    return link_of(origin)->lock;
}

/* The error class of the unlock. */
static int unlock(mend_peer origin, enum mend_winlock_kind kind)
{
    mend_rma_link_give_back(link_of(origin), kind);
    frames();
    CHECK_EQ(link_of(origin)->lock, MEND_RMA_LINK_FREE);
    return mend_rma_link_fault(&win[origin], TARGET);
}

/* The target hears of the death. */
static void bury(int dead)
{
    mend_grant_bury(&win[TARGET], dead);
    mend_grant_go_on(&win[TARGET]);
}

/* So far ORIGIN alone knows of the death, and its answer waits; then the target hears of it. */
static enum mend_rma_link_lock lock_when_told(enum mend_winlock_kind kind)
{
    CHECK_EQ(lock(ORIGIN, kind), MEND_RMA_LINK_ASKED);
    mend_interrupt_check(job.rank[TARGET]);
    bury(HOLDER);
    frames();
    return link_of(ORIGIN)->lock;
}

/* The holder has a lock of this kind and dies; ORIGIN alone knows. */
static void begin_with_death(enum mend_winlock_kind held, bool origin_holds)
{
    begin();
    CHECK_EQ(lock(HOLDER, held), MEND_RMA_LINK_HELD);
    if (origin_holds)
        CHECK_EQ(lock(ORIGIN, MEND_WINLOCK_SHARED), MEND_RMA_LINK_HELD);
    job_kill(HOLDER);
    mend_interrupt_check(job.rank[ORIGIN]);
    CHECK(mend_win_is_dead(&win[ORIGIN], HOLDER) && !mend_win_is_dead(&win[TARGET], HOLDER));
}

MEND_TEST(an_unlock_reports_the_death_that_its_origin_knows)
{
    begin_with_death(MEND_WINLOCK_SHARED, true);
    mend_rma_link_give_back(link_of(ORIGIN), MEND_WINLOCK_SHARED);
    frames();
    CHECK(link_of(ORIGIN)->lock != MEND_RMA_LINK_FREE); /* it waits until the target knows, too */
    mend_interrupt_check(job.rank[TARGET]);
    bury(HOLDER);
    frames();
    CHECK_EQ(link_of(ORIGIN)->lock, MEND_RMA_LINK_FREE);
    CHECK_EQ(mend_rma_link_fault(&win[ORIGIN], TARGET), MPI_ERR_PROC_FAILED);
    CHECK_EQ(lock(ORIGIN, MEND_WINLOCK_SHARED), MEND_RMA_LINK_POISONED);
    CHECK_EQ(lock(ORIGIN, MEND_WINLOCK_ALL), MEND_RMA_LINK_HELD); /* access, not ownership */
    CHECK_EQ(unlock(ORIGIN, MEND_WINLOCK_ALL), MPI_SUCCESS);
    end();
}

MEND_TEST(a_shared_lock_is_refused_by_the_death_that_its_origin_knows)
{
    begin_with_death(MEND_WINLOCK_SHARED, false);
    CHECK_EQ(lock_when_told(MEND_WINLOCK_SHARED), MEND_RMA_LINK_POISONED);
    end();
    begin_with_death(MEND_WINLOCK_EXCLUSIVE, false);
    CHECK_EQ(lock_when_told(MEND_WINLOCK_SHARED), MEND_RMA_LINK_POISONED);
    end();
}

MEND_TEST(a_death_that_an_origin_knows_is_not_believed_for_others)
{
    begin_with_death(MEND_WINLOCK_SHARED, false);
    CHECK_EQ(lock(ORIGIN, MEND_WINLOCK_SHARED), MEND_RMA_LINK_ASKED);
    CHECK_EQ(lock(OTHER, MEND_WINLOCK_SHARED), MEND_RMA_LINK_HELD);
    CHECK_EQ(unlock(OTHER, MEND_WINLOCK_SHARED), MPI_SUCCESS);
    end();
}

/* The member hears of the death. */
static void hear(mend_peer p)
{
    mend_interrupt_check(job.rank[p]);
    mend_rma_link_on_deaths(&win[p]);
}

/* With an error the origin finds a dead member. */
MEND_TEST(an_answer_waits_until_its_origin_knows_of_the_death)
{
    begin();
    CHECK_EQ(lock(HOLDER, MEND_WINLOCK_SHARED), MEND_RMA_LINK_HELD);
    CHECK_EQ(lock(ORIGIN, MEND_WINLOCK_SHARED), MEND_RMA_LINK_HELD);
    job_kill(HOLDER);
    mend_interrupt_check(job.rank[TARGET]);
    bury(HOLDER);
    mend_rma_link_give_back(link_of(ORIGIN), MEND_WINLOCK_SHARED);
    frames();
    CHECK_EQ(link_of(ORIGIN)->lock, MEND_RMA_LINK_HELD);
    CHECK_EQ(lock(OTHER, MEND_WINLOCK_SHARED), MEND_RMA_LINK_ASKED);
    hear(ORIGIN);
    CHECK_EQ(link_of(ORIGIN)->lock, MEND_RMA_LINK_FREE);
    CHECK_EQ(mend_rma_link_fault(&win[ORIGIN], TARGET), MPI_ERR_PROC_FAILED);
    CHECK_EQ(link_of(OTHER)->lock, MEND_RMA_LINK_ASKED);
    hear(OTHER);
    CHECK_EQ(link_of(OTHER)->lock, MEND_RMA_LINK_POISONED);
    end();
}

/* The end of its lock is on its way when the origin names it: the lock is poisoned for nobody. */
MEND_TEST(what_a_dead_holder_had_sent_counts)
{
    struct {
        struct mend_rma_head head;
        uint32_t rank;
    } said = {.rank = HOLDER};

    begin();
    CHECK_EQ(lock(HOLDER, MEND_WINLOCK_SHARED), MEND_RMA_LINK_HELD);
    mend_rma_link_give_back(link_of(HOLDER), MEND_WINLOCK_SHARED);
    job_kill(HOLDER);
    mend_interrupt_check(job.rank[ORIGIN]);
    CHECK(mend_serve(&win[TARGET], ORIGIN, MEND_RMA_DEAD, &said, sizeof(said.head) + 4));
    CHECK_EQ(lock_when_told(MEND_WINLOCK_SHARED), MEND_RMA_LINK_HELD);
    CHECK_EQ(lock(OTHER, MEND_WINLOCK_SHARED), MEND_RMA_LINK_HELD);
    end();
}

/* It ends its lock, has named another one, and dies before this member has heard of either. */
MEND_TEST(a_mourner_that_dies_poisons_nothing_when_it_had_ended_its_lock)
{
    begin_with_death(MEND_WINLOCK_ALL, true);
    mend_rma_link_give_back(link_of(ORIGIN), MEND_WINLOCK_SHARED);
    frames();
    job_kill(ORIGIN);
    mend_interrupt_check(job.rank[TARGET]);
    bury(ORIGIN); /* whose own death is carried out first */
    bury(HOLDER);
    frames();
    CHECK_EQ(lock(OTHER, MEND_WINLOCK_SHARED), MEND_RMA_LINK_HELD);
    end();
}

MEND_TEST(the_death_of_one_that_holds_nothing_refuses_no_lock)
{
    begin_with_death(MEND_WINLOCK_ALL, false);
    CHECK_EQ(lock_when_told(MEND_WINLOCK_SHARED), MEND_RMA_LINK_HELD);
    CHECK_EQ(unlock(ORIGIN, MEND_WINLOCK_SHARED), MPI_SUCCESS);
    end();
    begin();
    CHECK_EQ(lock(HOLDER, MEND_WINLOCK_SHARED), MEND_RMA_LINK_HELD);
    CHECK_EQ(unlock(HOLDER, MEND_WINLOCK_SHARED), MPI_SUCCESS);
    job_kill(HOLDER);
    mend_interrupt_check(job.rank[ORIGIN]);
    CHECK_EQ(lock_when_told(MEND_WINLOCK_SHARED), MEND_RMA_LINK_HELD);
    end();
}

MEND_TEST(what_is_no_list_of_ranks_is_refused)
{
    struct {
        struct mend_rma_head head;
        uint32_t ranks[2];
    } said = {.ranks = {HOLDER, OTHER}};

    begin();
    CHECK(mend_serve(&win[TARGET], ORIGIN, MEND_RMA_DEAD, &said, sizeof(said.head) + 4));
    CHECK(!mend_serve(&win[TARGET], ORIGIN, MEND_RMA_DEAD, &said, sizeof(said.head) + 7));
    said.ranks[1] = RANKS;
    CHECK(!mend_serve(&win[TARGET], ORIGIN, MEND_RMA_DEAD, &said, sizeof(said.head) + 8));
    end();
}

MEND_TEST_MAIN()
