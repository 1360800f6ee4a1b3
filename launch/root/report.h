/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h – what the root says: lines on standard error, and those of the file that --report names (base/lines.def). */
#ifndef MEND_LAUNCH_ROOT_REPORT_H
#define MEND_LAUNCH_ROOT_REPORT_H

#include "base/lines.h"
#include "share/message.h"

struct root;
struct root_node;

/* A line for the user. */
void mend_root_say(struct root *root, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same about what a rank did, so below what it has printed before. */
void mend_root_say_of(struct root *root, int rank, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The file: opens it; writes a line of the root's, or one that a rank of the node has written, which begins with its time. */
void mend_root_open_report(struct root *root);
void mend_root_line(struct root *root, mend_time_ns since_start, const char *text);
void mend_root_text(struct root_node *node, int rank, const char *text, size_t len);

/* How long after the start of the job something was that a node dates from its own start, in nanoseconds. */
mend_time_ns mend_root_date(struct root_node *node, int64_t since_its_start);

/* A death that an agent tells of: in the file, and to the user. */
void mend_root_death(struct root *root, struct root_node *node, const struct mend_message *m);

/* mend_root_report(root, since_start, end, .status = 0): that line of lines.def */
#define mend_root_report(root_, when_, line_, ...)                                                 \
    do {                                                                                           \
        char text_[MEND_LINE_BYTES];                                                               \
                                                                                                   \
        if ((root_)->report_fd >= 0 &&                                                             \
            mend_line_##line_##_text(text_, &(struct mend_line_##line_){__VA_ARGS__}))             \
            mend_root_line((root_), (when_), text_);                                               \
    } while (0)

#endif
