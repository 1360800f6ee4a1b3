/* SPDX-License-Identifier: BSD-3-Clause */
/* sources.h – what the agent's part of the main thread's loop waits for (share/loop.h): one list of the kinds of descriptors.
 *
 * run.c hears of all of them, and tells the file that the kind belongs to. */
#ifndef MEND_LAUNCH_AGENT_SOURCES_H
#define MEND_LAUNCH_AGENT_SOURCES_H

#include "agent/rank.h"
#include "share/loop.h"

struct mend_sources {
    struct mend_loop *loop;
    uint32_t member; /* of the loop */
    int note_fd; /* eventfd: another thread, or a later turn, has something for the main thread */
};

/* Told with an event; what it is of. */
enum mend_source {
    MEND_SOURCE_SIGNAL,
    MEND_SOURCE_NOTE,
    MEND_SOURCE_CTL,    /* datagrams of a rank, by name */
    MEND_SOURCE_SET,    /* the epoll set of a rank, by name */
    MEND_SOURCE_DOOR,   /* the agents of other jobs */
    MEND_SOURCE_LINK,   /* one of them, by descriptor */
    MEND_SOURCE_PORT,   /* processes of other nodes */
    MEND_SOURCE_CALLER, /* one of them, by descriptor */
};

/* fd can be read: from now on that is told.  False: errno. */
bool mend_sources_add(const struct mend_sources *s, int fd, enum mend_source from, uint32_t of);

/* Datagrams of r are read from now on; its set is waited for, false: with an errno value. */
void mend_sources_add_rank(const struct mend_sources *s, const struct rank *r);
bool mend_sources_add_set(const struct mend_sources *s, const struct rank *r);
bool mend_sources_add_door(const struct mend_sources *s, int fd, bool port); /* else a caller */

/* Whether messages of a link are read, and whether it waits for room. */
void mend_sources_set_link(const struct mend_sources *s, int fd, bool in, bool out);

/* fd is not waited for any more, though another process may have the file. */
void mend_sources_drop(const struct mend_sources *s, int fd);

/* By any thread: the main thread looks at everything soon.  Takes the note. */
void mend_sources_note(const struct mend_sources *s);
void mend_sources_take_note(const struct mend_sources *s);

#endif
