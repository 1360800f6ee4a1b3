/* SPDX-License-Identifier: BSD-3-Clause */
/* failure.c – the text of a failure: which rank, on which host, why, how long ago (R14); and details of
 * other errors.
 *
 * MPI_Error_string() gets a code and no communicator.  So the error path records for each class of
 * failure the error that was raised last; the text is made when it is requested, because the age grows.
 *
 * The error path also records the deaths that a call reported: an error of a communicator reports those of its
 * members.  The process's good-bye tells the agent, for the exit status (R22).
 *
 *   MPI_ERR_PROC_FAILED: a process that the operation needs is dead: rank 2 of MPI_COMM_WORLD on
 *   host n1, killed by signal 9 (SIGKILL), 13.4 ms ago
 *
 * For other classes the function that finds the error may add details, once, just before it raises the error:
 *
 *   MPI_ERR_OP: not an operator, or one that is not defined for the datatype: MPI_BAND of MPI_DOUBLE */
#include "comm/errcode.h"

#include "comm/objects.h"
#include "proc/occurrence.h"
#include "proc/peer.h"
#include "rt/rt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct mend_failure *of_class(struct mend_proc *self, int class)
{
    switch (class) {
    case MPI_ERR_PROC_FAILED:
        return &self->objects->proc_failed;
    case MPI_ERR_PENDING:
        return &self->objects->pending;
    case MPI_ERR_INVALIDATED:
        return &self->objects->invalidated;
    default:
        return NULL;
    }
}

/* The rank of a dead peer in c; an intercommunicator has two groups, and the remote one is what
 * ranks mean. */
static int rank_in(struct mend_comm *c, mend_peer peer)
{
    int rank = mend_group_rank(c->self, c->remote, peer);

    return rank == MPI_UNDEFINED && c->inter ? mend_group_rank(c->self, c->group, peer) : rank;
}

static void told(struct mend_proc *self, mend_peer dead)
{
    if (mend_peer_entry(self, dead)->told)
        return;
    mend_peer_entry(self, dead)->told = true;
    mend_occurred(self, .kind = MEND_OCCURRED_TOLD, .peer = dead);
}

void mend_failure_told(struct mend_comm *c, uint32_t deaths_n)
{
    for (; c->told_deaths_n < deaths_n; c->told_deaths_n++) {
        mend_peer dead = c->self->deaths[c->told_deaths_n].peer;

        if (rank_in(c, dead) != MPI_UNDEFINED)
            told(c->self, dead);
    }
}

void mend_failure_told_group(struct mend_proc *self, const struct mend_group *g)
{
    for (int i = 0; i < g->size; i++)
        told(self, mend_group_peer(g, i));
}

/* The newest deaths first: they are what the caller has just run into. */
void mend_failure_note(struct mend_comm *c, int class)
{
    struct mend_proc *self = c->self;
    struct mend_failure *f = of_class(self, class);
    const char *label;
    size_t n;

    if (!f)
        return;
    f->set = true;
    f->more = false;
    f->who_n = 0;
    label = mend_comm_label(c);
    n = strnlen(label, sizeof(f->comm) - 1);
    memcpy(f->comm, label, n);
    f->comm[n] = 0;
    if (class == MPI_ERR_INVALIDATED)
        return;
    mend_failure_told(c, self->deaths_n);
    for (uint32_t i = self->deaths_n; i-- > 0;) {
        int rank = rank_in(c, self->deaths[i].peer);

        if (rank == MPI_UNDEFINED)
            continue;
        if (f->who_n == MEND_FAILURE_WHO_MAX) {
            f->more = true;
            return;
        }
        f->who[f->who_n].rank = rank;
        f->who[f->who_n++].peer = self->deaths[i].peer;
    }
}

/* The death of a peer with what is known of its cause by now: the kernel gives the reason only
 * after it has torn the memory down, and a verdict does not wait for that. */
static const struct mend_death *latest_death_of(struct mend_proc *self, mend_peer peer)
{
    for (uint32_t i = 0; i < self->deaths_n; i++)
        if (self->deaths[i].peer == peer) {
            if (self->deaths[i].cause == MEND_CAUSE_UNKNOWN)
                self->rt->verdict(self, i, &self->deaths[i]);
            return &self->deaths[i];
        }
    return NULL;
}

/* A text that is being written; what does not fit is cut. */
struct writer {
    char *text;
    size_t used, max;
};

static __attribute__((format(printf, 2, 3))) void put(struct writer *w, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(w->text + w->used, w->max - w->used, format, args);
    va_end(args);
    if (n > 0)
        w->used = w->used + (size_t)n < w->max ? w->used + (size_t)n : w->max - 1;
}

static void put_cause(struct writer *w, const struct mend_death *d)
{
    const char *name;

    switch (d->cause) {
    case MEND_CAUSE_SIGNAL:
        name = sigabbrev_np(d->code);
        put(w, ", killed by signal %d", d->code);
        if (name)
            put(w, " (SIG%s)", name);
        break;
    case MEND_CAUSE_EXIT:
        put(w, ", ended with status %d without MPI_Finalize", d->code);
        break;
    case MEND_CAUSE_ABORT:
        put(w, ", aborted with code %d", d->code);
        break;
    case MEND_CAUSE_STOPPED:
        put(w, ", did not run for too long and was killed");
        break;
    case MEND_CAUSE_SUSPECTED:
        if (d->code < 0)
            put(w, ", could not be reached by another process and was killed");
        else
            put(w, ", could not be reached by rank %d of MPI_COMM_WORLD and was killed", d->code);
        break;
    case MEND_CAUSE_LOST:
        put(w, ", its node was lost");
        break;
    case MEND_CAUSE_LEFT:
        put(w, ", ended after MPI_Finalize");
        break;
    case MEND_CAUSE_UNKNOWN:
        put(w, ", for a reason not known yet");
        break;
    }
}

/* Nobody knows when a process died while its agent was stopped, but when that was last seen running. */
static void put_age(struct writer *w, mend_time_ns now, const struct mend_death *d)
{
    double age_ns = now > d->when_ns ? (double)(now - d->when_ns) : 0;

    put(w, d->late ? ", at most " : ", ");
    if (age_ns < 1e6)
        put(w, "%.0f us ago", age_ns / 1e3);
    else if (age_ns < 1e9)
        put(w, "%.1f ms ago", age_ns / 1e6);
    else
        put(w, "%.1f s ago", age_ns / 1e9);
}

static void put_dead(struct mend_proc *self, struct writer *w, const struct mend_failure *f, int i)
{
    const struct mend_death *d = latest_death_of(self, f->who[i].peer);
    const char *host = self->rt ? self->rt->host(self, f->who[i].peer) : NULL;

    put(w, "%s rank %d of %s", i ? ";" : ":", f->who[i].rank, f->comm);
    if (host)
        put(w, " on host %s", host);
    if (d) {
        put_cause(w, d);
        put_age(w, mend_proc_now(self), d);
    }
}

void mend_error_detail(struct mend_proc *self, int class, int cause, const char *format, ...)
{
    struct mend_detail *d = &self->objects->detail;
    va_list args;

    d->class = class;
    d->raised = false;
    d->cause = cause;
    va_start(args, format);
    vsnprintf(d->text, sizeof(d->text), format, args);
    va_end(args);
}

/* One that was prepared for this error stays, and so does that of an error of another class before. */
void mend_error_raised(struct mend_proc *self, int class)
{
    struct mend_detail *d = &self->objects->detail;

    if (d->raised == (d->class == class))
        d->class = MPI_SUCCESS;
    d->raised = true;
}

static void put_detail(struct mend_proc *self, struct writer *w, int class)
{
    const struct mend_detail *d = &self->objects->detail;
    char cause[MPI_MAX_ERROR_STRING];

    if (d->class != class || class == MPI_SUCCESS)
        return;
    put(w, ": %s", d->text);
    if (d->cause && d->cause != class && !mend_errcode_text(self, d->cause, cause, sizeof(cause)))
        put(w, ": %s", cause);
}

void mend_failure_text(struct mend_proc *self, int class, char *text, size_t used, size_t max)
{
    const struct mend_failure *f = of_class(self, class);
    struct writer w = {text, used, max};

    put_detail(self, &w, class);
    if (!f || !f->set)
        return;
    if (class == MPI_ERR_INVALIDATED)
        put(&w, ": %s", f->comm);
    for (int i = 0; i < f->who_n; i++)
        put_dead(self, &w, f, i);
    if (f->more)
        put(&w, "; and others");
}
