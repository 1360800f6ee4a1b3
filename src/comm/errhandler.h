/* SPDX-License-Identifier: BSD-3-Clause */
/* errhandler.h – error handlers, what an error does, and the end of processes.
 *
 *                      error
 *                        │
 *         ┌──────────────┼──────────────────────┐
 *      RETURN          USER                FATAL, ABORT
 *      the code        his function,       message, the group of the object ends (R13, S4-3),
 *                      then the code       this process too */
#ifndef MEND_COMM_ERRHANDLER_H
#define MEND_COMM_ERRHANDLER_H

#include "comm/comm.h"

#define MEND_ERRHANDLER_MAGIC 0x65727268u

struct mend_errhandler {
    uint32_t magic;
    int refs;
    enum { MEND_ERRH_FATAL, MEND_ERRH_ABORT, MEND_ERRH_RETURN, MEND_ERRH_USER } kind;
    enum {
        MEND_ERRH_OF_COMM,
        MEND_ERRH_OF_WIN,
        MEND_ERRH_OF_FILE,
        MEND_ERRH_OF_SESSION,
        MEND_ERRH_OF_ANY
    } object;
    union {
        MPI_Comm_errhandler_function *comm_fn;
        MPI_Win_errhandler_function *win_fn;
        MPI_File_errhandler_function *file_fn;
        MPI_Session_errhandler_function *session_fn;
    };
};

/* A handler of the user's, not counted anywhere yet (one reference).  NULL: no memory. */
struct mend_errhandler *mend_errhandler_create(struct mend_proc *self, int object);
void mend_errhandler_get(struct mend_errhandler *e);
void mend_errhandler_put(struct mend_proc *self, struct mend_errhandler *e);

/* The predefined handlers.  Not counted: get and put do nothing. */
struct mend_errhandler *mend_errhandler_fatal(struct mend_proc *self);

/* That of MPI_FILE_NULL, which files begin with; set takes a reference, and drops that of the one before. */
struct mend_errhandler *mend_errhandler_no_file(struct mend_proc *self);
void mend_errhandler_set_no_file(struct mend_proc *self, struct mend_errhandler *e);

/* What a communicator without a parent begins with: parameter INITIAL_ERRHANDLER (MPI-5.0 11.2.1). */
struct mend_errhandler *mend_errhandler_initial(struct mend_proc *self);

/* Whether that is MPI_ERRORS_RETURN; can be asked before MPI_Init and after MPI_Finalize, where it
 * is the handler of every error. */
bool mend_errhandler_initial_returns(void);

/* Calls the error handler of c (NULL: of MPI_COMM_SELF; if that is fatal and the one of MPI_COMM_WORLD
 * is not, the latter) for an error that fn has found, and returns err if it returns.  The library's
 * lock is held before; it is given back before a handler of the user's runs, which may longjmp away
 * (R24), and is not held afterwards.  Local.  With a fatal handler: does not return. */
int mend_raise(struct mend_proc *self, struct mend_comm *c, int err, const char *fn);

/* The same for an error of a call that stands for another one: the handler gets that, `code` (MPI-5.0 9.3.1, R43), and a
 * fatal one ends the processes with it, while its message is that of err, which says more. */
int mend_raise_blamed(struct mend_proc *self, struct mend_comm *c, int err, int code,
                      const char *fn);

/* The same with a handler that no object has yet; a fatal one ends this process alone. */
int mend_raise_with(struct mend_proc *self, struct mend_errhandler *e, int err, const char *fn);

/* The same with the handler of a session (NULL: the object is not there any more, or not yet). */
struct mend_session;
int mend_raise_session(struct mend_proc *self, struct mend_errhandler *e,
                       const struct mend_session *s, int err, const char *fn);

/* The same with a handler of files (NULL: that of MPI_FILE_NULL), where there is no file, or not any more. */
int mend_raise_file(struct mend_proc *self, struct mend_errhandler *e, int err, const char *fn);

/* What a fatal error does, whatever the handler: a message, then the processes of c end (NULL: this
 * one alone, S4-1); with parameter FATAL_SCOPE=connected all processes of the job, unless the handler of
 * c is MPI_ERRORS_ABORT. */
_Noreturn void mend_fatal(struct mend_proc *self, struct mend_comm *c, int err, const char *fn);

/* MPI_Abort: all processes of both groups of c end with this code, this one as well (S4-6).  NULL,
 * or not between MPI_Init and MPI_Finalize: this one alone. */
_Noreturn void mend_abort(struct mend_comm *c, int code);

/* What came from a living peer makes no sense: a message, then this process ends, and nobody else. */
_Noreturn void mend_fatal_damage(struct mend_proc *self, mend_peer from);

/* An error of a process that is not between MPI_Init and MPI_Finalize: nobody else is told, because
 * there is nobody to tell. */
_Noreturn void mend_fatal_outside(struct mend_proc *self, int err, const char *fn);

#endif
