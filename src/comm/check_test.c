/* SPDX-License-Identifier: BSD-3-Clause */
/* Each invariant of a communicator and of its groups is found when it is broken (comm.h). */
#include "comm/errhandler.h"
#include "comm/objects.h"
#include "proc/peer.h"

#include "base/test.h"

static struct mend_proc *self;
static struct mend_comm *c;
static const char *attached;

static const char *check_attached(const struct mend_comm *which)
{
    return attached;
}

static const struct mend_comm_hooks hooks = {.check = {NULL, check_attached}};

static struct mend_comm *make(const mend_peer *peers, int n, uint64_t counter)
{
    struct mend_group *g = mend_group_create(self, peers, n);
    struct mend_comm *made = mend_comm_create(self, g, NULL, MEND_CTX_MAKE(1, counter), NULL);

    mend_group_put(self, g);
    return made;
}

static void begin(void)
{
    self = mend_proc_create_bare();
    self->me = 2;
    CHECK(mend_peers_add(self, 8));
    self->comm_hooks = &hooks;
    c = make((mend_peer[]){5, 2, 7}, 3, 1);
    CHECK(c && !mend_comm_check(c));
}

#define BREAKS(place_, value_, says_) MEND_TEST_BREAKS(mend_comm_check(c), place_, value_, says_)

MEND_TEST(alive)
{
    begin();
    BREAKS(c->magic, 0, "comm 1: it is alive");
    BREAKS(c->refs, 0, "comm 1: it is alive");
    BREAKS(c->ctx, MEND_CTX_MAKE(1, 2), "comm 1: its context leads to it");
    BREAKS(c->ctx, c->ctx | MEND_CHANNEL_COLL, "comm 1: its context leads to it");
}

MEND_TEST(groups)
{
    begin();
    BREAKS(c->rank, 2, "comm 2: its rank is this process's");
    BREAKS(c->rank, 3, "comm 2: its rank is this process's");
    BREAKS(c->size, 4, "comm 2: its sizes are those of its groups");
    BREAKS(c->peers_n, 2, "comm 2: its sizes are those of its groups");
    BREAKS(c->inter, true, "comm 3: the remote group is another one on an intercommunicator only");
    BREAKS(c->remote, mend_group_create_range(self, 5, 1, 3),
           "comm 3: the remote group is another one on an intercommunicator only");
    BREAKS(c->group->magic, 0, "group 1: it is alive");
    BREAKS(c->group->refs, 0, "group 1: it is alive");
    BREAKS(c->group->list[0], 8, "group 2: its members are peers");
    BREAKS(c->group->list[0], 7, "group 3: no peer occurs twice");
}

/* Without a segment no communicator is in one. */
MEND_TEST(memory)
{
    begin();
    BREAKS(c->in_segment, true, "comm 8: it is in the segment if all its members are");
    BREAKS(c->cell, 0, "comm 8: it has a cell in the segment only");
}

MEND_TEST(progressions)
{
    begin();
    c = make((mend_peer[]){0, 2, 4}, 3, 2);
    CHECK(!c->group->list && !mend_comm_check(c));
    BREAKS(c->group->stride, 4, "group 2: its members are peers");
    BREAKS(c->group->stride, 0, "group 3: no peer occurs twice");
}

MEND_TEST(intercommunicators)
{
    struct mend_group *mine, *theirs;

    begin();
    mine = mend_group_create_range(self, 0, 1, 4);
    theirs = mend_group_create_range(self, 4, 1, 4);
    c = mend_comm_create(self, mine, theirs, MEND_CTX_MAKE(1, 2), NULL);
    CHECK(!mend_comm_check(c));
    BREAKS(theirs->first, 2,
           "comm 3: the remote group is another one on an intercommunicator only");
}

MEND_TEST(deaths)
{
    struct mend_death log[] = {{.peer = 7}};

    begin();
    BREAKS(c->told_deaths_n, 1, "comm 6: only deaths that are known are told or acknowledged");
    BREAKS(c->acked_deaths_n, 1, "comm 6: only deaths that are known are told or acknowledged");
    self->deaths = log;
    self->deaths_n = 1;
    mend_comm_deactivate(c);
    BREAKS(*(bool *)&c->inactive, false, "comm 4: with a dead member its collectives fail");
}

MEND_TEST(parts)
{
    struct mend_comm *living, *other;

    begin();
    living = make((mend_peer[]){5, 2}, 2, 2);
    other = make((mend_peer[]){5, 2}, 2, 3);
    living->whole = c;
    c->living = living;
    c->holes_n = 1;
    CHECK(!mend_comm_check(c) && !mend_comm_check(living));
    BREAKS(c->living, other, "comm 5: what carries its collectives belongs to it");
    BREAKS(living->living, other, "comm 5: what carries its collectives belongs to it");
    BREAKS(c->holes_n, 0, "comm 5: all members but the holes are in what carries its collectives");
    BREAKS(c->whole, other, "comm 5: what it carries the collectives of knows it");
}

MEND_TEST(handlers_and_what_is_attached)
{
    begin();
    BREAKS(c->errhandler, NULL, "comm 7: its error handler is alive");
    BREAKS(c->errhandler->magic, 0, "comm 7: its error handler is alive");
    mend_comm_mark_closing(c);
    BREAKS(c->errhandler, &self->objects->return_code,
           "comm 7: without a handle it has no attributes, and errors are fatal");
    BREAKS(c->attrs, (void *)c,
           "comm 7: without a handle it has no attributes, and errors are fatal");
    BREAKS(attached, "a queue is torn", "a queue is torn");
}

MEND_TEST_MAIN()
