/* SPDX-License-Identifier: BSD-3-Clause */
/* fence_test.c – the fence ends a process at its time, also one that is stopped, and not one whose lease was renewed or has no end.
 *
 *   S5-4: a lost node runs no code of the program, and no byte of it is accepted */
#include "lease/fence.h"

#include "base/test.h"
#include "base/time.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEASE_NS (50 * MEND_NS_PER_MS)

static void until_killed(struct mend_fence *f)
{
    mend_fence_set(f, mend_fence_now() + LEASE_NS);
    for (;;)
        pause();
}

static void stopped(struct mend_fence *f)
{
    mend_fence_set(f, mend_fence_now() + LEASE_NS);
    raise(SIGSTOP);
    _exit(1);
}

static void over(struct mend_fence *f)
{
    mend_fence_set(f, mend_fence_now() - 1);
    for (;;)
        pause();
}

static void renewed(struct mend_fence *f)
{
    mend_time_ns end = mend_fence_now() + 3 * LEASE_NS;

    while (mend_fence_now() < end)
        mend_fence_set(f, end + LEASE_NS);
    mend_fence_set(f, MEND_TIME_NEVER);
    while (mend_fence_now() < end + 2 * LEASE_NS)
        usleep(1000);
    _exit(7);
}

/* How such a process ends. */
static int ended(void (*live)(struct mend_fence *f))
{
    struct mend_fence f;
    pid_t child = fork();
    int status;

    if (child == 0) {
        if (!mend_fence_open(&f))
            _exit(1);
        live(&f);
    }
    waitpid(child, &status, 0);
    return status;
}

static bool is_killed(int status)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

MEND_TEST(the_end_of_a_lease_ends_the_process)
{
    CHECK(is_killed(ended(until_killed)));
    CHECK(is_killed(ended(stopped)));
    CHECK(is_killed(ended(over)));
}

MEND_TEST(a_lease_that_is_renewed_does_not)
{
    int status = ended(renewed);

    CHECK(WIFEXITED(status));
    CHECK_EQ(WEXITSTATUS(status), 7);
}

MEND_TEST_MAIN()
