/* SPDX-License-Identifier: BSD-3-Clause */
/* op.c – operators as objects, and their use on a buffer.
 *
 *     MPI_SUM ──> const table ──┐
 *     user's  ──> its address ──┴─> struct mend_op ──apply──> loop of op_*.c, or user's function
 *
 * A predefined operator is defined for predefined types only (MPI-5.0 6.9.2); MPI_REPLACE and
 * MPI_NO_OP, which are for one-sided calls, for all. */
#include "datatype/op.h"
#include "datatype/envelope.h"
#include "datatype/op_table.h"

#include <limits.h>

#define OP(code_, commutative_)                                                                    \
    [MEND_OP_##code_] = {.magic = MEND_OP_MAGIC,                                                   \
                         .refs = 1,                                                                \
                         .predefined = true,                                                       \
                         .commutative = commutative_,                                              \
                         .code = MEND_OP_##code_}

static const struct mend_op predefined[MEND_OP_SLOTS] = {
    OP(SUM, true),    OP(MIN, true),    OP(MAX, true),      OP(PROD, true),   OP(BAND, true),
    OP(BOR, true),    OP(BXOR, true),   OP(LAND, true),     OP(LOR, true),    OP(LXOR, true),
    OP(MINLOC, true), OP(MAXLOC, true), OP(REPLACE, false), OP(NO_OP, false),
};

/* NULL: a small integer that is not an operator. */
const struct mend_op *mend_op_of(MPI_Op handle)
{
    uintptr_t value = (uintptr_t)handle, code = value - MEND_OP_FIRST;

    if (mend_unlikely(value >= 0x1000))
        return (const struct mend_op *)handle;
    return code < MEND_OP_SLOTS && predefined[code].magic ? &predefined[code] : NULL;
}

struct mend_op *mend_op_create(struct mend_proc *self, MPI_User_function *fn,
                               MPI_User_function_c *fn_c, bool commutative)
{
    struct mend_op *op = mend_zalloc(self, 1, sizeof(*op));

    if (!op)
        return NULL;
    op->magic = MEND_OP_MAGIC;
    op->refs = 1;
    op->commutative = commutative;
    op->large = fn_c != NULL;
    if (fn_c)
        op->fn_c = fn_c;
    else
        op->fn = fn;
    return op;
}

const char *mend_op_name(const struct mend_op *op)
{
#define NAME(code_) [MEND_OP_##code_] = "MPI_" #code_
    static const char *const names[MEND_OP_SLOTS] = {
        NAME(SUM),  NAME(MIN), NAME(MAX),  NAME(PROD),   NAME(BAND),   NAME(BOR),     NAME(BXOR),
        NAME(LAND), NAME(LOR), NAME(LXOR), NAME(MINLOC), NAME(MAXLOC), NAME(REPLACE), NAME(NO_OP),
    };

    return op->predefined ? names[op->code] : "an operator of the program";
}

void mend_op_get(const struct mend_op *op)
{
    if (!op->predefined)
        ((struct mend_op *)op)->refs++;
}

void mend_op_put(struct mend_proc *self, const struct mend_op *op)
{
    struct mend_op *mine = (struct mend_op *)op;

    if (op->predefined || --mine->refs > 0)
        return;
    mine->magic = 0;
    mend_free(self, mine);
}

/* The loop for a pair of a predefined or unnamed type. */
static mend_op_fn *find_loc(enum mend_op_code code, const struct mend_type *t)
{
    const struct mend_type *members[2];

    return mend_type_pair(t, members) ? mend_op_loc_find(code, members[0]->basic, members[1]->basic)
                                      : NULL;
}

/* The loop of a predefined operator; NULL: it is not defined for the type. */
static mend_op_fn *find(enum mend_op_code code, const struct mend_type *t)
{
    if (!t->predefined)
        return NULL;
    if (code <= MEND_OP_PROD)
        return mend_op_arith_find(code, t->basic);
    if (code <= MEND_OP_LXOR)
        return mend_op_logic_find(code, t->basic);
    return find_loc(code, t);
}

int mend_op_check(const struct mend_op *op, const struct mend_type *t)
{
    if (!op->predefined || op->code >= MEND_OP_REPLACE)
        return MPI_SUCCESS;
    return find(op->code, t) ? MPI_SUCCESS : MPI_ERR_OP;
}

/* An int form that is given more than an int counts is called several times (MPI-5.0 6.9.5: it may
 * be called for any part of the vector). */
static void call_int_form(const struct mend_op *op, const char *in, char *inout, MPI_Count count,
                          MPI_Count extent, MPI_Datatype handle)
{
    while (count > 0) {
        int n = count < INT_MAX ? (int)count : INT_MAX, len = n;
        MPI_Datatype type = handle;

        op->fn((void *)in, inout, &len, &type);
        in += n * extent;
        inout += n * extent;
        count -= n;
    }
}

/* What the function calls of MPI must not carry out a death in the middle of a reduction. */
static void call_user(const struct mend_op *op, const void *in, void *inout, MPI_Count count,
                      const struct mend_type *t, MPI_Datatype handle)
{
    bool outer = mend_self->reducing;

    mend_self->reducing = true;
    if (op->large)
        op->fn_c((void *)in, inout, &(MPI_Count){count}, &(MPI_Datatype){handle});
    else
        call_int_form(op, in, inout, count, t->extent, handle);
    mend_self->reducing = outer;
}

/* The last two, which are defined for all types, choose one operand. */
static void choose(const struct mend_op *op, const void *left, const void *right, void *to,
                   MPI_Count count, const struct mend_type *t)
{
    const void *from = op->code == MEND_OP_REPLACE ? left : right;

    if (from != to)
        mend_type_copy(t, from, count, t, to, count);
}

void mend_op_combine(const struct mend_op *op, const void *left, const void *right, void *to,
                     MPI_Count count, const struct mend_type *t)
{
    MEND_ASSERT(op->predefined);
    if (mend_unlikely(op->code >= MEND_OP_REPLACE))
        choose(op, left, right, to, count, t);
    else
        find(op->code, t)(left, right, to, count);
}

void mend_op_apply(const struct mend_op *op, const void *in, void *inout, MPI_Count count,
                   const struct mend_type *t, MPI_Datatype handle)
{
    if (count == 0)
        return;
    if (mend_likely(op->predefined))
        mend_op_combine(op, in, inout, inout, count, t);
    else
        call_user(op, in, inout, count, t, handle);
}
