/* SPDX-License-Identifier: BSD-3-Clause */
/* objects.h – a process's tables of groups, handlers, key values, infos and numbers of handles.
 *
 * mend_proc.objects points to them.  They are made when first needed, also before MPI_Init (info objects and
 * error classes may be used at any time), and live as long as the process value. */
#ifndef MEND_COMM_OBJECTS_H
#define MEND_COMM_OBJECTS_H

#include "comm/comm.h"
#include "comm/errhandler.h"
#include "proc/threads.h"

/* Values of predefined attributes; the user gets a pointer to them (MPI-5.0 9.1.2). */
struct mend_attr_values {
    int tag_ub, io, host, wtime_is_global, appnum, universe_size, last_used_code, ft;
    bool appnum_known; /* started by a launcher that told */
};

/* What was last raised for one class of failure: what a text of MPI_Error_string() tells. */
#define MEND_FAILURE_WHO_MAX 3
struct mend_failure {
    bool set, more;                     /* more: there are more dead members than named here */
    char comm[MPI_MAX_OBJECT_NAME + 2]; /* the communicator's label */
    int who_n;
    struct {
        int rank; /* in the communicator; of an intercommunicator: in its group */
        mend_peer peer;
    } who[MEND_FAILURE_WHO_MAX];
};

/* What there is to say about one error beyond its class: of the next one that is raised, then of that. */
struct mend_detail {
    int class; /* 0: nothing */
    bool raised;
    int cause; /* class of the error behind it, whose text follows; 0: none */
    char text[256];
};

struct mend_objects {
    struct mend_group empty;                          /* MPI_GROUP_EMPTY */
    struct mend_errhandler fatal, abort, return_code; /* the predefined error handlers */
    struct mend_errhandler *no_file;                  /* of MPI_FILE_NULL: files begin with it */
    struct mend_info *env;                            /* MPI_INFO_ENV, on first need */

    struct mend_hash keyvals; /* key value -> struct mend_keyval */
    int keyval_next;
    struct mend_hash type_attrs; /* predefined struct mend_type -> struct mend_attrs * */
    struct mend_attr_values values;

    struct mend_hash codes; /* user's error code or class -> struct user_code of errcode.c */
    struct mend_failure proc_failed, pending, invalidated;
    struct mend_detail detail;

    struct mend_hash numbers; /* address of an object -> its number */
    void **addresses;         /* the reverse, by number - MEND_HANDLE_FIRST */
    int addresses_n, addresses_max;
};

/* Makes self->objects unless it exists.  MPI_SUCCESS or MPI_ERR_NO_MEM. */
int mend_objects_init(struct mend_proc *self);

/* Copy of a string in the library's memory, of at most max bytes with its end.  NULL: no memory. */
char *mend_strdup(struct mend_proc *self, const char *text, size_t max);

#endif
