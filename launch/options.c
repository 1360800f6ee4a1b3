/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c – reading the command line of mpiexec.
 *
 * One table says which flags exist, in all spellings that users of other launchers know; one or two
 * dashes make no difference.  Whatever is wrong is said in words and ends with status 2. */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct parse {
    struct mend_options *o;
    struct mend_app app; /* the block that is being read */
    char **argv;
    int argc, at;
    char *flag; /* as the user wrote it */
};

struct flag {
    const char *names; /* separated by blanks, without dashes */
    int values;        /* 0 or 1; 2 for NAME VALUE */
    void (*on)(struct parse *p, const char *value, const char *second);
};

_Noreturn void mend_options_fail(int status, const char *format, ...)
{
    va_list args;

    fputs("mpiexec: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs(status == 2 ? "\nTry 'mpiexec --help'.\n" : "\n", stderr);
    exit(status);
}

void mend_options_note(struct mend_options *o, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        mend_options_fail(1, "no memory");
    va_end(args);
    for (int i = 0; i < o->notes.n; i++)
        if (!strcmp(o->notes.at[i], text)) { /* once for all blocks */
            free(text);
            return;
        }
    mend_strings_add(&o->notes, text);
}

void *mend_xalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);

    if (!p)
        mend_options_fail(1, "no memory");
    return p;
}

char *mend_xprintf(const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        mend_options_fail(1, "no memory");
    va_end(args);
    return text;
}

void mend_strings_add(struct mend_strings *s, char *text)
{
    s->at = realloc(s->at, (size_t)(s->n + 2) * sizeof(*s->at));
    if (!s->at)
        mend_options_fail(1, "no memory");
    s->at[s->n++] = text;
    s->at[s->n] = NULL;
}

/* ---- values ---- */

static int number_of(const char *flag, const char *value, int min, int max)
{
    char *end;
    long v;

    errno = 0;
    v = strtol(value, &end, 10);
    if (end == value || *end || errno || v < min || v > max)
        mend_options_fail(2, "%s: '%s' is not a number between %d and %d", flag, value, min, max);
    return (int)v;
}

static mend_time_ns seconds_of(const char *flag, const char *value)
{
    char *end;
    double v = strtod(value, &end);

    if (end == value || *end || !(v >= 0) || v > 1e9)
        mend_options_fail(2, "%s: '%s' is not a number of seconds", flag, value);
    return (mend_time_ns)(v * 1e9);
}

static void check_param(const char *flag, const struct mend_param_info *p, const char *value)
{
    char wants[MEND_PARAM_WANTS_BYTES];

    if (mend_param_takes(p, value))
        return;
    mend_param_wants(p, wants, sizeof(wants));
    mend_options_fail(2, "%s: '%s' is no value for %s, which is %s", flag, value, p->name, wants);
}

/* Our own variables are checked where they are set, not by each rank when it starts. */
static void check_env(const char *flag, const char *pair)
{
    size_t len = strcspn(pair, "=");
    char *name = mend_xprintf("%.*s", (int)len, pair);
    const struct mend_param_info *p = strncmp(name, "MEND_", 5) ? NULL : mend_param_find(name + 5);

    if (p && pair[len])
        check_param(flag, p, pair + len + 1);
    if (!strcmp(name, MEND_ENV_INJECT) && pair[len]) {
        char *why = mend_injections_check(pair + len + 1);

        if (why)
            mend_options_fail(2, "%s: " MEND_ENV_INJECT ": %s", flag, why);
    }
    free(name);
}

static char *env_of(const char *flag, const char *value, const char *second)
{
    const char *equals = strchr(value, '=');

    if (!*value || *value == '=' || (second && equals))
        mend_options_fail(2, "%s: '%s' is not the name of an environment variable", flag, value);
    if (second)
        return mend_xprintf("%s=%s", value, second);
    if (equals)
        return mend_xprintf("%s", value);
    if (!getenv(value))
        mend_options_fail(2, "%s: the variable %s is not set here; give a value: %s=VALUE", flag,
                          value, value);
    return mend_xprintf("%s=%s", value, getenv(value));
}

/* ---- one function per flag ---- */

static void on_n(struct parse *p, const char *value, const char *second)
{
    p->app.ranks_n = number_of(p->flag, value, 1, MEND_RANKS_MAX);
}

static void on_env(struct parse *p, const char *value, const char *second)
{
    char *pair = env_of(p->flag, value, NULL);

    check_env(p->flag, pair);
    mend_strings_add(&p->app.env, pair);
}

static void on_env_pair(struct parse *p, const char *value, const char *second)
{
    char *pair = env_of(p->flag, value, second);

    check_env(p->flag, pair);
    mend_strings_add(&p->o->env, pair);
}

static void on_env_all(struct parse *p, const char *value, const char *second)
{
    on_env_pair(p, value, NULL);
}

static void on_wdir(struct parse *p, const char *value, const char *second)
{
    struct stat st;

    if (stat(value, &st) != 0)
        mend_options_fail(2, "%s %s: %s", p->flag, value, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        mend_options_fail(2, "%s %s: not a directory", p->flag, value);
    p->app.wdir = value;
}

static void on_path(struct parse *p, const char *value, const char *second)
{
    p->app.dirs = value;
}

static void on_bind(struct parse *p, const char *value, const char *second)
{
    if (!strcmp(value, "none"))
        p->o->bind = MEND_BIND_NONE;
    else if (!strcmp(value, "core"))
        p->o->bind = MEND_BIND_CORE;
    else if (!strcmp(value, "socket"))
        p->o->bind = MEND_BIND_SOCKET;
    else
        mend_options_fail(2, "%s: '%s' is none of: none, core, socket", p->flag, value);
}

static void on_tag(struct parse *p, const char *value, const char *second)
{
    p->o->tag_output = true;
}

static void on_tty(struct parse *p, const char *value, const char *second)
{
    p->o->tty_rank = number_of(p->flag, value, 0, MEND_RANKS_MAX - 1);
}

static void on_timeout(struct parse *p, const char *value, const char *second)
{
    p->o->timeout_ns = seconds_of(p->flag, value);
    if (!p->o->timeout_ns)
        mend_options_fail(2, "%s: the time must be more than 0", p->flag);
}

static void on_stop_timeout(struct parse *p, const char *value, const char *second)
{
    check_param(p->flag, mend_param_find("STOP_TIMEOUT"), value);
    setenv("MEND_STOP_TIMEOUT", value, 1);
}

static void on_initial_errhandler(struct parse *p, const char *value, const char *second)
{
    check_param(p->flag, mend_param_find("INITIAL_ERRHANDLER"), value);
    mend_strings_add(&p->app.env, mend_xprintf("MEND_INITIAL_ERRHANDLER=%s", value));
}

static void on_inject(struct parse *p, const char *value, const char *second)
{
    mend_strings_add(&p->o->injects, (char *)value);
}

static void on_report(struct parse *p, const char *value, const char *second)
{
    p->o->report_path = value;
}

static void on_strict(struct parse *p, const char *value, const char *second)
{
    p->o->strict_exit = true;
}

static void on_quiet(struct parse *p, const char *value, const char *second)
{
    p->o->quiet = true;
}

static void on_verbose(struct parse *p, const char *value, const char *second)
{
    p->o->verbose = true;
}

static void on_accepted(struct parse *p, const char *value, const char *second)
{
}

/* A parameter of base/param.def: checked here, handed on in the environment. */
static void on_set(struct parse *p, const char *value, const char *second)
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
        mend_options_fail(2, "%s: there is no parameter '%s' ('mend-info --params' lists them)",
                          p->flag, name);
    check_param(p->flag, param, equals + 1);
    snprintf(var, sizeof(var), "MEND_%s", name);
    setenv(var, equals + 1, 1);
}

static void on_hosts(struct parse *p, const char *value, const char *second)
{
    mend_options_fail(2, "%s: Mend starts ranks on this machine only for now; leave the flag away",
                      p->flag);
}

static void on_mca(struct parse *p, const char *value, const char *second)
{
    mend_options_fail(
        2,
        "%s is Open MPI's; Mend's parameters are set by --set NAME=VALUE ('mend-info --params' "
        "lists them)",
        p->flag);
}

static void on_help(struct parse *p, const char *value, const char *second)
{
    fputs(mend_help_text, stdout);
    exit(fflush(stdout) ? 1 : 0);
}

static void on_version(struct parse *p, const char *value, const char *second)
{
    puts("mpiexec (Mend) " MEND_VERSION);
    exit(fflush(stdout) ? 1 : 0);
}

static const struct flag flags[] = {
    {"n np", 1, on_n},
    {"env x", 1, on_env},
    {"genv", 2, on_env_pair},
    {"genvlist", 1, on_env_all},
    {"wdir wd", 1, on_wdir},
    {"path", 1, on_path},
    {"bind-to", 1, on_bind},
    {"tag-output l prepend-rank", 0, on_tag},
    {"tty", 1, on_tty},
    {"timeout", 1, on_timeout},
    {"stop-timeout", 1, on_stop_timeout},
    {"initial-errhandler", 1, on_initial_errhandler},
    {"inject", 1, on_inject},
    {"report", 1, on_report},
    {"strict-exit", 0, on_strict},
    {"set", 1, on_set},
    {"oversubscribe allow-run-as-root genvall", 0, on_accepted},
    {"q quiet", 0, on_quiet},
    {"v verbose", 0, on_verbose},
    {"h help", 0, on_help},
    {"V version", 0, on_version},
    {"machinefile hostfile f host hosts H ppn npernode N map-by", 1, on_hosts},
    {"mca", 2, on_mca},
};

/* ---- the command line ---- */

static bool named(const char *names, const char *name, size_t len)
{
    for (const char *at = names; *at;) {
        size_t n = strcspn(at, " ");

        if (n == len && !strncmp(at, name, len))
            return true;
        at += n + (at[n] == ' ');
    }
    return false;
}

/* Letters that differ, position by position, and in length: enough to guess a slip. */
static size_t differing(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t head = 0, tail = 0, shorter = a_len < b_len ? a_len : b_len;

    while (head < shorter && a[head] == b[head])
        head++;
    while (tail < shorter - head && a[a_len - 1 - tail] == b[b_len - 1 - tail])
        tail++;
    return (a_len > b_len ? a_len : b_len) - head - tail;
}

static _Noreturn void fail_unknown(const char *flag, const char *name, size_t len)
{
    const char *best = NULL;
    size_t best_len = 0, best_far = 3;

    for (size_t i = 0; i < MEND_COUNT_OF(flags); i++) {
        for (const char *at = flags[i].names; *at;) {
            size_t n = strcspn(at, " "), far = differing(name, len, at, n);

            if (n > 2 && far < best_far) {
                best = at;
                best_len = n;
                best_far = far;
            }
            at += n + (at[n] == ' ');
        }
    }
    if (best)
        mend_options_fail(2, "unknown flag '%s'; did you mean '--%.*s'?", flag, (int)best_len,
                          best);
    mend_options_fail(2, "unknown flag '%s'", flag);
}

static const char *next_value(struct parse *p)
{
    if (p->at >= p->argc)
        mend_options_fail(2, "%s needs a value", p->flag);
    return p->argv[p->at++];
}

static void read_flag(struct parse *p)
{
    const char *word = p->argv[p->at++];
    const char *name = word + 1 + (word[1] == '-');
    size_t len = strcspn(name, "=");
    const char *value = name[len] == '=' ? name + len + 1 : NULL;
    const char *second = NULL;

    p->flag = mend_xprintf("%.*s", (int)(name - word + (long)len), word);
    for (size_t i = 0; i < MEND_COUNT_OF(flags); i++) {
        if (!named(flags[i].names, name, len))
            continue;
        if (!flags[i].values && value)
            mend_options_fail(2, "%s takes no value", p->flag);
        if (flags[i].values && !value)
            value = next_value(p);
        if (flags[i].values == 2)
            second = next_value(p);
        flags[i].on(p, value, second);
        free(p->flag);
        return;
    }
    fail_unknown(p->flag, name, len);
}

static void end_block(struct parse *p, int end)
{
    struct mend_options *o = p->o;

    if (p->at >= end)
        mend_options_fail(2, p->argc == 1 ? "no program given" : "no program given before %s",
                          end < p->argc ? "':'" : "the end of the command line");
    p->app.argv = mend_xalloc((size_t)(end - p->at) + 1, sizeof(char *));
    for (int i = 0; p->at < end; i++)
        p->app.argv[i] = p->argv[p->at++];
    if (!p->app.ranks_n)
        p->app.ranks_n = 1;
    mend_find_program(&p->app, p->o);
    o->apps = realloc(o->apps, (size_t)(o->apps_n + 1) * sizeof(*o->apps));
    if (!o->apps)
        mend_options_fail(1, "no memory");
    o->apps[o->apps_n++] = p->app;
    o->ranks_n += p->app.ranks_n;
    p->app = (struct mend_app){0};
}

static void read_blocks(struct parse *p)
{
    do {
        int end;

        while (p->at < p->argc && p->argv[p->at][0] == '-' && p->argv[p->at][1]) {
            if (!strcmp(p->argv[p->at], "--")) {
                p->at++;
                break;
            }
            read_flag(p);
        }
        for (end = p->at; end < p->argc && strcmp(p->argv[end], ":") != 0; end++)
            ;
        end_block(p, end);
    } while (p->at++ < p->argc);
}

/* What is left of wrong values now comes from our environment. */
static void read_params(struct mend_options *o)
{
    const struct mend_param_info *bad;
    char variable[80];

    mend_params_read(&o->params, &bad);
    if (bad) {
        snprintf(variable, sizeof(variable), "MEND_%s", bad->name);
        check_param(variable, bad, getenv(variable));
    }
}

static void check_whole(struct mend_options *o)
{
    char *why;

    if (o->ranks_n > MEND_RANKS_MAX)
        mend_options_fail(2, "%d ranks are more than one machine's limit of %d", o->ranks_n,
                          MEND_RANKS_MAX);
    why = mend_injections_read(o);
    if (why)
        mend_options_fail(2, "--inject: %s", why);
    if (o->tty_rank >= o->ranks_n)
        mend_options_fail(2, "--tty: there is no rank %d in a job of %d", o->tty_rank, o->ranks_n);
    if (o->quiet && o->verbose)
        mend_options_fail(2, "--quiet and --verbose exclude each other");
}

static void say_notes(const struct mend_options *o)
{
    for (int i = 0; i < o->notes.n && !o->quiet; i++)
        fprintf(stderr, "mpiexec: %s\n", o->notes.at[i]);
}

void mend_options_parse(int argc, char **argv, struct mend_options *o_p)
{
    struct parse p = {.o = o_p, .argv = argv, .argc = argc, .at = 1};

    *o_p = (struct mend_options){
        .tty_rank = -2,
        .timeout_ns = MEND_TIME_NEVER,
    };
    read_blocks(&p);
    read_params(o_p);
    check_whole(o_p);
    say_notes(o_p);
}
