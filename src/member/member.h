/* SPDX-License-Identifier: BSD-3-Clause */
/* member.h – how communicators come to be, and what the members agree on.
 *
 * Creation is uniform (seed 002, case A): one agreement over the parent decides {everybody could,
 * nobody died, context id, shared-memory cell}.  It exists at all living members or at none.  On a
 * communicator with a dead member creation fails at once with MPI_ERR_PROC_FAILED (S2-9). */
#ifndef MEND_MEMBER_MEMBER_H
#define MEND_MEMBER_MEMBER_H

#include "coll/coll.h"
#include "ft/agree_sm.h"

/* Agreement among the living members of c.  Collective over the living; blocks until decided; never
 * fails because of deaths or revocation (S0-88..93).  and_words and max_words are in-out. */
struct mend_agreed {
    uint64_t and_word[MEND_AGREE_WORDS], max_word[MEND_AGREE_WORDS]; /* max_word[3] is ours */
    struct mend_group *failed; /* out: members agreed to be failed, caller drops it; may be NULL */
    int failed_n;              /* out: how many */
    bool all_acked;            /* out: everybody had acknowledged all of them (R16) */
    uint64_t cells;            /* creation: what this process offers (coll/cells.c) */
    bool parts;                /* creation: disjoint communicators with one context (split.c) */
};
int mend_agree(struct mend_comm *c, struct mend_agreed *value);

/* Nonblocking: done(arg, value) runs from progress; value is valid during the call. */
typedef void mend_agree_done(void *arg, struct mend_agreed *value);
int mend_agree_start(struct mend_comm *c, const struct mend_agreed *value, mend_agree_done *done,
                     void *arg);

/* Marks c revoked here and tells all members.  Not collective, does not block. */
void mend_revoke(struct mend_comm *c);

/* Carries out what others have revoked and this process has not heard of yet; those who died may have told
 * nobody any more. */
void mend_revoke_on_interrupt(struct mend_proc *self);

int mend_member_init(struct mend_proc *self);
void mend_member_fini(struct mend_proc *self);
void mend_member_on_death(struct mend_proc *self, mend_peer dead);
int mend_ft_attach(struct mend_comm *c); /* per-communicator state; called at creation */
void mend_ft_detach(struct mend_comm *c);

/* The user frees c: drops the handle's reference, now or a little later (ft.c says why). */
void mend_member_free(struct mend_comm *c);

/* Creation.  All collective over c (create_group: over the group); block; MPI error classes.
 * Attributes are copied by the caller (comm/attr.c) for the dup family. */
int mend_member_dup(struct mend_comm *c, struct mend_comm **new_p);
int mend_member_idup(struct mend_comm *c, struct mend_comm **new_p, struct mend_request **req_p);
int mend_member_create(struct mend_comm *c, struct mend_group *g, struct mend_comm **new_p);
int mend_member_create_group(struct mend_comm *c, struct mend_group *g, int tag,
                             struct mend_comm **new_p);
int mend_member_split(struct mend_comm *c, int color, int key, struct mend_comm **new_p);
int mend_member_split_type(struct mend_comm *c, int type, int key, struct mend_info *info,
                           struct mend_comm **new_p);
/* Without a parent: those who meet with the same group and tag.  create_from_groups: an intercommunicator;
 * the leader, a rank of g, knows `other`, the leader of the other group, or why it does not
 * (other_error, which its whole side then gets). */
int mend_member_create_from_group(struct mend_proc *self, struct mend_group *g, const char *tag,
                                  struct mend_comm **new_p);
int mend_member_create_from_groups(struct mend_proc *self, struct mend_group *g, int leader,
                                   mend_peer other, const char *tag, int other_error,
                                   struct mend_comm **new_p);
/* peer_c and what follows matter at the local leader only, NULL elsewhere; peer_error: what is wrong
 * with them, which the whole group then gets. */
int mend_member_intercomm_create(struct mend_comm *local, int local_leader,
                                 struct mend_comm *peer_c, int remote_leader, int tag,
                                 int peer_error, struct mend_comm **new_p);
int mend_member_intercomm_merge(struct mend_comm *inter, int high, struct mend_comm **new_p);

/* strict: S0-73 and R3 (MPI_Comm_shrink); else any communicator (MPIX_Comm_shrink). */
int mend_member_shrink(struct mend_comm *c, bool strict, struct mend_comm **new_p);
int mend_member_ishrink(struct mend_comm *c, struct mend_comm **new_p, struct mend_request **req_p);

/* *failed_p: the members that failed, of both groups, the same at all; the caller's.  MPI_ERR_INVALIDATED:
 * c is revoked, also if that happens meanwhile; never MPI_ERR_PROC_FAILED. */
int mend_member_validate(struct mend_comm *c, struct mend_group **failed_p);

#endif
