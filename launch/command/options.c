/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c – reading the command line of mpiexec: blocks, parameters, and what does not go together.
 *
 * Each error has a message and ends mpiexec with status 2. */
#include "command/flags.h"

#include "base/stray.h"
#include "base/time.h"
#include "ft/lineage_sm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define PLACES_MORE  128
#define PLACES_LEAST 64
#define PLACES_TOTAL 192 /* with more valgrind has not enough addresses for the segment (50 GiB) */

#define TTY_UNDECIDED (-2)

#define CONNECT_TIMEOUT_NS (30 * MEND_NS_PER_S)

static void end_block(struct mend_parse *p, int end)
{
    struct mend_options *o = p->o;

    if (p->at >= end)
        mend_options_fail(2, p->argc == 1 ? "no program given" : "no program given before %s",
                          end < p->argc ? "':'" : "the end of the command line");
    p->app.argv = mend_xalloc((size_t)(end - p->at) + 1, sizeof(char *));
    for (int i = 0; p->at < end; i++)
        p->app.argv[i] = p->argv[p->at++];
    mend_hosts_end_block(p);
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
            mend_flag_read(p);
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
        mend_flag_param(variable, bad, getenv(variable));
    }
}

static void note_strays(struct mend_options *o)
{
    char text[MEND_STRAY_TEXT_BYTES];

    for (char **e = environ; *e; e++)
        if (mend_stray_text(*e, text))
            mend_options_note(o, "%s", text);
}

static void check_universe(const struct mend_options *o)
{
    uint64_t n = o->params.universe_size;

    if (n && n < (uint64_t)o->ranks_n)
        mend_options_fail(2, "--universe: room for %llu processes is too little for a job of %d",
                          (unsigned long long)n, o->ranks_n);
    if (n > MEND_RANKS_MAX)
        mend_options_fail(2, "--universe: %llu processes are more than the %d that a job may have",
                          (unsigned long long)n, MEND_RANKS_MAX);
}

/* The agents are a tree (ft/lineage_sm.h). */
static void check_radix(const struct mend_options *o)
{
    int32_t radix = (int32_t)o->params.radix, last = o->hosts.n - 1, enough = 1;

    if (!radix || mend_lineage_edges(radix, last) <= MEND_LINEAGE_EDGES_MAX)
        return;
    while (mend_lineage_edges(enough, last) > MEND_LINEAGE_EDGES_MAX)
        enough++;
    mend_options_fail(2,
                      "RADIX=%d: if each agent starts %d others, the last of %d nodes is %d starts "
                      "away from mpiexec, and %d are the most; RADIX=%d is enough, and with 0 "
                      "mpiexec starts all",
                      radix, radix, o->hosts.n, mend_lineage_edges(radix, last),
                      MEND_LINEAGE_EDGES_MAX, enough);
}

/* A terminal is not passed on to another machine. */
static void check_hosts(const struct mend_options *o)
{
    if (o->gdb && o->hosts.n > 1)
        mend_options_fail(
            2,
            "--gdb is for jobs on one host%s; 'gdb -p PID' on the host of a rank reaches it "
            "while it runs",
            o->machines_n ? ", and --machines makes several" : "");
    if (o->tty_rank >= 0 && !o->hosts.at[o->node_of[o->tty_rank]].here)
        mend_options_fail(2,
                          "--tty: rank %d is on '%s', and the terminal is here; start mpiexec on "
                          "that host, or place the "
                          "rank on this one",
                          o->tty_rank, o->hosts.at[o->node_of[o->tty_rank]].name);
    check_radix(o);
}

static void check_whole(struct mend_options *o)
{
    if (o->tty_rank >= o->ranks_n)
        mend_options_fail(2, "--tty: there is no rank %d in a job of %d", o->tty_rank, o->ranks_n);
    if (o->stdin_rank >= o->ranks_n)
        mend_options_fail(2, "--stdin: there is no rank %d in a job of %d", o->stdin_rank,
                          o->ranks_n);
    check_universe(o);
    if (o->policy.oversubscribe && o->no_oversubscribe)
        mend_options_fail(2, "--oversubscribe and --nooversubscribe exclude each other");
    if (o->merge_output && o->err_pattern && o->err_pattern != o->out_pattern)
        mend_options_fail(
            2, "a file for standard error and --merge-stderr-to-stdout exclude each other");
    if (o->quiet && o->verbose)
        mend_options_fail(2, "--quiet and --verbose exclude each other");
}

/* Which ranks a node has is known. */
static void check_injections(struct mend_options *o)
{
    char *why = mend_injections_read(o);

    if (why)
        mend_options_fail(2, "--inject: %s", why);
}

static void say_notes(const struct mend_options *o)
{
    for (int i = 0; i < o->notes.n && !o->quiet; i++)
        fprintf(stderr, "mpiexec: %s\n", o->notes.at[i]);
}

static bool changes_output(const struct mend_options *o)
{
    return o->tag_output || o->timestamp_output || o->pty || o->out_pattern || o->err_pattern ||
           o->stdin_rank != 0;
}

/* A job of one program has our terminal, unless something is done with its output. */
static void choose_terminal(struct mend_options *o)
{
    struct winsize size;

    o->at_terminal = isatty(0) || isatty(1);
    if (!o->decided && ioctl(1, TIOCGWINSZ, &size) == 0) {
        o->rows = size.ws_row;
        o->columns = size.ws_col;
    }
    if (o->tty_rank == TTY_UNDECIDED)
        o->tty_rank =
            o->gdb || (o->ranks_n == 1 && !changes_output(o) && o->hosts.at[o->node_of[0]].here)
                ? 0
                : -1;
}

/* Other hosts call this machine there. */
static void check_interface(const struct mend_options *o)
{
    const struct mend_interface *x = &o->remote.interface;
    struct sockaddr_storage address;
    bool here = true;

    for (int k = 0; k < o->hosts.n; k++)
        here &= o->hosts.at[k].here;
    if (!here && x->text && !mend_here_address(x, &address))
        mend_options_fail(
            2,
            "--interface: this machine has no address that belongs to '%s' ('ip addr' lists them)",
            x->text);
}

static bool is_here(const struct mend_options *o, int node)
{
    return o->hosts.at[node].here;
}

static bool is_this(const struct mend_options *o, int node)
{
    return node == o->node;
}

/* What --display-map and --do-not-launch want to see. */
static void show(const struct mend_options *o)
{
    if (o->do_not_launch) {
        mend_hosts_show(o, stdout);
        exit(fflush(stdout) ? 1 : 0);
    }
    if (o->show_map)
        mend_hosts_show(o, stderr);
}

/* What only mpiexec does. */
static void end_reading(struct mend_options *o)
{
    say_notes(o);
    show(o);
    check_interface(o);
    o->given = mend_given_encode(o);
}

/* What mpiexec has decided counts where its agent reads the same command line. */
static void take_given(struct mend_options *o)
{
    struct mend_given *g = mend_given_decode(o->given);

    mend_options_be_agent();
    if (!g || o->node >= g->hosts.n)
        mend_options_fail(2, "what mpiexec has sent about the job is damaged");
    o->decided = g;
    o->texts = g->texts;
    o->variables = g->variables;
    o->seed = g->seed;
    o->rows = g->rows;
    o->columns = g->columns;
}

void mend_options_parse(int argc, char **argv, struct mend_options *o_p)
{
    struct mend_parse p = {.o = o_p, .argv = argv, .argc = argc, .at = 1};

    *o_p = (struct mend_options){
        .is_agent = o_p->is_agent,
        .given = o_p->given,
        .node = o_p->node,
        .argv = argv,
        .tty_rank = TTY_UNDECIDED,
        .timeout_ns = MEND_TIME_NEVER,
        .seed = (int)((mend_time_monotonic_ns() ^ (uint64_t)getpid()) % (MEND_SEED_MAX + 1)),
        .remote.connect_timeout_ns = CONNECT_TIMEOUT_NS,
    };
    if (o_p->given.at)
        take_given(o_p);
    read_blocks(&p);
    free(p.from_file);
    free(p.named);
    read_params(o_p);
    o_p->machines_n = o_p->params.machines > 1 ? (int)o_p->params.machines : 0;
    mend_flags_count_ranks(o_p);
    note_strays(o_p);
    check_whole(o_p);
    mend_flags_place(o_p);
    check_injections(o_p);
    check_hosts(o_p);
    choose_terminal(o_p);
    mend_find_programs(o_p, o_p->decided ? is_this : is_here);
    if (!o_p->decided && !o_p->is_agent)
        end_reading(o_p);
}

/* Places for processes that the job starts later cost address space, and no memory or time.  Where that is limited there are none unless the
 * user asks for them. */
static int places_more(const struct mend_options *o)
{
    struct rlimit space;
    int more;

    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        return 0;
    more = PLACES_TOTAL - o->ranks_n;
    more = more > PLACES_MORE ? PLACES_MORE : more < PLACES_LEAST ? PLACES_LEAST : more;
    return o->ranks_n / 2 < more ? more : o->ranks_n / 2;
}

int mend_options_on_node(const struct mend_options *o, int node)
{
    int n = 0;

    for (int i = 0; i < o->ranks_n; i++)
        n += o->node_of[i] == node;
    return n;
}

int mend_options_spares(const struct mend_options *o)
{
    int n = 0;

    for (int i = 0; i < o->apps_n; i++)
        n += o->apps[i].spares_n;
    return n;
}

int mend_options_places(const struct mend_options *o)
{
    int more = places_more(o);
    uint64_t wanted = o->params.universe_size;

    if (!wanted)
        wanted = (uint64_t)o->ranks_n + (uint64_t)more + (uint64_t)mend_options_spares(o);
    return wanted > MEND_RANKS_MAX ? MEND_RANKS_MAX : (int)wanted;
}
