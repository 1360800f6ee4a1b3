/* SPDX-License-Identifier: BSD-3-Clause */
/* status.h – the results of calls below the MPI layer, and the assert that stays on.
 *
 * The library has two vocabularies.  Functions of net/ and rt/ return an `enum mend_status`.  From p2p/
 * upward a function returns an MPI error class in an `int` (MPI_SUCCESS is 0, as is MEND_OK).
 */
#ifndef MEND_BASE_STATUS_H
#define MEND_BASE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mend_status {
    MEND_OK = 0,
    MEND_AGAIN,    /* no room now: poll, then try again */
    MEND_ERR_PEER, /* the peer is dead (or cut): the operation will never complete */
    MEND_ERR_MEM,
    MEND_ERR_SYS, /* the system refused; errno tells why */
    MEND_ERR_BAD, /* damaged or foreign input was refused */
    MEND_ERR_UNSUPPORTED,
};

/* A process in this process's peer table.  In a job without spawn it is the world rank. */
typedef int32_t mend_peer;
#define MEND_PEER_NONE ((mend_peer)-1)

/* A process's index in the segment of its node.  Another process may have it later.  A struct, so that the compiler
 * tells it from a name; mend_peer_place() is the one way from a peer to its place, mend_node_peer_at() the way back. */
typedef struct {
    uint32_t at;
} mend_place;
#define MEND_PLACE_NONE mend_place_at(UINT32_MAX)

static inline mend_place mend_place_at(uint32_t i)
{
    return (mend_place){i};
}

typedef uint64_t mend_time_ns;
#define MEND_TIME_NEVER UINT64_MAX

#define mend_likely(x)                       __builtin_expect(!!(x), 1)
#define mend_unlikely(x)                     __builtin_expect(!!(x), 0)
#define MEND_COUNT_OF(a)                     (sizeof(a) / sizeof((a)[0]))
#define MEND_CONTAINER_OF(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))
#define MEND_CACHE_LINE                      64

/* Prints the broken expectation with its place and ends the process.  Never returns. */
_Noreturn void mend_assert_fail(const char *expr, const char *file, int line, const char *func);

/* An expectation about our own code; on in release builds too. */
#define MEND_ASSERT(x)                                                                             \
    (mend_likely(x) ? (void)0 : mend_assert_fail(#x, __FILE__, __LINE__, __func__))

#endif
