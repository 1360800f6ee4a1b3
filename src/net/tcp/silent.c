/* SPDX-License-Identifier: BSD-3-Clause */
/* silent.c – connections by which nothing comes any more, although their other end may live: a cable is out, or something on the way drops
 * packets silently.
 *
 *   something is unanswered for the time `silence`  ──> the connection ends, and this process calls the peer again
 *   that succeeds                                   ──> the stream goes on where it was (stream.h)
 *   it does not in REACH_TIMEOUT, as connect.c has it ──> the agent is told, and one of the two is ended
 *
 * So a connection that was thought silent by mistake costs a call, and no error and no time here says that a process is dead.  What is
 * unanswered the kernel knows: it repeats bytes that were not acknowledged, and probes where it has none to repeat (SO_KEEPALIVE), or no
 * room at the other end.  The kernel of the peer answers all of that by itself, while its process computes, is stopped, or has left no
 * room.  A time limit of the kernel's (TCP_USER_TIMEOUT) does not ask for that, and would end those without room.
 *
 * Whatever arrives is a sign of life.  Where packets are dropped in one direction only, and the process at the end that notices
 * computes, the other end hears that one's kernel repeat its bytes, after 0.2 s and then each time twice as late: until the pause is longer than a second
 * and `silence`, some 3 s, nothing seems to be wrong.
 *
 * A process in MPI looks several times in that time, also when it sleeps (the timer wakes it); one that computes waits for nobody.  Both ends
 * look, for only one of them may be in MPI.
 *
 * What ends the wait: a cable that is out for less than a lease harms nobody, so `silence` and REACH_TIMEOUT grow with it.
 *
 * Cost: a system call for each connection and look; a probe a second for each idle connection, but no more than PROBES for each process. */
#include "net/tcp/internal.h"

#include "base/time.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#define PROBES        32u /* a second, of one process */
#define LOOKS         4   /* in the time after which a connection is silent */
#define SILENCE_LEAST (100 * MEND_NS_PER_MS)
#define SILENCE_NEVER (2 * MEND_NS_PER_S) /* where REACH_TIMEOUT is 0 */

/* A node that is away for less than its lease is there again before that; its connections may take as long again. */
mend_time_ns mend_tcp_reach_timeout(const struct mend_proc *self)
{
    mend_time_ns reach = self->params.reach_timeout_ns, lease = self->params.lease_ns;

    return lease < MEND_TIME_NEVER / 2 && reach < 2 * lease ? 2 * lease : reach;
}

static mend_time_ns silence(const struct mend_proc *self)
{
    mend_time_ns reach = mend_tcp_reach_timeout(self),
                 part = reach == MEND_TIME_NEVER ? SILENCE_NEVER : reach / 5 * 2;

    return part > SILENCE_LEAST ? part : SILENCE_LEAST;
}

static void look_soon(struct mend_proc *self)
{
    struct mend_tcp *t = self->tcp;

    if (!t->silent_at)
        t->silent_at = mend_proc_now(self) + silence(self) / LOOKS;
    mend_tcp_wake_at(self, t->silent_at);
}

/* More connections than PROBES are probed less often. */
void mend_tcp_probe(struct mend_proc *self, struct mend_tcp_pair *p)
{
    const int one = 1, idle_s = 1 + (int)(self->tcp->open_n / PROBES);

    setsockopt(p->fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
    setsockopt(p->fd, IPPROTO_TCP, TCP_KEEPINTVL, &one, sizeof(one));
    setsockopt(p->fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
    p->unanswered_at = 0;
    look_soon(self);
}

/* Bytes that were sent, or a probe, later than anything has come.  A connection that is being made has another timer. */
static bool is_unanswered(const struct tcp_info *i)
{
    return i->tcpi_state != TCP_SYN_SENT &&
           (i->tcpi_probes || (i->tcpi_unacked && i->tcpi_last_ack_recv > i->tcpi_last_data_sent));
}

static mend_time_ns last_came(const struct tcp_info *i)
{
    uint32_t ms = i->tcpi_last_ack_recv < i->tcpi_last_data_recv ? i->tcpi_last_ack_recv
                                                                 : i->tcpi_last_data_recv;

    return ms * MEND_NS_PER_MS;
}

/* Nothing has come since a look found something unanswered; the kernel's times hold also if this process was stopped meanwhile. */
static bool is_silent(struct mend_proc *self, struct mend_tcp_pair *p)
{
    mend_time_ns now = mend_proc_now(self);
    struct tcp_info i;
    socklen_t len = sizeof(i);

    if (getsockopt(p->fd, IPPROTO_TCP, TCP_INFO, &i, &len) != 0)
        return false;
    if (!is_unanswered(&i)) {
        p->unanswered_at = 0;
        return false;
    }
    if (!p->unanswered_at || last_came(&i) < now - p->unanswered_at)
        p->unanswered_at = now;
    return now - p->unanswered_at >= silence(self);
}

/* What has come is read first: its sender may not be in MPI to send it again. */
static void look_at(struct mend_proc *self, struct mend_tcp_pair *p)
{
    if (p->damaged || self->tcp->from == p || !is_silent(self, p) || mend_tcp_has_unread(p->fd))
        return;
    mend_tcp_drop(self, p);
    mend_tcp_miss(self, p, mend_proc_now(self) - p->unanswered_at);
}

void mend_tcp_look_for_silence(struct mend_proc *self)
{
    struct mend_tcp *t = self->tcp;

    if (t->silent_at && mend_proc_now(self) >= t->silent_at) {
        t->silent_at = 0;
        mend_list_foreach (l, next, &t->open)
            look_at(self, mend_list_entry(l, struct mend_tcp_pair, open));
    }
    if (t->silent_at || t->open_n)
        look_soon(self); /* the timer may have rung for another reason */
}
