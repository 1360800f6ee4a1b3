/* SPDX-License-Identifier: BSD-3-Clause */
/* sources.c – see sources.h. */
#include "agent/sources.h"

#include <errno.h>
#include <unistd.h>

bool mend_sources_add(const struct mend_sources *s, int fd, enum mend_source from, uint32_t of)
{
    return mend_loop_add(s->loop, s->member, fd, from, of);
}

void mend_sources_add_rank(const struct mend_sources *s, const struct rank *r)
{
    mend_sources_add(s, r->ctl_fd, MEND_SOURCE_CTL, (uint32_t)r->index);
}

bool mend_sources_add_set(const struct mend_sources *s, const struct rank *r)
{
    return mend_sources_add(s, r->watch_fd, MEND_SOURCE_SET, (uint32_t)r->index);
}

bool mend_sources_add_door(const struct mend_sources *s, int fd, bool port)
{
    return mend_sources_add(s, fd, port ? MEND_SOURCE_PORT : MEND_SOURCE_CALLER, (uint32_t)fd);
}

void mend_sources_set_link(const struct mend_sources *s, int fd, bool in, bool out)
{
    mend_loop_set(s->loop, s->member, fd, MEND_SOURCE_LINK, (uint32_t)fd, in, out);
}

void mend_sources_drop(const struct mend_sources *s, int fd)
{
    mend_loop_drop(s->loop, fd);
}

void mend_sources_note(const struct mend_sources *s)
{
    const uint64_t one = 1;

    while (write(s->note_fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

void mend_sources_take_note(const struct mend_sources *s)
{
    uint64_t count;

    while (read(s->note_fd, &count, sizeof(count)) < 0 && errno == EINTR)
        ;
}
