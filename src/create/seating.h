/* SPDX-License-Identifier: BSD-3-Clause */
/* seating.h – which new processes take which ranks of the dead, and who asks for them (refill.c).
 *
 *   round    of one job that has lost processes: its first survivor, `root`, asks for `n` new ones
 *   seats    of all rounds, one after the other; so the new processes have the seats in the order in which they come
 *
 * All survivors make the same plan; the new processes hear it. */
#ifndef MEND_CREATE_SEATING_H
#define MEND_CREATE_SEATING_H

#include "create/creation.h"
#include "rt/spawn.h"

struct mend_seating_round {
    int32_t root, n; /* root: its rank among the survivors */
};

struct mend_seating {
    int32_t survivors_n, rounds_n, seats_n;
    int32_t done_n; /* rounds */
    struct mend_seating_round *rounds;
    struct mend_seat *seats; /* dead: the peer, MEND_PEER_NONE: it is not known here */
};

/* At the survivors of full, which are small.  MPI_ERR_SPAWN, at all: of a job that has lost processes nobody is left. */
int mend_seating_make(struct mend_comm *full, struct mend_comm *small, struct mend_seating *plan);

/* Those that have no plan hear that of rank 0.  Collective over c; blocks until that has come.  PROC_FAILED: a member is
 * dead, some may have heard it. */
int mend_seating_tell(struct mend_comm *c, struct mend_seating *plan);

void mend_seating_free(struct mend_proc *self, struct mend_seating *plan);

/* Those of the round that is next. */
const struct mend_seat *mend_seating_seats(const struct mend_seating *plan);

/* The newcomers at their seats, the survivors in their order at the others; each are a part of a group.  NULL: the seats
 * cannot be, or there is no memory. */
struct mend_seating_part {
    const struct mend_group *of;
    int first, n;
};
struct mend_group *mend_seating_everybody(struct mend_proc *self,
                                          struct mend_seating_part survivors,
                                          struct mend_seating_part newcomers,
                                          const struct mend_seat *seats);

#endif
