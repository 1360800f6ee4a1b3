/* SPDX-License-Identifier: BSD-3-Clause */
/* mpix.h – the name under which some programs look for the MPIX_ functions. */
#ifndef MEND_MPIX_H
#define MEND_MPIX_H

#include "mpi-ext.h"

#endif
