/* SPDX-License-Identifier: BSD-3-Clause */
/* state.h – a small world as one block of bytes, so that it can be copied, compared and hashed.
 *
 *   head (budgets, living processes, deaths that each must still be told of) | processes | messages
 *
 * Messages are sorted by receiver and sender and keep their order within a pair, so that worlds which
 * differ only in the order in which independent things happened are the same bytes. */
#ifndef MEND_SIM_STATE_H
#define MEND_SIM_STATE_H

#include "sim.h"

#define MEND_SIM_SMALL_MAX 8     /* processes: sets of them are bytes */
#define MEND_SIM_MAIL_MAX  16384 /* bytes of messages in one state, if the engine has them */

struct mend_sim_head {
    uint8_t crashes, agent_crashes, suspicions; /* left */
    uint8_t stepped;                            /* set of ranks */
    uint8_t begun;                              /* somebody has done something */
    uint8_t condemned;                          /* set: each ends at some time */
    uint32_t mail_bytes;
    uint8_t fate[MEND_SIM_SMALL_MAX];   /* enum mend_sim_fate */
    uint8_t notice[MEND_SIM_SMALL_MAX]; /* set of dead that this rank is to be told of */
    uint8_t told[MEND_SIM_SMALL_MAX];   /* set of dead that it has been told of */
    uint8_t set[MEND_SIM_SMALL_MAX]; /* of a dead one: those that died together, itself included */
    uint64_t print[MEND_SIM_SMALL_MAX]; /* hash of the process's bytes */
};
_Static_assert(sizeof(struct mend_sim_head) % 8 == 0, "processes are aligned to 8");

/* A message: followed by len bytes. */
struct mend_sim_mail {
    uint8_t to, from, len;
};

struct mend_sim_shape {
    int ranks;
    size_t proc_bytes;
    size_t mail_max; /* bytes of messages */
};

static inline struct mend_sim_head *mend_sim_head(const char *state)
{
    return (struct mend_sim_head *)(uintptr_t)state;
}

static inline char *mend_sim_procs(const char *state)
{
    return (char *)(uintptr_t)state + sizeof(struct mend_sim_head);
}

static inline void *mend_sim_proc_at(const struct mend_sim_shape *w, const char *state, int rank)
{
    return mend_sim_procs(state) + w->proc_bytes * (size_t)rank;
}

static inline struct mend_sim_mail *mend_sim_mail(const struct mend_sim_shape *w, const char *state)
{
    return mend_sim_proc_at(w, state, w->ranks);
}

static inline struct mend_sim_mail *mend_sim_mail_next(struct mend_sim_mail *m)
{
    return (struct mend_sim_mail *)((char *)m + sizeof *m + m->len);
}

static inline struct mend_sim_mail *mend_sim_mail_end(const struct mend_sim_shape *w,
                                                      const char *state)
{
    return (struct mend_sim_mail *)((char *)mend_sim_mail(w, state) +
                                    mend_sim_head(state)->mail_bytes);
}

/* Bytes of the state as it is, and of the largest one. */
size_t mend_sim_state_bytes(const struct mend_sim_shape *w, const char *state);
size_t mend_sim_state_max(const struct mend_sim_shape *w);

/* The nth message of a pair, NULL: there are not so many. */
struct mend_sim_mail *mend_sim_mail_find(const struct mend_sim_shape *w, const char *state, int to,
                                         int from, int nth);
void mend_sim_mail_add(const struct mend_sim_shape *w, char *state, int to, int from,
                       const void *bytes, size_t len);
void mend_sim_mail_remove(const struct mend_sim_shape *w, char *state, struct mend_sim_mail *m);

/* Removes all messages to `to` (or to anybody, -1) from `from` (or from anybody, -1). */
void mend_sim_mail_purge(const struct mend_sim_shape *w, char *state, int to, int from);

/* Computes the print of one process again; all of them are right in a state that is hashed. */
void mend_sim_state_print(const struct mend_sim_shape *w, char *state, int rank);

/* 64 bits, the lowest one is 0 and never all are. */
uint64_t mend_sim_state_hash(const struct mend_sim_shape *w, const char *state);

/* A set of hashes; the lowest bit of an entry is the user's. */
struct mend_sim_visited {
    uint64_t *table;
    size_t mask, used;
};

/* The entry of a hash, 0 if it is new: then the caller writes it and calls mend_sim_visited_added(). */
uint64_t *mend_sim_visited_find(const struct mend_sim_visited *v, uint64_t key);
void mend_sim_visited_open(struct mend_sim_visited *v);
void mend_sim_visited_added(struct mend_sim_visited *v);
void mend_sim_visited_close(struct mend_sim_visited *v);

#endif
