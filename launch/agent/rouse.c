/* SPDX-License-Identifier: BSD-3-Clause */
/* rouse.c – ringing ranks whose descriptors are readable (node/watch.h has the idea, and why no wake-up is lost).
 *
 * A rank that waits for descriptors has handed over an epoll set, which becomes readable once for each of its requests.  The
 * main thread takes the event, counts it, and rings.  What a rank hands over may be any descriptor, since a rank is a program that
 * may write what it likes: one that cannot be waited for, or is not a set, is dropped.
 *
 * There is at most one set of each rank here; it is dropped when the rank takes it back, has closed its socket, or has ended. */
#include "agent/rouse.h"

#include "agent/tell.h"

#include "node/wake.h"
#include "share/shell_limits.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

void mend_rouse_ring(struct mend_ranks *ranks, const struct rank *r)
{
    struct mend_node_wakes wakes = {.header = ranks->shm};

    mend_node_wakes_add(&wakes, r->place);
    mend_node_wakes_flush(
        &wakes); /* also a release of readable_n: pairs with the acquire in bell_arm() */
}

void mend_rouse_drop(const struct mend_sources *sources, struct rank *r)
{
    if (r->watch_fd < 0)
        return;
    mend_sources_drop(sources, r->watch_fd); /* the rank has the file, too */
    close(r->watch_fd);
    r->watch_fd = -1;
}

/* A notification may have come (notify/): the rank sees it although it computes.  A thread number means something where its PID
 * namespace is ours; another rank looks with its next call. */
static void poke(struct rank *r)
{
    uint32_t thread = mend_load_relaxed(&r->shared->poke_thread);
    pid_t pid = (pid_t)mend_load_relaxed(&r->shared->pid);

    if (thread && pid == mend_rank_named(r))
        syscall(SYS_tgkill, pid, (pid_t)thread, SIGURG);
}

void mend_rouse_look(const struct mend_rouse *rouse, struct rank *r)
{
    mend_atomic_u32 *n = &r->shared->readable_n;
    struct epoll_event e;
    int events_n = r->watch_fd < 0 ? 0 : epoll_wait(r->watch_fd, &e, 1, 0);

    if (events_n > 0) {
        mend_store_relaxed(n, mend_load_relaxed(n) + 1);
        mend_rouse_ring(rouse->ranks, r);
        poke(r);
    } else if (events_n < 0 && errno != EINTR) {
        mend_rouse_drop(rouse->sources, r);
        mend_say(rouse->tell, "mend: a damaged message from rank %d was ignored", r->index);
    }
}

/* The rank looks by itself, often. */
static void refuse(const struct mend_rouse *rouse, struct rank *r, int error)
{
    char text[MEND_LIMITS_TEXT];

    mend_store_relaxed(&r->shared->deaf, 1);
    mend_rouse_ring(rouse->ranks, r);
    mend_say(rouse->tell,
             "mend: mpiexec cannot wait for the descriptors of rank %d, which looks at them every "
             "millisecond: %s",
             r->index, mend_limits_error(error, text, sizeof(text)));
}

void mend_rouse_take(const struct mend_rouse *rouse, struct rank *r, int fd)
{
    mend_rouse_drop(rouse->sources, r);
    if (fd < 0) { /* the kernel drops what we have no number for */
        refuse(rouse, r, EMFILE);
        return;
    }
    r->watch_fd = fd;
    if (!mend_sources_add_set(rouse->sources, r)) {
        int error = errno;

        mend_rouse_drop(rouse->sources, r);
        refuse(rouse, r, error);
        return;
    }
    mend_store_relaxed(&r->shared->deaf, 0);
    mend_rouse_look(rouse, r); /* an event may be there already */
}
