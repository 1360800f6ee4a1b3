/* SPDX-License-Identifier: BSD-3-Clause */
/* session.h – sessions as objects, and process sets (MPI-5.0 11.3).  All local.
 *
 * A session is an error handler, an info, a thread level and a buffer.  Groups of its process sets, and the
 * communicators that are made from them, carry its number, which is never used again: so what is left when the session
 * ends can be found, and a buffered send finds its session's buffer. */
#ifndef MEND_COMM_SESSION_H
#define MEND_COMM_SESSION_H

#include "comm/comm.h"

#define MEND_SESSION_MAGIC 0x73657373u

struct mend_session {
    uint32_t magic;
    uint32_t number; /* from 1 */
    struct mend_list link;
    struct mend_errhandler *errhandler;
    int thread_level;
    char *kinds; /* memory allocation kinds that it asked for (kinds.c); NULL: none */
    struct mend_p2p_buffer *buffer; /* MPI_Session_attach_buffer */
};

/* A session in self->sessions; takes a reference of the handler, and copies what info asks for (NULL: nothing).  NULL: no
 * memory. */
struct mend_info;
struct mend_session *mend_session_create(struct mend_proc *self, struct mend_errhandler *e,
                                         const struct mend_info *info, int thread_level);
void mend_session_free(struct mend_proc *self, struct mend_session *s);

/* The open session with this number; NULL: none. */
struct mend_session *mend_session_of(const struct mend_proc *self, uint32_t number);

/* A communicator that the program still has of the session; NULL: none. */
struct mend_comm *mend_session_comm(struct mend_proc *self, uint32_t number);

/* The process sets, in any case: mpi://WORLD, mpi://SELF, mend://alive (those of the world that are not known to be dead
 * here, now), mend://node (those that share memory with this process, the dead included). */
#define MEND_PSETS 4
const char *mend_pset_name(int n);

/* MPI_ERR_ARG: there is none of that name; MPI_ERR_NO_MEM.  The caller owns the group. */
int mend_pset_group(struct mend_proc *self, const char *name, struct mend_group **g_p);

#endif
