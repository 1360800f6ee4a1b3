/* SPDX-License-Identifier: BSD-3-Clause */
/* hostfile.c – see hostfile.h. */
#include "rt/hostfile.h"

#include "base/host_text.h"
#include "rt/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WHAT_BYTES 200
#define MORE_BYTES 16 /* that a line becomes longer by at most: brackets, ':', a number, ',' */

static char *refuse(char *list, char *why, size_t size, const char *path, const char *what)
{
    free(list);
    snprintf(why, size, "hostfile '%s': %s", path, what);
    return NULL;
}

static int append(char *to, const struct mend_host_text *h)
{
    if (!h->slots)
        return sprintf(to, "%s,", h->name);
    return sprintf(to, strchr(h->name, ':') ? "[%s]:%d," : "%s:%d,", h->name, h->slots);
}

char *mend_hostfile_list(char *text, const char *path, char *why, size_t size)
{
    char *list, *to, *next, what[WHAT_BYTES], where[WHAT_BYTES + 32];
    struct mend_host_text host;
    size_t lines = 1;

    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    list = to = malloc(strlen(text) + MORE_BYTES * lines + 1);
    if (!list)
        return refuse(list, why, size, path, strerror(ENOMEM));
    for (int number = 1; text; number++, text = next) {
        next = mend_host_text_cut(text);
        if (!mend_host_text_line(text, &host, what, sizeof(what))) {
            snprintf(where, sizeof(where), "line %d: %s", number, what);
            return refuse(list, why, size, path, where);
        }
        if (host.name)
            to += append(to, &host);
    }
    if (to == list)
        return refuse(list, why, size, path, "it names no host");
    to[-1] = '\0';
    return list;
}

/* All of it, with a 0 behind it.  NULL: errno says why. */
static char *read_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error;
    char *text = NULL;
    struct stat st;
    ssize_t n = -1;

    if (fd < 0)
        return NULL;
    error = fstat(fd, &st) != 0                        ? errno
            : !S_ISREG(st.st_mode)                     ? EINVAL
            : st.st_size > (off_t)MEND_SPAWN_BYTES_MAX ? EFBIG
            : (text = malloc((size_t)st.st_size + 1))  ? 0
                                                       : ENOMEM;
    if (!error && (n = read(fd, text, (size_t)st.st_size)) < 0)
        error = errno;
    else if (!error && memchr(text, '\0', (size_t)n))
        error = EILSEQ;
    close(fd);
    if (!error && n >= 0) {
        text[n] = '\0';
        return text;
    }
    free(text);
    errno = error;
    return NULL;
}

char *mend_hostfile_read(const char *path, char *why, size_t size)
{
    char *text = read_file(path), *list;

    if (!text)
        return refuse(NULL, why, size, path,
                      errno == EINVAL   ? "it is not a file"
                      : errno == EILSEQ ? "it is not a text file"
                                        : strerror(errno));
    list = mend_hostfile_list(text, path, why, size);
    free(text);
    return list;
}
