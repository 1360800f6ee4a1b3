/* SPDX-License-Identifier: BSD-3-Clause */
/* flags_env.c – flags about the ranks' environment.
 *
 * A rank inherits mpiexec's environment, and gets what flags set on top of it.  What is inherited may be
 * limited, for one block or for all: to nothing (-envnone) or to a list (-envlist).  What a process needs to
 * find itself, and the parameters of the library, are inherited always (mend_env_inherited).
 *
 * A variable that a flag names has the value that it has where mpiexec is, on all hosts: also DISPLAY and the like, of which
 * each host otherwise keeps its own (start/settle.c). */
#include "command/flags.h"

#include "base/stray.h"

#include <stdlib.h>
#include <string.h>

/* Our own variables are checked where they are set, not by each rank when it starts. */
static void check_env(struct mend_options *o, const char *flag, const char *pair)
{
    char text[MEND_STRAY_TEXT_BYTES];
    size_t len = strcspn(pair, "=");
    char *name = mend_xprintf("%.*s", (int)len, pair);
    const struct mend_param_info *p = strncmp(name, "MEND_", 5) ? NULL : mend_param_find(name + 5);

    if (p && pair[len])
        mend_flag_param(flag, p, pair + len + 1);
    if (!strcmp(name, MEND_ENV_INJECT) && pair[len]) {
        char *why = mend_injections_check(pair + len + 1);

        if (why)
            mend_options_fail(2, "%s: " MEND_ENV_INJECT ": %s", flag, why);
    }
    free(name);
    if (mend_stray_text(pair, text))
        mend_options_note(o, "%s: %s", flag, text);
}

static void add(struct mend_parse *p, struct mend_strings *env, char *pair)
{
    check_env(p->o, p->flag, pair);
    mend_strings_add(env, pair);
}

/* NAME=VALUE, or NAME and VALUE as two words. */
static char *pair_of(struct mend_parse *p, const char *value)
{
    if (!*value || *value == '=')
        mend_options_fail(2, "%s: '%s' is not the name of an environment variable", p->flag, value);
    return strchr(value, '=') ? mend_xprintf("%s", value)
                              : mend_xprintf("%s=%s", value, mend_flag_next_value(p));
}

void mend_on_env(struct mend_parse *p, const char *value, const char *second)
{
    add(p, &p->app.env, pair_of(p, value));
}

void mend_on_env_all(struct mend_parse *p, const char *value, const char *second)
{
    add(p, &p->o->env, pair_of(p, value));
}

/* Where mpiexec is; NULL: it is not set there. */
static const char *value_of(struct mend_options *o, const char *name)
{
    const char *value = o->decided ? NULL : getenv(name);

    for (int i = 0; i < o->variables.n; i++)
        if (!strcmp(o->variables.at[i].name, name))
            return o->variables.at[i].text;
    if (value)
        mend_texts_add(&o->variables, mend_xprintf("%s", name), mend_xprintf("%s", value));
    return value;
}

/* NAME=VALUE, or NAME, which must be set here. */
void mend_on_export(struct mend_parse *p, const char *value, const char *second)
{
    const char *here = strchr(value, '=') ? NULL : value_of(p->o, value);

    if (*value && !strchr(value, '=') && !here)
        mend_options_fail(2, "%s: the variable %s is not set here; give a value: %s=VALUE", p->flag,
                          value, value);
    add(p, &p->app.env, here ? mend_xprintf("%s=%s", value, here) : pair_of(p, value));
}

static struct mend_inherit listed(struct mend_parse *p, const char *value)
{
    struct mend_inherit list = {.what = MEND_INHERIT_LIST};

    for (const char *at = value;; at++) {
        size_t len = strcspn(at, ",");
        const char *here;
        char *name;

        if (!len || memchr(at, '=', len))
            mend_options_fail(2, "%s: '%s' is not a list of names, such as HOME,LANG", p->flag,
                              value);
        name = mend_xprintf("%.*s", (int)len, at);
        here = value_of(p->o, name);
        if (here)
            mend_strings_add(&list.named, mend_xprintf("%s=%s", name, here));
        else
            mend_options_note(p->o, "%s: the variable %s is not set here", p->flag, name);
        free(name);
        at += len;
        if (!*at)
            return list;
    }
}

void mend_on_env_list(struct mend_parse *p, const char *value, const char *second)
{
    p->app.inherit = listed(p, value);
}

void mend_on_env_list_all(struct mend_parse *p, const char *value, const char *second)
{
    p->o->inherit = listed(p, value);
}

void mend_on_env_none(struct mend_parse *p, const char *value, const char *second)
{
    p->app.inherit = (struct mend_inherit){.what = MEND_INHERIT_NONE};
}

void mend_on_env_none_all(struct mend_parse *p, const char *value, const char *second)
{
    p->o->inherit = (struct mend_inherit){.what = MEND_INHERIT_NONE};
}

void mend_on_env_every(struct mend_parse *p, const char *value, const char *second)
{
    p->app.inherit = (struct mend_inherit){.what = MEND_INHERIT_ALL};
}

void mend_on_env_every_all(struct mend_parse *p, const char *value, const char *second)
{
    p->o->inherit = (struct mend_inherit){.what = MEND_INHERIT_ALL};
}

static bool begins_with_name(const char *text, const char *name)
{
    size_t len = strlen(name);

    return !strncmp(text, name, len) && text[len] == '=';
}

static const struct mend_inherit *inherit_of(const struct mend_options *o,
                                             const struct mend_app *app)
{
    return app->inherit.what ? &app->inherit : &o->inherit;
}

const struct mend_strings *mend_env_named(const struct mend_options *o, const struct mend_app *app)
{
    return &inherit_of(o, app)->named;
}

bool mend_env_inherited(const struct mend_options *o, const struct mend_app *app, const char *text)
{
    static const char *const always[] = {"HOME", "LD_LIBRARY_PATH", "LOGNAME",
                                         "PATH", "SHELL",           "USER"};
    const struct mend_inherit *i = inherit_of(o, app);

    if (!i->what || i->what == MEND_INHERIT_ALL || !strncmp(text, "MEND_", 5))
        return true;
    for (size_t k = 0; k < MEND_COUNT_OF(always); k++)
        if (begins_with_name(text, always[k]))
            return true;
    return false;
}
