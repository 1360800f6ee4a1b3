/* SPDX-License-Identifier: BSD-3-Clause */
/* marks.c – when this rank went through the moments of a recovery; heat-timeline draws them. */
#include "heat.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void mark(struct heat *h, enum mark what)
{
    if (h->mark_s[what] == 0)
        h->mark_s[what] = MPI_Wtime();
}

/* One line in one write(), so that the ranks can share a file. */
void marks_write(struct heat *h, int err)
{
    char line[512];
    int n, fd = h->marks_path ? open(h->marks_path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;

    n = snprintf(line, sizeof(line),
                 "{\"rank\":%d,\"step\":%ld,\"ranks\":%d,\"complete\":%d,\"detected_s\":%.9f,"
                 "\"revoked_s\":%.9f,\"agreed_s\":%.9f,\"shrunk_s\":%.9f,\"running_s\":%.9f}\n",
                 h->me, h->step, h->size, !err, h->mark_s[MARK_DETECTED], h->mark_s[MARK_REVOKED],
                 h->mark_s[MARK_AGREED], h->mark_s[MARK_SHRUNK], h->mark_s[MARK_RUNNING]);
    if (fd >= 0) {
        if (write(fd, line, (size_t)n) != n)
            perror(h->marks_path);
        close(fd);
    }
    memset(h->mark_s, 0, sizeof(h->mark_s));
}
