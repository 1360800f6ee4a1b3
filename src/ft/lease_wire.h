/* SPDX-License-Identifier: BSD-3-Clause */
/* lease_wire.h – the messages of leases as bytes, all of one length, so that a stream of them needs no frames.
 *
 *   u16 magic, u8 version, u8 word, u32 node, u32 incarnation, u32 turn, u64 number, u64 d, u64 heard
 *
 * The least significant byte is first.  One message has one encoding; what is not sound is refused. */
#ifndef MEND_FT_LEASE_WIRE_H
#define MEND_FT_LEASE_WIRE_H

#include "ft/lease_sm.h"

#define MEND_LEASE_WIRE_MAGIC   0x6c4d
#define MEND_LEASE_WIRE_VERSION 1
#define MEND_LEASE_WIRE_BYTES   40

void mend_lease_wire_encode(const struct mend_lease_msg *msg, uint8_t buf[MEND_LEASE_WIRE_BYTES]);

/* From an agent of a job of so many nodes.  MEND_ERR_BAD: damaged, or of another version; *msg_p is undefined. */
enum mend_status mend_lease_wire_decode(const uint8_t buf[MEND_LEASE_WIRE_BYTES], int32_t nodes_n,
                                        struct mend_lease_msg *msg_p);

#endif
