/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h – the frames of this folder (kind MEMBER), about communicators that do not
 * exist yet.  The messages of agreement and revocation are in ft/wire.h.
 *
 *   INVITE the first of a group has come to a meeting (invite.c): frame's context: where they meet
 *   HELLO  from a leader to the other one (leaders.c): frame's context: of the peer communicator;
 *          tag: the user's; `first` is the sender's group
 *   BACK   the leader's side will not come although it has announced it: frame as in HELLO, no groups
 *   NO     a meeting cannot succeed (meet.c): frame's context: of the communicator that it
 *          would have made; `first` and `second` are its groups as in struct mend_decide_comm
 *
 *   KNOCK, WELCOME, REFUSE, COMING, FAILED, GONE   between the roots of connect and accept (port.c): key: the number of the
 *          knock, ctx: of the port; error: FAILED: why
 *
 * The frames stay on one machine, so they have the byte order and layout of the struct. */
#ifndef MEND_MEMBER_WIRE_H
#define MEND_MEMBER_WIRE_H

#include "net/frame.h"

enum mend_create_kind {
    MEND_CREATE_INVITE = 1,
    MEND_CREATE_HELLO,
    MEND_CREATE_BACK,
    MEND_CREATE_NO,
    MEND_CREATE_KNOCK,
    MEND_CREATE_WELCOME,
    MEND_CREATE_REFUSE,
    MEND_CREATE_COMING,
    MEND_CREATE_FAILED,
    MEND_CREATE_GONE
};

struct mend_create_wire {
    uint32_t kind;             /* enum mend_create_kind */
    int32_t error;             /* HELLO: why this side will not come, 0: it will; BACK, NO: why */
    uint64_t ctx;              /* HELLO: a proposal; BACK: that of the HELLO which it takes back */
    uint64_t key;              /* INVITE: what they meet for */
    int32_t first_n, second_n; /* peers that follow: first, then second */
};

#endif
