/* SPDX-License-Identifier: BSD-3-Clause */
/* shell_limits.c – messages about limits of the shell that the job exceeds. */
#include "share/shell_limits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A limit, the error that the kernel gives at it, and what the shell calls it. */
static const struct limit {
    int error;
    __rlimit_resource_t resource;
    unsigned unit; /* of the shell, in bytes; 0: a number */
    const char *what, *flag;
} limits[] = {
    {EFBIG, RLIMIT_FSIZE, 1024, "the size of a file", "-f"},
    {ENOMEM, RLIMIT_AS, 1024, "the address space", "-v"},
    {EMFILE, RLIMIT_NOFILE, 0, "open files", "-n"},
    {EAGAIN, RLIMIT_NPROC, 0, "the number of your processes", "-u"},
};

const char *mend_limits_error(int error, char *text, size_t max)
{
    struct rlimit is;
    int n = snprintf(text, max, "%s", strerror(error));

    for (size_t i = 0; i < MEND_COUNT_OF(limits); i++) {
        const struct limit *l = &limits[i];

        if (l->error == error && n > 0 && (size_t)n < max && getrlimit(l->resource, &is) == 0 &&
            is.rlim_cur != RLIM_INFINITY)
            snprintf(text + n, max - (size_t)n,
                     "; the limit on %s is %llu%s: raise it with 'ulimit %s'", l->what,
                     (unsigned long long)is.rlim_cur / (l->unit ? l->unit : 1),
                     l->unit ? " KiB" : "", l->flag);
    }
    return text;
}

bool mend_limits_lift(int resource, struct rlimit *before_p)
{
    struct rlimit all;

    if (getrlimit((__rlimit_resource_t)resource, before_p) != 0)
        return false;
    all = *before_p;
    all.rlim_cur = all.rlim_max;
    return setrlimit((__rlimit_resource_t)resource, &all) == 0;
}
