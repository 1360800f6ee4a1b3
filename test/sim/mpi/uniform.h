/* SPDX-License-Identifier: BSD-3-Clause */
/* uniform.h – for programs under the simulator that ask whether all living members got the same.
 *
 * The living agree, not the dead: a member may have got something else and died.  It may even have voted on
 * that before it did.  But it can return from no agreement any more that takes our vote, for we take it
 * for dead; so only the living vote in the one after that. */
#ifndef MEND_TEST_SIM_UNIFORM_H
#define MEND_TEST_SIM_UNIFORM_H

#include <mpi.h>
#include <mpi-ext.h>

static inline void leave_the_dead_behind(MPI_Comm c)
{
    int any = 1;

    MPI_Comm_agree(c, &any);
}

/* Every bit is the same at all. */
static inline int uniform(MPI_Comm c, int bits)
{
    int all = bits, none = ~bits;

    leave_the_dead_behind(c);
    MPI_Comm_agree(c, &all);
    MPI_Comm_agree(c, &none);
    return all == bits && none == ~bits;
}

#endif
