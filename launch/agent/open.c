/* SPDX-License-Identifier: BSD-3-Clause */
/* open.c – the agent of a node from its first step to its last.
 *
 *   segment -> threads -> ranks -> keeper -> run.c's loop -> sweep
 *
 * Order matters in three places: the watchers sleep before the first rank starts; the keeper is forked after the ranks,
 * which must not inherit its pipe, and ends before they are reaped. */
#include "agent/agent.h"

#include "agent/bind.h"
#include "agent/control.h"
#include "agent/doorman.h"
#include "agent/entry.h"
#include "agent/facts.h"
#include "agent/links.h"
#include "agent/names.h"
#include "agent/papers.h"
#include "agent/segment.h"
#include "agent/start.h"
#include "agent/sweep.h"
#include "agent/tell.h"
#include "agent/vacancy.h"
#include "agent/verdict.h"
#include "base/time.h"
#include "output/iof.h"
#include "share/shell_limits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#define TIME_LONG (MEND_TIME_NEVER / 4) /* for ever, with room for sums */
/* Ten times what the dying wait for a core of an overloaded node (README.md). */
#define HOLD_NS (3 * MEND_NS_PER_S)

static _Noreturn void die(const char *what)
{
    char text[MEND_LIMITS_TEXT];

    fprintf(stderr, "mpiexec: %s: %s\n", what, mend_limits_error(errno, text, sizeof(text)));
    exit(1);
}

/* The segment is not a file on a disk, so a soft limit on the size of those does not count for it; for our output
 * and the --report file it does. */
static void create_segment(struct mend_ranks *ranks, const struct mend_tell *tell)
{
    struct rlimit before;
    bool lifted = mend_limits_lift(RLIMIT_FSIZE, &before);
    uint64_t bytes = 0;
    char what[128];
    bool ok = mend_segment_create(ranks, tell, &bytes);
    int error = errno;

    if (lifted && ok)
        setrlimit(RLIMIT_FSIZE, &before);
    if (ok)
        return;
    errno = error;
    snprintf(what, sizeof(what), "the shared segment of %llu MiB for %d ranks cannot be created",
             (unsigned long long)(bytes >> 20), ranks->n);
    die(what);
}

static void give_places(struct mend_ranks *ranks, const struct mend_tell *tell)
{
    for (int i = 0; i < ranks->n; i++)
        if (!ranks->rank[i].far)
            mend_vacancy_take(ranks, tell, &ranks->rank[i]);
    mend_segment_name(ranks, 0, ranks->n);
}

static void create_ranks(struct mend_ranks *ranks, const struct mend_options *o)
{
    ranks->rank = mend_xalloc(MEND_NODE_NAMES, sizeof(*ranks->rank));
    for (int a = 0, i = 0; a < o->apps_n; a++)
        for (int k = 0; k < o->apps[a].ranks_n; k++, i++)
            ranks->rank[i] = (struct rank){.index = i,
                                           .app = &o->apps[a],
                                           .app_index = a,
                                           .world_n = ranks->n,
                                           .spawn_fd = -1,
                                           .own_group = !(i == o->tty_rank && o->at_terminal),
                                           .wrapped_pidfd = -1,
                                           .ctl_fd = -1,
                                           .watch_fd = -1};
}

/* The rank that has the terminal runs in gdb, the others as always. */
static void use_gdb(struct mend_ranks *ranks, struct mend_options *o)
{
    struct rank *r = &ranks->rank[o->tty_rank];
    struct mend_app *app = mend_xalloc(1, sizeof(*app));
    int words_n = 0;

    *app = *r->app;
    while (r->app->argv[words_n])
        words_n++;
    app->argv = mend_xalloc((size_t)words_n + 4, sizeof(char *));
    app->argv[0] = mend_xprintf("gdb");
    app->argv[1] = mend_xprintf("-q");
    app->argv[2] = mend_xprintf("--args");
    for (int i = 0; i < words_n; i++)
        app->argv[3 + i] = i ? r->app->argv[i] : r->app->path;
    mend_find_program(app, o);
    r->app = app;
}

static mend_time_ns time_of(mend_time_ns t)
{
    return t < TIME_LONG ? t : TIME_LONG;
}

static void create_detector(struct mend_verdicts *verdicts, const struct mend_options *o,
                            mend_time_ns now)
{
    const struct mend_params *p = &o->params;
    struct mend_detector_config config = {.stop_ns = time_of(p->stop_timeout_ns),
                                          .kill_ns = time_of(p->kill_repeat_ns),
                                          .hold_ns = HOLD_NS,
                                          .undying_ns = time_of(p->kill_timeout_ns)};

    config.stop_max_ns = config.stop_ns;
    if (p->stop_growth > 1)
        config.stop_max_ns = config.stop_ns < TIME_LONG / p->stop_growth
                                 ? config.stop_ns * p->stop_growth
                                 : TIME_LONG;
    verdicts->detector = mend_xalloc(1, mend_detector_size(MEND_NODE_NAMES));
    mend_detector_init(verdicts->detector, verdicts->ranks->n, &config, now);
}

static void open_descriptors(struct agent *agent)
{
    static const int ours[] = {SIGCHLD, SIGCONT};

    agent->signal_fd = mend_process_signals(ours, MEND_COUNT_OF(ours));
    agent->sources.note_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (agent->signal_fd < 0 || agent->sources.note_fd < 0)
        die("the system has no file descriptors left");
}

static void on_deaths(void *facts, const struct mend_verdict *v, int n)
{
    mend_facts_die(facts, v, n);
}

static void on_cause(void *facts, const struct rank *r)
{
    mend_facts_explain(facts, r);
}

static void apply(void *self, const struct mend_fact *entry)
{
    struct agent *agent = self;

    mend_entry_apply(&(struct mend_entry_target){.verdicts = &agent->verdicts,
                                                 .tell = &agent->tell,
                                                 .course = &agent->course,
                                                 .papers = agent->papers,
                                                 .revoked = &agent->revoked,
                                                 .links = agent->links,
                                                 .names = agent->names},
                     entry);
}

static void read_rank(void *agent, struct rank *r)
{
    mend_control_read(agent, r);
}

static void open_facts(struct agent *agent)
{
    agent->facts = mend_facts_open(&(struct mend_facts_needs){.ranks = &agent->ranks,
                                                              .tell = &agent->tell,
                                                              .sources = &agent->sources,
                                                              .self = agent,
                                                              .apply = apply,
                                                              .read = read_rank});
    agent->verdicts.facts = (struct mend_verdict_facts){agent->facts, on_deaths, on_cause};
}

/* Divides the ranks among the nodes: those of others are far. */
static void divide(struct agent *agent)
{
    agent->ranks.ours = mend_xalloc((size_t)agent->ranks.n, sizeof(*agent->ranks.ours));
    for (int i = 0; i < agent->ranks.n; i++) {
        struct rank *r = &agent->ranks.rank[i];

        r->node = (uint32_t)agent->o->node_of[i];
        agent->ranks.beside_n += mend_node_is_beside(&agent->ranks, agent->o, r->node);
        if (r->node == agent->ranks.nodes.me)
            agent->ranks.ours[agent->ranks.ours_n++] = i;
        else
            mend_vacancy_begin_far(&agent->ranks, r);
    }
    if (agent->ranks.nodes.n)
        open_facts(agent);
}

static void let_in(void *doorman)
{
    mend_doorman_before_verdict(doorman);
}

bool mend_agent_open_door(struct agent *agent)
{
    struct mend_doorman *d =
        mend_doorman_open(&agent->ranks, &agent->sources, agent->ports, &agent->agent_calls);

    if (!d)
        return false;
    agent->doorman = d;
    pthread_mutex_lock(&agent->ranks.lock); /* watchers look for it */
    agent->verdicts.door = (struct mend_verdict_door){d, let_in};
    pthread_mutex_unlock(&agent->ranks.lock);
    return true;
}

/* wide: so that other machines reach it, unless the user has said by which address. */
static bool open_port(void *self, bool wide)
{
    struct agent *agent = self;
    struct mend_nodes *nodes = &agent->ranks.nodes;
    struct mend_address before = nodes->at;
    bool more = wide && !nodes->n && !agent->o->remote.interface.text &&
                mend_address_is_loopback(&nodes->at),
         done = true;

    if (more)
        nodes->at = (struct mend_address){0};
    if (!agent->doorman)
        done = mend_agent_open_door(agent);
    else if (more)
        done = mend_doorman_open_more(agent->doorman, agent->ports);
    if (!done)
        nodes->at = before;
    return done;
}

static void abort_by_guest(void *agent, int by, const int32_t *peers, int32_t n,
                           struct mend_abort what)
{
    mend_control_abort(agent, by, peers, n, what);
}

static void open_links(struct agent *agent)
{
    agent->revoked =
        (struct mend_revoked){.ranks = &agent->ranks, .tell = &agent->tell, .facts = agent->facts};
    agent->links = mend_links_open(&(struct mend_links_needs){.ranks = &agent->ranks,
                                                              .tell = &agent->tell,
                                                              .sources = &agent->sources,
                                                              .verdicts = &agent->verdicts,
                                                              .facts = agent->facts,
                                                              .revoked = &agent->revoked,
                                                              .papers = agent->papers,
                                                              .self = agent,
                                                              .open_port = open_port,
                                                              .abort = abort_by_guest});
}

static struct mend_start start_of(struct agent *agent)
{
    mend_time_ns limit_ns = agent->o->timeout_ns;

    return (struct mend_start){
        .o = agent->o,
        .before = &agent->before,
        .by_ns = limit_ns == MEND_TIME_NEVER ? MEND_TIME_NEVER : agent->tell.start_ns + limit_ns,
        .ranks = &agent->ranks,
        .spares = &agent->spares,
        .links = agent->links,
        .tell = &agent->tell};
}

void mend_agent_open(struct agent *agent, struct mend_options *o)
{
    agent->o = o;
    agent->ranks.self_pid = getpid();
    agent->ranks.n = o->ranks_n;
    agent->ranks.places_n = mend_options_places(o);
    agent->tell.start_ns = mend_time_monotonic_ns();
    agent->verdicts.tick_at = agent->scan_at = agent->tell.news_at = MEND_TIME_NEVER;
    agent->tell.reporting = o->report_path != NULL;
    agent->tell.quiet = o->quiet;
    agent->verdicts.ranks = &agent->ranks;
    mend_list_init(&agent->requests.asked);
    open_descriptors(agent);
    agent->rouse = (struct mend_rouse){&agent->ranks, &agent->sources, &agent->tell};
    create_ranks(&agent->ranks, agent->o);
    mend_vacancy_init(&agent->ranks);
    divide(agent);
    if (o->gdb)
        use_gdb(&agent->ranks, agent->o);
    create_detector(&agent->verdicts, o, agent->tell.start_ns);
    create_segment(&agent->ranks, &agent->tell);
    give_places(&agent->ranks, &agent->tell);
    agent->names = mend_names_new(&agent->ranks, &agent->tell);
    agent->papers = mend_papers_new(&agent->ranks, &agent->tell.root);
    open_links(agent);
    agent->start = start_of(agent);
    mend_bind_choose(&agent->ranks, agent->o);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static void say_started(struct mend_ranks *ranks, const struct mend_tell *tell,
                        const struct mend_options *o)
{
    const char *host = mend_ranks_host(ranks);
    char cores[64], text[48];

    for (int i = 0; o->verbose && i < ranks->ours_n; i++) {
        const struct rank *r = &ranks->rank[ranks->ours[i]];

        mend_place_text(&r->cpus, text, sizeof(text));
        snprintf(cores, sizeof(cores), ranks->bound ? " on processors %s" : "%s",
                 ranks->bound ? text : "");
        mend_say(tell, "mend: rank %d: pid %d, %s%s%s%s%s", r->index, r->child,
                 *host ? "host " : "", host, *host ? ", " : "", r->app->path, cores);
    }
    if (o->report_bindings)
        mend_bind_report(ranks, tell, o);
}

static void listen_to_all(struct agent *agent)
{
    mend_sources_add(&agent->sources, agent->signal_fd, MEND_SOURCE_SIGNAL, 0);
    mend_sources_add(&agent->sources, agent->sources.note_fd, MEND_SOURCE_NOTE, 0);
    if (mend_links_door(agent->links) >= 0)
        mend_sources_add(&agent->sources, mend_links_door(agent->links), MEND_SOURCE_DOOR, 0);
    for (int i = 0; i < agent->ranks.n; i++)
        if (agent->ranks.rank[i].child > 0)
            mend_sources_add_rank(&agent->sources, &agent->ranks.rank[i]);
    mend_watch_prefer();
}

bool mend_agent_start(struct agent *agent)
{
    bool started;

    mend_watch_start(&agent->verdicts, &agent->sources, agent->ranks.ours, agent->ranks.ours_n);
    started = mend_start_local(&agent->start);
    if (started)
        mend_spares_start(&agent->start);
    mend_keeper_start(&agent->keeper, &agent->ranks, agent->o->params.agent_stop_timeout_ns,
                      &agent->parent);
    if (started)
        say_started(&agent->ranks, &agent->tell, agent->o);
    mend_iof_started_all(agent->tell.iof);
    mend_tell_started(&agent->tell, started, agent->ranks.shm->host);
    agent->course.running = true;
    listen_to_all(agent);
    return started;
}

/* A mistake of ours has shown itself (src/req/wait.c). */
static void say_overslept(struct mend_ranks *ranks, const struct mend_tell *tell)
{
    unsigned n = 0;

    for (int i = 0; i < ranks->n; i++)
        n += mend_load_relaxed(&ranks->rank[i].shared->overslept_n);
    if (n)
        mend_say(
            tell,
            "mend: %u sleep%s of ranks lasted until SLEEP_MAX although something had arrived: a "
            "wake-up was lost, which is a bug in Mend; please report it",
            n, n > 1 ? "s" : "");
}

void mend_agent_close(struct agent *agent)
{
    mend_sweep_all(&agent->ranks, agent->keeper.pid);
    mend_keeper_end(
        &agent->keeper); /* it knows the ranks by numbers that are others' from now on */
    mend_sweep_reap(&agent->ranks);
    mend_sweep_names(&agent->ranks);
    say_overslept(&agent->ranks, &agent->tell);
    if (agent->ranks.nodes.n)
        mend_facts_close(agent->facts);
}
