/* SPDX-License-Identifier: BSD-3-Clause */
/* meet.h – processes without a common communicator create one: meetings (meet.c), their ids
 * (invite.c), and the messages between the leaders of two groups (leaders.c). */
#ifndef MEND_CREATE_MEET_H
#define MEND_CREATE_MEET_H

#include "create/creation.h"

/* What a process keeps of such calls. */
struct mend_create {
    struct mend_hash declined;    /* meet.c: id of a meeting of two groups -> class of the error */
    struct mend_list invitations; /* invite.c: for calls that have not been made yet */
    uint64_t invited_n;           /* invite.c: meetings to which this process has invited */
    uint64_t spawned_n;           /* spawn.c: calls in which it was the root */
    struct mend_list ports, knocks; /* port.c: that are open; processes that wait at them */
    uint64_t ports_n, knocked_n;    /* that there ever were */
    uint64_t joined_n;              /* join.c: calls of this process */
    struct mend_list visits;        /* port.c: calls that wait */
    struct mend_list meetings;      /* struct mend_meeting: calls that go on */
    struct mend_list hellos;        /* leaders.c: calls that one leader has made and one not */
};

/* A call that makes a communicator for processes that have none in common yet (meet.c).  It lives on
 * the caller's stack. */
struct mend_meeting {
    struct mend_list link;      /* in self->create->meetings */
    struct mend_comm *c;        /* where they meet; NULL until that is known */
    struct mend_comm *named[2]; /* the call's arguments; may be NULL */
    bool named_must_live;       /* a death in one of those ends it */
    bool called_off;            /* all others were told that it cannot succeed */
    int error;                  /* class of the other leader's refusal */
    /* At leaders (leaders.c): what the call is between the two.  peer_c NULL: no leader. */
    struct mend_comm *peer_c;
    mend_peer other;
    int tag;
    mend_ctx said, heard; /* proposals in the HELLOs; heard 0: the other's has not come */
};

/* The processes of these names (node/abroad.h).  False: one is not known here. */
bool mend_meet_read_peers(struct mend_proc *self, const int32_t *names, int n, mend_peer *peers);

/* What the members of g meet for; all have the same.  ctx: of the communicator that the call names, or the same for
 * all calls that name none. */
uint64_t mend_meet_key(struct mend_proc *self, mend_ctx ctx, struct mend_group *g, uint64_t tag);

/* A communicator of g, whose members meet for the key; errors as parent's, but of PROC_FAILED only a
 * death in g is a reason.  named: a communicator whose revocation ends it, or NULL.  Collective over g;
 * blocks until all living members have come or something ends the meeting. */
int mend_meet_group(struct mend_comm *parent, struct mend_comm *named, struct mend_group *g,
                    uint64_t key, struct mend_comm **new_p);

/* from_group.c: this process and another one meet under the tag.  Blocks until the other has come or is dead. */
int mend_meet_bridge(struct mend_proc *self, const char *tag, mend_peer other,
                     struct mend_comm **bridge_p);

/* from_group.c: the roots of two groups meet under the tag, and all of both make the intercommunicator, at all or at none.
 * tag, other: at the root, the others give any; err: why this group will not come, at the root, which tells its group.
 * Collective over both groups; blocks until all have come or something ends the meeting. */
int mend_meet_connect(struct mend_comm *c, int root, const char *tag, mend_peer other, int err,
                      struct mend_comm **new_p);

/* from_group.c: this process's side has failed: the other one hears so over the bridge, and waits for nobody. */
void mend_meet_give_up(struct mend_proc *self, struct mend_comm *bridge, mend_peer other,
                       int error);

/* A call begins and ends.  Between the two it is looked at when something has happened. */
void mend_meet_begin(struct mend_proc *self, struct mend_meeting *m);
void mend_meet_end(struct mend_meeting *m);
void mend_meet_look(struct mend_proc *self);

/* Why it cannot succeed: PROC_FAILED, INVALIDATED; MPI_SUCCESS: it can. */
int mend_meet_reason(const struct mend_meeting *m);

/* Two groups: the class of the error if this process has vetoed under this id already, else MPI_SUCCESS. */
int mend_meet_declined(struct mend_proc *self, mend_ctx ctx);

/* The agreement of the processes that meet on m->c.  Blocks until all survivors have come or declined; the
 * head of meet.c says what ends that.  MPI_SUCCESS, with the value, at all survivors or at none; otherwise
 * the class.  The caller owns value->failed. */
int mend_meet(struct mend_meeting *m, struct mend_decision *value);

mend_frame_handler mend_create_on_frame;

/* port.c.  False: nobody of ours sends this. */
struct mend_create_wire;
bool mend_port_on_frame(struct mend_proc *self, mend_peer from, const struct mend_create_wire *w);
void mend_port_on_deaths(struct mend_proc *self, const struct mend_death *death, int n);

/* invite.c */

/* The first of g says to the others, and returns, under which id they meet. */
mend_ctx mend_invite_all(struct mend_proc *self, struct mend_group *g, uint64_t key);

/* At the others: where they meet.  Blocks until the first of g has come, or a member of g is dead or the
 * meeting has a reason to end; then the class. */
int mend_invite_await(struct mend_proc *self, struct mend_meeting *m, struct mend_group *g,
                      uint64_t key, mend_ctx *id_p);

/* False: nobody of ours sends this. */
bool mend_invite_on_frame(struct mend_proc *self, mend_peer from, mend_ctx id, uint64_t key);

/* This process has vetoed under the id, to which `first` invites: the invitation is not taken any more. */
void mend_invite_refuse(struct mend_proc *self, mend_peer first, mend_ctx id);

/* It has, and the invitation has not come yet. */
bool mend_invite_refused(struct mend_proc *self, mend_ctx id);

void mend_invite_on_deaths(struct mend_proc *self, const struct mend_death *death, int n);

/* leaders.c */

/* Exchanges groups and proposals with the other leader.  own_error: why this side will not come: then the
 * other one is told, and that is all.  Blocks until the other has answered or is dead, or the
 * meeting has a reason to end.  The caller owns *peers_p and frees it also after an error. */
int mend_leaders_meet(struct mend_meeting *m, struct mend_comm *local, int own_error,
                      mend_ctx *ctx_p, mend_peer **peers_p, int *n_p);

/* After success: this side will not come after all. */
void mend_leaders_take_back(struct mend_meeting *m, int error);

/* HELLO and BACK.  False: nobody of ours sends this. */
struct mend_create_wire;
bool mend_leaders_on_frame(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                           const struct mend_create_wire *w, const void *payload);

/* The peer communicator goes. */
void mend_leaders_forget(struct mend_comm *peer_c);
void mend_leaders_on_deaths(struct mend_proc *self, const struct mend_death *death, int n);

#endif
