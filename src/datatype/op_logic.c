/* SPDX-License-Identifier: BSD-3-Clause */
/* op_logic.c – MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR: table code only.
 *
 * A Fortran LOGICAL is true if it is not 0, and a result that is true is 1. */
#include "datatype/op_table.h"

MEND_OP_TYPE(b8, uint8_t);
MEND_OP_TYPE(b16, uint16_t);
MEND_OP_TYPE(b32, uint32_t);
MEND_OP_TYPE(b64, uint64_t);

#ifdef MEND_HAVE_INT128
MEND_OP_TYPE(b128, mend_uint128);
#define WIDE(X, basic_) X(b128, basic_)
#else
#define WIDE(X, basic_)
#endif

/* Whole bits: the same loops for signed, unsigned and logical numbers of one size. */
#define SIZES(X) X(b8, _) X(b16, _) X(b32, _) X(b64, _) WIDE(X, _)

#define LOOPS(bits_, ignored_)                                                                     \
    MEND_OP_FUNCTION(land_##bits_, bits_, (bits_)(a && b))                                         \
    MEND_OP_FUNCTION(lor_##bits_, bits_, (bits_)(a || b))                                          \
    MEND_OP_FUNCTION(lxor_##bits_, bits_, (bits_)(!a != !b))                                       \
    MEND_OP_FUNCTION(band_##bits_, bits_, a &b)                                                    \
    MEND_OP_FUNCTION(bor_##bits_, bits_, a | b)                                                    \
    MEND_OP_FUNCTION(bxor_##bits_, bits_, a ^ b)

SIZES(LOOPS)

#define INTS(X)                                                                                    \
    X(b8, I8)                                                                                      \
    X(b8, CHAR)                                                                                    \
    X(b8, U8) X(b16, I16) X(b16, U16) X(b32, I32) X(b32, U32) X(b64, I64) X(b64, U64) WIDE(X, I128)
#define LOGICALS(X)                                                                                \
    X(b8, BOOL)                                                                                    \
    X(b8, LOGICAL8)                                                                                \
    X(b16, LOGICAL16) X(b32, LOGICAL32) X(b64, LOGICAL64) WIDE(X, LOGICAL128)
#define BYTES(X) X(b8, BYTE)

mend_op_fn *mend_op_logic_find(enum mend_op_code code, enum mend_basic basic)
{
#define LAND(bits_, basic_) [MEND_OP_LAND][MEND_BASIC_##basic_] = land_##bits_,
#define LOR(bits_, basic_)  [MEND_OP_LOR][MEND_BASIC_##basic_] = lor_##bits_,
#define LXOR(bits_, basic_) [MEND_OP_LXOR][MEND_BASIC_##basic_] = lxor_##bits_,
#define BAND(bits_, basic_) [MEND_OP_BAND][MEND_BASIC_##basic_] = band_##bits_,
#define BOR(bits_, basic_)  [MEND_OP_BOR][MEND_BASIC_##basic_] = bor_##bits_,
#define BXOR(bits_, basic_) [MEND_OP_BXOR][MEND_BASIC_##basic_] = bxor_##bits_,
    static mend_op_fn *const table[MEND_OP_LXOR + 1][MEND_BASIC_COUNT] = {
        INTS(LAND) LOGICALS(LAND) INTS(LOR) LOGICALS(LOR) INTS(LXOR) LOGICALS(LXOR) INTS(BAND)
            BYTES(BAND) INTS(BOR) BYTES(BOR) INTS(BXOR) BYTES(BXOR)};

    return code <= MEND_OP_LXOR ? table[code][basic] : NULL;
}
