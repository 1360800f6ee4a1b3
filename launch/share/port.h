/* SPDX-License-Identifier: BSD-3-Clause */
/* port.h – where an agent takes connections, and how long it may take to make one. */
#ifndef MEND_LAUNCH_SHARE_PORT_H
#define MEND_LAUNCH_SHARE_PORT_H

#include "node/address.h"

/* Ports that may be used, as a firewall wants it; first 0: any. */
struct mend_port_range {
    uint16_t first, last;
};

/* Listens at the address, at all of this machine if its bytes are 0, and sets its port.  -1: an errno value; all ports of the range are
 * taken: EADDRINUSE. */
int mend_port_listen(struct mend_address *at_p, struct mend_port_range range);

/* A connection to the address.  -1: an errno value; none by then (CLOCK_MONOTONIC): ETIMEDOUT. */
int mend_port_dial(const struct mend_address *to, mend_time_ns deadline);

/* Reads and writes so many bytes.  False: the connection has ended, or it is too late. */
bool mend_port_read(int fd, void *at, size_t len, mend_time_ns deadline);
bool mend_port_write(int fd, const void *at, size_t len, mend_time_ns deadline);

/* The addresses of both ends. */
bool mend_port_ends(int fd, struct mend_address *own_p, struct mend_address *other_p);

#endif
