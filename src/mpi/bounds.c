/* SPDX-License-Identifier: BSD-3-Clause */
/* bounds.c – structures with MPI_LB and MPI_UB among their members, as MPI-1 made them.
 *
 * The two are not datatypes: they have no size, and their displacement says where the structure
 * begins or ends.  What replaced them is MPI_Type_create_resized, so that is what comes out:
 *
 *     LB@-8  int@0  UB@32  double@8      resized(struct(int@0, double@8), lb -8, ub 32)
 */
#include "mpi/bounds.h"
#include "mpi/check.h"

bool mend_bounds_given(int count, const MPI_Datatype *types)
{
    for (int i = 0; types && i < count; i++) {
        if (types[i] == MPI_LB || types[i] == MPI_UB)
            return true;
    }
    return false;
}

/* Replaces *whole_p, MPI_DATATYPE_NULL at first, by a structure of itself and of n more members. */
static int append(MPI_Datatype *whole_p, int n, const int *lens, const MPI_Aint *displs,
                  const MPI_Datatype *types)
{
    static const int ones[2] = {1, 1};
    static const MPI_Aint zeros[2] = {0, 0};
    MPI_Datatype part = MPI_DATATYPE_NULL, both = MPI_DATATYPE_NULL;
    int err = PMPI_Type_create_struct(n, lens, displs, types, &part);

    if (err)
        return err;
    if (*whole_p == MPI_DATATYPE_NULL) {
        *whole_p = part;
        return MPI_SUCCESS;
    }
    err = PMPI_Type_create_struct(2, ones, zeros, (MPI_Datatype[]){*whole_p, part}, &both);
    PMPI_Type_free(&part);
    if (!err) {
        PMPI_Type_free(whole_p);
        *whole_p = both;
    }
    return err;
}

/* The members other than MPI_LB and MPI_UB, in their order, without copying the arrays:
 *
 *     LB  int double  UB  char        runs between the bounds, appended one after the other */
static int struct_of_others(int count, const int *lens, const MPI_Aint *displs,
                            const MPI_Datatype *types, MPI_Datatype *whole_p)
{
    int err = MPI_SUCCESS;

    for (int i = 0, n = 0; i < count && !err; i += n + 1) {
        n = 0;
        while (i + n < count && types[i + n] != MPI_LB && types[i + n] != MPI_UB)
            n++;
        if (n > 0)
            err = append(whole_p, n, lens + i, displs + i, types + i);
    }
    if (!err && *whole_p == MPI_DATATYPE_NULL)
        err = PMPI_Type_contiguous(0, MPI_BYTE, whole_p);
    return err;
}

int mend_bounds_struct(int count, const int *lens, const MPI_Aint *displs,
                       const MPI_Datatype *types, MPI_Datatype *newtype_p)
{
    MPI_Datatype whole = MPI_DATATYPE_NULL;
    MPI_Aint lb = 0, ub = 0;
    bool lb_given = false, ub_given = false;
    int err = struct_of_others(count, lens, displs, types, &whole);

    if (!err)
        err = PMPI_Type_get_extent(whole, &lb, &ub);
    ub += lb;
    for (int i = 0; i < count && !err; i++) {
        if (types[i] == MPI_LB && (!lb_given || displs[i] < lb)) {
            lb = displs[i];
            lb_given = true;
        } else if (types[i] == MPI_UB && (!ub_given || displs[i] > ub)) {
            ub = displs[i];
            ub_given = true;
        }
    }
    if (!err)
        err = PMPI_Type_create_resized(whole, lb, ub - lb, newtype_p);
    if (whole != MPI_DATATYPE_NULL)
        PMPI_Type_free(&whole);
    return err;
}

MEND_API(MPI_Type_struct);
int MPI_Type_struct(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
                    MPI_Datatype array_of_types[], MPI_Datatype *newtype)
{
    if (mend_bounds_given(count, array_of_types) && array_of_blocklengths && array_of_displacements)
        return mend_bounds_struct(count, array_of_blocklengths, array_of_displacements,
                                  array_of_types, newtype);
    return PMPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements,
                                   array_of_types, newtype);
}
