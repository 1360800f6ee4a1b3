/* SPDX-License-Identifier: BSD-3-Clause */
/* name.c – making, naming and removing. */
#include "io/name.h"

#include "comm/objects.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODE 0666

char *mend_name_whole(struct mend_proc *self, const char *name)
{
    char here[PATH_MAX];
    size_t len;
    char *whole;

    if (*name == '/' || !getcwd(here, sizeof(here)))
        return mend_strdup(self, name, PATH_MAX);
    len = strlen(here) + strlen(name) + 2;
    whole = mend_alloc(self, len);
    if (whole)
        snprintf(whole, len, "%s/%s", here, name);
    return whole;
}

static int open_as(const char *name, int flags)
{
    int fd;

    while ((fd = open(name, flags | O_CLOEXEC, MODE)) < 0 && errno == EINTR)
        ;
    return fd;
}

int mend_name_begin(const char *name, int flags)
{
    const char *slash = strrchr(name, '/');
    char directory[PATH_MAX];
    int len = slash ? (int)(slash - name) + 1 : 0;

    if (len >= PATH_MAX)
        return -1;
    snprintf(directory, sizeof(directory), "%.*s", len ? len : 1, len ? name : ".");
    return open_as(directory, flags | O_TMPFILE);
}

int mend_name_publish(const char *name, int flags, int *fd_p)
{
    char unnamed[64];

    if (*fd_p >= 0) {
        snprintf(unnamed, sizeof(unnamed), "/proc/self/fd/%d", *fd_p);
        if (linkat(AT_FDCWD, unnamed, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0)
            return 0;
        if (errno == EEXIST)
            return EEXIST;
        close(*fd_p);
    }
    *fd_p = open_as(name, flags | O_CREAT | O_EXCL);
    return *fd_p < 0 ? errno : 0;
}

static uint64_t identity(const struct statx *st)
{
    uint64_t sum = st->stx_ino;

    if (st->stx_mask & STATX_BTIME)
        sum += ((uint64_t)st->stx_btime.tv_sec * 1000000000 + st->stx_btime.tv_nsec) *
               UINT64_C(0x9e3779b97f4a7c15);
    return sum == MEND_NAME_NONE ? 0 : sum;
}

uint64_t mend_name_identity(int fd)
{
    struct statx st;

    return fd >= 0 && statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &st) == 0
               ? identity(&st)
               : MEND_NAME_NONE;
}

int mend_name_remove(const char *name, uint64_t file)
{
    struct statx st;

    if (file == MEND_NAME_NONE || statx(AT_FDCWD, name, 0, STATX_INO | STATX_BTIME, &st) != 0 ||
        identity(&st) != file)
        return 0;
    return unlink(name) == 0 || errno == ENOENT ? 0 : errno;
}
