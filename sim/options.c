/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c – the command line of mend-sim: a table for argp, which makes --help of it, and one of numbers. */
#include "options.h"

#include <argp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct mend_sim_play *const mend_sim_plays[MEND_SIM_PLAYS] = {
    &mend_sim_agree, &mend_sim_detector, &mend_sim_memory, &mend_sim_lock,  &mend_sim_birth,
    &mend_sim_port,  &mend_sim_contact,  &mend_sim_look,   &mend_sim_nodes, &mend_sim_lease};

static const char *const broken_names[] = {[MEND_SIM_INTACT] = "nothing",
                                           [MEND_SIM_NO_PROMISE] = "no-promise",
                                           [MEND_SIM_FORGET] = "forget",
                                           [MEND_SIM_OMIT] = "omit",
                                           [MEND_SIM_ACCUSE] = "accuse",
                                           [MEND_SIM_HUSH] = "hush",
                                           [MEND_SIM_DEAF] = "deaf",
                                           [MEND_SIM_INVENT] = "invent",
                                           [MEND_SIM_MIX] = "mix",
                                           [MEND_SIM_BABBLE] = "babble",
                                           [MEND_SIM_DETOUR] = "detour",
                                           [MEND_SIM_CHANGE] = "change",
                                           [MEND_SIM_PHANTOM] = "phantom",
                                           [MEND_SIM_BOAST] = "boast",
                                           [MEND_SIM_SHY] = "shy",
                                           [MEND_SIM_LIE] = "lie",
                                           [MEND_SIM_NO_REPAIR] = "no-repair",
                                           [MEND_SIM_REPORT_FIRST] = "report-first",
                                           [MEND_SIM_LATE_LOOK] = "late-look",
                                           [MEND_SIM_NARROW] = "narrow",
                                           [MEND_SIM_HASTY] = "hasty",
                                           [MEND_SIM_IMPATIENT] = "impatient",
                                           [MEND_SIM_SILENT] = "silent",
                                           [MEND_SIM_SLIP] = "slip",
                                           [MEND_SIM_RASH] = "rash",
                                           [MEND_SIM_PIECEMEAL] = "piecemeal",
                                           [MEND_SIM_CURT] = "curt",
                                           [MEND_SIM_SWAP] = "swap",
                                           [MEND_SIM_UNWRITTEN] = "unwritten",
                                           [MEND_SIM_BLIND] = "blind",
                                           [MEND_SIM_STALE] = "stale",
                                           [MEND_SIM_RUSH] = "rush",
                                           [MEND_SIM_EXTEND] = "extend"};

enum {
    OPT_SEED = 256, /* no short names */
    OPT_SEEDS,
    OPT_RANKS,
    OPT_CRASHES,
    OPT_TOGETHER,
    OPT_SUSPICIONS,
    OPT_INSTANCES,
    OPT_WINDOW,
    OPT_RADIX,
    OPT_STEPS,
    OPT_STATES,
    OPT_EXHAUSTIVE,
    OPT_COUNT,
    OPT_TRACE,
    OPT_PATH,
    OPT_BREAK,
    OPT_REORDER,
    OPT_DUPLICATE,
    OPT_REPLACE,
    OPT_PAUSES,
    OPT_PARTITIONS,
    OPT_INTER,
    OPT_COMMS,
    OPT_CREATION,
    OPT_VALIDATION,
    OPT_FREE,
    OPT_FINE,
    OPT_BRIEF,
    OPT_BUDGET,
    OPT_NODES,
    OPT_AGENT_CRASHES,
    OPT_ABORTS,
    OPT_REVOCATIONS,
    OPT_OUTSIDE,
    OPT_PAPERS,
    OPT_VICTIM,
};

enum { OF_ALL = 1, OF_AGREEMENT, OF_MEMORY, OF_BIRTH, OF_NODES, OF_SEEDS, OF_SEARCH, OF_ANY };

static const struct argp_option options[] = {
    {.doc = "All:", .group = OF_ALL},
    {"exhaustive", OPT_EXHAUSTIVE, NULL, 0,
     "every order of events and every crash point (up to 8 ranks), instead of runs with a seed", 0},
    {"count", OPT_COUNT, NULL, 0, "no failures searched for: a table of messages and latencies", 0},
    {"ranks", OPT_RANKS, "N", 0, "processes (8; --exhaustive: 3; --count: at most 10000)", 0},
    {"crashes", OPT_CRASHES, "N", 0, "processes that may die (ranks/2; --exhaustive: 1)", 0},
    {"suspicions", OPT_SUSPICIONS, "N", 0,
     "processes that may be declared dead while they still run (0)", 0},
    {"instances", OPT_INSTANCES, "N", 0,
     "agreements per process; how often a process may "
     "stop; calls of a root that connects (4; --exhaustive: 1)",
     0},
    {"reorder", OPT_REORDER, NULL, 0, "messages of a pair may overtake each other", 0},
    {.doc = "Agreement:", .group = OF_AGREEMENT},
    {"window", OPT_WINDOW, "N", 0, "agreements under way at once (1)", 0},
    {"radix", OPT_RADIX, "2^k", 0,
     "shape of the tree: 2 is binomial, at least --ranks is a star (2)", 0},
    {"inter", OPT_INTER, "K", 0, "two groups, the K lowest ranks and the others", 0},
    {"comms", OPT_COMMS, "2", 0, "two communicators that overlap, in calls on both at once", 0},
    {"creation", OPT_CREATION, NULL, 0, "members may give up, and then veto in advance", 0},
    {"validation", OPT_VALIDATION, NULL, 0, "as --creation, but a death is not a reason to give up",
     0},
    {"free", OPT_FREE, NULL, 0,
     "with its last agreement a process frees the communicator: it calls it when all others are "
     "decided, and forgets all then",
     0},
    {"together", OPT_TOGETHER, NULL, 0,
     "two may die together, and each process hears of both at once", 0},
    {.doc = "Locks have as many targets as --window says, and collective reads as many windows.  "
            "Agreement through shared memory has "
            "--window, --creation and --validation as well, and",
     .group = OF_MEMORY},
    {"brief", OPT_BRIEF, NULL, 0, "two ranks vote for flags, and say them in words as well", 0},
    {"fine", OPT_FINE, NULL, 0,
     "no shortcuts: own words, each word of a value and looks at the dead are steps, too; for few "
     "ranks",
     0},
    {.doc = "Processes that join a job (birth) are those that ask, as many as --inter says, those "
            "that "
            "are started, and their agent:",
     .group = OF_BIRTH},
    {"replace", OPT_REPLACE, NULL, 0, "they take the ranks of dead ones", 0},
    {.doc =
         "Two jobs that connect (port) are those that accept, as many as --inter says, those that "
         "connect, and the two agents; with --free they disconnect as well.",
     .group = OF_BIRTH},
    {.doc =
         "Agents that connect (contact), two to eight, have as many questions as --instances "
         "says; with --window 2 one may be late, with --window 3 all draw the same numbers, too.",
     .group = OF_BIRTH},
    {.doc =
         "Agents with leases (lease): with --exhaustive two or three, each calls a parent "
         "--instances times; with --replace one that is lost is started again, with a seed as "
         "often as it is lost; with --fine clocks "
         "change their rates.  With a seed --instances is a number of seconds, and with --window 2 "
         "faults come fast.",
     .group = OF_BIRTH},
    {"victim", OPT_VICTIM, "N", 0, "with a seed, the agent that --crashes are about (any)", 0},
    {.doc = "Several nodes (nodes), each with an agent and its part of the --ranks, have the "
            "options of agreement "
            "as well as:",
     .group = OF_NODES},
    {"nodes", OPT_NODES, "K", 0, "how many (2)", 0},
    {"agent-crashes", OPT_AGENT_CRASHES, "N", 0,
     "agents that may die, and their nodes with them; the first does not (nodes/2; --exhaustive: "
     "1)",
     0},
    {"aborts", OPT_ABORTS, "N", 0, "processes that abort themselves and others (0)", 0},
    {"revocations", OPT_REVOCATIONS, "N", 0, "processes that revoke (0)", 0},
    {"papers", OPT_PAPERS, NULL, 0, "decisions are written on papers, which agents are asked for",
     0},
    {"outside", OPT_OUTSIDE, "N", 0,
     "processes that hear nothing any more when all is decided for them, with --papers (0)", 0},
    {.doc = "Runs with a seed:", .group = OF_SEEDS},
    {"seed", OPT_SEED, "N", 0, "first seed (1)", 0},
    {"seeds", OPT_SEEDS, "N", 0, "how many seeds (1)", 0},
    {"budget", OPT_BUDGET, "N", 0,
     "seeds until N steps are done; each decides on sizes, faults and all other options as well",
     0},
    {"steps", OPT_STEPS, "N", 0, "a run with more steps does not end (10000000)", 0},
    {"pauses", OPT_PAUSES, "N", 0, "processes that sleep for a while (0)", 0},
    {"partitions", OPT_PARTITIONS, "N", 0, "times that the network falls apart for a while (0)", 0},
    {"duplicate", OPT_DUPLICATE, NULL, 0, "messages may arrive twice", 0},
    {.doc = "Exhaustive search:", .group = OF_SEARCH},
    {"states", OPT_STATES, "N", 0, "give up after so many states (1000000000)", 0},
    {"path", OPT_PATH, "A.B.C", 0, "perform this path only", 0},
    {.doc = "Any way:", .group = OF_ANY},
    {"trace", OPT_TRACE, NULL, 0, "print every step", 0},
    {"break", OPT_BREAK, "WHAT", 0,
     "play with a machine that has a known mistake, to see that the checkers find it.  agree: "
     "no-promise, forget, omit, accuse, hush, deaf, invent, mix, babble, detour, change, phantom, "
     "boast; with --creation: shy, lie; with --free: silent, rash.  memory: late-look, narrow, "
     "hasty, impatient, forget, report-first; with --creation or --validation: shy, lie, deaf, "
     "change, babble; with --brief: hush, rash.  lock: hush, silent, shy, accuse, forget, "
     "deaf, rash, narrow, hasty, lie, "
     "omit.  detector: "
     "report-first, accuse, babble, deaf.  birth: forget, omit, hush, deaf, rash, lie, silent, "
     "shy, slip, change; with "
     "--replace: hasty, boast.  port: no-repair, impatient, forget, omit, accuse, slip, "
     "change, boast, deaf, rash, silent, shy; with --free: hasty.  contact: deaf, omit, boast, "
     "forget, hush.  look: narrow, rash, boast, shy, hush.  lease: late-look, impatient, narrow, "
     "hasty, deaf, boast, accuse, slip; with --replace: stale; with a seed: rash, curt, shy, "
     "forget, mix, phantom, omit, invent, change, piecemeal, no-repair, silent, lie, swap, detour, "
     "rush.  nodes: those of agree, and swap, "
     "piecemeal, hasty, "
     "report-first, slip, narrow, "
     "late-look, impatient, extend; with --papers: unwritten, blind, stale; with --creation or "
     "--validation: rush",
     0},
    {0},
};

/* Where the number of an option goes, and its limits; wide: 64 bits, else an int. */
static const struct number {
    int key;
    bool wide;
    size_t at;
    uint64_t min, max;
} numbers[] = {
#define INT(key_, field_, min_, max_)                                                              \
    {                                                                                              \
        key_, false, offsetof(struct mend_sim_options, field_), min_, max_                         \
    }
#define WIDE(key_, field_, min_)                                                                   \
    {                                                                                              \
        key_, true, offsetof(struct mend_sim_options, field_), min_, UINT64_MAX                    \
    }
    INT(OPT_RANKS, conf.ranks, 1, MEND_SIM_RANKS_MAX),
    INT(OPT_CRASHES, conf.crashes, 0, 10000),
    INT(OPT_SUSPICIONS, conf.suspicions, 0, 10000),
    INT(OPT_INSTANCES, conf.instances, 1, 10000),
    INT(OPT_WINDOW, conf.window, 1, 8),
    INT(OPT_PAUSES, conf.pauses, 0, 10000),
    INT(OPT_PARTITIONS, conf.partitions, 0, 10000),
    INT(OPT_INTER, conf.inter, 1, 10000),
    INT(OPT_COMMS, conf.comms, 1, 2),
    INT(OPT_NODES, conf.nodes, 1, 64),
    INT(OPT_AGENT_CRASHES, conf.agent_crashes, 0, 1000),
    INT(OPT_ABORTS, conf.aborts, 0, 1000),
    INT(OPT_REVOCATIONS, conf.revocations, 0, 1000),
    INT(OPT_OUTSIDE, conf.outside, 0, 1000),
    INT(OPT_VICTIM, conf.victim, 1, 10000),
    WIDE(OPT_SEED, conf.seed, 0),
    WIDE(OPT_STEPS, conf.steps_max, 1),
    WIDE(OPT_STATES, conf.states_max, 1),
    WIDE(OPT_SEEDS, seeds, 1),
    WIDE(OPT_BUDGET, budget, 1),
};
_Static_assert(sizeof(size_t) == sizeof(uint64_t), "states_max is wide");

static const struct flag {
    int key;
    size_t at;
} flags[] = {
    {OPT_TRACE, offsetof(struct mend_sim_conf, trace)},
    {OPT_REORDER, offsetof(struct mend_sim_conf, reorder)},
    {OPT_DUPLICATE, offsetof(struct mend_sim_conf, duplicate)},
    {OPT_CREATION, offsetof(struct mend_sim_conf, creation)},
    {OPT_VALIDATION, offsetof(struct mend_sim_conf, validation)},
    {OPT_FREE, offsetof(struct mend_sim_conf, frees)},
    {OPT_TOGETHER, offsetof(struct mend_sim_conf, together)},
    {OPT_REPLACE, offsetof(struct mend_sim_conf, replaces)},
    {OPT_PAPERS, offsetof(struct mend_sim_conf, papers)},
    {OPT_FINE, offsetof(struct mend_sim_conf, fine)},
    {OPT_BRIEF, offsetof(struct mend_sim_conf, brief)},
};

void mend_sim_refuse(const char *fmt, ...)
{
    va_list ap;

    fprintf(stderr, "mend-sim: ");
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, "\nTry 'mend-sim --help'.\n");
    exit(2);
}

static const char *name_of(int key)
{
    const struct argp_option *o = options;

    while (o->key != key)
        o++;
    return o->name;
}

static uint64_t number(int key, const char *arg, uint64_t min, uint64_t max)
{
    char *end;
    unsigned long long v = strtoull(arg, &end, 10);

    if (arg[0] < '0' || arg[0] > '9' || *end || v < min || v > max)
        mend_sim_refuse("--%s wants a number from %llu to %llu, not '%s'", name_of(key),
                        (unsigned long long)min, (unsigned long long)max, arg);
    return v;
}

static bool take_number(struct mend_sim_options *o, int key, const char *arg)
{
    for (const struct number *n = numbers; n < numbers + MEND_COUNT_OF(numbers); n++) {
        void *at = (char *)o + n->at;

        if (n->key != key)
            continue;
        if (n->wide)
            *(uint64_t *)at = number(key, arg, n->min, n->max);
        else
            *(int *)at = (int)number(key, arg, n->min, n->max);
        return true;
    }
    return false;
}

static bool take_flag(struct mend_sim_options *o, int key)
{
    for (size_t i = 0; i < MEND_COUNT_OF(flags); i++)
        if (flags[i].key == key)
            return *(bool *)((char *)&o->conf + flags[i].at) = true;
    return false;
}

static enum mend_sim_broken broken_of(const char *arg)
{
    for (size_t i = 1; i < MEND_COUNT_OF(broken_names); i++)
        if (!strcmp(arg, broken_names[i]))
            return (enum mend_sim_broken)i;
    mend_sim_refuse("there is no mistake '%s'", arg);
}

static int radix_bits_of(const char *arg)
{
    uint64_t radix = number(OPT_RADIX, arg, 2, 1 << 30);

    if (radix & (radix - 1))
        mend_sim_refuse("--radix wants a power of two, not '%s'", arg);
    return __builtin_ctzll(radix);
}

static const struct mend_sim_play *play_of(const char *arg)
{
    for (size_t i = 0; i < MEND_SIM_PLAYS; i++)
        if (!strcmp(arg, mend_sim_plays[i]->name))
            return mend_sim_plays[i];
    mend_sim_refuse("there is no protocol '%s'", arg);
}

static error_t take(int key, char *arg, struct argp_state *state)
{
    struct mend_sim_options *o = state->input;

    if (take_number(o, key, arg) || take_flag(o, key))
        return 0;
    switch (key) {
    case OPT_RADIX:
        o->conf.radix_bits = radix_bits_of(arg);
        return 0;
    case OPT_EXHAUSTIVE:
        o->mode = MEND_SIM_EXHAUSTIVE;
        return 0;
    case OPT_COUNT:
        o->mode = MEND_SIM_COUNT;
        return 0;
    case OPT_PATH:
        o->conf.path = arg;
        return 0;
    case OPT_BREAK:
        o->conf.broken = broken_of(arg);
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num)
            mend_sim_refuse("one protocol at a time, or none for all");
        o->play = play_of(arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    .options = options,
    .parser = take,
    .args_doc = "[agree|memory|lock|detector|birth|port|contact|look|nodes|lease]",
    .doc = "Drives the protocols of the library through failures and checks what must hold after "
           "every step.  Without a protocol all are played (memory only with "
           "--exhaustive).  By "
           "default, runs with a seed that decides everything, one run per seed.",
};

void mend_sim_options_parse(int argc, char **argv, struct mend_sim_options *o)
{
    o->conf = (struct mend_sim_conf){.ranks = -1,
                                     .crashes = -1,
                                     .instances = -1,
                                     .agent_crashes = -1,
                                     .window = 1,
                                     .radix_bits = 1,
                                     .seed = 1,
                                     .steps_max = 10000000,
                                     .states_max = 1000000000};
    o->seeds = 1;
    o->play = NULL;
    argp_err_exit_status = 2;
    argp_parse(&parser, argc, argv, 0, NULL, o);
}

void mend_sim_options_print(const struct mend_sim_options *o)
{
    const struct mend_sim_conf *c = &o->conf;

    printf("mend-sim %s --ranks %d --crashes %d --suspicions %d --instances %d", o->play->name,
           mend_sim_members(c), c->crashes, c->suspicions, c->instances);
    if (c->nodes)
        printf(" --nodes %d --agent-crashes %d --aborts %d --revocations %d --outside %d", c->nodes,
               c->agent_crashes, c->aborts, c->revocations, c->outside);
    if (c->papers)
        printf(" --papers");
    if (o->play == &mend_sim_agree || o->play == &mend_sim_memory || o->play == &mend_sim_nodes)
        printf(" --window %d%s", c->window, c->creation ? " --creation" : "");
    if (o->play == &mend_sim_lock || o->play == &mend_sim_contact || o->play == &mend_sim_look)
        printf(" --window %d", c->window);
    if (o->play == &mend_sim_agree || o->play == &mend_sim_nodes)
        printf(" --radix %d --comms %d", 1 << c->radix_bits, c->comms ? c->comms : 1);
    if (c->validation)
        printf(" --validation");
    if (c->frees)
        printf(" --free");
    if (c->together)
        printf(" --together");
    if (o->play == &mend_sim_memory)
        printf("%s%s", c->brief ? " --brief" : "", c->fine ? " --fine" : "");
    if (o->play == &mend_sim_lease)
        printf(" --window %d --radix %d%s", c->window, 1 << c->radix_bits,
               c->fine ? " --fine" : "");
    if (c->victim)
        printf(" --victim %d", c->victim);
    if (o->play == &mend_sim_lease && o->mode == MEND_SIM_EXHAUSTIVE)
        printf(" --partitions %d", c->partitions);
    if (c->replaces)
        printf(" --replace");
    if (c->inter)
        printf(" --inter %d", c->inter);
    if (c->reorder)
        printf(" --reorder");
    if (o->mode == MEND_SIM_EXHAUSTIVE)
        printf(" --exhaustive");
    else
        printf(" --pauses %d --partitions %d%s", c->pauses, c->partitions,
               c->duplicate ? " --duplicate" : "");
    if (c->broken)
        printf(" --break %s", broken_names[c->broken]);
}
