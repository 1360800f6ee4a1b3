/* SPDX-License-Identifier: BSD-3-Clause */
/* param.h – the parameters of param.def as one struct, read once at start. */
#ifndef MEND_BASE_PARAM_H
#define MEND_BASE_PARAM_H

#include "base/status.h"

typedef uint64_t mend_param_U;
typedef bool mend_param_B;
typedef const char *mend_param_S;

struct mend_params {
#define MEND_PARAM_DEF(field_, type_, default_, name_, what_) mend_param_##type_ field_;
#include "base/param.def"
#undef MEND_PARAM_DEF
};

/* One row per parameter, for mend-info and `mpiexec --set`. */
struct mend_param_info {
    const char *name, *what, *default_text;
    char type; /* 'U', 'B', 'S' */
};
extern const struct mend_param_info mend_param_list[];
extern const unsigned mend_param_list_n;

/* Fills *params_p from defaults and the environment.  A value that cannot be read keeps the
 * default; then *bad_p names the variable (else NULL).  Strings are borrowed from the environment.
 */
void mend_params_read(struct mend_params *params_p, const char **bad_p);

#endif
