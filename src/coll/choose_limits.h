/* SPDX-License-Identifier: BSD-3-Clause */
/* choose_limits.h – the lengths at which choose.c takes another algorithm, in KiB: plain numbers, since choice.def has them in its
 * text. */
#ifndef MEND_COLL_CHOOSE_LIMITS_H
#define MEND_COLL_CHOOSE_LIMITS_H

#define MEND_KIB_OF_CELL 128 /* data of a member at a time: a buffer of a cell (cell.h) */

/* Two members send each other what is longer: it lies on trays, which both write in turn, so that a line goes from core to core
 * once (net/shm/send.c); lines of a cell come back each time that they are written. */
#define MEND_KIB_PAIR_BLOCK 2
#define MEND_KIB_PAIR_BCAST 32
#define MEND_KIB_PAIR_SCAN  8

/* Longer vectors pass the members of a node once more than a flat algorithm needs. */
#define MEND_KIB_NODES_REDUCTION 256  /* of a vector */
#define MEND_KIB_NODES_ALLGATHER 1024 /* of all blocks */

#define MEND_KIB_BCAST_PARTS          128
#define MEND_KIB_REDUCE_HALVING       64
#define MEND_KIB_ALLREDUCE_HALVING    16
#define MEND_KIB_ALLREDUCE_RING       256
#define MEND_KIB_SCAN_CHAIN           256
#define MEND_KIB_SCAN_SEGMENT         64
#define MEND_KIB_REDUCE_SCATTER_WHOLE 2
#define MEND_KIB_REDUCE_SCATTER_PAIRS 512
#define MEND_KIB_GATHER_TREE          2
#define MEND_KIB_ALLGATHER_RING       256

#endif
