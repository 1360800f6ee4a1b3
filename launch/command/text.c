/* SPDX-License-Identifier: BSD-3-Clause */
/* text.c – messages about the command line; strings and memory (mpiexec ends if there is none). */
#include "command/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_agent;

void mend_options_be_agent(void)
{
    is_agent = true;
}

_Noreturn void mend_options_fail(int status, const char *format, ...)
{
    va_list args;

    fputs("mpiexec: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs(status == 2 && !is_agent ? "\nTry 'mpiexec --help'.\n" : "\n", stderr);
    exit(status);
}

static char *formatted(const char *format, va_list args)
{
    char *text;

    if (vasprintf(&text, format, args) < 0)
        mend_options_fail(1, "no memory");
    return text;
}

void mend_options_note(struct mend_options *o, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = formatted(format, args);
    va_end(args);
    for (int i = 0; i < o->notes.n; i++)
        if (!strcmp(o->notes.at[i], text)) { /* once for all blocks */
            free(text);
            return;
        }
    mend_strings_add(&o->notes, text);
}

char *mend_options_keep(struct mend_options *o, char *text)
{
    mend_strings_add(&o->kept, text);
    return text;
}

void *mend_xalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);

    if (!p)
        mend_options_fail(1, "no memory");
    return p;
}

char *mend_xprintf(const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = formatted(format, args);
    va_end(args);
    return text;
}

void mend_strings_add(struct mend_strings *s, char *text)
{
    s->at = realloc(s->at, (size_t)(s->n + 2) * sizeof(*s->at));
    if (!s->at)
        mend_options_fail(1, "no memory");
    s->at[s->n++] = text;
    s->at[s->n] = NULL;
}
