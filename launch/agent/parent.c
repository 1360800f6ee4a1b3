/* SPDX-License-Identifier: BSD-3-Clause */
/* parent.c – see parent.h.  Both ends prove that they have the key of the job (node/greeting.h): an agent does what its parent
 * says, so it must know who that is. */
#include "agent/parent.h"

#include "base/time.h"

#include <errno.h>
#include <sys/random.h>
#include <unistd.h>

#define PARENT   0 /* its node */
#define AGAIN_US 20000

static bool is_challenge(const struct mend_challenge *c)
{
    return c->magic == MEND_GREETING_MAGIC && c->version == MEND_GREETING_VERSION &&
           c->bytes == sizeof(struct mend_greeting);
}

static bool greet(const struct mend_parent_call *c, int fd, struct mend_greeting *g_p)
{
    struct mend_challenge challenge;

    if (!mend_port_read(fd, &challenge, sizeof(challenge), c->deadline))
        return false;
    *g_p = (struct mend_greeting){.magic = MEND_GREETING_MAGIC,
                                  .version = MEND_GREETING_VERSION,
                                  .bytes = sizeof(*g_p),
                                  .job = c->nodes->job,
                                  .from = (mend_peer)c->nodes->me,
                                  .to = PARENT,
                                  .kind = c->kind,
                                  .received = c->taken};
    errno = EPROTO;
    if (!is_challenge(&challenge) ||
        getrandom(g_p->caller_nonce, sizeof(g_p->caller_nonce), 0) != sizeof(g_p->caller_nonce))
        return false;
    memcpy(g_p->door_nonce, challenge.nonce, sizeof(g_p->door_nonce));
    mend_greeting_sign(g_p, c->nodes->agents_key);
    return mend_port_write(fd, g_p, sizeof(*g_p), c->deadline);
}

static bool is_answered(const struct mend_parent_call *c, int fd, const struct mend_greeting *g,
                        uint64_t *taken_there_p)
{
    struct mend_greeting a;

    if (!mend_port_read(fd, &a, sizeof(a), c->deadline))
        return false;
    errno = EPROTO;
    *taken_there_p = a.received;
    return mend_greeting_is(&a, c->nodes->agents_key, g->job) && a.kind == MEND_GREETING_ANSWER &&
           a.from == g->to && a.to == g->from &&
           mend_same_bytes(a.caller_nonce, g->caller_nonce, sizeof(a.caller_nonce)) &&
           mend_same_bytes(a.door_nonce, g->door_nonce, sizeof(a.door_nonce));
}

static int try_parent(const struct mend_parent_call *c, uint64_t *taken_there_p, const char **why_p,
                      bool *met_p)
{
    int fd = mend_port_dial(c->to, c->deadline), error;
    struct mend_greeting g;

    *met_p = fd >= 0;
    *why_p = "it cannot be reached";
    if (fd < 0)
        return -1;
    *why_p = "it does not answer";
    if (greet(c, fd, &g) && is_answered(c, fd, &g, taken_there_p))
        return fd;
    error = errno;
    close(fd);
    errno = error;
    return -1;
}

/* A door that strangers besiege shows out those that came first, friend or stranger (doorman.c).  What says something else than a door, or has
 * another key, will go on doing so. */
int mend_parent_call(const struct mend_parent_call *c, uint64_t *taken_there_p, const char **why_p)
{
    bool met;
    int fd = try_parent(c, taken_there_p, why_p, &met);

    while (fd < 0 && met && errno != EPROTO && mend_time_monotonic_ns() < c->again_until) {
        usleep(AGAIN_US);
        fd = try_parent(c, taken_there_p, why_p, &met);
    }
    return fd;
}
