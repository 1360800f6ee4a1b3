/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 2, which never had a session, leaves MPI before it has looked at what the others have sent on a communicator that all
 * have freed.  These have had a session, so they wait in MPI_Finalize until all survivors have freed it; their votes go by way
 * of rank 2, and they go on without it.
 *
 * Rank 2 stays outside of MPI until the others have written a file each, in MPI_Finalize, and for 20 ms more: so it finds
 * all of them leaving and need not look at a frame.
 *
 *   R19: MPI_Finalize succeeds in bounded time at every survivor */
/* RUN: -n 4 ; set AGREE_SHM=0 */
/* RUN: -n 8 ; set MACHINES=2 */
/* RUN: -n 4 */
#include "common.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[4096]; /* all machines have it */

static const char *file_of(int r)
{
    static char path[sizeof(folder) + 16];

    snprintf(path, sizeof(path), "%s/%d", folder, r);
    return path;
}

static int on_finalize(MPI_Comm comm, int key, void *value, void *state)
{
    fclose(fopen(file_of(rank), "w"));
    return MPI_SUCCESS;
}

static void announce_finalize(void)
{
    int key;

    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &key, NULL));
    CHECK_OK(MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL));
}

static void await_others(int n)
{
    for (int i = 0; i < n; i++) {
        while (i != rank && access(file_of(i), F_OK))
            usleep(1000);
        unlink(file_of(i));
    }
    rmdir(folder);
    usleep(20000);
}

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Comm dup;
    int n;

    snprintf(folder, sizeof(folder), "%s/left-XXXXXX",
             getenv("MEND_TEST_TMP") ? getenv("MEND_TEST_TMP") : "/tmp");
    start(&argc, &argv);
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &n));
    CHECK(rank || mkdtemp(folder));
    CHECK_OK(MPI_Bcast(folder, sizeof(folder), MPI_CHAR, 0, MPI_COMM_WORLD));
    if (rank != 2) {
        CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
        CHECK_OK(MPI_Session_finalize(&session));
        announce_finalize();
    }
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    CHECK_OK(MPI_Comm_free(&dup));
    if (rank == 2)
        await_others(n);
    return finish();
}
