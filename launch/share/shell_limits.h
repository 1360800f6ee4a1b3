/* SPDX-License-Identifier: BSD-3-Clause */
/* shell_limits.h – limits of the shell that the job exceeds. */
#ifndef MEND_LAUNCH_SHARE_SHELL_LIMITS_H
#define MEND_LAUNCH_SHARE_SHELL_LIMITS_H

#include "base/status.h"

#include <sys/resource.h>

#define MEND_LIMITS_TEXT 256

/* An error of the system in words, with the limit of the shell that gives it and what raises that.  Returns text. */
const char *mend_limits_error(int error, char *text, size_t max);

/* Lifts a limit as far as we may.  False: it is as it was. */
bool mend_limits_lift(int resource, struct rlimit *before_p);

#endif
