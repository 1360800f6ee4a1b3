/* SPDX-License-Identifier: BSD-3-Clause */
/* waits.c – the answer to "what do you wait for?".
 *
 *     in MPI_Recv: waits for receive from rank 1, tag 7, on MPI_COMM_WORLD
 *     in MPI_Barrier on MPI_COMM_WORLD: waits for ranks 1, 3-5 to take part
 *
 * The agent sends MEND_SIG_REPORT when a job's time is over; the handler writes a line into the
 * segment, and the collective call that it is in, so that the agent can compare calls.  It reads what the wait
 * has recorded in the process value and allocates nothing.  With several threads it reads only while it has the
 * library's lock, and gives up if a thread keeps the lock: that may be the interrupted thread itself; the agent then
 * asks again.  A program that handles this signal itself keeps its handler; the agent then reports that the
 * rank does not answer. */
#include "life/life.h"

#include "base/ranks.h"
#include "comm/comm.h"
#include "node/node.h"
#include "proc/detour.h"
#include "req/request.h"
#include "rt/wire.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LOCK_TRIES   10000
#define DETAIL_BYTES 800

_Static_assert(MEND_NODE_PEERS_WORDS == MEND_REPORT_WORDS, "one set");
_Static_assert(MEND_NODE_COMM_BYTES == MEND_COMM_TEXT, "one name");

struct text {
    char *at;
    size_t left;
};

static void put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(t->at, t->left, format, args);
    va_end(args);
    if (n < 0)
        return;
    n = (size_t)n < t->left ? n : (int)t->left - 1;
    t->at += n;
    t->left -= (size_t)n;
}

static void put_request(struct text *t, const struct mend_request *r)
{
    char detail[DETAIL_BYTES] = "";

    if (r->ops->describe)
        r->ops->describe(r, detail, sizeof(detail));
    put(t, "waits for %s", *detail ? detail : r->ops->name);
}

static void put_wait(struct text *t, const struct mend_wait *w)
{
    uint64_t peers[MEND_REPORT_WORDS] = {0};
    char detail[DETAIL_BYTES] = "";

    if (w->describe)
        w->describe(w->arg, detail, sizeof(detail));
    else if (w->missing)
        w->missing(w->arg, peers);
    if (w->describe)
        put(t, "waits for %s", detail);
    else if (w->missing && mend_ranks_text(peers, MEND_PEERS_IN_REPORTS, detail, sizeof(detail)))
        put(t, "waits for %s to take part", detail);
    else
        put(t, "waits for %s", w->what);
}

/* What is compared with other ranks. */
static void fill_call(const struct mend_waiting *x, struct mend_node_call *call)
{
    struct mend_collective k = {.peers = call->peers};

    if (x->w && x->w->comm) {
        k.c = x->w->comm;
        k.nth = k.c->calls_n;
        k.call = x->call;
        if (x->w->missing)
            x->w->missing(x->w->arg, k.peers);
    } else if (x->r && x->r->ops->collective) {
        x->r->ops->collective(x->r, &k);
    }
    if (!k.c || !k.call)
        return;
    call->ctx = k.c->ctx;
    call->nth = k.nth;
    snprintf(call->name, sizeof(call->name), "%s", k.call);
    mend_comm_describe(k.c, call->comm, sizeof(call->comm));
}

static void put_one(struct text *t, const struct mend_waiting *x)
{
    char comm[MEND_COMM_TEXT];

    if (x->call)
        put(t, "in %s", x->call);
    if (x->call && x->w && x->w->comm) {
        mend_comm_describe(x->w->comm, comm, sizeof(comm));
        put(t, " on %s", comm);
    }
    put(t, x->call ? ": " : "");
    if (x->r)
        put_request(t, x->r);
    else
        put_wait(t, x->w);
}

/* Waits within a wait are one thread's, or of several: only the innermost one of a single thread says what is
 * waited for now. */
void mend_waits_text(const struct mend_proc *self, char *text, size_t max)
{
    struct text t = {text, max};

    for (const struct mend_waiting *x = self->waits; x;
         x = mend_proc_has_threads(self) ? x->outer : NULL) {
        put(&t, "%s", x == self->waits ? "" : "; another thread is ");
        put_one(&t, x);
    }
    if (!self->waits)
        put(&t, "waits for nothing: it is outside of MPI, or polls%s%s",
            self->call ? "; its last call was " : "", self->call ? self->call : "");
}

static void describe(const struct mend_proc *self, struct mend_node_rank *me)
{
    mend_waits_text(self, me->wait_text, sizeof(me->wait_text));
    memset(&me->wait_call, 0, sizeof(me->wait_call));
    for (const struct mend_waiting *x = self->waits; x && !me->wait_call.ctx;
         x = mend_proc_has_threads(self) ? x->outer : NULL)
        fill_call(x, &me->wait_call);
}

static bool look(struct mend_proc *self, struct mend_node_rank *me)
{
    for (int i = 0; mend_proc_has_threads(self) && pthread_mutex_trylock(&self->lock) != 0; i++)
        if (i == LOCK_TRIES)
            return false;
    describe(self, me);
    if (mend_proc_has_threads(self))
        pthread_mutex_unlock(&self->lock);
    return true;
}

static void on_signal(int sig)
{
    struct mend_proc *self = mend_self;
    struct mend_node_rank *me;
    int saved = errno;

    if (self && self->node) {
        me = mend_node_rank_of(self->node->header, mend_peer_place(self, self->me));
        me->wait_busy = !look(self, me);
        if (me->wait_busy)
            strcpy(me->wait_text, "is inside MPI, with several threads");
        /* release: pairs with the acquire in answered(), before the agent reads the text */
        mend_store_release(&me->wait_seq, mend_load_relaxed(&me->wait_seq) + 1);
    }
    errno = saved;
}

uint64_t mend_waits_answer(void)
{
    struct sigaction old, ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    sigemptyset(&ours.sa_mask);
    if (sigaction(MEND_SIG_REPORT, NULL, &old) == 0 && old.sa_handler == SIG_DFL &&
        !(old.sa_flags & SA_SIGINFO) && sigaction(MEND_SIG_REPORT, &ours, NULL) == 0)
        return UINT64_C(1) << (MEND_SIG_REPORT - 1);
    return 0;
}
