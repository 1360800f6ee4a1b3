/* SPDX-License-Identifier: BSD-3-Clause */
/* texts.c – the files that the command line names.
 *
 * mpiexec reads each once and keeps its text, for agents on other machines read the same command line and have no such files: they
 * get the texts (given.h). */
#include "command/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE 65536 /* bytes */

static const struct mend_text *find(const struct mend_texts *t, const char *name)
{
    for (int i = 0; i < t->n; i++)
        if (!strcmp(t->at[i].name, name))
            return &t->at[i];
    return NULL;
}

void mend_texts_add(struct mend_texts *t, char *name, char *text)
{
    t->at = realloc(t->at, (size_t)(t->n + 1) * sizeof(*t->at));
    if (!t->at)
        mend_options_fail(1, "no memory");
    t->at[t->n++] = (struct mend_text){name, text};
}

/* The whole of an open file; NULL: errno. */
static char *read_all(int fd)
{
    char *text = NULL;
    size_t len = 0;
    ssize_t n;

    do {
        text = realloc(text, len + PIECE + 1);
        if (!text)
            mend_options_fail(1, "no memory");
        n = read(fd, text + len, PIECE);
        len += n > 0 ? (size_t)n : 0;
    } while (n > 0 || (n < 0 && errno == EINTR));
    text[len] = '\0';
    if (n == 0 && strlen(text) == len)
        return text;
    errno = n < 0 ? errno : EILSEQ;
    free(text);
    return NULL;
}

const char *mend_texts_read(struct mend_options *o, const char *flag, const char *name)
{
    const struct mend_text *known = find(&o->texts, name);
    char *text;
    int fd;

    if (known)
        return known->text;
    if (o->decided)
        mend_options_fail(2, "%s %s: mpiexec has not sent this file", flag, name);
    fd = open(name, O_RDONLY | O_CLOEXEC);
    text = fd >= 0 ? read_all(fd) : NULL;
    if (!text)
        mend_options_fail(2, "%s %s: %s", flag, name,
                          errno == EILSEQ ? "not a text file" : strerror(errno));
    close(fd);
    mend_texts_add(&o->texts, mend_xprintf("%s", name), text);
    return text;
}
