/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c – the command line of mend-sim. */
#include "options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct mend_sim_play *const mend_sim_plays[MEND_SIM_PLAYS] = {
    &mend_sim_agree, &mend_sim_revoke, &mend_sim_notice, &mend_sim_detector, &mend_sim_memory};

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
                                           [MEND_SIM_RASH] = "rash"};

enum {
    OPT_SEED = 256,
    OPT_SEEDS,
    OPT_RANKS,
    OPT_CRASHES,
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
    OPT_PAUSES,
    OPT_PARTITIONS,
    OPT_INTER,
    OPT_COMMS,
    OPT_CREATION,
    OPT_VALIDATION,
    OPT_FREE,
    OPT_FINE,
    OPT_BUDGET,
    OPT_HELP,
};

static const struct option long_options[] = {
    {"seed", required_argument, NULL, OPT_SEED},
    {"seeds", required_argument, NULL, OPT_SEEDS},
    {"ranks", required_argument, NULL, OPT_RANKS},
    {"crashes", required_argument, NULL, OPT_CRASHES},
    {"suspicions", required_argument, NULL, OPT_SUSPICIONS},
    {"instances", required_argument, NULL, OPT_INSTANCES},
    {"window", required_argument, NULL, OPT_WINDOW},
    {"radix", required_argument, NULL, OPT_RADIX},
    {"steps", required_argument, NULL, OPT_STEPS},
    {"states", required_argument, NULL, OPT_STATES},
    {"exhaustive", no_argument, NULL, OPT_EXHAUSTIVE},
    {"count", no_argument, NULL, OPT_COUNT},
    {"trace", no_argument, NULL, OPT_TRACE},
    {"path", required_argument, NULL, OPT_PATH},
    {"break", required_argument, NULL, OPT_BREAK},
    {"reorder", no_argument, NULL, OPT_REORDER},
    {"duplicate", no_argument, NULL, OPT_DUPLICATE},
    {"pauses", required_argument, NULL, OPT_PAUSES},
    {"partitions", required_argument, NULL, OPT_PARTITIONS},
    {"inter", required_argument, NULL, OPT_INTER},
    {"comms", required_argument, NULL, OPT_COMMS},
    {"creation", no_argument, NULL, OPT_CREATION},
    {"validation", no_argument, NULL, OPT_VALIDATION},
    {"free", no_argument, NULL, OPT_FREE},
    {"fine", no_argument, NULL, OPT_FINE},
    {"budget", required_argument, NULL, OPT_BUDGET},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

static void usage(FILE *f)
{
    fprintf(f,
            "usage: mend-sim [agree|memory|revoke|notice|detector] [options]\n"
            "\n"
            "Drives the protocols of the library through failures and checks what must hold after\n"
            "every step.  Without a protocol all are played (memory only with --exhaustive).  "
            "Three ways:\n"
            "  (default)        runs with a seed that decides everything, one run per seed\n"
            "  --exhaustive     every order of events and every crash point (up to 8 ranks)\n"
            "  --count          no failures searched for: a table of messages and latencies\n"
            "\n"
            "  --ranks N        processes (8; --exhaustive: 3)\n"
            "  --crashes N      processes that may die (ranks/2; --exhaustive: 1)\n"
            "  --suspicions N   processes that may be declared dead while they still run (0)\n"
            "  --instances N    agreements per process; members that revoke; agents with a\n"
            "                   verdict; how often a process may stop (4; --exhaustive: 1)\n"
            "  --reorder        messages of a pair may overtake each other\n"
            "agreement:\n"
            "  --window N       agreements under way at once (1)\n"
            "  --radix 2^k      shape of the tree: 2 is binomial, at least --ranks is a star (2)\n"
            "  --inter K        two groups, the K lowest ranks and the others\n"
            "  --comms 2        two communicators that overlap, in calls on both at once\n"
            "  --creation       members may give up, and then say no beforehand\n"
            "  --free           with its last agreement a process frees the communicator: it\n"
            "                   calls it when all others are decided, and forgets all then\n"
            "agreement through shared memory has --window and --creation as well, and\n"
            "  --validation     the same, but a death is no reason to give up\n"
            "  --fine           no shortcuts: own words, each word of a value and looks at the\n"
            "                   dead are steps, too; for few ranks\n"
            "runs with a seed:\n"
            "  --seed N         first seed (1)\n"
            "  --seeds N        how many seeds (1)\n"
            "  --budget N       seeds until N steps are done; each decides on sizes, faults and\n"
            "                   all other options as well\n"
            "  --steps N        a run with more steps does not end (10000000)\n"
            "  --pauses N       processes that sleep for a while (0)\n"
            "  --partitions N   times that the network falls apart for a while (0)\n"
            "  --duplicate      messages may arrive twice\n"
            "exhaustive search:\n"
            "  --states N       give up after so many states (1000000000)\n"
            "  --path A.B.C     perform this path only\n"
            "\n"
            "  --trace          print every step\n"
            "  --break WHAT     play with a machine that has a known mistake, to see that the\n"
            "                   checkers find it.  agree: no-promise, forget, omit, accuse, hush,\n"
            "                   deaf, invent, mix, babble, detour, change, phantom, boast; with\n"
            "                   --creation: shy, lie; with --free: silent, rash.  memory: "
            "late-look, narrow, hasty,\n"
            "                   impatient, forget, report-first; with --creation or\n"
            "                   --validation: shy, lie, deaf, change, babble.  revoke:\n"
            "                   no-repair, invent.  notice: no-repair, deaf, accuse.\n"
            "                   detector: report-first, accuse, babble, deaf\n"
            "  --help           this text\n");
}

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

static uint64_t number(const char *name, const char *arg, uint64_t min, uint64_t max)
{
    char *end;
    unsigned long long v = strtoull(arg, &end, 10);

    if (arg[0] < '0' || arg[0] > '9' || *end || v < min || v > max)
        mend_sim_refuse("--%s wants a number from %llu to %llu, not '%s'", name,
                        (unsigned long long)min, (unsigned long long)max, arg);
    return v;
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
    uint64_t radix = number("radix", arg, 2, 1 << 30);

    if (radix & (radix - 1))
        mend_sim_refuse("--radix wants a power of two, not '%s'", arg);
    return __builtin_ctzll(radix);
}

static void take(struct mend_sim_options *o, int opt, const char *name, const char *arg)
{
    struct mend_sim_conf *c = &o->conf;

    switch (opt) {
    case OPT_SEED:
        c->seed = number(name, arg, 0, UINT64_MAX);
        break;
    case OPT_SEEDS:
        o->seeds = number(name, arg, 1, UINT64_MAX);
        break;
    case OPT_RANKS:
        c->ranks = (int)number(name, arg, 1, 10000);
        break;
    case OPT_CRASHES:
        c->crashes = (int)number(name, arg, 0, 10000);
        break;
    case OPT_SUSPICIONS:
        c->suspicions = (int)number(name, arg, 0, 10000);
        break;
    case OPT_INSTANCES:
        c->instances = (int)number(name, arg, 1, 10000);
        break;
    case OPT_WINDOW:
        c->window = (int)number(name, arg, 1, 8);
        break;
    case OPT_RADIX:
        c->radix_bits = radix_bits_of(arg);
        break;
    case OPT_STEPS:
        c->steps_max = number(name, arg, 1, UINT64_MAX);
        break;
    case OPT_STATES:
        c->states_max = number(name, arg, 1, UINT64_MAX);
        break;
    case OPT_EXHAUSTIVE:
        o->mode = MEND_SIM_EXHAUSTIVE;
        break;
    case OPT_COUNT:
        o->mode = MEND_SIM_COUNT;
        break;
    case OPT_TRACE:
        c->trace = true;
        break;
    case OPT_PATH:
        c->path = arg;
        break;
    case OPT_BREAK:
        c->broken = broken_of(arg);
        break;
    case OPT_REORDER:
        c->reorder = true;
        break;
    case OPT_DUPLICATE:
        c->duplicate = true;
        break;
    case OPT_PAUSES:
        c->pauses = (int)number(name, arg, 0, 10000);
        break;
    case OPT_PARTITIONS:
        c->partitions = (int)number(name, arg, 0, 10000);
        break;
    case OPT_INTER:
        c->inter = (int)number(name, arg, 1, 10000);
        break;
    case OPT_COMMS:
        c->comms = (int)number(name, arg, 1, 2);
        break;
    case OPT_CREATION:
        c->creation = true;
        break;
    case OPT_VALIDATION:
        c->validation = true;
        break;
    case OPT_FREE:
        c->frees = true;
        break;
    case OPT_FINE:
        c->fine = true;
        break;
    case OPT_BUDGET:
        o->budget = number(name, arg, 1, UINT64_MAX);
        break;
    case OPT_HELP:
        usage(stdout);
        exit(0);
    default:
        mend_sim_refuse("wrong option");
    }
}

static const struct mend_sim_play *play_of(const char *arg)
{
    for (size_t i = 0; i < MEND_SIM_PLAYS; i++)
        if (!strcmp(arg, mend_sim_plays[i]->name))
            return mend_sim_plays[i];
    mend_sim_refuse("there is no protocol '%s'", arg);
}

void mend_sim_options_parse(int argc, char **argv, struct mend_sim_options *o)
{
    int opt, index;

    opterr = 0;
    o->conf = (struct mend_sim_conf){.ranks = -1,
                                     .crashes = -1,
                                     .instances = -1,
                                     .window = 1,
                                     .radix_bits = 1,
                                     .seed = 1,
                                     .steps_max = 10000000,
                                     .states_max = 1000000000};
    o->seeds = 1;
    while ((opt = getopt_long(argc, argv, "", long_options, &index)) != -1) {
        if (opt == '?')
            mend_sim_refuse("wrong option '%s'", argv[optind - 1]);
        take(o, opt, long_options[index].name, optarg);
    }
    if (optind + 1 < argc)
        mend_sim_refuse("one protocol at a time, or none for all");
    o->play = optind < argc ? play_of(argv[optind]) : NULL;
}

void mend_sim_options_print(const struct mend_sim_options *o)
{
    const struct mend_sim_conf *c = &o->conf;

    printf("mend-sim %s --ranks %d --crashes %d --suspicions %d --instances %d", o->play->name,
           c->ranks, c->crashes, c->suspicions, c->instances);
    if (o->play == &mend_sim_agree || o->play == &mend_sim_memory)
        printf(" --window %d%s", c->window, c->creation ? " --creation" : "");
    if (o->play == &mend_sim_agree)
        printf(" --radix %d --comms %d%s", 1 << c->radix_bits, c->comms ? c->comms : 1,
               c->frees ? " --free" : "");
    if (o->play == &mend_sim_memory)
        printf("%s%s", c->validation ? " --validation" : "", c->fine ? " --fine" : "");
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
