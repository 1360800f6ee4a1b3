/* SPDX-License-Identifier: BSD-3-Clause */
/* errcode.h – error classes, codes and their texts (MPI-5.0 9.4, 9.5).
 *
 *   0 .. 0x3fff      the MPI Forum's; of these the library returns classes only
 *   0x4000 .. 0x40ff ours: MPI_ERR_PROC_FAILED, MPI_ERR_INVALIDATED (mpi_ft.h)
 *   0x4100 ..        classes and codes of the user
 *
 * All local; may be used at any time. */
#ifndef MEND_COMM_ERRCODE_H
#define MEND_COMM_ERRCODE_H

#include "comm/comm.h"

#define MEND_ERRCODE_LAST 0x40ff /* what MPI_LASTUSEDCODE shows before the user adds one */

/* The class of a code.  MPI_ERR_ARG: no such code. */
int mend_errcode_class(struct mend_proc *self, int code, int *class_p);

/* "MPI_ERR_TAG: what it means".  The text goes on with what is known of the last error of this class that
 * was raised; for the classes of failures: which process died, where, why and when (R14).  For a code of the user: the
 * user's text, or none.  MPI_ERR_ARG: no such code. */
int mend_errcode_text(struct mend_proc *self, int code, char *text, size_t max);

/* New numbers above all that are in use.  A code belongs to a class of anybody's.  MPI_ERR_ARG: no
 * such class; MPI_ERR_NO_MEM. */
int mend_errcode_add_class(struct mend_proc *self, int *class_p);
int mend_errcode_add_code(struct mend_proc *self, int class, int *code_p);

/* The text of a class or code of the user's; an older one is replaced.  MPI_ERR_ARG: not his. */
int mend_errcode_add_text(struct mend_proc *self, int code, const char *text);

/* MPI_ERR_ARG: not a class (code) of the user's; a class that still has codes; one that still
 * has a text; no text. */
int mend_errcode_remove_class(struct mend_proc *self, int class);
int mend_errcode_remove_code(struct mend_proc *self, int code);
int mend_errcode_remove_text(struct mend_proc *self, int code);

/* failure.c: remembers what mend_errcode_text() tells of the class, if c has lost a process or was
 * invalidated; else does nothing. */
void mend_failure_note(struct mend_comm *c, int class);

/* failure.c: what mend_errcode_text() adds for the class, if that is what is raised next; `cause`, if not 0,
 * is a class whose own text follows. */
void mend_error_detail(struct mend_proc *self, int class, int cause, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* failure.c: an error of this class is raised: details of an older one are over. */
void mend_error_raised(struct mend_proc *self, int class);

/* failure.c: an MPI call has told the program of the deaths of members of c among the first n, or of those of
 * all members of g; for the exit status of the job (R22). */
void mend_failure_told(struct mend_comm *c, uint32_t deaths_n);
void mend_failure_told_group(struct mend_proc *self, const struct mend_group *g);

/* failure.c: appends which process is dead, on which host, why, and how long ago, to a text of `used`
 * bytes. */
void mend_failure_text(struct mend_proc *self, int class, char *text, size_t used, size_t max);

#endif
