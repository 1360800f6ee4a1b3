/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c – carries out the command line of mend-sim.
 *
 * Exit status: 0 nothing wrong was found, 1 something was, 2 wrong usage. */
#include "clock.h"
#include "options.h"

#include "ft/lease_wire.h"

#include <stdio.h>
#include <time.h>

#define SMALL_MAX 16
#define LARGE_MAX 64
#define HUGE_MAX  300

static bool is_searched_only(const struct mend_sim_play *play)
{
    return play == &mend_sim_memory || play == &mend_sim_look;
}

/* One wait in so many is given up in runs with a seed. */
#define PATIENCE 8

static void check_lock(struct mend_sim_options *o)
{
    const struct mend_sim_conf *c = &o->conf;

    if (c->ranks > (o->mode == MEND_SIM_EXHAUSTIVE ? 4 : LARGE_MAX) || c->window > 2 ||
        c->suspicions || c->instances > 1000)
        mend_sim_refuse("lock wants at most 64 --ranks (4 with --exhaustive), 1000 --instances, 2 "
                        "targets (--window), and no --suspicions");
    if (c->reorder || c->duplicate || c->partitions || o->mode == MEND_SIM_COUNT)
        mend_sim_refuse("lock sends no messages");
    o->conf.patience = o->mode == MEND_SIM_RANDOM ? PATIENCE : 0;
}

static void check_lease(const struct mend_sim_options *o)
{
    const struct mend_sim_conf *c = &o->conf;
    bool all = o->mode == MEND_SIM_EXHAUSTIVE;

    if (c->ranks < 2 || c->ranks > (all ? 3 : 4000) || c->window > 3 || c->suspicions ||
        c->reorder || c->duplicate)
        mend_sim_refuse("lease has at least 2 agents (--ranks; 3 at most with --exhaustive), up to "
                        "3 messages of a connection (--window), and no --suspicions, --reorder and "
                        "--duplicate");
    if (!all && c->fine)
        mend_sim_refuse("lease has --fine with --exhaustive");
    if (c->victim >= c->ranks || (all && c->victim))
        mend_sim_refuse("lease has a --victim with a seed, one of its --ranks");
}

static void check_memory(struct mend_sim_options *o)
{
    const struct mend_sim_conf *c = &o->conf;

    if (is_searched_only(o->play) && o->mode != MEND_SIM_EXHAUSTIVE)
        mend_sim_refuse("%s wants --exhaustive", o->play->name);
    if (o->play == &mend_sim_lock)
        check_lock(o);
    if (o->play == &mend_sim_lease)
        check_lease(o);
    if (o->play == &mend_sim_look && (c->instances > 4 || c->window > 4 || c->suspicions))
        mend_sim_refuse(
            "look wants at most 4 --instances and 4 windows (--window), and no --suspicions");
    if (o->play != &mend_sim_memory && o->play != &mend_sim_lease && c->fine)
        mend_sim_refuse("--fine belongs to memory and lease");
    if (o->play != &mend_sim_memory && c->brief)
        mend_sim_refuse("--brief belongs to memory");
    if (o->play != &mend_sim_memory && o->play != &mend_sim_agree && o->play != &mend_sim_nodes &&
        c->validation)
        mend_sim_refuse("--validation belongs to memory, agree and nodes");
    if (o->play != &mend_sim_memory)
        return;
    if (c->instances > 16)
        mend_sim_refuse("memory wants at most 16 --instances");
    if (c->brief && (c->ranks != 2 || c->creation))
        mend_sim_refuse("--brief wants 2 --ranks, and no --creation");
    if (c->suspicions && c->broken != MEND_SIM_REPORT_FIRST)
        mend_sim_refuse(
            "memory wants verdicts that come after the death, except with --break report-first");
}

/* The agents are processes of the play, too. */
static void fill_nodes(struct mend_sim_options *o)
{
    bool all = o->mode == MEND_SIM_EXHAUSTIVE;
    struct mend_sim_conf *c = &o->conf;

    if (o->play != &mend_sim_nodes) {
        if (c->nodes || c->agent_crashes > 0 || c->aborts || c->revocations || c->outside ||
            c->papers)
            mend_sim_refuse("--nodes, --agent-crashes, --aborts, --revocations, --papers and "
                            "--outside belong to nodes");
        c->agent_crashes = 0;
        return;
    }
    c->nodes = c->nodes ? c->nodes : 2;
    if (c->agent_crashes < 0)
        c->agent_crashes = all ? 1 : c->nodes / 2;
    if (c->suspicions || c->reorder || c->duplicate || c->together)
        mend_sim_refuse("nodes cannot be combined with --suspicions, --reorder, --duplicate and "
                        "--together");
    if (c->outside && (!c->papers || c->creation || c->validation || c->frees))
        mend_sim_refuse("--outside wants --papers, and no --creation, --validation and --free");
    if (c->aborts > c->ranks || c->revocations > c->ranks)
        mend_sim_refuse("--aborts and --revocations are at most --ranks");
    c->ranks += c->nodes;
}

static void fill_defaults(struct mend_sim_options *o)
{
    bool all = o->mode == MEND_SIM_EXHAUSTIVE;
    struct mend_sim_conf *c = &o->conf;

    if (c->ranks < 0)
        c->ranks = all ? 3 : o->mode == MEND_SIM_COUNT ? 10000 : 8;
    if (c->crashes < 0)
        c->crashes = o->play == &mend_sim_detector ? 0 : all ? 1 : c->ranks / 2;
    if (c->instances < 0)
        c->instances = all ? 1 : 4;
    if (o->play == &mend_sim_birth && (c->ranks < 3 || c->inter > c->ranks - 2))
        mend_sim_refuse(
            "birth wants --ranks for one that asks, one that is started, and the agent");
    if (o->play == &mend_sim_birth && (c->suspicions || c->reorder || c->comms > 1))
        mend_sim_refuse("birth cannot be combined with --suspicions, --reorder and --comms");
    if (o->play == &mend_sim_port && (c->ranks < 4 || c->inter > c->ranks - 3))
        mend_sim_refuse(
            "port wants --ranks for one that accepts, one that connects, and two agents");
    if (o->play == &mend_sim_port && (c->suspicions || c->reorder || c->duplicate || c->comms > 1))
        mend_sim_refuse(
            "port cannot be combined with --suspicions, --reorder, --duplicate and --comms");
    if (o->play == &mend_sim_contact &&
        (c->ranks < 2 || c->ranks > 8 || c->suspicions || c->reorder || c->duplicate ||
         c->instances > 8 || c->comms > 1))
        mend_sim_refuse("contact has 2 to 8 agents with up to 8 questions, and cannot be combined "
                        "with --suspicions, --reorder, --duplicate and --comms");
    if (o->play != &mend_sim_birth && o->play != &mend_sim_lease && c->replaces)
        mend_sim_refuse("--replace belongs to birth and lease");
    if (o->play != &mend_sim_lease && c->victim)
        mend_sim_refuse("--victim belongs to lease");
    if (c->inter >= c->ranks || (c->inter && c->comms > 1))
        mend_sim_refuse("--inter wants fewer than --ranks, and one communicator");
    fill_nodes(o);
    if (all && c->ranks > 8)
        mend_sim_refuse("--exhaustive goes up to 8 ranks, with the agents of nodes");
    check_memory(o);
    if (o->mode == MEND_SIM_COUNT && o->play != &mend_sim_agree)
        mend_sim_refuse("--count is for agree");
    if (o->mode == MEND_SIM_RANDOM && mend_sim_members(c) > 4000)
        mend_sim_refuse("runs with a seed go up to 4000 ranks");
    if (o->play == &mend_sim_detector && (c->ranks < 2 || c->ranks > 24 || c->crashes))
        mend_sim_refuse("the detector has 2 to 24 ranks, which die without --crashes");
    if (c->frees &&
        (c->creation || c->validation ||
         (o->play != &mend_sim_agree && o->play != &mend_sim_nodes && o->play != &mend_sim_port)))
        mend_sim_refuse(
            "--free is for agree and nodes, without --creation and --validation, and for port");
    if (c->together && o->play != &mend_sim_agree)
        mend_sim_refuse("--together is for agree");
    if (c->creation && c->validation)
        mend_sim_refuse("one of --creation and --validation");
    if ((c->creation || c->validation) && (c->comms > 1 || c->inter))
        mend_sim_refuse("--creation and --validation want one communicator of one group");
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int explore(const struct mend_sim_options *o)
{
    struct mend_sim_result r;
    double begin = seconds();

    mend_sim_explore(o->play, &o->conf, &r);
    if (!r.wrong && !o->conf.path) {
        printf("%s: %llu states, %llu steps, %llu ends, longest path %llu, %.1f s%s\n",
               o->play->name, (unsigned long long)r.states, (unsigned long long)r.steps,
               (unsigned long long)r.ends, (unsigned long long)r.depth, seconds() - begin,
               r.complete ? ", complete" : ", INCOMPLETE");
        return 0;
    }
    if (!r.wrong)
        return 0;
    printf("wrong: %s\n", r.wrong);
    if (o->conf.path)
        return 1;
    printf("replay: ");
    mend_sim_options_print(o);
    printf(" --trace --path %s\n", r.path);
    return 1;
}

/* ---- runs with a seed ---- */

struct total {
    uint64_t seeds, steps, messages;
    uint64_t words, agents_sent, agent_most; /* lease; nodes */
    int most_ranks;
    double virtual_s, agent_s; /* lease: of all runs; times their agents */
    double begin;
};

static bool run_one(const struct mend_sim_options *o, struct total *t)
{
    struct mend_sim_result r;
    int members = mend_sim_members(&o->conf);

    if (o->play->run)
        o->play->run(&o->conf, &r);
    else
        mend_sim_run(o->play, &o->conf, &r);
    t->virtual_s += (double)r.virtual_ns * 1e-9;
    t->agent_s += (double)r.virtual_ns * 1e-9 * members;
    t->seeds++;
    t->steps += r.steps;
    t->messages += r.messages;
    t->words += r.words;
    t->agents_sent += r.agents_sent;
    t->agent_most = r.agent_most > t->agent_most ? r.agent_most : t->agent_most;
    t->most_ranks = members > t->most_ranks ? members : t->most_ranks;
    if (!r.wrong)
        return true;
    printf("wrong: %s\nreplay: ", r.wrong);
    mend_sim_options_print(o);
    printf(" --seed %llu --trace\n", (unsigned long long)o->conf.seed);
    return false;
}

static void print_leases(const struct total *t)
{
    double per_run_s = t->virtual_s / (double)t->seeds;

    printf(
        "  virtual time: %.0f s; messages that an agent sends in a second, of %d bytes: %.1f; the "
        "one that sends most: %.0f\n",
        t->virtual_s, MEND_LEASE_WIRE_BYTES, (double)t->messages / t->agent_s,
        (double)t->agent_most / per_run_s);
    printf("  words to and of the root, and calls: %.1f in a run\n",
           (double)t->words / (double)t->seeds);
}

static void print_total(const struct mend_sim_options *o, const struct total *t, uint64_t first)
{
    printf("%s: %llu seeds from %llu, up to %d ranks, %llu steps, %llu messages, %.1f s\n",
           o->play->name, (unsigned long long)t->seeds, (unsigned long long)first, t->most_ranks,
           (unsigned long long)t->steps, (unsigned long long)t->messages, seconds() - t->begin);
    if (o->play == &mend_sim_lease)
        print_leases(t);
    if (o->play == &mend_sim_nodes)
        printf("  agents: %llu messages to each other, at most %llu of one agent in a run\n",
               (unsigned long long)t->agents_sent, (unsigned long long)t->agent_most);
}

static int run(struct mend_sim_options *o)
{
    struct total t = {.begin = seconds()};
    uint64_t first = o->conf.seed;

    for (; t.seeds < o->seeds; o->conf.seed++)
        if (!run_one(o, &t))
            return 1;
    print_total(o, &t, first);
    return 0;
}

static int below(struct mend_sim_rng *rng, int n)
{
    return (int)mend_sim_rng_below(rng, (uint64_t)n);
}

static int pick_ranks(struct mend_sim_rng *rng)
{
    int lot = below(rng, 100);

    return lot < 70   ? 2 + below(rng, SMALL_MAX - 1)
           : lot < 98 ? SMALL_MAX + 1 + below(rng, LARGE_MAX - SMALL_MAX)
                      : LARGE_MAX + 1 + below(rng, HUGE_MAX - LARGE_MAX);
}

/* What there is only in the play of agreement; most runs have little of it. */
static void vary_agreement(struct mend_sim_conf *c, struct mend_sim_rng *rng)
{
    static const int bits[] = {1, 1, 1, 2, 3, 10};
    int kind = below(rng, 8);

    c->radix_bits = bits[below(rng, MEND_COUNT_OF(bits))];
    c->window = below(rng, 2) ? 1 : 1 + below(rng, 4);
    c->instances = 1 + below(rng, below(rng, 4) ? 3 : 10);
    c->creation = kind == 0 && below(rng, 2);
    c->validation = kind == 0 && !c->creation;
    c->comms = kind == 1 ? 2 : 0;
    c->inter = kind == 2 ? 1 + below(rng, c->ranks - 1) : 0;
    c->frees = kind == 3;
    c->together = kind >= 4 && below(rng, 2);
}

/* Most runs have few nodes, and few processes of each. */
static void vary_nodes(struct mend_sim_conf *c, struct mend_sim_rng *rng)
{
    c->nodes = below(rng, 8) ? 2 + below(rng, 5) : 1 + below(rng, 24);
    c->agent_crashes = below(rng, 3) ? below(rng, 3) : below(rng, c->nodes);
    c->aborts = below(rng, 3) ? 0 : 1 + below(rng, 2);
    c->revocations = below(rng, 3) ? 0 : 1 + below(rng, 2);
    c->papers = below(rng, 4) > 0;
    if (c->papers && !c->creation && !c->validation && !c->frees && below(rng, 2))
        c->outside = below(rng, c->ranks);
    c->suspicions = 0;
    c->reorder = c->duplicate = c->together = false;
    c->ranks += c->nodes;
}

static void vary_lease(struct mend_sim_conf *c, struct mend_sim_rng *rng)
{
    c->crashes = below(rng, 3);
    c->pauses = below(rng, 4);
    c->partitions = below(rng, 4);
    c->radix_bits =
        3 + below(rng, 3); /* at most three edges to the root: the numbers are for so many */
    c->instances = 5 + below(rng, 10);
    c->window = 1 + (below(rng, 4) == 0);
    c->suspicions = 0;
    c->reorder = c->duplicate = false;
}

/* Everything is decided by the seed, also what kind of run it is. */
static void vary(struct mend_sim_options *o)
{
    struct mend_sim_rng rng = {.state = o->conf.seed ^ UINT64_C(0x5eed5eed5eed5eed)};
    struct mend_sim_conf *c = &o->conf;

    c->ranks = pick_ranks(&rng);
    c->crashes = below(&rng, 4) ? below(&rng, 5) : below(&rng, c->ranks);
    c->suspicions = below(&rng, 2) ? 0 : 1 + below(&rng, 3);
    c->pauses = below(&rng, 2) ? 0 : 1 + below(&rng, 3);
    c->partitions = below(&rng, 4) ? 0 : 1 + below(&rng, 3);
    c->reorder = below(&rng, 4) == 0;
    c->duplicate = below(&rng, 4) == 0;
    c->instances = 1 + below(&rng, 4);
    if (o->play == &mend_sim_agree || o->play == &mend_sim_nodes)
        vary_agreement(c, &rng);
    c->nodes = c->agent_crashes = c->outside = c->papers = 0;
    if (o->play == &mend_sim_nodes)
        vary_nodes(c, &rng);
    if (o->play == &mend_sim_detector) {
        c->ranks = 2 + c->ranks % 23;
        c->crashes = c->pauses = c->partitions = 0;
        c->reorder = c->duplicate = false;
    }
    if (o->play == &mend_sim_birth) {
        c->ranks += 1;
        c->inter = 1 + below(&rng, c->ranks - 2);
        c->suspicions = 0;
        c->reorder = false;
        c->replaces = below(&rng, 2);
    }
    if (o->play == &mend_sim_lock) {
        c->ranks = c->ranks > LARGE_MAX ? LARGE_MAX : c->ranks;
        c->window = 1 + below(&rng, 2);
        c->suspicions = c->partitions = 0;
        c->reorder = c->duplicate = false;
        c->patience = PATIENCE;
    }
    if (o->play == &mend_sim_port) {
        c->ranks += 2;
        c->inter = 1 + below(&rng, c->ranks - 3);
        c->instances = 1 + below(&rng, 3);
        c->suspicions = 0;
        c->reorder = c->duplicate = false;
        c->frees = below(&rng, 2);
    }
    if (o->play == &mend_sim_lease)
        vary_lease(c, &rng);
    if (o->play == &mend_sim_contact) {
        c->ranks = 2 + below(&rng, 7);
        c->window = 1 + below(&rng, 3);
        c->suspicions = c->partitions = 0;
        c->reorder = c->duplicate = false;
    }
}

static int spend(struct mend_sim_options *o)
{
    struct total t = {.begin = seconds()};
    uint64_t first = o->conf.seed;

    for (; t.steps < o->budget; o->conf.seed++) {
        vary(o);
        if (!run_one(o, &t))
            return 1;
    }
    print_total(o, &t, first);
    return 0;
}

static int perform(struct mend_sim_options o)
{
    if (o.budget && !is_searched_only(o.play))
        return spend(&o);
    fill_defaults(&o);
    if (o.mode == MEND_SIM_COUNT)
        mend_sim_count(o.play, &o.conf);
    return o.mode == MEND_SIM_COUNT ? 0 : o.mode == MEND_SIM_EXHAUSTIVE ? explore(&o) : run(&o);
}

/* Without a protocol: all of them.  Agreement takes six tenths of a budget, each of the others one. */
static int perform_all(struct mend_sim_options o)
{
    uint64_t budget = o.budget;
    int wrong = 0;

    if (o.mode == MEND_SIM_COUNT || o.conf.crashes >= 0)
        mend_sim_refuse("which protocol?");
    for (size_t i = 0; i < MEND_SIM_PLAYS; i++) {
        o.play = mend_sim_plays[i];
        if (is_searched_only(o.play) && o.mode != MEND_SIM_EXHAUSTIVE)
            continue;
        o.budget = budget ? (budget + 9) / 10 * (i ? 1 : 6) : 0;
        wrong |= perform(o);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    struct mend_sim_options o = {0};

    mend_sim_options_parse(argc, argv, &o);
    return o.play ? perform(o) : perform_all(o);
}
