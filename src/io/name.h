/* SPDX-License-Identifier: BSD-3-Clause */
/* name.h – a file and its name: a new file gets its name at once, and a name is removed only while it is that of the file.
 *
 *   begin      a file without a name, which is gone if this process dies      (O_TMPFILE)
 *   identity   goes to all members
 *   publish    the name, unless that exists
 *   remove     by any member, if the name leads to the file of this identity */
#ifndef MEND_IO_NAME_H
#define MEND_IO_NAME_H

#include "proc/proc.h"

#include <stdint.h>

#define MEND_NAME_NONE UINT64_MAX /* of no file */

/* The name from the root on, so that it is the same after a chdir(); NULL: no memory.  The caller frees it. */
char *mend_name_whole(struct mend_proc *self, const char *name);

/* A new file in the directory of this name, without one.  -1: the system has none there; publish makes it then. */
int mend_name_begin(const char *name, int flags);

/* Gives the file its name.  *fd_p: as begin returned it, out a descriptor of the file.  0 or an errno value: EEXIST. */
int mend_name_publish(const char *name, int flags, int *fd_p);

/* Of the open file; MEND_NAME_NONE if there is none.  A number of the file system and the time of the file's birth: a number is used again. */
uint64_t mend_name_identity(int fd);

/* Removes the name if it leads to the file of this identity.  0 or an errno value; 0 also if it leads to another one or to none. */
int mend_name_remove(const char *name, uint64_t identity);

#endif
