/* SPDX-License-Identifier: BSD-3-Clause */
/* cvar.c – parameters as control variables.
 *
 *   parameter   as a variable
 *   U           MPI_UNSIGNED_LONG_LONG
 *   B           MPI_INT, off or on
 *   T           MPI_DOUBLE, seconds; 0: never
 *   W           MPI_INT, an enumeration of its words
 *   P           MPI_CHAR, a text
 *
 * A value that is set before MPI_Init is kept beside, because MPI_Init reads the environment: it holds from then on. A
 * text or word that is set stands in the memory of `struct mend_tool`, where the parameter points to it. */
#include "tool/tool.h"

#include <stdio.h>
#include <string.h>

/* In the order of param.def. */
enum {
#define MEND_PARAM_DEF(field_, type_, default_, name_, allowed_, what_) PARAM_##field_,
#include "base/param.def"
#undef MEND_PARAM_DEF
    PARAMS
};
_Static_assert(PARAMS <= MEND_TOOL_PARAMS, "room for what tools set");

const struct mend_tool_cvar mend_tool_cvar_list[PARAMS] = {
#define MEND_CVAR(field_, scope_, when_, verbosity_, category_)                                    \
    [PARAM_##field_] = {MPI_T_SCOPE_##scope_, MEND_WHEN_##when_, MPI_T_VERBOSITY_##verbosity_,     \
                        MEND_CATEGORY_##category_, offsetof(struct mend_params, field_)},
#include "tool/cvar.def"
#undef MEND_CVAR
};

enum {
#define MEND_CVAR(field_, scope_, when_, verbosity_, category_) CVAR_##field_,
#include "tool/cvar.def"
#undef MEND_CVAR
    CVARS
};
_Static_assert((int)CVARS == (int)PARAMS, "each parameter is in cvar.def");

int mend_tool_cvars_n(void)
{
    return PARAMS;
}

void mend_tool_cvar_name(int i, char *buf)
{
    snprintf(buf, MEND_TOOL_WORD_BYTES, "MEND_%s", mend_param_list[i].name);
}

MPI_Datatype mend_tool_cvar_type(int i)
{
    switch (mend_param_list[i].type) {
    case 'U':
        return MPI_UNSIGNED_LONG_LONG;
    case 'T':
        return MPI_DOUBLE;
    case 'P':
        return MPI_CHAR;
    default:
        return MPI_INT;
    }
}

int mend_tool_cvar_count(int i)
{
    return mend_param_list[i].type == 'P' ? MEND_TOOL_TEXT_BYTES : 1;
}

const struct mend_tool_enum *mend_tool_cvar_enum(int i)
{
    if (mend_param_list[i].type == 'B')
        return &mend_tool_enums[MEND_ENUM_SWITCH];
    for (int k = 0; mend_param_list[i].type == 'W' && k < MEND_ENUMS; k++)
        if (!strcmp(mend_tool_enums[k].words, mend_param_list[i].allowed))
            return &mend_tool_enums[k];
    return NULL;
}

static const void *value_of(const struct mend_params *params, int i)
{
    return (const char *)params + mend_tool_cvar_list[i].offset;
}

/* The number of the word, 0 if there is none. */
static int number_of(const struct mend_tool_enum *e, const char *text)
{
    char word[MEND_TOOL_WORD_BYTES];

    for (int i = 0; text && i < mend_tool_enum_n(e); i++) {
        mend_tool_enum_word(e, i, word);
        if (!strcmp(word, text))
            return i;
    }
    return 0;
}

static double seconds_of(mend_time_ns ns)
{
    return ns == MEND_TIME_NEVER ? 0 : (double)ns * 1e-9;
}

void mend_tool_cvar_read(const struct mend_tool *t, int i, void *buf)
{
    const void *value = value_of(&t->self->params, i);
    const char *text = NULL;

    switch (mend_param_list[i].type) {
    case 'U':
        memcpy(buf, value, sizeof(uint64_t));
        break;
    case 'B':
        *(int *)buf = *(const bool *)value;
        break;
    case 'T':
        *(double *)buf = seconds_of(*(const mend_time_ns *)value);
        break;
    case 'W':
        *(int *)buf = number_of(mend_tool_cvar_enum(i), *(const char *const *)value);
        break;
    default:
        text = *(const char *const *)value;
        snprintf(buf, MEND_TOOL_TEXT_BYTES, "%s", text ? text : "");
    }
}

/* The value as it is written in the environment; "": it is none. */
static void spell(int i, const void *buf, char *text)
{
    const struct mend_tool_enum *e = mend_tool_cvar_enum(i);
    int number = mend_tool_cvar_type(i) == MPI_INT ? *(const int *)buf : 0;

    *text = 0;
    switch (mend_param_list[i].type) {
    case 'U':
        snprintf(text, MEND_TOOL_TEXT_BYTES, "%llu", *(const unsigned long long *)buf);
        break;
    case 'B':
        snprintf(text, MEND_TOOL_TEXT_BYTES, "%d", number);
        break;
    case 'T':
        snprintf(text, MEND_TOOL_TEXT_BYTES, "%.9f", *(const double *)buf);
        break;
    case 'W':
        if (number >= 0 && number < mend_tool_enum_n(e))
            mend_tool_enum_word(e, number, text);
        break;
    default:
        snprintf(text, MEND_TOOL_TEXT_BYTES, "%.*s", MEND_TOOL_TEXT_BYTES - 1, (const char *)buf);
    }
}

/* text: where words and texts stand from now on. */
static void set(struct mend_params *params, int i, const void *buf, const char *text)
{
    void *value = (char *)params + mend_tool_cvar_list[i].offset;
    double seconds;

    switch (mend_param_list[i].type) {
    case 'U':
        memcpy(value, buf, sizeof(uint64_t));
        break;
    case 'B':
        *(bool *)value = *(const int *)buf;
        break;
    case 'T':
        seconds = *(const double *)buf;
        *(mend_time_ns *)value = seconds > 0 ? (mend_time_ns)(seconds * 1e9) : MEND_TIME_NEVER;
        break;
    default:
        *(const char **)value = *text ? text : NULL;
    }
}

static int may_write(const struct mend_tool *t, int i)
{
    switch (mend_tool_cvar_list[i].when) {
    case MEND_WHEN_ANY:
        return MPI_SUCCESS;
    case MEND_WHEN_START:
        return t->self->state == MEND_PROC_BARE ? MPI_SUCCESS : MPI_T_ERR_CVAR_SET_NOT_NOW;
    default:
        return MPI_T_ERR_CVAR_SET_NEVER;
    }
}

int mend_tool_cvar_write(struct mend_tool *t, int i, const void *buf)
{
    const struct mend_param_info *p = &mend_param_list[i];
    char text[MEND_TOOL_TEXT_BYTES];
    int err = may_write(t, i);

    if (err)
        return err;
    spell(i, buf, text);
    if (!(p->type == 'P' && !*text) && !mend_param_takes(p, text))
        return MPI_T_ERR_INVALID;
    memcpy(t->texts[i], text, sizeof(text));
    set(&t->self->params, i, buf, t->texts[i]);
    set(&t->given, i, buf, t->texts[i]);
    t->is_given[i] = true;
    return MPI_SUCCESS;
}

static size_t size_of(int i)
{
    switch (mend_param_list[i].type) {
    case 'U':
        return sizeof(mend_param_U);
    case 'B':
        return sizeof(mend_param_B);
    case 'T':
        return sizeof(mend_param_T);
    default:
        return sizeof(mend_param_W);
    }
}

void mend_tool_apply(struct mend_tool *t)
{
    for (int i = 0; i < PARAMS; i++)
        if (t->is_given[i])
            memcpy((char *)&t->self->params + mend_tool_cvar_list[i].offset, value_of(&t->given, i),
                   size_of(i));
}
