/* SPDX-License-Identifier: BSD-3-Clause */
/* port_checks.c – what must hold when two jobs connect at a port.
 *
 *   P1  all living processes of both groups get the communicator, or none (S2-5, S0-35)
 *   P2  when nothing can happen any more every call has returned; but a host may wait for guests that do not come, and a
 *       guest at an open port where nobody accepts
 *   P3  nobody gets it unless all living ones have come to the meeting (S2-6)
 *   P4  if nobody has died, the port stays open and there is room, all get it (S0-10)
 *   P5  a guest comes only to a host that waits for it
 *   P6  nobody leaves while a living process may still ask it about the communicator */
#include "port.h"

static const struct mend_sim_port_proc *proc_of(const struct mend_sim_view *v, int rank)
{
    return mend_sim_proc(v, rank);
}

/* One whose agent is dead is about to end. */
static bool lives(const struct mend_sim_view *v, int rank)
{
    return v->fate[rank] == MEND_SIM_ALIVE && !proc_of(v, rank)->gone &&
           v->fate[mend_sim_port_agent(rank, v->conf)] == MEND_SIM_ALIVE;
}

static bool has_it(const struct mend_sim_view *v, int rank)
{
    const struct mend_sim_port_proc *p = proc_of(v, rank);

    return p->over && !p->failed;
}

/* Somebody has it, and perhaps one of those has left: what holds of all others then. */
static const char *check_others(const struct mend_sim_view *v, bool left)
{
    for (int r = 0; r < mend_sim_port_members(v->conf); r++) {
        const struct mend_sim_port_proc *p = proc_of(v, r);

        if (!lives(v, r))
            continue;
        if (p->over && p->failed)
            return "P1: one living process has the communicator and another one has an error";
        if (!p->meeting.came)
            return "P3: somebody has the communicator to whose making another one has not come";
        if (left && !p->over)
            return "P6: a process has left, and another one still needs its answers";
    }
    return NULL;
}

/* One look at each process, and another one if somebody has it: this is done after every step, with hundreds of processes. */
static const char *check_members(const struct mend_sim_view *v)
{
    bool any = false, left = false;

    for (int r = 0; r < mend_sim_port_members(v->conf); r++) {
        const struct mend_sim_port_proc *p = proc_of(v, r);

        any |= has_it(v, r) && (lives(v, r) || p->left);
        left |= has_it(v, r) && p->left;
    }
    return any ? check_others(v, left) : NULL;
}

static bool is_awaited(const struct mend_visit *host, const struct mend_visit *guest, int rank)
{
    return (host->state == MEND_VISIT_AWAIT || host->state == MEND_VISIT_MEET) &&
           host->other == rank && host->number == guest->number;
}

const char *mend_sim_check_port(const struct mend_sim_view *v, int rank)
{
    const struct mend_sim_conf *c = v->conf;
    int guest = mend_sim_port_hosts(c);
    const char *wrong = check_members(v);

    if (wrong)
        return wrong;
    if (lives(v, 0) && lives(v, guest) && proc_of(v, guest)->visit.state == MEND_VISIT_MEET &&
        !is_awaited(&proc_of(v, 0)->visit, &proc_of(v, guest)->visit, guest))
        return "P5: a guest comes to a host that does not wait for it";
    return NULL;
}

/* It comes, or its group has failed and it has said so (S0-35), also when it has left since. */
static bool owes_an_end(const struct mend_sim_view *v, int guest)
{
    const struct mend_sim_port_proc *g = proc_of(v, guest);

    if (g->visit.why == MEND_VISIT_OWN)
        return lives(v, guest) ||
               (g->left && v->fate[mend_sim_port_agent(guest, v->conf)] == MEND_SIM_ALIVE);
    return lives(v, guest) && !g->over;
}

/* A host for guests; a guest that has nobody to accept it. */
static bool may_wait(const struct mend_sim_view *v, int rank)
{
    const struct mend_sim_conf *c = v->conf;
    int guest = mend_sim_port_hosts(c);
    const struct mend_sim_port_proc *h = proc_of(v, 0), *g = proc_of(v, guest);

    if (!lives(v, 0))
        return false;
    if (rank < guest)
        return h->visit.state == MEND_VISIT_LISTEN && !mend_sim_port_door(h, c)->n &&
               !owes_an_end(v, guest);
    return lives(v, guest) && g->visit.state == MEND_VISIT_WAIT && h->over &&
           mend_sim_port_door(h, c)->n && !h->closed;
}

const char *mend_sim_check_port_end(const struct mend_sim_view *v)
{
    const struct mend_sim_conf *c = v->conf;
    bool quiet = !proc_of(v, 0)->closed;

    for (int r = 0; r < c->ranks; r++)
        quiet &= v->fate[r] == MEND_SIM_ALIVE && !proc_of(v, r)->refused;
    for (int r = 0; r < mend_sim_port_members(c); r++) {
        const struct mend_sim_port_proc *p = proc_of(v, r);

        if (lives(v, r) && !p->over && !may_wait(v, r))
            return "P2: a process waits for ever";
        if (quiet && !has_it(v, r))
            return "P4: nothing has failed and a process has an error";
    }
    return NULL;
}
