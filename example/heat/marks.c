/* SPDX-License-Identifier: BSD-3-Clause */
/* marks.c – moments of a recovery that only the program knows; mend-timeline draws them beside those of
 * the library. */
#include "heat.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const name_of[MARKS] = {"detected", "running"};

void mark(struct heat *h, enum mark what)
{
    if (h->mark_s[what] == 0)
        h->mark_s[what] = MPI_Wtime();
}

/* All lines in one write(), so that the ranks can share a file. */
void marks_write(struct heat *h)
{
    char text[256];
    int n = 0, fd = h->marks_path ? open(h->marks_path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;

    for (int m = 0; m < MARKS; m++)
        if (h->mark_s[m] > 0)
            n += snprintf(text + n, sizeof(text) - (size_t)n,
                          "{\"rank\":%d,\"time_s\":%.9f,\"mark\":\"%s\"}\n", h->me, h->mark_s[m],
                          name_of[m]);
    if (fd >= 0) {
        if (write(fd, text, (size_t)n) != n)
            perror(h->marks_path);
        close(fd);
    }
    memset(h->mark_s, 0, sizeof(h->mark_s));
}
