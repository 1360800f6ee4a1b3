/* SPDX-License-Identifier: BSD-3-Clause */
/* job_main.c – runs one MPI test program in the simulator, many times.
 *
 *   PROGRAM [--ranks N] [--seed S] [--runs R]      R runs with seeds S, S+1, ...
 *           [--kills N]                            up to N of them die in each run, at random
 *           [--suspicions N]                       N more are declared dead and continue for a while
 *           [--pauses N]                           N compute outside MPI for a while
 *           [--nodes K] [--node-kills N]           the ranks are on K nodes, of which N are lost, but not the first
 *           [--kill RANK@YIELD]...                 kill at that rank's k-th yield
 *           [--kill RANK@sK]...                    kill when it is about to send its k-th frame
 *           [--lose RANK@YIELD]...                 its node is lost at that rank's k-th yield
 *           [--suspect RANK@YIELD]...              declare dead at that rank's k-th yield
 *           [--pause RANK@YIELD]...                no turn for a long time after that rank's k-th yield
 *           [--kill-everywhere VICTIMS]            one run per rank and yield or frame (pairs for 2), or per third one
 *
 * A run is good if every rank that was not killed returned 0 from main().  It is bad if a rank did not,
 * or if no rank makes progress (a hang): then the program prints every rank's wait, and the command that
 * replays the run. */
#include "comm/objects.h"
#include "life/life.h"
#include "sim/job.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILLS_MAX  8
#define ROOM       24   /* processes that may join */
#define RANKS_MAX  1000 /* that a job begins with */
#define IDLE_TURNS 3000 /* turns of every rank without a frame moving: a hang */

struct sim_job *sim_job;

enum how { AT_YIELD, AT_SEND, NODE_LOST, SUSPECTED, PAUSED };

struct plan {
    int n, nodes, kills_n;
    uint64_t seed;
    struct kill {
        enum how how;
        int rank;
        uint64_t at; /* number of the yield or frame */
    } kill[KILLS_MAX];
};

/* Seen by the parent after a run. */
struct outcome {
    uint64_t yields[RANKS_MAX + ROOM], sends[RANKS_MAX + ROOM];
    uint64_t frames, steps;
    int killed, ranks_n;
};
static struct outcome *outcome;

uint64_t sim_random(struct sim_job *job, uint64_t n)
{
    job->random ^= job->random << 13;
    job->random ^= job->random >> 7;
    job->random ^= job->random << 17;
    return job->random % n;
}

/* first: see sim_verdict. */
static void declare(struct sim_job *job, int rank, enum mend_cause cause, int code, int first)
{
    struct sim_verdict *v = &job->verdicts[job->verdicts_n];

    if (job->rank[rank].declared)
        return;
    job->rank[rank].declared = true;
    v->death =
        (struct mend_death){rank, cause, code, job->step * MEND_NS_PER_US, false, (uint32_t)first};
    v->step = job->verdicts_n == first ? job->step + sim_random(job, 20) : v[-1].step;
    job->verdicts_n++;
}

void sim_declare(struct sim_job *job, int rank, enum mend_cause cause, int code)
{
    declare(job, rank, cause, code, job->verdicts_n);
}

void sim_revoke(struct sim_job *job, uint64_t ctx)
{
    struct sim_revocation *all = job->revoked;

    for (int i = 0; i < job->revoked_n; i++)
        if (all[i].ctx == ctx)
            return;
    all = realloc(all, (size_t)(job->revoked_n + 1) * sizeof(*all));
    MEND_ASSERT(all);
    all[job->revoked_n++] = (struct sim_revocation){ctx, job->step + sim_random(job, 20)};
    job->revoked = all;
}

static void end(struct sim_job *job, int rank, int status)
{
    sim_close_files(rank);
    if (job->nodes)
        sim_lose_frames(job, rank);
    job->rank[rank].fate = SIM_KILLED;
    job->rank[rank].status = status;
    job->running--;
    outcome->killed++;
}

void sim_kill(struct sim_job *job, int rank, enum mend_cause cause, int code)
{
    sim_declare(job, rank, cause, code);
    end(job, rank, code);
}

void sim_abort_all(struct sim_job *job, const mend_peer *ranks, uint32_t n, int code)
{
    int first = job->verdicts_n;

    for (uint32_t i = 0; i < n; i++) {
        if (job->rank[ranks[i]].fate != SIM_RUNNING)
            continue;
        declare(job, ranks[i], MEND_CAUSE_ABORT, code, first);
        end(job, ranks[i], code);
    }
}

void sim_lose_node(struct sim_job *job, int rank)
{
    int first = job->verdicts_n, node = sim_node_of(job, rank);

    for (int r = 0; r < job->n; r++) {
        if (sim_node_of(job, r) != node || job->rank[r].fate != SIM_RUNNING)
            continue;
        declare(job, r, MEND_CAUSE_LOST, 0, first);
        end(job, r, 0);
    }
}

void sim_leave(struct sim_job *job, int rank, int status)
{
    struct sim_rank *r = &job->rank[rank];

    if (r->fate == SIM_RUNNING) {
        r->status = status;
        r->fate = SIM_RETURNED;
        job->running--;
        if (!status && mend_load_relaxed(&r->presence) !=
                           MEND_PRESENCE_LEFT) /* R23; or somebody waits for it to come back */
            sim_declare(job, rank, MEND_CAUSE_EXIT, 0);
    }
    job->current = -1;
    setcontext(&job->scheduler);
    abort();
}

/* The linker puts this in the place of _exit(): one rank ends, not all.  A status that is not 0 is an error that no
 * call of the library can report; then the run is a bad one.  But one that aborts itself has been killed before. */
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);

void __wrap__exit(int status)
{
    if (sim_job && sim_job->current >= 0 &&
        (!status || sim_job->rank[sim_job->current].fate == SIM_KILLED))
        sim_leave(sim_job, sim_job->current, status);
    __real__exit(status);
}

static void run_program(unsigned rank)
{
    char *argv[] = {"program", NULL};

    sim_leave(sim_job, (int)rank, sim_program_main(1, argv));
}

static void describe(const struct sim_job *job, int rank)
{
    const struct mend_proc *p = job->rank[rank].proc;
    char text[400] = "nothing known";

    if (job->rank[rank].fate == SIM_RETURNED)
        snprintf(text, sizeof(text), "returned %d", job->rank[rank].status);
    else if (job->rank[rank].fate == SIM_KILLED)
        snprintf(text, sizeof(text), "killed");
    else if (p->waits)
        mend_waits_text(p, text, sizeof(text));
    fprintf(stderr, "  rank %d: %s\n", rank, text);
}

static const struct plan *the_plan;

/* What the plan says of a rank. */
static void doom(struct sim_rank *rank, int r)
{
    const struct plan *plan = the_plan;

    rank->doomed_at = rank->suspected_at = rank->muted_at = rank->paused_at = rank->lost_at =
        UINT64_MAX;
    for (int k = 0; k < plan->kills_n; k++)
        if (plan->kill[k].rank == r)
            *(plan->kill[k].how == AT_YIELD    ? &rank->doomed_at
              : plan->kill[k].how == AT_SEND   ? &rank->muted_at
              : plan->kill[k].how == NODE_LOST ? &rank->lost_at
              : plan->kill[k].how == PAUSED    ? &rank->paused_at
                                               : &rank->suspected_at) = plan->kill[k].at;
}

struct sim_rank *sim_add_rank(struct sim_job *job)
{
    int r = job->n++;
    struct sim_rank *rank = &job->rank[r];

    MEND_ASSERT(r < job->max);
    job->running++;
    doom(rank, r);
    rank->proc = mend_proc_create_bare();
    rank->proc->me = r;
    rank->proc->rt = &sim_rt;
    rank->proc->peers_max = job->max;
    rank->proc->world_n = job->first_n;
    MEND_ASSERT(mend_objects_init(rank->proc) == MPI_SUCCESS);
    rank->stack = mmap(NULL, SIM_STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    getcontext(&rank->context);
    rank->context.uc_stack.ss_sp = rank->stack;
    rank->context.uc_stack.ss_size = SIM_STACK_BYTES;
    makecontext(&rank->context, (void (*)(void))run_program, 1, (unsigned)r);
    rank->log = calloc((size_t)job->max, sizeof(*rank->log));
    rank->heard = calloc((size_t)job->max, sizeof(*rank->heard));
    return rank;
}

static struct sim_job *create(const struct plan *plan)
{
    struct sim_job *job = calloc(1, sizeof(*job));
    int max = plan->n + ROOM;

    the_plan = plan;
    job->max = max;
    job->first_n = plan->n;
    job->nodes = plan->nodes;
    job->current = -1;
    job->seed = plan->seed;
    job->random = plan->seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    job->room = plan->seed % 3 ? 0 : 2 + (uint32_t)(plan->seed % 5);
    job->rank = calloc((size_t)max, sizeof(*job->rank));
    job->verdicts = calloc((size_t)max, sizeof(*job->verdicts));
    job->first = calloc((size_t)max * (size_t)max, sizeof(*job->first));
    job->last = calloc((size_t)max * (size_t)max, sizeof(*job->last));
    for (int i = 0; i < max * max; i++)
        job->last[i] = &job->first[i];
    for (int r = 0; r < plan->n; r++)
        sim_add_rank(job);
    job->lag = plan->seed % 2 ? 0 : 1 + plan->seed / 2 % 100;
    return job;
}

/* When a rank may learn of the k-th of something, of which the first ranks may at `step`. */
static uint64_t heard_at(const struct sim_job *job, int rank, int k, uint64_t step)
{
    uint64_t lot = (job->seed + (uint64_t)k * 31 + (uint64_t)rank) * UINT64_C(0x9e3779b97f4a7c15);

    return step + (job->lag ? (lot >> 32) % job->lag : 0);
}

/* The same on its node: behind the agent. */
static uint64_t heard_on_node_at(const struct sim_job *job, int rank, int k, uint64_t step)
{
    return heard_at(job, rank, k, heard_at(job, job->max + sim_node_of(job, rank), k, step));
}

/* The end of those that were given together with verdict k, its first one. */
static int end_of(const struct sim_job *job, int k)
{
    int end = k;

    while (end < job->verdicts_n && job->verdicts[end].death.first == (uint32_t)k)
        end++;
    return end;
}

/* A rank does not learn of a verdict on itself, nor of any later. */
static bool is_on(const struct sim_job *job, int r, int k)
{
    for (int end = end_of(job, k); k < end; k++)
        if (job->verdicts[k].death.peer == r)
            return true;
    return false;
}

/* Verdicts and revocations whose time has come bump a rank's interrupt counter; those that were given together do so at once. */
static void announce_to(struct sim_job *job, int r)
{
    struct sim_rank *rank = &job->rank[r];
    uint32_t known = rank->known;

    for (int k = 0, end; k < job->verdicts_n; k = end) {
        end = end_of(job, k);
        if (is_on(job, r, k))
            break;
        if (job->nodes && !rank->heard[k] &&
            heard_on_node_at(job, r, k, job->verdicts[k].step) > job->step)
            break;
        if (rank->heard[k] ||
            (!job->nodes && heard_at(job, r, k, job->verdicts[k].step) > job->step))
            continue;
        for (int i = k; i < end; i++) {
            rank->heard[i] = true;
            rank->log[known++] = i;
        }
    }
    while (rank->revoked_n < job->revoked_n &&
           heard_at(job, r, rank->revoked_n, job->revoked[rank->revoked_n].step) <= job->step)
        rank->revoked_n++;
    rank->known = known;
    rank->interrupt = known + (uint32_t)rank->revoked_n;
}

static void announce(struct sim_job *job)
{
    for (int r = 0; r < job->n; r++)
        announce_to(job, r);
}

static uint64_t total_progress(const struct sim_job *job)
{
    uint64_t sum = job->frames + (uint64_t)job->verdicts_n + (uint64_t)(job->n - job->running);

    for (int r = 0; r < job->n; r++)
        sum += job->rank[r].progress +
               (mend_load_relaxed(&job->rank[r].presence) >= MEND_PRESENCE_LEAVING) +
               job->rank[r].interrupt;
    return sum;
}

/* One run.  0: good. */
static int run(const struct plan *plan)
{
    struct sim_job *job = sim_job = create(plan);
    uint64_t seen = 0, idle = 0;
    int bad = 0;

    while (job->running && idle < (uint64_t)IDLE_TURNS * (uint64_t)job->n) {
        int r = (int)sim_random(job, (uint64_t)job->n);
        uint64_t now;

        job->step++;
        announce(job);
        sim_start_asked(job);
        if (job->rank[r].fate != SIM_RUNNING || job->rank[r].back_at > job->step)
            continue;
        mend_self = job->rank[r].proc;
        job->current = r;
        if (job->rank[r].rolls_back)
            sim_roll_back(&job->rank[r]);
        swapcontext(&job->scheduler, &job->rank[r].context);
        job->current = -1;
        now = total_progress(job);
        idle = now == seen ? idle + 1 : 0;
        seen = now;
    }
    outcome->ranks_n = job->n;
    for (int r = 0; r < job->n; r++) {
        outcome->yields[r] = job->rank[r].yields;
        outcome->sends[r] = job->rank[r].sends;
        bad |=
            job->rank[r].fate == SIM_RETURNED && !job->rank[r].declared && job->rank[r].status != 0;
    }
    outcome->frames = job->frames;
    outcome->steps = job->step;
    if (!job->running && !bad)
        return 0;
    fprintf(stderr, "%s:\n", job->running ? "nobody moves any more" : "wrong result");
    for (int r = 0; r < job->n; r++)
        describe(job, r);
    return 1;
}

static const char *program_name;
static const char *const option_of[] = {"kill", "kill", "lose", "suspect", "pause"};

/* A run in a process of its own: a failed assert or a crash is a bad run like any other. */
static bool run_apart(const struct plan *plan)
{
    int status;
    pid_t pid;

    memset(outcome, 0, sizeof(*outcome));
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        alarm(60);
        _exit(run(plan));
    }
    waitpid(pid, &status, 0);
    if (status == 0)
        return true;
    printf("FAILED (%s %d); replay: %s --ranks %d --seed %llu",
           WIFSIGNALED(status) ? "signal" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), program_name, plan->n,
           (unsigned long long)plan->seed);
    if (plan->nodes)
        printf(" --nodes %d", plan->nodes);
    for (int k = 0; k < plan->kills_n; k++)
        printf(" --%s %d@%s%llu", option_of[plan->kill[k].how], plan->kill[k].rank,
               plan->kill[k].how == AT_SEND ? "s" : "", (unsigned long long)plan->kill[k].at);
    printf("\n");
    return false;
}

/* ranks_n: with those that join. */
static void kill_everywhere(struct plan plan, int ranks_n, int victims, uint64_t *runs,
                            uint64_t *failed);

static int kills_of(const struct plan *plan)
{
    int n = 0;

    for (int k = 0; k < plan->kills_n; k++)
        n += plan->kill[k].how != PAUSED;
    return n;
}

/* The places at which a rank is killed: all, or a third of them by turns (MEND_TEST_TURN, 0 to 2, which test/check sets by
 * the day). */
static struct {
    uint64_t first, step;
} places = {1, 1};

static void take_turn(const char *turn)
{
    if (turn && *turn) {
        places.first = 1 + (uint64_t)atoi(turn) % 3;
        places.step = 3;
    }
}

/* One rank killed at its yields, or frames, each in a run (found out by going on until it survives). */
static void kill_one(struct plan plan, int ranks_n, int rank, enum how how, int victims,
                     uint64_t *runs, uint64_t *failed)
{
    struct kill *k = &plan.kill[plan.kills_n++];

    *k = (struct kill){how, rank, places.first};
    for (; *failed<5; k->at += victims> 1 ? 3 : places.step) {
        if (victims > 1)
            kill_everywhere(plan, ranks_n, victims - 1, runs, failed);
        ++*runs;
        plan.seed++;
        *failed += !run_apart(&plan);
        if (outcome->killed < kills_of(&plan))
            return;
    }
}

/* The first node is not lost: the job would end. */
static bool is_losable(const struct plan *plan, int rank)
{
    return rank * plan->nodes >= plan->n && rank < plan->n;
}

static void kill_everywhere(struct plan plan, int ranks_n, int victims, uint64_t *runs,
                            uint64_t *failed)
{
    int first = plan.kills_n ? plan.kill[plan.kills_n - 1].rank + 1 : 0;

    for (int rank = first; rank < plan.n || rank < ranks_n; rank++)
        for (enum how how = AT_YIELD; how <= (plan.nodes ? NODE_LOST : AT_SEND); how++)
            if (how != NODE_LOST || is_losable(&plan, rank))
                kill_one(plan, ranks_n, rank, how, victims, runs, failed);
}

/* Adds kills, losses of nodes, suspicions and pauses at random, where a run without them has something. */
static void add_at_random(struct plan *plan, const struct outcome *quiet, int kills, int losses,
                          int suspicions, int pauses)
{
    uint64_t lot = plan->seed * UINT64_C(0xff51afd7ed558ccd);
    int ends = kills + losses, all = ends + suspicions + pauses;

    for (int i = 0; i < all && plan->kills_n < KILLS_MAX; i++) {
        struct kill *k = &plan->kill[plan->kills_n++];
        uint64_t most;

        lot = (lot ^ lot >> 31) * UINT64_C(0x9e3779b97f4a7c15);
        k->how = i >= ends + suspicions ? PAUSED
                 : i >= ends            ? SUSPECTED
                 : i >= kills           ? NODE_LOST
                 : lot >> 60 & 1        ? AT_SEND
                                        : AT_YIELD;
        k->rank = (int)((lot >> 40) % (uint64_t)quiet->ranks_n);
        if (k->how == NODE_LOST && !is_losable(plan, k->rank))
            k->rank = plan->n - 1;
        most = k->how == AT_SEND ? quiet->sends[k->rank] : quiet->yields[k->rank];
        k->at = 1 + (lot >> 8 & 0xffffffff) % (most + 1);
    }
}

static void usage(FILE *to)
{
    fprintf(
        to,
        "Usage: %s [--ranks N] [--seed S] [--runs R] [--kills N] [--suspicions N] [--pauses N]\n"
        "       [--kill RANK@YIELD]... [--kill RANK@sFRAME]... [--suspect RANK@YIELD]...\n"
        "       [--pause RANK@YIELD]... [--kill-everywhere VICTIMS]\n"
        "       [--nodes K] [--node-kills N] [--lose RANK@YIELD]...\n"
        "Runs this MPI test program in the simulator.  Exit status 0: every run was good.\n",
        program_name);
}

static bool parse_kill(const char *text, enum how how, struct plan *plan)
{
    struct kill *k = &plan->kill[plan->kills_n];
    unsigned long long at;

    if (plan->kills_n == KILLS_MAX || sscanf(text, "%d@", &k->rank) != 1 || k->rank < 0 ||
        k->rank >= RANKS_MAX + ROOM)
        return false;
    text = strchr(text, '@') + 1;
    if (*text == 's' && how == AT_YIELD) {
        how = AT_SEND;
        text++;
    }
    if (sscanf(text, "%llu", &at) != 1)
        return false;
    k->how = how;
    k->at = at;
    plan->kills_n++;
    return true;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"ranks", 1, NULL, 'n'},
                                            {"seed", 1, NULL, 's'},
                                            {"runs", 1, NULL, 'r'},
                                            {"kill", 1, NULL, 'k'},
                                            {"suspect", 1, NULL, 'd'},
                                            {"kills", 1, NULL, 'R'},
                                            {"suspicions", 1, NULL, 'S'},
                                            {"kill-everywhere", 1, NULL, 'K'},
                                            {"pauses", 1, NULL, 'P'},
                                            {"pause", 1, NULL, 'p'},
                                            {"nodes", 1, NULL, 'N'},
                                            {"node-kills", 1, NULL, 'L'},
                                            {"lose", 1, NULL, 'l'},
                                            {"help", 0, NULL, 'h'},
                                            {0}};
    struct plan plan = {.n = 4, .seed = 1}, random;
    uint64_t runs = 1, done = 0, failed = 0;
    struct outcome quiet = {0};
    int c, victims = 0, kills = 0, losses = 0, suspicions = 0, pauses = 0;
    bool ok = true;

    program_name = argv[0];
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 'h') {
            usage(stdout);
            return 0;
        }
        if (c == 'n')
            plan.n = atoi(optarg);
        else if (c == 's')
            plan.seed = strtoull(optarg, NULL, 0);
        else if (c == 'r')
            runs = strtoull(optarg, NULL, 0);
        else if (c == 'K')
            victims = atoi(optarg);
        else if (c == 'R')
            kills = atoi(optarg);
        else if (c == 'S')
            suspicions = atoi(optarg);
        else if (c == 'P')
            pauses = atoi(optarg);
        else if (c == 'N')
            plan.nodes = atoi(optarg);
        else if (c == 'L')
            losses = atoi(optarg);
        else
            ok = strchr("kdpl", c) && parse_kill(optarg,
                                                 c == 'k'   ? AT_YIELD
                                                 : c == 'd' ? SUSPECTED
                                                 : c == 'l' ? NODE_LOST
                                                            : PAUSED,
                                                 &plan);
        if (!ok)
            break;
    }
    if (!ok || optind < argc || plan.n < 1 || plan.n > RANKS_MAX || plan.nodes < 0 ||
        plan.nodes > plan.n || (losses && plan.nodes < 2)) {
        usage(stderr);
        return 2;
    }
    outcome =
        mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (victims + kills + losses + suspicions + pauses) {
        failed += !run_apart(&plan);
        quiet = *outcome;
    }
    take_turn(getenv("MEND_TEST_TURN"));
    if (victims)
        kill_everywhere(plan, quiet.ranks_n, victims, &done, &failed);
    for (; !victims && done < runs && failed < 5; done++, plan.seed++) {
        random = plan;
        add_at_random(&random, &quiet, kills, losses, suspicions, pauses);
        failed += !run_apart(&random);
    }
    printf("%s: %llu runs, %llu failed\n", program_name, (unsigned long long)done,
           (unsigned long long)failed);
    return failed != 0;
}
