/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract of net.h between processes each of which is of another job. */
#include "net/contract_test.h"
#include "net/shm/segment_test.h"

static void begin(struct mend_proc *procs, mend_peer n)
{
    make_segment(n);
    for (mend_peer p = 0; p < n; p++)
        open_rank(&procs[p], n);
}

static void end(struct mend_proc *procs, mend_peer n)
{
    end_segment();
}

const struct mend_net_subject mend_net_subject = {
    .net = &mend_net_rings,
    .begin = begin,
    .end = end,
};
