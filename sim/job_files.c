/* SPDX-License-Identifier: BSD-3-Clause */
/* job_files.c – the files of a simulated job: the system's calls of io/, as the linker puts them in the place of the real
 * ones for names that begin with SIM_FILES.
 *
 *   write ──> cache, which all processes read ──flush──> disk, which is left when the machine goes down
 *
 * The rank gives way before each call has its effect, after it, and in the middle of a write: other ranks run there, and a
 * kill at this yield leaves a part of what was to be written.  A rank that is declared dead may write on for a while, as one
 * whose system call hangs (R27).  One call in eight is interrupted, one write in four is short: the job's seed says which.
 *
 * An error of the device is as with Linux: what the flush was to write is lost, every open of the file hears of that once,
 * and the next flush succeeds. */
#include "sim/job_files.h"

#include "sim/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES_MAX  8
#define OPENS_MAX  1000
#define FIRST_FD   100000
#define BYTES_MAX  65536
#define BROKEN_AT  3 /* flushes */
#define REFUSED_AT 2 /* opens */

struct bytes {
    int64_t n;
    unsigned char at[BYTES_MAX];
};

static struct file {
    char name[64];
    bool linked;
    struct bytes cache, disk;
    int opens, flushes, errors;
    int writer, readers; /* locks: the open that has it, plus 1; how many */
} files[FILES_MAX];

static struct open_file {
    struct file *file; /* NULL: closed */
    int rank, errors_seen;
    bool reads, writes; /* the lock that it has */
} opens[OPENS_MAX];
static int opens_n;

/* Another rank may run now; this one may be killed. */
static void give_way(void)
{
    if (mend_self && mend_self->yield && sim_job->current >= 0)
        mend_self->yield(mend_self);
}

static struct open_file *open_of(int fd)
{
    return fd >= FIRST_FD ? &opens[fd - FIRST_FD] : NULL;
}

static int failed(int error)
{
    errno = error;
    return -1;
}

static bool is_interrupted(void)
{
    give_way();
    return sim_random(sim_job, 8) == 0;
}

static struct file *find(const char *name)
{
    for (int i = 0; i < FILES_MAX; i++)
        if (files[i].linked && !strcmp(files[i].name, name))
            return &files[i];
    return NULL;
}

static struct file *make(const char *name)
{
    for (int i = 0; i < FILES_MAX; i++)
        if (!files[i].name[0]) {
            strcpy(files[i].name, name);
            files[i].linked = true;
            return &files[i];
        }
    MEND_ASSERT(false);
}

static bool is_ours(const char *name)
{
    return !strncmp(name, SIM_FILES, strlen(SIM_FILES));
}

int __real_open64(const char *name, int flags, ...);
int __wrap_open64(const char *name, int flags, ...);
int __real_close(int fd);
int __wrap_close(int fd);
int __real_unlink(const char *name);
int __wrap_unlink(const char *name);
int __real_fstat64(int fd, struct stat *st);
int __wrap_fstat64(int fd, struct stat *st);
int __real_ftruncate64(int fd, off_t size);
int __wrap_ftruncate64(int fd, off_t size);
int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __real_fcntl64(int fd, int what, ...);
int __wrap_fcntl64(int fd, int what, ...);
int __wrap_posix_fallocate64(int fd, off_t begin, off_t n);
ssize_t __wrap_pread64(int fd, void *to, size_t n, off_t at);
ssize_t __wrap_preadv64(int fd, const struct iovec *piece, int n, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *from, size_t n, off_t at);
ssize_t __wrap_pwritev64(int fd, const struct iovec *piece, int n, off_t at);

int __wrap_open64(const char *name, int flags, ...)
{
    struct file *f;
    va_list more;
    mode_t mode;

    va_start(more, flags);
    mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (!is_ours(name))
        return __real_open64(name, flags, mode);
    if (is_interrupted())
        return failed(EINTR);
    f = find(name);
    if (!f && !(flags & O_CREAT))
        return failed(ENOENT);
    if (f && flags & O_CREAT && flags & O_EXCL)
        return failed(EEXIST);
    if (!f)
        f = make(name);
    if (++f->opens == REFUSED_AT && !strcmp(name, SIM_REFUSED))
        return failed(EMFILE);
    MEND_ASSERT(opens_n < OPENS_MAX);
    opens[opens_n] =
        (struct open_file){.file = f, .rank = sim_job->current, .errors_seen = f->errors};
    return FIRST_FD + opens_n++;
}

static void unlock(struct open_file *o)
{
    o->file->readers -= o->reads;
    o->file->writer = o->writes ? 0 : o->file->writer;
    o->reads = o->writes = false;
}

int __wrap_close(int fd)
{
    struct open_file *o = open_of(fd);

    if (!o)
        return __real_close(fd);
    unlock(o);
    o->file = NULL;
    return 0;
}

void sim_close_files(int rank)
{
    for (int i = 0; i < opens_n; i++)
        if (opens[i].file && opens[i].rank == rank)
            __wrap_close(FIRST_FD + i);
}

int __wrap_unlink(const char *name)
{
    struct file *f;

    if (!is_ours(name))
        return __real_unlink(name);
    f = find(name);
    if (!f)
        return failed(ENOENT);
    f->linked = false;
    return 0;
}

int __wrap_fstat64(int fd, struct stat *st)
{
    struct open_file *o = open_of(fd);

    if (!o)
        return __real_fstat64(fd, st);
    memset(st, 0, sizeof(*st));
    st->st_mode = S_IFREG | 0600;
    st->st_size = o->file->cache.n;
    st->st_blksize = 4096;
    return 0;
}

static bool has_room(const struct file *f, int64_t size)
{
    return size <= (strcmp(f->name, SIM_FULL) ? BYTES_MAX : SIM_FULL_BYTES);
}

int __wrap_ftruncate64(int fd, off_t size)
{
    struct open_file *o = open_of(fd);

    if (!o)
        return __real_ftruncate64(fd, size);
    give_way();
    if (!has_room(o->file, size))
        return failed(ENOSPC);
    if (size < o->file->cache.n)
        memset(o->file->cache.at + size, 0, (size_t)(o->file->cache.n - size));
    o->file->cache.n = size;
    return 0;
}

int __wrap_posix_fallocate64(int fd, off_t begin, off_t n)
{
    struct file *f = open_of(fd)->file;

    if (is_interrupted())
        return EINTR;
    if (!has_room(f, begin + n))
        return ENOSPC;
    if (begin + n > f->cache.n)
        f->cache.n = begin + n;
    return 0;
}

/* The third one of a broken device loses what has been written. */
static void lose(struct file *f)
{
    f->cache = f->disk;
    f->errors++;
}

int __wrap_fdatasync(int fd)
{
    struct open_file *o = open_of(fd);
    struct file *f;

    if (!o)
        return __real_fdatasync(fd);
    f = o->file;
    if (is_interrupted())
        return failed(EINTR);
    if (!strcmp(f->name, SIM_BROKEN) && ++f->flushes == BROKEN_AT)
        lose(f);
    else
        f->disk = f->cache;
    give_way();
    if (o->errors_seen < f->errors) {
        o->errors_seen = f->errors;
        return failed(EIO);
    }
    return 0;
}

/* Locks of the whole file, which belong to the open. */
int __wrap_fcntl64(int fd, int what, ...)
{
    struct open_file *o = open_of(fd);
    struct flock *l;
    va_list more;

    va_start(more, what);
    l = va_arg(more, struct flock *);
    va_end(more);
    if (!o)
        return __real_fcntl64(fd, what, l);
    MEND_ASSERT(what == F_OFD_SETLK);
    if (l->l_type != F_UNLCK && is_interrupted())
        return failed(EINTR);
    unlock(o);
    if (l->l_type == F_UNLCK)
        return 0;
    if (o->file->writer || (l->l_type == F_WRLCK && o->file->readers))
        return failed(EAGAIN);
    o->writes = l->l_type == F_WRLCK;
    o->reads = !o->writes;
    o->file->readers += o->reads;
    o->file->writer = o->writes ? (int)(o - opens) + 1 : 0;
    return 0;
}

ssize_t __wrap_preadv64(int fd, const struct iovec *piece, int n, off_t at)
{
    const struct bytes *from = &open_of(fd)->file->cache;
    ssize_t done = 0;

    if (is_interrupted())
        return failed(EINTR);
    for (int i = 0; i < n && at + done < from->n; i++) {
        int64_t left = from->n - at - done;
        size_t len = (int64_t)piece[i].iov_len < left ? piece[i].iov_len : (size_t)left;

        memcpy(piece[i].iov_base, from->at + at + done, len);
        done += (ssize_t)len;
    }
    return done;
}

ssize_t __wrap_pread64(int fd, void *to, size_t n, off_t at)
{
    struct iovec piece = {to, n};

    return __wrap_preadv64(fd, &piece, 1, at);
}

static void put(struct file *f, const char *from, int64_t n, off_t at)
{
    memcpy(f->cache.at + at, from, (size_t)n);
    f->cache.n = at + n > f->cache.n ? at + n : f->cache.n;
}

/* In two halves; a disk that is nearly full takes what it has room for. */
ssize_t __wrap_pwrite64(int fd, const void *from, size_t n, off_t at)
{
    struct file *f = open_of(fd)->file;
    int64_t len = (int64_t)n, half;

    if (is_interrupted())
        return failed(EINTR);
    while (len && !has_room(f, at + len))
        len--;
    if (!len)
        return failed(ENOSPC);
    half = len / 2;
    put(f, from, half, at);
    give_way();
    if (half && sim_random(sim_job, 4) == 0)
        return half;
    put(f, (const char *)from + half, len - half, at + half);
    return len;
}

/* Short unless there is one piece. */
ssize_t __wrap_pwritev64(int fd, const struct iovec *piece, int n, off_t at)
{
    MEND_ASSERT(n > 0);
    return __wrap_pwrite64(fd, piece->iov_base, piece->iov_len, at);
}

void sim_on_disk(const char *name, long offset, void *to, size_t n)
{
    const struct file *f = find(name);

    memset(to, 0xff, n);
    for (size_t i = 0; f && i < n && offset + (long)i < f->disk.n; i++)
        ((unsigned char *)to)[i] = f->disk.at[offset + (long)i];
}
