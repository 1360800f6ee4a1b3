/* SPDX-License-Identifier: BSD-3-Clause */
/* alias.h – two names for every MPI function: PMPI_X, strong, and MPI_X, a weak alias of it.
 *
 * A profiling tool defines MPI_Send itself and calls PMPI_Send to reach the library (MPI-5.0 15.2).
 * A function is written under its plain name, and one line in front of it makes the two symbols:
 *
 *     MEND_API(MPI_Barrier);
 *     int MPI_Barrier(MPI_Comm comm)
 *     {
 *         ...
 *     }
 *
 *     source               assembler               libmpi_abi.so
 *     MPI_Barrier  ─────>  PMPI_Barrier            T PMPI_Barrier  ─┐ the same address
 *                          .weak MPI_Barrier       W MPI_Barrier   ─┘
 *
 * How: the first declaration gives the function the assembler name PMPI_X; the second one declares
 * a name that the source never uses again, with assembler name MPI_X, as an alias of it.
 *
 * 1. __func__ is "MPI_X", and "^int MPI_X(" has one hit in the tree.
 * 2. The library never calls a name that a tool may have taken: after MEND_API(MPI_X) a call of
 *    MPI_X in the same file goes to PMPI_X; in other files write PMPI_X.
 * 3. These names are the only ones that are visible outside (libmpi_abi.map); the forgotten line is
 *    found by tools/check-symbols. */
#ifndef MEND_MPI_ALIAS_H
#define MEND_MPI_ALIAS_H

#include "mpi.h"

#define MEND_VISIBLE __attribute__((visibility("default")))

/* The definition of name, an MPI_ or MPIX_ function that mpi.h declares, follows in this file. */
#define MEND_API(name)                                                                             \
    extern __typeof__(name) name __asm__("P" #name) MEND_VISIBLE;                                  \
    extern __typeof__(name) mend_weak_##name __asm__(#name) MEND_VISIBLE                           \
        __attribute__((weak, alias("P" #name)))

/* A further name of a function, for code that watches calls by their names (check.c).  Its alignment is
 * that of the largest one a compiler may like better, so that those in the section are an array. */
struct mend_other_name {
    char name[64], same[64];
} __attribute__((aligned(64)));

/* name and its twin are further names of the function `same`, which is defined in this file. */
#define MEND_API_SAME(name, same)                                                                  \
    static const struct mend_other_name mend_other_##name                                          \
        __attribute__((section("mend_other_names"), used)) = {#name, #same};                       \
    extern __typeof__(name) mend_weak_##name __asm__(#name) MEND_VISIBLE                           \
        __attribute__((weak, alias("P" #same)));                                                   \
    extern __typeof__(name) mend_strong_##name __asm__("P" #name) MEND_VISIBLE                     \
        __attribute__((alias("P" #same)))

#endif
