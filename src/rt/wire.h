/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h – what passes between the agent and the ranks of its node besides the segment.
 *
 * Environment of a rank:
 *   MEND_RANK     its rank in MPI_COMM_WORLD        MEND_SIZE   number of ranks
 *   MEND_SHM_FD   descriptor of the segment         MEND_APPNUM index of its program (':' blocks)
 *   MEND_INJECT   ';'-separated specifications for this rank, see base/event.h
 *   MEND_CTL_FD   a socket to the agent (SOCK_SEQPACKET); its messages are struct mend_ctl
 * The rank removes these from its environment's view of child processes by FD_CLOEXEC.
 *
 * rank -> agent: ABORT with the list of peers that shall end, SUSPECT one peer, REPORT one line of
 * the --report file.  Damaged messages are refused by the agent. */
#ifndef MEND_RT_WIRE_H
#define MEND_RT_WIRE_H

#include "base/status.h"

enum mend_ctl_kind { MEND_CTL_ABORT = 1, MEND_CTL_SUSPECT, MEND_CTL_REPORT };

#define MEND_CTL_MAGIC     0x4d43u
#define MEND_CTL_PEERS_MAX 1024
#define MEND_CTL_TEXT_MAX  1024

/* One datagram.  ABORT of more than MEND_CTL_PEERS_MAX peers is several datagrams. */
struct mend_ctl {
    uint16_t magic, kind;
    int32_t code; /* ABORT: exit code */
    uint32_t n;   /* number of peers, or length of text */
    union {
        int32_t peers[MEND_CTL_PEERS_MAX];
        char text[MEND_CTL_TEXT_MAX]; /* REPORT: the members of a JSON object, without braces */
    };
};

/* Bytes of a datagram that are in use. */
#define MEND_CTL_HEAD_BYTES offsetof(struct mend_ctl, peers)

#endif
