/* SPDX-License-Identifier: BSD-3-Clause */
/* roll.h – to which safe point modules roll back, which processes do, and which communicators are cut (S1-6, S1-10 to S1-12).
 *
 * Modules that roll back have the same members, which leave them in the same order.  Leaving one is a barrier, so the safe
 * points behind it have one number at all members, and each is a cut of the whole: no message of the module's call crosses it.
 *
 *     number   1        2        3        4        5
 *     left     F        G        F        H        G          of each module the last one is kept, here 3, 4 and 5
 *                                         ^ inside a call of G: so 3 is also where G would go back to from there
 *
 * All members say where they are, which safe points they keep, and which communicators they have used behind which of them:
 *
 *     left    the number of the last safe point; two of them differ by one at most, except for those at POINT
 *     place   OUT      behind it, in a module or outside
 *             LEAVING  in MPIX_Module_leave(), about to make the next one
 *             POINT    at it, where an earlier turn of this recovery has rolled the process back
 *
 *   N       the largest `left`
 *   redone  a module that is redone: a process asks for it, it has lost a process, or it was recovered since T was made
 *   T       the target, one safe point for all.  The wish is the first safe point behind the last call of each module that is asked
 *           for.  A safe point is unusable if a module that is redone is entered there, or if a process that has to go there does
 *           not keep it.  Then T is the next usable one behind the wish, or else the newest usable one before it
 *
 *   T = N   The participants of modules that are redone roll back.  So does each process that has used a communicator which one of
 *           them has used, and so on until nothing changes.  A process at POINT is there already; one with left = N - 1 makes safe
 *           point N and does not roll back
 *   T < N   all roll back, because a barrier that all have passed is undone
 *   cut     each communicator that one of them has used behind T
 *
 * Refused is T too if no member knows of a death behind it and no module has lost a process: what failed would fail there again, and
 * so on without end (R47).
 *
 * So afterwards all participants are just behind the same call, and no message is under way between a process that has rolled
 * back and another one: each communicator of the cut goes on in a context of its own at all its members, and what was under way
 * goes with the old one.
 *
 *   1  the result is the same at all members that live: it is agreed on that all have it;
 *   2  a turn that fails after that leaves a cut of which some have carried out parts: those that know of it report it in
 *      the next turn as used, so all carry it out then;
 *   3  what was asked for in a turn, or was to be redone, is so in the next ones. */
#ifndef MEND_RECOVER_ROLL_H
#define MEND_RECOVER_ROLL_H

#include "recover/undo.h"

enum mend_roll_place {
    MEND_ROLL_OUT,
    MEND_ROLL_LEAVING,
    MEND_ROLL_POINT,
};

/* What a member says of itself.  Sets of modules are bits. */
struct mend_roll_position {
    uint64_t left;
    uint64_t place; /* enum mend_roll_place */
    uint64_t parts; /* modules that it has a part in */
    uint64_t asks;  /* modules that it wants to recover */
    uint64_t
        lost; /* modules that have lost a process, or are in a recovery that has not succeeded */
    uint64_t cannot; /* roll back: enum mend_undo_why */
    uint64_t quiet;  /* the first safe point behind which it knows of no death; 0: there is none */
    uint64_t kept_n, used_n, cut_n; /* what stands behind it, in that order */
};

/* A safe point that it keeps. */
struct mend_roll_kept {
    uint64_t number;
    uint64_t entered; /* modules, there */
    uint64_t exists;  /* modules that were there */
    uint64_t redo;    /* have recovered since */
    uint64_t behind;  /* it is behind the last call of these */
};

/* A communicator that it has used, or one of an earlier turn's cut. */
struct mend_roll_used {
    uint64_t id;
    uint64_t at; /* number of the last safe point before its last use; not of a cut */
};

#define MEND_ROLL_STRANGERS                                                                        \
    UINT64_C(1) /* in the id of a communicator: it has members that are not the module's */

#define MEND_ROLL_KEPT_WORDS (sizeof(struct mend_roll_kept) / sizeof(uint64_t))
#define MEND_ROLL_USED_WORDS (sizeof(struct mend_roll_used) / sizeof(uint64_t))

/* How many words stand behind a position. */
static inline uint64_t mend_roll_words(const struct mend_roll_position *p)
{
    return p->kept_n * MEND_ROLL_KEPT_WORDS + (p->used_n + p->cut_n) * MEND_ROLL_USED_WORDS;
}

/* The outcome of a turn. */
struct mend_roll {
    uint64_t *cut; /* the ids, in ascending order; NULL: none */
    uint64_t cut_n;
    mend_ctx ctx;    /* of the first one; the next ones have the pairs behind it */
    uint64_t asked;  /* modules */
    uint64_t redone; /* modules */
    uint64_t newest; /* N */
    uint64_t target; /* T */
    bool rolls;      /* this process */
    bool refused;
    enum mend_undo_why why; /* refused: what was found first */
    int who;                /* at which member */
};

/* Pure: from the positions of n members and what stands behind them, one after the other, all but `ctx` and `rolls` of *roll.  rolls[i]:
 * member i is to roll back.  roll->cut has room for as many ids as there are.  Refused: there is no safe point to which all can roll back
 * that have to, or nobody has died behind it. */
void mend_roll_decide(const struct mend_roll_position *members, int n, const uint64_t *words,
                      bool *rolls, struct mend_roll *roll);

/* Collective over c, whose members are those that are left of the modules', `of`; blocks until all have the result, or the next
 * turn is due: MPI_ERR_PROC_FAILED at all.  kept: mine->kept_n of them.  roll: the last outcome, which this one replaces. */
int mend_roll_exchange(struct mend_comm *c, struct mend_group *of,
                       const struct mend_roll_position *mine, const struct mend_roll_kept *kept,
                       struct mend_roll *roll);

/* Gives each communicator of the cut that this process has its new context. */
void mend_roll_cut(struct mend_proc *self, const struct mend_roll *roll);

void mend_roll_forget(struct mend_proc *self, struct mend_roll *roll);

#endif
