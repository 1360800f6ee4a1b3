/* SPDX-License-Identifier: BSD-3-Clause */
/* os.h – the system's calls on files, whole: interrupted and short ones are continued. */
#ifndef MEND_IO_OS_H
#define MEND_IO_OS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#define MEND_OS_PIECES 256 /* of memory in one call */

/* Moves the pieces from offset on; changes them.  *done_p: bytes moved, fewer than asked for at the end of a file that is
 * read.  0 or an errno value.  A write behind *limit is EFBIG, for the kernel would send SIGXFSZ; the limit is looked up again
 * before that, and when a write is short. */
int mend_os_read(int fd, struct iovec *piece, int n, int64_t offset, int64_t *done_p);
int mend_os_write(int fd, struct iovec *piece, int n, int64_t offset, int64_t *limit,
                  int64_t *done_p);

/* The first `done` bytes of the pieces are moved: goes on to the rest.  Returns how many pieces are left. */
int mend_os_advance(struct iovec **piece, int n, size_t done);

/* The limit of file sizes (RLIMIT_FSIZE) as it is now. */
int64_t mend_os_limit(void);

/* What was written is on the device, or an errno value; 0 also for a file that cannot be flushed, as a pipe. */
int mend_os_flush(int fd);

/* Blocks of the device for the first `size` > 0 bytes: 0 or an errno value. */
int mend_os_allocate(int fd, int64_t size);

/* Whether the file lies where reserved space is there for good: a page of it that is touched cannot fail for want of space. */
bool mend_os_can_reserve(int fd);

/* Reserves these bytes; the file is so long then at least.  What is written there stays.  0 or an errno value. */
int mend_os_reserve(int fd, int64_t begin, int64_t len);

/* The file ends there if it was longer: 0 or an errno value. */
int mend_os_cut(int fd, int64_t size);

/* Tries to lock the whole file, for this open of it; EAGAIN: another one has it.  unlock cannot fail. */
int mend_os_try_lock(int fd, bool exclusive);
void mend_os_unlock(int fd);

/* The class of an errno value. */
int mend_os_class(int error);

#endif
