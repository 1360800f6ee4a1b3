/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.c – see ranks.h. */
#include "agent/ranks.h"

#include "agent/procfs.h"
#include "command/options.h"
#include "node/wake.h"
#include "proc/death.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

bool mend_node_is_beside(const struct mend_ranks *ranks, const struct mend_options *o,
                         uint32_t node)
{
    uint32_t me = ranks->nodes.me;

    return node == me || (o->hosts.at[node].here && o->hosts.at[me].here);
}

const char *mend_ranks_host(const struct mend_ranks *ranks)
{
    return ranks->nodes.n ? ranks->shm->host : "";
}

/* The child stays a zombie, so its number is nobody else's; that of a process in a script is not kept. */
bool mend_rank_signal(const struct rank *r, int sig)
{
    if (!mend_rank_in_script(&r->state) && r->child > 0)
        return kill(r->child, sig) == 0;
    return mend_rank_in_script(&r->state) && r->wrapped_pidfd >= 0 &&
           syscall(SYS_pidfd_send_signal, r->wrapped_pidfd, sig, NULL, 0) == 0;
}

bool mend_rank_has_mark(const struct rank *r)
{
    struct mend_node_rank *s = r->shared;

    return mend_load_acquire(&s->life_valid) &&
           mend_load_acquire(mend_node_life_word(s)) & FUTEX_OWNER_DIED;
}

/* The kernel marks a life word at execve as at an end.  What is left of an image that ended has the signal
 * handlers of the library, which execve takes away. */
bool mend_rank_is_replaced(const struct mend_ranks *ranks, const struct rank *r)
{
    const struct mend_node_rank *s = r->shared;
    uint64_t ours = mend_load_acquire(&s->handlers), now;

    return ours && mend_rank_presence(ranks, r->index) < MEND_PRESENCE_LEFT &&
           mend_procfs_handles(mend_rank_named(r), &now) && !(ours & now);
}

bool mend_rank_is_ending(struct mend_ranks *ranks, const struct rank *r)
{
    bool in_script;
    pid_t pid;

    pthread_mutex_lock(&ranks->lock);
    in_script = mend_rank_in_script(&r->state);
    pid = mend_rank_pid(r);
    pthread_mutex_unlock(&ranks->lock);
    return mend_rank_has_mark(r) || (mend_rank_has_ended(r) && !in_script) ||
           (pid > 0 && mend_procfs_all_exiting(pid));
}

bool mend_rank_is_any_held(struct mend_ranks *ranks)
{
    bool held = false;

    pthread_mutex_lock(&ranks->lock);
    for (int i = 0; i < ranks->n; i++)
        held |= ranks->rank[i].state.ending == MEND_ENDING_HELD;
    pthread_mutex_unlock(&ranks->lock);
    return held;
}

void mend_rank_call(struct mend_ranks *ranks, const struct rank *r)
{
    struct mend_node_wakes wakes = {.header = ranks->shm};

    atomic_fetch_add_explicit(&r->shared->interrupt, 1, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst); /* as in mend_rank_call_all() */
    if (mend_load_relaxed(&r->shared->armed))
        mend_node_wakes_add(&wakes, r->place);
    mend_node_wakes_flush(&wakes);
}

/* Those that are about to die need not look. */
void mend_rank_call_all(struct mend_ranks *ranks)
{
    struct mend_node_wakes wakes = {.header = ranks->shm};

    for (int i = 0; i < ranks->n;
         i++) /* release: pairs with the acquire in mend_interrupt_check() */
        atomic_fetch_add_explicit(&ranks->rank[i].shared->interrupt, 1, memory_order_release);
    /* Either we see `armed`, or the rank sees the new interrupt after it armed itself. */
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < ranks->n; i++) {
        struct mend_node_rank *s = ranks->rank[i].shared;

        if (mend_load_relaxed(&s->armed) && mend_load_relaxed(&s->fate) == MEND_PEER_ALIVE)
            mend_node_wakes_add(&wakes, ranks->rank[i].place);
    }
    mend_node_wakes_flush(&wakes);
}
