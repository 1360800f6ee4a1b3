/* SPDX-License-Identifier: BSD-3-Clause */
/* wrong_buffers.c – buffers that are not what the datatype says.  clang warns of each line with the remark
 * "wrong" and of no other, before version 19 not of buffers that are only read; gcc of none. */
#include <mpi.h>
#include <stddef.h>

struct pair {
    double value;
    int where;
};

enum side { LEFT, RIGHT };

int main(int argc, char **argv)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Datatype type = MPI_INT;
    MPI_Request request;
    MPI_Status status;
    MPI_Count many = 1;
    int i = 0, all[4] = {0};
    const int fixed[2] = {1, 2};
    long l = 0;
    double d = 0, more[4] = {0};
    float f = 0;
    char text[4] = "abc";
    unsigned u = 0;
    struct pair pair = {0, 0};
    enum side side = LEFT;
    wchar_t wide = 0;
    void *any = &d;

    MPI_Init(&argc, &argv);
    MPI_Send(&i, 1, MPI_INT, 0, 0, comm);
    MPI_Send(fixed, 2, MPI_INT, 0, 0, comm);
    MPI_Send(any, 1, MPI_INT, 0, 0, comm);
    MPI_Send(&d, 1, type, 0, 0, comm);
    MPI_Send(&d, 8, MPI_BYTE, 0, 0, comm);
    MPI_Send("abc", 3, MPI_CHAR, 0, 0, comm);
    MPI_Send(&l, 1, MPI_INT64_T, 0, 0, comm);
    MPI_Send(&l, 1, MPI_AINT, 0, 0, comm);
    MPI_Send(&pair, 1, MPI_DOUBLE_INT, 0, 0, comm);
    MPI_Send_c(more, many, MPI_DOUBLE, 0, 0, comm);
    MPI_Allreduce(MPI_IN_PLACE, &d, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Recv(text, 4, MPI_CHAR, 0, 0, comm, &status);
    MPI_Gather(&i, 1, MPI_INT, all, 1, MPI_INT, 0, comm);
    MPI_Bcast(&wide, 1, MPI_WCHAR, 0, comm);
    MPI_Gather(&i, 1, MPI_INT, NULL, 0, MPI_INT, 0, comm);
    MPI_Send(&d, 1, MPI_INT, 0, 0, comm);                  /* wrong, only read */
    MPI_Send(&u, 1, MPI_INT, 0, 0, comm);                  /* wrong, only read */
    MPI_Send(&l, 1, MPI_INT, 0, 0, comm);                  /* wrong, only read */
    MPI_Send(&pair, 1, MPI_FLOAT_INT, 0, 0, comm);         /* wrong, only read */
    MPI_Send(&side, 1, MPI_DOUBLE, 0, 0, comm);            /* wrong, only read */
    MPI_Send_c(more, many, MPI_FLOAT, 0, 0, comm);         /* wrong, only read */
    MPI_Recv(&f, 1, MPI_DOUBLE, 0, 0, comm, &status);      /* wrong */
    MPI_Irecv(all, 4, MPI_DOUBLE, 0, 0, comm, &request);   /* wrong */
    MPI_Allreduce(&d, &f, 1, MPI_DOUBLE, MPI_SUM, comm);   /* wrong */
    MPI_Allreduce(&f, &d, 1, MPI_DOUBLE, MPI_SUM, comm);   /* wrong, only read */
    MPI_Gather(&i, 1, MPI_INT, more, 1, MPI_INT, 0, comm); /* wrong */
    MPI_Gather(&d, 1, MPI_INT, all, 1, MPI_INT, 0, comm);  /* wrong, only read */
    MPI_Bcast(&argv, 1, MPI_INT, 0, comm);                 /* wrong */
    MPI_Scan(&i, &i, 1, MPI_LONG, MPI_SUM, comm);          /* wrong */
    return MPI_Finalize();
}
