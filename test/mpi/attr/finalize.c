/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes of MPI_COMM_SELF are deleted first in MPI_Finalize, in reverse order, while MPI still
 * works (MPI-5.0 11.2.4). */
/* RUN: -n 2 ; expect "third second first" */
#include "../comm/common.h"

static char trace[64];

static int del(MPI_Comm comm, int keyval, void *value, void *extra)
{
    int flag = -1;

    CHECK_OK(MPI_Finalized(&flag));
    CHECK_EQ(flag, 0);
    ring(MPI_COMM_WORLD);
    strcat(strcat(trace, trace[0] ? " " : ""), value);
    return comm == MPI_COMM_SELF && keyval && !extra ? MPI_SUCCESS : MPI_ERR_OTHER;
}

int main(int argc, char **argv)
{
    static char *const names[] = {"first", "second", "third"};
    int key;

    start(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, del, &key, NULL));
        CHECK_OK(MPI_Comm_set_attr(MPI_COMM_SELF, key, names[i]));
        CHECK_OK(MPI_Comm_free_keyval(&key));
    }
    MPI_Finalize();
    puts(trace);
    return strcmp(trace, "third second first") != 0;
}
