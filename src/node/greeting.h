/* SPDX-License-Identifier: BSD-3-Clause */
/* greeting.h – how a connection between two processes begins.
 *
 *   caller ── connects to the door of the called process's agent
 *   agent  ── says a nonce (struct mend_challenge)
 *   caller ── its greeting, with that nonce and one of its own, and then bytes of its stream
 *   agent  ── reads the greeting, and no byte more; checks it; passes the connection on to the process (MEND_CTL_CALLER)
 *   called ── when it looks: its own greeting, with both nonces, and then bytes of its stream
 *
 * So a process listens nowhere, a stranger reaches only the agent, and a process that computes delays no caller.  Each side
 * says at which byte of its stream it begins and how many bytes of the other one it has: whatever connections have carried
 * them, each byte is taken once (net/tcp/stream.h).
 *
 * A greeting proves that its sender has the key of the job, and does not say it: the proof is an HMAC of all that stands before it,
 * names and nonces.  Each nonce is used once, so a greeting that somebody has recorded fits no other connection.  What
 * follows the greetings is neither encrypted nor proved.
 *
 * So does the connection of an agent with its parent, which answers itself (launch/root/agents.c).
 *
 * Both ends have the same byte order and layout: `bytes` and `magic` show it. */
#ifndef MEND_NODE_GREETING_H
#define MEND_NODE_GREETING_H

#include "base/sha256.h"
#include "base/status.h"
#include "node/address.h"

#include <stddef.h>

#define MEND_GREETING_MAGIC   0x4d454e44u /* "MEND" */
#define MEND_GREETING_VERSION 2u
#define MEND_DOOR_KEY_BYTES   16u
#define MEND_NODE_HOST_BYTES  64u
#define MEND_NONCE_BYTES      16u

/* Where an agent takes connections for its processes. */
struct mend_door {
    struct mend_address at;
    unsigned char key[MEND_DOOR_KEY_BYTES]; /* who has it is of the job */
};

/* One of the nodes of the job. */
struct mend_node_of_job {
    char host[MEND_NODE_HOST_BYTES];
    struct mend_door door;
};

/* What an agent says to a caller. */
struct mend_challenge {
    uint32_t magic;
    uint16_t version, bytes; /* of a greeting */
    unsigned char nonce[MEND_NONCE_BYTES];
};

enum mend_greeting_kind {
    MEND_GREETING_CALL = 1,
    MEND_GREETING_ANSWER,
    MEND_GREETING_REFUSAL, /* the connection with that number counts, and not this one */
    MEND_GREETING_AGENT, /* an agent calls its parent; from and to are nodes; received: bytes of its messages */
    MEND_GREETING_GONE /* its keeper does: no process of the node is left */
};

struct mend_greeting {
    uint32_t magic;
    uint16_t version, bytes; /* of this struct */
    uint64_t job;            /* whose door was called */
    mend_peer from, to;      /* between two jobs as all jobs name them (node/abroad.h) */
    uint64_t kind;           /* enum mend_greeting_kind */
    uint64_t call;           /* number of the pair's connection (net/tcp/connect.c) */
    uint64_t start;          /* position of the first byte of from's stream that follows */
    uint64_t received;       /* bytes of to's stream that `from` has */
    unsigned char caller_nonce[MEND_NONCE_BYTES]; /* of the call that this is, or answers */
    unsigned char door_nonce[MEND_NONCE_BYTES];   /* what the agent has said to it */
    unsigned char proof[MEND_SHA256_BYTES];
};
_Static_assert(sizeof(struct mend_greeting) == 120, "the same for all compilers");

static inline void mend_greeting_prove(const struct mend_greeting *g,
                                       const unsigned char key[MEND_DOOR_KEY_BYTES],
                                       unsigned char proof[MEND_SHA256_BYTES])
{
    mend_hmac_sha256(key, MEND_DOOR_KEY_BYTES, g, offsetof(struct mend_greeting, proof), proof);
}

static inline void mend_greeting_sign(struct mend_greeting *g,
                                      const unsigned char key[MEND_DOOR_KEY_BYTES])
{
    mend_greeting_prove(g, key, g->proof);
}

/* A greeting of this version at a door of that job, by a process that has its key. */
static inline bool mend_greeting_is(const struct mend_greeting *g,
                                    const unsigned char key[MEND_DOOR_KEY_BYTES], uint64_t job)
{
    unsigned char proof[MEND_SHA256_BYTES];

    if (g->magic != MEND_GREETING_MAGIC || g->version != MEND_GREETING_VERSION ||
        g->bytes != sizeof(*g) || g->job != job)
        return false;
    mend_greeting_prove(g, key, proof);
    return mend_same_bytes(g->proof, proof, sizeof(proof));
}

#endif
