/* SPDX-License-Identifier: BSD-3-Clause */
/* param.c – parameters from the environment. */
#include "base/param.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX 1e9

/* How the default of a type stands in the list, and what it is as a value. */
#define TEXT_U(default_)  #default_
#define TEXT_B(default_)  #default_
#define TEXT_T(default_)  #default_
#define TEXT_S(default_)  "NULL"
#define TEXT_W(default_)  default_
#define VALUE_U(default_) (default_)
#define VALUE_B(default_) (default_)
#define VALUE_T(default_) ((default_)*UINT64_C(1000000000))
#define VALUE_S(default_) (default_)
#define VALUE_W(default_) NULL

const struct mend_param_info mend_param_list[] = {
#define MEND_PARAM_DEF(field_, type_, default_, name_, what_)                                      \
    {name_, what_, TEXT_##type_(default_), #type_[0]},
#include "base/param.def"
#undef MEND_PARAM_DEF
};
const unsigned mend_param_list_n = MEND_COUNT_OF(mend_param_list);

static bool read_U(const char *text, const char *words, uint64_t *value_p)
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

static bool read_S(const char *text, const char *words, const char **value_p)
{
    *value_p = text;
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

const struct mend_param_info *mend_param_find(const char *name)
{
    for (unsigned i = 0; i < mend_param_list_n; i++)
        if (!strcmp(mend_param_list[i].name, name))
            return &mend_param_list[i];
    return NULL;
}

bool mend_param_takes(const struct mend_param_info *p, const char *text)
{
    uint64_t number;
    const char *string;
    bool flag;

    switch (p->type) {
    case 'U':
        return read_U(text, NULL, &number);
    case 'B':
        return read_B(text, NULL, &flag);
    case 'T':
        return read_T(text, NULL, &number);
    case 'W':
        return read_W(text, p->default_text, &string);
    default:
        return true;
    }
}

void mend_param_wants(const struct mend_param_info *p, char *buf, size_t size)
{
    if (p->type == 'W')
        snprintf(buf, size, "one of: %s", p->default_text);
    else
        snprintf(buf, size, "%s",
                 p->type == 'U'   ? "a number, with k, m or g"
                 : p->type == 'B' ? "0 or 1"
                 : p->type == 'T' ? "a number of seconds"
                                  : "a text");
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
#define MEND_PARAM_DEF(field_, type_, default_, name_, what_)                                      \
    params_p->field_ = VALUE_##type_(default_);                                                    \
    text = environment(name_);                                                                     \
    if (text && !read_##type_(text, p->default_text, &params_p->field_))                           \
        *bad_p = p;                                                                                \
    p++;
#include "base/param.def"
#undef MEND_PARAM_DEF
}
