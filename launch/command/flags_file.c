/* SPDX-License-Identifier: BSD-3-Clause */
/* flags_file.c – --configfile: a file whose lines are the blocks of the command line; --file: or flags of one block. */
#include "command/flags.h"

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

static void config_line(struct mend_options *o, struct mend_strings *words, char *line, bool block)
{
    char *word = config_word(&line);

    if (word && words->n && block)
        mend_strings_add(words, mend_options_keep(o, mend_xprintf(":")));
    for (; word; word = config_word(&line))
        mend_strings_add(words, mend_options_keep(o, mend_xprintf("%s", word)));
}

/* The words of a file; blocks: with a ':' between its lines. */
static void read_file(struct mend_parse *p, const char *name, bool blocks,
                      struct mend_strings *words)
{
    char *text = mend_xprintf("%s", mend_texts_read(p->o, p->flag, name));

    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        config_line(p->o, words, line, blocks);
    }
    free(text);
}

/* They are read next, in place of the rest of the command line. */
static void use_words(struct mend_parse *p, struct mend_strings *words)
{
    free(p->from_file);
    p->argv = p->from_file = words->at;
    p->argc = words->n;
    p->at = 0;
}

/* Each line is a block.  Flags for a block that came before are those of the first. */
void mend_on_config_file(struct mend_parse *p, const char *value, const char *second)
{
    struct mend_strings words = {0};

    if (p->at < p->argc)
        mend_options_fail(2, "%s: the file says what to start, so '%s' cannot follow", p->flag,
                          p->argv[p->at]);
    read_file(p, value, true, &words);
    if (!words.n)
        mend_options_fail(2, "%s %s: the file names no program", p->flag, value);
    use_words(p, &words);
}

/* Blocks, if nothing follows on the command line; or flags of the block that does, in one line or more. */
void mend_on_file(struct mend_parse *p, const char *value, const char *second)
{
    struct mend_strings words = {0};

    if (p->at >= p->argc) {
        mend_on_config_file(p, value, second);
        return;
    }
    read_file(p, value, false, &words);
    for (; p->at < p->argc; p->at++)
        mend_strings_add(&words, p->argv[p->at]);
    use_words(p, &words);
}
