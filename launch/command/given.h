/* SPDX-License-Identifier: BSD-3-Clause */
/* given.h – what mpiexec gives the agent of another host with the command line, so that both make the same of it.
 *
 * An agent reads the same command line, in the same directory.  What depends on more than these is decided by mpiexec alone: the
 * texts of the files and the values of the variables that it names, which hosts there are, how many ranks each block has, on which node
 * each is, which ranks are chosen at random, and how large the terminal is. */
#ifndef MEND_LAUNCH_COMMAND_GIVEN_H
#define MEND_LAUNCH_COMMAND_GIVEN_H

#include "command/hosts.h"

#include <stddef.h>

#define MEND_SEED_MAX 999999

struct mend_options;

/* The same as bytes; at NULL: there are none. */
struct mend_given_bytes {
    unsigned char *at;
    size_t len;
};

/* A file that the command line names, and what is in it; or a variable of the environment, and its value. */
struct mend_text {
    char *name, *text;
};

struct mend_texts {
    struct mend_text *at;
    int n;
};

struct mend_given {
    struct mend_hosts hosts;
    int apps_n, *app_ranks_n; /* of each block */
    int ranks_n, *node_of;    /* of each rank */
    int seed;                 /* up to MEND_SEED_MAX */
    int rows, columns;
    struct mend_texts texts, variables;
};

/* Whose memory the caller frees. */
struct mend_given_bytes mend_given_encode(const struct mend_options *o);

/* NULL: the bytes are damaged.  The caller frees it by mend_given_free(). */
struct mend_given *mend_given_decode(struct mend_given_bytes bytes);
void mend_given_free(struct mend_given *g);

#endif
