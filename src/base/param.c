/* SPDX-License-Identifier: BSD-3-Clause */
/* param.c – parameters from the environment. */
#include "base/param.h"

#include "base/guess.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX 1e9

/* How the default of a type stands in the list, and what it is as a value. */
#define TEXT_U(default_, allowed_) #default_
#define TEXT_B(default_, allowed_) #default_
#define TEXT_T(default_, allowed_) #default_
#define TEXT_W(default_, allowed_) allowed_ /* up to the first blank */
#define TEXT_P(default_, allowed_) ""
#define VALUE_U(default_)          (default_)
#define VALUE_B(default_)          (default_)
#define VALUE_T(default_)          ((default_)*UINT64_C(1000000000))
#define VALUE_W(default_)          NULL
#define VALUE_P(default_)          NULL

const struct mend_param_info mend_param_list[] = {
#define MEND_PARAM_DEF(field_, type_, default_, name_, allowed_, what_)                            \
    {name_, what_, allowed_, TEXT_##type_(default_, allowed_), #type_[0]},
#include "base/param.def"
#undef MEND_PARAM_DEF
};
const unsigned mend_param_list_n = MEND_COUNT_OF(mend_param_list);

static bool read_number(const char *text, uint64_t *value_p)
{
    char *end;
    uint64_t v;
    static const char units[] = "kmg";
    const char *unit;
    int shift;

    errno = 0;
    v = strtoull(text, &end, 0);
    unit = *end ? strchr(units, *end | 0x20) : NULL;
    shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (!isdigit((unsigned char)*text) || errno || (*end && (!unit || end[1])) ||
        v > UINT64_MAX >> shift)
        return false;
    *value_p = v << shift;
    return true;
}

/* limits: two numbers, or nothing. */
static bool read_U(const char *text, const char *limits, uint64_t *value_p)
{
    char least[32];
    uint64_t v, min = 0, max = UINT64_MAX;
    bool limited;

    snprintf(least, sizeof(least), "%.*s", (int)strcspn(limits, " "), limits);
    limited = !*limits || (read_number(least, &min) && read_number(strchr(limits, ' ') + 1, &max));
    MEND_ASSERT(limited);
    if (!read_number(text, &v) || v < min || v > max)
        return false;
    *value_p = v;
    return true;
}

static bool read_B(const char *text, const char *words, bool *value_p)
{
    if (strcmp(text, "0") && strcmp(text, "1"))
        return false;
    *value_p = *text == '1';
    return true;
}

static bool read_T(const char *text, const char *words, mend_time_ns *value_p)
{
    char *end;
    double v = strtod(text, &end);

    if (end == text || *end || !(v >= 0) || v > SECONDS_MAX || (v > 0 && v * 1e9 < 1))
        return false;
    *value_p = v > 0 ? (mend_time_ns)(v * 1e9) : MEND_TIME_NEVER;
    return true;
}

static bool read_W(const char *text, const char *words, const char **value_p)
{
    size_t len = strlen(text);

    for (const char *w = words; *w; w += strcspn(w, " "), w += *w == ' ')
        if (strcspn(w, " ") == len && !strncmp(w, text, len)) {
            *value_p = text;
            return true;
        }
    return false;
}

/* keys: "KEY=WORD|WORD KEY=WORD"; whether the pair of len bytes is one of those. */
static bool is_pair(const char *pair, size_t len, const char *keys)
{
    size_t key_len = strcspn(pair, "=") + 1;

    for (const char *k = keys; *k; k += strcspn(k, " "), k += *k == ' ') {
        if (key_len > len || strncmp(k, pair, key_len))
            continue;
        for (const char *w = k + key_len;; w++) {
            size_t n = strcspn(w, "| ");

            if (n == len - key_len && !strncmp(w, pair + key_len, n))
                return true;
            w += n;
            if (*w != '|')
                return false;
        }
    }
    return false;
}

static bool read_P(const char *text, const char *keys, const char **value_p)
{
    for (const char *at = text;; at++) {
        size_t len = strcspn(at, ",");

        if (!is_pair(at, len, keys))
            return false;
        at += len;
        if (!*at)
            break;
    }
    *value_p = text;
    return true;
}

const struct mend_param_info *mend_param_find(const char *name)
{
    for (unsigned i = 0; i < mend_param_list_n; i++)
        if (!strcmp(mend_param_list[i].name, name))
            return &mend_param_list[i];
    return NULL;
}

const struct mend_param_info *mend_param_guess(const char *name, size_t len)
{
    struct mend_guess g = mend_guess_begin(name, len);

    for (unsigned i = 0; i < mend_param_list_n; i++)
        mend_guess_offer(&g, mend_param_list[i].name, strlen(mend_param_list[i].name));
    return g.best ? mend_param_find(g.best) : NULL;
}

bool mend_param_takes(const struct mend_param_info *p, const char *text)
{
    uint64_t number;
    const char *string;
    bool flag;

    switch (p->type) {
    case 'U':
        return read_U(text, p->allowed, &number);
    case 'B':
        return read_B(text, p->allowed, &flag);
    case 'T':
        return read_T(text, p->allowed, &number);
    case 'W':
        return read_W(text, p->allowed, &string);
    default:
        return read_P(text, p->allowed, &string);
    }
}

void mend_param_wants(const struct mend_param_info *p, char *buf, size_t size)
{
    const char *second = strchr(p->allowed, ' ');

    if (p->type == 'U' && second)
        snprintf(buf, size, "a number from %.*s to %s, with k, m or g", (int)(second - p->allowed),
                 p->allowed, second + 1);
    else
        snprintf(buf, size, "%s%s",
                 p->type == 'U'   ? "a number, with k, m or g"
                 : p->type == 'B' ? "0 or 1"
                 : p->type == 'T' ? "a number of seconds"
                 : p->type == 'W' ? "one of: "
                                  : "a list, separated by commas, of: ",
                 p->allowed);
}

static const char *environment(const char *name)
{
    char var[64];

    snprintf(var, sizeof(var), "MEND_%s", name);
    return getenv(var);
}

void mend_params_read(struct mend_params *params_p, const struct mend_param_info **bad_p)
{
    const struct mend_param_info *p = mend_param_list;
    const char *text;

    *bad_p = NULL;
#define MEND_PARAM_DEF(field_, type_, default_, name_, allowed_, what_)                            \
    params_p->field_ = VALUE_##type_(default_);                                                    \
    text = environment(name_);                                                                     \
    if (text && !read_##type_(text, p->allowed, &params_p->field_))                                \
        *bad_p = p;                                                                                \
    p++;
#include "base/param.def"
#undef MEND_PARAM_DEF
}
