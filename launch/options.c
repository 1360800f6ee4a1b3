/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c – reading the command line of mpiexec.
 *
 * One table says which flags exist, in all spellings that users of other launchers know; one or two
 * dashes make no difference.  Each error has a message and ends mpiexec with status 2. */
#include "flags.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct flag {
    const char *names; /* separated by blanks, without dashes */
    int values;        /* 0 or 1; 2 for NAME VALUE */
    mend_on_flag *on;
    const char *text; /* without values: what `on` gets as value; for flags that do nothing: why */
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

static char *formatted(const char *format, va_list args)
{
    char *text;

    if (vasprintf(&text, format, args) < 0)
        mend_options_fail(1, "no memory");
    return text;
}

void mend_options_note(struct mend_options *o, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = formatted(format, args);
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
    text = formatted(format, args);
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

int mend_flag_number(const char *flag, const char *value, int min, int max)
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

void mend_flag_param(const char *flag, const struct mend_param_info *p, const char *value)
{
    char wants[MEND_PARAM_WANTS_BYTES];

    if (mend_param_takes(p, value))
        return;
    mend_param_wants(p, wants, sizeof(wants));
    mend_options_fail(2, "%s: '%s' is not a value of %s: it must be %s", flag, value, p->name,
                      wants);
}

/* ---- one function per flag ---- */

static void on_n(struct mend_parse *p, const char *value, const char *second)
{
    p->app.ranks_n = mend_flag_number(p->flag, value, 1, MEND_RANKS_MAX);
}

static void on_wdir(struct mend_parse *p, const char *value, const char *second)
{
    struct stat st;

    if (stat(value, &st) != 0)
        mend_options_fail(2, "%s %s: %s", p->flag, value, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        mend_options_fail(2, "%s %s: not a directory", p->flag, value);
    p->app.wdir = value;
}

static void on_path(struct mend_parse *p, const char *value, const char *second)
{
    p->app.dirs = value;
}

static void on_tty(struct mend_parse *p, const char *value, const char *second)
{
    p->o->tty_rank = mend_flag_number(p->flag, value, 0, MEND_RANKS_MAX - 1);
}

static void on_timeout(struct mend_parse *p, const char *value, const char *second)
{
    p->o->timeout_ns = seconds_of(p->flag, value);
    if (!p->o->timeout_ns)
        mend_options_fail(2, "%s: the time must be more than 0", p->flag);
}

static void on_stop_timeout(struct mend_parse *p, const char *value, const char *second)
{
    mend_flag_param(p->flag, mend_param_find("STOP_TIMEOUT"), value);
    setenv("MEND_STOP_TIMEOUT", value, 1);
}

static void on_initial_errhandler(struct mend_parse *p, const char *value, const char *second)
{
    mend_flag_param(p->flag, mend_param_find("INITIAL_ERRHANDLER"), value);
    mend_strings_add(&p->app.env, mend_xprintf("MEND_INITIAL_ERRHANDLER=%s", value));
}

static void on_inject(struct mend_parse *p, const char *value, const char *second)
{
    mend_strings_add(&p->o->injects, (char *)value);
}

static void on_report(struct mend_parse *p, const char *value, const char *second)
{
    p->o->report_path = value;
}

static void on_strict(struct mend_parse *p, const char *value, const char *second)
{
    if (p->o->exit_rule == MEND_EXIT_LENIENT)
        mend_options_fail(2, "--strict-exit and --lenient-exit exclude each other");
    p->o->exit_rule = MEND_EXIT_STRICT;
}

static void on_lenient(struct mend_parse *p, const char *value, const char *second)
{
    if (p->o->exit_rule == MEND_EXIT_STRICT)
        mend_options_fail(2, "--strict-exit and --lenient-exit exclude each other");
    p->o->exit_rule = MEND_EXIT_LENIENT;
}

static void on_quiet(struct mend_parse *p, const char *value, const char *second)
{
    p->o->quiet = true;
}

static void on_verbose(struct mend_parse *p, const char *value, const char *second)
{
    p->o->verbose = true;
}

static void on_accepted(struct mend_parse *p, const char *value, const char *second)
{
}

/* A flag of another launcher that has no meaning here, or not yet: said, and the job starts. */
static void on_ignored(struct mend_parse *p, const char *value, const char *second)
{
    mend_options_note(p->o, "%s%s%s%s%s: ignored; %s", p->flag, value ? " " : "",
                      value ? value : "", second ? " " : "", second ? second : "", p->why);
}

/* One that would change what the job does. */
static void on_refused(struct mend_parse *p, const char *value, const char *second)
{
    mend_options_fail(2, "%s: %s", p->flag, p->why);
}

static void on_ft(struct mend_parse *p, const char *value, const char *second)
{
    if (strcmp(value, "ulfm") && strcmp(value, "mpi") && strcmp(value, "yes") &&
        strcmp(value, "true"))
        mend_options_note(p->o, "%s %s: ignored; fault tolerance is always on", p->flag, value);
}

static void on_stdin(struct mend_parse *p, const char *value, const char *second)
{
    p->o->stdin_rank =
        strcmp(value, "none") ? mend_flag_number(p->flag, value, 0, MEND_RANKS_MAX - 1) : -1;
}

static void on_print_exits(struct mend_parse *p, const char *value, const char *second)
{
    p->o->print_exits = true;
}

static void on_gdb(struct mend_parse *p, const char *value, const char *second)
{
    p->o->gdb = true;
}

/* What MPI_UNIVERSE_SIZE says; SYSTEM is what is there, INFINITE no limit. */
static void on_usize(struct mend_parse *p, const char *value, const char *second)
{
    if (!strcasecmp(value, "SYSTEM"))
        return;
    if (!strcasecmp(value, "INFINITE"))
        value = "2147483647";
    mend_flag_number(p->flag, value, 1, INT_MAX);
    setenv("MEND_UNIVERSE_SIZE", value, 1);
}

/* A parameter of base/param.def: checked here, handed on in the environment. */
static void on_set(struct mend_parse *p, const char *value, const char *second)
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
    mend_flag_param(p->flag, param, equals + 1);
    snprintf(var, sizeof(var), "MEND_%s", name);
    setenv(var, equals + 1, 1);
}

static void on_help(struct mend_parse *p, const char *value, const char *second)
{
    fputs(mend_help_text, stdout);
    exit(fflush(stdout) ? 1 : 0);
}

static void on_version(struct mend_parse *p, const char *value, const char *second)
{
    puts("mpiexec (Mend) " MEND_VERSION);
    exit(fflush(stdout) ? 1 : 0);
}

static mend_on_flag on_config_file;

#define ONE_MACHINE "there is one machine, and nothing goes through a network"
#define OTHERS_PARAM                                                                               \
    "it is a parameter of Open MPI; Mend's are set by --set NAME=VALUE ('mend-info --params')"

static const struct flag flags[] = {
    /* what to start */
    {"n np c", 1, on_n, NULL},
    {"wdir wd", 1, on_wdir, NULL},
    {"path", 1, on_path, NULL},
    {"configfile app", 1, on_config_file, NULL},
    {"env", 1, mend_on_env, NULL},
    {"x", 1, mend_on_export, NULL},
    {"genv", 1, mend_on_env_all, NULL},
    {"envlist", 1, mend_on_env_list, NULL},
    {"genvlist", 1, mend_on_env_list_all, NULL},
    {"envnone", 0, mend_on_env_none, NULL},
    {"genvnone", 0, mend_on_env_none_all, NULL},
    {"envall", 0, mend_on_env_every, NULL},
    {"genvall", 0, mend_on_env_every_all, NULL},
    {"initial-errhandler", 1, on_initial_errhandler, NULL},
    {"usize", 1, on_usize, NULL},
    {"gdb", 0, on_gdb, NULL},
    /* where */
    {"host hosts H", 1, mend_on_hosts, NULL},
    {"hostfile machinefile f default-hostfile", 1, mend_on_host_file, NULL},
    {"ppn perhost N npernode", 1, mend_on_per_node, NULL},
    {"pernode", 0, mend_on_per_node, "1"},
    {"bind-to", 1, mend_on_bind, NULL},
    {"bind-to-none", 0, mend_on_bind, "none"},
    {"bind-to-core", 0, mend_on_bind, "core"},
    {"bind-to-socket", 0, mend_on_bind, "socket"},
    {"map-by", 1, mend_on_map, NULL},
    {"bycore", 0, mend_on_map, "core"},
    {"bysocket", 0, mend_on_map, "socket"},
    {"byslot bynode", 0, mend_on_map, "slot"},
    {"rank-by", 1, mend_on_rank_by, NULL},
    {"cpus-per-proc cpus-per-rank", 1, mend_on_cores_per_rank, NULL},
    {"report-bindings", 0, mend_on_report_bindings, NULL},
    {"nooversubscribe", 0, mend_on_no_oversubscribe, NULL},
    /* input and output */
    {"tag-output l prepend-rank", 0, mend_on_tag, NULL},
    {"timestamp-output", 0, mend_on_timestamp, NULL},
    {"merge-stderr-to-stdout", 0, mend_on_merge, NULL},
    {"output", 1, mend_on_output, NULL},
    {"output-filename", 1, mend_on_out_file, NULL},
    {"outfile-pattern", 1, mend_on_out_pattern, NULL},
    {"errfile-pattern", 1, mend_on_err_pattern, NULL},
    {"stdin", 1, on_stdin, NULL},
    {"tty", 1, on_tty, NULL},
    {"report", 1, on_report, NULL},
    {"q quiet", 0, on_quiet, NULL},
    {"v verbose display-map", 0, on_verbose, NULL},
    /* how it ends */
    {"timeout", 1, on_timeout, NULL},
    {"stop-timeout", 1, on_stop_timeout, NULL},
    {"strict-exit", 0, on_strict, NULL},
    {"lenient-exit", 0, on_lenient, NULL},
    {"print-all-exitcodes", 0, on_print_exits, NULL},
    {"inject", 1, on_inject, NULL},
    {"set", 1, on_set, NULL},
    {"h help", 0, on_help, NULL},
    {"V version info", 0, on_version, NULL},
    /* accepted: it is so anyway */
    {"oversubscribe allow-run-as-root enable-recovery continuous disable-auto-cleanup noprefix "
     "leave-session-attached use-hwthread-cpus disable-hostname-propagation "
     "enable-hostname-propagation",
     0, on_accepted, NULL},
    {"with-ft", 1, on_ft, NULL},
    /* said and ignored */
    {"disable-recovery", 0, on_ignored, "a program decides what becomes of a failure"},
    {"mca gmca pmixmca prtemca", 2, on_ignored, OTHERS_PARAM},
    {"am tune", 1, on_ignored, OTHERS_PARAM},
    {"launcher launcher-exec rmk iface nameserver pmi-port localhost prefix order-nodes", 1,
     on_ignored, ONE_MACHINE},
    {"enable-x disable-x skip-launch-node", 0, on_ignored, ONE_MACHINE},
    {"demux topolib gpus-per-proc personality", 1, on_ignored,
     "it is a setting of another launcher"},
    {"membind", 1, on_ignored, "memory is taken where the rank runs; numactl(8) can say more"},
    {"debug-daemons debug-devel d", 0, on_ignored, "there are no daemons"},
    /* refused: without it the job would be another one */
    {"nolocal", 0, on_refused, "there is no other machine"},
    {"rankfile rf cpu-set cpu-list", 1, on_refused,
     "ranks are not bound to processors by number; taskset(1) limits the whole job"},
    {"xterm", 1, on_refused, "--tty RANK gives a rank the terminal; see also --output-filename"},
    {"debug tv", 0, on_refused, "--gdb starts a rank in gdb"},
    {"max-restarts", 1, on_refused, "ranks are not restarted"},
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

/* One name is the other with a no before it. */
static bool opposite(const char *a, size_t a_len, const char *b, size_t b_len)
{
    static const char *const heads[] = {"no", "no-", "un", "un-", "dis"};

    if (a_len < b_len)
        return opposite(b, b_len, a, a_len);
    for (size_t i = 0; i < MEND_COUNT_OF(heads); i++)
        if (a_len - b_len == strlen(heads[i]) && !strncmp(a, heads[i], a_len - b_len) &&
            !strncmp(a + a_len - b_len, b, b_len))
            return true;
    return false;
}

/* Never one that says the opposite. */
static _Noreturn void fail_unknown(const char *flag, const char *name, size_t len)
{
    const char *best = NULL;
    size_t best_len = 0, best_far = 3;

    for (size_t i = 0; i < MEND_COUNT_OF(flags); i++) {
        for (const char *at = flags[i].names; *at;) {
            size_t n = strcspn(at, " "), far = differing(name, len, at, n);

            if (n > 2 && far < best_far && !opposite(name, len, at, n)) {
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

const char *mend_flag_next_value(struct mend_parse *p)
{
    if (p->at >= p->argc)
        mend_options_fail(2, "%s needs a value", p->flag);
    return p->argv[p->at++];
}

static void call_flag(struct mend_parse *p, const struct flag *f, const char *value)
{
    const char *second = NULL;

    if (!f->values && value)
        mend_options_fail(2, "%s takes no value", p->flag);
    if (f->values && !value)
        value = mend_flag_next_value(p);
    if (f->values == 2)
        second = mend_flag_next_value(p);
    p->why = f->text;
    f->on(p, f->values || f->on == on_ignored ? value : f->text, second);
}

static void read_flag(struct mend_parse *p)
{
    const char *word = p->argv[p->at++];
    const char *name = word + 1 + (word[1] == '-');
    size_t len = strcspn(name, "=");
    const char *value = name[len] == '=' ? name + len + 1 : NULL;

    p->flag = mend_xprintf("%.*s", (int)(name - word + (long)len), word);
    for (size_t i = 0; i < MEND_COUNT_OF(flags); i++)
        if (named(flags[i].names, name, len)) {
            call_flag(p, &flags[i], value);
            free(p->flag);
            return;
        }
    fail_unknown(p->flag, name, len);
}

static void end_block(struct mend_parse *p, int end)
{
    struct mend_options *o = p->o;

    if (p->at >= end)
        mend_options_fail(2, p->argc == 1 ? "no program given" : "no program given before %s",
                          end < p->argc ? "':'" : "the end of the command line");
    p->app.argv = mend_xalloc((size_t)(end - p->at) + 1, sizeof(char *));
    for (int i = 0; p->at < end; i++)
        p->app.argv[i] = p->argv[p->at++];
    mend_find_program(&p->app, p->o);
    o->apps = realloc(o->apps, (size_t)(o->apps_n + 1) * sizeof(*o->apps));
    if (!o->apps)
        mend_options_fail(1, "no memory");
    o->apps[o->apps_n++] = p->app;
    p->app = (struct mend_app){0};
}

static void read_blocks(struct mend_parse *p)
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

/* ---- a file of blocks ---- */

/* The next word of a line, without the quotes around it or parts of it; NULL: there is none.  Moves *at_p on. */
static char *config_word(char **at_p)
{
    char *at = *at_p + strspn(*at_p, " \t\r\n"), *word = at, *to = at, quote = 0;

    if (!*at || *at == '#')
        return NULL;
    for (; *at && (quote || !strchr(" \t\r\n", *at)); at++) {
        if (quote ? *at == quote : *at == '\'' || *at == '"')
            quote = quote ? 0 : *at;
        else
            *to++ = *at;
    }
    if (quote)
        mend_options_fail(2, "a quoted word has no end: %c%s", quote, word);
    *at_p = *at ? at + 1 : at;
    *to = '\0';
    return word;
}

static void config_line(struct mend_strings *words, char *line)
{
    char *word = config_word(&line);

    if (word && words->n)
        mend_strings_add(words, mend_xprintf(":"));
    for (; word; word = config_word(&line))
        mend_strings_add(words, mend_xprintf("%s", word));
}

/* Each line is a block.  Flags for a block that came before are those of the first. */
static void on_config_file(struct mend_parse *p, const char *value, const char *second)
{
    struct mend_strings words = {0};
    char *line = NULL;
    size_t size = 0;
    FILE *f = fopen(value, "re");

    if (!f)
        mend_options_fail(2, "%s %s: %s", p->flag, value, strerror(errno));
    if (p->at < p->argc)
        mend_options_fail(2, "%s: the file says what to start, so '%s' cannot follow", p->flag,
                          p->argv[p->at]);
    while (getline(&line, &size, f) >= 0)
        config_line(&words, line);
    free(line);
    fclose(f);
    if (!words.n)
        mend_options_fail(2, "%s %s: the file names no program", p->flag, value);
    p->argv = words.at;
    p->argc = words.n;
    p->at = 0;
}

/* What is left of wrong values now comes from our environment. */
static void read_params(struct mend_options *o)
{
    const struct mend_param_info *bad;
    char variable[80];

    mend_params_read(&o->params, &bad);
    if (bad) {
        snprintf(variable, sizeof(variable), "MEND_%s", bad->name);
        mend_flag_param(variable, bad, getenv(variable));
    }
}

static void check_whole(struct mend_options *o)
{
    char *why = mend_injections_read(o);

    if (why)
        mend_options_fail(2, "--inject: %s", why);
    if (o->tty_rank >= o->ranks_n)
        mend_options_fail(2, "--tty: there is no rank %d in a job of %d", o->tty_rank, o->ranks_n);
    if (o->stdin_rank >= o->ranks_n)
        mend_options_fail(2, "--stdin: there is no rank %d in a job of %d", o->stdin_rank,
                          o->ranks_n);
    if (o->merge_output && o->err_pattern && o->err_pattern != o->out_pattern)
        mend_options_fail(
            2, "a file for standard error and --merge-stderr-to-stdout exclude each other");
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
    struct mend_parse p = {.o = o_p, .argv = argv, .argc = argc, .at = 1};

    *o_p = (struct mend_options){
        .tty_rank = -2,
        .timeout_ns = MEND_TIME_NEVER,
    };
    read_blocks(&p);
    mend_flags_count_ranks(o_p);
    read_params(o_p);
    check_whole(o_p);
    say_notes(o_p);
}
