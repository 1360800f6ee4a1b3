/* SPDX-License-Identifier: BSD-3-Clause */
/* internal.h – what the files of member/ share. */
#ifndef MEND_MEMBER_INTERNAL_H
#define MEND_MEMBER_INTERNAL_H

#include "ft/agree_sm.h"
#include "ft/revoke_sm.h"
#include "member/member.h"
#include "proc/post.h"

/* A communicator has two sequences of agreements.  EXPLICIT ones are called for by the user (agree,
 * shrink) and wait for every living member.  Those of CREATION need no call once the communicator
 * is failed or revoked: every member then says no beforehand, so nobody waits for one that gave up. */
enum mend_machine { MEND_MACHINE_EXPLICIT, MEND_MACHINE_CREATION, MEND_MACHINES };

#define MEND_AGREE_WINDOW 4

/* One agreement that this process has called for. */
struct mend_agree_op {
    struct mend_list link; /* in waiting, or in running with seq */
    uint64_t seq;
    struct mend_agreed value;
    mend_agree_done *done;
    void *arg;
};

/* A sequence of agreements, with its machine made on first use. */
struct mend_agreements {
    struct mend_agree *sm;
    struct mend_list waiting, running;
    bool said_no;            /* CREATION: negative votes are given beforehand */
    int noes_left;           /* agree.c: how many more of them others may wait for */
    uint64_t begun, decided; /* agree_shm.c: how many */
};

/* Ranks in protocols: an intracommunicator's own; on an intercommunicator both groups one after the
 * other, the one whose first peer is lower comes first. */
struct mend_ft_comm {
    struct mend_group *first, *second; /* second NULL on an intracommunicator; no references */
    int members_n, me;
    struct mend_agreements agreements[MEND_MACHINES];
    unsigned proposals_n; /* creations proposed here so far */
    struct mend_revoke *revoke;
    enum { MEND_FT_SHM_UNKNOWN, MEND_FT_SHM_YES, MEND_FT_SHM_NO } shm; /* agree_shm.c */
};

#define MEND_GRAVES 32

struct mend_member {
    struct mend_comm *graves[MEND_GRAVES]; /* a ring of freed communicators, each a reference */
    uint32_t next_grave;
    struct mend_hash meetings; /* meet.c: key -> how often */
};

/* Peer of a protocol rank, and back (-1: no member). */
mend_peer mend_ft_peer(const struct mend_ft_comm *ft, int32_t rank);
int32_t mend_ft_rank(struct mend_proc *self, const struct mend_ft_comm *ft, mend_peer peer);

/* Starts an agreement; done(arg, value) is called when it is decided, perhaps before this returns. */
int mend_agree_call(struct mend_comm *c, enum mend_machine which, const struct mend_agreed *value,
                    mend_agree_done *done, void *arg);

/* The same, and waits.  What ends the wait when a process dies: the agreement goes on without it. */
int mend_agree_wait(struct mend_comm *c, enum mend_machine which, struct mend_agreed *value);

/* The same through shared memory, for communicators with a cell (agree_shm.c).  All members answer
 * usable() alike. */
bool mend_agree_shm_usable(struct mend_comm *c);
int mend_agree_shm_call(struct mend_comm *c, enum mend_machine which,
                        const struct mend_agreed *value, mend_agree_done *done, void *arg);
void mend_agree_shm_wait(struct mend_comm *c, enum mend_machine which, struct mend_agreed *value);
void mend_agree_shm_say_no(struct mend_comm *c);

/* The communicator became failed or revoked: creation on it can only be refused from now on. */
void mend_creation_say_no(struct mend_comm *c);

/* A member is dead, as we hear from another one or from the agent: what follows for c here. */
void mend_creation_end(struct mend_comm *c);

/* A line of the report. */
void mend_agree_report(struct mend_comm *c, enum mend_machine which, int failed_n);

/* Fills in the result of a creation that was refused. */
void mend_creation_refused(struct mend_comm *c, struct mend_agreed *value);

mend_frame_handler mend_agree_on_frame, mend_revoke_on_frame;
void mend_agree_on_death(struct mend_comm *c, int32_t rank);
void mend_revoke_on_death(struct mend_comm *c, int32_t rank);

/* A proposal for a context id that this process never makes again. */
mend_ctx mend_ctx_propose(struct mend_proc *self);

/* The id under which the members of g meet, the n-th time they do so with this tag (meet.c). */
mend_ctx mend_ctx_meeting(struct mend_proc *self, struct mend_comm *parent, struct mend_group *g,
                          int tag);

/* What every creation agrees on, and the object that follows from it.  later: the caller goes on and
 * may begin other creations before this one is decided.  What was offered is held back until
 * mend_creation_settle(), which follows exactly once. */
void mend_creation_propose(struct mend_comm *parent, bool ok, bool later,
                           struct mend_agreed *value);
void mend_creation_settle(struct mend_comm *parent, const struct mend_agreed *value);

/* The agreement on what was proposed, with the settling. */
int mend_creation_decide(struct mend_comm *parent, struct mend_agreed *value);

/* MPI_SUCCESS, or why nothing was created: PROC_FAILED, INVALIDATED, or the members' own error. */
int mend_creation_result(struct mend_comm *parent, const struct mend_agreed *value, int own_error);

/* The object; opens it for frames that came early.  *new_p NULL with MPI_SUCCESS: this process is no
 * member (group may be NULL then), or the other group would be empty. */
int mend_creation_object(struct mend_comm *parent, struct mend_group *group,
                         struct mend_group *remote, const struct mend_agreed *value,
                         struct mend_comm **new_p);

/* All of it, blocking: one agreement over the parent, then the object.  own_error: why this process
 * says no.  The outcome is the same at all living members, whoever dies (S2-5..7). */
int mend_creation_now(struct mend_comm *parent, struct mend_group *group, struct mend_group *remote,
                      int own_error, struct mend_comm **new_p);

/* The last step of an object's creation, when all of it is in place: lets frames in that came early.
 * If a member is dead already it says no to all creation on it. */
void mend_creation_open(struct mend_comm *c);

/* MPI_SUCCESS if creation may begin on the communicator, else the error that it fails with. */
int mend_creation_check(struct mend_comm *parent);

#endif
