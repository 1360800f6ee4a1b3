/* SPDX-License-Identifier: BSD-3-Clause */
/* pass.h – a datagram that takes descriptors along, over a Unix socket.
 *
 * The agent and its ranks send each other files and segments this way; nothing of them has a name. */
#ifndef MEND_RT_PASS_H
#define MEND_RT_PASS_H

#include <stddef.h>
#include <sys/types.h>

#define MEND_PASS_MAX 4 /* descriptors in one datagram */

/* Sends len bytes and n descriptors, 0 or more, which stay open here.  Flags as of sendmsg(); a socket that is closed at the other end
 * is an error, not a signal.  Without MSG_DONTWAIT it waits for room, which comes when the other end reads or is closed.
 * Returns how many bytes were sent, or -1 with errno. */
ssize_t mend_pass(int socket, const void *bytes, size_t len, const int *fd, int n, int flags);

/* Receives a datagram of up to len bytes, and up to max descriptors, which are closed when a program is started; fd[i] is -1
 * where none came, and those beyond are closed.  Flags and result as of recvmsg(), but no signal ends the call. */
ssize_t mend_pass_take(int socket, void *bytes, size_t len, int *fd, int max, int flags);

#endif
