/* SPDX-License-Identifier: BSD-3-Clause */
/* flags_bind.c – flags that bind ranks to processors.
 *
 * Where ranks are bound follows from three things: the unit to which a rank is bound (--bind-to), how many of them it
 * gets, and the unit from which the next rank takes the next one (--map-by). */
#include "command/flags.h"
#include "command/place.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum mend_unit unit;
} units[] = {
    {"hwthread", MEND_UNIT_HWTHREAD},
    {"t", MEND_UNIT_HWTHREAD},
    {"core", MEND_UNIT_CORE},
    {"c", MEND_UNIT_CORE},
    {"l1cache", MEND_UNIT_L1},
    {"l2cache", MEND_UNIT_L2},
    {"l3cache", MEND_UNIT_L3},
    {"numa", MEND_UNIT_NUMA},
    {"n", MEND_UNIT_NUMA},
    {"socket", MEND_UNIT_SOCKET},
    {"s", MEND_UNIT_SOCKET},
    {"package", MEND_UNIT_SOCKET},
    {"board", MEND_UNIT_MACHINE},
    {"b", MEND_UNIT_MACHINE},
    {"machine", MEND_UNIT_MACHINE},
    {"node", MEND_UNIT_MACHINE},
};

static bool unit_of(const char *name, enum mend_unit *unit_p)
{
    for (size_t i = 0; i < MEND_COUNT_OF(units); i++)
        if (!strcasecmp(units[i].name, name)) {
            *unit_p = units[i].unit;
            return true;
        }
    return false;
}

#define UNIT_NAMES "hwthread, core, l1cache, l2cache, l3cache, numa, socket, machine"

static void set_width(struct mend_parse *p, const char *value)
{
    p->o->bind_width = mend_flag_number(p->flag, value, 1, CPU_SETSIZE);
}

void mend_on_cores_per_rank(struct mend_parse *p, const char *value, const char *second)
{
    set_width(p, value);
    if (p->o->bind == MEND_BIND_AUTO) {
        p->o->bind = MEND_BIND_UNIT;
        p->o->bind_unit = MEND_UNIT_CORE;
    }
}

/* What follows a ':' in --bind-to. */
static void bind_modifier(struct mend_parse *p, const char *word)
{
    if (isdigit((unsigned char)*word))
        set_width(p, word);
    else if (!strcasecmp(word, "overload-allowed"))
        p->o->bind_shared = true;
    else if (strcasecmp(word, "if-supported"))
        mend_options_fail(2, "%s: '%s' is neither a number nor overload-allowed nor if-supported",
                          p->flag, word);
}

void mend_on_bind(struct mend_parse *p, const char *value, const char *second)
{
    char *words = mend_xprintf("%s", value), *save, *word = strtok_r(words, ":", &save);
    struct mend_options *o = p->o;

    o->bind = MEND_BIND_UNIT;
    if (word && !strcmp(word, "none"))
        o->bind = MEND_BIND_NONE;
    else if (word && !strcmp(word, "rr"))
        o->bind_unit = MEND_UNIT_HWTHREAD;
    else if (!word || !unit_of(word, &o->bind_unit))
        mend_options_fail(2, "%s: '%s' is not one of: none, " UNIT_NAMES, p->flag, value);
    while ((word = strtok_r(NULL, ":", &save)))
        bind_modifier(p, word);
    free(words);
}

/* What follows a ':' in --map-by. */
static void map_modifier(struct mend_parse *p, const char *word)
{
    static const char *const nothing_to_do[] = {"span",    "inherit",  "noinherit",
                                                "hwtcpus", "corecpus", "overload-allowed"};

    if (!strncasecmp(word, "pe=", 3)) {
        mend_on_cores_per_rank(p, word + 3, NULL);
        return;
    }
    if (!strcasecmp(word, "nooversubscribe") || !strcasecmp(word, "oversubscribe") ||
        !strcasecmp(word, "nolocal")) {
        p->o->no_oversubscribe |= !strcasecmp(word, "nooversubscribe");
        p->o->policy.oversubscribe |= !strcasecmp(word, "oversubscribe");
        p->o->no_local |= !strcasecmp(word, "nolocal");
        return;
    }
    for (size_t i = 0; i < MEND_COUNT_OF(nothing_to_do); i++)
        if (!strcasecmp(word, nothing_to_do[i]))
            return;
    if (!isdigit((unsigned char)*word))
        mend_options_fail(2, "%s: '%s' is not one of: PE=NUMBER, OVERSUBSCRIBE, NOOVERSUBSCRIBE",
                          p->flag, word);
    mend_options_note(p->o, "%s: ranks are dealt out one at a time, not %s", p->flag, word);
}

/* ppr:NUMBER:UNIT */
static void map_per_unit(struct mend_parse *p, char **save)
{
    const char *number = strtok_r(NULL, ":", save), *unit = strtok_r(NULL, ":", save);

    if (!number || !unit || !unit_of(unit, &p->o->per_unit))
        mend_options_fail(2, "%s: ppr is written ppr:NUMBER:UNIT; UNIT is one of: " UNIT_NAMES,
                          p->flag);
    p->o->per_unit_n = mend_flag_number(p->flag, number, 1, MEND_RANKS_MAX);
    p->o->mapped = true;
    p->o->map_unit = p->o->per_unit;
}

void mend_on_map(struct mend_parse *p, const char *value, const char *second)
{
    char *words = mend_xprintf("%s", value), *save, *word;

    if (*value == ':') /* only modifiers */
        word = strtok_r(words, ":,", &save);
    else {
        word = strtok_r(words, ":", &save);
        if (word && !strcasecmp(word, "ppr"))
            map_per_unit(p, &save);
        else if (word && unit_of(word, &p->o->map_unit))
            p->o->mapped = true;
        else if (!word || (strcasecmp(word, "slot") && strcasecmp(word, "rr")))
            mend_options_fail(2, "%s: '%s' is not one of: slot, " UNIT_NAMES ", ppr:NUMBER:UNIT",
                              p->flag, value);
        p->o->policy.by_node = word && !strcasecmp(word, "node");
        word = strtok_r(NULL, ":,", &save);
    }
    for (; word; word = strtok_r(NULL, ":,", &save))
        map_modifier(p, word);
    free(words);
}

void mend_on_rank_by(struct mend_parse *p, const char *value, const char *second)
{
    static const char *const as_mapped[] = {"fill", "span", "hwthread", "core"};
    enum mend_unit unit;

    if (!strcasecmp(value, "slot") || !strcasecmp(value, "node")) {
        p->o->numbers_said = true;
        p->o->policy.number_by_node = !strcasecmp(value, "node");
        return;
    }

    for (size_t i = 0; i < MEND_COUNT_OF(as_mapped); i++)
        if (!strcasecmp(value, as_mapped[i]))
            return;
    if (!unit_of(value, &unit))
        mend_options_fail(2, "%s: '%s' is not one of: slot, " UNIT_NAMES, p->flag, value);
    mend_options_note(p->o, "%s %s: ranks are numbered as --map-by places them; use --map-by %s",
                      p->flag, value, value);
}

void mend_on_report_bindings(struct mend_parse *p, const char *value, const char *second)
{
    p->o->report_bindings = true;
}
