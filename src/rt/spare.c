/* SPDX-License-Identifier: BSD-3-Clause */
/* spare.c – waiting to be called (spare.h). */
#include "base/status.h"

#include "rt/spare.h"

#include "rt/pass.h"
#include "rt/wire.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t mend_spare_receive(int ctl_fd, char *text, size_t len, int *fd, int n)
{
    ssize_t got = mend_pass_take(ctl_fd, text, len, fd, n, 0);

    if (got > 0 && fd[n - 1] >= 0 && !text[got - 1])
        return got;
    for (int i = 0; got > 0 && i < n; i++)
        if (fd[i] >= 0)
            close(fd[i]);
    return -1;
}

static bool take_environment(char *text, ssize_t len)
{
    for (char *at = text; at < text + len; at += strlen(at) + 1) {
        char *value = strchr(at, '=');

        if (!value)
            return false;
        *value = '\0';
        if (setenv(at, value + 1, 1) != 0)
            return false;
        *value = '=';
    }
    return true;
}

/* None is 0, 1 or 2 then, which the program may have closed. */
static bool raise_descriptors(int fd[MEND_SPARE_FDS])
{
    for (int i = 0; i < MEND_SPARE_FDS; i++)
        if (fd[i] < 3)
            fd[i] = fcntl(fd[i], F_DUPFD_CLOEXEC, 3);
    return fd[0] >= 0 && fd[1] >= 0 && fd[2] >= 0 && fd[3] >= 0;
}

static bool take_descriptors(int fd[MEND_SPARE_FDS])
{
    char number[16];

    if (!raise_descriptors(fd))
        return false;
    for (int i = 0; i < 3; i++) {
        if (dup2(fd[i], i) < 0)
            return false;
        close(fd[i]);
    }
    snprintf(number, sizeof(number), "%d", fd[3]);
    return setenv(MEND_ENV_SPAWN, number, 1) == 0;
}

bool mend_spare_await(struct mend_proc *self)
{
    const char *ctl = getenv(MEND_ENV_CTL_FD), *kind = getenv(MEND_ENV_SPARE);
    char text[MEND_SPARE_TEXT_MAX];
    int fd[MEND_SPARE_FDS], ctl_fd;
    ssize_t len;

    if (!kind)
        return true;
    ctl_fd = ctl ? atoi(ctl) : -1;
    if (!strcmp(kind, MEND_SPARE_ORIGINAL))
        ctl_fd = mend_spare_copies(self, ctl_fd);
    unsetenv(MEND_ENV_SPARE);
    len = mend_spare_receive(ctl_fd, text, sizeof(text), fd, MEND_SPARE_FDS);
    if (len < 0)
        _exit(0);
    return take_environment(text, len) && take_descriptors(fd);
}
