/* SPDX-License-Identifier: BSD-3-Clause */
/* flags_job.c – the flags that say what to start, what mpiexec prints, and how the job ends. */
#include "command/flags.h"

#include "rt/spawn.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what to start ---- */

void mend_on_n(struct mend_parse *p, const char *value, const char *second)
{
    p->app.ranks_n = mend_flag_number(p->flag, value, 1, MEND_RANKS_MAX);
}

void mend_on_soft(struct mend_parse *p, const char *value, const char *second)
{
    if (mend_spawn_soft(value, INT_MAX) < 0)
        mend_options_fail(2, "%s: '%s' is not a list of numbers such as 1:8:2,10", p->flag, value);
    p->app.soft = value;
}

void mend_on_arch(struct mend_parse *p, const char *value, const char *second)
{
    p->app.arch = value;
}

void mend_on_wdir(struct mend_parse *p, const char *value, const char *second)
{
    p->app.wdir = value;
}

void mend_on_path(struct mend_parse *p, const char *value, const char *second)
{
    p->app.dirs = value;
}

void mend_on_initial_errhandler(struct mend_parse *p, const char *value, const char *second)
{
    mend_flag_param(p->flag, mend_param_find("INITIAL_ERRHANDLER"), value);
    mend_strings_add(&p->app.env, mend_xprintf("MEND_INITIAL_ERRHANDLER=%s", value));
}

/* Kinds that do not exist are accepted: the program asks which ones it has got (MPI-5.0 11.4.3). */
void mend_on_memory_alloc_kinds(struct mend_parse *p, const char *value, const char *second)
{
    if (!*value)
        mend_options_fail(2, "%s: the list is empty", p->flag);
    mend_strings_add(&p->app.env, mend_xprintf("MEND_MEMORY_ALLOC_KINDS=%s", value));
}

static _Noreturn void fail_unknown(const char *flag, const char *name)
{
    const struct mend_param_info *near = mend_param_guess(name, strlen(name));

    if (near)
        mend_options_fail(2, "%s: there is no parameter '%s'; did you mean '%s'?", flag, name,
                          near->name);
    mend_options_fail(2, "%s: there is no parameter '%s' ('mend-info --params' lists them)", flag,
                      name);
}

/* A parameter of base/param.def: checked here, handed on in the environment. */
void mend_on_set(struct mend_parse *p, const char *value, const char *second)
{
    const char *equals = strchr(value, '=');
    const struct mend_param_info *param;
    char name[64], var[80];
    size_t len = equals ? (size_t)(equals - value) : 0;

    if (!equals || !len || len >= sizeof(name))
        mend_options_fail(2, "%s: '%s' is not NAME=VALUE", p->flag, value);
    for (size_t i = 0; i <= len; i++)
        name[i] = i < len ? (char)toupper((unsigned char)value[i]) : '\0';
    param = mend_param_find(name);
    if (!param)
        fail_unknown(p->flag, name);
    mend_flag_param(p->flag, param, equals + 1);
    snprintf(var, sizeof(var), "MEND_%s", name);
    setenv(var, equals + 1, 1);
}

/* Room for so many processes; SYSTEM is what we choose, INFINITE no limit. */
void mend_on_usize(struct mend_parse *p, const char *value, const char *second)
{
    if (!strcasecmp(value, "SYSTEM") || !strcasecmp(value, "INFINITE"))
        value = "0";
    else
        mend_flag_number(p->flag, value, 1, INT_MAX);
    setenv("MEND_UNIVERSE_SIZE", value, 1);
}

void mend_on_spares(struct mend_parse *p, const char *value, const char *second)
{
    p->app.spares_n = mend_flag_number(p->flag, value, 0, MEND_RANKS_MAX);
}

void mend_on_copies(struct mend_parse *p, const char *value, const char *second)
{
    p->app.copies = true;
}

/* So many agents, each with a segment of its own, on this machine. */
void mend_on_machines(struct mend_parse *p, const char *value, const char *second)
{
    mend_flag_number(p->flag, value, 1, MEND_MACHINES_MAX);
    setenv("MEND_MACHINES", value, 1);
}

void mend_on_gdb(struct mend_parse *p, const char *value, const char *second)
{
    p->o->gdb = true;
}

/* ---- input, and what mpiexec prints ---- */

void mend_on_stdin(struct mend_parse *p, const char *value, const char *second)
{
    if (!strcmp(value, "all"))
        mend_options_fail(2, "%s: input goes to one rank, or to 'none', not to '%s'", p->flag,
                          value);
    p->o->stdin_rank =
        strcmp(value, "none") ? mend_flag_number(p->flag, value, 0, MEND_RANKS_MAX - 1) : -1;
}

void mend_on_tty(struct mend_parse *p, const char *value, const char *second)
{
    p->o->tty_rank = mend_flag_number(p->flag, value, 0, MEND_RANKS_MAX - 1);
}

void mend_on_report(struct mend_parse *p, const char *value, const char *second)
{
    if (!*value)
        mend_options_fail(2, "%s: the name of the file is empty", p->flag);
    p->o->report_path = value;
}

void mend_on_quiet(struct mend_parse *p, const char *value, const char *second)
{
    p->o->quiet = true;
}

void mend_on_verbose(struct mend_parse *p, const char *value, const char *second)
{
    p->o->verbose = true;
}

void mend_on_help(struct mend_parse *p, const char *value, const char *second)
{
    fputs(mend_help_text, stdout);
    exit(fflush(stdout) ? 1 : 0);
}

void mend_on_version(struct mend_parse *p, const char *value, const char *second)
{
    puts("mpiexec (Mend) " MEND_VERSION);
    exit(fflush(stdout) ? 1 : 0);
}

/* ---- how the job ends ---- */

mend_time_ns mend_flag_seconds(const char *flag, const char *value)
{
    char *end;
    double v = strtod(value, &end);

    if (end == value || *end || !(v >= 0) || v > 1e9)
        mend_options_fail(2, "%s: '%s' is not a number of seconds", flag, value);
    return (mend_time_ns)(v * 1e9);
}

void mend_on_timeout(struct mend_parse *p, const char *value, const char *second)
{
    p->o->timeout_ns = mend_flag_seconds(p->flag, value);
    if (!p->o->timeout_ns)
        mend_options_fail(2, "%s: the time must be more than 0", p->flag);
}

void mend_on_stop_timeout(struct mend_parse *p, const char *value, const char *second)
{
    mend_flag_param(p->flag, mend_param_find("STOP_TIMEOUT"), value);
    setenv("MEND_STOP_TIMEOUT", value, 1);
}

void mend_on_strict(struct mend_parse *p, const char *value, const char *second)
{
    if (p->o->exit_rule == MEND_EXIT_LENIENT)
        mend_options_fail(2, "--strict-exit and --lenient-exit exclude each other");
    p->o->exit_rule = MEND_EXIT_STRICT;
}

void mend_on_lenient(struct mend_parse *p, const char *value, const char *second)
{
    if (p->o->exit_rule == MEND_EXIT_STRICT)
        mend_options_fail(2, "--strict-exit and --lenient-exit exclude each other");
    p->o->exit_rule = MEND_EXIT_LENIENT;
}

void mend_on_print_exits(struct mend_parse *p, const char *value, const char *second)
{
    p->o->print_exits = true;
}

void mend_on_inject(struct mend_parse *p, const char *value, const char *second)
{
    mend_strings_add(&p->o->injects, (char *)value);
}
