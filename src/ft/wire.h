/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h – everything that the protocols of ft/ put on a network.
 *
 * The frame around these bytes says which communicator they are about (net/frame.h).  All integers
 * are little-endian, nothing is aligned.
 *
 *   agreement   u8 kind (enum mend_agree_msg_kind)
 *               u8 words: bit w: and_word[w] follows, bit 4+w: max_word[w] follows; a word that is
 *                  neutral is not sent
 *               u8 forms of two sets, the failed in the low half, the dead to the sender in the high: 0 empty,
 *                  1 bitmap, 2 runs
 *               u64 seq, u32 ballot, u32 accepted + 1
 *               u64 for each bit set in `words`
 *               the two sets; form 1: ceil(n/8) bytes; form 2: u32 count, then (u32 first, u32 length)
 *                  ascending
 *               REQUEST has no words and no failed set, GONE ends after `accepted`
 *   revocation  nothing: the frame says it all
 *
 * One message has one encoding, so encode(decode(bytes)) == bytes or decode refuses; that is what
 * wire_fuzz.c tests.  Input is never trusted: every count is checked against n and the length. */
#ifndef MEND_FT_WIRE_H
#define MEND_FT_WIRE_H

#include "ft/agree_sm.h"

#define MEND_FT_AGREE_HEAD_BYTES 19

/* Largest encoding of an agreement's message among n members. */
size_t mend_ft_agree_max_bytes(int32_t n);

/* Encodes msg (its `peer` is not sent) and returns the length, at most mend_ft_agree_max_bytes().
 * 0: `size` is too small.  An empty set costs nothing; O(n) if it is not empty. */
size_t mend_ft_agree_encode(const struct mend_agree_msg *msg, int32_t n, void *buf, size_t size);

/* Decodes exactly len bytes.  `sets` is room for MEND_FT_AGREE_SETS sets of n ranks, into which msg_p points
 * then.  msg_p->peer is set to `from`.  MEND_ERR_BAD: damaged; *msg_p and sets are undefined. */
#define MEND_FT_AGREE_SETS 2
enum mend_status mend_ft_agree_decode(const void *buf, size_t len, int32_t n, int32_t from,
                                      uint64_t *sets, struct mend_agree_msg *msg_p);

/* The kind, number and ballot of a message about members that the caller knows nothing of.  False: damaged,
 * as far as can be told. */
bool mend_ft_agree_peek(const void *buf, size_t len, struct mend_agree_msg *msg_p);

#endif
