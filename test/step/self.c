/* SPDX-License-Identifier: BSD-3-Clause */
/* self.c – does the stepper find what it is there to find?
 *
 * Programs that are wrong on purpose (self_* in calls.c), and launchers that leave something behind: each
 * must be found bad, for the right reason. */
#include "step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *call, *launcher; /* launcher: what a script does after the job */
    const char *expected;        /* NULL: nothing is to be found */
} cases[] = {
    {"self-hang", NULL, "hang: the job still runs"},
    {"self-class", NULL, "rank 1 got another error"},
    {"self-split", NULL, "the survivors differ"},
    {"self-lost", NULL, "but the victim's call had returned"},
    {"self-data", NULL, "not true: buffer"},
    {"self-crash", NULL, "rank 2 did not get through"},
    {"self-file", NULL, "forgotten was left behind"},
    {"self-traced", NULL, "tracing is not possible here"},
    {"send-8", "sleep 100 & exit $status", "was left behind"},
    {"send-8", "touch /dev/shm/mend-step-forgotten; exit $status",
     "mend-step-forgotten was left behind"},
    {"send-8", "exit 3", "mpiexec ended with status 3"},
    {"send-8", "touch /dev/shm/mend-bench-step; exit $status", NULL}, /* as a benchmark beside it */
    {"send-8", "rm /dev/shm/mend-bench-step && exit $status; exit 3", NULL},
};

static const struct step_call *find(const char *name)
{
    for (int i = 0; i < step_calls_n; i++)
        if (!strcmp(step_calls[i].name, name))
            return &step_calls[i];
    abort();
}

static void write_launcher(const char *path, const char *mpiexec, const char *then)
{
    FILE *f = fopen(path, "we");

    if (!f)
        return;
    fprintf(f, "#!/bin/sh\n'%s' \"$@\"\nstatus=$?\n%s\n", mpiexec, then);
    fclose(f);
    chmod(path, 0700);
}

static bool finds(const struct step_options *o, const char *call, const char *then,
                  const char *expected)
{
    struct step_options mine = *o;
    struct step_job job;
    struct step_run r = {.call = find(call), .at = STEP_AFTER_RETURN};
    char path[128];
    bool good;

    mine.limit_s = 4;
    step_job_open(&job, &mine);
    snprintf(path, sizeof path, "%s/launcher", mine.directory);
    if (then) {
        write_launcher(path, o->mpiexec, then);
        mine.mpiexec = path;
    }
    step_job_run(&job, &r);
    good = expected ? strstr(r.trouble, expected) != NULL : !*r.trouble;
    printf("%s the stepper notices: %s%s%s\n", good ? "ok  " : "FAIL", call, then ? ", " : "",
           then ? then : "");
    if (!good || o->verbose)
        printf("       expected: %s\n       found: %s\n", expected ? expected : "nothing",
               r.trouble);
    fflush(stdout);
    unlink(path);
    step_job_close(&job);
    return good;
}

long step_self_test(const struct step_options *o, long *passed_p)
{
    long n = sizeof cases / sizeof *cases, passed = 0;

    for (long i = 0; i < n; i++)
        passed += finds(o, cases[i].call, cases[i].launcher, cases[i].expected);
    *passed_p = passed;
    return n - passed;
}
