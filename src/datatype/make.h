/* SPDX-License-Identifier: BSD-3-Clause */
/* make.h – for the unit tests of this folder: one line per type, in a process of its own. */
#ifndef MEND_DATATYPE_MAKE_H
#define MEND_DATATYPE_MAKE_H

#include "base/test.h"
#include "datatype/envelope.h"
#include "datatype/init.h"
#include "datatype/layout.h"

typedef const struct mend_type *type;

static struct mend_proc *self;

#define P(name_) mend_type_predefined((uintptr_t)MPI_##name_)

__attribute__((constructor(101))) static void make_self(void)
{
    self = mend_proc_create_bare();
}

/* The result of building; *t_p is not committed. */
static inline int try_make(int combiner, const MPI_Count *values, MPI_Count values_n,
                           const type *types, MPI_Count types_n, struct mend_type **t_p)
{
    struct mend_type *t = mend_type_draft(self, combiner, false, values_n, types_n);

    CHECK(t != NULL);
    if (values_n)
        memcpy(t->envelope->values, values, (size_t)values_n * sizeof(*values));
    if (types_n)
        memcpy(t->envelope->types, types, (size_t)types_n * sizeof(*types));
    *t_p = t;
    return mend_type_build(self, t);
}

static inline type make(int combiner, const MPI_Count *values, MPI_Count values_n,
                        const type *types, MPI_Count types_n)
{
    struct mend_type *t;

    CHECK_EQ(try_make(combiner, values, values_n, types, types_n, &t), MPI_SUCCESS);
    CHECK_EQ(mend_type_commit(self, t), MPI_SUCCESS);
    return t;
}

#define NUMBERS(...)                                                                               \
    (const MPI_Count[]){__VA_ARGS__}, sizeof((MPI_Count[]){__VA_ARGS__}) / sizeof(MPI_Count)

/* MAKE(VECTOR, old, count, blocklength, stride): any combiner with one old type. */
#define MAKE(combiner_, old_, ...)                                                                 \
    make(MPI_COMBINER_##combiner_, NUMBERS(__VA_ARGS__), (const type[]){old_}, 1)

#endif
