/* SPDX-License-Identifier: BSD-3-Clause */
/* lines.h – the lines of lines.def as structs, and each struct as text.
 *
 *     struct mend_line_notice line = {.rank = MEND_LINE_OF_THIS, .dead = 3};
 *     mend_line_notice_text(text, &line);              "event":"notice","dead":3
 *
 * The launcher and the library write a line by naming its struct's members, so a member that is not in
 * the table, or of another type, does not compile. */
#ifndef MEND_BASE_LINES_H
#define MEND_BASE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#define MEND_LINE_BYTES   480  /* of a text, with its end */
#define MEND_LINE_OF_THIS (-1) /* as rank: left out, the agent knows which rank sent the line */

#define MEND_RANK(what_)          int rank;
#define MEND_NUMBER(name_, what_) int name_;
#define MEND_COUNT(name_, what_)  uint64_t name_;
#define MEND_WORDS(name_, what_)  const char *name_;
#define MEND_TRUTH(name_, what_)  bool name_;
/* The members of a JSON object, without braces.  False: they are longer than MEND_LINE_BYTES. */
#define MEND_LINE(name_, what_, members_)                                                          \
    struct mend_line_##name_ {                                                                     \
        members_                                                                                   \
    };                                                                                             \
    bool mend_line_##name_##_text(char text[MEND_LINE_BYTES], const struct mend_line_##name_ *line);
#include "base/lines.def"
#undef MEND_RANK
#undef MEND_NUMBER
#undef MEND_COUNT
#undef MEND_WORDS
#undef MEND_TRUTH
#undef MEND_LINE

#endif
