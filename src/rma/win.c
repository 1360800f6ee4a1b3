/* SPDX-License-Identifier: BSD-3-Clause */
/* win.c – making and freeing windows.
 *
 *   1  a communicator of the window's own          uniform: create/; what is known to fail by now vetoes it
 *   2  memory, and the exchange of offers          an allgather; it may fail at some
 *   3  an agreement on the errors of all           uniform: the window exists at all survivors, or at none
 *
 * So no member uses the window before all have it, and none touches the memory of a member that could not take part. */
#include "rma/win.h"

#include "comm/attr.h"
#include "comm/errhandler.h"
#include "node/heap.h"
#include "node/node.h"
#include "proc/report.h"
#include "rma/alloc.h"
#include "rma/control.h"
#include "rma/link.h"
#include "rma/part.h"
#include "rma/grant.h"
#include "rma/serve.h"
#include "rma/sync.h"
#include "rma/way.h"

#include <stdio.h>

int mend_win_init(struct mend_proc *self)
{
    self->on_frame[MEND_FRAME_RMA] = mend_serve_on_frame;
    return MPI_SUCCESS;
}

/* ---- memory ---- */

static int take_control(struct mend_win *w)
{
    if (!w->shared || w->me != 0)
        return MPI_SUCCESS;
    w->control_own = mend_heap_take(w->self, mend_win_control_bytes(w->n));
    return w->control_own ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static struct mend_win_offer offer_of(struct mend_win *w, const struct mend_win_wish *wish,
                                      int error)
{
    return (struct mend_win_offer){.size = wish->size,
                                   .disp_unit = wish->disp_unit,
                                   .at = mend_win_place_of(w, w->base, wish->size),
                                   .address = (uint64_t)(uintptr_t)w->base,
                                   .control_at = w->control_own ? w->control_own->at : 0,
                                   .error = error};
}

/* ---- exchange ---- */

static int gather(struct mend_win *w, const void *mine, void *all, size_t bytes)
{
    const struct mend_type *t = mend_type_predefined((uintptr_t)MPI_BYTE);
    struct mend_coll_buf in = {(void *)mine, (MPI_Count)bytes, t, MPI_BYTE};
    struct mend_coll_buf out = {all, (MPI_Count)bytes, t, MPI_BYTE};
    struct mend_coll_how now = {.kind = MEND_COLL_NOW};

    return mend_coll_allgather(w->comm, &in, &out, NULL, &now);
}

/* Contiguous memory: rank 0 takes it for all, so it has to know the sizes first. */
static int add_sizes(struct mend_win *w, MPI_Aint size, MPI_Aint *sizes, size_t *all_p)
{
    int err = gather(w, &size, sizes, sizeof(size));

    *all_p = 0;
    for (int r = 0; r < w->n && !err; r++)
        if (sizes[r] < 0 || __builtin_add_overflow(*all_p, (size_t)sizes[r], all_p))
            err = MPI_ERR_SIZE;
    return err;
}

static char *map_control(struct mend_win *w, uint64_t at)
{
    if (w->control_own)
        return w->control_own->base;
    return at ? mend_node_map(w->self, at, mend_win_control_bytes(w->n)) : NULL;
}

/* What this process has of the window when all have told. */
static int furnish(struct mend_win *w, const struct mend_win_wish *wish,
                   const struct mend_win_offer *offer)
{
    char *words = NULL;
    int err = mend_win_know_parts(w, wish, offer);

    if (err)
        return err;
    if (w->flavor != MPI_WIN_FLAVOR_DYNAMIC)
        w->part[w->me].here = w->base;
    if (w->shared) {
        w->control_at = offer[0].control_at;
        words = map_control(w, w->control_at);
        if (!words)
            return MPI_ERR_NO_MEM;
    }
    return mend_win_control_make(w, words);
}

/* all: room for the offer of each member.  Every member takes part in every exchange, whatever failed before. */
static int offer_and_hear(struct mend_win *w, const struct mend_win_wish *wish,
                          struct mend_win_offer *all)
{
    struct mend_win_offer mine;
    size_t bytes = (size_t)wish->size;
    int err, error = MPI_SUCCESS;

    if (wish->contiguous)
        error = add_sizes(w, wish->size, (MPI_Aint *)all, &bytes);
    if (!error)
        error = mend_win_take_memory(w, wish, bytes);
    if (!error)
        error = take_control(w);
    mine = offer_of(w, wish, error);
    err = gather(w, &mine, all, sizeof(mine));
    return err ? err : furnish(w, wish, all);
}

/* ---- creation ---- */

static struct mend_win *make(struct mend_comm *c, const struct mend_win_wish *wish)
{
    struct mend_proc *self = c->self;
    struct mend_win *w = mend_zalloc(self, 1, sizeof(*w));

    if (!w)
        return NULL;
    w->magic = MEND_WIN_MAGIC;
    w->self = self;
    w->flavor = wish->flavor;
    w->base = wish->base;
    w->size = wish->size;
    w->disp_unit = wish->disp_unit;
    w->disp_unit_int = (int)wish->disp_unit;
    w->model = MPI_WIN_UNIFIED;
    w->no_locks = wish->no_locks;
    w->apart = wish->flavor == MPI_WIN_FLAVOR_SHARED && !wish->contiguous;
    if (wish->align && wish->flavor != MPI_WIN_FLAVOR_CREATE &&
        wish->flavor != MPI_WIN_FLAVOR_DYNAMIC)
        snprintf(w->align_text, sizeof(w->align_text), "%zu", wish->align);
    w->n = c->size;
    w->me = c->rank;
    w->shared = c->in_segment && self->params.rma_shm;
    mend_list_init(&w->attached);
    w->part = mend_zalloc(self, (size_t)w->n, sizeof(*w->part));
    w->lock = mend_zalloc(self, (size_t)w->n, sizeof(*w->lock));
    if (w->part && w->lock)
        return w;
    mend_free(self, w->part);
    mend_free(self, w->lock);
    mend_free(self, w);
    return NULL;
}

/* keep: others may store into it still, so it is not used again. */
static void destroy(struct mend_win *w, bool keep)
{
    struct mend_proc *self = w->self;

    if (w->link.next)
        mend_list_remove(&w->link);
    mend_rma_link_drop_all(w);
    mend_rma_way_drop(w);
    mend_win_unmap_parts(w);
    if (w->control && w->control->words && !w->control_own)
        mend_node_unmap(w->control->words, mend_win_control_bytes(w->n));
    mend_win_control_drop(w);
    while (!mend_list_empty(&w->attached)) {
        struct mend_list *l = w->attached.next;

        mend_list_remove(l);
        mend_free(self, mend_list_entry(l, struct mend_attached, link));
    }
    if (!self->node && w->flavor != MPI_WIN_FLAVOR_CREATE && w->base)
        mend_rma_free(self, w->base);
    if (w->own && !keep)
        mend_heap_give_back(self, w->own);
    if (w->control_own && !keep)
        mend_heap_give_back(self, w->control_own);
    mend_free(self, w->posted_here);
    if (w->started)
        mend_group_put(self, w->started);
    if (w->posted)
        mend_group_put(self, w->posted);
    mend_free(self, w->part);
    mend_free(self, w->lock);
    w->magic = 0;
    mend_free(self, w);
}

/* The survivors agree on the largest error, and on whether the window was revoked meanwhile. */
static int agree(struct mend_comm *c, int own_error)
{
    struct mend_decision value = {0};

    value.and_word[0] = UINT64_MAX;
    value.max_word[0] = (uint64_t)own_error;
    mend_decide(c, &value);
    if (value.failed)
        mend_group_put(c->self, value.failed);
    return (int)value.max_word[0];
}

static void drop_comm(struct mend_comm *c)
{
    c->win = NULL;
    mend_comm_close(c);
    mend_decide_part(c);
}

static const char *kind_of(int flavor)
{
    return flavor == MPI_WIN_FLAVOR_CREATE     ? "created"
           : flavor == MPI_WIN_FLAVOR_ALLOCATE ? "allocated"
           : flavor == MPI_WIN_FLAVOR_SHARED   ? "shared"
                                               : "dynamic";
}

/* As long as nothing is wrong, one comparison with the number of a target finds that out. */
static void begin_calm(struct mend_win *w)
{
    bool revoked = w->comm->revoked;

    w->direct_n = w->shared && w->flavor != MPI_WIN_FLAVOR_DYNAMIC && !revoked ? w->n : 0;
    w->calm_n = mend_win_is_in_segment(w) && !revoked && !w->comm->inactive ? w->n : 0;
}

/* Steps 2 and 3, on a communicator that is the window's from now on, or goes. */
static int complete(struct mend_win *w, struct mend_comm *own, const struct mend_win_wish *wish,
                    struct mend_win_offer *offers)
{
    int err;

    w->comm = own;
    mend_comm_set_errhandler(
        own, mend_errhandler_fatal(w->self)); /* MPI-5.0 9.3: windows begin with it */
    own->win = w;
    err = agree(own, offer_and_hear(w, wish, offers));
    if (err) { /* all survivors have voted, so nobody touches the memory any more */
        destroy(w, false);
        drop_comm(own);
        return err;
    }
    mend_list_append(&w->self->windows, &w->link);
    begin_calm(w);
    mend_record_event(w->self, window, .ctx = own->ctx, .kind = kind_of(w->flavor),
                      .bytes = (uint64_t)w->size);
    return MPI_SUCCESS;
}

int mend_win_create(struct mend_comm *c, const struct mend_win_wish *wish, struct mend_win **w_p)
{
    struct mend_win_offer *offers = mend_zalloc(c->self, (size_t)c->size, sizeof(*offers));
    struct mend_win *w = make(c, wish);
    struct mend_comm *own = NULL;
    int err = mend_create_dup(c, w && offers ? wish->error : MPI_ERR_NO_MEM, &own);

    if (!err) {
        err = complete(w, own, wish, offers);
        if (!err)
            *w_p = w;
    } else if (w) {
        destroy(w, false);
    }
    mend_free(c->self, offers);
    return err;
}

/* ---- the end ---- */

/* True if all survivors have come; *dead_p is then NULL, or those that had died: the caller's.  False: the window is
 * revoked, and some may not have heard of it. */
static bool part_together(struct mend_win *w, struct mend_group **dead_p)
{
    struct mend_decision value = {0};

    if (w->comm->revoked)
        return false;
    value.and_word[0] = UINT64_MAX;
    mend_decide_wait(w->comm, MEND_DECIDE_VALIDATION, &value);
    *dead_p = value.failed;
    return !w->comm->revoked && value.and_word[0] == UINT64_MAX;
}

int mend_win_free(struct mend_win *w)
{
    struct mend_comm *c = w->comm;
    struct mend_group *dead = NULL;
    bool all;

    if (!c->revoked)
        mend_win_end_epochs(w);
    all = part_together(w, &dead);
    if (all && dead)
        mend_win_give_back_of(w, dead);
    if (dead)
        mend_group_put(w->self, dead);
    destroy(w, !all);
    drop_comm(c);
    return MPI_SUCCESS;
}

/* ---- failures ---- */

static void member_died(struct mend_win *w, int rank)
{
    w->calm_n = 0;
    if (w->links && w->links[rank])
        mend_rma_link_end(w->links[rank], MPI_ERR_PROC_FAILED);
    mend_grant_bury(w, rank);
}

void mend_win_on_deaths(struct mend_proc *self, const struct mend_death *death, int n)
{
    for (struct mend_list *l = self->windows.next; l != &self->windows; l = l->next) {
        struct mend_win *w = mend_list_entry(l, struct mend_win, link);
        bool any = false;

        for (int i = 0; i < n; i++) {
            int rank = mend_group_rank(self, w->comm->group, death[i].peer);

            if (rank == MPI_UNDEFINED)
                continue;
            member_died(w, rank);
            any = true;
        }
        if (any) {
            mend_grant_go_on(w);
            mend_rma_link_on_deaths(w);
        }
    }
}

void mend_win_on_revoke(struct mend_comm *c)
{
    struct mend_win *w = c->win;

    if (w)
        w->direct_n = w->calm_n = 0;
    for (int r = 0; w && w->links && r < w->n; r++)
        if (w->links[r])
            mend_rma_link_end(w->links[r], MEND_CLASS_INVALIDATED);
}
