/* SPDX-License-Identifier: BSD-3-Clause */
/* removed.c – shows that a program of the 1990s compiles: functions and constants that MPI-3.0
 * removed, deprecated ones, and the conversions from and to Fortran. */
#include <mpi.h>

struct particle {
    int id;
    double where[3];
    char kind;
};

static int copied(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)extra;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int deleted(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)value, (void)extra;
    return MPI_SUCCESS;
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    MPI_Abort(*comm, *code);
}

static MPI_Datatype particle_type(void)
{
    struct particle p[2];
    int lens[5] = {1, 1, 3, 1, 1};
    MPI_Aint at[5], base;
    MPI_Datatype types[5] = {MPI_LB, MPI_INT, MPI_DOUBLE, MPI_CHAR, MPI_UB};
    MPI_Datatype t;

    MPI_Address(&p[0], &base);
    MPI_Address(&p[0].id, &at[1]);
    MPI_Address(&p[0].where, &at[2]);
    MPI_Address(&p[0].kind, &at[3]);
    MPI_Address(&p[1], &at[4]);
    at[0] = base;
    for (int i = 0; i < 5; i++)
        at[i] -= base;
    MPI_Type_struct(5, lens, at, types, &t);
    MPI_Type_commit(&t);
    return t;
}

static void attributes(MPI_Comm comm)
{
    static int value = 7;
    int key, key2, flag;
    void *found;
    int *tag_ub;

    MPI_Keyval_create(copied, deleted, &key, NULL);
    MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key2, NULL);
    MPI_Attr_put(comm, key, &value);
    MPI_Attr_get(comm, key, &found, &flag);
    MPI_Attr_get(comm, MPI_TAG_UB, &tag_ub, &flag);
    MPI_Attr_get(comm, MPI_HOST, &found, &flag);
    MPI_Attr_delete(comm, key);
    MPI_Keyval_free(&key);
    MPI_Keyval_free(&key2);
}

static int types(void)
{
    MPI_Datatype p = particle_type(), v, h;
    int lens[2] = {1, 2}, ints, addresses, datatypes, combiner;
    MPI_Aint at[2] = {0, 64}, extent, lb, ub;

    MPI_Type_hvector(2, 1, 128, p, &v);
    MPI_Type_hindexed(2, lens, at, p, &h);
    MPI_Type_extent(v, &extent);
    MPI_Type_lb(h, &lb);
    MPI_Type_ub(h, &ub);
    MPI_Type_get_envelope(v, &ints, &addresses, &datatypes, &combiner);
    MPI_Type_free(&p);
    MPI_Type_free(&v);
    MPI_Type_free(&h);
    return combiner == MPI_COMBINER_HVECTOR_INTEGER || combiner == MPI_COMBINER_HINDEXED_INTEGER ||
           combiner == MPI_COMBINER_STRUCT_INTEGER;
}

static void fortran(void)
{
    MPI_Fint comm = MPI_Comm_c2f(MPI_COMM_WORLD);
    MPI_Fint f_status[MPI_F_STATUS_SIZE], *ignore = MPI_F_STATUS_IGNORE;
    MPI_F08_status f08_status;
    MPI_Status status;

    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_Comm_f2c(comm), &status);
    if (ignore != f_status)
        MPI_Status_c2f(&status, f_status);
    MPI_Status_f2c(f_status, &status);
    MPI_Status_c2f08(&status, &f08_status);
    MPI_Status_f082f(&f08_status, f_status);
    MPI_Status_f2f08(f_status, &f08_status);
    MPI_Status_f082c(&f08_status, &status);
    (void)MPI_Type_f2c(MPI_Type_c2f(MPI_INT));
    (void)MPI_Op_f2c(MPI_Op_c2f(MPI_SUM));
    (void)MPI_Group_f2c(MPI_Group_c2f(MPI_GROUP_EMPTY));
    (void)MPI_Request_f2c(MPI_Request_c2f(MPI_REQUEST_NULL));
    (void)MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_NULL));
    (void)MPI_Win_f2c(MPI_Win_c2f(MPI_WIN_NULL));
    (void)MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL));
}

int main(int argc, char **argv)
{
    MPI_Errhandler mine, theirs;

    MPI_Init(&argc, &argv);
    MPI_Errhandler_get(MPI_COMM_WORLD, &theirs);
    MPI_Errhandler_create(on_error, &mine);
    MPI_Errhandler_set(MPI_COMM_WORLD, mine);
    attributes(MPI_COMM_WORLD);
    fortran();
    MPI_Errhandler_free(&mine);
    return types() + MPI_Finalize();
}
