/* SPDX-License-Identifier: BSD-3-Clause */
/* greeting.h – how a connection between two processes begins.
 *
 *   caller ── connects to the door of the called process's agent, sends its greeting, and then bytes of its stream
 *   agent  ── reads the greeting, and no byte more; checks it; passes the connection on to the process (MEND_CTL_CALLER)
 *   called ── when it looks: sends its own greeting, and then bytes of its stream
 *
 * So a process listens nowhere, a stranger reaches only the agent, and a process that computes delays no caller.  Each side
 * says at which byte of its stream it begins and how many bytes of the other one it has: whatever connections have carried
 * them, each byte is taken once (net/tcp/stream.h).
 *
 * Both ends have the same byte order and layout: `bytes` and `magic` show it. */
#ifndef MEND_NODE_GREETING_H
#define MEND_NODE_GREETING_H

#include "base/status.h"

#include <string.h>

#define MEND_GREETING_MAGIC   0x4d454e44u /* "MEND" */
#define MEND_GREETING_VERSION 1u
#define MEND_DOOR_KEY_BYTES   16u
#define MEND_NODE_HOST_BYTES  64u

/* Where an agent takes connections for its processes. */
struct mend_door {
    uint32_t ipv4; /* both in network byte order; port 0: there is none */
    uint16_t port;
    uint16_t unused;
    unsigned char key[MEND_DOOR_KEY_BYTES]; /* who has it is of the job */
};

/* One of the nodes of the job. */
struct mend_node_of_job {
    char host[MEND_NODE_HOST_BYTES];
    struct mend_door door;
};

struct mend_greeting {
    uint32_t magic;
    uint16_t version, bytes; /* of this struct */
    uint64_t job;
    unsigned char key[MEND_DOOR_KEY_BYTES];
    mend_peer from, to;
    uint64_t call;     /* number of the pair's connection (net/tcp/connect.c) */
    uint64_t start;    /* position of the first byte of from's stream that follows */
    uint64_t received; /* bytes of to's stream that `from` has */
    uint64_t refused;  /* 1: an answer: the connection with that number counts, and not this one */
};
_Static_assert(sizeof(struct mend_greeting) == 72, "the same for all compilers");

/* Takes the same time wherever two keys differ. */
static inline bool mend_door_key_is(const unsigned char *a, const unsigned char *b)
{
    unsigned differ = 0;

    for (unsigned i = 0; i < MEND_DOOR_KEY_BYTES; i++)
        differ |= a[i] ^ b[i];
    return !differ;
}

/* A greeting of this version, by a process of the job that has the key. */
static inline bool mend_greeting_is(const struct mend_greeting *g, const struct mend_door *door,
                                    uint64_t job)
{
    return g->magic == MEND_GREETING_MAGIC && g->version == MEND_GREETING_VERSION &&
           g->bytes == sizeof(*g) && g->job == job && mend_door_key_is(g->key, door->key);
}

#endif
