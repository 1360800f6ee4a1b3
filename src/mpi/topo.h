/* SPDX-License-Identifier: BSD-3-Clause */
/* topo.h – common declarations of the files of topologies. */
#ifndef MEND_MPI_TOPO_H
#define MEND_MPI_TOPO_H

#include "mpi/check.h"

#include "comm/topo.h"
#include "create/create.h"

/* A communicator with a topology of this kind; else MPI_ERR_TOPOLOGY. */
static inline int mend_check_topo(MPI_Comm comm, int kind, struct mend_comm **c_p)
{
    int err = mend_check_comm(comm, c_p);

    return !err && (!(*c_p)->topo || (*c_p)->topo->kind != kind) ? MPI_ERR_TOPOLOGY : err;
}

/* A communicator of c's first `nodes` processes, NULL for the others.  Collective over c.
 * MPI_ERR_PROC_FAILED also if one of them is a hole: a topology is whole. */
int mend_mpi_topo_create(struct mend_comm *c, int nodes, struct mend_comm **made_p);

#endif
