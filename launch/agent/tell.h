/* SPDX-License-Identifier: BSD-3-Clause */
/* tell.h – what the agent tells the root: lines for the user and for the report, deaths, ends. */
#ifndef MEND_LAUNCH_AGENT_TELL_H
#define MEND_LAUNCH_AGENT_TELL_H

#include "agent/agent.h"
#include "base/lines.h"

/* A line for the user; the same about r, below what that has written. */
void mend_say(struct agent *agent, const char *format, ...) __attribute__((format(printf, 2, 3)));
void mend_say_of(struct agent *agent, const struct rank *r, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Lines of the report: ours; one that a rank adds. */
void mend_tell_line(struct agent *agent, mend_time_ns when, const char *text);
void mend_tell_text(struct agent *agent, int rank, const char *text, size_t len);
/* mend_report(agent, when, verdict, .rank = 3, .number = 0): that line of lines.def */
#define mend_report(agent_, when_, line_, ...)                                                     \
    do {                                                                                           \
        char text_[MEND_LINE_BYTES];                                                               \
                                                                                                   \
        if ((agent_)->reporting &&                                                                 \
            mend_line_##line_##_text(text_, &(struct mend_line_##line_){__VA_ARGS__}))             \
            mend_tell_line((agent_), (when_), text_);                                              \
    } while (0)

/* Deaths whose causes are known, or were not told for too long. */
void mend_tell_deaths(struct agent *agent);

/* r has aborted all that were left. */
void mend_tell_whole_abort(struct agent *agent, const struct rank *r, struct mend_abort what);

/* Whether the ranks run; that the log of facts has the names below `end`. */
void mend_tell_started(struct agent *agent, bool started);
void mend_tell_names(struct agent *agent, int end);

/* How each rank of the node has ended, once; that r carries out its injection of that number. */
void mend_tell_ends(struct agent *agent);
void mend_tell_injected(struct agent *agent, const struct rank *r, int number);

/* Answers to a question of the root: what r waits for, in which collective call it is; that this is all.  Whether the ranks of this
 * node wait as the injection of that number among all wants. */
void mend_tell_wait(struct agent *agent, int64_t question, const struct rank *r, const char *what);
void mend_tell_call(struct agent *agent, int64_t question, const struct rank *r,
                    const struct mend_node_call *call);
void mend_tell_answered(struct agent *agent, int64_t question);
void mend_tell_blocked(struct agent *agent, int64_t question, int injection, bool wait);

#endif
