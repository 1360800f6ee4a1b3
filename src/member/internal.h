/* SPDX-License-Identifier: BSD-3-Clause */
/* internal.h – what the files of member/ share. */
#ifndef MEND_MEMBER_INTERNAL_H
#define MEND_MEMBER_INTERNAL_H

#include "ft/agree_sm.h"
#include "ft/revoke_sm.h"
#include "member/member.h"
#include "proc/post.h"

/* A communicator has three sequences of agreements.  EXPLICIT ones are called for by the user (agree,
 * shrink) and wait for every living member.  Those of CREATION need no call once the communicator
 * is failed or revoked: every member then says no beforehand, so nobody waits for one that gave up.
 * Those of VALIDATION need none once it is revoked. */
enum mend_machine {
    MEND_MACHINE_EXPLICIT,
    MEND_MACHINE_CREATION,
    MEND_MACHINE_VALIDATION,
    MEND_MACHINES
};

#define MEND_AGREE_WINDOW 4

/* One agreement that this process has called for. */
struct mend_agree_op {
    struct mend_list link; /* in waiting, or in running with seq */
    uint64_t seq;
    bool last; /* nobody will call for another one */
    struct mend_agreed value;
    mend_agree_done *done;
    void *arg;
};

/* A sequence of agreements, with its machine made on first use. */
struct mend_agreements {
    struct mend_agree *sm;
    struct mend_list waiting, running;
    bool said_no;            /* negative votes are given beforehand; never of EXPLICIT */
    int noes_left;           /* agree.c: how many more of them others may wait for */
    uint64_t begun, decided; /* agree_shm.c: how many */
};

/* Ranks in protocols: an intracommunicator's own; on an intercommunicator both groups one after the
 * other, the one whose first peer is lower comes first. */
struct mend_papers;
struct mend_ft_comm {
    struct mend_comm *comm;            /* whose this is */
    struct mend_group *first, *second; /* second NULL on an intracommunicator; no references */
    int members_n, me;
    struct mend_agreements agreements[MEND_MACHINES];
    unsigned proposals_n; /* creations proposed here so far */
    struct mend_revoke *revoke;
    int32_t part;                /* of several communicators of one context: which (revoke.c) */
    struct mend_comm *next_news; /* revoke.c: of a list that is being gone through */
    struct mend_papers *papers;  /* papers.c: where the members vote; NULL until somebody has */
    struct mend_list grave;      /* graves.c: when it is freed */
};

struct mend_node_shelf;

struct mend_member {
    struct mend_list fresh_graves; /* ft_comm.grave, each a reference: not agreed on yet */
    struct mend_list graves;       /* and those that are */
    struct mend_hash declined;     /* meet.c: id of a meeting of two groups -> class of the error */
    struct mend_list invitations;  /* invite.c: for calls that have not been made yet */
    uint64_t invited_n;            /* invite.c: meetings to which this process has invited */
    struct mend_node_shelf ***shelves; /* papers.c: by peer and number; NULL: not mapped */
    uint32_t papers_n, paper_free;     /* taken at some time; 1 + the first free one, 0: none */
    struct mend_list closed;           /* papers.c: papers that others may still look for */
    uint64_t marks_n;                  /* revoke.c: own bits that have pages, from 0 on */
    struct mend_list meetings;         /* struct mend_meeting: calls that go on */
    struct mend_list hellos;           /* leaders.c: calls that one leader has made and one not */
};

/* A call that makes a communicator for processes that have none in common yet (meet.c).  It lives on
 * the caller's stack. */
struct mend_meeting {
    struct mend_list link;      /* in self->member->meetings */
    struct mend_comm *c;        /* where they meet; NULL until that is known */
    struct mend_comm *named[2]; /* the call's arguments; may be NULL */
    bool named_must_live;       /* a death in one of those ends it */
    bool called_off;            /* all others were told that nothing comes of it */
    int error;                  /* class of the other leader's refusal */
    /* At leaders (leaders.c): what the call is between the two.  peer_c NULL: no leader. */
    struct mend_comm *peer_c;
    mend_peer other;
    int tag;
    mend_ctx said, heard; /* proposals in the HELLOs; heard 0: the other's has not come */
};

/* Peer of a protocol rank, and back (-1: no member). */
mend_peer mend_ft_peer(const struct mend_ft_comm *ft, int32_t rank);
int32_t mend_ft_rank(struct mend_proc *self, const struct mend_ft_comm *ft, mend_peer peer);

/* Starts an agreement; done(arg, value) is called when it is decided, perhaps before this returns. */
int mend_agree_call(struct mend_comm *c, enum mend_machine which, const struct mend_agreed *value,
                    mend_agree_done *done, void *arg);

/* The same, and waits.  What ends the wait when a process dies: the agreement goes on without it. */
int mend_agree_wait(struct mend_comm *c, enum mend_machine which, struct mend_agreed *value);

/* One more EXPLICIT agreement on a communicator on which nothing goes on any more; it says nothing.  For
 * lack of memory it is never decided. */
void mend_agree_last(struct mend_comm *c, mend_agree_done *done);

/* The same through shared memory (agree_shm.c).  All members answer usable() alike. */
bool mend_agree_shm_usable(const struct mend_comm *c);
int mend_agree_shm_call(struct mend_comm *c, enum mend_machine which,
                        const struct mend_agreed *value, mend_agree_done *done, void *arg);
void mend_agree_shm_wait(struct mend_comm *c, enum mend_machine which, struct mend_agreed *value);
void mend_agree_shm_say_no(struct mend_comm *c, enum mend_machine which);

/* The communicator became failed or revoked: what this sequence decides on it from now on is no. */
void mend_agree_say_no(struct mend_comm *c, enum mend_machine which);

/* A member is dead, as we hear from another one or from the agent: what follows for c here. */
void mend_creation_end(struct mend_comm *c);

/* For wait reports. */
static inline const char *mend_agree_what(enum mend_machine which)
{
    return which == MEND_MACHINE_EXPLICIT   ? "agreement"
           : which == MEND_MACHINE_CREATION ? "creation"
                                            : "validation";
}

/* Adds to n failed members the others that were ended by the same aborts; peers has room for all members.
 * Returns how many they are now.  What an agreement decides to be failed goes through this: of those whom one
 * abort ends some may have contributed before and some not, and they shall fail together.  Uniform,
 * because whoever knows that somebody was in the log of deaths finds the whole entry there. */
int mend_agree_add_aborted(struct mend_comm *c, mend_peer *peers, int n);

/* A line of the report. */
void mend_agree_report(struct mend_comm *c, enum mend_machine which, int failed_n);

/* Fills in the result of an agreement that was refused. */
void mend_agree_refused(struct mend_comm *c, struct mend_agreed *value);

mend_frame_handler mend_agree_on_frame, mend_revoke_on_frame;
void mend_agree_on_death(struct mend_comm *c, int32_t rank);
void mend_revoke_on_death(struct mend_comm *c, int32_t rank);

/* papers.c: for communicators without a cell */

/* To be called before this process says anything.  Without memory it ends. */
void mend_papers_open(struct mend_comm *c);

/* What a member has said.  NULL: nothing yet. */
void *mend_papers_look(struct mend_comm *c, int32_t rank);

/* This process reads nothing of the others any more. */
void mend_papers_close(struct mend_comm *c);

/* graves.c: an agreement's message for a communicator that has gone. */
void mend_graves_answer(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                        const void *payload);

/* c is revoked somewhere, as a call that failed for it says: from now on it is here, too. */
void mend_revoke_heard(struct mend_comm *c);

/* To be called when self->member is set. */
void mend_revoke_init_process(struct mend_proc *self);

/* A new object: a member may have revoked it already. */
void mend_revoke_look(struct mend_comm *c);

/* Reserves what revocations need of the communicators of a context that this process proposes; counters from
 * counter to counter + n are theirs.  Returns the counter to propose: the given one, or where there is no
 * memory one whose revocations are told by frames. */
uint64_t mend_revoke_reserve(struct mend_proc *self, uint64_t counter, uint64_t n);

/* A proposal for a context id that this process never makes again, and neither the one after it. */
mend_ctx mend_ctx_propose(struct mend_proc *self);
static inline mend_ctx mend_ctx_next(mend_ctx ctx)
{
    return ctx + MEND_CTX_MAKE(0, 1);
}

/* meet.c */

/* What the members of g meet for; all have the same. */
uint64_t mend_meet_key(const struct mend_comm *parent, struct mend_group *g, uint64_t tag);

/* A communicator of g, whose members meet for the key; errors as parent's, but of PROC_FAILED only a
 * death in g is a reason.  named: a communicator whose revocation ends it, or NULL.  Collective over g;
 * blocks until all living members have come or something ends the meeting. */
int mend_meet_group(struct mend_comm *parent, struct mend_comm *named, struct mend_group *g,
                    uint64_t key, struct mend_comm **new_p);

/* A call begins and ends.  Between the two it is looked at when something has happened. */
void mend_meet_begin(struct mend_proc *self, struct mend_meeting *m);
void mend_meet_end(struct mend_meeting *m);
void mend_meet_look(struct mend_proc *self);

/* Why nothing can come of it: PROC_FAILED, INVALIDATED; MPI_SUCCESS: it can. */
int mend_meet_reason(const struct mend_meeting *m);

/* Two groups: the class of the error if this process has said no under this id already, else MPI_SUCCESS. */
int mend_meet_declined(struct mend_proc *self, mend_ctx ctx);

/* The agreement of those who meet on m->c.  Blocks until all living members have come or declined; the
 * file's header says what ends that.  MPI_SUCCESS, with the value, at all living or at none; else
 * the class.  value->failed is the caller's. */
int mend_meet(struct mend_meeting *m, struct mend_agreed *value);

mend_frame_handler mend_member_on_frame;

/* invite.c */

/* The first of g says to the others, and returns, under which id they meet. */
mend_ctx mend_invite_all(struct mend_proc *self, struct mend_group *g, uint64_t key);

/* At the others: where they meet.  Blocks until the first of g has come, or a member of g is dead or the
 * meeting has a reason to end; then the class. */
int mend_invite_await(struct mend_proc *self, struct mend_meeting *m, struct mend_group *g,
                      uint64_t key, mend_ctx *id_p);

/* False: nobody of ours sends this. */
bool mend_invite_on_frame(struct mend_proc *self, mend_peer from, mend_ctx id, uint64_t key);

/* This process has said no under the id, to which `first` invites: the invitation is not taken any more. */
void mend_invite_refuse(struct mend_proc *self, mend_peer first, mend_ctx id);

/* It has, and the invitation has not come yet. */
bool mend_invite_refused(struct mend_proc *self, mend_ctx id);

void mend_invite_on_death(struct mend_proc *self, mend_peer dead);

/* leaders.c */

/* Exchanges groups and proposals with the other leader.  own_error: why this side will not come: then the
 * other one is told, and that is all.  Blocks until the other has said something or is dead, or the
 * meeting has a reason to end.  *peers_p is the caller's, who frees it also after an error. */
int mend_leaders_meet(struct mend_meeting *m, struct mend_comm *local, int own_error,
                      mend_ctx *ctx_p, mend_peer **peers_p, int *n_p);

/* After success: this side will not come after all. */
void mend_leaders_take_back(struct mend_meeting *m, int error);

/* HELLO and BACK.  False: nobody of ours sends this. */
struct mend_member_wire;
bool mend_leaders_on_frame(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                           const struct mend_member_wire *w, const void *payload);

/* The peer communicator goes. */
void mend_leaders_forget(struct mend_comm *peer_c);
void mend_leaders_on_death(struct mend_proc *self, mend_peer dead);

/* create.c */

/* What every creation agrees on, and the object that follows from it.  later: the caller goes on and
 * may begin other creations before this one is decided.  What was offered is held back until
 * mend_creation_settle(), which follows exactly once. */
void mend_creation_propose(struct mend_comm *parent, bool ok, bool later,
                           struct mend_agreed *value);
void mend_creation_settle(struct mend_comm *parent, const struct mend_agreed *value);

/* The agreement on what was proposed, with the settling. */
int mend_creation_decide(struct mend_comm *parent, struct mend_agreed *value);

/* An own error: a member of the group asked for is a hole (S2-3).  It becomes PROC_FAILED at all, but nobody
 * learns of a death by it: the parent stays active. */
#define MEND_CREATION_HOLE (MPI_ERR_LASTCODE + 1)
_Static_assert(MEND_CREATION_HOLE < MEND_CLASS_PROC_FAILED &&
                   MEND_CLASS_PROC_FAILED < MEND_CLASS_INVALIDATED,
               "who has given up is heard whatever errors others have: node/slots.h, invariant 4");

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

/* validate.c */

/* Who carries c's collectives from now on: an object of these groups, with what was agreed on in
 * value.  On error c has none.  An intercommunicator with an empty side gets none and stays
 * inactive. */
int mend_living_give(struct mend_comm *c, struct mend_group *group, struct mend_group *remote,
                     const struct mend_agreed *value);

/* made is a duplicate of the communicator that `carrier` carries: it gets the same holes. */
int mend_living_inherit(struct mend_comm *carrier, const struct mend_agreed *value,
                        struct mend_comm *made);

/* c is invalid, or goes: so is, or does, what carries it. */
void mend_living_on_revoke(struct mend_comm *c);
void mend_living_drop(struct mend_comm *c);

/* shrink.c: g without the failed (NULL: nobody).  NULL: no memory. */
struct mend_group *mend_survivors(struct mend_proc *self, struct mend_group *g,
                                  struct mend_group *failed);

#endif
