/* SPDX-License-Identifier: BSD-3-Clause */
/* Each invariant of a request is found when it is broken (request.h), and a wait of a build with a
 * sanitizer ends a process in which anything is broken. */
#include "base/check.h"
#include "proc/peer.h"
#include "req/request.h"

#include "base/test.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct mend_proc *self;
static struct mend_request r;

static void no_poll(struct mend_request *which)
{
}

static int released_n;

static void note_released(struct mend_request *which)
{
    released_n++;
}

static const struct mend_request_ops released_ops = {.release = note_released};
static const struct mend_request_ops ops = {.name = "test"}, polled_ops = {.poll = no_poll};

static void begin(void)
{
    struct mend_group *g;

    self = mend_proc_create_bare();
    self->me = 1;
    CHECK(mend_peers_add(self, 4));
    g = mend_group_create_range(self, 0, 1, 4);
    mend_request_init(&r, &ops, mend_comm_create(self, g, NULL, MEND_CTX_WORLD, NULL));
    mend_request_begin(&r);
    CHECK(!mend_request_check(&r));
}

#define BREAKS(place_, value_, says_)                                                              \
    MEND_TEST_BREAKS(mend_request_check(&r), place_, value_, says_)

MEND_TEST(each_invariant)
{
    begin();
    BREAKS(r.magic, 0, "request 3: it is alive");
    BREAKS(r.ops, NULL, "request 3: it is alive");
    BREAKS(r.comm->magic, 0, "request 3: its communicator is alive");
    BREAKS(r.comm->refs, 0, "request 3: its communicator is alive");
    BREAKS(r.state, MEND_REQUEST_DETACHED + 1, "request 4: it has a state");
    BREAKS(r.pending, MPI_ERR_OTHER, "request 5: only an active one is pending");
    r.pending = MPI_ERR_PENDING;
    BREAKS(r.state, MEND_REQUEST_INACTIVE, "request 5: only an active one is pending");
    r.pending = 0;
}

/* The life of one request; a persistent one begins again. */
MEND_TEST(states)
{
    begin();
    released_n = 0;
    CHECK(mend_request_is_active(&r) && !mend_request_is_done(&r));
    mend_request_complete(&r, MPI_SUCCESS);
    CHECK(mend_request_is_done(&r) && !mend_request_is_active(&r));
    mend_request_begin(&r);
    CHECK(mend_request_is_active(&r));
    r.ops = &released_ops;
    mend_request_detach(&r);
    CHECK(mend_request_is_active(&r) && !mend_request_is_done(&r) && !mend_request_check(&r));
    CHECK_EQ(released_n, 0);
    mend_request_complete(&r, MPI_SUCCESS); /* the program's handle is gone: now it ends */
    CHECK(released_n == 1 && !mend_request_is_active(&r));
    mend_request_detach(&r);
    CHECK_EQ(released_n, 2);
}

static int lost_n;

static void note_lost(struct mend_proc *p, int error, const char *what)
{
    lost_n++;
}

/* What was freed and fails is heard of; but what a roll-back has undone is not, also when it was being written until then. */
MEND_TEST(errors_of_what_was_freed)
{
    begin();
    r.ops = &released_ops;
    self->on_lost_error = note_lost;
    lost_n = 0;
    mend_request_detach(&r);
    mend_request_complete(&r, MPI_ERR_OTHER);
    CHECK_EQ(lost_n, 1);
    mend_request_begin(&r);
    mend_request_detach(&r);
    r.comm->undone = true;
    mend_request_complete(&r, MPI_ERR_OTHER);
    CHECK_EQ(lost_n, 1);
    mend_request_begin(&r);
    mend_comm_mark_closing(r.comm);
    mend_request_complete(&r, MPI_ERR_OTHER);
    CHECK_EQ(lost_n, 1);
    r.comm->undone = false;
    mend_request_begin(&r);
    mend_request_complete(&r, MPI_ERR_OTHER);
    CHECK_EQ(lost_n, 2);
}

static int start_error;

static int start(struct mend_request *which)
{
    CHECK(mend_request_is_active(which) && which->tag == MPI_ANY_TAG && !which->bytes);
    return start_error;
}

static const struct mend_request_ops start_ops = {.start = start};

/* What is left of the last time goes; a start that fails leaves the request as it was. */
MEND_TEST(starts)
{
    begin();
    r.ops = &start_ops;
    mend_request_complete(&r, MPI_SUCCESS);
    r.state = MEND_REQUEST_INACTIVE;
    r.tag = 7;
    r.bytes = 8;
    start_error = MPI_ERR_NO_MEM;
    CHECK_EQ(mend_request_start(&r), MPI_ERR_NO_MEM);
    CHECK(!mend_request_is_active(&r));
    start_error = MPI_SUCCESS;
    CHECK_EQ(mend_request_start(&r), MPI_SUCCESS);
    CHECK(mend_request_is_active(&r));
}

MEND_TEST(polled_ones)
{
    begin();
    mend_list_append(&self->active, &r.link);
    CHECK_STR(mend_request_check(&r), "request 6: only an active one is polled");
    r.ops = &polled_ops;
    CHECK(!mend_request_check(&r));
    BREAKS(r.state, MEND_REQUEST_INACTIVE, "request 6: only an active one is polled");
}

/* The signal that ends a process in which this is done; 0: none. */
static int signal_of(void (*act)(void))
{
    int status;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        CHECK(freopen("/dev/null", "w", stderr) != NULL);
        act();
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void check_all(void)
{
    mend_request_check_all(self);
}

static bool at_once(struct mend_proc *p, void *arg)
{
    return true;
}

static void wait_at_once(void)
{
    mend_wait_until(self, &(struct mend_wait){.until = at_once});
}

MEND_TEST(what_is_broken_ends_the_process)
{
    begin();
    r.ops = &polled_ops;
    mend_list_append(&self->active, &r.link);
    CHECK_EQ(signal_of(check_all), 0);
    CHECK_EQ(signal_of(wait_at_once), 0);
    r.state = MEND_REQUEST_INACTIVE;
    CHECK_EQ(signal_of(check_all), SIGABRT);
    CHECK_EQ(signal_of(wait_at_once), MEND_CHECKS_AT_WAITS ? SIGABRT : 0);
    self->in_progress = true; /* it may be changing just now */
    CHECK_EQ(signal_of(check_all), 0);
    self->in_progress = false;
    mend_request_begin(&r);
    r.comm->size = 3;
    CHECK_EQ(signal_of(check_all), SIGABRT);
}

MEND_TEST_MAIN()
