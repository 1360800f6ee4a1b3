/* SPDX-License-Identifier: BSD-3-Clause */
/* stray.c – variables of the environment that look like Mend's, and that nothing reads. */
#include "base/stray.h"

#include "base/param.h"

#include <stdio.h>
#include <string.h>

#define HEAD       "MEND_"
#define TESTS_HEAD "TEST_"
#define SHOWN_MAX  64 /* letters of a name */

/* Names of Mend that are not parameters; all that begin with TEST_ as well, which tests read. */
static const char *const others[] = {
    /* set by mpiexec for its ranks (rt/wire.h) */
    "RANK", "SIZE", "LOCAL_RANK", "LOCAL_SIZE", "APPNUM", "FIRST", "INJECT", "SHM_FD", "CTL_FD",
    "SPAWN_FD", "SPARE", "MEMORY_ALLOC_KINDS",
    /* read by mpicc and mpicxx */
    "CC", "CXX",
    /* read by tests and for them */
    "AGENT_NO_WAITV", "STEP_BOARD",
    /* where an installation is, as the modules of a machine say it */
    "HOME", "ROOT", "DIR", "PREFIX", "VERSION"};

static bool is_other(const char *name, size_t len)
{
    if (!strncmp(name, TESTS_HEAD, strlen(TESTS_HEAD)))
        return true;
    for (size_t i = 0; i < MEND_COUNT_OF(others); i++)
        if (strlen(others[i]) == len && !strncmp(others[i], name, len))
            return true;
    return false;
}

const char *mend_stray_text(const char *variable, char buf[MEND_STRAY_TEXT_BYTES])
{
    const char *name = variable + strlen(HEAD);
    const struct mend_param_info *near;
    size_t len;
    int n;

    if (strncmp(variable, HEAD, strlen(HEAD)))
        return NULL;
    len = strcspn(name, "=");
    near = mend_param_guess(name, len);
    if (is_other(name, len) ||
        (near && strlen(near->name) == len && !strncmp(near->name, name, len)))
        return NULL;
    n = snprintf(buf, MEND_STRAY_TEXT_BYTES, "there is no parameter " HEAD "%.*s",
                 len < SHOWN_MAX ? (int)len : SHOWN_MAX, name);
    snprintf(buf + n, (size_t)(MEND_STRAY_TEXT_BYTES - n),
             near ? "; did you mean " HEAD "%s?" : "%s",
             near ? near->name : " ('mend-info --params' lists them)");
    return buf;
}
