/* SPDX-License-Identifier: BSD-3-Clause */
/* datatype.h – types and reduction operators as objects.
 *
 * A type describes where the bytes of one element lie; what moves data needs only four numbers of
 * it (size, lower bound, extent, and whether `count` elements are one piece of memory) and, when
 * they are not one piece, the resumable pack and unpack below.
 *
 * Predefined handles are the ABI's small integers 0x200..0x2eb; their types are a const table
 * shared by all.  What can be changed about them (attributes, a name) hangs from mend_proc.types.
 */
#ifndef MEND_DATATYPE_DATATYPE_H
#define MEND_DATATYPE_DATATYPE_H

#include "mpi.h"
#include "proc/proc.h"

#define MEND_TYPE_MAGIC 0x74797065u
#define MEND_OP_MAGIC   0x6f707270u

struct mend_attrs;    /* comm/attr.h */
struct mend_layout;   /* datatype/: compiled run list */
struct mend_envelope; /* datatype/: how it was constructed */

/* What an operator needs to know about a predefined type. */
enum mend_basic {
    MEND_BASIC_NONE = 0, /* derived from more than one basic type */
    MEND_BASIC_I8,
    MEND_BASIC_I16,
    MEND_BASIC_I32,
    MEND_BASIC_I64,
    MEND_BASIC_U8,
    MEND_BASIC_U16,
    MEND_BASIC_U32,
    MEND_BASIC_U64,
    MEND_BASIC_F16,
    MEND_BASIC_F32,
    MEND_BASIC_F64,
    MEND_BASIC_F80,
    MEND_BASIC_F128,
    MEND_BASIC_C32,
    MEND_BASIC_C64,
    MEND_BASIC_C80, /* complex of two such floats */
    MEND_BASIC_BOOL,
    MEND_BASIC_BYTE,
    MEND_BASIC_CHAR,
    MEND_BASIC_WCHAR,
    MEND_BASIC_PACKED,
    MEND_BASIC_LOGICAL8,
    MEND_BASIC_LOGICAL16,
    MEND_BASIC_LOGICAL32,
    MEND_BASIC_LOGICAL64,
    MEND_BASIC_FLOAT_INT,
    MEND_BASIC_DOUBLE_INT,
    MEND_BASIC_LONG_INT,
    MEND_BASIC_2INT,
    MEND_BASIC_SHORT_INT,
    MEND_BASIC_LONG_DOUBLE_INT,
    MEND_BASIC_2F32,
    MEND_BASIC_2F64,
    MEND_BASIC_I128,
    MEND_BASIC_C16,
    MEND_BASIC_C128,
    MEND_BASIC_LOGICAL128,
    MEND_BASIC_COUNT
};

struct mend_type {
    uint32_t magic;
    int refs; /* handles plus operations in progress plus types built from it */
    bool predefined, committed;
    bool dense;    /* count elements are one piece: size == extent, no gaps, in order; it begins at
                      the buffer's address + lb, and lb == true_lb */
    uint8_t basic; /* enum mend_basic; also for derived types made of one basic type */
    MPI_Count size, lb, extent, true_lb, true_extent;
    struct mend_layout *layout;
    struct mend_envelope *envelope;
    struct mend_attrs *attrs;
    char *name;
};

#define MEND_TYPE_FIRST 0x200 /* handles of types: MEND_TYPE_FIRST .. MEND_TYPE_LAST */
#define MEND_TYPE_LAST  0x2eb
#define MEND_TYPE_SLOTS (MEND_TYPE_LAST - MEND_TYPE_FIRST + 1)

/* By handle - MEND_TYPE_FIRST; NULL: no type has that handle. */
extern const struct mend_type *const mend_type_rows[MEND_TYPE_SLOTS];

/* The type of a predefined handle, NULL if there is none of that value. */
static inline const struct mend_type *mend_type_predefined(uintptr_t handle)
{
    uintptr_t slot = handle - MEND_TYPE_FIRST;

    return mend_likely(slot < MEND_TYPE_SLOTS) ? mend_type_rows[slot] : NULL;
}

/* The type of a handle that has been checked. */
static inline const struct mend_type *mend_type_of(MPI_Datatype handle)
{
    return mend_likely((uintptr_t)handle < 0x1000) ? mend_type_predefined((uintptr_t)handle)
                                                   : (const struct mend_type *)handle;
}

/* Where byte `at` of dense elements lies. A sum of numbers: buf is NULL if there are no elements, or if the type has
 * absolute addresses (MPI_BOTTOM), and C adds nothing to a null pointer. */
static inline void *mend_type_dense_at(const struct mend_type *t, const void *buf, MPI_Count at)
{
    return (void *)((uintptr_t)buf + (uintptr_t)t->true_lb + (uintptr_t)at);
}

/* Keeps a type alive for an operation in progress; predefined types are not counted. */
static inline void mend_type_get(const struct mend_type *t)
{
    if (!t->predefined)
        ((struct mend_type *)t)->refs++;
}

void mend_type_destroy(struct mend_proc *self, struct mend_type *t); /* only for mend_type_put() */

static inline void mend_type_put(struct mend_proc *self, const struct mend_type *t)
{
    if (!t->predefined && --((struct mend_type *)t)->refs == 0)
        mend_type_destroy(self, (struct mend_type *)t);
}

/* Callers give any count, displacement and extent.  These two look once, in src/mpi, whether the products
 * are numbers: whether count elements, the first of them displ units of unit bytes behind the buffer's
 * beginning, have bytes and places that an MPI_Count can hold.  What passed is multiplied without
 * a check below.  Elements without bytes are nowhere. */
bool mend_type_fits_at(const struct mend_type *t, MPI_Count count, MPI_Count displ, MPI_Count unit);

static inline bool mend_type_fits(const struct mend_type *t, MPI_Count count)
{
    MPI_Count bytes;

    return mend_likely(t->dense) ? !__builtin_mul_overflow(t->size, count, &bytes)
                                 : mend_type_fits_at(t, count, 0, 0);
}

/* Packs bytes [at, at + max) of the packed form of `count` elements at buf into out.  Returns the
 * number of bytes written: max, or less at the end.  Resumable at any byte.  O(bytes + log runs).
 */
size_t mend_type_pack(const struct mend_type *t, const void *buf, MPI_Count count, MPI_Count at,
                      void *out, size_t max);

/* The reverse: writes len packed bytes to their places from packed position `at` on.  Bytes behind
 * the end of `count` elements are ignored.  Returns the number of bytes used. */
size_t mend_type_unpack(const struct mend_type *t, void *buf, MPI_Count count, MPI_Count at,
                        const void *in, size_t len);

/* Copies between two buffers of equal type signature in one process; copies min of both sizes. */
void mend_type_copy(const struct mend_type *from_t, const void *from, MPI_Count from_n,
                    const struct mend_type *to_t, void *to, MPI_Count to_n);

/* Bytes that a temporary for count elements needs, and where element 0's address lies within:
 * a buffer p of *span_p bytes is used as p - *shift_p. */
void mend_type_span(const struct mend_type *t, MPI_Count count, MPI_Count *span_p,
                    MPI_Count *shift_p);

/* Operators. */
struct mend_op {
    uint32_t magic;
    int refs;
    bool predefined, commutative, large; /* large: fn is MPI_User_function_c */
    uint8_t code;                        /* predefined: handle - 0x20 */
    union {
        MPI_User_function *fn;
        MPI_User_function_c *fn_c;
    };
};

/* The operator of a handle that has been checked. */
const struct mend_op *mend_op_of(MPI_Op handle);
void mend_op_get(const struct mend_op *op);
void mend_op_put(struct mend_proc *self, const struct mend_op *op);

/* MPI_SUCCESS if the operator is defined for the type, else MPI_ERR_OP. */
int mend_op_check(const struct mend_op *op, const struct mend_type *t);

/* to[i] = left[i] op right[i] for count elements of a predefined operator.  `to` may be one of the two. */
void mend_op_combine(const struct mend_op *op, const void *left, const void *right, void *to,
                     MPI_Count count, const struct mend_type *t);

/* inout[i] = in[i] op inout[i] for count elements.  The handle is what a user function gets. */
void mend_op_apply(const struct mend_op *op, const void *in, void *inout, MPI_Count count,
                   const struct mend_type *t, MPI_Datatype handle);

#endif
