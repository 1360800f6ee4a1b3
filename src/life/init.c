/* SPDX-License-Identifier: BSD-3-Clause */
/* init.c – from a bare process to a running rank.
 *
 *   runtime (who am I?) -> transport -> chapters -> MPI_COMM_WORLD, MPI_COMM_SELF -> ready
 *
 * Nothing here waits for another rank: the data that others need of this rank is in the segment before the
 * launcher starts it, or is exchanged on first use. */
#include "life/life.h"

#include "base/stray.h"
#include "coll/coll.h"
#include "comm/errhandler.h"
#include "comm/objects.h"
#include "datatype/init.h"
#include "create/create.h"
#include "net/net.h"
#include "node/cells.h"
#include "node/node.h"
#include "notify/notify.h"
#include "p2p/p2p.h"
#include "part/part.h"
#include "proc/inject.h"
#include "proc/report.h"
#include "rma/win.h"
#include "rt/rt.h"
#include "tool/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WHY_BYTES (MEND_PARAM_WANTS_BYTES + 128)

/* Tried in order. */
static const struct mend_rt *const runtimes[] = {
#define MEND_RT_DEF(name_, what_) &mend_rt_##name_,
#include "rt/rt.def"
#undef MEND_RT_DEF
};

/* Asked in order whether they reach a peer. */
static const struct mend_net *const transports[] = {
#define MEND_NET_DEF(name_, what_) &mend_net_##name_,
#include "net/net.def"
#undef MEND_NET_DEF
};

static void on_revoke(struct mend_comm *c)
{
    mend_part_on_revoke(c);
    mend_create_on_revoke(c);
    mend_win_on_revoke(c);
}

static const char *check_window(const struct mend_comm *c)
{
    return c->win ? mend_win_check(c->win) : NULL;
}

static const struct mend_comm_hooks comm_hooks = {
    .attach = {mend_match_create, NULL, mend_coll_attach, mend_decide_attach},
    .detach = {mend_match_destroy, mend_part_detach, mend_coll_detach, mend_decide_detach,
               mend_create_detach},
    .check = {mend_match_check, check_window},
    .revoked = on_revoke,
    .keep = mend_linger_keep,
};

static void suspect(struct mend_proc *self, mend_peer peer)
{
    self->rt->suspect(self, peer);
}

/* Damage proves nothing about the peer: any process that maps the segment may have done it, this one too.
 * So the process that cannot read any more ends, with an error of its own, and no other (S3-10). */
static void damaged(struct mend_proc *self, mend_peer from)
{
    if (!self->rt->suspect(self, from))
        mend_fatal_damage(self, from);
}

/* An error that no call can report (S4-1, S4-2). */
static void lost_error(struct mend_proc *self, int error, const char *what)
{
    mend_fatal(self, NULL, error, what);
}

static int open_runtime(struct mend_proc *self, const char **why_p)
{
    enum mend_status st = MEND_ERR_UNSUPPORTED;

    if (self->rt) /* the simulator has said who this is */
        st = self->rt->open(self, why_p);
    for (unsigned i = 0; i < MEND_COUNT_OF(runtimes) && st == MEND_ERR_UNSUPPORTED; i++) {
        self->rt = runtimes[i];
        st = self->rt->open(self, why_p);
    }
    return st == MEND_OK ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static const struct mend_net *transport_to(struct mend_proc *self, mend_peer p)
{
    for (unsigned i = 0; i < MEND_COUNT_OF(transports); i++)
        if (transports[i]->reach(self, p))
            return transports[i];
    MEND_ASSERT(!"the runtime names only processes that a transport reaches");
    return NULL;
}

static void connect_all(struct mend_proc *self, mend_peer from)
{
    for (mend_peer p = from; p < self->peers_n; p++)
        if (p == self->me || !mend_net_of(self, p)) /* the simulator has connected its peers */
            mend_net_connect(self, p, transport_to(self, p));
}

static bool meet_newcomers(struct mend_proc *self, mend_peer end)
{
    mend_peer known = self->peers_n;

    if (end <= known)
        return true;
    if (!self->rt->meet || !self->rt->meet(self, end))
        return false;
    connect_all(self, known);
    return true;
}

static void look_for_newcomers(struct mend_proc *self)
{
    if (self->rt->names)
        mend_peers_meet(self, self->rt->names(self));
}

static int open_transports(struct mend_proc *self, const char **why_p)
{
    *why_p = "the node's shared memory cannot be used";
    for (unsigned i = 0; i < MEND_COUNT_OF(transports); i++)
        if (transports[i]->open && transports[i]->open(self) == MEND_ERR_MEM)
            return MPI_ERR_NO_MEM;
    connect_all(self, 0);
    return MPI_SUCCESS;
}

static int open_chapters(struct mend_proc *self)
{
    int err = mend_objects_init(self);

    if (!err)
        err = mend_type_init(self);
    if (!err)
        err = mend_notify_init(self);
    if (!err)
        err = mend_p2p_init(self);
    if (!err)
        err = mend_part_init(self);
    if (!err)
        err = mend_coll_init(self);
    if (!err)
        err = mend_decide_init(self);
    if (!err)
        err = mend_create_init(self);
    if (!err)
        err = mend_win_init(self);
    return err;
}

/* MPI_COMM_WORLD and MPI_COMM_SELF have context ids that no process ever proposes. */
static int create_predefined(struct mend_proc *self)
{
    mend_peer n = self->world_n ? self->world_n : self->peers_n;
    struct mend_group *world = mend_group_create_range(self, self->world_first, 1, n);
    struct mend_group *alone = mend_group_create_range(self, self->me, 1, 1);

    if (!world || !alone)
        return MPI_ERR_NO_MEM;
    self->world =
        mend_comm_create(self, world, NULL,
                         self->world_counter ? MEND_CTX_MAKE(self->world_first, self->world_counter)
                                             : MEND_CTX_WORLD_OF(self->world_first),
                         NULL);
    self->comm_self = mend_comm_create(self, alone, NULL, MEND_CTX_SELF(self->me), NULL);
    mend_group_put(self, world);
    mend_group_put(self, alone);
    if (!self->world || !self->comm_self)
        return MPI_ERR_NO_MEM;
    self->world->errhandler = self->comm_self->errhandler = mend_errhandler_initial(self);
    self->world->predefined = self->comm_self->predefined = true;
    if (self->world->in_segment && self->params.coll_shm) {
        self->world->cell = 0;
        mend_cells_take(self, 0);
    }
    return MPI_SUCCESS;
}

static int read_params(struct mend_proc *self, const char **why_p)
{
    const struct mend_param_info *bad;
    char *why, wants[MEND_PARAM_WANTS_BYTES];

    mend_params_read(&self->params, &bad);
    if (self->tool)
        mend_tool_apply(self->tool);
    if (!bad)
        return MPI_SUCCESS;
    mend_param_wants(bad, wants, sizeof(wants));
    why = mend_alloc(self, WHY_BYTES);
    if (!why)
        return MPI_ERR_NO_MEM;
    snprintf(why, WHY_BYTES, "the environment variable MEND_%s must be %s", bad->name, wants);
    *why_p = why;
    return MPI_ERR_ARG;
}

/* mpiexec has done it for its ranks. */
static void tell_strays(const struct mend_proc *self)
{
    char text[MEND_STRAY_TEXT_BYTES];

    for (char **e = environ; e && *e && !self->node; e++)
        if (mend_stray_text(*e, text))
            fprintf(stderr, "mend: %s\n", text);
}

static void handle_signals(struct mend_proc *self)
{
    struct mend_node_rank *me =
        mend_node_rank_of(self->node->header, mend_peer_place(self, self->me));
    uint64_t handled = mend_waits_answer();

    if (self->params.crash_notice)
        handled |= mend_crash_tell(self);
    mend_store_relaxed(&me->handlers, handled);
}

/* Nothing has come of what this process was started for, and nobody has seen it: S0-38.  Those that asked for it may
 * still ask what was decided.  One that waits for it in a meeting to which it has not come hears of its death, which is
 * no failure: so it ends as a process without a session. */
static _Noreturn void leave_unseen(struct mend_proc *self)
{
    mend_life_await_quiet(self);
    mend_notify_end(self);
    self->rt->say(self, MEND_PRESENCE_AWAY);
    _exit(0);
}

/* Meets those that had this process started, if it did not begin with the job. */
static int join(struct mend_proc *self)
{
    if (self->seats)
        return mend_create_take_seats(self, self->seats, &self->refilled);
    return self->asked_number ? mend_create_join(self, &self->parent) : MPI_SUCCESS;
}

int mend_life_start(struct mend_proc *self, int thread_level, const char **why_p)
{
    int err;

    self->state = MEND_PROC_STARTING;
    self->main_thread = pthread_self();
    self->thread_level = thread_level;
    self->on_deaths = mend_deaths;
    self->on_trouble = suspect;
    self->on_damage = damaged;
    self->on_lost_error = lost_error;
    self->on_newcomers = meet_newcomers;
    self->look_for_newcomers = look_for_newcomers;
    self->comm_hooks = &comm_hooks;
    err = read_params(self, why_p);
    if (!err)
        err = open_runtime(self, why_p);
    if (!err)
        err = mend_proc_read_injections(self, why_p);
    if (!err)
        err = open_transports(self, why_p);
    if (err)
        return err;
    tell_strays(self);
    *why_p = "no memory";
    self->deaths = mend_zalloc(self, (size_t)self->peers_max, sizeof(*self->deaths));
    err = self->deaths ? open_chapters(self) : MPI_ERR_NO_MEM;
    if (!err)
        err = create_predefined(self);
    if (err)
        return err;
    mend_interrupt_check(self); /* of those that died before we came */
    self->state = MEND_PROC_RUNNING;
    if (self->node) {
        handle_signals(self);
        self->let_go = mend_let_go;
    }
    self->rt->say(self, MEND_PRESENCE_IN_MPI);
    if (join(self) != MPI_SUCCESS)
        leave_unseen(self);
    mend_event(self, MEND_EV_INIT_DONE);
    return MPI_SUCCESS;
}
