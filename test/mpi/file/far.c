/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective access to two places that are far apart takes no step for each empty window between them: with one for each, of
 * which there are a million, the run would not end in time. */
/* RUN: -n 2 */
/* RUN: -n 5 */
/* RUN: -n 4 ; set MACHINES=2 */
/* RUN: -n 4 ; set RMA_SHM=0 */
#include "common.h"

#define DELETED (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE)
#define N       100                 /* pieces of a member in a place */
#define FAR     ((MPI_Aint)1 << 42) /* 4 TiB */
#define PLACES  3

/* Blocks of an int by turns of the members, at the beginning, in the middle, and far away. */
static MPI_Datatype places(void)
{
    MPI_Aint *at = malloc(sizeof(*at) * PLACES * N);
    MPI_Datatype t;

    for (int p = 0; p < PLACES; p++)
        for (int i = 0; i < N; i++)
            at[p * N + i] =
                p * (FAR / (PLACES - 1)) + (MPI_Aint)sizeof(int) * ((MPI_Aint)i * size + rank);
    MPI_Type_create_hindexed_block(PLACES * N, 1, at, MPI_INT, &t);
    MPI_Type_commit(&t);
    free(at);
    return t;
}

static void there_and_back(const char *nodes)
{
    MPI_File f = open_file("far", DELETED);
    MPI_Datatype t = places();
    int out[PLACES * N], in[PLACES * N];
    MPI_Info hints;

    MPI_Info_create(&hints);
    MPI_Info_set(hints, "romio_cb_write", "enable");
    MPI_Info_set(hints, "romio_cb_read", "enable");
    MPI_Info_set(hints, "cb_nodes", nodes);
    CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, t, "native", hints));
    for (int i = 0; i < PLACES * N; i++)
        out[i] = 1000 * rank + i;
    CHECK_OK(MPI_File_write_at_all(f, 0, out, PLACES * N, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_sync(f));
    CHECK_OK(MPI_File_read_at_all(f, 0, in, PLACES * N, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(!memcmp(out, in, sizeof(out)));
    CHECK_OK(MPI_File_close(&f));
    MPI_Info_free(&hints);
    MPI_Type_free(&t);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    there_and_back("1");
    there_and_back("2");
    return finish();
}
