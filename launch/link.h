/* SPDX-License-Identifier: BSD-3-Clause */
/* link.h – the connection of this job with another one: what link.c (the agents talk) and guest.c (what they talk about)
 * share. */
#ifndef MEND_LAUNCH_LINK_H
#define MEND_LAUNCH_LINK_H

#include "job.h"
#include "node/abroad.h"
#include "verdict.h"

#define MEND_LINK_MAGIC      UINT32_C(0x4d4c4e31)
#define MEND_LINK_NAMES_MAX  16384 /* that one message tells */
#define MEND_LINK_DEATHS_MAX 1024
#define MEND_LINK_WORDS      ((MEND_NODE_NAMES + 63) / 64) /* of a set of names */

enum mend_link_kind {
    MEND_LINK_HELLO =
        1, /* `job` wants to talk to `to`; it would be number `number`; with its segment */
    MEND_LINK_OLLEH,    /* `job` is number `number`; with its segment */
    MEND_LINK_REFUSE,   /* to HELLO: why not */
    MEND_LINK_ASK,      /* runs of processes that were not told of yet; tell of yours */
    MEND_LINK_TELL,     /* the answer; `code`: those of ASK found no room */
    MEND_LINK_GUESTS,   /* the processes of these runs have these places here */
    MEND_LINK_UNTELL,   /* those of these runs have found no room here */
    MEND_LINK_DEATH,    /* verdicts on processes of the sender, given together */
    MEND_LINK_EXPLAIN,  /* the cause of one that was given before */
    MEND_LINK_RELEASED, /* nobody here looks at this dead process of yours any more */
    MEND_LINK_ABORT,    /* process `from` of the sender aborts these of the receiver */
};

struct mend_link_msg {
    uint32_t magic, kind;
    uint64_t job, to;
    uint64_t when_ns; /* DEATH */
    uint32_t number;
    int32_t code; /* REFUSE, TELL: errno value; ABORT */
    int32_t from; /* ABORT */
    uint32_t n;   /* runs, deaths or names */
    int32_t body[];
};

struct mend_link_run {
    int32_t first, n;
};
struct mend_link_death {
    int32_t name, cause, code;
};

enum mend_link_state {
    MEND_LINK_CALLS,  /* we have said HELLO */
    MEND_LINK_CALLED, /* the other will */
    MEND_LINK_OPEN,   /* each knows the other */
    MEND_LINK_LOST,   /* the other agent is gone; its ranks are dying with it */
    MEND_LINK_OVER,   /* they are dead; their places are not vacant yet */
    MEND_LINK_CLOSED, /* it never was open, or is over: to be freed */
};

struct mend_link {
    struct mend_list link; /* in job->links */
    enum mend_link_state state;
    int fd;                    /* -1: closed */
    uint64_t other;            /* job; 0: not known yet */
    uint32_t number, proposed; /* of the other job; CALLS: of ours */
    int shm_fd;                /* the other's segment; -1: not known */
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
    mend_time_ns lost_until;
    struct mend_list out; /* messages that wait for room */
};

/* link.c: sends n words behind *m; waits for room in the link. */
void mend_link_send(struct job *job, struct mend_link *x, struct mend_link_msg *m, const void *body,
                    size_t words);

/* guest.c */

/* The next processes that the other is not told of yet: their runs, at most so many; marks them as told. */
uint32_t mend_guest_untold(struct job *job, struct mend_link *x, struct mend_link_run *runs,
                           uint32_t max);
/* The other had no room for them. */
void mend_guest_untell(struct mend_link *x, const struct mend_link_run *runs, uint32_t n);

/* The processes of the runs get names and places here; all ranks hear of them.  0 or an errno value. */
int mend_guest_admit(struct job *job, struct mend_link *x, const struct mend_link_run *runs,
                     uint32_t n);

/* Tells all ranks what is known of the other job.  False: one could not be told. */
bool mend_guest_announce(struct job *job, struct mend_link *x);

/* What the other job's process is called here; -1: it has no name here. */
int mend_guest_name(const struct mend_link *x, int32_t there);
/* The other way round, of a guest of x. */
int32_t mend_guest_there(const struct mend_link *x, int name);

/* Declares these guests dead, at once for all who look. */
void mend_guest_deaths(struct job *job, struct mend_link *x, const struct mend_link_death *d,
                       uint32_t n, mend_time_ns when_ns);
void mend_guest_explain(struct job *job, struct mend_link *x, const struct mend_link_death *d);

/* What is due for a link: verdicts to the other, what its loss means.  Returns when to look again. */
mend_time_ns mend_guest_look(struct job *job, struct mend_link *x, mend_time_ns now);

#endif
