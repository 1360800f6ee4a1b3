/* SPDX-License-Identifier: BSD-3-Clause */
/* sys.h – system calls without the C library.
 *
 * While a process is being rolled back its own memory is half old and half new: errno, the tables of the dynamic
 * linker and the C library's state may not be touched.  These calls use registers only; they return the
 * result or the negative errno. */
#ifndef MEND_SNAP_SYS_H
#define MEND_SNAP_SYS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static inline long mend_snap_sys(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c, x3 __asm__("x3") = d, x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;

    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
#else
#error "src/snap/sys.h: no system calls for this processor"
#endif
}

#define MEND_SNAP_SYS6(number, a, b, c, d, e, f)                                                   \
    mend_snap_sys((number), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define MEND_SNAP_SYS3(number, a, b, c)    MEND_SNAP_SYS6(number, a, b, c, 0, 0, 0)
#define MEND_SNAP_SYS4(number, a, b, c, d) MEND_SNAP_SYS6(number, a, b, c, d, 0, 0)

/* All n bytes between a file and memory, or false. */
static inline int mend_snap_move(long number, int fd, uintptr_t at, uint64_t n, uint64_t offset)
{
    while (n) {
        long done = MEND_SNAP_SYS4(number, fd, at, n, offset);

        if (done <= 0)
            return 0;
        at += (uint64_t)done;
        offset += (uint64_t)done;
        n -= (uint64_t)done;
    }
    return 1;
}

static inline int mend_snap_advise(uintptr_t start, uintptr_t end, int advice)
{
    return (int)MEND_SNAP_SYS3(SYS_madvise, start, end - start, advice);
}

/* Whole pages. */
static inline void mend_snap_copy(void *to, const void *from, size_t n)
{
#if defined(__x86_64__)
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
#else
    __asm__ volatile("1: ldp q0, q1, [%1], #32\n"
                     "   stp q0, q1, [%0], #32\n"
                     "   subs %2, %2, #32\n"
                     "   b.ne 1b"
                     : "+r"(to), "+r"(from), "+r"(n)
                     :
                     : "v0", "v1", "cc", "memory");
#endif
}

#endif
