/* SPDX-License-Identifier: BSD-3-Clause */
/* A spawned process takes part in an operation with its parents, disconnects, and goes through MPI_Finalize.  The parents look
 * only later, when they could hear of the end of the child, too.  Nobody has failed, and each parent gets the result, and what
 * the child has sent.  After a session the launcher tells the others of each process that has left.
 *
 *   reduce    MPI_Iallreduce, which the parents have begun
 *   root      MPI_Ibcast of the child
 *   agree     MPIX_Comm_iagree
 *   window    a fence with a put of the child; the parents have not freed the window
 *   send      messages of the child, which the parents receive afterwards
 *
 * The parents give the child the time to end, a third of a second, which it must not use: its disconnect waits for theirs.
 *
 *   S0-2: a call that needs no dead process completes normally
 *
 * RUN: -n 3 ; args reduce ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args root ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args agree ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args window ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args send ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args send ; set COLL_SHM=0 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args reduce ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args reduce free ; expect "rank 0 ok" ; expect "rank 2 ok" */
#include "../common.h"

#define TURNS    3
#define MESSAGES 5
#define BYTES    3000

enum { DONE, ENDED }; /* slots of the board */

static const char *what;
static bool frees; /* the parents call MPI_Comm_free */
static unsigned char buf[BYTES];

struct work {
    MPI_Request request;
    MPI_Win win;
    int in, out;
    int *memory;
};

static bool is(const char *name)
{
    return !strcmp(what, name);
}

static void begin(struct work *w, MPI_Comm all, int child)
{
    bool me = rank == child;

    *w =
        (struct work){.request = MPI_REQUEST_NULL, .win = MPI_WIN_NULL, .in = 1, .out = me ? 4 : 7};
    if (is("reduce"))
        CHECK_EQ(MPI_Iallreduce(&w->in, &w->out, 1, MPI_INT, MPI_SUM, all, &w->request),
                 MPI_SUCCESS);
    if (is("root"))
        CHECK_EQ(MPI_Ibcast(&w->out, 1, MPI_INT, child, all, &w->request), MPI_SUCCESS);
    if (is("agree"))
        CHECK_EQ(MPIX_Comm_iagree(all, &w->out, &w->request), MPI_SUCCESS);
    for (int i = 0; is("send") && me && i < MESSAGES * child; i++) {
        fill(buf, BYTES, (unsigned)i);
        CHECK_EQ(MPI_Send(buf, BYTES / (1 + i % 3), MPI_BYTE, i % child, i, all), MPI_SUCCESS);
    }
    if (!is("window"))
        return;
    CHECK_EQ(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, all, &w->memory, &w->win),
             MPI_SUCCESS);
    MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN);
    *w->memory = 0;
    CHECK_EQ(MPI_Win_fence(0, w->win), MPI_SUCCESS);
    for (int r = 0; me && r < child; r++)
        CHECK_EQ(MPI_Put(&w->out, 1, MPI_INT, r, 0, 1, MPI_INT, w->win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_fence(0, w->win), MPI_SUCCESS);
}

static void end(struct work *w, MPI_Comm all, int child)
{
    bool me = rank == child;

    CHECK_EQ(MPI_Wait(&w->request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (is("window"))
        w->out = me ? 4 : *w->memory;
    if (!is("send"))
        CHECK_EQ(w->out, is("reduce") ? child + 1 : 4);
    for (int i = 0; is("send") && !me && i < MESSAGES * child; i++)
        if (i % child == rank) {
            CHECK_EQ(MPI_Recv(buf, BYTES, MPI_BYTE, child, i, all, MPI_STATUS_IGNORE), MPI_SUCCESS);
            CHECK_EQ(wrong(buf, (size_t)(BYTES / (1 + i % 3)), (unsigned)i), -1);
        }
    if (w->win != MPI_WIN_NULL)
        CHECK_EQ(MPI_Win_free(&w->win), MPI_SUCCESS);
}

static int run_child(MPI_Comm parents)
{
    struct work w;
    MPI_Comm all;
    int n;

    MPI_Comm_set_errhandler(parents, MPI_ERRORS_ABORT);
    MPI_Intercomm_merge(parents, 1, &all);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &n);
    begin(&w, all, n - 1);
    if (is("window"))
        post(DONE); /* MPI_Win_free waits for the parents */
    end(&w, all, n - 1);
    if (!is("window"))
        post(DONE);
    MPI_Comm_disconnect(&all);
    MPI_Comm_disconnect(&parents);
    MPI_Finalize();
    post(ENDED);
    return 0;
}

static void leave(MPI_Comm *c)
{
    CHECK_EQ(frees ? MPI_Comm_free(c) : MPI_Comm_disconnect(c), MPI_SUCCESS);
}

/* Outside of MPI until that has been posted, for a third of a second at most. */
static void pause_until(int slot, int turn)
{
    for (int i = 0; i < 330 && posted(slot) < turn; i++)
        usleep(1000);
}

/* Only rank 1 looks while the child has not done its part, and nobody until it has ended, or does not: then the first call
 * finds its end and what the others have sent meanwhile. */
static void look_away(int turn)
{
    int flag;

    if (rank != 1)
        pause_until(DONE, turn);
    await_in_mpi(DONE, turn);
    pause_until(ENDED, turn);
    for (int i = 0; i < 30; i++) {
        CHECK_EQ(MPI_Iprobe(0, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        usleep(1000);
    }
}

static void take_turn(const char *program, int turn)
{
    char *args[] = {(char *)what, NULL};
    MPI_Comm inter, all;
    struct work w;

    CHECK_EQ(MPI_Comm_spawn(program, args, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                            MPI_ERRCODES_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_merge(inter, 0, &all), MPI_SUCCESS);
    begin(&w, all, size);
    look_away(turn);
    end(&w, all, size);
    leave(&all);
    leave(&inter);
}

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Comm parents;

    what = argv[1];
    frees = argc > 2;
    start(&argc, &argv);
    MPI_Comm_get_parent(&parents);
    if (parents != MPI_COMM_NULL)
        return run_child(parents);
    CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    for (int turn = 1; turn <= TURNS; turn++)
        take_turn(argv[0], turn);
    return finish();
}
