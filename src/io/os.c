/* SPDX-License-Identifier: BSD-3-Clause */
/* os.c – reading, writing, locking. */
#include "io/os.h"

#include "mpi.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

int mend_os_advance(struct iovec **piece, int n, size_t done)
{
    while (n && done >= (*piece)->iov_len) {
        done -= (*piece)->iov_len;
        ++*piece;
        n--;
    }
    if (n) {
        (*piece)->iov_base = (char *)(*piece)->iov_base + done;
        (*piece)->iov_len -= done;
    }
    return n;
}

int mend_os_read(int fd, struct iovec *piece, int n, int64_t offset, int64_t *done_p)
{
    *done_p = 0;
    while (n) {
        ssize_t got = n == 1 ? pread(fd, piece->iov_base, piece->iov_len, offset + *done_p)
                             : preadv(fd, piece, n, offset + *done_p);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno;
        if (got == 0)
            return 0;
        *done_p += got;
        n = mend_os_advance(&piece, n, (size_t)got);
    }
    return 0;
}

int64_t mend_os_limit(void)
{
    struct rlimit most;

    return getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur <= INT64_MAX
               ? (int64_t)most.rlim_cur
               : INT64_MAX;
}

/* A write that reaches the limit is short: then it is looked at anew. */
int mend_os_write(int fd, struct iovec *piece, int n, int64_t offset, int64_t *limit,
                  int64_t *done_p)
{
    *done_p = 0;
    while (n) {
        int64_t at = offset + *done_p;
        ssize_t put;

        if (at >= *limit && at >= (*limit = mend_os_limit()))
            return EFBIG;
        put = n == 1 ? pwrite(fd, piece->iov_base, piece->iov_len, at) : pwritev(fd, piece, n, at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return errno;
        if (put == 0)
            return EIO;
        *done_p += put;
        n = mend_os_advance(&piece, n, (size_t)put);
        if (n)
            *limit = mend_os_limit();
    }
    return 0;
}

int mend_os_flush(int fd)
{
    while (fdatasync(fd) != 0)
        if (errno != EINTR)
            return errno == EINVAL || errno == EROFS ? 0 : errno;
    return 0;
}

int mend_os_allocate(int fd, int64_t size)
{
    int error;

    while ((error = posix_fallocate(fd, 0, size)) == EINTR)
        ;
    return error;
}

/* Not where data is copied when it is overwritten, as btrfs does: that needs space again. */
bool mend_os_can_reserve(int fd)
{
    struct statfs system;

    return fstatfs(fd, &system) == 0 &&
           (system.f_type == TMPFS_MAGIC || system.f_type == EXT4_SUPER_MAGIC);
}

/* Not posix_fallocate(), which writes zeros where the system cannot reserve. */
int mend_os_reserve(int fd, int64_t begin, int64_t len)
{
    while (fallocate(fd, 0, begin, len) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

int mend_os_cut(int fd, int64_t size)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return errno;
    return st.st_size > size && ftruncate(fd, size) != 0 ? errno : 0;
}

int mend_os_try_lock(int fd, bool exclusive)
{
    struct flock whole = {.l_type = exclusive ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};

    if (fcntl(fd, F_OFD_SETLK, &whole) == 0)
        return 0;
    return errno == EACCES || errno == EINTR ? EAGAIN : errno;
}

void mend_os_unlock(int fd)
{
    struct flock whole = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

    fcntl(fd, F_OFD_SETLK, &whole);
}

int mend_os_class(int error)
{
    switch (error) {
    case 0:
        return MPI_SUCCESS;
    case ENOENT:
    case ENOTDIR:
        return MPI_ERR_NO_SUCH_FILE;
    case EEXIST:
        return MPI_ERR_FILE_EXISTS;
    case EACCES:
    case EPERM:
        return MPI_ERR_ACCESS;
    case EROFS:
        return MPI_ERR_READ_ONLY;
    case ENOSPC:
    case EFBIG:
        return MPI_ERR_NO_SPACE;
    case EDQUOT:
        return MPI_ERR_QUOTA;
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case EINVAL:
        return MPI_ERR_BAD_FILE;
    case EBUSY:
    case ETXTBSY:
        return MPI_ERR_FILE_IN_USE;
    case ENOMEM:
        return MPI_ERR_NO_MEM;
    default:
        return MPI_ERR_IO;
    }
}
