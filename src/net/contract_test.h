/* SPDX-License-Identifier: BSD-3-Clause */
/* contract_test.h – a transport that the tests of the contract of net.h run with.
 *
 * A test program is made of contract_test.c, contract_ends_test.c and one file that defines mend_net_subject: which transport it is, and how
 * the processes are made that it connects.  All of them are values in this one process.
 *
 *   suite: processes with names and memory ──> begin ──> suite: reach, as life/init.c does ──> a test ──> end
 *
 * What a transport cannot do stands in its own table: where peek, memory_for or forget is NULL the tests leave it out. */
#ifndef MEND_NET_CONTRACT_TEST_H
#define MEND_NET_CONTRACT_TEST_H

#include "net/net.h"

#define MEND_NET_SUBJECT_PROCS 8 /* the most that a test asks for */

struct mend_net_subject {
    const struct mend_net *net;

    /* The n processes have their names, know each other, and have an arena; each of them is on a node of its own, as
     * mend_peers_add() has it.  Says where they are, itself included, if the transport asks; hangs a bell into each if it
     * needs one; opens the transport. */
    void (*begin)(struct mend_proc *procs, mend_peer n);
    /* Undoes that.  The arenas are still there, and some of the processes have severed others. */
    void (*end)(struct mend_proc *procs, mend_peer n);

    /* Returns when all that `from` has sent to `to`, less than 32 KiB, lies where the next poll of `to` finds it; must not
     * poll `to`.  NULL: that is always so. */
    void (*deliver)(struct mend_proc *from, struct mend_proc *to);
    /* Puts bytes where the next frame from `from` to `to` would begin, as a faulty process may.  NULL: a test of the
     * transport's own does it. */
    void (*forge)(struct mend_proc *from, struct mend_proc *to, const void *bytes, size_t len);
};

extern const struct mend_net_subject mend_net_subject;

#endif
