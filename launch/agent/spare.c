/* SPDX-License-Identifier: BSD-3-Clause */
/* spare.c – processes that wait in MPI_Init until one is needed (mpiexec --spares, --copies).
 *
 *   started with the job ──> waits ──> called: a rank like any other, which replaces one that died
 *                               │
 *                               └──> the job ends, or it ends by itself: forgotten
 *
 * A spare is not a rank: its end is not a death, its output goes nowhere until it is called, and it runs only until it is in
 * MPI_Init.  What it has printed and not flushed by then comes out when it is called.
 *
 * In a job of several nodes each that may have ranks has some of the spares, and an original of its own for each block with
 * --copies.
 *
 * An original is not called but makes others when all of the first kind are gone (copy.c). */
#include "agent/start.h"

#include "agent/links.h"
#include "agent/procfs.h"
#include "agent/ranks.h"
#include "agent/tell.h"
#include "output/iof.h"
#include "rt/pass.h"
#include "rt/spare.h"
#include "rt/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void add(struct mend_start *start, int a, bool original)
{
    struct rank *r = &start->spares->spare[start->spares->n];

    *r = (struct rank){.index = MEND_RANK_SPARE,
                       .app = &start->o->apps[a],
                       .app_index = a,
                       .spawn_fd = -1,
                       .original = original,
                       .own_group = true,
                       .wrapped_pidfd = -1,
                       .ctl_fd = -1,
                       .watch_fd = -1};
    start->spares->n += mend_start_spare(start, r);
}

/* The next spare is on the node with the fewest ranks and spares, which every agent finds alike. */
static bool is_next_here(const struct mend_start *start, int *on_node)
{
    const struct mend_hosts *hosts = &start->o->hosts;
    int best = -1;

    for (int k = 0; k < hosts->n; k++)
        if (hosts->at[k].listed && (best < 0 || on_node[k] < on_node[best]))
            best = k;
    on_node[best]++;
    return best == (int)start->ranks->nodes.me;
}

/* Ranks of each node. */
static int *count_ranks(const struct mend_options *o)
{
    int *on_node = mend_xalloc((size_t)o->hosts.n, sizeof(*on_node));

    for (int k = 0; k < o->hosts.n; k++)
        on_node[k] = mend_options_on_node(o, k);
    return on_node;
}

void mend_spares_start(struct mend_start *start)
{
    const struct mend_options *o = start->o;
    int *on_node = count_ranks(o);

    start->spares->spare =
        mend_xalloc((size_t)(mend_options_spares(o) + o->apps_n), sizeof(*start->spares->spare));
    for (int a = 0; a < o->apps_n; a++) {
        for (int k = 0; k < o->apps[a].spares_n; k++)
            if (is_next_here(start, on_node))
                add(start, a, false);
        if (o->apps[a].copies && o->hosts.at[start->ranks->nodes.me].listed)
            add(start, a, true);
    }
    free(on_node);
}

int mend_spares_waiting(struct mend_spares *spares)
{
    int n = 0;

    mend_spares_scan(spares);
    for (int i = 0; i < spares->n; i++)
        n += spares->spare[i].child > 0 && !spares->spare[i].original;
    return n;
}

bool mend_spares_know(const struct mend_spares *spares, pid_t pid)
{
    for (int i = 0; i < spares->n; i++)
        if (spares->spare[i].child == pid)
            return true;
    return false;
}

static void forget(struct rank *r)
{
    close(r->ctl_fd);
    r->ctl_fd = -1;
    r->child = 0;
}

void mend_spares_scan(struct mend_spares *spares)
{
    for (int i = 0; i < spares->n; i++) {
        struct rank *r = &spares->spare[i];

        if (r->child > 0 && waitpid(r->child, NULL, WNOHANG) == r->child)
            forget(r);
    }
}

void mend_spares_signal(const struct mend_spares *spares, int sig)
{
    for (int i = 0; i < spares->n; i++)
        if (spares->spare[i].child > 0)
            kill(-spares->spare[i].child, sig);
}

/* One of that kind that runs the program of r and is not stopped; NULL: there is none. */
static struct rank *choose(struct mend_spares *spares, const struct rank *r, bool original)
{
    mend_spares_scan(spares);
    for (int i = 0; i < spares->n; i++) {
        struct rank *s = &spares->spare[i];

        if (s->child > 0 && s->original == original && s->app->argv == r->app->argv &&
            mend_procfs_state(s->child) != 'T')
            return s;
    }
    return NULL;
}

/* env: NAME=VALUE strings.  False: it is gone, or there is too much to say. */
static bool call(const struct rank *s, const struct mend_strings *env, const int fd[MEND_SPARE_FDS])
{
    char text[MEND_SPARE_TEXT_MAX];
    size_t used = 0;

    for (int i = 0; i < env->n; i++) {
        size_t len = strlen(env->at[i]) + 1;

        if (used + len > sizeof(text))
            return false;
        memcpy(text + used, env->at[i], len);
        used += len;
    }
    return mend_pass(s->ctl_fd, text, used, fd, MEND_SPARE_FDS, MSG_DONTWAIT) == (ssize_t)used;
}

/* The spare is r from here on. */
static void become(struct mend_ranks *ranks, struct rank *s, struct rank *r)
{
    r->ctl_fd = s->ctl_fd;
    if (ranks->bound)
        sched_setaffinity(s->child, sizeof(r->cpus), &r->cpus);
    pthread_mutex_lock(&ranks->lock);
    r->child = s->child;
    pthread_mutex_unlock(&ranks->lock);
    mend_rank_tell_group(r);
    s->child = 0;
    s->ctl_fd = -1;
}

/* One that waits, or a copy, in *copy; NULL: there is none. */
static struct rank *find(struct mend_spares *spares, const struct mend_tell *tell,
                         const struct rank *r, struct rank *copy)
{
    struct rank *s = choose(spares, r, false), *original;

    if (s)
        return s;
    original = choose(spares, r, true);
    return original && mend_copy_make(tell, original, copy) ? copy : NULL;
}

/* False: it is gone. */
static bool call_as(const struct mend_start *start, const struct rank *s, const struct rank *r)
{
    const struct mend_tell *tell = start->tell;
    struct mend_strings env = {0};
    int fd[MEND_SPARE_FDS] = {-1, -1, -1, r->spawn_fd};
    bool called;

    if (!mend_iof_open_rank(tell->iof, r->index, &fd[0], &fd[1], &fd[2]))
        return false;
    mend_start_env(start, r, &env);
    called = call(s, &env, fd);
    for (int i = 0; i < env.n; i++)
        free(env.at[i]);
    free(env.at);
    if (!called)
        mend_iof_not_started_rank(tell->iof, r->index);
    return called;
}

bool mend_spare_call(struct mend_start *start, struct rank *r)
{
    struct rank copy, *s = find(start->spares, start->tell, r, &copy);

    if (!s)
        return false;
    if (!call_as(start, s, r)) {
        if (s == &copy)
            close(copy.ctl_fd); /* it ends, and is reaped as an orphan */
        return false;
    }
    become(start->ranks, s, r);
    mend_links_tell(start->links, r);
    mend_iof_started_rank(start->tell->iof, r->index);
    start->ranks->alive_n++;
    return true;
}
