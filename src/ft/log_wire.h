/* SPDX-License-Identifier: BSD-3-Clause */
/* log_wire.h – the bytes of what the agents of a job say to each other about their log.
 *
 * All integers are little-endian, nothing is aligned.
 *
 *   message   u8 version, u8 flags (1: down, 2: joins, 4: again, 8: press), u64 number, up: u64 min, u32 number of facts
 *   fact      u8 kind, u32 by, u64 seq; up: u64 before, u64 known;
 *             if its kind has them (ft/fact.h): u32 agent; u64 context; u32 number of runs, and for each
 *             u32 first, u32 n, u8 cause, u32 code
 *
 * One message has one encoding.  Input is never trusted: every count is checked against the length and the room, and a
 * fact that is not sound is refused.  What an agent keeps for itself in its proposals (`left`) is not sent. */
#ifndef MEND_FT_LOG_WIRE_H
#define MEND_FT_LOG_WIRE_H

#include "ft/log_sm.h"

#define MEND_LOG_WIRE_VERSION 1

/* Bytes of the message's encoding. */
size_t mend_log_wire_bytes(const struct mend_log_msg *msg);

/* Encodes it into that many bytes. */
void mend_log_wire_encode(const struct mend_log_msg *msg, void *buf);

/* Words that suffice for the facts of len bytes. */
static inline size_t mend_log_wire_words(size_t len)
{
    return len * 5 / 8 + 1;
}

/* Decodes exactly len bytes from an agent of a job of so many agents and names.  The facts are put into words, to which msg_p points
 * then.  MEND_ERR_BAD: damaged, of another version, or longer than the room; *msg_p and words are undefined. */
enum mend_status mend_log_wire_decode(const void *buf, size_t len, int32_t agents_n,
                                      int32_t names_n, uint64_t *words, size_t words_n,
                                      struct mend_log_msg *msg_p);

#endif
