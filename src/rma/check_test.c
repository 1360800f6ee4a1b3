/* SPDX-License-Identifier: BSD-3-Clause */
/* Each invariant of a window is found when it is broken (win.h), and calls leave none broken.  The window has one member,
 * on a segment. */
#include "decide/job_test.h"
#include "rma/control.h"
#include "rma/link.h"
#include "rma/sync.h"

#include "base/test.h"

static struct mend_proc *self;
static struct mend_comm *c;
static struct mend_win *w;

static const struct mend_comm_hooks hooks = {
    .attach = {mend_match_create, mend_coll_attach, mend_decide_attach},
    .detach = {mend_match_destroy, mend_coll_detach, mend_decide_detach, mend_create_detach},
    .check = {mend_match_check},
    .revoked = mend_create_on_revoke,
};

static void begin(int flavor)
{
    struct mend_win_wish wish = {.flavor = flavor, .disp_unit = 1};
    struct mend_group *alone;

    job_begin(IN_A_CELL);
    self = job.rank[2];
    self->comm_hooks = &hooks;
    mend_list_init(&self->windows);
    CHECK(!mend_create_init(self) && !mend_win_init(self));
    alone = mend_group_create_range(self, 2, 1, 1);
    c = mend_comm_create(self, alone, NULL, MEND_CTX_SELF(2), NULL);
    wish.size = flavor == MPI_WIN_FLAVOR_DYNAMIC ? 0 : 8192;
    CHECK_EQ(mend_win_create(c, &wish, &w), MPI_SUCCESS);
    CHECK(w->shared && !mend_win_check(w));
}

#define BREAKS(place_, value_, says_) MEND_TEST_BREAKS(mend_win_check(w), place_, value_, says_)

MEND_TEST(alive)
{
    begin(MPI_WIN_FLAVOR_ALLOCATE);
    BREAKS(w->magic, 0, "win 1: it is alive, and its communicator knows it");
    BREAKS(w->comm->win, NULL, "win 1: it is alive, and its communicator knows it");
    BREAKS(w->n, 2, "win 1: its members are those of its communicator");
    BREAKS(w->me, 1, "win 1: its members are those of its communicator");
}

MEND_TEST(parts)
{
    struct mend_win_part two[2];

    begin(MPI_WIN_FLAVOR_ALLOCATE);
    BREAKS(w->size, 1, "win 2: its own part is what it offers");
    BREAKS(w->disp_unit, 2, "win 2: its own part is what it offers");
    BREAKS(w->base, NULL, "win 2: its own part is what it offers");
    BREAKS(w->shared, false, "win 2: it has its control words in the segment or none");
    BREAKS(w->control, NULL, "win 2: it has its control words in the segment or none");
    two[0] = w->part[0]; /* as if there were another member */
    two[1] = (struct mend_win_part){.size = 8, .at = 4096, .here = w->base};
    w->part = two;
    w->n = w->comm->size = w->direct_n = w->calm_n = 2;
    w->lock = mend_zalloc(self, 2, sizeof(*w->lock));
    CHECK(!mend_win_check(w));
    BREAKS(two[1].at, 0, "win 2: only parts in the segment are reached");
    w->whole = w->base;
    w->whole_len = 8192;
    CHECK(!mend_win_check(w));
    BREAKS(two[1].here, w->base + 8190, "win 2: only parts in the segment are reached");
}

MEND_TEST(locks)
{
    begin(MPI_WIN_FLAVOR_ALLOCATE);
    BREAKS(w->locks_n, 1, "win 3: the locks that are held are counted");
    BREAKS(w->access, MEND_ACCESS_LOCK, "win 3: locks are held in their epoch only");
    BREAKS(w->access, MEND_ACCESS_LOCK_ALL, "win 4: lock_all is owned in its epoch only");
    CHECK_EQ(mend_win_lock(w, MEND_WINLOCK_EXCLUSIVE, 0, 0), MPI_SUCCESS);
    CHECK(!mend_win_check(w));
    BREAKS(w->lock[0].open, false, "win 3: a lock is owned while it is open");
    BREAKS(w->lock[0].lock.state, MEND_WINLOCK_INSIDE, "win 3: a lock is owned while it is open");
    BREAKS(w->locks_n, 0, "win 3: the locks that are held are counted");
    BREAKS(w->access, MEND_ACCESS_FENCED, "win 3: locks are held in their epoch only");
    BREAKS(w->control->wanted, 0, "win 3: the exclusive locks that it has or wants are counted");
    CHECK_EQ(mend_win_unlock(w, 0), MPI_SUCCESS);
    CHECK(!mend_win_check(w));
    CHECK_EQ(mend_win_lock_all(w, 0), MPI_SUCCESS);
    CHECK(!mend_win_check(w));
    BREAKS(w->lock_all.state, MEND_WINLOCK_OUTSIDE, "win 4: lock_all is owned in its epoch only");
    CHECK_EQ(mend_win_unlock_all(w), MPI_SUCCESS);
    CHECK(!mend_win_check(w));
}

MEND_TEST(groups)
{
    begin(MPI_WIN_FLAVOR_ALLOCATE);
    BREAKS(w->started, c->group, "win 5: it has a group of targets between start and complete");
    BREAKS(w->access, MEND_ACCESS_START,
           "win 5: it has a group of targets between start and complete");
    BREAKS(w->exposed, true, "win 6: it has a group of origins between post and wait");
    BREAKS(w->posted, c->group, "win 6: it has a group of origins between post and wait");
    CHECK_EQ(mend_win_post(w, c->group, 0), MPI_SUCCESS);
    CHECK(!mend_win_check(w));
    BREAKS(w->posted_here, NULL, "win 6: it has a group of origins between post and wait");
    BREAKS(w->posted_left, 0, "win 6: origins that have not completed are left");
    BREAKS(w->posted_left, 2, "win 6: origins that have not completed are left");
    CHECK_EQ(mend_win_start(w, c->group, 0), MPI_SUCCESS);
    CHECK(!mend_win_check(w));
    BREAKS(w->started, NULL, "win 5: it has a group of targets between start and complete");
    CHECK_EQ(mend_win_complete(w), MPI_SUCCESS);
    CHECK_EQ(mend_win_wait_posted(w), MPI_SUCCESS);
    CHECK(!mend_win_check(w));
}

MEND_TEST(links)
{
    struct mend_list pending;
    struct mend_rma_link *l;

    begin(MPI_WIN_FLAVOR_ALLOCATE);
    l = mend_link(w, 0);
    CHECK(l && !mend_win_check(w));
    BREAKS(l->w, NULL, "win 7: a link leads to its target");
    BREAKS(l->target, 1, "win 7: a link leads to its target");
    BREAKS(l->replies_n, MEND_RMA_LINK_REPLIES + 1, "win 7: few replies are under way");
    BREAKS(l->unsent.prev, NULL, "list: an element's neighbours know it");
    BREAKS(l->operations_n, 1, "win 7: its operations are counted");
    mend_list_append(&l->unanswered, &pending);
    l->operations_n = 1;
    BREAKS(pending.prev, NULL, "list: an element's neighbours know it");
    BREAKS(mend_peer_entry(self, 2)->fate, MEND_PEER_DEAD,
           "win 8: nothing is under way to the dead");
    BREAKS(*(bool *)&w->comm->revoked, true, "win 8: nothing is under way on a revoked window");
    mend_list_remove(&pending);
    l->operations_n = 0;
    l->queued = true;
    BREAKS(*(bool *)&w->comm->revoked, true, "win 8: nothing is under way on a revoked window");
    l->queued = false;
}

MEND_TEST(calm)
{
    begin(MPI_WIN_FLAVOR_DYNAMIC);
    CHECK(!w->direct_n && !w->calm_n);
    BREAKS(w->direct_n, 1, "win 10: operations are looked at one by one if something is wrong");
    BREAKS(w->calm_n, 1, "win 10: flushes are looked at one by one if something is wrong");
    begin(MPI_WIN_FLAVOR_ALLOCATE);
    CHECK(w->direct_n == 1 && w->calm_n == 1);
    BREAKS(w->direct_n, 2, "win 10: operations are looked at one by one if something is wrong");
    BREAKS(*(bool *)&w->comm->revoked, true,
           "win 10: operations are looked at one by one if something is wrong");
    BREAKS(mend_peer_entry(self, 2)->fate, MEND_PEER_DEAD,
           "win 10: flushes are looked at one by one if something is wrong");
    mend_win_on_deaths(self, &(struct mend_death){.peer = 2}, 1);
    CHECK(w->direct_n == 1 && w->calm_n == 0);
    mend_win_on_revoke(w->comm);
    CHECK(w->direct_n == 0);
}

MEND_TEST(attached)
{
    static char memory[64];
    struct mend_attached *first;

    begin(MPI_WIN_FLAVOR_DYNAMIC);
    CHECK_EQ(mend_win_attach(w, memory, 16), MPI_SUCCESS);
    CHECK_EQ(mend_win_attach(w, memory + 16, 16), MPI_SUCCESS);
    CHECK(!mend_win_check(w));
    first = mend_list_entry(w->attached.next, struct mend_attached, link);
    BREAKS(first->size, 17, "win 9: attached pieces do not overlap");
    BREAKS(w->flavor, MPI_WIN_FLAVOR_CREATE, "win 9: memory is attached to dynamic windows only");
    CHECK_EQ(mend_win_free(w), MPI_SUCCESS);
}

MEND_TEST_MAIN()
