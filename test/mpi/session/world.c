/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions beside the world: before MPI_Init, during it, and after MPI_Finalize; MPI_COMM_WORLD exists only between the
 * two. */
/* RUN: -n 1 */
/* RUN: -n 4 */
/* RUN: -n 4 ; set AGREE_SHM=0 */
#include "common.h"

static void check_world(bool open, bool over)
{
    int flag, n;

    MPI_Initialized(&flag);
    CHECK_EQ(flag, open || over);
    MPI_Finalized(&flag);
    CHECK_EQ(flag, over);
    if (!open)
        CHECK_CLASS(MPI_Comm_size(MPI_COMM_WORLD, &n), MPI_ERR_COMM);
}

static int deleted;

static int on_delete(MPI_Comm c, int key, void *value, void *extra)
{
    deleted++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Session before, during, after;
    MPI_Comm a, b, c, d;
    int key;

    setenv("MEND_INITIAL_ERRHANDLER", "mpi_errors_return", 1);
    before = open_session();
    check_world(false, false);
    a = world_of(before, "a");
    MPI_Init(&argc, &argv);
    check_world(true, false);
    use(MPI_COMM_WORLD);
    use(a);
    during = open_session();
    b = comm_of(during, "mpi://WORLD", "b");
    use(b);
    CHECK_OK(MPI_Comm_free(&b));
    close_session(&during);
    MPI_Comm_dup(MPI_COMM_WORLD, &d);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    use(d);
    MPI_Comm_free(&d);
    MPI_Finalize();
    CHECK_EQ(deleted, 1);
    check_world(false, true);
    use(a);
    after = open_session();
    c = comm_of(after, "mpi://WORLD", "c");
    use(c);
    CHECK_OK(MPI_Comm_free(&a));
    close_session(&before);
    use(c);
    CHECK_OK(MPI_Comm_free(&c));
    close_session(&after);
    after = open_session();
    check_world(false, true);
    c = comm_of(after, "mpi://WORLD", "d");
    use(c);
    CHECK_OK(MPI_Comm_free(&c));
    close_session(&after);
    return 0;
}
