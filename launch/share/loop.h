/* SPDX-License-Identifier: BSD-3-Clause */
/* loop.h – the main thread's loop: descriptors that can be read, and the time.
 *
 * Each party that lives in the process (the root of a job, the agent of a node, what starts other agents) is a member: it is told of its own
 * descriptors, and looked at after each turn for what is due. */
#ifndef MEND_LAUNCH_SHARE_LOOP_H
#define MEND_LAUNCH_SHARE_LOOP_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#define MEND_LOOP_MEMBERS 4

struct mend_loop_member {
    void *self;
    void (*event)(void *self, uint32_t from, uint32_t of); /* as it was added */
    mend_time_ns (*look)(void *self, mend_time_ns now); /* does what is due; when to look again */
    bool (*is_done)(void *self);                        /* nothing is left to wait for */
};

struct mend_loop {
    int epoll_fd, timer_fd;
    mend_time_ns timer_at;
    struct mend_loop_member member[MEND_LOOP_MEMBERS];
    uint32_t members_n;
};

/* False: errno. */
bool mend_loop_open(struct mend_loop *l);

/* Returns the number of the new member. */
uint32_t mend_loop_join(struct mend_loop *l, struct mend_loop_member member);

/* The member is told when fd can be read.  from is below 128.  False: errno. */
bool mend_loop_add(struct mend_loop *l, uint32_t member, int fd, uint32_t from, uint32_t of);

/* Changes what is waited for; added if it was not there.  in: false: it is not waited for any more. */
void mend_loop_set(struct mend_loop *l, uint32_t member, int fd, uint32_t from, uint32_t of,
                   bool in, bool out);

/* fd is not waited for any more, though another process may have the file. */
void mend_loop_drop(struct mend_loop *l, int fd);

/* Runs until all members are done. */
void mend_loop_run(struct mend_loop *l);

#endif
