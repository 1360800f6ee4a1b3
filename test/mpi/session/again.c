/* SPDX-License-Identifier: BSD-3-Clause */
/* A thousand times: a session, a communicator of all, messages and a collective, the end of the session.  Descriptors
 * stay as they are after the first hundred, and so does memory except for what is remembered of communicators that are gone, which
 * grows to 4096 of them: at most one more mapping of 256 KiB here.
 *
 *   R36: while no session is open no death is a failure, and a process that opens one again is the same peer */
/* RUN: -n 4 */
/* RUN: -n 2 ; set AGREE_SHM=0 */
#include "common.h"

#include <dirent.h>
#include <stdio.h>

#define TIMES 1000
#define FIRST 100
#define MORE  64 /* pages of a mapping */

static long pages(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long all = 0, resident = 0;

    CHECK(f && fscanf(f, "%ld %ld", &all, &resident) == 2);
    fclose(f);
    return all;
}

static int descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    int n = 0;

    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

int main(void)
{
    long pages_then = 0;
    int fds_then = 0;

    for (int i = 0; i < TIMES; i++) {
        MPI_Session s = open_session();
        MPI_Comm c = world_of(s, "again"), d;

        use(c);
        if (i % 10 == 0) {
            CHECK_OK(MPI_Comm_dup(c, &d));
            use(d);
            if (i % 20)
                CHECK_OK(MPI_Comm_free(&d));
        }
        if (i % 2)
            CHECK_OK(MPI_Comm_free(&c));
        close_session(&s);
        if (i == FIRST) {
            pages_then = pages();
            fds_then = descriptors();
        }
    }
    CHECK_EQ(descriptors(), fds_then);
    CHECK(pages() - pages_then <= MORE);
    return 0;
}
