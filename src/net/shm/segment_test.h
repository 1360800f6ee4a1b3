/* SPDX-License-Identifier: BSD-3-Clause */
/* segment_test.h – for unit tests: a segment in this process, and processes that have it. */
#ifndef MEND_NET_SHM_SEGMENT_TEST_H
#define MEND_NET_SHM_SEGMENT_TEST_H

#include "net/net.h"
#include "node/abroad.h"
#include "node/layout.h"
#include "node/node.h"

#include "base/test.h"

#include <sys/mman.h>
#include <unistd.h>

static void *segment;
static uint64_t segment_bytes;
static int segment_fd;

static inline void make_segment(mend_peer places_n)
{
    struct mend_node_header h = {.cores_n = 2};

    segment_fd = memfd_create("segment", MFD_CLOEXEC);
    mend_node_layout(&h, (uint32_t)places_n);
    CHECK(segment_fd >= 0 && ftruncate(segment_fd, (off_t)h.bytes) == 0);
    segment_bytes = h.at[MEND_NODE_PART_SLAB];
    segment = mmap(NULL, segment_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                   segment_fd, 0);
    CHECK(segment != MAP_FAILED);
    memcpy(segment, &h, sizeof(h));
}

static inline void end_segment(void)
{
    munmap(segment, segment_bytes);
    close(segment_fd);
    segment = NULL;
}

/* Process p is of job p modulo jobs_n, as rt/local.c and node/abroad.c tell.  One segment is that of all jobs. */
static inline void open_rank(struct mend_proc *self, mend_peer jobs_n)
{
    struct mend_abroad *others = mend_zalloc(self, 1, sizeof(*others));

    *others = (struct mend_abroad){
        .header = segment, .fd = segment_fd, .mine = mend_place_at((uint32_t)self->me)};
    CHECK_EQ(mend_node_open(self, segment, segment_fd), MEND_OK);
    for (mend_peer p = 0; p < self->peers_n; p++) {
        mend_place place = mend_place_at((uint32_t)p);

        if (p % jobs_n == self->me % jobs_n)
            mend_node_meet(self, p, place);
        else
            mend_node_meet_elsewhere(
                self, p,
                (struct mend_where){
                    .kind = MEND_WHERE_JOB, .place = place, .sends = place, .job = others});
    }
    CHECK_EQ(mend_net_shm.open(self), MEND_OK);
}

#endif
