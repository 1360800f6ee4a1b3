/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c – the command line of mend-sim.
 *
 * Exit status: 0 nothing wrong was found, 1 something was, 2 wrong usage. */
#include "sim.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum mode { MODE_RANDOM, MODE_EXHAUSTIVE, MODE_COUNT };

struct options {
    const struct mend_sim_play *play;
    struct mend_sim_conf conf;
    enum mode mode;
    uint64_t seeds;
    const char *broken_name;
};

static const struct mend_sim_play *const plays[] = {&mend_sim_agree, &mend_sim_revoke,
                                                    &mend_sim_notice, &mend_sim_detector};

static const char *const broken_names[] = {[MEND_SIM_INTACT] = "nothing",
                                           [MEND_SIM_NO_PROMISE] = "no-promise",
                                           [MEND_SIM_FORGET] = "forget",
                                           [MEND_SIM_NO_REPAIR] = "no-repair",
                                           [MEND_SIM_REPORT_FIRST] = "report-first"};

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
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

static void usage(FILE *f)
{
    fprintf(f,
            "usage: mend-sim [agree|revoke|notice|detector] [options]\n"
            "\n"
            "Drives the protocols of the library through failures and checks what must hold after\n"
            "every step.  Without a protocol, all four are played.  Three ways:\n"
            "  (default)        runs with a seed that decides everything, one run per seed\n"
            "  --exhaustive     every order of events and every crash point (up to 8 ranks)\n"
            "  --count          no failures searched for: a table of messages and latencies\n"
            "\n"
            "  --ranks N        processes (8; --exhaustive: 3)\n"
            "  --crashes N      processes that may die (ranks/2; --exhaustive: 1)\n"
            "  --suspicions N   processes that may be declared dead while they still run (0)\n"
            "  --instances N    agreements per process; members that revoke; agents with a\n"
            "                   verdict; how often a process may stop (4; --exhaustive: 1)\n"
            "  --window N       agreements under way at once (1)\n"
            "  --radix 2^k      shape of the tree: 2 is binomial, at least --ranks is a star (2)\n"
            "runs with a seed:\n"
            "  --seed N         first seed (1)\n"
            "  --seeds N        how many seeds (1)\n"
            "  --steps N        a run with more steps does not end (10000000)\n"
            "  --pauses N       processes that sleep for a while (0)\n"
            "  --partitions N   times that the network falls apart for a while (0)\n"
            "  --reorder        messages of a pair may overtake each other\n"
            "  --duplicate      messages may arrive twice\n"
            "exhaustive search:\n"
            "  --states N       give up after so many states (100000000)\n"
            "  --path A.B.C     perform this path only\n"
            "\n"
            "  --trace          print every step\n"
            "  --break WHAT     play with a machine that has a known mistake, to see that the\n"
            "                   checkers find it: no-promise, forget (agree), no-repair (revoke,\n"
            "                   notice), report-first (detector)\n"
            "  --help           this text\n");
}

__attribute__((format(printf, 1, 2), noreturn)) static void refuse(const char *fmt, ...)
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
        refuse("--%s wants a number from %llu to %llu, not '%s'", name, (unsigned long long)min,
               (unsigned long long)max, arg);
    return v;
}

static enum mend_sim_broken broken_of(const char *arg)
{
    for (size_t i = 1; i < MEND_COUNT_OF(broken_names); i++)
        if (!strcmp(arg, broken_names[i]))
            return (enum mend_sim_broken)i;
    refuse("there is no mistake '%s'", arg);
}

static int radix_bits_of(const char *arg)
{
    uint64_t radix = number("radix", arg, 2, 1 << 30);

    if (radix & (radix - 1))
        refuse("--radix wants a power of two, not '%s'", arg);
    return __builtin_ctzll(radix);
}

static void take(struct options *o, int opt, const char *name, const char *arg)
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
        o->mode = MODE_EXHAUSTIVE;
        break;
    case OPT_COUNT:
        o->mode = MODE_COUNT;
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
    case OPT_HELP:
        usage(stdout);
        exit(0);
    default:
        refuse("wrong option");
    }
}

static const struct mend_sim_play *play_of(const char *arg)
{
    for (size_t i = 0; i < MEND_COUNT_OF(plays); i++)
        if (!strcmp(arg, plays[i]->name))
            return plays[i];
    refuse("there is no protocol '%s'", arg);
}

static void fill_defaults(struct options *o)
{
    bool all = o->mode == MODE_EXHAUSTIVE;
    struct mend_sim_conf *c = &o->conf;

    if (c->ranks < 0)
        c->ranks = all ? 3 : 8;
    if (c->crashes < 0)
        c->crashes = o->play == &mend_sim_detector ? 0 : all ? 1 : c->ranks / 2;
    if (c->instances < 0)
        c->instances = all ? 1 : 4;
    if (o->play == &mend_sim_notice && c->instances > c->ranks)
        c->instances = c->ranks;
    if (all && c->ranks > 8)
        refuse("--exhaustive goes up to 8 ranks");
    if (o->mode == MODE_COUNT && o->play == &mend_sim_detector)
        refuse("the detector sends no messages to count");
    if (o->mode == MODE_RANDOM && c->ranks > 4000)
        refuse("runs with a seed go up to 4000 ranks");
    if (o->play == &mend_sim_detector && (c->ranks < 2 || c->ranks > 24 || c->crashes))
        refuse("the detector has 2 to 24 ranks, which die without --crashes");
}

static void parse(int argc, char **argv, struct options *o)
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
                                     .states_max = 100000000};
    o->seeds = 1;
    while ((opt = getopt_long(argc, argv, "", long_options, &index)) != -1) {
        if (opt == '?')
            refuse("wrong option '%s'", argv[optind - 1]);
        take(o, opt, long_options[index].name, optarg);
    }
    if (optind + 1 < argc)
        refuse("one protocol at a time, or none for all");
    o->play = optind < argc ? play_of(argv[optind]) : NULL;
}

static void print_flags(const struct options *o)
{
    const struct mend_sim_conf *c = &o->conf;

    printf("mend-sim %s --ranks %d --crashes %d --suspicions %d --instances %d", o->play->name,
           c->ranks, c->crashes, c->suspicions, c->instances);
    if (o->play == &mend_sim_agree)
        printf(" --window %d --radix %d", c->window, 1 << c->radix_bits);
    if (c->broken)
        printf(" --break %s", broken_names[c->broken]);
}

static int explore(const struct options *o)
{
    struct mend_sim_result r;

    mend_sim_explore(o->play, &o->conf, &r);
    if (!r.wrong && !o->conf.path) {
        printf("%s: %llu states, %llu steps, %llu ends, longest path %llu%s\n", o->play->name,
               (unsigned long long)r.states, (unsigned long long)r.steps,
               (unsigned long long)r.ends, (unsigned long long)r.depth,
               r.complete ? ", complete" : ", INCOMPLETE");
        return 0;
    }
    if (!r.wrong)
        return 0;
    printf("wrong: %s\n", r.wrong);
    if (o->conf.path)
        return 1;
    printf("replay: ");
    print_flags(o);
    printf(" --exhaustive --trace --path %s\n", r.path);
    return 1;
}

static int run(struct options *o)
{
    struct mend_sim_result r;
    uint64_t steps = 0, messages = 0, first = o->conf.seed;

    for (uint64_t i = 0; i < o->seeds; i++) {
        o->conf.seed = first + i;
        mend_sim_run(o->play, &o->conf, &r);
        steps += r.steps;
        messages += r.messages;
        if (r.wrong) {
            printf("wrong: %s\nreplay: ", r.wrong);
            print_flags(o);
            printf(" --pauses %d --partitions %d%s%s --seed %llu --trace\n", o->conf.pauses,
                   o->conf.partitions, o->conf.reorder ? " --reorder" : "",
                   o->conf.duplicate ? " --duplicate" : "", (unsigned long long)o->conf.seed);
            return 1;
        }
    }
    printf("%s: %llu seeds from %llu, %llu steps, %llu messages\n", o->play->name,
           (unsigned long long)o->seeds, (unsigned long long)first, (unsigned long long)steps,
           (unsigned long long)messages);
    return 0;
}

static int perform(struct options o)
{
    fill_defaults(&o);
    if (o.mode == MODE_COUNT)
        mend_sim_count(o.play, &o.conf);
    return o.mode == MODE_COUNT ? 0 : o.mode == MODE_EXHAUSTIVE ? explore(&o) : run(&o);
}

/* Without a protocol: all of them. */
static int perform_all(struct options o)
{
    int wrong = 0;

    if (o.mode == MODE_COUNT || o.conf.crashes >= 0)
        refuse("which protocol?");
    for (size_t i = 0; i < MEND_COUNT_OF(plays); i++) {
        o.play = plays[i];
        wrong |= perform(o);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    struct options o = {0};

    parse(argc, argv, &o);
    return o.play ? perform(o) : perform_all(o);
}
