/* SPDX-License-Identifier: BSD-3-Clause */
/* board.h – what the stepper and the ranks of a job share: a mapped file, and the list of calls.
 *
 *   victim   pid ── wait for `attached` ── SIGTRAP ─┐ inside = 1   the call   inside = 2
 *   stepper        seize, attached = 1 ─────────────┘ one step, one step, ..., SIGKILL
 *
 * Each word has one writer, named beside it. */
#ifndef TEST_STEP_BOARD_H
#define TEST_STEP_BOARD_H

#include <stdatomic.h>

#define STEP_RANKS_MAX 8
#define STEP_TEXT_MAX  256

enum step_inside { STEP_BEFORE, STEP_INSIDE, STEP_RETURNED };

/* What a survivor got from its side of the call. */
enum step_got {
    STEP_GOT_NOTHING,
    STEP_GOT_SUCCESS,
    STEP_GOT_FAILED,
    STEP_GOT_REVOKED,
    STEP_GOT_OTHER
};

/* Written by the rank. */
struct step_rank {
    atomic_int pid;
    atomic_int ready; /* the next thing that this survivor does is its side of the call */
    atomic_int got;   /* enum step_got */
    atomic_int value; /* of an agreement, size of a new communicator; else 0 */
    atomic_int done;  /* recovered, and everything after it was right */
    char wrong[STEP_TEXT_MAX];
};

struct step_board {
    atomic_int attached; /* the stepper: the victim may begin */
    atomic_int go;       /* the stepper: survivors that come late may begin */
    atomic_int inside;   /* the victim: enum step_inside */
    struct step_rank rank[STEP_RANKS_MAX];
};

/* When survivors begin their side of the call. */
#define STEP_PEERS_FIRST         (-1)     /* before the victim: it need not wait */
#define STEP_PEERS_BUSY          (-2)     /* the same, but they poll and do not sleep */
#define STEP_PEERS_AFTER(steps_) (steps_) /* that late, or when the victim sleeps in the kernel */

enum step_rule {
    STEP_ANY = 0,
    STEP_DELIVERS = 1, /* killed after its return: the survivors must have succeeded */
    STEP_UNIFORM = 2,  /* all survivors get the same class and value */
    STEP_REVOKES = 4,  /* "revoked" is an answer, too */
    STEP_COLD = 8,     /* the first call of its kind; else it was called before */
    STEP_ALONE = 16,   /* may succeed without the victim */
    STEP_SELF = 32,    /* a test of the stepper: the run must be found bad */
    STEP_LONG = 64,    /* too long for all its instructions, and for the sample of all calls */
};

#endif
