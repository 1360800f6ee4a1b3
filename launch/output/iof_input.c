/* SPDX-License-Identifier: BSD-3-Clause */
/* iof_input.c – what is typed on our terminal goes to rank 0 through a pipe, while we are in the foreground. */
#include "output/iof_parts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void input_close(struct input *in)
{
    close(in->fd);
    in->fd = -1;
}

bool mend_iof_foreground(void)
{
    return tcgetpgrp(0) == getpgrp();
}

void mend_iof_input_read(struct input *in)
{
    ssize_t n = read(0, in->buf, sizeof(in->buf));

    if (n == 0)
        input_close(in);
    else if (n > 0)
        in->len = (size_t)n;
}

void mend_iof_input_write(struct input *in)
{
    ssize_t n = write(in->fd, in->buf, in->len);

    if (n > 0) {
        in->len -= (size_t)n;
        memmove(in->buf, in->buf + n, in->len);
    } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
        input_close(in);
    }
}
