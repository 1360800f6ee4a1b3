/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators that come and go leave nothing behind: after a warm-up the process does not grow any
 * more, whichever way they are made.  Where a tag belongs to the call each call has another one. */
/* RUN: -n 2 ; time 60 */
/* RUN: -n 2 ; set AGREE_SHM=0 ; time 60 */
#include "common.h"

#include <mpi-ext.h>

#include <unistd.h>

#define WARM_UP 5000 /* more than what is remembered of communicators that are gone */
#define ROUNDS  2000
#define ALLOWED (16 * 1024L) /* 8 bytes a round */
#define WAYS    11
#define PERIODS 12 /* a leak grows in all of them, first touches of the rings do not */

static MPI_Comm inter, local;
static int tag = 2; /* never used twice */

static MPI_Comm make_from_group(void)
{
    MPI_Comm c;
    MPI_Group g;
    char text[32];

    snprintf(text, sizeof(text), "tag %d", tag++);
    MPI_Comm_group(MPI_COMM_WORLD, &g);
    CHECK_OK(MPI_Comm_create_from_group(g, text, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
    MPI_Group_free(&g);
    return c;
}

/* Rank 0 has come to a meeting, mostly, and rank 1 gives up instead of coming. */
static MPI_Comm called_off(void)
{
    MPI_Comm c, made;
    MPI_Group g;
    int flag;

    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    MPI_Comm_group(c, &g);
    if (rank == 0)
        CHECK_EQ(MPI_Comm_create_group(c, g, tag, &made), MPIX_ERR_REVOKED);
    for (int i = 0; rank == 1 && i < 10; i++)
        CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
    if (rank == 1)
        CHECK_OK(MPIX_Comm_revoke(c));
    MPI_Group_free(&g);
    return c;
}

static MPI_Comm make(int way)
{
    MPI_Comm c = MPI_COMM_NULL;
    MPI_Group g;
    MPI_Request q;

    switch (way) {
    case 0:
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
        break;
    case 1:
        CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &c));
        break;
    case 2:
        CHECK_OK(MPI_Comm_idup(MPI_COMM_WORLD, &c, &q));
        CHECK_OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
        break;
    case 3:
        MPI_Comm_group(MPI_COMM_WORLD, &g);
        CHECK_OK(MPI_Comm_create_group(MPI_COMM_WORLD, g, tag++, &c));
        MPI_Group_free(&g);
        break;
    case 4:
        CHECK_OK(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - rank, tag++, &c));
        break;
    case 5:
        CHECK_OK(MPI_Comm_split(inter, 1, 0, &c));
        break;
    case 6:
        CHECK_OK(MPI_Comm_dup(inter, &c));
        break;
    case 7:
        CHECK_OK(MPI_Intercomm_merge(inter, rank, &c));
        break;
    case 8:
        c = make_from_group();
        break;
    case 9:
        c = called_off();
        break;
    default:
        CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &c));
        CHECK_OK(MPI_Comm_attach_buffer(c, MPI_BUFFER_AUTOMATIC, 0));
        break;
    }
    return c;
}

static void rounds(int way, int n)
{
    for (int i = 0; i < n; i++) {
        MPI_Comm c = make(way);

        CHECK_OK(MPI_Comm_free(&c));
    }
}

static long resident_bytes(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long all, resident;

    CHECK(f && fscanf(f, "%ld %ld", &all, &resident) == 2);
    fclose(f);
    return resident * sysconf(_SC_PAGESIZE);
}

/* For all ranks alike. */
static int settled(long more)
{
    int mine = more <= ALLOWED, all = 0;

    CHECK_OK(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
    return all;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &local));
    CHECK_OK(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - rank, 1, &inter));
    rounds(0, WARM_UP);
    for (int way = 0; way < WAYS; way++) {
        long more = ALLOWED + 1;

        rounds(way, ROUNDS / 4);
        for (int i = 0; i < PERIODS && !settled(more); i++) {
            long before = resident_bytes();

            rounds(way, ROUNDS);
            more = resident_bytes() - before;
        }
        printf("way %d: %ld bytes more\n", way, more);
        CHECK(more <= ALLOWED);
    }
    return finish();
}
