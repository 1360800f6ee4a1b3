/* SPDX-License-Identifier: BSD-3-Clause */
/* service.h – names under which processes of one user find the ports of others (MPI-5.0 11.9.4): one file per name, in a
 * directory that belongs to the user alone.
 *
 *     /dev/shm/mend-UID/          0700; /tmp/mend-UID where there is no /dev/shm
 *         0123...cdef             a hash of scope and name; | header | name | port |
 *         new-PID-NUMBER          is being written
 *
 *   publish    write new-... ── link to its place ──> published; or the place is taken
 *                                    │ by a dead process: lock that file, remove it if it is still there, link again
 *   look up    open ── whole? that name? its publisher alive? ──> the port
 *   sweep      removes what the dead have left; the launcher does so at the end of each job
 *
 * Invariants
 * 1. A file at its place is whole: link() puts it there with all it contains.
 * 2. A file leaves its place under its lock, and only if it is the file of that place then: so nobody removes what
 *    another process has published a moment ago.
 * 3. A publisher is alive as long as its process is, known by number, start and name space; one of another
 *    name space until its job has ended.
 *
 * No call blocks.  Errors are values of errno; 0: none.  EPERM: the directory, or the file, is not the user's alone. */
#ifndef MEND_RT_SERVICE_H
#define MEND_RT_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEND_SERVICE_PORT_MAX  1024 /* MPI_MAX_PORT_NAME */
#define MEND_SERVICE_DIR_BYTES 64

/* A name is for all processes of the user, or those of one job. */
#define MEND_SERVICE_USER UINT64_C(0)

/* The directory, which may not exist yet. */
void mend_service_dir(char dir[MEND_SERVICE_DIR_BYTES]);

/* job: of this process.  rank: for which rank it does so, if not for itself (launch/agent/names.c); else 0.  EEXIST: a living process
 * has published the name.  EBUSY: other processes change it all the time. */
int mend_service_publish(const char *dir, uint64_t job, int64_t rank, uint64_t scope,
                         const char *name, const char *port);

/* The port, with its end, into `port`.  ENOENT: no living process has published the name. */
int mend_service_look_up(const char *dir, uint64_t scope, const char *name,
                         char port[MEND_SERVICE_PORT_MAX]);

/* ENOENT: this process has not published the name with this port, for that rank. */
int mend_service_withdraw(const char *dir, int64_t rank, uint64_t scope, const char *name,
                          const char *port);

/* Removes all that this process has published for that rank. */
void mend_service_sweep_rank(const char *dir, int64_t rank);

/* Removes all that this process, the job or a dead process has published, and the directory if nothing is left in it.
 * job: one of which no process lives, 0: none. */
void mend_service_sweep(const char *dir, uint64_t job);

#endif
