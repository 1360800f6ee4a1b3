/* SPDX-License-Identifier: BSD-3-Clause */
/* reach.c – single copy: the memory of another process, with one system call.
 *
 *   the owner      draws a number by lot, the cookie, and says in the segment which one and where it keeps it
 *   another one    reads the cookie together with what it wants: if it is the right one, so was the process
 *
 * A process number alone proves nothing: it may be another's by now, or of another namespace. */
#include "net/shm/reach.h"

#include "base/time.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/random.h>
#include <sys/uio.h>

/* What an error of the system call says about the peer: it is gone, if it was the right process; otherwise nothing.
 * If an address is bad, ours or the sender's, its owner touches it when the message goes
 * in fragments, and gets SIGSEGV, as with a small message. */
static enum mend_status refusal(struct mend_reach *r, int error)
{
    if (error == EFAULT || error == ENOMEM || error == EAGAIN || error == EINTR)
        return MEND_AGAIN;
    r->barred = true;
    return error == ESRCH && r->proven ? MEND_ERR_PEER : MEND_ERR_UNSUPPORTED;
}

/* Reads the peer's cookie and what lies at `remote` with one call, so both are of the same process.  dst may be
 * NULL: the cookie only.  Returns how much was read of what lies there, -1: nothing, and *st_p says why. */
static ssize_t read_peer(const struct mend_node_rank *peer, struct mend_reach *r, void *dst,
                         uint64_t remote, size_t len, enum mend_status *st_p)
{
    uint64_t cookie = 0;
    struct iovec here[] = {{&cookie, sizeof(cookie)}, {dst, len}};
    struct iovec there[] = {
        {(void *)(uintptr_t)mend_load_relaxed(&peer->cookie_at), sizeof(cookie)},
        {(void *)(uintptr_t)remote, len}};
    unsigned long iovs_n = dst ? 2 : 1;
    ssize_t n =
        process_vm_readv((pid_t)mend_load_relaxed(&peer->pid), here, iovs_n, there, iovs_n, 0);

    if (n < 0) {
        *st_p = refusal(r, errno);
        return -1;
    }
    if (n >= (ssize_t)sizeof(cookie) && cookie == mend_load_relaxed(&peer->cookie))
        return n - (ssize_t)sizeof(cookie);
    r->barred = true; /* the number is another process's, or of another namespace */
    *st_p = MEND_ERR_UNSUPPORTED;
    return -1;
}

enum mend_status mend_reach_read(const struct mend_node_rank *peer, struct mend_reach *r, void *dst,
                                 uint64_t remote, size_t len)
{
    enum mend_status st = MEND_ERR_UNSUPPORTED;

    if (r->barred)
        return st;
    if (!r->proven && read_peer(peer, r, NULL, 0, 0, &st) < 0) {
        r->barred = true;
        return st;
    }
    r->proven = true;
    while (len) {
        ssize_t n = read_peer(peer, r, dst, remote, len, &st);

        if (n <= 0)
            return n < 0 ? st : MEND_AGAIN;
        dst = (char *)dst + n;
        remote += (uint64_t)n;
        len -= (size_t)n;
    }
    return MEND_OK;
}

/* A process whose number may be another's by now is left alone: that of a rank in a script, which the script
 * reaps; and so is one that has begun to end, or to execute another program. */
static bool may_write_into(struct mend_node_rank *peer)
{
    return !mend_load_relaxed(&peer->in_script) && mend_load_relaxed(&peer->life_valid) &&
           !(mend_load_acquire(mend_node_life_word(peer)) & FUTEX_OWNER_DIED);
}

enum mend_status mend_reach_write(struct mend_node_rank *peer, struct mend_reach *r,
                                  const void *src, uint64_t remote, size_t len)
{
    enum mend_status st = mend_reach_read(peer, r, NULL, 0, 0);

    while (st == MEND_OK && len) {
        struct iovec here = {(void *)(uintptr_t)src, len};
        struct iovec there = {(void *)(uintptr_t)remote, len};
        ssize_t n;

        if (!may_write_into(peer))
            return MEND_AGAIN;
        n = process_vm_writev((pid_t)mend_load_relaxed(&peer->pid), &here, 1, &there, 1, 0);
        if (n <= 0)
            return MEND_AGAIN;
        src = (const char *)src + n;
        remote += (uint64_t)n;
        len -= (size_t)n;
    }
    return st;
}

/* Others find the words before the first RTS of this process, a frame that is released after them. */
void mend_reach_show(struct mend_node_rank *me, uint64_t *cookie, uint64_t job)
{
    if (getrandom(cookie, sizeof(*cookie), GRND_NONBLOCK) != sizeof(*cookie))
        *cookie = job ^ mend_time_monotonic_ns() ^ (uintptr_t)me;
    mend_store_relaxed(&me->cookie_at, (uint64_t)(uintptr_t)cookie);
    mend_store_relaxed(&me->cookie, *cookie);
}
