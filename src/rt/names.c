/* SPDX-License-Identifier: BSD-3-Clause */
/* names.c – the file of names.h. */
#include "rt/names.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool map(struct mend_service_file *f, int fd, size_t bytes)
{
    f->bytes = bytes;
    f->q = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return f->q != MAP_FAILED;
}

int mend_service_write(enum mend_service_how how, bool of_job, const char *name, const char *port,
                       struct mend_service_file *f)
{
    size_t bytes = sizeof(*f->q) + strlen(name) + 1;
    int error = E2BIG, fd;

    if (bytes > MEND_SERVICE_BYTES_MAX) {
        errno = error;
        return -1;
    }
    fd = memfd_create("mend-name", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -1;
    if (ftruncate(fd, (off_t)bytes) == 0 && fallocate(fd, 0, 0, (off_t)bytes) == 0 &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0 &&
        map(f, fd, bytes)) {
        f->q->magic = MEND_SERVICE_MAGIC;
        f->q->how = how;
        f->q->of_job = of_job;
        strcpy(f->q->port, port);
        strcpy(f->q->name, name);
        return fd;
    }
    error = errno;
    close(fd);
    errno = error;
    return -1;
}

bool mend_service_map(struct mend_service_file *f, int fd)
{
    int seals = fcntl(fd, F_GET_SEALS);
    struct stat st;

    return seals >= 0 && seals & F_SEAL_SHRINK && fstat(fd, &st) == 0 &&
           st.st_size > (off_t)sizeof(*f->q) && st.st_size <= (off_t)MEND_SERVICE_BYTES_MAX &&
           map(f, fd, (size_t)st.st_size);
}

void mend_service_unmap(struct mend_service_file *f)
{
    munmap(f->q, f->bytes);
}

bool mend_service_valid(const struct mend_service_request *q, size_t bytes)
{
    return bytes > sizeof(*q) && q->magic == MEND_SERVICE_MAGIC && q->how <= MEND_SERVICE_SWEEP &&
           q->of_job <= 1 && memchr(q->port, 0, sizeof(q->port)) &&
           memchr(q->name, 0, bytes - sizeof(*q));
}
