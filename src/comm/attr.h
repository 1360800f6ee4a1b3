/* SPDX-License-Identifier: BSD-3-Clause */
/* attr.h – caching: key values, and attributes of communicators, datatypes and windows.
 *
 * An object holds one pointer, `struct mend_attrs *attrs`, NULL until something is cached on it.
 * Callbacks of the user run without the library's lock; they may call MPI, and set or delete other
 * attributes of the same object.  What they answer, if not MPI_SUCCESS, is what these functions
 * return: a valid error code as it is, anything else as MPI_ERR_OTHER.
 *
 * None is collective or blocks; a death affects none. */
#ifndef MEND_COMM_ATTR_H
#define MEND_COMM_ATTR_H

#include "comm/comm.h"

#define MEND_KEYVAL_FIRST 0x4100 /* below: the Forum's and ours (mpi_ft.h) */

enum mend_attr_kind { MEND_ATTR_COMM, MEND_ATTR_TYPE, MEND_ATTR_WIN };

/* What the user gave with a key value.  The ABI's constants for "do not copy" (0), "copy the value"
 * (1) and "nothing to delete" (0) are recognised and never called. */
struct mend_keyval_fns {
    union {
        MPI_Comm_copy_attr_function *comm_copy;
        MPI_Type_copy_attr_function *type_copy;
        MPI_Win_copy_attr_function *win_copy;
    };
    union {
        MPI_Comm_delete_attr_function *comm_delete;
        MPI_Type_delete_attr_function *type_delete;
        MPI_Win_delete_attr_function *win_delete;
    };
    void *extra_state;
};

/* MPI_ERR_NO_MEM. */
int mend_keyval_create(struct mend_proc *self, enum mend_attr_kind kind,
                       const struct mend_keyval_fns *fns, int *keyval_p);

/* Ends the use of a key value for new attributes; the existing ones can still be read, deleted and
 * copied.  MPI_ERR_KEYVAL: predefined, or no key value of this kind, or freed before. */
int mend_keyval_free(struct mend_proc *self, enum mend_attr_kind kind, int keyval);

/* `handle` is the user's handle of the object, for callbacks.  A value that is there already is
 * deleted first.  MPI_ERR_KEYVAL, MPI_ERR_NO_MEM, or what the delete callback says. */
int mend_attr_set(struct mend_proc *self, enum mend_attr_kind kind, struct mend_attrs **attrs,
                  void *handle, int keyval, void *value);

/* *found_p tells whether there is a value; else *value_p is not written.  MPI_ERR_KEYVAL. */
int mend_attr_get(struct mend_proc *self, enum mend_attr_kind kind, const struct mend_attrs *attrs,
                  int keyval, void **value_p, bool *found_p);

/* Nothing there: MPI_SUCCESS. */
int mend_attr_delete(struct mend_proc *self, enum mend_attr_kind kind, struct mend_attrs **attrs,
                     void *handle, int keyval);

/* Where the attributes of a type are.  Predefined types are constants; theirs are kept in a table.
 * NULL: no memory. */
struct mend_attrs **mend_attr_of_type(struct mend_proc *self, const struct mend_type *t);

/* The value of a predefined attribute of communicators (MPI_TAG_UB, ..., MPI_FT), NULL: keyval is
 * none or has no value in this process (MPI_APPNUM without a launcher).  Every communicator shows
 * them. */
const int *mend_attr_predefined(struct mend_proc *self, int keyval);

/* Copies all attributes of an object as its duplication does (MPI-5.0 7.7.2), in the order in which
 * they were set, to the end of *to.  If a callback refuses, what it said; *to holds those
 * before. */
int mend_attrs_copy(struct mend_proc *self, const struct mend_attrs *from, void *from_handle,
                    struct mend_attrs **to);

/* Deletes all attributes in the reverse order of setting, and the list.  A callback that refuses
 * ends it: what it said; this attribute and the earlier ones remain.  For MPI_X_free, and for
 * MPI_COMM_SELF as the first thing in MPI_Finalize (11.2.4). */
int mend_attrs_delete_all(struct mend_proc *self, struct mend_attrs **attrs, void *handle);

/* The same without callbacks: the program has forgotten them. */
void mend_attrs_drop_all(struct mend_proc *self, struct mend_attrs **attrs);

#endif
