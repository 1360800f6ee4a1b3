/* SPDX-License-Identifier: BSD-3-Clause */
/* split.h – what MPI_Comm_split and MPI_Comm_split_type share. */
#ifndef MEND_CREATE_SPLIT_H
#define MEND_CREATE_SPLIT_H

#include "create/creation.h"

/* What each member asks for. */
struct mend_split_entry {
    int color, key, rank;
};
#define MEND_SPLIT_INTS 3
_Static_assert(sizeof(struct mend_split_entry) == MEND_SPLIT_INTS * sizeof(int),
               "it is sent as ints");

struct mend_split {
    int color, key;
    struct mend_group *group; /* the caller's group of its part, if it is known; else NULL */
    int own_error;            /* why this process vetoes */

    /* NULL, or what all members call then with the same entries, in the order of ranks; it may change colors, the
     * same at all. */
    int (*settle)(struct mend_comm *c, struct mend_split_entry *ours,
                  struct mend_split_entry *theirs, int *found_p);
    int *found_p;
};

/* One agreement for all parts, whatever came of the exchange here (creation.h). */
int mend_split_create(struct mend_comm *c, const struct mend_split *how, struct mend_comm **new_p);

/* `each` ints of every member to all: of its own group in `ours` and, on an intercommunicator, of the other in `theirs`.
 * ours NULL: an intercommunicator's own group does not hear of itself.  Blocks; PROC_FAILED or INVALIDATED by the rules
 * of collectives. */
int mend_split_exchange(struct mend_comm *c, const int *mine, int each, int *ours, int *theirs);

#endif
