/* SPDX-License-Identifier: BSD-3-Clause */
/* host_text.c – see host_text.h. */
#include "base/host_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BLANKS " \t\r"

/* Where a sentence goes that says what is wrong. */
struct complaint {
    char *why;
    size_t size;
};

static bool refuse(const struct complaint *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool refuse(const struct complaint *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(c->why, c->size, format, args);
    va_end(args);
    return false;
}

static bool check_name(const struct complaint *c, const char *what, const char *name)
{
    size_t good =
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:%");

    if (*name && !name[good] && *name != '-')
        return true;
    return refuse(c, "'%s' is not the name of a %s", name, what);
}

static bool read_slots(const struct complaint *c, const char *value, int *n_p)
{
    char *end;
    long n;

    errno = 0;
    n = strtol(value, &end, 10);
    if (end == value || *end || errno || n < 1 || n > MEND_HOST_TEXT_SLOTS_MAX)
        return refuse(c, "'%s' is not a number between 1 and %d", value, MEND_HOST_TEXT_SLOTS_MAX);
    *n_p = (int)n;
    return true;
}

static bool is_any(const char *slots)
{
    return !strcmp(slots, "*") || !strcasecmp(slots, "auto");
}

/* ---- a word ---- */

/* What follows a ':' behind the name; an address of version 6 with slots stands in brackets. */
static bool split(const struct complaint *c, char *word, const char **name_p, const char **slots_p)
{
    char *colon = strchr(word, ':'), *end;

    *name_p = word;
    *slots_p = NULL;
    if (*word == '[') {
        end = strchr(word, ']');
        if (!end || (end[1] && end[1] != ':'))
            return refuse(c, "'%s' is not an address in brackets", word);
        *name_p = word + 1;
        *slots_p = end[1] ? end + 2 : NULL;
        *end = '\0';
    } else if (colon && !strchr(colon + 1, ':')) {
        *slots_p = colon + 1;
        *colon = '\0';
    }
    return true;
}

static bool read_word(const struct complaint *c, char *word, struct mend_host_text *h)
{
    char *at = strrchr(word, '@');
    const char *slots;

    *h = (struct mend_host_text){0};
    if (at) {
        *at = '\0';
        h->user = word;
        word = at + 1;
        if (!check_name(c, "user", h->user))
            return false;
    }
    return split(c, word, &h->name, &slots) && check_name(c, "host", h->name) &&
           (!slots || is_any(slots) || read_slots(c, slots, &h->slots));
}

bool mend_host_text_word(char *word, struct mend_host_text *h, char *why, size_t size)
{
    return read_word(&(struct complaint){why, size}, word, h);
}

/* ---- a line ---- */

/* What may follow a word. */
enum key { KEY_SLOTS, KEY_MAX, KEY_USER, KEY_BINDING, KEYS_N };

static const char *const keys[KEYS_N] = {
    [KEY_SLOTS] = " slots count cpu cpus ",
    [KEY_MAX] = " max_slots max-slots slots_max slots-max max_cpus max-cpus cpus_max cpus-max ",
    [KEY_USER] = " user username user_name user-name ",
    [KEY_BINDING] = " binding ",
};

/* KEYS_N: none, or it has no value. */
static enum key find_key(const char *word)
{
    size_t len = strcspn(word, "=");
    char name[32];
    enum key k = 0;

    if (!word[len] || len + 3 > sizeof(name))
        return KEYS_N;
    snprintf(name, sizeof(name), " %.*s ", (int)len, word);
    while (k < KEYS_N && !strstr(keys[k], name))
        k++;
    return k;
}

static bool take_slots(const struct complaint *c, const char *word, const char *value,
                       struct mend_host_text *h)
{
    if (h->slots)
        return refuse(c, "'%s' says the slots a second time", word);
    return is_any(value) || read_slots(c, value, &h->slots);
}

static bool take_key(const struct complaint *c, const char *word, struct mend_host_text *h)
{
    const char *value = word + strcspn(word, "=") + 1;

    switch (find_key(word)) {
    case KEY_SLOTS:
        return take_slots(c, word, value, h);
    case KEY_MAX:
        return read_slots(c, value, &h->slots_max);
    case KEY_USER:
        h->user = value;
        return check_name(c, "user", value);
    case KEY_BINDING:
        h->binding = word;
        return true;
    default:
        return refuse(c, "'%s' is not one of: slots=N, max_slots=N, user=NAME", word);
    }
}

/* No blanks around '='; no comment. */
static void tidy(char *line)
{
    char *to = line;

    line[strcspn(line, "#")] = '\0';
    for (char *at = line; *at; at++) {
        bool blank = isspace((unsigned char)*at);

        if (blank && at[strspn(at, BLANKS)] == '=')
            continue;
        if (blank && to > line && to[-1] == '=')
            continue;
        *to++ = *at;
    }
    *to = '\0';
}

bool mend_host_text_line(char *line, struct mend_host_text *h, char *why, size_t size)
{
    const struct complaint c = {why, size};
    char *save, *word;

    *h = (struct mend_host_text){0};
    tidy(line);
    word = strtok_r(line, BLANKS, &save);
    if (!word)
        return true;
    if (!read_word(&c, word, h))
        return false;
    while ((word = strtok_r(NULL, BLANKS, &save)))
        if (!take_key(&c, word, h))
            return false;
    return true;
}

char *mend_host_text_cut(char *text)
{
    char *end = strchr(text, '\n');

    if (!end)
        return NULL;
    *end = '\0';
    return end + 1;
}
