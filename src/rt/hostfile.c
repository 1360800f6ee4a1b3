/* SPDX-License-Identifier: BSD-3-Clause */
/* hostfile.c – see hostfile.h. */
#include "rt/hostfile.h"

#include "base/status.h"
#include "node/layout.h"
#include "rt/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLANKS   " \t\r"
#define PER_LINE 16 /* bytes that a line becomes longer by at most: brackets, ':', a number, ',' */

static char *refuse(char *list, char *why, size_t size, const char *path, const char *what)
{
    free(list);
    snprintf(why, size, "hostfile '%s': %s", path, what);
    return NULL;
}

/* What a word that begins so is behind its '=', around which there may be blanks; NULL: no such word is there. */
static const char *value_of(const char *words, const char *key)
{
    for (const char *at = words; (at = strstr(at, key)); at++) {
        const char *end = at + strlen(key);

        end += strspn(end, BLANKS);
        if (*end == '=' && at > words && strchr(BLANKS, at[-1]))
            return end + 1 + strspn(end + 1, BLANKS);
    }
    return NULL;
}

/* 0: the line gives no number; -1: what it gives is none. */
static long slots_in(const char *words)
{
    static const char *const keys[] = {"slots", "count", "cpus", "cpu"};
    const char *value = NULL;
    char *end;
    long n;

    for (size_t k = 0; k < MEND_COUNT_OF(keys) && !value; k++)
        value = value_of(words, keys[k]);
    if (!value || *value == '*' || !strncasecmp(value, "auto", 4))
        return 0;
    n = strtol(value, &end, 10);
    return end > value && strchr(BLANKS, *end) && n > 0 && n <= MEND_NODE_NAMES ? n : -1;
}

/* Appends the host of a line; false: it has a wrong number of slots. */
static bool take_line(char *line, char **to_p)
{
    size_t len = strcspn(line, "#");
    char *name, *at;
    long slots;

    line[len] = '\0';
    name = line + strspn(line, BLANKS);
    if (!*name)
        return true;
    len = strcspn(name, BLANKS);
    slots = slots_in(name + len);
    if (slots < 0)
        return false;
    name[len] = '\0';
    at = strrchr(name, '@');
    name = at ? at + 1 : name;
    *to_p += sprintf(*to_p, strchr(name, ':') && slots && *name != '[' ? "[%s]" : "%s", name);
    if (slots)
        *to_p += sprintf(*to_p, ":%ld", slots);
    *(*to_p)++ = ',';
    return true;
}

char *mend_hostfile_list(char *text, const char *path, char *why, size_t size)
{
    size_t lines = 1;
    char *list, *to;

    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    list = to = malloc(strlen(text) + PER_LINE * lines + 1);
    if (!list)
        return refuse(list, why, size, path, strerror(ENOMEM));
    for (int number = 1; text; number++) {
        char *end = strchr(text, '\n'), what[64];

        if (end)
            *end++ = '\0';
        snprintf(what, sizeof(what), "line %d: slots must be a number from 1 to %u", number,
                 MEND_NODE_NAMES);
        if (!take_line(text, &to))
            return refuse(list, why, size, path, what);
        text = end;
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
    close(fd);
    if (n >= 0) {
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
                      errno == EINVAL ? "it is not a file" : strerror(errno));
    list = mend_hostfile_list(text, path, why, size);
    free(text);
    return list;
}
