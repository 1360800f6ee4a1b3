/* SPDX-License-Identifier: BSD-3-Clause */
/* reach.h – single copy: the memory of another process of the node, with one system call (reach.c). */
#ifndef MEND_NET_SHM_REACH_H
#define MEND_NET_SHM_REACH_H

#include "node/layout.h"
#include "node/rank.h"

#include <stddef.h>

/* What is known of another process. */
struct mend_reach {
    bool proven; /* the cookie was found in its memory: the process is the right one */
    bool barred; /* single copy is not possible */
};

/* Copies len bytes from `remote` in its memory, or to there.  MEND_OK; MEND_AGAIN: not now, use another way; MEND_ERR_PEER:
 * it is gone; MEND_ERR_UNSUPPORTED: never.  After an error part of the bytes may have been copied.  write: not into a
 * process that has begun to end, or that a script reaps. */
enum mend_status mend_reach_read(const struct mend_node_rank *peer, struct mend_reach *r, void *dst,
                                 uint64_t remote, size_t len);
enum mend_status mend_reach_write(struct mend_node_rank *peer, struct mend_reach *r,
                                  const void *src, uint64_t remote, size_t len);

/* Makes this process reachable: *cookie lives as long as the process. */
void mend_reach_show(struct mend_node_rank *me, uint64_t *cookie, uint64_t job);

#endif
