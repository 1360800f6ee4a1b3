/* SPDX-License-Identifier: BSD-3-Clause */
/* param.h – the parameters of param.def as one struct, read once at start. */
#ifndef MEND_BASE_PARAM_H
#define MEND_BASE_PARAM_H

#include "base/status.h"

typedef uint64_t mend_param_U;
typedef bool mend_param_B;
typedef mend_time_ns mend_param_T; /* MEND_TIME_NEVER if it was given as 0 */
typedef const char *mend_param_P;
typedef const char *mend_param_W; /* NULL: the first word */

struct mend_params {
#define MEND_PARAM_DEF(field_, type_, default_, name_, allowed_, what_) mend_param_##type_ field_;
#include "base/param.def"
#undef MEND_PARAM_DEF
};

/* Where a counter begins that comes round after 2^32 steps, or would if it were that narrow: 0, except in tests.  least: so
 * many steps before it comes round it must begin, a power of two of which it is a multiple. */
static inline uint32_t mend_params_first(const struct mend_params *p, uint32_t least)
{
    return 0u - (((uint32_t)p->counters_left + least - 1) & ~(least - 1));
}

/* One row per parameter, for mend-info and mpiexec. */
struct mend_param_info {
    const char *name, *what, *allowed;
    const char *default_text; /* "": none */
    char type;
};
extern const struct mend_param_info mend_param_list[];
extern const unsigned mend_param_list_n;

/* The parameter of that name (without MEND_), or NULL. */
const struct mend_param_info *mend_param_find(const char *name);

/* The parameter whose name the first len letters of a wrong one were meant to be, or NULL. */
const struct mend_param_info *mend_param_guess(const char *name, size_t len);

/* Whether the text is a value of the parameter. */
bool mend_param_takes(const struct mend_param_info *p, const char *text);

#define MEND_PARAM_WANTS_BYTES 640

/* What the parameter takes, in words: "a number of seconds", "one of: auto never always". */
void mend_param_wants(const struct mend_param_info *p, char *buf, size_t size);

/* Fills *params_p from defaults and the environment.  A value that cannot be read keeps the
 * default; then *bad_p is the parameter (else NULL).  Strings are borrowed from the environment. */
void mend_params_read(struct mend_params *params_p, const struct mend_param_info **bad_p);

#endif
