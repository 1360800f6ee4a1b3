/* SPDX-License-Identifier: BSD-3-Clause */
/* meeting.h – two groups make an intercommunicator, as a play sees it that ends so (birth.c): what
 * src/create/ does in from_group.c, intercomm.c, leaders.c and meet.c.
 *
 *   0 .. first_n - 1    the first group; 0 is its leader
 *   first_n .. n - 1    the second one; first_n is its leader
 *
 * A bridge of the two leaders; they exchange hellos; each tells its group; an agreement of all, in which a process votes no
 * that never came. */
#ifndef MEND_SIM_MEETING_H
#define MEND_SIM_MEETING_H

#include "ft/agree_sm.h"
#include "sim.h"

/* What a process has heard, or how something ended. */
enum mend_sim_word { MEND_SIM_NOTHING = 0, MEND_SIM_YES, MEND_SIM_NO };

/* First byte of the messages; a play has others after these. */
enum mend_sim_meeting_kind {
    MEND_SIM_AGREEMENT,
    MEND_SIM_BRIDGE,
    MEND_SIM_HELLO,
    MEND_SIM_BACK,
    MEND_SIM_HEADER,
    MEND_SIM_OFF,
    MEND_SIM_MEETING_KINDS,
};

enum mend_sim_stage {
    MEND_SIM_OUTSIDE = 0,
    MEND_SIM_HEARS,   /* a leader, what the other one says */
    MEND_SIM_PASSES,  /* a leader is about to tell its group */
    MEND_SIM_LISTENS, /* the others of a group, to their leader */
    MEND_SIM_GATHERS, /* it has come, and voted */
};

struct mend_sim_meeting {
    uint8_t begun;      /* leader: has come to the bridge */
    uint8_t bridge;     /* leader: the other one has */
    uint8_t hello;      /* leader: of the other one */
    uint8_t back;       /* leader: the other one has said that it does not come after all */
    uint8_t header;     /* what the leader tells, or has told, its group */
    uint8_t stage;      /* enum mend_sim_stage */
    uint8_t came;       /* voted yes or no in the meeting */
    uint8_t vetoed;     /* voted no in a meeting to which it did not come */
    uint8_t called_off; /* told all others that it cannot succeed */
    uint8_t decided;    /* enum mend_sim_word */
};

/* One process of a meeting. */
struct mend_sim_member {
    struct mend_sim_meeting *m;
    const uint64_t *dead; /* set of ranks that it was told are dead */
    struct mend_agree *agree;
    int rank, first_n, n;
    const struct mend_sim_conf *conf;
    struct mend_sim_io *io;
};

static inline bool mend_sim_is_first(const struct mend_sim_member *p)
{
    return p->rank < p->first_n;
}

static inline int mend_sim_other_leader(const struct mend_sim_member *p)
{
    return mend_sim_is_first(p) ? p->first_n : 0;
}

static inline bool mend_sim_leads(const struct mend_sim_member *p)
{
    return p->rank == (mend_sim_is_first(p) ? 0 : p->first_n);
}

/* It knows of a death: in its group; in either. */
bool mend_sim_lost_own(const struct mend_sim_member *p);
bool mend_sim_lost_any(const struct mend_sim_member *p);

void mend_sim_say(struct mend_sim_io *io, int to, int kind, enum mend_sim_word word);
void mend_sim_say_to_group(const struct mend_sim_member *p, int kind, enum mend_sim_word word);

/* One event of an agreement of n, whose messages are of this kind.  True: it was decided now. */
bool mend_sim_agree_on(struct mend_agree *a, int n, int kind, const struct mend_agree_event *ev,
                       struct mend_sim_io *io);
bool mend_sim_vote(struct mend_agree *a, int n, int kind, const uint64_t *dead, uint64_t word,
                   const struct mend_sim_conf *c, struct mend_sim_io *io);
bool mend_sim_hear_agreement(struct mend_agree *a, int n, int from, const uint8_t *bytes,
                             size_t len, struct mend_sim_io *io);

/* A leader comes to the bridge, and the two come to the meeting, as far as each gets.  True: this has ended, *error_p: with
 * an error.  refused: the leader has no bridge and a no for its group. */
bool mend_sim_bridge(const struct mend_sim_member *p, bool *error_p);
bool mend_sim_meet(const struct mend_sim_member *p, bool refused, bool *error_p);

/* A leader without a group says so over the bridge. */
void mend_sim_give_up(const struct mend_sim_member *p);

/* A move of a leader in PASSES: its broadcast.  True: the meeting has ended for it, with an error. */
bool mend_sim_pass(const struct mend_sim_member *p);

/* A message of this kind changes nothing, now and later. */
bool mend_sim_meeting_ignores(const struct mend_sim_meeting *m, int kind);

/* A message, and a death that is in p->dead. */
void mend_sim_meeting_hears(const struct mend_sim_member *p, int from, const uint8_t *bytes,
                            size_t len);
void mend_sim_meeting_mourns(const struct mend_sim_member *p, int dead);

#endif
