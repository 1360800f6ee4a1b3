/* SPDX-License-Identifier: BSD-3-Clause */
/* atomic.h – the few memory operations that shared words need, by their C11 names.
 *
 * Every use names its partner in a comment: "release: pairs with the acquire in mend_copypage_take()". */
#ifndef MEND_BASE_ATOMIC_H
#define MEND_BASE_ATOMIC_H

#include <stdatomic.h>
#include <stdint.h>

typedef _Atomic uint8_t mend_atomic_u8;
typedef _Atomic uint32_t mend_atomic_u32;
typedef _Atomic uint64_t mend_atomic_u64;

#define mend_load_relaxed(p)     atomic_load_explicit((p), memory_order_relaxed)
#define mend_load_acquire(p)     atomic_load_explicit((p), memory_order_acquire)
#define mend_store_relaxed(p, v) atomic_store_explicit((p), (v), memory_order_relaxed)
#define mend_store_release(p, v) atomic_store_explicit((p), (v), memory_order_release)

/* Tells the core that this is a spin loop. */
static inline void mend_cpu_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield" ::: "memory");
#endif
}

#endif
