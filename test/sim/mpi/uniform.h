/* SPDX-License-Identifier: BSD-3-Clause */
/* uniform.h – for programs under the simulator that ask whether all living members got the same.
 *
 * Only survivors must agree: a member may have got another result and died.  It may even have voted on
 * that before it died.  But it can return from no agreement that includes our vote, because we know it to be
 * dead; so only survivors vote in the agreement after that. */
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
