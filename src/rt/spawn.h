/* SPDX-License-Identifier: BSD-3-Clause */
/* spawn.h – what the root of MPI_Comm_spawn, or of MPIX_Comm_refill, asks its agent for, and the answer: a nameless
 * file that the two share.
 *
 *   | header | errors of the processes | blocks and their strings |
 *     root        the agent                root
 *
 * The root fills the file and hands the agent its descriptor, sealed against shrinking.  The agent copies the request
 * before it checks it, starts the processes, and writes the answer; `answer` is released last.  The processes that it
 * starts inherit the descriptor, and find in the header which process they are to meet before their MPI_Init returns
 * (create/spawn.c). */
#ifndef MEND_RT_SPAWN_H
#define MEND_RT_SPAWN_H

#include "base/atomic.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

#define MEND_SPAWN_MAGIC     UINT64_C(0x4d454e4453505731) /* "MENDSPW1" */
#define MEND_SPAWN_BYTES_MAX (16u << 20)
#define MEND_SPAWN_SPEC_MAX  4096 /* blocks of MPI_Comm_spawn_multiple */
#define MEND_SPAWN_WHY_BYTES 240  /* of a sentence, with the 0 behind it */

enum mend_spawn_answer {
    MEND_SPAWN_ASKED = 0,
    MEND_SPAWN_STARTED, /* the processes first .. first + started_n - 1 */
    MEND_SPAWN_FAILED,  /* none; the errors say why */
    MEND_SPAWN_FULL,    /* none: the job has no room for as many; `room` says for how many */
};

/* The root writes all but the answer. */
struct mend_spawn_header {
    uint64_t magic;
    uint32_t asked_n; /* processes, of all blocks */
    uint32_t blocks_n;
    int32_t root;    /* its name */
    uint64_t number; /* with the root's name what the meeting is called */
    uint32_t
        parted; /* 1: a process is there with which the root has no communicator: it may be about to end */

    /* the agent */
    _Alignas(MEND_CACHE_LINE) mend_atomic_u32 answer; /* enum mend_spawn_answer; released last */
    int32_t first;
    uint32_t started_n, room;
    char why[MEND_SPAWN_WHY_BYTES]; /* none was started, in words; empty: the errors say it */
};

/* A process that is replaced: its name, and the rank that it had in the communicator that becomes whole again. */
struct mend_seat {
    int32_t dead, rank;
};

/* One command of MPI_Comm_spawn_multiple; or, with `again`, one process that runs what a dead one did, whose rank it
 * takes: then nothing else is said. */
struct mend_spawn_block {
    int32_t asked_n;
    bool again;
    struct mend_seat seat;
    const char *command;
    char *const *args;       /* without the command's name; ends with NULL; may be NULL */
    const char *wdir, *path; /* where it starts, where it is looked for; NULL: not said */
    const char *soft;        /* how many would do as well (MPI-5.0 11.8.1); NULL: none */
    const char *errhandler;  /* the initial one, as the parameter has it; NULL: not said */
    const char *host;        /* the hosts that it may be on, with commas; NULL: any */
};

/* The file as one process has it.  Nothing that another process writes says how long it is. */
struct mend_spawn_file {
    struct mend_spawn_header *h;
    size_t bytes;
};

/* Makes the file and maps it.  Returns its descriptor, or -1, and errno says why (E2BIG: too long). */
int mend_spawn_write(const struct mend_spawn_block *blocks, int n, int32_t root, uint64_t number,
                     struct mend_spawn_file *f);

/* The same of the bytes of such a file. */
int mend_spawn_copy(const void *bytes, size_t len, struct mend_spawn_file *f);

/* Maps the file behind a descriptor that another process sent.  False: it is not one. */
bool mend_spawn_map(struct mend_spawn_file *f, int fd, bool writable);
void mend_spawn_unmap(struct mend_spawn_file *f);

/* The errors of the processes, asked_n of them; errno values, 0: none. */
static inline int32_t *mend_spawn_errors(struct mend_spawn_header *h)
{
    return (int32_t *)(h + 1);
}

/* Which ones the asked_n processes replace, if all of them do; the caller's (free()).  NULL: they do not, or the
 * request is damaged. */
struct mend_seat *mend_spawn_seats(const struct mend_spawn_file *f, uint32_t asked_n);

/* Reads what was asked for: *blocks_p, and what they point to, are one piece of memory, to be freed with free().  Returns
 * how many, -1: damaged, or no memory.  *asked_p: processes, for whose errors there is room. */
int mend_spawn_read(const struct mend_spawn_file *f, struct mend_spawn_block **blocks_p,
                    uint32_t *asked_p);

/* The largest number of `soft` that is at most `most`, -1: there is none, or it is not written as the standard says
 * (MPI-5.0 11.8.4: "a:b:c,d"). */
int mend_spawn_soft(const char *soft, int most);

/* The architecture is this machine's, in the kernel's words or in Debian's. */
bool mend_spawn_is_arch(const char *arch, const char *machine);

#endif
