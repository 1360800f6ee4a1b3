/* SPDX-License-Identifier: BSD-3-Clause */
/* comm_test.c – a communicator's life, its hooks, its numbers, and its error handlers.
 *
 *   R24: an error handler may leave the call by longjmp
 *   S0-71: communication that is pending when its communicator is freed fails fatally */
#include "comm/comm.h"
#include "comm/errhandler.h"
#include "comm/handle.h"
#include "comm/objects.h"
#include "comm/session.h"
#include "proc/peer.h"

#include "base/test.h"

#include <setjmp.h>

static struct mend_proc *self;
static char trace[64];
static bool third_fails;

static void note(const char *what)
{
    strcat(trace, what);
}

static int attach_1(struct mend_comm *c)
{
    CHECK(mend_hash_get(&self->comms, c->ctx) == c);
    note("a1 ");
    return MPI_SUCCESS;
}

static int attach_3(struct mend_comm *c)
{
    note("a3 ");
    return third_fails ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

static void detach_1(struct mend_comm *c)
{
    note("d1 ");
}

static void detach_3(struct mend_comm *c)
{
    note("d3 ");
}

static const struct mend_comm_hooks hooks = {
    .attach = {attach_1, NULL, attach_3},
    .detach = {detach_1, NULL, detach_3},
};

static struct mend_comm *make(uint64_t counter)
{
    struct mend_group *g;
    struct mend_comm *c;

    if (!self) {
        self = mend_proc_create_bare();
        self->me = 2;
        CHECK(mend_peers_add(self, 8));
        self->comm_hooks = &hooks;
    }
    trace[0] = '\0';
    g = mend_group_create(self, (mend_peer[]){5, 2, 7}, 3);
    c = mend_comm_create(self, g, NULL, MEND_CTX_MAKE(1, counter), NULL);
    mend_group_put(self, g);
    return c;
}

MEND_TEST(creation_and_end)
{
    struct mend_comm *c = make(1);
    mend_ctx ctx = c->ctx;

    CHECK(c->rank == 1 && c->size == 3 && c->peers_n == 3 && !c->inter && !c->inactive);
    CHECK_EQ(mend_comm_peer(c, 2), 7);
    CHECK_EQ(c->cell, -1);
    CHECK_STR(trace, "a1 a3 ");
    mend_comm_get(c);
    CHECK_EQ(mend_comm_close(c), MPI_SUCCESS);
    mend_comm_put(c);
    CHECK(c->closing && c->magic == MEND_COMM_MAGIC);
    mend_comm_put(c); /* the operation that was pending */
    CHECK_STR(trace, "a1 a3 d3 d1 ");
    CHECK(!mend_hash_get(&self->comms, ctx));
    CHECK(mend_hash_get(&self->tombs, ctx));
}

MEND_TEST(a_hook_that_fails_undoes_the_creation)
{
    size_t before;

    third_fails = true;
    CHECK(!make(2)); /* also makes the tables as large as they get */
    CHECK_STR(trace, "a1 a3 d3 d1 ");
    before = self->arena->in_use_bytes;
    CHECK(!make(3));
    CHECK(!mend_hash_get(&self->comms, MEND_CTX_MAKE(1, 3)));
    CHECK_EQ(self->arena->in_use_bytes, before);
    third_fails = false;
}

MEND_TEST(dead_members)
{
    struct mend_death log[] = {{.peer = 3}, {.peer = 7}};
    struct mend_comm *c;

    self->deaths = log;
    self->deaths_n = 1;
    c = make(4);
    CHECK(!mend_comm_has_dead(c) && !c->inactive);
    mend_comm_put(c);
    self->deaths_n = 2;
    c = make(5);
    CHECK(mend_comm_has_dead(c) && c->inactive);
    mend_comm_put(c);
    self->deaths_n = 0;
}

MEND_TEST(a_death_makes_those_inactive_that_it_is_a_member_of)
{
    struct mend_comm *with = make(8), *other;
    struct mend_group *alone = mend_group_create_range(self, 2, 1, 1);
    const struct mend_death death[] = {{.peer = 6}, {.peer = 7}};

    other = mend_comm_create(self, alone, NULL, MEND_CTX_MAKE(1, 99), NULL);
    mend_group_put(self, alone);
    CHECK(!with->inactive && other && !other->inactive);
    mend_comm_on_deaths(self, death, 1);
    CHECK(!with->inactive && !other->inactive);
    mend_comm_on_deaths(self, death, 2);
    CHECK(with->inactive && !other->inactive);
    mend_comm_put(with);
    mend_comm_put(other);
}

struct closing {
    struct mend_comm *c; /* NULL: closed */
    int visits_n;
};

static void close_another(struct mend_comm *c, void *arg)
{
    struct closing *x = arg;

    x->visits_n++;
    if (x->c)
        mend_comm_put(x->c);
    x->c = NULL;
}

MEND_TEST(a_visit_may_close_what_is_not_visited_yet)
{
    struct closing x;

    for (uint64_t i = 0; i < 3; i++)
        make(200 + i);
    for (uint64_t k = 0; k < 3; k++) {
        x = (struct closing){.c = mend_hash_get(&self->comms, MEND_CTX_MAKE(1, 200 + k))};
        mend_comm_each(self, close_another, &x);
        CHECK(!mend_hash_get(&self->comms, MEND_CTX_MAKE(1, 200 + k)));
        CHECK_EQ(x.visits_n, 3 - (int)k);
    }
}

MEND_TEST(numbers_name_handles)
{
    struct mend_comm *a = make(6), *b = make(7);
    int na = mend_handle_toint(self, a), nb = mend_handle_toint(self, b);

    CHECK(na >= MEND_HANDLE_FIRST && nb != na);
    CHECK_EQ(mend_handle_toint(self, a), na);
    CHECK(mend_handle_fromint(self, na) == a && mend_handle_fromint(self, nb) == b);
    CHECK_EQ(mend_handle_toint(self, MPI_COMM_WORLD), 0x101);
    CHECK(mend_handle_fromint(self, 0x101) == (void *)MPI_COMM_WORLD);
    CHECK(!mend_handle_fromint(self, -1) && !mend_handle_fromint(self, nb + 1));
    for (uintptr_t k = 1; k < 1000; k++) {
        int n = mend_handle_toint(self, (void *)(k << 20));

        CHECK(mend_handle_fromint(self, n) == (void *)(k << 20));
    }
    mend_comm_put(a);
    mend_comm_put(b);
}

static jmp_buf back;
static int handled_code;
static MPI_Comm handled_comm;

static void returning(MPI_Comm *comm, int *code, ...)
{
    handled_comm = *comm;
    handled_code = *code;
}

static void jumping(MPI_Comm *comm, int *code, ...)
{
    CHECK_EQ(pthread_mutex_trylock(&self->lock), 0); /* R24: not held */
    pthread_mutex_unlock(&self->lock);
    longjmp(back, *code);
}

MEND_TEST(error_handlers)
{
    struct mend_comm *c = make(8), *child;
    struct mend_errhandler *e = mend_errhandler_create(self, MEND_ERRH_OF_COMM);

    CHECK(mend_errhandler_handle(c->errhandler) == MPI_ERRORS_ARE_FATAL);
    c->errhandler = &self->objects->return_code;
    CHECK_EQ(mend_raise(self, c, MPI_ERR_TAG, "test"), MPI_ERR_TAG);
    e->comm_fn = returning;
    c->errhandler = e;
    CHECK_EQ(mend_raise(self, c, MPI_ERR_RANK, "test"), MPI_ERR_RANK);
    CHECK(handled_comm == (MPI_Comm)c && handled_code == MPI_ERR_RANK);
    self->comm_self = c; /* an error without an object */
    CHECK_EQ(mend_raise(self, NULL, MPI_ERR_INFO, "test"), MPI_ERR_INFO);
    CHECK(handled_comm == MPI_COMM_SELF && handled_code == MPI_ERR_INFO);
    self->comm_self = NULL;

    child = mend_comm_create(self, c->group, NULL, MEND_CTX_MAKE(1, 9), c);
    CHECK(child->errhandler == e);
    CHECK_EQ(e->refs, 2);
    CHECK_EQ(mend_comm_close(child), MPI_SUCCESS); /* S0-71 */
    CHECK(child->errhandler == &self->objects->fatal);
    CHECK_EQ(e->refs, 1);
    mend_comm_put(child);
}

MEND_TEST(handlers_may_jump_away)
{
    struct mend_comm *c = make(10);
    struct mend_errhandler *e = mend_errhandler_create(self, MEND_ERRH_OF_COMM);

    e->comm_fn = jumping;
    c->errhandler = e;
    mend_detour_begin(self, MEND_DETOUR_THREADS);
    for (volatile int i = 0; i < 3; i++) {
        int got = setjmp(back);

        if (!got) {
            pthread_mutex_lock(&self->lock);
            mend_raise(self, c, MPI_ERR_TRUNCATE, "test");
            CHECK(false);
        }
        CHECK_EQ(got, MPI_ERR_TRUNCATE);
    }
    mend_detour_end(self, MEND_DETOUR_THREADS);
    CHECK_EQ(mend_comm_close(c), MPI_SUCCESS);
    mend_comm_put(c);
}

MEND_TEST(comparisons)
{
    struct mend_comm *a = make(20), *b = make(21), *other;
    struct mend_group *turned = mend_group_create(self, (mend_peer[]){7, 2, 5}, 3);
    struct mend_group *less = mend_group_create(self, (mend_peer[]){7, 2}, 2);

    CHECK_EQ(mend_comm_compare(a, a), MPI_IDENT);
    CHECK_EQ(mend_comm_compare(a, b), MPI_CONGRUENT);
    other = mend_comm_create(self, turned, NULL, MEND_CTX_MAKE(1, 22), NULL);
    CHECK_EQ(mend_comm_compare(a, other), MPI_SIMILAR);
    other = mend_comm_create(self, less, NULL, MEND_CTX_MAKE(1, 23), NULL);
    CHECK_EQ(mend_comm_compare(a, other), MPI_UNEQUAL);
}

MEND_TEST(names_and_handlers)
{
    struct mend_comm *c = make(24);
    struct mend_errhandler *e = mend_errhandler_create(self, MEND_ERRH_OF_COMM);

    CHECK_STR(mend_comm_name(c), "");
    CHECK_EQ(mend_comm_set_name(c, "first"), MPI_SUCCESS);
    CHECK_EQ(mend_comm_set_name(c, "second"), MPI_SUCCESS);
    CHECK_STR(mend_comm_name(c), "second");
    mend_comm_set_errhandler(c, e);
    CHECK_EQ(e->refs, 2);
    mend_comm_set_errhandler(c, e);
    CHECK_EQ(e->refs, 2);
    mend_comm_set_errhandler(c, mend_errhandler_fatal(self));
    CHECK_EQ(e->refs, 1);
}

/* A number that a session still has is not given again, nor those that mean something else. */
MEND_TEST(numbers_of_sessions_come_round)
{
    struct mend_errhandler *e = mend_errhandler_fatal(self);
    struct mend_session *first = mend_session_create(self, e, NULL, MPI_THREAD_SINGLE);
    struct mend_session *second = mend_session_create(self, e, NULL, MPI_THREAD_SINGLE);

    CHECK_EQ(first->number, 1);
    CHECK_EQ(second->number, 2);
    self->sessions_made_n = UINT32_MAX - 1;
    CHECK_EQ(mend_session_create(self, e, NULL, MPI_THREAD_SINGLE)->number, UINT32_MAX);
    CHECK_EQ(mend_session_create(self, e, NULL, MPI_THREAD_SINGLE)->number, 3);
    mend_session_free(self, second);
    self->sessions_made_n = UINT32_MAX;
    CHECK_EQ(mend_session_create(self, e, NULL, MPI_THREAD_SINGLE)->number, 2);
}

MEND_TEST_MAIN()
