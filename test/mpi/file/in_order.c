/* SPDX-License-Identifier: BSD-3-Clause */
/* Nonblocking collective accesses, then a collective call of another kind on the same file, before their requests are completed:
 * each call gets what belongs to it, whatever the members exchange for it. */
/* RUN: -n 2 ; set MACHINES=2 */
/* RUN: -n 4 ; set MACHINES=2 */
/* RUN: -n 4 */
/* RUN: -n 66 ; time 60 */
#include "common.h"

#define RW   (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE)
#define N    100 /* pieces of a member in an access */
#define MOST 10

static MPI_Datatype mine;
static int times;

/* Pieces of all members by turns, exchanged. */
static MPI_File open_mixed(const char *name)
{
    MPI_File f = open_file(name, RW);
    MPI_Info hints;

    MPI_Info_create(&hints);
    MPI_Info_set(hints, "romio_cb_write", "enable");
    MPI_Info_set(hints, "romio_cb_read", "enable");
    CHECK_OK(MPI_File_set_view(f, (MPI_Offset)sizeof(int) * rank, MPI_INT, mine, "native", hints));
    MPI_Info_free(&hints);
    return f;
}

/* The shared pointer counts in the view of each, so the ordered numbers are far behind the others. */
static void ordered(void)
{
    MPI_File f = open_mixed("ordered");
    MPI_Offset far = 10 * MOST * N;
    int out[MOST][N], in[MOST][N], one, got;
    MPI_Request r[MOST];

    CHECK_OK(MPI_File_seek_shared(f, far, MPI_SEEK_SET));
    for (int t = 0; t < times; t++) {
        for (int i = 0; i < N; i++)
            out[t][i] = 1000 * t + 10 * i + rank;
        one = 7 * t + rank;
        CHECK_OK(MPI_File_iwrite_all(f, out[t], N, MPI_INT, &r[t]));
        CHECK_OK(MPI_File_write_ordered(f, &one, 1, MPI_INT, MPI_STATUS_IGNORE));
    }
    CHECK_OK(MPI_Waitall(times, r, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_File_sync(f));
    CHECK_OK(MPI_File_seek(f, 0, MPI_SEEK_SET));
    CHECK_OK(MPI_File_seek_shared(f, far, MPI_SEEK_SET));
    for (int t = 0; t < times; t++) {
        CHECK_OK(MPI_File_iread_all(f, in[t], N, MPI_INT, &r[t]));
        CHECK_OK(MPI_File_read_ordered(f, &got, 1, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_EQ(got, 7 * t + rank);
    }
    CHECK_OK(MPI_Waitall(times, r, MPI_STATUSES_IGNORE));
    CHECK(!memcmp(out, in, (size_t)times * sizeof(out[0])));
    CHECK_OK(MPI_File_close(&f));
}

/* Each of them agrees. */
static void others(void)
{
    MPI_File f = open_mixed("others");
    int out[N], in[N];
    MPI_Request r;
    MPI_Offset at;

    for (int t = 0; t < times; t++) {
        for (int i = 0; i < N; i++)
            out[i] = 1000 * t + 10 * i + rank;
        CHECK_OK(MPI_File_iwrite_at_all(f, N * t, out, N, MPI_INT, &r));
        switch (t % 4) {
        case 0:
            CHECK_OK(MPI_File_sync(f));
            break;
        case 1:
            CHECK_OK(MPI_File_preallocate(f, 10));
            break;
        case 2:
            CHECK_OK(MPI_File_seek_shared(f, t, MPI_SEEK_SET));
            CHECK_OK(MPI_File_seek_shared(f, 3, MPI_SEEK_CUR));
            MPI_File_get_position_shared(f, &at);
            CHECK_EQ(at, t + 3);
            barrier();
            break;
        default:
            CHECK_OK(MPI_File_set_atomicity(f, 0));
        }
        CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_read_at_all(f, N * t, in, N, MPI_INT, MPI_STATUS_IGNORE));
        CHECK(!memcmp(out, in, sizeof(out)));
    }
    CHECK_OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    times = size > 8 ? 4 : MOST;
    MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)sizeof(int) * size, &mine);
    MPI_Type_commit(&mine);
    ordered();
    others();
    MPI_Type_free(&mine);
    return finish();
}
