/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.h – equal reports of several ranks as one.
 *
 * A rank that ends because of an error reports it in one write to its standard error, of one or two lines:
 *
 *   mend: rank 3 (host a): MPI_Bcast on MPI_COMM_WORLD: ... killed by signal 9, 13.4 ms ago
 *   mend: the error handler is fatal: ...
 *
 * Two such reports are equal if they differ in the rank, its host, and how long ago something was.  Pure. */
#ifndef MEND_LAUNCH_OUTPUT_GATHER_H
#define MEND_LAUNCH_OUTPUT_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a report begins. */
#define MEND_GATHER_HEAD "mend: rank "

/* The bytes of the report of this rank with which the text begins, 0: it does not. */
size_t mend_gather_len(const char *text, size_t len, int rank);

/* Both are whole reports. */
bool mend_gather_equal(const char *a, size_t a_len, const char *b, size_t b_len);

/* The hosts of equal reports, each once, as many as there is room for.  At first all 0. */
struct mend_gather_hosts {
    char text[256];
    size_t len;
    int n;
    bool full;
};

/* Adds that of a whole report. */
void mend_gather_host(struct mend_gather_hosts *h, const char *report, size_t len);

/* Writes the report as that of a set of ranks below n, on these hosts; returns its bytes.  The text has room for
 * len + MEND_GATHER_MORE. */
#define MEND_GATHER_MORE (512 + sizeof(struct mend_gather_hosts))
size_t mend_gather_text(const char *report, size_t len, const uint64_t *ranks, int n,
                        const struct mend_gather_hosts *hosts, char *text);

#endif
