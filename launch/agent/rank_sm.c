/* SPDX-License-Identifier: BSD-3-Clause */
/* rank_sm.c – the picture of rank_sm.h as a table: one line per edge. */
#include "agent/rank_sm.h"

#include <stddef.h>

struct edge {
    uint8_t event, machine, from, to;
};

#define EDGE(event_, machine_, from_, to_)                                                         \
    {                                                                                              \
        MEND_RANK_##event_, offsetof(struct mend_rank_state, machine_), from_, to_                 \
    }
#define CHILD(event_, from_, to_)  EDGE(event_, child, MEND_CHILD_##from_, MEND_CHILD_##to_)
#define WHO(event_, from_, to_)    EDGE(event_, who, MEND_WHO_##from_, MEND_WHO_##to_)
#define MARK(event_, from_, to_)   EDGE(event_, mark, MEND_MARK_##from_, MEND_MARK_##to_)
#define ENDING(event_, from_, to_) EDGE(event_, ending, MEND_ENDING_##from_, MEND_ENDING_##to_)
#define NEWS(event_, from_, to_)   EDGE(event_, news, MEND_NEWS_##from_, MEND_NEWS_##to_)

/* clang-format off */
static const struct edge edges[] = {
    CHILD(STOPS,        RUNNING,   STOPPED),
    CHILD(RESUMES,      STOPPED,   RUNNING),
    CHILD(ENDS,         RUNNING,   ENDED),
    CHILD(ENDS,         STOPPED,   ENDED),

    WHO(IS_WRAPPED,     SUPPOSED,  SCRIPT),
    WHO(CHILD_JOINS,    SUPPOSED,  CHILD),
    WHO(CHILD_JOINS,    SCRIPT,    CHILD),
    WHO(INNER_JOINS,    SUPPOSED,  CHILD),
    WHO(INNER_JOINS,    SCRIPT,    INNER),

    MARK(MARK_EARLY,    NONE,      EARLY),
    MARK(WORDS,         EARLY,     HEARD),
    MARK(MARK_OTHERS,   NONE,      THREADS),
    MARK(MARK_OTHERS,   HEARD,     THREADS),
    MARK(MARK,          NONE,      CERTAIN),
    MARK(MARK,          HEARD,     CERTAIN),
    MARK(THREADS_END,   THREADS,   CERTAIN),
    MARK(REASON,        CERTAIN,   EXPLAINED),
    MARK(SURVIVES,      NONE,      SURVIVED),
    MARK(SURVIVES,      EARLY,     SURVIVED),
    MARK(SURVIVES,      HEARD,     SURVIVED),
    MARK(SURVIVES,      THREADS,   SURVIVED),
    MARK(SURVIVES,      CERTAIN,   SURVIVED),
    MARK(SURVIVES,      EXPLAINED, SURVIVED),

    ENDING(HOLD,        UNKNOWN,   HELD),
    ENDING(TELL,        UNKNOWN,   TOLD),
    ENDING(TELL,        HELD,      TOLD),

    NEWS(VERDICT,       NONE,      DEAD),
    NEWS(LINGER,        NONE,      LINGERING),
    NEWS(PRINT,         DEAD,      PRINTED),
    NEWS(PRINT,         LINGERING, PRINTED),
};
/* clang-format on */

bool mend_rank_step(struct mend_rank_state *s, enum mend_rank_event ev)
{
    for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
        uint8_t *state = (uint8_t *)s + edges[i].machine;

        if (edges[i].event == ev && edges[i].from == *state) {
            *state = edges[i].to;
            return true;
        }
    }
    return false;
}
