/* SPDX-License-Identifier: BSD-3-Clause */
/* death.c – the consequences of a death in this process.
 *
 * This is the only place that carries out a verdict.  The order matters: first everything that the dead process had
 * published is delivered, as from a living one (R12, S0-59); then the process is marked dead, and all operations that
 * depend on it end.
 *
 * A process that has ended after MPI_Finalize comes here, too, when its place is wanted for another one, or once a process
 * has had a session (launch/vacancy.c).  It has not failed, and this ends nothing: the others have freed each communicator with
 * it before it left (decide/graves.c), or are in MPI_Finalize as well. */
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
    if (mend_net_of(self, death->peer)->forget)
        mend_net_of(self, death->peer)->forget(self, death->peer);
    mend_peer_entry(self, death->peer)->fate = MEND_PEER_DEAD;
    mend_peer_entry(self, death->peer)->gone = true;
    self->deaths[self->deaths_n++] = *death;
    self->left_n += death->cause == MEND_CAUSE_LEFT;
    mend_comm_on_death(self, death->peer);
}

/* Reports it.  A process that has left has not failed. */
static void tell_of(struct mend_proc *self, const struct mend_death *death)
{
    if (death->cause == MEND_CAUSE_LEFT)
        self->left_n++;
    else if (self->state == MEND_PROC_RUNNING) /* a process that joins late reports no old news */
        mend_record_event(self, notice, .dead = (int)death->peer);
}

void mend_death(struct mend_proc *self, const struct mend_death *death)
{
    mend_peer dead = death->peer;

    if (self->deaths_n < self->born_n) {
        note_old_death(self, death);
        return;
    }
    mend_net_of(self, dead)
        ->sever(self, dead); /* what it had published arrives; later no byte does */
    mend_revoke_on_interrupt(self);
    mend_peer_entry(self, dead)->had_left = mend_rt_is_outside(self, dead);
    mend_peer_entry(self, dead)->fate = MEND_PEER_DEAD; /* new operations to it fail from here on */
    self->deaths[self->deaths_n++] = *death;
    self->let_go_turns = 0;
    tell_of(self, death);
    mend_p2p_on_death(self, dead);    /* pending requests may complete now */
    mend_part_on_death(self, dead);   /* after the messages that carry partitions */
    mend_comm_on_death(self, dead);   /* a collective that waits in shared memory for it ends */
    mend_coll_on_death(self, dead);   /* one that is a list of steps ends, too */
    mend_decide_on_death(self, dead); /* agreements and revocations go on without it */
    mend_create_on_death(self, dead); /* so does creation, or it fails */
    mend_win_on_death(
        self, dead); /* operations towards it are over, and locks that it held are poisoned */
    if (death->cause != MEND_CAUSE_LEFT)
        mend_occurred(self, .kind = MEND_OCCURRED_DEATH, .death = death);
    mend_event(self, MEND_EV_DEATH_CARRIED_OUT);
}
