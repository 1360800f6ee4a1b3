/* SPDX-License-Identifier: BSD-3-Clause */
/* given.h – what mpiexec gives the agent of another host with the command line, so that both make the same of it.
 *
 * An agent reads the same command line, in the same directory.  What depends on more than these is decided by mpiexec alone: the
 * texts of the files that it names, which hosts there are, how many ranks each block has, and on which node each is. */
#ifndef MEND_LAUNCH_COMMAND_GIVEN_H
#define MEND_LAUNCH_COMMAND_GIVEN_H

#include "command/hosts.h"

#include <stddef.h>

struct mend_options;

/* The same as bytes; at NULL: there are none. */
struct mend_given_bytes {
    unsigned char *at;
    size_t len;
};

/* A file that the command line names, and what is in it. */
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
    struct mend_texts texts;
};

/* Whose memory the caller frees. */
struct mend_given_bytes mend_given_encode(const struct mend_options *o);

/* NULL: the bytes are damaged.  The caller frees it by mend_given_free(). */
struct mend_given *mend_given_decode(struct mend_given_bytes bytes);
void mend_given_free(struct mend_given *g);

#endif
