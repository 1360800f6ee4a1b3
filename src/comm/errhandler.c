/* SPDX-License-Identifier: BSD-3-Clause */
/* errhandler.c – running error handlers, and ending processes.
 *
 * 1. A handler of the user's gets copies on the stack; after it nothing of the library is touched.
 *    So it may free the communicator, or longjmp.
 * 2. Every process ends in the same way: it flushes its output, asks the runtime to end the others, and calls
 *    _exit, so that no destructor of a half-broken program runs. */
#include "comm/errhandler.h"

#include "comm/errcode.h"
#include "comm/handle.h"
#include "comm/objects.h"
#include "net/net.h"
#include "proc/occurrence.h"
#include "proc/peer.h"
#include "rt/rt.h"

#include <stdio.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <unistd.h>

struct mend_errhandler *mend_errhandler_create(struct mend_proc *self, int object)
{
    struct mend_errhandler *e = mend_zalloc(self, 1, sizeof(*e));

    if (e) {
        e->magic = MEND_ERRHANDLER_MAGIC;
        e->refs = 1;
        e->kind = MEND_ERRH_USER;
        e->object = object;
    }
    return e;
}

void mend_errhandler_get(struct mend_errhandler *e)
{
    if (e->kind == MEND_ERRH_USER)
        e->refs++;
}

void mend_errhandler_put(struct mend_proc *self, struct mend_errhandler *e)
{
    if (e->kind != MEND_ERRH_USER || --e->refs > 0)
        return;
    e->magic = 0;
    mend_free(self, e);
}

struct mend_errhandler *mend_errhandler_fatal(struct mend_proc *self)
{
    return &self->objects->fatal;
}

static const char *initial_name(void)
{
    const struct mend_param_info *bad;
    struct mend_params params;

    mend_params_read(&params, &bad);
    return params.initial_errhandler ? params.initial_errhandler : "";
}

bool mend_errhandler_initial_returns(void)
{
    return !strcmp(initial_name(), "mpi_errors_return");
}

struct mend_errhandler *mend_errhandler_initial(struct mend_proc *self)
{
    const char *name = initial_name();

    if (!strcmp(name, "mpi_errors_return"))
        return &self->objects->return_code;
    return !strcmp(name, "mpi_errors_abort") ? &self->objects->abort : &self->objects->fatal;
}

/* fflush(NULL) waits for streams that other threads are reading from. */
static void flush(void)
{
    fflush(__libc_single_threaded ? NULL : stdout);
}

static _Noreturn void end_all(struct mend_proc *self, const mend_peer *peers, uint32_t n,
                              struct mend_abort what)
{
    flush();
    if (self && self->rt)
        self->rt->abort(self, peers, n, what);
    _exit((what.code & 0xff) || !what.code ? what.code : 1);
}

/* Writes the surviving members of g behind the first n; a peer in both groups appears twice, which
 * is harmless. */
static uint32_t collect(struct mend_proc *self, const struct mend_group *g, mend_peer *peers,
                        uint32_t n)
{
    for (int i = 0; i < g->size; i++)
        if (!mend_peer_is_dead(self, mend_group_peer(g, i)))
            peers[n++] = mend_group_peer(g, i);
    return n;
}

static _Noreturn void end_self(struct mend_proc *self, struct mend_abort what)
{
    if (self && self->state == MEND_PROC_RUNNING)
        end_all(self, &self->me, 1, what);
    flush();
    _exit((what.code & 0xff) || !what.code ? what.code : 1);
}

static _Noreturn void end_comm(struct mend_comm *c, struct mend_abort what)
{
    struct mend_proc *self = c->self;
    size_t max = (size_t)c->size + (c->inter ? (size_t)c->remote->size : 0);
    mend_peer *peers;
    uint32_t n = 0;

    mend_memory_press(self);
    peers = mend_alloc(self, max * sizeof(*peers));
    if (!peers)
        end_self(self, what);
    n = collect(self, c->group, peers, n);
    if (c->inter)
        n = collect(self, c->remote, peers, n);
    end_all(self, peers, n, what);
}

static _Noreturn void end_job(struct mend_proc *self, struct mend_abort what)
{
    mend_peer *peers;
    uint32_t n = 0;

    mend_memory_press(self);
    peers = mend_alloc(self, (size_t)self->peers_n * sizeof(*peers));
    if (!peers)
        end_self(self, what);
    for (mend_peer p = 0; p < self->peers_n; p++)
        if (!mend_peer_is_dead(self, p))
            peers[n++] = p;
    end_all(self, peers, n, what);
}

static const char *my_host(struct mend_proc *self, char *room, size_t max)
{
    if (self && self->rt && self->state == MEND_PROC_RUNNING)
        return self->rt->host(self, self->me);
    if (gethostname(room, max))
        return "?";
    room[max - 1] = '\0';
    return room;
}

/* One write, so that lines of several processes do not mix. */
static void say(const char *text)
{
    size_t n = strlen(text);

    flush();
    if (write(STDERR_FILENO, text, n) < 0)
        return; /* nobody listens; the process ends all the same */
}

void mend_abort(struct mend_comm *c, int code)
{
    struct mend_proc *self = c ? c->self : mend_self;
    char host[MPI_MAX_PROCESSOR_NAME], text[1024];

    snprintf(text, sizeof(text), "mend: rank %d (host %s): MPI_Abort on %s with code %d\n",
             self ? (int)self->me : 0, my_host(self, host, sizeof(host)),
             c ? mend_comm_label(c) : "this process", code);
    say(text);
    if (c)
        end_comm(c, (struct mend_abort){.code = code});
    end_self(self, (struct mend_abort){.code = code});
}

/* The error says that a process is dead, or that another one has revoked the object, perhaps because of that: the agent
 * knows whether there was a death. */
static bool reports_death(struct mend_proc *self, int err)
{
    int class = err;

    mend_errcode_class(self, err, &class);
    return class == MEND_CLASS_PROC_FAILED || class == MEND_CLASS_INVALIDATED ||
           class == MPI_ERR_PENDING;
}

/* The message tells of err, the processes end with the code. */
static _Noreturn void end_by(struct mend_proc *self, struct mend_comm *c, int err, int code,
                             const char *fn)
{
    const struct mend_abort ending = {.code = code, .follows = reports_death(self, code)};
    char host[MPI_MAX_PROCESSOR_NAME], text[2048], what[MPI_MAX_ERROR_STRING], scope[192];
    const char *wanted = self->params.fatal_scope;
    bool abort = c && c->errhandler->kind == MEND_ERRH_ABORT; /* in MPI-4 too the object's group */
    bool connected = wanted && !strcmp(wanted, "connected") && !abort;

    if (c)
        mend_failure_note(c, code);
    if (mend_errcode_text(self, err, what, sizeof(what)))
        snprintf(what, sizeof(what), "error code %d", err);
    if (connected)
        snprintf(scope, sizeof(scope), "all processes of the job end");
    else if (c && c->size + (c->inter ? c->remote->size : 0) > 1)
        snprintf(scope, sizeof(scope), "the %d processes of %s end",
                 c->size + (c->inter ? c->remote->size : 0), mend_comm_label(c));
    else
        snprintf(scope, sizeof(scope), "this process ends");
    snprintf(text, sizeof(text),
             "mend: rank %d (host %s): %s on %s: %s\n"
             "mend: the error handler is fatal: %s. To go on after errors, give the %s "
             "MPI_ERRORS_RETURN with MPI_%s_set_errhandler.\n",
             (int)self->me, my_host(self, host, sizeof(host)), fn,
             c ? mend_comm_label(c) : "no communicator", what, scope,
             c && c->file  ? "file"
             : c && c->win ? "window"
                           : "communicator",
             c && c->file  ? "File"
             : c && c->win ? "Win"
                           : "Comm");
    say(text);
    if (connected)
        end_job(self, ending);
    if (c)
        end_comm(c, ending);
    end_self(self, ending);
}

void mend_fatal(struct mend_proc *self, struct mend_comm *c, int err, const char *fn)
{
    end_by(self, c, err, err, fn);
}

void mend_fatal_damage(struct mend_proc *self, mend_peer from)
{
    char text[512];

    snprintf(text, sizeof(text),
             "mend: rank %d (host %s): a message from rank %d was damaged (transport %s). Some "
             "process of the job has overwritten it, or has sent what it must not; which one is "
             "not known. This process can receive nothing more from rank %d, so it ends.\n",
             (int)self->me, self->rt->host(self, self->me), (int)from,
             mend_net_of(self, from)->name, (int)from);
    say(text);
    end_self(self, (struct mend_abort){.code = MPI_ERR_INTERN});
}

void mend_fatal_outside(struct mend_proc *self, int err, const char *fn)
{
    char host[MPI_MAX_PROCESSOR_NAME], text[1024], what[MPI_MAX_ERROR_STRING] = "no memory";
    bool finalized = self && self->state == MEND_PROC_FINALIZED;

    my_host(NULL, host, sizeof(host));
    if (err == MPI_ERR_OTHER)
        snprintf(what, sizeof(what), "was called %s",
                 finalized ? "after MPI_Finalize" : "before MPI_Init");
    else if (self && self->objects)
        mend_errcode_text(self, err, what, sizeof(what));
    snprintf(text, sizeof(text), "mend: process %d (host %s): %s%s %s\n", (int)getpid(), host, fn,
             err == MPI_ERR_OTHER ? "" : ":", what);
    say(text);
    _exit(1);
}

/* The user's handler of an object gets the handle of that object. */
static void call_user(const struct mend_errhandler *h, struct mend_comm *owner, int *code,
                      const char *fn)
{
    MPI_Comm comm = mend_comm_handle(owner);
    MPI_Win win = (MPI_Win)owner->win;
    MPI_File file = (MPI_File)owner->file;

    if (owner->file)
        h->file_fn(&file, code, fn);
    else if (owner->win)
        h->win_fn(&win, code, fn);
    else
        h->comm_fn(&comm, code, fn);
}

static bool ends_the_process(const struct mend_comm *c)
{
    return c->errhandler->kind == MEND_ERRH_FATAL || c->errhandler->kind == MEND_ERRH_ABORT;
}

/* Whose handler gets an error that belongs to no object: MPI_COMM_SELF's (MPI-5.0 9.3).  Programs
 * from before MPI-4 have set that of MPI_COMM_WORLD only: rather than end them, ask theirs. */
static struct mend_comm *owner_of_others(const struct mend_proc *self)
{
    struct mend_comm *own = self->comm_self;

    if (own && ends_the_process(own) && !ends_the_process(self->world))
        return self->world;
    return own;
}

int mend_raise_blamed(struct mend_proc *self, struct mend_comm *c, int err, int code,
                      const char *fn)
{
    struct mend_comm *owner = c ? c : owner_of_others(self);
    struct mend_errhandler h;

    if (!owner)
        mend_fatal_outside(self, err, fn);
    if (mend_unlikely(self->unwinds)) { /* the program will not have made this call */
        mend_go_out(self);
        return err;
    }
    mend_error_raised(self, err);
    if (c)
        mend_failure_note(c, code);
    h = *owner->errhandler;
    if (ends_the_process(owner))
        end_by(self, owner, err, code, fn);
    mend_tell(self, true);
    mend_go_out(self);
    if (h.kind == MEND_ERRH_USER)
        call_user(&h, owner, &code, fn);
    return err;
}

int mend_raise(struct mend_proc *self, struct mend_comm *c, int err, const char *fn)
{
    return mend_raise_blamed(self, c, err, err, fn);
}

/* A handler that is not a communicator's: what it does except the call of the user's function. */
static struct mend_errhandler begin_raise(struct mend_proc *self, const struct mend_errhandler *e,
                                          int err, const char *fn)
{
    struct mend_errhandler h = *e;

    if (mend_unlikely(self->unwinds)) { /* as in mend_raise() */
        h.kind = MEND_ERRH_RETURN;
        return h;
    }
    mend_error_raised(self, err);
    if (h.kind == MEND_ERRH_FATAL || h.kind == MEND_ERRH_ABORT)
        mend_fatal(self, NULL, err, fn);
    return h;
}

int mend_raise_with(struct mend_proc *self, struct mend_errhandler *e, int err, const char *fn)
{
    struct mend_errhandler h = begin_raise(self, e, err, fn);
    MPI_Comm handle = MPI_COMM_SELF;
    int code = err;

    mend_go_out(self);
    if (h.kind == MEND_ERRH_USER)
        h.comm_fn(&handle, &code, fn);
    return err;
}

int mend_raise_session(struct mend_proc *self, struct mend_errhandler *e,
                       const struct mend_session *s, int err, const char *fn)
{
    struct mend_errhandler h = begin_raise(self, e, err, fn);
    MPI_Session handle = s ? (MPI_Session)s : MPI_SESSION_NULL;
    int code = err;

    if (mend_detours(self, MEND_DETOUR_LOCKED))
        mend_go_out_locked(self);
    else
        mend_go_out(self);
    if (h.kind == MEND_ERRH_USER)
        h.session_fn(&handle, &code, fn);
    return err;
}

int mend_raise_file(struct mend_proc *self, struct mend_errhandler *e, int err, const char *fn)
{
    struct mend_errhandler h = begin_raise(self, e ? e : self->objects->no_file, err, fn);
    MPI_File handle = MPI_FILE_NULL;
    int code = err;

    mend_go_out(self);
    if (h.kind == MEND_ERRH_USER)
        h.file_fn(&handle, &code, fn);
    return err;
}

struct mend_errhandler *mend_errhandler_no_file(struct mend_proc *self)
{
    return self->objects->no_file;
}

void mend_errhandler_set_no_file(struct mend_proc *self, struct mend_errhandler *e)
{
    mend_errhandler_get(e);
    mend_errhandler_put(self, self->objects->no_file);
    self->objects->no_file = e;
}
