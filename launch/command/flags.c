/* SPDX-License-Identifier: BSD-3-Clause */
/* flags.c – the flags of mpiexec.
 *
 * One table says which flags exist, in all spellings that users of other launchers know; one or two
 * dashes make no difference. */
#include "command/flags.h"

#include "base/guess.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct flag {
    const char *names; /* separated by blanks, without dashes */
    int values;        /* 0 or 1; 2 for NAME VALUE */
    mend_on_flag *on;
    const char *text; /* without values: what `on` gets as value; for flags that do nothing: why */
};

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

void mend_flag_param(const char *flag, const struct mend_param_info *p, const char *value)
{
    char wants[MEND_PARAM_WANTS_BYTES];

    if (mend_param_takes(p, value))
        return;
    mend_param_wants(p, wants, sizeof(wants));
    mend_options_fail(2, "%s: '%s' is not a value of %s: it must be %s", flag, value, p->name,
                      wants);
}

/* ---- flags that change nothing ---- */

static void on_accepted(struct mend_parse *p, const char *value, const char *second)
{
}

static void on_ft(struct mend_parse *p, const char *value, const char *second)
{
    if (strcmp(value, "ulfm") && strcmp(value, "mpi") && strcmp(value, "yes") &&
        strcmp(value, "true"))
        mend_options_note(p->o, "%s %s: ignored; fault tolerance is always on", p->flag, value);
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

/* ---- the table ---- */

#define OTHERS_PARAM                                                                               \
    "it is a parameter of Open MPI; Mend's are set by --set NAME=VALUE ('mend-info --params')"

static const struct flag flags[] = {
    /* what to start */
    {"n np c", 1, mend_on_n, NULL},
    {"wdir wd", 1, mend_on_wdir, NULL},
    {"path", 1, mend_on_path, NULL},
    {"configfile app", 1, mend_on_config_file, NULL},
    {"file", 1, mend_on_file, NULL},
    {"soft", 1, mend_on_soft, NULL},
    {"arch", 1, mend_on_arch, NULL},
    {"env", 1, mend_on_env, NULL},
    {"x", 1, mend_on_export, NULL},
    {"genv", 1, mend_on_env_all, NULL},
    {"envlist", 1, mend_on_env_list, NULL},
    {"genvlist", 1, mend_on_env_list_all, NULL},
    {"envnone", 0, mend_on_env_none, NULL},
    {"genvnone", 0, mend_on_env_none_all, NULL},
    {"envall", 0, mend_on_env_every, NULL},
    {"genvall", 0, mend_on_env_every_all, NULL},
    {"initial-errhandler", 1, mend_on_initial_errhandler, NULL},
    {"memory-alloc-kinds memory-allocation-kinds", 1, mend_on_memory_alloc_kinds, NULL},
    {"usize", 1, mend_on_usize, NULL},
    {"universe", 1, mend_on_usize, NULL},
    {"spares", 1, mend_on_spares, NULL},
    {"copies", 0, mend_on_copies, NULL},
    {"machines", 1, mend_on_machines, NULL},
    {"gdb", 0, mend_on_gdb, NULL},
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
    {"byslot", 0, mend_on_map, "slot"},
    {"bynode", 0, mend_on_map, "node"},
    {"rank-by", 1, mend_on_rank_by, NULL},
    {"cpus-per-proc cpus-per-rank", 1, mend_on_cores_per_rank, NULL},
    {"report-bindings", 0, mend_on_report_bindings, NULL},
    {"oversubscribe", 0, mend_on_oversubscribe, NULL},
    {"nooversubscribe", 0, mend_on_no_oversubscribe, NULL},
    {"nolocal skip-launch-node", 0, mend_on_no_local, NULL},
    {"spare-nodes", 1, mend_on_spare_nodes, NULL},
    {"display-map display-allocation", 0, mend_on_show_map, NULL},
    {"do-not-launch", 0, mend_on_do_not_launch, NULL},
    /* other hosts */
    {"ssh launcher-exec", 1, mend_on_ssh, NULL},
    {"launcher", 1, mend_on_launcher, NULL},
    {"launch-agent", 1, mend_on_agent, NULL},
    {"prefix", 1, mend_on_prefix, NULL},
    {"interface iface", 1, mend_on_interface, NULL},
    {"port-range", 1, mend_on_port_range, NULL},
    {"connect-timeout", 1, mend_on_connect_timeout, NULL},
    {"mca gmca pmixmca prtemca", 2, mend_on_mca, OTHERS_PARAM},
    /* input and output */
    {"label tag-output l prepend-rank", 0, mend_on_tag, NULL},
    {"pty", 0, mend_on_pty, NULL},
    {"timestamp-output", 0, mend_on_timestamp, NULL},
    {"merge-stderr-to-stdout", 0, mend_on_merge, NULL},
    {"output", 1, mend_on_output, NULL},
    {"output-filename", 1, mend_on_out_file, NULL},
    {"outfile-pattern", 1, mend_on_out_pattern, NULL},
    {"errfile-pattern", 1, mend_on_err_pattern, NULL},
    {"stdin", 1, mend_on_stdin, NULL},
    {"tty", 1, mend_on_tty, NULL},
    {"report", 1, mend_on_report, NULL},
    {"q quiet", 0, mend_on_quiet, NULL},
    {"v verbose", 0, mend_on_verbose, NULL},
    /* how it ends */
    {"timeout", 1, mend_on_timeout, NULL},
    {"stop-timeout", 1, mend_on_stop_timeout, NULL},
    {"strict-exit", 0, mend_on_strict, NULL},
    {"lenient-exit", 0, mend_on_lenient, NULL},
    {"print-all-exitcodes", 0, mend_on_print_exits, NULL},
    {"inject", 1, mend_on_inject, NULL},
    {"set", 1, mend_on_set, NULL},
    {"h help", 0, mend_on_help, NULL},
    {"V version info", 0, mend_on_version, NULL},
    /* accepted: always so here */
    {"allow-run-as-root enable-recovery continuous disable-auto-cleanup noprefix "
     "leave-session-attached use-hwthread-cpus disable-hostname-propagation "
     "enable-hostname-propagation",
     0, on_accepted, NULL},
    {"with-ft", 1, on_ft, NULL},
    /* said and ignored */
    {"disable-recovery", 0, on_ignored, "the program decides how it handles a failure"},
    {"am tune", 1, on_ignored, OTHERS_PARAM},
    {"rmk localhost order-nodes", 1, on_ignored,
     "hosts are taken from --host and --hostfile, in that order"},
    {"nameserver demux topolib gpus-per-proc personality", 1, on_ignored,
     "it is a setting of another launcher"},
    {"enable-x disable-x pmi-port", 0, on_ignored, "it is a setting of another launcher"},
    {"membind", 1, on_ignored, "memory is taken where the rank runs; numactl(8) can say more"},
    {"debug-daemons debug-devel d", 0, on_ignored, "there are no daemons"},
    /* refused: without it the job would be another one */
    {"rankfile rf cpu-set cpu-list", 1, on_refused,
     "ranks are not bound to processors by number; taskset(1) limits the whole job"},
    {"xterm", 1, on_refused, "--tty RANK gives a rank the terminal; see also --output-filename"},
    {"debug tv", 0, on_refused, "--gdb starts a rank in gdb"},
    {"max-restarts", 1, on_refused, "ranks are not restarted"},
};

/* ---- looking up ---- */

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
    struct mend_guess g = mend_guess_begin(name, len);

    for (size_t i = 0; i < MEND_COUNT_OF(flags); i++) {
        for (const char *at = flags[i].names; *at;) {
            size_t n = strcspn(at, " ");

            if (!opposite(name, len, at, n))
                mend_guess_offer(&g, at, n);
            at += n + (at[n] == ' ');
        }
    }
    if (g.best)
        mend_options_fail(2, "unknown flag '%s'; did you mean '--%.*s'?", flag, (int)g.best_len,
                          g.best);
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

void mend_flag_read(struct mend_parse *p)
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
