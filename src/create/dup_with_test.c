/* SPDX-License-Identifier: BSD-3-Clause */
/* dup_with_test.c – a nonblocking duplicate with attributes, topology and hints: what it copies, and what happens to the
 * copies if a callback refuses, or if there is no duplicate. */
#include "comm/attr.h"
#include "comm/info.h"
#include "comm/topo.h"
#include "create/create.h"
#include "decide/job_test.h"

#include <sys/resource.h>

static int keyval, deleted_n;
static mend_peer refuses;
static struct mend_info *hints;
static MPI_Comm made[RANKS];
static struct mend_request *request[RANKS];

static const struct mend_comm_hooks hooks = {
    .attach = {mend_match_create, mend_coll_attach, mend_decide_attach},
    .detach = {mend_match_destroy, mend_coll_detach, mend_decide_detach, mend_create_detach},
    .check = {mend_match_check},
    .revoked = mend_create_on_revoke,
};

static int copy_fn(MPI_Comm from, int key, void *extra, void *value, void *copy_p, int *flag)
{
    if (((struct mend_comm *)from)->self->me == refuses)
        return MPI_ERR_OTHER;
    *(void **)copy_p = (char *)value + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_fn(MPI_Comm comm, int key, void *value, void *extra)
{
    deleted_n++;
    return MPI_SUCCESS;
}

static char values[RANKS + 1];

/* Each rank's communicator has an attribute and a grid. */
static void begin(enum way way)
{
    const struct mend_keyval_fns fns = {.comm_copy = copy_fn, .comm_delete = delete_fn};

    job_begin(way);
    refuses = MEND_PEER_NONE;
    deleted_n = 0;
    for (int r = 0; r < RANKS; r++) {
        struct mend_proc *self = job.rank[r];

        self->comm_hooks = &hooks;
        CHECK(!mend_create_init(self));
        CHECK(!mend_keyval_create(self, MEND_ATTR_COMM, &fns, &keyval));
        CHECK(!mend_attr_set(self, MEND_ATTR_COMM, &job.comm[r]->attrs, job.comm[r], keyval,
                             &values[r]));
        job.comm[r]->topo = mend_topo_cart(self, 1, (int[]){RANKS}, (int[]){1}, r);
        made[r] = MPI_COMM_NULL;
    }
    hints = mend_info_create(job.rank[0]);
    CHECK(!mend_info_set(job.rank[0], hints, "color", "green"));
}

static void duplicate(unsigned who)
{
    for (int r = 0; r < RANKS; r++)
        if (who >> r & 1)
            mend_create_idup_with(job.comm[r], r == 0 ? hints : NULL, &made[r], &request[r]);
    job_go_on(ALL);
}

static struct mend_comm *of(int r)
{
    return (struct mend_comm *)made[r];
}

static void check_furnished(int r)
{
    void *value = NULL;
    bool found = false;

    CHECK_EQ(request[r]->error, MPI_SUCCESS);
    CHECK(made[r] != MPI_COMM_NULL && !mend_comm_check(of(r)));
    CHECK_EQ(of(r)->topo->cart.coords[0], r);
    CHECK(!mend_attr_get(job.rank[r], MEND_ATTR_COMM, of(r)->attrs, keyval, &value, &found));
    CHECK(found && value == &values[r] + 1);
    if (r == 0)
        CHECK_STR(mend_info_get(of(r)->info, "color"), "green");
    else
        CHECK(!of(r)->info);
}

MEND_TEST(a_duplicate_takes_what_belongs_to_its_original)
{
    for (enum way way = 0; way < WAYS; way++) {
        begin(way);
        duplicate(BUT(2));
        CHECK(!mend_request_is_done(request[0]) && made[0] == MPI_COMM_NULL);
        duplicate(1u << 2);
        for (int r = 0; r < RANKS; r++) {
            CHECK(mend_request_is_done(request[r]));
            check_furnished(r);
        }
        CHECK_EQ(deleted_n, 0);
    }
}

MEND_TEST(a_callback_that_refuses_is_the_error_of_its_process_alone)
{
    for (enum way way = 0; way < WAYS; way++) {
        begin(way);
        refuses = 1;
        duplicate(ALL);
        for (int r = 0; r < RANKS; r++)
            CHECK(mend_request_is_done(request[r]));
        CHECK_EQ(request[1]->error, MPI_ERR_OTHER);
        CHECK(made[1] == MPI_COMM_NULL);
        check_furnished(0);
        check_furnished(2);
    }
}

MEND_TEST(copies_without_a_duplicate_are_deleted)
{
    for (enum way way = 0; way < WAYS; way++) {
        begin(way);
        job_kill(3);
        duplicate(BUT(3));
        for (int r = 0; r < RANKS - 1; r++) {
            CHECK(mend_request_is_done(request[r]));
            CHECK_EQ(request[r]->error, MEND_CLASS_PROC_FAILED);
            CHECK(made[r] == MPI_COMM_NULL);
        }
        CHECK_EQ(deleted_n, RANKS - 1);
    }
}

/* And not longer. */
MEND_TEST(a_request_keeps_its_communicator)
{
    int refs[RANKS];

    for (enum way way = 0; way < WAYS; way++) {
        begin(way);
        for (int r = 0; r < RANKS; r++)
            refs[r] = job.comm[r]->refs;
        duplicate(ALL);
        for (int r = 0; r < RANKS; r++) {
            CHECK(job.comm[r]->refs > refs[r]);
            mend_request_detach(request[r]);
            CHECK_EQ(job.comm[r]->refs, refs[r]);
        }
    }
}

/* Rank 1 has no memory for its votes on a new communicator, and says so: nobody waits for it there. */
MEND_TEST(no_pages_for_votes)
{
    for (enum way way = IN_A_CELL; way <= IN_VOTE_BLOCKS; way++) {
        struct mend_node *node;
        int fd;

        begin(way);
        duplicate(ALL); /* a member that votes in a vote block has one for this */
        for (int r = 0; r < RANKS; r++) {
            check_furnished(r);
            CHECK(of(r)->cell >= 0);
        }
        node = job.rank[1]->node;
        fd = node->fd;
        node->fd = -1;
        node->vote_block_free = 0;
        duplicate(ALL);
        for (int r = 0; r < RANKS; r++) {
            CHECK(mend_request_is_done(request[r]));
            CHECK_EQ(request[r]->error, MPI_ERR_NO_MEM);
        }
        node->fd = fd;
        duplicate(ALL);
        for (int r = 0; r < RANKS; r++)
            check_furnished(r);
        node->fd = -1;
        node->cells_ready = 0;
        duplicate(ALL); /* there is a vote block, but no page in a cell */
        for (int r = 0; r < RANKS; r++) {
            check_furnished(r);
            CHECK_EQ(of(r)->cell, -1);
        }
        node->fd = fd;
    }
}

/* Rank 0 has pages in other cells than the others have: the next time all have more. */
MEND_TEST(no_common_cell)
{
    begin(IN_A_CELL);
    for (int r = 0; r < RANKS; r++)
        job.rank[r]->node->cells_ready =
            r == 0 ? UINT64_C(0x1111111100000000) : UINT64_C(0x11111111);
    duplicate(ALL);
    for (int r = 0; r < RANKS; r++) {
        check_furnished(r);
        CHECK_EQ(of(r)->cell, -1);
        CHECK_EQ(job.rank[r]->node->cells_ready, UINT64_MAX);
    }
    duplicate(ALL);
    for (int r = 0; r < RANKS; r++) {
        check_furnished(r);
        CHECK(of(r)->cell >= 0);
    }
}

/* There are pages for votes, and no address space to write them. */
MEND_TEST(no_address_space_for_votes)
{
    struct rlimit before, none;

    begin(IN_A_CELL);
    CHECK_EQ(getrlimit(RLIMIT_AS, &before), 0);
    none = before;
    none.rlim_cur = 1;
    CHECK_EQ(setrlimit(RLIMIT_AS, &none), 0);
    duplicate(ALL);
    CHECK_EQ(setrlimit(RLIMIT_AS, &before), 0);
    for (int r = 0; r < RANKS; r++) {
        CHECK(mend_request_is_done(request[r]));
        CHECK_EQ(request[r]->error, MPI_ERR_NO_MEM);
    }
    duplicate(ALL);
    for (int r = 0; r < RANKS; r++)
        check_furnished(r);
}

MEND_TEST_MAIN()
