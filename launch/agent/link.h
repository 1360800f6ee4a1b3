/* SPDX-License-Identifier: BSD-3-Clause */
/* link.h – the connection of this job with another one: what it is, and what is asked of it (link.c); and what the files share that
 * make something of it:
 *
 *   contact.c     which jobs are connected         link_wire.c   the sockets
 *   link_talk.c   what their messages mean         link_tell.c   what several are told at once
 *   guest.c       processes of the other job       mirror.c      the same in a job of several nodes
 *   link_cut.c    processes of both that cannot reach each other
 *
 * A link is between the agents of the first nodes of two jobs.  If one of the jobs has several nodes, all their processes reach
 * each other by sockets: then the link is *far*, its guests have names only and no places, and their presence is told over
 * it. */
#ifndef MEND_LAUNCH_AGENT_LINK_H
#define MEND_LAUNCH_AGENT_LINK_H

#include "agent/links.h"

#include "agent/sources.h"
#include "agent/tell.h"
#include "agent/verdict.h"
#include "base/list.h"
#include "ft/contact_sm.h"
#include "node/abroad.h"
#include "share/port.h"

#define MEND_LINK_MAGIC      UINT32_C(0x4d4c4e37)
#define MEND_LINK_NAMES_MAX  16384 /* that one message tells */
#define MEND_LINK_DEATHS_MAX 1024
#define MEND_LINK_RUN_WORDS  (sizeof(struct mend_link_run) / sizeof(int32_t))
#define MEND_LINK_BODY_MAX                                                                         \
    (MEND_LINK_RUN_WORDS * MEND_ABROAD_BLOCKS_MAX + MEND_LINK_NAMES_MAX) /* words */
#define MEND_LINK_MSG_MAX (sizeof(struct mend_link_msg) + MEND_LINK_BODY_MAX * sizeof(int32_t))
#define MEND_LINK_WORDS   ((MEND_NODE_NAMES + 63) / 64) /* of a set of names */

enum mend_link_kind {
    MEND_LINK_HELLO = MEND_CONTACT_HELLO, /* with the segment of the sender */
    MEND_LINK_OLLEH = MEND_CONTACT_OLLEH, /* too */
    MEND_LINK_REFUSE = MEND_CONTACT_REFUSE,
    MEND_LINK_PROOF = MEND_CONTACT_PROOF,
    MEND_LINK_ASK = MEND_CONTACT_ASK,   /* runs of processes that were not told of yet */
    MEND_LINK_TELL = MEND_CONTACT_TELL, /* too, if there is no error */
    MEND_LINK_GUESTS,                   /* the processes of these runs have these places here */
    MEND_LINK_UNTELL,                   /* those of these runs have found no room here */
    MEND_LINK_DEATH,                    /* verdicts on processes of the sender, given together */
    MEND_LINK_EXPLAIN,                  /* the cause of one that was given before */
    MEND_LINK_RELEASED, /* nobody here looks at this dead process of yours any more */
    MEND_LINK_ABORT,    /* process `from` of the sender aborts these of the receiver */
    MEND_LINK_REVOKED,  /* a context is revoked: it, and the jobs of its members; of 64 bits each */
    MEND_LINK_PRESENCE, /* far: what a process of the sender says of itself: its name, enum mend_presence */
    MEND_LINK_CUT, /* far: process `from` of the sender and this one of the receiver cannot reach each other */
};

struct mend_link_msg {
    uint32_t magic, kind;
    uint64_t job, to;
    uint64_t lease_ns; /* HELLO, OLLEH: of the agents of other nodes; 0: there are none */
    uint64_t age_ns;   /* DEATH: when it is sent; clocks of two machines are not compared (S5-21) */
    uint32_t number;
    int32_t
        code; /* REFUSE, TELL: errno value; ABORT; DEATH: 1: it may be younger; CUT: 1: the receiver's ends, 0: it decides */
    int32_t from; /* ABORT; -1: not known; CUT */
    uint32_t n;   /* runs, deaths, names, or a context and jobs */
    uint32_t turn;
    uint32_t follows;   /* ABORT: as in struct mend_abort */
    uint32_t far;       /* HELLO, OLLEH: 1: the job has several nodes */
    uint32_t elsewhere; /* too: 1: and some of them are on other machines than this one */
    unsigned char key[MEND_DOOR_KEY_BYTES]; /* HELLO, OLLEH: of its doors */
    int32_t body[];
};

/* Far: where their agent takes connections (struct mend_door), and what all of them say of themselves; else 0.  That of a first node may be
 * any address: then each node of the receiver calls it as it calls its own first node, which is on the same machine. */
struct mend_link_run {
    int32_t first, n;
    struct mend_address at;
    uint32_t presence;
};
struct mend_link_death {
    int32_t name, cause, code;
};
_Static_assert(sizeof(struct mend_link_msg) == offsetof(struct mend_link_msg, body),
               "the body follows");

struct mend_links {
    struct mend_links_needs with;
    struct mend_list all;         /* at other nodes than the first: their mirrors */
    struct mend_list errands;     /* contact.c: questions of ranks that name processes */
    struct mend_contact *contact; /* what this agent and those of other jobs have said */
    int32_t ids_n;
    int door_fd; /* where other agents call; -1: nowhere */
    uint32_t
        released_n; /* verdicts of which the other agents know that nobody here looks at the dead */
};

struct mend_link {
    struct mend_list link; /* in links->all */
    int32_t id;            /* in links->contact */
    bool closed;           /* it is there no more: to be freed */
    int fd;                /* -1: closed */
    uint64_t other;        /* job */
    uint32_t number;       /* of the other job; 0: it is not open yet */
    int shm_fd;            /* the other's segment; -1: not known */
    struct mend_node_header *shm;
    size_t shm_bytes;
    struct mend_abroad_block *block; /* names of its processes; MEND_ABROAD_BLOCKS_MAX */
    uint32_t blocks_n;
    int guests_n;         /* of them, those that have a place here */
    uint64_t *told;       /* set of our names that it was told of */
    uint64_t *held;       /* of those, the ones that it may look at: not dead and released */
    mend_place *there;    /* by our names: their places in its segment */
    uint32_t sent_k;      /* verdicts that were looked at for it */
    uint32_t explained_k; /* and whose causes were */
    bool announce_due;    /* some rank has not got what we know */
    bool far;
    bool narrow; /* processes of the other job are on other machines, and do not reach this one */
    bool mirror; /* far, at the agent of another node than the first: without a connection */
    bool parted; /* of a mirror: the first node has forgotten the other job */
    unsigned char key[MEND_DOOR_KEY_BYTES]; /* far: of the other's doors */
    struct mend_link_msg *
        admits; /* mirror.c: the message whose processes are being named; nothing is read meanwhile */
    mend_time_ns lease_ns; /* so long nodes of the other job may run without its first one */
    mend_time_ns lost_at;  /* 0: it is not */
    struct mend_list out;  /* messages that wait for room */
};

/* ---- link.c ---- */

/* A new link over fd; -1: a mirror. */
struct mend_link *mend_link_add(struct mend_links *links, int fd);
void mend_link_free(struct mend_links *links, struct mend_link *x);
struct mend_link *mend_link_to(struct mend_links *links, uint64_t other); /* NULL: there is none */

/* What the machine knows of x; it is open, at both sides. */
enum mend_contact_state mend_link_state(const struct mend_links *links, const struct mend_link *x);
bool mend_link_is_open(const struct mend_links *links, const struct mend_link *x);

/* HELLO and OLLEH: how the processes of the two jobs reach each other.  False: this node has no port for that. */
bool mend_link_learn_ways(struct mend_links *links, struct mend_link *x,
                          const struct mend_link_msg *m);

/* Takes fd.  False: it is not a segment of that job. */
bool mend_link_take_segment(struct mend_link *x, int fd, uint64_t other);

/* ---- contact.c ---- */

/* An event of the machine, and its acts. */
void mend_link_step(struct mend_links *links, struct mend_contact_event ev);

/* All guests of x are dead; and they have no places any more. */
void mend_link_mourned(struct mend_links *links, struct mend_link *x);
void mend_link_forgotten(struct mend_links *links, struct mend_link *x);

/* The answer to a question of r, which may be of another node. */
void mend_link_answer(struct mend_links *links, const struct rank *r, uint64_t job, uint64_t number,
                      int error);

/* ---- link_talk.c ---- */

/* The processes of ASK or TELL have names here, or an errno value says why not. */
void mend_link_admitted(struct mend_links *links, struct mend_link *x,
                        const struct mend_link_msg *m, int error);
void mend_link_read(struct mend_links *links, struct mend_link *x);

/* ---- link_cut.c ---- */

/* The other job says so in m, a CUT. */
void mend_link_heard_cut(struct mend_links *links, struct mend_link *x,
                         const struct mend_link_msg *m);

/* ---- link_wire.c ---- */

/* A socket where the agents of other jobs find this one; -1: there is none. */
int mend_link_door(uint64_t job);

/* Connects with the agent of a job.  0, or an errno value: ENOENT: it has ended; EAGAIN: its door is crowded. */
int mend_link_reach(uint64_t job, int *fd_p);

bool mend_link_is_same_user(int fd);

/* Sends the first message of this side, with a descriptor.  False: the link has ended. */
bool mend_link_greet(struct mend_link *x, const struct mend_link_msg *m, int fd);

/* The next message, of MEND_LINK_MSG_MAX bytes at most, and a descriptor that came with it, or -1.  EAGAIN: none is there;
 * ENOENT: the link has ended; EPROTO: it is not one that an agent of ours sends. */
int mend_link_receive(const struct mend_links *links, const struct mend_link *x,
                      struct mend_link_msg *m, int *fd_p);

/* Sends what has waited for room, as far as there is; drops it. */
void mend_link_flush(struct mend_links *links, struct mend_link *x);
void mend_link_drop_queue(struct mend_link *x);

/* Sends n words behind *m; queues them if there is no room. */
void mend_link_send(struct mend_links *links, struct mend_link *x, struct mend_link_msg *m,
                    const void *body, size_t words);

/* ---- guest.c ---- */

/* The next processes that the other is not told of yet: their runs, at most so many; marks them as told. */
uint32_t mend_guest_untold(struct mend_ranks *ranks, struct mend_link *x,
                           struct mend_link_run *runs, uint32_t max);
bool mend_guest_is_told(const struct mend_link *x, int name);
/* The other had no room for them. */
void mend_guest_untell(struct mend_link *x, const struct mend_link_run *runs, uint32_t n);

/* The processes of the runs get names and places here; all ranks hear of them.  0 or an errno value. */
int mend_guest_admit(struct mend_links *links, struct mend_link *x,
                     const struct mend_link_run *runs, uint32_t n);

/* Tells all ranks what is known of the other job.  False: one could not be told. */
bool mend_guest_announce(struct mend_ranks *ranks, struct mend_link *x);

/* The names from `first` on are theirs, which are reached by sockets.  False: no memory. */
bool mend_guest_name_far(struct mend_links *links, struct mend_link *x, int first,
                         const struct mend_link_run *runs, uint32_t n);

/* A guest of x, there, says so of itself. */
void mend_guest_presence(struct mend_links *links, const struct mend_link *x, int32_t there,
                         enum mend_presence presence);

/* What the other job's process is called here; -1: it has no name here. */
int mend_guest_name(const struct mend_link *x, int32_t there);
/* The other way round, of a guest of x. */
int32_t mend_guest_there(const struct mend_link *x, int name);

/* Where our process i takes connections, as it is told to other jobs; where a guest of x does, as it is called here. */
struct mend_address mend_guest_door_here(const struct mend_ranks *ranks, int i);
struct mend_address mend_guest_door_there(const struct mend_link *x, int name);

/* Declares these guests dead, at once for all who look. */
void mend_guest_deaths(struct mend_links *links, struct mend_link *x,
                       const struct mend_link_death *d, uint32_t n, mend_time_ns age_ns, bool late);
void mend_guest_explain(struct mend_links *links, struct mend_link *x,
                        const struct mend_link_death *d);

/* What is due for a link: verdicts to the other, what its loss means.  Returns when to look again. */
mend_time_ns mend_guest_look(struct mend_links *links, struct mend_link *x, mend_time_ns now);

/* ---- mirror.c: in a job of several nodes ---- */

/* At the first node: asks the root for names for the processes of m, of which nothing more is read from x until it has answered. */
void mend_mirror_admit(struct mend_links *links, struct mend_link *x,
                       const struct mend_link_msg *m);

#endif
