/* SPDX-License-Identifier: BSD-3-Clause */
/* info.h – ordered pairs of key and value (MPI-5.0 chapter 10).  All local. */
#ifndef MEND_COMM_INFO_H
#define MEND_COMM_INFO_H

#include "comm/comm.h"

#define MEND_INFO_MAGIC 0x696e666fu

struct mend_info_pair {
    struct mend_list link;
    char *key, *value;
};

struct mend_info {
    uint32_t magic;
    int n;
    struct mend_list pairs; /* in the order in which the keys were first set */
};

/* Empty.  NULL: no memory. */
struct mend_info *mend_info_create(struct mend_proc *self);
void mend_info_free(struct mend_proc *self, struct mend_info *i);

/* A copy, in the same order.  i may be NULL: an empty one.  NULL: no memory. */
struct mend_info *mend_info_dup(struct mend_proc *self, const struct mend_info *i);

/* Key and value have been checked; an older value is replaced.  MPI_ERR_NO_MEM. */
int mend_info_set(struct mend_proc *self, struct mend_info *i, const char *key, const char *value);

/* Sets every pair of `from` in i. */
int mend_info_merge(struct mend_proc *self, struct mend_info *i, const struct mend_info *from);

/* MPI_ERR_INFO_NOKEY. */
int mend_info_delete(struct mend_proc *self, struct mend_info *i, const char *key);

/* NULL: not there.  i may be NULL. */
const char *mend_info_get(const struct mend_info *i, const char *key);

/* What the key mpi_minimum_memory_alignment asks for, in bytes; 0: nothing.  MPI_ERR_INFO_VALUE: no power of two, or more
 * than 2^30.  i may be NULL. */
int mend_info_alignment(const struct mend_info *i, size_t *align_p);

/* kinds.c: sets mpi_memory_alloc_kinds to the kinds that exist, of those that i asks for; else of those that `asked` names, or,
 * if it is NULL, the command line of the launcher.  MPI_ERR_NO_MEM. */
int mend_info_set_kinds(struct mend_proc *self, struct mend_info *i, const char *asked);

/* The same in an info about c, or about its window or file: asked for by its session. */
int mend_comm_info_set_kinds(const struct mend_comm *c, struct mend_info *i);

/* The nth key, NULL if there are not so many. */
const char *mend_info_nth(const struct mend_info *i, int n);

/* What is known of how this program was started (MPI-5.0 10, 11.2.2), from these arguments or, if
 * argv is NULL, from the system.  NULL: no memory. */
struct mend_info *mend_info_env_create(struct mend_proc *self, int argc, char *const *argv);

/* MPI_INFO_ENV's object, made on first need.  NULL: no memory. */
struct mend_info *mend_info_env(struct mend_proc *self);

#endif
