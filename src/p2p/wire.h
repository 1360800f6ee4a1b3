/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h – the contents of the frames of p2p/.
 *
 *   sender                         receiver
 *   EAGER  tag, src, bytes  ---->                         small: the whole message
 *
 *   DECLINE tag, src        ---->                         no message: its sender has no memory (collectives)
 *
 *   RTS    total, id        ---->                         large or synchronous
 *                           <----  CTS  id, recv id       matched: send it
 *   DATA   recv id, bytes   ---->                         fragments, in order
 *      or                   <----  CTS  id, done          the receiver has pulled it (single copy)
 *      or                   <----  SHARE tag turn         help to copy fragments (net/copypage.h)
 *                           <----  CTS  id, done          all fragments are there
 *
 *                           <----  CREDIT tag HOLD         send an RTS for small messages, too
 *                           <----  CREDIT tag GO           send them at once again
 *
 *   CANCEL id               ---->                         is it still unmatched?
 *                           <----  CANCEL_REPLY id, found                                       */
#ifndef MEND_P2P_WIRE_H
#define MEND_P2P_WIRE_H

#include "net/frame.h"

struct mend_rts {
    uint64_t total_bytes;
    uint64_t address; /* of the packed data in the sender's memory, 0: not contiguous */
    uint32_t id;      /* sender's name for it */
    uint32_t stamp;   /* of the sender's RTSs (net.h) */
};

struct mend_cts {
    uint32_t id, recv_id;
    uint32_t done; /* 1: the data has been pulled, the send is complete */
};

struct mend_cancel {
    uint32_t id, found;
};

#endif
