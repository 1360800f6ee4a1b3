/* SPDX-License-Identifier: BSD-3-Clause */
/* lines.c – lines of the report as JSON: a function for each line of lines.def. */
#include "base/lines.h"

#include <stdarg.h>
#include <stdio.h>

struct text {
    char *at;
    size_t n; /* MEND_LINE_BYTES or more: it did not fit */
};

__attribute__((format(printf, 2, 3))) static void add(struct text *to, const char *format, ...)
{
    va_list args;

    if (to->n >= MEND_LINE_BYTES)
        return;
    va_start(args, format);
    to->n += (size_t)vsnprintf(to->at + to->n, MEND_LINE_BYTES - to->n, format, args);
    va_end(args);
}

#define MEND_RANK(what_)                                                                           \
    if (line->rank != MEND_LINE_OF_THIS)                                                           \
        add(&to, ",\"rank\":%d", line->rank);
#define MEND_NUMBER(name_, what_) add(&to, ",\"" #name_ "\":%d", line->name_);
#define MEND_COUNT(name_, what_)  add(&to, ",\"" #name_ "\":%llu", (unsigned long long)line->name_);
#define MEND_WORDS(name_, what_)  add(&to, ",\"" #name_ "\":\"%s\"", line->name_);
#define MEND_TRUTH(name_, what_)  add(&to, ",\"" #name_ "\":%s", line->name_ ? "true" : "false");
#define MEND_LINE(name_, what_, members_)                                                          \
    bool mend_line_##name_##_text(char text[MEND_LINE_BYTES],                                      \
                                  const struct mend_line_##name_ *line)                            \
    {                                                                                              \
        struct text to = {.at = text};                                                             \
                                                                                                   \
        add(&to, "\"event\":\"" #name_ "\"");                                                      \
        members_;                                                                                  \
        return to.n < MEND_LINE_BYTES;                                                             \
    }
#include "base/lines.def"
