/* SPDX-License-Identifier: BSD-3-Clause */
/* step.c – kills a rank after every instruction of a call, and looks at what happens to the others.
 *
 *   for each call:  one run to its end counts the instructions, n
 *                   k = 1, 2, 3, ..., n: a job whose victim executes k instructions and is killed;
 *                                        on beyond n until the call has returned three times in a row
 *                   or, as a sample, k spread over 1 .. n by a stride that has no divisor in common with n
 *
 * See README.md for what each run must fulfil. */
#include "step.h"

#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT_S      10
#define SAMPLE_S     45
#define FULL_MAX     20000 /* longer calls: every instruction so far, a sample beyond */
#define BEYOND_N     500
#define RETURNS_N    3
#define FAILURES_MAX 5
#define SAMPLE_MIN_N 6
#define GOLDEN       0.6180339887

const struct step_call step_calls[] = {
#define STEP_CALL(run_, name_, ranks_, victim_, when_, rules_, settings_)                          \
    {name_, ranks_, victim_, when_, rules_, settings_},
#include "calls.def"
#undef STEP_CALL
};
const int step_calls_n = sizeof step_calls / sizeof *step_calls;

/* What a sweep over one call has seen. */
struct sweep {
    struct step_job *job;
    const struct step_call *call;
    long n; /* instructions of the run that was not cut short */
    long runs, failures, returned_in_a_row;
    long all_failed, all_succeeded, mixed; /* what the survivors got */
    long first_success, last_failure;
    double slowest_s, begin_s;
    uint64_t *places; /* hashes of the instructions where it was killed */
    size_t places_n, places_max;
};

static long steps_in_all;

static uint64_t hash(const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    while (*text)
        h = (h ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
    return h;
}

static void note_place(struct sweep *s, const char *where)
{
    uint64_t h = hash(where);

    for (size_t i = 0; i < s->places_n; i++)
        if (s->places[i] == h)
            return;
    if (s->places_n == s->places_max) {
        s->places_max = s->places_max ? 2 * s->places_max : 256;
        s->places = realloc(s->places, s->places_max * sizeof *s->places);
    }
    s->places[s->places_n++] = h;
}

static void note_outcome(struct sweep *s, const struct step_run *r)
{
    int succeeded = 0, others = s->call->ranks - 1;

    for (int i = 0; i < s->call->ranks; i++)
        succeeded += i != s->call->victim && s->job->board->rank[i].got == STEP_GOT_SUCCESS;
    s->all_succeeded += succeeded == others;
    s->all_failed += succeeded == 0;
    s->mixed += succeeded > 0 && succeeded < others;
    if (r->returned)
        return;
    if (succeeded && (!s->first_success || r->at < s->first_success))
        s->first_success = r->at;
    if (succeeded < others && r->at > s->last_failure)
        s->last_failure = r->at;
}

static void print_failure(struct sweep *s, const struct step_run *r)
{
    char text[sizeof r->trouble];

    printf("FAIL %s: killed after %ld instructions%s, before %s\n", s->call->name, r->taken,
           r->returned ? " (it had returned)" : "", r->where);
    snprintf(text, sizeof text, "%s", r->trouble);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        printf("       %s\n", line);
    step_job_print_output(s->job);
    printf("     $ test/step/run --only %s --at %ld\n", s->call->name, r->taken);
    fflush(stdout);
}

static void progress(const struct sweep *s, const struct step_run *r)
{
    if (isatty(2))
        fprintf(stderr, "\r\033[K%s: %ld of about %ld, %.0f s ", s->call->name,
                r->at == STEP_AFTER_RETURN ? 0 : r->at, s->n, step_now_s() - s->begin_s);
}

/* One job.  False: no more of this call. */
static bool run_at(struct sweep *s, long at)
{
    struct step_run r = {.call = s->call, .at = at};

    step_job_run(s->job, &r);
    progress(s, &r);
    s->runs++;
    steps_in_all += r.steps;
    s->returned_in_a_row = r.returned ? s->returned_in_a_row + 1 : 0;
    s->slowest_s = r.end_s > s->slowest_s ? r.end_s : s->slowest_s;
    if (at == STEP_AFTER_RETURN)
        s->n = r.taken;
    note_place(s, r.where);
    note_outcome(s, &r);
    if (r.trouble[0]) {
        print_failure(s, &r);
        s->failures++;
    } else if (s->job->o->verbose) {
        printf("     %s at %ld: before %s\n", s->call->name, r.taken, r.where);
    }
    return !r.forbidden && s->failures < FAILURES_MAX;
}

static long gcd(long a, long b)
{
    return b ? gcd(b, a % b) : a;
}

/* `count` places spread over from + 1 .. from + n; of these SAMPLE_MIN_N in any case, the others until it is `end`. */
static void sample(struct sweep *s, long from, long n, long count, double end)
{
    long stride = (long)((double)n * GOLDEN) + 1, k = 0;

    while (gcd(n, stride) != 1)
        stride++;
    for (long i = 0; i < count && i < n; i++, k = (k + stride) % n)
        if ((i >= SAMPLE_MIN_N && step_now_s() > end) || !run_at(s, from + k + 1))
            return;
}

static void sweep_all(struct sweep *s)
{
    if (s->call->rules & STEP_LONG) {
        sample(s, 0, s->n, BEYOND_N, INFINITY);
        return;
    }
    s->returned_in_a_row = 0;
    for (long k = 1; k <= FULL_MAX && (k <= s->n || s->returned_in_a_row < RETURNS_N); k++)
        if (!run_at(s, k))
            return;
    if (s->returned_in_a_row < RETURNS_N && s->n > FULL_MAX)
        sample(s, FULL_MAX, s->n - FULL_MAX, BEYOND_N, INFINITY);
}

static void print_sweep(const struct sweep *s)
{
    if (isatty(2))
        fprintf(stderr, "\r\033[K");
    printf(
        "%s %-22s %5ld instructions, %5ld kills before %4zu different ones; survivors: %ld failed, "
        "%ld succeeded",
        s->failures ? "FAIL" : "ok  ", s->call->name, s->n, s->runs, s->places_n, s->all_failed,
        s->all_succeeded);
    if (s->mixed)
        printf(", %ld mixed", s->mixed);
    if (s->first_success)
        printf(" (first success at %ld, last failure at %ld)", s->first_success, s->last_failure);
    printf("; slowest end %.0f ms  (%.1f s)\n", s->slowest_s * 1e3, step_now_s() - s->begin_s);
    fflush(stdout);
}

/* ---- the command ---- */

enum mode { SAMPLE, ALL, AT, SELF, LIST };

struct command {
    enum mode mode;
    long at;
    double seconds;
    char *only[64];
    int only_n;
};

static const char usage[] =
    "Usage: step --mpiexec FILE --program FILE [--all | --sample SECONDS | --at K | --self-test |\n"
    "            --list] [--only NAME]... [--limit SECONDS] [--walk] [-v]\n";

static bool read_option(int option, struct command *c, struct step_options *o)
{
    switch (option) {
    case 'm':
        o->mpiexec = optarg;
        return true;
    case 'p':
        o->program = optarg;
        return true;
    case 'L':
        o->limit_s = atof(optarg);
        return o->limit_s > 0;
    case 'v':
        return o->verbose = true;
    case 'w':
        return o->walk = true;
    case 's':
        c->seconds = atof(optarg);
        return c->seconds > 0;
    case 'k':
        c->mode = AT;
        c->at = atol(optarg);
        return c->at > 0;
    case 'o':
        c->only[c->only_n++] = optarg;
        return c->only_n < 64;
    default:
        return false;
    }
}

static bool read_command(int argc, char **argv, struct command *c, struct step_options *o)
{
    int mode = SAMPLE, option;
    const struct option names[] = {
        {"mpiexec", 1, NULL, 'm'}, {"program", 1, NULL, 'p'}, {"all", 0, &mode, ALL},
        {"sample", 1, NULL, 's'},  {"at", 1, NULL, 'k'},      {"self-test", 0, &mode, SELF},
        {"list", 0, &mode, LIST},  {"only", 1, NULL, 'o'},    {"limit", 1, NULL, 'L'},
        {"verbose", 0, NULL, 'v'}, {"walk", 0, NULL, 'w'},    {0}};

    while ((option = getopt_long(argc, argv, "v", names, NULL)) != -1)
        if (option && !read_option(option, c, o))
            return false;
    if (mode != SAMPLE)
        c->mode = (enum mode)mode;
    return optind == argc && (c->mode == LIST || (o->mpiexec && o->program));
}

static bool wanted(const struct command *c, const struct step_call *call)
{
    if (call->rules & STEP_SELF)
        return false;
    for (int i = 0; i < c->only_n; i++)
        if (!strcmp(c->only[i], call->name))
            return true;
    return !c->only_n && !(c->mode == SAMPLE && (call->rules & STEP_LONG));
}

static struct step_job *to_clean;

static void on_signal(int sig)
{
    if (to_clean->mpiexec)
        kill(to_clean->mpiexec, SIGKILL); /* its keeper ends the rest */
    step_job_close(to_clean);
    _exit(128 + sig);
}

static void work(struct step_job *job, const struct command *c, double share_s,
                 const struct step_call *call, long *passed_p, long *failed_p)
{
    struct sweep s = {.job = job, .call = call, .begin_s = step_now_s()};

    if (c->mode == AT) {
        run_at(&s, c->at);
    } else if (run_at(&s, STEP_AFTER_RETURN) && !s.failures) {
        if (c->mode == ALL)
            sweep_all(&s);
        else
            sample(&s, 0, s.n, LONG_MAX, s.begin_s + share_s);
    }
    print_sweep(&s);
    *passed_p += s.runs - s.failures;
    *failed_p += s.failures;
    free(s.places);
}

static void work_all(const struct command *c, struct step_options *o, int calls_n, long *passed_p,
                     long *failed_p)
{
    struct step_job job;

    step_job_open(&job, o);
    to_clean = &job;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    for (int i = 0; i < step_calls_n; i++)
        if (wanted(c, &step_calls[i]))
            work(&job, c, c->seconds / calls_n, &step_calls[i], passed_p, failed_p);
    step_job_close(&job);
    printf("%ld steps in all\n", steps_in_all);
}

int main(int argc, char **argv)
{
    struct command c = {.mode = SAMPLE, .seconds = SAMPLE_S};
    struct step_options o = {.limit_s = LIMIT_S};
    int calls_n = 0;
    long passed = 0, failed = 0;

    if (!read_command(argc, argv, &c, &o)) {
        fputs(usage, stderr);
        return 2;
    }
    for (int i = 0; i < step_calls_n; i++) {
        calls_n += wanted(&c, &step_calls[i]);
        if (c.mode == LIST && wanted(&c, &step_calls[i]))
            printf("%s\n", step_calls[i].name);
    }
    if (!calls_n)
        fputs("step: there is no such call; --list names them\n", stderr);
    if (!calls_n || c.mode == LIST)
        return calls_n ? 0 : 2;
    if (c.mode == SELF)
        failed = step_self_test(&o, &passed);
    else
        work_all(&c, &o, calls_n, &passed, &failed);
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed != 0;
}
