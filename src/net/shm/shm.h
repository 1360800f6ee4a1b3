/* SPDX-License-Identifier: BSD-3-Clause */
/* shm.h – the shared-memory transport. */
#ifndef MEND_NET_SHM_SHM_H
#define MEND_NET_SHM_SHM_H

#include "net/net.h"

/* Opens the transport on self->node.  MEND_OK or MEND_ERR_MEM. */
enum mend_status mend_shm_open(struct mend_proc *self);

#endif
