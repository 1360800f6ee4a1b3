/* SPDX-License-Identifier: BSD-3-Clause */
/* check.c – entering and leaving the library, and arguments that are handles.
 *
 * A handle is a predefined small integer, which is looked up by class, or the address of an object,
 * which must be aligned and show the magic number of its class.  The memory of a freed object stays
 * mapped and has lost its magic.
 *
 * The lock: taken in a program with MPI_THREAD_MULTIPLE, and by the functions that may be called at
 * any time while there is no MPI_THREAD_xxx to go by, before MPI_Init and after MPI_Finalize. */
#include "mpi/check.h"

#include "comm/errcode.h"
#include "comm/errhandler.h"
#include "comm/info.h"
#include "comm/objects.h"
#include "comm/session.h"
#include "datatype/op.h"
#include "datatype/types.h"
#include "notify/notify.h"
#include "proc/occurrence.h"

#include <string.h>

struct mend_proc *mend_self_if_any(void)
{
    /* acquire: the partner is the exchange in mend_self_or_new(), in another thread */
    return __atomic_load_n(&mend_self, __ATOMIC_ACQUIRE);
}

/* Two threads may try. */
struct mend_proc *mend_self_or_new(void)
{
    struct mend_proc *none = NULL, *made = mend_self_if_any();

    if (mend_likely(made != NULL))
        return made;
    made = mend_proc_create_bare();
    if (!made)
        return NULL;
    if (mend_objects_init(made) || !__atomic_compare_exchange_n(&mend_self, &none, made, false,
                                                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        mend_proc_destroy(made);
    return mend_self;
}

/* What MEND_API_SAME() has put into its section; the linker makes the two symbols, and none if there is
 * nothing. */
extern const struct mend_other_name __start_mend_other_names[]
    __attribute__((weak, visibility("hidden")));
extern const struct mend_other_name __stop_mend_other_names[]
    __attribute__((weak, visibility("hidden")));

/* A function that was called under one of its names was called under all of them. */
static void call_event(struct mend_events *events, const char *fn)
{
    mend_event_call(events, fn);
    for (const struct mend_other_name *other = __start_mend_other_names;
         other < __stop_mend_other_names; other++)
        if (!strcmp(other->same, fn))
            mend_event_call(events, other->name);
}

int mend_enter_slow(const char *fn)
{
    struct mend_proc *self = mend_self;

    if (!self || self->state != MEND_PROC_RUNNING)
        return MPI_ERR_OTHER;
    mend_come_in(self);
    self->call = fn;
    self->long_calls_n++;
    if (mend_proc_look_is_due(self) || mend_has_news(self))
        mend_look_around(self);
    mend_tell(self, true);
    if (self->events)
        call_event(self->events, fn);
    return MPI_SUCCESS;
}

int mend_enter_any(const char *fn)
{
    struct mend_proc *self = mend_self_or_new();

    if (!self)
        return MPI_ERR_NO_MEM;
    if (self->state == MEND_PROC_RUNNING)
        return mend_enter(fn);
    pthread_mutex_lock(&self->lock);
    mend_detour_begin(self, MEND_DETOUR_LOCKED);
    return MPI_SUCCESS;
}

int mend_leave(int err)
{
    struct mend_proc *self = mend_self;

    if (mend_unlikely(!self)) /* there was no memory for it */
        return err;
    if (mend_unlikely(mend_detours(self, MEND_DETOUR_LOCKED)))
        mend_go_out_locked(self);
    else
        mend_go_out(self);
    return err;
}

/* There is no MPI_COMM_SELF, so the initial error handler has it (MPI-5.0 9.3). */
static int report_outside(struct mend_proc *self, int err, const char *fn)
{
    if (!mend_errhandler_initial_returns())
        mend_fatal_outside(self, err, fn);
    return self && mend_detours(self, MEND_DETOUR_LOCKED) ? mend_leave(err) : err;
}

int mend_report_blamed(struct mend_comm *c, int err, int code, const char *fn)
{
    struct mend_proc *self = mend_self;

    if (!self || self->state != MEND_PROC_RUNNING)
        return report_outside(self, err, fn);
    mend_look_around(
        self); /* this call has not waited: the next one is to know what has come since */
    return mend_raise_blamed(self, c, err, code, fn);
}

int mend_report_slow(struct mend_comm *c, int err, const char *fn)
{
    return mend_likely(!err) ? mend_leave(MPI_SUCCESS) : mend_report_blamed(c, err, err, fn);
}

int mend_check_outside_callback(void)
{
    if (!mend_notify_runs(mend_self))
        return MPI_SUCCESS;
    mend_error_detail(mend_self, MPI_ERR_OTHER, 0, "not in a callback of MPIX_Notify");
    return MPI_ERR_OTHER;
}

int mend_check_comm_slow(MPI_Comm comm, struct mend_comm **c_p)
{
    struct mend_comm *c = (struct mend_comm *)comm;

    if (comm == MPI_COMM_SELF && mend_self->world_state == MEND_WORLD_OPEN)
        c = mend_self->comm_self;
    else if (!mend_handle_is_object(c) || mend_handle_mark(&c->magic) != MEND_COMM_MAGIC ||
             c->closing)
        return MPI_ERR_COMM;
    *c_p = c;
    return MPI_SUCCESS;
}

int mend_check_intra(MPI_Comm comm, struct mend_comm **c_p)
{
    int err = mend_check_comm(comm, c_p);

    return !err && (*c_p)->inter ? MPI_ERR_COMM : err;
}

int mend_check_inter(MPI_Comm comm, struct mend_comm **c_p)
{
    int err = mend_check_comm(comm, c_p);

    return !err && !(*c_p)->inter ? MPI_ERR_COMM : err;
}

int mend_check_group(MPI_Group group, struct mend_group **g_p)
{
    struct mend_group *g = (struct mend_group *)group;

    if (group == MPI_GROUP_EMPTY)
        g = &mend_self->objects->empty;
    else if (!mend_handle_is_object(g) || mend_handle_mark(&g->magic) != MEND_GROUP_MAGIC)
        return MPI_ERR_GROUP;
    *g_p = g;
    return MPI_SUCCESS;
}

int mend_check_type(MPI_Datatype type, const struct mend_type **t_p)
{
    const struct mend_type *t = (const struct mend_type *)type;

    if ((uintptr_t)type < 0x1000)
        t = mend_type_predefined((uintptr_t)type);
    else if (!mend_handle_is_object(t) || mend_handle_mark(&t->magic) != MEND_TYPE_MAGIC)
        return MPI_ERR_TYPE;
    if (!t)
        return MPI_ERR_TYPE;
    *t_p = t;
    return MPI_SUCCESS;
}

int mend_check_committed_slow(MPI_Datatype type, const struct mend_type **t_p)
{
    const struct mend_type *t = NULL;
    int err = mend_check_type(type, &t);

    if (!err && !t->committed)
        err = MPI_ERR_TYPE;
    if (!err)
        *t_p = t;
    return err;
}

static bool is_predefined_op(MPI_Op op)
{
    static const MPI_Op all[] = {MPI_SUM,    MPI_MIN,    MPI_MAX,     MPI_PROD, MPI_BAND,
                                 MPI_BOR,    MPI_BXOR,   MPI_LAND,    MPI_LOR,  MPI_LXOR,
                                 MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};

    for (unsigned i = 0; i < MEND_COUNT_OF(all); i++)
        if (op == all[i])
            return true;
    return false;
}

int mend_check_op(MPI_Op op, const struct mend_op **op_p)
{
    const struct mend_op *o = (const struct mend_op *)op;

    if (is_predefined_op(op))
        o = mend_op_of(op);
    else if (!mend_handle_is_object(o) || mend_handle_mark(&o->magic) != MEND_OP_MAGIC)
        return MPI_ERR_OP;
    *op_p = o;
    return MPI_SUCCESS;
}

int mend_check_op_type_slow(const struct mend_op *op, const struct mend_type *t)
{
    const char *name = mend_type_name(mend_self, t);

    mend_error_detail(mend_self, MPI_ERR_OP, 0, "%s for %s", mend_op_name(op),
                      *name ? name : "a derived datatype");
    return MPI_ERR_OP;
}

int mend_check_errhandler(MPI_Errhandler errhandler, struct mend_errhandler **e_p)
{
    struct mend_errhandler *e = (struct mend_errhandler *)errhandler;

    if (errhandler == MPI_ERRORS_ARE_FATAL)
        e = &mend_self->objects->fatal;
    else if (errhandler == MPI_ERRORS_ABORT)
        e = &mend_self->objects->abort;
    else if (errhandler == MPI_ERRORS_RETURN)
        e = &mend_self->objects->return_code;
    else if (!mend_handle_is_object(e) || mend_handle_mark(&e->magic) != MEND_ERRHANDLER_MAGIC)
        return MPI_ERR_ERRHANDLER;
    *e_p = e;
    return MPI_SUCCESS;
}

int mend_check_session(MPI_Session session, struct mend_session **s_p)
{
    struct mend_session *s = (struct mend_session *)session;

    if (!mend_handle_is_object(s) || mend_handle_mark(&s->magic) != MEND_SESSION_MAGIC)
        return MPI_ERR_SESSION;
    *s_p = s;
    return MPI_SUCCESS;
}

int mend_check_info(MPI_Info info, struct mend_info **i_p)
{
    struct mend_info *i = (struct mend_info *)info;

    if (info == MPI_INFO_ENV) {
        i = mend_info_env(mend_self);
        if (!i)
            return MPI_ERR_NO_MEM;
    } else if (!mend_handle_is_object(i) || mend_handle_mark(&i->magic) != MEND_INFO_MAGIC) {
        return MPI_ERR_INFO;
    }
    *i_p = i;
    return MPI_SUCCESS;
}

int mend_check_info_or_null(MPI_Info info, struct mend_info **i_p)
{
    if (info != MPI_INFO_NULL)
        return mend_check_info(info, i_p);
    *i_p = NULL;
    return MPI_SUCCESS;
}

int mend_check_root(const struct mend_comm *c, int root)
{
    if (c->inter && (root == MPI_ROOT || root == MPI_PROC_NULL))
        return MPI_SUCCESS;
    return root >= 0 && root < c->peers_n ? MPI_SUCCESS : MPI_ERR_ROOT;
}
