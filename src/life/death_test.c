/* SPDX-License-Identifier: BSD-3-Clause */
/* death_test.c – the order of a death's steps (death.c): what the dead had published arrives as from a living one, also
 * a revocation; then it is dead, and only then ends what depended on it. */
#include "create/create.h"
#include "decide/job_test.h"
#include "life/life.h"
#include "part/part.h"

static struct {
    struct mend_p2p_request receive; /* from the dead */
    bool sent;                       /* what is received, before it died */
    int decided, refused, revoked;   /* how often */
} now;

static const struct mend_net *shm;
static struct mend_net watched;

/* Before it: nobody knows of the death, and nothing has ended. */
static void watch_sever(struct mend_proc *self, mend_peer dead)
{
    CHECK(!mend_peer_is_dead(self, dead) && self->deaths_n == 0);
    CHECK(!mend_request_is_done(&now.receive.base));
    CHECK(!job.comm[self->me]->inactive && !now.decided);
    shm->sever(self, dead);
    CHECK_EQ(mend_request_is_done(&now.receive.base), now.sent);
    CHECK(!mend_peer_is_dead(self, dead) && !job.comm[self->me]->inactive && !now.decided);
}

/* What the dead had revoked is revoked while it still counts as living. */
static void watch_revoked(struct mend_comm *c)
{
    now.revoked++;
    CHECK(!mend_peer_is_dead(c->self, 3) && !c->inactive);
    CHECK(!now.decided || c->self->me);
    mend_create_on_revoke(c);
}

/* Agreements end last of all: code that hears of one finds all requests ended and collectives refused. */
static void check_late(struct mend_proc *self)
{
    CHECK(mend_peer_is_dead(self, 3) && self->deaths_n == 1);
    CHECK(mend_request_is_done(&now.receive.base));
    CHECK(job.comm[self->me]->inactive);
}

/* A creation that had to wait for others to end, and has not begun. */
static void on_refused(void *arg, struct mend_decision *value)
{
    check_late(arg);
    now.refused++;
}

static void on_done(void *arg, struct mend_decision *value)
{
    check_late(arg);
    now.decided++;
    CHECK(value->failed && mend_group_peer(value->failed, 0) == 3);
}

static const struct mend_comm_hooks hooks = {
    .attach = {mend_match_create, mend_coll_attach, mend_decide_attach},
    .detach = {mend_match_destroy, mend_coll_detach, mend_decide_detach, mend_create_detach},
    .check = {mend_match_check},
    .revoked = watch_revoked,
};

static void vote(int r, enum mend_decide_kind which, mend_decide_done *done)
{
    struct mend_decision value = {.and_word = {UINT64_MAX}};

    mend_decide_call(job.comm[r], which, &value, done, job.rank[r]);
}

static void nothing(void *arg, struct mend_decision *value)
{
}

/* Rank 0 is watched: it waits for a message of rank 3, and for an agreement in which all but rank 3 have voted. */
static void begin(enum way way)
{
    static int buffer;

    job_begin(way);
    memset(&now, 0, sizeof(now));
    for (int r = 0; r < RANKS; r++) {
        job.rank[r]->comm_hooks = &hooks;
        job.rank[r]->on_deaths = mend_deaths;
        CHECK(!mend_create_init(job.rank[r]));
        CHECK(!mend_part_init(job.rank[r]));
    }
    shm = mend_net_of(job.rank[0], 3);
    watched = *shm;
    watched.sever = watch_sever;
    mend_peer_entry(job.rank[0], 3)->net = &watched;
    now.receive.embedded = true;
    CHECK(!mend_p2p_irecv(&now.receive, job.comm[0], MEND_CHANNEL_P2P, &buffer, 1,
                          mend_type_of(MPI_INT), 3, 0));
    vote(0, MEND_DECIDE_EXPLICIT, on_done);
    vote(1, MEND_DECIDE_EXPLICIT, nothing);
    vote(2, MEND_DECIDE_EXPLICIT, nothing);
    for (int i = 0; i < MEND_DECIDE_WINDOW; i++)
        vote(0, MEND_DECIDE_CREATION, nothing);
    job_go_on(ALL);
    CHECK(!now.decided);
}

static void die(void)
{
    job_kill(3);
    CHECK(mend_interrupt_check(job.rank[0]));
    job_go_on(ALL);
    CHECK_EQ(now.decided, 1);
}

static void send_last(void)
{
    int value = 1;

    now.sent = true;
    CHECK(!mend_p2p_send(job.comm[3], MEND_SEND_STANDARD, &value, 1, mend_type_of(MPI_INT), 0, 0));
}

MEND_TEST(what_was_not_sent_fails)
{
    for (enum way way = 0; way < WAYS; way++) {
        begin(way);
        vote(0, MEND_DECIDE_CREATION, on_refused);
        die();
        CHECK_EQ(now.receive.base.error, MEND_CLASS_PROC_FAILED);
        CHECK_EQ(now.refused, 1);
    }
}

MEND_TEST(what_was_sent_arrives)
{
    for (enum way way = 0; way < WAYS; way++) {
        begin(way);
        send_last();
        die();
        CHECK_EQ(now.receive.base.error, MPI_SUCCESS);
    }
}

MEND_TEST(what_was_revoked_is_so_before_the_death)
{
    for (enum way way = 0; way < WAYS; way++) {
        begin(way);
        mend_revoke(job.comm[3]);
        now.revoked = 0;
        die();
        CHECK_EQ(now.receive.base.error, MEND_CLASS_INVALIDATED);
        CHECK_EQ(now.revoked, RANKS - 1);
    }
}

/* A process that comes back after MPI_Finalize finds a death of the time between, and still has what was made with the dead
 * (open.c). */
MEND_TEST(what_is_kept_knows_of_a_death_that_was_not_expected)
{
    job_begin(IN_A_CELL);
    job.rank[0]->born_n = 1;
    job.rank[0]->deaths[0] = (struct mend_death){.peer = 3, .cause = MEND_CAUSE_LEFT};
    mend_deaths(job.rank[0], 1);
    CHECK_EQ(job.rank[0]->deaths_n, 1);
    CHECK_STR(mend_comm_check(job.comm[0]) ?: "", "");
}

static int passes;

void __real_mend_comm_each(struct mend_proc *self, void (*visit)(struct mend_comm *c, void *arg),
                           void *arg);
void __wrap_mend_comm_each(struct mend_proc *self, void (*visit)(struct mend_comm *c, void *arg),
                           void *arg);

/* The linker puts it in the place of the other (meson.build). */
void __wrap_mend_comm_each(struct mend_proc *self, void (*visit)(struct mend_comm *c, void *arg),
                           void *arg)
{
    passes++;
    __real_mend_comm_each(self, visit, arg);
}

/* The last n ranks die together. */
static int passes_for(int n)
{
    begin(IN_A_CELL);
    for (int i = 0; i < n; i++)
        job.rank[0]->deaths[i] = (struct mend_death){.peer = RANKS - n + i};
    passes = 0;
    mend_deaths(job.rank[0], n);
    for (int i = 0; i < n; i++)
        CHECK(mend_peer_is_dead(job.rank[0], RANKS - n + i));
    CHECK(job.comm[0]->inactive && mend_request_is_done(&now.receive.base));
    return passes;
}

MEND_TEST(communicators_are_looked_through_once_however_many_died)
{
    int one = passes_for(1);

    CHECK(one > 0);
    CHECK_EQ(passes_for(2), one);
    CHECK_EQ(passes_for(RANKS - 1), one);
}

MEND_TEST_MAIN()
