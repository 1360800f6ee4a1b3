/* SPDX-License-Identifier: BSD-3-Clause */
/* agree_sm.h – agreement: all survivors of a communicator get the same value.
 *
 * Contributions flow up a tree to its root, the lowest living rank, which decides; the decision
 * flows down, and each process that gets it returns at once (early returning, after Herault et al., SC'15).
 * Without failures that is one message up and one down per edge.  Agreements of a communicator are
 * numbered; up to `window` of them may be in progress at the same time.
 *
 *         0 decides                0 dies after it told only 2           1 asks, then decides
 *        / \                        x                                     1
 *   UP  1   2  ^   DOWN  |          1   2* (returned v)       REQUEST |  / \   ^ UP, "v was decided"
 *           |  |         v              |                             v 2*  |  |
 *           3                           3                               3
 *
 * Ballot and promise.  The ballot of a process is the root as the process sees it: it believes that all ranks
 * below are dead.  It only grows.  Every message carries the sender's ballot, and the receiver adopts it *before*
 * it does anything else; from then on it refuses decisions of lower ballots and all messages of dead processes.
 * This promise makes the early return safe: a new root decides only when every living
 * process has answered at its ballot.  After that, no process can accept an older decision, and a process that
 * had accepted one has reported it in its answer.
 *
 * Deaths come in sets: the victims of one abort, the processes of one machine.  DEATH delivers a whole set, and every
 * message carries all that are dead to its sender, which its receiver adopts with the ballot.  So what is dead to a
 * process is always a union of whole sets, and so is what is decided as failed: the victims of one abort fail together,
 * in whatever order the processes learn of deaths.  Among those are the ranks below the ballot and those between sender and
 * receiver in the tree (a process sends to its grandparent only if its parent is dead); else the message is refused.
 *
 * Safety in one paragraph (it is Paxos with ballots = roots and quorum = all that are not dead): let
 * a living q have accepted v at ballot b.  A root r > b collects an answer from q.  If q answered
 * after it accepted v, the answer says (v, b); if before, q had promised r and refused v.  Among the
 * answers the one with the highest ballot counts; by induction every decision at a ballot above b
 * is v.  The proof does not need deaths to be true: a process that was declared dead by mistake may continue
 * to send, but is itself excluded.
 *
 *                 UP from a child
 *      FREE ───────────────────────> EARLY          (others are ahead of us)
 *       │ START                        │ START
 *       └──────────────┬───────────────┘
 *                      v                new root
 *                   GATHER <────────────────────────── SENT
 *                    │   │  all children heard, not root  ^ │
 *    all heard, root │   └────────────────────────────────┘ │ DOWN (or GONE, LEFT)
 *                    v                                      v
 *                 DECIDED <─────────────────────────────────┘
 *      UP or REQUEST │ ^ ^        DOWN, or a new root
 *      of a higher   │ │ └──────────────────────────── RESENT
 *      ballot        v │ all heard, root; or new root    ^
 *                   REOPEN ──────────────────────────────┘ all children heard, not root
 *
 *   transition                     function (agree_sm.c)
 *   FREE → EARLY                   slot_use
 *   EARLY → GATHER                 on_start
 *   GATHER → SENT, REOPEN → RESENT advance
 *   GATHER, REOPEN → DECIDED       advance, decided
 *   SENT, RESENT → DECIDED         on_down, decided
 *   GATHER, SENT → DECIDED         on_paper, decided
 *   SENT → GATHER                  on_new_root
 *   REOPEN, RESENT → DECIDED       on_new_root
 *   DECIDED → REOPEN               reopen (from on_up, on_request)
 *   GATHER, SENT → DECIDED         finish_last (after GONE or LEFT)
 *   DECIDED → FREE                 slot_use (it is history)
 *
 * Invariants, asserted in mend_agree_check() unless another place is named:
 *   1  every rank below `root` is dead, `root` is not, and I am not;
 *   2  a slot's accepted ballot is -1 unless the slot's value is a decision, and at most `root`;
 *   3  `heard` is of the present ballot, but in DECIDED (cleared in on_new_root and reopen);
 *   4  a decision is given to the caller once: no edge leads back to the undecided states (become());
 *   5  a slot is reused only when no living process can ask for it (slot_use());
 *   6  only become() writes a slot's state, along the edges of the picture (become());
 *   7  all output of a step is fetched before the next step (mend_agree_step());
 *   8  what is decided contains, of each set that DEATH delivered anywhere, all or none (sim/checkers.c);
 *   9  with papers a root that has sent UP at a lower ballot decides contributions only if `searched`, which each new
 *      death clears (advance(), ask());
 *  10  UP is sent only in SENT and RESENT, REQUEST to children only in GATHER and REOPEN, DOWN and GONE
 *      only in DECIDED, so no message is sent after its purpose is gone (mend_agree_next()).
 *
 * What is kept.  A process that contributes to agreement s has returned from s - window; so once s is
 * decided, no living process asks for s - window or older.  3 * window slots suffice for the last
 * decisions, for the agreements in progress, and for those that others have already begun.  With window 1 these are
 * the last two decisions and one agreement that others have begun early. */
#ifndef MEND_FT_AGREE_SM_H
#define MEND_FT_AGREE_SM_H

#include "ft/tree.h"

#define MEND_AGREE_WORDS      4
#define MEND_AGREE_WINDOW_MAX 8

/* What is agreed on.  Every operation is idempotent and commutative, because contributions may be
 * counted twice after a repair. */
struct mend_agree_value {
    uint64_t and_word[MEND_AGREE_WORDS]; /* bitwise and; all ones is neutral */
    uint64_t max_word[MEND_AGREE_WORDS]; /* maximum; 0 is neutral */
    int32_t nfailed;                     /* members of `failed` */
    const uint64_t *failed;              /* set of ranks, union; may be NULL if nfailed is 0 */
};

enum mend_agree_msg_kind {
    MEND_AGREE_NONE = 0,
    MEND_AGREE_UP,      /* to the parent: my subtree's contributions, or a decision it holds */
    MEND_AGREE_DOWN,    /* to a child: the decision */
    MEND_AGREE_REQUEST, /* to a child: there is a new root, answer with UP at its ballot */
    MEND_AGREE_GONE,    /* the communicator is freed here: its last agreement is decided */
};

struct mend_agree_msg {
    enum mend_agree_msg_kind kind;
    int32_t peer;     /* its receiver, or its sender */
    int32_t ballot;   /* root in the eyes of the sender */
    int32_t accepted; /* UP: ballot at which the value was decided, -1 if it is contributions */
    uint64_t seq;
    struct mend_agree_value value; /* UP, DOWN; valid until the next step */
    int32_t ndead;                 /* UP, DOWN, REQUEST: members of `dead` */
    const uint64_t *dead;          /* to the sender; may be NULL if ndead is 0; valid as value is */
};

enum mend_agree_event_kind {
    MEND_AGREE_START, /* this process contributes to agreement number `next`; see can_start */
    MEND_AGREE_RECV,  /* msg.peer sent msg */
    MEND_AGREE_DEATH, /* those in `dead` are: final, and nothing of them will be delivered any more */
    MEND_AGREE_LEFT, /* those in `dead` ended properly after the last agreement was decided for them */
    MEND_AGREE_PAPER,    /* msg is a paper (mend_agree_paper()) */
    MEND_AGREE_NO_PAPER, /* no paper on any node says that: the answer to question number `round` */
};

struct mend_agree_event {
    enum mend_agree_event_kind kind;
    const uint64_t *dead; /* DEATH, LEFT: a set of ranks that count as dead together; copied */
    bool last;            /* START: nobody will start another one (free, finalize) */
    const struct mend_agree_value *value; /* START; copied */
    const struct mend_agree_msg *msg;     /* RECV, PAPER; copied as far as needed */
    uint64_t seq;                         /* NO_PAPER */
    uint32_t round;                       /* NO_PAPER */
};

enum mend_agree_refusal {
    MEND_AGREE_ACCEPTED = 0,
    MEND_AGREE_FROM_DEAD,  /* its sender is dead to me */
    MEND_AGREE_OLD_BALLOT, /* a decision of a ballot below my promise, or not asked for */
    MEND_AGREE_STALE,      /* of an agreement that is history, or of one nobody can have begun */
    MEND_AGREE_BAD,        /* nobody of ours sends this */
};

/* What a step did besides messages; messages are fetched with mend_agree_next(). */
struct mend_agree_out {
    enum mend_agree_refusal refusal;             /* RECV */
    int decided_n;                               /* agreements that are decided here now */
    uint64_t decided_seq[MEND_AGREE_WINDOW_MAX]; /* ask mend_agree_result() for the value */
    int asked_n;                                 /* questions to the papers of all nodes */
    struct mend_agree_question {
        uint64_t seq;
        uint32_t round;
        bool decides; /* NO_PAPER is wanted, too */
    } asked[MEND_AGREE_WINDOW_MAX];
};

enum mend_agree_state {
    MEND_AGREE_FREE = 0,
    MEND_AGREE_EARLY,
    MEND_AGREE_GATHER,
    MEND_AGREE_SENT,
    MEND_AGREE_DECIDED,
    MEND_AGREE_REOPEN,
    MEND_AGREE_RESENT,
};

struct mend_agree_slot {
    uint64_t seq;
    uint64_t and_word[MEND_AGREE_WORDS], max_word[MEND_AGREE_WORDS];
    int32_t nfailed;
    int32_t accepted;  /* ballot of the decision in the value, -1: contributions */
    int32_t nheard;    /* members of the slot's heard set */
    uint8_t state;     /* enum mend_agree_state; written by become() only */
    uint8_t scan_kind; /* message that goes to the children of `walk`, or NONE */
    bool last;         /* see MEND_AGREE_START */
    bool up_due;       /* UP is to be sent to the parent */
    bool sent;         /* UP was sent since START, so somebody may have decided */
    bool searched;     /* no paper said anything when question `round` was asked */
    uint32_t round;    /* of the last question */
    struct mend_tree_walk walk;
};

/* Memory of one machine: a header, then two sets, the slots, and per slot two sets.  It holds
 * no pointers, so it can be copied, compared and hashed as bytes. */
struct mend_agree {
    struct mend_tree tree;
    int32_t nchildren; /* direct children in the tree, dead or alive */
    int32_t ndead;
    int32_t root;   /* lowest living rank: the ballot */
    int32_t parent; /* nearest living ancestor, or root; me if I am the root */
    uint32_t words; /* of a set */
    uint8_t window, nslots;
    bool excluded;                  /* I was declared dead: nothing is said or believed any more */
    bool papers;                    /* decisions are written down (mend_agree_use_papers()) */
    uint8_t reply_kind, reply_slot; /* an answer to the sender of the last message */
    int32_t reply_to;
    uint32_t busy;        /* slots with something to send */
    uint64_t next;        /* number of the next agreement to start */
    uint64_t decided_end; /* 1 + highest agreement decided here */
    uint64_t store[];
};

/* Bytes for a machine of n members with up to `window` agreements at once. */
size_t mend_agree_size(int32_t n, int window);

/* Prepares the caller's memory of mend_agree_size() bytes, aligned to 8, as member `me` of n.
 * radix_bits: see ft/tree.h; 1 is the binomial tree.  The same at all members.  No member counts as dead at first;
 * deliver DEATH with all dead members. */
void mend_agree_init(struct mend_agree *x, int32_t n, int32_t me, int radix_bits, int window);

/* Members ask for papers from now on (agree_sm.c says what these are): before the first event. */
static inline void mend_agree_use_papers(struct mend_agree *x)
{
    x->papers = true;
}

/* True if START is allowed: fewer than `window` agreements are under way behind the oldest. */
bool mend_agree_can_start(const struct mend_agree *x);

/* The one transition function.  *out is overwritten.  Afterwards call mend_agree_next() until it
 * returns false.  O(1) per message while nobody is dead, apart from the last child's. */
void mend_agree_step(struct mend_agree *x, const struct mend_agree_event *ev,
                     struct mend_agree_out *out);

/* Fetches the next message to send.  False: all were fetched. */
bool mend_agree_next(struct mend_agree *x, struct mend_agree_msg *msg_p);

/* The decision of agreement seq, if it is decided here and not history.  Valid until the next
 * step. */
bool mend_agree_result(const struct mend_agree *x, uint64_t seq, struct mend_agree_value *value_p);

/* What to write on paper of agreement seq, if it is decided here and not history: a DOWN of the ballot at which it was decided,
 * without the dead.  Valid until the next step. */
bool mend_agree_paper(const struct mend_agree *x, uint64_t seq, struct mend_agree_msg *msg_p);

/* The answer of a communicator that is freed here and kept nothing but the number of its last
 * agreement (started with `last`, so its value says nothing).  False: no answer is due. */
bool mend_agree_tomb_reply(uint64_t last_seq, const struct mend_agree_msg *msg,
                           struct mend_agree_msg *reply_p);

/* The neutral value, to be narrowed by the caller. */
void mend_agree_value_init(struct mend_agree_value *value_p);

/* The slots and sets inside the store, for check, print and tests. */
static inline uint64_t *mend_agree_dead(const struct mend_agree *x)
{
    return (uint64_t *)x->store;
}

/* Those of a set that were not dead before; empty between two steps. */
static inline uint64_t *mend_agree_fresh(const struct mend_agree *x)
{
    return (uint64_t *)x->store + x->words;
}

static inline struct mend_agree_slot *mend_agree_slot(const struct mend_agree *x, unsigned i)
{
    return (struct mend_agree_slot *)(uintptr_t)(x->store + 2 * x->words) + i;
}

static inline uint64_t *mend_agree_failed(const struct mend_agree *x, unsigned i)
{
    return (uint64_t *)(void *)mend_agree_slot(x, x->nslots) + (size_t)2 * i * x->words;
}

static inline uint64_t *mend_agree_heard(const struct mend_agree *x, unsigned i)
{
    return mend_agree_failed(x, i) + x->words;
}

/* Asserts all invariants.  O(n). */
void mend_agree_check(const struct mend_agree *x);

/* One line into buf, as snprintf: returns the length it would have. */
int mend_agree_print(const struct mend_agree *x, char *buf, size_t size);
int mend_agree_msg_print(const struct mend_agree_msg *msg, char *buf, size_t size);

#endif
