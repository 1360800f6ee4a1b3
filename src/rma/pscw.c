/* SPDX-License-Identifier: BSD-3-Clause */
/* pscw.c – epochs of some members: post, start, complete, wait.
 *
 *     target             origin
 *     post   ──posted──> start
 *                        put ...
 *     wait   <──done───  complete, once all is executed at the target
 *
 * When wait returns, everything that living origins did is there, whichever other origins died (S0-45). */
#include "req/take.h"
#include "rma/control.h"
#include "rma/epoch.h"
#include "rma/sync.h"

/* The members of a group that this process waits for: a byte for each, set when its message has come. */
struct round {
    struct mend_group *group;
    bool (*hear)(struct mend_win *w, int rank);
    uint8_t *here; /* by rank in the group */
    int left;
};

static int rank_of(struct mend_win *w, const struct mend_group *g, int i)
{
    return mend_group_rank(w->self, w->comm->group, mend_group_peer(g, i));
}

/* True if each has told, or is dead. */
static bool is_complete(struct mend_win *w, void *arg)
{
    struct round *k = arg;

    for (int i = 0; k->left && i < k->group->size; i++) {
        int rank;

        if (k->here[i])
            continue;
        rank = rank_of(w, k->group, i);
        if (k->hear(w, rank) || mend_win_is_dead(w, rank)) {
            k->here[i] = 1;
            k->left--;
        }
    }
    return k->left == 0;
}

static bool has_dead(struct mend_win *w, const struct mend_group *g)
{
    for (int i = 0; i < g->size; i++)
        if (mend_peer_is_dead(w->self, mend_group_peer(g, i)))
            return true;
    return false;
}

/* Waits for all of them; MPI_ERR_PROC_FAILED if one is dead. */
static int await_all(struct mend_win *w, struct round *k, const char *what)
{
    int err = mend_win_wait(w, &(struct mend_win_wait){is_complete, k, what, .by = -1});

    if (!err && has_dead(w, k->group))
        err = MPI_ERR_PROC_FAILED;
    return err;
}

/* Members of the window, all of them. */
static int check_group(struct mend_win *w, struct mend_group *g)
{
    return mend_group_contains(w->self, w->comm->group, g) ? MPI_SUCCESS : MPI_ERR_GROUP;
}

int mend_win_post(struct mend_win *w, struct mend_group *g, int assert)
{
    int err = mend_win_check_valid(w);

    (void)assert;
    if (!err && (w->exposed || w->access == MEND_ACCESS_FENCE))
        err = MPI_ERR_RMA_SYNC;
    if (!err)
        err = check_group(w, g);
    if (err)
        return err;
    w->posted_here = mend_zalloc(w->self, (size_t)g->size + 1, 1);
    if (!w->posted_here)
        return MPI_ERR_NO_MEM;
    w->posted_left = g->size;
    mend_group_get(g);
    w->posted = g;
    w->exposed = true;
    for (int i = 0; i < g->size; i++)
        mend_win_tell_posted(w, rank_of(w, g, i));
    return has_dead(w, g) ? MPI_ERR_PROC_FAILED : MPI_SUCCESS;
}

int mend_win_start(struct mend_win *w, struct mend_group *g, int assert)
{
    struct round k = {.group = g, .hear = mend_win_hear_posted, .left = g->size};
    int err = mend_win_check_valid(w);

    (void)assert;
    if (!err)
        err = mend_epoch_check_free(w);
    if (!err)
        err = check_group(w, g);
    if (err)
        return err;
    k.here = mend_zalloc(w->self, (size_t)g->size + 1, 1);
    if (!k.here)
        return MPI_ERR_NO_MEM;
    err = await_all(w, &k, "targets to post");
    mend_free(w->self, k.here);
    mend_group_get(g);
    w->started = g;
    mend_epoch_leave_refused(w);
    w->access = MEND_ACCESS_START;
    return err;
}

/* Each target is told as soon as all is executed there: the death of one holds up no other. */
int mend_win_complete(struct mend_win *w)
{
    struct mend_group *g = w->started;
    int err = mend_win_check_valid(w);

    if (w->access != MEND_ACCESS_START)
        return err ? err : MPI_ERR_RMA_SYNC;
    for (int i = 0; i < g->size; i++) {
        int rank = rank_of(w, g, i), failed = mend_sync_target(w, rank);

        mend_win_tell_done(w, rank);
        err = err ? err : failed;
    }
    w->access = MEND_ACCESS_NONE;
    w->started = NULL;
    mend_group_put(w->self, g);
    return err;
}

void mend_win_end_exposure(struct mend_win *w)
{
    w->exposed = false;
    mend_free(w->self, w->posted_here);
    w->posted_here = NULL;
    mend_group_put(w->self, w->posted);
    w->posted = NULL;
}

static struct round exposure(const struct mend_win *w)
{
    return (struct round){.group = w->posted,
                          .hear = mend_win_hear_done,
                          .here = w->posted_here,
                          .left = w->posted_left};
}

int mend_win_wait_posted(struct mend_win *w)
{
    struct round k = exposure(w);
    int err = mend_win_check_valid(w);

    if (!w->exposed)
        return err ? err : MPI_ERR_RMA_SYNC;
    if (!err)
        err = await_all(w, &k, "origins to complete");
    mend_win_end_exposure(w);
    return err;
}

int mend_win_test_posted(struct mend_win *w, bool *flag_p)
{
    struct round k = exposure(w);
    int err = mend_win_check_valid(w);

    if (!w->exposed)
        return err ? err : MPI_ERR_RMA_SYNC;
    if (!err && !is_complete(w, &k))
        mend_request_look(w->self, NULL);
    *flag_p = err || is_complete(w, &k);
    w->posted_left = k.left;
    if (!*flag_p)
        return MPI_SUCCESS;
    if (!err && has_dead(w, w->posted))
        err = MPI_ERR_PROC_FAILED;
    mend_win_end_exposure(w);
    return err;
}
