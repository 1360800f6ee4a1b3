/* SPDX-License-Identifier: BSD-3-Clause */
/* death.c – the consequences of deaths in this process.
 *
 * This is the only place that carries out verdicts.  Those that were given together, such as on the victims of one abort,
 * are carried out together: no consequence of one may show another one alive, and each chapter looks through what it has once,
 * however many they are.  The order matters: first
 * everything that the dead processes had published is delivered, as from living ones (R12, S0-59); then they are marked
 * dead, and all operations that depend on them end.
 *
 * A process that has ended after MPI_Finalize comes here, too, when its place is wanted for another one, or once a process
 * has had a session (launch/agent/retire.c).  It has not failed, and this ends nothing: the others have freed each communicator with
 * it before it left (decide/linger.c), or are in MPI_Finalize as well. */
#include "coll/coll.h"
#include "comm/comm.h"
#include "life/life.h"
#include "create/create.h"
#include "net/net.h"
#include "p2p/p2p.h"
#include "part/part.h"
#include "proc/occurrence.h"
#include "proc/report.h"
#include "rma/win.h"
#include "rt/rt.h"

/* One that this process never met, or knew before MPI_Finalize (open.c): its place may be another's.  What was made with it
 * and not freed knows that it is dead. */
static void note_old_death(struct mend_proc *self, const struct mend_death *death)
{
    self->left_n += death->cause == MEND_CAUSE_LEFT;
    if (mend_net_of(self, death->peer)->forget)
        mend_net_of(self, death->peer)->forget(self, death->peer);
    mend_peer_entry(self, death->peer)->fate = MEND_PEER_DEAD;
    mend_peer_entry(self, death->peer)->gone = true;
}

/* Reports it.  A process that has left has not failed. */
static void tell_of(struct mend_proc *self, const struct mend_death *death)
{
    if (death->cause == MEND_CAUSE_LEFT)
        self->left_n++;
    else if (self->state == MEND_PROC_RUNNING) /* a process that joins late reports no old news */
        mend_record_event(self, notice, .dead = (int)death->peer);
}

static void mark_dead(struct mend_proc *self, const struct mend_death *death)
{
    struct mend_peer_entry *p = mend_peer_entry(self, death->peer);

    /* No news are needed: what a process has said its agent tells before its death.  Of a lost node that may be missing; a member that is
     * dead holds nobody up either. */
    p->had_left = mend_is_outside(self, death->peer);
    p->fate = MEND_PEER_DEAD; /* new operations to it fail from here on */
    tell_of(self, death);
}

/* All are marked dead, and no byte of theirs comes any more. */
static void end_what_depends_on(struct mend_proc *self, const struct mend_death *deaths, int n)
{
    mend_p2p_on_deaths(self, deaths, n); /* pending requests may complete now */
    mend_part_on_deaths(self);           /* after the messages that carry partitions */
    mend_comm_on_deaths(self, deaths,
                        n); /* a collective that waits in shared memory for them ends */
    mend_coll_on_deaths(self, deaths, n);   /* one that is a list of steps ends, too */
    mend_decide_on_deaths(self, deaths, n); /* agreements and revocations go on without them */
    mend_create_on_deaths(self, deaths, n); /* so does creation, or it fails */
    mend_win_on_deaths(
        self, deaths,
        n); /* operations towards them are over, and locks that they held are poisoned */
}

static void carry_out(struct mend_proc *self, const struct mend_death *deaths, int n)
{
    for (int i = 0; i < n; i++) /* what it had published arrives; later no byte does */
        mend_net_of(self, deaths[i].peer)->sever(self, deaths[i].peer);
    mend_revoke_on_interrupt(self);
    for (int i = 0; i < n; i++)
        mark_dead(self, &deaths[i]);
    self->deaths_n += (uint32_t)n;
    self->let_go_turns = 0;
    end_what_depends_on(self, deaths, n);
    for (int i = 0; i < n; i++) {
        if (deaths[i].cause != MEND_CAUSE_LEFT)
            mend_occurred(self, .kind = MEND_OCCURRED_DEATH, .death = &deaths[i]);
        mend_event(self, MEND_EV_DEATH_CARRIED_OUT);
    }
}

void mend_deaths(struct mend_proc *self, int n)
{
    const struct mend_death *deaths = &self->deaths[self->deaths_n];

    if (self->deaths_n >= self->born_n) {
        carry_out(self, deaths, n);
        return;
    }
    self->deaths_n += (uint32_t)n;
    for (int i = 0; i < n; i++)
        note_old_death(self, &deaths[i]);
    mend_comm_on_deaths(self, deaths, n);
}
