/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that have disconnected need each other no more (MPI-5.0 11.10.4): the last session of one ends, and a child goes
 * through MPI_Finalize, while another one, which has returned from MPI_Comm_disconnect, stays outside of MPI.  The last rank
 * disconnects late, so that the others would have returned long before it if they did not wait.
 *
 * They do not wait for a member that may never disconnect: rank 0, when the communicator is revoked, or has a dead member; and
 * parents that call MPI_Finalize instead.  Nor do they wait for a process from which they do not part: rank 2, which has freed
 * a window with them and is outside of MPI until the others have disconnected what they have without it; nor for the end of a
 * communicator that they have freed with MPI_Comm_free, and rank 0 frees later.
 *
 *   R36: while no session is open no death is a failure, and a process that opens one again is the same peer
 *   S0-1: a call that needs a dead process returns in bounded time
 *
 * RUN: -n 3 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 5 ; set AGREE_SHM=0 ; expect "rank 3 ok"
 * RUN: -n 4 ; args revoked ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; args revoked ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 --lenient-exit ; args dead ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args third ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; args later ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 2 ; args child ; expect "rank 0 ok" ; expect "child ok"
 * RUN: -n 2 ; args child ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "child ok"
 * RUN: -n 2 ; args lazy ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "child ok" */
#include "../common.h"

#include "../../mpi/session/common.h"

static void late(void)
{
    struct timespec t = {.tv_nsec = 50000000};

    nanosleep(&t, NULL);
}

/* Rank 1 is outside of MPI until the sessions of all others have ended. */
static void sessions(void)
{
    MPI_Session s = open_session();
    MPI_Comm c = world_of(s, "all");

    use(c);
    if (rank == size - 1)
        late();
    CHECK_OK(MPI_Comm_disconnect(&c));
    if (rank == 1)
        await(0, size - 1);
    close_session(&s);
    post(0);
    printf("rank %d ok\n", rank);
}

static void free_a_window(MPI_Comm c)
{
    MPI_Win w;

    CHECK_OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, c, &w));
    CHECK_OK(MPI_Win_free(&w));
}

static MPI_Comm all_but(MPI_Comm c, int out)
{
    MPI_Group all, others;
    MPI_Comm made;

    CHECK_OK(MPI_Comm_group(c, &all));
    CHECK_OK(MPI_Group_excl(all, 1, &out, &others));
    CHECK_OK(MPI_Comm_create_group(c, others, 0, &made));
    MPI_Group_free(&all);
    MPI_Group_free(&others);
    return made;
}

/* Rank 0 goes away at once: then it has done nothing for the end of the window yet. */
static void rank_0_keeps_it(bool death)
{
    MPI_Session s = open_session();
    MPI_Comm c = world_of(s, "all"), living;

    use(c);
    post(1);
    await(1, size);
    if (death && rank == size - 1)
        die_now();
    if (death)
        CHECK_CLASS(MPI_Barrier(c), MPI_ERR_PROC_FAILED);
    living = death ? all_but(c, size - 1) : c;
    free_a_window(living);
    if (death)
        CHECK_OK(MPI_Comm_free(&living));
    else
        CHECK_OK(MPIX_Comm_revoke(c));
    if (rank == 0)
        await(0, size - 1 - death);
    CHECK_OK(MPI_Comm_disconnect(&c));
    post(0);
    close_session(&s);
    printf("rank %d ok\n", rank);
}

static void rank_2_is_a_third(void)
{
    MPI_Session s = open_session();
    MPI_Comm c = world_of(s, "all"), pair;

    free_a_window(c);
    if (rank == 2) {
        await(0, size - 1);
    } else {
        pair = all_but(c, 2);
        CHECK_OK(MPI_Comm_disconnect(&pair));
        post(0);
    }
    CHECK_OK(MPI_Comm_disconnect(&c));
    close_session(&s);
    printf("rank %d ok\n", rank);
}

static void rank_0_frees_later(void)
{
    MPI_Session s = open_session();
    MPI_Comm c = world_of(s, "all"), d = world_of(s, "second");

    if (rank != 0)
        CHECK_OK(MPI_Comm_free(&d));
    CHECK_OK(MPI_Comm_disconnect(&c));
    post(0);
    if (rank == 0) {
        await(0, size);
        CHECK_OK(MPI_Comm_free(&d));
    }
    close_session(&s);
    printf("rank %d ok\n", rank);
}

static void child(MPI_Comm parent)
{
    late();
    CHECK_OK(MPI_Comm_disconnect(&parent));
    MPI_Finalize();
    post(0);
    puts("child ok");
}

/* The parents are outside of MPI until the child has ended there; or they are lazy, and in MPI_Finalize. */
static void parents(char *program, bool lazy)
{
    char *args[] = {(char *)"child", NULL};
    MPI_Comm inter;

    CHECK_OK(MPI_Comm_spawn(program, args, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                            MPI_ERRCODES_IGNORE));
    if (!lazy) {
        CHECK_OK(MPI_Comm_disconnect(&inter));
        await(0, 1);
    }
    MPI_Finalize();
    printf("rank %d ok\n", rank);
}

static void spawn(int argc, char **argv)
{
    MPI_Comm parent;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        parents(argv[0], !strcmp(argv[1], "lazy"));
    else
        child(parent);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    set_watchdog();
    open_board();
    if (!*what)
        sessions();
    else if (!strcmp(what, "third"))
        rank_2_is_a_third();
    else if (!strcmp(what, "later"))
        rank_0_frees_later();
    else if (!strcmp(what, "revoked") || !strcmp(what, "dead"))
        rank_0_keeps_it(!strcmp(what, "dead"));
    else
        spawn(argc, argv);
    return 0;
}
