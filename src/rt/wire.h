/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h – communication between the agent and the ranks of its node outside the segment.
 *
 * Environment of a rank, removed at the end of MPI_Init, so that programs that the rank starts do not believe that they
 * are ranks:
 *   MEND_RANK     its rank in MPI_COMM_WORLD        MEND_SIZE   number of ranks
 *   MEND_SHM_FD   descriptor of the segment         MEND_APPNUM index of its program (':' blocks)
 *   MEND_INJECT   ';'-separated specifications for this rank, see base/event.h (absent: none)
 *   MEND_CTL_FD   a socket to the agent (SOCK_SEQPACKET); its messages are struct mend_ctl
 *   MEND_FIRST    name of the first of its MPI_COMM_WORLD (absent: 0)
 *   MEND_SPARE    it waits until it is called, or asked for copies (rt/spare.h); then the others of this list come with the call
 *   MEND_SPAWN_FD who asked for it (rt/spawn.h; absent: nobody, it began with the job)
 *
 * rank -> agent, one datagram each:
 *   JOIN     the MPI process is not the one that the agent started (a script is around it)
 *   ABORT    the peers of the set shall end; all in one datagram, so that a kill never divides an abort
 *   SUSPECT  the peer seems to be gone: check whether it is
 *   CUT      no connection with the peer can be made, for so long: one of the two shall end
 *   CRASH    this process will dump core; the segment has the thread and the signal
 *   INJECTED an injection of MEND_INJECT is being carried out; peer: its number, from 0
 *   REPORT   one line of the --report file
 *   SPAWN    start processes: with the descriptor of a file (rt/spawn.h)
 *   WATCH    ring this process when the epoll set whose descriptor comes along is readable (node/watch.h), and no other any more
 *   UNWATCH  ring it for none
 *   SESSION  the process has a session: from now on it hears of the ends of those that have left, too
 *   PRESENCE what the process says of itself in the segment has changed; if the header's tells_presence is set
 *   TALLY    the root adds to a number that it keeps, or sets it; the answer is in the segment, and comes with an interrupt
 *   REVOKE   a context is revoked: all ranks that have it on any node, and of these jobs, are to know
 *   ASK      is there a paper of an agreement on any node (node/paper.h)?
 *   DECIDED  that agreement is decided here, so the question ends
 *   WROTE    a paper was written while the agent looked for one
 *   CONNECT  connect the job with another one, or look for newcomers there; the answer comes with an interrupt
 * agent -> rank, struct mend_ctl_abroad:
 *   ABROAD   what is known of another job, with the descriptor of its segment, unless its processes are reached by sockets; before
 *            names of its processes are given
 *   ANSWER   to a CONNECT
 * agent -> rank, struct mend_ctl_caller:
 *   CALLER   another process has begun a connection with this one (node/greeting.h), whose descriptor comes along
 * agent -> rank, struct mend_ctl_told:
 *   TOLD     the answer to an ASK; comes with an interrupt
 * The agent also sends the call to a spare on this socket (rt/spare.h), and rejects damaged messages.  The socket identifies the
 * rank, and the credentials that the kernel adds identify the process. */
#ifndef MEND_RT_WIRE_H
#define MEND_RT_WIRE_H

#include "ft/bits.h"
#include "node/abroad.h"
#include "node/paper.h"
#include "rt/tally.h"

#include <signal.h>

#define MEND_ENV_RANK   "MEND_RANK"
#define MEND_ENV_SIZE   "MEND_SIZE"
#define MEND_ENV_SHM_FD "MEND_SHM_FD"
#define MEND_ENV_CTL_FD "MEND_CTL_FD"
#define MEND_ENV_APPNUM "MEND_APPNUM"
#define MEND_ENV_INJECT "MEND_INJECT"
#define MEND_ENV_FIRST  "MEND_FIRST"
#define MEND_ENV_SPAWN  "MEND_SPAWN_FD"
#define MEND_ENV_SPARE  "MEND_SPARE"

/* For programs and scripts, also before MPI_Init and after it: rank and size among the ranks of its MPI_COMM_WORLD that
 * are on this machine. */
#define MEND_ENV_LOCAL_RANK "MEND_LOCAL_RANK"
#define MEND_ENV_LOCAL_SIZE "MEND_LOCAL_SIZE"

/* All of them. */
#define MEND_ENV_ALL                                                                               \
    {                                                                                              \
        MEND_ENV_RANK, MEND_ENV_SIZE, MEND_ENV_SHM_FD, MEND_ENV_CTL_FD, MEND_ENV_APPNUM,           \
            MEND_ENV_INJECT, MEND_ENV_FIRST, MEND_ENV_SPAWN, MEND_ENV_SPARE                        \
    }

/* agent -> rank in state RUNNING: write down what you wait for (mend_node_rank.wait_text). */
#define MEND_SIG_REPORT SIGUSR1

enum mend_ctl_kind {
    MEND_CTL_ABORT = 1,
    MEND_CTL_SUSPECT,
    MEND_CTL_REPORT,
    MEND_CTL_JOIN,
    MEND_CTL_CRASH,
    MEND_CTL_INJECTED,
    MEND_CTL_SPAWN,
    MEND_CTL_NAME,
    MEND_CTL_CONNECT,
    MEND_CTL_SESSION,
    MEND_CTL_PRESENCE,
    MEND_CTL_WATCH,
    MEND_CTL_UNWATCH,
    MEND_CTL_REVOKE,
    MEND_CTL_TALLY,
    MEND_CTL_CUT,
    MEND_CTL_ABROAD,
    MEND_CTL_ANSWER,
    MEND_CTL_CALLER,
    MEND_CTL_ASK,
    MEND_CTL_DECIDED,
    MEND_CTL_WROTE,
    MEND_CTL_TOLD
};

#define MEND_CTL_MAGIC      0x4d43u
#define MEND_CTL_RANKS_MAX  16384 /* at a time */
#define MEND_CTL_NAMES_MAX  65536 /* that a job gives */
#define MEND_CTL_TEXT_MAX   1024
#define MEND_CTL_REVOKE_MAX 1024

/* One datagram. */
struct mend_ctl {
    uint16_t magic, kind;
    int32_t code; /* ABORT: exit code */
    uint32_t
        n; /* words of the set, or length of text; 1 for SUSPECT, CUT, INJECTED, TALLY; REVOKE: words */
    uint32_t follows; /* ABORT: 1: as in struct mend_abort; else 0 */
    union {
        int32_t peer;                          /* SUSPECT, CUT: a name; INJECTED: a number */
        uint64_t set[MEND_CTL_NAMES_MAX / 64]; /* ABORT: of names */
        uint64_t revoke
            [MEND_CTL_REVOKE_MAX]; /* REVOKE: a context, and the jobs of members, but the sender's */
        char text[MEND_CTL_TEXT_MAX]; /* REPORT: the members of a JSON object, without braces */
        struct {
            uint64_t job, ask;
            mend_peer first;
            uint32_t names_n;
        } connect; /* CONNECT: ask: the rank's number of it, which the answer has; names that must be known there */
        struct {
            uint64_t of, question;
            int64_t value;
            uint64_t how; /* enum mend_tally */
        } tally;
        struct {
            uint64_t mark, seq;
            uint32_t round, zero;
        } ask; /* ASK, DECIDED: the label of the papers, and which; round: of the question, 0: only a paper is an answer */
    };
};

/* One datagram to a rank. */
struct mend_ctl_abroad {
    uint16_t magic, kind;
    int32_t error; /* ANSWER: errno value */
    uint64_t job, ask;
    uint32_t number, blocks_n;
    mend_place mine;     /* this rank's in the segment of the job */
    uint32_t by_sockets; /* 1: its processes are reached at these doors, whose key is this */
    unsigned char key[MEND_DOOR_KEY_BYTES];
    struct mend_abroad_block blocks[MEND_ABROAD_BLOCKS_MAX];
};

struct mend_ctl_caller {
    uint16_t magic, kind;
    struct mend_greeting greeting;
};

struct mend_ctl_told {
    uint16_t magic, kind;
    uint32_t round, len; /* len 0: there is no paper */
    uint64_t mark, seq;
    unsigned char bytes[MEND_PAPER_BYTES];
};

#define MEND_CTL_TOLD_BYTES(len_) (offsetof(struct mend_ctl_told, bytes) + (len_))

#define MEND_CTL_ABROAD_BYTES(blocks_n)                                                            \
    (offsetof(struct mend_ctl_abroad, blocks) + (blocks_n) * sizeof(struct mend_abroad_block))

/* Bytes of a datagram before its peers or its text. */
#define MEND_CTL_HEAD_BYTES offsetof(struct mend_ctl, set)

/* Checks a datagram of len bytes from a rank of a job that has given names_n names.  False: damaged, to be ignored.
 * After true every peer is in range and the text is printable. */
bool mend_ctl_valid(const struct mend_ctl *m, size_t len_bytes, uint32_t names_n);

#endif
