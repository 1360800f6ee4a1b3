/* SPDX-License-Identifier: BSD-3-Clause */
/* refuse.c – calls that work as ever, and because of which a roll-back is refused by name if the log is on. refuse.def
 * names them. */
#include "layer.h"

/* P3(int, int, MPI_Comm) is `int a3, int a2, MPI_Comm a1`, A3 is `a3, a2, a1`. */
#define P1(t_)       t_ a1
#define P2(t_, ...)  t_ a2, P1(__VA_ARGS__)
#define P3(t_, ...)  t_ a3, P2(__VA_ARGS__)
#define P4(t_, ...)  t_ a4, P3(__VA_ARGS__)
#define P5(t_, ...)  t_ a5, P4(__VA_ARGS__)
#define P6(t_, ...)  t_ a6, P5(__VA_ARGS__)
#define P7(t_, ...)  t_ a7, P6(__VA_ARGS__)
#define P8(t_, ...)  t_ a8, P7(__VA_ARGS__)
#define P9(t_, ...)  t_ a9, P8(__VA_ARGS__)
#define P10(t_, ...) t_ a10, P9(__VA_ARGS__)
#define P11(t_, ...) t_ a11, P10(__VA_ARGS__)
#define P12(t_, ...) t_ a12, P11(__VA_ARGS__)
#define P13(t_, ...) t_ a13, P12(__VA_ARGS__)
#define P14(t_, ...) t_ a14, P13(__VA_ARGS__)
#define A1           a1
#define A2           a2, A1
#define A3           a3, A2
#define A4           a4, A3
#define A5           a5, A4
#define A6           a6, A5
#define A7           a7, A6
#define A8           a8, A7
#define A9           a9, A8
#define A10          a10, A9
#define A11          a11, A10
#define A12          a12, A11
#define A13          a13, A12
#define A14          a14, A13

#define NTH(n1_, n2_, n3_, n4_, n5_, n6_, n7_, n8_, n9_, n10_, n11_, n12_, n13_, n14_, n_, ...) n_
#define NUMBER(...)                                                                             NTH(__VA_ARGS__, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define PASTE_(a_, b_)                                                                          a_##b_
#define PASTE(a_, b_)                                                                           PASTE_(a_, b_)

#define REFUSE(name_, ...)                                                                         \
    WRAPPER int MPI_##name_(PASTE(P, NUMBER(__VA_ARGS__))(__VA_ARGS__))                            \
    {                                                                                              \
        if (rollback_layer.on)                                                                     \
            rollback_refuse("MPI_" #name_);                                                        \
        return PMPI_##name_(PASTE(A, NUMBER(__VA_ARGS__)));                                        \
    }

#define COUNT             int
#define COUNTS            const int *
#define DISPLS            const int *
#define UNIT              int
#define PLAIN(name_, ...) REFUSE(name_, __VA_ARGS__)
#define SIZED(name_, ...) REFUSE(name_, __VA_ARGS__)
#include "refuse.def"
#undef COUNT
#undef COUNTS
#undef DISPLS
#undef UNIT
#undef PLAIN
#undef SIZED

#if MPI_VERSION >= 4
#define COUNT  MPI_Count
#define COUNTS const MPI_Count *
#define DISPLS const MPI_Aint *
#define UNIT   MPI_Aint
#define PLAIN(name_, ...)
#define SIZED(name_, ...) REFUSE(name_##_c, __VA_ARGS__)
#include "refuse.def"
#endif

/* The only one without parameters. */
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
WRAPPER int MPI_Buffer_flush(void)
{
    if (rollback_layer.on)
        rollback_refuse("MPI_Buffer_flush");
    return PMPI_Buffer_flush();
}
#endif
