/* SPDX-License-Identifier: BSD-3-Clause */
/* arguments.c – from the arguments of a constructor, of either width, to the numbers of a draft. */
#include "datatype/envelope.h"

#include <string.h>

_Static_assert(sizeof(MPI_Aint) == sizeof(MPI_Count), "addresses are read as counts");

static int count_numbers(const struct mend_type_arguments *a, MPI_Count *total_p)
{
    MPI_Count total = 0;

    if (a->count < 0)
        return MPI_ERR_COUNT;
    for (int i = 0; i < a->numbers_n; i++) {
        if (a->numbers[i].n > 0 && !a->numbers[i].at)
            return MPI_ERR_ARG;
        if (__builtin_add_overflow(total, a->numbers[i].n, &total))
            return MPI_ERR_COUNT;
    }
    *total_p = total;
    return MPI_SUCCESS;
}

static void copy_numbers(const struct mend_type_arguments *a, MPI_Count *to)
{
    for (int i = 0; i < a->numbers_n; i++) {
        const struct mend_type_numbers *from = &a->numbers[i];

        if (from->wide && from->n > 0)
            memcpy(to, from->at, (size_t)from->n * sizeof(*to));
        for (MPI_Count k = 0; !from->wide && k < from->n; k++)
            to[k] = ((const int *)from->at)[k];
        to += from->n;
    }
}

int mend_type_draft_of(struct mend_proc *self, const struct mend_type_arguments *a,
                       struct mend_type **draft_p)
{
    MPI_Count total;
    int err = count_numbers(a, &total);

    if (err)
        return err;
    *draft_p = mend_type_draft(self, a->combiner, a->large, total, a->types_n);
    if (!*draft_p)
        return MPI_ERR_NO_MEM;
    copy_numbers(a, (*draft_p)->envelope->values);
    return MPI_SUCCESS;
}
