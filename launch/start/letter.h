/* SPDX-License-Identifier: BSD-3-Clause */
/* letter.h – what a new agent of a job gets on its standard input, whichever way it is started: a letter.
 *
 *   mend-letter BUILD VERSION HOST LENGTH\n      of the sender; the only line, which agents of all builds understand
 *   LENGTH bytes                                 the fields of struct mend_letter, in this order
 *   32 bytes                                     SHA-256 of those
 *
 * Numbers have the least significant byte first; a string is its length in 4 bytes, and its bytes with a 0 behind them.  The key of the job
 * travels in no other way to an agent, so it is in no command line, environment or file.  What is damaged is refused. */
#ifndef MEND_LAUNCH_START_LETTER_H
#define MEND_LAUNCH_START_LETTER_H

#include "command/options.h"
#include "ft/lineage_sm.h"
#include "node/greeting.h"
#include "share/build.h"

#define MEND_LETTER_LINE_MAX 512u
#define MEND_LETTER_MAX      ((size_t)64 << 20)
#define MEND_LETTER_LIMITS   7 /* of the shell (settle.c) */

/* An agent between the new one and the root, or the root. */
struct mend_letter_ancestor {
    uint32_t node;
    struct mend_address
        door; /* of its agent; of the parent without an address: it has come from there */
    uint16_t beats_port; /* where it grants leases, in network byte order */
};

struct mend_letter {
    uint32_t node, nodes_n;
    uint32_t by_ssh;   /* what ssh says of addresses counts */
    uint32_t input_fd; /* what a rank with the terminal reads; 0: nothing */
    uint32_t umask;
    uint64_t answer_ms; /* for the call of the parent */
    uint64_t job;
    unsigned char key[MEND_DOOR_KEY_BYTES];
    unsigned char agents_key[MEND_DOOR_KEY_BYTES]; /* a process of the program does not have it */
    uint32_t ancestors_n;
    struct mend_letter_ancestor
        ancestor[MEND_LINEAGE_EDGES_MAX]; /* the parent first, the root last */
    const char *host, *parent_host;       /* as the user, and as itself, name the two */
    const char *user;                     /* whose HOME the environment names */
    const char *wdir;
    struct mend_strings argv, env;
    uint32_t given_n;
    const unsigned char *given;          /* what mpiexec has made of the command line */
    uint64_t limits[MEND_LETTER_LIMITS]; /* soft ones */
};

/* The whole letter (the caller frees it), *len_p bytes. */
unsigned char *mend_letter_encode(const struct mend_letter *l, const struct mend_build *mine,
                                  size_t *len_p);

/* Of the line, which ends with a newline: how many bytes follow, or 0 and a sentence about why not (the caller frees it). */
size_t mend_letter_line(const char *line, const struct mend_build *mine, const char *host,
                        char **why_p);

/* Of the bytes behind the line.  False: they are damaged.  *l_p points into them. */
bool mend_letter_decode(const unsigned char *at, size_t len, struct mend_letter *l_p);

/* Reads the letter from fd.  False: a sentence about why not, which the caller frees; no byte for 30 s is a reason, too. */
bool mend_letter_read(int fd, const struct mend_build *mine, struct mend_letter *l_p, char **why_p);

#endif
