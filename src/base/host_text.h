/* SPDX-License-Identifier: BSD-3-Clause */
/* host_text.h – how hosts are written: in flags of mpiexec, in hints, and in files, one in a line.
 *
 *   m1   m1:4   ann@m1   fd77::1   [fd77::1]:4       a word: who logs in, the name or address, slots
 *   ann@m1 slots=4 max_slots=8   # a comment         a line: a word, and keys under the names that MPICH or Open MPI has for them
 *
 * Slots may be `*` or `auto`: as many as are needed, as where none are said. */
#ifndef MEND_BASE_HOST_TEXT_H
#define MEND_BASE_HOST_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define MEND_HOST_TEXT_SLOTS_MAX 65535

struct mend_host_text {
    const char *name;    /* NULL: a line without a host */
    const char *user;    /* NULL: not said */
    int slots;           /* 0: not said */
    int slots_max;       /* 0: not said */
    const char *binding; /* a key of Open MPI's, as it is written; NULL: not said */
};

/* Both change the text, into which *h points from then on.  False: *why says in words what is wrong with it. */
bool mend_host_text_word(char *word, struct mend_host_text *h, char *why, size_t size);
bool mend_host_text_line(char *line, struct mend_host_text *h, char *why, size_t size);

/* Ends the first line of a text; the next line, or NULL. */
char *mend_host_text_cut(char *text);

#endif
