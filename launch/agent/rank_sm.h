/* SPDX-License-Identifier: BSD-3-Clause */
/* rank_sm.h – the observed states of one rank: five small state machines side by side.  Pure.
 *
 * Each is one word.  `child` belongs to the main thread, the job's lock guards the others.  ft/detector_sm decides
 * whether the rank is dead; the states here are the detector's inputs and answers.
 *
 *   child: the process that we started, and the one in it when that is stopped
 *              ──STOPS──>
 *      RUNNING            STOPPED        both ──ENDS──> ENDED   (a zombie until the job ends)
 *              <─RESUMES─
 *
 *   who: the process that is the rank, which may be inside a script that is the child
 *      SUPPOSED ──IS_WRAPPED──> SCRIPT ──INNER_JOINS──> INNER
 *          │ CHILD_JOINS,         │ CHILD_JOINS
 *          v INNER_JOINS          v
 *        CHILD <──────────────────┘
 *
 *   mark: that of its life word
 *      NONE ──MARK_EARLY──> EARLY ──WORDS──> HEARD        (its last datagrams come first)
 *       │                                      │
 *       ├──MARK_OTHERS──> THREADS <────────────┤          (it has other threads, which may still run)
 *       │                    │ THREADS_END     │
 *       └──────MARK──────> CERTAIN <───────────┘
 *                            │ REASON
 *                            v
 *                        EXPLAINED        any but SURVIVED ──SURVIVES──> SURVIVED   (as by execve)
 *
 *   ending: the detector must know how the child ended, but not before a process in it has
 *      UNKNOWN ──HOLD──> HELD        both ──TELL──> TOLD
 *
 *   news: for people
 *      NONE ──VERDICT──> DEAD      ──PRINT──> PRINTED
 *      NONE ──LINGER───> LINGERING ──PRINT──> PRINTED     (killed because it was stopped after MPI_Finalize)
 *
 * Invariants, each by the table and shown by rank_test.c:
 *   1  an event that the picture does not have in a state changes nothing, so a repeated event counts once;
 *   2  except `child`, no machine returns to a state that it has left;
 *   3  the reason is requested at most once, when no thread is left;
 *   4  a death is printed at most once. */
#ifndef MEND_LAUNCH_AGENT_RANK_SM_H
#define MEND_LAUNCH_AGENT_RANK_SM_H

#include <stdbool.h>
#include <stdint.h>

enum mend_rank_child { MEND_CHILD_RUNNING = 0, MEND_CHILD_STOPPED, MEND_CHILD_ENDED };

enum mend_rank_who {
    MEND_WHO_SUPPOSED = 0, /* the child, as long as nobody says otherwise */
    MEND_WHO_SCRIPT,       /* a process in the child, of which nothing is known yet */
    MEND_WHO_CHILD,        /* the child has said so */
    MEND_WHO_INNER,        /* a process in the child has said so, and the kernel which */
};

enum mend_rank_mark {
    MEND_MARK_NONE = 0,
    MEND_MARK_EARLY, /* it is marked, but its last datagrams are not read yet */
    MEND_MARK_HEARD, /* ... but are now */
    MEND_MARK_THREADS, /* acted on, while it had other threads that have not been seen at their ends */
    MEND_MARK_CERTAIN,   /* acted on; it runs nothing */
    MEND_MARK_EXPLAINED, /* ... and /proc has told the reason */
    MEND_MARK_SURVIVED,  /* its process went on, and is killed */
};

enum mend_rank_ending { MEND_ENDING_UNKNOWN = 0, MEND_ENDING_HELD, MEND_ENDING_TOLD };

enum mend_rank_news { MEND_NEWS_NONE = 0, MEND_NEWS_DEAD, MEND_NEWS_LINGERING, MEND_NEWS_PRINTED };

enum mend_rank_event {
    MEND_RANK_STOPS, /* child */
    MEND_RANK_RESUMES,
    MEND_RANK_ENDS,
    MEND_RANK_IS_WRAPPED, /* who: it says itself that it is not the child */
    MEND_RANK_CHILD_JOINS,
    MEND_RANK_INNER_JOINS, /* a datagram came from another process than the child */
    MEND_RANK_MARK_EARLY,  /* mark */
    MEND_RANK_WORDS,
    MEND_RANK_MARK_OTHERS,
    MEND_RANK_MARK,
    MEND_RANK_THREADS_END,
    MEND_RANK_REASON,
    MEND_RANK_SURVIVES,
    MEND_RANK_HOLD, /* ending */
    MEND_RANK_TELL,
    MEND_RANK_VERDICT, /* news */
    MEND_RANK_LINGER,
    MEND_RANK_PRINT,
    MEND_RANK_EVENTS
};

/* All zero: a rank that has not been seen to do anything. */
struct mend_rank_state {
    uint8_t child; /* enum mend_rank_child; the main thread's */
    uint8_t who;   /* enum mend_rank_who ... */
    uint8_t mark;
    uint8_t ending;
    uint8_t news;
};

/* The one transition function.  False: that event means nothing in this state, nothing was changed. */
bool mend_rank_step(struct mend_rank_state *s, enum mend_rank_event ev);

/* The child is not the rank, but a script around it. */
static inline bool mend_rank_in_script(const struct mend_rank_state *s)
{
    return s->who == MEND_WHO_SCRIPT || s->who == MEND_WHO_INNER;
}

/* The mark of its life word was acted on. */
static inline bool mend_rank_is_marked(const struct mend_rank_state *s)
{
    return s->mark >= MEND_MARK_THREADS;
}

#endif
