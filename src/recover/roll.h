/* SPDX-License-Identifier: BSD-3-Clause */
/* roll.h – which processes of a module roll back, and which communicators are cut (S1-6, S1-10 to S1-12).
 *
 * All members of a module that rolls back say where they are and which communicators they have used since their safe point:
 *
 *     left    how often the process has left the module; leaving is a barrier, so two of them differ by one at most
 *     place   OUT      behind its last safe point, in the module or outside it
 *             LEAVING  in MPIX_Module_leave(), about to make the next one
 *             POINT    at its last safe point, where an earlier turn of this recovery has rolled it back
 *
 *   N = the largest `left`
 *   participants:  left = N, not at POINT ──> roll back to safe point N
 *                  left = N - 1           ──> LEAVING: makes safe point N, nothing rolls back
 *   the others roll back if they have used a communicator that one that rolls back has used, and so on, till nothing changes:
 *   each communicator that one of them has used is in the cut
 *
 * So afterwards all participants are just behind the same call, and no message is under way between a process that has rolled
 * back and another one: each communicator of the cut goes on in a context of its own at all its members, and what was under way
 * goes with the old one.
 *
 *   1  the result is the same at all members that live: it is agreed on that all have it;
 *   2  a turn that fails after that leaves a cut of which some have carried out parts: those that know of it report it in
 *      the next turn as used, so all carry it out then. */
#ifndef MEND_RECOVER_ROLL_H
#define MEND_RECOVER_ROLL_H

#include "recover/undo.h"

enum mend_roll_place {
    MEND_ROLL_OUT,
    MEND_ROLL_LEAVING,
    MEND_ROLL_POINT,
};

/* What a member says of itself. */
struct mend_roll_position {
    uint64_t left;
    uint64_t place;    /* enum mend_roll_place */
    uint64_t has_part; /* it recovers */
    uint64_t cannot;   /* roll back */
    uint64_t used_n;   /* communicators that it has used, and behind them: */
    uint64_t cut_n;    /* those of an earlier turn's cut */
};

#define MEND_ROLL_STRANGERS                                                                        \
    UINT64_C(1) /* in the id of a communicator: it has members that are not the module's */

/* Pure: from the positions of n members and their ids, one after the other.  rolls[i]: member i is to roll back.  cut, with room
 * for all ids: those of the cut, in ascending order and without repetition; *cut_n_p of them.  False: one that is to roll back
 * cannot, or has used a communicator with strangers. */
bool mend_roll_decide(const struct mend_roll_position *members, int n, const uint64_t *ids,
                      bool *rolls, uint64_t *cut, uint64_t *cut_n_p);

/* The outcome of a turn. */
struct mend_roll {
    uint64_t *cut; /* the ids, in ascending order; NULL: none */
    uint64_t cut_n;
    mend_ctx ctx;  /* of the first one; the next ones have the pairs behind it */
    uint64_t left; /* N */
    bool rolls;    /* this process */
    bool refused;
};

/* Collective over c, whose members are those that are left of the module's, `of`; blocks until all have the result, or the next
 * turn is due: MPI_ERR_PROC_FAILED at all. roll: the last outcome, which this one replaces. */
int mend_roll_exchange(struct mend_comm *c, struct mend_group *of,
                       const struct mend_roll_position *mine, struct mend_roll *roll);

/* Gives each communicator of the cut that this process has its new context. */
void mend_roll_cut(struct mend_proc *self, const struct mend_roll *roll);

void mend_roll_forget(struct mend_proc *self, struct mend_roll *roll);

#endif
