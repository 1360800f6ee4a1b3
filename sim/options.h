/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h – the command line of mend-sim as data. */
#ifndef MEND_SIM_OPTIONS_H
#define MEND_SIM_OPTIONS_H

#include "sim.h"

enum mend_sim_mode { MEND_SIM_RANDOM, MEND_SIM_EXHAUSTIVE, MEND_SIM_COUNT };

struct mend_sim_options {
    const struct mend_sim_play *play; /* NULL: all */
    struct mend_sim_conf conf;        /* numbers that were not given are -1 */
    enum mend_sim_mode mode;
    uint64_t seeds, budget; /* budget 0: so many seeds, all alike */
};

#define MEND_SIM_PLAYS 10
extern const struct mend_sim_play *const mend_sim_plays[MEND_SIM_PLAYS];

/* Reads the command line.  Wrong ones end the program with status 2, --help with 0. */
void mend_sim_options_parse(int argc, char **argv, struct mend_sim_options *o);

/* Ends the program with status 2. */
__attribute__((format(printf, 1, 2), noreturn)) void mend_sim_refuse(const char *fmt, ...);

/* Prints the command that makes one run like this, without its seed or path. */
void mend_sim_options_print(const struct mend_sim_options *o);

#endif
