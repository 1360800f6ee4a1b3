/* SPDX-License-Identifier: BSD-3-Clause */
/* status.c – ending a process after a failed assertion. */
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void mend_assert_fail(const char *expr, const char *file, int line, const char *func)
{
    fprintf(stderr, "mend: internal error: '%s' does not hold in %s (%s:%d)\n", expr, func, file,
            line);
    abort();
}
