/* SPDX-License-Identifier: BSD-3-Clause */
/* tell.h – what the agent tells the root: lines for the user and for the report, deaths, ends. */
#ifndef MEND_LAUNCH_AGENT_TELL_H
#define MEND_LAUNCH_AGENT_TELL_H

#include "agent/rank.h"
#include "base/lines.h"
#include "share/message.h"

struct mend_course;
struct mend_iof;
struct mend_ranks;
struct mend_verdict;
struct mend_verdicts;

struct mend_tell {
    struct mend_post root; /* where its messages go */
    struct mend_iof *iof;  /* what is told about a rank comes behind what that has written before */
    mend_time_ns
        start_ns; /* of the agent: times are told since then, for no two nodes have the same clock */
    bool reporting;             /* the root wants lines for its report */
    bool quiet;                 /* the user wants none */
    mend_time_ns news_at;       /* when to look for deaths again */
    mend_time_ns count_next_ns; /* not before: counting the survivors must not take all our time */
};

/* A message as it is. */
void mend_tell(const struct mend_tell *tell, const struct mend_message *m);

/* A line for the user; the same about r, below what that has written. */
void mend_say(const struct mend_tell *tell, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void mend_say_of(const struct mend_tell *tell, const struct rank *r, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Lines of the report: ours; one that a rank adds. */
void mend_tell_line(const struct mend_tell *tell, mend_time_ns when, const char *text);
void mend_tell_text(const struct mend_tell *tell, int rank, const char *text, size_t len);
/* mend_report(tell, when, verdict, .rank = 3, .number = 0): that line of lines.def */
#define mend_report(tell_, when_, line_, ...)                                                      \
    do {                                                                                           \
        char text_[MEND_LINE_BYTES];                                                               \
                                                                                                   \
        if ((tell_)->reporting &&                                                                  \
            mend_line_##line_##_text(text_, &(struct mend_line_##line_){__VA_ARGS__}))             \
            mend_tell_line((tell_), (when_), text_);                                               \
    } while (0)

/* Deaths whose causes are known, or were not told for too long. */
void mend_tell_deaths(struct mend_tell *tell, struct mend_verdicts *verdicts,
                      const struct mend_course *course);

/* Processes of another node died with it: the first node says so, as theirs cannot. */
void mend_tell_lost(const struct mend_tell *tell, struct mend_verdicts *verdicts,
                    const struct mend_verdict *v, uint32_t n);

/* r has aborted all that were left. */
void mend_tell_whole_abort(const struct mend_tell *tell, const struct rank *r,
                           struct mend_abort what);

/* Whether the ranks run, on a host of that name; that the log of facts has the names below `end`. */
void mend_tell_started(const struct mend_tell *tell, bool started, const char *host);
void mend_tell_names(const struct mend_tell *tell, int end);

/* How each rank of the node has ended, once; that r carries out its injection of that number. */
void mend_tell_ends(const struct mend_tell *tell, const struct mend_ranks *ranks,
                    struct mend_course *course);
void mend_tell_injected(const struct mend_tell *tell, const struct rank *r, int number);

/* Answers to a question of the root: what r waits for on that host ("": there is one only), in which collective call it is; that this is all.  Whether the ranks of this
 * node wait as the injection of that number among all wants. */
void mend_tell_wait(const struct mend_tell *tell, int64_t question, const struct rank *r,
                    const char *host, const char *what);
void mend_tell_call(const struct mend_tell *tell, int64_t question, const struct rank *r,
                    const struct mend_node_call *call);
void mend_tell_answered(const struct mend_tell *tell, int64_t question);
void mend_tell_blocked(const struct mend_tell *tell, int64_t question, int injection, bool wait);

#endif
