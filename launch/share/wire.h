/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h – messages between a root and an agent that are two processes: bytes on a stream.
 *
 *   magic 4 | version 2 | bytes of a head 2 | kind 4 | rank 4 | bytes of data 4 | 0 4 | bytes taken 8 | args 8 each | data | 0 1
 *
 * Numbers have the least significant byte first.  The byte behind the data ends it where it is text.  What is damaged ends the connection: nothing behind it means anything.
 *
 * The stream outlives its connections.  What was sent is kept until the other end says that it has taken it, with a message of its own or with
 * one that says nothing else; when a connection has ended and another is made, both go on where the other's messages were complete.
 *
 * A connection is a socket, or the stream of an agent in between, whose messages carry the bytes of this one. */
#ifndef MEND_LAUNCH_SHARE_WIRE_H
#define MEND_LAUNCH_SHARE_WIRE_H

#include "share/loop.h"
#include "share/message.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define MEND_WIRE_VERSION  2u
#define MEND_WIRE_HEAD     (32u + 8u * MEND_MESSAGE_ARGS)
#define MEND_WIRE_TAKEN    MEND_MESSAGE_KINDS /* a kind: only `taken` is said */
#define MEND_WIRE_DATA_MAX (17u << 20) /* a request for processes, and a number for each node */

/* The head of a message; the data goes behind it as it is, and then a 0. */
void mend_wire_encode(const struct mend_message *m, uint64_t taken,
                      unsigned char head[MEND_WIRE_HEAD]);

/* Reads the message that `len` bytes begin with.  Its length; 0: it is not complete; -1: damaged. */
ssize_t mend_wire_decode(const unsigned char *at, size_t len, struct mend_message *m_p,
                         uint64_t *taken_p);

/* One end of a stream. */
struct mend_wire {
    int fd;                    /* of the connection; -1: there is none, or ... */
    struct mend_post over;     /* ... this carries its bytes, ... */
    struct mend_message frame; /* ... as data of such messages; deliver NULL: nothing does */
    bool broken;               /* it cannot go on: a message is missing, or what came was damaged */
    pthread_mutex_t lock;      /* of all that follows, but `in`: any thread sends */
    unsigned char *in, *out;
    size_t in_n, in_room, out_room;
    size_t out_n, gone_n,
        kept_at; /* of out: its bytes; those that this connection has got; the first that the other has not taken */
    uint64_t start;         /* in the stream: out[0] */
    uint64_t taken, told;   /* bytes of messages that were taken here; as the other was told */
    struct mend_loop *loop; /* NULL: none waits for it */
    uint32_t member, from, of;
    bool waits; /* the loop waits for room */
};

void mend_wire_open(struct mend_wire *w, int fd);

/* From now on the loop tells the member of what comes, and of room for what is kept.  False: errno. */
bool mend_wire_listen(struct mend_wire *w, struct mend_loop *l, uint32_t member, uint32_t from,
                      uint32_t of);

/* Sends what there is room for, and keeps the rest until mend_wire_flush().  Any thread. */
void mend_wire_send(struct mend_wire *w, const struct mend_message *m);

/* Sends what is kept, as far as there is room. */
void mend_wire_flush(struct mend_wire *w);

/* Delivers all messages that have come.  False: the connection has ended, or what came is damaged. */
bool mend_wire_read(struct mend_wire *w, const struct mend_post *to);

/* The connection has ended, and the stream may go on: what is sent meanwhile is kept. */
void mend_wire_cut(struct mend_wire *w);

/* Goes on over another connection, at whose other end so many bytes were taken; mend_wire_listen() is due again.  False: it cannot, and fd is
 * still the caller's. */
bool mend_wire_resume(struct mend_wire *w, int fd, uint64_t taken_there);

/* The same over another stream: `over` takes the bytes of this one as data of messages that are else like `frame`.  What comes back goes to
 * mend_wire_take().  The stream that carries is not one that this one carries. */
bool mend_wire_carry(struct mend_wire *w, const struct mend_post *over,
                     const struct mend_message *frame, uint64_t taken_there);

/* These bytes have come over the other stream.  False: as mend_wire_read(). */
bool mend_wire_take(struct mend_wire *w, const char *bytes, size_t n, const struct mend_post *to);

/* There is a connection. */
static inline bool mend_wire_is_up(const struct mend_wire *w)
{
    return w->fd >= 0 || w->over.deliver;
}

/* Ends the stream. */
void mend_wire_close(struct mend_wire *w);

/* A post for mend_wire_send(). */
struct mend_post mend_wire_post(struct mend_wire *w);

#endif
