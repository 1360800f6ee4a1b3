/* SPDX-License-Identifier: BSD-3-Clause */
/* flags_file.c – --configfile: a file whose lines are the blocks of the command line. */
#include "flags.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next word of a line, without the quotes around it or parts of it; NULL: there is none.  Moves *at_p on. */
static char *config_word(char **at_p)
{
    char *at = *at_p + strspn(*at_p, " \t\r\n"), *word = at, *to = at, quote = 0;

    if (!*at || *at == '#')
        return NULL;
    for (; *at && (quote || !strchr(" \t\r\n", *at)); at++) {
        if (quote ? *at == quote : *at == '\'' || *at == '"')
            quote = quote ? 0 : *at;
        else
            *to++ = *at;
    }
    if (quote)
        mend_options_fail(2, "a quoted word has no end: %c%s", quote, word);
    *at_p = *at ? at + 1 : at;
    *to = '\0';
    return word;
}

static void config_line(struct mend_options *o, struct mend_strings *words, char *line)
{
    char *word = config_word(&line);

    if (word && words->n)
        mend_strings_add(words, mend_options_keep(o, mend_xprintf(":")));
    for (; word; word = config_word(&line))
        mend_strings_add(words, mend_options_keep(o, mend_xprintf("%s", word)));
}

/* Each line is a block.  Flags for a block that came before are those of the first. */
void mend_on_config_file(struct mend_parse *p, const char *value, const char *second)
{
    struct mend_strings words = {0};
    char *line = NULL;
    size_t size = 0;
    FILE *f = fopen(value, "re");

    if (!f)
        mend_options_fail(2, "%s %s: %s", p->flag, value, strerror(errno));
    if (p->at < p->argc)
        mend_options_fail(2, "%s: the file says what to start, so '%s' cannot follow", p->flag,
                          p->argv[p->at]);
    while (getline(&line, &size, f) >= 0)
        config_line(p->o, &words, line);
    free(line);
    fclose(f);
    if (!words.n)
        mend_options_fail(2, "%s %s: the file names no program", p->flag, value);
    free(p->from_file);
    p->argv = p->from_file = words.at;
    p->argc = words.n;
    p->at = 0;
}
