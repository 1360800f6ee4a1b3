/* SPDX-License-Identifier: BSD-3-Clause */
/* reserve.h – how a rank of cycles.c is called up: one futex word per rank in a file that all map.
 *
 * A reserve (reserve.c) sleeps on its word and has not called MPI_Init; a rank that writes 1 starts it.  So
 * ten thousand of them cost no more than ten thousand small processes, and no death wakes them. */
#ifndef TEST_SOAK_RESERVE_H
#define TEST_SOAK_RESERVE_H

#include <fcntl.h>
#include <linux/futex.h>
#include <limits.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RESERVE_MAX 16384

/* NULL: the file cannot be mapped. */
static inline _Atomic uint32_t *reserve_board(const char *path)
{
    int fd = open(path, O_RDWR);
    void *at = MAP_FAILED;

    if (fd >= 0) {
        at = mmap(NULL, RESERVE_MAX * sizeof(uint32_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
    }
    return at == MAP_FAILED ? NULL : at;
}

static inline void reserve_sleep(_Atomic uint32_t *word)
{
    while (!*word)
        syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static inline void reserve_call_up(_Atomic uint32_t *word)
{
    *word = 1;
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

#endif
