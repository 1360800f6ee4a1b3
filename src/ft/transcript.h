/* SPDX-License-Identifier: BSD-3-Clause */
/* transcript.h – tests of protocols: what happened, line by line, compared with what should have.
 *
 * A line is "[ 12] 2 > recv ..."; > is input, < output, ! a death, * a result, ? a refusal. */
#ifndef MEND_FT_TRANSCRIPT_H
#define MEND_FT_TRANSCRIPT_H

#include "base/test.h"

#include <stdarg.h>

struct transcript {
    char text[16384];
    size_t len;
    int line;
};

__attribute__((format(printf, 3, 4))) static inline void
transcript_add(struct transcript *t, int who, const char *fmt, ...)
{
    va_list ap;

    t->len +=
        (size_t)snprintf(t->text + t->len, sizeof t->text - t->len, "[%3d] %d ", t->line, who);
    va_start(ap, fmt);
    t->len += (size_t)vsnprintf(t->text + t->len, sizeof t->text - t->len, fmt, ap);
    va_end(ap);
    t->len += (size_t)snprintf(t->text + t->len, sizeof t->text - t->len, "\n");
}

/* Prints both and fails if they differ. */
#define TRANSCRIPT_IS(t_, expected_) CHECK_STR((t_)->text, (expected_))

#endif
