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

#endif
