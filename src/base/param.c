/* SPDX-License-Identifier: BSD-3-Clause */
/* param.c – parameters from the environment. */
#include "base/param.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE_OF_U 'U'
#define TYPE_OF_B 'B'
#define TYPE_OF_S 'S'

const struct mend_param_info mend_param_list[] = {
#define MEND_PARAM_DEF(field_, type_, default_, name_, what_)                                      \
    {name_, what_, #default_, TYPE_OF_##type_},
#include "base/param.def"
#undef MEND_PARAM_DEF
};
const unsigned mend_param_list_n = MEND_COUNT_OF(mend_param_list);

static bool read_U(const char *text, uint64_t *value_p)
{
    char *end;
    uint64_t v = strtoull(text, &end, 0);
    static const char units[] = "kmg";
    const char *unit = *end ? strchr(units, *end | 0x20) : NULL;

    if (end == text || *text == '-' || (*end && (!unit || end[1])))
        return false;
    *value_p = unit ? v << (10 * (unit - units + 1)) : v;
    return true;
}

static bool read_B(const char *text, bool *value_p)
{
    if (strcmp(text, "0") && strcmp(text, "1"))
        return false;
    *value_p = *text == '1';
    return true;
}

static bool read_S(const char *text, const char **value_p)
{
    *value_p = text;
    return true;
}

static const char *environment(const char *name)
{
    char var[64];

    snprintf(var, sizeof(var), "MEND_%s", name);
    return getenv(var);
}

void mend_params_read(struct mend_params *params_p, const char **bad_p)
{
    const char *text;

    *bad_p = NULL;
#define MEND_PARAM_DEF(field_, type_, default_, name_, what_)                                      \
    params_p->field_ = default_;                                                                   \
    text = environment(name_);                                                                     \
    if (text && !read_##type_(text, &params_p->field_))                                            \
        *bad_p = "MEND_" name_;
#include "base/param.def"
#undef MEND_PARAM_DEF
}
