/* SPDX-License-Identifier: BSD-3-Clause */
/* create.h – the creation of communicators.
 *
 * Creation is uniform (Hursey's text, case A): one agreement over the parent decides {all members are able,
 * none has died, context id, shared-memory cell}.  All survivors get the communicator, or none.  On a
 * communicator with a dead member creation fails at once with MPI_ERR_PROC_FAILED (S2-9). */
#ifndef MEND_CREATE_CREATE_H
#define MEND_CREATE_CREATE_H

#include "decide/revoke.h"

int mend_create_init(struct mend_proc *self);

/* Calls that wait for a process that is dead end, and what it had begun is forgotten. */
void mend_create_on_death(struct mend_proc *self, mend_peer dead);

/* c was revoked here: so is what carries its collectives, and meetings that name it are called off. */
void mend_create_on_revoke(struct mend_comm *c);

/* c goes. */
void mend_create_detach(struct mend_comm *c);

/* Creation.  All collective over c (create_group: over the group); block; MPI error classes.
 * Attributes are copied by the caller (comm/attr.c) for the dup family. */
int mend_create_dup(struct mend_comm *c, struct mend_comm **new_p);
int mend_create_idup(struct mend_comm *c, struct mend_comm **new_p, struct mend_request **req_p);
int mend_create_from_subset(struct mend_comm *c, struct mend_group *g, struct mend_comm **new_p);
int mend_create_group(struct mend_comm *c, struct mend_group *g, int tag, struct mend_comm **new_p);
int mend_create_split(struct mend_comm *c, int color, int key, struct mend_comm **new_p);
int mend_create_split_type(struct mend_comm *c, int type, int key, struct mend_info *info,
                           struct mend_comm **new_p);
/* Without a parent: the callers with the same group and tag.  create_from_groups: an intercommunicator;
 * the leader, a rank of g, knows `other`, the leader of the other group, or why it does not
 * (other_error, which its whole side then gets). */
int mend_create_from_group(struct mend_proc *self, struct mend_group *g, const char *tag,
                           struct mend_comm **new_p);
int mend_create_from_groups(struct mend_proc *self, struct mend_group *g, int leader,
                            mend_peer other, const char *tag, int other_error,
                            struct mend_comm **new_p);
/* peer_c and what follows matter at the local leader only, NULL elsewhere; peer_error: what is wrong
 * with them, which the whole group then gets. */
int mend_create_intercomm(struct mend_comm *local, int local_leader, struct mend_comm *peer_c,
                          int remote_leader, int tag, int peer_error, struct mend_comm **new_p);
int mend_create_merge(struct mend_comm *inter, int high, struct mend_comm **new_p);

/* strict: S0-73 and R3 (MPI_Comm_shrink); else any communicator (MPIX_Comm_shrink). */
int mend_create_shrink(struct mend_comm *c, bool strict, struct mend_comm **new_p);
int mend_create_ishrink(struct mend_comm *c, struct mend_comm **new_p, struct mend_request **req_p);

/* *failed_p: the members that failed, of both groups, the same at all; the caller's.  MPI_ERR_INVALIDATED:
 * c is revoked, also if that happens meanwhile; never MPI_ERR_PROC_FAILED. */
int mend_create_validate(struct mend_comm *c, struct mend_group **failed_p);

#endif
