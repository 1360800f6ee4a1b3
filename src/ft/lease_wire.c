/* SPDX-License-Identifier: BSD-3-Clause */
/* lease_wire.c – encoding and decoding of the messages of leases; see lease_wire.h for the layout. */
#include "ft/lease_wire.h"

#include "base/bytes.h"

void mend_lease_wire_encode(const struct mend_lease_msg *msg, uint8_t buf[MEND_LEASE_WIRE_BYTES])
{
    uint8_t *p = buf;

    p = mend_bytes_put(p, MEND_LEASE_WIRE_MAGIC, 2);
    p = mend_bytes_put(p, MEND_LEASE_WIRE_VERSION, 1);
    p = mend_bytes_put(p, msg->word, 1);
    p = mend_bytes_put(p, (uint32_t)msg->node, 4);
    p = mend_bytes_put(p, msg->turn.incarnation, 4);
    p = mend_bytes_put(p, msg->turn.turn, 4);
    p = mend_bytes_put(p, msg->number, 8);
    p = mend_bytes_put(p, msg->d_ns, 8);
    p = mend_bytes_put(p, msg->heard, 8);
    MEND_ASSERT(p == buf + MEND_LEASE_WIRE_BYTES);
}

static bool is_sound(const struct mend_lease_msg *m, int32_t nodes_n)
{
    return m->word >= MEND_LEASE_BEAT && m->word <= MEND_LEASE_REFUSE && m->node >= 0 &&
           m->node < nodes_n && m->turn.incarnation > 0 && m->turn.turn > 0 && m->number > 0 &&
           (m->d_ns > 0) == (m->word == MEND_LEASE_GRANT) && m->heard < m->number &&
           (m->heard == 0 || m->word == MEND_LEASE_BEAT);
}

enum mend_status mend_lease_wire_decode(const uint8_t buf[MEND_LEASE_WIRE_BYTES], int32_t nodes_n,
                                        struct mend_lease_msg *msg_p)
{
    struct mend_bytes r = {buf, buf + MEND_LEASE_WIRE_BYTES, false};
    bool ours = mend_bytes_next(&r, 2) == MEND_LEASE_WIRE_MAGIC;

    ours &= mend_bytes_next(&r, 1) == MEND_LEASE_WIRE_VERSION;
    msg_p->word = (uint8_t)mend_bytes_next(&r, 1);
    msg_p->node = (int32_t)(uint32_t)mend_bytes_next(&r, 4);
    msg_p->turn.incarnation = (uint32_t)mend_bytes_next(&r, 4);
    msg_p->turn.turn = (uint32_t)mend_bytes_next(&r, 4);
    msg_p->number = mend_bytes_next(&r, 8);
    msg_p->d_ns = mend_bytes_next(&r, 8);
    msg_p->heard = mend_bytes_next(&r, 8);
    return ours && is_sound(msg_p, nodes_n) ? MEND_OK : MEND_ERR_BAD;
}
